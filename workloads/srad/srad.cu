/* Speckle reducing anisotropic diffusion (Yu and Acton, IEEE Trans. Image Processing 2002): one
 * iteration in two kernels over tiles of TILE x TILE pixels. `srad_coefficients` measures each
 * pixel's derivatives and from them how freely it may mix with its neighbours; `srad_diffuse` lets
 * it. A CTA keeps its tile and the lines of pixels around it in shared memory; each thread fetches
 * the four pixels that line its own row and column. At the image's rim the pixel itself stands in
 * for the neighbour beyond. */
#include "cuda_math.h"

#define TILE 16

extern "C" __global__ void srad_coefficients(float *east_slope, float *west_slope,
	float *north_slope, float *south_slope, const float *image, float *coefficients,
	int columns, int rows, float speckle)
{
	__shared__ float tile[TILE][TILE], result[TILE][TILE];
	__shared__ float north[TILE][TILE], south[TILE][TILE], east[TILE][TILE], west[TILE][TILE];
	int tx = (int)threadIdx.x, ty = (int)threadIdx.y;
	int left = (int)blockIdx.x * TILE, top = (int)blockIdx.y * TILE;
	int x = left + tx, y = top + ty;
	int i = y * columns + x;
	float here, n, s, e, w, square, laplacian, deviation, q;

	north[ty][tx] = image[max(top - 1, 0) * columns + x];
	south[ty][tx] = image[min(top + TILE, rows - 1) * columns + x];
	west[ty][tx] = image[y * columns + max(left - 1, 0)];
	east[ty][tx] = image[y * columns + min(left + TILE, columns - 1)];
	tile[ty][tx] = image[i];
	barrier();
	here = tile[ty][tx];
	n = (ty == 0 ? north[ty][tx] : tile[ty - 1][tx]) - here;
	s = (ty == TILE - 1 ? south[ty][tx] : tile[ty + 1][tx]) - here;
	w = (tx == 0 ? west[ty][tx] : tile[ty][tx - 1]) - here;
	e = (tx == TILE - 1 ? east[ty][tx] : tile[ty][tx + 1]) - here;
	square = (n * n + s * s + w * w + e * e) / (here * here);
	laplacian = (n + s + w + e) / here;
	deviation = 1.0f + 0.25f * laplacian;
	q = (0.5f * square - 0.0625f * (laplacian * laplacian)) / (deviation * deviation);
	deviation = (q - speckle) / (speckle * (1.0f + speckle));
	result[ty][tx] = fminf(fmaxf(1.0f / (1.0f + deviation), 0.0f), 1.0f);
	barrier();
	coefficients[i] = result[ty][tx];
	east_slope[i] = e;
	west_slope[i] = w;
	south_slope[i] = s;
	north_slope[i] = n;
}

extern "C" __global__ void srad_diffuse(const float *east_slope, const float *west_slope,
	const float *north_slope, const float *south_slope, float *image, const float *coefficients,
	int columns, int rows, float step)
{
	__shared__ float south[TILE][TILE], east[TILE][TILE];
	__shared__ float tile[TILE][TILE], result[TILE][TILE], pixels[TILE][TILE];
	int tx = (int)threadIdx.x, ty = (int)threadIdx.y;
	int left = (int)blockIdx.x * TILE, top = (int)blockIdx.y * TILE;
	int x = left + tx, y = top + ty;
	int i = y * columns + x;
	float here, s, e, divergence;

	pixels[ty][tx] = image[i];
	south[ty][tx] = coefficients[min(top + TILE, rows - 1) * columns + x];
	east[ty][tx] = coefficients[y * columns + min(left + TILE, columns - 1)];
	tile[ty][tx] = coefficients[i];
	barrier();
	here = tile[ty][tx];
	s = ty == TILE - 1 ? south[ty][tx] : tile[ty + 1][tx];
	e = tx == TILE - 1 ? east[ty][tx] : tile[ty][tx + 1];
	divergence = here * north_slope[i] + s * south_slope[i] + here * west_slope[i] +
		     e * east_slope[i];
	result[ty][tx] = pixels[ty][tx] + 0.25f * step * divergence;
	barrier();
	image[i] = result[ty][tx];
}
