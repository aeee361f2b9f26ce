/* The constant cache: latencies level by level, words a cycle, who waits and for what, and that
 * order and threads change nothing. */
#include "tests/rig/support_sm.h"

#include "core/base.h"
#include "core/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define REAL ONE_SM " const.mode=real const.l15_line_bytes=128"

/* A kernel (out) with 16 KB of constants, each word its own index. %r3 is the thread, %r4 four
 * times that. */
static struct text kernel(const char *body)
{
	struct text t = {0};

	text_raw(&t, ".version 6.0\n.target sm_35\n.address_size 32\n.const .align 4096 .u32 "
		     "c[4096] = {");
	for (unsigned i = 0; i < 4096; i++)
		text_raw(&t, "%s%u", i ? "," : "", i);
	text_raw(&t,
		"};\n.visible .entry k(.param .u32 out) {\n.reg .b32 %%r<40>; .reg .pred %%p<4>;\n"
		"ld.param.u32 %%r2, [out]; mov.u32 %%r3, %%tid.x; shl.b32 %%r4, %%r3, 2;\n"
		"mov.u32 %%r5, %%ctaid.x; mov.u32 %%r6, %%ntid.x;\n"
		"mad.lo.u32 %%r5, %%r5, %%r6, %%r3; shl.b32 %%r5, %%r5, 2;\n"
		"add.u32 %%r2, %%r2, %%r5;\n%s ret;\n}\n",
		body);
	return t;
}

static struct kit run(const char *settings, const struct chip_host *host, const char *body,
	unsigned ctas, unsigned threads)
{
	struct kit k = kit_new_host(settings, host);
	struct text ptx = kernel(body);
	buffer_t out = kit_buffer(&k, "out", 1 << 16);

	kit_launch(&k, kit_module(&k, text_str(&ptx)), "k", ctas, threads, 1,
		(uint64_t[]){KIT_BUF(out)});
	kit_run(&k);
	text_clear(&ptx);
	return k;
}

/* Cycles of one load, after another that warms the caches; its value in the second word. */
static struct kit timed(const char *settings, const char *first, const char *load, unsigned threads)
{
	struct text t = {0};
	struct kit k;

	text_raw(&t,
		"%s add.u32 %%r9, %%r9, 1; setp.eq.u32 %%p1, %%r9, 99999; @%%p1 bra END;\n%s"
		"%s add.u32 %%r11, %%r10, 0;\nmov.u32 %%r7, %%clock; sub.u32 %%r8, %%r7, %%r6;\n"
		"st.global.u32 [%%r2], %%r8; st.global.u32 [%%r2+4096], %%r11;\nEND:\n",
		first, CLOCK_START, load);
	k = run(settings, &(struct chip_host){.threads = 1}, text_str(&t), 1, threads);
	text_clear(&t);
	return k;
}

static void a_load_takes_the_cycles_of_its_level(void **state)
{
	static const char warm[] = "ld.const.u32 %r9, [c];";
	static const char none[] = "mov.u32 %r9, 5;";
	static const struct {
		const char *settings, *first, *load;
		unsigned cycles, value;
	} rows[] = {
		{ONE_SM, none, "ld.const.u32 %r10, [c+4];", 8, 1},
		{ONE_SM " const.mode=perfect", none, "ld.const.u32 %r10, [c+4];", 27, 1},
		{ONE_SM " const.mode=perfect const.l1_cycles=30", none, "ld.const.u32 %r10, [c+4];",
			30, 1},
		{REAL, warm, "ld.const.u32 %r10, [c+60];", 27, 15},
		{REAL, warm, "ld.const.u32 %r10, [c+64];", 89, 16},
		{REAL " const.l15_cycles=92", warm, "ld.const.u32 %r10, [c+64];", 92, 16},
		/* the request leaves with the instruction: a cycle before a load's from the tags */
		{REAL " l2.bytes=0", warm, "ld.const.u32 %r10, [c+128];", 399 + 27, 32},
		{REAL " l2.bytes=0 const.fill_cycles=10", warm, "ld.const.u32 %r10, [c+128];",
			399 + 10 + 27, 32},
		{REAL " const.l15_bytes=0", warm, "ld.const.u32 %r10, [c];", 27, 0},
		{REAL, none, "ld.param.u32 %r10, [out]; sub.u32 %r10, %r10, %r10;", 8 + 8, 0},
		{REAL " const.parameter_cycles=20", none,
			"ld.param.u32 %r10, [out]; sub.u32 %r10, %r10, %r10;", 20 + 8, 0},
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(rows); i++) {
		struct kit k = timed(rows[i].settings, rows[i].first, rows[i].load, 1);

		if (kit_u32(&k, 1, 0) != rows[i].cycles + 2 ||
			kit_u32(&k, 1, 1024) != rows[i].value)
			fail_msg("%s: %s: %u cycles, value %u", rows[i].settings, rows[i].load,
				kit_u32(&k, 1, 0), kit_u32(&k, 1, 1024));
		kit_free(&k);
	}
}

