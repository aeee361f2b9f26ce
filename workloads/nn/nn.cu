/* A convolutional network that reads handwritten digits (Simard, Steinkraus and Platt, ICDAR 2003):
 * images of 29x29 pixels, six maps of 13x13 neurons, fifty of 5x5, a hundred neurons, ten. Each
 * neuron is a thread, each map a CTA, blockIdx.y the image; a neuron's bias stands before its
 * weights. The last two layers have CTAs of one thread. */
#include "cuda.h"
#include "cuda_math.h"

#define IMAGE 29
#define MAPS1 6
#define SIDE1 13
#define MAPS2 50
#define SIDE2 5
#define NEURONS3 100
#define WINDOW 5

/* 1.7159 tanh(2 x / 3) (LeCun, 1989). */
static __device__ __forceinline__ float activate(float x)
{
	float e = expf(x * (4.0f / 3.0f));

	return 1.7159f - 3.4318f / (e + 1.0f);
}

/* sum + a window of 5x5 neurons of a map, weighed. */
static __device__ __forceinline__ float convolve(
	const float *map, int side, const float *weights, float sum)
{
	for (int y = 0; y < WINDOW; y++)
		for (int x = 0; x < WINDOW; x++)
			sum += map[y * side + x] * weights[y * WINDOW + x];
	return sum;
}

/* Windows overlap by three pixels. */
extern "C" __global__ void nn_first(const float *images, const float *weights, float *neurons)
{
	int x = (int)threadIdx.x, y = (int)threadIdx.y;
	int map = (int)blockIdx.x, image = (int)blockIdx.y;
	float sum;

	images += image * IMAGE * IMAGE + 2 * (y * IMAGE + x);
	weights += map * (1 + WINDOW * WINDOW);
	sum = convolve(images, IMAGE, weights + 1, weights[0]);
	neurons[((image * MAPS1 + map) * SIDE1 + y) * SIDE1 + x] = activate(sum);
}

/* A neuron sees all maps of the first layer. */
extern "C" __global__ void nn_second(const float *first, const float *weights, float *neurons)
{
	int x = (int)threadIdx.x, y = (int)threadIdx.y;
	int map = (int)blockIdx.x, image = (int)blockIdx.y;
	float sum;

	first += image * MAPS1 * SIDE1 * SIDE1 + 2 * (y * SIDE1 + x);
	weights += map * (1 + MAPS1 * WINDOW * WINDOW);
	sum = weights[0];
#pragma unroll 1
	for (int i = 0; i < MAPS1; i++)
		sum = convolve(
			first + i * SIDE1 * SIDE1, SIDE1, weights + 1 + i * WINDOW * WINDOW, sum);
	neurons[((image * MAPS2 + map) * SIDE2 + y) * SIDE2 + x] = activate(sum);
}

/* A neuron that sees `n` others. */
static __device__ __forceinline__ void connect(
	const float *before, const float *weights, float *neurons, int n)
{
	int neuron = (int)blockIdx.x, image = (int)blockIdx.y;
	float sum;

	before += image * n;
	weights += neuron * (1 + n);
	sum = weights[0];
#pragma unroll 10
	for (int i = 0; i < n; i++)
		sum += before[i] * weights[1 + i];
	neurons[image * (int)gridDim.x + neuron] = activate(sum);
}

extern "C" __global__ void nn_third(const float *second, const float *weights, float *neurons)
{
	connect(second, weights, neurons, MAPS2 * SIDE2 * SIDE2);
}

extern "C" __global__ void nn_fourth(const float *third, const float *weights, float *neurons)
{
	connect(third, weights, neurons, NEURONS3);
}
