/* The L1's sets: which lines meet, by address bits, by hash, and by many ways; its policies'
 * parameters. */
#include "tests/rig/support_sm.h"

#include "core/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* One thread loads n words, `step` bytes apart, one after the other, twice: the second round's
 * hits. */
static unsigned hits(const char *settings, unsigned n, unsigned step)
{
	struct text t = {0};
	struct probed d;
	unsigned found;

	text_raw(&t,
		"mov.u32 %%r20, 0;\nAGAIN: mov.u32 %%r21, 0; mov.u32 %%r22, %%r1;\n"
		"NEXT: ld.global.u32 %%r23, [%%r22]; add.u32 %%r3, %%r3, %%r23;\n"
		"add.u32 %%r22, %%r22, %u; add.u32 %%r22, %%r22, %%r23;\n"
		"add.u32 %%r21, %%r21, 1; setp.lt.u32 %%p1, %%r21, %u; @%%p1 bra NEXT;\n"
		"add.u32 %%r20, %%r20, 1; setp.lt.u32 %%p2, %%r20, 2; @%%p2 bra AGAIN;\n"
		"st.global.u32 [%%r2], %%r3;\n",
		step, n);
	d = probe_run(&(struct probe){.settings = settings, .body = text_str(&t), .threads = 1});
	found = (unsigned)probe_metric(&d, "l1tex__t_lines_load_lookup_hit.sum");
	probe_free(&d);
	text_clear(&t);
	return found;
}

#define KB16 ONE_SM " l2.bytes=0 storage.partitioned.cache_bytes=16K" /* 32 sets of 4 ways */

static void lines_that_meet_in_a_set_evict_each_other(void **state)
{
	static const struct {
		const char *settings;
		unsigned n, step, hits;
	} rows[] = {
		{KB16, 128, 128, 128},
		{KB16, 5, 4096, 0}, /* one set */
		{KB16, 4, 4096, 4},
		/* bits 12 and up: 4 KB apart in sets of 256 bytes are 16 sets, 8 of each apart */
		{KB16 " l1.set_bytes=8192", 5, 4096, 5},
		{KB16 " l1.set_bytes=8192", 5, 128, 0},
		{KB16 " l1.set_bytes=512", 4, 128, 4},
		{KB16 " l1.set_bytes=512", 128, 128, 128},
		{KB16 " l1.set_bytes=512", 5, 16384, 0},
		/* bits 13, 14, 15 spread them; bit 12 not: two lines in each of 4 sets */
		{KB16 " l1.set_hash=fermi", 8, 4096, 8},
		{KB16 " l1.set_hash=fermi", 10, 8192, 10},
		{KB16 " l1.set_hash=polynomial", 32, 4096, 32},
		{KB16 " l1.ways=128", 128, 4096, 128},
		{KB16 " l1.ways=128", 129, 4096, 0},
		{ONE_SM " l2.bytes=0 l1.ways=256", 256, 2048, 256},
		{ONE_SM " l2.bytes=0 l1.ways=256", 257, 256, 0},
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(rows); i++) {
		unsigned found = hits(rows[i].settings, rows[i].n, rows[i].step);

		if (found != rows[i].hits)
			fail_msg("%s: %u hits of %u lines %u apart", rows[i].settings, found,
				rows[i].n, rows[i].step);
	}
}

/* Of five lines in four ways one way is evicted all the time: the lines of three others stay. */
static void policies_have_their_parameters(void **state)
{
	(void)state;
	assert_int_equal(hits(KB16 " l1.replacement=listed", 5, 4096), 3);
	assert_int_equal(hits(KB16 " l1.replacement=listed l1.listed.order=0,1", 5, 4096), 2);
	assert_int_equal(
		hits(KB16 " l1.replacement=weighted l1.weighted.weights=0,0,1,0", 5, 4096), 3);
}

static void a_set_fits_the_cache(void **state)
{
	(void)state;
	kit_refused("storage.partitioned.cache_bytes=16K l1.ways=256",
		"l1.ways = 256: a set has 32768 bytes, the cache at most 16384; must be at most 128");
	kit_refused("l1.set_bytes=384", "l1.set_bytes = 384: must be a power of two from a line");
	kit_refused("l1.replacement=listed l1.listed.order=4",
		"l1.listed.order = '4': there is no way 4; must be below 4 ways");
	kit_refused("l2.replacement=weighted l2.weighted.weights=0",
		"l2.weighted.weights = '0': must be at most 8 numbers, not all 0");
	kit_refused("tex.replacement=listed tex.listed.order=x",
		"tex.listed.order = 'x': must be numbers of ways");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_that_meet_in_a_set_evict_each_other),
		cmocka_unit_test(policies_have_their_parameters),
		cmocka_unit_test(a_set_fits_the_cache),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
