/* Narrow formats in one lane: 19, 8, 6 and 4 bits, stochastic rounding, and two floats in one
 * register. Included by ptx/exec/lanes.c only. Formats as in PTX and in the OCP Microscaling
 * Formats specification 1.0; every conversion rounds once. */
#ifndef PTX_EXEC_LANES_NARROW_H
#define PTX_EXEC_LANES_NARROW_H

#include "ptx/exec/lanes_half.h"

/* ---- tf32: a float with 19 significant bits; the others are written as zeros */

#define TF32_STEP 0x2000u /* one ulp */
#define TF32_NAN (NAN32 & ~(TF32_STEP - 1))
#define TF32_LARGEST (EXP32 - TF32_STEP)

enum tf32_rounding { TF32_RN, TF32_RZ, TF32_RNA };

static inline uint32_t to_tf32(uint32_t a, enum tf32_rounding rounding, int how)
{
	uint32_t sign = a & 0x80000000u, m = a & 0x7fffffffu;
	uint32_t more = rounding == TF32_RN    ? TF32_STEP / 2 - 1 + (m / TF32_STEP & 1)
			: rounding == TF32_RNA ? TF32_STEP / 2
					       : 0;
	uint32_t code = (m + more) & ~(TF32_STEP - 1); /* a carry out of the last digit: infinity */

	code = how & HOW_FINITE && code > TF32_LARGEST ? TF32_LARGEST : code;
	code = how & HOW_RELU && sign ? 0 : sign | code;
	return m > EXP32 ? TF32_NAN : code;
}

/* ---- 8, 6 and 4 bits: `digits` of mantissa including the leading one. Larger numbers saturate,
 * and so does NaN where a format has none. */

#define NARROW_FORMAT(F, WIDTH, DIGITS, BIAS, LARGEST, NAN_CODE) \
	static inline uint32_t to_##F(double v, int how) \
	{ \
		double r = with_sign64(to_multiple(v, 1024 - BIAS, 1023 + BIAS + 2, DIGITS), 0); \
		uint32_t sign = (uint32_t)(bits64(v) >> 63) << (WIDTH - 1), normal, small, code; \
\
		r = r < LARGEST ? r : LARGEST; \
		normal = \
			(uint32_t)(bits64(r) >> (53 - DIGITS)) - ((1023u - BIAS) << (DIGITS - 1)); \
		/* one ulp of the sum is the least subnormal number */ \
		small = (uint32_t)bits64( \
				r + double_of((uint64_t)(1023 + 54 - BIAS - DIGITS) << 52)) & \
			((1u << WIDTH) - 1); \
		code = r < double_of((uint64_t)(1024 - BIAS) << 52) ? small : normal; \
		code = how & HOW_RELU && sign ? 0 : sign | code; \
		return v != v ? NAN_CODE : code; \
	} \
	static inline double from_##F(uint32_t code) \
	{ \
		uint32_t m = code & ((1u << (WIDTH - 1)) - 1); \
		uint64_t scaled = \
			((uint64_t)m << (53 - DIGITS)) + ((uint64_t)(1023 - BIAS) << 52); \
		double small = \
			(double)(int32_t)m * double_of((uint64_t)(1025 - BIAS - DIGITS) << 52); \
		double v = m >> (DIGITS - 1) ? double_of(scaled) : small; \
\
		v = special_##F(m, v); \
		return with_sign64(v, code >> (WIDTH - 1) & 1 ? -1.0 : 1.0); \
	}

static inline double special_e4m3(uint32_t m, double v)
{
	return m == 0x7f ? double_of(NAN64) : v;
}

static inline double special_e5m2(uint32_t m, double v)
{
	v = m == 0x7c ? double_of(EXP64) : v;
	return m > 0x7c ? double_of(NAN64) : v;
}

