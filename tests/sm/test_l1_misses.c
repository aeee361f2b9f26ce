/* Misses of the L1: ways that they reserve, requests that wait for the network; and what stores
 * leave. */
#include "tests/rig/support_sm.h"

#include "core/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define KB2 ONE_SM " l2.bytes=0 storage.partitioned.cache_bytes=2K" /* four sets of 4 ways */

/* One thread loads n words, `step` bytes apart, without waiting, then from the first line on again.
 */
static struct probed burst(const char *settings, unsigned n, unsigned step)
{
	struct text t = {0};
	struct probed d;

	text_raw(&t, "%s", CLOCK_START);
	for (unsigned i = 0; i < n; i++)
		text_raw(&t, "ld.global.u32 %%r%u, [%%r1+%u];\n", 20 + i, i * step);
	for (unsigned i = 0; i < n; i++)
		text_raw(&t, "add.u32 %%r3, %%r3, %%r%u;\n", 20 + i);
	text_raw(&t, "%sst.global.u32 [%%r2+4096], %%r3;\n", CLOCK_STOP);
	d = probe_run(&(struct probe){.settings = settings, .body = text_str(&t), .threads = 1});
	text_clear(&t);
	return d;
}

/* The fifth line of a set waits for the first line's arrival. */
static void lines_in_flight_occupy_their_ways(void **state)
{
	static const struct {
		unsigned n, step;
		bool waits;
	} rows[] = {{4, 512, false}, {5, 512, true}, {16, 128, false}, {17, 128, true}};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(rows); i++) {
		struct probed free = burst(KB2, rows[i].n, rows[i].step);
		struct probed taken = burst(KB2 " l1.reserve=true", rows[i].n, rows[i].step);
		double stalls = probe_metric(&taken, "l1tex__cycles_tag_stalled_way.sum");
		unsigned more = probe_u32(&taken, 0) - probe_u32(&free, 0);

		assert_true(probe_metric(&free, "l1tex__cycles_tag_stalled_way.sum") == 0);
		if (rows[i].waits ? stalls < 300 || more < 300 : stalls > 0 || more > 0)
			fail_msg("%u lines: %g stalls, %u cycles more", rows[i].n, stalls, more);
		probe_free(&free);
		probe_free(&taken);
	}
}

/* While four lines are on their way, a line of the same set that was there is not found any more:
 * its way was taken. Otherwise it hits. */
static void a_reserved_way_holds_its_old_line_no_more(void **state)
{
	static const char body[] =
		"ld.global.u32 %r9, [%r1]; add.u32 %r9, %r9, 1;\n"
		"setp.eq.u32 %p1, %r9, 77; @%p1 bra END;\n"
		"ld.global.u32 %r10, [%r1+512]; ld.global.u32 %r11, [%r1+1024];\n"
		"ld.global.u32 %r12, [%r1+1536]; ld.global.u32 %r13, [%r1+2048];\n"
		"ld.global.u32 %r14, [%r1];\n"
		"add.u32 %r9, %r10, %r11; add.u32 %r9, %r9, %r12; add.u32 %r9, %r9, %r13;\n"
		"add.u32 %r9, %r9, %r14; st.global.u32 [%r2], %r9;\n";

	(void)state;
	for (unsigned reserve = 0; reserve < 2; reserve++) {
		struct probed d = probe_run(
			&(struct probe){reserve ? KB2 " l1.reserve=true" : KB2, body, 1, 1});

		assert_true(probe_metric(&d, "l1tex__t_lines_load_lookup_hit.sum") == !reserve);
		probe_free(&d);
	}
}

