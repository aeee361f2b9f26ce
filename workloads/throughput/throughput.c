/* throughput: what one SM does in a cycle, one unit a kernel. */
#include "workloads/workload.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* As in throughput.cu. */
#define GROUP 8u
#define WORDS 4096u
#define SLOTS 6u

enum kernel { SWAP, CHASE, ATOMIC, FMA, BARRIER, GLOBAL, MATRIX };
enum product { F16, HALF, TF32, F64, U8 };

/* Of a product of matrices: registers of its sums in a thread, bytes of each, and what it adds. */
static const struct {
	const char *name;
	unsigned sums, bytes, adds;
} matrices[] = {
	[F16] = {"f16", 8, 4, 1},
	[HALF] = {"half", 4, 4, 1},
	[TF32] = {"tf32", 8, 4, 1},
	[F64] = {"f64", 2, 8, 1},
	[U8] = {"u8", 8, 4, 16},
};

#define PARAMS(P, T) \
	P(T, CHOICE, kernel, SWAP, 0, 0, "swap|chase|atomic|fma|barrier|global|matrix", \
		"Elements exchanged in shared memory; dependent loads from it; additions to one " \
		"word of it; multiply-adds; barriers; a chain of additions to a global word; products " \
		"of matrices (wmma).") \
	P(T, UINT, ctas, 1, 1, 65536, "CTAs", "CTAs of swap and matrix; other kernels: 1.") \
	P(T, UINT, threads, 64, 1, 1024, "threads", "Threads of a CTA.") \
	P(T, UINT, width, 1, 1, 4, "words", "Words of an element of swap: 1, 2, 4.") \
	P(T, UINT, iterations, 0, 0, 1048576, "iterations", \
		"Of 20 accesses (swap), 8 loads, additions or barriers, 32 multiply-adds or products; " \
		"0 = by size: 25 at small, 100 at full.") \
	P(T, UINT, stride, 1, 0, WORDS - 1, "words", "From a lane's word of chase to the next's.") \
	P(T, UINT, hop, 33, 0, WORDS - 1, "words", "From a word of chase to the next one.") \
	P(T, UINT, lanes, 32, 1, 1024, "threads", "Threads that add to the word.") \
	P(T, UINT, warps, 1, 1, 4294967295.0, "", "Warps that multiply and add: a bit each.") \
	P(T, CHOICE, product, F16, 0, 0, "f16|half|tf32|f64|u8", \
		"Elements of matrices: f16 with sums of f32, f16 with sums of f16, tf32, f64, u8.") \
	P(T, UINT, chains, 4, 1, 4, "sums", "Independent sums of products of a warp: 1, 4.")

struct throughput {
	struct {
		PARAMS(PARAM_FIELD, throughput)
	} p;
	uint32_t ctas, threads, width, iterations, stride, hop, lanes, warps, chains;
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
	w->chains = (uint32_t)w->p.chains;
	w->a = 0.5F;
	w->b = 3;
}

/* Products that go into each sum. */
static uint64_t each_chain(const struct throughput *w)
{
	return (uint64_t)w->iterations * 4 * GROUP / w->chains;
}

static int check_params(const struct throughput *w, struct err *err)
{
	if (w->width == 3)
		return err_add(err, ERR_INPUT, "throughput.width = 3: must be 1, 2 or 4");
	if (w->ctas > 1 && w->p.kernel != SWAP && w->p.kernel != MATRIX)
		return err_add(err, ERR_INPUT,
			"throughput.ctas = %u: must be 1, or throughput.kernel = swap or matrix",
			w->ctas);
	if (w->p.kernel != MATRIX)
		return 0;
	if (w->threads % 32)
		return err_add(err, ERR_INPUT,
			"throughput.threads = %u: must be a multiple of 32, as throughput.kernel = "
			"matrix is",
			w->threads);
	if (w->chains != 1 && w->chains != 4)
		return err_add(err, ERR_INPUT, "throughput.chains = %u: must be 1 or 4", w->chains);
	/* the largest number up to which all integers are f16 */
	if (w->p.product == HALF && each_chain(w) > 2000)
		return err_add(err, ERR_INPUT,
			"throughput.iterations = %u: must be at most %u, for sums of f16",
			w->iterations, 2000 * w->chains / (4 * GROUP));
	return 0;
}

