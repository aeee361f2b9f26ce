/* European call options on a recombining tree (Cox, Ross and Rubinstein, JFE 1979), a CTA an
 * option. Values at expiry are computed into a row of global memory; then tiles of it climb
 * LEVELS steps towards the root in shared memory, one thread a value, one value less a step. A tile
 * has LEVELS values more than it returns. */
#include "cuda_math.h"

#define MAX_OPTIONS 1024
#define MAX_STEPS 2048
#define ROW (MAX_STEPS + 16)
#define THREADS 256
#define LEVELS 32
#define TILE (THREADS - LEVELS)

/* Price of the stock, strike price, what a step adds to the price's logarithm, and the discounted
 * probabilities of a step up and down. */
struct option {
	typedef float real;
	real price, strike, step, up, down;
};

struct option_double {
	typedef cuda_double real;
	real price, strike, step, up, down;
};

extern "C" {
__constant__ option options[MAX_OPTIONS];
__constant__ option_double options_double[MAX_OPTIONS];
__device__ float values[MAX_OPTIONS], values_double[MAX_OPTIONS];
__device__ float rows[MAX_OPTIONS * ROW];
__device__ cuda_double rows_double[MAX_OPTIONS * ROW];
}

/* The option's value at expiry, after `ups` more steps up than down. */
static __device__ __forceinline__ float at_expiry(const option &o, int ups)
{
	return fmaxf(o.price * expf(o.step * (float)ups) - o.strike, 0.0f);
}

static __device__ __forceinline__ double at_expiry(const option_double &o, int ups)
{
	double value = o.price * exp(o.step * (double)ups) - o.strike;

	return value > 0 ? value : 0;
}

template <class Option>
static __device__ __forceinline__ float root(const Option &o, typename Option::real *row, int steps)
{
	__shared__ typename Option::real even[THREADS], odd[THREADS];
	const typename Option::real up = o.up, down = o.down;
	int t = (int)threadIdx.x;

#pragma unroll 1
	for (int i = t; i <= steps; i += THREADS)
		row[i] = at_expiry(o, 2 * i - steps);
	do {
		int left = 0;

		do {
			int last = min(THREADS - 1, steps - left), kept = last - LEVELS;
			int k = last;

			barrier();
			if (t <= last)
				even[t] = row[left + t];
#pragma unroll 1
			do {
				barrier();
				if (t < k)
					odd[t] = up * even[t + 1] + down * even[t];
				barrier();
				if (t < k - 1)
					even[t] = up * odd[t + 1] + down * odd[t];
				k -= 2;
			} while (k > kept);
			barrier();
			if (t <= kept)
				row[left + t] = even[t];
			left += TILE;
		} while (left < steps);
		steps -= LEVELS;
	} while (steps > 0);
	return (float)even[0];
}

extern "C" __global__ void binomial(int steps)
{
	float value = root(options[blockIdx.x], &rows[blockIdx.x * ROW], steps);

	if (threadIdx.x == 0)
		values[blockIdx.x] = value;
}

extern "C" __global__ void binomial_double(int steps)
{
	float value = root(options_double[blockIdx.x], &rows_double[blockIdx.x * ROW], steps);

	if (threadIdx.x == 0)
		values_double[blockIdx.x] = value;
}
