/* ray: a picture of mirroring spheres on a chequered floor (Whitted, CACM 1980). */
#include "workloads/workload.h"

#include <math.h>

/* As in ray.cu. */
#define TILE_X 16u
#define TILE_Y 8u
#define NEAR 1e-3
#define FAR 40.0
#define GLOSS 0.5
#define SHARPNESS 32
#define AMBIENT 0.1
#define DIFFUSE 0.8

#define MAX_SPHERES 16u

#define PARAMS(P, T) \
	P(T, UINT, width, 0, 0, 4096, "pixels", \
		"Columns of the picture; 0 = by size: 90 at small, 256 (the suite's) at full.") \
	P(T, UINT, height, 0, 0, 4096, "pixels", \
		"Rows of the picture; 0 = by size: 60 at small, 256 at full.") \
	P(T, UINT, spheres, 0, 0, MAX_SPHERES, "spheres", \
		"Spheres in the scene; 0 = by size: 6 at small, 4 (the suite's) at full.") \
	P(T, UINT, bounces, 5, 0, 20, "reflections", "How often a ray is reflected at most.")

/* As in ray.cu. */
struct sphere {
	float x, y, z, radius;
	float red, green, blue, mirror;
};

struct ray {
	struct {
		PARAMS(PARAM_FIELD, ray)
	} p;
	uint32_t width, height, nspheres;
	struct sphere spheres[MAX_SPHERES];
	float eye[2], lamp[3]; /* the eye's x is 0 */
};

static const struct param_def params[] = {PARAMS(PARAM_ROW, ray)};

/* Rows of three, each sphere on the floor within its cell. */
static void place_spheres(struct workload_run *run)
{
	struct ray *w = run->state;
	struct rng rng = rng_new(run->seed, 0);

	for (uint32_t i = 0; i < w->nspheres; i++) {
		struct sphere *s = &w->spheres[i];

		s->radius = (float)(0.6 + 0.35 * rng_unit(&rng));
		s->x = (float)(2.1 * ((int)(i % 3) - 1) + 0.3 * rng_unit(&rng) + 0.2 * (i / 3));
		s->y = s->radius + (float)(0.3 * rng_unit(&rng));
		s->z = (float)(2.2 * (i / 3) + 0.4 * rng_unit(&rng));
		s->red = (float)(0.3 + 0.7 * rng_unit(&rng));
		s->green = (float)(0.3 + 0.7 * rng_unit(&rng));
		s->blue = (float)(0.3 + 0.7 * rng_unit(&rng));
		s->mirror = (float)(0.3 + 0.5 * rng_unit(&rng));
	}
}

static int setup(struct workload_run *run, struct err *err)
{
	struct ray *w = run->state;
	module_t module = workload_module(run, "ray", err);
	int32_t width, height, n, bounces = (int32_t)w->p.bounces;

	w->width = workload_by_size(run, w->p.width, 90, 256);
	w->height = workload_by_size(run, w->p.height, 60, 256);
	w->eye[0] = 1.6f;
	w->eye[1] = -6.5f;
	w->lamp[0] = -5.1f;
	w->lamp[1] = 8.2f;
	w->lamp[2] = -6.3f;
	w->nspheres = workload_by_size(run, w->p.spheres, 6, 4);
	n = (int32_t)w->nspheres;
	place_spheres(run);
	workload_result(run, "pixels", NULL, (uint64_t)w->width * w->height * 4, err);
	if (!module || !run->result)
		return -1;
	width = (int32_t)w->width;
	height = (int32_t)w->height;
	return workload_launch(run,
		&(struct launch){
			.module = module,
			.kernel = "ray",
			.grid = {(uint32_t)div_up(w->width, TILE_X),
				(uint32_t)div_up(w->height, TILE_Y), 1},
			.block = {TILE_X, TILE_Y, 1},
			.args = (struct launch_arg[]){ARG_BUF(run->result), ARG_VAL(w->spheres),
				ARG_VAL(n), ARG_VAL(width), ARG_VAL(height), ARG_VAL(bounces),
				ARG_VAL(w->eye[0]), ARG_VAL(w->eye[1]), ARG_VAL(w->lamp[0]),
				ARG_VAL(w->lamp[1]), ARG_VAL(w->lamp[2])},
			.nargs = 11,
		},
		err);
}

/* A ray of the reference, and the decisions on its path: each value is another path. */
struct path {
	double from[3], to[3];
	uint64_t decisions;
};

