/* reduction: the sum of an array of integers, by a launch that leaves one sum a CTA and a second
 * one over those. */
#include "workloads/workload.h"

#define THREADS 256u
#define LAST_THREADS 32u

/* Beyond the array, and in the sums before they are known: the kernel must not add it. */
#define RUBBISH 0x5a5a5a5a

#define PARAMS(P, T) \
	P(T, UINT, n, 0, 0, 67108864, "elements", \
		"Length of the array; 0 = by size: 1000003 at small, 16777216 at full (the " \
		"SDK's).") \
	P(T, UINT, ctas, 100, 1, 65535, "CTAs", "Most CTAs of the first launch (the SDK's are 64).")

struct reduction {
	struct {
		PARAMS(PARAM_FIELD, reduction)
	} p;
	uint32_t n, ctas;
	int32_t *in;
};

static const struct param_def params[] = {PARAMS(PARAM_ROW, reduction)};

static void make_input(struct workload_run *run)
{
	struct reduction *w = run->state;
	struct rng rng = rng_new(run->seed, 0);

	w->in = arena_alloc(run->arena, (size_t)w->n + 1, sizeof(*w->in));
	for (uint32_t i = 0; i < w->n; i++)
		w->in[i] = (int32_t)rng_below(&rng, 2001) - 1000;
	w->in[w->n] = RUBBISH;
}

static int launch(struct workload_run *run, module_t module, const struct launch *shape,
	struct launch_arg in, uint32_t n, uint64_t to, struct err *err)
{
	struct launch l = *shape;
	struct launch_arg out = ARG_BUF(run->result);

	out.offset = to * sizeof(int32_t);
	l.module = module;
	l.args = (struct launch_arg[]){in, out, ARG_VAL(n)};
	l.nargs = 3;
	return workload_launch(run, &l, err);
}

static int setup(struct workload_run *run, struct err *err)
{
	struct reduction *w = run->state;
	module_t module = workload_module(run, "reduction", err);
	struct launch first = {.kernel = "reduction_256", .block = {THREADS, 1, 1}};
	struct launch last = {
		.kernel = "reduction_32", .grid = {1, 1, 1}, .block = {LAST_THREADS, 1, 1}};
	int32_t *sums;
	buffer_t in;

	w->n = workload_by_size(run, w->p.n, 1000003, 16777216);
	w->ctas = (uint32_t)min_u64(w->p.ctas, div_up(w->n, 2 * THREADS));
	make_input(run);
	sums = arena_alloc(run->arena, w->ctas + 1, sizeof(*sums));
	for (uint32_t i = 0; i <= w->ctas; i++)
		sums[i] = RUBBISH;
	in = workload_buffer(run, "in", w->in, ((uint64_t)w->n + 1) * sizeof(*w->in), err);
	workload_result(run, "sums", sums, (w->ctas + 1) * sizeof(*sums), err);
	if (!module || !in || !run->result)
		return -1;
	first.grid[0] = w->ctas;
	first.grid[1] = first.grid[2] = 1;
	if (launch(run, module, &first, ARG_BUF(in), w->n, 0, err))
		return -1;
	return launch(run, module, &last, ARG_BUF(run->result), w->ctas, w->ctas, err);
}

/* CTA c has the c-th, (c + ctas)-th, .. piece of the array; integers have one sum in any order. */
static int check(struct workload_run *run, struct err *err)
{
	const struct reduction *w = run->state;
	int32_t *expected = arena_alloc(run->arena, w->ctas + 1, sizeof(*expected));

	for (uint32_t i = 0; i < w->n; i++) {
		expected[i / (2 * THREADS) % w->ctas] += w->in[i];
		expected[w->ctas] += w->in[i];
	}
	return workload_check_i32(run, expected, w->ctas + 1, err);
}

static const struct workload_foreign foreign[] = {
	{.file = "sdk2.2/reduction_kernel_sm10.ptx",
		.name = "reduction_256",
		.theirs = "_Z12reduce6_sm10IiLj256ELb0EEvPT_S1_j",
		.arguments = NULL,
		.shared_bytes = THREADS * sizeof(int32_t)},
	{.file = "sdk2.2/reduction_kernel_sm10.ptx",
		.name = "reduction_32",
		.theirs = "_Z12reduce6_sm10IiLj32ELb0EEvPT_S1_j",
		.arguments = NULL,
		.shared_bytes = 2 * LAST_THREADS * sizeof(int32_t)},
	{.file = NULL},
};

static const struct workload_ops ops = {
	.computes = "Sum of an array of integers.",
	.source = "CUDA SDK, reduction, the last kernel (Harris, Optimizing Parallel Reduction in "
		  "CUDA, 2007)",
	.setup = setup,
	.check = check,
	.foreign = foreign,
};

const struct plugin reduction_workload = {
	.kind = "workload",
	.name = "reduction",
	.text = "Tree of sums: short dependent steps, barriers, idle warps.",
	.path = "reduction",
	.size = sizeof(struct reduction),
	.params = params,
	.nparams = ARRAY_LEN(params),
	.ops = &ops,
};
