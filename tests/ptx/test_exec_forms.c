/* Forms that need more than a lane operation, from PTX text: carries, reductions, elections, jump
 * tables, indirect calls; and reconvergence. */
#include "tests/rig/exec_rig.h"

static struct rig rig; /* too large for a stack; used by the main thread only */

static void run(const char *text)
{
	memset(rig.words, 0, sizeof(rig.words));
	if (rig_run(&rig, text, 1, WARP_LANES) != 0)
		fail_msg("%s", rig.what);
}

/* ---- carries */

static void a_carry_runs_through_four_words(void **state)
{
	unsigned lane;

	(void)state;
	/* (2^96 - 1 + lane) * 1 as words, plus one: the carry propagates through all words in every
	 * lane */
	run(RIG_KERNEL("mov.u32 %r1, -1;\n"
		       "add.cc.u32 %r2, %r1, %r0;\n"
		       "addc.cc.u32 %r3, %r1, 0;\n"
		       "addc.cc.s32 %r4, %r1, 0;\n"
		       "addc.u32 %r5, 0, 0;\n"
		       "st.global.u32 [%rd1], %r2;\nst.global.u32 [%rd1+128], %r3;\n"
		       "st.global.u32 [%rd1+256], %r4;\nst.global.u32 [%rd1+384], %r5;\n"
		       "sub.cc.u32 %r2, %r0, 1;\nsubc.cc.u32 %r3, 0, 0;\nsubc.u32 %r4, 7, 0;\n"
		       "st.global.u32 [%rd1+512], %r2;\nst.global.u32 [%rd1+640], %r4;\nret;\n"));
	for (lane = 0; lane < WARP_LANES; lane++) {
		assert_int_equal(rig.words[lane], lane - 1u);
		assert_int_equal(rig.words[32 + lane], lane ? 0 : 0xffffffff);
		assert_int_equal(rig.words[64 + lane], lane ? 0 : 0xffffffff);
		assert_int_equal(rig.words[96 + lane], lane ? 1 : 0);
		assert_int_equal(rig.words[128 + lane], lane - 1u);
		assert_int_equal(rig.words[160 + lane], lane ? 7 : 6);
	}
}

static void a_carry_outlives_predicates_loops_and_branches(void **state)
{
	unsigned lane;

	(void)state;
	run(RIG_KERNEL("mov.u32 %r1, 0;\nadd.cc.u32 %r2, %r0, -16;\n" /* carries from lane 16 on */
		       "L:\nadd.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, %r0;\n@%p1 bra L;\n"
		       "setp.eq.u32 %p2, %r1, 5;\nsetp.eq.u32 %p3, %r1, 6;\n"
		       "selp.u32 %r3, 100, 200, %p2;\n@%p3 add.u32 %r3, %r3, 1000;\n"
		       "addc.u32 %r4, %r3, 0;\nst.global.u32 [%rd1], %r4;\nret;\n"));
	for (lane = 0; lane < WARP_LANES; lane++)
		assert_int_equal(rig.words[lane],
			(lane == 5 ? 100 : 200) + (lane == 6 ? 1000 : 0) + (lane >= 16));
}

/* The flag is the adder's carry, which sub sets without a borrow, as in ptxas's constant folding.
 */
static void additions_after_subtractions_add_the_inverted_borrow(void **state)
{
	unsigned lane;

	(void)state;
	run(RIG_KERNEL(
		"sub.cc.u32 %r2, %r0, 16;\naddc.u32 %r3, 100, 0;\n" /* borrows below 16 */
		"sub.cc.u32 %r2, %r0, 16;\nmadc.lo.u32 %r4, 3, 5, 0;\n"
		"add.cc.u32 %r2, %r0, -16;\nsubc.u32 %r5, 100, 0;\n" /* carries from 16 on */
		"sub.cc.u64 %rd2, %rd1, %rd0;\nsubc.cc.u64 %rd3, 0, 0;\naddc.u64 %rd4, 0, 0;\n"
		"cvt.u32.u64 %r6, %rd4;\n"
		"st.global.u32 [%rd1], %r3;\nst.global.u32 [%rd1+128], %r4;\n"
		"st.global.u32 [%rd1+256], %r5;\nst.global.u32 [%rd1+384], %r6;\nret;\n"));
	for (lane = 0; lane < WARP_LANES; lane++) {
		assert_int_equal(rig.words[lane], 100 + (lane >= 16));
		assert_int_equal(rig.words[32 + lane], 15 + (lane >= 16));
		assert_int_equal(rig.words[64 + lane], 100 - (lane < 16));
		assert_int_equal(rig.words[96 + lane], 1);
	}
}

