/* Memory between SMs, faults, and what must not change a result: visibility, atomics, store logs,
 * the L1 between launches, illegal acts, host threads and disorder. */
#include "tests/rig/seeds.h"
#include "tests/rig/support_sm.h"

#include "core/base.h"
#include "core/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NO_L2 " l2.bytes=0"

/* ---- who sees what */

static void an_sm_sees_its_own_stores_at_once(void **state)
{
	/* each thread reads what its neighbour in the warp stored just before */
	static const char body[] =
		"xor.b32 %r9, %r4, 4; add.u32 %r9, %r9, %r1; add.u32 %r10, %r1, %r4;\n"
		"mov.u32 %r20, 0; mov.u32 %r21, 0;\n"
		"L: add.u32 %r11, %r3, %r20; st.global.u32 [%r10], %r11;\n"
		"ld.global.u32 %r12, [%r9]; xor.b32 %r13, %r3, 1; add.u32 %r13, %r13, %r20;\n"
		"setp.eq.u32 %p1, %r12, %r13; @%p1 add.u32 %r21, %r21, 1;\n"
		"add.u32 %r20, %r20, 1; setp.lt.u32 %p2, %r20, 50; @%p2 bra L;\n"
		"st.global.u32 [%r2], %r21;\n";
	(void)state;

	for (unsigned log = 64; log <= 4096; log *= 64) {
		char settings[64];
		struct probed d;

		snprintf(settings, sizeof(settings), "chip.sms=1 sm.store_log=%u", log);
		d = probe_run(&(struct probe){settings, body, 1, 256});
		for (unsigned i = 0; i < 256; i++)
			assert_int_equal(probe_u32(&d, i), 50);
		probe_free(&d);
	}
}

/* Of each warp some lanes mean global, others shared and others local memory: three transactions of
 * one instruction, for stores, loads and (global and shared only) atomics. */
static void lanes_of_one_access_may_mean_different_spaces(void **state)
{
	static const char body[] =
		".local .align 4 .b8 l[8];\nrem.u32 %r9, %r3, 3; add.u32 %r10, %r1, %r4;\n"
		"mov.u32 %r11, buf; cvta.shared.u32 %r11, %r11; add.u32 %r11, %r11, %r4;\n"
		"mov.u32 %r12, l; cvta.local.u32 %r12, %r12; setp.eq.u32 %p1, %r9, 1;\n"
		"setp.eq.u32 %p2, %r9, 2; selp.b32 %r10, %r11, %r10, %p1;\n"
		"selp.b32 %r10, %r12, %r10, %p2;\n"
		"add.u32 %r13, %r3, 1000; st.u32 [%r10], %r13; ld.u32 %r14, [%r10];\n"
		"@!%p2 atom.add.u32 %r15, [%r10], 5; @!%p2 red.add.u32 [%r10], 7;\n"
		"@!%p2 sub.u32 %r14, %r14, %r15;\n"
		"ld.u32 %r16, [%r10]; mad.lo.u32 %r14, %r14, 65536, %r16;\n"
		"st.global.u32 [%r2], %r14;\n";
	(void)state;

	for (unsigned log = 64; log <= 4096; log *= 64) {
		char settings[64];
		struct probed d;

		snprintf(settings, sizeof(settings), "chip.sms=1 sm.store_log=%u", log);
		d = probe_run(&(struct probe){settings, body, 1, 64});
		for (unsigned i = 0; i < 64; i++)
			assert_int_equal(probe_u32(&d, i),
				i % 3 == 2 ? (1000 + i) * 65536 + 1000 + i : 1000 + i + 12);
		assert_int_equal(probe_metric(&d, "smsp__inst_issued.sum") -
					 probe_metric(&d, "smsp__inst_executed.sum"),
			2 * (2 + 2 + 1 + 1 + 2));
		/* global: the parts of five instructions and the last store; shared, local */
		assert_int_equal(probe_metric(&d, "smsp__inst_executed_op_global.sum"), 2 * 6);
		assert_int_equal(probe_metric(&d, "smsp__inst_executed_op_shared.sum"), 2 * 5);
		assert_int_equal(probe_metric(&d, "smsp__inst_executed_op_local.sum"), 2 * 3);
		probe_free(&d);
	}
}

/* CTA 1 stores word 1 and then looks at the clock; CTA 0, on another SM, looks for it all the time.
 */
