/* Control flow and liveness: blocks, immediate post-dominators, pressure counted by hand. */
#include "tests/rig/ptx_ir.h"

#define EXIT_BLOCK UINT32_MAX

/* The post-dominator of the block starting in `line` must start in `expected`, or be the exit. */
static void check_ipdom(const char *text, uint32_t line, uint32_t expected)
{
	struct ir_test t;
	uint32_t got;

	ir_open(&t, text);
	got = t.m.functions[0].blocks[ir_block_at(&t, line)].ipdom;
	if (expected == EXIT_BLOCK)
		assert_int_equal(got, NO_BLOCK);
	else
		assert_int_equal(got, ir_block_at(&t, expected));
	ir_close(&t);
}

/* Lanes that diverge in the block starting in `line` must reconverge where `expected` starts, or
 * nowhere. */
static void check_meeting(const char *text, uint32_t line, uint32_t expected)
{
	struct ir_test t;
	uint32_t got;

	ir_open(&t, text);
	got = t.m.functions[0].blocks[ir_block_at(&t, line)].reconv;
	assert_int_equal(got, expected == EXIT_BLOCK ? NO_BLOCK : ir_block_at(&t, expected));
	ir_close(&t);
}

static void check_live(const char *text, uint32_t blocks, uint32_t max_live)
{
	struct ir_test t;

	ir_open(&t, text);
	assert_int_equal(t.m.functions[0].nblocks, blocks);
	assert_int_equal(t.m.functions[0].max_live, max_live);
	ir_close(&t);
}

static void if_else_reconverges_after_both_arms(void **state)
{
	const char *text = IR_KERNEL("@%p1 bra ELSE;\n"    /* 0 */
				     "mov.u32 %r1, 1;\n"   /* 1 */
				     "bra JOIN;\n"         /* 2 */
				     "ELSE:\n"             /* 3 */
				     "mov.u32 %r1, 2;\n"   /* 4 */
				     "JOIN:\n"             /* 5 */
				     "mov.u32 %r2, %r1;\n" /* 6 */
				     "ret;\n");

	(void)state;
	check_ipdom(text, 0, 6);
	check_ipdom(text, 1, 6);
	check_ipdom(text, 4, 6);
	check_ipdom(text, 6, EXIT_BLOCK);
	check_live(text, 4, 1);
}

static void a_loop_reconverges_after_its_back_edge(void **state)
{
	const char *text = IR_KERNEL("mov.u32 %r1, 0;\n"          /* 0 */
				     "TOP:\n"                     /* 1 */
				     "add.u32 %r1, %r1, 1;\n"     /* 2 */
				     "setp.lt.u32 %p1, %r1, 9;\n" /* 3 */
				     "@%p1 bra TOP;\n"            /* 4 */
				     "mov.u32 %r2, %r1;\n"        /* 5 */
				     "ret;\n");

	(void)state;
	check_ipdom(text, 2, 5);
	check_live(text, 3, 1);
}

static void nested_loops_reconverge_level_by_level(void **state)
{
	const char *text = IR_KERNEL("mov.u32 %r1, 0;\n"          /* 0 */
				     "OUTER:\n"                   /* 1 */
				     "mov.u32 %r2, 0;\n"          /* 2 */
				     "INNER:\n"                   /* 3 */
				     "add.u32 %r2, %r2, %r1;\n"   /* 4 */
				     "setp.lt.u32 %p1, %r2, 9;\n" /* 5 */
				     "@%p1 bra INNER;\n"          /* 6 */
				     "add.u32 %r1, %r1, 1;\n"     /* 7 */
				     "setp.lt.u32 %p2, %r1, 9;\n" /* 8 */
				     "@%p2 bra OUTER;\n"          /* 9 */
				     "ret;\n");                   /* 10 */

	(void)state;
	check_ipdom(text, 4, 7);
	check_ipdom(text, 7, 10);
	check_live(text, 5, 2);
}

static void an_early_exit_leaves_no_reconvergence_point(void **state)
{
	const char *text = IR_KERNEL("@%p1 bra ON;\n"    /* 0 */
				     "ret;\n"            /* 1 */
				     "ON:\n"             /* 2 */
				     "mov.u32 %r1, 2;\n" /* 3 */
				     "ret;\n");

	(void)state;
	check_ipdom(text, 0, EXIT_BLOCK);
	check_ipdom(text, 1, EXIT_BLOCK);
}

#define WORK "mov.u32 %r1, 1;\nmov.u32 %r2, 2;\nmov.u32 %r3, 3;\nmov.u32 %r4, 4;\n"

/* The arms reconverge although each may exit or trap on its way, and although these exits come last
 * in the text. */
