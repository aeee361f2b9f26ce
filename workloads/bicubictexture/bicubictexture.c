/* bicubictexture: an image magnified by five filters, each texel fetched through a texture. */
#include "workloads/workload.h"

#include <math.h>

#define TILE 16u /* threads of a CTA's side */

enum filter { NEAREST, LINEAR, CUBIC, CATROM, FAST, FILTERS };

#define PARAMS(P, T) \
	P(T, UINT, width, 0, 0, 4096, "pixels", \
		"Of the image and of each output; 0 = by size: 96 at small, 512 at full.") \
	P(T, UINT, height, 0, 0, 4096, "pixels", "0 = by size: 80 at small, 512 at full.") \
	P(T, REAL, zoom, 16, 0.25, 64, "", "How much larger the image appears.")

/* The kernels' argument. */
struct view {
	float center_x, center_y, shift_x, shift_y, scale;
};

struct bicubictexture {
	struct {
		PARAMS(PARAM_FIELD, bicubictexture)
	} p;
	uint32_t width, height;
	struct view view;
	unsigned char *image;
	module_t module;
	texture_t point, smooth;
	unsigned launched; /* filters */
};

static const struct param_def params[] = {PARAMS(PARAM_ROW, bicubictexture)};

static const char *const kernels[FILTERS] = {
	"bicubic_nearest", "bicubic_linear", "bicubic_cubic", "bicubic_catrom", "bicubic_fast"};

/* The SDK's kernels share one texture reference, which each launch binds. */
static int bind(struct workload_run *run, buffer_t image, struct err *err)
{
	struct bicubictexture *w = run->state;
	struct texture_desc d = {.buffer = image,
		.type = TEXEL_U8,
		.channels = 1,
		.as_float = true,
		.width = w->width,
		.height = w->height};

	w->point = gpu_texture(run->gpu, "point", &d, err);
	d.linear = true;
	w->smooth = gpu_texture(run->gpu, "smooth", &d, err);
	if (!w->point || !w->smooth)
		return -1;
	if (run->foreign)
		return 0;
	if (workload_bind(run, w->module, "point", w->point, err))
		return -1;
	return workload_bind(run, w->module, "smooth", w->smooth, err);
}

/* Where the output has a filter's image: the first kernel's is the last, so that a kernel that
 * writes beyond its own spoils one that is complete. */
static size_t image_of(unsigned filter)
{
	return FILTERS - 1 - filter;
}

static int launch(struct workload_run *run, unsigned filter, struct err *err)
{
	struct bicubictexture *w = run->state;
	const struct view *v = &w->view;
	bool point = filter == NEAREST || filter == CUBIC;
	struct launch_arg out = ARG_BUF(run->result);

	out.offset = (uint64_t)image_of(filter) * w->width * w->height * sizeof(uint32_t);
	return workload_launch(run,
		&(struct launch){
			.module = w->module,
			.kernel = kernels[filter],
			.grid = {(uint32_t)div_up(w->width, TILE),
				(uint32_t)div_up(w->height, TILE), 1},
			.block = {TILE, TILE, 1},
			.args = (struct launch_arg[]){out, ARG_VAL(w->width), ARG_VAL(w->height),
				ARG_VAL(w->view), ARG_VAL(v->center_x), ARG_VAL(v->center_y),
				ARG_VAL(v->shift_x), ARG_VAL(v->shift_y), ARG_VAL(v->scale),
				ARG_TEX(point ? w->point : w->smooth)},
			.nargs = run->foreign ? 10 : 4,
		},
		err);
}

/* Queues all filters; of the SDK's, which bind one reference each time, the next. Catmull-Rom is
 * not among those. */
static int launch_next(struct workload_run *run, struct err *err)
{
	struct bicubictexture *w = run->state;

	if (w->launched == FILTERS)
		return 0;
	do {
		if (run->foreign && w->launched == CATROM)
			w->launched++;
		if (launch(run, w->launched++, err))
			return -1;
	} while (!run->foreign && w->launched < FILTERS);
	return 1;
}

