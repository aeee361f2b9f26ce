/* What instructions of bits and bytes give, and one body over all types. */
#include "tests/programs/programs.h"

#include <math.h>
#include <string.h>

/* Ones, and zeros before the first and behind the last one. */
static uint32_t counts(uint64_t v, unsigned width)
{
	uint32_t ones = 0, leading = width, trailing = width;

	for (unsigned i = width; i-- > 0;)
		if (v >> i & 1) {
			ones++;
			leading = leading == width ? width - 1 - i : leading;
			trailing = i;
		}
	return ones | leading << 8 | trailing << 16;
}

static void thin(const struct program_run *r)
{
	uint32_t *in = r->b[0];

	in[0] = 0;
	for (uint32_t i = 1; i < r->threads; i++)
		in[i] = in[i] >> i % 32 << i % 7;
}

static void thin64(const struct program_run *r)
{
	uint64_t *in = r->b[0];

	in[0] = 0;
	for (uint32_t i = 1; i < r->threads; i++)
		in[i] = in[i] >> i % 64 << i % 7;
}

static void bit_counts(const struct program_run *r)
{
	const uint32_t *in = r->b[0];
	uint32_t *out = r->b[1];

	for (uint32_t i = 0; i < r->threads; i++)
		out[i] = counts(in[i], 32);
}

static void bit_counts64(const struct program_run *r)
{
	const uint64_t *in = r->b[0];
	uint32_t *out = r->b[1];

	for (uint32_t i = 0; i < r->threads; i++)
		out[i] = counts(in[i], 64);
}

static void bit_reverse(const struct program_run *r)
{
	const uint64_t *in = r->b[0];
	uint64_t *out = r->b[1];

	for (uint32_t i = 0; i < 64 * r->threads; i++) {
		uint64_t bit = in[i / 64] >> i % 64 & 1;

		out[i / 64 * 2] |= bit << (63 - i % 64);
		if (i % 64 < 32)
			out[i / 64 * 2 + 1] |=
				bit << (63 - i % 64) | bit << (24 - i % 64 / 8 * 8 + i % 8);
	}
}

static void bit_fields(const struct program_run *r)
{
	const uint32_t *in = r->b[0];
	uint32_t *out = r->b[1];

	for (uint32_t i = 0; i < r->threads; i++) {
		uint32_t v = in[i], at = v >> 27, n = v >> 22 & 31, *o = out + 3 * i;
		uint32_t last = at + n - 1 > 31 ? 31 : at + n - 1;

		o[2] = v;
		for (uint32_t k = 0; k < 32; k++) {
			uint32_t bit = at + k < 32 ? v >> (at + k) & 1 : 0;

			if (k < n) {
				o[0] |= bit << k;
				if (at + k < 32) {
					o[2] &= ~(1u << (at + k));
					o[2] |= (0x5a5a5a5au >> k & 1) << (at + k);
				}
			}
			if (n)
				o[1] |= (k < n && at + k < 32 ? bit : v >> last & 1) << k;
		}
	}
}

static void byte_permute(const struct program_run *r)
{
	const uint8_t *in = r->b[0];
	uint8_t *out = r->b[1];

	for (uint32_t i = 0; i < r->threads; i++)
		for (uint32_t k = 0; k < 4; k++) {
			uint32_t selector = ((uint32_t *)r->b[0])[2 * i] >> 7 >> 4 * k & 15;
			uint8_t byte = in[8 * i + selector % 8];

			out[8 * i + k] = selector < 8 ? byte : byte & 0x80 ? 0xff : 0;
			out[8 * i + 4 + k] = in[8 * i + i % 4 + k];
		}
}

static void funnel_shifts(const struct program_run *r)
{
	const uint32_t *in = r->b[0];
	uint32_t *out = r->b[1];

	for (uint32_t i = 0; i < r->threads; i++) {
		uint64_t both = (uint64_t)in[2 * i + 1] << 32 | in[2 * i];

		out[3 * i] = (uint32_t)(both << i % 32 >> 32);
		out[3 * i + 1] = (uint32_t)(both >> (i < 32 ? i : 32));
		out[3 * i + 2] =
			(uint32_t)(((uint64_t)in[2 * i] << 32 | in[2 * i]) << i % 32 >> 32);
	}
}

static void three_way_logic(const struct program_run *r)
{
	const uint32_t *in = r->b[0];
	uint32_t *out = r->b[1];

	for (uint32_t i = 0; i < r->threads * 32; i++) {
		uint32_t n = 0, bit = i % 32;

		for (uint32_t k = 0; k < 3; k++)
			n += in[i / 32 * 3 + k] >> bit & 1;
		out[i / 32 * 2] |= (n > 1 ? 1u : 0) << bit;
		out[i / 32 * 2 + 1] |= n % 2 << bit;
	}
}

