/* Floating-point operations of one lane. Included by ptx/exec/lanes.c only. No libm except fma and
 * sqrt, no contraction: every host computes the same bits. */
#ifndef PTX_EXEC_LANES_FLOAT_H
#define PTX_EXEC_LANES_FLOAT_H

#include <fenv.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define EXP32 0x7f800000u
#define EXP64 UINT64_C(0x7ff0000000000000)
#define NAN32 0x7fffffffu
#define NAN64 UINT64_C(0xfff8000000000000)

static inline float float_of(uint32_t bits)
{
	float f;

	memcpy(&f, &bits, sizeof(f));
	return f;
}

static inline uint32_t bits32(float f)
{
	uint32_t bits;

	memcpy(&bits, &f, sizeof(bits));
	return bits;
}

static inline double double_of(uint64_t bits)
{
	double f;

	memcpy(&f, &bits, sizeof(f));
	return f;
}

static inline uint64_t bits64(double f)
{
	uint64_t bits;

	memcpy(&bits, &f, sizeof(bits));
	return bits;
}

/* Replaces any NaN by the hardware's canonical NaN: the host's payloads must not be visible. */
static inline float canon32(float f)
{
	return f != f ? float_of(NAN32) : f;
}

static inline double canon64(double f)
{
	return f != f ? double_of(NAN64) : f;
}

/* Flushes subnormals to zero of the same sign. */
static inline float ftz32(float f)
{
	uint32_t bits = bits32(f);

	return float_of((bits & EXP32) == 0 ? bits & 0x80000000u : bits);
}

static inline double ftz64(double f)
{
	uint64_t bits = bits64(f);

	return double_of((bits & EXP64) == 0 ? bits & UINT64_C(0x8000000000000000) : bits);
}

/* The reciprocal of a divisor above 2^126 is flushed to zero before the multiplication. */
static inline float div_approx32(float a, float b)
{
	uint32_t magnitude = bits32(b) & 0x7fffffffu, sign = bits32(b) & 0x80000000u;
	bool flushed = magnitude > 0x7e800000u && magnitude < EXP32;

	return flushed ? a * float_of(sign) : a / b;
}

/* Doubles of which only the upper word is used; their NaN is the canonical one of that word. */
static inline double of_upper64(uint64_t bits)
{
	return double_of(bits & 0xffffffff00000000u);
}

static inline uint64_t upper64(double r)
{
	return r != r ? 0x7fffffff00000000u : bits64(ftz64(r)) & 0xffffffff00000000u;
}

/* .sat: to [0, 1], NaN to +0. */
static inline float sat32(float f)
{
	f = f > 0.0f ? f : 0.0f;
	return f < 1.0f ? f : 1.0f;
}

static inline double sat64(double f)
{
	f = f > 0.0 ? f : 0.0;
	return f < 1.0 ? f : 1.0;
}

/* One NaN is ignored, two give NaN; -0 is less than +0. */
#define MIN_MAX(name, T, of, bits, canon, less, join) \
	static inline T name(T a, T b) \
	{ \
		T same = of(bits(a) join bits(b)); \
		T number = a less b ? a : b less a ? b : same; \
		number = b != b ? a : number; \
		return canon(a != a ? b : number); \
	}
MIN_MAX(min32, float, float_of, bits32, canon32, <, |)
MIN_MAX(max32, float, float_of, bits32, canon32, >, &)
MIN_MAX(min64, double, double_of, bits64, canon64, <, |)
MIN_MAX(max64, double, double_of, bits64, canon64, >, &)
#undef MIN_MAX

/* .NaN: one NaN is propagated. */
static inline float min_nan32(float a, float b)
{
	return a != a || b != b ? float_of(NAN32) : min32(a, b);
}

static inline float max_nan32(float a, float b)
{
	return a != a || b != b ? float_of(NAN32) : max32(a, b);
}

static inline float abs32(float a)
{
	return float_of(bits32(a) & 0x7fffffffu);
}

/* A magnitude with the product of the signs of a and b; a NaN is unchanged. */
static inline float xorsign32(float magnitude, float a, float b)
{
	uint32_t sign = (bits32(a) ^ bits32(b)) & 0x80000000u;

	return magnitude != magnitude ? magnitude : float_of(bits32(magnitude) | sign);
}

/* ---- rounding to integral values: to even, towards zero, down, up; the sign of zero is kept */

static inline double with_sign64(double magnitude, double sign)
{
	return double_of((bits64(magnitude) & ~UINT64_C(0x8000000000000000)) |
			 (bits64(sign) & UINT64_C(0x8000000000000000)));
}

static inline float with_sign32(float magnitude, float sign)
{
	return float_of((bits32(magnitude) & 0x7fffffffu) | (bits32(sign) & 0x80000000u));
}