static int setup(struct workload_run *run, struct err *err)
{
	struct bicubictexture *w = run->state;
	struct rng rng = rng_new(run->seed, 0);
	size_t pixels;
	buffer_t image;

	w->module = workload_module(run, "bicubictexture", err);
	w->width = workload_by_size(run, w->p.width, 96, 512);
	w->height = workload_by_size(run, w->p.height, 80, 512);
	w->view = (struct view){
		(float)w->width / 2, (float)w->height / 2, 9.3f, 10.7f, (float)(1 / w->p.zoom)};
	pixels = (size_t)w->width * w->height;
	w->image = arena_alloc(run->arena, pixels, 1);
	for (size_t i = 0; i < pixels; i++)
		w->image[i] = (unsigned char)rng_below(&rng, 256);
	image = workload_buffer(run, "image", w->image, pixels, err);
	workload_result(run, "output", NULL, FILTERS * pixels * sizeof(uint32_t), err);
	if (!w->module || !image || !run->result || bind(run, image, err))
		return -1;
	return launch_next(run, err) < 0 ? -1 : 0;
}

/* ---- the reference: every filter is four columns' and four rows' weights, in double. */

/* The cubic that is p at its knots' distances and a further parameter (Mitchell and Netravali,
 * SIGGRAPH 1988): (B, C) = (1, 0) is the B-spline, (0, 1/2) is Catmull-Rom. */
static double cubic_kernel(double distance, double b, double c)
{
	double x = fabs(distance);

	if (x < 1)
		return ((12 - 9 * b - 6 * c) * x * x * x + (-18 + 12 * b + 6 * c) * x * x +
			       (6 - 2 * b)) /
		       6;
	return ((-b - 6 * c) * x * x * x + (6 * b + 30 * c) * x * x + (-12 * b - 48 * c) * x +
		       (8 * b + 24 * c)) /
	       6;
}

/* The texture unit's weight: a multiple of 1/256. */
static double rounded(double weight)
{
	return floor(weight * 256 + 0.5) / 256;
}

/* Weights of the texels first .. first + 3 for a point at `place`, in texels. */
static void weights_of(unsigned filter, double place, double w[4], long *first)
{
	double near = floor(place - 0.5), t = place - 0.5 - near, pair[2], share[2];

	*first = (long)near - 1;
	for (int k = 0; k < 4; k++)
		w[k] = cubic_kernel(
			t - (k - 1), filter == CATROM ? 0 : 1, filter == CATROM ? 0.5 : 0);
	if (filter == NEAREST) {
		bool second = floor(place) > near;

		w[0] = w[3] = 0;
		w[1] = !second;
		w[2] = second;
	} else if (filter == LINEAR) {
		w[0] = w[3] = 0;
		w[2] = rounded(t);
		w[1] = 1 - w[2];
	} else if (filter == FAST) {
		for (int k = 0; k < 2; k++) {
			pair[k] = w[2 * k] + w[2 * k + 1];
			share[k] = rounded(w[2 * k + 1] / pair[k]);
			w[2 * k] = pair[k] * (1 - share[k]);
			w[2 * k + 1] = pair[k] * share[k];
		}
	}
}

static long clamped(long i, long n)
{
	return i < 0 ? 0 : i >= n ? n - 1 : i;
}

static double reference_pixel(
	const struct bicubictexture *w, unsigned filter, uint32_t px, uint32_t py)
{
	const struct view *v = &w->view;
	double x = ((double)px - (double)v->center_x) * (double)v->scale;
	double y = ((double)py - (double)v->center_y) * (double)v->scale;
	double wx[4], wy[4], sum = 0;
	long left, top, width = (long)w->width, height = (long)w->height;

	weights_of(filter, x + (double)v->center_x + (double)v->shift_x, wx, &left);
	weights_of(filter, y + (double)v->center_y + (double)v->shift_y, wy, &top);
	for (long j = 0; j < 4; j++)
		for (long i = 0; i < 4; i++)
			sum += wx[i] * wy[j] *
			       w->image[clamped(top + j, height) * width +
					clamped(left + i, width)];
	return sum < 0 ? 0 : sum > 255 ? 255 : sum;
}

