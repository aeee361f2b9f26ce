/* What kernels written by hand give. */
#include "tests/programs/programs.h"

#include <string.h>

static void old_saxpy(const struct program_run *r)
{
	const float *x = r->b[0];
	float *y = r->b[1];

	for (uint32_t i = 0; i < r->v[0]; i++)
		y[i] = y[i] + x[i] * 3;
}

static void old_set_slct(const struct program_run *r)
{
	const int32_t *in = r->b[0];
	int32_t *out = r->b[1];

	for (uint32_t i = 0; i < r->threads; i++) {
		int32_t v = in[i] - 500, far = v > 100 ? v - 100 : 100 - v;

		out[i] = (v > 100 ? 64 : 0) | (v < 0 ? 9 : 7) | (v < 0 ? 128 : 0) | 16;
		out[i] += far * 256;
	}
}

static void old_reduce(const struct program_run *r)
{
	const uint32_t *in = r->b[0];
	uint32_t *out = r->b[1];

	for (uint32_t i = 0; i < r->threads; i++)
		out[i / 128] += in[i];
}

static void old_spaghetti(const struct program_run *r)
{
	uint32_t *out = r->b[0];

	for (uint32_t i = 0; i < r->threads; i++)
		for (uint32_t n = i; n > 1; n = n % 2 ? 3 * n + 1 : n / 2)
			out[i]++;
}

static const struct program_row old_rows[] = {
	PROGRAM(old_saxpy, 4, 64, BUFFERS(RANDOM(F32, 200, 9), RANDOM(F32, 200, 9)), VALUES(200)),
	PROGRAM(old_set_slct, 1, 128, BUFFERS(RANDOM(U32, 128, 1000), OUT(U32, 128))),
	PROGRAM(old_reduce, 3, 128, BUFFERS(RANDOM(U32, 384, 0), OUT(U32, 3))),
	PROGRAM(old_spaghetti, 1, 128, BUFFERS(OUT(U32, 128))),
};

const struct program_file old_programs = {"old", old_rows, ARRAY_LEN(old_rows)};

/* The same jumps, with a note which entry comes next. */
static void irreducible(const struct program_run *r)
{
	const uint32_t *in = r->b[0];
	uint32_t *out = r->b[1];

	for (uint32_t i = 0; i < r->threads; i++) {
		uint32_t v = in[i];
		bool first = v % 2 == 0;

		for (;;) {
			if (first) {
				out[i]++;
				v /= 2;
				if (v < 5)
					break;
			}
			out[i] += 256;
			v -= 3;
			first = !(v & 4);
			if (first)
				continue;
			v /= 4;
			if (v <= 9)
				break;
		}
	}
}

static void predicated(const struct program_run *r)
{
	const int32_t *in = r->b[0];
	int32_t *out = r->b[1];

	for (uint32_t i = 0; i < r->threads; i++) {
		int32_t v = in[i] < 0 ? -in[i] : in[i];
		bool third = v > 1000000 && in[i]<0, fourth = v> 1000000000 || in[i] >= 0;

		v = third != fourth ? v / 7 : v % 1000;
		out[i] = third ? v : v + 5;
	}
}

static void warp_words(const struct program_run *r)
{
	const uint32_t *in = r->b[0];
	uint32_t *out = r->b[1];

	for (uint32_t i = 0; i < r->threads; i++) {
		uint32_t near = i ^ 1, word = near % 32 < 28 ? in[near + 4] : 77, low = 0;

		for (uint32_t k = 0; k < 32; k++)
			low |= (in[i / 32 * 32 + k] <= 0x40000000 ? 1u : 0) << k;
		out[i] = (~low ? low : word) ^ word;
	}
}

static void barrier_words(const struct program_run *r)
{
	const uint32_t *in = r->b[0];
	uint32_t *out = r->b[1];

	for (uint32_t c = 0; c < r->threads; c += 64) {
		uint32_t n = 0;

		for (uint32_t i = 0; i < 64; i++)
			n += in[c + i] < 40;
		for (uint32_t i = 0; i < 64; i++)
			out[c + i] = n | (n == 64 ? 256 : 512);
	}
}

static void small_cta(const struct program_run *r)
{
	memset(r->b[0], 0, 256); /* the first CTA's are all below */
}

static void digit_sums(const struct program_run *r)
{
	const uint32_t *in = r->b[0];
	uint32_t *out = r->b[1];

	for (uint32_t i = 0; i < r->threads; i++)
		for (uint32_t v = in[i]; v; v /= 10)
			out[i] += v % 10;
}

