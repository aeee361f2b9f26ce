/* convolutiontexture: an image in a texture filtered along rows and columns. */
#include "workloads/convolutionseparable/passes.h"

/* Threads of a CTA. */
#define CTA_WIDTH 16u
#define CTA_HEIGHT 12u

#define PARAMS(P, T) \
	P(T, UINT, width, 0, 0, 8192, "pixels", \
		"Columns of the image; 0 = by size: 256 at small, 3072 (the SDK's) at full.") \
	P(T, UINT, height, 0, 0, 8192, "pixels", \
		"Rows of the image; 0 = by size: 256 at small, 1536 (the SDK's) at full.") \
	P(T, REAL, shift, 0, -8, 8, "pixels", \
		"How far the weights' peak is from their middle. 0 (the SDK's): they are symmetric.") \
	P(T, BOOL, linear, false, 0, 1, "", \
		"The texture is filtered linearly, which gives the same pixels: they are fetched at " \
		"their middle.")

struct convolutiontexture {
	struct {
		PARAMS(PARAM_FIELD, convolutiontexture)
	} p;
	struct passes passes;
	module_t module;
	bool columns; /* their launch was queued */
};

static const struct param_def params[] = {PARAMS(PARAM_ROW, convolutiontexture)};

/* A pass: fetches from `from` through the texture. */
static int filter(struct workload_run *run, const char *kernel, const char *name, buffer_t from,
	buffer_t to, struct err *err)
{
	struct convolutiontexture *w = run->state;
	texture_t t = gpu_texture(run->gpu, name,
		&(struct texture_desc){.buffer = from,
			.type = TEXEL_F32,
			.channels = 1,
			.width = w->passes.width,
			.height = w->passes.height,
			.linear = w->p.linear},
		err);

	if (!t || workload_bind(run, w->module, "image", t, err))
		return -1;
	return workload_launch(run,
		&(struct launch){
			.module = w->module,
			.kernel = kernel,
			.grid = {(uint32_t)div_up(w->passes.width, CTA_WIDTH),
				(uint32_t)div_up(w->passes.height, CTA_HEIGHT), 1},
			.block = {CTA_WIDTH, CTA_HEIGHT, 1},
			.args = (struct launch_arg[]){ARG_BUF(to), ARG_VAL(w->passes.width),
				ARG_VAL(w->passes.height)},
			.nargs = 3,
		},
		err);
}

static int setup(struct workload_run *run, struct err *err)
{
	struct convolutiontexture *w = run->state;
	size_t pixels, bytes;
	buffer_t image, weights;

	w->passes.width = workload_by_size(run, w->p.width, 256, 3072);
	w->passes.height = workload_by_size(run, w->p.height, 256, 1536);
	pixels = (size_t)w->passes.width * w->passes.height;
	bytes = pixels * sizeof(float);
	passes_weights(&w->passes, w->p.shift);
	w->passes.clamped = true;
	w->module = workload_module(run, "convolutiontexture", err);
	w->passes.image = workload_random_f32(run, 0, pixels, 0.0, 1.0);
	image = workload_buffer(run, "image", w->passes.image, bytes, err);
	w->passes.rows = workload_buffer(run, "rows", NULL, bytes, err);
	workload_result(run, "filtered", NULL, bytes, err);
	if (!w->module || !image || !w->passes.rows || !run->result)
		return -1;
	weights = workload_variable(run, "weights", sizeof(w->passes.weights), err);
	if (!weights)
		return -1;
	gpu_write(run->gpu, weights, 0, w->passes.weights, sizeof(w->passes.weights));
	return filter(run, "filter_rows", "image", image, w->passes.rows, err);
}

/* The texture becomes the filtered rows. The SDK's program copies them into the image's memory
 * meanwhile, outside of any kernel. */
static int advance(struct workload_run *run, struct err *err)
{
	struct convolutiontexture *w = run->state;

	if (w->columns)
		return 0;
	w->columns = true;
	return filter(run, "filter_columns", "rows", w->passes.rows, run->result, err) ? -1 : 1;
}

static int check(struct workload_run *run, struct err *err)
{
	const struct convolutiontexture *w = run->state;

	return passes_check(run, &w->passes, err);
}

/* With a shift each weight has one right neighbour; a linear texture shows fetches beside a pixel's
 * middle; the sizes fill no CTA. */
static const char *const variants[] = {
	"convolutiontexture.width=41 convolutiontexture.height=29 convolutiontexture.shift=1.5 "
	"convolutiontexture.linear=true",
	"convolutiontexture.width=5 convolutiontexture.height=3 convolutiontexture.shift=-3", NULL};

static const struct workload_foreign foreign[] = {
	FOREIGN("sdk2.2/convolutionTexture_kernel.ptx", "filter_rows", "_Z17convolutionRowGPUPfii",
		NULL),
	FOREIGN("sdk2.2/convolutionTexture_kernel.ptx", "filter_columns",
		"_Z20convolutionColumnGPUPfii", NULL),
	FOREIGN("sdk2.2/convolutionTexture_kernel.ptx", "image", "texData", NULL),
	FOREIGN("sdk2.2/convolutionTexture_kernel.ptx", "weights", "d_Kernel", NULL),
	{.file = NULL},
};

static const struct workload_ops ops = {
	.computes = "17 weights along an image's rows, then along its columns.",
	.source =
		"CUDA SDK 2.2, convolutionTexture (Podlozhnyuk, Image Convolution with CUDA, 2007)",
	.setup = setup,
	.advance = advance,
	.check = check,
	.variants = variants,
	.foreign = foreign,
};

const struct plugin convolutiontexture_workload = {
	.kind = "workload",
	.name = "convolutiontexture",
	.text = "Separable image filter through the texture path, without shared memory.",
	.path = "convolutiontexture",
	.size = sizeof(struct convolutiontexture),
	.params = params,
	.nparams = ARRAY_LEN(params),
	.ops = &ops,
};