static void sums_of_differences(const struct program_run *r)
{
	const uint32_t *in = r->b[0];

	for (uint32_t i = 0; i < r->threads; i++) {
		uint32_t a = in[2 * i], b = in[2 * i + 1], *out = (uint32_t *)r->b[1] + 4 * i;
		int64_t d = (int64_t)(int32_t)a - (int32_t)b;
		int64_t a24 = a % (1 << 24), b24 = b % (1 << 24);

		out[0] = a + (a > b ? a - b : b - a);
		out[1] = b + (uint32_t)(d < 0 ? -d : d);
		out[3] = (uint32_t)(((uint64_t)a24 * (uint64_t)b24) >> 16);
		a24 -= a24 >> 23 << 24;
		b24 -= b24 >> 23 << 24;
		out[2] = (uint32_t)(a24 * b24) + out[0];
	}
}

static void morton(const struct program_run *r)
{
	uint32_t *out = r->b[0];

	for (uint32_t i = 0; i < r->threads; i++) {
		uint32_t x = i % r->block * 1021 % 65536, y = i / r->block * 2039 % 65536,
			 place = 1;

		out[2 * i + 1] = x;
		for (; x || y; x /= 2, y /= 2, place *= 4)
			out[2 * i] += (x % 2 + 2 * (y % 2)) * place;
	}
}

static void gray_codes(const struct program_run *r)
{
	const uint32_t *in = r->b[0];
	uint32_t *out = r->b[1];

	for (uint32_t i = 0; i < r->threads; i++) {
		out[i] = in[i] ^ in[i] / 2;
		out[r->threads + i] = in[i];
	}
}

static void next_combination(const struct program_run *r)
{
	const uint32_t *in = r->b[0];
	uint32_t *out = r->b[1];

	for (uint32_t i = 0; i < r->threads; i++) {
		uint32_t v = in[i] & 0xffff;

		if (!v)
			continue;
		for (out[i] = v + 1; (counts(out[i], 32) & 255) != (counts(v, 32) & 255);)
			out[i]++;
	}
}

static void hamming(const struct program_run *r)
{
	const uint8_t *in = r->b[0];
	uint8_t *out = r->b[1];

	for (uint32_t i = 0; i < r->threads; i++)
		out[i] = in[i] & 15;
}

static void special_floats(const struct program_run *r)
{
	static const uint32_t special[] = {0, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00000,
		0xffc12345, 0x7f800001, 1, 0x80000001, 0x007fffff, 0x00800000};

	memcpy(r->b[0], special, sizeof(special));
}

static void float_bits(const struct program_run *r)
{
	const uint32_t *in = r->b[0];
	uint32_t *out = r->b[1];

	for (uint32_t i = 0; i < r->threads; i++) {
		bool negative = in[i] >> 31, nan = (in[i] & 0x7fffffff) > 0x7f800000;

		out[3 * i] = nan ? 2 : negative && in[i] != 0x80000000 ? 5 : 4;
		out[3 * i + 1] = (in[i] & 0x7fffffff) + (in[i] << 1 >> 24);
		out[3 * i + 2] = negative ? 0xbfc00000 : 0x3fc00000;
	}
}

static int64_t limit(int64_t v, int64_t low, int64_t high)
{
	return v < low ? low : v > high ? high : v;
}

static void saturations(const struct program_run *r)
{
	const int32_t *in = r->b[0];

	for (uint32_t i = 0; i < r->threads; i++) {
		int32_t *out = (int32_t *)r->b[1] + 4 * i;
		float f = (float)in[i] * 1e-6f * 0x1p-10f;

		out[0] = (int32_t)limit((int64_t)floor(in[i] / 65536.0), 0, 255);
		out[1] = (int32_t)limit((int64_t)floor(in[i] / 4096.0), -32768, 32767);
		out[2] = (int32_t)limit(2 * (int64_t)in[i], INT32_MIN, INT32_MAX);
		out[3] = (int32_t)(fminf(fmaxf(f, 0), 1) * 1048576);
	}
}

static void halves(const struct program_run *r)
{
	float *in = r->b[0];

	for (uint32_t i = 0; i < 32; i++)
		in[i] = (float)i / 2 - 8;
}

static void roundings(const struct program_run *r)
{
	const float *in = r->b[0];

	for (uint32_t i = 0; i < r->threads; i++) {
		int32_t *out = (int32_t *)r->b[1] + 4 * i;
		double v = (double)in[i], low = floor(v);
		bool even = fmod(low, 2) == 0, up = v - low > 0.5 || (v - low == 0.5 && !even);

		out[0] = (int32_t)low + up;
		out[1] = (int32_t)in[i];
		out[2] = (int32_t)low;
		out[3] = (int32_t)ceil(v);
	}
}