static void zeros_are_normal_numbers(void **state)
{
	unsigned lane;

	(void)state;
	run(RIG_KERNEL("shl.b32 %r1, %r0, 31;\nmov.b32 %f1, %r1;\n" /* 0 and -0 */
		       "testp.normal.f32 %p1, %f1;\nselp.u32 %r2, 1, 0, %p1;\n"
		       "testp.subnormal.f32 %p2, %f1;\n@%p2 add.u32 %r2, %r2, 8;\n"
		       "st.global.u32 [%rd1], %r2;\nret;\n"));
	for (lane = 0; lane < WARP_LANES; lane++)
		assert_int_equal(rig.words[lane], 1);
}

/* ---- warp-wide */

static void reductions_join_the_named_lanes(void **state)
{
	unsigned lane;

	(void)state;
	run(RIG_KERNEL("sub.s32 %r1, %r0, 16;\n"
		       "redux.sync.add.s32 %r2, %r1, -1;\nredux.sync.min.s32 %r3, %r1, -1;\n"
		       "redux.sync.min.u32 %r4, %r1, -1;\nredux.sync.max.u32 %r5, %r1, -1;\n"
		       "redux.sync.max.s32 %r6, %r1, -1;\nredux.sync.and.b32 %r7, %r1, -1;\n"
		       "redux.sync.or.b32 %r8, %r0, -1;\nredux.sync.xor.b32 %r9, %r0, -1;\n"
		       "redux.sync.add.u32 %r10, %r0, -1;\n"
		       "st.global.u32 [%rd1], %r2;\nst.global.u32 [%rd1+128], %r3;\n"
		       "st.global.u32 [%rd1+256], %r4;\nst.global.u32 [%rd1+384], %r5;\n"
		       "st.global.u32 [%rd1+512], %r6;\nst.global.u32 [%rd1+640], %r7;\n"
		       "st.global.u32 [%rd1+768], %r8;\nst.global.u32 [%rd1+896], %r9;\n"
		       "st.global.u32 [%rd1+1024], %r10;\nret;\n"));
	for (lane = 0; lane < WARP_LANES; lane++) {
		static const uint32_t should[] = {
			(uint32_t)-16, (uint32_t)-16, 0, 0xffffffff, 15, 0, 31, 0, 496};
		unsigned k;

		for (k = 0; k < ARRAY_LEN(should); k++)
			assert_int_equal(rig.words[32 * k + lane], should[k]);
	}
}

static void float_reductions_know_magnitudes_and_nans(void **state)
{
	(void)state;
	/* lane 0 a NaN, lane 1 -3, lane 2 2, the others 1 */
	run(RIG_KERNEL(
		"mov.f32 %f1, 0f3F800000;\nsetp.eq.u32 %p1, %r0, 0;\n"
		"setp.eq.u32 %p2, %r0, 1;\nsetp.eq.u32 %p3, %r0, 2;\n"
		"@%p1 mov.f32 %f1, 0f7FC12345;\n@%p2 mov.f32 %f1, 0fC0400000;\n"
		"@%p3 mov.f32 %f1, 0f40000000;\n"
		"redux.sync.min.f32 %f2, %f1, -1;\nredux.sync.max.f32 %f3, %f1, -1;\n"
		"redux.sync.max.abs.f32 %f4, %f1, -1;\nredux.sync.min.abs.f32 %f5, %f1, -1;\n"
		"redux.sync.max.NaN.f32 %f6, %f1, -1;\n"
		"redux.sync.min.abs.NaN.f32 %f7, %f1, -1;\n"
		"st.global.f32 [%rd0], %f2;\nst.global.f32 [%rd0+4], %f3;\n"
		"st.global.f32 [%rd0+8], %f4;\nst.global.f32 [%rd0+12], %f5;\n"
		"st.global.f32 [%rd0+16], %f6;\nst.global.f32 [%rd0+20], %f7;\nret;\n"));
	assert_int_equal(rig.words[0], 0xc0400000);
	assert_int_equal(rig.words[1], 0x40000000);
	assert_int_equal(rig.words[2], 0x40400000);
	assert_int_equal(rig.words[3], 0x3f800000);
	assert_int_equal(rig.words[4], 0x7fffffff);
	assert_int_equal(rig.words[5], 0x7fffffff);
}

