/* dxtc: an image compressed to DXT1, each block as well as any way to cluster its colours allows.
 */
#include "workloads/workload.h"

#include <math.h>
#include <stdlib.h>

/* As in dxtc.cu. */
#define THREADS 64u
#define PIXELS 16u
#define WAYS4 992u
#define WAYS3 160u
#define POWER_STEPS 8

#define PARAMS(P, T) \
	P(T, UINT, edge, 0, 0, 4096, "pixels", \
		"Edge of the image, a multiple of 4; 0 = by size: 32 at small, 256 at full " \
		"(the SDK's has 512).")

struct dxtc {
	struct {
		PARAMS(PARAM_FIELD, dxtc)
	} p;
	uint32_t edge, nblocks;
	uint32_t *pixels; /* block after block, 16 each: red in the low byte, green, blue */
};

static const struct param_def params[] = {PARAMS(PARAM_ROW, dxtc)};

/* ---- inputs */
static uint32_t byte_of(double v)
{
	return (uint32_t)lround(fmin(fmax(v, 0), 1) * 255);
}

/* A fence whose boards are painted in few shades: three or four on a curve, so that the ends of the
 * best line are beyond black and white; some with just the same red, among them equal pixels; one
 * shade alone. */
static uint32_t draw_fence(struct rng *rng, double x)
{
	static const double curve[2][4] = {{0, 0.55, 1}, {0, 0.4, 0.75, 1}};
	unsigned board = (unsigned)(x * 8) % 4, most = board == 1 ? 3 : 2;
	unsigned shade = rng_below(rng, most + 1);
	const double *up = curve[board == 1];
	double grain = 0.02 * (rng_unit(rng) - 0.5);

	if (board == 3)
		return byte_of(0.7) | byte_of(0.3) << 8 | byte_of(0.2) << 16;
	if (board == 2)
		return byte_of(0.5) | byte_of(0.2 + 0.3 * shade) << 8 |
		       byte_of(0.8 - 0.2 * shade) << 16;
	return byte_of(up[board ? shade : most - shade] + grain) |
	       byte_of(up[board ? most - shade : shade] - grain) << 8 |
	       byte_of(2.0 * shade / most - up[shade] + grain) << 16;
}

/* Sky without a cloud above hills with grain, a sun, a lawn of three shades in equal steps, a
 * fence: blocks that are flat, that have an edge, that are noise, that three colours suit better
 * than four. */
static uint32_t draw_pixel(struct rng *rng, double x, double y)
{
	double grain = rng_unit(rng) - 0.5, red = rng_unit(rng) - 0.5, blue = rng_unit(rng) - 0.5;
	double hills = 0.45 + 0.15 * sin(7 * x) + 0.08 * sin(19 * x + 2);
	double sun = hypot(x - 0.7, y - 0.25);

	if (y >= 0.875)
		return draw_fence(rng, x);
	if (y >= 0.75) {
		double shade = 0.2 * rng_below(rng, 3);

		return byte_of(0.1 + 0.7 * shade + 0.1 * x) | byte_of(0.4 + shade) << 8 |
		       byte_of(0.1 + 0.4 * shade + 0.1 * y) << 16;
	}
	if (sun < 0.15)
		return byte_of(1 - sun) | byte_of(0.9 - 2 * sun) << 8 | byte_of(0.3) << 16;
	if (y < 0.2)
		return byte_of(0.35) | byte_of(0.55) << 8 | byte_of(0.9) << 16;
	if (y < hills)
		return byte_of(0.3 + 0.5 * y + 0.02 * red) | byte_of(0.5 + 0.4 * y) << 8 |
		       byte_of(0.9 - 0.3 * x * y + 0.03 * blue) << 16;
	return byte_of(0.3 + 0.2 * grain + 0.2 * red + 0.3 * x) |
	       byte_of(0.5 + 0.4 * grain - 0.2 * y) << 8 |
	       byte_of(0.2 + 0.1 * grain + 0.2 * blue + 0.2 * y) << 16;
}

