/* The executor, from PTX text: control flow, memory, barriers, warp-wide instructions, faults. */
#include "tests/rig/exec_rig.h"

static struct rig rig;

static void start(void)
{
	static const struct rig blank;

	rig = blank;
}

static void run(const char *text, uint32_t threads)
{
	if (rig_run(&rig, text, 1, threads) != 0)
		fail_msg("%s", rig.what);
}

static void both_arms_of_a_branch_run_and_reconverge(void **state)
{
	unsigned i;

	(void)state;
	start();
	run(RIG_KERNEL("setp.lt.u32 %p1, %r0, 10;\nmov.u32 %r3, 0;\n@%p1 bra SMALL;\n"
		       "mov.u32 %r2, 200;\nbra.uni JOIN;\nSMALL:\nmov.u32 %r2, 100;\nJOIN:\n"
		       "activemask.b32 %r3;\nadd.u32 %r2, %r2, %r0;\nst.global.u32 [%rd1], %r2;\n"
		       "st.global.u32 [%rd1+4096], %r3;\nret;\n"),
		40);
	for (i = 0; i < 40; i++) {
		assert_int_equal(rig.words[i], (i < 10 ? 100 : 200) + i);
		assert_int_equal(rig.words[1024 + i], i < 32 ? 0xffffffff : 0xff);
	}
	assert_int_equal(rig.words[40], 0);
}

static void nested_loops_run_each_lanes_own_trip_counts(void **state)
{
	unsigned i;

	(void)state;
	start();
	run(RIG_KERNEL(
		    "mov.u32 %r1, 0;\nmov.u32 %r2, 0;\n"
		    "OUTER:\nsetp.ge.u32 %p1, %r1, %r0;\n@%p1 bra DONE;\nmov.u32 %r3, 0;\n"
		    "INNER:\nsetp.gt.u32 %p2, %r3, %r1;\n@%p2 bra NEXT;\nadd.u32 %r2, %r2, %r3;\n"
		    "add.u32 %r3, %r3, 1;\nbra.uni INNER;\n"
		    "NEXT:\nadd.u32 %r1, %r1, 1;\nbra.uni OUTER;\n"
		    "DONE:\nactivemask.b32 %r4;\nst.global.u32 [%rd1], %r2;\nst.global.u32 "
		    "[%rd1+4096], %r4;\n"
		    "ret;\n"),
		32);
	for (i = 0; i < 32; i++) {
		unsigned expected = 0, a, b;

		for (a = 0; a < i; a++)
			for (b = 0; b <= a; b++)
				expected += b;
		assert_int_equal(rig.words[i], expected);
		assert_int_equal(rig.words[1024 + i], 0xffffffff);
	}
}

static void lanes_that_exit_early_leave_the_others_alone(void **state)
{
	unsigned i;

	(void)state;
	start();
	run(RIG_KERNEL("setp.gt.u32 %p1, %r0, 20;\nand.b32 %r1, %r0, 1;\nsetp.eq.u32 %p2, %r1, 0;\n"
		       "@%p1 exit;\n@%p2 bra EVEN;\nsetp.gt.u32 %p3, %r0, 15;\n@%p3 ret;\n"
		       "st.global.u32 [%rd1], 1;\nEVEN:\nst.global.u32 [%rd1+4096], 7;\nret;\n"),
		32);
	for (i = 0; i < 32; i++) {
		assert_int_equal(rig.words[i], i <= 15 && (i & 1) ? 1 : 0);
		assert_int_equal(rig.words[1024 + i], i <= 20 && !((i & 1) && i > 15) ? 7 : 0);
	}
}

#define DOUBLE_ODD \
	".func (.reg .u32 %out) twice(.reg .u32 %in)\n{\n.reg .pred %q;\n.reg .u32 %t;\n" \
	"and.b32 %t, %in, 2;\nsetp.eq.u32 %q, %t, 0;\nshl.b32 %out, %in, 1;\n@%q ret;\n" \
	"add.u32 %out, %out, 1000;\nret;\n}\n"

