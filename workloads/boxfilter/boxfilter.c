/* boxfilter: a colour picture's box filter by sliding sums, rows, then columns. */
#include "workloads/workload.h"

#include <math.h>

#define PARAMS(P, T) \
	P(T, UINT, width, 0, 0, 4096, "pixels", \
		"Columns of the picture, a multiple of threads; 0 = by size: 256 at small, 1024 " \
		"at full (the SDK's from 3.0 on; 512 before).") \
	P(T, UINT, height, 0, 0, 4096, "pixels", \
		"Rows of the picture, more than 2 * radius; 0 = by size: 128 at small, 1024 at " \
		"full.") \
	P(T, UINT, radius, 10, 0, 64, "pixels", \
		"A result is the mean of 2 * radius + 1 pixels, along rows and along columns.") \
	P(T, UINT, threads, 64, 1, 512, "threads", "Threads of a CTA.")

struct boxfilter {
	struct {
		PARAMS(PARAM_FIELD, boxfilter)
	} p;
	uint32_t width, height;
	uint8_t *picture;     /* four bytes a pixel */
	uint64_t bytes, rest; /* of a picture; of a buffer behind it */
	buffer_t rows;
};

static const struct param_def params[] = {PARAMS(PARAM_ROW, boxfilter)};

/* Waves, other ones for each channel, so strong that there are black and white regions; and noise.
 */
static void draw_picture(struct workload_run *run)
{
	struct boxfilter *w = run->state;
	size_t n = (size_t)w->width * w->height * 4;
	struct rng rng = rng_new(run->seed, 0);

	w->picture = arena_alloc(run->arena, n, 1);
	for (size_t i = 0; i < n; i++) {
		double channel = (double)(i % 4), x = (double)(i / 4 % w->width);
		double y = (double)(i / 4 / w->width);
		double wave = sin(x * 0.03 * (channel + 1)) + sin(y * 0.04 + x * 0.02 + channel);
		double level = 127.5 + 110 * wave + 90 * (rng_unit(&rng) - 0.5);

		w->picture[i] = (uint8_t)fmax(0, fmin(255, level));
	}
}

static int check_params(const struct boxfilter *w, struct err *err)
{
	if (w->width % w->p.threads)
		return err_add(err, ERR_INPUT,
			"boxfilter.width = %u: must be a multiple of boxfilter.threads = %u",
			w->width, (unsigned)w->p.threads);
	if (w->height <= 2 * w->p.radius)
		return err_add(err, ERR_INPUT,
			"boxfilter.height = %u: must be more than 2 * boxfilter.radius = %u",
			w->height, (unsigned)(2 * w->p.radius));
	return 0;
}

static int bind(struct workload_run *run, module_t module, buffer_t picture, struct err *err)
{
	const struct boxfilter *w = run->state;
	texture_t texture = gpu_texture(run->gpu, "picture",
		&(struct texture_desc){.buffer = picture,
			.type = TEXEL_U8,
			.channels = 4,
			.as_float = true,
			.width = w->width,
			.height = w->height},
		err);

	return texture ? workload_bind(run, module, "picture", texture, err) : -1;
}

static int launch(struct workload_run *run, module_t module, struct err *err)
{
	struct boxfilter *w = run->state;
	uint32_t threads = (uint32_t)w->p.threads;
	int32_t width = (int32_t)w->width, height = (int32_t)w->height;
	int32_t radius = (int32_t)w->p.radius;
	struct launch rows = {
		.module = module,
		.kernel = "box_rows",
		.grid = {(uint32_t)div_up(w->height, threads), 1, 1},
		.block = {threads, 1, 1},
		.args = (struct launch_arg[]){ARG_BUF(w->rows), ARG_VAL(width), ARG_VAL(height),
			ARG_VAL(radius)},
		.nargs = 4,
	};
	struct launch columns = {
		.module = module,
		.kernel = "box_columns",
		.grid = {w->width / threads, 1, 1},
		.block = {threads, 1, 1},
		.args = (struct launch_arg[]){ARG_BUF(w->rows), ARG_BUF(run->result),
			ARG_VAL(width), ARG_VAL(height), ARG_VAL(radius)},
		.nargs = 5,
	};

	return workload_launch(run, &rows, err) ? -1 : workload_launch(run, &columns, err);
}

static int setup(struct workload_run *run, struct err *err)
{
	struct boxfilter *w = run->state;
	module_t module = workload_module(run, "boxfilter", err);
	buffer_t picture;

	w->width = workload_by_size(run, w->p.width, 256, 1024);
	w->height = workload_by_size(run, w->p.height, 128, 1024);
	if (check_params(w, err))
		return -1;
	w->bytes = (uint64_t)w->width * w->height * 4;
	w->rest = (uint64_t)w->width * w->p.threads * 4;
	draw_picture(run);
	picture = workload_buffer(run, "picture", w->picture, w->bytes, err);
	w->rows = workload_buffer(run, "rows", NULL, w->bytes + w->rest, err);
	workload_result(run, "blurred", NULL, w->bytes + w->rest, err);
	if (!module || !picture || !w->rows || !run->result || bind(run, module, picture, err))
		return -1;
	return launch(run, module, err);
}

