/* The use of values: kernels small enough to count by hand. */
#include "tests/rig/exec_rig.h"

#include "runs/usage.h"
#include "runs/usage_report.h"

#define HEAD ".version 7.0\n.target sm_70\n.address_size 64\n"
#define BODY(body) \
	HEAD ".visible .entry k(.param .u64 out)\n{\n.reg .pred %p<4>;\n.reg .b32 %r<32>;\n" \
	     ".reg .b64 %rd<4>;\n" body "ret;\n}\n"

static struct usage usage_with(
	const char *text, uint32_t ctas, uint32_t threads, const struct levels_options *levels)
{
	static struct rig rig;
	struct usage u = {0};
	struct untimed_watch watch = usage_watch(&u);

	rig = (struct rig){.watch = &watch, .levels = levels};
	assert_int_equal(rig_run(&rig, text, ctas, threads), 0);
	usage_finish(&u);
	assert_false(u.failed);
	assert_int_equal(u.reads[0] + u.reads[1] + u.reads[2] + u.reads[3], u.values);
	assert_int_equal(u.life[0] + u.life[1] + u.life[2] + u.life[3], u.reads[1]);
	return u;
}

static struct usage usage_of(const char *text, uint32_t ctas, uint32_t threads)
{
	return usage_with(text, ctas, threads, NULL);
}

static void assert_reads(
	const struct usage *u, uint64_t never, uint64_t once, uint64_t twice, uint64_t more)
{
	assert_int_equal(u->reads[0], never);
	assert_int_equal(u->reads[1], once);
	assert_int_equal(u->reads[2], twice);
	assert_int_equal(u->reads[3], more);
}

/* The first is read twice, the second once, the third twice by one instruction, the fourth once,
 * the fifth thrice, three never. */
static const char chain[] = BODY("mov.u32 %r1, %tid.x;\nadd.u32 %r2, %r1, 1;\n"
				 "add.u32 %r3, %r1, %r2;\nadd.u32 %r4, %r3, %r3;\n"
				 "add.u32 %r5, %r4, 1;\nadd.u32 %r6, %r5, 1;\n"
				 "add.u32 %r7, %r5, 2;\nadd.u32 %r8, %r5, 3;\n");

static void every_read_of_a_value_counts(void **state)
{
	struct usage u = usage_of(chain, 1, 32);

	(void)state;
	assert_int_equal(u.values, 8);
	assert_reads(&u, 3, 2, 2, 1);
	assert_int_equal(u.instructions, 9);
	assert_int_equal(u.read, 9);
	assert_int_equal(u.written, 8);
	assert_int_equal(u.operands[0], 2); /* mov and ret */
	assert_int_equal(u.operands[1], 5);
	assert_int_equal(u.operands[2], 2);
	assert_int_equal(u.shared, 0);
	usage_clear(&u);
}

static void warps_and_ctas_have_values_of_their_own(void **state)
{
	struct usage u = usage_of(chain, 3, 50);

	(void)state;
	assert_int_equal(u.values, 6 * 8);
	assert_reads(&u, 6 * 3, 6 * 2, 6 * 2, 6);
	assert_int_equal(u.life[0], 6 * 2);
	usage_clear(&u);
}

static void a_lifetime_is_the_way_to_the_reader(void **state)
{
	/* %r4 and %r8 are read by the next instruction, %r7 by that after it, %r3 after three,
	 * %r2 after five, %r1 after seven. */
	struct usage u = usage_of(
		BODY("mov.u32 %r1, %tid.x;\nmov.u32 %r2, %tid.x;\nmov.u32 %r3, %tid.x;\n"
		     "mov.u32 %r4, %tid.x;\nadd.u32 %r5, %r4, 1;\nadd.u32 %r6, %r3, 1;\n"
		     "add.u32 %r7, %r2, 1;\nadd.u32 %r8, %r1, 1;\nadd.u32 %r9, %r8, %r7;\n"),
		1, 32);

	(void)state;
	assert_int_equal(u.values, 9);
	assert_reads(&u, 3, 6, 0, 0);
	assert_int_equal(u.life[0], 2);
	assert_int_equal(u.life[1], 1);
	assert_int_equal(u.life[2], 1);
	assert_int_equal(u.life[3], 2);
	usage_clear(&u);
}

static void lanes_that_part_keep_their_own_values(void **state)
{
	struct usage u = usage_of(
		BODY("mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 16;\n"
		     "@%p1 mov.u32 %r2, 1;\n@!%p1 mov.u32 %r2, 2;\nadd.u32 %r3, %r2, 1;\n"),
		1, 32);

	(void)state;
	assert_int_equal(u.values, 4);
	assert_reads(&u, 1, 3, 0, 0);
	assert_int_equal(u.life[0], 2);
	assert_int_equal(u.life[1], 1);
	usage_clear(&u);
}

