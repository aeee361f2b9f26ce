/* hwt with Rodinia's own kernel. */
#include "workloads/hwt/rodinia.h"

#include <math.h>

#define FRAMES (RODINIA_FRAMES + 1)
#define MOST_POINTS 51u

/* Sides of squares. */
#define PATTERN (2 * RODINIA_TEMPLATE + 1)
#define WINDOW (2 * RODINIA_SEARCH + 1)
#define CORRELATION (PATTERN + WINDOW - 1)
#define PADDED (WINDOW + 2 * PATTERN)

const struct workload_foreign hwt_rodinia[] = {
	FOREIGN("rodinia/hwt.ptx", "kernel", "_Z6kernelv", NULL),
	FOREIGN("rodinia/hwt.ptx", "common", "d_common", NULL),
	FOREIGN("rodinia/hwt.ptx", "change", "d_common_change", NULL),
	FOREIGN("rodinia/hwt.ptx", "unique", "d_unique", NULL),
	{.file = NULL},
};

/* ---- the kernel's variables */
struct area {
	int32_t rows, columns, cells, bytes;
};

/* What is copied out of an array, rows and columns counted from 1. */
struct range {
	int32_t first_row, last_row, first_column, last_column;
};

struct common {
	int32_t search, template, move;
	float kept;
	int32_t frames;
	struct area frame;
	int32_t not_read[41], points;
	struct area pattern, window, products;
	int32_t product_offset[2], pad[2];
	struct area column_sums, lower;
	struct range lower_from, upper_from;
	struct area row_sums, right;
	struct range right_from, left_from;
	struct area sums, squares, square_sums, pattern_squares, mark, mask, masked;
	int32_t mask_offset[2], unused;
};

struct change {
	uint64_t frame;
	int32_t number, unused;
};

/* A point's arrays. */
enum array {
	A_WINDOW,
	A_PRODUCTS, /* in the end the coefficients' numerators */
	A_UNUSED,
	A_COLUMN_SUMS,
	A_LOWER,
	A_ROW_SUMS,
	A_RIGHT,
	A_SUMS,
	A_SQUARES,
	A_SQUARE_SUMS, /* in the end the quotients */
	A_PATTERN_SQUARES,
	A_MARK,
	A_UNUSED2,
	A_MASKED,
	ARRAYS
};

struct unique {
	uint64_t row, column, rows, columns, templates;
	int32_t point, first;
	uint64_t array[ARRAYS];
};

static struct area area(int32_t rows, int32_t columns)
{
	return (struct area){rows, columns, rows * columns, 4 * rows * columns};
}

/* Sums under the template are differences of running sums: of the lower and the upper rows, of the
 * right and the left columns. */
static struct common make_common(const struct rodinia_hwt *r)
{
	int32_t move = 2 * r->reach + 1;

	return (struct common){
		.search = RODINIA_SEARCH,
		.template = RODINIA_TEMPLATE,
		.move = move,
		.frames = FRAMES,
		.frame = area(r->height, r->width),
		.points = (int32_t)r->points,
		.pattern = area(PATTERN, PATTERN),
		.window = area(WINDOW, WINDOW),
		.products = area(CORRELATION, CORRELATION),
		.pad = {PATTERN, PATTERN},
		.column_sums = area(PADDED, PADDED),
		.lower = area(CORRELATION, PADDED),
		.lower_from = {1 + PATTERN, PADDED - 1, 1, PADDED},
		.upper_from = {1, CORRELATION, 1, PADDED},
		.row_sums = area(CORRELATION, PADDED),
		.right = area(CORRELATION, CORRELATION),
		.right_from = {1, CORRELATION, 1 + PATTERN, PADDED - 1},
		.left_from = {1, CORRELATION, 1, CORRELATION},
		.sums = area(CORRELATION, CORRELATION),
		.squares = area(WINDOW, WINDOW),
		.square_sums = area(CORRELATION, CORRELATION),
		.pattern_squares = area(PATTERN, PATTERN),
		.mark = area(CORRELATION, CORRELATION),
		.mask = area(move, move),
		.masked = area(CORRELATION, CORRELATION),
		.mask_offset = {r->reach, r->reach},
	};
}