static void the_lowest_lane_is_elected(void **state)
{
	unsigned lane;

	(void)state;
	run(RIG_KERNEL("setp.ge.u32 %p1, %r0, 5;\nmov.u32 %r2, 99;\n"
		       "@%p1 elect.sync %r2|%p2, 0xffffffe0;\n@!%p1 mov.pred %p2, 0;\n"
		       "selp.u32 %r3, 1, 0, %p2;\n"
		       "st.global.u32 [%rd1], %r2;\nst.global.u32 [%rd1+128], %r3;\nret;\n"));
	for (lane = 0; lane < WARP_LANES; lane++) {
		assert_int_equal(rig.words[lane], lane < 5 ? 99 : 5);
		assert_int_equal(rig.words[32 + lane], lane == 5);
	}
}

/* ---- operands */

static void lop3_joins_a_predicate_and_minima_take_three(void **state)
{
	unsigned lane;

	(void)state;
	run(RIG_KERNEL(
		"setp.lt.u32 %p1, %r0, 8;\n"
		"lop3.or.b32 %r2|%p2, %r0, 1, 16, 0x40, !%p1;\n" /* a & b & ~c */
		"selp.u32 %r3, 1, 0, %p2;\n"
		"cvt.rn.f32.u32 %f1, %r0;\nmov.f32 %f2, 0f41200000;\nmov.f32 %f3, 0f40A00000;\n"
		"max.f32 %f4, %f1, %f2, %f3;\nmin.f32 %f5, %f1, %f2, %f3;\n"
		"cvt.rzi.u32.f32 %r4, %f4;\ncvt.rzi.u32.f32 %r5, %f5;\n"
		"st.global.u32 [%rd1], %r2;\nst.global.u32 [%rd1+128], %r3;\n"
		"st.global.u32 [%rd1+256], %r4;\nst.global.u32 [%rd1+384], %r5;\nret;\n"));
	for (lane = 0; lane < WARP_LANES; lane++) {
		assert_int_equal(rig.words[lane], lane & 1);
		assert_int_equal(rig.words[32 + lane], (lane & 1) || lane >= 8);
		assert_int_equal(rig.words[64 + lane], lane > 10 ? lane : 10);
		assert_int_equal(rig.words[96 + lane], lane < 5 ? lane : 5);
	}
}

/* ---- jump tables */

#define TABLE \
	"and.b32 %r1, %r0, 3;\nmov.u32 %r2, 0;\n" \
	"T: .branchtargets A, B, C, B;\nbrx.idx %r1, T;\n" \
	"A: add.u32 %r2, %r2, 100;\nbra J;\n" \
	"B: add.u32 %r2, %r2, 200;\nbra J;\n" \
	"C: add.u32 %r2, %r2, 300;\n" \
	"J: add.u32 %r2, %r2, %r0;\nst.global.u32 [%rd1], %r2;\nret;\n"

static void lanes_take_their_own_entry_of_a_jump_table_and_reconverge(void **state)
{
	static const uint32_t added[] = {100, 200, 300, 200};
	uint64_t before;
	unsigned lane;

	(void)state;
	run(RIG_KERNEL(TABLE));
	for (lane = 0; lane < WARP_LANES; lane++)
		assert_int_equal(rig.words[lane], added[lane & 3] + lane);
	/* 4 + 2 before, the branch for each of three targets, 2 + 2 + 1, 3 after */
	before = rig.counts.warp_instructions;
	memset(&rig.counts, 0, sizeof(rig.counts));
	run(RIG_KERNEL(TABLE));
	(void)before;
	assert_int_equal(rig.counts.warp_instructions, 4 + 2 + 3 + 5 + 3);
}