/* A channel of a row or column: n bytes, `step` apart. */
struct line {
	const uint8_t *in, *out;
	long n;
	size_t step;
};

/* The sum around pixel i, in levels: no sliding. */
static long window(const struct line *l, long i, long radius)
{
	long sum = 0;

	for (long k = i - radius; k <= i + radius; k++)
		sum += l->in[(size_t)(k < 0 ? 0 : k >= l->n ? l->n - 1 : k) * l->step];
	return sum;
}

/* Until pixel i a thread has made 2 * (radius + i + 2) additions, the product at the border
 * included, of sums of at most 2 * radius + 2, and rounds the mean three times more and each of its
 * terms once. In levels. */
static double error_at(long i, long radius)
{
	double additions = 2 * (double)(radius + i + 2), terms = (double)(2 * radius + 1);

	return 255 * F32_ROUNDING * (additions * (terms + 1) / terms + 4);
}

/* Means are cut off to whole levels. One within the rounding error of a level may fall to either
 * side, all others have one right level. */
static int check_line(const struct boxfilter *w, const struct line *l, const char *name,
	const char *of, struct err *err)
{
	long radius = (long)w->p.radius;

	for (long i = 0; i < l->n; i++) {
		double mean = (double)window(l, i, radius) / (double)(2 * radius + 1);
		double e = error_at(i, radius);
		double low = fmax(0, floor(mean - e)), high = fmin(255, floor(mean + e));
		uint8_t ours = l->out[(size_t)i * l->step];

		if (ours < low || ours > high)
			return err_add(err, ERR_CHECK,
				"%s: channel's element %ld of %s is %u, the reference says %g to "
				"%g (mean %.6f, rounding errors of at most %.2g)",
				name, i, of, ours, low, high, mean, e);
	}
	return 0;
}

/* What is behind a picture stays zero: a row for each thread of a CTA. */
static int check_rest(
	const struct boxfilter *w, const uint8_t *bytes, const char *name, struct err *err)
{
	for (size_t i = w->bytes; i < w->bytes + w->rest; i++)
		if (bytes[i])
			return err_add(err, ERR_CHECK,
				"%s: byte %zu is %u instead of 0: it is behind the picture", name,
				i, bytes[i]);
	return 0;
}

/* Each pass from what the one before it left on the device. */
static int check(struct workload_run *run, struct err *err)
{
	const struct boxfilter *w = run->state;
	size_t row = (size_t)w->width * 4, bytes = w->bytes + w->rest;
	uint8_t *rows = arena_alloc(run->arena, bytes, 1);
	uint8_t *blurred = arena_alloc(run->arena, bytes, 1);

	gpu_read(run->gpu, w->rows, 0, rows, bytes);
	gpu_read(run->gpu, run->result, 0, blurred, bytes);
	for (size_t i = 0; i < 4 * (size_t)w->height; i++) {
		size_t at = i / 4 * row + i % 4;
		struct line l = {w->picture + at, rows + at, (long)w->width, 4};

		if (check_line(w, &l, "rows", "a row", err))
			return -1;
	}
	for (size_t i = 0; i < row; i++) {
		struct line l = {rows + i, blurred + i, (long)w->height, row};

		if (check_line(w, &l, "blurred", "a column", err))
			return -1;
	}
	return check_rest(w, rows, "rows", err) ? -1 : check_rest(w, blurred, "blurred", err);
}

/* With few rows or columns, and at radius 0, some loops have no turn. */
static const char *const variants[] = {
	"boxfilter.width=96 boxfilter.height=45 boxfilter.radius=3 boxfilter.threads=32",
	"boxfilter.width=2 boxfilter.height=3 boxfilter.radius=1 boxfilter.threads=2",
	"boxfilter.width=1 boxfilter.height=70 boxfilter.radius=0 boxfilter.threads=1", NULL};

#define THEIRS "sdk2.2/boxFilter_kernel.ptx"
static const struct workload_foreign foreign[] = {
	FOREIGN(THEIRS, "box_rows", "_Z18d_boxfilter_rgba_xPjiii", NULL),
	FOREIGN(THEIRS, "box_columns", "_Z18d_boxfilter_rgba_yPjS_iii", NULL),
	FOREIGN(THEIRS, "picture", "rgbaTex", NULL),
	{.file = NULL},
};

static const struct workload_ops ops = {
	.computes = "Means of square regions of a colour picture, by sliding sums along rows and "
		    "columns.",
	.source = "CUDA SDK, boxFilter",
	.setup = setup,
	.check = check,
	.variants = variants,
	.foreign = foreign,
};

const struct plugin boxfilter_workload = {
	.kind = "workload",
	.name = "boxfilter",
	.text = "Box filter: texture fetches down a column, few threads, divisions.",
	.path = "boxfilter",
	.size = sizeof(struct boxfilter),
	.params = params,
	.nparams = ARRAY_LEN(params),
	.ops = &ops,
};
