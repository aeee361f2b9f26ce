/* mandelbrot: a picture of the Mandelbrot set or of a Julia set, refined in passes. */
#include "workloads/workload.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TILE 16u

/* As in mandelbrot.cu. */
#define NEAR 10
#define UNCOUNTED 20

enum numbers { FLOATS, PAIRS, DOUBLES };
enum sets { MANDELBROT, JULIA, BOTH };

#define PARAMS(P, T) \
	P(T, UINT, width, 0, 0, 4096, "pixels", "0 = by size: 100 at small, 800 at full.") \
	P(T, UINT, height, 0, 0, 4096, "pixels", "0 = by size: 76 at small, 600 at full.") \
	P(T, UINT, limit, 0, 0, 16384, "steps", \
		"Steps after which a point is in the set; 0 = by size: 128 at small, 512 at full.") \
	P(T, UINT, passes, 2, 1, 128, "passes", "Samples of a pixel.") \
	P(T, UINT, edges, 1, 0, 127, "passes", \
		"Of these, after the first, those of pixels only whose neighbours have another " \
		"colour.") \
	P(T, CHOICE, numbers, FLOATS, 0, 0, "float|pair|double", \
		"What is computed with: floats, sums of two floats, or doubles.") \
	P(T, UINT, workers, 32, 0, 1024, "CTAs", \
		"CTAs that take tiles of 16x16 pixels from a counter (the SDK's: one an SM); 0: a CTA " \
		"for each tile.") \
	P(T, CHOICE, set, MANDELBROT, 0, 0, "mandelbrot|julia|both", \
		"A picture of the Mandelbrot set, of a Julia set, or of one after the other.") \
	P(T, REAL, x, -0.5, -2, 2, "", "Middle of the Mandelbrot set's picture.") \
	P(T, REAL, y, 0, -2, 2, "", "Middle of the Mandelbrot set's picture.") \
	P(T, REAL, scale, 3.2, 0, 4, "", "Width of the Mandelbrot set's picture.") \
	P(T, UINT, red, 3, 0, 255, "", "What a step adds to the colour.") \
	P(T, UINT, green, 5, 0, 255, "", "What a step adds to the colour.") \
	P(T, UINT, blue, 7, 0, 255, "", "What a step adds to the colour.") \
	P(T, UINT, turn, 0, 0, 255, "steps", "By how much colours are ahead.")

/* Where a pass samples, as the kernel's numbers are: the sample of the first pixel, the distance
 * of two, Julia's c. */
struct view {
	double x, y, scale, julia_x, julia_y;
};

struct mandelbrot {
	struct {
		PARAMS(PARAM_FIELD, mandelbrot)
	} p;
	uint32_t width, height, limit;
	struct rng rng; /* of samples */
	uint8_t steps_colour[4];
	uint32_t pass, passes; /* of all pictures */
	struct view *view;     /* of each pass */
	uint8_t (**image)[4];  /* after each pass */
	module_t module;
};

static const struct param_def params[] = {PARAMS(PARAM_ROW, mandelbrot)};

static double rounded(const struct mandelbrot *w, double x)
{
	return w->p.numbers == DOUBLES ? x : (double)(float)x;
}

/* The second of the floats whose sum is nearest to x. */
static double rest(const struct mandelbrot *w, double x)
{
	return rounded(w, x - rounded(w, x));
}

/* How many passes the picture has had before. */
static uint32_t frame_of(const struct mandelbrot *w, uint32_t pass)
{
	return pass % (uint32_t)w->p.passes;
}

static bool is_julia(const struct mandelbrot *w, uint32_t pass)
{
	return w->p.set == JULIA || pass >= w->p.passes;
}

static bool has_edges(const struct mandelbrot *w, uint32_t pass)
{
	return frame_of(w, pass) > 0 && frame_of(w, pass) <= w->p.edges;
}

/* A picture's first sample is in the middle of each pixel, the others are anywhere in it. The Julia
 * set is the SDK's. */