static double dot(const double a[3], const double b[3])
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void make_unit(double v[3])
{
	double length = sqrt(dot(v, v));

	for (unsigned i = 0; i < 3; i++)
		v[i] /= length;
}

/* The smaller root of |from + t to - centre|^2 = radius^2 if it is in front of the ray, else FAR.
 */
static double meet(const struct sphere *s, const double from[3], const double to[3])
{
	double way[3] = {from[0] - (double)s->x, from[1] - (double)s->y, from[2] - (double)s->z};
	double a = dot(to, to), b = 2 * dot(way, to);
	double c = dot(way, way) - (double)s->radius * (double)s->radius;
	double square = b * b - 4 * a * c, t;

	if (square <= 0)
		return FAR;
	t = (-b - sqrt(square)) / (2 * a);
	return t > NEAR ? t : FAR;
}

/* The surface that the path meets: the sphere's number, -1 the floor, -2 none. The path's start
 * moves there. */
static int find_surface(const struct ray *w, struct path *p)
{
	double nearest = p->to[1] < 0 ? fmin(FAR, -p->from[1] / p->to[1]) : FAR;
	int found = -1;

	for (uint32_t i = 0; i < w->nspheres; i++) {
		double t = meet(&w->spheres[i], p->from, p->to);

		if (t < nearest) {
			nearest = t;
			found = (int)i;
		}
	}
	if (nearest >= FAR)
		found = -2;
	for (unsigned i = 0; i < 3; i++)
		p->from[i] += nearest * p->to[i];
	return found;
}

struct surface {
	double colour[3], normal[3], mirror;
};

static struct surface surface_at(const struct ray *w, int found, struct path *p)
{
	static const double light[3] = {0.9, 0.85, 0.8}, dark[3] = {0.15, 0.2, 0.25};
	const struct sphere *s = &w->spheres[found < 0 ? 0 : found];
	long cell = (long)floor(p->from[0]) + (long)floor(p->from[2]);
	const double *floor_colour = cell & 1 ? light : dark;

	if (found < 0) {
		p->decisions = p->decisions * 2 + (cell & 1);
		return (struct surface){{floor_colour[0], floor_colour[1], floor_colour[2]},
			{0, 1, 0}, (double)0.2f};
	}
	return (struct surface){
		{(double)s->red, (double)s->green, (double)s->blue},
		{(p->from[0] - (double)s->x) / (double)s->radius,
			(p->from[1] - (double)s->y) / (double)s->radius,
			(p->from[2] - (double)s->z) / (double)s->radius},
		(double)s->mirror,
	};
}

/* The lamp's light on the surface, without and with gloss; d: the reflected ray. */
static void shine(
	const struct ray *w, const struct surface *s, struct path *p, double *light, double *gloss)
{
	double to_lamp[3], distance;
	bool lit;

	for (unsigned i = 0; i < 3; i++)
		to_lamp[i] = (double)w->lamp[i] - p->from[i];
	distance = sqrt(dot(to_lamp, to_lamp));
	make_unit(to_lamp);
	lit = dot(s->normal, to_lamp) > 0;
	for (uint32_t i = 0; i < w->nspheres && lit; i++)
		lit = meet(&w->spheres[i], p->from, to_lamp) >= distance;
	p->decisions = p->decisions * 2 + lit;
	*light = AMBIENT + (lit ? DIFFUSE * dot(s->normal, to_lamp) : 0);
	*gloss = lit ? GLOSS * pow(fmax(dot(p->to, to_lamp), 0), SHARPNESS) : 0;
}

/* The colour seen along the path. */
static void trace(const struct ray *w, struct path *p, uint64_t bounces, double colour[3])
{
	int found = find_surface(w, p);
	double height = fmax(p->to[1], 0), light, gloss, turn, reflected[3] = {0};
	struct surface s;

	p->decisions = p->decisions * 31 + (uint64_t)(found + 2);
	if (found == -2) {
		colour[0] = 0.3 + 0.4 * height;
		colour[1] = 0.5 + 0.3 * height;
		colour[2] = 0.9;
		return;
	}
	s = surface_at(w, found, p);
	turn = 2 * dot(p->to, s.normal);
	for (unsigned i = 0; i < 3; i++)
		p->to[i] -= turn * s.normal[i];
	shine(w, &s, p, &light, &gloss);
	if (bounces)
		trace(w, p, bounces - 1, reflected);
	for (unsigned i = 0; i < 3; i++)
		colour[i] = (1 - s.mirror) * s.colour[i] * light + gloss + s.mirror * reflected[i];
}