static void calls_in_divergent_code_return_lane_by_lane(void **state)
{
	unsigned i;

	(void)state;
	start();
	run(RIG_KERNEL_WITH(DOUBLE_ODD, "",
		    "and.b32 %r1, %r0, 1;\nsetp.eq.u32 %p1, %r1, 0;\nmov.u32 %r2, 5;\n@%p1 bra "
		    "OVER;\n"
		    "call (%r2), twice, (%r0);\nOVER:\nactivemask.b32 %r3;\nst.global.u32 [%rd1], "
		    "%r2;\n"
		    "st.global.u32 [%rd1+4096], %r3;\nret;\n"),
		32);
	for (i = 0; i < 32; i++) {
		assert_int_equal(rig.words[i], i & 1 ? 2 * i + (i & 2 ? 1000 : 0) : 5);
		assert_int_equal(rig.words[1024 + i], 0xffffffff);
	}
}

static void shared_memory_and_barriers_reverse_a_cta(void **state)
{
	unsigned i;

	(void)state;
	start();
	run(RIG_KERNEL_WITH("", ".shared .align 4 .b8 s[1024];\n",
		    "mov.u64 %rd2, s;\nmul.wide.u32 %rd3, %r0, 4;\nadd.s64 %rd3, %rd2, %rd3;\n"
		    "st.shared.u32 [%rd3], %r0;\nbar.sync 0;\nsub.u32 %r1, 255, %r0;\n"
		    "mul.wide.u32 %rd4, %r1, 4;\nadd.s64 %rd4, %rd2, %rd4;\nld.shared.u32 %r2, "
		    "[%rd4];\n"
		    "st.global.u32 [%rd1], %r2;\nret;\n"),
		256);
	for (i = 0; i < 256; i++)
		assert_int_equal(rig.words[i], 255 - i);
}

static void barriers_do_not_wait_for_warps_that_have_exited(void **state)
{
	(void)state;
	start();
	run(RIG_KERNEL("setp.ge.u32 %p1, %r0, 64;\n@%p1 exit;\nbar.sync 0;\nst.global.u32 [%rd1], "
		       "3;\nret;\n"),
		128);
	assert_int_equal(rig.words[63], 3);
	assert_int_equal(rig.words[64], 0);
}

static void bar_red_joins_the_predicates_of_the_cta(void **state)
{
	unsigned i;

	(void)state;
	start();
	run(RIG_KERNEL(
		    "setp.lt.u32 %p1, %r0, 70;\nbar.red.popc.u32 %r1, 0, %p1;\nbar.red.and.pred "
		    "%p2, 0, %p1;\n"
		    "bar.red.or.pred %p3, 0, !%p1;\nselp.u32 %r2, 1, 0, %p2;\nselp.u32 %r3, 2, 0, "
		    "%p3;\n"
		    "add.u32 %r1, %r1, 1000;\nst.global.u32 [%rd1], %r1;\nor.b32 %r2, %r2, %r3;\n"
		    "st.global.u32 [%rd1+4096], %r2;\nret;\n"),
		96);
	for (i = 0; i < 96; i++) {
		assert_int_equal(rig.words[i], 1070);
		assert_int_equal(rig.words[1024 + i], 2);
	}
}

/* The last of three warps has 16 lanes, without a predicate in the others. */
static void bar_red_counts_lanes_that_exist(void **state)
{
	unsigned i;

	(void)state;
	start();
	run(RIG_KERNEL("setp.lt.u32 %p1, %r0, 70;\nsetp.lt.u32 %p2, %r0, 80;\n"
		       "bar.red.popc.u32 %r1, 0, !%p1;\nbar.red.or.pred %p3, 0, !%p2;\n"
		       "selp.u32 %r2, 1, 2, %p3;\nst.global.u32 [%rd1], %r1;\n"
		       "st.global.u32 [%rd1+4096], %r2;\nret;\n"),
		80);
	for (i = 0; i < 80; i++) {
		assert_int_equal(rig.words[i], 10);
		assert_int_equal(rig.words[1024 + i], 2);
	}
}

