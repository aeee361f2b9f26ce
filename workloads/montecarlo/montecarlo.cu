/* European call options by Monte Carlo (Boyle, JFE 1977): normally distributed samples by Moro's
 * approximation of the inverse distribution (Moro, Risk 1995), each the end of a price's path; an
 * option's payoffs and their squares are summed up over the paths. A CTA sums up an option's, or
 * several CTAs and, in another kernel, one. */
#include "cuda_math.h"

#define MAX_OPTIONS 1024
#define THREADS 256

/* Price of the stock, strike price, mean and deviation of what the price's logarithm gains. */
struct option {
	typedef float real;
	real price, strike, mean, deviation;
};

struct option_double {
	typedef cuda_double real;
	real price, strike, mean, deviation;
};

template <class Option> struct sums {
	typename Option::real payoffs, squares;
};

extern "C" {
__constant__ option options[MAX_OPTIONS];
__constant__ option_double options_double[MAX_OPTIONS];
__device__ sums<option> values[MAX_OPTIONS];
__device__ sums<option_double> values_double[MAX_OPTIONS];
}

/* ---- samples */

static __device__ __forceinline__ double logf(double x)
{
	return log(x);
}

template <class real, int n>
static __device__ __forceinline__ real polynomial(const real (&coefficient)[n], real x)
{
	real sum = coefficient[n - 1];

#pragma unroll
	for (int i = n - 2; i >= 0; i--)
		sum = sum * x + coefficient[i];
	return sum;
}

/* The normal distribution's value below which a part p of all are; NaN unless 0 < p < 1. */
template <class real> static __device__ __forceinline__ real inverse_normal_of(real p)
{
	const real above[] = {2.50662823884, -18.61500062529, 41.39119773534, -25.44106049637};
	const real below[] = {1, -8.4735109309, 23.08336743743, -21.06224101826, 3.13082909833};
	const real tail[] = {0.3374754822726147, 0.9761690190917186, 0.1607979714918209,
		0.0276438810333863, 0.0038405729373609, 0.0003951896511919, 0.0000321767881768,
		0.0000002888167364, 0.0000003960315187};
	const real y = p - (real)0.5, limit = (real)0.42;
	real z;

	if (p <= 0 || p >= 1)
		return (real)__builtin_nanf("");
	if (y < limit && y > -limit)
		return y * polynomial(above, y * y) / polynomial(below, y * y);
	z = polynomial(tail, logf(-logf(y > 0 ? 1 - p : p)));
	return y < 0 ? -z : z;
}

/* n samples, of given parts of one or, without, of n that divide it evenly. */
template <class real>
static __device__ __forceinline__ void sample(float *samples, const float *parts, unsigned n)
{
	const real step = (real)1 / (real)(n + 1);
	unsigned first = blockDim.x * blockIdx.x + threadIdx.x, threads = blockDim.x * gridDim.x;

	if (parts) {
#pragma unroll 1
		for (unsigned i = first; i < n; i += threads)
			samples[i] = (float)inverse_normal_of<real>(parts[i]);
	} else {
#pragma unroll 1
		for (unsigned i = first; i < n; i += threads)
			samples[i] = (float)inverse_normal_of<real>((real)(i + 1) * step);
	}
}

/* ---- payoffs */

static __device__ __forceinline__ float payoff(const option &o, float sample)
{
	return fmaxf(o.price * __expf(o.mean + o.deviation * sample) - o.strike, 0.0f);
}

static __device__ __forceinline__ double payoff(const option_double &o, float sample)
{
	double value = o.price * exp(o.mean + o.deviation * (double)sample) - o.strike;

	return value > 0 ? value : 0;
}

/* Over every `stride`-th path from `first` on. */
template <class Option>
static __device__ __forceinline__ sums<Option> sum_paths(
	const Option &o, const float *samples, int first, int stride, int paths)
{
	const Option copy = o;
	sums<Option> sum = {};

#pragma unroll 1
	for (int i = first; i < paths; i += stride) {
		const typename Option::real value = payoff(copy, samples[i]);

		sum.payoffs += value;
		sum.squares += value * value;
	}
	return sum;
}

/* Adds up the sums of a CTA's threads. */
template <class Option>
static __device__ __forceinline__ void reduce(const sums<Option> &sum, sums<Option> *to)
{
	__shared__ typename Option::real payoffs[THREADS], squares[THREADS];
	int t = (int)threadIdx.x;

	payoffs[t] = sum.payoffs;
	squares[t] = sum.squares;
	barrier();
#pragma unroll
	for (int half = THREADS / 2; half > 0; half /= 2) {
		if (t < half) {
			payoffs[t] += payoffs[t + half];
			squares[t] += squares[t + half];
		}
		barrier();
	}
	if (t == 0) {
		to->payoffs = payoffs[0];
		to->squares = squares[0];
	}
}

/* A thread's sum of an option, blockIdx.y. */
template <class Option>
static __device__ __forceinline__ void add_paths(
	const Option *all, sums<Option> *buffer, const float *samples, int paths)
{
	int first = (int)(blockDim.x * blockIdx.x + threadIdx.x);
	int threads = (int)(blockDim.x * gridDim.x), i = (int)blockIdx.y;

	buffer[i * threads + first] = sum_paths(all[i], samples, first, threads, paths);
}

/* The sum of an option's `n` sums. */
template <class Option>
static __device__ __forceinline__ void add_sums(const sums<Option> *buffer, sums<Option> *to, int n)
{
	sums<Option> sum = {};

	buffer += (int)blockIdx.x * n;
#pragma unroll 1
	for (int i = (int)threadIdx.x; i < n; i += THREADS) {
		sum.payoffs += buffer[i].payoffs;
		sum.squares += buffer[i].squares;
	}
	reduce(sum, to);
}

/* ---- kernels, in float and in double */

extern "C" __global__ void inverse_normal(float *samples, const float *parts, unsigned n)
{
	sample<float>(samples, parts, n);
}

extern "C" __global__ void option_of_cta(const float *samples, int paths)
{
	int i = (int)blockIdx.x, t = (int)threadIdx.x;

	reduce(sum_paths(options[i], samples, t, THREADS, paths), &values[i]);
}

extern "C" __global__ void option_of_ctas(sums<option> *buffer, const float *samples, int paths)
{
	add_paths(options, buffer, samples, paths);
}

extern "C" __global__ void option_sums(const sums<option> *buffer, int n)
{
	add_sums(buffer, &values[blockIdx.x], n);
}

extern "C" __global__ void inverse_normal_double(float *samples, const float *parts, unsigned n)
{
	sample<double>(samples, parts, n);
}

extern "C" __global__ void option_of_cta_double(const float *samples, int paths)
{
	int i = (int)blockIdx.x, t = (int)threadIdx.x;

	reduce(sum_paths(options_double[i], samples, t, THREADS, paths), &values_double[i]);
}

extern "C" __global__ void option_of_ctas_double(
	sums<option_double> *buffer, const float *samples, int paths)
{
	add_paths(options_double, buffer, samples, paths);
}

extern "C" __global__ void option_sums_double(const sums<option_double> *buffer, int n)
{
	add_sums(buffer, &values_double[blockIdx.x], n);
}
