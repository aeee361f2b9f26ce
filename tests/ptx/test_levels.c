/* Levels of operands: hand-written kernels, one for each rule, with every level, copy and count;
 * figures 6.5 to 6.9 of Gebhart's dissertation among them. */
#include "tests/rig/levels_check.h"
#include "tests/rig/ptx_build.h"

#define XY "ld.param.u32 %r0, [out];\nld.param.u32 %r1, [out+4];\n"

/* Two levels, without any of the optimisations. */
static struct levels_options baseline(unsigned entries)
{
	struct levels_options o = levels_best();

	o.entries = entries;
	o.lrf = 0;
	o.partial_ranges = o.read_operands = o.forward_branches = false;
	return o;
}

static struct levels_options two_levels(unsigned entries)
{
	struct levels_options o = levels_best();

	o.entries = entries;
	o.lrf = 0;
	return o;
}

/* Accesses by level: MRF, ORF, ORF from the shared datapath, LRF. */
struct totals {
	unsigned reads[4], writes[4];
};

static void add_counts(unsigned *sum, uint64_t counts)
{
	for (unsigned k = 0; k < 4; k++)
		sum[k] += (unsigned)(counts >> 16 * k & 0xffff);
}

static struct totals place(const char *body, const struct levels_options *o, struct text *told)
{
	struct totals totals = {{0}, {0}};
	struct text text = {0}, wrong = {0};
	struct built plain, placed;

	text_raw(&text, "%s%s%s}\n", HEAD ".entry k(.param .u64 out)\n{\n", REGS, body);
	build_with(&placed, text_str(&text), &(struct compile_options){.levels = o});
	build(&plain, text_str(&text));
	assert_null(plain.k->levels);
	assert_int_equal(plain.k->planes, plain.k->regs);
	levels_tell(placed.k, told);
	levels_check(plain.k, placed.k, &wrong);
	assert_string_equal(text_str(&wrong), "");
	for (uint32_t i = 0; i < placed.k->ninstr; i++) {
		add_counts(totals.reads, placed.k->levels->notes[i].counts.reads);
		add_counts(totals.writes, placed.k->levels->notes[i].counts.writes);
	}
	text_clear(&text);
	drop(&plain);
	drop(&placed);
	return totals;
}

static void expect(const char *body, const struct levels_options *o, const char *levels)
{
	struct text told = {0};

	place(body, o, &told);
	assert_string_equal(text_str(&told), levels);
	text_clear(&told);
}

static void expect_totals(
	const char *body, const struct levels_options *o, const struct totals *expected)
{
	struct text told = {0};
	struct totals totals = place(body, o, &told);

	assert_memory_equal(&totals, expected, sizeof(totals));
	text_clear(&told);
}

static void what_saves_most_a_slot_comes_first(void **state)
{
	struct levels_options o = baseline(1);
	const char *text = XY "add.u32 %r2, %r0, %r1;\n"
			      "add.u32 %r3, %r2, 1;\n"
			      "add.u32 %r4, %r3, %r2;\n"
			      "st.shared.u32 [%r4], %r3;\n";

	(void)state;
	/* Figures 6.5 and 6.6: of the four values r1 and r4 save 26.94 pJ per slot, r2 20.92,
	 * r3 20.16 and r0 13.47; one entry holds three of them one after the other, including a
	 * value whose last read is where the next one is defined. */
	expect(text, &o,
		"| M = -\n"
		". O0 = -\n"
		". O0 = M O0\n"
		". M = O0 c\n"
		". O0 = M O0\n"
		". = O0 M\n"
		".\n");
	expect_totals(text, &o, &(struct totals){{3, 3, 1, 0}, {2, 2, 1, 0}});
	o = baseline(3);
	expect(text, &o,
		"| O1 = -\n"
		". O0 = -\n"
		". O0 = O1 O0\n"
		". O1 = O0 c\n"
		". O0 = O1 O0\n"
		". = O0 O1\n"
		".\n");
	expect_totals(text, &o, &(struct totals){{0, 5, 2, 0}, {0, 3, 2, 0}});
}

