/* Copies of lines of the other side (mem/slice_peer.c): what loads measure, what is looked up and
 * profiled, with the smallest queues, and through a checkpoint. */
#include "tests/rig/support_gpu.h"
#include "tests/rig/twin.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { SMS = 4, SLICES = 4, BLOCK = 256, NEAR = 208, SIDE = 150 };

#define CHIP \
	"chip.sms=4 chip.channels=4 chip.slices=1 chip.bytes_per_ns=64 chip.sides=2 " \
	"chip.l2_cycles=208 chip.side_cycles=150 chip.read_cycles=475 " \
	"storage.partitioned.cache_bytes=0 "
#define COPIES CHIP "chip.side_copies=true "

/* SM `sm` reads a line of each slice and notes the cycles, or writes or adds to its first word. */
static const char accesses[] =
	".version 7.0\n.target sm_70\n.address_size 32\n"
	".visible .entry reads(.param .u32 in, .param .u32 out, .param .u32 n, .param .u32 sm)\n"
	"{ .reg .b32 %r<16>; .reg .pred %p<3>;\n"
	"ld.param.u32 %r1, [in]; ld.param.u32 %r2, [out]; ld.param.u32 %r3, [n];\n"
	"ld.param.u32 %r4, [sm]; mov.u32 %r5, %smid;\n"
	"setp.ne.u32 %p1, %r4, %r5; @%p1 bra END;\n"
	"LOOP: mov.u32 %r7, %clock; ld.global.u32 %r8, [%r1]; add.u32 %r9, %r8, 1;\n"
	"mov.u32 %r10, %clock; sub.u32 %r11, %r10, %r7; st.global.u32 [%r2], %r11;\n"
	"add.u32 %r1, %r1, 256; add.u32 %r2, %r2, 4; sub.u32 %r3, %r3, 1;\n"
	"setp.ne.u32 %p2, %r3, 0; @%p2 bra LOOP;\n"
	"END: ret; }\n"
	".visible .entry writes(.param .u32 in, .param .u32 n, .param .u32 sm)\n"
	"{ .reg .b32 %r<8>; .reg .pred %p<3>;\n"
	"ld.param.u32 %r1, [in]; ld.param.u32 %r3, [n];\n"
	"ld.param.u32 %r4, [sm]; mov.u32 %r5, %smid;\n"
	"setp.ne.u32 %p1, %r4, %r5; @%p1 bra END;\n"
	"LOOP: st.global.u32 [%r1], %r3;\n"
	"add.u32 %r1, %r1, 256; sub.u32 %r3, %r3, 1; setp.ne.u32 %p2, %r3, 0; @%p2 bra LOOP;\n"
	"END: ret; }\n"
	".visible .entry adds(.param .u32 in, .param .u32 n, .param .u32 sm)\n"
	"{ .reg .b32 %r<8>; .reg .pred %p<3>;\n"
	"ld.param.u32 %r1, [in]; ld.param.u32 %r3, [n];\n"
	"ld.param.u32 %r4, [sm]; mov.u32 %r5, %smid;\n"
	"setp.ne.u32 %p1, %r4, %r5; @%p1 bra END;\n"
	"LOOP: red.global.add.u32 [%r1], 1;\n"
	"add.u32 %r1, %r1, 256; sub.u32 %r3, %r3, 1; setp.ne.u32 %p2, %r3, 0; @%p2 bra LOOP;\n"
	"END: ret; }\n";

struct bench {
	struct kit k;
	module_t module;
	buffer_t in, out;
	unsigned first; /* the slice of the buffer's first line */
};

static struct bench bench_new(const char *settings)
{
	struct bench b = {.k = kit_new(settings)};

	b.module = kit_module(&b.k, accesses);
	b.in = kit_buffer(&b.k, "in", SLICES * BLOCK);
	b.out = kit_buffer(&b.k, "out", SLICES * 4);
	b.first = (unsigned)(gpu_buffer_address(b.k.gpu, b.in) / BLOCK % SLICES);
	return b;
}

/* Reads by that SM: of each slice's line the cycles. */
static void reads(struct bench *b, unsigned sm, unsigned cycles[SLICES])
{
	kit_launch(&b->k, b->module, "reads", SMS, 1, 4,
		(uint64_t[]){KIT_BUF(b->in), KIT_BUF(b->out), SLICES, sm});
	kit_run(&b->k);
	for (unsigned i = 0; i < SLICES; i++)
		cycles[(b->first + i) % SLICES] = kit_u32(&b->k, b->out, i) - 2;
}

static void changes(struct bench *b, const char *kernel, unsigned sm)
{
	kit_launch(&b->k, b->module, kernel, SMS, 1, 3, (uint64_t[]){KIT_BUF(b->in), SLICES, sm});
	kit_run(&b->k);
}

