/* Figures of comparisons, from reports written by hand. */
#include "core/base.h"
#include "runs/figures.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Three launches in 1000 cycles: two overlap from 100 to 400, the third, of which every fourth CTA
 * was timed, runs from 600 to 900. SM 0 leaves the first in 200, has none of the second, and leaves
 * the third in 700. */
#define LAUNCHES \
	"[{\"ctas\": 8, \"timed_ctas\": 8, \"start_cycle\": 100, \"end_cycle\": 300, " \
	"\"sm_end_cycles\": [200, 300], \"warp_instructions\": 10, \"dram_read_bytes\": 100, " \
	"\"dram_write_bytes\": 20, \"flushed_bytes\": 3}, " \
	"{\"ctas\": 40, \"timed_ctas\": 10, \"start_cycle\": 600, \"end_cycle\": 900, " \
	"\"sm_end_cycles\": [700, 900], \"warp_instructions\": 7, \"dram_read_bytes\": 50, " \
	"\"dram_write_bytes\": 10, \"flushed_bytes\": 1}, " \
	"{\"ctas\": 1, \"timed_ctas\": 1, \"start_cycle\": 200, \"end_cycle\": 400, " \
	"\"sm_end_cycles\": [null, 400], \"warp_instructions\": 1, \"dram_read_bytes\": 0, " \
	"\"dram_write_bytes\": 0, \"flushed_bytes\": 0}]"
#define METRICS \
	"\"gpc__cycles_elapsed.max\": {\"value\": 1000}, " \
	"\"sm__cycles_elapsed.avg.per_second\": {\"value\": 500}, " \
	"\"sched__cycles_selected.sum\": {\"value\": 30}, " \
	"\"sched__cycles_idle.sum\": {\"value\": 10}, " \
	"\"lts__t_sector_op_read_hit_rate.pct\": {\"value\": 75}"

static json_t *report_of(const char *l2_bytes)
{
	char text[2048];
	json_t *report;

	snprintf(text, sizeof(text),
		"{\"launches\": " LAUNCHES ", \"metrics\": {" METRICS "}, "
		"\"configuration\": [{\"path\": \"l2.bytes\", \"value\": %s}]}",
		l2_bytes);
	report = json_loads(text, 0, NULL);
	assert_non_null(report);
	for (unsigned i = 0; i < STALLS; i++)
		if (strcmp(stall_defs[i].name, "selected") != 0 &&
			strcmp(stall_defs[i].name, "idle") != 0)
			json_object_set_new(json_object_get(report, "metrics"),
				stall_defs[i].metric, json_pack("{s:i}", "value", 0));
	return report;
}

static void launches_are_scaled_and_their_cycles_counted_once(void **state)
{
	json_t *report = report_of("1024");
	struct outcome o = {0};

	(void)state;
	outcome_read(&o, report, 4);
	assert_true(o.cycle_ns == 2);
	assert_true(o.figure[FIGURE_CYCLES] == 1000);
	assert_true(o.figure[FIGURE_CHIP_CYCLES] == 250);
	assert_true(o.figure[FIGURE_INSTRUCTIONS] == 10 + 4 * 7 + 1);
	assert_true(o.figure[FIGURE_READ] == 100 + 4 * 50);
	assert_true(o.figure[FIGURE_WRITTEN] == 23 + 4 * 11);
	assert_true(o.figure[FIGURE_BYTES] == 300 + 67);
	/* launches ran in 100 .. 400 and 600 .. 900, SM 0 in 100 .. 200 and 600 .. 700 */
	assert_true(o.figure[FIGURE_OWN_CYCLES] == 1000 - (600 - 200));
	json_decref(report);
}

static void stalls_are_shares_of_all_cycles(void **state)
{
	json_t *report = report_of("1024");
	struct outcome o = {0};

	(void)state;
	outcome_read(&o, report, 1);
	for (unsigned i = 0; i < STALLS; i++)
		assert_true(o.stall[i] == (!strcmp(stall_defs[i].name, "selected")      ? 75
						  : !strcmp(stall_defs[i].name, "idle") ? 25
											: 0));
	json_decref(report);
}

static void without_an_l2_there_is_no_hit_rate(void **state)
{
	static const char *const bytes[] = {"0", "1024"};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		json_t *report = report_of(bytes[i]);
		struct outcome o = {0};

		outcome_read(&o, report, 1);
		assert_true(i ? o.figure[FIGURE_L2_HITS] == 75 : isnan(o.figure[FIGURE_L2_HITS]));
		json_decref(report);
	}
}

static void an_error_is_positive_when_ours_is_larger(void **state)
{
	(void)state;
	assert_true(error_pct(150, 100) == 50);
	assert_true(error_pct(50, 100) == -50);
	assert_true(isnan(error_pct(1, 0)));
}

static void means_are_of_the_figures_that_exist(void **state)
{
	const double some[] = {1, NAN, 4, 16}, zero[] = {0, 2};
	struct means m = means_of(some, 4);

	(void)state;
	assert_int_equal(m.n, 3);
	assert_true(m.arithmetic == 7);
	assert_true(fabs(m.geometric - 4) < 1e-12);
	assert_true(fabs(m.harmonic - 3 / (1 + 0.25 + 0.0625)) < 1e-12);
	m = means_of(zero, 2);
	assert_true(m.arithmetic == 1 && isnan(m.geometric) && isnan(m.harmonic));
	assert_int_equal(means_of(some + 1, 1).n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(launches_are_scaled_and_their_cycles_counted_once),
		cmocka_unit_test(stalls_are_shares_of_all_cycles),
		cmocka_unit_test(without_an_l2_there_is_no_hit_rate),
		cmocka_unit_test(an_error_is_positive_when_ours_is_larger),
		cmocka_unit_test(means_are_of_the_figures_that_exist),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
