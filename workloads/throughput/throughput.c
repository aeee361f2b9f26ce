/* throughput: what one SM does in a cycle, one unit a kernel. */
#include "workloads/workload.h"

#include <inttypes.h>
#include <stdio.h>

/* As in throughput.cu. */
#define GROUP 8u
#define WORDS 4096u
#define SLOTS 6u

enum kernel { SWAP, CHASE, ATOMIC, FMA, BARRIER, GLOBAL };

#define PARAMS(P, T) \
	P(T, CHOICE, kernel, SWAP, 0, 0, "swap|chase|atomic|fma|barrier|global", \
		"Elements exchanged in shared memory; dependent loads from it; additions to one " \
		"word of it; multiply-adds; barriers; a chain of additions to a global word.") \
	P(T, UINT, ctas, 1, 1, 65536, "CTAs", "CTAs of swap; other kernels: 1.") \
	P(T, UINT, threads, 64, 1, 1024, "threads", "Threads of a CTA.") \
	P(T, UINT, width, 1, 1, 4, "words", "Words of an element of swap: 1, 2, 4.") \
	P(T, UINT, iterations, 0, 0, 1048576, "iterations", \
		"Of 20 accesses (swap), 8 loads, additions or barriers, 32 multiply-adds; 0 = by " \
		"size: 25 at small, 100 at full.") \
	P(T, UINT, stride, 1, 0, WORDS - 1, "words", "From a lane's word of chase to the next's.") \
	P(T, UINT, hop, 33, 0, WORDS - 1, "words", "From a word of chase to the next one.") \
	P(T, UINT, lanes, 32, 1, 1024, "threads", "Threads that add to the word.") \
	P(T, UINT, warps, 1, 1, 4294967295.0, "", "Warps that multiply and add: a bit each.")

struct throughput {
	struct {
		PARAMS(PARAM_FIELD, throughput)
	} p;
	uint32_t ctas, threads, width, iterations, stride, hop, lanes, warps;
	uint32_t *from;
	float a, b;
};

static const struct param_def params[] = {PARAMS(PARAM_ROW, throughput)};

static void read_params(struct workload_run *run)
{
	struct throughput *w = run->state;

	w->ctas = (uint32_t)w->p.ctas;
	w->threads = (uint32_t)w->p.threads;
	w->width = (uint32_t)w->p.width;
	w->iterations = workload_by_size(run, w->p.iterations, 25, 100);
	w->stride = (uint32_t)w->p.stride;
	w->hop = (uint32_t)w->p.hop;
	w->lanes = (uint32_t)w->p.lanes;
	w->warps = (uint32_t)w->p.warps;
	w->a = 0.5F;
	w->b = 3;
}

static int check_params(const struct throughput *w, struct err *err)
{
	if (w->width == 3)
		return err_add(err, ERR_INPUT, "throughput.width = 3: must be 1, 2 or 4");
	if (w->ctas > 1 && w->p.kernel != SWAP)
		return err_add(err, ERR_INPUT,
			"throughput.ctas = %u: must be 1, or throughput.kernel = swap", w->ctas);
	return 0;
}

/* Words of the result. */
static uint64_t results(const struct throughput *w)
{
	switch (w->p.kernel) {
	case SWAP:
		return (uint64_t)w->ctas * w->threads * SLOTS * w->width;
	case ATOMIC:
	case GLOBAL:
		return 1;
	case FMA:
		return (uint64_t)w->threads * GROUP;
	default:
		return w->threads;
	}
}

static int launch_swap(struct workload_run *run, struct launch *l, struct err *err)
{
	struct throughput *w = run->state;
	uint64_t n = results(w);
	struct rng rng = rng_new(run->seed, 0);
	buffer_t from;
	char name[32];

	w->from = arena_alloc(run->arena, n, sizeof(*w->from));
	for (uint64_t i = 0; i < n; i++)
		w->from[i] = (uint32_t)rng_u64(&rng);
	from = workload_buffer(run, "from", w->from, n * 4, err);
	if (!from)
		return -1;
	snprintf(name, sizeof(name), "throughput_swap%u", w->width);
	l->kernel = name;
	l->grid[0] = w->ctas;
	l->shared_bytes = w->threads * SLOTS * w->width * 4;
	l->args =
		(struct launch_arg[]){ARG_BUF(from), ARG_VAL(w->iterations), ARG_BUF(run->result)};
	l->nargs = 3;
	return workload_launch(run, l, err);
}

static int launch(struct workload_run *run, struct launch *l, struct err *err)
{
	struct throughput *w = run->state;
	const struct launch_arg n = ARG_VAL(w->iterations), to = ARG_BUF(run->result);
	const struct {
		const char *name;
		struct launch_arg args[5];
		unsigned nargs;
	} kernels[] = {
		[CHASE] = {"throughput_chase", {ARG_VAL(w->stride), ARG_VAL(w->hop), n, to}, 4},
		[ATOMIC] = {"throughput_atomic", {ARG_VAL(w->lanes), n, to}, 3},
		[FMA] = {"throughput_fma", {ARG_VAL(w->warps), n, ARG_VAL(w->a), ARG_VAL(w->b), to},
			5},
		[BARRIER] = {"throughput_barrier", {n, to}, 2},
		[GLOBAL] = {"throughput_global", {n, to}, 2},
	};

	l->kernel = kernels[w->p.kernel].name;
	l->args = kernels[w->p.kernel].args;
	l->nargs = kernels[w->p.kernel].nargs;
	return workload_launch(run, l, err);
}

