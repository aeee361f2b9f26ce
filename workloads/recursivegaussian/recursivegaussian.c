/* recursivegaussian: a picture blurred by Deriche's recursive filter, columns, then rows. */
#include "workloads/workload.h"

#include <math.h>

/* As in recursivegaussian.cu. */
#define TILE 16u
#define THREADS 64u

#define PARAMS(P, T) \
	P(T, UINT, width, 0, 0, 4096, "pixels", \
		"Columns of the image, a multiple of 64; 0 = 512 (the SDK's). Smaller images fit " \
		"into caches, and the passes no longer stream.") \
	P(T, UINT, height, 0, 0, 4096, "pixels", \
		"Rows of the image, a multiple of 64; 0 = by size: 256 at small, 512 at full.") \
	P(T, UINT, sigma, 10, 1, 50, "pixels", "The Gaussian's standard deviation.") \
	P(T, UINT, threads, 64, 64, 1024, "threads", \
		"Of the columns' CTAs: a multiple of 64 that divides width and height.")

/* Deriche's coefficients of order 0, rounded to float once for kernel and reference alike. */
struct filter {
	float a[4], b1, b2, forward_gain, backward_gain;
	double error; /* of a pass in float, in units of a pixel's 255 levels */
};

struct recursivegaussian {
	struct {
		PARAMS(PARAM_FIELD, recursivegaussian)
	} p;
	uint32_t width, height;
	struct filter filter;
	module_t module;
	buffer_t image, columns, turned, rows, blurred;
};

static const struct param_def params[] = {PARAMS(PARAM_ROW, recursivegaussian)};

/* An error in one step decays as the recursion's impulse response, whose magnitudes sum up to
 * 1 / (1 - e)^2. A step of terms below 2 makes four roundings, unpacking and the gains not more. */
static struct filter make_filter(double sigma)
{
	double alpha = 1.695 / sigma, e = exp(-alpha), e2 = e * e;
	double k = (1 - e) * (1 - e) / (1 + 2 * alpha * e - e2);
	double b1 = -2 * e, b2 = e2;
	double a[4] = {k, k * (alpha - 1) * e, k * (alpha + 1) * e, -k * e2};

	return (struct filter){
		.a = {(float)a[0], (float)a[1], (float)a[2], (float)a[3]},
		.b1 = (float)b1,
		.b2 = (float)b2,
		.forward_gain = (float)((a[0] + a[1]) / (1 + b1 + b2)),
		.backward_gain = (float)((a[2] + a[3]) / (1 + b1 + b2)),
		.error = 255 * 10 * F32_ROUNDING * (1 + 1 / ((1 - e) * (1 - e))),
	};
}

/* Slow waves, another for each colour, and noise. */
static void *draw_image(struct workload_run *run)
{
	const struct recursivegaussian *w = run->state;
	size_t n = (size_t)w->width * w->height;
	uint32_t *image = arena_alloc(run->arena, n, sizeof(*image));
	struct rng rng = rng_new(run->seed, 0);

	for (size_t i = 0; i < n; i++) {
		double x = (double)(i % w->width), y = (double)(i / w->width);

		for (unsigned channel = 0; channel < 4; channel++) {
			double wave = sin(x * 0.05 * (channel + 1) + y * 0.11 + channel);
			double level = 127.5 + 60 * wave + 120 * (rng_unit(&rng) - 0.5);

			image[i] |= (uint32_t)level << 8 * channel;
		}
	}
	return image;
}

static int launch_columns(struct workload_run *run, buffer_t from, buffer_t to, uint32_t width,
	uint32_t height, struct err *err)
{
	struct recursivegaussian *w = run->state;
	const struct filter *f = &w->filter;
	int32_t columns = (int32_t)width, rows = (int32_t)height;

	return workload_launch(run,
		&(struct launch){
			.module = w->module,
			.kernel = "gaussian_columns",
			.grid = {(uint32_t)(width / w->p.threads), 1, 1},
			.block = {(uint32_t)w->p.threads, 1, 1},
			.args = (struct launch_arg[]){ARG_BUF(from), ARG_BUF(to), ARG_VAL(columns),
				ARG_VAL(rows), ARG_VAL(f->a[0]), ARG_VAL(f->a[1]), ARG_VAL(f->a[2]),
				ARG_VAL(f->a[3]), ARG_VAL(f->b1), ARG_VAL(f->b2),
				ARG_VAL(f->forward_gain), ARG_VAL(f->backward_gain)},
			.nargs = 12,
		},
		err);
}

