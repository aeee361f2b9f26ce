/* Integer and bit operations of one lane. Included by ptx/exec/lanes.c only. */
#ifndef PTX_EXEC_LANES_INT_H
#define PTX_EXEC_LANES_INT_H

#include "ptx/exec/exec.h"

__extension__ typedef unsigned __int128 lane_u128;
__extension__ typedef __int128 lane_s128;

/* ---- multiplication, division */

static inline uint16_t mul_hi_u16(uint16_t a, uint16_t b)
{
	return (uint16_t)((uint32_t)a * b >> 16);
}

static inline int16_t mul_hi_s16(int16_t a, int16_t b)
{
	return (int16_t)((int32_t)a * b >> 16);
}

static inline uint32_t mul_hi_u32(uint32_t a, uint32_t b)
{
	return (uint32_t)((uint64_t)a * b >> 32);
}

static inline int32_t mul_hi_s32(int32_t a, int32_t b)
{
	return (int32_t)((int64_t)a * b >> 32);
}

static inline uint64_t mul_hi_u64(uint64_t a, uint64_t b)
{
	return (uint64_t)((lane_u128)a * b >> 64);
}

static inline int64_t mul_hi_s64(int64_t a, int64_t b)
{
	return (int64_t)((lane_s128)a * b >> 64);
}

static inline int32_t sext24(int32_t a)
{
	return (int32_t)((uint32_t)a << 8) >> 8;
}

/* Addition that wraps and |a - b| + c, for each type; `U` is the unsigned type of the width. */
#define WRAPPING(name, T, U) \
	static inline T wrap_add_##name(T a, T b) \
	{ \
		return (T)((U)a + (U)b); \
	} \
	static inline T sad_##name(T a, T b, T c) \
	{ \
		return (T)((U)c + (a < b ? (U)b - (U)a : (U)a - (U)b)); \
	}
WRAPPING(u16, uint16_t, uint32_t)
WRAPPING(s16, int16_t, uint32_t)
WRAPPING(u32, uint32_t, uint32_t)
WRAPPING(s32, int32_t, uint32_t)
WRAPPING(u64, uint64_t, uint64_t)
WRAPPING(s64, int64_t, uint64_t)
#undef WRAPPING

/* x / 0 and x % 0, which PTX leaves undefined, are all ones, as in NVIDIA's code sequences. */
#define DIVIDE_UNSIGNED(name, T) \
	static inline T div_##name(T a, T b) \
	{ \
		return (T)(b == 0 ? (T)-1 : a / b); \
	} \
	static inline T rem_##name(T a, T b) \
	{ \
		return (T)(b == 0 ? (T)-1 : a % b); \
	}
#define DIVIDE_SIGNED(name, T, U) \
	static inline T div_##name(T a, T b) \
	{ \
		if (b == 0) \
			return -1; \
		return (T)(b == -1 ? (T)(0u - (U)a) : a / b); \
	} \
	static inline T rem_##name(T a, T b) \
	{ \
		if (b == 0) \
			return -1; \
		return (T)(b == -1 ? 0 : a % b); \
	}
DIVIDE_UNSIGNED(u16, uint16_t)
DIVIDE_UNSIGNED(u32, uint32_t)
DIVIDE_UNSIGNED(u64, uint64_t)
DIVIDE_SIGNED(s16, int16_t, uint32_t)
DIVIDE_SIGNED(s32, int32_t, uint32_t)
DIVIDE_SIGNED(s64, int64_t, uint64_t)
#undef DIVIDE_UNSIGNED
#undef DIVIDE_SIGNED

#define mul_lo_u32(a, b) ((a) * (b))
#define mul_lo_u64(a, b) ((a) * (b))

static inline uint32_t add_carry_u32(uint32_t a, uint32_t b, uint32_t in, uint32_t *out)
{
	uint64_t sum = (uint64_t)a + b + in;

	*out = (uint32_t)(sum >> 32);
	return (uint32_t)sum;
}

static inline uint64_t add_carry_u64(uint64_t a, uint64_t b, uint32_t in, uint32_t *out)
{
	uint64_t sum = a + b, all = sum + in;

	*out = (uint32_t)(sum < a) | (uint32_t)(all < sum);
	return all;
}

/* a + ~b + carry: the adder's computation, so that addc after sub.cc adds what the hardware adds.
 */
