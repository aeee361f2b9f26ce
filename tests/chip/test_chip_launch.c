/* Launches on a chip: residency, dispatch, streams, masks, grids, and the messages for bad ones. */
#include "mem/storage/storage.h"
#include "tests/rig/support_sm.h"

#include "core/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Notes where and when each CTA ran (SM, first clock, last clock, ctaid), for `spin` cycles. */
static const char where[] =
	".version 5.0\n.target sm_35\n.address_size 32\n"
	".visible .entry where(.param .u32 out, .param .u32 spin)\n"
	"{ .reg .b32 %r<20>; .reg .pred %p<3>; .extern .shared .align 4 .b8 dyn[];\n"
	"mov.u32 %r1, %clock; ld.param.u32 %r2, [out]; ld.param.u32 %r3, [spin];\n"
	"L: mov.u32 %r4, %clock; sub.u32 %r5, %r4, %r1; setp.lt.u32 %p1, %r5, %r3; @%p1 bra L;\n"
	"mov.u32 %r6, %ctaid.x; mov.u32 %r7, %ctaid.y; mov.u32 %r8, %ctaid.z;\n"
	"mov.u32 %r9, %nctaid.x; mov.u32 %r10, %nctaid.y; mad.lo.u32 %r11, %r8, %r10, %r7;\n"
	"mad.lo.u32 %r11, %r11, %r9, %r6; shl.b32 %r11, %r11, 4; add.u32 %r2, %r2, %r11;\n"
	"mov.u32 %r12, %smid; mov.u32 %r13, %clock; mov.u32 %r14, %tid.x;\n"
	"setp.ne.u32 %p2, %r14, 0; @%p2 bra END;\n"
	"shl.b32 %r7, %r7, 8; shl.b32 %r8, %r8, 16; or.b32 %r6, %r6, %r7; or.b32 %r6, %r6, %r8;\n"
	"st.global.u32 [%r2], %r12; st.global.u32 [%r2+4], %r1; st.global.u32 [%r2+8], %r13;\n"
	"st.global.u32 [%r2+12], %r6;\n"
	"END: ret; }\n";

/* Keeps a word in the last bytes of its shared memory for `spin` cycles; counts those it finds
 * again. */
static const char keep[] =
	".version 5.0\n.target sm_35\n.address_size 32\n"
	".visible .entry where(.param .u32 out, .param .u32 spin)\n"
	"{ .reg .b32 %r<20>; .reg .pred %p<3>; .extern .shared .align 4 .b8 dyn[];\n"
	"mov.u32 %r1, %clock; ld.param.u32 %r2, [out]; ld.param.u32 %r3, [spin];\n"
	"mov.u32 %r4, %dynamic_smem_size; mov.u32 %r5, dyn; add.u32 %r5, %r5, %r4;\n"
	"xor.b32 %r6, %r1, %r3; st.shared.u32 [%r5-4], %r6;\n"
	"L: mov.u32 %r4, %clock; sub.u32 %r7, %r4, %r1; setp.lt.u32 %p1, %r7, %r3; @%p1 bra L;\n"
	"ld.shared.u32 %r8, [%r5-4]; setp.eq.u32 %p2, %r8, %r6;\n"
	"@%p2 red.global.add.u32 [%r2], 1; ret; }\n";

/* Words of a CTA's note. */
enum { NOTE_SM, NOTE_START, NOTE_END, NOTE_ID };

struct noted {
	struct kit k;
	module_t m;
	buffer_t out;
};

static struct noted notes(const char *settings)
{
	struct noted n = {.k = kit_new(settings)};

	n.m = kit_module(&n.k, where);
	n.out = kit_buffer(&n.k, "notes", 65536);
	return n;
}

static uint32_t note(struct noted *n, unsigned cta, unsigned word)
{
	return kit_u32(&n->k, n->out, 4 * cta + word);
}