/* Warp 0, which runs first, exits before another one waits. */
static void barriers_do_not_wait_for_warps_that_exited_before(void **state)
{
	unsigned i;

	(void)state;
	start();
	run(RIG_KERNEL("setp.lt.u32 %p1, %r0, 32;\n@%p1 exit;\nbar.sync 0;\n"
		       "st.global.u32 [%rd1], 7;\nret;\n"),
		96);
	for (i = 0; i < 96; i++)
		assert_int_equal(rig.words[i], i < 32 ? 0 : 7);
}

static void named_barriers_count_the_warps_they_expect(void **state)
{
	(void)state;
	start();
	run(RIG_KERNEL(
		    "setp.lt.u32 %p1, %r0, 32;\n@%p1 bra PRODUCE;\nsetp.ge.u32 %p2, %r0, 64;\n@%p2 "
		    "exit;\n"
		    "bar.sync 3, 64;\nld.global.u32 %r1, [%rd0];\nst.global.u32 [%rd1], "
		    "%r1;\nret;\n"
		    "PRODUCE:\nst.global.u32 [%rd1], 77;\nmembar.gl;\nbar.arrive 3, 64;\nret;\n"),
		96);
	assert_int_equal(rig.words[40], 77);
}

static void a_barrier_that_can_never_complete_is_a_fault(void **state)
{
	(void)state;
	start();
	assert_int_equal(rig_run(&rig, RIG_KERNEL("bar.sync 1, 96;\nret;\n"), 1, 64), -1);
	assert_int_equal(rig.fault.kind, FAULT_DIVERGED_BARRIER);
	assert_non_null(strstr(rig.what,
		"barrier that can never complete, thread (0,0,0) of CTA (0,0,0), k.ptx:"));
}

static void an_endless_loop_stops_at_the_limit(void **state)
{
	(void)state;
	start();
	assert_int_equal(rig_run_limited(&rig, RIG_KERNEL("L:\nbra.uni L;\n"), 1, 32, 500), -1);
	assert_int_equal(rig.fault.kind, FAULT_NONE);
}

static void generic_addresses_reach_every_space(void **state)
{
	unsigned i;

	(void)state;
	start();
	run(RIG_KERNEL_WITH("", ".shared .align 4 .b8 s[128];\n.local .align 8 .b8 l[16];\n",
		    "mov.u64 %rd2, s;\ncvta.shared.u64 %rd2, %rd2;\nmul.wide.u32 %rd3, %r0, 4;\n"
		    "add.s64 %rd2, %rd2, %rd3;\nst.u32 [%rd2], %r0;\nld.u32 %r1, [%rd2];\n"
		    "mov.u64 %rd4, l;\ncvta.local.u64 %rd5, %rd4;\nadd.u32 %r1, %r1, 5;\nst.u32 "
		    "[%rd5+8], %r1;\n"
		    "ld.local.u32 %r2, [%rd4+8];\nst.u32 [%rd1], %r2;\nret;\n"),
		32);
	for (i = 0; i < 32; i++)
		assert_int_equal(rig.words[i], i + 5);
}

/* Lanes 0, 3, ... address global memory at 4096, lanes 1, 4, ... shared and lanes 2, 5, ... local
 * memory; %rd2 is each lane's own cell. */
#define THREE_SPACES \
	"rem.u32 %r9, %r0, 3;\nmul.wide.u32 %rd3, %r0, 8;\nadd.s64 %rd2, %rd0, %rd3;\n" \
	"add.s64 %rd2, %rd2, 4096;\nmov.u64 %rd4, s;\ncvta.shared.u64 %rd4, %rd4;\n" \
	"add.s64 %rd4, %rd4, %rd3;\nsetp.eq.u32 %p1, %r9, 1;\nselp.b64 %rd2, %rd4, %rd2, %p1;\n" \
	"mov.u64 %rd5, l;\ncvta.local.u64 %rd5, %rd5;\nsetp.eq.u32 %p2, %r9, 2;\n" \
	"selp.b64 %rd2, %rd5, %rd2, %p2;\n"