static void make_image(struct workload_run *run)
{
	struct dxtc *w = run->state;
	struct rng rng = rng_new(run->seed, 0);
	uint32_t across = w->edge / 4;

	w->pixels = arena_alloc(run->arena, (size_t)w->nblocks * PIXELS, sizeof(*w->pixels));
	for (uint32_t i = 0; i < w->nblocks * PIXELS; i++) {
		uint32_t block = i / PIXELS, x = block % across * 4 + i % 4;
		uint32_t y = block / across * 4 + i % PIXELS / 4;

		w->pixels[i] = draw_pixel(&rng, (double)x / w->edge, (double)y / w->edge);
	}
}

/* What the kernel is given for every way to cut 16 colours in order into clusters: two bits for
 * each, how much of the first end it has. One cluster alone leaves the ends open and is left out.
 * The table is filled up from its start. */
static uint32_t *make_ways(struct arena *arena, uint32_t clusters, uint32_t room)
{
	uint32_t *ways = arena_alloc(arena, room, sizeof(*ways));
	uint32_t n = 0, highest = clusters - 1;

	for (uint32_t a = 0; a <= PIXELS; a++)
		for (uint32_t b = a; b <= PIXELS; b++)
			for (uint32_t c = b; c <= (clusters == 4 ? PIXELS : b); c++) {
				uint32_t way = 0, ones = 0;

				for (uint32_t i = 0; i < PIXELS; i++) {
					uint32_t part = highest - (i >= a) - (i >= b) -
							(clusters == 4 && i >= c);

					way |= part << (2 * i);
					ones |= 1u << part;
				}
				if (ones & (ones - 1))
					ways[n++] = way;
			}
	for (uint32_t i = 0; n < room; i++)
		ways[n++] = ways[i];
	return ways;
}

/* The SDK's kernel takes one table, with the bits that DXT1 has for each part: ways into three
 * clusters, WAYS3 in all, which it tries as ways into four as well; then those into four that
 * these do not contain. */
static uint32_t *make_sdk_ways(struct arena *arena)
{
	static const uint32_t bits[2][4] = {{1, 2, 0, 0}, {1, 3, 2, 0}};
	const uint32_t *given[2] = {make_ways(arena, 3, WAYS3), make_ways(arena, 4, WAYS4)};
	uint32_t *ways = arena_alloc(arena, WAYS4, sizeof(*ways)), n = 0;

	for (uint32_t i = 0; i < WAYS3 + WAYS4 && n < WAYS4; i++) {
		bool four = i >= WAYS3, has_third = false;
		uint32_t way = four ? given[1][i - WAYS3] : given[0][i], out = 0;

		for (uint32_t k = 0; k < PIXELS; k++) {
			uint32_t part = way >> (2 * k) & 3;

			out |= bits[four][part] << (2 * k);
			has_third |= four && part == 1;
		}
		if (!four || has_third)
			ways[n++] = out;
	}
	for (uint32_t i = 0; n < WAYS4; i++)
		ways[n++] = ways[i];
	return ways;
}

/* Four times the squares of both ends' parts and their product, a byte each, by DXT1's bits. The
 * SDK's table has 4 for the square of a half. */
static int write_squares(struct workload_run *run, struct err *err)
{
	static const uint32_t squares[4] = {0x040000, 0x000400, 0x010101, 0x010101};
	buffer_t buffer = workload_variable(run, "squares3", sizeof(squares), err);

	if (!buffer)
		return -1;
	gpu_write(run->gpu, buffer, 0, squares, sizeof(squares));
	return 0;
}