static void exits_in_both_arms_do_not_prevent_reconvergence(void **state)
{
	const char *text = IR_KERNEL("@%p1 bra ELSE;\n" /* 0 */
				     "@%p2 bra AWAY;\n" /* 1 */
				     "bra MEET;\n"      /* 2 */
				     "ELSE:\n"          /* 3 */
				     "@%p3 bra AWAY;\n" /* 4 */
				     "@%p2 bra FAIL;\n" /* 5 */
				     "MEET:\n"          /* 6 */
		WORK WORK                               /* 7 */
				     "ret;\n"           /* 15 */
				     "AWAY:\n"          /* 16 */
		WORK                                    /* 17 */
				     "ret;\n"           /* 21 */
				     "FAIL:\n"          /* 22 */
				     "trap;\n");

	(void)state;
	check_meeting(text, 0, 7);
	check_meeting(text, 4, 5);
	check_meeting(text, 5, 7);
}

/* However short the code: all remaining lanes must reach it. */
static void the_expected_path_leads_to_the_barrier(void **state)
{
	const char *text = IR_KERNEL("@%p1 bra WAIT;\n" /* 0 */
		WORK                                    /* 1 */
				     "@%p2 bra WAIT;\n" /* 5 */
		WORK WORK                               /* 6 */
				     "ret;\n"           /* 14 */
				     "WAIT:\n"          /* 15 */
				     "bar.sync 0;\n"    /* 16 */
				     "ret;\n");

	(void)state;
	check_meeting(text, 0, 16);
	check_meeting(text, 1, 16);
}

/* No reconvergence point on the path of the remaining lanes: the ret is executed once. */
static void a_bounds_check_reconverges_at_the_end(void **state)
{
	const char *text = IR_KERNEL("@%p1 bra OUT;\n" /* 0 */
		WORK WORK                              /* 1 */
				     "OUT:\n"          /* 9 */
				     "ret;\n");

	(void)state;
	check_meeting(text, 0, 10);
}

static void a_guarded_exit_is_no_branch(void **state)
{
	const char *text = IR_KERNEL("@%p1 bra ELSE;\n"  /* 0 */
				     "@%p2 exit;\n"      /* 1 */
				     "ELSE:\n"           /* 2 */
				     "mov.u32 %r1, 2;\n" /* 3 */
				     "ret;\n");

	(void)state;
	check_ipdom(text, 0, 3);
	check_live(text, 3, 1);
}

static void jumps_into_a_loop_are_fine(void **state)
{
	/* Two entries into the cycle A - B: an irreducible graph. */
	const char *text = IR_KERNEL("@%p1 bra B;\n"       /* 0 */
				     "A:\n"                /* 1 */
				     "mov.u32 %r1, 1;\n"   /* 2 */
				     "@%p2 bra OUT;\n"     /* 3 */
				     "B:\n"                /* 4 */
				     "mov.u32 %r1, 2;\n"   /* 5 */
				     "@%p3 bra A;\n"       /* 6 */
				     "OUT:\n"              /* 7 */
				     "mov.u32 %r2, %r1;\n" /* 8 */
				     "ret;\n");

	(void)state;
	check_ipdom(text, 0, 8);
	check_ipdom(text, 2, 8);
	check_ipdom(text, 5, 8);
	check_live(text, 4, 1);
}

static void an_endless_loop_has_a_post_dominator(void **state)
{
	const char *text = IR_KERNEL("TOP:\n"              /* 0 */
				     "@%p1 bra ODD;\n"     /* 1 */
				     "mov.u32 %r1, 1;\n"   /* 2 */
				     "bra NEXT;\n"         /* 3 */
				     "ODD:\n"              /* 4 */
				     "mov.u32 %r1, 2;\n"   /* 5 */
				     "NEXT:\n"             /* 6 */
				     "mov.u32 %r2, %r1;\n" /* 7 */
				     "bra TOP;\n");

	(void)state;
	check_ipdom(text, 1, 7);
	check_ipdom(text, 7, EXIT_BLOCK);
}

static void unreachable_code_is_dropped(void **state)
{
	const char *text = IR_KERNEL("bra END;\n" /* 0 */
				     "mov.u32 %r1, 1;\n"
				     "LOST:\n"
				     "@%p1 bra LOST;\n"
				     "END:\n"
				     "ret;\n");

	(void)state;
	check_live(text, 2, 0);
}

static void debug_labels_split_nothing(void **state)
{
	(void)state;
	check_live(
		IR_KERNEL("A:\nmov.u32 %r1, 1;\nB:\nmov.u32 %r2, 2;\nC:\nadd.u32 %r3, %r1, %r2;\n"),
		1, 2);
}

static void a_double_word_counts_twice(void **state)
{
	(void)state;
	check_live(IR_KERNEL("ld.param.u64 %rd1, [out];\n" /* 2 live */
			     "mov.u32 %r1, 1;\n"           /* 3 */
			     "cvt.u64.u32 %rd2, %r1;\n"    /* 4: %r1 dies */
			     "add.u64 %rd3, %rd1, %rd2;\n" /* 4 */
			     "st.global.u64 [%rd1], %rd3;\n"),
		1, 4);
}

static void a_dead_result_still_takes_a_register(void **state)
{
	(void)state;
	check_live(IR_KERNEL("ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [64];\n"
			     "st.global.u32 [64], %r1;\n"),
		1, 4);
	check_live(IR_KERNEL("ld.global.v4.u32 {%r1, _, _, %r4}, [64];\n"
			     "st.global.u32 [64], %r1;\n"),
		1, 2);
}