static void an_index_beyond_the_table_is_a_fault(void **state)
{
	(void)state;
	assert_int_equal(rig_run(&rig,
				 RIG_KERNEL("T: .branchtargets A, B;\nbrx.idx %r0, T;\n"
					    "A: ret;\nB: ret;\n"),
				 1, WARP_LANES),
		-1);
	assert_int_equal(rig.fault.kind, FAULT_BAD_TARGET);
	assert_int_equal(rig.fault.lane, 2);
	assert_non_null(strstr(rig.what, "k.ptx:"));
}

/* ---- calls through registers */

#define FUNCTIONS \
	".func (.param .b32 r) twice(.param .b32 a, .param .b64 b)\n{\n.reg .b32 %r<4>;\n" \
	"ld.param.u32 %r1, [a];\nadd.u32 %r1, %r1, %r1;\nst.param.b32 [r], %r1;\nret;\n}\n" \
	".func (.param .b32 r) plus(.param .b32 a, .param .b64 b)\n{\n.reg .b32 %r<4>;\n" \
	".reg .b64 %rd<2>;\nld.param.u32 %r1, [a];\nld.param.u64 %rd1, [b];\n" \
	"cvt.u32.u64 %r2, %rd1;\nadd.u32 %r1, %r1, %r2;\nst.param.b32 [r], %r1;\nret;\n}\n" \
	".func (.param .b32 r) other(.param .b32 a)\n{\n.reg .b32 %r<4>;\n" \
	"ld.param.u32 %r1, [a];\nst.param.b32 [r], %r1;\nret;\n}\n"
#define CALL \
	"{\n.param .b32 pa;\n.param .b64 pb;\n.param .b32 pr;\nst.param.b32 [pa], %r0;\n" \
	"st.param.b64 [pb], 1000;\n" \
	"P: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b64 _);\n" \
	"call (pr), %rd4, (pa, pb), P;\nld.param.b32 %r5, [pr];\n}\n"

static void each_lane_calls_the_function_it_holds(void **state)
{
	unsigned lane;

	(void)state;
	run(RIG_KERNEL_WITH(FUNCTIONS, "",
		"mov.u64 %rd2, twice;\nmov.u64 %rd3, plus;\nmov.u64 %rd5, other;\n"
		"and.b32 %r1, %r0, 1;\nsetp.eq.u32 %p1, %r1, 0;\nselp.b64 %rd4, %rd2, %rd3, "
		"%p1;\n" CALL "activemask.b32 %r6;\nst.global.u32 [%rd1], %r5;\n"
		"st.global.u32 [%rd1+128], %r6;\nret;\n"));
	for (lane = 0; lane < WARP_LANES; lane++) {
		assert_int_equal(rig.words[lane], lane % 2 ? lane + 1000 : 2 * lane);
		assert_int_equal(rig.words[32 + lane], 0xffffffff);
	}
}

/* Vector registers as parameters and results, in direct and indirect calls; the order of elements
 * is kept, and a vector of another type of the same size is compatible. */
static void vectors_are_passed_as_a_whole(void **state)
{
	unsigned lane;

	(void)state;
	run(RIG_KERNEL_WITH(
		".func (.reg .v2 .b32 o) swap(.reg .b32 x, .reg .v2 .f32 a)\n{\n"
		".reg .b32 t;\nmov.b32 o.x, a.y;\nmov.b32 t, a.x;\nadd.u32 o.y, t, x;\nret;\n}\n",
		"",
		".reg .v2 .u32 v; .reg .v2 .f32 w; mov.u32 v.x, %r0; add.u32 v.y, %r0, 100;\n"
		"call (w), swap, (7, v);\nmov.u64 %rd4, swap;\n"
		"P: .callprototype (.reg .v2 .b32 _) _ (.reg .b32 _, .reg .v2 .f32 _);\n"
		"call (v), %rd4, (50, v), P;\n"
		"st.global.u32 [%rd1], v.x;\nst.global.u32 [%rd1+128], v.y;\n"
		"st.global.f32 [%rd1+256], w.x;\nst.global.f32 [%rd1+384], w.y;\nret;\n"));
	for (lane = 0; lane < WARP_LANES; lane++) {
		assert_int_equal(rig.words[lane], lane + 100);
		assert_int_equal(rig.words[32 + lane], lane + 50);
		assert_int_equal(rig.words[64 + lane], lane + 100);
		assert_int_equal(rig.words[96 + lane], lane + 7);
	}
}