static int launch_turn(struct workload_run *run, buffer_t from, buffer_t to, uint32_t width,
	uint32_t height, struct err *err)
{
	struct recursivegaussian *w = run->state;
	int32_t columns = (int32_t)width, rows = (int32_t)height;

	return workload_launch(run,
		&(struct launch){
			.module = w->module,
			.kernel = "turn",
			.grid = {width / TILE, height / TILE, 1},
			.block = {TILE, TILE, 1},
			.args = (struct launch_arg[]){ARG_BUF(from), ARG_BUF(to), ARG_VAL(columns),
				ARG_VAL(rows)},
			.nargs = 4,
		},
		err);
}

static int setup(struct workload_run *run, struct err *err)
{
	struct recursivegaussian *w = run->state;
	uint64_t bytes;

	w->width = workload_by_size(run, w->p.width, 512, 512);
	w->height = workload_by_size(run, w->p.height, 256, 512);
	if (w->p.threads % THREADS || w->width % w->p.threads || w->height % w->p.threads)
		return err_add(err, ERR_INPUT,
			"recursivegaussian.width = %u, .height = %u, .threads = %u: width and "
			"height must be multiples of threads, and threads of %u",
			w->width, w->height, (unsigned)w->p.threads, THREADS);
	w->filter = make_filter((double)w->p.sigma);
	w->module = workload_module(run, "recursivegaussian", err);
	bytes = (uint64_t)w->width * w->height * 4;
	w->image = workload_buffer(run, "image", draw_image(run), bytes, err);
	w->columns = workload_buffer(run, "columns", NULL, bytes, err);
	w->turned = workload_buffer(run, "turned", NULL, bytes, err);
	w->rows = workload_buffer(run, "rows", NULL, bytes, err);
	w->blurred = workload_result(run, "blurred", NULL, bytes, err);
	if (!w->module || !w->image || !w->columns || !w->turned || !w->rows || !w->blurred)
		return -1;
	if (launch_columns(run, w->image, w->columns, w->width, w->height, err))
		return -1;
	if (launch_turn(run, w->columns, w->turned, w->width, w->height, err))
		return -1;
	if (launch_columns(run, w->turned, w->rows, w->height, w->width, err))
		return -1;
	return launch_turn(run, w->rows, w->blurred, w->height, w->width, err);
}

/* An image on the host: its channels are bytes. */
struct picture {
	const char *name;
	buffer_t buffer;
	uint32_t width, height;
	uint8_t *bytes;
};

static struct picture picture(struct workload_run *run, const char *name, buffer_t buffer,
	uint32_t width, uint32_t height)
{
	uint64_t bytes = (uint64_t)width * height * 4;
	struct picture p = {name, buffer, width, height, arena_alloc(run->arena, bytes, 1)};

	gpu_read(run->gpu, buffer, 0, p.bytes, bytes);
	return p;
}

/* One channel of one column, filtered in double; sums[y] is the exact causal part, rests[y] the
 * anticausal one, in levels. `step` is the distance of rows in bytes. */
static void filter_column(const struct filter *f, const uint8_t *in, size_t step, uint32_t height,
	double *causal, double *anticausal)
{
	double gain[2] = {(double)f->forward_gain, (double)f->backward_gain};
	double b1 = (double)f->b1, b2 = (double)f->b2;
	double x1 = in[0], y1 = gain[0] * x1, y2 = y1, x2;

	for (uint32_t y = 0; y < height; y++) {
		double x = in[y * step];

		causal[y] = (double)f->a[0] * x + (double)f->a[1] * x1 - b1 * y1 - b2 * y2;
		x1 = x;
		y2 = y1;
		y1 = causal[y];
	}
	x2 = x1;
	y1 = y2 = gain[1] * x1;
	for (uint32_t y = height; y-- > 0;) {
		anticausal[y] = (double)f->a[2] * x1 + (double)f->a[3] * x2 - b1 * y1 - b2 * y2;
		x2 = x1;
		x1 = in[y * step];
		y2 = y1;
		y1 = anticausal[y];
	}
}

