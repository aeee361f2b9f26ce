/* vectoradd: c = a + b, the streaming bound. */
#include "workloads/workload.h"

#define THREADS 256u

#define PARAMS(P, T) \
	P(T, UINT, n, 0, 0, 16777216, "elements", \
		"Length of the vectors; 0 = by size: 65536 at small, 50000 (the SDK's) at full.")

struct vectoradd {
	struct {
		PARAMS(PARAM_FIELD, vectoradd)
	} p;
	uint32_t n;
	float *a, *b;
};

static const struct param_def params[] = {PARAMS(PARAM_ROW, vectoradd)};

static int setup(struct workload_run *run, struct err *err)
{
	struct vectoradd *w = run->state;
	module_t module = workload_module(run, "vectoradd", err);
	buffer_t a, b, c;
	int32_t n;

	w->n = workload_by_size(run, w->p.n, 65536, 50000);
	w->a = workload_random_f32(run, 0, w->n, -1.0, 1.0);
	w->b = workload_random_f32(run, 1, w->n, -1.0, 1.0);
	a = workload_buffer(run, "a", w->a, w->n * sizeof(float), err);
	b = workload_buffer(run, "b", w->b, w->n * sizeof(float), err);
	c = workload_result(run, "c", NULL, w->n * sizeof(float), err);
	if (!module || !a || !b || !c)
		return -1;
	n = (int32_t)w->n;
	return workload_launch(run,
		&(struct launch){
			.module = module,
			.kernel = "vectoradd",
			.grid = {(uint32_t)div_up(w->n, THREADS), 1, 1},
			.block = {THREADS, 1, 1},
			.args = (struct launch_arg[]){ARG_BUF(a), ARG_BUF(b), ARG_BUF(c),
				ARG_VAL(n)},
			.nargs = 4,
		},
		err);
}

static int check(struct workload_run *run, struct err *err)
{
	const struct vectoradd *w = run->state;
	float *expected = arena_alloc(run->arena, w->n, sizeof(*expected));
	struct tolerance exact = {.why = "one IEEE addition has one result"};

	for (uint32_t i = 0; i < w->n; i++)
		expected[i] = w->a[i] + w->b[i];
	return workload_check_f32(run, expected, w->n, exact, err);
}

static const char *const variants[] = {"vectoradd.n=1000", NULL};

static const struct workload_foreign foreign[] = {
	FOREIGN("sdk2.2/simpleZeroCopy.ptx", "vectoradd", "_Z12vectorAddGPUPfS_S_i", NULL),
	{.file = NULL},
};

static const struct workload_ops ops = {
	.computes = "c = a + b over floats, one element a thread.",
	.source = "CUDA SDK, vectorAdd",
	.setup = setup,
	.check = check,
	.variants = variants,
	.foreign = foreign,
};

const struct plugin vectoradd_workload = {
	.kind = "workload",
	.name = "vectoradd",
	.text = "Vector addition: pure streaming.",
	.path = "vectoradd",
	.size = sizeof(struct vectoradd),
	.params = params,
	.nparams = ARRAY_LEN(params),
	.ops = &ops,
};
