/* What sums, extremes and prefix sums give. */
#include "tests/programs/programs.h"

#include <math.h>

static void sum_groups(const struct program_run *r, uint32_t group)
{
	const uint32_t *in = r->b[0];
	uint32_t *out = r->b[1];

	for (uint32_t i = 0; i < r->threads; i++)
		out[i / group] += in[i];
}

static void reduce_tree(const struct program_run *r)
{
	sum_groups(r, r->block);
}

static void reduce_divergent(const struct program_run *r)
{
	sum_groups(r, r->block);
}

static void reduce_shuffle(const struct program_run *r)
{
	sum_groups(r, 32);
}

static void reduce_strided(const struct program_run *r)
{
	const uint32_t *in = r->b[0];
	uint32_t *out = r->b[1];

	for (uint32_t i = 0; i < r->v[0]; i++)
		*out += in[i];
}

static void reduce_max(const struct program_run *r)
{
	const int32_t *in = r->b[0];
	int32_t *out = r->b[1];

	for (uint32_t i = 0; i < r->threads; i++)
		*out = in[i] > *out ? in[i] : *out;
}

static void reduce_min64(const struct program_run *r)
{
	const uint64_t *in = r->b[0];
	uint64_t *out = r->b[1];

	for (uint32_t i = 0; i < r->threads; i++)
		if (i % 64 == 0 || in[i] < out[i / 64])
			out[i / 64] = in[i];
}

static void reduce_xor(const struct program_run *r)
{
	const uint64_t *in = r->b[0];
	uint64_t *out = r->b[1];

	for (uint32_t i = 0; i < r->threads; i++)
		out[i / 32] ^= in[i];
}

static void reduce_float(const struct program_run *r)
{
	const float *in = r->b[0];
	float *out = r->b[1];

	for (uint32_t c = 0; c < r->ctas; c++) {
		double sum = 0;

		for (uint32_t i = 0; i < r->block * r->v[0]; i++)
			sum += (double)in[c * r->block * r->v[0] + i];
		out[c] = (float)sum;
	}
}

static void dot_double(const struct program_run *r)
{
	const double *a = r->b[0], *b = r->b[1];
	double *out = r->b[2];

	for (uint32_t i = 0; i < r->v[0]; i++)
		out[i % r->block] = fma(a[i], b[i], out[i % r->block]);
}

static void dot_short(const struct program_run *r)
{
	const int16_t *a = r->b[0], *b = r->b[1];
	int64_t *out = r->b[2];

	for (uint32_t i = 0; i < r->threads * r->v[0]; i++)
		out[i / r->v[0]] += a[i] * b[i];
}

static void argmax(const struct program_run *r)
{
	const uint32_t *in = r->b[0];
	uint32_t *out = r->b[1];

	for (uint32_t i = 0; i < r->threads; i++) {
		uint32_t c = i / r->block;

		if (in[i] > in[c * r->block + out[c]])
			out[c] = i % r->block;
	}
}

static void scan(const struct program_run *r, uint32_t group, bool exclusive)
{
	const uint32_t *in = r->b[0];
	uint32_t *out = r->b[1], n = r->threads * (exclusive ? 2 : 1), sum = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (i % group == 0)
			sum = 0;
		out[i] = exclusive ? sum : sum + in[i];
		sum += in[i];
	}
}

static void scan_steps(const struct program_run *r)
{
	scan(r, 128, false);
}

static void scan_tree(const struct program_run *r)
{
	scan(r, 128, true);
}

static void scan_warps(const struct program_run *r)
{
	scan(r, r->block, false);
}

static void scan_segments(const struct program_run *r)
{
	const uint32_t *in = r->b[0];
	const uint8_t *flags = r->b[1];
	uint32_t *out = r->b[2], sum = 0;

	for (uint32_t i = 0; i < r->threads; i++) {
		sum = i % 32 == 0 || flags[i] ? in[i] : sum + in[i];
		out[i] = sum;
	}
}

static void compact(const struct program_run *r)
{
	const uint32_t *in = r->b[0];
	uint32_t *out = r->b[1], *kept = r->b[2];

	for (uint32_t i = 0; i < r->threads; i++)
		if (in[i] & 1)
			out[i / 32 * 32 + kept[i / 32]++] = in[i];
}

static void mean_variance(const struct program_run *r)
{
	const double *in = r->b[0];
	double *out = r->b[1];
	uint32_t n = r->v[0];

	for (uint32_t t = 0; t < r->block; t++) {
		double sum = 0, squares = 0;

		for (uint32_t i = 0; i < n; i++)
			sum += in[i * r->block + t];
		for (uint32_t i = 0; i < n; i++)
			squares += pow(in[i * r->block + t] - sum / n, 2);
		out[2 * t] = sum / n;
		out[2 * t + 1] = squares / (n - 1);
	}
}