static int try_launch(struct noted *n, const struct launch *shape, uint32_t spin)
{
	struct launch l = *shape;

	l.module = n->m;
	l.kernel = "where";
	l.args = (struct launch_arg[]){ARG_BUF(n->out), ARG_VAL(spin)};
	l.nargs = 2;
	return gpu_launch(n->k.gpu, &l, &n->k.err);
}

static void launch(struct noted *n, const struct launch *shape, uint32_t spin)
{
	if (try_launch(n, shape, spin))
		fail_msg("%s", err_text(&n->k.err));
}

static void finish(struct noted *n)
{
	kit_run(&n->k);
	expect_balanced_counters(&n->k);
}

/* ---- what a kernel says about its blocks */

static void blocks_must_be_as_the_kernel_says(void **state)
{
	static const char ptx[] =
		".version 7.0\n.target sm_70\n.address_size 64\n"
		".entry exact() .reqntid 32, 2 { ret; }\n.entry most() .maxntid 16, 4 { ret; }\n"
		".entry both() .maxntid 64 .minnctapersm 2 .maxnreg 8 { ret; }\n"
		".entry vast() .maxntid 4294967295, 4294967295, 4294967295 { ret; }\n";
	static const struct {
		const char *kernel;
		uint32_t block[3];
		const char *message; /* NULL: it runs */
	} rows[] = {
		{"exact", {32, 2, 1}, NULL},
		{"exact", {64, 1, 1},
			"'exact' takes blocks of (32,2,1) (.reqntid), not of (64,1,1)"},
		{"exact", {32, 1, 1}, "not of (32,1,1)"},
		{"most", {64, 1, 1}, NULL},
		{"most", {1, 65, 1}, "'most' takes at most 64 threads a block (.maxntid), not 65"},
		{"both", {64, 1, 1}, NULL},
		{"both", {1, 1, 65}, "at most 64"},
		{"vast", {64, 1, 1}, NULL},
	};
	(void)state;

	for (unsigned i = 0; i < ARRAY_LEN(rows); i++) {
		struct kit k = kit_new("chip.sms=1");
		struct launch l = {
			.module = kit_module(&k, ptx), .kernel = rows[i].kernel, .grid = {1, 1, 1}};
		int bad;

		memcpy(l.block, rows[i].block, sizeof(l.block));
		bad = gpu_launch(k.gpu, &l, &k.err);
		assert_int_equal(bad != 0, rows[i].message != NULL);
		if (bad)
			assert_non_null(strstr(err_text(&k.err), rows[i].message));
		err_clear(&k.err);
		kit_free(&k);
	}
}

/* ---- residency */

static struct launch shape(unsigned ctas, unsigned threads, unsigned shared)
{
	return (struct launch){
		.grid = {ctas, 1, 1}, .block = {threads, 1, 1}, .shared_bytes = shared};
}

/* Launches 70 CTAs on one SM with those limits: `want` must be resident at most, and at once. */
static void expect_resident(const char *settings, unsigned threads, unsigned shared, unsigned want)
{
	char all[256];
	struct noted n;
	struct launch_report r;
	struct launch l = shape(70, threads, shared);

	snprintf(all, sizeof(all), "chip.sms=1 %s", settings);
	n = notes(all);
	launch(&n, &l, 1500);
	finish(&n);
	chip_launch_report(n.k.gpu, 0, &r);
	if (r.ctas_per_sm != want || kit_metric(&n.k, "sm__ctas_resident.max") != want)
		fail_msg(
			"%s, %u threads, %u shared bytes: %u CTAs for an SM, %.0f resident, not %u",
			settings, threads, shared, r.ctas_per_sm,
			kit_metric(&n.k, "sm__ctas_resident.max"), want);
	assert_true(kit_metric(&n.k, "sm__ctas_launched.sum") == 70);
	kit_free(&n.k);
}

static unsigned registers(void)
{
	struct noted n = notes("");
	struct launch l = shape(1, 1, 0);
	struct launch_report r;

	launch(&n, &l, 1);
	chip_launch_report(n.k.gpu, 0, &r);
	kit_free(&n.k);
	return r.regs;
}

