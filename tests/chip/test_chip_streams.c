/* Streams that share a chip: where their launches go, when the host hears of their end, and what
 * each launch had of the memory system. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "chip/inside.h"
#include "tests/rig/support_gpu.h"

/* Every thread reads one word of `in` per round and writes their sum; CTA i makes base + i rounds.
 */
static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 32\n"
			  ".visible .entry sum(.param .u32 in, .param .u32 out, .param .u32 base)\n"
			  "{\n"
			  ".reg .u32 %r<12>;\n.reg .pred %p<2>;\n"
			  "ld.param.u32 %r1, [in];\n"
			  "ld.param.u32 %r2, [out];\n"
			  "ld.param.u32 %r3, [base];\n"
			  "mov.u32 %r4, %tid.x;\n"
			  "mov.u32 %r5, %ctaid.x;\n"
			  "mov.u32 %r6, %ntid.x;\n"
			  "mad.lo.u32 %r7, %r5, %r6, %r4;\n"
			  "shl.b32 %r7, %r7, 2;\n"
			  "add.u32 %r1, %r1, %r7;\n"
			  "add.u32 %r2, %r2, %r7;\n"
			  "add.u32 %r3, %r3, %r5;\n"
			  "mov.u32 %r8, 0;\n"
			  "again:\n"
			  "ld.global.u32 %r9, [%r1];\n"
			  "add.u32 %r8, %r8, %r9;\n"
			  "sub.u32 %r3, %r3, 1;\n"
			  "setp.ne.u32 %p1, %r3, 0;\n"
			  "@%p1 bra again;\n"
			  "st.global.u32 [%r2], %r8;\n"
			  "ret;\n}\n";

#define CTAS 64
#define THREADS 64
#define BYTES (CTAS * THREADS * 4)

static void queue(struct kit *k, module_t m, unsigned ctas, unsigned base, unsigned stream)
{
	buffer_t in = kit_buffer(k, "in", BYTES), out = kit_buffer(k, "out", BYTES);

	kit_launch_on(k, m, "sum", ctas, THREADS, 3, (uint64_t[]){KIT_BUF(in), KIT_BUF(out), base},
		0, stream);
}

static struct launch_report report_of(const struct kit *k, unsigned i)
{
	struct launch_report r;

	chip_launch_report(k->gpu, i, &r);
	return r;
}

static void the_host_hears_of_a_streams_end_while_another_runs(void **state)
{
	struct kit k = kit_new("chip.sms=4");
	module_t m = kit_module(&k, ptx);
	bool at_rest = true;
	uint64_t heard;

	(void)state;
	queue(&k, m, 4, 400, 0);
	queue(&k, m, 4, 2, 7);
	assert_int_equal(chip_run_stream(k.gpu, 0, NULL, &at_rest, &k.err), 0);
	assert_false(at_rest);
	assert_false(report_of(&k, 0).complete);
	assert_true(report_of(&k, 1).complete);
	heard = chip_progress(k.gpu).cycle;
	assert_in_range(heard, report_of(&k, 1).end_cycle, report_of(&k, 1).end_cycle + 20);
	queue(&k, m, 1, 2, 7); /* what comes then starts at once */
	assert_int_equal(chip_run_stream(k.gpu, 0, NULL, &at_rest, &k.err), 0);
	assert_in_range(report_of(&k, 2).start_cycle, heard, heard + 20);
	assert_true(report_of(&k, 2).complete);
	assert_false(report_of(&k, 0).complete);
	while (!at_rest)
		assert_int_equal(chip_run_stream(k.gpu, 0, NULL, &at_rest, &k.err), 0);
	assert_true(report_of(&k, 0).complete);
	kit_free(&k);
}

static void pauses_change_no_cycle(void **state)
{
	uint64_t end[2];

	(void)state;
	for (unsigned paused = 0; paused < 2; paused++) {
		struct kit k =
			kit_new_host("chip.sms=4", &(struct chip_host){.threads = 1 + paused});
		module_t m = kit_module(&k, ptx);
		bool at_rest = false;

		for (unsigned i = 0; i < 6; i++)
			queue(&k, m, 3 + i, 5 * i + 1, i % 3);
		while (paused && !at_rest)
			chip_run_stream(k.gpu, 0, NULL, &at_rest, &k.err);
		kit_run(&k);
		end[paused] = (uint64_t)kit_metric(&k, "gpc__cycles_elapsed.max");
		kit_free(&k);
	}
	assert_int_equal(end[0], end[1]);
}

