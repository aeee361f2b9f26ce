/* convolutionseparable: an image filtered along rows and columns, tiles in shared memory. */
#include "workloads/workload.h"

#include <math.h>

/* As in convolutionseparable.cu. */
#define RADIUS 8
#define WEIGHTS 17
#define ROW_TILE 128u
#define ROW_THREADS (16 + ROW_TILE + RADIUS)
#define COLUMN_TILE_WIDTH 16u
#define COLUMN_TILE_HEIGHT 48u
#define COLUMN_ROWS 8u

#define PARAMS(P, T) \
	P(T, UINT, width, 0, 0, 8192, "pixels", \
		"Columns of the image, a multiple of 16; 0 = by size: 256 at small, 3072 (the SDK's) " \
		"at full.") \
	P(T, UINT, height, 0, 0, 8192, "pixels", \
		"Rows of the image; 0 = by size: 256 at small, 3072 (the SDK's) at full.") \
	P(T, REAL, shift, 0, -8, 8, "pixels", \
		"How far the weights' peak is from their middle. 0 (the SDK's): they are symmetric.")

struct convolutionseparable {
	struct {
		PARAMS(PARAM_FIELD, convolutionseparable)
	} p;
	uint32_t width, height;
	float weights[WEIGHTS], *image;
	buffer_t rows;
};

static const struct param_def params[] = {PARAMS(PARAM_ROW, convolutionseparable)};

/* A Gaussian of a standard deviation of one radius; the sum of all weights is one. */
static void make_weights(struct convolutionseparable *w)
{
	double weights[WEIGHTS], sum = 0;

	for (int i = 0; i < WEIGHTS; i++) {
		double distance = ((double)(i - RADIUS) - w->p.shift) / RADIUS;

		weights[i] = exp(-distance * distance / 2);
		sum += weights[i];
	}
	for (int i = 0; i < WEIGHTS; i++)
		w->weights[i] = (float)(weights[i] / sum);
}

static int launch_rows(struct workload_run *run, module_t module, struct err *err)
{
	struct convolutionseparable *w = run->state;

	return workload_launch(run,
		&(struct launch){
			.module = module,
			.kernel = "convolve_rows",
			.grid = {(uint32_t)div_up(w->width, ROW_TILE), w->height, 1},
			.block = {ROW_THREADS, 1, 1},
			.args = (struct launch_arg[]){ARG_BUF(w->rows), ARG_BUF(run->result),
				ARG_VAL(w->width)},
			.nargs = 3,
		},
		err);
}

static int launch_columns(struct workload_run *run, module_t module, struct err *err)
{
	struct convolutionseparable *w = run->state;
	uint32_t shared_step = COLUMN_TILE_WIDTH * COLUMN_ROWS;
	uint32_t image_step = w->width * COLUMN_ROWS;

	return workload_launch(run,
		&(struct launch){
			.module = module,
			.kernel = "convolve_columns",
			.grid = {w->width / COLUMN_TILE_WIDTH,
				(uint32_t)div_up(w->height, COLUMN_TILE_HEIGHT), 1},
			.block = {COLUMN_TILE_WIDTH, COLUMN_ROWS, 1},
			.args = (struct launch_arg[]){ARG_BUF(run->result), ARG_BUF(w->rows),
				ARG_VAL(w->width), ARG_VAL(w->height), ARG_VAL(shared_step),
				ARG_VAL(image_step)},
			.nargs = 6,
		},
		err);
}

static int setup(struct workload_run *run, struct err *err)
{
	struct convolutionseparable *w = run->state;
	module_t module = workload_module(run, "convolutionseparable", err);
	size_t pixels, bytes;
	buffer_t weights;

	w->width = workload_by_size(run, w->p.width, 256, 3072);
	w->height = workload_by_size(run, w->p.height, 256, 3072);
	if (w->width % COLUMN_TILE_WIDTH)
		return err_add(err, ERR_INPUT,
			"convolutionseparable.width = %u: must be a multiple of %u", w->width,
			COLUMN_TILE_WIDTH);
	pixels = (size_t)w->width * w->height;
	bytes = pixels * sizeof(float);
	make_weights(w);
	w->image = workload_random_f32(run, 0, pixels, 0.0, 1.0);
	w->rows = workload_buffer(run, "rows", NULL, bytes, err);
	workload_result(run, "image", w->image, bytes, err);
	if (!module || !w->rows || !run->result)
		return -1;
	weights = workload_variable(run, "weights", sizeof(w->weights), err);
	if (!weights)
		return -1;
	gpu_write(run->gpu, weights, 0, w->weights, sizeof(w->weights));
	if (launch_rows(run, module, err))
		return -1;
	return launch_columns(run, module, err);
}

