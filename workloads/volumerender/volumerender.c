/* volumerender: rays marched through a volume, samples turned into colour and opacity. */
#include "workloads/workload.h"

#include <math.h>
#include <string.h>

/* As in volumerender.cu. */
#define MOST_STEPS 500
#define STEP 0.01f

#define TILE 16u /* threads of a CTA's side */
#define ATOMS 60
#define COLOURS 9

#define PARAMS(P, T) \
	P(T, UINT, width, 0, 0, 4096, "pixels", \
		"Columns of the image; 0 = by size: 64 at small, 512 at full (the SDK's).") \
	P(T, UINT, height, 0, 0, 4096, "pixels", \
		"Rows of the image; 0 = by size: 48 at small, 512 at full.") \
	P(T, UINT, side, 32, 2, 128, "voxels", "Of the volume, a cube.") \
	P(T, REAL, turn_x, 0, -360, 360, "degrees", "The volume's turn around the x axis.") \
	P(T, REAL, turn_y, 0, -360, 360, "degrees", "Its turn around the y axis, before.") \
	P(T, REAL, turn_z, 0, -360, 360, "degrees", "Its turn around the z axis, first.") \
	P(T, REAL, distance, 4, -16, 16, "", \
		"From the eye to the volume's middle; the volume reaches from -1 to 1.") \
	P(T, REAL, magnified, 1, 0.25, 4, "", \
		"The volume's size. From 1.5 on the longest rays end after 500 steps.") \
	P(T, REAL, density, 0.05, 0, 1, "", "Opacity of a step through what is opaque.") \
	P(T, REAL, brightness, 1, 0, 16, "", "Factor of all colours.") \
	P(T, REAL, offset, 0, -1, 1, "", "Subtracted from a sample.") \
	P(T, REAL, scale, 1, -16, 16, "", "Factor of a sample: its position in the table.")

struct volumerender {
	struct {
		PARAMS(PARAM_FIELD, volumerender)
	} p;
	uint32_t width, height;
	float view[3][4];
	float density, brightness, offset, scale;
	float table[COLOURS][4];
	uint8_t *volume;
	uint32_t *background;
};

static const struct param_def params[] = {PARAMS(PARAM_ROW, volumerender)};

/* ---- inputs. */

/* Sixty atoms on a sphere, denser towards their middles: their density summed at every voxel, as
 * the buckyball's of the SDK, and noise, so that no region is empty. */
static void make_volume(struct workload_run *run)
{
	struct volumerender *w = run->state;
	size_t side = w->p.side, n = side * side * side;
	struct rng rng = rng_new(run->seed, 0);
	double atom[ATOMS][3];

	for (unsigned a = 0; a < ATOMS; a++) {
		double z = 2 * rng_unit(&rng) - 1, angle = 2 * acos(-1.0) * rng_unit(&rng);

		atom[a][0] = 0.9 * sqrt(1 - z * z) * cos(angle);
		atom[a][1] = 0.9 * sqrt(1 - z * z) * sin(angle);
		atom[a][2] = 0.9 * z;
	}
	w->volume = arena_alloc(run->arena, n, 1);
	for (size_t i = 0; i < n; i++) {
		size_t at[3] = {i % side, i / side % side, i / side / side};
		double sum = 0;

		for (unsigned a = 0; a < ATOMS; a++) {
			double square = 0;

			for (unsigned k = 0; k < 3; k++)
				square += pow(
					(2 * (double)at[k] + 1) / (double)side - 1 - atom[a][k], 2);
			sum += 200 * exp(-square / 0.02);
		}
		w->volume[i] = (uint8_t)fmin(255, sum + 30 * rng_unit(&rng));
	}
}

/* The rainbow, transparent at both ends. */
static void make_table(struct volumerender *w)
{
	static const uint32_t rainbow[COLOURS] = {0, 0xffff0000, 0xffff8000, 0xffffff00, 0xff00ff00,
		0xff00ffff, 0xff0000ff, 0xffff00ff, 0};

	for (unsigned i = 0; i < COLOURS; i++)
		for (unsigned c = 0; c < 4; c++)
			w->table[i][c] =
				(float)(rainbow[i] >> (c == 3 ? 24 : 16 - 8 * c) & 255) / 255.0f;
}

