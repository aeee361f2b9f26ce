/* Sampled runs: which launches are timed, and whether the intervals have the complete run's
 * figures. */
#include "tests/rig/support_cli.h"

#include <stdio.h>
#include <string.h>

#include "core/base.h"
#include "core/mem.h"

/* A kernel that adds 1 to `n` words, launched 60 times; every third launch has twice the CTAs. */
static int set_up(void **state)
{
	static const char ptx[] =
		".version 6.0\n.target sm_50\n.address_size 32\n"
		".visible .entry step(.param .u32 a)\n{\n.reg .b32 %i, %c, %n, %v;\n"
		"ld.param.u32 %v, [a];\nmov.u32 %i, %tid.x;\nmov.u32 %c, %ctaid.x;\n"
		"mov.u32 %n, %ntid.x;\nmad.lo.u32 %i, %c, %n, %i;\nmad.lo.u32 %c, %i, 4, %v;\n"
		"ld.global.u32 %v, [%c];\nadd.u32 %v, %v, 1;\nst.global.u32 [%c], %v;\nret;\n}\n";
	const struct desk *d;
	char path[600];
	FILE *f;

	desk_set_up(state);
	d = *state;
	snprintf(path, sizeof(path), "%s/step.ptx", d->folder);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(ptx, f);
	assert_int_equal(fclose(f), 0);
	snprintf(path, sizeof(path), "%s/s.yaml", d->folder);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs("buffers:\n  a: { type: u32, count: 16384 }\nlaunches:\n", f);
	for (unsigned i = 0; i < 60; i++)
		fprintf(f,
			"  - { module: step.ptx, kernel: step, grid: %u, block: 256, args: [{ buffer: a }] }\n",
			i % 3 ? 32 : 64);
	assert_int_equal(fclose(f), 0);
	snprintf(path, sizeof(path), "%s/many.yaml", d->folder);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs("buffers:\n  a: { type: u32, count: 512000 }\nlaunches:\n"
	      "  - { module: step.ptx, kernel: step, grid: 2000, block: 256, args: [{ buffer: a }] }\n",
		f);
	assert_int_equal(fclose(f), 0);
	return 0;
}

static json_t *sampled_by(const struct desk *d, const char *policy, const char *target)
{
	char command[256];
	json_t *j, *sample;

	snprintf(command, sizeof(command),
		"run --quiet --sample %s --set chip.sms=4 --json %%F/r.json %s", policy, target);
	assert_int_equal(desk_run(d, command), 0);
	j = desk_json(d, "r.json");
	sample = json_incref(json_object_get(j, "sample"));
	json_decref(j);
	assert_non_null(sample);
	return sample;
}

static json_t *sampled(const struct desk *d, const char *target)
{
	return sampled_by(d, "launches", target);
}

static uint64_t number(const json_t *j, const char *key)
{
	return (uint64_t)json_integer_value(json_object_get(j, key));
}

/* Each estimate's interval has the complete run's figure. */
static void expect_truth(const struct desk *d, const char *target, const json_t *sample)
{
	char command[256];
	json_t *whole, *e;
	size_t i;

	snprintf(command, sizeof(command), "run --quiet --set chip.sms=4 --json %%F/whole.json %s",
		target);
	assert_int_equal(desk_run(d, command), 0);
	whole = desk_json(d, "whole.json");
	json_array_foreach(json_object_get(sample, "estimates"), i, e)
	{
		const char *name = json_string_value(json_object_get(e, "name"));
		json_t *m = json_object_get(json_object_get(whole, "metrics"), name);
		double truth = json_number_value(json_object_get(m, "value"));

		assert_true(json_number_value(json_object_get(e, "low")) <= truth);
		assert_true(json_number_value(json_object_get(e, "high")) >= truth);
	}
	json_decref(whole);
}

static void a_kernels_launches_are_estimated_from_some(void **state)
{
	const struct desk *d = *state;
	json_t *s = sampled(d, "%F/s.yaml"), *cycles;
	double value, half;

	assert_int_equal(number(s, "launches"), 60);
	assert_int_equal(number(s, "timed_launches"), 10); /* 5, and 5 at growing distances */
	assert_int_equal(number(s, "unlike_launches"), 0);
	cycles = json_array_get(json_object_get(s, "estimates"), 0);
	value = json_number_value(json_object_get(cycles, "value"));
	half = json_number_value(json_object_get(cycles, "high")) - value;
	assert_true(half > 0 && half < 0.1 * value);
	expect_truth(d, "%F/s.yaml", s);
	json_decref(s);
}