static struct view make_view(struct mandelbrot *w)
{
	bool julia = is_julia(w, w->pass), first = !frame_of(w, w->pass);
	double scale = (julia ? 3.2 : w->p.scale) / w->width;
	double x = first ? 0.5 : rng_unit(&w->rng), y = first ? 0.5 : rng_unit(&w->rng);
	struct view v = {.x = (x - w->width * 0.5) * scale + (julia ? 0 : w->p.x),
		.y = (y - w->height * 0.5) * scale + (julia ? 0 : w->p.y),
		.scale = rounded(w, scale),
		.julia_x = rounded(w, -0.68024),
		.julia_y = rounded(w, -0.279573)};
	bool pair = w->p.numbers == PAIRS;

	v.x = rounded(w, v.x) + (pair ? rest(w, v.x) : 0);
	v.y = rounded(w, v.y) + (pair ? rest(w, v.y) : 0);
	return v;
}

/* ---- launches */

/* A number in the kernel's type; `store` keeps it. */
static struct launch_arg number(const struct mandelbrot *w, double value, double *store)
{
	float less = (float)value;

	if (w->p.numbers == DOUBLES) {
		*store = value;
		return (struct launch_arg){
			.kind = ARG_BYTES, .bytes = store, .size = sizeof(value)};
	}
	memcpy(store, &less, sizeof(less));
	return (struct launch_arg){.kind = ARG_BYTES, .bytes = store, .size = sizeof(less)};
}

/* The view's arguments; returns their number. */
static unsigned view_arguments(
	const struct mandelbrot *w, const struct view *v, struct launch_arg *args, double *store)
{
	double values[7];
	unsigned n = 0;

	values[n++] = v->x;
	if (w->p.numbers == PAIRS)
		values[n++] = rest(w, v->x);
	values[n++] = v->y;
	if (w->p.numbers == PAIRS)
		values[n++] = rest(w, v->y);
	values[n++] = v->julia_x;
	values[n++] = v->julia_y;
	values[n++] = v->scale;
	for (unsigned i = 0; i < n; i++)
		args[i] = number(w, values[i], &store[i]);
	return n;
}

static const char *kernel(const struct mandelbrot *w)
{
	static const char *const names[2][2][3] = {
		{{"all_float", "all_pair", "all_double"},
			{"all_float_workers", "all_pair_workers", "all_double_workers"}},
		{{"edges_float", "edges_pair", "edges_double"},
			{"edges_float_workers", "edges_pair_workers", "edges_double_workers"}},
	};

	return names[has_edges(w, w->pass)][w->p.workers > 0][w->p.numbers];
}

static int reset_tiles(struct workload_run *run, struct err *err)
{
	buffer_t next = workload_variable(run, "next_tile", sizeof(uint32_t), err);
	uint32_t none = 0;

	if (!next)
		return -1;
	gpu_write(run->gpu, next, 0, &none, sizeof(none));
	return 0;
}

static int launch_pass(struct workload_run *run, struct err *err)
{
	struct mandelbrot *w = run->state;
	uint32_t across = (uint32_t)div_up(w->width, TILE),
		 down = (uint32_t)div_up(w->height, TILE);
	uint32_t tiles = across * down, workers = (uint32_t)w->p.workers;
	uint8_t julia = is_julia(w, w->pass);
	uint32_t frame = frame_of(w, w->pass), turn = (uint32_t)w->p.turn;
	struct launch_arg args[18] = {
		ARG_BUF(run->result), ARG_VAL(w->width), ARG_VAL(w->height), ARG_VAL(w->limit)};
	unsigned n = 4;
	double store[7];

	w->view[w->pass] = make_view(w);
	n += view_arguments(w, &w->view[w->pass], args + n, store);
	args[n++] = ARG_VAL(w->steps_colour);
	args[n++] = ARG_VAL(frame);
	args[n++] = ARG_VAL(turn);
	if (workers) {
		args[n++] = ARG_VAL(across);
		args[n++] = ARG_VAL(tiles);
	}
	args[n++] = ARG_VAL(julia);
	if (workers && reset_tiles(run, err))
		return -1;
	return workload_launch(run,
		&(struct launch){
			.module = w->module,
			.kernel = kernel(w),
			.grid = {workers ? workers : across, workers ? 1 : down, 1},
			.block = {TILE, TILE, 1},
			.args = args,
			.nargs = n,
		},
		err);
}