static inline uint32_t sub_carry_u32(uint32_t a, uint32_t b, uint32_t in, uint32_t *out)
{
	return add_carry_u32(a, ~b, in, out);
}

static inline uint64_t sub_carry_u64(uint64_t a, uint64_t b, uint32_t in, uint32_t *out)
{
	return add_carry_u64(a, ~b, in, out);
}

static inline int32_t relu_s32(int32_t a)
{
	return a < 0 ? 0 : a;
}

/* One half of a pair: a and b have it in their low bits. */
#define PAIRS(name, T) \
	static inline T min_of_##name(uint32_t a, uint32_t b) \
	{ \
		return (T)a < (T)b ? (T)a : (T)b; \
	} \
	static inline T max_of_##name(uint32_t a, uint32_t b) \
	{ \
		return (T)a > (T)b ? (T)a : (T)b; \
	}
PAIRS(u16, uint16_t)
PAIRS(s16, int16_t)
#undef PAIRS

static inline int16_t min_relu_of_s16(uint32_t a, uint32_t b)
{
	return (int16_t)relu_s32(min_of_s16(a, b));
}

static inline int16_t max_relu_of_s16(uint32_t a, uint32_t b)
{
	return (int16_t)relu_s32(max_of_s16(a, b));
}

/* ---- bytes and halves of words, signed or not */

static inline int32_t byte_of(uint32_t a, unsigned k, bool is_signed)
{
	uint32_t byte = a >> 8 * k & 0xff;

	return is_signed ? (int32_t)(byte << 24) >> 24 : (int32_t)byte;
}

static inline uint32_t dp4a(uint32_t a, uint32_t b, uint32_t c, bool sa, bool sb)
{
	unsigned k;

	for (k = 0; k < 4; k++)
		c += (uint32_t)(byte_of(a, k, sa) * byte_of(b, k, sb));
	return c;
}

static inline uint32_t dp2a(uint32_t a, uint32_t b, uint32_t c, bool sa, bool sb)
{
	int32_t low = sa ? (int32_t)(a << 16) >> 16 : (int32_t)(a & 0xffff);
	int32_t high = sa ? (int32_t)a >> 16 : (int32_t)(a >> 16);

	return c + (uint32_t)(low * byte_of(b, 0, sb)) + (uint32_t)(high * byte_of(b, 1, sb));
}

static inline uint32_t absdiff_byte(uint32_t a, uint32_t b, unsigned k, bool sa, bool sb)
{
	int32_t d = byte_of(a, k, sa) - byte_of(b, k, sb);

	return (uint32_t)(d < 0 ? -d : d);
}

static inline uint32_t absdiff4(uint32_t a, uint32_t b, bool sa, bool sb)
{
	uint32_t r = 0;
	unsigned k;

	for (k = 0; k < 4; k++)
		r |= (absdiff_byte(a, b, k, sa, sb) & 0xff) << 8 * k;
	return r;
}

static inline uint32_t absdiff4_sum(uint32_t a, uint32_t b, bool sa, bool sb)
{
	uint32_t r = 0;
	unsigned k;

	for (k = 0; k < 4; k++)
		r += absdiff_byte(a, b, k, sa, sb);
	return r;
}

/* cvt.pack: a above b, each saturated to `bits`. */
static inline uint32_t pack_s(int32_t a, int32_t b, unsigned bits)
{
	int32_t most = (int32_t)((1u << (bits - 1)) - 1), least = -most - 1;
	uint32_t keep = (1u << bits) - 1;

	a = a < least ? least : a > most ? most : a;
	b = b < least ? least : b > most ? most : b;
	return ((uint32_t)a & keep) << bits | ((uint32_t)b & keep);
}

static inline uint32_t pack_u(int32_t a, int32_t b, unsigned bits)
{
	int32_t most = (int32_t)((1u << bits) - 1);

	a = a < 0 ? 0 : a > most ? most : a;
	b = b < 0 ? 0 : b > most ? most : b;
	return (uint32_t)a << bits | (uint32_t)b;
}

/* ---- saturation: clamp_TO_u takes unsigned values, clamp_TO_s signed ones */

#define CLAMP_UNSIGNED(name, T, MAX) \
	static inline T clamp_##name##_u(uint64_t a) \
	{ \
		return a > MAX ? MAX : (T)a; \
	} \
	static inline T clamp_##name##_s(int64_t a) \
	{ \
		return a < 0 ? 0 : clamp_##name##_u((uint64_t)a); \
	}