#define INTEGRAL(N, T, LIMIT) \
	static inline T rni##N(T a) \
	{ \
		T m = with_sign##N(a, 0); \
		T r = (m + LIMIT) - LIMIT; \
		return with_sign##N(m < LIMIT ? r : m, a); \
	} \
	static inline T rzi##N(T a) \
	{ \
		T m = with_sign##N(a, 0), r = rni##N(m); \
		return with_sign##N(r > m ? r - 1 : r, a); \
	} \
	static inline T rmi##N(T a) \
	{ \
		T r = rni##N(a); \
		return with_sign##N(r > a ? r - 1 : r, a); \
	} \
	static inline T rpi##N(T a) \
	{ \
		T r = rni##N(a); \
		return with_sign##N(r < a ? r + 1 : r, a); \
	}
INTEGRAL(32, float, 0x1p23f)
INTEGRAL(64, double, 0x1p52)
#undef INTEGRAL

/* ---- integral doubles to integers: out-of-range values saturate. NaN becomes 0, or the type's
 * highest bit where source or result has 64 bits (PTX ISA 9.0, cvt) */

#define NAN_u8 0x80
#define NAN_s8 INT8_MIN
#define NAN_u16 0x8000
#define NAN_s16 INT16_MIN
#define NAN_u32 0x80000000u
#define NAN_s32 INT32_MIN
#define NAN_u64 (UINT64_C(1) << 63)
#define NAN_s64 INT64_MIN

#define TO_NARROW(name, T, MIN, MAX) \
	static inline T to_##name(double a) \
	{ \
		a = a != a ? 0 : a; \
		a = a > MIN ? a : MIN; \
		a = a < MAX ? a : MAX; \
		return (T)(int32_t)a; \
	}
TO_NARROW(u8, uint8_t, 0.0, 255.0)
TO_NARROW(s8, int8_t, -128.0, 127.0)
TO_NARROW(u16, uint16_t, 0.0, 65535.0)
TO_NARROW(s16, int16_t, -32768.0, 32767.0)
TO_NARROW(s32, int32_t, -2147483648.0, 2147483647.0)
#undef TO_NARROW

static inline uint32_t to_u32(double a)
{
	uint32_t high;

	a = a > 0 ? a : 0;
	a = a < 4294967295.0 ? a : 4294967295.0;
	high = a >= 0x1p31 ? 0x80000000u : 0;
	return (uint32_t)(int32_t)(a >= 0x1p31 ? a - 0x1p31 : a) | high;
}

static inline int64_t to_s64(double a)
{
	if (a != a)
		return NAN_s64;
	if (a >= 0x1p63)
		return INT64_MAX;
	return a < -0x1p63 ? INT64_MIN : (int64_t)a;
}

static inline uint64_t to_u64(double a)
{
	if (a != a)
		return NAN_u64;
	if (!(a > 0))
		return 0;
	return a >= 0x1p64 ? UINT64_MAX : (uint64_t)a;
}

/* ---- integers to floating point with directed rounding: computed in integers, because compilers'
 * conversions of unsigned and 64-bit values are correct in round-to-nearest only (0 becomes -0
 * otherwise) */

/* The value's bits; `digits` of mantissa (24 or 53); away: towards larger magnitude. */
static inline uint64_t magnitude_bits(uint64_t m, unsigned digits, uint64_t bias, bool away)
{
	unsigned width = m ? 64 - (unsigned)__builtin_clzll(m) : 0, shift;
	uint64_t kept;

	if (m == 0)
		return 0;
	if (width <= digits) {
		kept = m << (digits - width);
	} else {
		shift = width - digits;
		kept = (m >> shift) + (away && (m & ((UINT64_C(1) << shift) - 1)) != 0);
	}
	/* the leading one of the mantissa counts as one step of the exponent, and so does its
	 * overflow */
	return ((width - 2 + bias) << (digits - 1)) + kept;
}

static inline float side_f32_u(uint64_t a, int direction)
{
	return float_of((uint32_t)magnitude_bits(a, 24, 127, direction == FE_UPWARD));
}

static inline float side_f32_s(int64_t a, int direction)
{
	if (a >= 0)
		return side_f32_u((uint64_t)a, direction);
	return -float_of(
		(uint32_t)magnitude_bits(0 - (uint64_t)a, 24, 127, direction == FE_DOWNWARD));
}

static inline double side_f64_u(uint64_t a, int direction)
{
	return double_of(magnitude_bits(a, 53, 1023, direction == FE_UPWARD));
}

static inline double side_f64_s(int64_t a, int direction)
{
	if (a >= 0)
		return side_f64_u((uint64_t)a, direction);
	return -double_of(magnitude_bits(0 - (uint64_t)a, 53, 1023, direction == FE_DOWNWARD));
}

/* ---- approximations, in double: errors far below PTX's bounds before the final rounding */

static inline double exp2_double(double x)
{
	double a = x, n, f, p;

	a = a > -200.0 ? a : -200.0;
	a = a < 200.0 ? a : 200.0;
	n = (a + 0x1.8p52) - 0x1.8p52;
	f = (a - n) * 0x1.62e42fefa39efp-1;
	p = 1 +
	    f * (1 + f * (1.0 / 2 +
				 f * (1.0 / 6 +
					     f * (1.0 / 24 +
							 f * (1.0 / 120 +
								     f * (1.0 / 720 +
										 f * (1.0 / 5040)))))));
	p *= double_of((bits64(n + 0x1.8p52) + 1023) << 52);
	return x != x ? x : p;
}