static void a_placement_moves_streams_and_keeps_sms(void **state)
{
	struct kit k = kit_new("chip.sms=8");
	module_t m = kit_module(&k, ptx);
	struct gpu_place place = {.stream = 1000, .sms = {0xf0}};

	(void)state;
	gpu_place(k.gpu, &place);
	queue(&k, m, 8, 1, 5);
	kit_run(&k);
	assert_int_equal(report_of(&k, 0).stream, 1005);
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(k.gpu->chip->by_launch[i][0] > 0, i >= 4);
	kit_free(&k);
}

static void a_launch_whose_sms_are_not_given_is_refused(void **state)
{
	struct kit k = kit_new("chip.sms=8");
	module_t m = kit_module(&k, ptx);
	struct gpu_place place = {.sms = {0xf0}};
	struct launch l = {.module = m,
		.kernel = "sum",
		.grid = {1, 1, 1},
		.block = {32, 1, 1},
		.sms = {0x0f}};

	(void)state;
	gpu_place(k.gpu, &place);
	assert_int_equal(gpu_launch(k.gpu, &l, &k.err), -1);
	assert_int_equal(k.err.code, ERR_INPUT);
	assert_non_null(strstr(err_text(&k.err), "SMs outside of those"));
	kit_free(&k);
}

static void what_launches_had_adds_up_to_what_the_memory_did(const char *settings)
{
	struct kit k = kit_new(settings);
	module_t m = kit_module(&k, ptx);
	uint64_t read = 0, written = 0, flushed = 0, sectors = 0, hits = 0;

	queue(&k, m, CTAS, 1, 0);
	queue(&k, m, CTAS / 2, 3, 1);
	kit_run(&k);
	for (unsigned i = 0; i < 2; i++) {
		struct launch_report r = report_of(&k, i);

		assert_in_range(r.dram_read_bytes, BYTES >> i, 4 * BYTES);
		assert_int_equal(r.dram_write_bytes + r.flushed_bytes, BYTES >> i);
		read += r.dram_read_bytes;
		written += r.dram_write_bytes;
		flushed += r.flushed_bytes;
		sectors += r.l2_sectors;
		hits += r.l2_hits;
	}
	assert_int_equal(read, kit_metric(&k, "dram__bytes_read.sum"));
	assert_int_equal(written, kit_metric(&k, "dram__bytes_write.sum"));
	assert_int_equal(flushed, kit_metric(&k, "lts__bytes_flushed.sum"));
	assert_int_equal(sectors, kit_metric(&k, "lts__t_sectors_op_read.sum"));
	assert_int_equal(hits, kit_metric(&k, "lts__t_sectors_op_read_lookup_hit.sum"));
	kit_free(&k);
}

static void every_byte_of_dram_belongs_to_a_launch(void **state)
{
	(void)state;
	what_launches_had_adds_up_to_what_the_memory_did("chip.sms=4");
	what_launches_had_adds_up_to_what_the_memory_did("chip.sms=4 l2.bytes=4096");
	what_launches_had_adds_up_to_what_the_memory_did("chip.sms=4 l2.bytes=0");
	what_launches_had_adds_up_to_what_the_memory_did(
		"chip.sms=4 chip.even_share=true l2.bytes=0");
}

static void a_share_executes_what_the_same_ctas_do_on_the_chip(void **state)
{
	uint64_t expected = 0, all = 0;
	struct kit k = kit_new("chip.sms=1 chip.share=4"), whole = kit_new("chip.sms=4");
	uint64_t per_round, fixed;

	(void)state;
	queue(&whole, kit_module(&whole, ptx), 1, 1, 0); /* what a round costs is measured */
	queue(&whole, 1, 1, 2, 0);
	queue(&whole, 1, CTAS, 1, 0);
	kit_run(&whole);
	per_round = report_of(&whole, 1).warp_instructions - report_of(&whole, 0).warp_instructions;
	fixed = report_of(&whole, 0).warp_instructions - per_round;
	for (unsigned i = 0; i < CTAS; i++) {
		all += fixed + (1 + i) * per_round;
		expected += i % 4 ? 0 : fixed + (1 + i) * per_round;
	}
	assert_int_equal(report_of(&whole, 2).warp_instructions, all);
	queue(&k, kit_module(&k, ptx), CTAS, 1, 0);
	kit_run(&k);
	assert_int_equal(report_of(&k, 0).warp_instructions, expected);
	assert_int_equal(report_of(&k, 0).timed_ctas, CTAS / 4);
	assert_int_equal(kit_metric(&k, "chip__inst_executed_untimed.sum"), all - expected);
	kit_free(&whole);
	kit_free(&k);
}