static void a_guarded_write_keeps_the_old_value(void **state)
{
	(void)state;
	/* %r1 is needed across the guarded write, so it is live together with %r2 and %r3. */
	check_live(IR_KERNEL("mov.u32 %r1, 1;\n"
			     "mov.u32 %r2, 2;\n"
			     "mov.u32 %r3, 3;\n"
			     "@%p1 mov.u32 %r1, 4;\n"
			     "add.u32 %r2, %r2, %r3;\n"
			     "add.u32 %r2, %r2, %r1;\n"
			     "st.global.u32 [64], %r2;\n"),
		1, 3);
	/* No earlier value: nothing is preserved. */
	check_live(IR_KERNEL("mov.u32 %r2, 2;\n"
			     "add.u32 %r2, %r2, 1;\n"
			     "@%p1 mov.u32 %r1, 4;\n"
			     "@%p1 add.u32 %r2, %r2, %r1;\n"
			     "st.global.u32 [64], %r2;\n"),
		1, 2);
}

/* The only exit is behind the other way out: after the barrier all go round again. */
static void a_barrier_in_a_loop_is_where_its_arms_meet(void **state)
{
	const char *text = IR_KERNEL("TOP:\n"            /* 0 */
				     "@%p1 bra ELSE;\n"  /* 1 */
				     "@%p2 bra AWAY;\n"  /* 2 */
				     "mov.u32 %r1, 1;\n" /* 3 */
				     "ELSE:\n"           /* 4 */
				     "mov.u32 %r2, 2;\n" /* 5 */
				     "bar.sync 0;\n"     /* 6 */
				     "bra TOP;\n"        /* 7 */
				     "AWAY:\n" WORK "ret;\n");

	(void)state;
	check_meeting(text, 1, 5);
}

/* The old value lives through the block before, beside two others. */
static void a_guarded_write_keeps_what_another_block_wrote(void **state)
{
	const char *text = IR_KERNEL("mov.u32 %r1, 1;\n"
				     "mov.u32 %r3, 3;\n"
				     "mov.u32 %r4, 4;\n"
				     "@%p2 bra NEXT;\n"
				     "mov.u32 %r4, 5;\n"
				     "NEXT:\n"
				     "add.u32 %r2, %r3, %r4;\n"
				     "@%p1 mov.u32 %r1, 2;\n"
				     "add.u32 %r5, %r1, %r2;\n"
				     "ret;\n");

	(void)state;
	check_live(text, 3, 3);
}

static void a_value_goes_round_a_one_block_loop(void **state)
{
	struct ir_test t;
	const struct ir_function *f;

	(void)state;
	/* %r1 is read before it is written, in one block only: the write reaches the next
	 * iteration. */
	ir_open(&t, IR_KERNEL("TOP:\n"
			      "st.global.u32 [64], %r1;\n"
			      "mov.u32 %r1, %tid.x;\n"
			      "mov.u32 %r2, %tid.y;\n"
			      "st.global.u32 [68], %r2;\n"
			      "bra TOP;\n"));
	f = &t.m.functions[0];
	assert_int_equal(f->max_live, 2);
	ir_allocate(&t, "colour");
	assert_int_equal(f->regs, 2);
	ir_close(&t);
}

static void a_missing_ret_is_an_exit(void **state)
{
	struct ir_test t;
	const struct ir_function *f;

	(void)state;
	ir_open(&t, IR_KERNEL("mov.u32 %r1, 1;\n"));
	f = &t.m.functions[0];
	assert_int_equal(f->code[f->ninstr - 1].action, ACT_EXIT);
	ir_close(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(if_else_reconverges_after_both_arms),
		cmocka_unit_test(a_loop_reconverges_after_its_back_edge),
		cmocka_unit_test(nested_loops_reconverge_level_by_level),
		cmocka_unit_test(an_early_exit_leaves_no_reconvergence_point),
		cmocka_unit_test(exits_in_both_arms_do_not_prevent_reconvergence),
		cmocka_unit_test(the_expected_path_leads_to_the_barrier),
		cmocka_unit_test(a_bounds_check_reconverges_at_the_end),
		cmocka_unit_test(a_guarded_exit_is_no_branch),
		cmocka_unit_test(jumps_into_a_loop_are_fine),
		cmocka_unit_test(an_endless_loop_has_a_post_dominator),
		cmocka_unit_test(unreachable_code_is_dropped),
		cmocka_unit_test(debug_labels_split_nothing),
		cmocka_unit_test(a_double_word_counts_twice),
		cmocka_unit_test(a_dead_result_still_takes_a_register),
		cmocka_unit_test(a_guarded_write_keeps_the_old_value),
		cmocka_unit_test(a_guarded_write_keeps_what_another_block_wrote),
		cmocka_unit_test(a_barrier_in_a_loop_is_where_its_arms_meet),
		cmocka_unit_test(a_value_goes_round_a_one_block_loop),
		cmocka_unit_test(a_missing_ret_is_an_exit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
