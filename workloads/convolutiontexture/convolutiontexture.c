/* convolutiontexture: an image in a texture filtered along rows and columns. */
#include "workloads/workload.h"

#include <math.h>

/* As in convolutiontexture.cu. */
#define RADIUS 8
#define WEIGHTS 17

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
	uint32_t width, height;
	float weights[WEIGHTS], *image;
	module_t module;
	buffer_t rows;
	bool columns; /* their launch was queued */
};

static const struct param_def params[] = {PARAMS(PARAM_ROW, convolutiontexture)};

/* A Gaussian of a standard deviation of one radius; the sum of all weights is one. */
static void make_weights(struct convolutiontexture *w)
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

/* A pass: fetches from `from` through the texture. */
static int filter(struct workload_run *run, const char *kernel, const char *name, buffer_t from,
	buffer_t to, struct err *err)
{
	struct convolutiontexture *w = run->state;
	texture_t t = gpu_texture(run->gpu, name,
		&(struct texture_desc){.buffer = from,
			.type = TEXEL_F32,
			.channels = 1,
			.width = w->width,
			.height = w->height,
			.linear = w->p.linear},
		err);

	if (!t || workload_bind(run, w->module, "image", t, err))
		return -1;
	return workload_launch(run,
		&(struct launch){
			.module = w->module,
			.kernel = kernel,
			.grid = {(uint32_t)div_up(w->width, CTA_WIDTH),
				(uint32_t)div_up(w->height, CTA_HEIGHT), 1},
			.block = {CTA_WIDTH, CTA_HEIGHT, 1},
			.args = (struct launch_arg[]){ARG_BUF(to), ARG_VAL(w->width),
				ARG_VAL(w->height)},
			.nargs = 3,
		},
		err);
}

static int setup(struct workload_run *run, struct err *err)
{
	struct convolutiontexture *w = run->state;
	size_t pixels, bytes;
	buffer_t image, weights;

	w->width = workload_by_size(run, w->p.width, 256, 3072);
	w->height = workload_by_size(run, w->p.height, 256, 1536);
	pixels = (size_t)w->width * w->height;
	bytes = pixels * sizeof(float);
	make_weights(w);
	w->module = workload_module(run, "convolutiontexture", err);
	w->image = workload_random_f32(run, 0, pixels, 0.0, 1.0);
	image = workload_buffer(run, "image", w->image, bytes, err);
	w->rows = workload_buffer(run, "rows", NULL, bytes, err);
	workload_result(run, "filtered", NULL, bytes, err);
	if (!w->module || !image || !w->rows || !run->result)
		return -1;
	weights = workload_variable(run, "weights", sizeof(w->weights), err);
	if (!weights)
		return -1;
	gpu_write(run->gpu, weights, 0, w->weights, sizeof(w->weights));
	return filter(run, "filter_rows", "image", image, w->rows, err);
}

/* The texture becomes the filtered rows. The SDK's program copies them into the image's memory
 * meanwhile, outside of any kernel. */
static int advance(struct workload_run *run, struct err *err)
{
	struct convolutiontexture *w = run->state;

	if (w->columns)
		return 0;
	w->columns = true;
	return filter(run, "filter_columns", "rows", w->rows, run->result, err) ? -1 : 1;
}

/* ---- the reference, in double */

/* A line of n pixels, `step` apart, filtered. */
static void filter_line(
	const struct convolutiontexture *w, const float *in, size_t step, long n, float *out)
{
	for (long x = 0; x < n; x++) {
		double sum = 0;

		for (long k = 0; k < WEIGHTS; k++) {
			long at = x + RADIUS - k;
			size_t inside = (size_t)(at < 0 ? 0 : at < n ? at : n - 1);

			sum += (double)in[inside * step] * (double)w->weights[k];
		}
		out[(size_t)x * step] = (float)sum;
	}
}

static int check_pass(struct workload_run *run, buffer_t buffer, const char *name,
	const float *expected, struct err *err)
{
	const struct convolutiontexture *w = run->state;
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
	const struct convolutiontexture *w = run->state;
	size_t width = w->width, height = w->height;
	float *expected = arena_alloc(run->arena, width * height, sizeof(*expected));
	float *rows = arena_alloc(run->arena, width * height, sizeof(*rows));

	for (size_t y = 0; y < height; y++)
		filter_line(w, w->image + y * width, 1, (long)width, expected + y * width);
	if (check_pass(run, w->rows, "rows", expected, err))
		return -1;
	gpu_read(run->gpu, w->rows, 0, rows, width * height * sizeof(*rows));
	for (size_t x = 0; x < width; x++)
		filter_line(w, rows + x, width, (long)height, expected + x);
	return check_pass(run, run->result, "filtered", expected, err);
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