static void each_limit_of_residency_binds_exactly(void **state)
{
	char settings[128];
	unsigned warp_bytes = registers() * 4 * 32;
	(void)state;

	/* warp slots and CTA slots */
	expect_resident("", 32, 0, 32);
	expect_resident("", 33, 0, 16);
	expect_resident("", 96, 0, 10);
	expect_resident("", 1024, 0, 1);
	expect_resident("sm.warps=13", 64, 0, 6);
	expect_resident("sm.ctas=7", 32, 0, 7);
	expect_resident("sm.ctas=1", 32, 0, 1);
	expect_resident("sm.warps=64 sm.ctas=64", 32, 0, 64);
	expect_resident("sm.warps=64 sm.ctas=50", 32, 0, 50);
	/* registers, to the row of their banks */
	for (unsigned less = 0; less < 2; less++) {
		snprintf(settings, sizeof(settings), "storage.partitioned.register_bytes=%u",
			8 * 2 * warp_bytes - less * STORAGE_REGISTER_ROW);
		expect_resident(settings, 64, 0, 8 - less);
	}
	/* shared memory, to the byte and to the row */
	expect_resident("", 32, 65536 / 8, 8);
	expect_resident("", 32, 65536 / 8 + 4, 7);
	expect_resident("", 32, 65536, 1);
	expect_resident("storage.partitioned.shared_bytes=8448", 32, 2112, 4);
	expect_resident("storage.partitioned.shared_bytes=8320", 32, 2112, 3);
	expect_resident("storage.partitioned.shared_bytes=128", 32, 4, 32);
}

/* Registers in units of 256 for a warp, in 4 files; shared memory in units of 256 bytes with 1 KB
 * for each CTA; a limit of threads. */
static void units_of_allocation_limit_residency(void **state)
{
	unsigned unit = (registers() + 7) / 8 * 8 * 4 * 32; /* bytes of a warp */
	char settings[256];
	(void)state;

	for (unsigned more = 0; more < 2; more++) {
		/* a file holds 2 or 3 warps; 4 files 8 or 12; CTAs of 3 warps */
		snprintf(settings, sizeof(settings),
			"occupancy.register_unit=256 occupancy.register_files=4 "
			"storage.partitioned.register_bytes=%u",
			4 * (3 * unit - (more ? 0 : 512)));
		expect_resident(settings, 96, 0, more ? 4 : 2);
		expect_resident(settings, 32, 0, more ? 12 : 8);
	}
	expect_resident("occupancy.shared_unit=256", 32, 16384 - 255, 4);
	expect_resident("occupancy.shared_unit=256", 32, 16384 - 256, 4);
	expect_resident("occupancy.shared_unit=1024", 32, 13108 - 1000, 5);
	expect_resident("occupancy.shared_unit=16384", 32, 4, 4);
	expect_resident("occupancy.shared_reserved=1024", 32, 15360, 4);
	expect_resident("occupancy.shared_reserved=1024", 32, 15361, 3);
	expect_resident("occupancy.shared_reserved=4096", 32, 0, 16);
	expect_resident("occupancy.threads=320", 64, 0, 5);
	expect_resident("chip.storage=carveout", 32, 20480, 4);
	expect_resident("chip.storage=carveout storage.carveout.percent=50", 32, 20480, 3);
}

static void a_cta_that_can_never_fit_is_refused(void **state)
{
	static const struct {
		const char *settings;
		unsigned threads, shared;
		const char *message;
	} row[] = {
		{"", 32, 65540, "shared"},
		{"sm.warps=4", 160, 0, "4 warp slots (sm.warps)"},
		{"occupancy.threads=128", 160, 0, "4 warp slots (occupancy.threads)"},
		{"occupancy.cta_threads=128", 160, 0,
			"kernel 'where': a CTA can never fit: a CTA of 5 warps"},
		{"occupancy.shared_reserved=1024", 32, 65536 - 1023, "65537 bytes"},
		{"storage.partitioned.register_bytes=512", 1024, 0, "register"},
	};
	(void)state;

	for (unsigned i = 0; i < ARRAY_LEN(row); i++) {
		struct noted n = notes(row[i].settings);
		struct launch l = shape(1, row[i].threads, row[i].shared);

		assert_int_equal(try_launch(&n, &l, 1), -1);
		assert_non_null(strstr(err_text(&n.k.err), "where"));
		assert_non_null(strstr(err_text(&n.k.err), row[i].message));
		assert_int_equal(n.k.err.code, ERR_RESOURCE);
		err_clear(&n.k.err);
		/* and leaves the chip unchanged */
		l = shape(1, 32, 0);
		if (!strstr(row[i].settings, "register"))
			launch(&n, &l, 1);
		finish(&n);
		kit_free(&n.k);
	}
}

