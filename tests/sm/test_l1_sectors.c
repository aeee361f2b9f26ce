/* Sectors of the L1: what a miss requests, and what a load that needs more of a line in flight
 * does. */
#include "tests/rig/support_sm.h"

#include "core/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define SECTORS(n) ONE_SM " l2.fill_line=false l1.whole_line=false l1.sector_bytes=" #n

/* One thread loads words at these bytes of the input, all at once, then again when all are here. */
static struct probed loads(const char *settings, const char *operator, const unsigned * at)
{
	struct text t = {0};
	struct probed d;

	for (unsigned again = 0; again < 2; again++) {
		for (unsigned i = 0; at[i] != UINT32_MAX; i++)
			text_raw(
				&t, "ld.global%s.u32 %%r%u, [%%r1+%u];\n", operator, 20 + i, at[i]);
		for (unsigned i = 0; at[i] != UINT32_MAX; i++)
			text_raw(&t, "add.u32 %%r3, %%r3, %%r%u;\n", 20 + i);
		text_raw(&t, "setp.eq.u32 %%p1, %%r3, 77; @%%p1 bra END;\n");
	}
	text_raw(&t, "st.global.u32 [%%r2], %%r3;\n");
	d = probe_run(&(struct probe){.settings = settings, .body = text_str(&t), .threads = 1});
	text_clear(&t);
	return d;
}

static void a_miss_requests_the_sectors_that_lack(void **state)
{
	static const struct {
		const char *settings;
		unsigned at[6];
		unsigned bytes, packets, hits, merged, partial;
	} rows[] = {
		{SECTORS(16), {0, UINT32_MAX}, 16, 1, 1, 0, 0},
		{SECTORS(32), {0, UINT32_MAX}, 32, 1, 1, 0, 0},
		{SECTORS(64), {0, UINT32_MAX}, 64, 1, 1, 0, 0},
		{SECTORS(128), {0, UINT32_MAX}, 128, 1, 1, 0, 0},
		{SECTORS(32), {0, 28, UINT32_MAX}, 32, 1, 2, 1, 0},
		{SECTORS(32), {0, 32, UINT32_MAX}, 64, 2, 2, 0, 0},
		{SECTORS(32), {4, 100, 36, 68, UINT32_MAX}, 128, 4, 4, 0, 0},
		{SECTORS(64), {4, 100, 36, 68, UINT32_MAX}, 128, 2, 4, 2, 0},
		{SECTORS(32), {0, 128, 64, UINT32_MAX}, 96, 3, 3, 0, 0},
		{ONE_SM " l1.sector_bytes=32", {0, 64, UINT32_MAX}, 128, 1, 2, 1, 0},
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(rows); i++) {
		struct probed d = loads(rows[i].settings, "", rows[i].at);

		if (probe_metric(&d, "l1tex__m_xbar2l1tex_read_bytes.sum") != rows[i].bytes ||
			probe_metric(&d, "l1tex__m_l1tex2xbar_req_packets.sum") !=
				rows[i].packets + 1 ||
			probe_metric(&d, "l1tex__t_lines_load_lookup_hit.sum") != rows[i].hits ||
			probe_metric(&d, "l1tex__t_lines_load_lookup_merged.sum") !=
				rows[i].merged ||
			probe_metric(&d, "l1tex__t_lines_load_lookup_partial.sum") !=
				rows[i].partial)
			fail_msg("row %u: %g bytes, %g hits, %g merged", i,
				probe_metric(&d, "l1tex__m_xbar2l1tex_read_bytes.sum"),
				probe_metric(&d, "l1tex__t_lines_load_lookup_hit.sum"),
				probe_metric(&d, "l1tex__t_lines_load_lookup_merged.sum"));
		probe_free(&d);
	}
}

static void loads_past_the_l1_are_of_whole_sectors(void **state)
{
	static const unsigned at[] = {4, UINT32_MAX};
	struct probed d = loads(SECTORS(32) " l1.keeps=none", "", at);

	(void)state;
	assert_true(probe_metric(&d, "l1tex__m_xbar2l1tex_read_bytes.sum") == 2 * 32);
	probe_free(&d);
}

