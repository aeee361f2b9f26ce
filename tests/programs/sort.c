/* What sorting and selecting give. */
#include "tests/programs/programs.h"

#include <stdlib.h>
#include <string.h>

#define COMPARISON(name, type) \
	static int name(const void *a, const void *b) \
	{ \
		type x = *(const type *)a, y = *(const type *)b; \
		return (x > y) - (x < y); \
	}
COMPARISON(by_u8, uint8_t)
COMPARISON(by_u16, uint16_t)
COMPARISON(by_u32, uint32_t)
COMPARISON(by_s32, int32_t)
COMPARISON(by_u64, uint64_t)
COMPARISON(by_f64, double)

static void sort_u32(const struct program_run *r, uint32_t group, uint32_t groups)
{
	for (uint32_t i = 0; i < groups; i++)
		qsort((uint32_t *)r->b[0] + i * group, group, 4, by_u32);
}

static void sort_bitonic(const struct program_run *r)
{
	sort_u32(r, 128, r->ctas);
}

static void sort_bitonic_warp(const struct program_run *r)
{
	for (uint32_t i = 0; i < r->threads; i += 32)
		qsort((int32_t *)r->b[0] + i, 32, 4, by_s32);
}

static void sort_odd_even(const struct program_run *r)
{
	qsort(r->b[0], r->v[0], 8, by_u64);
}

static void sort_radix_split(const struct program_run *r)
{
	sort_u32(r, 32, r->threads / 32);
}

static void sort_radix_count(const struct program_run *r)
{
	sort_u32(r, 64, r->ctas);
}

static void merge_path(const struct program_run *r)
{
	uint32_t n = r->v[0];

	memcpy(r->b[2], r->b[0], n * 4);
	memcpy((uint32_t *)r->b[2] + n, r->b[1], n * 4);
	qsort(r->b[2], 2 * n, 4, by_u32);
}

static void sort_rank(const struct program_run *r)
{
	memcpy(r->b[1], r->b[0], r->v[0] * 4);
	qsort(r->b[1], r->v[0], 4, by_u32);
}

static void sort_insertion(const struct program_run *r)
{
	sort_u32(r, 24, r->threads);
}

static void sort_shell(const struct program_run *r)
{
	for (uint32_t i = 0; i < r->threads; i++)
		qsort((uint16_t *)r->b[0] + i * r->v[0], r->v[0], 2, by_u16);
}

static void sort_heap(const struct program_run *r)
{
	for (uint32_t i = 0; i < r->threads; i++)
		qsort((int32_t *)r->b[0] + i * r->v[0], r->v[0], 4, by_s32);
}

static void sort_quick(const struct program_run *r)
{
	sort_u32(r, r->v[0], r->threads);
}

static void sort_counting(const struct program_run *r)
{
	memcpy(r->b[1], r->b[0], r->threads);
	qsort(r->b[1], r->threads, 1, by_u8);
}

static void select_nth(const struct program_run *r)
{
	uint32_t *out = r->b[1], n = r->v[0], a[64];

	for (uint32_t i = 0; i < r->threads; i++) {
		memcpy(a, (uint32_t *)r->b[0] + i * n, n * 4);
		qsort(a, n, 4, by_u32);
		out[i] = a[i % n];
	}
}

static void sort_comb(const struct program_run *r)
{
	for (uint32_t i = 0; i < r->threads; i++)
		qsort((double *)r->b[0] + i * r->v[0], r->v[0], 8, by_f64);
}

static void sort_merge(const struct program_run *r)
{
	sort_u32(r, 64, r->ctas);
}

/* The float's bits ride in the low half of a 64-bit key; positions keep equal keys in order. */
static void sort_pairs(const struct program_run *r)
{
	uint32_t *keys = r->b[0], n = r->v[0];
	float *values = r->b[1], old[64];
	uint64_t both[64];

	for (uint32_t t = 0; t < r->threads; t++) {
		memcpy(old, values + t * n, n * 4);
		for (uint32_t i = 0; i < n; i++)
			both[i] = (uint64_t)keys[t * n + i] << 32 | i;
		qsort(both, n, 8, by_u64);
		for (uint32_t i = 0; i < n; i++) {
			keys[t * n + i] = (uint32_t)(both[i] >> 32);
			values[t * n + i] = old[(uint32_t)both[i]];
		}
	}
}

static const struct program_row rows[] = {
	PROGRAM(sort_bitonic, 2, 128, BUFFERS(RANDOM(U32, 256, 0))),
	PROGRAM(sort_bitonic_warp, 2, 64, BUFFERS(RANDOM(U32, 128, 0))),
	PROGRAM(sort_odd_even, 1, 64, BUFFERS(RANDOM(U64, 101, 0)), VALUES(101), .slow = true),
	PROGRAM(sort_radix_split, 1, 64, BUFFERS(RANDOM(U32, 64, 0)), .slow = true),
	PROGRAM(sort_radix_count, 2, 64, BUFFERS(RANDOM(U32, 128, 0))),
	PROGRAM(merge_path, 2, 100,
		BUFFERS(SORTED(U32, 100, 9), SORTED(U32, 100, 9), OUT(U32, 200)), VALUES(100)),
	PROGRAM(sort_rank, 4, 32, BUFFERS(RANDOM(U32, 120, 90), OUT(U32, 120)), VALUES(120)),
	PROGRAM(sort_insertion, 1, 40, BUFFERS(RANDOM(U32, 960, 0))),
	PROGRAM(sort_shell, 2, 16, BUFFERS(RANDOM(U16, 1280, 0)), VALUES(40)),
	PROGRAM(sort_heap, 1, 32, BUFFERS(RANDOM(U32, 1056, 0)), VALUES(33)),
	PROGRAM(sort_quick, 1, 32, BUFFERS(RANDOM(U32, 1600, 300)), VALUES(50)),
	PROGRAM(sort_counting, 1, 256, BUFFERS(RANDOM(U8, 256, 0), OUT(U8, 256))),
	PROGRAM(select_nth, 2, 32, BUFFERS(RANDOM(U32, 1472, 60), OUT(U32, 64)), VALUES(23)),
	PROGRAM(sort_comb, 1, 32, BUFFERS(RANDOM(F64, 640, 7)), VALUES(20)),
	PROGRAM(sort_merge, 2, 64, BUFFERS(RANDOM(U32, 128, 500))),
	PROGRAM(sort_pairs, 1, 32, BUFFERS(RANDOM(U32, 640, 12), RANDOM(F32, 640, 0)), VALUES(20)),
};

const struct program_file sort_programs = {"sort", rows, ARRAY_LEN(rows)};
