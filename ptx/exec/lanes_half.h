/* Half-precision operations of one lane, f16 and bf16. Included by ptx/exec/lanes.c and
 * ptx/exec/atomic_lane.c, and for conversions by ptx/exec/texture.c. Values are computed as doubles
 * that are exact, or rounded to odd, and rounded once at the end (Boldo and Melquiond, "Emulation
 * of FMA and correctly rounded sums", IEEE TC 2008). */
#ifndef PTX_EXEC_LANES_HALF_H
#define PTX_EXEC_LANES_HALF_H

#include "ptx/exec/lanes_float.h"

/* Modifiers of an opcode on sources and result. */
enum half_how {
	HOW_PLAIN = 0,
	HOW_FTZ = 1,
	HOW_SAT = 2,
	HOW_RELU = 4,
	HOW_FINITE = 8,
	HOW_NAN = 16
};

static inline double from_f16(uint32_t h)
{
	uint32_t sign = (h & 0x8000u) << 16, m = h & 0x7fffu;
	float small =
		(float)(int32_t)m * 0x1p-24f; /* exact: m counts the smallest subnormal half */
	uint32_t bits = m < 0x400 ? bits32(small) : (m << 13) + (112u << 23);

	bits = m >= 0x7c00 ? EXP32 | (m & 0x3ff) << 13 : bits;
	return (double)float_of(sign | (bits & 0x7fffffffu));
}

static inline double from_bf16(uint32_t h)
{
	return (double)float_of(h << 16);
}

static inline uint32_t flush_f16(uint32_t h)
{
	return (h & 0x7c00u) == 0 ? h & 0x8000u : h & 0xffffu;
}

static inline uint32_t flush_bf16(uint32_t h)
{
	return (h & 0x7f80u) == 0 ? h & 0x8000u : h & 0xffffu;
}

/* Rounds v to a multiple of 2^(exponent - digits + 1), the exponent within [least, most] (biased
 * like a double's), in the host's rounding direction: by adding a number whose ulp is that
 * multiple. */
static inline double to_multiple(double v, uint64_t least, uint64_t most, unsigned digits)
{
	uint64_t e = bits64(v) >> 52 & 0x7ff;
	double q;

	e = e > least ? e : least;
	e = e < most ? e : most;
	q = with_sign64(double_of((e + 53 - digits) << 52), v);
	return with_sign64((v + q) - q, v);
}

static inline uint32_t to_f16(double v)
{
	double r = to_multiple(v, 1009, 1040, 11), a = with_sign64(r, 0);
	uint32_t sign = (uint32_t)(bits64(v) >> 48) & 0x8000u;
	uint32_t normal = (uint32_t)(bits64(a) >> 42) - (1008u << 10);
	uint32_t small = (uint32_t)bits64(a + 0x1p28) & 0x7ffu;
	uint32_t code = a < 0x1p-14 ? small : normal;
	/* 65536 becomes the overflow result of the rounding direction */
	double far = with_sign64(r * 0x1p1008, 0);

	code = a > 65504.0 ? far == double_of(EXP64) ? 0x7c00u : 0x7bffu : code;
	return v != v ? 0x7fffu : sign | code;
}

static inline uint32_t to_bf16(double v)
{
	double r = to_multiple(v, 897, 1151, 8);

	return v != v ? 0x7fffu : bits32((float)r) >> 16;
}

/* The sum, rounded to odd: a later rounding to fewer digits is then correct. */
static inline double add_odd(double a, double b)
{
	double s = a + b, t = s - a, rest = (a - (s - t)) + (b - t);
	uint64_t bits = bits64(s);
	bool away = (rest < 0) == (s < 0), inexact = rest < 0 || rest > 0;

	return double_of(inexact && !(bits & 1) ? away ? bits + 1 : bits - 1 : bits);
}

static inline double relu64(double v)
{
	return v > 0 || v != v ? v : 0.0;
}