static void last_cta_sums(const struct program_run *r)
{
	const uint32_t *in = r->b[0];
	uint32_t *parts = r->b[1], *tickets = r->b[2], *total = r->b[3];

	for (uint32_t i = 0; i < r->threads; i++)
		parts[i / r->block] += in[i];
	*tickets = r->ctas;
	for (uint32_t i = 0; i < r->ctas; i++)
		*total += parts[i];
}

static void running_max(const struct program_run *r)
{
	const int32_t *in = r->b[0];
	int32_t *out = r->b[1];

	for (uint32_t i = 0; i < r->threads * r->v[0]; i++)
		out[i] = i % r->v[0] && out[i - 1] > in[i] ? out[i - 1] : in[i];
}

static void moving_average(const struct program_run *r)
{
	const uint32_t *in = r->b[0];
	uint32_t *out = r->b[1], n = r->v[0], window = r->v[1];

	for (uint32_t i = 0; i < n; i++) {
		uint32_t first = i < window ? 0 : i - window;
		uint32_t end = i + window + 1 < n ? i + window + 1 : n, sum = 0;

		for (uint32_t k = first; k < end; k++)
			sum += in[k];
		out[i] = sum / (end - first);
	}
}

static const struct program_row rows[] = {
	PROGRAM(reduce_tree, 4, 128, BUFFERS(RANDOM(U32, 512, 0), OUT(U32, 4))),
	PROGRAM(reduce_divergent, 3, 64, BUFFERS(RANDOM(U32, 192, 0), OUT(U32, 3))),
	PROGRAM(reduce_strided, 3, 64, BUFFERS(RANDOM(U32, 1000, 0), OUT(U32, 1)), VALUES(1000)),
	PROGRAM(reduce_shuffle, 2, 96, BUFFERS(RANDOM(U32, 192, 0), OUT(U32, 6))),
	PROGRAM(reduce_max, 4, 64, BUFFERS(RANDOM(U32, 256, 0), OUT(U32, 1))),
	PROGRAM(reduce_min64, 2, 64, BUFFERS(RANDOM(U64, 128, 0), OUT(U64, 2))),
	PROGRAM(reduce_xor, 2, 64, BUFFERS(RANDOM(U64, 128, 0), OUT(U64, 4))),
	PROGRAM(reduce_float, 2, 64, BUFFERS(RANDOM(F32, 1280, 8), OUT(F32, 2)), VALUES(10),
		.tolerance = 1e-5),
	PROGRAM(dot_double, 1, 32, BUFFERS(RANDOM(F64, 500, 4), RANDOM(F64, 500, 4), OUT(F64, 32)),
		VALUES(500)),
	PROGRAM(dot_short, 2, 32, BUFFERS(RANDOM(U16, 1024, 0), RANDOM(U16, 1024, 0), OUT(U64, 64)),
		VALUES(16)),
	PROGRAM(argmax, 3, 128, BUFFERS(RANDOM(U32, 384, 50), OUT(U32, 3))),
	PROGRAM(scan_steps, 2, 128, BUFFERS(RANDOM(U32, 256, 0), OUT(U32, 256))),
	PROGRAM(scan_tree, 2, 64, BUFFERS(RANDOM(U32, 256, 0), OUT(U32, 256))),
	PROGRAM(scan_warps, 2, 256, BUFFERS(RANDOM(U32, 512, 0), OUT(U32, 512))),
	PROGRAM(scan_segments, 2, 64,
		BUFFERS(RANDOM(U32, 128, 0), RANDOM(U8, 128, 2), OUT(U32, 128))),
	PROGRAM(compact, 2, 64, BUFFERS(RANDOM(U32, 128, 0), OUT(U32, 128), OUT(U32, 4))),
	PROGRAM(mean_variance, 1, 32, BUFFERS(RANDOM(F64, 1600, 100), OUT(F64, 64)), VALUES(50),
		.tolerance = 1e-11),
	PROGRAM(last_cta_sums, 6, 32,
		BUFFERS(RANDOM(U32, 192, 0), OUT(U32, 6), OUT(U32, 1), OUT(U32, 1))),
	PROGRAM(running_max, 2, 32, BUFFERS(RANDOM(U32, 640, 0), OUT(U32, 640)), VALUES(10)),
	PROGRAM(moving_average, 2, 64, BUFFERS(RANDOM(U32, 100, 1000), OUT(U32, 100)),
		VALUES(100, 3)),
};

const struct program_file reduce_programs = {"reduce", rows, ARRAY_LEN(rows)};