/* ---- shared memory */
/* CTA i fills `bytes` of shared memory with its number and the tag, spins for base + i * step
 * rounds and looks for a word that has changed. */
#define FILLS(name, bytes) \
	".visible .entry " name "(.param .u32 out, .param .u32 tag, .param .u32 base, " \
	".param .u32 step)\n{\n.reg .u32 %r<16>;\n.reg .pred %p<2>;\n" \
	".shared .align 4 .b8 s[" bytes "];\n" \
	"ld.param.u32 %r1, [out];\nld.param.u32 %r2, [tag];\nld.param.u32 %r3, [base];\n" \
	"ld.param.u32 %r4, [step];\nmov.u32 %r5, %ctaid.x;\nmov.u32 %r6, %tid.x;\n" \
	"shl.b32 %r6, %r6, 2;\nadd.u32 %r2, %r2, %r5;\nmad.lo.u32 %r3, %r4, %r5, %r3;\n" \
	"shl.b32 %r7, %r5, 7;\nadd.u32 %r1, %r1, %r7;\nadd.u32 %r1, %r1, %r6;\n" \
	"mov.u32 %r8, s;\nadd.u32 %r8, %r8, %r6;\nmov.u32 %r9, 0;\nmov.u32 %r12, 0;\n" \
	"FILL:\nadd.u32 %r10, %r8, %r9;\nst.shared.u32 [%r10], %r2;\n" \
	"add.u32 %r9, %r9, 128;\nsetp.lt.u32 %p1, %r9, " bytes ";\n@%p1 bra FILL;\n" \
	"SPIN:\nsub.u32 %r3, %r3, 1;\nsetp.ne.u32 %p1, %r3, 0;\n@%p1 bra SPIN;\n" \
	"mov.u32 %r9, 0;\n" \
	"LOOK:\nadd.u32 %r10, %r8, %r9;\nld.shared.u32 %r11, [%r10];\n" \
	"xor.b32 %r11, %r11, %r2;\nor.b32 %r12, %r12, %r11;\nadd.u32 %r9, %r9, 128;\n" \
	"setp.lt.u32 %p1, %r9, " bytes ";\n@%p1 bra LOOK;\nadd.u32 %r12, %r12, 1;\n" \
	"st.global.u32 [%r1], %r12;\nret;\n}\n"

static const char fills[] = ".version 7.0\n.target sm_70\n.address_size 32\n" FILLS("small", "4096")
	FILLS("large", "8192");

/* The SM has slots for two CTAs. The first small one ends soon, and the large one, which comes for
 * it, does not fit before the second. */
static void a_cta_takes_no_shared_memory_of_another(void **state)
{
	struct kit k = kit_new("chip.sms=1 sm.ctas=2 storage.partitioned.shared_bytes=16K");
	module_t m = kit_module(&k, fills);
	buffer_t out = kit_buffer(&k, "out", 256), other = kit_buffer(&k, "other", 128);

	(void)state;
	kit_launch_on(&k, m, "small", 2, 32, 4, (uint64_t[]){KIT_BUF(out), 100, 10, 2000}, 0, 0);
	kit_launch_on(&k, m, "large", 1, 32, 4, (uint64_t[]){KIT_BUF(other), 200, 10, 0}, 0, 1);
	kit_run(&k);
	assert_true(report_of(&k, 1).end_cycle < report_of(&k, 0).end_cycle);
	for (unsigned i = 0; i < 64; i++)
		assert_int_equal(kit_u32(&k, out, i), 1);
	for (unsigned i = 0; i < 32; i++)
		assert_int_equal(kit_u32(&k, other, i), 1);
	kit_free(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cta_takes_no_shared_memory_of_another),
		cmocka_unit_test(the_host_hears_of_a_streams_end_while_another_runs),
		cmocka_unit_test(pauses_change_no_cycle),
		cmocka_unit_test(a_placement_moves_streams_and_keeps_sms),
		cmocka_unit_test(a_launch_whose_sms_are_not_given_is_refused),
		cmocka_unit_test(every_byte_of_dram_belongs_to_a_launch),
		cmocka_unit_test(a_share_executes_what_the_same_ctas_do_on_the_chip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