static void addresses_that_are_no_functions_of_the_signature_are_faults(void **state)
{
	static const char *const wrong[] = {"mov.u64 %rd4, 0;\n", "mov.u64 %rd4, other;\n",
		"mov.u64 %rd4, 77;\n", "mov.u64 %rd4, 0x100000001;\n"};
	unsigned i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(wrong); i++) {
		char text[4096];

		snprintf(text, sizeof(text), "%s%s%s",
			RIG_KERNEL_WITH(FUNCTIONS, "", "mov.u64 %rd2, twice;\n"), "", "");
		*strrchr(text, '}') = 0;
		strcat(text, wrong[i]);
		strcat(text, CALL "st.global.u32 [%rd1], %r5;\nret;\n}\n");
		assert_int_equal(rig_run(&rig, text, 1, WARP_LANES), -1);
		assert_int_equal(rig.fault.kind, FAULT_BAD_TARGET);
	}
}

/* ---- reconvergence */

static uint64_t instructions_of(const char *text)
{
	memset(&rig.counts, 0, sizeof(rig.counts));
	run(text);
	return rig.counts.warp_instructions;
}

static void what_follows_an_early_exit_runs_once(void **state)
{
	unsigned lane;

	(void)state;
	/* if (lane < 16) { if (lane < 4) return; X } Y, with one common exit at the end */
	assert_int_equal(instructions_of(RIG_KERNEL(
				 "setp.ge.u32 %p1, %r0, 16;\nmov.u32 %r2, 0;\n@%p1 bra Y;\n"
				 "setp.lt.u32 %p2, %r0, 4;\n@%p2 bra R;\n"
				 "mov.u32 %r2, 7;\n"
				 "Y: add.u32 %r2, %r2, 1;\nadd.u32 %r2, %r2, 1;\n"
				 "add.u32 %r2, %r2, 1;\nactivemask.b32 %r3;\n"
				 "st.global.u32 [%rd1], %r2;\n"
				 "st.global.u32 [%rd1+128], %r3;\nR: ret;\n")),
		4 + 3 + 2 + 1 + 6 + 2);
	for (lane = 4; lane < WARP_LANES; lane++) {
		assert_int_equal(rig.words[lane], lane < 16 ? 10 : 3);
		assert_int_equal(rig.words[32 + lane], 0xfffffff0);
	}
	assert_int_equal(rig.words[3], 0);
}

static void an_exit_inside_a_loop_does_not_split_the_code_after_it(void **state)
{
	(void)state;
	/* lane 7 exits in the third iteration; the others reconverge after their loops of lane & 3
	 * iterations */
	run(RIG_KERNEL(
		"mov.u32 %r2, 0;\nand.b32 %r4, %r0, 3;\n"
		"L: add.u32 %r2, %r2, 1;\nsetp.eq.u32 %p1, %r0, 7;\nsetp.eq.u32 %p2, %r2, 3;\n"
		"and.pred %p1, %p1, %p2;\n@%p1 bra R;\n"
		"setp.le.u32 %p3, %r2, %r4;\n@%p3 bra L;\n"
		"activemask.b32 %r3;\nadd.u32 %r5, %r2, 0;\nadd.u32 %r6, %r2, 0;\n"
		"st.global.u32 [%rd1], %r3;\nst.global.u32 [%rd1+128], %r5;\n"
		"st.global.u32 [%rd1+256], %r6;\nR: ret;\n"));
	assert_int_equal(rig.words[0], 0xffffff7f);
	assert_int_equal(rig.words[31], 0xffffff7f);
	assert_int_equal(rig.words[7], 0);
	assert_int_equal(rig.words[32 + 2], 3);
}

