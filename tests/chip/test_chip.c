/* The whole chip: closed forms, bandwidth, contention, and results that no host choice changes. */
#include "tests/rig/support_gpu.h"

#include <string.h>

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define HEAD ".version 5.0\n.target sm_35\n.address_size 32\n"

/* One thread: clock, load, use, clock. */
static const char lone[] = HEAD ".visible .entry lone(.param .u32 in, .param .u32 out)\n"
				"{ .reg .b32 %r<9>;\n"
				"ld.param.u32 %r1, [in]; ld.param.u32 %r2, [out];\n"
				"mov.u32 %r8, 0; add.u32 %r8, %r1, %r2;\n"
				"mov.u32 %r3, %clock;\n"
				"ld.global.u32 %r4, [%r1];\n"
				"add.u32 %r5, %r4, 1;\n"
				"mov.u32 %r6, %clock;\n"
				"sub.u32 %r7, %r6, %r3;\n"
				"st.global.u32 [%r2], %r7; st.global.u32 [%r2+4], %r5;\n"
				"ret; }\n";

/* Every thread sums `n` elements of 16 bytes, `step` apart. */
static const char stream[] = HEAD
	".visible .entry stream(.param .u32 in, .param .u32 out, .param .u32 n, .param .u32 step)\n"
	"{ .reg .b32 %r<12>; .reg .f32 %f<8>; .reg .pred %p<2>;\n"
	"mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"
	"mad.lo.u32 %r4, %r1, %r2, %r3; shl.b32 %r5, %r4, 4;\n"
	"ld.param.u32 %r6, [in]; add.u32 %r6, %r6, %r5;\n"
	"ld.param.u32 %r7, [n]; ld.param.u32 %r8, [step];\n"
	"mov.f32 %f5, 0f00000000;\n"
	"LOOP: ld.global.v4.f32 {%f1,%f2,%f3,%f4}, [%r6];\n"
	"add.f32 %f5, %f5, %f1; add.f32 %f5, %f5, %f4;\n"
	"add.u32 %r6, %r6, %r8; sub.u32 %r7, %r7, 1;\n"
	"setp.ne.u32 %p1, %r7, 0; @%p1 bra LOOP;\n"
	"shl.b32 %r9, %r4, 2; ld.param.u32 %r10, [out]; add.u32 %r10, %r10, %r9;\n"
	"st.global.f32 [%r10], %f5;\n"
	"ret; }\n";

/* Thread t of CTA c follows its own loads: n dependent reads, all in one channel's lines. */
static const char chase[] =
	HEAD ".visible .entry chase(.param .u32 in, .param .u32 n, .param .u32 step)\n"
	     "{ .reg .b32 %r<12>; .reg .pred %p<2>;\n"
	     "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"
	     "mad.lo.u32 %r4, %r1, %r2, %r3;\n"
	     "ld.param.u32 %r5, [in]; ld.param.u32 %r7, [n]; ld.param.u32 %r8, [step];\n"
	     "mul.lo.u32 %r9, %r4, %r8; mul.lo.u32 %r9, %r9, %r7; add.u32 %r5, %r5, %r9;\n"
	     "LOOP: ld.global.u32 %r6, [%r5];\n"
	     "add.u32 %r5, %r5, %r6; add.u32 %r5, %r5, %r8; sub.u32 %r7, %r7, 1;\n"
	     "setp.ne.u32 %p1, %r7, 0; @%p1 bra LOOP;\n"
	     "ret; }\n";

static uint32_t lone_read_cycles(const char *settings)
{
	struct kit k = kit_new(settings);
	buffer_t in = kit_buffer(&k, "in", 4096), out = kit_buffer(&k, "out", 8);
	uint32_t cycles;

	kit_launch(
		&k, kit_module(&k, lone), "lone", 1, 1, 2, (uint64_t[]){KIT_BUF(in), KIT_BUF(out)});
	kit_run(&k);
	cycles = kit_u32(&k, out, 0);
	kit_free(&k);
	return cycles;
}