static int setup(struct workload_run *run, struct err *err)
{
	struct dxtc *w = run->state;
	module_t module = workload_module(run, "dxtc", err);
	buffer_t ways4, ways3, pixels;

	w->edge = workload_by_size(run, w->p.edge, 32, 256);
	if (w->edge % 4)
		return err_add(err, ERR_INPUT, "dxtc.edge = %u: must be a multiple of 4", w->edge);
	w->nblocks = w->edge / 4 * (w->edge / 4);
	make_image(run);
	ways4 = workload_buffer(run, "ways4",
		run->foreign ? make_sdk_ways(run->arena) : make_ways(run->arena, 4, WAYS4),
		WAYS4 * sizeof(uint32_t), err);
	ways3 = workload_buffer(
		run, "ways3", make_ways(run->arena, 3, WAYS3), WAYS3 * sizeof(uint32_t), err);
	pixels = workload_buffer(
		run, "pixels", w->pixels, (uint64_t)w->nblocks * PIXELS * sizeof(uint32_t), err);
	workload_result(run, "blocks", NULL, (uint64_t)w->nblocks * 8, err);
	if (!module || !ways4 || !ways3 || !pixels || !run->result)
		return -1;
	if (run->foreign && write_squares(run, err))
		return -1;
	return workload_launch(run,
		&(struct launch){
			.module = module,
			.kernel = "dxtc",
			.grid = {w->nblocks, 1, 1},
			.block = {THREADS, 1, 1},
			.args = (struct launch_arg[]){ARG_BUF(ways4), ARG_BUF(ways3),
				ARG_BUF(pixels), ARG_BUF(run->result)},
			.nargs = 4,
		},
		err);
}

/* ---- the reference: decodes what the device wrote, and compares its error with the least that
 * any way gives, from sums over the first k colours in order */
struct pixel {
	double c[3], along;
};

static void unpack(const uint32_t *words, struct pixel *pixels)
{
	for (unsigned i = 0; i < PIXELS; i++)
		for (unsigned k = 0; k < 3; k++)
			pixels[i].c[k] = (double)(words[i] >> (8 * k) & 255) / 255;
}

/* covariance := its square, scaled. */
static void square(double m[3][3])
{
	double out[3][3], most = 1e-300;

	for (unsigned i = 0; i < 3; i++)
		for (unsigned k = 0; k < 3; k++) {
			out[i][k] = m[i][0] * m[0][k] + m[i][1] * m[1][k] + m[i][2] * m[2][k];
			most = fmax(most, fabs(out[i][k]));
		}
	for (unsigned i = 0; i < 3; i++)
		for (unsigned k = 0; k < 3; k++)
			m[i][k] = out[i][k] / most;
}

/* Positions along the line that POWER_STEPS of the power method find from (1, 1, 1): the
 * covariance's eighth power does them at once. */
static void project(struct pixel *pixels)
{
	double mean[3] = {0}, m[3][3] = {{0}}, line[3], most = 1e-300;

	for (unsigned i = 0; i < PIXELS; i++)
		for (unsigned k = 0; k < 3; k++)
			mean[k] += pixels[i].c[k] / PIXELS;
	for (unsigned i = 0; i < PIXELS; i++)
		for (unsigned k = 0; k < 9; k++)
			m[k / 3][k % 3] += (pixels[i].c[k / 3] - mean[k / 3]) *
					   (pixels[i].c[k % 3] - mean[k % 3]);
	for (unsigned power = 1; power < POWER_STEPS; power *= 2)
		square(m);
	for (unsigned k = 0; k < 3; k++) {
		line[k] = m[k][0] + m[k][1] + m[k][2];
		most = fmax(most, fabs(line[k]));
	}
	for (unsigned i = 0; i < PIXELS; i++) {
		pixels[i].along = 0;
		for (unsigned k = 0; k < 3; k++)
			pixels[i].along += pixels[i].c[k] * line[k] / most;
	}
}

static int by_place(const void *a, const void *b)
{
	const struct pixel *x = a, *y = b;

	return (x->along > y->along) - (x->along < y->along);
}

/* Neighbours whose order rounding may reverse. */
static bool is_doubtful(const struct pixel *p)
{
	return p[1].along - p[0].along < 1e-5;
}

/* Of red, green and blue: the most that DXT1 can say, and what each step is worth. The SDK's kernel
 * compares ways by other steps, which are nearly those. */
static const unsigned most_steps[3] = {31, 63, 31};
static const double steps[3] = {1.0 / 31, 1.0 / 63, 1.0 / 31};
static const double sdk_steps[3] = {0.03227752766457, 0.01583151765563, 0.03227752766457};