/* A word a cycle: 32 lanes with their own words take 31 cycles more, on two lines; lanes with one
 * word none. */
static void different_words_are_read_one_after_the_other(void **state)
{
	static const struct {
		const char *load;
		unsigned cycles;
	} rows[] = {
		{"mov.u32 %r12, c; add.u32 %r12, %r12, %r4; ld.const.u32 %r10, [%r12];", 31},
		{"mov.u32 %r12, c; and.b32 %r13, %r4, 28; add.u32 %r12, %r12, %r13;\n"
		 "ld.const.u32 %r10, [%r12];",
			7},
		{"mov.u32 %r12, c; and.b32 %r13, %r4, 0; add.u32 %r12, %r12, %r13;\n"
		 "ld.const.u32 %r10, [%r12];",
			0},
	};
	unsigned base;

	(void)state;
	for (unsigned i = ARRAY_LEN(rows); i-- > 0;) {
		struct kit k =
			timed(ONE_SM " const.mode=perfect", "mov.u32 %r9, 5;", rows[i].load, 32);
		unsigned cycles = kit_u32(&k, 1, 0);

		if (i == 2)
			base = cycles;
		else if (i == 1)
			assert_int_equal(cycles, base + 7);
		else /* without the and, which issued in a cycle of its own */
			assert_int_equal(cycles, base - 1 + 31);
		for (unsigned lane = 0; lane < 32; lane++)
			assert_int_equal(kit_u32(&k, 1, 1024 + lane), i == 0   ? lane
								      : i == 1 ? lane % 8
									       : 0);
		kit_free(&k);
	}
}

/* The parameter, then five words of four lines of 64 bytes, of which the first pair shares one, in
 * two lines of 128. */
static void lines_and_bytes_are_counted(void **state)
{
	static const char body[] =
		"ld.const.u32 %r9, [c]; ld.const.u32 %r10, [c+4]; ld.const.u32 %r11, [c+64];\n"
		"ld.const.u32 %r12, [c+128]; ld.const.u32 %r13, [c+192]; add.u32 %r9, %r9, %r10;\n"
		"add.u32 %r9, %r9, %r11; add.u32 %r9, %r9, %r12; add.u32 %r9, %r9, %r13;\n"
		"st.global.u32 [%r2], %r9;\n";
	static const struct {
		const char *name;
		unsigned value;
	} rows[] = {
		{"const__requests.sum", 6},
		{"const__passes.sum", 6},
		{"const__lines.sum", 6},
		{"const__lines_lookup_hit.sum", 1},
		{"const__l15_lines_lookup_hit.sum", 2},
		{"const__lines_missed.sum", 3},
		{"const__l2_read_bytes.sum", 3 * 128},
		{"l1tex__m_l1tex2xbar_req_packets.sum", 3 + 1},
	};
	struct kit k = run(REAL, &(struct chip_host){.threads = 1}, body, 1, 1);

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(rows); i++)
		if (kit_metric(&k, rows[i].name) != rows[i].value)
			fail_msg("%s is %g, not %u", rows[i].name, kit_metric(&k, rows[i].name),
				rows[i].value);
	assert_int_equal(kit_u32(&k, 1, 0), 0 + 1 + 16 + 32 + 48);
	assert_true(kit_metric(&k, "sched__cycles_imc_miss.sum") > 3 * 300);
	kit_free(&k);
	k = run(ONE_SM " const.mode=real", &(struct chip_host){.threads = 1}, body, 1, 1);
	assert_true(kit_metric(&k, "const__l2_read_bytes.sum") == 2 * 256);
	assert_true(kit_metric(&k, "l1tex__m_l1tex2xbar_req_packets.sum") == 2 * 2 + 1);
	kit_free(&k);
}