static void an_sm_that_does_not_exist_is_refused(void **state)
{
	struct noted n = notes("chip.sms=4");
	struct launch l = shape(1, 32, 0);
	(void)state;

	l.sms[0] = 1 << 4;
	assert_int_equal(try_launch(&n, &l, 1), -1);
	assert_non_null(strstr(err_text(&n.k.err), "SM 4"));
	kit_free(&n.k);
}

static void calls_nested_too_deep_for_an_sm_are_refused(void **state)
{
	(void)state;
	for (unsigned depth = 60; depth <= 80; depth += 20) {
		struct noted n = {.k = kit_new("chip.sms=1")};
		struct launch l = shape(1, 32, 0);
		struct text t = {0};

		text_raw(&t, ".version 5.0\n.target sm_35\n.address_size 32\n"
			     ".func f0() { .reg .b32 %%r<3>; .reg .pred %%p<2>;\n"
			     "mov.u32 %%r1, %%tid.x; setp.eq.u32 %%p1, %%r1, 3; @%%p1 bra L;\n"
			     "add.u32 %%r2, %%r1, 1; L: ret; }\n");
		for (unsigned i = 1; i < depth; i++)
			text_raw(&t, ".func f%u() { call f%u; ret; }\n", i, i - 1);
		text_raw(&t,
			".visible .entry where(.param .u32 out, .param .u32 spin)\n"
			"{ call f%u; ret; }\n",
			depth - 1);
		n.m = kit_module(&n.k, text_str(&t));
		n.out = kit_buffer(&n.k, "notes", 4);
		assert_int_equal(try_launch(&n, &l, 1), depth > 60 ? -1 : 0);
		assert_true(depth == 60 || strstr(err_text(&n.k.err), "nested"));
		err_clear(&n.k.err);
		finish(&n);
		kit_free(&n.k);
		text_clear(&t);
	}
}

/* ---- dispatch */

static void ctas_go_round_the_sms(void **state)
{
	struct noted n = notes("chip.sms=5");
	struct launch l = shape(23, 32, 0);
	(void)state;

	launch(&n, &l, 500);
	finish(&n);
	for (unsigned i = 0; i < 23; i++)
		assert_int_equal(note(&n, i, NOTE_SM), i % 5);
	kit_free(&n.k);
}

static void more_ctas_than_fit_wait_for_a_slot(void **state)
{
	struct noted n = notes("chip.sms=3 sm.scheduler=round_robin");
	struct launch l = shape(50, 512, 0); /* two an SM */
	unsigned early = 0;
	(void)state;

	launch(&n, &l, 2000);
	finish(&n);
	for (unsigned i = 0; i < 50; i++) {
		assert_int_equal(note(&n, i, NOTE_ID), i);
		early += note(&n, i, NOTE_START) < 2000;
	}
	assert_int_equal(early, 6);
	assert_true(kit_metric(&n.k, "chip__ctas.sum") == 50);
	/* nine rounds, each a spin and the path to the dispatcher and back */
	assert_true(kit_metric(&n.k, "gpc__cycles_elapsed.max") < 9 * 2800);
	kit_free(&n.k);
}