static void other_sms_see_a_store_after_the_windows_edge(void **state)
{
	static const char body[] =
		"setp.eq.u32 %p1, %r5, 1; @%p1 bra WRITER;\n"
		"L: ld.volatile.global.u32 %r9, [%r1]; mov.u32 %r7, %clock;\n"
		"setp.eq.u32 %p2, %r9, 0; @%p2 bra L;\n"
		"st.global.u32 [%r2], %r7; st.global.u32 [%r2+4096], %r9; bra END;\n"
		"WRITER: mov.u32 %r20, 0;\n"
		"W: add.u32 %r20, %r20, 1; setp.lt.u32 %p3, %r20, 33; @%p3 bra W;\n"
		"mov.u32 %r6, %clock; st.global.u32 [%r1], 1; st.global.u32 [%r2], %r6;\n";
	/* no L1: the reader's load goes to memory; its value is fixed when it is issued */
	struct probed d = probe_run(&(struct probe){"chip.sms=2 l1.hit_cycles=2", body, 2, 1});
	uint32_t seen = probe_u32(&d, 0), written = probe_u32(&d, 1) + 1;
	(void)state;

	assert_int_equal(probe_u32(&d, 1024), 1);
	assert_true(seen >= (written / 20 + 1) * 20);
	assert_true(seen <= (written / 20 + 1) * 20 + 30);
	probe_free(&d);
}

static void messages_passed_with_fences_arrive_whole(void **state)
{
	/* SM 0 and SM 1 hand a counter back and forth, with four words beside it */
	static const char body[] =
		"and.b32 %r9, %r5, 1; mov.u32 %r20, 0; mov.u32 %r21, 0;\n"
		"shr.b32 %r10, %r5, 1; shl.b32 %r10, %r10, 10; add.u32 %r1, %r1, %r10;\n"
		"LOOP: and.b32 %r11, %r20, 1; setp.eq.u32 %p1, %r11, %r9; @%p1 bra WRITE;\n"
		"WAIT: ld.volatile.global.u32 %r12, [%r1]; setp.le.u32 %p2, %r12, %r20;\n"
		"@%p2 bra WAIT; membar.gl;\n"
		"ld.global.u32 %r13, [%r1+128]; ld.global.u32 %r14, [%r1+640];\n"
		"sub.u32 %r13, %r13, %r20; sub.u32 %r14, %r14, %r20; or.b32 %r13, %r13, %r14;\n"
		"or.b32 %r21, %r21, %r13; bra NEXT;\n"
		"WRITE: st.global.u32 [%r1+128], %r20; st.global.u32 [%r1+640], %r20; membar.gl;\n"
		"add.u32 %r15, %r20, 1; st.volatile.global.u32 [%r1], %r15;\n"
		"NEXT: add.u32 %r20, %r20, 1; setp.lt.u32 %p3, %r20, 40; @%p3 bra LOOP;\n"
		"st.global.u32 [%r2], %r21; st.global.u32 [%r2+4096], %r20;\n";
	(void)state;

	for (unsigned window = 1; window <= 20; window += 19) {
		char settings[64];
		struct probed d;

		snprintf(settings, sizeof(settings), "chip.sms=8 chip.window=%u", window);
		d = probe_run(&(struct probe){settings, body, 8, 1});
		for (unsigned i = 0; i < 8; i++) {
			assert_int_equal(probe_u32(&d, i), 0);
			assert_int_equal(probe_u32(&d, 1024 + i), 40);
		}
		probe_free(&d);
	}
}

static void a_fence_ends_at_the_windows_edge(void **state)
{
	static const char body[] =
		"st.global.u32 [%r1], 5; mov.u32 %r6, %clock; membar.gl; mov.u32 %r7, %clock;\n"
		"st.global.u32 [%r2], %r6; st.global.u32 [%r2+4], %r7;\n";
	struct probed d = probe_run(&(struct probe){ONE_SM, body, 1, 1});
	uint32_t fence = probe_u32(&d, 0) + 1;
	(void)state;

	assert_int_equal(probe_u32(&d, 1), (fence / 20 + 1) * 20);
	assert_true(probe_metric(&d, "sched__cycles_membar.sum") == 20 - fence % 20 - 1);
	probe_free(&d);
}

/* ---- atomics */