static double to_level(double x)
{
	return fmax(0, fmin(255, floor(x)));
}

/* Both passes cut off below a level. A sum within the rounding error of a whole level may
 * fall to either side, all others have one right level. */
static int check_filtered(struct workload_run *run, const struct picture *from,
	const struct picture *to, struct err *err)
{
	const struct recursivegaussian *w = run->state;
	size_t step = (size_t)from->width * 4;
	double *causal = arena_alloc(run->arena, from->height, sizeof(*causal));
	double *anticausal = arena_alloc(run->arena, from->height, sizeof(*anticausal));
	double e = w->filter.error;

	for (size_t i = 0; i < step; i++) {
		filter_column(&w->filter, from->bytes + i, step, from->height, causal, anticausal);
		for (size_t y = 0; y < from->height; y++) {
			double low = to_level(to_level(causal[y] - e) + anticausal[y] - e);
			double high = to_level(to_level(causal[y] + e) + anticausal[y] + e);
			uint8_t ours = to->bytes[y * step + i];

			if (ours >= low && ours <= high)
				continue;
			return err_add(err, ERR_CHECK,
				"%s[%zu] has %u in channel %zu, the reference says %g to %g "
				"(rounding errors: %.3g levels)",
				to->name, (y * step + i) / 4, ours, i % 4, low, high, e);
		}
	}
	return 0;
}

static int check_turned(struct workload_run *run, const struct picture *from,
	const struct picture *to, struct err *err)
{
	const int32_t *in = (const int32_t *)(const void *)from->bytes;
	size_t n = (size_t)from->width * from->height;
	int32_t *expected = arena_alloc(run->arena, n, sizeof(*expected));
	buffer_t result = run->result;
	const char *name = run->result_name;
	int status;

	for (size_t i = 0; i < n; i++)
		expected[i] = in[i % from->height * from->width + i / from->height];
	run->result = to->buffer;
	run->result_name = to->name;
	status = workload_check_i32(run, expected, n, err);
	run->result = result;
	run->result_name = name;
	return status;
}

/* Each stage from what the one before it left on the device. */
static int check(struct workload_run *run, struct err *err)
{
	const struct recursivegaussian *w = run->state;
	uint32_t width = w->width, height = w->height;
	struct picture image = picture(run, "image", w->image, width, height);
	struct picture columns = picture(run, "columns", w->columns, width, height);
	struct picture turned = picture(run, "turned", w->turned, height, width);
	struct picture rows = picture(run, "rows", w->rows, height, width);
	struct picture blurred = picture(run, "blurred", w->blurred, width, height);

	if (check_filtered(run, &image, &columns, err))
		return -1;
	if (check_turned(run, &columns, &turned, err))
		return -1;
	if (check_filtered(run, &turned, &rows, err))
		return -1;
	return check_turned(run, &rows, &blurred, err);
}

static const struct workload_foreign foreign[] = {
	FOREIGN("sdk2.2/recursiveGaussian_kernel.ptx", "gaussian_columns",
		"_Z24d_recursiveGaussian_rgbaPjS_iiffffffff", NULL),
	FOREIGN("sdk2.2/recursiveGaussian_kernel.ptx", "turn", "_Z11d_transposePjS_ii", "1 0 2 3"),
	{.file = NULL},
};

static const struct workload_ops ops = {
	.computes = "A Gaussian blur of a colour picture by Deriche's filter.",
	.source = "CUDA SDK, recursiveGaussian (Deriche, INRIA 1993)",
	.setup = setup,
	.check = check,
	.foreign = foreign,
};

const struct plugin recursivegaussian_workload = {
	.kind = "workload",
	.name = "recursivegaussian",
	.text = "Recursive image filter: long chains in few threads, transpositions.",
	.path = "recursivegaussian",
	.size = sizeof(struct recursivegaussian),
	.params = params,
	.nparams = ARRAY_LEN(params),
	.ops = &ops,
};