static int setup(struct workload_run *run, struct err *err)
{
	struct mandelbrot *w = run->state;
	size_t pixels;

	w->width = workload_by_size(run, w->p.width, 100, 800);
	w->height = workload_by_size(run, w->p.height, 76, 600);
	w->limit = workload_by_size(run, w->p.limit, 128, 512);
	w->steps_colour[0] = (uint8_t)w->p.red;
	w->steps_colour[1] = (uint8_t)w->p.green;
	w->steps_colour[2] = (uint8_t)w->p.blue;
	w->rng = rng_new(run->seed, 0);
	w->passes = (uint32_t)w->p.passes * (w->p.set == BOTH ? 2 : 1);
	pixels = (size_t)w->width * w->height;
	w->view = arena_alloc(run->arena, w->passes, sizeof(*w->view));
	w->image = arena_alloc(run->arena, w->passes, sizeof(*w->image));
	for (uint32_t i = 0; i < w->passes; i++)
		w->image[i] = arena_alloc(run->arena, pixels, sizeof(**w->image));
	w->module = workload_module(run, "mandelbrot", err);
	if (!w->module || !workload_result(run, "image", NULL, pixels * 4, err))
		return -1;
	return launch_pass(run, err);
}

static void keep_image(struct workload_run *run)
{
	const struct mandelbrot *w = run->state;

	gpu_read(run->gpu, run->result, 0, w->image[w->pass], (uint64_t)w->width * w->height * 4);
}

/* Keeps the picture, for the check of the next pass. */
static int advance(struct workload_run *run, struct err *err)
{
	struct mandelbrot *w = run->state;

	if (w->pass + 1 == w->passes)
		return 0;
	keep_image(run);
	w->pass++;
	return launch_pass(run, err) ? -1 : 1;
}

/* ---- the reference: in longer numbers, and with the most that the kernel's differ, from step to
 * step. Steps of which either says that z is outside the circle, the other inside, are all right.
 */

/* A pixel of one pass. */
struct sample {
	const struct mandelbrot *w;
	uint32_t pass, column, row;
	const uint8_t *before, *after; /* NULL: none before */
};

static bool has_colour(const struct sample *s, uint32_t steps)
{
	uint32_t frame = frame_of(s->w, s->pass),
		 ahead = steps ? steps + (uint32_t)s->w->p.turn : 0;

	for (unsigned c = 0; c < 3; c++) {
		uint32_t colour = ahead * s->w->steps_colour[c] & 255;

		if (frame)
			colour = (s->before[c] * frame + colour + (frame + 1) / 2) / (frame + 1);
		if (s->after[c] != colour)
			return false;
	}
	return !s->after[3];
}

/* z^2 + c; `error`: the most that the kernel's z differs. A step multiplies it by the derivative,
 * and adds roundings of the squares, their difference and two sums. */
struct orbit {
	long double x, y, cx, cy;
	double square, error, error_of_c, unit;
};

static void measure(struct orbit *o)
{
	o->square = (double)(o->x * o->x + o->y * o->y);
}

static void step(struct orbit *o)
{
	double size = sqrt(o->square), before = o->square;
	long double x = o->x * o->x - o->y * o->y + o->cx;

	o->y = 2 * o->x * o->y + o->cy;
	o->x = x;
	measure(o);
	o->error = 2 * size * o->error + o->error * o->error +
		   4 * o->unit * (before + sqrt(o->square)) + o->error_of_c;
}

/* Half a unit of the last digit: of a pair, whose sums and products keep 44 digits, too. */
static double unit(const struct mandelbrot *w)
{
	static const double units[] = {F32_ROUNDING, 0x1p-44, DBL_EPSILON / 2};

	return units[w->p.numbers] + (double)LDBL_EPSILON;
}

static struct orbit start(const struct sample *s)
{
	const struct mandelbrot *w = s->w;
	const struct view *v = &w->view[s->pass];
	double across = s->column * v->scale, down = s->row * v->scale;
	struct orbit o = {.unit = unit(w)};
	bool julia = is_julia(w, s->pass);

