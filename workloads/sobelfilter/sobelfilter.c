/* sobelfilter: edges of a grey picture, by fetches alone and by shared memory. */
#include "workloads/workload.h"

#include <math.h>
#include <stdlib.h>

#define THREADS 384u /* of a CTA that makes a row */
/* Of a CTA that stages pixels: its threads, and the fours of pixels that it is wide. */
#define TILE_X 16u
#define TILE_Y 4u
#define FOURS 80u
#define PITCH_MULTIPLE 64u

#define PARAMS(P, T) \
	P(T, UINT, width, 0, 0, 4096, "pixels", \
		"Columns of the picture; sobel_shared leaves out those beyond a multiple of 4; 0 " \
		"= by size: 400 at small, 512 at full (the SDK's).") \
	P(T, UINT, height, 0, 0, 4096, "pixels", \
		"Rows of the picture; 0 = by size: 60 at small, 512 at full.") \
	P(T, REAL, scale, 1, -16, 16, "", "The factor of edges and of the copied picture.")

enum { COPY, TEXTURE, SHARED, KERNELS };

struct sobelfilter {
	struct {
		PARAMS(PARAM_FIELD, sobelfilter)
	} p;
	uint32_t width, height;
	float scale;
	uint8_t *picture;
};

static const struct param_def params[] = {PARAMS(PARAM_ROW, sobelfilter)};

static const char *const kernels[KERNELS] = {"sobel_copy", "sobel_texture", "sobel_shared"};

/* Discs on a slow wave, and noise: edges weak and strong. */
static void draw_picture(struct workload_run *run)
{
	struct sobelfilter *w = run->state;
	size_t n = (size_t)w->width * w->height;
	struct rng rng = rng_new(run->seed, 0);

	w->picture = arena_alloc(run->arena, n, 1);
	for (size_t i = 0; i < n; i++) {
		double x = (double)(i % w->width), y = (double)(i / w->width);
		double u = fmod(x, 37) - 18, v = fmod(y + floor(x / 37) * 11, 29) - 14;
		double disc = u * u + v * v < 100 ? 70 : -30;
		double level =
			110 + 50 * sin(x * 0.05 + y * 0.03) + disc + 50 * (rng_unit(&rng) - 0.5);

		w->picture[i] = (uint8_t)fmax(0, fmin(255, level));
	}
}

/* How many pixels a kernel makes of a row, the distance of its rows. */
static uint32_t pitch(const struct sobelfilter *w, unsigned kernel)
{
	return kernel == SHARED ? w->width & ~3u : w->width;
}

/* Where a kernel's picture is among the results: the first kernel's is the last, so that a kernel
 * that writes beyond its own spoils one that is complete. */
static uint64_t offset_of(const struct sobelfilter *w, unsigned kernel)
{
	return (uint64_t)(KERNELS - 1 - kernel) * div_up(w->width, 4) * 4 * w->height;
}

/* And a row beyond the last picture. */
static uint64_t result_bytes(const struct sobelfilter *w)
{
	return offset_of(w, COPY) + (uint64_t)w->width * (w->height + 1);
}

static int launch_rows(struct workload_run *run, module_t module, unsigned kernel, struct err *err)
{
	struct sobelfilter *w = run->state;
	struct launch_arg out = ARG_BUF(run->result);

	out.offset = offset_of(w, kernel);
	return workload_launch(run,
		&(struct launch){
			.module = module,
			.kernel = kernels[kernel],
			.grid = {w->height, 1, 1},
			.block = {THREADS, 1, 1},
			.args = (struct launch_arg[]){out, ARG_VAL(w->width), ARG_VAL(w->width),
				ARG_VAL(w->height), ARG_VAL(w->scale)},
			.nargs = 5,
		},
		err);
}

static int launch_tiles(struct workload_run *run, module_t module, struct err *err)
{
	struct sobelfilter *w = run->state;
	uint32_t shared = (uint32_t)div_up(4 * (FOURS + 2), PITCH_MULTIPLE) * PITCH_MULTIPLE;
	uint16_t row_bytes = (uint16_t)pitch(w, SHARED);
	int16_t fours = FOURS, shared_pitch = (int16_t)shared;
	int16_t width = (int16_t)row_bytes, height = (int16_t)w->height;
	struct launch_arg out = ARG_BUF(run->result);

	out.offset = offset_of(w, SHARED);
	return workload_launch(run,
		&(struct launch){
			.module = module,
			.kernel = kernels[SHARED],
			.grid = {(uint32_t)div_up(w->width, 4 * FOURS),
				(uint32_t)div_up(w->height, TILE_Y), 1},
			.block = {TILE_X, TILE_Y, 1},
			.shared_bytes = shared * (TILE_Y + 2),
			.args = (struct launch_arg[]){out, ARG_VAL(row_bytes), ARG_VAL(fours),
				ARG_VAL(shared_pitch), ARG_VAL(width), ARG_VAL(height),
				ARG_VAL(w->scale)},
			.nargs = 7,
		},
		err);
}

static int bind(struct workload_run *run, module_t module, buffer_t picture, struct err *err)
{
	const struct sobelfilter *w = run->state;
	texture_t texture = gpu_texture(run->gpu, "picture",
		&(struct texture_desc){.buffer = picture,
			.type = TEXEL_U8,
			.channels = 1,
			.width = w->width,
			.height = w->height},
		err);

	return texture ? workload_bind(run, module, "picture", texture, err) : -1;
}

