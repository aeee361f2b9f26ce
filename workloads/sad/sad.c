/* sad: the sums of absolute differences of a full motion search, as in H.264 encoders. */
#include "workloads/workload.h"

#include <math.h>
#include <stdlib.h>

/* As in sad.cu. */
#define RANGE 16
#define SIDE (2 * RANGE + 1)
#define PITCH 1096u
#define THREADS 61u
#define RECTANGLES 41u

#define PARAMS(P, T) \
	P(T, UINT, width, 0, 0, 1920, "pixels", \
		"Columns of a frame, a multiple of 16; 0 = by size: 64 at small, 176 (QCIF, " \
		"the suite's) at full.") \
	P(T, UINT, height, 0, 0, 1088, "pixels", \
		"Rows of a frame, a multiple of 16; 0 = by size: 48 at small, 144 at full.")

struct sad {
	struct {
		PARAMS(PARAM_FIELD, sad)
	} p;
	uint32_t width, height, macroblocks;
	uint16_t *frame, *reference;
};

static const struct param_def params[] = {PARAMS(PARAM_ROW, sad)};

static uint16_t clip(double level)
{
	return (uint16_t)fmax(0, fmin(255, level));
}

/* The reference frame shows waves; the frame shows them moved by a few pixels, with other noise. */
static void draw_frames(struct workload_run *run)
{
	struct sad *w = run->state;
	struct rng rng = rng_new(run->seed, 0);
	size_t n = (size_t)w->width * w->height;

	w->frame = arena_alloc(run->arena, n, sizeof(*w->frame));
	w->reference = arena_alloc(run->arena, n, sizeof(*w->reference));
	for (size_t i = 0; i < n; i++) {
		double x = (double)(i % w->width), y = (double)(i / w->width);
		double before = 128 + 70 * sin(x * 0.21 + y * 0.09) + 40 * cos(y * 0.37);
		double after =
			128 + 70 * sin((x - 5) * 0.21 + (y + 3) * 0.09) + 40 * cos((y + 3) * 0.37);

		w->reference[i] = clip(before + 30 * rng_unit(&rng));
		w->frame[i] = clip(after + 30 * rng_unit(&rng));
	}
}

/* A pixel of the reference frame, or the nearest one where (x, y) is outside. */
static uint16_t near_pixel(const struct sad *w, int32_t x, int32_t y)
{
	int32_t right = (int32_t)w->width - 1, bottom = (int32_t)w->height - 1;

	x = x < 0 ? 0 : x > right ? right : x;
	y = y < 0 ? 0 : y > bottom ? bottom : y;
	return w->reference[(size_t)y * w->width + (size_t)x];
}

/* The reference frame as the kernel's texture, which continues beyond the frame as its edges do. */
static int bind_reference(struct workload_run *run, module_t module, struct err *err)
{
	const struct sad *w = run->state;
	uint64_t bytes = (uint64_t)w->width * w->height * sizeof(*w->reference);
	struct texture_desc d = {.type = TEXEL_U16,
		.channels = 1,
		.width = w->width,
		.height = w->height,
		.mode = {ADDRESS_CLAMP, ADDRESS_CLAMP}};
	texture_t t;

	d.buffer = workload_buffer(run, "reference", w->reference, bytes, err);
	if (!d.buffer)
		return -1;
	t = gpu_texture(run->gpu, "reference", &d, err);
	return t ? workload_bind(run, module, "reference", t, err) : -1;
}

/* Queues one of the kernels that add up smaller rectangles. */
static int launch_sums(
	struct workload_run *run, module_t module, const char *kernel, uint32_t y, struct err *err)
{
	const struct sad *w = run->state;
	int32_t macroblocks = (int32_t)w->macroblocks;

	return workload_launch(run,
		&(struct launch){
			.module = module,
			.kernel = kernel,
			.grid = {w->macroblocks, 1, 1},
			.block = {32, y, 1},
			.args = (struct launch_arg[]){ARG_BUF(run->result), ARG_VAL(macroblocks)},
			.nargs = 2,
		},
		err);
}

static int setup(struct workload_run *run, struct err *err)
{
	struct sad *w = run->state;
	module_t module = workload_module(run, "sad", err);
	uint32_t across, down;
	buffer_t frame, sums;
	int32_t width;

	w->width = workload_by_size(run, w->p.width, 64, 176);
	w->height = workload_by_size(run, w->p.height, 48, 144);
	if (w->width % 16 || w->height % 16)
		return err_add(err, ERR_INPUT,
			"sad.width = %u, sad.height = %u: must be multiples of 16", w->width,
			w->height);
	w->macroblocks = w->width / 16 * (w->height / 16);
	draw_frames(run);
	frame = workload_buffer(
		run, "frame", w->frame, (uint64_t)w->width * w->height * sizeof(*w->frame), err);
	sums = workload_result(run, "sums", NULL,
		(uint64_t)w->macroblocks * RECTANGLES * PITCH * sizeof(uint16_t), err);
	if (!module || !frame || !sums || bind_reference(run, module, err))
		return -1;
	width = (int32_t)w->width;
	across = w->width / 16;
	down = w->height / 16;
	if (workload_launch(run,
		    &(struct launch){
			    .module = module,
			    .kernel = "sad_4x4",
			    .grid = {w->width / 4, w->height / 4, 1},
			    .block = {THREADS, 1, 1},
			    .args = (struct launch_arg[]){ARG_BUF(frame), ARG_BUF(sums),
				    ARG_VAL(width), ARG_VAL(across), ARG_VAL(down)},
			    .nargs = run->foreign ? 5 : 3,
		    },
		    err))
		return -1;
	if (launch_sums(run, module, "sad_8x8", 4, err))
		return -1;
	return launch_sums(run, module, "sad_16x16", 1, err);
}