#define CLAMP_SIGNED(name, T, MIN, MAX) \
	static inline T clamp_##name##_u(uint64_t a) \
	{ \
		return a > (uint64_t)MAX ? MAX : (T)a; \
	} \
	static inline T clamp_##name##_s(int64_t a) \
	{ \
		return a < MIN ? MIN : a > MAX ? MAX : (T)a; \
	}
CLAMP_UNSIGNED(u8, uint8_t, UINT8_MAX)
CLAMP_UNSIGNED(u16, uint16_t, UINT16_MAX)
CLAMP_UNSIGNED(u32, uint32_t, UINT32_MAX)
CLAMP_UNSIGNED(u64, uint64_t, UINT64_MAX)
CLAMP_SIGNED(s8, int8_t, INT8_MIN, INT8_MAX)
CLAMP_SIGNED(s16, int16_t, INT16_MIN, INT16_MAX)
CLAMP_SIGNED(s32, int32_t, INT32_MIN, INT32_MAX)
CLAMP_SIGNED(s64, int64_t, INT64_MIN, INT64_MAX)
#undef CLAMP_UNSIGNED
#undef CLAMP_SIGNED
#define CLASS_u8 u
#define CLASS_u16 u
#define CLASS_u32 u
#define CLASS_u64 u
#define CLASS_s8 s
#define CLASS_s16 s
#define CLASS_s32 s
#define CLASS_s64 s
/* name_TO_u(...) or name_TO_s(...), depending on whether source type S is unsigned or signed. */
#define BY_CLASS_PASTE(name, D, class) name##_##D##_##class
#define BY_CLASS_EXPAND(name, D, class) BY_CLASS_PASTE(name, D, class)
#define BY_CLASS(name, D, S) BY_CLASS_EXPAND(name, D, CLASS_##S)

/* ---- bits; without branches where the vectoriser needs it */

static inline uint32_t popc32(uint32_t a)
{
	a -= (a >> 1) & 0x55555555u;
	a = (a & 0x33333333u) + ((a >> 2) & 0x33333333u);
	a = (a + (a >> 4)) & 0x0f0f0f0fu;
	return a * 0x01010101u >> 24;
}

static inline uint32_t clz64(uint64_t a)
{
	return a == 0 ? 64u : (uint32_t)__builtin_clzll(a);
}

static inline uint32_t brev32(uint32_t a)
{
	a = (a >> 1 & 0x55555555u) | (a & 0x55555555u) << 1;
	a = (a >> 2 & 0x33333333u) | (a & 0x33333333u) << 2;
	a = (a >> 4 & 0x0f0f0f0fu) | (a & 0x0f0f0f0fu) << 4;
	a = (a >> 8 & 0x00ff00ffu) | (a & 0x00ff00ffu) << 8;
	return a >> 16 | a << 16;
}

/* bfind.shiftamt: leading zeros, or all ones when no bit was found. */
static inline uint32_t shiftamt(uint32_t zeros, uint32_t width)
{
	return zeros == width ? 0xffffffffu : zeros;
}

/* The low `n` bits set; n up to 64. */
static inline uint64_t low_mask(uint32_t n)
{
	return n > 63 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
}

static inline uint64_t bfe_u(uint64_t a, uint32_t position, uint32_t length, uint32_t width)
{
	uint32_t p = position & 0xff, n = length & 0xff;

	return p >= width ? 0 : (a >> p) & low_mask(n);
}

/* Bits above the field, and above the word, are the field's highest bit or the word's sign. */
static inline uint64_t bfe_s(uint64_t a, uint32_t position, uint32_t length, uint32_t width)
{
	uint32_t p = position & 0xff, n = length & 0xff;
	uint32_t top = p + n - 1 < width - 1 ? p + n - 1 : width - 1;
	uint64_t sign = n == 0 ? 0 : 0 - ((a >> top) & 1);
	uint64_t field = p >= width ? 0 : a >> p;
	uint32_t have = p >= width ? 0 : width - p;
	uint64_t mask = low_mask(n < have ? n : have);

	return (field & mask) | (sign & ~mask);
}

static inline uint64_t bfi(
	uint64_t a, uint64_t b, uint32_t position, uint32_t length, uint32_t width)
{
	uint32_t p = position & 0xff, n = length & 0xff;
	uint64_t mask = p >= width ? 0 : low_mask(n) << p;

	return (b & ~mask) | (p >= width ? 0 : a << p & mask);
}

