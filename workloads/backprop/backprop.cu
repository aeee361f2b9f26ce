/* One training step of a perceptron's first layer (Rumelhart, Hinton and Williams, Nature 1986), as
 * far as it has much to do: `backprop_forward` multiplies TILE inputs with their weights and adds
 * up over them, the host adds over the CTAs and finds the errors, `backprop_adjust` changes the
 * weights against them. weights[i][j] leads from input i to hidden unit j; input 0 is the bias,
 * hidden unit 0 has no inputs. */
#include "cuda_math.h"

#define TILE 16
#define RATE 0.3f
#define MOMENTUM 0.3f

extern "C" __global__ void backprop_forward(
	const float *input, const float *weights, float *partial, int hidden)
{
	__shared__ float unit[TILE];
	__shared__ float sums[TILE][TILE];
	int tx = (int)threadIdx.x, ty = (int)threadIdx.y;
	int row = (int)blockIdx.y * TILE + ty + 1;

	float sum = weights[row * (hidden + 1) + tx + 1];

	if (tx == 0)
		unit[ty] = input[row];
	barrier();
	sum *= unit[ty];
	for (int step = 1; step < TILE; step *= 2) {
		sums[ty][tx] = sum;
		barrier();
		if (ty % (2 * step) == 0)
			sum += sums[ty + step][tx];
	}
	if (ty == 0)
		partial[(int)blockIdx.y * hidden + tx] = sum;
}

static __device__ __forceinline__ void adjust(
	float *weight, float *change, float error, float input)
{
	float now = RATE * error * input + MOMENTUM * *change;

	*weight += now;
	*change = now;
}

extern "C" __global__ void backprop_adjust(
	const float *errors, const float *input, float *weights, float *changes, int hidden)
{
	int tx = (int)threadIdx.x, ty = (int)threadIdx.y;
	int row = (int)blockIdx.y * TILE + ty + 1;
	int i = row * (hidden + 1) + tx + 1;

	adjust(&weights[i], &changes[i], errors[tx + 1], input[row]);
	if (ty == 0 && blockIdx.y == 0)
		adjust(&weights[tx + 1], &changes[tx + 1], errors[tx + 1], 1.0f);
}