static int by_value(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static void atomics_of_all_sms_give_every_value_once(void **state)
{
	static const char body[] = "atom.global.add.u32 %r9, [%r1], 1; st.global.u32 [%r2], %r9;\n";
	static const char *const settings[] = {"", NO_L2, "sm.store_log=64",
		"sm.lsu_queue=1 sm.lsu_ops=1", "storage.partitioned.cache_bytes=0"};
	enum { CTAS = 64, THREADS = 96 };
	(void)state;

	for (unsigned s = 0; s < ARRAY_LEN(settings); s++) {
		struct probed d = probe_run(&(struct probe){settings[s], body, CTAS, THREADS});
		uint32_t old[CTAS * THREADS];

		assert_int_equal(kit_u32(&d.k, d.in, 0), CTAS * THREADS);
		gpu_read(d.k.gpu, d.out, 0, old, sizeof(old));
		qsort(old, CTAS * THREADS, sizeof(*old), by_value);
		for (unsigned i = 0; i < CTAS * THREADS; i++)
			assert_int_equal(old[i], i);
		assert_true(probe_metric(&d, "l1tex__t_lines_atomic.sum") == CTAS * THREADS / 32);
		probe_free(&d);
	}
}

static void a_load_sees_the_atomic_of_its_own_sm_before_it(void **state)
{
	static const char body[] =
		"add.u32 %r9, %r1, %r4; mov.u32 %r20, 0; mov.u32 %r21, 0;\n"
		"L: red.global.add.u32 [%r9], 3; ld.global.u32 %r10, [%r9];\n"
		"atom.global.add.u32 %r11, [%r9], 4; ld.global.u32 %r12, [%r9];\n"
		"sub.u32 %r13, %r12, %r10; sub.u32 %r14, %r11, %r10;\n"
		"mad.lo.u32 %r15, %r14, 100, %r13; add.u32 %r21, %r21, %r15;\n"
		"add.u32 %r20, %r20, 1; setp.lt.u32 %p1, %r20, 5; @%p1 bra L;\n"
		"st.global.u32 [%r2], %r21; st.global.u32 [%r2+4096], %r12;\n";
	struct probed d = probe_run(&(struct probe){ONE_SM, body, 1, 64});
	(void)state;

	for (unsigned i = 0; i < 64; i++) {
		assert_int_equal(probe_u32(&d, i), 5 * 4);
		assert_int_equal(probe_u32(&d, 1024 + i), 5 * 7);
	}
	probe_free(&d);
}

static void reductions_without_results_all_count(void **state)
{
	static const char body[] =
		"and.b32 %r9, %r3, 3; shl.b32 %r9, %r9, 7; add.u32 %r9, %r9, %r1;\n"
		"red.global.add.u32 [%r9], %r3; red.global.max.u32 [%r9+4], %r3;\n";
	struct probed d = probe_run(&(struct probe){"chip.sms=7", body, 20, 64});
	(void)state;

	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(kit_u32(&d.k, d.in, 32 * i), 20 * (16 * i + 4 * 120));
		assert_int_equal(kit_u32(&d.k, d.in, 32 * i + 1), 60 + i);
	}
	/* the warp's four lines are four packets */
	assert_true(probe_metric(&d, "l1tex__t_lines_atomic.sum") == 20 * 2 * 2 * 4);
	probe_free(&d);
}

/* ---- the L1 between launches */

static void a_new_launch_finds_its_l1_invalid_unless_configured_otherwise(void **state)
{
	static const char body[] =
		CLOCK_START "ld.global.u32 %r9, [%r1]; add.u32 %r10, %r9, 1;\n" CLOCK_STOP
			    "st.global.u32 [%r1+1024], %r10;\n";
	(void)state;

	for (unsigned keep = 0; keep < 2; keep++) {
		struct kit k =
			kit_new(keep ? ONE_SM NO_L2 " sm.invalidate_l1=false" : ONE_SM NO_L2);
		struct text ptx = probe_ptx(body);
		buffer_t in = kit_buffer(&k, "in", 4096), out = kit_buffer(&k, "out", 8192);
		module_t m = kit_module(&k, text_str(&ptx));

		for (unsigned i = 0; i < 2; i++)
			kit_launch(&k, m, "k", 1, 1, 2, (uint64_t[]){KIT_BUF(in), KIT_BUF(out)});
		kit_run(&k);
		assert_int_equal(kit_u32(&k, out, 0), keep ? 22 : 402);
		kit_free(&k);
		text_clear(&ptx);
	}
}