/* From the eye's coordinates to the volume's: turned around z, moved back, turned around y, then
 * around x. */
static void make_view(struct volumerender *w)
{
	double degree = acos(-1.0) / 180, x = w->p.turn_x * degree, y = w->p.turn_y * degree;
	double z = w->p.turn_z * degree;
	double turn[3][3] = {{cos(y), 0, sin(y)}, {sin(x) * sin(y), cos(x), -sin(x) * cos(y)},
		{-cos(x) * sin(y), sin(x), cos(x) * cos(y)}};

	for (unsigned i = 0; i < 3; i++) {
		double row[4] = {turn[i][0] * cos(z) + turn[i][1] * sin(z),
			turn[i][1] * cos(z) - turn[i][0] * sin(z), turn[i][2],
			turn[i][2] * w->p.distance};

		for (unsigned j = 0; j < 4; j++)
			w->view[i][j] = (float)(row[j] / w->p.magnified);
	}
}

static void make_inputs(struct workload_run *run)
{
	struct volumerender *w = run->state;
	size_t pixels = (size_t)w->width * w->height;
	struct rng rng = rng_new(run->seed, 1);

	w->density = (float)w->p.density;
	w->brightness = (float)w->p.brightness;
	w->offset = (float)w->p.offset;
	w->scale = (float)w->p.scale;
	make_volume(run);
	make_table(w);
	make_view(w);
	/* And a row behind the image, which the kernel must not touch. */
	w->background = arena_alloc(run->arena, pixels + w->width, sizeof(*w->background));
	for (size_t i = 0; i < pixels + w->width; i++)
		w->background[i] = (uint32_t)rng_u64(&rng);
}

/* ---- the run. */
static int bind(struct workload_run *run, module_t module, struct err *err)
{
	const struct volumerender *w = run->state;
	uint32_t side = (uint32_t)w->p.side;
	struct texture_desc d = {.type = TEXEL_U8,
		.channels = 1,
		.as_float = true,
		.width = side,
		.height = side,
		.depth = side,
		.linear = true,
		.normalised = true};
	struct texture_desc table = {.type = TEXEL_F32,
		.channels = 4,
		.width = COLOURS,
		.linear = true,
		.normalised = true};
	texture_t volume, transfer;

	d.buffer = workload_buffer(run, "volume", w->volume, (uint64_t)side * side * side, err);
	table.buffer = workload_buffer(run, "transfer", w->table, sizeof(w->table), err);
	if (!d.buffer || !table.buffer)
		return -1;
	volume = gpu_texture(run->gpu, "volume", &d, err);
	transfer = gpu_texture(run->gpu, "transfer", &table, err);
	if (!volume || !transfer || workload_bind(run, module, "volume", volume, err))
		return -1;
	return workload_bind(run, module, "transfer", transfer, err);
}

static int setup(struct workload_run *run, struct err *err)
{
	struct volumerender *w = run->state;
	module_t module = workload_module(run, "volumerender", err);
	buffer_t view;
	uint64_t bytes;

	w->width = workload_by_size(run, w->p.width, 64, 512);
	w->height = workload_by_size(run, w->p.height, 48, 512);
	make_inputs(run);
	bytes = (uint64_t)w->width * (w->height + 1) * sizeof(uint32_t);
	if (!module || !workload_result(run, "image", w->background, bytes, err))
		return -1;
	view = workload_variable(run, "inverse_view", sizeof(w->view), err);
	if (!view || bind(run, module, err))
		return -1;
	gpu_write(run->gpu, view, 0, w->view, sizeof(w->view));
	return workload_launch(run,
		&(struct launch){
			.module = module,
			.kernel = "render",
			.grid = {(uint32_t)div_up(w->width, TILE),
				(uint32_t)div_up(w->height, TILE), 1},
			.block = {TILE, TILE, 1},
			.args = (struct launch_arg[]){ARG_BUF(run->result), ARG_VAL(w->width),
				ARG_VAL(w->height), ARG_VAL(w->density), ARG_VAL(w->brightness),
				ARG_VAL(w->offset), ARG_VAL(w->scale)},
			.nargs = 7,
		},
		err);
}