static void a_function_that_returns_early_reconverges(void **state)
{
	(void)state;
	run(RIG_KERNEL_WITH(
		".func (.param .b32 r) f(.param .b32 a)\n{\n.reg .b32 %r<8>;\n.reg .pred %p<3>;\n"
		"ld.param.u32 %r1, [a];\nmov.u32 %r2, 0;\nsetp.ge.u32 %p1, %r1, 16;\n@%p1 bra Y;\n"
		"setp.lt.u32 %p2, %r1, 4;\n@%p2 bra R;\nmov.u32 %r2, 7;\n"
		"Y: activemask.b32 %r2;\nadd.u32 %r3, %r2, 1;\nadd.u32 %r3, %r3, 1;\nadd.u32 %r3, "
		"%r3, 1;\n"
		"add.u32 %r3, %r3, 1;\nsub.u32 %r2, %r3, 4;\nR: st.param.b32 [r], %r2;\nret;\n}\n",
		"",
		"{\n.param .b32 pa;\n.param .b32 pr;\nst.param.b32 [pa], %r0;\n"
		"call (pr), f, (pa);\nld.param.b32 %r5, [pr];\n}\n"
		"activemask.b32 %r6;\nst.global.u32 [%rd1], %r5;\nst.global.u32 [%rd1+128], "
		"%r6;\nret;\n"));
	assert_int_equal(rig.words[0], 0);
	assert_int_equal(rig.words[4], 0xfffffff0);
	assert_int_equal(rig.words[31], 0xfffffff0);
	assert_int_equal(rig.words[32], 0xffffffff);
}

/* The barrier is two calls deep; half of the warp exits early on the way, at an exit that most of
 * the code can reach. */
static void a_barrier_below_a_call_is_reached_together(void **state)
{
	(void)state;
	run(RIG_KERNEL_WITH(".func inner()\n{\nbar.sync 0;\nret;\n}\n"
			    ".func (.reg .u32 m) outer()\n{\ncall inner, ();\n"
			    "activemask.b32 m;\nret;\n}\n",
		"",
		"setp.ge.u32 %p1, %r0, 16;\nmov.u32 %r2, 0;\n@%p1 bra W;\n"
		"setp.ge.u32 %p2, %r0, 4;\n@%p2 bra W;\n"
		"add.u32 %r2, %r2, 1;\nadd.u32 %r2, %r2, 1;\nadd.u32 %r2, %r2, 1;\n"
		"add.u32 %r2, %r2, 1;\nst.global.u32 [%rd1], %r2;\nexit;\n"
		"W: call (%r3), outer, ();\nst.global.u32 [%rd1], %r3;\nret;\n"));
	assert_int_equal(rig.words[3], 4);
	assert_int_equal(rig.words[4], 0xfffffff0);
	assert_int_equal(rig.words[16], 0xfffffff0);
}

/* ---- vprintf: the format is in device memory at 4096, the arguments in local memory */

#define PRINT(arguments) \
	RIG_KERNEL_WITH(".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n", \
		".local .align 8 .b8 buf[64];\n.reg .f64 %d<4>;\n", \
		"add.u64 %rd2, %rd0, 4096;\nmov.u64 %rd3, buf;\n" arguments \
		"cvta.local.u64 %rd3, %rd3;\nsetp.gt.u32 %p1, %r0, 1;\n@%p1 exit;\n" \
		"{\n.param .b64 a;\n.param .b64 b;\n.param .b32 r;\nst.param.b64 [a], %rd2;\n" \
		"st.param.b64 [b], %rd3;\ncall.uni (r), vprintf, (a, b);\n" \
		"ld.param.b32 %r2, [r];\n}\nst.global.u32 [%rd1], %r2;\nret;\n")

static void printed(const char *format, const char *text, const char *expected, uint32_t count)
{
	memset(rig.words, 0, sizeof(rig.words));
	strcpy((char *)rig.words + 4096, format);
	strcpy((char *)rig.words + 8192, "string");
	if (rig_run(&rig, text, 1, WARP_LANES) != 0)
		fail_msg("%s", rig.what);
	assert_string_equal(rig.text, expected);
	assert_int_equal(rig.words[0], count);
	assert_int_equal(rig.words[1], count);
}