static void grids_have_three_dimensions_and_partial_warps(void **state)
{
	static const char count[] =
		".version 5.0\n.target sm_35\n.address_size 32\n"
		".visible .entry where(.param .u32 out, .param .u32 spin)\n"
		"{ .reg .b32 %r<20>;\n"
		"ld.param.u32 %r1, [out]; mov.u32 %r2, %tid.x; mov.u32 %r3, %tid.y;\n"
		"mov.u32 %r4, %tid.z; mov.u32 %r5, %ntid.x; mov.u32 %r6, %ntid.y;\n"
		"mad.lo.u32 %r7, %r4, %r6, %r3; mad.lo.u32 %r7, %r7, %r5, %r2;\n"
		"shl.b32 %r7, %r7, 2; add.u32 %r1, %r1, %r7; red.global.add.u32 [%r1], 1; ret; }\n";
	struct noted n = notes("chip.sms=2");
	struct launch l = {.grid = {4, 3, 2}, .block = {1, 1, 1}};
	(void)state;

	launch(&n, &l, 1);
	finish(&n);
	for (unsigned i = 0; i < 24; i++)
		assert_int_equal(note(&n, i, NOTE_ID), i % 4 | i / 4 % 3 << 8 | i / 12 << 16);
	kit_free(&n.k);

	n = (struct noted){.k = kit_new("chip.sms=2")};
	n.m = kit_module(&n.k, count);
	n.out = kit_buffer(&n.k, "notes", 4096);
	l = (struct launch){.grid = {2, 2, 2}, .block = {5, 3, 3}};
	launch(&n, &l, 1);
	finish(&n);
	for (unsigned i = 0; i < 64; i++)
		assert_int_equal(kit_u32(&n.k, n.out, i), i < 45 ? 8 : 0);
	/* thirteen lanes of the second warp take part */
	assert_true(kit_metric(&n.k, "smsp__thread_inst_executed.sum") * 2 ==
		    kit_metric(&n.k, "smsp__inst_executed.sum") * 45);
	kit_free(&n.k);
}

static void launches_of_one_stream_run_in_order_and_apart(void **state)
{
	struct noted n = notes("chip.sms=4");
	struct launch l = shape(9, 64, 0);
	struct launch_report before, r;
	(void)state;

	for (unsigned i = 0; i < 4; i++)
		launch(&n, &l, 300);
	finish(&n);
	chip_launch_report(n.k.gpu, 0, &before);
	for (unsigned i = 1; i < 4; i++) {
		chip_launch_report(n.k.gpu, i, &r);
		assert_true(r.start_cycle >= before.end_cycle);
		assert_true(r.end_cycle > r.start_cycle + 300);
		assert_true(r.complete);
		before = r;
	}
	kit_free(&n.k);
}

static void launches_of_different_streams_overlap(void **state)
{
	struct noted n = notes("chip.sms=4");
	struct launch l = shape(4, 64, 0);
	struct launch_report a, b;
	(void)state;

	launch(&n, &l, 3000);
	l.stream = 1;
	launch(&n, &l, 3000);
	finish(&n);
	chip_launch_report(n.k.gpu, 0, &a);
	chip_launch_report(n.k.gpu, 1, &b);
	assert_true(b.start_cycle < a.end_cycle && a.start_cycle < b.end_cycle);
	assert_true(kit_metric(&n.k, "gpc__cycles_elapsed.max") < 2 * 3000);
	assert_true(kit_metric(&n.k, "chip__launches.sum") == 2);
	kit_free(&n.k);
}

static void kernels_stay_on_the_sms_they_were_given(void **state)
{
	static const unsigned own[] = {0, 2, 4, 69};
	struct noted n = notes("chip.sms=70");
	struct launch l = shape(64, 32, 0);
	(void)state;

	l.sms[0] = 0x15;
	l.sms[1] = 0x20; /* SM 69 */
	launch(&n, &l, 50);
	finish(&n);
	for (unsigned i = 0; i < 64; i++)
		assert_int_equal(note(&n, i, NOTE_SM), own[i % 4]);
	kit_free(&n.k);
}

