/* LU decomposition without pivoting, in place, by blocks of TILE x TILE (the right-looking
 * variant): for every block on the diagonal `lu_diagonal` decomposes it, `lu_perimeter` the blocks
 * to its right (of U) and below it (of L), `lu_interior` subtracts their products from the rest. L
 * has a diagonal of ones that is not stored. `at` is the first row and column of the diagonal's
 * block. */
#include "cuda_math.h"

#define TILE 16

/* One CTA of a thread a row or column. */
extern "C" __global__ void lu_diagonal(float *matrix, int n, int at)
{
	__shared__ float block[TILE][TILE];
	int t = (int)threadIdx.x;
	float *corner = matrix + at * n + at;

#pragma unroll 1
	for (int y = 0; y < TILE; y++)
		block[y][t] = corner[y * n + t];
	barrier();
	for (int k = 0; k < TILE - 1; k++) {
		if (t > k) {
			float rest = block[t][k];

			for (int j = 0; j < k; j++)
				rest -= block[t][j] * block[j][k];
			block[t][k] = rest / block[k][k];
		}
		barrier();
		if (t > k) {
			float rest = block[k + 1][t];

			for (int j = 0; j <= k; j++)
				rest -= block[k + 1][j] * block[j][t];
			block[k + 1][t] = rest;
		}
		barrier();
	}
	for (int y = 1; y < TILE; y++)
		corner[y * n + t] = block[y][t];
}

/* A CTA for each block to the right, which it shares with the block as far below: the first TILE
 * threads solve the columns of the one, the others the rows of the other. */
extern "C" __global__ void lu_perimeter(float *matrix, int n, int at)
{
	__shared__ float diagonal[TILE][TILE], right[TILE][TILE], below[TILE][TILE];
	int t = (int)threadIdx.x % TILE;
	bool is_right = (int)threadIdx.x < TILE;
	int distance = ((int)blockIdx.x + 1) * TILE;
	float *corner = matrix + at * n + at;
	float *right_corner = corner + distance, *below_corner = corner + distance * n;

	if (is_right) {
		for (int y = 0; y < TILE / 2; y++)
			diagonal[y][t] = corner[y * n + t];
		for (int y = 0; y < TILE; y++)
			right[y][t] = right_corner[y * n + t];
	} else {
		for (int y = TILE / 2; y < TILE; y++)
			diagonal[y][t] = corner[y * n + t];
		for (int y = 0; y < TILE; y++)
			below[y][t] = below_corner[y * n + t];
	}
	barrier();
	if (is_right) {
		for (int y = 1; y < TILE; y++) {
			float rest = right[y][t];

			for (int k = 0; k < y; k++)
				rest -= diagonal[y][k] * right[k][t];
			right[y][t] = rest;
		}
	} else {
		for (int x = 0; x < TILE; x++) {
			float rest = below[t][x];

			for (int k = 0; k < x; k++)
				rest -= below[t][k] * diagonal[k][x];
			below[t][x] = rest / diagonal[x][x];
		}
	}
	barrier();
	if (is_right) {
		for (int y = 1; y < TILE; y++)
			right_corner[y * n + t] = right[y][t];
	} else {
		for (int y = 0; y < TILE; y++)
			below_corner[y * n + t] = below[y][t];
	}
}

extern "C" __global__ void lu_interior(float *matrix, int n, int at)
{
	__shared__ float right[TILE][TILE], below[TILE][TILE];
	int tx = (int)threadIdx.x, ty = (int)threadIdx.y;
	int x = at + ((int)blockIdx.x + 1) * TILE + tx;
	int y = at + ((int)blockIdx.y + 1) * TILE + ty;
	float sum = 0.0f;

	right[ty][tx] = matrix[(at + ty) * n + x];
	below[ty][tx] = matrix[y * n + at + tx];
	barrier();
	for (int k = 0; k < TILE; k++)
		sum += below[ty][k] * right[k][tx];
	matrix[y * n + x] -= sum;
}