	if (w->p.numbers == PAIRS) { /* whose product is one float */
		across = (double)(float)across;
		down = (double)(float)down;
	}
	o.x = (long double)across + v->x;
	o.y = (long double)down + v->y;
	o.error_of_c =
		2 * o.unit * (across + down + fabs(v->x) + fabs(v->y) + (double)fabsl(o.x + o.y));
	o.cx = julia ? v->julia_x : o.x;
	o.cy = julia ? v->julia_y : o.y;
	if (julia) {
		o.error = o.error_of_c;
		o.error_of_c = 0;
	} else {
		o.x = o.y = 0;
	}
	measure(&o);
	return o;
}

/* What the kernel counts in n steps: of pairs one in advance, else one less every twenty. */
static uint32_t counted(const struct sample *s, uint32_t n)
{
	return s->w->p.numbers == PAIRS ? n + 1 : n - n / UNCOUNTED;
}

/* By how much the kernel's square may differ. A pair's is rounded to a float before it is
 * compared. */
static double doubt(const struct sample *s, const struct orbit *o)
{
	return 2 * sqrt(o->square) * o->error + o->error * o->error + 4 * o->unit * o->square +
	       (s->w->p.numbers == PAIRS ? 4 * F32_ROUNDING : 0);
}

/* Whether the pixel's colour is of a number of steps that the kernel may count. */
static bool is_sampled(const struct sample *s)
{
	struct orbit o = start(s);
	uint32_t n;

	for (n = 0; counted(s, n) < s->w->limit; n++) {
		double inside = 4 - o.square, margin = doubt(s, &o);

		if (inside <= margin && has_colour(s, counted(s, n)))
			return true;
		if (inside < -margin)
			return false;
		if (margin > 4)
			break;
		step(&o);
	}
	for (; counted(s, n) < s->w->limit; n++)
		if (has_colour(s, counted(s, n)))
			return true;
	return has_colour(s, 0);
}

/* ---- edges: other CTAs may have changed a neighbour, or some of its channels, or not */

/* Whether a neighbour has another colour: `may`, before or after the pass in any channel; else,
 * must. */
static bool is_other(const struct sample *s, long neighbour, bool may)
{
	const uint8_t *old = s->before + 4 * neighbour, *new = s->after + 4 * neighbour;

	for (unsigned c = 0; c < 3; c++) {
		bool of_old = abs(old[c] - s->before[c]) > NEAR;
		bool of_new = abs(new[c] - s->before[c]) > NEAR;

		if (may ? of_old || of_new : of_old && of_new)
			return true;
	}
	return false;
}

static bool is_edge(const struct sample *s, bool may)
{
	const struct mandelbrot *w = s->w;

	return (s->column > 0 && is_other(s, -1, may)) ||
	       (s->column + 1 < w->width && is_other(s, 1, may)) ||
	       (s->row > 0 && is_other(s, -(long)w->width, may)) ||
	       (s->row + 1 < w->height && is_other(s, (long)w->width, may));
}

static bool is_right(const struct sample *s)
{
	if (!has_edges(s->w, s->pass))
		return is_sampled(s);
	if (!is_edge(s, false) && !memcmp(s->before, s->after, 4))
		return true;
	return is_edge(s, true) && is_sampled(s);
}

static int check(struct workload_run *run, struct err *err)
{
	const struct mandelbrot *w = run->state;

	keep_image(run);
	for (uint32_t pass = 0; pass < w->passes; pass++)
		for (uint32_t i = 0; i < w->width * w->height; i++) {
			const uint8_t *after = w->image[pass][i];
			struct sample s = {w, pass, i % w->width, i / w->width,
				pass ? w->image[pass - 1][i] : NULL, after};

			if (is_right(&s))
				continue;
			return err_add(err, ERR_CHECK,
				"image: pixel (%u, %u) is %u, %u, %u, %u after pass %u, which no number "
				"of steps gives that roundings allow",
				s.column, s.row, after[0], after[1], after[2], after[3], pass);
		}
	return 0;
}