static int setup(struct workload_run *run, struct err *err)
{
	struct sobelfilter *w = run->state;
	module_t module = workload_module(run, "sobelfilter", err);
	buffer_t picture;

	w->width = workload_by_size(run, w->p.width, 400, 512);
	w->height = workload_by_size(run, w->p.height, 60, 512);
	w->scale = (float)w->p.scale;
	draw_picture(run);
	picture = workload_buffer(run, "picture", w->picture, (uint64_t)w->width * w->height, err);
	workload_result(run, "edges", NULL, result_bytes(w), err);
	if (!module || !picture || !run->result || bind(run, module, picture, err))
		return -1;
	for (unsigned kernel = COPY; kernel < SHARED; kernel++)
		if (launch_rows(run, module, kernel, err))
			return -1;
	return launch_tiles(run, module, err);
}

static int pixel(const struct sobelfilter *w, long x, long y)
{
	long right = (long)w->width - 1, bottom = (long)w->height - 1;

	x = x < 0 ? 0 : x > right ? right : x;
	y = y < 0 ? 0 : y > bottom ? bottom : y;
	return w->picture[y * (right + 1) + x];
}

/* Both differences from the operator's two matrices. */
static int reference_edge(const struct sobelfilter *w, long x, long y)
{
	static const int across[3][3] = {{-1, 0, 1}, {-2, 0, 2}, {-1, 0, 1}};
	int sum[2] = {0, 0};

	for (long j = 0; j < 3; j++)
		for (long i = 0; i < 3; i++) {
			int grey = pixel(w, x + i - 1, y + j - 1);

			sum[0] += across[j][i] * grey;
			sum[1] += across[i][j] * grey;
		}
	return abs(sum[0]) + abs(sum[1]);
}

/* A product of floats, cut off to a level: one rounding, here as in the kernels. */
static int reference(const struct sobelfilter *w, unsigned kernel, long x, long y)
{
	int grey = kernel == COPY ? pixel(w, x, y) : reference_edge(w, x, y);
	float scaled = (float)((double)w->scale * grey);

	return (int)fmaxf(0, fminf(255, scaled));
}

/* All bytes of the result: pictures, and between and behind them what no kernel writes. */
static uint8_t *expected_bytes(struct workload_run *run, uint64_t bytes)
{
	const struct sobelfilter *w = run->state;
	uint8_t *expected = arena_alloc(run->arena, bytes, 1);

	for (unsigned kernel = 0; kernel < KERNELS; kernel++) {
		size_t width = pitch(w, kernel);

		for (size_t i = 0; i < width * w->height; i++)
			expected[offset_of(w, kernel) + i] =
				(uint8_t)reference(w, kernel, (long)(i % width), (long)(i / width));
	}
	return expected;
}

static int check(struct workload_run *run, struct err *err)
{
	const struct sobelfilter *w = run->state;
	uint64_t bytes = result_bytes(w);
	const uint8_t *expected = expected_bytes(run, bytes);
	uint8_t *ours = arena_alloc(run->arena, bytes, 1);

	gpu_read(run->gpu, run->result, 0, ours, bytes);
	for (size_t i = 0; i < bytes; i++) {
		unsigned kernel = i >= offset_of(w, COPY)      ? COPY
				  : i >= offset_of(w, TEXTURE) ? TEXTURE
							       : SHARED;

		if (ours[i] != expected[i])
			return err_add(err, ERR_CHECK,
				"edges[%zu] is %u, the reference says %u (element %zu of %s)", i,
				ours[i], expected[i], i - (size_t)offset_of(w, kernel),
				kernels[kernel]);
	}
	return 0;
}

/* The third has results below 0, which edges of a factor above 0 never are. */
static const char *const variants[] = {
	"sobelfilter.width=70 sobelfilter.height=22 sobelfilter.scale=0.3",
	"sobelfilter.width=331 sobelfilter.height=9 sobelfilter.scale=1.7",
	"sobelfilter.width=13 sobelfilter.height=5 sobelfilter.scale=-0.5", NULL};

#define THEIRS "sdk2.2/SobelFilter_kernels.ptx"
static const struct workload_foreign foreign[] = {
	FOREIGN(THEIRS, "sobel_copy", "_Z14SobelCopyImagePhjiif", NULL),
	FOREIGN(THEIRS, "sobel_texture", "_Z8SobelTexPhjiif", NULL),
	FOREIGN(THEIRS, "sobel_shared", "_Z11SobelSharedP6uchar4tssssf", NULL),
	FOREIGN(THEIRS, "picture", "tex", NULL),
	{.file = NULL},
};

static const struct workload_ops ops = {
	.computes = "Edges of a grey picture by Sobel's operator, from a texture and from shared "
		    "memory; and the picture itself.",
	.source = "CUDA SDK, SobelFilter",
	.setup = setup,
	.check = check,
	.variants = variants,
	.foreign = foreign,
};

const struct plugin sobelfilter_workload = {
	.kind = "workload",
	.name = "sobelfilter",
	.text = "Edge filter: overlapping texture fetches, bytes in shared memory.",
	.path = "sobelfilter",
	.size = sizeof(struct sobelfilter),
	.params = params,
	.nparams = ARRAY_LEN(params),
	.ops = &ops,
};