static void text_is_formatted_lane_by_lane(void **state)
{
	(void)state;
	printed("lane %d\n", PRINT("st.local.u32 [%rd3], %r0;\n"), "lane 0\nlane 1\n", 1);
	printed("100%%, %k %", PRINT(""), "100%, %k %100%, %k %", 0);
	printed("%5d|%-5u|%05x|%+d\n",
		PRINT("st.local.u32 [%rd3], -7;\nst.local.u32 [%rd3+4], 7;\n"
		      "st.local.u32 [%rd3+8], 255;\nst.local.u32 [%rd3+12], %r0;\n"),
		"   -7|7    |000ff|+0\n   -7|7    |000ff|+1\n", 4);
	printed("%c%s.",
		PRINT("add.u32 %r3, %r0, 65;\nst.local.u32 [%rd3], %r3;\n"
		      "add.u64 %rd4, %rd0, 8192;\nst.local.u64 [%rd3+8], %rd4;\n"),
		"Astring.Bstring.", 2);
	printed("%d %.3f %*lld %hd\n",
		PRINT("st.local.u32 [%rd3], 1;\ncvt.rn.f64.u32 %d1, %r0;\n"
		      "add.f64 %d1, %d1, 0d3FE0000000000000;\nst.local.f64 [%rd3+8], %d1;\n"
		      "st.local.u32 [%rd3+16], 4;\nst.local.u64 [%rd3+24], -2;\n"
		      "st.local.u32 [%rd3+32], 0x1ffff;\n"),
		"1 0.500   -2 -1\n1 1.500   -2 -1\n", 5);
	printed("%p %g %e",
		PRINT("st.local.u64 [%rd3], 0x1234;\nst.local.u64 [%rd3+8], "
		      "0xfff8000000000000;\nst.local.u64 [%rd3+16], 0;\n"),
		"0x1234 nan 0.000000e+000x1234 nan 0.000000e+00", 3);
}

static void a_format_that_cannot_be_read_is_a_fault(void **state)
{
	(void)state;
	assert_int_equal(rig_run(&rig, PRINT("mov.u64 %rd2, 0x7fff0000;\n"), 1, WARP_LANES), -1);
	assert_int_equal(rig.fault.kind, FAULT_OUT_OF_BOUNDS);
	assert_true(rig.fault.address == 0x7fff0000);
}

static void the_device_runtime_is_refused_by_name(void **state)
{
	struct err err = {0};
	static const char text[] = RIG_KERNEL_WITH(
		".extern .func (.param .b64 r) cudaGetLastError(.param .b64 n);\n", "",
		"{\n.param .b64 n;\n.param .b64 r;\nst.param.b64 [n], 8;\n"
		"call (r), cudaGetLastError, (n);\nld.param.b64 %rd2, [r];\n}\nret;\n");
	jmp_buf escape;

	(void)state;
	rig.arena.escape = &escape;
	if (setjmp(escape))
		fail_msg("no memory");
	module_compile("k.ptx", text, sizeof(text) - 1, NULL, &rig.arena, &err);
	assert_int_equal(err.code, ERR_UNSUPPORTED);
	assert_non_null(strstr(
		err_text(&err), "kernel k: `call`: cudaGetLastError of the CUDA device runtime"));
	err_clear(&err);
	arena_free(&rig.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_carry_runs_through_four_words),
		cmocka_unit_test(a_carry_outlives_predicates_loops_and_branches),
		cmocka_unit_test(additions_after_subtractions_add_the_inverted_borrow),
		cmocka_unit_test(zeros_are_normal_numbers),
		cmocka_unit_test(reductions_join_the_named_lanes),
		cmocka_unit_test(float_reductions_know_magnitudes_and_nans),
		cmocka_unit_test(the_lowest_lane_is_elected),
		cmocka_unit_test(lop3_joins_a_predicate_and_minima_take_three),
		cmocka_unit_test(lanes_take_their_own_entry_of_a_jump_table_and_reconverge),
		cmocka_unit_test(an_index_beyond_the_table_is_a_fault),
		cmocka_unit_test(each_lane_calls_the_function_it_holds),
		cmocka_unit_test(vectors_are_passed_as_a_whole),
		cmocka_unit_test(addresses_that_are_no_functions_of_the_signature_are_faults),
		cmocka_unit_test(what_follows_an_early_exit_runs_once),
		cmocka_unit_test(an_exit_inside_a_loop_does_not_split_the_code_after_it),
		cmocka_unit_test(a_function_that_returns_early_reconverges),
		cmocka_unit_test(a_barrier_below_a_call_is_reached_together),
		cmocka_unit_test(text_is_formatted_lane_by_lane),
		cmocka_unit_test(a_format_that_cannot_be_read_is_a_fault),
		cmocka_unit_test(the_device_runtime_is_refused_by_name),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