static void a_launch_sees_the_stores_of_the_one_before(void **state)
{
	static const char body[] = "mov.u32 %r9, %ntid.x; mad.lo.u32 %r9, %r5, %r9, %r3;\n"
				   "xor.b32 %r9, %r9, 1023; shl.b32 %r9, %r9, 2;\n"
				   "add.u32 %r9, %r9, %r1; ld.global.u32 %r10, [%r9];\n"
				   "add.u32 %r10, %r10, 1; st.global.u32 [%r2], %r10;\n";
	struct kit k = kit_new("chip.sms=4 sm.invalidate_l1=false");
	struct text ptx = probe_ptx(body);
	buffer_t a = kit_buffer(&k, "a", 4096), b = kit_buffer(&k, "b", 4096);
	module_t m = kit_module(&k, text_str(&ptx));
	(void)state;

	for (unsigned i = 0; i < 6; i++)
		kit_launch(&k, m, "k", 16, 64, 2,
			(uint64_t[]){KIT_BUF(i & 1 ? b : a), KIT_BUF(i & 1 ? a : b)});
	kit_run(&k);
	for (unsigned i = 0; i < 1024; i++)
		assert_int_equal(kit_u32(&k, a, i), 6);
	kit_free(&k);
	text_clear(&ptx);
}

/* ---- faults */

/* The message of a run that must fail; the caller frees it. */
static char *complaint(const char *settings, unsigned threads, const char *body)
{
	struct kit k = kit_new_host(settings, &(struct chip_host){.threads = threads});
	struct text ptx = probe_ptx(body);
	buffer_t in = kit_buffer(&k, "in", 4096), out = kit_buffer(&k, "out", 65536);
	char *words;

	kit_launch(&k, kit_module(&k, text_str(&ptx)), "k", 8, 96, 2,
		(uint64_t[]){KIT_BUF(in), KIT_BUF(out)});
	assert_int_equal(chip_run(k.gpu, 100000, NULL, &k.err), -1);
	assert_int_equal(k.err.code, ERR_FAULT);
	words = strdup(err_text(&k.err));
	/* the report of what happened until then is whole */
	chip_close(k.gpu);
	expect_balanced_counters(&k);
	kit_free(&k);
	text_clear(&ptx);
	return words;
}

/* Removes the part of the file's name that differs between runs, wherever it is. */
static void strike_file(char *words)
{
	static const char name[] = "/warpbeam-test-";

	for (char *at = words; (at = strstr(at, name));) {
		at += strlen(name);
		memset(at, 'X', 6);
	}
}

/* Several CTAs come to the act at different times, CTA 5 first. */
static const char late[] = "xor.b32 %r20, %r5, 5; add.u32 %r20, %r20, 3;\n"
			   "L: sub.u32 %r20, %r20, 1; setp.ne.u32 %p1, %r20, 0; @%p1 bra L;\n"
			   "setp.eq.u32 %p1, %r3, 70; mov.u32 %r21, 0;\n";
/* Illegal acts, and their messages. */
static const struct {
	const char *act;
	const char *words[6];
} acts[] = {
	{"@%p1 ld.global.u32 %r9, [%r1+8192]; st.global.u32 [%r2], %r9;",
		{"kernel 'k'", "CTA (5,0,0)", "thread (70,0,0)", "out-of-bounds", "0x",
			"nearest buffer"}},
	{"@%p1 st.global.u32 [%r1-400], %r9;",
		{"kernel 'k'", "CTA (5,0,0)", "thread (70,0,0)", "store", "'in'"}},
	{"@%p1 ld.global.u32 %r9, [%r1+2]; st.global.u32 [%r2], %r9;",
		{"kernel 'k'", "CTA (5,0,0)", "thread (70,0,0)", "misaligned"}},
	{"@%p1 ld.shared.u32 %r9, [buf+16384]; st.global.u32 [%r2], %r9;",
		{"kernel 'k'", "CTA (5,0,0)", "thread (70,0,0)", "shared"}},
	{"@%p1 trap;", {"kernel 'k'", "CTA (5,0,0)", "thread (70,0,0)", "trap"}},
	{"setp.gt.u32 %p2, %r3, 31; @%p2 bra B; bar.sync 1; bra END; B: bar.sync 2;",
		{"kernel 'k'", "CTA (5,0,0)", "barrier"}},
};

static void an_illegal_act_is_reported_alike_by_any_number_of_threads(void **state)
{
	(void)state;

	for (unsigned i = 0; i < ARRAY_LEN(acts); i++) {
		struct text body = {0};
		char *one, *two;

		text_raw(&body, "%s%s", late, acts[i].act);
		one = complaint("chip.sms=8", 1, text_str(&body));
		two = complaint("chip.sms=8", 2, text_str(&body));
		for (unsigned w = 0; w < 6 && acts[i].words[w]; w++)
			if (!strstr(one, acts[i].words[w]))
				fail_msg("'%s' does not say '%s'", one, acts[i].words[w]);
		strike_file(one);
		strike_file(two);
		assert_string_equal(one, two);
		/* the fourth line of the body */
		assert_non_null(strstr(one, ":15:"));
		free(one);
		free(two);
		text_clear(&body);
	}
}