static int setup(struct workload_run *run, struct err *err)
{
	struct throughput *w = run->state;
	module_t module = workload_module(run, "throughput", err);
	struct launch l = {.module = module, .grid = {1, 1, 1}, .block = {1, 1, 1}};

	if (!module)
		return -1;
	read_params(run);
	if (check_params(w, err) || !workload_result(run, "result", NULL, results(w) * 4, err))
		return -1;
	l.block[0] = w->threads;
	return w->p.kernel == SWAP ? launch_swap(run, &l, err) : launch(run, &l, err);
}

/* ---- check */
/* An iteration moves what is in slot i to slot after[i]. */
static void expect_swaps(const struct throughput *w, int32_t *expected)
{
	static const unsigned after[SLOTS] = {2, 0, 4, 1, 5, 3};
	uint32_t row = w->threads * w->width;
	unsigned to[SLOTS];

	for (unsigned s = 0; s < SLOTS; s++) {
		to[s] = s;
		for (uint32_t i = 0; i < w->iterations; i++)
			to[s] = after[to[s]];
	}
	for (uint32_t c = 0; c < w->ctas; c++)
		for (unsigned s = 0; s < SLOTS; s++)
			for (uint32_t k = 0; k < row; k++)
				expected[(c * SLOTS + to[s]) * row + k] =
					(int32_t)w->from[(c * SLOTS + s) * row + k];
}

/* Halves and threes: exact for the few steps until a number is so near its limit, 6, that it does
 * not change. */
static int check_fma(struct workload_run *run, struct err *err)
{
	const struct throughput *w = run->state;
	uint64_t n = results(w);
	float *expected = arena_alloc(run->arena, n, sizeof(*expected));
	struct tolerance near = {
		.abs = 4 * 6 * F32_ROUNDING, .why = "each step halves the roundings before it"};

	for (uint32_t k = 0; k < GROUP; k++)
		for (uint32_t t = 0; t < w->threads; t++) {
			double x = t + k;

			for (uint32_t i = 0; i < 4 * w->iterations && w->warps >> t / 32 & 1; i++)
				x = x / 2 + 3;
			expected[k * w->threads + t] = (float)x;
		}
	return workload_check_f32(run, expected, n, near, err);
}

/* Each addition's sum is that of the two before: Fibonacci's numbers. */
static uint32_t chain_of_sums(uint64_t n)
{
	uint32_t found = 1, sum = 0;

	for (uint64_t i = 0; i < n; i++) {
		uint32_t next = sum + found;

		found = sum;
		sum = next;
	}
	return sum;
}

static int check(struct workload_run *run, struct err *err)
{
	const struct throughput *w = run->state;
	uint64_t n = results(w);
	int32_t *expected = arena_alloc(run->arena, n, sizeof(*expected));
	uint64_t way = (uint64_t)w->iterations * GROUP;
	uint32_t adding = w->lanes < w->threads ? w->lanes : w->threads;

	if (w->p.kernel == FMA)
		return check_fma(run, err);
	if (w->p.kernel == SWAP)
		expect_swaps(w, expected);
	else if (w->p.kernel == ATOMIC)
		expected[0] = (int32_t)(way * adding * (adding + 1) / 2);
	else if (w->p.kernel == GLOBAL)
		expected[0] = (int32_t)chain_of_sums(way);
	for (uint64_t t = 0; t < n && w->p.kernel == CHASE; t++)
		expected[t] = (int32_t)((t * w->stride + way * w->hop) % WORDS);
	for (uint64_t t = 0; t < n && w->p.kernel == BARRIER; t++)
		expected[t] = (int32_t)w->iterations;
	return workload_check_i32(run, expected, n, err);
}

static const char *const variants[] = {"throughput.width=2 throughput.ctas=2 throughput.threads=40",
	"throughput.width=4 throughput.iterations=3",
	"throughput.kernel=chase throughput.stride=5 throughput.iterations=3",
	"throughput.kernel=atomic throughput.lanes=7", "throughput.kernel=atomic",
	"throughput.kernel=fma throughput.warps=2 throughput.iterations=1",
	"throughput.kernel=barrier", "throughput.kernel=global throughput.iterations=2", NULL};

static const struct workload_ops ops = {
	.computes = "Elements exchanged, where chains end, sums, multiply-adds, barriers passed.",
	.source = "gpumembench (shmembench), Jia et al. 2019 (tables 2.1 and 4.2), Mei et al. 2014",
	.calibrates = "rates of operations",
	.setup = setup,
	.check = check,
	.variants = variants,
};

const struct plugin throughput_workload = {
	.kind = "workload",
	.name = "throughput",
	.text = "One SM's units: shared memory, multiply-adds, barriers.",
	.path = "throughput",
	.size = sizeof(struct throughput),
	.params = params,
	.nparams = ARRAY_LEN(params),
	.ops = &ops,
};
