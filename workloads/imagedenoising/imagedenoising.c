/* imagedenoising: two filters against noise and a fast form of one, over an image in a texture. */
#include "workloads/workload.h"

#include <math.h>

#define TILE 8u /* threads of a CTA's side */

/* As in imagedenoising.cu. */
#define RADIUS 3
#define AREA 49
#define MOST_WEIGHTS 64

enum filter { KNN, NLM_FAST, NLM, FILTERS };

#define PARAMS(P, T) \
	P(T, UINT, width, 0, 0, 4096, "pixels", "0 = by size: 100 at small, 320 at full.") \
	P(T, UINT, height, 0, 0, 4096, "pixels", "0 = by size: 76 at small, 408 at full.") \
	P(T, BOOL, nlm, false, 0, 1, "", \
		"Non-local means in its plain form as well: 98 fetches for each weight.") \
	P(T, UINT, unrolled, 0, 0, 16, "threads", \
		"Side of a CTA, 8 or 16, of a fast form with its 49 neighbours in a row; 0 = the " \
		"plain one.") \
	P(T, REAL, noise, 0.32, 0.01, 10, "", "How large differences of colour are noise.") \
	P(T, REAL, blend, 0.2, 0, 1, "", "A flat region's share of its pixels' own colour.")

struct imagedenoising {
	struct {
		PARAMS(PARAM_FIELD, imagedenoising)
	} p;
	uint32_t width, height;
	unsigned char *image;        /* four bytes a pixel */
	float noise[FILTERS], blend; /* the kernels' arguments */
};

static const struct param_def params[] = {PARAMS(PARAM_ROW, imagedenoising)};

static const char *const kernels[FILTERS] = {"denoise_knn", "denoise_nlm_fast", "denoise_nlm"};

/* The side of a filter's CTAs. */
static uint32_t side_of(const struct imagedenoising *w, unsigned filter)
{
	return filter == NLM_FAST && w->p.unrolled ? (uint32_t)w->p.unrolled : TILE;
}

static const char *kernel_of(const struct imagedenoising *w, unsigned filter)
{
	if (filter != NLM_FAST || !w->p.unrolled)
		return kernels[filter];
	return w->p.unrolled == 8 ? "denoise_nlm_fast_unrolled_8" : "denoise_nlm_fast_unrolled_16";
}

/* Discs of plain colour on a gradient, and noise over all: flat regions and edges. */
static unsigned char *make_image(struct workload_run *run)
{
	const struct imagedenoising *w = run->state;
	unsigned char *image = arena_alloc(run->arena, (size_t)w->width * w->height, 4);
	struct rng rng = rng_new(run->seed, 0);

	for (uint32_t y = 0; y < w->height; y++)
		for (uint32_t x = 0; x < w->width; x++) {
			uint32_t cx = x % 40 - 20, cy = y % 48 - 24;
			bool disc = (int32_t)(cx * cx + cy * cy) < 200;
			unsigned char *pixel = &image[4 * ((size_t)y * w->width + x)];

			for (unsigned c = 0; c < 4; c++) {
				uint32_t plain =
					disc ? 60 + 30 * c
					     : 40 + 150 * (x + c * y) / (w->width + 3 * w->height);

				pixel[c] = (unsigned char)(plain + rng_below(&rng, 41));
			}
		}
	return image;
}

static unsigned filters(const struct imagedenoising *w)
{
	return w->p.nlm ? FILTERS : NLM;
}

/* Where the result has a filter's image: the first kernel's is the last, so that a kernel that
 * writes beyond its own spoils one that is complete. */
static size_t image_of(const struct imagedenoising *w, unsigned filter)
{
	return filters(w) - 1 - filter;
}

static int launch(struct workload_run *run, module_t module, unsigned filter, struct err *err)
{
	struct imagedenoising *w = run->state;
	struct launch_arg out = ARG_BUF(run->result);
	uint32_t side = side_of(w, filter);

	out.offset = image_of(w, filter) * w->width * w->height * 4;
	return workload_launch(run,
		&(struct launch){
			.module = module,
			.kernel = kernel_of(w, filter),
			.grid = {(uint32_t)div_up(w->width, side),
				(uint32_t)div_up(w->height, side), 1},
			.block = {side, side, 1},
			.args = (struct launch_arg[]){out, ARG_VAL(w->width), ARG_VAL(w->height),
				ARG_VAL(w->noise[filter]), ARG_VAL(w->blend)},
			.nargs = 5,
		},
		err);
}

static int make_texture(struct workload_run *run, module_t module, buffer_t image, struct err *err)
{
	const struct imagedenoising *w = run->state;
	texture_t t = gpu_texture(run->gpu, "image",
		&(struct texture_desc){.buffer = image,
			.type = TEXEL_U8,
			.channels = 4,
			.as_float = true,
			.width = w->width,
			.height = w->height},
		err);

	return t ? workload_bind(run, module, "image", t, err) : -1;
}