static void of_several_faults_in_a_window_the_first_is_reported(void **state)
{
	/* long windows: all of them happen before the run stops */
	static const char settings[] =
		"chip.sms=8 chip.window=1000 chip.link_cycles=1000 chip.read_cycles=9000";
	static const char sms[] = "setp.eq.u32 %p1, %r5, 6; @%p1 trap;\n"
				  "mul.lo.u32 %r9, %r5, 3; mul.lo.u32 %r9, %r9, 3; trap;\n";
	static const char warps[] = "setp.eq.u32 %p1, %r3, 40; @%p1 trap;\n"
				    "mul.lo.u32 %r9, %r5, 3; mul.lo.u32 %r9, %r9, 3; trap;\n";
	char *words = complaint(settings, 1, sms);
	(void)state;

	if (!strstr(words, "CTA (6,0,0)"))
		fail_msg("not CTA 6: %s", words);
	free(words);
	words = complaint(settings, 1, warps);
	if (!strstr(words, "thread (40,0,0) of CTA (0,0,0)"))
		fail_msg("not thread 40 of CTA 0: %s", words);
	free(words);
}

/* ---- what changes nothing */

/* Shared memory, barriers, atomics, local memory, divergence, special functions. */
static const char mix[] =
	".local .align 4 .b8 own[32];\n"
	"mov.u32 %r9, buf; add.u32 %r9, %r9, %r4; st.shared.u32 [%r9], %r3; bar.sync 0;\n"
	"xor.b32 %r10, %r4, 68; mov.u32 %r11, buf; add.u32 %r11, %r11, %r10;\n"
	"ld.shared.u32 %r12, [%r11]; and.b32 %r13, %r3, 7; mov.u32 %r14, 0; mov.u32 %r20, own;\n"
	"F: st.local.u32 [%r20], %r14; add.u32 %r20, %r20, 4; add.u32 %r14, %r14, 1;\n"
	"setp.lt.u32 %p1, %r14, 8; @%p1 bra F;\n"
	"D: add.u32 %r12, %r12, %r13; sub.u32 %r13, %r13, 1; setp.gt.s32 %p2, %r13, 0;\n"
	"@%p2 bra D;\n"
	"and.b32 %r15, %r12, 7; shl.b32 %r15, %r15, 2; mov.u32 %r16, own;\n"
	"add.u32 %r16, %r16, %r15; ld.local.u32 %r17, [%r16]; add.u32 %r12, %r12, %r17;\n"
	"and.b32 %r18, %r12, 63; shl.b32 %r18, %r18, 5; add.u32 %r18, %r18, %r1;\n"
	"atom.global.add.u32 %r19, [%r18], %r12; ld.global.u32 %r21, [%r18+4];\n"
	"cvt.rn.f32.u32 %f1, %r12; sin.approx.f32 %f2, %f1; mov.b32 %r22, %f2;\n"
	"atom.shared.add.u32 %r23, [buf], %r12; bar.sync 0; membar.gl;\n"
	"red.global.add.u32 [%r18+8], 1; xor.b32 %r24, %r19, %r22; xor.b32 %r24, %r24, %r23;\n"
	"add.u32 %r24, %r24, %r21; mov.u32 %r25, %clock; xor.b32 %r24, %r24, %r25;\n"
	"shl.b32 %r26, %r3, 7; and.b32 %r26, %r26, 16383; add.u32 %r26, %r26, %r1;\n"
	"ld.global.u32 %r27, [%r26+65536]; add.u32 %r24, %r24, %r27; st.global.u32 [%r2], %r24;\n";

/* All metrics, and all memory, as text. */
static struct text told(const char *settings, const struct chip_host *host)
{
	struct kit k = kit_new_host(settings, host);
	struct text ptx = probe_ptx(mix), t;
	buffer_t in = kit_buffer(&k, "in", 1 << 18), out = kit_buffer(&k, "out", 24 * 160 * 4);
	module_t m = kit_module(&k, text_str(&ptx));

