/* hwt: points on the walls of a heart, followed through ultrasound video. */
#include "workloads/hwt/rodinia.h"
#include "workloads/workload.h"

#include <math.h>

/* As in hwt.cu. */
#define THREADS 512u
#define MAX_TEMPLATE 51
#define MAX_WINDOW 81
#define NEW_SHARE 0.125

/* Points on the inner wall; the others are on the outer one. */
#define INNER 20u
#define MAX_POINTS 51u
#define PI 3.14159265358979323846

#define PARAMS(P, T) \
	P(T, UINT, points, 0, 0, MAX_POINTS, "points", \
		"Points to follow, a CTA each; 0 = by size: 32 at small, 51 (the suite's) at " \
		"full.") \
	P(T, UINT, frames, 0, 0, 100, "frames", \
		"Frames after the first; 0 = by size: 2 at small, 1 at full (the suite's run has " \
		"20), where a point takes four million warp instructions a frame.") \
	P(T, UINT, template, 0, 0, 25, "pixels", \
		"Radius of the square that a point is known by; 0 = by size: 3 at small, 25 " \
		"(the suite's) at full.") \
	P(T, UINT, search, 0, 0, 40, "pixels", \
		"Radius of the square that is correlated with it; 0 = by size: 8 at small, " \
		"40 (the suite's) at full.") \
	P(T, UINT, reach, 0, 0, 15, "pixels", \
		"How far a point moves between frames, at most search - template; 0 = by " \
		"size: 2 at small, 10 (the suite's) at full.")

/* As in hwt.cu. */
struct sizes {
	int32_t frame_width, side, window, correlation, padded, reach;
};

struct hwt {
	struct {
		PARAMS(PARAM_FIELD, hwt)
	} p;
	uint32_t frames, points, height;
	struct sizes size;
	float **video;      /* frames + 1 */
	struct site *start; /* in the first frame */
	module_t module;
	buffer_t d_video, places, templates, correlations, sums;
	struct rodinia_hwt rodinia;
};

static const struct param_def params[] = {PARAMS(PARAM_ROW, hwt)};

/* Echoes of the tissue at (x, y), between 0 and 1: random at whole points, linear in between. */
static double echo(const float *grain, uint32_t width, double x, double y)
{
	double fx = x / 2, fy = y / 2;
	size_t i = (size_t)fy * width + (size_t)fx;
	double u = fx - floor(fx), v = fy - floor(fy);
	double above = (1 - u) * (double)grain[i] + u * (double)grain[i + 1];
	double below = (1 - u) * (double)grain[i + width] + u * (double)grain[i + width + 1];

	return (1 - v) * above + v * below;
}

/* Frame f: a beat, four frames long, moves the heart and makes it smaller. Whole grey levels of 8
 * bits, so that their sums are exact. */
static void draw_frame(struct workload_run *run, const float *grain, uint32_t f)
{
	struct hwt *w = run->state;
	uint32_t width = (uint32_t)w->size.frame_width;
	struct rng rng = rng_new(run->seed, 1 + f);
	double scale = 1.012 - 0.012 * cos(PI / 2 * f), beat = sin(PI / 2 * f);
	double dx = 1.7 * beat, dy = -1.5 * beat;

	w->video[f] = arena_alloc(run->arena, (size_t)width * w->height, sizeof(float));
	for (size_t i = 0; i < (size_t)width * w->height; i++) {
		double x = width / 2.0 + ((double)(i % width) - width / 2.0) * scale - dx;
		double y = w->height / 2.0 + ((double)(i / width) - w->height / 2.0) * scale - dy;
		double seen = echo(
			grain, width, fmax(0, fmin(x, width - 1)), fmax(0, fmin(y, w->height - 1)));

		w->video[f][i] = (float)floor(20 + 200 * seen + 30 * rng_unit(&rng));
	}
}

