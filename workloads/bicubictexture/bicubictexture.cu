/* Magnifies an image by five filters, one kernel each: the nearest texel, bilinear, the cubic
 * B-spline out of 16 texels, the same out of four bilinear fetches (Sigg and Hadwiger, GPU Gems 2,
 * chapter 20), and Catmull-Rom's spline. Each thread makes one pixel: grey in three bytes. */
#include "cuda_math.h"
#include "cuda_texture.h"

CUDA_TEXTURE(point);
CUDA_TEXTURE(smooth);

/* Which part of the image is seen. */
struct view {
	float center_x, center_y, shift_x, shift_y, scale;
};

struct pixel {
	float x, y; /* in texels */
	int at;     /* in the output */
	bool inside;
};

static __device__ __forceinline__ pixel pixel_of(int width, int height, const view &v)
{
	int x = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	int y = (int)(blockIdx.y * blockDim.y + threadIdx.y);

	return {((float)x - v.center_x) * v.scale + v.center_x + v.shift_x,
		((float)y - v.center_y) * v.scale + v.center_y + v.shift_y, y * width + x,
		x < width && y < height};
}

static __device__ __forceinline__ void put(unsigned *out, const pixel &p, float grey)
{
	unsigned level = (unsigned)(grey * 255.0f + 0.5f);

	if (p.inside)
		out[p.at] = level * 0x10101;
}

/* Weights of the four texels around a point that lies t behind the second. */
struct weights {
	float w[4];
};

static __device__ __forceinline__ weights b_spline(float t)
{
	return {{1.0f / 6.0f * (t * (t * (3.0f - t) - 3.0f) + 1.0f),
		1.0f / 6.0f * (t * t * (3.0f * t - 6.0f) + 4.0f),
		1.0f / 6.0f * (t * (t * (3.0f - 3.0f * t) + 3.0f) + 1.0f),
		1.0f / 6.0f * t * t * t}};
}

static __device__ __forceinline__ weights catmull_rom(float t)
{
	return {{t * (t * (1.0f - 0.5f * t) - 0.5f), t * t * (1.5f * t - 2.5f) + 1.0f,
		t * (t * (2.0f - 1.5f * t) + 0.5f), t * t * (0.5f * t - 0.5f)}};
}

static __device__ __forceinline__ float row_of_four(float x, float y, const weights &u)
{
	return u.w[0] * tex2D_f32(point, x - 1.0f, y) + u.w[1] * tex2D_f32(point, x, y) +
	       u.w[2] * tex2D_f32(point, x + 1.0f, y) + u.w[3] * tex2D_f32(point, x + 2.0f, y);
}

/* Sixteen texels; u and v weight columns and rows. (x, y) is the second one's centre. */
static __device__ __forceinline__ float sixteen(float x, float y, const weights &u, const weights &v)
{
	return v.w[0] * row_of_four(x, y - 1.0f, u) + v.w[1] * row_of_four(x, y, u) +
	       v.w[2] * row_of_four(x, y + 1.0f, u) + v.w[3] * row_of_four(x, y + 2.0f, u);
}

extern "C" __global__ void bicubic_nearest(unsigned *out, int width, int height, view v)
{
	pixel p = pixel_of(width, height, v);

	put(out, p, tex2D_f32(point, p.x, p.y));
}

extern "C" __global__ void bicubic_linear(unsigned *out, int width, int height, view v)
{
	pixel p = pixel_of(width, height, v);

	put(out, p, tex2D_f32(smooth, p.x, p.y));
}

extern "C" __global__ void bicubic_cubic(unsigned *out, int width, int height, view v)
{
	pixel p = pixel_of(width, height, v);
	float x = floorf(p.x - 0.5f), y = floorf(p.y - 0.5f);

	put(out, p, sixteen(x + 0.5f, y + 0.5f, b_spline(p.x - 0.5f - x), b_spline(p.y - 0.5f - y)));
}

/* The only one of the filters that overshoots. */
extern "C" __global__ void bicubic_catrom(unsigned *out, int width, int height, view v)
{
	pixel p = pixel_of(width, height, v);
	float x = floorf(p.x - 0.5f), y = floorf(p.y - 0.5f);
	float grey = sixteen(x + 0.5f, y + 0.5f, catmull_rom(p.x - 0.5f - x),
		catmull_rom(p.y - 0.5f - y));

	put(out, p, fminf(fmaxf(grey, 0.0f), 1.0f));
}

/* Two neighbours' weights are one linear fetch between them, weighted by their sum. */
extern "C" __global__ void bicubic_fast(unsigned *out, int width, int height, view v)
{
	pixel p = pixel_of(width, height, v);
	float x = floorf(p.x - 0.5f), y = floorf(p.y - 0.5f);
	weights a = b_spline(p.x - 0.5f - x), b = b_spline(p.y - 0.5f - y);
	float left = a.w[0] + a.w[1], right = a.w[2] + a.w[3];
	float upper = b.w[0] + b.w[1], lower = b.w[2] + b.w[3];
	float x0 = x - 0.5f + a.w[1] / left, x1 = x + 1.5f + a.w[3] / right;
	float y0 = y - 0.5f + b.w[1] / upper, y1 = y + 1.5f + b.w[3] / lower;

	put(out, p,
		upper * (left * tex2D_f32(smooth, x0, y0) + right * tex2D_f32(smooth, x1, y0)) +
			lower * (left * tex2D_f32(smooth, x0, y1) +
					right * tex2D_f32(smooth, x1, y1)));
}