#define special_e2m3(m, v) (v)
#define special_e3m2(m, v) (v)
#define special_e2m1(m, v) (v)
NARROW_FORMAT(e4m3, 8, 4, 7, 448.0, 0x7fu)
NARROW_FORMAT(e5m2, 8, 3, 15, 57344.0, 0x7fu)
NARROW_FORMAT(e2m3, 6, 4, 1, 7.5, 0x1fu)
NARROW_FORMAT(e3m2, 6, 3, 3, 28.0, 0x1fu)
NARROW_FORMAT(e2m1, 4, 2, 1, 6.0, 0x7u)
#undef NARROW_FORMAT
#undef special_e2m3
#undef special_e3m2
#undef special_e2m1

/* Two of them in one register, `bits` apart; the first operand is the upper one. */
#define NARROW_PAIR(F, BITS) \
	static inline uint32_t pair_##F(double a, double b, int how) \
	{ \
		return to_##F(a, how) << BITS | to_##F(b, how); \
	} \
	static inline uint32_t f16x2_of_##F(uint32_t codes, int how) \
	{ \
		return close_f16(from_##F(codes >> BITS), how) << 16 | \
		       close_f16(from_##F(codes), how); \
	}
NARROW_PAIR(e4m3, 8)
NARROW_PAIR(e5m2, 8)
NARROW_PAIR(e2m3, 8)
NARROW_PAIR(e3m2, 8)
NARROW_PAIR(e2m1, 4)
#undef NARROW_PAIR

/* ---- ue8m0: powers of two from 2^-127 on, without zero and sign, which is dropped; 255 is NaN,
 * and the result of overflow without .satfinite */

static inline uint32_t to_ue8m0(uint32_t a, bool up, int how)
{
	uint32_t m = a & 0x7fffffffu, e = m >> 23, rest = m & 0x7fffffu;
	uint32_t code = e + (up && rest > (e ? 0 : 0x400000u));

	code = how & HOW_FINITE && code > 254 ? 254 : code;
	return m > EXP32 ? 255 : code;
}

static inline uint32_t pair_ue8m0(uint32_t a, uint32_t b, bool up, int how)
{
	return to_ue8m0(a, up, how) << 8 | to_ue8m0(b, up, how);
}

static inline uint32_t bf16_of_ue8m0(uint32_t code)
{
	uint32_t power = code ? code << 7 : 0x40; /* 2^-127 is a subnormal bfloat */

	return code == 255 ? 0x7fffu : power;
}

/* ---- stochastic rounding: random bits are added to the discarded digits, and a carry rounds away
 * from zero. If more digits are discarded than there are random bits, the random bits are aligned
 * with the upper ones. */

static inline uint32_t random_f16(float v, uint32_t random, int how)
{
	double a = with_sign64((double)v, 0);
	uint32_t sign = bits32(v) >> 16 & 0x8000u, e, n, code;

	a = a < 65536.0 ? a : 65536.0; /* infinite from here on */
	e = (uint32_t)(bits64(a) >> 52);
	e = e > 1009 ? e : 1009;
	e = e < 1038 ? e : 1038;
	/* in steps of 2^-13 ulp */
	n = (uint32_t)(int32_t)(a * double_of((uint64_t)(2046 + 23 - e) << 52));
	code = ((n + (random & 0x1fffu)) >> 13) + ((e - 1009) << 10);
	code = how & HOW_FINITE && code > 0x7bff ? 0x7bff : code;
	code = how & HOW_RELU && sign ? 0 : sign | code;
	return v != v ? 0x7fffu : code;
}

static inline uint32_t random_bf16(float v, uint32_t random, int how)
{
	uint32_t m = bits32(v) & 0x7fffffffu, sign = bits32(v) >> 16 & 0x8000u;
	uint32_t code = (m + (random & 0xffffu)) >> 16;

	code = m == EXP32 ? EXP32 >> 16 : code;
	code = how & HOW_FINITE && code > 0x7f7f ? 0x7f7f : code;
	code = how & HOW_RELU && sign ? 0 : sign | code;
	return v != v ? 0x7fffu : code;
}

/* ---- f32x2 */

static inline float low32(uint64_t both)
{
	return float_of((uint32_t)both);
}

static inline float high32(uint64_t both)
{
	return float_of((uint32_t)(both >> 32));
}

static inline uint64_t both32(float low, float high)
{
	return bits32(canon32(low)) | (uint64_t)bits32(canon32(high)) << 32;
}

#endif
