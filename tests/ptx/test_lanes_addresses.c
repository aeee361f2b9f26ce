/* Lanes' addresses and what a level reports of them, at every level of the host: of random planes
 * whose upper words are one, differ, or differ by a carry. */
#include "core/base.h"
#include "core/rng.h"
#include "ptx/exec/exec.h"
#include "ptx/isa/lanes.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define TRIALS 20000

struct planes {
	uint32_t low[WARP_LANES], high[WARP_LANES];
	struct lane_base base;
};

/* Consecutive, strided, two rows or two elements, random; sometimes around a multiple of 4 GB. */
static void draw(struct rng *r, struct planes *p)
{
	static const uint32_t masks[] = {UINT32_MAX, 0x0000ffff, 0x00ff00f0, 0x80000000, 1};
	uint64_t start = rng_u64(r) % (UINT64_C(1) << (rng_below(r, 2) ? 20 : 44));
	unsigned bytes = 1u << rng_below(r, 6), how = rng_below(r, 5);
	uint64_t second = bytes * (uint64_t)rng_below(r, 40);
	bool narrow = rng_below(r, 3) == 0;

	if (rng_below(r, 3) == 0)
		start = (start | UINT32_MAX) - rng_below(r, 40) * bytes + 1;
	for (unsigned i = 0; i < WARP_LANES; i++) {
		uint64_t step = how == 0   ? i * bytes
				: how == 1 ? i * UINT64_C(4096)
				: how == 2 ? i % 16 * bytes + i / 16 * second
				: how == 3 ? i / 16 * second
					   : rng_u64(r) % (UINT64_C(1) << 34);

		p->low[i] = (uint32_t)(start + step);
		p->high[i] = narrow ? 0 : (uint32_t)((start + step) >> 32);
	}
	p->base = (struct lane_base){.low = p->low,
		.high = p->high,
		.offset = rng_below(r, 2) ? rng_u64(r) % 8192 * bytes : 0u - (uint64_t)4 * bytes,
		.wrap = narrow ? UINT32_MAX : UINT64_MAX,
		.mask = rng_below(r, 2) ? UINT32_MAX : masks[rng_below(r, ARRAY_LEN(masks))],
		.bytes = bytes};
	if (rng_below(r, 4) == 0)
		p->base.mask = (uint32_t)rng_u64(r) | 1u << rng_below(r, 32);
}

/* Halves that are found are; those of few distinct upper words are found. */
static void expect_halves(
	const struct planes *p, const uint64_t *addr, const struct lane_span *span)
{
	uint64_t step = addr[1] - addr[0];
	bool halves = p->base.mask == UINT32_MAX && (!step || step == p->base.bytes), near = true;

	for (unsigned i = 0; i < WARP_LANES; i++) {
		halves = halves && addr[i] == addr[i / 16 * 16] + i % 16 * step;
		near = near && p->high[i] == p->high[0] && addr[i] < UINT32_MAX / 2 &&
		       p->low[i] < UINT32_MAX / 2;
	}
	if (span->halves || near)
		assert_int_equal(span->halves, !halves ? HALVES_ANY
					       : step  ? HALVES_ROWS
						       : HALVES_SAME);
}

static void expect(const struct planes *p, const uint64_t *addr, const struct lane_span *span)
{
	uint64_t least = UINT64_MAX, most = 0, any = 0, all = UINT64_MAX, start = 0;
	bool row = true, first = true;

	expect_halves(p, addr, span);
	for (unsigned i = 0; i < WARP_LANES; i++) {
		uint64_t a =
			(((uint64_t)p->high[i] << 32 | p->low[i]) + p->base.offset) & p->base.wrap;

		if (!(p->base.mask >> i & 1))
			continue;
		assert_int_equal(addr[i], a);
		if (first)
			start = a - (uint64_t)i * p->base.bytes;
		first = false;
		row = row && a == start + (uint64_t)i * p->base.bytes;
		least = a < least ? a : least;
		most = a > most ? a : most;
		any |= a;
		all &= a;
	}
	assert_int_equal(span->least, least);
	assert_int_equal(span->most, most);
	assert_int_equal((span->bits ^ any) & (p->base.bytes - 1), 0);
	if (!span->halves)
		assert_int_equal(span->same, ~(any ^ all));
	row = row && most - least < WARP_LANES * p->base.bytes;
	assert_int_equal(span->contiguous, row && p->base.mask == UINT32_MAX && addr[31] > addr[0]);
	assert_int_equal(span->row && most - least < (uint64_t)WARP_LANES * p->base.bytes, row);
}

static void each_level_gives_the_addresses_that_wide_sums_give(void **state)
{
	static const char *const names[] = {"baseline", "x86-64-v3", "x86-64-v4", "arm64"};

	(void)state;
	for (unsigned l = 0; l < ARRAY_LEN(names); l++) {
		struct err err = {0};
		const struct lanes *lanes = lanes_select(names[l], &err);
		struct rng r = rng_new(7, 1);

		err_clear(&err);
		for (unsigned i = 0; lanes && i < TRIALS; i++) {
			uint64_t addr[WARP_LANES];
			struct lane_span span;
			struct planes p;

			draw(&r, &p);
			lanes->address(&p.base, addr, &span);
			expect(&p, addr, &span);
		}
	}
}

static void filling_leaves_the_other_lanes(void **state)
{
	static const char *const names[] = {"baseline", "x86-64-v3", "x86-64-v4", "arm64"};

	(void)state;
	for (unsigned l = 0; l < ARRAY_LEN(names); l++) {
		struct err err = {0};
		const struct lanes *lanes = lanes_select(names[l], &err);
		uint32_t planes[3][WARP_LANES] = {{0}};

		err_clear(&err);
		if (!lanes)
			continue;
		lanes->fill(planes[0], 2, 9, 0x80000005);
		for (unsigned i = 0; i < WARP_LANES; i++) {
			assert_int_equal(planes[0][i], 0x80000005 >> i & 1 ? 9 : 0);
			assert_int_equal(planes[1][i], planes[0][i]);
			assert_int_equal(planes[2][i], 0);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_level_gives_the_addresses_that_wide_sums_give),
		cmocka_unit_test(filling_leaves_the_other_lanes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