/* ---- the reference: ranges in which the kernel's floats are, in double. A range is wide only
 * where a texture's weight, the ray's end or its passing by is in doubt. */

struct range {
	double low, high;
};

static struct range around(double x, double e)
{
	return (struct range){x - e, x + e};
}

static struct range hull(struct range a, struct range b)
{
	return (struct range){fmin(a.low, b.low), fmax(a.high, b.high)};
}

/* A ray in the volume's coordinates. */
struct ray {
	double origin[3], direction[3];
	double error; /* of the directions' components */
	struct range near, far;
};

/* The reciprocal root is off by 2^-22.4 of itself, products and sums by some roundings more; the
 * origin is exact. */
static struct ray make_ray(const struct volumerender *w, uint32_t x, uint32_t y)
{
	double eye[3] = {2.0 * x / w->width - 1, 2.0 * y / w->height - 1, -2};
	double length = sqrt(eye[0] * eye[0] + eye[1] * eye[1] + 4);
	struct ray r = {.error = 8 * F32_ROUNDING / w->p.magnified};

	for (unsigned k = 0; k < 3; k++) {
		r.origin[k] = (double)w->view[k][3];
		for (unsigned j = 0; j < 3; j++)
			r.direction[k] += (double)w->view[k][j] * eye[j] / length;
	}
	return r;
}

/* Where the ray enters and leaves the box. False when it passes by. */
static bool cross_box(struct ray *r)
{
	r->near = around(-HUGE_VAL, 0);
	r->far = around(HUGE_VAL, 0);
	for (unsigned k = 0; k < 3; k++) {
		double o = r->origin[k], d = r->direction[k], t[2], e[2];

		if (fabs(d) < 4 * r->error) { /* along the faces */
			if (fabs(o) > 1)
				return false;
			continue;
		}
		for (int side = 0; side < 2; side++) {
			t[side] = ((d > 0) == (side == 1) ? 1 - o : -1 - o) / d;
			e[side] = fabs(t[side]) * (2 * r->error / fabs(d) + 4 * F32_ROUNDING);
		}
		r->near.low = fmax(r->near.low, t[0] - e[0]);
		r->near.high = fmax(r->near.high, t[0] + e[0]);
		r->far.low = fmin(r->far.low, t[1] - e[1]);
		r->far.high = fmin(r->far.high, t[1] + e[1]);
	}
	return r->far.high > r->near.low;
}

/* ---- filtered textures: positions are counted in 1/256 of a texel from the first one's middle, as
 * the texture unit rounds them. */

static struct range positions(struct range coordinate, double n)
{
	double most = 256 * (n + 1);
	double low = floor((coordinate.low * n - 0.5) * 256 + 0.5);
	double high = floor((coordinate.high * n - 0.5) * 256 + 0.5);

	return (struct range){fmax(-most, fmin(most, low)), fmax(-most, fmin(most, high))};
}

/* The texels of a position and the second one's weight. */
static double texels_of(long position, long n, long texel[2])
{
	long i = position >= 0 ? position / 256 : -((255 - position) / 256);

	texel[0] = i < 0 ? 0 : i >= n ? n - 1 : i;
	texel[1] = i + 1 < 0 ? 0 : i + 1 >= n ? n - 1 : i + 1;
	return (double)(position - 256 * i) / 256;
}

static double volume_at(const struct volumerender *w, const long position[3])
{
	long side = (long)w->p.side, t[3][2];
	double weight[3], sum = 0;

	for (unsigned k = 0; k < 3; k++)
		weight[k] = texels_of(position[k], side, t[k]);
	for (unsigned c = 0; c < 8; c++) {
		long at = (t[2][c >> 2] * side + t[1][c >> 1 & 1]) * side + t[0][c & 1];

		sum += (c & 1 ? weight[0] : 1 - weight[0]) * (c & 2 ? weight[1] : 1 - weight[1]) *
		       (c & 4 ? weight[2] : 1 - weight[2]) * w->volume[at];
	}
	return sum / 255;
}

