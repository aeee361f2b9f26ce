/* Strand boundaries and last reads: hand-written kernels, one for each rule. */
#include "tests/rig/levels_check.h"
#include "tests/rig/ptx_build.h"

#define XY "ld.param.u32 %r0, [out];\nld.param.u32 %r1, [out+4];\n"
#define KEEP "st.shared.u32 [%r0], %r1;\n"
#define P1 "setp.eq.u32 %p1, %r0, %r1;\n"

static struct levels_options plain_options(void)
{
	struct levels_options o = levels_best();

	o.kind = LEVELS_NONE;
	return o;
}

static void build_case(
	struct built *b, const char *before, const char *body, const struct levels_options *o)
{
	struct text text = {0};

	text_raw(&text, "%s%s.entry k(.param .u64 out, .param .f32 x)\n{\n%s%s}\n", HEAD, before,
		REGS, body);
	build_with(b, text_str(&text), &(struct compile_options){.levels = o});
	if (b->err.count)
		fail_msg("%s", err_text(&b->err));
	text_clear(&text);
}

/* A letter for each instruction: . inside, | begins, ! waits. */
static void expect_marks(
	const char *before, const char *body, const struct levels_options *o, const char *expected)
{
	struct text marks = {0};
	uint32_t begins = 0;
	struct built b;

	build_case(&b, before, body, o);
	for (uint32_t i = 0; i < b.k->ninstr; i++) {
		text_raw(&marks, "%c", ".|!"[b.k->levels->notes[i].strand]);
		begins += b.k->levels->notes[i].strand != STRAND_INSIDE;
	}
	assert_string_equal(text_str(&marks), expected);
	assert_int_equal(b.k->levels->strands, begins);
	text_clear(&marks);
	drop(&b);
}

static void expect(const char *body, const char *marks)
{
	struct levels_options o = plain_options();

	expect_marks("", body, &o, marks);
}

static void the_first_use_of_a_late_result_waits(void **state)
{
	(void)state;
	expect("ld.global.u32 %r1, [64];\nadd.u32 %r2, %r3, 1;\nadd.u32 %r2, %r2, %r1;\n"
	       "add.u32 %r2, %r2, %r1;\nst.global.u32 [64], %r2;\n",
		"|.!...");
	expect("ld.local.u32 %r1, [%r0];\nadd.u32 %r2, %r1, 1;\natom.global.add.u32 %r4, [64], 1;\n"
	       "add.u32 %r2, %r2, %r4;\nld.u32 %r5, [%rd1];\nst.global.u32 [64], %r2;\n"
	       "add.u32 %r2, %r5, %r2;\n",
		"|!.!..!.");
	/* one wait covers all pending results */
	expect("ld.global.u32 %r1, [64];\nld.global.u32 %r2, [68];\nadd.u32 %r1, %r1, 1;\n"
	       "add.u32 %r2, %r2, %r1;\nst.global.u32 [64], %r2;\n",
		"|.!...");
}

static void overwriting_a_late_result_waits_too(void **state)
{
	(void)state;
	expect("ld.global.u32 %r1, [64];\nmov.u32 %r1, %r2;\nst.global.u32 [64], %r1;\n", "|!..");
}

static void what_does_not_go_through_the_cache_is_not_late(void **state)
{
	struct levels_options o = plain_options();

	(void)state;
	expect_marks(".const .u32 c;\n",
		XY "ld.shared.u32 %r1, [%r0];\nadd.u32 %r2, %r1, 1;\nld.const.u32 %r3, [c];\n"
		   "add.u32 %r2, %r2, %r3;\natom.shared.add.u32 %r4, [%r0], 1;\n"
		   "add.u32 %r2, %r2, %r4;\nred.global.add.u32 [64], %r2;\n",
		&o, "|.........");
}

static void texture_and_surface_loads_are_late(void **state)
{
	struct levels_options o = plain_options();

	(void)state;
	expect_marks(".global .texref t;\n.global .surfref s;\n",
		"tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [t, {%r1}];\nadd.f32 %f1, %f1, %f2;\n"
		"suld.b.1d.b32.trap %r2, [s, {%r1}];\nadd.u32 %r2, %r2, %r1;\n"
		"sust.b.1d.b32.trap [s, {%r1}], %r2;\n",
		&o, "|!.!..");
}

