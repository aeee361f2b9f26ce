/* transpose: a matrix and its rows as columns, by three kernels that differ in how. */
#include "workloads/workload.h"

/* As in transpose.cu. */
#define TILE 32u
#define ROWS 8u

enum { NAIVE, TILED, PADDED };
static const char *const kernels[] = {"transpose_naive", "transpose_tiled", "transpose_padded"};

#define PARAMS(P, T) \
	P(T, UINT, width, 0, 0, 4096, "elements", \
		"Columns of the matrix; 0 = by size: 250 at small, 1024 at full.") \
	P(T, UINT, height, 0, 0, 4096, "elements", \
		"Rows of the matrix; 0 = by size: 150 at small, 1024 at full.") \
	P(T, CHOICE, kernel, PADDED, 0, 0, "naive|tiled|padded", \
		"Elements move directly, through a tile in shared memory, or through one with a word " \
		"of padding in each row.")

struct transpose {
	struct {
		PARAMS(PARAM_FIELD, transpose)
	} p;
	uint32_t width, height;
	float *in;
};

static const struct param_def params[] = {PARAMS(PARAM_ROW, transpose)};

static int setup(struct workload_run *run, struct err *err)
{
	struct transpose *w = run->state;
	module_t module = workload_module(run, "transpose", err);
	int32_t width, height;
	size_t bytes;
	buffer_t in;

	w->width = workload_by_size(run, w->p.width, 250, 1024);
	w->height = workload_by_size(run, w->p.height, 150, 1024);
	bytes = (size_t)w->width * w->height * sizeof(float);
	w->in = workload_random_f32(run, 0, (size_t)w->width * w->height, -1.0, 1.0);
	in = workload_buffer(run, "in", w->in, bytes, err);
	if (!module || !in || !workload_result(run, "out", NULL, bytes, err))
		return -1;
	width = (int32_t)w->width;
	height = (int32_t)w->height;
	return workload_launch(run,
		&(struct launch){
			.module = module,
			.kernel = kernels[w->p.kernel],
			.grid = {(w->width + TILE - 1) / TILE, (w->height + TILE - 1) / TILE, 1},
			.block = {TILE, ROWS, 1},
			.args = (struct launch_arg[]){ARG_BUF(in), ARG_BUF(run->result),
				ARG_VAL(width), ARG_VAL(height)},
			.nargs = 4,
		},
		err);
}

static int check(struct workload_run *run, struct err *err)
{
	const struct transpose *w = run->state;
	size_t n = (size_t)w->width * w->height;
	float *expected = arena_alloc(run->arena, n, sizeof(*expected));
	struct tolerance none = {.why = "elements are moved, not computed"};

	for (size_t i = 0; i < n; i++)
		expected[i % w->width * w->height + i / w->width] = w->in[i];
	return workload_check_f32(run, expected, n, none, err);
}

static const char *const variants[] = {"transpose.kernel=naive", "transpose.kernel=tiled", NULL};

static const struct workload_ops ops = {
	.computes = "The transpose of a matrix of floats, by squares of 32x32.",
	.source = "CUDA SDK, transpose (Ruetsch and Micikevicius, Optimizing Matrix Transpose in "
		  "CUDA, 2009)",
	.setup = setup,
	.check = check,
	.variants = variants,
};

const struct plugin transpose_workload = {
	.kind = "workload",
	.name = "transpose",
	.text = "Matrix transpose: scattered accesses, or a tile in shared memory with or without "
		"bank conflicts.",
	.path = "transpose",
	.size = sizeof(struct transpose),
	.params = params,
	.nparams = ARRAY_LEN(params),
	.ops = &ops,
};