static int setup(struct workload_run *run, struct err *err)
{
	struct imagedenoising *w = run->state;
	module_t module = workload_module(run, "imagedenoising", err);
	size_t bytes;
	buffer_t image;

	if (w->p.unrolled % 8 || (w->p.unrolled && run->foreign))
		return err_add(err, ERR_INPUT,
			"imagedenoising.unrolled = %u: must be 0, 8 or 16, and 0 with --ptx-dir",
			(unsigned)w->p.unrolled);
	/* In a CTA at the edge the SDK's fast kernel would read weights that no thread wrote. */
	w->width = workload_by_size(run, w->p.width, run->foreign ? 96 : 100, 320);
	w->height = workload_by_size(run, w->p.height, run->foreign ? 72 : 76, 408);
	if (run->foreign && (w->width % TILE || w->height % TILE))
		return err_add(err, ERR_INPUT,
			"imagedenoising.width = %u, .height = %u: must be multiples of %u with "
			"--ptx-dir",
			w->width, w->height, TILE);
	/* a colour's difference of `noise`, in all pixels that are compared, weighs 1/e */
	w->noise[KNN] = (float)(1 / (w->p.noise * w->p.noise));
	w->noise[NLM] = w->noise[NLM_FAST] = (float)(1 / (w->p.noise * w->p.noise) / AREA);
	w->blend = (float)w->p.blend;
	bytes = (size_t)w->width * w->height * 4;
	w->image = make_image(run);
	image = workload_buffer(run, "image", w->image, bytes, err);
	workload_result(run, "denoised", NULL, filters(w) * bytes, err);
	if (!module || !image || !run->result || make_texture(run, module, image, err))
		return -1;
	for (unsigned filter = 0; filter < filters(w); filter++)
		if (launch(run, module, filter, err))
			return -1;
	return 0;
}

/* ---- the reference, in double, on levels from 0 to 255. */

/* What filters differ in: the limits of a heavy weight and of their share, the rows of weights,
 * which pixel of a tile the fast filter weighs for all. The SDK's cut levels off: they lose `cut`
 * levels more than rounding does. */
struct shape {
	double weight_limit, share_limit;
	long side, middle;
	double cut;
};

static struct shape shape_of(const struct workload_run *run, unsigned filter)
{
	struct shape s = {.weight_limit = 0.02, .share_limit = 0.79, .side = 7, .middle = 4};

	if (filter == NLM_FAST)
		s.middle = side_of(run->state, filter) / 2;
	if (!run->foreign)
		return s;
	s.cut = 0.5;
	if (filter != KNN)
		s.weight_limit = s.share_limit = 0.1;
	if (filter == NLM_FAST) {
		s.side = 8;
		s.middle = 3;
	}
	return s;
}

/* A channel's level of the pixel at (x, y), or of the edge's nearest. */
static double level(const struct imagedenoising *w, long x, long y, unsigned channel)
{
	x = x < 0 ? 0 : x >= (long)w->width ? (long)w->width - 1 : x;
	y = y < 0 ? 0 : y >= (long)w->height ? (long)w->height - 1 : y;
	return w->image[4 * (y * (long)w->width + x) + channel];
}

/* Sum of squared differences of colours over the (2 r + 1)^2 pixels around two. */
static double difference(const struct imagedenoising *w, const long a[2], const long b[2], long r)
{
	double sum = 0;

	for (unsigned c = 0; c < 3; c++)
		for (long y = -r; y <= r; y++)
			for (long x = -r; x <= r; x++) {
				double d = level(w, a[0] + x, a[1] + y, c) -
					   level(w, b[0] + x, b[1] + y, c);

				sum += d * d;
			}
	return sum / (255 * 255);
}

/* Weights of the neighbours of the pixel at `at`, by what the filter compares there. */
static void weigh(const struct imagedenoising *w, unsigned filter, const struct shape *s,
	const long at[2], double *weight)
{
	for (long k = 0; k < s->side * s->side; k++) {
		long x = k % s->side - RADIUS, y = k / s->side - RADIUS,
		     other[2] = {at[0] + x, at[1] + y};

		weight[k] = exp(-difference(w, at, other, filter == KNN ? 0 : RADIUS) *
					(double)w->noise[filter] -
				(double)(x * x + y * y) / AREA);
	}
}

/* Three channels' levels; *near: a weight is so close to its limit that either side
 * is right and another count would choose another blend. */
static void reference_pixel(const struct imagedenoising *w, const struct shape *s,
	const double *weight, const long at[2], double *out, bool *near)
{
	double sum = 0, heavy = 0, doubtful = 0, share;
	long side = s->side;

	for (long k = 0; k < side * side; k++) {
		sum += weight[k];
		heavy += weight[k] > s->weight_limit;
		doubtful += fabs(weight[k] - s->weight_limit) < 1e-6;
	}
	*near = fabs(heavy / AREA - s->share_limit) <= doubtful / AREA;
	share = heavy / AREA > s->share_limit ? (double)w->blend : 1 - (double)w->blend;
	for (unsigned c = 0; c < 3; c++) {
		double mean = 0;

		for (long k = 0; k < side * side; k++)
			mean += weight[k] / sum *
				level(w, at[0] + k % side - RADIUS, at[1] + k / side - RADIUS, c);
		out[c] = share * level(w, at[0], at[1], c) + (1 - share) * mean;
	}
}

