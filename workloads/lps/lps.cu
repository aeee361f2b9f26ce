/* Jacobi's iteration for Laplace's equation in a box (Giles, Oxford, 2008): a CTA of BX x BY
 * threads marches through the planes of its part of the grid, three planes at a time in shared
 * memory with the neighbours' cells around them. Cells on the box's faces keep their values. */
#include "cuda.h"
#include "cuda_math.h"

#define BX 32
#define BY 4
#define PITCH (BX + 2)
#define PLANE (PITCH * (BY + 2))

extern "C" __global__ void lps(const float *from, float *to, int nx, int ny, int nz)
{
	__shared__ float cells[3 * PLANE];
	int tx = (int)threadIdx.x, ty = (int)threadIdx.y, t = tx + BX * ty;
	int left = (int)blockIdx.x * BX, top = (int)blockIdx.y * BY;
	int x = left + tx, y = top + ty;
	float *own = cells + PLANE + (ty + 1) * PITCH + tx + 1, *rim = own;
	bool inside = x < nx && y < ny;
	bool inner = x > 0 && x < nx - 1 && y > 0 && y < ny - 1;
	bool has_rim = false;
	int area = nx * ny;
	const float *from_rim = from;

	/* The rim: BX cells above, BX below, BY to the left, BY to the right, one a thread. */
	if (t < 2 * (BX + BY)) {
		int rx = tx, ry = t < BX ? -1 : BY;

		if (t >= 2 * BX) {
			rx = t < 2 * BX + BY ? -1 : BX;
			ry = (t - 2 * BX) % BY;
		}
		if (left + rx >= 0 && left + rx < nx && top + ry >= 0 && top + ry < ny) {
			has_rim = true;
			rim = cells + PLANE + (ry + 1) * PITCH + rx + 1;
			from_rim += (top + ry) * nx + left + rx;
		}
	}
	from += y * nx + x;
	to += y * nx + x;
	if (inside)
		own[PLANE] = *from;
	for (int z = 0; z < nz; z++) {
		float cell;

		from += area;
		from_rim += area;
		/* The planes move down by one, the next one comes in above. */
		if (inside) {
			cell = own[PLANE];
			own[-PLANE] = own[0];
			own[0] = cell;
			if (z < nz - 1)
				own[PLANE] = *from;
		}
		if (has_rim) {
			rim[0] = rim[PLANE];
			if (z < nz - 1)
				rim[PLANE] = *from_rim;
		}
		barrier();
		if (inside) {
			if (inner && z > 0 && z < nz - 1)
				cell = (own[-1] + own[1] + own[-PITCH] + own[PITCH] + own[-PLANE] +
					       own[PLANE]) *
				       (1.0f / 6.0f);
			*to = cell;
		}
		to += area;
		barrier();
	}
}