static void what_is_needed_after_the_strand_goes_to_both(void **state)
{
	struct levels_options o = baseline(2);
	const char *text = XY "add.u32 %r2, %r0, %r1;\n"
			      "add.u32 %r3, %r2, %r2;\n"
			      "st.shared.u32 [%r3], %r2;\n"
			      "bar.sync 0;\n"
			      "st.shared.u32 [%r0], %r2;\n";

	(void)state;
	expect(text, &o,
		"| O1+M = -\n"
		". O0 = -\n"
		". O1+M = O1 O0\n"
		". O0 = O1 O1\n"
		". = O0 O1\n"
		". = c -\n"
		"| = M M\n"
		".\n");
	expect_totals(text, &o, &(struct totals){{2, 4, 2, 0}, {2, 2, 2, 0}});
}

static void a_value_that_does_not_fit_is_kept_for_its_first_reads(void **state)
{
	struct levels_options o = baseline(1);
	const char *text = XY "add.u32 %r2, %r0, %r1;\n"
			      "add.u32 %r3, %r2, %r2;\n"
			      "add.u32 %r3, %r3, %r2;\n"
			      "st.shared.u32 [%r1], %r3;\n"
			      "add.u32 %r5, %r0, 7;\n"
			      "st.shared.u32 [%r5], %r5;\n"
			      "st.shared.u32 [%r5+4], %r5;\n"
			      "st.shared.u32 [%r0], %r2;\n";

	(void)state;
	/* Figure 6.7. */
	expect(text, &o,
		"| M = -\n"
		". M = -\n"
		". M = M M\n"
		". O0 = M M\n"
		". O0 = O0 M\n"
		". = M O0\n"
		". O0 = M c\n"
		". = O0 O0\n"
		". = O0 O0\n"
		". = M M\n"
		".\n");
	o.partial_ranges = true;
	expect(text, &o,
		"| M = -\n"
		". O0+M = -\n"
		". O0+M = M O0\n"
		". O0 = O0 O0\n"
		". O0 = O0 M\n"
		". = M O0\n"
		". O0 = M c\n"
		". = O0 O0\n"
		". = O0 O0\n"
		". = M M\n"
		".\n");
	expect_totals(text, &o, &(struct totals){{6, 4, 5, 0}, {3, 4, 1, 0}});
}

static void the_first_of_several_reads_keeps_a_copy(void **state)
{
	struct levels_options o = baseline(2);
	const char *text = XY "bar.sync 0;\n"
			      "add.u32 %r2, %r0, %r1;\n"
			      "add.u32 %r3, %r0, %r2;\n"
			      "add.u32 %r4, %r0, %r3;\n"
			      "st.shared.u32 [%r4], %r4;\n";

	(void)state;
	/* Figure 6.8. */
	expect(text, &o,
		"| M = -\n"
		". M = -\n"
		". = c -\n"
		"| O0 = M M\n"
		". O0 = M O0\n"
		". O0 = M O0\n"
		". = O0 O0\n"
		".\n");
	o.read_operands = true;
	expect(text, &o,
		"| M = -\n"
		". M = -\n"
		". = c -\n"
		"| O0 = M+O1 M\n"
		". O0 = O1 O0\n"
		". O0 = O1 O0\n"
		". = O0 O0\n"
		".\n");
	expect_totals(text, &o, &(struct totals){{2, 4, 2, 0}, {2, 4, 0, 0}});
}

static void late_results_are_kept_from_their_first_read_on(void **state)
{
	struct levels_options o = two_levels(3);
	const char *text = "ld.global.u32 %r1, [64];\n"
			   "add.u32 %r2, %r1, %r1;\n"
			   "add.u32 %r2, %r2, %r1;\n"
			   "add.u32 %r2, %r2, %r1;\n"
			   "st.shared.u32 [%r2], %r2;\n";

	(void)state;
	expect(text, &o,
		"| M = -\n"
		"! O0 = M+O1 M+O1\n"
		". O0 = O0 O1\n"
		". O0 = O0 O1\n"
		". = O0 O0\n"
		".\n");
	expect_totals(text, &o, &(struct totals){{2, 4, 2, 0}, {1, 4, 0, 0}});
}

