/* Instructions of bits and bytes, and one body over all types. */
#include "tests/programs/cuda.h"

KERNEL bit_counts(const u32 *in, u32 *out)
{
	u32 v = in[thread()];

	out[thread()] = (u32)__builtin_popcount(v) | (v ? (u32)__builtin_clz(v) : 32) << 8 |
			(v ? (u32)__builtin_ctz(v) : 32) << 16;
}

KERNEL bit_counts64(const u64 *in, u32 *out)
{
	u64 v = in[thread()];

	out[thread()] = (u32)__builtin_popcountll(v) | (v ? (u32)__builtin_clzll(v) : 64) << 8 |
			(v ? (u32)__builtin_ctzll(v) : 64) << 16;
}

KERNEL bit_reverse(const u64 *in, u64 *out)
{
	u64 v = in[thread()];

	out[2 * thread()] = __builtin_bitreverse64(v);
	out[2 * thread() + 1] =
		(u64)__builtin_bitreverse32((u32)v) << 32 | __builtin_bswap32((u32)v);
}

KERNEL bit_fields(const u32 *in, u32 *out)
{
	u32 v = in[thread()], at = v >> 27, n = v >> 22 & 31, a, b, c;

	__asm__("bfe.u32 %0, %1, %2, %3;" : "=r"(a) : "r"(v), "r"(at), "r"(n));
	__asm__("bfe.s32 %0, %1, %2, %3;" : "=r"(b) : "r"(v), "r"(at), "r"(n));
	__asm__("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(c) : "r"(0x5a5a5a5a), "r"(v), "r"(at), "r"(n));
	out[3 * thread()] = a;
	out[3 * thread() + 1] = b;
	out[3 * thread() + 2] = c;
}

KERNEL byte_permute(const u32 *in, u32 *out)
{
	u32 a = in[2 * thread()], b = in[2 * thread() + 1], r, s;

	__asm__("prmt.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(a >> 7));
	__asm__("prmt.b32.f4e %0, %1, %2, %3;" : "=r"(s) : "r"(a), "r"(b), "r"(thread()));
	out[2 * thread()] = r;
	out[2 * thread() + 1] = s;
}

KERNEL funnel_shifts(const u32 *in, u32 *out)
{
	u32 a = in[2 * thread()], b = in[2 * thread() + 1], r, s;

	__asm__("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(thread()));
	__asm__("shf.r.clamp.b32 %0, %1, %2, %3;" : "=r"(s) : "r"(a), "r"(b), "r"(thread()));
	out[3 * thread()] = r;
	out[3 * thread() + 1] = s;
	out[3 * thread() + 2] = a << (thread() & 31) | a >> (-thread() & 31);
}

KERNEL three_way_logic(const u32 *in, u32 *out)
{
	u32 a = in[3 * thread()], b = in[3 * thread() + 1], c = in[3 * thread() + 2], r, s;

	__asm__("lop3.b32 %0, %1, %2, %3, 0xe8;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
	__asm__("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(s) : "r"(a), "r"(b), "r"(c));
	out[2 * thread()] = r;
	out[2 * thread() + 1] = s;
}

KERNEL sums_of_differences(const u32 *in, u32 *out)
{
	u32 a = in[2 * thread()], b = in[2 * thread() + 1], r, s, t, u;

	__asm__("sad.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(a));
	__asm__("sad.s32 %0, %1, %2, %3;" : "=r"(s) : "r"(a), "r"(b), "r"(b));
	__asm__("mad24.lo.s32 %0, %1, %2, %3;" : "=r"(t) : "r"(a), "r"(b), "r"(r));
	__asm__("mul24.hi.u32 %0, %1, %2;" : "=r"(u) : "r"(a), "r"(b));
	out[4 * thread()] = r;
	out[4 * thread() + 1] = s;
	out[4 * thread() + 2] = t;
	out[4 * thread() + 3] = u;
}

KERNEL morton(u32 *out)
{
	u32 x = threadIdx.x * 1021, y = blockIdx.x * 2039, code = 0, back = 0;

	for (u32 i = 0; i < 16; i++)
		code |= (x >> i & 1) << 2 * i | (y >> i & 1) << (2 * i + 1);
	u32 v = code & 0x55555555;
	v = (v | v >> 1) & 0x33333333;
	v = (v | v >> 2) & 0x0f0f0f0f;
	v = (v | v >> 4) & 0x00ff00ff;
	back = (v | v >> 8) & 0xffff;
	out[2 * thread()] = code;
	out[2 * thread() + 1] = back;
}

KERNEL gray_codes(const u32 *in, u32 *out)
{
	u32 v = in[thread()], g = v ^ v >> 1, back = g;

	for (u32 by = 16; by; by >>= 1)
		back ^= back >> by;
	out[thread()] = g;
	out[gridDim.x * blockDim.x + thread()] = back;
}

/* The next number with as many ones (Gosper). */
KERNEL next_combination(const u32 *in, u32 *out)
{
	u32 v = in[thread()] & 0xffff;

	if (v) {
		u32 low = v & -v, high = v + low;

		out[thread()] = high | (((v ^ high) >> 2) / low);
	}
}

/* Hamming (7,4) with a flipped bit, corrected. */
KERNEL hamming(const u8 *in, u8 *out)
{
	u32 d = in[thread()] & 15, flip = in[thread()] >> 4 & 7, at;
	u32 d1 = d & 1, d2 = d >> 1 & 1, d3 = d >> 2 & 1, d4 = d >> 3;
	u32 word = (d1 ^ d2 ^ d4) | (d1 ^ d3 ^ d4) << 1 | d1 << 2 | (d2 ^ d3 ^ d4) << 3 | d2 << 4 |
		   d3 << 5 | d4 << 6;

	if (flip < 7)
		word ^= 1u << flip;
	at = ((u32)__builtin_popcount(word & 0x55) & 1) |
	     ((u32)__builtin_popcount(word & 0x66) & 1) << 1 |
	     ((u32)__builtin_popcount(word & 0x78) & 1) << 2;
	if (at)
		word ^= 1u << (at - 1);
	out[thread()] = (u8)((word >> 2 & 1) | (word >> 3 & 14));
}

KERNEL float_bits(const u32 *in, u32 *out)
{
	float f = __builtin_bit_cast(float, in[thread()]);
	u32 exponent = in[thread()] >> 23 & 255;

	out[3 * thread()] = (u32)(f < 0) | (u32)(f != f) << 1 | (u32)(f == f) << 2;
	out[3 * thread() + 1] = __builtin_bit_cast(u32, __builtin_fabsf(f)) + exponent;
	out[3 * thread() + 2] = __builtin_bit_cast(u32, __builtin_copysignf(1.5f, f));
}

KERNEL saturations(const s32 *in, s32 *out)
{
	s32 v = in[thread()], a, b, c;
	float f = (float)v * 1e-6f, g;

	__asm__("cvt.sat.u8.s32 %0, %1;" : "=r"(a) : "r"(v >> 16));
	__asm__("cvt.sat.s16.s32 %0, %1;" : "=r"(b) : "r"(v >> 12));
	__asm__("add.sat.s32 %0, %1, %2;" : "=r"(c) : "r"(v), "r"(v));
	__asm__("mul.sat.f32 %0, %1, 0f3a800000;" : "=f"(g) : "f"(f));
	out[4 * thread()] = a;
	out[4 * thread() + 1] = b;
	out[4 * thread() + 2] = c;
	out[4 * thread() + 3] = (s32)(g * 1048576);
}

KERNEL roundings(const float *in, s32 *out)
{
	float v = in[thread()];
	s32 a, b, c, d;

	__asm__("cvt.rni.s32.f32 %0, %1;" : "=r"(a) : "f"(v));
	__asm__("cvt.rzi.s32.f32 %0, %1;" : "=r"(b) : "f"(v));
	__asm__("cvt.rmi.s32.f32 %0, %1;" : "=r"(c) : "f"(v));
	__asm__("cvt.rpi.s32.f32 %0, %1;" : "=r"(d) : "f"(v));
	out[4 * thread()] = a;
	out[4 * thread() + 1] = b;
	out[4 * thread() + 2] = c;
	out[4 * thread() + 3] = d;
}

/* One body over all types: sums, products, quotients, remainders and order. */
template <typename T> DEVICE void mixed(const T *a, const T *b, T *out)
{
	T x = a[thread()], y = b[thread()], d = y ? y : (T)3;
	T least = x < y ? x : y;

	out[4 * thread()] = (T)((T)(x + y) * (T)(x - y));
	out[4 * thread() + 1] = (T)((T)(x / (T)(d < (T)0 ? (T)2 : d)) + least);
	out[4 * thread() + 2] = (T)((T)(x >> 3) ^ (T)(y << 2) ^ (T)~x);
	out[4 * thread() + 3] = (T)(x % (T)(d < (T)0 ? (T)7 : d));
}

#define MIXED(T) \
	KERNEL mixed_##T(const T *a, const T *b, T *out) \
	{ \
		mixed(a, b, out); \
	}
MIXED(s8)
MIXED(u8)
MIXED(s16)
MIXED(u16)
MIXED(s32)
MIXED(u32)
MIXED(s64)
MIXED(u64)

template <typename T> DEVICE void real(const T *a, const T *b, T *out)
{
	T x = a[thread()], y = b[thread()];

	out[4 * thread()] = (x + y) * (x - y);
	out[4 * thread() + 1] = x / (y + (T)3);
	out[4 * thread() + 2] = x < y ? x : -y;
	out[4 * thread() + 3] = (T)(s32)(x * (T)1000) + (T)(u64)(y * y * (T)77777);
}

KERNEL real_float(const float *a, const float *b, float *out)
{
	real(a, b, out);
}

KERNEL real_double(const double *a, const double *b, double *out)
{
	real(a, b, out);
}
