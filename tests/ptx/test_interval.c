/* Static dispatch intervals: a chain of dependent instructions has its latency, independent ones
 * one cycle (Hayes and Zhang, ICS 2014, figure 4). */
#include "tests/rig/exec_rig.h"

#include "ptx/isa/interval.h"

#include <math.h>

static struct intervals measured;

static void measure(struct rig *r, struct program *p)
{
	struct interval_latency latency;

	for (unsigned c = 0; c < CLASS_COUNT; c++)
		latency.cycles[c] = 3;
	latency.cycles[CLASS_MEMORY] = 20;
	measured = intervals_of(p, &latency, &r->arena);
}

/* Of the kernel without the body and with it: the difference is the body's. */
static void check(const char *empty, const char *text, uint32_t instrs, double cycles)
{
	static struct rig r;
	struct intervals none;
	double pairs;

	memset(&r, 0, sizeof(r));
	r.prepare = measure;
	assert_int_equal(rig_run(&r, empty, 1, 32), 0);
	none = measured;
	memset(&r, 0, sizeof(r));
	r.prepare = measure;
	assert_int_equal(rig_run(&r, text, 1, 32), 0);
	assert_int_equal(measured.instrs - none.instrs, instrs);
	pairs = none.instrs - 1;
	assert_true(fabs(measured.mean * (pairs + instrs) - none.mean * pairs - cycles) < 1e-6);
}

#define EMPTY RIG_KERNEL("add.u32 %r1, %r0, 1;\nst.global.u32 [%rd1], %r1;\nret;\n")
#define STEP "add.u32 %r1, %r1, %r0;\n"
#define APART "add.u32 %r1, %r0, 7;\n"

static void a_chain_has_its_latency_and_independent_instructions_one_cycle(void **state)
{
	(void)state;
	check(EMPTY,
		RIG_KERNEL("add.u32 %r1, %r0, 1;\n" STEP STEP STEP STEP
			   "st.global.u32 [%rd1], %r1;\nret;\n"),
		4, 4 * 3);
	check(EMPTY,
		RIG_KERNEL(APART APART APART APART "add.u32 %r1, %r0, 1;\n"
						   "st.global.u32 [%rd1], %r1;\nret;\n"),
		4, 4 * 1);
}

static void results_from_off_the_chip_are_no_part_of_intervals(void **state)
{
	static struct rig r;
	double before;

	(void)state;
	memset(&r, 0, sizeof(r));
	r.prepare = measure;
	assert_int_equal(rig_run(&r, EMPTY, 1, 32), 0);
	before = measured.mean * (measured.instrs - 1);
	memset(&r, 0, sizeof(r));
	r.prepare = measure;
	assert_int_equal(rig_run(&r,
				 RIG_KERNEL("add.u32 %r1, %r0, 1;\nld.global.u32 %r2, [%rd1];\n"
					    "st.global.u32 [%rd1], %r2;\nst.global.u32 "
					    "[%rd1+4], %r1;\nret;\n"),
				 1, 32),
		0);
	/* the store waits for neither: a cycle each, and the addition's wait is over */
	assert_true(measured.mean * (measured.instrs - 1) <= before + 2);
	assert_int_equal(measured.off_chip, 3);
	assert_int_equal(measured.spills, 0);
}

static void the_intensity_counts_what_is_read_as_memory(void **state)
{
	const struct intervals i = {.instrs = 110, .off_chip = 10, .spills = 0, .mean = 4};

	(void)state;
	assert_true(fabs(intervals_intensity(&i, false) - 40) < 1e-9);
	assert_true(isinf(intervals_intensity(&i, true)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_chain_has_its_latency_and_independent_instructions_one_cycle),
		cmocka_unit_test(results_from_off_the_chip_are_no_part_of_intervals),
		cmocka_unit_test(the_intensity_counts_what_is_read_as_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
