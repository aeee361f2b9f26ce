/* Levels of concurrency as a user runs them: what tune lists is what run does, and levels, slots
 * and options that cannot be are refused. */
#include "tests/rig/support_cli.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/mem.h"

#define PARTICLES "particles --chip gtx680 --set particles.n=256 --set chip.sms=1"

static double field(const json_t *candidate, const char *name)
{
	return json_number_value(json_object_get(candidate, name));
}

static json_int_t cycles_at(const struct desk *d, const char *level)
{
	char line[256];
	json_int_t n;
	json_t *j;

	snprintf(line, sizeof(line), "run " PARTICLES " --concurrency %s --json %%F/run", level);
	assert_int_equal(desk_run(d, line), 0);
	assert_says(d, "out", "check: passed");
	j = desk_json(d, "run");
	n = json_metric(j, "gpc__cycles_elapsed.max");
	json_decref(j);
	return n;
}

/* Other instructions by those that the rule's reading of memory counts, times the interval. */
static void check_intensity(const json_t *c, const char *counted)
{
	double memory = field(c, counted), want = field(c, "instructions") - memory;

	if (memory > 0)
		assert_true(fabs(field(c, "intensity") - want * field(c, "interval") / memory) <
			    1e-6 * field(c, "intensity"));
	else
		assert_true(json_is_null(json_object_get(c, "intensity")));
}

static void memory_is_read_as_asked(void **state)
{
	json_t *j, *c;
	size_t i;

	assert_int_equal(
		desk_run(*state, "tune " PARTICLES " --concurrency --mem spills --json %F/tune"),
		0);
	j = desk_json(*state, "tune");
	json_array_foreach(json_object_get(j, "candidates"), i, c)
		check_intensity(c, "instructions_spills");
	json_decref(j);
}

static void what_tune_lists_is_what_run_does(void **state)
{
	json_t *j, *list, *c;
	size_t i;

	assert_int_equal(desk_run(*state, "tune " PARTICLES " --concurrency --json %F/tune"), 0);
	j = desk_json(*state, "tune");
	list = json_object_get(j, "candidates");
	assert_int_equal(json_array_size(list), 4);
	json_array_foreach(list, i, c)
	{
		assert_string_equal(json_text(c, "kernel"), "particles_collide");
		assert_true(field(c, "cycles") == (double)cycles_at(*state, json_text(c, "value")));
		if (json_is_true(json_object_get(c, "automatic")))
			assert_true(field(c, "cycles") == (double)cycles_at(*state, "auto"));
		assert_true(field(c, "instruction_ratio") >= 1);
		check_intensity(c, "instructions_off_chip");
		/* misses of local loads: where there are such loads */
		assert_true(field(c, "local_spills") > 0 || field(c, "local_miss_pct") == 0);
	}
	assert_true(field(json_array_get(list, 0), "local_miss_pct") > 0);
	assert_true(field(json_array_get(list, 3), "instruction_ratio") == 1);
	json_decref(j);
}

/* The level holds on the chip and on the shortcuts; the second configuration has its own. */
static void compare_runs_at_the_level(void **state)
{
	json_t *j, *one, *figures, *setting;
	bool found = false;
	size_t i;

	assert_int_equal(
		desk_run(*state, "compare " PARTICLES
				 " --concurrency auto --against sm.warps=48 --json %F/two"),
		0);
	assert_says(*state, "out", "chip gtx680, concurrency auto");
	j = desk_json(*state, "two");
	one = json_array_get(json_object_get(j, "targets"), 0);
	figures = json_object_get(json_object_get(json_object_get(one, "runs"), "chip"), "figures");
	assert_true(field(json_object_get(figures, "cycles"), "value") ==
		    (double)cycles_at(*state, "auto"));
	json_array_foreach(json_object_get(one, "configuration"), i, setting)
	{
		found |= !strcmp(json_text(setting, "path"), "gpu.kernels") &&
			 !strcmp(json_text(setting, "origin"), "--concurrency");
	}
	assert_true(found);
	json_decref(j);
}

/* With a register file of 96 KB two kernels spill; a level of one leaves the other unchanged. */
static void every_kernel_that_spills_has_its_levels(void **state)
{
	json_t *j, *list, *c;
	unsigned kernels = 0;
	size_t i;

	assert_int_equal(
		desk_run(*state,
			"tune particles --chip c2075 --set particles.n=256 --set "
			"chip.sms=1 --set storage.fermi.register_bytes=96K --concurrency --json %F/tune"),
		0);
	j = desk_json(*state, "tune");
	list = json_object_get(j, "candidates");
	json_array_foreach(list, i, c)
	{
		const char *name = json_text(c, "kernel"), *setting = json_text(c, "setting");

		if (!strcmp(setting, "gpu.spill=local"))
			continue;
		assert_non_null(name);
		assert_true(strstr(setting, name) == setting + strlen("gpu.kernels="));
		kernels += i && strcmp(name, json_text(json_array_get(list, i - 1), "kernel"));
	}
	assert_true(kernels > 0);
	json_decref(j);
}