/* The sample at t, which is off by `error`. */
static struct range sample(
	const struct volumerender *w, const struct ray *r, double t, double error)
{
	struct range all = {HUGE_VAL, -HUGE_VAL}, p[3];
	long at[3];

	for (unsigned k = 0; k < 3; k++) {
		double o = r->origin[k], d = r->direction[k];
		double e = error * fabs(d) + fabs(t) * r->error +
			   2 * F32_ROUNDING * (1 + fabs(o) + fabs(t * d));

		p[k] = positions(around((o + d * t) / 2 + 0.5, e / 2), (double)w->p.side);
	}
	for (at[0] = (long)p[0].low; at[0] <= (long)p[0].high; at[0]++)
		for (at[1] = (long)p[1].low; at[1] <= (long)p[1].high; at[1]++)
			for (at[2] = (long)p[2].low; at[2] <= (long)p[2].high; at[2]++)
				all = hull(all, around(volume_at(w, at), 2 * F32_ROUNDING));
	return all;
}

/* The colour and opacity of a sample. */
static void look_up(const struct volumerender *w, struct range s, struct range colour[4])
{
	double offset = (double)w->offset, scale = (double)w->scale;
	double e = 4 * F32_ROUNDING * (1 + fabs(offset)) * fabs(scale);
	double a = (s.low - offset) * scale, b = (s.high - offset) * scale;
	struct range p = positions((struct range){fmin(a, b) - e, fmax(a, b) + e}, COLOURS);

	for (unsigned c = 0; c < 4; c++)
		colour[c] = (struct range){HUGE_VAL, -HUGE_VAL};
	for (long at = (long)p.low; at <= (long)p.high; at++) {
		long t[2];
		double weight = texels_of(at, COLOURS, t);

		for (unsigned c = 0; c < 4; c++) {
			double x = (1 - weight) * (double)w->table[t[0]][c] +
				   weight * (double)w->table[t[1]][c];

			colour[c] = hull(colour[c], around(x, F32_ROUNDING));
		}
	}
}

/* ---- marching. */

/* Lays a step's colour over what is behind: the sum grows with both, and changes steadily with
 * the opacity. Three roundings of numbers up to 1. */
static void lay_over(struct range sum[4], const struct range colour[4], double density)
{
	double o[2] = {colour[3].low * density, colour[3].high * density};

	for (unsigned c = 0; c < 4; c++) {
		struct range s = sum[c];

		sum[c].low = fmin(s.low + o[0] * (colour[c].low - s.low),
				     s.low + o[1] * (colour[c].low - s.low)) -
			     3 * F32_ROUNDING;
		sum[c].high = fmax(s.high + o[0] * (colour[c].high - s.high),
				      s.high + o[1] * (colour[c].high - s.high)) +
			      3 * F32_ROUNDING;
	}
}

/* Steps are rounded as the kernel rounds them, from a start that is within `error`; where the two
 * pass a power of two one step apart, they are rounded differently once. */
static void march(const struct volumerender *w, const struct ray *r, struct range sum[4])
{
	double middle = (r->near.low + r->near.high) / 2;
	float t = (float)((r->far.low + r->far.high) / 2);
	double error = (r->far.high - r->far.low) / 2 + 3 * F32_ROUNDING * fabs((double)t);
	double near = fmax(0, middle), doubt = error + (r->near.high - r->near.low) / 2;
	struct range early[4];
	bool in_doubt = false;

	for (unsigned c = 0; c < 4; c++)
		sum[c] = (struct range){0, 0};
	for (unsigned i = 0; i < MOST_STEPS; i++) {
		struct range colour[4];

		look_up(w, sample(w, r, (double)t, error), colour);
		lay_over(sum, colour, (double)w->density);
		t -= STEP;
		if (fabs((double)t - near) <= doubt) {
			in_doubt = true;
			memcpy(early, sum, sizeof(early));
		} else if ((double)t < near) {
			break;
		}
	}
	for (unsigned c = 0; in_doubt && c < 4; c++)
		sum[c] = hull(sum[c], early[c]);
}