/* The frontier of bfs grows and shrinks; mergesort's launches are few, but alike. */
static void launches_unlike_those_that_count_are_not_estimated(void **state)
{
	const struct desk *d = *state;
	json_t *s = sampled(d, "bfs"), *e;

	assert_true(number(s, "unlike_launches") > 0);
	e = json_array_get(json_object_get(s, "estimates"), 0);
	assert_true(json_is_null(json_object_get(e, "value")));
	assert_false(json_is_true(json_object_get(e, "exact")));
	json_decref(s);
	assert_int_equal(desk_run(d, "run bfs --sample launches --set chip.sms=4"), 0);
	assert_says(d, "out", "launches are unlike any that counts");
	s = sampled(d, "mergesort");
	assert_int_equal(number(s, "unlike_launches"), 0);
	expect_truth(d, "mergesort", s);
	json_decref(s);
}

/* 2000 CTAs, of which the SMs hold 24 at once. */
static void a_launch_is_estimated_from_some_of_its_ctas(void **state)
{
	static const char *const policies[] = {"ctas", "interval", "auto"};
	const struct desk *d = *state;

	for (unsigned i = 0; i < ARRAY_LEN(policies); i++) {
		json_t *s = sampled_by(d, policies[i], "%F/many.yaml"), *cycles;
		double value, half;

		assert_int_equal(number(s, "timed_launches"), 1);
		assert_true(number(s, "skipped_ctas") > 1000);
		cycles = json_array_get(json_object_get(s, "estimates"), 0);
		value = json_number_value(json_object_get(cycles, "value"));
		half = json_number_value(json_object_get(cycles, "high")) - value;
		assert_true(half > 0 && half < 0.1 * value);
		expect_truth(d, "%F/many.yaml", s);
		json_decref(s);
	}
}

/* Each word is 1 more, in time or not; the counts of histogram's atomics are those of its check. */
static void results_are_exact(void **state)
{
	const struct desk *d = *state;
	char *whole, *part;

	assert_int_equal(desk_run(d, "run %F/many.yaml --quiet --set chip.sms=4 --dump a=%F/w"), 0);
	assert_int_equal(desk_run(d, "run %F/many.yaml --quiet --set chip.sms=4 --sample auto "
				     "--dump a=%F/p"),
		0);
	whole = desk_content(d, "w");
	part = desk_content(d, "p");
	assert_string_equal(whole, part);
	mem_free(whole);
	mem_free(part);
	assert_int_equal(desk_run(d, "run histogram --set chip.sms=2 --sample ctas"), 0);
	assert_says(d, "out", "check: passed");
}

static void threads_do_not_change_what_is_skipped(void **state)
{
	const struct desk *d = *state;
	char *one, *three;

	assert_int_equal(desk_run(d, "run %F/many.yaml --quiet --set chip.sms=4 --sample ctas "
				     "--threads 1 --json %F/one"),
		0);
	assert_int_equal(desk_run(d, "run %F/many.yaml --quiet --set chip.sms=4 --sample ctas "
				     "--threads 3 --json %F/three"),
		0);
	one = desk_content(d, "one");
	three = desk_content(d, "three");
	assert_string_equal(one, three);
	mem_free(one);
	mem_free(three);
}

static void few_launches_are_exact(void **state)
{
	const struct desk *d = *state;
	json_t *s = sampled(d, "srad"), *e;
	size_t i;

	assert_int_equal(number(s, "launches"), number(s, "timed_launches"));
	json_array_foreach(json_object_get(s, "estimates"), i, e)
	{
		assert_true(json_is_true(json_object_get(e, "exact")));
	}
	expect_truth(d, "srad", s);
	json_decref(s);
}

static void wrong_uses_are_named(void **state)
{
	const struct desk *d = *state;

	assert_int_equal(desk_run(d, "run bfs --sample cta"), 2);
	assert_says(d, "err",
		"--sample cta: there is no such policy; there are: launches, ctas, interval, auto");
	assert_int_equal(desk_run(d, "run bfs --sample launches --untimed"), 2);
	assert_says(d, "err", "do not go with it");
	assert_int_equal(desk_run(d, "run bfs --sample launches --from-launch 2"), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_kernels_launches_are_estimated_from_some),
		cmocka_unit_test(launches_unlike_those_that_count_are_not_estimated),
		cmocka_unit_test(a_launch_is_estimated_from_some_of_its_ctas),
		cmocka_unit_test(results_are_exact),
		cmocka_unit_test(threads_do_not_change_what_is_skipped),
		cmocka_unit_test(few_launches_are_exact),
		cmocka_unit_test(wrong_uses_are_named),
	};

	return cmocka_run_group_tests(tests, set_up, desk_tear_down);
}
