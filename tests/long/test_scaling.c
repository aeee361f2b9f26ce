/* reproduce weak and sensitivity: what they have in common with figure 9 is the same, and copies on
 * all SMs are neither one SM's run nor one problem for all. */
#include "core/base.h"
#include "tests/rig/support_cli.h"

#include <math.h>
#include <string.h>

#define WORKLOADS "pcr needle --set pcr.systems=64 --set needle.n=128 --quiet "

static double figure(json_t *report, const char *text, const char *key)
{
	json_t *row;
	size_t i;

	json_array_foreach(json_object_get(report, "rows"), i,
		row) if (!strcmp(json_text(row, "text"),
				 text)) return json_number_value(json_object_get(row, key));
	fail_msg("no row '%s'", text);
	return NAN;
}

static void the_chips_gain_is_that_of_figure_9(void **state)
{
	const struct desk *d = *state;
	json_t *fig9, *weak, *sensitivity;
	double chip, alone, each;

	assert_int_equal(desk_run(d, "reproduce fig9 " WORKLOADS "--json %F/fig9"), 0);
	assert_int_equal(desk_run(d, "reproduce weak " WORKLOADS "--json %F/weak"), 0);
	assert_int_equal(desk_run(d, "reproduce sensitivity " WORKLOADS "--json %F/s"), 0);
	fig9 = desk_json(d, "fig9");
	weak = desk_json(d, "weak");
	sensitivity = desk_json(d, "s");
	chip = figure(fig9, "needle: speed", "chip");
	alone = figure(weak, "needle: one SM, its L1 emptied by launches", "ours");
	each = figure(weak, "needle: weak: the problem on each SM", "ours");
	assert_true(figure(weak, "needle: strong: one problem on the chip", "ours") == chip);
	assert_true(figure(sensitivity, "the preset: needle", "ours") == chip);
	assert_true(figure(sensitivity, "8 SMs, 64 B/ns: needle", "ours") != chip);
	assert_true(each != chip && each != alone);
	json_decref(fig9);
	json_decref(weak);
	json_decref(sensitivity);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			the_chips_gain_is_that_of_figure_9, desk_set_up, desk_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
