/* The Coulombic potential of point charges on a plane, summed directly (Stone et al., Journal of
 * Computational Chemistry 2007). A thread makes POINTS points of a row, BLOCK_X apart, so that the
 * threads of a half warp store side by side; a charge's distance in y and z is computed once for
 * them. All threads read the same charge at a time, from constant memory. */
#include "cuda.h"
#include "cuda_math.h"

#define MAX_CHARGES 4000
#define BLOCK_X 16
#define POINTS 8

/* z2 is the squared distance to the plane. */
struct __attribute__((aligned(16))) charge {
	float x, y, z2, q;
};

__constant__ charge charges[MAX_CHARGES];

/* Adds what n > 0 charges contribute. */
extern "C" __global__ void cp(int n, float spacing, float *potentials)
{
	unsigned column = blockIdx.x * blockDim.x * POINTS + threadIdx.x;
	unsigned row = blockIdx.y * blockDim.y + threadIdx.y;
	float x = spacing * (float)column, y = spacing * (float)row;
	float sum[POINTS] = {};
	float *point = potentials + row * (gridDim.x * blockDim.x * POINTS) + column;
	int i = 0;

	do {
		float dx = x - charges[i].x, dy = y - charges[i].y;
		float beside = dy * dy + charges[i].z2;

#pragma unroll
		for (int k = 0; k < POINTS; k++) {
			sum[k] += charges[i].q * (1.0f / sqrtf(dx * dx + beside));
			dx += spacing * BLOCK_X;
		}
	} while (++i < n);
#pragma unroll
	for (int k = 0; k < POINTS; k++)
		point[k * BLOCK_X] += sum[k];
}
