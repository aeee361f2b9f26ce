/* The register file hierarchy in time: which warps are descheduled and when, tags, windows of
 * traffic. */
#include "tests/rig/support_sm.h"

#include "core/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#define HARDWARE ONE_SM " rf.hierarchy=hardware"

static void tags_are_looked_up_in_a_stage_of_their_own(void **state)
{
	static const char body[] = CLOCK_START "bra.uni L;\nadd.u32 %r9, %r1, 1;\nL:\n" CLOCK_STOP;
	(void)state;

	assert_int_equal(probe_cycles(&(struct probe){ONE_SM, body, 1, 32}), 9);
	assert_int_equal(
		probe_cycles(&(struct probe){ONE_SM " rf.hierarchy=software", body, 1, 32}), 9);
	assert_int_equal(probe_cycles(&(struct probe){HARDWARE, body, 1, 32}), 10);
	assert_int_equal(
		probe_cycles(&(struct probe){HARDWARE " sm.rfc_tag_cycles=4", body, 1, 32}), 13);
}

static double metric_of(const char *settings, const char *body, unsigned threads, const char *name)
{
	struct probed d = probe_run(&(struct probe){settings, body, 1, threads});
	double value = probe_metric(&d, name);

	probe_free(&d);
	return value;
}

/* The first load misses, the second finds the line. */
#define TWO_LOADS \
	"ld.global.u32 %r9, [%r1];\nadd.u32 %r10, %r9, 1;\n" CLOCK_START \
	"ld.global.u32 %r11, [%r1+4];\nadd.u32 %r12, %r11, %r10;\n" CLOCK_STOP \
	"st.global.u32 [%r2+4096], %r12;\n"

static void a_warp_steps_aside_for_a_hit_as_for_a_miss(void **state)
{
	(void)state;
	assert_int_equal(probe_cycles(&(struct probe){ONE_SM, TWO_LOADS, 1, 32}), 22);
	assert_true(metric_of(ONE_SM, TWO_LOADS, 32, "rf__deschedules.sum") == 2);
	assert_true(metric_of(HARDWARE, TWO_LOADS, 32, "rf__deschedules.sum") == 2);
}

static void another_warp_issues_meanwhile(void **state)
{
	/* the second warp issues its one instruction while the first waits for its hit */
	static const char body[] =
		"ld.global.u32 %r9, [%r1];\nadd.u32 %r10, %r9, 1;\nbar.sync 0;\n"
		"mov.u32 %r20, %clock;\nsetp.ge.u32 %p1, %r3, 32;\n@%p1 bra OTHER;\n"
		"ld.global.u32 %r11, [%r1+4];\nadd.u32 %r12, %r11, %r10;\n"
		"OTHER: mov.u32 %r7, %clock;\nst.global.u32 [%r2], %r7;\n";
	struct probed d =
		probe_run(&(struct probe){ONE_SM " sm.two_level.active_warps=1", body, 1, 64});
	uint32_t first = probe_u32(&d, 0), other = probe_u32(&d, 32);

	(void)state;
	probe_free(&d);
	assert_true(other < first);
}

static void a_warp_waits_for_all_that_it_asked_for(void **state)
{
	static const char hit[] = "ld.global.u32 %r9, [%r1];\nadd.u32 %r10, %r9, 1;\n" CLOCK_START
				  "ld.global.u32 %r11, [%r1+4];\nadd.u32 %r12, %r11, %r10;\n"
				  "mov.u32 %r7, %clock; sub.u32 %r8, %r7, %r6;\n"
				  "st.global.u32 [%r2], %r8;\nst.global.u32 [%r2+4096], %r12;\n";
	static const char both[] = "ld.global.u32 %r9, [%r1];\nadd.u32 %r10, %r9, 1;\n" CLOCK_START
				   "ld.global.u32 %r11, [%r1+4];\nld.global.u32 %r13, "
				   "[%r1+4096];\nadd.u32 %r12, %r11, %r10;\n"
				   "mov.u32 %r7, %clock; sub.u32 %r8, %r7, %r6;\n"
				   "st.global.u32 [%r2], %r8;\nst.global.u32 [%r2+4096], %r12;\n"
				   "st.global.u32 [%r2+8192], %r13;\n";

	(void)state;
	assert_int_equal(probe_cycles(&(struct probe){ONE_SM, hit, 1, 32}), 22);
	assert_true(probe_cycles(&(struct probe){ONE_SM, both, 1, 32}) > 300);
}