static void pack_words(const struct program_run *r)
{
	const uint16_t *in = r->b[0];
	uint16_t *out = r->b[1];

	for (uint32_t i = 0; i < r->threads; i++) {
		const uint16_t *h = in + 4 * i;

		out[4 * i] = h[2];
		out[4 * i + 1] = h[0];
		out[4 * i + 2] = h[2] ^ h[1];
		out[4 * i + 3] = h[2] ^ h[0];
	}
}

static void reds(const struct program_run *r)
{
	const uint32_t *in = r->b[0];
	static const uint8_t table[4] = {3, 1, 4, 1};
	uint32_t *out = r->b[1], cell[4] = {5, 5, 5, 5};

	for (uint32_t i = 0; i < r->threads; i++) {
		cell[0] += in[i];
		cell[1] = in[i] > cell[1] ? in[i] : cell[1];
		cell[2] ^= in[i];
		cell[3] = cell[3] >= 6 ? 0 : cell[3] + 1;
	}
	for (uint32_t i = 0; i < 4; i++)
		out[i] = cell[i] * 10 + table[i];
}

static void leave_one_by_one(const struct program_run *r)
{
	uint32_t *out = r->b[0];

	for (uint32_t i = 0; i < r->threads; i++)
		out[i] = i % 16 + 1;
}

static void parameters_in_memory(const struct program_run *r)
{
	const uint64_t *in = r->b[0];
	uint64_t *out = r->b[1];

	for (uint32_t i = 0; i < r->threads; i++)
		out[i] = in[i] * (in[i] % 2 ? 2 : 1) * i + 99;
}

static void branch_to_next(const struct program_run *r)
{
	const uint32_t *in = r->b[0];
	uint32_t *out = r->b[1];

	for (uint32_t i = 0; i < r->threads; i++) {
		out[i] = in[i] + (in[i] < 0x60000000 ? 2 : 1);
		for (uint32_t k = 0; k < r->block; k++)
			out[i] += in[i / r->block * r->block + k] < 0x60000000;
	}
}

#define EACH(name, type, range) \
	PROGRAM(name, 2, 64, BUFFERS(RANDOM(type, 128, range), OUT(type, 128)))

static void late_lanes(const struct program_run *r)
{
	uint32_t *out = r->b[0];

	for (uint32_t i = 0; i < r->threads; i++) {
		uint32_t first = ((i % 96 | 31) + 1) % 96;

		out[i] = 4 * first;
	}
}

/* Of each warp 31 threads, then 30 wait, 15 of them odd. */
static void barriers_apart(const struct program_run *r)
{
	uint32_t *out = r->b[0];

	for (uint32_t i = 0; i < r->threads; i++) {
		uint32_t lane = i % 32;

		if (lane < 10)
			out[i] = 45 + 45 * 20000;
		else if (lane < 31)
			out[i] = 1045 + (lane < 30 ? 45 : 4) * 10000;
	}
}

static void loops_apart(const struct program_run *r)
{
	uint32_t *out = r->b[0];

	for (uint32_t i = 0; i < r->threads; i++)
		out[i] = 96 / 4 * (1 + 2 + 3);
}

static const struct program_row rows[] = {
	EACH(irreducible, U32, 0),
	EACH(predicated, U32, 0),
	EACH(warp_words, U32, 0),
	PROGRAM(barrier_words, 3, 64, BUFFERS(RANDOM(U32, 192, 50), OUT(U32, 192)),
		.prepare = small_cta),
	EACH(digit_sums, U32, 0),
	PROGRAM(pack_words, 2, 64, BUFFERS(RANDOM(U16, 512, 0), OUT(U16, 512))),
	PROGRAM(reds, 1, 96, BUFFERS(RANDOM(U32, 96, 0), OUT(U32, 4))),
	PROGRAM(leave_one_by_one, 2, 64, BUFFERS(OUT(U32, 128))),
	EACH(parameters_in_memory, U64, 0),
	EACH(branch_to_next, U32, 0),
	PROGRAM(late_lanes, 3, 96, BUFFERS(OUT(U32, 288))),
	PROGRAM(barriers_apart, 3, 96, BUFFERS(OUT(U32, 288))),
	PROGRAM(loops_apart, 3, 96, BUFFERS(OUT(U32, 288))),
};

const struct program_file hand_programs = {"hand", rows, ARRAY_LEN(rows)};