static const uint32_t cells[ARRAYS] = {
	[A_WINDOW] = WINDOW * WINDOW,
	[A_PRODUCTS] = CORRELATION * CORRELATION,
	[A_COLUMN_SUMS] = PADDED * PADDED,
	[A_LOWER] = CORRELATION * PADDED,
	[A_ROW_SUMS] = CORRELATION * PADDED,
	[A_RIGHT] = CORRELATION * CORRELATION,
	[A_SUMS] = CORRELATION * CORRELATION,
	[A_SQUARES] = WINDOW * WINDOW,
	[A_SQUARE_SUMS] = CORRELATION * CORRELATION,
	[A_PATTERN_SQUARES] = PATTERN * PATTERN,
	[A_MARK] = CORRELATION * CORRELATION,
	[A_MASKED] = CORRELATION * CORRELATION,
};

/* Where a point's array begins, in cells; of ARRAYS: the next point's first. */
static uint64_t begin(uint32_t point, unsigned array)
{
	uint64_t all = 0, before = 0;

	for (unsigned i = 0; i < ARRAYS; i++) {
		before += i < array ? cells[i] : 0;
		all += cells[i];
	}
	return point * all + before;
}

/* Positions: rows and columns now, then in each frame, point by point. */
static uint64_t place_of(const struct rodinia_hwt *r, unsigned axis, bool now)
{
	return (uint64_t)r->points * (now ? axis : 2 + axis * FRAMES) * sizeof(int32_t);
}

/* ---- set-up */
static int write_variable(
	struct workload_run *run, const char *name, const void *data, size_t bytes, struct err *err)
{
	buffer_t buffer = workload_variable(run, name, bytes, err);

	if (!buffer)
		return -1;
	gpu_write(run->gpu, buffer, 0, data, bytes);
	return 0;
}

static int write_variables(struct workload_run *run, const struct rodinia_hwt *r, struct err *err)
{
	struct common common = make_common(r);
	uint64_t places = gpu_buffer_address(run->gpu, r->places);
	uint64_t work = gpu_buffer_address(run->gpu, r->work);
	struct unique unique[MOST_POINTS] = {{0}};

	for (uint32_t i = 0; i < r->points; i++) {
		unique[i] = (struct unique){
			.row = places + place_of(r, 1, true),
			.column = places + place_of(r, 0, true),
			.rows = places + place_of(r, 1, false),
			.columns = places + place_of(r, 0, false),
			.templates = gpu_buffer_address(run->gpu, r->templates),
			.point = (int32_t)i,
			.first = (int32_t)i * PATTERN * PATTERN,
		};
		for (unsigned k = 0; k < ARRAYS; k++)
			unique[i].array[k] = work + begin(i, k) * sizeof(float);
	}
	return write_variable(run, "common", &common, sizeof(common), err) ||
			       write_variable(run, "unique", unique, sizeof(unique), err)
		       ? -1
		       : 0;
}

/* Positions count from 1. */
static void write_places(struct workload_run *run, const struct rodinia_hwt *r)
{
	for (uint32_t i = 0; i < r->points; i++) {
		int32_t at[2] = {r->start[i].x + 1, r->start[i].y + 1};

		for (unsigned axis = 0; axis < 2; axis++)
			gpu_write(
				run->gpu, r->places, place_of(r, axis, true) + 4 * i, &at[axis], 4);
	}
}

static uint64_t frame_cells(const struct rodinia_hwt *r)
{
	return (uint64_t)r->width * (uint64_t)r->height;
}

static void write_video(struct workload_run *run, const struct rodinia_hwt *r)
{
	uint64_t n = frame_cells(r), width = (uint64_t)r->width, height = (uint64_t)r->height;
	float *turned = arena_alloc(run->arena, n, sizeof(*turned));

	for (uint32_t f = 0; f < FRAMES; f++) {
		for (uint64_t i = 0; i < n; i++)
			turned[i % width * height + i / width] = r->video[f][i];
		gpu_write(run->gpu, r->d_video, f * n * sizeof(float), turned, n * sizeof(float));
	}
}

int rodinia_admit(int32_t template, int32_t search, uint32_t frames, struct err *err)
{
	if (template == RODINIA_TEMPLATE && search == RODINIA_SEARCH && frames == RODINIA_FRAMES)
		return 0;
	return err_add(err, ERR_INPUT,
		"hwt.template = %d, hwt.search = %d, hwt.frames = %u: must be %d, %d and %u with "
		"--ptx-dir",
		template, search, frames, RODINIA_TEMPLATE, RODINIA_SEARCH, RODINIA_FRAMES);
}