static unsigned nearest(double v, double most, double out[2])
{
	double scaled = fmin(fmax(v, 0), 1) * most, low = floor(scaled);

	out[0] = scaled - low < 0.5 ? low : low + 1;
	out[1] = scaled - low < 0.5 ? low + 1 : low;
	return fabs(scaled - low - 0.5) < 1e-3 ? 2 : 1;
}

/* Sums that decide over a way: of the squared parts of both ends, and of what they are parts of. */
struct sums {
	double aa, ab, bb, ax[3], bx[3], xx;
};

/* The squared distances of a way with its best ends, rounded to what DXT1 can say; where rounding
 * is doubtful, the worse of both. */
static double way_error(const struct sums *s, const double *step)
{
	double determinant = s->aa * s->bb - s->ab * s->ab, error = s->xx;

	for (unsigned k = 0; k < 3; k++) {
		double a[2], b[2], worst = -INFINITY;
		unsigned na = nearest(
			(s->bb * s->ax[k] - s->ab * s->bx[k]) / determinant, most_steps[k], a);
		unsigned nb = nearest(
			(s->aa * s->bx[k] - s->ab * s->ax[k]) / determinant, most_steps[k], b);

		for (unsigned i = 0; i < na * nb; i++) {
			double p = a[i / nb] * step[k], q = b[i % nb] * step[k];

			worst = fmax(
				worst, s->aa * p * p + s->bb * q * q +
					       2 * (s->ab * p * q - p * s->ax[k] - q * s->bx[k]));
		}
		error += worst;
	}
	return error;
}

/* Sums of a cut into clusters from cut[i] to cut[i + 1], over sums of the first k colours. */
static struct sums sums_of(const double (*first)[4], const unsigned *cut, unsigned clusters)
{
	struct sums s = {.xx = first[PIXELS][3]};

	for (unsigned i = 0; i < clusters; i++) {
		double b = (double)i / (clusters - 1), a = 1 - b, n = cut[i + 1] - cut[i];

		s.aa += n * a * a;
		s.ab += n * a * b;
		s.bb += n * b * b;
		for (unsigned k = 0; k < 3; k++) {
			double x = first[cut[i + 1]][k] - first[cut[i]][k];

			s.ax[k] += a * x;
			s.bx[k] += b * x;
		}
	}
	return s;
}

static double least_error(const struct pixel *sorted, const double *step)
{
	double first[PIXELS + 1][4] = {{0}}, least = INFINITY;

	for (unsigned i = 0; i < PIXELS; i++) {
		for (unsigned k = 0; k < 3; k++)
			first[i + 1][k] = first[i][k] + sorted[i].c[k];
		first[i + 1][3] = first[i][3];
		for (unsigned k = 0; k < 3; k++)
			first[i + 1][3] += sorted[i].c[k] * sorted[i].c[k];
	}
	for (unsigned a = 0; a <= PIXELS; a++)
		for (unsigned b = a; b <= PIXELS; b++)
			for (unsigned c = b; c <= PIXELS; c++) {
				unsigned cut[5] = {0, a, b, c, PIXELS};
				struct sums s = sums_of((const double(*)[4])first, cut, 4);

				if (s.aa * s.bb - s.ab * s.ab > 1e-9)
					least = fmin(least, way_error(&s, step));
				if (c < PIXELS)
					continue;
				s = sums_of((const double(*)[4])first,
					(unsigned[]){0, a, b, PIXELS}, 3);
				if (s.aa * s.bb - s.ab * s.ab > 1e-9)
					least = fmin(least, way_error(&s, step));
			}
	return least;
}