static void loops_are_strands_of_their_own(void **state)
{
	struct levels_options o = plain_options();
	const char *loop =
		XY "T:\nadd.u32 %r1, %r1, %r0;\nsetp.lt.u32 %p1, %r1, 100;\n@%p1 bra T;\n" KEEP;

	(void)state;
	expect(loop, "|.|..|.");
	o.keep_past_branches = true;
	expect_marks("", loop, &o, "|......");
	/* requested at the end of a loop and used at its beginning */
	expect(XY "T:\nadd.u32 %r1, %r1, %r0;\nld.global.u32 %r0, [64];\n"
		  "setp.lt.u32 %p1, %r1, 100;\n@%p1 bra T;\n" KEEP,
		"|.!...!.");
}

static void barriers_and_fences_end_strands(void **state)
{
	struct levels_options o = plain_options();
	const char *text = XY "bar.sync 0;\nadd.u32 %r1, %r1, %r0;\nmembar.gl;\n" KEEP
			      "bar.warp.sync 0xffffffff;\n" KEEP;

	(void)state;
	expect(text, "|..|.|...");
	o.keep_past_waits = true;
	expect_marks("", text, &o, "|........");
}

static void a_merge_in_doubt_about_what_is_late_begins_one(void **state)
{
	(void)state;
	expect(XY P1 "@%p1 bra B;\nld.global.u32 %r2, [64];\nB:\nadd.u32 %r1, %r1, 1;\n"
		     "add.u32 %r2, %r2, %r1;\nst.shared.u32 [%r0], %r2;\n",
		"|....|!..");
	expect(XY "ld.global.u32 %r2, [64];\n" P1
		  "@%p1 bra B;\nadd.u32 %r1, %r1, 2;\nB:\nadd.u32 %r1, %r1, 1;\n"
		  "add.u32 %r2, %r2, %r1;\nst.shared.u32 [%r0], %r2;\n",
		"|......!..");
}

static void arms_begin_strands_when_one_of_them_can_be_descheduled(void **state)
{
	(void)state;
	expect(XY P1
		"@%p1 bra A;\nadd.u32 %r1, %r1, 1;\nbra B;\nA:\nadd.u32 %r1, %r1, %r0;\nB:\n" KEEP,
		"|........");
	expect(XY P1 "@%p1 bra A;\nadd.u32 %r1, %r1, 1;\nbra B;\nA:\nld.global.u32 %r2, [64];\n"
		     "add.u32 %r1, %r1, %r2;\nB:\n" KEEP,
		"|...|.|!|.");
	/* of a branch around one that can, too */
	expect(XY P1 "setp.lt.u32 %p2, %r0, %r1;\n@%p1 bra B;\nadd.u32 %r1, %r1, 1;\n@%p2 bra A;\n"
		     "ld.global.u32 %r2, [64];\nadd.u32 %r1, %r1, %r2;\nA:\n"
		     "add.u32 %r1, %r1, %r0;\nB:\n" KEEP,
		"|....|.|!||.");
	/* lanes that have left a loop wait for the others */
	expect(XY "T:\n" P1 "@%p1 bra B;\nadd.u32 %r1, %r1, %r0;\nbra T;\nB:\n" KEEP, "|.|...|.");
}

static void functions_and_returns_begin_strands(void **state)
{
	struct levels_options o = plain_options();

	(void)state;
	expect_marks(".func (.reg .u32 z) f(.reg .u32 x)\n{\nadd.u32 z, x, 1;\nret;\n}\n",
		XY "call (%r2), f, (%r1);\nst.shared.u32 [%r0], %r2;\n", &o, "|...|..|.");
	/* pending in a caller is pending in its callee */
	expect_marks(".func (.reg .u32 z) f(.reg .u32 x)\n{\nld.global.u32 z, [64];\nret;\n}\n",
		XY "call (%r2), f, (%r1);\nst.shared.u32 [%r0], %r2;\n", &o, "|...!..|.");
}

static void indirect_branches_keep_nothing(void **state)
{
	struct levels_options o = plain_options();

	(void)state;
	o.keep_past_branches = true;
	expect_marks("",
		XY "TS: .branchtargets A, B;\nand.b32 %r2, %r1, 1;\nbrx.idx %r2, TS;\nA:\n"
		   "add.u32 %r1, %r1, 1;\nbra C;\nB:\nadd.u32 %r1, %r1, 2;\nC:\n" KEEP,
		&o, "|..||.||.");
}