static inline uint32_t bmsk(uint32_t position, uint32_t length)
{
	return (uint32_t)(low_mask(length) << position);
}

/* The n-th set bit from `base` on (n > 0 upwards, n < 0 downwards, 0: base itself), or all ones. */
static inline uint32_t fns(uint32_t mask, uint32_t base, int32_t n)
{
	uint32_t count = n < 0 ? 0u - (uint32_t)n : (uint32_t)n, at;

	if (base > 31)
		return UINT32_MAX;
	if (n == 0)
		return mask >> base & 1 ? base : UINT32_MAX;
	for (at = base; at < 32; at += n < 0 ? UINT32_MAX : 1)
		if ((mask >> at & 1) && --count == 0)
			return at;
	return UINT32_MAX;
}

static inline uint32_t szext_u(uint32_t a, uint32_t bits)
{
	return a & (uint32_t)low_mask(bits);
}

static inline uint32_t szext_s(uint32_t a, uint32_t bits)
{
	uint32_t sign = bits == 0 ? 0 : a >> (bits - 1) & 1, keep = (uint32_t)low_mask(bits);

	return (a & keep) | ((0 - sign) & ~keep);
}

static inline uint32_t lop3(uint32_t a, uint32_t b, uint32_t c, uint32_t table)
{
	uint32_t r = 0;

	r |= (0 - (table & 1)) & ~a & ~b & ~c;
	r |= (0 - (table >> 1 & 1)) & ~a & ~b & c;
	r |= (0 - (table >> 2 & 1)) & ~a & b & ~c;
	r |= (0 - (table >> 3 & 1)) & ~a & b & c;
	r |= (0 - (table >> 4 & 1)) & a & ~b & ~c;
	r |= (0 - (table >> 5 & 1)) & a & ~b & c;
	r |= (0 - (table >> 6 & 1)) & a & b & ~c;
	r |= (0 - (table >> 7 & 1)) & a & b & c;
	return r;
}

static inline uint64_t pair(uint32_t low, uint32_t high)
{
	return (uint64_t)high << 32 | low;
}

/* One byte of prmt: bits 0..2 of the selector choose it, bit 3 replicates its sign. */
static inline uint32_t prmt_byte(uint64_t bytes, uint32_t selector)
{
	uint32_t byte = (uint32_t)(bytes >> (selector & 7) * 8) & 0xff;

	return selector & 8 ? (byte & 0x80 ? 0xff : 0) : byte;
}

static inline uint32_t prmt(uint32_t a, uint32_t b, uint32_t selector)
{
	uint64_t bytes = pair(a, b);

	return prmt_byte(bytes, selector & 15) | prmt_byte(bytes, selector >> 4 & 15) << 8 |
	       prmt_byte(bytes, selector >> 8 & 15) << 16 |
	       prmt_byte(bytes, selector >> 12 & 15) << 24;
}

/* Selectors of prmt's modes, one nibble per byte, for c = 0..3. */
static inline uint32_t prmt_b4e(uint32_t c)
{
	return c == 0 ? 0x5670u : c == 1 ? 0x6701u : c == 2 ? 0x7012u : 0x0123u;
}

static inline uint32_t prmt_ecl(uint32_t c)
{
	return c == 0 ? 0x3210u : c == 1 ? 0x3211u : c == 2 ? 0x3222u : 0x3333u;
}

static inline uint32_t prmt_ecr(uint32_t c)
{
	return c == 0 ? 0x0000u : c == 1 ? 0x1110u : c == 2 ? 0x2210u : 0x3210u;
}

/* ---- windows of the generic address space */

static inline bool in_shared(uint64_t a)
{
	return a - GENERIC_SHARED_BASE < GENERIC_LOCAL_BASE - GENERIC_SHARED_BASE;
}

static inline bool in_local(uint64_t a)
{
	return a - GENERIC_LOCAL_BASE < GENERIC_LOCAL_BASE;
}

static inline bool in_global(uint64_t a)
{
	return a >= GENERIC_GLOBAL_BASE;
}

/* Constant memory is in the range of global addresses; parameters have no generic address. */
static inline bool in_const(uint64_t a)
{
	(void)a;
	return false;
}

static inline bool in_param(uint64_t a)
{
	(void)a;
	return false;
}

#endif