static void a_merge_reads_the_mrf_when_one_side_writes(void **state)
{
	struct levels_options o = baseline(2);
	const char *text = XY "setp.eq.u32 %p1, %r0, %r1;\n"
			      "mov.u32 %r2, 5;\n"
			      "bar.sync 0;\n"
			      "@%p1 bra B;\n"
			      "add.u32 %r2, %r0, %r1;\n"
			      "B:\n"
			      "st.shared.u32 [%r0], %r2;\n";
	const char *other = XY "setp.eq.u32 %p1, %r0, %r1;\n"
			       "mov.u32 %r2, 5;\n"
			       "bar.sync 0;\n"
			       "@%p1 bra B;\n"
			       "add.u32 %r2, %r0, %r1;\n"
			       "add.u32 %r3, %r2, %r2;\n"
			       "add.u32 %r3, %r2, %r3;\n"
			       "st.shared.u32 [%r1], %r3;\n"
			       "B:\n"
			       "st.shared.u32 [%r0], %r2;\n";

	(void)state;
	/* Figure 6.9 (a), and (b): the writing side reads it, too. */
	o.forward_branches = true;
	expect(text, &o,
		"| O1+M = -\n"
		". O0+M = -\n"
		". p - = O1 O0\n"
		". M = c\n"
		". = c -\n"
		"|\n"
		". M = M M\n"
		". = M M\n"
		".\n");
	o.forward_branches = true;
	expect(other, &o,
		"| O1+M = -\n"
		". O0+M = -\n"
		". p - = O1 O0\n"
		". M = c\n"
		". = c -\n"
		"|\n"
		". O1+M = M M\n"
		". O0 = O1 O1\n"
		". O0 = O1 O0\n"
		". = M O0\n"
		". = M M\n"
		".\n");
}

static void a_merge_reads_the_entry_that_both_sides_write(void **state)
{
	struct levels_options o = baseline(2);
	const char *text = XY "setp.eq.u32 %p1, %r0, %r1;\n"
			      "bar.sync 0;\n"
			      "@%p1 bra A;\n"
			      "add.u32 %r2, %r0, %r1;\n"
			      "bra B;\n"
			      "A:\n"
			      "sub.u32 %r2, %r0, %r1;\n"
			      "B:\n"
			      "st.shared.u32 [%r0], %r2;\n";

	(void)state;
	/* Figure 6.9 (c). */
	o.forward_branches = true;
	expect(text, &o,
		"| O1+M = -\n"
		". O0+M = -\n"
		". p - = O1 O0\n"
		". = c -\n"
		"|\n"
		". O0 = M M\n"
		".\n"
		". O0 = M M\n"
		". = M O0\n"
		".\n");
	expect_totals(text, &o, &(struct totals){{5, 2, 1, 0}, {2, 2, 2, 0}});
	o = baseline(2);
	expect(text, &o,
		"| O1+M = -\n"
		". O0+M = -\n"
		". p - = O1 O0\n"
		". = c -\n"
		"|\n"
		". M = M M\n"
		".\n"
		". M = M M\n"
		". = M M\n"
		".\n");
}

static void the_lrf_takes_what_only_alus_make_and_read(void **state)
{
	struct levels_options o = levels_best();
	const char *text = XY "bar.sync 0;\n"
			      "add.u32 %r2, %r0, %r1;\n"
			      "add.u32 %r3, %r2, 1;\n"
			      "add.u32 %r4, 2, %r3;\n"
			      "add.u32 %r5, %r4, %r4;\n"
			      "st.shared.u32 [%r0], %r5;\n";
	const char *in_one = "| M = -\n"
			     ". M = -\n"
			     ". = c -\n"
			     "| L0 = M+O1 M\n"
			     ". L0 = L0 c\n"
			     ". L0 = c L0\n"
			     ". O0 = L0 L0\n"
			     ". = O1 O0\n"
			     ".\n";

	(void)state;
	/* In three levels; with a split LRF, a value that is read in two slots is allocated in the
	 * ORF. */
	expect(text, &o,
		"| M = -\n"
		". M = -\n"
		". = c -\n"
		"| L0 = M+O1 M\n"
		". L1 = L0 c\n"
		". O0 = c L1\n"
		". O0 = O0 O0\n"
		". = O1 O0\n"
		".\n");
	expect_totals(text, &o, &(struct totals){{2, 2, 2, 2}, {2, 3, 0, 2}});
	/* Except for the slots, they could use the first one after the other. */
	o.any_slot = true;
	expect(text, &o, in_one);
	expect_totals(text, &o, &(struct totals){{2, 0, 2, 4}, {2, 2, 0, 3}});
	o.any_slot = false;
	o.lrf = 1;
	expect(text, &o, in_one);
	expect_totals(text, &o, &(struct totals){{2, 0, 2, 4}, {2, 2, 0, 3}});
}