/* n independent additions. */
static struct text additions(unsigned n)
{
	struct text t = {0};

	text_raw(&t, "%s", CLOCK_START);
	for (unsigned i = 0; i < n; i++)
		text_raw(&t, "add.u32 %%r%u, %%r3, %%r4;\n", 20 + i % 60);
	text_raw(&t, "%s", CLOCK_STOP);
	for (unsigned i = 0; i < 60; i++)
		text_raw(&t, "st.global.u32 [%%r2+%u], %%r%u;\n", 4096 + 128 * i, 20 + i);
	return t;
}

#define PLAIN ONE_SM " rf.hierarchy=none"

static double additions_metric(const char *settings, unsigned n, unsigned threads, const char *name)
{
	struct text t = additions(n);
	double value = metric_of(settings, text_str(&t), threads, name);

	text_clear(&t);
	return value;
}

static void each_instruction_adds_its_operands(void **state)
{
	static const char *const settings[] = {
		PLAIN, PLAIN " sm.schedulers=2", PLAIN " sm.scheduler=greedy"};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(settings); i++) {
		const char *s = settings[i];

		assert_true(additions_metric(s, 400, 32, "rf__mrf_reads.sum") ==
			    additions_metric(s, 300, 32, "rf__mrf_reads.sum") + 200);
		assert_true(additions_metric(s, 400, 64, "rf__mrf_writes.sum") ==
			    additions_metric(s, 300, 64, "rf__mrf_writes.sum") + 200);
	}
}

static void the_busiest_window_has_256_cycles(void **state)
{
	(void)state;
	assert_true(additions_metric(PLAIN, 1000, 32, "rf__mrf_reads_window.max") == 512);
	assert_true(additions_metric(PLAIN, 1000, 32, "rf__mrf_reads.max.per_cycle_active") == 2);
	assert_true(additions_metric(PLAIN " sm.schedulers=4", 1000, 128,
			    "rf__mrf_reads_window.max") == 2048);
}

static void the_choice_among_active_warps_is_a_parameter(void **state)
{
	struct text t = additions(100);
	const char *body = text_str(&t);

	(void)state;
	/* greedy: a hundred additions in a row; round robin: another warp's between each two */
	assert_int_equal(probe_cycles(&(struct probe){ONE_SM, body, 1, 64}), 101);
	assert_int_equal(
		probe_cycles(&(struct probe){ONE_SM " sm.two_level.pick=greedy", body, 1, 64}),
		101);
	assert_int_equal(
		probe_cycles(&(struct probe){ONE_SM " sm.two_level.pick=round_robin", body, 1, 64}),
		202);
	text_clear(&t);
}

static void a_cache_is_written_back_when_its_warp_steps_aside(void **state)
{
	/* %r20 and %r21 are in the cache when the warp waits for its load; one of them is dead */
	static const char body[] =
		"add.u32 %r20, %r1, 1;\nadd.u32 %r21, %r20, 2;\nadd.u32 %r22, %r21, %r20;\n"
		"ld.global.u32 %r9, [%r1];\nadd.u32 %r10, %r9, %r22;\n"
		"st.global.u32 [%r2], %r10;\n";
	static const char not_waiting[] =
		"add.u32 %r20, %r1, 1;\nadd.u32 %r21, %r20, 2;\nadd.u32 %r22, %r21, %r20;\n"
		"ld.global.u32 %r9, [%r1];\nst.global.u32 [%r2], %r22;\n";
	double with = metric_of(HARDWARE " rf.entries=13", body, 32, "rf__writebacks.sum"),
	       without =
		       metric_of(HARDWARE " rf.entries=13", not_waiting, 32, "rf__writebacks.sum");

	(void)state;
	/* %r22, and the addresses that come after */
	assert_true(without == 0);
	assert_true(with == 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tags_are_looked_up_in_a_stage_of_their_own),
		cmocka_unit_test(a_warp_steps_aside_for_a_hit_as_for_a_miss),
		cmocka_unit_test(another_warp_issues_meanwhile),
		cmocka_unit_test(a_warp_waits_for_all_that_it_asked_for),
		cmocka_unit_test(each_instruction_adds_its_operands),
		cmocka_unit_test(the_busiest_window_has_256_cycles),
		cmocka_unit_test(the_choice_among_active_warps_is_a_parameter),
		cmocka_unit_test(a_cache_is_written_back_when_its_warp_steps_aside),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