/* A warp's load of a whole line, a sector of which is valid and another in flight, requests the
 * other two. */
static void a_wide_load_requests_what_is_left(void **state)
{
	static const char body[] =
		"ld.global.u32 %r9, [%r1]; add.u32 %r9, %r9, 1;\n"
		"setp.eq.u32 %p1, %r9, 77; @%p1 bra END;\n"
		"setp.eq.u32 %p2, %r3, 0; @%p2 ld.global.u32 %r10, [%r1+32];\n"
		"add.u32 %r11, %r1, %r4; ld.global.u32 %r12, [%r11];\n"
		"add.u32 %r9, %r9, %r10; add.u32 %r9, %r9, %r12; st.global.u32 [%r2], %r9;\n";
	struct probed d = probe_run(&(struct probe){SECTORS(32), body, 1, 32});

	(void)state;
	assert_true(probe_metric(&d, "l1tex__t_lines_load_lookup_partial.sum") == 1);
	assert_true(probe_metric(&d, "l1tex__m_xbar2l1tex_read_bytes.sum") == 128);
	assert_true(probe_metric(&d, "l1tex__m_l1tex2xbar_req_packets.sum") == 4);
	probe_free(&d);
}

/* Lanes 0 to 15 load two sectors: one is valid, the other in flight. */
static void a_load_of_what_is_valid_or_in_flight_requests_nothing(void **state)
{
	static const char body[] =
		"ld.global.u32 %r9, [%r1]; add.u32 %r9, %r9, 1;\n"
		"setp.eq.u32 %p1, %r9, 77; @%p1 bra END;\n"
		"setp.eq.u32 %p2, %r3, 0; @%p2 ld.global.u32 %r10, [%r1+32];\n"
		"setp.lt.u32 %p3, %r3, 16; add.u32 %r11, %r1, %r4;\n"
		"@%p3 ld.global.u32 %r12, [%r11];\n"
		"add.u32 %r9, %r9, %r10; add.u32 %r9, %r9, %r12; st.global.u32 [%r2], %r9;\n";
	struct probed d = probe_run(&(struct probe){SECTORS(32), body, 1, 32});

	(void)state;
	assert_true(probe_metric(&d, "l1tex__t_lines_load_lookup_partial.sum") == 1);
	assert_true(probe_metric(&d, "l1tex__m_xbar2l1tex_read_bytes.sum") == 64);
	assert_true(probe_metric(&d, "l1tex__m_l1tex2xbar_req_packets.sum") == 3);
	probe_free(&d);
}

/* Both sectors are on their way together: the second load waits for the tags, not for the first. */
static void another_sector_of_a_line_in_flight_is_requested_at_once(void **state)
{
	static const char body[] = CLOCK_START
		"ld.global.u32 %r9, [%r1]; ld.global.u32 %r10, [%r1+32];\n"
		"add.u32 %r10, %r9, %r10;\n" CLOCK_STOP "st.global.u32 [%r2+4096], %r10;\n";
	struct probe p = {SECTORS(32) " l2.bytes=0", body, 1, 1};
	struct probe lines = {ONE_SM " l2.bytes=0", body, 1, 1};
	unsigned together = probe_cycles(&p), merged = probe_cycles(&lines);

	(void)state;
	if (together > merged + 2)
		fail_msg("%u cycles, %u for a line", together, merged);
}

static void sectors_are_powers_of_two(void **state)
{
	(void)state;
	kit_refused("l1.sector_bytes=48",
		"l1.sector_bytes = 48: must be a power of two from 16 to a "
		"line of 128 bytes");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_miss_requests_the_sectors_that_lack),
		cmocka_unit_test(loads_past_the_l1_are_of_whole_sectors),
		cmocka_unit_test(a_wide_load_requests_what_is_left),
		cmocka_unit_test(a_load_of_what_is_valid_or_in_flight_requests_nothing),
		cmocka_unit_test(another_sector_of_a_line_in_flight_is_requested_at_once),
		cmocka_unit_test(sectors_are_powers_of_two),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