/* A rectangle of the frame, in pixels. */
struct rectangle {
	int32_t x, y, width, height;
};

/* Pixels of a row that are RANGE columns around the reference frame. */
static size_t wide_row(const struct sad *w)
{
	return w->width + 2 * (size_t)RANGE;
}

/* The reference frame with its edges continued by RANGE pixels on all sides. */
static uint16_t *widen(const struct workload_run *run)
{
	const struct sad *w = run->state;
	size_t row = wide_row(w), rows = w->height + 2 * (size_t)RANGE;
	uint16_t *wide = arena_alloc(run->arena, row * rows, sizeof(*wide));

	for (size_t i = 0; i < row * rows; i++)
		wide[i] = near_pixel(w, (int32_t)(i % row) - RANGE, (int32_t)(i / row) - RANGE);
	return wide;
}

/* Adds what one pixel differs by, for all displacements. */
static void add_pixel(const struct sad *w, const uint16_t *wide, int32_t x, int32_t y, int32_t *sum)
{
	int32_t here = w->frame[(size_t)y * w->width + (size_t)x];
	const uint16_t *there = wide + (size_t)y * wide_row(w) + (size_t)x;

	for (int32_t dy = 0; dy < SIDE; dy++, there += wide_row(w), sum += SIDE)
		for (int32_t dx = 0; dx < SIDE; dx++)
			sum[dx] += abs(here - there[dx]);
}

/* All displacements of one rectangle, pixel by pixel. */
static void search(const struct sad *w, const uint16_t *wide, struct rectangle r, uint16_t *out)
{
	int32_t sum[SIDE * SIDE] = {0};

	for (int32_t y = r.y; y < r.y + r.height; y++)
		for (int32_t x = r.x; x < r.x + r.width; x++)
			add_pixel(w, wide, x, y, sum);
	for (int32_t p = 0; p < SIDE * SIDE; p++)
		out[p] = (uint16_t)sum[p];
}

/* The rectangles of one shape in one macroblock, row by row; halves of quarters
 * quarter by quarter, except by Parboil's kernels. */
static struct rectangle place(
	const struct workload_run *run, struct rectangle shape, uint32_t macroblock, uint32_t i)
{
	const struct sad *w = run->state;
	int32_t across = (int32_t)w->width / 16, k = (int32_t)i, inner = 0;
	int32_t columns = 16 / shape.width;
	bool halves = shape.width * shape.height == 32 && !run->foreign;

	if (halves) {
		inner = k & 1;
		k >>= 1;
		columns = 2;
	}
	shape.x = (int32_t)macroblock % across * 16 + k % columns * (halves ? 8 : shape.width) +
		  (shape.width == 4 ? 4 * inner : 0);
	shape.y = (int32_t)macroblock / across * 16 + k / columns * (halves ? 8 : shape.height) +
		  (shape.width == 8 ? 4 * inner : 0);
	return shape;
}

#define SHAPES 7u

/* Our kernels begin with the smallest rectangles, Parboil's with the largest. */
static const struct rectangle ours[SHAPES] = {{0, 0, 4, 4}, {0, 0, 8, 4}, {0, 0, 4, 8},
	{0, 0, 8, 8}, {0, 0, 16, 8}, {0, 0, 8, 16}, {0, 0, 16, 16}};
static const struct rectangle parboils[SHAPES] = {{0, 0, 16, 16}, {0, 0, 16, 8}, {0, 0, 8, 16},
	{0, 0, 8, 8}, {0, 0, 8, 4}, {0, 0, 4, 8}, {0, 0, 4, 4}};

static int check(struct workload_run *run, struct err *err)
{
	const struct rectangle *shapes = run->foreign ? parboils : ours;
	const struct sad *w = run->state;
	size_t words = (size_t)w->macroblocks * RECTANGLES * PITCH / 2;
	int32_t *expected = arena_alloc(run->arena, words, sizeof(*expected));
	uint16_t *next = (uint16_t *)expected;
	const uint16_t *wide = widen(run);

	for (unsigned s = 0; s < SHAPES; s++) {
		uint32_t of_a_kind = (uint32_t)(256 / (shapes[s].width * shapes[s].height));

		for (uint32_t i = 0; i < w->macroblocks * of_a_kind; i++, next += PITCH)
			search(w, wide, place(run, shapes[s], i / of_a_kind, i % of_a_kind), next);
	}
	return workload_check_i32(run, expected, words, err);
}

static const struct workload_foreign foreign[] = {
	{.file = "parboil/sad4.ptx",
		.name = "sad_4x4",
		.theirs = "_Z11mb_sad_calcPtS_ii",
		.arguments = "1 0 3 4",
		.shared_bytes = PITCH * sizeof(uint16_t)},
	FOREIGN("parboil/sad4.ptx", "reference", "ref", NULL),
	FOREIGN("parboil/largerBlocks.ptx", "sad_8x8", "_Z17larger_sad_calc_8Ptii", "0 1 #1"),
	FOREIGN("parboil/largerBlocks.ptx", "sad_16x16", "_Z18larger_sad_calc_16Ptii", "0 1 #1"),
	{.file = NULL},
};

static const struct workload_ops ops = {
	.computes = "Sums of absolute differences of a video frame's blocks at all displacements.",
	.source = "Parboil, sad (Stratton et al., IMPACT-12-01; Wiegand et al., TCSVT 2003)",
	.setup = setup,
	.check = check,
	.foreign = foreign,
};

const struct plugin sad_workload = {
	.kind = "workload",
	.name = "sad",
	.text = "Motion search of a video encoder: pixels in registers, overlapping fetches.",
	.path = "sad",
	.size = sizeof(struct sad),
	.params = params,
	.nparams = ARRAY_LEN(params),
	.ops = &ops,
};