/* Every kernel, with a pass that refines a picture everywhere. Colours of neighbours a step apart
 * are near, but where one channel passes 255: each does within a few steps. Around c = i, where
 * orbits part slowly, numbers need their last digits. */
#define OTHERS \
	"mandelbrot.passes=3 mandelbrot.set=both " \
	"mandelbrot.red=8 mandelbrot.green=9 mandelbrot.blue=10 "
#define WIDE "mandelbrot.width=99 mandelbrot.height=77 mandelbrot.limit=25 mandelbrot.turn=20 "
#define DEEP \
	"mandelbrot.width=50 mandelbrot.height=37 mandelbrot.limit=45 mandelbrot.turn=4 mandelbrot.numbers=pair mandelbrot.x=0 " \
	"mandelbrot.y=1 mandelbrot.scale=1e-8 "

static const char *const variants[] = {
	OTHERS WIDE,
	OTHERS WIDE "mandelbrot.workers=0",
	OTHERS DEEP,
	OTHERS DEEP "mandelbrot.workers=0",
	OTHERS WIDE "mandelbrot.numbers=double",
	OTHERS WIDE "mandelbrot.numbers=double mandelbrot.workers=0",
	NULL,
};

#define SM10(n, t) FOREIGN("sdk2.2/Mandelbrot_sm10.ptx", n, t, NULL)
#define SM13(n, t) FOREIGN("sdk2.2/Mandelbrot_sm13.ptx", n, t, NULL)

static const struct workload_foreign foreign[] = {
	SM13("all_float_workers", "_Z16Mandelbrot0_sm13IfEvP6uchar4iiiT_S2_S2_S2_S2_S0_iiiib"),
	SM13("edges_float_workers", "_Z16Mandelbrot1_sm13IfEvP6uchar4iiiT_S2_S2_S2_S2_S0_iiiib"),
	SM13("all_pair_workers", "_Z18MandelbrotDS0_sm13P6uchar4iiifffffffS_iiiib"),
	SM13("edges_pair_workers", "_Z18MandelbrotDS1_sm13P6uchar4iiifffffffS_iiiib"),
	SM13("all_double_workers", "_Z16Mandelbrot0_sm13IdEvP6uchar4iiiT_S2_S2_S2_S2_S0_iiiib"),
	SM13("edges_double_workers", "_Z16Mandelbrot1_sm13IdEvP6uchar4iiiT_S2_S2_S2_S2_S0_iiiib"),
	SM13("next_tile", "blockCounter"),
	SM10("all_float", "_Z16Mandelbrot0_sm10IfEvP6uchar4iiiT_S2_S2_S2_S2_S0_iib"),
	SM10("edges_float", "_Z16Mandelbrot1_sm10IfEvP6uchar4iiiT_S2_S2_S2_S2_S0_iib"),
	SM10("all_pair", "_Z18MandelbrotDS0_sm10P6uchar4iiifffffffS_iib"),
	SM10("edges_pair", "_Z18MandelbrotDS1_sm10P6uchar4iiifffffffS_iib"),
	SM10("all_double", "_Z16Mandelbrot0_sm10IdEvP6uchar4iiiT_S2_S2_S2_S2_S0_iib"),
	SM10("edges_double", "_Z16Mandelbrot1_sm10IdEvP6uchar4iiiT_S2_S2_S2_S2_S0_iib"),
	{.file = NULL},
};

static const struct workload_ops ops = {
	.computes = "The Mandelbrot set: steps of z^2 + c until z leaves a circle.",
	.source = "CUDA SDK, Mandelbrot (Mandelbrot, Annals NYAS 1980; Dekker, 1971)",
	.setup = setup,
	.advance = advance,
	.check = check,
	.variants = variants,
	.foreign = foreign,
};

const struct plugin mandelbrot_workload = {
	.kind = "workload",
	.name = "mandelbrot",
	.text = "Fractal picture: long loops of each thread's own length, tiles from a counter.",
	.path = "mandelbrot",
	.size = sizeof(struct mandelbrot),
	.params = params,
	.nparams = ARRAY_LEN(params),
	.ops = &ops,
};
