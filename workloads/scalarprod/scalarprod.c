/* scalarprod: scalar products of many pairs of vectors, with a tree reduction in shared memory. */
#include "workloads/workload.h"

#define THREADS 256u
#define MAX_CTAS 128u

/* As in scalarprod.cu: partial sums, and levels of the tree over them. */
#define SLOTS 1024u
#define LEVELS 10u

#define PARAMS(P, T) \
	P(T, UINT, pairs, 0, 0, 65536, "pairs", \
		"Pairs of vectors; 0 = by size: 32 at small, 256 at full.") \
	P(T, UINT, elements, 4096, 1, 65536, "elements", "Length of each vector.")

struct scalarprod {
	struct {
		PARAMS(PARAM_FIELD, scalarprod)
	} p;
	uint32_t pairs;
	float *a, *b;
};

static const struct param_def params[] = {PARAMS(PARAM_ROW, scalarprod)};

static int setup(struct workload_run *run, struct err *err)
{
	struct scalarprod *w = run->state;
	module_t module = workload_module(run, "scalarprod", err);
	int32_t pairs, elements = (int32_t)w->p.elements;
	buffer_t a, b, products;
	size_t n;

	w->pairs = workload_by_size(run, w->p.pairs, 32, 256);
	pairs = (int32_t)w->pairs;
	n = w->pairs * w->p.elements;
	if (n > 1u << 26)
		return err_add(err, ERR_INPUT,
			"scalarprod.pairs * scalarprod.elements = %zu: must be at most %u", n,
			1u << 26);
	w->a = workload_random_f32(run, 0, n, 0.0, 1.0);
	w->b = workload_random_f32(run, 1, n, 0.0, 1.0);
	a = workload_buffer(run, "a", w->a, n * sizeof(float), err);
	b = workload_buffer(run, "b", w->b, n * sizeof(float), err);
	products = workload_result(run, "products", NULL, w->pairs * sizeof(float), err);
	if (!module || !a || !b || !products)
		return -1;
	return workload_launch(run,
		&(struct launch){
			.module = module,
			.kernel = "scalarprod",
			.grid = {(uint32_t)min_u64(w->pairs, MAX_CTAS), 1, 1},
			.block = {THREADS, 1, 1},
			.args = (struct launch_arg[]){ARG_BUF(a), ARG_BUF(b), ARG_BUF(products),
				ARG_VAL(pairs), ARG_VAL(elements)},
			.nargs = 5,
		},
		err);
}

static int check(struct workload_run *run, struct err *err)
{
	const struct scalarprod *w = run->state;
	size_t n = w->p.elements;
	float *expected = arena_alloc(run->arena, w->pairs, sizeof(*expected));
	struct tolerance tolerance = {
		.rel = (double)(div_up(n, SLOTS) + LEVELS + 1) * F32_ROUNDING,
		.why = "non-negative terms, and the roundings on a term's way: its partial sum, "
		       "ten "
		       "levels of the tree, the reference's own",
	};

	for (size_t i = 0; i < w->pairs; i++) {
		double sum = 0.0;

		for (size_t j = 0; j < n; j++)
			sum += (double)w->a[i * n + j] * (double)w->b[i * n + j];
		expected[i] = (float)sum;
	}
	return workload_check_f32(run, expected, w->pairs, tolerance, err);
}

static const char *const variants[] = {"scalarprod.pairs=5 scalarprod.elements=1500",
	"scalarprod.pairs=300 scalarprod.elements=40", NULL};

static const struct workload_foreign foreign[] = {
	FOREIGN("sdk2.2/scalarProd_kernel.ptx", "scalarprod", "_Z13scalarProdGPUPfS_S_ii",
		"2 0 1 3 4"),
	{.file = NULL},
};

static const struct workload_ops ops = {
	.computes = "Pairs of float vectors; a tree reduction in shared memory.",
	.source = "CUDA SDK, scalarProd",
	.setup = setup,
	.check = check,
	.variants = variants,
	.foreign = foreign,
};

const struct plugin scalarprod_workload = {
	.kind = "workload",
	.name = "scalarprod",
	.text = "Scalar products: streaming, then a reduction with barriers.",
	.path = "scalarprod",
	.size = sizeof(struct scalarprod),
	.params = params,
	.nparams = ARRAY_LEN(params),
	.ops = &ops,
};