/* ---- the reference, in double */

/* A line of n pixels, `step` apart, filtered. */
static void filter_line(
	const struct convolutionseparable *w, const float *in, size_t step, size_t n, float *out)
{
	for (size_t x = 0; x < n; x++) {
		size_t first = x > RADIUS ? x - RADIUS : 0;
		size_t last = x + RADIUS < n ? x + RADIUS : n - 1;
		double sum = 0;

		for (size_t k = first; k <= last; k++)
			sum += (double)in[k * step] * (double)w->weights[x + RADIUS - k];
		out[x * step] = (float)sum;
	}
}

static int check_pass(struct workload_run *run, buffer_t buffer, const char *name,
	const float *expected, struct err *err)
{
	const struct convolutionseparable *w = run->state;
	buffer_t result = run->result;
	const char *result_name = run->result_name;
	struct tolerance tolerance = {
		.rel = (WEIGHTS + 1) * F32_ROUNDING,
		.why = "17 fused multiply-adds of non-negative terms, one rounding each, and the "
		       "reference's own",
	};
	int status;

	run->result = buffer;
	run->result_name = name;
	status = workload_check_f32(run, expected, (size_t)w->width * w->height, tolerance, err);
	run->result = result;
	run->result_name = result_name;
	return status;
}

/* The columns from the rows that the device has left. */
static int check(struct workload_run *run, struct err *err)
{
	const struct convolutionseparable *w = run->state;
	size_t width = w->width, height = w->height;
	float *expected = arena_alloc(run->arena, width * height, sizeof(*expected));
	float *rows = arena_alloc(run->arena, width * height, sizeof(*rows));

	for (size_t y = 0; y < height; y++)
		filter_line(w, w->image + y * width, 1, width, expected + y * width);
	if (check_pass(run, w->rows, "rows", expected, err))
		return -1;
	gpu_read(run->gpu, w->rows, 0, rows, width * height * sizeof(*rows));
	for (size_t x = 0; x < width; x++)
		filter_line(w, rows + x, width, height, expected + x);
	return check_pass(run, run->result, "image", expected, err);
}

/* With a shift each weight has one right neighbour; the sizes fill neither the last tile of a row
 * nor that of a column, and are less than an apron. */
static const char *const variants[] = {
	"convolutionseparable.width=144 convolutionseparable.height=50 convolutionseparable.shift=1.5",
	"convolutionseparable.width=16 convolutionseparable.height=5 convolutionseparable.shift=-3",
	NULL};

static const struct workload_foreign foreign[] = {
	FOREIGN("sdk2.2/convolutionSeparable_kernel.ptx", "convolve_rows",
		"_Z17convolutionRowGPUPfS_ii", "0 1 2 grid.y"),
	FOREIGN("sdk2.2/convolutionSeparable_kernel.ptx", "convolve_columns",
		"_Z20convolutionColumnGPUPfS_iiii", NULL),
	FOREIGN("sdk2.2/convolutionSeparable_kernel.ptx", "weights", "d_Kernel", NULL),
	{.file = NULL},
};

static const struct workload_ops ops = {
	.computes = "17 weights along an image's rows, then along its columns.",
	.source =
		"CUDA SDK 2.2, convolutionSeparable (Podlozhnyuk, Image Convolution with CUDA, 2007)",
	.setup = setup,
	.check = check,
	.variants = variants,
	.foreign = foreign,
};

const struct plugin convolutionseparable_workload = {
	.kind = "workload",
	.name = "convolutionseparable",
	.text = "Separable image filter: tiles with aprons in shared memory.",
	.path = "convolutionseparable",
	.size = sizeof(struct convolutionseparable),
	.params = params,
	.nparams = ARRAY_LEN(params),
	.ops = &ops,
};