/* ---- comparison. */

/* Levels are rounded from floats: one near the middle of two may become either. Where a
 * filter's coordinate is near the middle of two weights of the texture unit, the result may differ
 * by 1/256 of two texels' difference. Both together are less than 1.6 levels. The SDK's kernels cut
 * off: they lose half a level more. */
#define MOST_LEVELS 1.6

static int check(struct workload_run *run, struct err *err)
{
	const struct bicubictexture *w = run->state;
	size_t pixels = (size_t)w->width * w->height;
	uint32_t *ours = arena_alloc(run->arena, pixels, sizeof(*ours));
	double cut = run->foreign ? 0.5 : 0;
	uint64_t far = 0;

	for (unsigned filter = 0; filter < FILTERS; filter++) {
		if (run->foreign && filter == CATROM)
			continue;
		gpu_read(run->gpu, run->result, image_of(filter) * pixels * 4, ours, pixels * 4);
		for (size_t i = 0; i < pixels; i++) {
			double want = reference_pixel(
				w, filter, (uint32_t)(i % w->width), (uint32_t)(i / w->width));
			double apart = fabs((double)(ours[i] & 255) + cut - want);

			far += apart > 0.502;
			if (apart > MOST_LEVELS || ours[i] != (ours[i] & 255) * 0x10101)
				return err_add(err, ERR_CHECK,
					"output[%zu] is 0x%06x instead of %.3f in each byte (%s, "
					"pixel %zu): more than %.1f levels apart",
					image_of(filter) * pixels + i, ours[i], want,
					kernels[filter], i, MOST_LEVELS);
		}
	}
	if (far * 50 > FILTERS * pixels)
		return err_add(err, ERR_CHECK,
			"output: %llu of %zu pixels are not rounded to the nearest level; "
			"coordinates near the middle of two weights explain 2 %% at most",
			(unsigned long long)far, FILTERS * pixels);
	return 0;
}

static const char *const variants[] = {
	"bicubictexture.width=33 bicubictexture.height=21 bicubictexture.zoom=3",
	"bicubictexture.width=16 bicubictexture.height=24 bicubictexture.zoom=0.5", NULL};

static const struct workload_foreign foreign[] = {
	FOREIGN("sdk2.2/bicubicTexture.ptx", "bicubic_nearest", "_Z8d_renderP6uchar4jjfffff",
		"tex=9 0 1 2 6 7 8 4 5"),
	FOREIGN("sdk2.2/bicubicTexture.ptx", "bicubic_linear", "_Z8d_renderP6uchar4jjfffff",
		"tex=9 0 1 2 6 7 8 4 5"),
	FOREIGN("sdk2.2/bicubicTexture.ptx", "bicubic_cubic", "_Z15d_renderBicubicP6uchar4jjfffff",
		"tex=9 0 1 2 6 7 8 4 5"),
	FOREIGN("sdk2.2/bicubicTexture.ptx", "bicubic_fast",
		"_Z19d_renderFastBicubicP6uchar4jjfffff", "tex=9 0 1 2 6 7 8 4 5"),
	{.file = NULL},
};

static const struct workload_ops ops = {
	.computes = "Five filters: nearest, linear, cubic of 16 and of 4 fetches, Catmull-Rom.",
	.source = "CUDA SDK, bicubicTexture (Sigg and Hadwiger, GPU Gems 2, 2005)",
	.setup = setup,
	.advance = launch_next,
	.check = check,
	.variants = variants,
	.foreign = foreign,
};

const struct plugin bicubictexture_workload = {
	.kind = "workload",
	.name = "bicubictexture",
	.text = "Image magnification through the texture path.",
	.path = "bicubictexture",
	.size = sizeof(struct bicubictexture),
	.params = params,
	.nparams = ARRAY_LEN(params),
	.ops = &ops,
};