/* As good as the block must be. */
static double bound(const uint32_t *words, const double *step)
{
	struct pixel sorted[PIXELS];
	bool doubtful = false;
	double error;

	unpack(words, sorted);
	project(sorted);
	qsort(sorted, PIXELS, sizeof(*sorted), by_place);
	error = least_error(sorted, step);
	for (unsigned i = 0; i + 1 < PIXELS; i++)
		if (is_doubtful(&sorted[i])) {
			struct pixel swap = sorted[i];

			sorted[i] = sorted[i + 1];
			sorted[i + 1] = swap;
			doubtful = true;
			i++;
		}
	return doubtful ? fmax(error, least_error(sorted, step)) : error;
}

/* The squared distances of a block as DXT1 decodes it. Where both ends are one colour the indices
 * are to be 0. */
static double block_error(const uint32_t block[2], const uint32_t *words, const double *step)
{
	static const unsigned shift[3] = {11, 5, 0};
	uint32_t first = block[0] & 0xffff, second = block[0] >> 16;
	struct pixel pixels[PIXELS];
	double palette[4][3], error = 0;

	for (unsigned k = 0; k < 3; k++) {
		double a = (first >> shift[k] & most_steps[k]) * step[k];
		double b = (second >> shift[k] & most_steps[k]) * step[k];

		palette[0][k] = a;
		palette[1][k] = b;
		palette[2][k] = first > second ? (2 * a + b) / 3 : (a + b) / 2;
		palette[3][k] = first > second ? (a + 2 * b) / 3 : 0;
	}
	if (first == second && block[1])
		return INFINITY;
	unpack(words, pixels);
	for (unsigned i = 0; i < PIXELS; i++)
		for (unsigned k = 0; k < 3; k++) {
			double off = pixels[i].c[k] - palette[block[1] >> (2 * i) & 3][k];

			error += off * off;
		}
	return error;
}

/* Below this difference the kernel cannot order two encodings by error: sums below 48 with a few
 * roundings. */
#define ERROR_ERROR (48 * 12 * F32_ROUNDING)

static int check(struct workload_run *run, struct err *err)
{
	const struct dxtc *w = run->state;
	uint32_t(*blocks)[2] = arena_alloc(run->arena, w->nblocks, sizeof(*blocks));
	const double *step = run->foreign ? sdk_steps : steps;
	double first_ours = 0, first_bound = 0;
	uint32_t first = 0, wrong = 0;

	gpu_read(run->gpu, run->result, 0, blocks, (uint64_t)w->nblocks * sizeof(*blocks));
	for (uint32_t i = 0; i < w->nblocks; i++) {
		const uint32_t *words = w->pixels + (size_t)i * PIXELS;
		double ours = block_error(blocks[i], words, step), least = bound(words, step);

		if (ours <= least + ERROR_ERROR)
			continue;
		if (wrong++ == 0) {
			first = i;
			first_ours = ours;
			first_bound = least;
		}
	}
	if (!wrong)
		return 0;
	return err_add(err, ERR_CHECK,
		"blocks[%u] is %08x %08x, whose squared error is %.6g, the reference says %.6g; %u "
		"of %u blocks are worse by more than %.3g (roundings of sums below 48)",
		2 * first, blocks[first][0], blocks[first][1], first_ours, first_bound, wrong,
		w->nblocks, ERROR_ERROR);
}

static const struct workload_foreign foreign[] = {
	FOREIGN("sdk2.2/dxtc.ptx", "dxtc", "_Z8compressPKjS0_P5uint2", "0 2 3"),
	FOREIGN("sdk2.2/dxtc.ptx", "squares3", "prods3", NULL),
	{.file = NULL},
};

static const struct workload_ops ops = {
	.computes = "DXT1: the best of all clusterings of each block of an image.",
	.source =
		"CUDA SDK, dxtc (Castano, High Quality DXT Compression using CUDA, 2007); in Hayes "
		"and Zhang, ICS 2014",
	.setup = setup,
	.check = check,
	.foreign = foreign,
};

const struct plugin dxtc_workload = {
	.kind = "workload",
	.name = "dxtc",
	.text = "Texture compression: much arithmetic on few shared values.",
	.path = "dxtc",
	.size = sizeof(struct dxtc),
	.params = params,
	.nparams = ARRAY_LEN(params),
	.ops = &ops,
};
