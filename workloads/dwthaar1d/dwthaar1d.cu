/* Haar's wavelet transform of a signal (Haar, 1910; Mallat, 1989): a level turns neighbours a, b
 * into (a + b) / sqrt(2), which the next level takes, and (a - b) / sqrt(2), a result. A CTA takes
 * two values a thread through all levels in shared memory, one approximation comes out; the next
 * launch transforms the approximations of all CTAs. */
#include "cuda.h"
#include "cuda_math.h"

#define THREADS 512

/* One word skipped in 32: neighbours would otherwise meet in the same banks. */
#define AT(i) ((i) + ((i) >> 5))

#define ROOT_HALF 0.70710678f

/* The signal has n = 2 * gridDim.x * blockDim.x values. Coefficients of a level begin at half the
 * level's length: level by level from the end of the array to its start. */
extern "C" __global__ void dwthaar1d(
	const float *signal, float *coefficients, float *approximations, int n)
{
	__shared__ float values[AT(2 * THREADS)];
	int t = (int)threadIdx.x, cta = (int)blockIdx.x, width = (int)blockDim.x;
	float sum;

	signal += 2 * cta * width;
	values[AT(t)] = signal[t];
	values[AT(t + width)] = signal[t + width];
	barrier();
	do {
		float a, b;

		n >>= 1;
		if (t < width) {
			a = values[AT(2 * t)];
			b = values[AT(2 * t + 1)];
			coefficients[n + cta * width + t] = (a - b) * ROOT_HALF;
		}
		barrier();
		if (t < width) {
			sum = (a + b) * ROOT_HALF;
			values[AT(t)] = sum;
		}
		barrier();
		width >>= 1;
	} while (width > 0);
	if (t == 0)
		approximations[cta] = sum;
}