static void two_words_take_adjacent_entries(void **state)
{
	struct levels_options o = two_levels(3);
	const char *text = XY "ld.param.u64 %rd0, [out];\n"
			      "mul.wide.u32 %rd1, %r0, 4;\n"
			      "add.u64 %rd1, %rd0, %rd1;\n"
			      "st.global.u32 [%rd1], %r0;\n"
			      "st.global.u32 [%rd1+4], %r0;\n";
	const char *other = "add.u32 %r0, %r4, 1;\n"
			    "add.u32 %r1, %r4, 2;\n"
			    "mov.b64 %rd1, {%r0, %r1};\n"
			    "add.u64 %rd2, %rd1, %rd1;\n"
			    "mov.b64 {%r2, %r3}, %rd2;\n"
			    "add.u32 %r4, %r2, %r3;\n"
			    "st.shared.u32 [%r4], %r4;\n";

	(void)state;
	/* Also when they were written separately. */
	expect(text, &o,
		"| O2 = -\n"
		". M = -\n"
		". M = -\n"
		". O0 = O2 c\n"
		". O0 = M O0\n"
		". = O0 O2\n"
		". = O0 O2\n"
		".\n");
	expect_totals(text, &o, &(struct totals){{2, 3, 6, 0}, {3, 4, 1, 0}});
	o = two_levels(1);
	expect(text, &o,
		"| O0 = -\n"
		". M = -\n"
		". M = -\n"
		". M = O0 c\n"
		". M = M M\n"
		". = M O0\n"
		". = M O0\n"
		".\n");
	o = two_levels(3);
	expect(other, &o,
		"| O1 = M+O0 c\n"
		". O0 = O0 c\n"
		". O0 = O1 O0\n"
		". O0 = O0 O0\n"
		". O0 = O0 O1\n"
		". = O0 O0\n"
		".\n");
}

/* The halves of a 64-bit result are needed at different points: the upper one after the strand. */
static void half_of_a_pair_goes_to_both_levels(void **state)
{
	struct levels_options o = two_levels(3);

	(void)state;
	expect("add.u64 %rd2, %rd1, %rd1;\nmov.b64 {%r2, %r3}, %rd2;\nadd.u32 %r4, %r2, 1;\n"
	       "add.u32 %r4, %r4, %r2;\nst.shared.u32 [%r4], %r4;\nbar.sync 0;\n"
	       "st.shared.u32 [64], %r3;\n",
		&o,
		"| O1+M = M M\n"
		". O0 = O1 c\n"
		". O0 = O0 O1\n"
		". = O0 O0\n"
		". = c -\n"
		"| = - M\n"
		".\n");
}

static void a_guarded_result_goes_where_the_old_value_is(void **state)
{
	struct levels_options o = two_levels(3);
	const char *text = XY "setp.eq.u32 %p1, %r0, %r1;\n"
			      "add.u32 %r2, %r0, %r1;\n"
			      "@%p1 add.u32 %r2, %r2, 1;\n"
			      "st.shared.u32 [%r0], %r2;\n";
	const char *other = XY "setp.eq.u32 %p1, %r0, %r1;\n"
			       "bar.sync 0;\n"
			       "@%p1 add.u32 %r1, %r0, 1;\n"
			       "st.shared.u32 [%r0], %r1;\n"
			       "st.shared.u32 [%r0], %r1;\n";

	(void)state;
	/* Or to the MRF, when the value is from before the strand. */
	expect(text, &o,
		"| O1 = -\n"
		". O0 = -\n"
		". p - = O1 O0\n"
		". O0 = O1 O0\n"
		". O0 = O0 c\n"
		". = O1 O0\n"
		".\n");
	expect_totals(text, &o, &(struct totals){{0, 5, 2, 0}, {0, 2, 2, 0}});
	expect(other, &o,
		"| O1+M = -\n"
		". O0+M = -\n"
		". p - = O1 O0\n"
		". = c -\n"
		"| M = M+O0 c\n"
		". = O0 M+O1\n"
		". = O0 O1\n"
		".\n");
}