/* A level is rounded from a mean of 49 floats with relative errors below 64 roundings, that is
 * below 0.001 of a level. */
#define MOST_LEVELS 0.501

static int check_pixel(const struct workload_run *run, unsigned filter, uint32_t ours,
	const double *weight, const long at[2], struct err *err)
{
	struct shape s = shape_of(run, filter);
	double want[3];
	bool near;

	reference_pixel(run->state, &s, weight, at, want, &near);
	for (unsigned c = 0; c < 3 && !near; c++)
		if (fabs((ours >> 8 * c & 255) + s.cut - want[c]) > MOST_LEVELS || ours >> 24)
			return err_add(err, ERR_CHECK,
				"denoised: pixel (%ld, %ld) of %s is 0x%08x, channel %u should be "
				"within %.3f of %.4f",
				at[0], at[1], kernels[filter], ours, c, MOST_LEVELS,
				want[c] - s.cut);
	return 0;
}

static int check_row(const struct workload_run *run, unsigned filter, long y, const uint32_t *ours,
	double (*weight)[MOST_WEIGHTS], struct err *err)
{
	const struct imagedenoising *w = run->state;
	struct shape s = shape_of(run, filter);
	bool fast = filter == NLM_FAST;
	long side = (long)side_of(w, filter);

	for (long x = 0; x < (long)w->width; x++) {
		long at[2] = {x, y};
		long middle[2] = {x / side * side + s.middle, y / side * side + s.middle};

		if (!fast || x % side == 0)
			weigh(w, filter, &s, fast ? middle : at, weight[x]);
		if (check_pixel(run, filter, ours[y * (long)w->width + x],
			    weight[fast ? x / side * side : x], at, err))
			return -1;
	}
	return 0;
}

static int check(struct workload_run *run, struct err *err)
{
	const struct imagedenoising *w = run->state;
	size_t pixels = (size_t)w->width * w->height;
	uint32_t *ours = arena_alloc(run->arena, filters(w) * pixels, sizeof(*ours));
	double(*weight)[MOST_WEIGHTS] = arena_alloc(run->arena, w->width, sizeof(*weight));

	gpu_read(run->gpu, run->result, 0, ours, filters(w) * pixels * 4);
	for (unsigned filter = 0; filter < filters(w); filter++)
		for (long y = 0; y < (long)w->height; y++)
			if (check_row(run, filter, y, ours + image_of(w, filter) * pixels, weight,
				    err))
				return -1;
	return 0;
}

/* At the second noise some surroundings are flat and others are not. */
static const char *const variants[] = {
	"imagedenoising.width=27 imagedenoising.height=13 imagedenoising.noise=0.07 "
	"imagedenoising.nlm=true",
	"imagedenoising.width=19 imagedenoising.height=13 imagedenoising.nlm=true",
	"imagedenoising.width=29 imagedenoising.height=21 imagedenoising.nlm=true "
	"imagedenoising.noise=0.06 imagedenoising.blend=0.3",
	"imagedenoising.width=29 imagedenoising.height=21 imagedenoising.unrolled=8",
	"imagedenoising.width=45 imagedenoising.height=37 imagedenoising.unrolled=16 "
	"imagedenoising.noise=0.06",
	NULL};

static const struct workload_foreign foreign[] = {
	FOREIGN("sdk2.2/imageDenoising.ptx", "denoise_knn", "_Z3KNNPjiiff", NULL),
	FOREIGN("sdk2.2/imageDenoising.ptx", "denoise_nlm_fast", "_Z4NLM2Pjiiff", NULL),
	FOREIGN("sdk2.2/imageDenoising.ptx", "denoise_nlm", "_Z3NLMPjiiff", NULL),
	FOREIGN("sdk2.2/imageDenoising.ptx", "image", "texImage", NULL),
	{.file = NULL},
};

static const struct workload_ops ops = {
	.computes = "An image without its noise, by k nearest neighbours and by non-local means.",
	.source = "CUDA SDK, imageDenoising (Buades et al., CVPR 2005)",
	.setup = setup,
	.check = check,
	.variants = variants,
	.foreign = foreign,
};

const struct plugin imagedenoising_workload = {
	.kind = "workload",
	.name = "imagedenoising",
	.text = "Filters of 49 weighted neighbours through the texture path.",
	.path = "imagedenoising",
	.size = sizeof(struct imagedenoising),
	.params = params,
	.nparams = ARRAY_LEN(params),
	.ops = &ops,
};
