/* Temperature of a chip's floor plan over time: an explicit five-point heat equation (Huang et al.,
 * TVLSI 2006), with pyramid blocking: a CTA loads a TILE x TILE patch and makes up to `halo` time
 * steps in shared memory, the patch that is still right shrinking by one cell on each side with
 * each step. CTAs overlap by their halos. Neighbours beyond the chip's border are the border cell
 * itself. */
#include "cuda.h"

#define TILE 16

extern "C" __global__ void hotspot(int steps, const float *power, const float *source,
	float *result, int columns, int rows, int halo, float step_per_capacity, float horizontal,
	float vertical, float ambient, float ambient_temperature)
{
	__shared__ float now[TILE][TILE];
	__shared__ float heat[TILE][TILE];
	__shared__ float next[TILE][TILE];
	int tx = (int)threadIdx.x, ty = (int)threadIdx.y;
	int left = (int)blockIdx.x * (TILE - 2 * halo) - halo;
	int top = (int)blockIdx.y * (TILE - 2 * halo) - halo;
	int x = left + tx, y = top + ty;
	bool inside = x >= 0 && x < columns && y >= 0 && y < rows;
	/* The chip's part of the patch, and each cell's neighbours within it. */
	int first_x = max(0, -left), last_x = min(TILE - 1, columns - 1 - left);
	int first_y = max(0, -top), last_y = min(TILE - 1, rows - 1 - top);
	int west = max(tx - 1, first_x), east = min(tx + 1, last_x);
	int north = max(ty - 1, first_y), south = min(ty + 1, last_y);
	bool computed = false;

	if (inside) {
		now[ty][tx] = source[y * columns + x];
		heat[ty][tx] = power[y * columns + x];
	}
	__syncthreads();
	for (int i = 0; i < steps; i++) {
		computed = inside && tx > i && tx < TILE - 1 - i && ty > i && ty < TILE - 1 - i;
		if (computed) {
			float t = now[ty][tx];
			float inflow = heat[ty][tx];

			inflow += (now[south][tx] + now[north][tx] - 2.0f * t) * vertical;
			inflow += (now[ty][east] + now[ty][west] - 2.0f * t) * horizontal;
			inflow += (ambient_temperature - t) * ambient;
			next[ty][tx] = t + step_per_capacity * inflow;
		}
		__syncthreads();
		if (i == steps - 1)
			break;
		if (computed)
			now[ty][tx] = next[ty][tx];
		__syncthreads();
	}
	if (computed)
		result[y * columns + x] = next[ty][tx];
}