static void a_lone_dram_read_takes_400_cycles_from_issue_to_use(void **state)
{
	(void)state;
	/* clock, then the load one cycle later, its dependant, then clock again one cycle later */
	assert_int_equal(lone_read_cycles("l2.bytes=0"), 402);
	assert_int_equal(lone_read_cycles(""), 402);
	assert_int_equal(lone_read_cycles("chip.network=ideal"), 402);
	assert_int_equal(lone_read_cycles("chip.network=router"), 402);
	assert_int_equal(lone_read_cycles("chip.network=router noc.reply.flit_bytes=8 "
					  "noc.request.wire_cycles=3 noc.request.passes=2"),
		402);
	assert_int_equal(lone_read_cycles("chip.read_cycles=700"), 702);
	assert_int_equal(lone_read_cycles("chip.channels=1 chip.bytes_per_ns=8"), 402);
}

struct measured {
	double cycles, throughput, warp_instructions, read;
};

static struct measured run_stream(const char *settings, unsigned ctas, unsigned n)
{
	struct kit k = kit_new(settings);
	uint64_t threads = (uint64_t)ctas * 256;
	buffer_t in = kit_buffer(&k, "in", threads * 16 * n),
		 out = kit_buffer(&k, "out", threads * 4);
	struct measured r;

	kit_launch(&k, kit_module(&k, stream), "stream", ctas, 256, 4,
		(uint64_t[]){KIT_BUF(in), KIT_BUF(out), n, (uint32_t)threads * 16});
	kit_run(&k);
	r.cycles = kit_metric(&k, "gpc__cycles_elapsed.max");
	r.throughput = kit_metric(&k, "dram__throughput.avg.pct_of_peak_sustained_elapsed");
	r.warp_instructions = kit_metric(&k, "smsp__inst_executed.sum");
	r.read = kit_metric(&k, "dram__bytes_read.sum");
	kit_free(&k);
	return r;
}

static void a_read_stream_reaches_95_percent_of_256_bytes_per_ns(void **state)
{
	struct measured r = run_stream("", 1024, 6);
	(void)state;

	assert_true(r.read == 1024.0 * 256 * 16 * 6);
	assert_true(r.throughput >= 95);
	assert_true(run_stream("l2.bytes=0", 1024, 6).throughput >= 95);
}

static void alike_sms_take_the_cycles_of_one_sm_with_its_share(void **state)
{
	static const char ideal[] = "chip.network=ideal l2.bytes=0";
	char one[128];
	(void)state;
	strcpy(one, ideal);
	strcat(one, " chip.sms=1 chip.channels=1 chip.slices=1 chip.bytes_per_ns=8");
	for (unsigned per_sm = 1; per_sm <= 8; per_sm += per_sm == 1 ? 1 : 6) {
		double all = run_stream(ideal, 32 * per_sm, 16).cycles;
		double alone = run_stream(one, per_sm, 16).cycles;

		assert_true(all > alone * 0.97 && all < alone * 1.03);
	}
}

static void a_share_of_the_ctas_takes_the_time_of_an_even_share_of_the_chip(void **state)
{
	struct measured part, whole;
	(void)state;

	whole = run_stream("chip.network=ideal l2.bytes=0 chip.even_share=1", 64, 16);
	part = run_stream("chip.network=ideal l2.bytes=0 chip.sms=1 chip.channels=1 "
			  "chip.slices=1 chip.bytes_per_ns=8 chip.share=32",
		64, 16);
	assert_true(part.cycles == whole.cycles);
	assert_true(part.warp_instructions * 32 == whole.warp_instructions);
}

/* Cycles of a latency-bound kernel on SMs 1..31 while SM 0 hammers a channel, or not. */
static double chase_cycles(bool hammered)
{
	struct kit k = kit_new("l1.mshrs=512 l2.bytes=0 chip.interleave_bytes=128");
	unsigned step = 128 * 12, n = 32; /* always the same slice */
	buffer_t a = kit_buffer(&k, "chased", (uint64_t)1024 * step * n + step);
	module_t m = kit_module(&k, chase);
	struct launch_report r;

	kit_launch_on(&k, m, "chase", 31, 1, 3, (uint64_t[]){KIT_BUF(a), n, step}, 0xfffffffe, 0);
	if (hammered)
		kit_launch_on(&k, m, "chase", 4, 256, 3, (uint64_t[]){KIT_BUF(a), n, step}, 1, 1);
	kit_run(&k);
	chip_launch_report(k.gpu, 0, &r);
	kit_free(&k);
	return (double)(r.end_cycle - r.start_cycle);
}