/* A level is cut off, after two more roundings. */
static double level(const struct volumerender *w, double x, double roundings)
{
	double scaled = x * (double)w->brightness * (1 + roundings * F32_ROUNDING);

	return floor(255 * fmax(0, fmin(1, scaled)));
}

static int check_pixel(
	const struct volumerender *w, uint32_t x, uint32_t y, uint32_t ours, struct err *err)
{
	uint32_t background = w->background[(size_t)y * w->width + x];
	struct ray r = make_ray(w, x, y);
	bool hit = cross_box(&r);
	struct range sum[4];

	if (ours == background && (!hit || r.far.low <= r.near.high))
		return 0;
	if (!hit)
		return err_add(err, ERR_CHECK,
			"image: pixel (%u, %u) is 0x%08x instead of its background, 0x%08x", x, y,
			ours, background);
	march(w, &r, sum);
	for (unsigned c = 0; c < 4; c++) {
		uint32_t got = ours >> 8 * c & 255;
		double low = level(w, sum[c].low, -3), high = level(w, sum[c].high, 3);

		if (got < low || got > high)
			return err_add(err, ERR_CHECK,
				"image: pixel (%u, %u) is 0x%08x, channel %u should be %g to %g", x,
				y, ours, c, low, high);
	}
	return 0;
}

static int check(struct workload_run *run, struct err *err)
{
	const struct volumerender *w = run->state;
	size_t pixels = (size_t)w->width * w->height;
	uint32_t *ours = arena_alloc(run->arena, pixels + w->width, sizeof(*ours));

	gpu_read(run->gpu, run->result, 0, ours, (pixels + w->width) * sizeof(*ours));
	for (uint32_t y = 0; y < w->height; y++)
		for (uint32_t x = 0; x < w->width; x++)
			if (check_pixel(w, x, y, ours[(size_t)y * w->width + x], err))
				return -1;
	for (size_t i = pixels; i < pixels + w->width; i++)
		if (ours[i] != w->background[i])
			return err_add(err, ERR_CHECK,
				"image[%zu] is 0x%08x: it is behind the image and was 0x%08x", i,
				ours[i], w->background[i]);
	return 0;
}

/* Between them rays enter the box through all six faces. The second's eye is in the volume, its
 * image fills no CTA; the third's rays end early. */
static const char *const variants[] = {
	"volumerender.width=24 volumerender.height=24 volumerender.turn_x=-25 "
	"volumerender.turn_y=-140 volumerender.turn_z=15 volumerender.brightness=1.6 "
	"volumerender.density=0.2",
	"volumerender.width=21 volumerender.height=13 volumerender.turn_y=75 "
	"volumerender.distance=0.3 volumerender.offset=0.1 volumerender.scale=1.4",
	"volumerender.width=16 volumerender.height=16 volumerender.turn_x=-50 "
	"volumerender.turn_y=40 volumerender.turn_z=100 volumerender.magnified=3 "
	"volumerender.distance=7",
	NULL};

#define THEIRS "sdk2.2/volumeRender_kernel.ptx"
static const struct workload_foreign foreign[] = {
	FOREIGN(THEIRS, "render", "_Z8d_renderPjjjffff", NULL),
	FOREIGN(THEIRS, "inverse_view", "c_invViewMatrix", NULL),
	FOREIGN(THEIRS, "volume", "tex", NULL),
	FOREIGN(THEIRS, "transfer", "transferTex", NULL),
	{.file = NULL},
};

static const struct workload_ops ops = {
	.computes = "An image of a volume: rays from back to front, samples turned into colour and "
		    "opacity.",
	.source = "CUDA SDK, volumeRender (Levoy, IEEE CG&A 1988)",
	.setup = setup,
	.check = check,
	.variants = variants,
	.foreign = foreign,
};

const struct plugin volumerender_workload = {
	.kind = "workload",
	.name = "volumerender",
	.text = "Ray marching: dependent fetches from a volume, rays of different lengths.",
	.path = "volumerender",
	.size = sizeof(struct volumerender),
	.params = params,
	.nparams = ARRAY_LEN(params),
	.ops = &ops,
};