	for (unsigned i = 0; i < 3; i++)
		kit_launch_on(
			&k, m, "k", 24, 160, 2, (uint64_t[]){KIT_BUF(in), KIT_BUF(out)}, 0, i / 2);
	kit_run(&k);
	expect_balanced_counters(&k);
	t = kit_everything(&k);
	for (unsigned i = 0; i < 24 * 160; i++)
		text_raw(&t, "%x\n", kit_u32(&k, out, i));
	for (unsigned i = 0; i < 512; i++)
		text_raw(&t, "%x\n", kit_u32(&k, in, i));
	kit_free(&k);
	text_clear(&ptx);
	return t;
}

static void no_host_choice_changes_a_bit(void **state)
{
	static const char *const settings[] = {"chip.sms=6",
		"chip.sms=6 l2.bytes=0 chip.network=ideal",
		"chip.sms=5 sm.schedulers=3 sm.scheduler=round_robin "
		"sm.conflicts_block_issue=false",
		"chip.sms=3 sm.schedulers=2 sm.two_level.active_warps=2 sm.lsu_queue=1 l1.mshrs=2 "
		"sm.store_log=64 sm.lsu_ops=3",
		"chip.sms=4 storage.partitioned.cache_bytes=0 sm.scheduler=greedy "
		"chip.link_queue=1",
		"chip.sms=4 chip.sides=2 chip.side_cycles=40 chip.side_copies=true l2.bytes=4K "
		"l2.mshrs=2 l2.merges=2 l2.evict_queue=2 l2.replies=1 l2.dram_queue=1 l2.banks=4 "
		"l2.bank_cycles=3 l2.fill_queue=1 storage.partitioned.cache_bytes=0"};
	(void)state;

	for (unsigned s = 0; s < ARRAY_LEN(settings); s++) {
		struct text plain = told(settings[s], &(struct chip_host){.threads = 1});

		for (unsigned seed = 1; seed <= seeds(4); seed++) {
			struct chip_host host = {.threads = 1 + seed % 3,
				.shuffle = seed & 1,
				.early_wakes = seed & 2,
				.hostile = seed % 4 == 0,
				.seed = seed * 7919};
			struct text other = told(settings[s], &host);

			if (strcmp(text_str(&plain), text_str(&other)))
				fail_msg("%s, seed %u: not the same", settings[s], seed);
			text_clear(&other);
		}
		text_clear(&plain);
	}
}

static void a_run_takes_no_host_memory(void **state)
{
	struct kit k = kit_new("chip.sms=8");
	struct text ptx = probe_ptx(mix);
	buffer_t in = kit_buffer(&k, "in", 1 << 18), out = kit_buffer(&k, "out", 64 * 160 * 4);
	module_t m = kit_module(&k, text_str(&ptx));
	uint64_t before;
	(void)state;

	/* the first run allocates counts for all launches of the table */
	for (unsigned i = 0; i < 2; i++) {
		kit_launch(&k, m, "k", 64, 160, 2, (uint64_t[]){KIT_BUF(in), KIT_BUF(out)});
		before = mem_calls();
		assert_int_equal(chip_run(k.gpu, 0, NULL, &k.err), 0);
	}
	assert_int_equal(mem_calls() - before, 0);
	chip_close(k.gpu);
	mem_fail_after(0); /* nor does what it measured */
	assert_true(kit_metric(&k, "gpc__cycles_elapsed.max") > 0);
	mem_fail_after(-1);
	kit_free(&k);
	text_clear(&ptx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_sm_sees_its_own_stores_at_once),
		cmocka_unit_test(lanes_of_one_access_may_mean_different_spaces),
		cmocka_unit_test(other_sms_see_a_store_after_the_windows_edge),
		cmocka_unit_test(messages_passed_with_fences_arrive_whole),
		cmocka_unit_test(a_fence_ends_at_the_windows_edge),
		cmocka_unit_test(atomics_of_all_sms_give_every_value_once),
		cmocka_unit_test(a_load_sees_the_atomic_of_its_own_sm_before_it),
		cmocka_unit_test(reductions_without_results_all_count),
		cmocka_unit_test(a_new_launch_finds_its_l1_invalid_unless_configured_otherwise),
		cmocka_unit_test(a_launch_sees_the_stores_of_the_one_before),
		cmocka_unit_test(an_illegal_act_is_reported_alike_by_any_number_of_threads),
		cmocka_unit_test(of_several_faults_in_a_window_the_first_is_reported),
		cmocka_unit_test(no_host_choice_changes_a_bit),
		cmocka_unit_test(a_run_takes_no_host_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