#define THREE_VARIABLES ".shared .align 8 .b8 s[256];\n.local .align 8 .b8 l[16];\n"

static void lanes_of_one_access_may_mean_different_spaces(void **state)
{
	unsigned i;

	(void)state;
	start();
	memset(&rig.counts, 0, sizeof(rig.counts));
	/* the load's destination is its address; odd lanes are inactive in the second store */
	run(RIG_KERNEL_WITH("", THREE_VARIABLES,
		    THREE_SPACES
		    "add.u32 %r1, %r0, 100;\nand.b32 %r2, %r0, 1;\nsetp.eq.u32 %p3, %r2, 0;\n"
		    "st.v2.u32 [%rd2], {%r1, %r0};\n@%p3 st.u32 [%rd2+4], %r1;\n"
		    "ld.u64 %rd2, [%rd2];\ncvt.u32.u64 %r3, %rd2;\nshr.u64 %rd2, %rd2, 32;\n"
		    "cvt.u32.u64 %r4, %rd2;\nactivemask.b32 %r5;\nst.global.u32 [%rd1], %r3;\n"
		    "st.global.u32 [%rd1+128], %r4;\nst.global.u32 [%rd1+256], %r5;\nret;\n"),
		32);
	for (i = 0; i < 32; i++) {
		assert_int_equal(rig.words[i], 100 + i);
		assert_int_equal(rig.words[32 + i], i % 2 ? i : 100 + i);
		assert_int_equal(rig.words[64 + i], 0xffffffff);
		if (i % 3 == 0)
			assert_int_equal(rig.words[1024 + 2 * i], 100 + i);
	}
	assert_int_equal(rig.counts.warp_instructions, 4 + 13 + 3 + 2 + 4 + 1 + 3 + 1);
	assert_int_equal(rig.counts.thread_instructions, 31 * 32 - 16);
}

static void atomics_of_lanes_in_different_spaces_act_each_in_its_own(void **state)
{
	unsigned i;

	(void)state;
	start();
	run(RIG_KERNEL_WITH("", THREE_VARIABLES,
		    THREE_SPACES
		    "mov.u32 %r1, 1000;\nmov.u32 %r3, 0;\nst.u32 [%rd2], %r1;\n@!%p2 atom.add.u32 "
		    "%r3, [%rd2], "
		    "%r0;\n"
		    "@!%p2 red.xor.b32 [%rd2], 7;\n@!%p2 atom.cas.b32 %r4, [%rd2], 1007, 5;\n"
		    "ld.u32 %r5, [%rd2];\nst.global.u32 [%rd1], %r3;\n"
		    "st.global.u32 [%rd1+128], %r5;\nret;\n"),
		32);
	for (i = 0; i < 32; i++) {
		uint32_t sum = (1000 + i) ^ 7;

		assert_int_equal(rig.words[i], i % 3 == 2 ? 0 : 1000);
		assert_int_equal(rig.words[32 + i], i % 3 == 2 ? 1000 : sum == 1007 ? 5 : sum);
	}
}

static void narrow_and_vector_accesses_keep_their_bytes(void **state)
{
	unsigned i;

	(void)state;
	start();
	for (i = 0; i < 64; i++)
		rig.words[2048 + i] = 0x80ff7f01u + i;
	run(RIG_KERNEL("mul.wide.u32 %rd2, %r0, 8;\nadd.s64 %rd2, %rd0, %rd2;\n"
		       "ld.global.v2.u32 {%r1, %r2}, [%rd2+8192];\nst.global.v2.u32 [%rd2+16384], "
		       "{%r2, %r1};\n"
		       "ld.global.s8 %r3, [%rd1+8194];\nld.global.u8 %r4, "
		       "[%rd1+8194];\nld.global.s16 %r5, [%rd1+8194];\n"
		       "shl.b32 %r4, %r4, 16;\nxor.b32 %r3, %r3, %r4;\nst.global.u32 [%rd1], %r3;\n"
		       "st.global.u32 [%rd1+512], %r5;\nst.global.u8 [%rd1+1024], %r5;\nret;\n"),
		32);
	for (i = 0; i < 32; i++) {
		assert_int_equal(rig.words[4096 + 2 * i], rig.words[2048 + 2 * i + 1]);
		assert_int_equal(rig.words[4096 + 2 * i + 1], rig.words[2048 + 2 * i]);
		assert_int_equal(rig.words[i], 0xffffffff ^ 0x00ff0000);
		assert_int_equal(rig.words[128 + i], 0xffff80ff);
		assert_int_equal(rig.words[256 + i], 0xff);
	}
}