/* Small types are computed in 64 bits and cut, 64-bit ones in their own. */
#define MIXED(name, T, wide) \
	static void name(const struct program_run *r) \
	{ \
		const T *a = r->b[0], *b = r->b[1]; \
		for (uint32_t i = 0; i < r->threads; i++) { \
			T *out = (T *)r->b[2] + 4 * i; \
			wide x = (wide)a[i], y = (wide)b[i], d = y ? y : 3; \
			uint64_t ux = (uint64_t)x, uy = (uint64_t)y; \
			out[0] = (T)((ux + uy) * (ux - uy)); \
			out[1] = (T)((uint64_t)(x / ((T)d < (T)1 ? 2 : d)) + (x < y ? ux : uy)); \
			out[2] = (T)((uint64_t)(x >> 3) ^ uy << 2 ^ ~ux); \
			out[3] = (T)(x % ((T)d < (T)1 ? 7 : d)); \
		} \
	}
MIXED(mixed_s8, int8_t, int64_t)
MIXED(mixed_u8, uint8_t, uint64_t)
MIXED(mixed_s16, int16_t, int64_t)
MIXED(mixed_u16, uint16_t, uint64_t)
MIXED(mixed_s32, int32_t, int64_t)
MIXED(mixed_u32, uint32_t, uint64_t)
MIXED(mixed_s64, int64_t, int64_t)
MIXED(mixed_u64, uint64_t, uint64_t)

#define REAL(name, T) \
	static void name(const struct program_run *r) \
	{ \
		const T *a = r->b[0], *b = r->b[1]; \
		for (uint32_t i = 0; i < r->threads; i++) { \
			T *out = (T *)r->b[2] + 4 * i; \
			volatile T sum = a[i] + b[i], difference = a[i] - b[i], \
				   square = b[i] * b[i]; \
			out[0] = sum * difference; \
			out[1] = a[i] / (3 + b[i]); \
			out[2] = a[i] < b[i] ? a[i] : -b[i]; \
			out[3] = (T)(int)(a[i] * 1000) + (T)(unsigned)(square * 77777); \
		} \
	}
REAL(real_float, float)
REAL(real_double, double)

#define TYPED(name, type) \
	PROGRAM(name, 2, 64, BUFFERS(RANDOM(type, 128, 0), RANDOM(type, 128, 0), OUT(type, 512)))

static const struct program_row rows[] = {
	PROGRAM(bit_counts, 2, 64, BUFFERS(RANDOM(U32, 128, 0), OUT(U32, 128)), .prepare = thin),
	PROGRAM(bit_counts64, 2, 64, BUFFERS(RANDOM(U64, 128, 0), OUT(U32, 128)),
		.prepare = thin64),
	PROGRAM(bit_reverse, 2, 32, BUFFERS(RANDOM(U64, 64, 0), OUT(U64, 128))),
	PROGRAM(bit_fields, 4, 64, BUFFERS(RANDOM(U32, 256, 0), OUT(U32, 768))),
	PROGRAM(byte_permute, 2, 64, BUFFERS(RANDOM(U32, 256, 0), OUT(U32, 256))),
	PROGRAM(funnel_shifts, 1, 64, BUFFERS(RANDOM(U32, 128, 0), OUT(U32, 192))),
	PROGRAM(three_way_logic, 1, 64, BUFFERS(RANDOM(U32, 192, 0), OUT(U32, 128))),
	PROGRAM(sums_of_differences, 2, 64, BUFFERS(RANDOM(U32, 256, 0), OUT(U32, 512))),
	PROGRAM(morton, 4, 64, BUFFERS(OUT(U32, 512))),
	PROGRAM(gray_codes, 2, 64, BUFFERS(RANDOM(U32, 128, 0), OUT(U32, 256))),
	PROGRAM(next_combination, 2, 64, BUFFERS(RANDOM(U32, 128, 0), OUT(U32, 128))),
	PROGRAM(hamming, 2, 64, BUFFERS(RANDOM(U8, 128, 0), OUT(U8, 128))),
	PROGRAM(float_bits, 2, 64, BUFFERS(RANDOM(U32, 128, 0), OUT(U32, 384)),
		.prepare = special_floats),
	PROGRAM(saturations, 2, 64, BUFFERS(RANDOM(U32, 128, 0), OUT(U32, 512))),
	PROGRAM(roundings, 2, 64, BUFFERS(RANDOM(F32, 128, 100), OUT(U32, 512)), .prepare = halves),
	TYPED(mixed_s8, U8),
	TYPED(mixed_u8, U8),
	TYPED(mixed_s16, U16),
	TYPED(mixed_u16, U16),
	TYPED(mixed_s32, U32),
	TYPED(mixed_u32, U32),
	TYPED(mixed_s64, U64),
	TYPED(mixed_u64, U64),
	TYPED(real_float, F32),
	TYPED(real_double, F64),
};

const struct program_file bits_programs = {"bits", rows, ARRAY_LEN(rows)};