/* The rounding errors on a ray's path are like another direction at its start: a grazing hit some
 * ten units away is found to about 2e-4, by a difference of squares near 100. A pixel is 8e-3 wide.
 */
#define SHAKE 2e-5
/* Errors that a reflection makes count from there on, and a curved mirror magnifies them. They
 * reach few pixels, next to an edge seen in a mirror: those are asked for again with this. */
#define SHAKE_REFLECTED 2e-4
#define SAMPLES 9

/* What a pixel may be: the levels of each channel. False when rounding errors may take the ray
 * along another path, at the edge of something. */
static bool pixel_range(const struct ray *w, size_t i, double shake, double low[3], double high[3])
{
	static const double ways[SAMPLES][2] = {
		{0, 0}, {1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {-1, 1}, {1, -1}, {-1, -1}};
	double pixel = 2.0 / w->height, colour[3];
	uint64_t decisions = 0;

	for (unsigned k = 0; k < SAMPLES; k++) {
		struct path p = {.from = {0, (double)w->eye[0], (double)w->eye[1]}};

		p.to[0] = ((double)(i % w->width) + 0.5 - w->width / 2.0) * pixel;
		p.to[1] = (w->height / 2.0 - (double)(i / w->width) - 0.5) * pixel;
		p.to[2] = 2;
		make_unit(p.to);
		p.to[0] += ways[k][0] * shake;
		p.to[1] += ways[k][1] * shake;
		make_unit(p.to);
		trace(w, &p, w->p.bounces, colour);
		for (unsigned c = 0; c < 3; c++) {
			double level = fmin(colour[c], 1) * 255;

			low[c] = k ? fmin(low[c], level) : level;
			high[c] = k ? fmax(high[c], level) : level;
		}
		if (k && p.decisions != decisions)
			return false;
		decisions = p.decisions;
	}
	return true;
}

/* Besides the error of the direction, a level has the error of its own sums and of four squarings.
 */
#define LEVEL_ERROR 0.01

static bool is_right(uint32_t ours, const double low[3], const double high[3])
{
	bool right = ours >> 24 == 255;

	for (unsigned c = 0; c < 3; c++) {
		double spread = high[c] - low[c] + LEVEL_ERROR;
		uint32_t level = ours >> 8 * c & 255;

		right = right && level >= floor(low[c] - spread) &&
			level <= floor(high[c] + spread);
	}
	return right;
}

/* Whether a pixel is what the reference says; `open`: it is too near to an edge to be checked. */
static bool pixel_right(const struct ray *w, size_t i, uint32_t ours, bool *open)
{
	double low[3], high[3];

	*open = !pixel_range(w, i, SHAKE, low, high);
	if (*open || is_right(ours, low, high))
		return true;
	*open = !pixel_range(w, i, SHAKE_REFLECTED, low, high);
	return *open || is_right(ours, low, high);
}

static int check(struct workload_run *run, struct err *err)
{
	const struct ray *w = run->state;
	size_t n = (size_t)w->width * w->height, wrong = 0, first = 0, open = 0;
	uint32_t *ours = arena_alloc(run->arena, n, sizeof(*ours));
	double low[3], high[3];

	gpu_read(run->gpu, run->result, 0, ours, n * sizeof(*ours));
	for (size_t i = 0; i < n; i++) {
		bool near_edge, right = pixel_right(w, i, ours[i], &near_edge);

		open += near_edge;
		if (!right && wrong++ == 0)
			first = i;
	}
	if (wrong) {
		pixel_range(w, first, SHAKE, low, high);
		return err_add(err, ERR_CHECK,
			"%s[%zu] is %08x, the reference says red %g, green %g, blue %g; %zu of %zu "
			"elements differ by more than rounding errors on the ray's way explain",
			run->result_name, first, ours[first], low[0], low[1], low[2], wrong, n);
	}
	if (open > n / 20)
		return err_add(err, ERR_CHECK,
			"%s: %zu of %zu elements are too near to an edge to be checked",
			run->result_name, open, n);
	return 0;
}

static const struct workload_ops ops = {
	.computes = "A picture of mirroring spheres over a floor, with shadows.",
	.source = "Bakhoda et al., ISPASS 2009, RAY (Whitted, CACM 1980)",
	.setup = setup,
	.check = check,
};

const struct plugin ray_workload = {
	.kind = "workload",
	.name = "ray",
	.text = "Ray tracing: arithmetic, roots, divergent loops.",
	.path = "ray",
	.size = sizeof(struct ray),
	.params = params,
	.nparams = ARRAY_LEN(params),
	.ops = &ops,
};