static void atomics_return_old_values_in_lane_order(void **state)
{
	unsigned i;

	(void)state;
	start();
	run(RIG_KERNEL_WITH("", ".shared .align 8 .b8 s[8];\n",
		    "mov.u64 %rd2, s;\nsetp.eq.u32 %p1, %r0, 0;\n@%p1 st.shared.u64 [%rd2], "
		    "100;\nbar.sync 0;\n"
		    "cvt.u64.u32 %rd3, %r0;\natom.shared.add.u64 %rd4, [%rd2], %rd3;\ncvt.u32.u64 "
		    "%r1, %rd4;\n"
		    "st.global.u32 [%rd1], %r1;\natom.global.inc.u32 %r2, [%rd0+4096], 9;\n"
		    "st.global.u32 [%rd1+512], %r2;\nred.global.max.s32 [%rd0+4100], %r0;\n"
		    "atom.global.cas.b32 %r3, [%rd0+4104], %r0, 55;\nret;\n"),
		32);
	for (i = 0; i < 32; i++) {
		assert_int_equal(rig.words[i], 100 + i * (i - 1) / 2);
		assert_int_equal(rig.words[128 + i], i % 10);
	}
	assert_int_equal(rig.words[1025], 31);
	assert_int_equal(rig.words[1026], 55);
}

static void shuffles_and_votes_cross_lanes(void **state)
{
	unsigned i;

	(void)state;
	start();
	run(RIG_KERNEL(
		    "shfl.sync.up.b32 %r1|%p1, %r0, 3, 0, 0xffffffff;\nselp.u32 %r2, 64, 0, %p1;\n"
		    "add.u32 %r1, %r1, %r2;\nst.global.u32 [%rd1], %r1;\n"
		    "shfl.sync.bfly.b32 %r3, %r0, 5, 31, 0xffffffff;\nst.global.u32 [%rd1+512], "
		    "%r3;\n"
		    "shfl.sync.down.b32 %r3|%p2, %r0, 2, 0x181f, 0xffffffff;\nst.global.u32 "
		    "[%rd1+1024], %r3;\n"
		    "setp.lt.u32 %p3, %r0, 4;\nvote.sync.ballot.b32 %r4, !%p3, 0xffffffff;\n"
		    "st.global.u32 [%rd1+1536], %r4;\nvote.sync.any.pred %p4, %p3, -1;\n"
		    "vote.sync.all.pred %p5, %p3, -1;\nselp.u32 %r5, 1, 0, %p4;\nselp.u32 %r6, 2, "
		    "0, %p5;\n"
		    "add.u32 %r5, %r5, %r6;\nst.global.u32 [%rd1+2048], %r5;\n"
		    "shr.u32 %r7, %r0, 3;\nmatch.any.sync.b32 %r8, %r7, -1;\nst.global.u32 "
		    "[%rd1+2560], %r8;\nret;\n"),
		32);
	for (i = 0; i < 32; i++) {
		assert_int_equal(rig.words[i], i < 3 ? i : i - 3 + 64);
		assert_int_equal(rig.words[128 + i], i ^ 5);
		assert_int_equal(rig.words[256 + i], (i & 7) < 6 ? i + 2 : i);
		assert_int_equal(rig.words[384 + i], 0xfffffff0);
		assert_int_equal(rig.words[512 + i], 1);
		assert_int_equal(rig.words[640 + i], 0xffu << (i & ~7u));
	}
}