/* Points on two ellipses around the frame's centre. */
static void place_points(struct workload_run *run, double radius)
{
	struct hwt *w = run->state;

	w->start = arena_alloc(run->arena, w->points, sizeof(*w->start));
	for (uint32_t i = 0; i < w->points; i++) {
		bool inner = i < INNER;
		double r = inner ? 0.65 * radius : radius;
		double angle =
			2 * PI *
			(inner ? i / (double)INNER : (i - INNER) / (double)(MAX_POINTS - INNER));

		w->start[i].x = w->size.frame_width / 2 + (int32_t)(0.8 * r * cos(angle));
		w->start[i].y = (int32_t)w->height / 2 + (int32_t)(r * sin(angle));
	}
}

static int load_sizes(struct workload_run *run, struct err *err)
{
	struct hwt *w = run->state;
	int32_t template = (int32_t)workload_by_size(run, w->p.template, 3, 25);
	int32_t search = (int32_t)workload_by_size(run, w->p.search, 8, 40);
	int32_t reach = (int32_t)workload_by_size(run, w->p.reach, 2, 10);

	if (reach > search - template)
		return err_add(err, ERR_INPUT,
			"hwt.reach = %d: must be at most hwt.search - hwt.template = %d - %d",
			reach, search, template);
	w->points = workload_by_size(run, w->p.points, 32, MAX_POINTS);
	w->frames = workload_by_size(run, w->p.frames, 2, 1);
	if (run->foreign && rodinia_admit(template, search, w->frames, err))
		return -1;
	w->size = (struct sizes){
		.side = 2 * template + 1,
		.window = 2 * search + 1,
		.correlation = 2 * (template + search) + 1,
		.padded = 2 * (2 * template + search) + 1,
		.reach = reach,
	};
	return 0;
}

/* Frames are so large that no window leaves them, wherever the points may move. */
static void make_inputs(struct workload_run *run)
{
	struct hwt *w = run->state;
	uint32_t radius = run->size == SIZE_FULL ? 120 : 40;
	uint32_t rim = (uint32_t)(w->size.window / 2 + w->size.reach * (int32_t)w->frames + 1);
	float *grain;

	w->size.frame_width = (int32_t)(2 * (radius * 4 / 5 + rim));
	w->height = 2 * (radius + rim);
	grain = workload_random_f32(
		run, 0, (size_t)w->size.frame_width * (w->height / 2 + 2), 0, 1);
	w->video = arena_alloc(run->arena, w->frames + 1, sizeof(*w->video));
	for (uint32_t f = 0; f <= w->frames; f++)
		draw_frame(run, grain, f);
	place_points(run, radius);
}

static size_t frame_bytes(const struct hwt *w)
{
	return (size_t)w->size.frame_width * w->height * sizeof(float);
}

static int make_buffers(struct workload_run *run, struct err *err)
{
	struct hwt *w = run->state;
	uint64_t points = w->points, side = (uint64_t)w->size.side;
	uint64_t correlation = (uint64_t)w->size.correlation, padded = (uint64_t)w->size.padded;
	uint64_t place_bytes = points * sizeof(struct site);

	w->d_video = workload_buffer(run, "video", NULL, (w->frames + 1) * frame_bytes(w), err);
	w->templates =
		workload_buffer(run, "templates", NULL, points * side * side * sizeof(float), err);
	w->correlations = workload_buffer(
		run, "correlations", NULL, points * correlation * correlation * sizeof(float), err);
	w->sums = workload_buffer(
		run, "sums", NULL, points * 4 * padded * padded * sizeof(float), err);
	w->places = workload_result(run, "positions", NULL, (w->frames + 1) * place_bytes, err);
	if (!w->d_video || !w->templates || !w->correlations || !w->sums || !w->places)
		return -1;
	gpu_write(run->gpu, w->places, 0, w->start, place_bytes);
	for (uint32_t f = 0; f <= w->frames; f++)
		gpu_write(run->gpu, w->d_video, f * frame_bytes(w), w->video[f], frame_bytes(w));
	return 0;
}