static inline float exp2_approx(float x)
{
	return (float)exp2_double((double)x);
}

/* A series near zero, where the quotient loses digits. */
static inline double tanh_double(double x)
{
	double m = with_sign64(x, 0), s = m * m, e, far, near;

	e = exp2_double((m < 30 ? m : 30) * 0x1.71547652b82fep+1);
	far = (e - 1) / (e + 1);
	near = m *
	       (1 - s * (1.0 / 3 -
				s * (2.0 / 15 - s * (17.0 / 315 -
							    s * (62.0 / 2835 -
									s * (1382.0 / 155925))))));
	return x != x ? x : with_sign64(m < 0.25 ? near : far, x);
}

static inline float log2_approx(float x)
{
	double a = (double)x;
	uint64_t bits = bits64(a);
	/* the exponent is relative to sqrt(1/2), so that the mantissa is around 1 */
	uint64_t top = bits - UINT64_C(0x3fe6a09e667f3bcd);
	double e = double_of(((top + UINT64_C(0x8000000000000000)) >> 52) |
			     UINT64_C(0x4330000000000000)) -
		   (0x1p52 + 2048.0);
	double m = double_of((top & UINT64_C(0x000fffffffffffff)) + UINT64_C(0x3fe6a09e667f3bcd));
	double t = (m - 1) / (m + 1), s = t * t;
	double p =
		t *
		(1 + s * (1.0 / 3 +
				 s * (1.0 / 5 + s * (1.0 / 7 + s * (1.0 / 9 + s * (1.0 / 11))))));
	float r = (float)(e + p * 0x1.71547652b82fep+1);

	r = x == 0 ? -float_of(EXP32) : r;
	r = x < 0 ? float_of(NAN32) : r;
	return x == float_of(EXP32) || x != x ? x : r;
}

/* Sine of `r` plus `quadrant` right angles, r within a quarter turn around 0. */
static inline float sine_of(double r, uint32_t quadrant)
{
	double s = r * r;
	double sine =
		r *
		(1 - s * (1.0 / 6 -
				 s * (1.0 / 120 - s * (1.0 / 5040 -
							      s * (1.0 / 362880 -
									  s * (1.0 / 39916800))))));
	double cosine =
		1 -
		s * (0.5 - s * (1.0 / 24 -
				       s * (1.0 / 720 -
						   s * (1.0 / 40320 -
							       s * (1.0 / 3628800 -
									   s * (1.0 / 479001600))))));
	double v = quadrant & 1 ? cosine : sine;

	return (float)(quadrant & 2 ? -v : v);
}

#define TRIG_NEAR 0x1p19f /* up to here three parts of pi/2 reduce the angle */

/* Sine (shift 0) or cosine (shift 1) of a lane whose magnitude is below TRIG_NEAR. */
static inline float trig_near(float x, uint32_t shift)
{
	double a = (double)x;
	double k = a * 0x1.45f306dc9c883p-1 + 0x1.8p52;
	uint32_t quadrant = (uint32_t)bits64(k) + shift;
	double r;

	k -= 0x1.8p52;
	r = ((a - k * 0x1.921fb544p+0) - k * 0x1.0b4611a6p-34) - k * 0x1.3198a2e037073p-69;
	return x == 0 && shift == 0 ? x : sine_of(r, quadrant);
}

/* The same for any magnitude (Payne and Hanek 1983): x is m * 2^e, and only those bits of 2/pi
 * matter that are neither multiples of whole turns nor below the result's precision. */
static inline float trig_far(float x, uint32_t shift)
{
	static const uint32_t two_over_pi[] = {0, 0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0,
		0xdb629599, 0x3c439041, 0xfe5163ab};
	uint32_t bits = bits32(x) & 0x7fffffffu;
	uint32_t e, word, left, quadrant;
	uint64_t high, low, product;
	double r;

	if (bits >= EXP32)
		return float_of(NAN32);
	/* x * 2/pi = m * w * 2^(e - 64 - 32 * word), w the words from `word` on */
	e = (bits >> 23) - 150 + 32 - 2;
	word = e >> 5;
	left = e & 31;
	high = (uint64_t)two_over_pi[word] << 32 | two_over_pi[word + 1];
	low = (uint64_t)two_over_pi[word + 2] << 32 | two_over_pi[word + 3];
	if (left) {
		high = high << left | low >> (64 - left);
		low = low << left;
	}
	bits = (bits & 0x7fffffu) | 0x800000u;
	product = high * bits + ((low >> 32) * bits >> 32);
	quadrant = (uint32_t)(product >> 62);
	product <<= 2;
	quadrant += (uint32_t)(product >> 63); /* to the nearest right angle */
	r = (double)(int64_t)product * 0x1.921fb54442d18p-64;
	if (bits32(x) >> 31) {
		quadrant = 0 - quadrant;
		r = -r;
	}
	return sine_of(r, quadrant + shift);
}

#endif