static void one_sm_hammering_a_channel_slows_the_others(void **state)
{
	(void)state;
	assert_true(chase_cycles(true) > 1.2 * chase_cycles(false));
}

static struct text everything(const struct chip_host *host)
{
	struct kit k = kit_new_host("chip.sms=8", host);
	buffer_t in = kit_buffer(&k, "in", 32 * 256 * 16 * 4),
		 out = kit_buffer(&k, "out", 32 * 256 * 4);
	struct text t;

	kit_launch(&k, kit_module(&k, stream), "stream", 32, 256, 4,
		(uint64_t[]){KIT_BUF(in), KIT_BUF(out), 4, 32 * 256 * 16});
	kit_run(&k);
	t = kit_everything(&k);
	kit_free(&k);
	return t;
}

static void no_host_choice_changes_a_number(void **state)
{
	static const struct chip_host hosts[] = {{.threads = 2},
		{.threads = 1, .shuffle = true, .seed = 3},
		{.threads = 1, .early_wakes = true, .seed = 4},
		{.threads = 1, .hostile = true, .seed = 5},
		{.threads = 2, .shuffle = true, .early_wakes = true, .seed = 6}};
	struct text plain = everything(&(struct chip_host){.threads = 1});
	(void)state;

	for (unsigned i = 0; i < ARRAY_LEN(hosts); i++) {
		struct text other = everything(&hosts[i]);

		assert_string_equal(text_str(&plain), text_str(&other));
		text_clear(&other);
	}
	text_clear(&plain);
}

static void tiny_queues_slow_the_chip_but_do_not_stop_it(void **state)
{
	(void)state;
	run_stream("chip.sms=4 l1.mshrs=1 l1.merges=1 sm.lsu_queue=1 sm.lsu_ops=1 l2.mshrs=1 "
		   "l2.merges=1 l2.replies=1 l2.dram_queue=1 dram.queue=1 chip.link_queue=1",
		8, 2);
}

/* SM 0, CTA 0, is a cycle behind SM 1 by an addition: in one window of the simulation both meet
 * their bad store. */
static void of_several_faults_the_first_in_time_is_reported(void **state)
{
	static const char bad[] = HEAD
		".visible .entry bad(.param .u32 out)\n"
		"{ .reg .b32 %r<9>; .reg .pred %p<2>;\n"
		"mov.u32 %r1, %ctaid.x; mov.u32 %r2, 4; setp.ne.u32 %p1, %r1, 0; @%p1 bra NOW;\n"
		"add.u32 %r3, %r1, 1;\n"
		"NOW: st.global.u32 [%r2], %r1; ret; }\n";
	struct kit k = kit_new("chip.sms=2");

	(void)state;
	kit_launch(&k, kit_module(&k, bad), "bad", 2, 1, 1,
		(uint64_t[]){KIT_BUF(kit_buffer(&k, "out", 128))});
	assert_int_equal(chip_run(k.gpu, 0, NULL, &k.err), -1);
	if (!strstr(err_text(&k.err), "(1,0,0)"))
		fail_msg("%s", err_text(&k.err));
	kit_free(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_lone_dram_read_takes_400_cycles_from_issue_to_use),
		cmocka_unit_test(a_read_stream_reaches_95_percent_of_256_bytes_per_ns),
		cmocka_unit_test(alike_sms_take_the_cycles_of_one_sm_with_its_share),
		cmocka_unit_test(a_share_of_the_ctas_takes_the_time_of_an_even_share_of_the_chip),
		cmocka_unit_test(one_sm_hammering_a_channel_slows_the_others),
		cmocka_unit_test(no_host_choice_changes_a_number),
		cmocka_unit_test(of_several_faults_the_first_in_time_is_reported),
		cmocka_unit_test(tiny_queues_slow_the_chip_but_do_not_stop_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