/* Queues frame f: the first fills the templates, the others are tracked. */
static int launch(struct workload_run *run, uint32_t f, struct err *err)
{
	struct hwt *w = run->state;
	uint64_t place_bytes = w->points * sizeof(struct site);
	struct launch_arg frame = ARG_BUF(w->d_video), from = ARG_BUF(w->places), to = from;

	frame.offset = f * frame_bytes(w);
	from.offset = (f ? f - 1 : 0) * place_bytes;
	to.offset = f * place_bytes;
	return workload_launch(run,
		&(struct launch){
			.module = w->module,
			.kernel = f ? "hwt_track" : "hwt_start",
			.grid = {w->points, 1, 1},
			.block = {THREADS, 1, 1},
			.args = f ? (struct launch_arg[]){frame, from, to, ARG_BUF(w->templates),
					    ARG_BUF(w->correlations), ARG_BUF(w->sums),
					    ARG_VAL(w->size)}
				  : (struct launch_arg[]){frame, from, ARG_BUF(w->templates),
					    ARG_VAL(w->size)},
			.nargs = f ? 7 : 4,
		},
		err);
}

static int set_up_rodinia(struct workload_run *run, struct err *err)
{
	struct hwt *w = run->state;

	w->rodinia = (struct rodinia_hwt){.module = w->module,
		.points = w->points,
		.threads = THREADS,
		.width = w->size.frame_width,
		.height = (int32_t)w->height,
		.reach = w->size.reach,
		.video = w->video,
		.start = w->start,
		.out_places = w->places,
		.out_templates = w->templates,
		.out_correlations = w->correlations};
	return rodinia_set_up(run, &w->rodinia, err);
}

static int next_rodinia(struct workload_run *run, struct err *err)
{
	struct hwt *w = run->state;

	return run->foreign ? rodinia_next(run, &w->rodinia, err) : 0;
}

static int setup(struct workload_run *run, struct err *err)
{
	struct hwt *w = run->state;

	w->module = workload_module(run, "hwt", err);
	if (!w->module || load_sizes(run, err))
		return -1;
	make_inputs(run);
	if (make_buffers(run, err))
		return -1;
	if (run->foreign)
		return set_up_rodinia(run, err);
	for (uint32_t f = 0; f <= w->frames; f++)
		if (launch(run, f, err))
			return -1;
	return 0;
}

/* A point's template as the reference has it, what its entries sum up to, and the frame that it is
 * compared with, around a position. */
struct view {
	const double *template;
	double mean, deviation; /* deviation: the root of a sum of squares */
	double squares;         /* the entries', summed up */
	const float *frame;
	struct site at;
};

static void measure_template(const struct hwt *w, struct view *v)
{
	int32_t n = w->size.side * w->size.side;
	double sum = 0, square = 0;

	v->squares = 0;
	for (int32_t i = 0; i < n; i++) {
		sum += v->template[i];
		v->squares += v->template[i] * v -> template[i];
	}
	v->mean = sum / n;
	for (int32_t i = 0; i < n; i++)
		square += (v->template[i] - v->mean) * (v->template[i] - v->mean);
	v->deviation = sqrt(square);
}

/* The pixel at (x, y) of the search window around the view's position; zero outside. */
static double window_pixel(const struct hwt *w, const struct view *v, int32_t x, int32_t y)
{
	int32_t size = w->size.window;

	if (x < 0 || y < 0 || x >= size || y >= size)
		return 0;
	x += v->at.x - size / 2;
	y += v->at.y - size / 2;
	return (double)v->frame[(size_t)y * (size_t)w->size.frame_width + (size_t)x];
}

/* The pixels under the template, in sums over its cells. */
struct under {
	double variance; /* squares less their mean's */
	double squares, products;
};

/* The correlation coefficient where the template's first entry is on window pixel (x, y), from
 * its definition. */
