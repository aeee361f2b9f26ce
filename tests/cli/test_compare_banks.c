/* warpbeam compare on chips whose DRAM has banks: the rungs below the banks have bandwidth servers,
 * and are as far from memory as the chip. */
#include "tests/rig/support_cli.h"

#include <math.h>
#include <string.h>

#include "core/base.h"
#include "core/text.h"

static json_t *rung(json_t *j, const char *name)
{
	json_t *target = json_array_get(json_object_get(j, "targets"), 0);
	json_t *ladder = json_object_get(target, "ladder"), *r;
	size_t i;

	json_array_foreach(ladder, i, r) if (!strcmp(json_text(r, "rung"), name)) return r;
	return NULL;
}

static double cycles(json_t *j, const char *name)
{
	json_t *v = json_object_get(rung(j, name), "cycles");

	assert_true(json_is_number(v));
	return json_number_value(v);
}

static json_t *run_of(json_t *j, const char *name)
{
	json_t *target = json_array_get(json_object_get(j, "targets"), 0);

	return json_object_get(json_object_get(target, "runs"), name);
}

static void banks_are_the_last_rung_of_a_chip_that_has_them(void **state)
{
	json_t *j;

	assert_int_equal(desk_run(*state, "compare vectoradd --chip gtx480 --set vectoradd.n=1000 "
					  "--jobs 1 --json %F/j"),
		0);
	assert_says(*state, "out", "+ DRAM banks: the chip");
	j = desk_json(*state, "j");
	assert_string_equal(json_text(rung(j, "l2"), "run"), "servers");
	assert_string_equal(json_text(rung(j, "banks"), "run"), "chip");
	assert_string_equal(json_text(rung(j, "banks"), "from"), "l2");
	assert_string_equal(json_text(rung(j, "l1_kept"), "from"), "banks");
	assert_true(cycles(j, "banks") > cycles(j, "l2"));
	assert_true(json_is_null(json_object_get(rung(j, "bursts_32"), "cycles")));
	assert_null(run_of(j, "banks"));
	json_decref(j);
}

/* `run` with its settings. Those of a network that a rung replaces have no meaning for `run`. */
static void a_rung_below_the_banks_is_what_its_settings_give(void **state)
{
	static const char *const names[] = {"network", "servers"};
	struct text command = {0};
	json_t *j, *v;
	const char *path;

	assert_int_equal(
		desk_run(*state, "compare vectoradd --chip v100 --set vectoradd.n=1000 --jobs 1 "
				 "--quiet --json %F/j"),
		0);
	j = desk_json(*state, "j");
	for (unsigned i = 0; i < ARRAY_LEN(names); i++) {
		json_t *settings = json_object_get(run_of(j, names[i]), "settings"), *hand;

		assert_string_equal(json_text(settings, "chip.dram"), "bandwidth");
		text_raw(&command, "run vectoradd --chip v100 --set vectoradd.n=1000 --quiet "
				   "--json %%F/hand");
		json_object_foreach(settings, path, v) if (json_is_string(v))
			text_raw(&command, " --set %s=%s", path, json_string_value(v));
		else text_raw(&command, " --set %s=%.15g", path, json_number_value(v));
		assert_int_equal(desk_run(*state, text_str(&command)), 0);
		text_clear(&command);
		hand = desk_json(*state, "hand");
		assert_true(json_equal(json_object_get(hand, "metrics"),
			json_object_get(run_of(j, names[i]), "metrics")));
		json_decref(hand);
	}
	json_decref(j);
}

/* A V100's slices are 0 to 73 cycles farther than the nearest, by a ring: an SM of its own slice
 * has the mean. 128 loads of all slices, one after the other. */
static void a_lone_sm_is_as_far_from_memory_as_all_are_in_the_mean(void **state)
{
	json_t *j;

	assert_int_equal(
		desk_run(*state, "compare bandwidth --chip v100 --set bandwidth.kernel=chase "
				 "--set bandwidth.ctas=1 --set bandwidth.threads=1 "
				 "--set bandwidth.cta_stride=1048576 --set bandwidth.step=2048 "
				 "--set bandwidth.groups=8 --jobs 1 --quiet --json %F/j"),
		0);
	j = desk_json(*state, "j");
	assert_true(fabs(cycles(j, "one_sm") / cycles(j, "shared_channels") - 1) < 0.01);
	assert_true(cycles(j, "banks") > 1.05 * cycles(j, "l2"));
	json_decref(j);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(banks_are_the_last_rung_of_a_chip_that_has_them,
			desk_set_up, desk_tear_down),
		cmocka_unit_test_setup_teardown(a_rung_below_the_banks_is_what_its_settings_give,
			desk_set_up, desk_tear_down),
		cmocka_unit_test_setup_teardown(
			a_lone_sm_is_as_far_from_memory_as_all_are_in_the_mean, desk_set_up,
			desk_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