static void two_kernels_share_a_chip_on_disjoint_sms(void **state)
{
	struct noted n = notes("chip.sms=8");
	buffer_t first = n.out;
	struct launch l = shape(12, 128, 0);
	(void)state;

	l.sms[0] = 0x0f;
	launch(&n, &l, 1000);
	n.out = kit_buffer(&n.k, "others", 65536);
	l.sms[0] = 0xf0;
	l.stream = 1;
	launch(&n, &l, 1000);
	finish(&n);
	for (unsigned i = 0; i < 12; i++) {
		assert_in_range(note(&n, i, NOTE_SM), 4, 7);
		assert_in_range(kit_u32(&n.k, first, 4 * i + NOTE_SM), 0, 3);
	}
	kit_free(&n.k);
}

static void ctas_of_mixed_sizes_share_an_sms_shared_memory(void **state)
{
	/* free bytes are fragmented: only their number counts */
	static const unsigned bytes[] = {20000, 4000, 12004, 300, 30000};
	struct noted n = {.k = kit_new("chip.sms=1")};
	(void)state;

	n.m = kit_module(&n.k, keep);
	n.out = kit_buffer(&n.k, "kept", 4);
	for (unsigned i = 0; i < 50; i++) {
		struct launch l = shape(3, 1, bytes[i % 5]);

		l.stream = i;
		launch(&n, &l, 100 + i * 37 % 11 * 50);
	}
	finish(&n);
	assert_true(kit_metric(&n.k, "chip__ctas.sum") == 150);
	assert_int_equal(kit_u32(&n.k, n.out, 0), 150);
	kit_free(&n.k);
}

static void a_run_continues_where_the_last_one_ended(void **state)
{
	struct noted n = notes("chip.sms=2");
	struct launch l = shape(4, 64, 0);
	struct launch_report r;
	uint64_t end = 0;
	(void)state;

	for (unsigned i = 0; i < 30; i++) {
		launch(&n, &l, 10 + i);
		assert_int_equal(chip_run(n.k.gpu, 0, NULL, &n.k.err), 0);
		chip_launch_report(n.k.gpu, i, &r);
		assert_true(r.complete && r.start_cycle >= end);
		end = r.end_cycle;
	}
	finish(&n);
	kit_free(&n.k);
}

static void an_endless_kernel_ends_at_the_limit(void **state)
{
	struct noted n = notes("chip.sms=2");
	struct launch l = shape(2, 32, 0);
	(void)state;

	launch(&n, &l, UINT32_MAX);
	assert_int_equal(chip_run(n.k.gpu, 5000, NULL, &n.k.err), -1);
	assert_int_equal(n.k.err.code, ERR_LIMIT);
	assert_non_null(strstr(err_text(&n.k.err), "5000"));
	chip_close(n.k.gpu);
	expect_balanced_counters(&n.k);
	assert_true(chip_progress(n.k.gpu).cycle >= 5000);
	assert_true(chip_progress(n.k.gpu).cycle < 5000 + 20);
	kit_free(&n.k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_must_be_as_the_kernel_says),
		cmocka_unit_test(each_limit_of_residency_binds_exactly),
		cmocka_unit_test(units_of_allocation_limit_residency),
		cmocka_unit_test(a_cta_that_can_never_fit_is_refused),
		cmocka_unit_test(an_sm_that_does_not_exist_is_refused),
		cmocka_unit_test(calls_nested_too_deep_for_an_sm_are_refused),
		cmocka_unit_test(ctas_go_round_the_sms),
		cmocka_unit_test(more_ctas_than_fit_wait_for_a_slot),
		cmocka_unit_test(grids_have_three_dimensions_and_partial_warps),
		cmocka_unit_test(launches_of_one_stream_run_in_order_and_apart),
		cmocka_unit_test(launches_of_different_streams_overlap),
		cmocka_unit_test(kernels_stay_on_the_sms_they_were_given),
		cmocka_unit_test(two_kernels_share_a_chip_on_disjoint_sms),
		cmocka_unit_test(ctas_of_mixed_sizes_share_an_sms_shared_memory),
		cmocka_unit_test(a_run_continues_where_the_last_one_ended),
		cmocka_unit_test(an_endless_kernel_ends_at_the_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