static double coefficient(
	const struct hwt *w, const struct view *v, int32_t x, int32_t y, struct under *under)
{
	int32_t side = w->size.side, n = side * side;
	double mean = 0, product = 0;

	*under = (struct under){0};
	for (int32_t i = 0; i < n; i++)
		mean += window_pixel(w, v, x + i % side, y + i / side) / n;
	for (int32_t i = 0; i < n; i++) {
		double pixel = window_pixel(w, v, x + i % side, y + i / side);

		under->squares += pixel * pixel;
		under->products += pixel * v->template[i];
		under->variance += (pixel - mean) * (pixel - mean);
		product += (pixel - mean) * (v->template[i] - v->mean);
	}
	return product / (sqrt(under->variance) * v->deviation);
}

/* Where the coefficient is largest within reach of the view's position. */
static struct site find_peak(const struct hwt *w, const struct view *v)
{
	int32_t reach = w->size.reach, centre = (w->size.window - w->size.side) / 2;
	struct site peak = v->at;
	double best = -2;
	struct under under;

	for (int32_t y = -reach; y <= reach; y++) {
		for (int32_t x = -reach; x <= reach; x++) {
			double value = coefficient(w, v, centre + x, centre + y, &under);

			if (value <= best)
				continue;
			best = value;
			peak = (struct site){v->at.x + x, v->at.y + y};
		}
	}
	return peak;
}

static double frame_pixel(const struct hwt *w, const struct view *v, int32_t i)
{
	int32_t side = w->size.side;
	int32_t x = v->at.x - side / 2 + i % side, y = v->at.y - side / 2 + i / side;

	return (double)v->frame[(size_t)y * (size_t)w->size.frame_width + (size_t)x];
}

/* How wrong a running sum of the window's squares may be: sums of whole numbers are exact below
 * 2^24. Beyond, each of `padded` additions along a column and along a row rounds, at most at the
 * sum of all, and two of them are subtracted. */
static double running_error(const struct hwt *w, const struct view *v)
{
	int32_t size = w->size.window;
	double squares = 0;

	for (int32_t i = 0; i < size * size; i++) {
		double pixel = window_pixel(w, v, i % size, i / size);

		squares += pixel * pixel;
	}
	return squares < 0x1p24 ? 0 : (double)size * size * 255 * 255 * 16 * F32_ROUNDING;
}

/* Of a template's mean or deviation: its rows, their sum, and its entries, three a frame. */
static double template_sums(const struct hwt *w)
{
	return 2.0 * w->size.side + 4 + 3 * w->frames;
}

/* How wrong a coefficient's numerator may be: each product's addition rounds, and those of the
 * template's sums. */
static double numerator_error(const struct hwt *w, const struct under *under)
{
	double side = w->size.side;

	return (side * side + 2 * template_sums(w)) * F32_ROUNDING * under->products;
}

/* How wrong a coefficient may be: the error of both roots is half that of what they are taken of.
 */
static double coefficient_error(
	const struct hwt *w, const struct view *v, const struct under *under, double running)
{
	double window = (4 * F32_ROUNDING * under->squares + running) / under->variance;
	double template =
		template_sums(w) * F32_ROUNDING * v->squares / (v->deviation * v->deviation);

	return numerator_error(w, under) / (sqrt(under->variance) * v->deviation) +
	       (window + template) / 2 + 4 * F32_ROUNDING;
}

/* Compares all coefficients of the last frame; of Rodinia's kernel their numerators. */
static int check_coefficients(struct workload_run *run, const struct view *v, uint32_t point,
	const float *ours, struct err *err)
{
	const struct hwt *w = run->state;
	int32_t c = w->size.correlation, before = w->size.side - 1;
	double running = running_error(w, v);

	for (int32_t i = 0; i < c * c; i++) {
		struct under under;
		double theirs, allowed, difference;

		theirs = coefficient(w, v, i % c - before, i / c - before, &under);
		/* Below 1 the kernel divides by another number. */
		if (under.variance < 2 + 4 * running)
			continue;
		allowed = coefficient_error(w, v, &under, running);
		if (run->foreign) {
			theirs *= sqrt(under.variance) * v->deviation;
			allowed = numerator_error(w, &under);
		}
		difference = fabs((double)ours[i] - theirs);
		if (difference <= allowed)
			continue;
		return err_add(err, ERR_CHECK,
			"correlations[%zu] is %.9g, the reference says %.9g; point %u differs by "
			"%.3g, more than %.3g (roundings of sums, over the variance)",
			(size_t)point * (size_t)(c * c) + (size_t)i, (double)ours[i], theirs, point,
			difference, allowed);
	}
	return 0;
}