/* Slices 0 and 1 are on the side of SMs 0 and 1. */
static void expect(const unsigned cycles[SLICES], unsigned here, unsigned there)
{
	for (unsigned s = 0; s < SLICES; s++)
		assert_int_equal(cycles[s], s < SLICES / 2 ? here : there);
}

/* The first read of a far line is as late as without copies, the next one is near: for the SM that
 * read it and for the other one of its side, not for those of the other side's lines. */
static void a_far_line_is_near_when_it_was_read(void **state)
{
	unsigned cycles[SLICES];
	struct bench b = bench_new(COPIES);

	(void)state;
	reads(&b, 2, cycles); /* brings all lines into the L2 */
	reads(&b, 0, cycles);
	expect(cycles, NEAR, NEAR + SIDE);
	reads(&b, 0, cycles);
	expect(cycles, NEAR, NEAR);
	reads(&b, 1, cycles);
	expect(cycles, NEAR, NEAR);
	reads(&b, 3, cycles);
	expect(cycles, NEAR, NEAR);
	/* SM 2 and SM 0 have asked for two lines each, of 32 bytes that the lines were filled for
	 */
	assert_true(kit_metric(&b.k, "lts__t_sectors_srcunit_ltcfabric.sum") >= 4);
	assert_true(kit_metric(&b.k, "lts__t_sectors_srcunit_ltcfabric_lookup_hit.sum") >= 2);
	kit_free(&b.k);
	b = bench_new(CHIP);
	reads(&b, 2, cycles);
	reads(&b, 0, cycles);
	expect(cycles, NEAR, NEAR + SIDE);
	reads(&b, 0, cycles);
	expect(cycles, NEAR, NEAR + SIDE);
	assert_true(kit_metric(&b.k, "lts__t_sectors_srcunit_ltcfabric.sum") == 0);
	kit_free(&b.k);
}

/* A write or an atomic, of either side, drops the copy. */
static void what_is_written_is_no_copy_any_more(void **state)
{
	static const char *const kernels[] = {"writes", "adds"};

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		unsigned cycles[SLICES], sm = i / 2 * 3;
		struct bench b = bench_new(COPIES);

		reads(&b, 0, cycles);
		reads(&b, 0, cycles);
		expect(cycles, NEAR, NEAR);
		changes(&b, kernels[i % 2], sm);
		reads(&b, 0, cycles);
		expect(cycles, NEAR, NEAR + SIDE);
		reads(&b, 0, cycles);
		expect(cycles, NEAR, NEAR);
		kit_free(&b.k);
	}
}

static void what_cannot_be_is_refused(void **state)
{
	static const struct {
		const char *settings, *says;
	} cases[] = {
		{COPIES "chip.sides=4", "where there are two, not chip.sides = 4"},
		{COPIES "chip.side_cycles=39", "chip.side_cycles = 39: must be at least 40"},
		{COPIES "chip.channels=5", "chip.channels = 5: must be even"},
		{COPIES "l2.merges=1", "l2.merges = 1: must be at least 2 with chip.side_copies"},
		{COPIES "l2.mshrs=1", "l2.mshrs = 1: must be at least 2 with chip.side_copies"},
		{COPIES "l2.evict_queue=1", "l2.evict_queue = 1: must be at least 2 with"},
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(cases); i++)
		kit_refused(cases[i].settings, cases[i].says);
}

#define SMALL \
	"l2.bytes=4K l2.mshrs=2 l2.merges=2 l2.evict_queue=2 l2.replies=1 l2.dram_queue=1 " \
	"chip.link_queue=1 "

/* Both sides ask each other at once, with queues of one packet; the run's counters balance, also
 * those of its profile. A checkpoint has all of it. */
static void sides_that_ask_each_other_do_not_wait_for_ever(void **state)
{
	static const char *const settings[] = {COPIES SMALL "l2.fill_line=false",
		COPIES SMALL "l2.banks=2 l2.bank_cycles=5 l2.fill_queue=1",
		COPIES "l2.write_policy=through chip.l2_mhz=700 chip.network=router"};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(settings); i++) {
		struct twin t = {.subject = {.name = "histogram",
					 .seed = 1,
					 .settings = settings[i],
					 .timed = true},
			.at = 100,
			.compare = true,
			.profile = true};

		twin_run(&t);
		assert_true(t.saved);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_far_line_is_near_when_it_was_read),
		cmocka_unit_test(what_is_written_is_no_copy_any_more),
		cmocka_unit_test(what_cannot_be_is_refused),
		cmocka_unit_test(sides_that_ask_each_other_do_not_wait_for_ever),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