static void figure_3_is_a_table(void **state)
{
	assert_int_equal(desk_run(*state, "reproduce hay-fig3"), 0);
	assert_says(*state, "out", "traditional stack                           12.00     12.00");
	assert_says(*state, "out", "moves before the calls: 1, 1");
	assert_says(*state, "out", "within the band, one SM: 4 of 4");
}

static void slots_leave_no_cta(void **state)
{
	assert_int_equal(desk_run(*state, "run %S/dynamic_slots.yaml --regs 16 --slots 4"), 0);
	assert_int_equal(desk_run(*state, "run %S/dynamic_slots.yaml --regs 16 --slots 8"), 5);
	assert_says(*state, "err", "it has 64000 bytes of its own, and 2048 are 8 spill slots");
	assert_int_equal(
		desk_run(*state, "run %S/dynamic_slots.yaml --set gpu.kernels=dynamic_slots:16+16"),
		5);
	assert_says(*state, "err", "it has 64000 bytes of its own, and 2816 are 11 spill slots");
	assert_int_equal(desk_run(*state, "tune %S/dynamic_slots.yaml --regs 16 --slots 8"), 5);
	assert_says(*state, "err",
		"dynamic_slots.yaml: kernel 'dynamic_slots': a CTA can never fit: a CTA needs "
		"66048 bytes of shared memory; storage.partitioned.shared_bytes is 65536; it has "
		"64000 bytes of its own, and 2048 are 8 spill slots per thread");
	assert_int_equal(desk_run(*state, "run %S/dynamic_slots.yaml --concurrency auto --set "
					  "storage.partitioned.shared_bytes=32K"),
		5);
	assert_says(*state, "err", "needs 64000 bytes of shared memory");
}

static void wrong_levels_are_reported(void **state)
{
	static const struct {
		const char *line, *says;
		int code;
	} wrong[] = {
		{"run " PARTICLES " --concurrency 1000",
			"--concurrency 1000: no kernel has such a level. Threads of an SM: "
			"particles_collide has 1024, 1280, 1536, 2048",
			2},
		{"run " PARTICLES " --concurrency particles_hash:1536", "no kernel has such a", 2},
		{"profile " PARTICLES " --concurrency most", "--concurrency most: no kernel has",
			2},
		{"compare " PARTICLES " --concurrency 1000", "particles_collide has 1024, 1280", 2},
		{"compare particles cfd --together --concurrency auto",
			"--concurrency does not go with --together", 2},
		{"run " PARTICLES " --concurrency auto --slots 4", "--concurrency and --slots", 2},
		{"run " PARTICLES " --slots 8 --set gpu.spill_slots=4",
			"--slots 8 and --set gpu.spill_slots=4 contradict each other", 2},
		{"run " PARTICLES " --slots 8 --set gpu.spill=local",
			"--slots 8 and --set gpu.spill=local contradict each other", 2},
		{"explain particles --regs 40 --set gpu.max_regs=32",
			"--regs 40 and --set gpu.max_regs=32 contradict each other", 2},
		{"tune " PARTICLES " --concurrency --regs 40", "--concurrency and --regs", 2},
		{"run " PARTICLES " --concurrency auto --set gpu.spill=shared",
			"--concurrency and gpu.spill", 2},
		{"run " PARTICLES " --set gpu.kernels=particles_collid:40+8",
			"no module has a kernel 'particles_collid'; did you mean "
			"'particles_collide'?",
			3},
		{"run " PARTICLES " --set gpu.kernels=particles_collide:15", "16 .. 255 registers",
			3},
		{"run " PARTICLES " --set gpu.kernels=particles_collide:40+256", "1 .. 255 slots",
			3},
		{"run " PARTICLES " --set gpu.kernels=a:20,a:30", "'a' has two limits", 3},
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		if (desk_run(*state, wrong[i].line) != wrong[i].code)
			fail_msg("%s: not %d", wrong[i].line, wrong[i].code);
		assert_says(*state, "err", wrong[i].says);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, desk_set_up, desk_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_tune_lists_is_what_run_does),
		TEST(memory_is_read_as_asked),
		TEST(compare_runs_at_the_level),
		TEST(every_kernel_that_spills_has_its_levels),
		TEST(figure_3_is_a_table),
		TEST(slots_leave_no_cta),
		TEST(wrong_levels_are_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