/* A loop with two entries. */
static void irreducible_flow_is_marked_too(void **state)
{
	(void)state;
	expect(XY P1 "@%p1 bra B;\nA:\nadd.u32 %r1, %r1, 1;\nB:\nadd.u32 %r1, %r1, 2;\n"
		     "setp.lt.u32 %p2, %r1, %r0;\n@%p2 bra A;\n" KEEP,
		"|...||..|.");
}

/* A branch to itself is a loop. */
static void the_shortest_loop_begins_strands_as_any(void **state)
{
	(void)state;
	expect(XY P1 "T:\n@%p1 bra T;\n" KEEP, "|..||.");
}

static void late_results_alone_end_nothing_when_waits_lose_nothing(void **state)
{
	struct levels_options o = plain_options();

	(void)state;
	o.keep_past_waits = true;
	expect_marks("",
		XY P1 "@%p1 bra A;\nadd.u32 %r1, %r1, 1;\nbra B;\nA:\nld.global.u32 %r2, [64];\n"
		      "add.u32 %r1, %r1, %r2;\nB:\n" KEEP,
		&o, "|.........");
}

/* ---- last reads. */

/* By instruction, a digit: the bits of its sources. */
static void expect_last(const char *body, const char *expected)
{
	struct levels_options o = plain_options();
	struct text bits = {0};
	struct built b;

	build_case(&b, "", body, &o);
	for (uint32_t i = 0; i < b.k->ninstr; i++)
		text_raw(&bits, "%x", b.k->levels->notes[i].last_reads);
	assert_string_equal(text_str(&bits), expected);
	text_clear(&bits);
	drop(&b);
}

static void last_reads_are_marked(void **state)
{
	(void)state;
	expect_last(XY "add.u32 %r2, %r0, %r1;\nadd.u32 %r3, %r2, %r1;\nadd.u32 %r3, %r2, %r3;\n"
		       "st.shared.u32 [%r0], %r3;\n",
		"0002330");
	/* a guarded result leaves other lanes the old value */
	expect_last(XY P1 "@%p1 add.u32 %r1, %r1, 1;\nadd.u32 %r0, %r0, 1;\n" KEEP, "0000130");
}

static void other_lanes_may_read_it_yet(void **state)
{
	(void)state;
	/* either arm reads %r1 for the last time on its path: the arm that executes first does not
	 * have the last read */
	expect_last(XY P1 "mov.u32 %r2, 5;\n@%p1 bra A;\nadd.u32 %r2, %r1, 1;\nbra B;\nA:\n"
			  "add.u32 %r2, %r1, 2;\nB:\nst.shared.u32 [%r0], %r2;\n",
		"0000000030");
	/* the lanes that leave the loop wait with %r1 while others overwrite theirs */
	expect_last(XY "T:\nadd.u32 %r2, %r1, 1;\nmul.lo.u32 %r1, %r2, %r1;\n" P1
		       "@%p1 bra T;\n" KEEP,
		"00010030");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_use_of_a_late_result_waits),
		cmocka_unit_test(overwriting_a_late_result_waits_too),
		cmocka_unit_test(what_does_not_go_through_the_cache_is_not_late),
		cmocka_unit_test(texture_and_surface_loads_are_late),
		cmocka_unit_test(loops_are_strands_of_their_own),
		cmocka_unit_test(barriers_and_fences_end_strands),
		cmocka_unit_test(a_merge_in_doubt_about_what_is_late_begins_one),
		cmocka_unit_test(arms_begin_strands_when_one_of_them_can_be_descheduled),
		cmocka_unit_test(functions_and_returns_begin_strands),
		cmocka_unit_test(indirect_branches_keep_nothing),
		cmocka_unit_test(irreducible_flow_is_marked_too),
		cmocka_unit_test(the_shortest_loop_begins_strands_as_any),
		cmocka_unit_test(late_results_alone_end_nothing_when_waits_lose_nothing),
		cmocka_unit_test(last_reads_are_marked),
		cmocka_unit_test(other_lanes_may_read_it_yet),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