static int launch(struct workload_run *run, const struct rodinia_hwt *r, struct err *err)
{
	struct change change = {
		.frame = gpu_buffer_address(run->gpu, r->d_video) +
			 r->frame * frame_cells(r) * sizeof(float),
		.number = (int32_t)r->frame,
	};

	if (write_variable(run, "change", &change, sizeof(change), err))
		return -1;
	return workload_launch(run,
		&(struct launch){.module = r->module,
			.kernel = "kernel",
			.grid = {r->points, 1, 1},
			.block = {r->threads, 1, 1}},
		err);
}

int rodinia_set_up(struct workload_run *run, struct rodinia_hwt *r, struct err *err)
{
	uint64_t pattern = PATTERN * PATTERN * sizeof(float);

	r->d_video = workload_buffer(
		run, "video by columns", NULL, FRAMES * frame_cells(r) * sizeof(float), err);
	r->places = workload_buffer(run, "rows and columns", NULL,
		(uint64_t)r->points * 2 * (1 + FRAMES) * sizeof(int32_t), err);
	r->templates = workload_buffer(run, "templates by columns", NULL, r->points * pattern, err);
	r->work = workload_buffer(run, "work", NULL, begin(r->points, 0) * sizeof(float), err);
	if (!r->d_video || !r->places || !r->templates || !r->work)
		return -1;
	write_places(run, r);
	write_video(run, r);
	return write_variables(run, r, err) || launch(run, r, err) ? -1 : 0;
}

/* ---- results */

/* A square that a point has at `first` of its `every` cells, turned. */
struct square {
	buffer_t from, to;
	uint64_t first, every;
	uint32_t side;
};

static void copy_squares(struct workload_run *run, const struct square *s, uint32_t points)
{
	uint32_t n = s->side * s->side;
	float *in = arena_alloc(run->arena, n, sizeof(*in));
	float *out = arena_alloc(run->arena, n, sizeof(*out));

	for (uint32_t point = 0; point < points; point++) {
		gpu_read(run->gpu, s->from, (point * s->every + s->first) * sizeof(*in), in,
			n * sizeof(*in));
		for (uint32_t i = 0; i < n; i++)
			out[i] = in[i % s->side * s->side + i / s->side];
		gpu_write(
			run->gpu, s->to, (uint64_t)point * n * sizeof(*out), out, n * sizeof(*out));
	}
}

static void copy_places(struct workload_run *run, const struct rodinia_hwt *r)
{
	uint32_t n = r->points * FRAMES;
	int32_t *in = arena_alloc(run->arena, n, sizeof(*in));
	struct site *out = arena_alloc(run->arena, n, sizeof(*out));

	for (unsigned axis = 0; axis < 2; axis++) {
		gpu_read(run->gpu, r->places, place_of(r, axis, false), in, n * sizeof(*in));
		for (uint32_t i = 0; i < n; i++) {
			struct site *site = &out[i % FRAMES * r->points + i / FRAMES];

			*(axis ? &site->y : &site->x) = in[i] - 1;
		}
	}
	gpu_write(run->gpu, r->out_places, 0, out, n * sizeof(*out));
}

int rodinia_next(struct workload_run *run, struct rodinia_hwt *r, struct err *err)
{
	if (r->frame < RODINIA_FRAMES) {
		r->frame++;
		return launch(run, r, err) ? -1 : 1;
	}
	copy_places(run, r);
	copy_squares(run,
		&(struct square){.from = r->templates,
			.to = r->out_templates,
			.every = PATTERN * PATTERN,
			.side = PATTERN},
		r->points);
	copy_squares(run,
		&(struct square){.from = r->work,
			.to = r->out_correlations,
			.first = begin(0, A_PRODUCTS),
			.every = begin(1, 0),
			.side = CORRELATION},
		r->points);
	return 0;
}

/* Column by column; what is not a number is never larger. */
struct site rodinia_peak(struct workload_run *run, const struct rodinia_hwt *r, uint32_t point)
{
	const int32_t side = CORRELATION, middle = side / 2;
	float *quotients = arena_alloc(run->arena, (size_t)(side * side), sizeof(*quotients));
	struct site peak = {-middle, -middle};
	float most = 0;

	gpu_read(run->gpu, r->work, begin(point, A_SQUARE_SUMS) * sizeof(*quotients), quotients,
		(size_t)(side * side) * sizeof(*quotients));
	for (int32_t x = -r->reach; x <= r->reach; x++)
		for (int32_t y = -r->reach; y <= r->reach; y++) {
			float value = fabsf(quotients[(middle + x) * side + middle + y]);

			if (!(value > most))
				continue;
			most = value;
			peak = (struct site){x, y};
		}
	return (struct site){r->start[point].x + peak.x, r->start[point].y + peak.y};
}