static void a_vote_is_that_of_the_lanes_that_the_mask_names(void **state)
{
	(void)state;
	start();
	run(RIG_KERNEL("setp.lt.u32 %p3, %r0, 20;\nmov.u32 %r6, %lanemask_lt;\n"
		       "vote.sync.ballot.b32 %r4, %p3, %r6;\nst.global.u32 [%rd1], %r4;\n"
		       "vote.sync.any.pred %p4, %p3, %r6;\nselp.u32 %r5, 1, 0, %p4;\n"
		       "st.global.u32 [%rd1+512], %r5;\nvote.sync.all.pred %p5, %p3, %r6;\n"
		       "selp.u32 %r5, 1, 0, %p5;\nst.global.u32 [%rd1+1024], %r5;\nret;\n"),
		32);
	for (unsigned i = 0; i < 32; i++) {
		assert_int_equal(rig.words[i], ((1u << i) - 1) & 0xfffff);
		assert_int_equal(rig.words[128 + i], i > 0);
		assert_int_equal(rig.words[256 + i], i <= 20);
	}
}

static void special_registers_have_time_and_location(void **state)
{
	(void)state;
	start();
	assert_int_equal(rig_run(&rig,
				 RIG_KERNEL("mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, "
					    "%ntid.x;\nmul.lo.u32 %r3, %r1, %r2;\n"
					    "add.u32 %r3, %r3, %r0;\nmul.wide.u32 %rd2, %r3, "
					    "4;\nadd.s64 %rd2, %rd0, %rd2;\n"
					    "mov.u32 %r4, %laneid;\nshl.b32 %r5, %r4, 8;\nmov.u32 "
					    "%r6, %warpid;\n"
					    "or.b32 %r5, %r5, %r6;\nmov.u32 %r7, "
					    "%lanemask_lt;\npopc.b32 %r7, %r7;\n"
					    "shl.b32 %r7, %r7, 16;\nor.b32 %r5, %r5, "
					    "%r7;\nst.global.u32 [%rd2], %r5;\nret;\n"),
				 3, 48),
		0);
	assert_int_equal(rig.words[2 * 48 + 40], 8 << 16 | 8 << 8 | 1);
	assert_int_equal(rig.words[5], 5 << 16 | 5 << 8);
	assert_int_equal(rig.counts.ctas, 3);
}

static void faults(const char *text, enum fault_kind kind, uint32_t lane, const char *words)
{
	start();
	assert_int_equal(rig_run(&rig, text, 1, 32), -1);
	assert_int_equal(rig.fault.kind, kind);
	assert_int_equal(rig.fault.lane, lane);
	if (!strstr(rig.what, words))
		fail_msg("'%s' lacks '%s'", rig.what, words);
}

static void illegal_acts_are_named_with_thread_and_line(void **state)
{
	(void)state;
	faults(RIG_KERNEL("st.global.u32 [%rd1+65500], %r0;\nret;\n"), FAULT_OUT_OF_BOUNDS, 9,
		"out-of-bounds 4-byte store to global address 0x10010000, thread (9,0,0) of CTA "
		"(0,0,0), "
		"k.ptx:14:");
	faults(RIG_KERNEL("ld.global.u32 %r1, [%rd1+2];\nst.global.u32 [%rd1], %r1;\nret;\n"),
		FAULT_MISALIGNED, 0, "misaligned 4-byte load from global address 0x10000002");
	faults(RIG_KERNEL_WITH("", ".shared .align 4 .b8 s[64];\n",
		       "mov.u64 %rd2, s;\nmul.wide.u32 %rd3, %r0, 4;\nadd.s64 %rd2, %rd2, %rd3;\n"
		       "st.shared.u32 [%rd2], %r0;\nret;\n"),
		FAULT_OUT_OF_BOUNDS, 16, "out-of-bounds 4-byte store to shared address 0x40");
	faults(RIG_KERNEL("setp.eq.u32 %p1, %r0, 13;\n@%p1 trap;\nret;\n"), FAULT_TRAP, 13,
		"trap, thread (13,0,0)");
	faults(RIG_KERNEL("mov.u64 %rd2, 0x1000000;\nsetp.eq.u32 %p1, %r0, 3;\nselp.b64 %rd2, "
			  "%rd0, %rd2, %p1;\n"
			  "atom.add.u32 %r1, [%rd2], 1;\nst.global.u32 [%rd1], %r1;\nret;\n"),
		FAULT_OUT_OF_BOUNDS, 0, "4-byte atomic on shared address 0x0");
	faults(RIG_KERNEL("mov.u32 %r1, 16;\nbar.sync %r1;\nret;\n"), FAULT_BAD_TARGET, 0,
		"barrier number above 15");
}

