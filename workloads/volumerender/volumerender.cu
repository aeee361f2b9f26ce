/* Renders a volume by marching rays through it (Levoy, IEEE CG&A 1988), one thread a pixel. Where a
 * pixel's ray crosses the volume's box is found by the slab method (Kay and Kajiya, SIGGRAPH 1986);
 * from the far side to the near one the ray takes samples, which a table turns into colour and
 * opacity, each laid over what is behind it. */
#include "cuda_math.h"
#include "cuda_texture.h"

#define MOST_STEPS 500
#define STEP 0.01f

CUDA_TEXTURE(volume);
CUDA_TEXTURE(transfer);

struct __attribute__((aligned(16))) row {
	float x, y, z, w;
};

/* From the eye's coordinates to the volume's, in which the box is the cube from -1 to 1. */
struct matrix {
	row m[3];
};
__constant__ matrix inverse_view;

static __device__ __forceinline__ float turned(const row &m, const cuda_float3 &v)
{
	return m.x * v.x + m.y * v.y + m.z * v.z;
}

/* Where the ray is inside the box along one axis. */
struct span {
	float near, far;
};

static __device__ __forceinline__ span cross(float origin, float direction)
{
	float one = 1.0f / direction;
	float a = one * (-1.0f - origin), b = one * (1.0f - origin);

	return {fminf(a, b), fmaxf(a, b)};
}

static __device__ __forceinline__ float over(float behind, float front, float opacity)
{
	return behind + opacity * (front - behind);
}

static __device__ __forceinline__ unsigned level(float x)
{
	return (unsigned)(__saturatef(x) * 255.0f);
}

extern "C" __global__ void render(unsigned *out, unsigned width, unsigned height, float density,
	float brightness, float transfer_offset, float transfer_scale)
{
	unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
	float u = (float)x / (float)width * 2.0f - 1.0f;
	float v = (float)y / (float)height * 2.0f - 1.0f;
	float length = rsqrtf(u * u + v * v + 4.0f);
	cuda_float3 eye = {u * length, v * length, -2.0f * length};
	row m0 = inverse_view.m[0], m1 = inverse_view.m[1], m2 = inverse_view.m[2];
	cuda_float3 o = {m0.w, m1.w, m2.w};
	cuda_float3 d = {turned(m0, eye), turned(m1, eye), turned(m2, eye)};
	cuda_float4 sum = {0.0f, 0.0f, 0.0f, 0.0f};
	span sx = cross(o.x, d.x), sy = cross(o.y, d.y), sz = cross(o.z, d.z);
	float near = fmaxf(fmaxf(sx.near, sy.near), sz.near);
	float t = fminf(fminf(sx.far, sy.far), sz.far);

	if (!(t > near))
		return;
	near = fmaxf(near, 0.0f);
#pragma unroll 1
	for (int i = 0; i < MOST_STEPS; i++) {
		float sample = tex3D_f32(volume, (o.x + d.x * t) * 0.5f + 0.5f,
			(o.y + d.y * t) * 0.5f + 0.5f, (o.z + d.z * t) * 0.5f + 0.5f);
		cuda_float4 c = tex1D_f32x4(transfer, (sample - transfer_offset) * transfer_scale);
		float opacity = c.w * density;

		sum.x = over(sum.x, c.x, opacity);
		sum.y = over(sum.y, c.y, opacity);
		sum.z = over(sum.z, c.z, opacity);
		sum.w = over(sum.w, c.w, opacity);
		t -= STEP;
		if (t < near)
			break;
	}
	if (x < width && y < height)
		out[y * width + x] = (level(sum.w * brightness) << 24) +
				     (level(sum.z * brightness) << 16) +
				     (level(sum.y * brightness) << 8) + level(sum.x * brightness);
}