/* Warps that miss a line together request it once. */
static void warps_wait_for_a_line_together(void **state)
{
	static const char body[] = "ld.const.u32 %r9, [c+1024]; st.global.u32 [%r2], %r9;\n";
	struct kit k = run(REAL, &(struct chip_host){.threads = 1}, body, 2, 256);

	(void)state;
	assert_true(kit_metric(&k, "const__l2_read_bytes.sum") == 2 * 128);
	assert_true(kit_metric(&k, "const__lines_missed.sum") > 2);
	for (unsigned i = 0; i < 512; i++)
		assert_int_equal(kit_u32(&k, 1, i), 256);
	kit_free(&k);
}

/* Constants by thread in a small cache, instructions in a smaller one, on three SMs with upper
 * levels of registers: the same for any order, early wakes and threads. */
static void no_order_wake_or_thread_is_seen(void **state)
{
	static const char body[] =
		"mov.u32 %r20, 0; mov.u32 %r21, 0; mov.u32 %r22, c;\n"
		"L: mad.lo.u32 %r23, %r20, 397, %r3; and.b32 %r23, %r23, 4095;\n"
		"shl.b32 %r23, %r23, 2; add.u32 %r23, %r23, %r22; ld.const.u32 %r24, [%r23];\n"
		"add.u32 %r21, %r21, %r24; ld.global.u32 %r25, [%r2];\n"
		"add.u32 %r21, %r21, %r25; bar.sync 0; add.u32 %r20, %r20, 1;\n"
		"setp.lt.u32 %p1, %r20, 6; @%p1 bra L; mov.u32 %r26, %clock;\n"
		"st.global.u32 [%r2], %r21; st.global.u32 [%r2+16384], %r26;\n";
	static const char settings[] =
		"chip.sms=3 sm.schedulers=2 const.mode=real const.l1_bytes=512 "
		"const.l15_bytes=4096 const.l15_ways=4 icache.mode=real icache.l0_bytes=256 "
		"icache.l0_ways=2 icache.l1_bytes=512 icache.l1_ways=2 rf.hierarchy=software "
		"l1.miss_queue=3 l1.reserve=true l1.write=allocate l1.operators=true "
		"l1.whole_line=false l1.sector_bytes=32 storage.partitioned.cache_bytes=1K";
	static const struct chip_host hosts[] = {{.threads = 1}, {.threads = 2},
		{.threads = 4, .shuffle = true}, {.threads = 2, .early_wakes = true, .seed = 5},
		{.threads = 1, .hostile = true, .shuffle = true, .early_wakes = true, .seed = 9}};
	struct text plain = {0};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(hosts); i++) {
		struct kit k = run(settings, &hosts[i], body, 7, 96);
		struct text t = kit_everything(&k);

		for (unsigned j = 0; j < 7 * 96; j++)
			text_raw(&t, "%u %u\n", kit_u32(&k, 1, j), kit_u32(&k, 1, 4096 + j));
		kit_free(&k);
		if (i == 0) {
			plain = t;
			continue;
		}
		if (strcmp(text_str(&plain), text_str(&t)) != 0)
			fail_msg("host %u: not the same", i);
		text_clear(&t);
	}
	text_clear(&plain);
}

static void geometries_that_do_not_fit_are_refused(void **state)
{
	(void)state;
	kit_refused("const.mode=real const.l1_bytes=1000",
		"const.l1_bytes = 1000: must be a multiple of 4 ways of 64 bytes");
	kit_refused("const.mode=real const.l1_line_bytes=96",
		"const.l1_line_bytes = 96: must be a power of two");
	kit_refused("const.mode=real const.l15_line_bytes=32",
		"const.l15_line_bytes = 32: must be at least const.l1_line_bytes = 64");
	kit_refused("const.mode=real const.l15_cycles=20",
		"const.l15_cycles = 20: must be at least const.l1_cycles = 27");
	kit_refused("icache.mode=real icache.line_bytes=192", "icache.line_bytes = 192: must be a");
	kit_refused("icache.mode=real icache.instruction_bytes=12",
		"icache.instruction_bytes = 12: must be a power of two, 4, 8 or 16");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_load_takes_the_cycles_of_its_level),
		cmocka_unit_test(different_words_are_read_one_after_the_other),
		cmocka_unit_test(lines_and_bytes_are_counted),
		cmocka_unit_test(warps_wait_for_a_line_together),
		cmocka_unit_test(no_order_wake_or_thread_is_seen),
		cmocka_unit_test(geometries_that_do_not_fit_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