/* A store occupies the port for five cycles. With a queue a load behind it hits at once. */
static void requests_wait_while_others_hit(void **state)
{
	static const char body[] =
		"ld.global.u32 %r9, [%r1]; add.u32 %r9, %r9, 1;\n"
		"setp.eq.u32 %p1, %r9, 77; @%p1 bra END;\n"
		"st.global.u32 [%r2+8192], %r3; st.global.u32 [%r2+12288], %r3;\n"
		"st.global.u32 [%r2+16384], %r3; st.global.u32 [%r2+20480], %r3;\n" CLOCK_START
		"ld.global.u32 %r10, [%r1]; add.u32 %r10, %r10, 1;\n" CLOCK_STOP
		"st.global.u32 [%r2+4096], %r10;\n";
	static const struct {
		const char *settings;
		unsigned cycles, waiting;
	} rows[] = {
		/* four stores of 5 flits: the load is looked up 16 cycles after the first, not 5 */
		{ONE_SM, 2 + 20 + 16 - 5, 0},
		{ONE_SM " l1.miss_queue=8", 2 + 20, 3},
		/* the fourth store waits until the second leaves, 5 cycles after the first */
		{ONE_SM " l1.miss_queue=2", 2 + 20 + 6 - 5, 2},
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(rows); i++) {
		struct probed d = probe_run(&(struct probe){rows[i].settings, body, 1, 32});

		if (probe_u32(&d, 0) != rows[i].cycles ||
			probe_metric(&d, "l1tex__requests_waiting.max") != rows[i].waiting)
			fail_msg("%s: %u cycles", rows[i].settings, probe_u32(&d, 0));
		probe_free(&d);
	}
}

/* A line that was loaded, then stored to, then loaded; a line that was stored to, then loaded. */
static void stores_leave_what_the_policy_says(void **state)
{
	static const char body[] =
		"add.u32 %%r9, %%r1, %%r4; ld.global.u32 %%r10, [%%r9]; add.u32 %%r10, %%r10, 1;\n"
		"st.global%s.u32 [%%r9], %%r10; ld.global.u32 %%r11, [%%r9];\n"
		"add.u32 %%r11, %%r11, 1; st.global%s.%s [%%r2+65536], %%r%s;\n"
		"ld.global.u32 %%r12, [%%r2+65536];\n"
		"add.u32 %%r11, %%r11, %%r12; st.global.u32 [%%r2], %%r11;\n";
	static const struct {
		const char *settings, *operator, * type, *value;
		unsigned hits;
	} rows[] = {
		{"", "", "u32", "10", 1},
		{" l1.write=evict", "", "u32", "10", 0},
		{" l1.write=allocate", "", "u32", "10", 2},
		{" l1.write=allocate", "", "u8", "10", 1}, /* no granule is written whole */
		{" l1.write=allocate l1.operators=true", ".cg", "u32", "10", 1},
		{" l1.write=allocate l1.operators=true", ".wb", "u32", "10", 2},
		{" l1.write=allocate l1.operators=true", ".wt", "u32", "10", 1},
		{" l1.write=allocate l1.keeps=none", "", "u32", "10", 0},
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(rows); i++) {
		struct text t = {0}, s = {0};
		struct probed d;

		text_raw(&t, body, rows[i].operator, rows[i].operator, rows[i].type, rows[i].value);
		text_raw(&s, "%s%s", ONE_SM, rows[i].settings);
		d = probe_run(&(struct probe){text_str(&s), text_str(&t), 1, 32});
		if (probe_metric(&d, "l1tex__t_lines_load_lookup_hit.sum") != rows[i].hits)
			fail_msg("%s %s: %g hits", text_str(&s), rows[i].operator,
				probe_metric(&d, "l1tex__t_lines_load_lookup_hit.sum"));
		probe_free(&d);
		text_clear(&t);
		text_clear(&s);
	}
}

/* Local memory is the thread's own: its lines are updated. */
static void local_lines_are_not_evicted_by_stores(void **state)
{
	static const char body[] =
		".local .align 4 .b8 own[64];\nst.local.u32 [own], %r3; ld.local.u32 %r9, [own];\n"
		"add.u32 %r9, %r9, 1; st.local.u32 [own], %r9; ld.local.u32 %r10, [own];\n"
		"st.global.u32 [%r2], %r10;\n";
	struct probed d = probe_run(&(struct probe){ONE_SM " l1.write=evict", body, 1, 32});

	(void)state;
	assert_true(probe_metric(&d, "l1tex__t_lines_load_lookup_hit.sum") == 1);
	probe_free(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_in_flight_occupy_their_ways),
		cmocka_unit_test(a_reserved_way_holds_its_old_line_no_more),
		cmocka_unit_test(requests_wait_while_others_hit),
		cmocka_unit_test(stores_leave_what_the_policy_says),
		cmocka_unit_test(local_lines_are_not_evicted_by_stores),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