/* Elements of the result. */
static uint64_t results(const struct throughput *w)
{
	switch (w->p.kernel) {
	case MATRIX:
		return (uint64_t)w->ctas * w->threads * w->chains * matrices[w->p.product].sums;
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

static unsigned result_bytes(const struct throughput *w)
{
	return w->p.kernel == MATRIX ? matrices[w->p.product].bytes : 4;
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

static int launch_matrix(struct workload_run *run, struct launch *l, struct err *err)
{
	struct throughput *w = run->state;
	char name[32];

	snprintf(name, sizeof(name), "throughput_%s_%u", matrices[w->p.product].name, w->chains);
	l->kernel = name;
	l->grid[0] = w->ctas;
	l->args = (struct launch_arg[]){ARG_VAL(w->iterations), ARG_BUF(run->result)};
	l->nargs = 2;
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
	if (check_params(w, err) ||
		!workload_result(run, "result", NULL, results(w) * result_bytes(w), err))
		return -1;
	l.block[0] = w->threads;
	if (w->p.kernel == SWAP)
		return launch_swap(run, &l, err);
	return w->p.kernel == MATRIX ? launch_matrix(run, &l, err) : launch(run, &l, err);
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

/* An integer as f16, exactly: below 2048. */
static uint32_t f16_of(uint32_t value)
{
	unsigned e = 0;

	if (!value)
		return 0;
	while (value >> (e + 1))
		e++;
	return (e + 15) << 10 | (value << (10 - e) & 0x3ff);
}

/* Writes a sum as the kernel's words. */
static void sum_words(enum product product, uint32_t sum, int32_t *words)
{
	float single = (float)sum;
	double both = sum;

	if (product == F64)
		memcpy(words, &both, sizeof(both));
	else if (product == U8)
		words[0] = (int32_t)sum;
	else if (product == HALF)
		words[0] = (int32_t)(f16_of(sum) * 0x10001);
	else
		memcpy(words, &single, sizeof(single));
}

/* A register of the sums begins with its number; all are integers, and exact. */
static int check_matrix(struct workload_run *run, struct err *err)
{
	const struct throughput *w = run->state;
	unsigned words = result_bytes(w) / 4;
	uint64_t n = results(w), own = (uint64_t)w->ctas * w->threads;
	int32_t *expected = arena_alloc(run->arena, n * words, sizeof(*expected));

	for (uint64_t i = 0; i < n; i++)
		sum_words((enum product)w->p.product,
			(uint32_t)(i / own + each_chain(w) * matrices[w->p.product].adds),
			expected + i * words);
	return workload_check_i32(run, expected, n * words, err);
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
	if (w->p.kernel == MATRIX)
		return check_matrix(run, err);
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

#define MATRIX_VARIANT(product, chains) \
	"throughput.kernel=matrix throughput.ctas=2 throughput.iterations=2 pipe.tensor_lanes=4 " \
	"pipe.tensor64_lanes=2 throughput.product=" product " throughput.chains=" chains

static const char *const variants[] = {"throughput.width=2 throughput.ctas=2 throughput.threads=40",
	"throughput.width=4 throughput.iterations=3",
	"throughput.kernel=chase throughput.stride=5 throughput.iterations=3",
	"throughput.kernel=atomic throughput.lanes=7", "throughput.kernel=atomic",
	"throughput.kernel=fma throughput.warps=2 throughput.iterations=1",
	"throughput.kernel=barrier", "throughput.kernel=global throughput.iterations=2",
	MATRIX_VARIANT("f16", "1"), MATRIX_VARIANT("f16", "4"), MATRIX_VARIANT("half", "1"),
	MATRIX_VARIANT("half", "4"), MATRIX_VARIANT("tf32", "1"), MATRIX_VARIANT("tf32", "4"),
	MATRIX_VARIANT("f64", "1"), MATRIX_VARIANT("f64", "4"), MATRIX_VARIANT("u8", "1"),
	MATRIX_VARIANT("u8", "4"), NULL};

static const struct workload_ops ops = {
	.computes =
		"Elements exchanged, where chains end, sums, multiply-adds, barriers passed, sums of "
		"products of matrices.",
	.source = "gpumembench (shmembench), Jia et al. 2019 (tables 2.1 and 4.2), Mei et al. 2014",
	.calibrates = "rates of operations",
	.setup = setup,
	.check = check,
	.variants = variants,
};

const struct plugin throughput_workload = {
	.kind = "workload",
	.name = "throughput",
	.text = "One SM's units: shared memory, multiply-adds, barriers, tensor cores.",
	.path = "throughput",
	.size = sizeof(struct throughput),
	.params = params,
	.nparams = ARRAY_LEN(params),
	.ops = &ops,
};