/* Follows one point through all frames; its positions and last template are the reference's. */
static int follow(struct workload_run *run, uint32_t point, struct site *places, float *template,
	struct err *err)
{
	struct hwt *w = run->state;
	size_t n = (size_t)(w->size.side * w->size.side);
	size_t c = (size_t)(w->size.correlation * w->size.correlation);
	double *entries = arena_alloc(run->arena, n, sizeof(*entries));
	float *ours = arena_alloc(run->arena, c, sizeof(*ours));
	struct view v = {.template = entries, .frame = w->video[0], .at = w->start[point]};

	places[point] = v.at;
	for (size_t i = 0; i < n; i++)
		entries[i] = frame_pixel(w, &v, (int32_t)i);
	gpu_read(run->gpu, w->correlations, point * c * sizeof(*ours), ours, c * sizeof(*ours));
	for (uint32_t f = 1; f <= w->frames; f++) {
		measure_template(w, &v);
		v.frame = w->video[f];
		if (f == w->frames && check_coefficients(run, &v, point, ours, err))
			return -1;
		v.at = run->foreign ? rodinia_peak(run, &w->rodinia, point) : find_peak(w, &v);
		places[f * w->points + point] = v.at;
		/* Rodinia's kernel keeps the template for ten frames. */
		for (size_t i = 0; i < n && !run->foreign; i++)
			entries[i] += NEW_SHARE * (frame_pixel(w, &v, (int32_t)i) - entries[i]);
	}
	for (size_t i = 0; i < n; i++)
		template[i] = (float)entries[i];
	return 0;
}

static int check(struct workload_run *run, struct err *err)
{
	struct hwt *w = run->state;
	size_t n = (size_t)(w->size.side * w->size.side), nplaces = (w->frames + 1) * w->points;
	struct site *places = arena_alloc(run->arena, nplaces, sizeof(*places));
	float *templates = arena_alloc(run->arena, n * w->points, sizeof(*templates));
	struct tolerance tolerance = {
		.abs = (3 * w->frames + 1) * 256 * F32_ROUNDING,
		.why = "three roundings a frame of values below 256",
	};
	int status;

	for (uint32_t point = 0; point < w->points; point++)
		if (follow(run, point, places, templates + point * n, err))
			return -1;
	run->result = w->templates;
	run->result_name = "templates";
	status = workload_check_f32(run, templates, n * w->points, tolerance, err);
	run->result = w->places;
	run->result_name = "positions";
	if (status)
		return -1;
	return workload_check_i32(run, (const int32_t *)(const void *)places, 2 * nplaces, err);
}

/* More cells than threads, and rows of more than one unrolled round; fewer cells than threads. */
static const char *const variants[] = {
	"hwt.points=2 hwt.frames=1 hwt.template=12 hwt.search=13 hwt.reach=1",
	"hwt.points=3 hwt.frames=2 hwt.template=1 hwt.search=2 hwt.reach=1", NULL};

static const struct workload_ops ops = {
	.computes = "A heart's walls in ultrasound video, by normalised correlation.",
	.source = "Rodinia, heartwall (Che et al., IISWC 2009; Lewis, Vision Interface 1995)",
	.setup = setup,
	.advance = next_rodinia,
	.check = check,
	.variants = variants,
	.foreign = hwt_rodinia,
	.foreign_settings = "hwt.points=1 hwt.frames=1 hwt.template=25 hwt.search=40",
};

const struct plugin hwt_workload = {
	.kind = "workload",
	.name = "hwt",
	.text = "Heart wall tracking: one long kernel of many stages between barriers.",
	.path = "hwt",
	.size = sizeof(struct hwt),
	.params = params,
	.nparams = ARRAY_LEN(params),
	.ops = &ops,
};
