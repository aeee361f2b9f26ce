/* Ray tracing (Whitted, CACM 1980): spheres on a chequered floor, one lamp. A thread follows one
 * pixel's ray through its reflections; at each hit another ray looks whether the lamp is hidden.
 * Colours are packed to 8 bits each. */
#include "cuda.h"
#include "cuda_math.h"

#define TILE_X 16
#define TILE_Y 8
/* Nearer hits are the surface that the ray starts from; farther ones are lost in haze. */
#define NEAR 1e-3f
#define FAR 40.0f
/* Specular light of the lamp, and how sharp it is: 2 to this power is the exponent. */
#define GLOSS 0.5f
#define LOG_SHARPNESS 5
#define AMBIENT 0.1f
#define DIFFUSE 0.8f

struct vec {
	float x, y, z;
};

static __device__ __forceinline__ vec make(float x, float y, float z)
{
	vec v = {x, y, z};

	return v;
}

static __device__ __forceinline__ vec operator-(vec a, vec b)
{
	return make(a.x - b.x, a.y - b.y, a.z - b.z);
}

/* a + s b */
static __device__ __forceinline__ vec along(vec a, float s, vec b)
{
	return make(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}

static __device__ __forceinline__ float dot(vec a, vec b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

static __device__ __forceinline__ vec scale(float s, vec a)
{
	return make(s * a.x, s * a.y, s * a.z);
}

/* As in ray.c. */
struct __attribute__((aligned(16))) sphere {
	float x, y, z, radius;
	float red, green, blue, mirror;
};

/* An argument: kernels read it as they do constants. */
#define MAX_SPHERES 16
struct scene {
	sphere spheres[MAX_SPHERES];
};

/* Where the ray from o to direction d (of length 1) enters the sphere; FAR: nowhere. A ray that
 * passes by has a negative square and no number as its root, which is not above NEAR either. */
static __device__ __forceinline__ float enter(const sphere *s, vec o, vec d)
{
	vec way = make(s->x, s->y, s->z) - o;
	float half = dot(way, d);
	float square = half * half - dot(way, way) + s->radius * s->radius;
	float t = half - sqrtf(square);

	return t > NEAR ? t : FAR;
}

static __device__ __forceinline__ bool hidden(
	const sphere *spheres, int n, vec point, vec to_lamp, float distance)
{
	int i = 0;

	do {
		if (enter(spheres + i, point, to_lamp) < distance)
			return true;
	} while (++i < n);
	return false;
}

/* The distance of the nearest surface, FAR: none; *hit: the sphere, -1 the floor. */
static __device__ __forceinline__ float find_surface(
	const sphere *spheres, int n, vec o, vec d, int *hit)
{
	float t = FAR;
	int i = 0;

	*hit = -1;
	if (d.y < 0.0f)
		t = fminf(-o.y / d.y, FAR);
	do {
		float to_sphere = enter(spheres + i, o, d);

		if (to_sphere < t) {
			t = to_sphere;
			*hit = i;
		}
	} while (++i < n);
	return t;
}

static __device__ __forceinline__ vec sky(vec d)
{
	float height = fmaxf(d.y, 0.0f);

	return make(0.3f + 0.4f * height, 0.5f + 0.3f * height, 0.9f);
}

struct surface {
	vec colour, normal;
	float mirror;
};

static __device__ __forceinline__ surface surface_at(const sphere *spheres, int hit, vec point)
{
	surface at;

	if (hit < 0) {
		int odd = ((int)floorf(point.x) + (int)floorf(point.z)) & 1;

		at.colour = odd ? make(0.9f, 0.85f, 0.8f) : make(0.15f, 0.2f, 0.25f);
		at.mirror = 0.2f;
		at.normal = make(0.0f, 1.0f, 0.0f);
	} else {
		const sphere *s = spheres + hit;

		at.colour = make(s->red, s->green, s->blue);
		at.mirror = s->mirror;
		at.normal = scale(1.0f / s->radius, point - make(s->x, s->y, s->z));
	}
	return at;
}

/* What the lamp makes of the surface's colour, seen along the reflected ray d. */
static __device__ __forceinline__ vec shade(
	const sphere *spheres, int n, const surface &at, vec point, vec d, vec lamp)
{
	vec to_lamp = lamp - point, colour = scale(1.0f - at.mirror, at.colour);
	float square = dot(to_lamp, to_lamp), inverse = rsqrtf(square), light, gloss;

	to_lamp = scale(inverse, to_lamp);
	light = dot(at.normal, to_lamp);
	if (light <= 0.0f || hidden(spheres, n, point, to_lamp, square * inverse))
		return scale(AMBIENT, colour);
	gloss = fmaxf(dot(d, to_lamp), 0.0f);
	for (int k = 0; k < LOG_SHARPNESS; k++)
		gloss *= gloss;
	colour = scale(AMBIENT + DIFFUSE * light, colour);
	gloss *= GLOSS;
	return along(colour, gloss, make(1.0f, 1.0f, 1.0f));
}

static __device__ __forceinline__ unsigned to_byte(float x)
{
	return (unsigned)(fminf(x, 1.0f) * 255.0f);
}

extern "C" __global__ void ray(unsigned *pixels, scene s, int n, int width, int height, int bounces,
	float eye_y, float eye_z, float lamp_x, float lamp_y, float lamp_z)
{
	int px = (int)(blockIdx.x * TILE_X + threadIdx.x);
	int py = (int)(blockIdx.y * TILE_Y + threadIdx.y);
	const sphere *spheres = s.spheres;
	float pixel = 2.0f / (float)height, weight = 1.0f;
	vec o = make(0.0f, eye_y, eye_z);
	vec d = make(((float)px - 0.5f * (float)(width - 1)) * pixel,
		(0.5f * (float)(height - 1) - (float)py) * pixel, 2.0f);
	vec lamp = make(lamp_x, lamp_y, lamp_z), sum = make(0.0f, 0.0f, 0.0f);

	if (px >= width || py >= height)
		return;
	d = scale(rsqrtf(dot(d, d)), d);
	do {
		surface at;
		int hit;
		float t = find_surface(spheres, n, o, d, &hit);

		if (t >= FAR) {
			sum = along(sum, weight, sky(d));
			break;
		}
		o = along(o, t, d);
		at = surface_at(spheres, hit, o);
		d = along(d, -2.0f * dot(d, at.normal), at.normal);
		sum = along(sum, weight, shade(spheres, n, at, o, d, lamp));
		weight *= at.mirror;
	} while (--bounces >= 0);
	pixels[py * width + px] =
		0xff000000 | to_byte(sum.x) | to_byte(sum.y) << 8 | to_byte(sum.z) << 16;
}
