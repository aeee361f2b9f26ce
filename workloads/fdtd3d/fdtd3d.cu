/* Finite differences in time domain over a volume: a star of four neighbours each way along x, y
 * and z (Micikevicius, 3D Finite Difference Computation on GPUs, GPGPU 2009). A CTA walks along z:
 * each thread keeps its column's nine values in registers, the plane with its halo is in shared
 * memory. */
#include "cuda_math.h"

#define RADIUS 4
#define TILE_X 32
#define TILE_Y 16

struct star {
	float weight[RADIUS + 1];
};

/* Volumes have RADIUS more cells on each side; nx, ny, nz are without them. A row has `pitch`
 * cells, and the first of them lies at in[0]. */
extern "C" __global__ void fdtd3d(
	float *out, const float *in, int nx, int ny, int nz, int pitch, star star)
{
	__shared__ float plane[TILE_Y + 2 * RADIUS][TILE_X + 2 * RADIUS];
	int tx = (int)threadIdx.x, ty = (int)threadIdx.y;
	int x = (int)(blockIdx.x * TILE_X) + tx, y = (int)(blockIdx.y * TILE_Y) + ty;
	int layer = pitch * (ny + 2 * RADIUS);
	int at = (y + RADIUS) * pitch + x + RADIUS;
	bool reads = x < nx + RADIUS && y < ny + RADIUS, writes = x < nx && y < ny;
	float before[RADIUS], after[RADIUS], now = 0;
	int from = at;

#pragma unroll
	for (int i = RADIUS - 1; i >= 0; i--, from += layer)
		before[i] = reads ? in[from] : 0;
	if (reads)
		now = in[from];
	at = from;
	from += layer;
#pragma unroll
	for (int i = 0; i < RADIUS; i++, from += layer)
		after[i] = reads ? in[from] : 0;
	for (int z = 0; z < nz; z++) {
		float value;

		barrier();
		if (ty < RADIUS && reads) {
			plane[ty][tx + RADIUS] = in[at - RADIUS * pitch];
			if (y + TILE_Y < ny + RADIUS)
				plane[ty + TILE_Y + RADIUS][tx + RADIUS] = in[at + TILE_Y * pitch];
		}
		if (tx < RADIUS && reads) {
			plane[ty + RADIUS][tx] = in[at - RADIUS];
			if (x + TILE_X < nx + RADIUS)
				plane[ty + RADIUS][tx + TILE_X + RADIUS] = in[at + TILE_X];
		}
		plane[ty + RADIUS][tx + RADIUS] = now;
		barrier();
		value = star.weight[0] * now;
#pragma unroll
		for (int i = 1; i <= RADIUS; i++)
			value += star.weight[i] * (before[i - 1] + after[i - 1] +
							  plane[ty + RADIUS - i][tx + RADIUS] +
							  plane[ty + RADIUS + i][tx + RADIUS] +
							  plane[ty + RADIUS][tx + RADIUS - i] +
							  plane[ty + RADIUS][tx + RADIUS + i]);
		if (writes)
			out[at] = value;
#pragma unroll
		for (int i = RADIUS - 1; i > 0; i--)
			before[i] = before[i - 1];
		before[0] = now;
		now = after[0];
#pragma unroll
		for (int i = 0; i < RADIUS - 1; i++)
			after[i] = after[i + 1];
		if (reads && z + 1 < nz)
			after[RADIUS - 1] = in[from];
		at += layer;
		from += layer;
	}
}

/* The same with the walk unrolled by the column's nine values, as the SDK's is: values keep their
 * registers for nine planes. CTAs have ROWS rows. */
#define COLUMN (2 * RADIUS + 1)

template <int ROWS>
static __device__ __forceinline__ void walk(
	float *out, const float *in, int nx, int ny, int nz, int pitch, const star &star)
{
	__shared__ float plane[ROWS + 2 * RADIUS][TILE_X + 2 * RADIUS];
	int tx = (int)threadIdx.x, ty = (int)threadIdx.y;
	int x = (int)(blockIdx.x * TILE_X) + tx, y = (int)(blockIdx.y * ROWS) + ty;
	int layer = pitch * (ny + 2 * RADIUS);
	int at = (y + RADIUS) * pitch + x + RADIUS;
	bool reads = x < nx + RADIUS && y < ny + RADIUS, writes = x < nx && y < ny;
	float column[COLUMN];
	int from = at;

#pragma unroll
	for (int i = 0; i < COLUMN; i++, from += layer)
		column[i] = reads ? in[from] : 0;
	at += RADIUS * layer;
	for (int z = 0; z < nz; z += COLUMN)
#pragma unroll
		for (int k = 0; k < COLUMN; k++) {
			float now = column[(k + RADIUS) % COLUMN], value;

			if (z + k >= nz)
				return;
			barrier();
			if (ty < RADIUS && reads) {
				plane[ty][tx + RADIUS] = in[at - RADIUS * pitch];
				if (y + ROWS < ny + RADIUS)
					plane[ty + ROWS + RADIUS][tx + RADIUS] =
						in[at + ROWS * pitch];
			}
			if (tx < RADIUS && reads) {
				plane[ty + RADIUS][tx] = in[at - RADIUS];
				if (x + TILE_X < nx + RADIUS)
					plane[ty + RADIUS][tx + TILE_X + RADIUS] = in[at + TILE_X];
			}
			plane[ty + RADIUS][tx + RADIUS] = now;
			barrier();
			value = star.weight[0] * now;
#pragma unroll
			for (int i = 1; i <= RADIUS; i++)
				value += star.weight[i] *
					 (column[(k + RADIUS - i) % COLUMN] +
						 column[(k + RADIUS + i) % COLUMN] +
						 plane[ty + RADIUS - i][tx + RADIUS] +
						 plane[ty + RADIUS + i][tx + RADIUS] +
						 plane[ty + RADIUS][tx + RADIUS - i] +
						 plane[ty + RADIUS][tx + RADIUS + i]);
			if (writes)
				out[at] = value;
			if (reads && z + k + 1 < nz)
				column[k] = in[from];
			at += layer;
			from += layer;
		}
}

extern "C" __global__ void fdtd3d_unrolled_16(
	float *out, const float *in, int nx, int ny, int nz, int pitch, star star)
{
	walk<16>(out, in, nx, ny, nz, pitch, star);
}

extern "C" __global__ void fdtd3d_unrolled_8(
	float *out, const float *in, int nx, int ny, int nz, int pitch, star star)
{
	walk<8>(out, in, nx, ny, nz, pitch, star);
}