/* Shared and local memory of 72 bytes: the last access of each size that fits, and the next one. */
static void the_last_byte_of_an_access_is_in_bounds(void **state)
{
	static const struct {
		const char *load;
		unsigned bytes;
	} cases[] = {{"u8 %r1", 1}, {"u16 %h1", 2}, {"u32 %r1", 4}, {"u64 %rd3", 8},
		{"v4.u32 {%r1,%r2,%r3,%r4}", 16}};

	(void)state;
	for (unsigned i = 0; i < 2 * ARRAY_LEN(cases); i++) {
		const char *space = i % 2 ? "shared" : "local", *load = cases[i / 2].load;
		unsigned bytes = cases[i / 2].bytes, last = (72 - bytes) / bytes * bytes;

		for (unsigned at = last; at <= last + bytes; at += bytes) {
			char text[600];

			snprintf(text, sizeof(text),
				".version 7.0\n.target sm_70\n.address_size 64\n"
				".visible .entry k(.param .u64 out)\n{\n.reg .b16 %%h1;\n"
				".reg .b32 %%r<5>;\n.reg .b64 %%rd<4>;\n"
				".%s .align 16 .b8 s[72];\nmov.u64 %%rd2, s;\n"
				"ld.%s.%s, [%%rd2+%u];\nret;\n}\n",
				space, space, load, at);
			start();
			if (rig_run(&rig, text, 1, 32) != (at == last ? 0 : -1))
				fail_msg("ld.%s of %u bytes at %u", space, bytes, at);
			assert_true(at == last || rig.fault.kind == FAULT_OUT_OF_BOUNDS);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_arms_of_a_branch_run_and_reconverge),
		cmocka_unit_test(nested_loops_run_each_lanes_own_trip_counts),
		cmocka_unit_test(lanes_that_exit_early_leave_the_others_alone),
		cmocka_unit_test(calls_in_divergent_code_return_lane_by_lane),
		cmocka_unit_test(shared_memory_and_barriers_reverse_a_cta),
		cmocka_unit_test(barriers_do_not_wait_for_warps_that_have_exited),
		cmocka_unit_test(bar_red_joins_the_predicates_of_the_cta),
		cmocka_unit_test(bar_red_counts_lanes_that_exist),
		cmocka_unit_test(barriers_do_not_wait_for_warps_that_exited_before),
		cmocka_unit_test(named_barriers_count_the_warps_they_expect),
		cmocka_unit_test(a_barrier_that_can_never_complete_is_a_fault),
		cmocka_unit_test(an_endless_loop_stops_at_the_limit),
		cmocka_unit_test(generic_addresses_reach_every_space),
		cmocka_unit_test(lanes_of_one_access_may_mean_different_spaces),
		cmocka_unit_test(atomics_of_lanes_in_different_spaces_act_each_in_its_own),
		cmocka_unit_test(narrow_and_vector_accesses_keep_their_bytes),
		cmocka_unit_test(atomics_return_old_values_in_lane_order),
		cmocka_unit_test(shuffles_and_votes_cross_lanes),
		cmocka_unit_test(a_vote_is_that_of_the_lanes_that_the_mask_names),
		cmocka_unit_test(special_registers_have_time_and_location),
		cmocka_unit_test(illegal_acts_are_named_with_thread_and_line),
		cmocka_unit_test(the_last_byte_of_an_access_is_in_bounds),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