static void what_is_overwritten_in_some_lanes_lives_on_in_the_others(void **state)
{
	struct usage u =
		usage_of(BODY("mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 16;\nmov.u32 %r2, 5;\n"
			      "@%p1 mov.u32 %r2, 6;\nadd.u32 %r3, %r2, 1;\n@!%p1 mov.u32 %r2, 7;\n"
			      "add.u32 %r4, %r2, 1;\n"),
			1, 32);

	(void)state;
	/* 5 is read once and gone, 6 is read twice, 7 once. */
	assert_int_equal(u.values, 6);
	assert_reads(&u, 2, 3, 1, 0);
	usage_clear(&u);
}

static void an_instruction_that_no_lane_executes_reads_nothing(void **state)
{
	struct usage u = usage_of(BODY("mov.u32 %r1, %tid.x;\nsetp.gt.u32 %p1, %r1, 99;\n@%p1 "
				       "add.u32 %r2, %r1, 1;\n"),
		1, 32);

	(void)state;
	assert_int_equal(u.values, 1);
	assert_reads(&u, 0, 1, 0, 0);
	assert_int_equal(u.instructions, 4);
	usage_clear(&u);
}

static void sixty_four_bits_are_two_values(void **state)
{
	struct usage u = usage_of(BODY("mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd1, %r1, 4;\n"
				       "add.s64 %rd2, %rd1, %rd1;\n"),
		1, 32);

	(void)state;
	assert_int_equal(u.values, 5);
	assert_reads(&u, 2, 1, 2, 0);
	assert_int_equal(u.operands[4], 1);
	usage_clear(&u);
}

/* The second strand waits for the load: it reads the loaded value thrice, and one other value. */
static void a_strand_reads_each_value_of_another_once(void **state)
{
	static const struct levels_options strands = {.kind = LEVELS_NONE};
	struct usage u = usage_with(BODY("ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\n"
					 "ld.global.u32 %r2, [%rd1];\nadd.u32 %r3, %r2, %r2;\n"
					 "add.u32 %r4, %r2, %r1;\n"),
		1, 32, &strands);

	(void)state;
	assert_int_equal(u.strands, 2);
	assert_int_equal(u.live_ins, 2);
	assert_int_equal(u.live_outs, 2);
	usage_clear(&u);
}

/* The address comes from a parameter, the data from an ALU. */
static void the_shared_datapath_reads_what_is_stored_and_where(void **state)
{
	struct usage u = usage_of(BODY("ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\n"
				       "st.global.u32 [%rd1], %r1;\n"),
		1, 32);

	(void)state;
	assert_int_equal(u.values, 3);
	assert_int_equal(u.shared, 3);
	assert_int_equal(u.shared_alu, 1);
	assert_int_equal(u.shared_data, 1); /* the address is two values */
	assert_int_equal(u.shared_data_alu, 1);
	assert_int_equal(u.addresses[0].reads[REGISTERS_MRF], 2);
	usage_clear(&u);
}

static void a_single_level_costs_what_its_operands_cost(void **state)
{
	struct usage u = usage_of(chain, 1, 32);
	struct register_energy energy;
	struct usage_report r;
	struct usage_row rows[USAGE_ROWS];
	unsigned n, found = 0;

	(void)state;
	register_energy_default(&energy);
	usage_describe(&r, &u, &energy, &(struct levels_options){.kind = LEVELS_NONE},
		&(struct untimed_counts){0});
	n = usage_rows(&r, rows);
	for (unsigned i = 0; i < n; i++) {
		if (strcmp(rows[i].group, "energy"))
			continue;
		found++;
		if (!strcmp(rows[i].key, "single_level") || !strcmp(rows[i].key, "total"))
			assert_int_equal(rows[i].count, 9 * 124800 + 8 * 148800);
		if (!strcmp(rows[i].key, "mrf_wire"))
			assert_int_equal(rows[i].count, 17 * 60800);
	}
	assert_int_equal(found, 8);
	usage_clear(&u);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_read_of_a_value_counts),
		cmocka_unit_test(warps_and_ctas_have_values_of_their_own),
		cmocka_unit_test(a_lifetime_is_the_way_to_the_reader),
		cmocka_unit_test(lanes_that_part_keep_their_own_values),
		cmocka_unit_test(what_is_overwritten_in_some_lanes_lives_on_in_the_others),
		cmocka_unit_test(an_instruction_that_no_lane_executes_reads_nothing),
		cmocka_unit_test(sixty_four_bits_are_two_values),
		cmocka_unit_test(a_strand_reads_each_value_of_another_once),
		cmocka_unit_test(the_shared_datapath_reads_what_is_stored_and_where),
		cmocka_unit_test(a_single_level_costs_what_its_operands_cost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
