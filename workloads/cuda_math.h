/* Mathematics and atomics for the workloads' kernels, over PTX instructions: nothing external stays
 * unresolved. Not for host code. Errors in ulp (units of the last digit) assume that the .approx
 * instructions keep the bounds of the PTX ISA. */
#ifndef WORKLOADS_CUDA_MATH_H
#define WORKLOADS_CUDA_MATH_H

#include "cuda.h"

#define CUDA_FUNCTION static __device__ __forceinline__ CUDA_NODEBUG

/* ---- exactly rounded, or exact */

CUDA_FUNCTION float sqrtf(float x)
{
	return __nvvm_sqrt_rn_f(x);
}

CUDA_FUNCTION double sqrt(double x)
{
	return __nvvm_sqrt_rn_d(x);
}

CUDA_FUNCTION float fmaf(float a, float b, float c)
{
	return __nvvm_fma_rn_f(a, b, c);
}

CUDA_FUNCTION double fma(double a, double b, double c)
{
	return __nvvm_fma_rn_d(a, b, c);
}

CUDA_FUNCTION float fabsf(float x)
{
	return __nvvm_fabs_f(x);
}

CUDA_FUNCTION float fminf(float a, float b)
{
	return __nvvm_fmin_f(a, b);
}

CUDA_FUNCTION float fmaxf(float a, float b)
{
	return __nvvm_fmax_f(a, b);
}

CUDA_FUNCTION float floorf(float x)
{
	return __nvvm_floor_f(x);
}

/* Between 0 and 1. */
CUDA_FUNCTION float __saturatef(float x)
{
	return __nvvm_saturate_f(x);
}

/* The nearest integer, of two equally near ones the even. */
CUDA_FUNCTION int float_to_int_rn(float x)
{
	return __nvvm_f2i_rn(x);
}

/* ---- one .approx instruction, as CUDA's fast mathematics */

CUDA_FUNCTION float rsqrtf(float x)
{
	return __nvvm_rsqrt_approx_f(x);
}

CUDA_FUNCTION float exp2_approx(float x)
{
	return __nvvm_ex2_approx_f(x);
}

CUDA_FUNCTION float log2_approx(float x)
{
	return __nvvm_lg2_approx_f(x);
}

/* Relative error near 2^-22 + |x| 2^-23. */
CUDA_FUNCTION float __expf(float x)
{
	return exp2_approx(x * 0x1.715476p+0f);
}

CUDA_FUNCTION float __sinf(float x)
{
	return __nvvm_sin_approx_f(x);
}

CUDA_FUNCTION float __cosf(float x)
{
	return __nvvm_cos_approx_f(x);
}

CUDA_FUNCTION float __fdividef(float a, float b)
{
	return __nvvm_div_approx_f(a, b);
}

/* ---- a few instructions, a few ulp */

/* 2 ulp from exp(-87) to exp(88). */
CUDA_FUNCTION float expf(float x)
{
	float n = (float)float_to_int_rn(x * 0x1.715476p+0f);
	float rest = fmaf(n, -0x1.62e4p-1f, x);

	rest = fmaf(n, -0x1.7f7d1cp-20f, rest);
	return exp2_approx(rest * 0x1.715476p+0f) * exp2_approx(n);
}

/* Absolute error near 2^-22 for arguments around one, else 2 ulp. */
CUDA_FUNCTION float logf(float x)
{
	return log2_approx(x) * 0x1.62e43p-1f;
}

/* x > 0. Relative error near 2^-22 + |y log2(x)| 2^-22. */
CUDA_FUNCTION float powf(float x, float y)
{
	return exp2_approx(y * log2_approx(x));
}

/* The argument's distance from the nearest multiple of 2 pi, |x| up to some ten thousand. */
CUDA_FUNCTION float cuda_less_turns(float x)
{
	float n = (float)float_to_int_rn(x * 0x1.45f306p-3f);
	float rest = fmaf(n, -0x1.921fb6p+2f, x);

	return fmaf(n, 0x1.777a5cp-23f, rest);
}

/* Absolute error near 2^-21. */
CUDA_FUNCTION float sinf(float x)
{
	return __sinf(cuda_less_turns(x));
}

CUDA_FUNCTION float cosf(float x)
{
	return __cosf(cuda_less_turns(x));
}

/* ---- atomics: the value before */

CUDA_FUNCTION int atomicAdd(int *p, int v)
{
	return __nvvm_atom_add_gen_i(p, v);
}

CUDA_FUNCTION unsigned atomicAdd(unsigned *p, unsigned v)
{
	return (unsigned)__nvvm_atom_add_gen_i((int *)p, (int)v);
}

CUDA_FUNCTION float atomicAdd(float *p, float v)
{
	return __nvvm_atom_add_gen_f(p, v);
}

CUDA_FUNCTION int atomicMax(int *p, int v)
{
	return __nvvm_atom_max_gen_i(p, v);
}

CUDA_FUNCTION int atomicMin(int *p, int v)
{
	return __nvvm_atom_min_gen_i(p, v);
}

CUDA_FUNCTION unsigned atomicCAS(unsigned *p, unsigned compare, unsigned v)
{
	return (unsigned)__nvvm_atom_cas_gen_i((int *)p, (int)compare, (int)v);
}

/* With -m32 clang aligns a double to 4 bytes and takes it apart; this one is loaded whole. */
typedef double __attribute__((aligned(8))) cuda_double;

/* ---- in double precision, some twenty instructions, 2 ulp */

/* |x| below 700. Taylor's series of what is left of x after whole powers of 2. */
CUDA_FUNCTION double exp(double x)
{
	int n = __nvvm_d2i_rn(x * 0x1.71547652b82fep+0);
	double rest = fma((double)n, -0x1.62e42fefa39efp-1, x), sum = 1.0 / 6227020800.0;

	rest = fma((double)n, -0x1.abc9e3b39803fp-56, rest);
#pragma unroll
	for (int k = 12; k >= 0; k--) {
		double factorial = 1.0;

		for (int i = 2; i <= k; i++)
			factorial *= i;
		sum = fma(sum, rest, 1.0 / factorial);
	}
	return sum * __builtin_bit_cast(double, (long long)(n + 1023) << 52);
}

/* x > 0 and normal. The series of artanh, for x between sqrt(1/2) and sqrt(2). */
CUDA_FUNCTION double log(double x)
{
	long long bits = __builtin_bit_cast(long long, x) - 0x3fe6a09e667f3bcdll;
	int n = (int)(bits >> 52);
	double rest = __builtin_bit_cast(double, (bits & 0xfffffffffffffll) + 0x3fe6a09e667f3bcdll);
	double s = (rest - 1.0) / (rest + 1.0), square = s * s, sum = 1.0 / 23.0;

#pragma unroll
	for (int k = 21; k >= 1; k -= 2)
		sum = fma(sum, square, 1.0 / k);
	return fma((double)n, 0x1.62e42fefa39efp-1, 2.0 * s * sum);
}

/* A barrier across which the compiler keeps no shared variable in a register: clang's own does,
 * once a loop is unrolled around it. */
CUDA_FUNCTION void barrier()
{
	__asm__ volatile("bar.sync 0;" ::: "memory");
}

#endif
