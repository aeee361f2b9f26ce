/* convolutionseparable: an image filtered along rows and columns, tiles in shared memory. */
#include "workloads/convolutionseparable/passes.h"

/* As in convolutionseparable.cu. */
#define ROW_TILE 128u
#define ROW_THREADS (16 + ROW_TILE + PASSES_RADIUS)
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
	struct passes passes;
};

static const struct param_def params[] = {PARAMS(PARAM_ROW, convolutionseparable)};

static int launch_rows(struct workload_run *run, module_t module, struct err *err)
{
	struct convolutionseparable *w = run->state;

	return workload_launch(run,
		&(struct launch){
			.module = module,
			.kernel = "convolve_rows",
			.grid = {(uint32_t)div_up(w->passes.width, ROW_TILE), w->passes.height, 1},
			.block = {ROW_THREADS, 1, 1},
			.args = (struct launch_arg[]){ARG_BUF(w->passes.rows), ARG_BUF(run->result),
				ARG_VAL(w->passes.width)},
			.nargs = 3,
		},
		err);
}

static int launch_columns(struct workload_run *run, module_t module, struct err *err)
{
	struct convolutionseparable *w = run->state;
	uint32_t shared_step = COLUMN_TILE_WIDTH * COLUMN_ROWS;
	uint32_t image_step = w->passes.width * COLUMN_ROWS;

	return workload_launch(run,
		&(struct launch){
			.module = module,
			.kernel = "convolve_columns",
			.grid = {w->passes.width / COLUMN_TILE_WIDTH,
				(uint32_t)div_up(w->passes.height, COLUMN_TILE_HEIGHT), 1},
			.block = {COLUMN_TILE_WIDTH, COLUMN_ROWS, 1},
			.args = (struct launch_arg[]){ARG_BUF(run->result), ARG_BUF(w->passes.rows),
				ARG_VAL(w->passes.width), ARG_VAL(w->passes.height),
				ARG_VAL(shared_step), ARG_VAL(image_step)},
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

	w->passes.width = workload_by_size(run, w->p.width, 256, 3072);
	w->passes.height = workload_by_size(run, w->p.height, 256, 3072);
	if (w->passes.width % COLUMN_TILE_WIDTH)
		return err_add(err, ERR_INPUT,
			"convolutionseparable.width = %u: must be a multiple of %u",
			w->passes.width, COLUMN_TILE_WIDTH);
	pixels = (size_t)w->passes.width * w->passes.height;
	bytes = pixels * sizeof(float);
	passes_weights(&w->passes, w->p.shift);
	w->passes.image = workload_random_f32(run, 0, pixels, 0.0, 1.0);
	w->passes.rows = workload_buffer(run, "rows", NULL, bytes, err);
	workload_result(run, "image", w->passes.image, bytes, err);
	if (!module || !w->passes.rows || !run->result)
		return -1;
	weights = workload_variable(run, "weights", sizeof(w->passes.weights), err);
	if (!weights)
		return -1;
	gpu_write(run->gpu, weights, 0, w->passes.weights, sizeof(w->passes.weights));
	if (launch_rows(run, module, err))
		return -1;
	return launch_columns(run, module, err);
}

static int check(struct workload_run *run, struct err *err)
{
	const struct convolutionseparable *w = run->state;

	return passes_check(run, &w->passes, err);
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