static void results_may_be_held_to_one_level(void **state)
{
	struct levels_options o = levels_best();
	const char *text = "add.u32 %r2, %r0, %r1;\n"
			   "add.u32 %r3, %r2, %r0;\n"
			   "add.u32 %r4, %r2, %r3;\n"
			   "add.u32 %r5, %r3, %r4;\n"
			   "bar.sync 0;\n"
			   "st.shared.u32 [%r5], %r2;\n"
			   "st.shared.u32 [%r5+4], %r3;\n";

	(void)state;
	/* one_level_writes, and lrf_dual_only */
	expect(text, &o,
		"| L0+M = M+O0 M+O0\n"
		". O0+M = L0 O0\n"
		". L1 = L0 O0\n"
		". M = O0 L1\n"
		". = c -\n"
		"| = M+O0 M\n"
		". = O0 M\n"
		".\n");
	o.lrf_dual_only = true;
	expect(text, &o,
		"| L0+M = M+O0 M+O0\n"
		". M = L0 O0\n"
		". L1 = L0 M\n"
		". M = M L1\n"
		". = c -\n"
		"| = M+O0 M\n"
		". = O0 M\n"
		".\n");
	o = levels_best();
	o.one_level_writes = true;
	expect(text, &o,
		"| M = M+O0 M+O0\n"
		". M = M O0\n"
		". L1 = M M\n"
		". M = M L1\n"
		". = c -\n"
		"| = M+O0 M\n"
		". = O0 M\n"
		".\n");
}

static void values_are_kept_round_loops_when_asked_for(void **state)
{
	struct levels_options o = levels_best();
	const char *text = XY "mov.u32 %r2, 0;\n"
			      "T:\n"
			      "add.u32 %r2, %r2, %r0;\n"
			      "add.u32 %r1, %r1, 1;\n"
			      "setp.lt.u32 %p1, %r1, 100;\n"
			      "@%p1 bra T;\n"
			      "st.shared.u32 [%r0], %r2;\n";

	(void)state;
	expect(text, &o,
		"| M = -\n"
		". M = -\n"
		". M = c\n"
		"| M = M M\n"
		". L0+M = M c\n"
		". p - = L0 c\n"
		".\n"
		"| = M M\n"
		".\n");
	o.keep_past_branches = true;
	expect(text, &o,
		"| O2 = -\n"
		". O1 = -\n"
		". O0 = c\n"
		". O0 = O0 O2\n"
		". O1 = O1 c\n"
		". p - = O1 c\n"
		".\n"
		". = O2 O0\n"
		".\n");
	expect_totals(text, &o, &(struct totals){{0, 4, 2, 0}, {0, 3, 2, 0}});
}

/* A strand that saves nothing has the smallest size, however large the others could be. */
static void of_sizes_that_save_as_much_the_oracle_takes_the_smallest(void **state)
{
	struct levels_options o = two_levels(8);
	struct text text = {0};
	struct built placed;

	(void)state;
	o.oracle_entries = true;
	text_raw(&text, "%s%sret;\n}\n", HEAD ".entry k(.param .u64 out)\n{\n", REGS);
	build_with(&placed, text_str(&text), &(struct compile_options){.levels = &o});
	for (uint32_t i = 0; i < placed.k->ninstr; i++)
		assert_int_equal(placed.k->levels->notes[i].entries, 1);
	text_clear(&text);
	drop(&placed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_sizes_that_save_as_much_the_oracle_takes_the_smallest),
		cmocka_unit_test(what_saves_most_a_slot_comes_first),
		cmocka_unit_test(what_is_needed_after_the_strand_goes_to_both),
		cmocka_unit_test(a_value_that_does_not_fit_is_kept_for_its_first_reads),
		cmocka_unit_test(the_first_of_several_reads_keeps_a_copy),
		cmocka_unit_test(late_results_are_kept_from_their_first_read_on),
		cmocka_unit_test(a_merge_reads_the_mrf_when_one_side_writes),
		cmocka_unit_test(a_merge_reads_the_entry_that_both_sides_write),
		cmocka_unit_test(the_lrf_takes_what_only_alus_make_and_read),
		cmocka_unit_test(two_words_take_adjacent_entries),
		cmocka_unit_test(half_of_a_pair_goes_to_both_levels),
		cmocka_unit_test(a_guarded_result_goes_where_the_old_value_is),
		cmocka_unit_test(results_may_be_held_to_one_level),
		cmocka_unit_test(values_are_kept_round_loops_when_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