#define HALF_FORMAT(F, LARGEST, INFINITE) \
	static inline double open_##F(uint32_t h, int how) \
	{ \
		return from_##F(how & HOW_FTZ ? flush_##F(h) : h & 0xffffu); \
	} \
	static inline uint32_t close_##F(double v, int how) \
	{ \
		uint32_t h; \
\
		v = how & HOW_SAT ? sat64(v) : v; \
		v = how & HOW_RELU ? relu64(v) : v; \
		h = to_##F(v); \
		h = how & HOW_FTZ ? flush_##F(h) : h; \
		return how & HOW_FINITE && (h & 0x7fffu) == INFINITE ? (h & 0x8000u) | LARGEST \
								     : h; \
	} \
	static inline uint32_t add_##F(uint32_t a, uint32_t b, int how) \
	{ \
		return close_##F(open_##F(a, how) + open_##F(b, how), how); \
	} \
	static inline uint32_t sub_##F(uint32_t a, uint32_t b, int how) \
	{ \
		return close_##F(open_##F(a, how) - open_##F(b, how), how); \
	} \
	static inline uint32_t mul_##F(uint32_t a, uint32_t b, int how) \
	{ \
		return close_##F(open_##F(a, how) * open_##F(b, how), how); \
	} \
	static inline uint32_t fma_##F(uint32_t a, uint32_t b, uint32_t c, int how) \
	{ \
		return close_##F( \
			add_odd(open_##F(a, how) * open_##F(b, how), open_##F(c, how)), how); \
	} \
	static inline uint32_t neg_##F(uint32_t a, int how) \
	{ \
		return (how & HOW_FTZ ? flush_##F(a) : a & 0xffffu) ^ 0x8000u; \
	} \
	static inline uint32_t abs_##F(uint32_t a, int how) \
	{ \
		return (how & HOW_FTZ ? flush_##F(a) : a & 0xffffu) & 0x7fffu; \
	} \
	static inline uint32_t min_##F(uint32_t a, uint32_t b, int how) \
	{ \
		double x = open_##F(a, how), y = open_##F(b, how); \
		bool nan = how & HOW_NAN && (x != x || y != y); \
\
		return nan ? 0x7fffu : close_##F(min64(x, y), how); \
	} \
	static inline uint32_t max_##F(uint32_t a, uint32_t b, int how) \
	{ \
		double x = open_##F(a, how), y = open_##F(b, how); \
		bool nan = how & HOW_NAN && (x != x || y != y); \
\
		return nan ? 0x7fffu : close_##F(max64(x, y), how); \
	} \
	static inline uint32_t min_xorsign_##F(uint32_t a, uint32_t b, int how) \
	{ \
		uint32_t h = min_##F(a & 0x7fffu, b & 0x7fffu, how); \
\
		return h > INFINITE ? h : h | ((a ^ b) & 0x8000u); \
	} \
	static inline uint32_t max_xorsign_##F(uint32_t a, uint32_t b, int how) \
	{ \
		uint32_t h = max_##F(a & 0x7fffu, b & 0x7fffu, how); \
\
		return h > INFINITE ? h : h | ((a ^ b) & 0x8000u); \
	} \
	static inline uint32_t ex2_##F(uint32_t a, int how) \
	{ \
		return close_##F(exp2_double(open_##F(a, how)), how); \
	} \
	static inline uint32_t tanh_##F(uint32_t a, int how) \
	{ \
		return close_##F(tanh_double(open_##F(a, how)), how); \
	} \
	static inline uint32_t pair_##F(float a, float b, int how) \
	{ \
		return close_##F((double)a, how) << 16 | close_##F((double)b, how); \
	}
HALF_FORMAT(f16, 0x7bffu, 0x7c00u)
HALF_FORMAT(bf16, 0x7f7fu, 0x7f80u)
#undef HALF_FORMAT

/* Integers, rounded to odd: discarded bits are sticky in the last bit. In integers, because the
 * host may be in a directed rounding mode. */
static inline double odd_f64_u(uint64_t m)
{
	uint64_t bits = magnitude_bits(m, 53, 1023, false);

	return double_of(bits | (bits != magnitude_bits(m, 53, 1023, true)));
}

static inline double odd_f64_s(int64_t a)
{
	uint64_t m = a < 0 ? 0 - (uint64_t)a : (uint64_t)a;

	return with_sign64(odd_f64_u(m), a < 0 ? -1.0 : 1.0);
}

#endif
