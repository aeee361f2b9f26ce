/* Sampled runs: which launches are timed, and whether the intervals have the complete run's
 * figures. */
#include "tests/rig/support_cli.h"

#include <stdio.h>
#include <string.h>

#include "core/base.h"
#include "core/mem.h"
#include "core/text.h"

/* Adds 1 to `n` words. */
static const char step_ptx[] =
	".version 6.0\n.target sm_50\n.address_size 32\n"
	".visible .entry step(.param .u32 a)\n{\n.reg .b32 %i, %c, %n, %v;\n"
	"ld.param.u32 %v, [a];\nmov.u32 %i, %tid.x;\nmov.u32 %c, %ctaid.x;\n"
	"mov.u32 %n, %ntid.x;\nmad.lo.u32 %i, %c, %n, %i;\nmad.lo.u32 %c, %i, 4, %v;\n"
	"ld.global.u32 %v, [%c];\nadd.u32 %v, %v, 1;\nst.global.u32 [%c], %v;\nret;\n}\n";

/* Long CTAs of 128 threads, whose neighbours exchange values through shared memory; lanes diverge,
 * one warp of odd CTAs exits at once. */
static const char mix_ptx[] =
	".version 6.0\n.target sm_50\n.address_size 32\n"
	".visible .entry mix(.param .u32 a, .param .u32 b, .param .u32 n)\n{\n"
	".reg .b32 %a, %b, %n, %t, %c, %o, %v, %i, %s, %m, %w, %x;\n.reg .pred %p;\n"
	".shared .align 4 .b8 s[512];\n"
	"ld.param.u32 %a, [a];\nld.param.u32 %b, [b];\nld.param.u32 %n, [n];\n"
	"mov.u32 %t, %tid.x;\nmov.u32 %c, %ctaid.x;\nmad.lo.u32 %v, %c, 128, %t;\n"
	"mad.lo.u32 %a, %v, 4, %a;\nand.b32 %x, %c, 1;\nmad.lo.u32 %x, %x, 32, %t;\n"
	"setp.ge.u32 %p, %x, 128;\n@%p bra END;\nmov.u32 %w, s;\n"
	"mad.lo.u32 %s, %t, 4, %w;\nxor.b32 %m, %t, 1;\nmad.lo.u32 %m, %m, 4, %w;\n"
	"mov.u32 %i, 0;\nLOOP:\nst.shared.u32 [%s], %v;\nbar.sync 0;\n"
	"ld.shared.u32 %w, [%m];\nbar.sync 0;\nmad.lo.u32 %v, %w, 1664525, %v;\n"
	"add.u32 %v, %v, 1013904223;\nshr.u32 %x, %v, 16;\nand.b32 %x, %x, 3;\n"
	"setp.eq.u32 %p, %x, 0;\n@%p bra SKIP;\nmad.lo.u32 %v, %v, 3, %x;\nSKIP:\n"
	"shr.u32 %o, %v, 12;\nand.b32 %o, %o, 0xffc;\nadd.u32 %o, %o, %b;\n"
	"ld.global.u32 %x, [%o];\nadd.u32 %v, %v, %x;\nadd.u32 %i, %i, 1;\n"
	"setp.lt.u32 %p, %i, %n;\n@%p bra LOOP;\nst.global.u32 [%a], %v;\nEND:\nret;\n}\n";

/* A chain of dependent operations. */
static const char chain_ptx[] =
	".version 6.0\n.target sm_50\n.address_size 32\n"
	".visible .entry chain(.param .u32 a, .param .u32 n)\n{\n"
	".reg .b32 %a, %n, %v, %i;\n.reg .pred %p;\n"
	"ld.param.u32 %a, [a];\nld.param.u32 %n, [n];\nmov.u32 %v, %tid.x;\nmov.u32 %i, 0;\n"
	"LOOP:\nmad.lo.u32 %v, %v, 3, 1;\nmad.lo.u32 %v, %v, 3, 1;\nmad.lo.u32 %v, %v, 3, 1;\n"
	"mad.lo.u32 %v, %v, 3, 1;\nmad.lo.u32 %v, %v, 3, 1;\nmad.lo.u32 %v, %v, 3, 1;\n"
	"add.u32 %i, %i, 1;\nsetp.lt.u32 %p, %i, %n;\n@%p bra LOOP;\n"
	"st.global.u32 [%a], %v;\nret;\n}\n";

/* Stores when it runs. */
static const char when_ptx[] =
	".version 6.0\n.target sm_50\n.address_size 32\n"
	".visible .entry when(.param .u32 a)\n{\n.reg .b32 %a, %t;\n"
	"ld.param.u32 %a, [a];\nmov.u32 %t, %clock;\nst.global.u32 [%a], %t;\nret;\n}\n";

static void write_text(const struct desk *d, const char *name, const char *text)
{
	char path[600];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", d->folder, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

/* Launches of step: 60, of which every third has twice the CTAs; one of many CTAs. Of mix: one
 * whose 30 CTAs the SMs hold at once, the same four times, and one of 80. Of chain: one of 3. */
static int set_up(void **state)
{
	const struct desk *d;
	struct text t = {0};

	desk_set_up(state);
	d = *state;
	write_text(d, "step.ptx", step_ptx);
	write_text(d, "mix.ptx", mix_ptx);
	text_add(&t, "buffers:\n  a: { type: u32, count: 16384 }\nlaunches:\n");
	for (unsigned i = 0; i < 60; i++)
		text_add(&t,
			"  - { module: step.ptx, kernel: step, grid: %u, block: 256, args: [{ buffer: a }] }\n",
			i % 3 ? 32 : 64);
	write_text(d, "s.yaml", text_str(&t));
	text_clear(&t);
	text_add(&t, "buffers:\n  a: { type: u32, count: 10240 }\n  b: { type: u32, count: 1024 }\n"
		     "launches:\n");
	for (unsigned i = 0; i < 4; i++)
		text_add(&t, "  - { module: mix.ptx, kernel: mix, grid: 30, block: 128, "
			     "args: [{ buffer: a }, { buffer: b }, 100] }\n");
	write_text(d, "four.yaml", text_str(&t));
	text_clear(&t);
	write_text(d, "chain.ptx", chain_ptx);
	write_text(d, "chain.yaml",
		"buffers:\n  a: { type: u32, count: 1 }\nlaunches:\n"
		"  - { module: chain.ptx, kernel: chain, grid: 3, block: 128, args: [{ buffer: a }, "
		"1500] }\n");
	write_text(d, "when.ptx", when_ptx);
	text_add(&t, "buffers:\n  a: { type: u32, count: 12 }\nlaunches:\n");
	for (unsigned i = 0; i < 12; i++)
		text_add(&t,
			"  - { module: when.ptx, kernel: when, grid: 1, block: 32, args: [{ buffer: a, offset: %u }] }\n",
			4 * i);
	write_text(d, "when.yaml", text_str(&t));
	text_clear(&t);
	write_text(d, "many.yaml",
		"buffers:\n  a: { type: u32, count: 1024000 }\nlaunches:\n"
		"  - { module: step.ptx, kernel: step, grid: 2000, block: 256, args: [{ buffer: a }] }\n");
	write_text(d, "long.yaml",
		"buffers:\n  a: { type: u32, count: 10240 }\n  b: { type: u32, count: 1024 }\n"
		"launches:\n  - { module: mix.ptx, kernel: mix, grid: 30, block: 128, "
		"args: [{ buffer: a }, { buffer: b }, 100] }\n");
	write_text(d, "longer.yaml",
		"buffers:\n  a: { type: u32, count: 10240 }\n  b: { type: u32, count: 1024 }\n"
		"launches:\n  - { module: mix.ptx, kernel: mix, grid: 80, block: 128, "
		"args: [{ buffer: a }, { buffer: b }, 40] }\n");
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

static double speedup(const json_t *sample)
{
	return json_number_value(json_object_get(sample, "host_instructions_speedup"));
}

/* The intervals of these first estimates have the complete run's figures. */
static void expect_first(
	const struct desk *d, const char *target, const json_t *sample, size_t figures)
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

		if (i >= figures)
			break;
		assert_true(json_number_value(json_object_get(e, "low")) <= truth);
		assert_true(json_number_value(json_object_get(e, "high")) >= truth);
	}
	json_decref(whole);
}

static void expect_truth(const struct desk *d, const char *target, const json_t *sample)
{
	expect_first(d, target, sample, SIZE_MAX);
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
	assert_true(json_is_null(json_object_get(s, "host_instructions_speedup")));
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

/* Resident warps are executed further; where CTAs are left, those take the slots of others. Loads
 * in flight hit what later stores have written: hits in the L2 are not looked at. */
static void a_launch_of_few_long_ctas_is_estimated_from_windows_within_them(void **state)
{
	static const char *const targets[] = {"%F/long.yaml", "%F/longer.yaml", "%F/many.yaml"};
	const struct desk *d = *state;

	for (unsigned i = 0; i < ARRAY_LEN(targets); i++) {
		json_t *s = sampled_by(d, "within", targets[i]), *cycles;
		double value, half;

		assert_true(speedup(s) > 1);
		assert_true(4 * number(s, "timed_warp_instructions") <
			    3 * number(s, "warp_instructions"));
		assert_int_equal(number(s, "skipped_ctas") > 0, i > 0);
		cycles = json_array_get(json_object_get(s, "estimates"), 0);
		value = json_number_value(json_object_get(cycles, "value"));
		half = json_number_value(json_object_get(cycles, "high")) - value;
		assert_true(half > 0 && half < 0.15 * value);
		expect_first(d, targets[i], s, 3);
		json_decref(s);
	}
}

/* Also behind the cycle up to which one without instructions would be given up. */
static void a_late_launch_has_windows(void **state)
{
	const struct desk *d = *state;
	json_t *j, *last;

	assert_int_equal(desk_run(d, "run --quiet --sample within --set chip.sms=4 "
				     "--json %F/r.json %F/four.yaml"),
		0);
	j = desk_json(d, "r.json");
	last = json_array_get(json_object_get(j, "launches"), 3);
	assert_true(number(last, "start_cycle") > 100000);
	assert_true(number(last, "untimed_warp_instructions") > 0);
	json_decref(j);
}

/* 67,000 cycles are more than 10,000, and fewer than 100,000. */
static void a_launch_is_timed_until_it_is_settled(void **state)
{
	const struct desk *d = *state;
	json_t *s = sampled_by(d, "within,settled=100000", "%F/long.yaml");
	json_t *early = sampled_by(d, "auto,settled=5000", "%F/long.yaml");

	assert_int_equal(number(s, "timed_warp_instructions"), number(s, "warp_instructions"));
	assert_true(4 * number(early, "timed_warp_instructions") <
		    3 * number(early, "warp_instructions"));
	json_decref(s);
	json_decref(early);
}

/* The estimate is within `most` of the complete run's cycles. */
static void expect_near(
	const struct desk *d, const char *policy, const char *target, const char *sms, double most)
{
	char command[256];
	json_t *s, *j, *m;
	double value, truth;

	snprintf(command, sizeof(command), "%s --set chip.sms=%s", target, sms);
	s = sampled_by(d, policy, command);
	snprintf(command, sizeof(command), "run --quiet --set chip.sms=%s --json %%F/w.json %s",
		sms, target);
	assert_int_equal(desk_run(d, command), 0);
	j = desk_json(d, "w.json");
	m = json_object_get(json_object_get(j, "metrics"), "gpc__cycles_elapsed.max");
	truth = json_number_value(json_object_get(m, "value"));
	m = json_array_get(json_object_get(s, "estimates"), 0);
	value = json_number_value(json_object_get(m, "value"));
	assert_true(2 * number(s, "timed_warp_instructions") < number(s, "warp_instructions"));
	assert_true(value > (1 - most) * truth && value < (1 + most) * truth);
	json_decref(s);
	json_decref(j);
}

/* Of 12 warps 8 are active until they exit; the other four then run at half the rate, and are no
 * further in the sampled run. */
static void warps_outside_the_active_set_stay_behind(void **state)
{
	expect_near(*state, "within", "%F/chain.yaml", "1", 0.05);
}

/* One that has been ahead for a window meets what the others then find in the L2. */
static void sms_keep_as_near_as_they_are_in_time(void **state)
{
	expect_near(*state, "within,settled=2000", "dgemm", "4", 0.05);
}

/* Buffer `a` has the complete run's bytes. */
static void expect_results(const struct desk *d, const char *policy, const char *target)
{
	char command[256];
	char *whole, *part;
	size_t n, m;

	snprintf(
		command, sizeof(command), "run %s --quiet --set chip.sms=4 --dump a=%%F/w", target);
	assert_int_equal(desk_run(d, command), 0);
	snprintf(command, sizeof(command),
		"run %s --quiet --set chip.sms=4 --sample %s --dump a=%%F/p", target, policy);
	assert_int_equal(desk_run(d, command), 0);
	whole = desk_bytes(d, "w", &n);
	part = desk_bytes(d, "p", &m);
	assert_int_equal(n, m);
	assert_memory_equal(whole, part, n);
	mem_free(whole);
	mem_free(part);
}

/* Each word is 1 more, in time or not; the counts of histogram's atomics are those of its check. */
static void results_are_exact(void **state)
{
	const struct desk *d = *state;

	expect_results(d, "auto", "%F/many.yaml");
	expect_results(d, "within", "%F/long.yaml");
	expect_results(d, "within", "%F/longer.yaml");
	assert_int_equal(desk_run(d, "run histogram --set chip.sms=2 --sample ctas"), 0);
	assert_says(d, "out", "check: passed");
	assert_int_equal(desk_run(d, "run histogram --set chip.sms=2 --sample within"), 0);
	assert_says(d, "out", "check: passed");
}

static void threads_do_not_change_what_is_skipped(void **state)
{
	static const char *const targets[] = {
		"%F/many.yaml --sample ctas", "%F/longer.yaml --sample within"};
	const struct desk *d = *state;
	char command[256];
	char *one, *three;

	for (unsigned i = 0; i < ARRAY_LEN(targets); i++) {
		for (unsigned threads = 1; threads <= 3; threads += 2) {
			snprintf(command, sizeof(command),
				"run %s --quiet --set chip.sms=4 --threads %u --json %%F/%u",
				targets[i], threads, threads);
			assert_int_equal(desk_run(d, command), 0);
		}
		one = desk_content(d, "1");
		three = desk_content(d, "3");
		assert_string_equal(one, three);
		mem_free(one);
		mem_free(three);
	}
}

static void few_launches_are_exact(void **state)
{
	const struct desk *d = *state;
	json_t *s = sampled(d, "srad"), *e;
	size_t i;

	assert_int_equal(number(s, "launches"), number(s, "timed_launches"));
	assert_true(speedup(s) == 1);
	json_array_foreach(json_object_get(s, "estimates"), i, e)
	{
		assert_true(json_is_true(json_object_get(e, "exact")));
	}
	expect_truth(d, "srad", s);
	json_decref(s);
}

/* The check of pointerchase is about what its threads read. Of 12 launches that store the time,
 * others than the first five would be executed only. */
static void launches_that_read_the_clock_run_in_time(void **state)
{
	const struct desk *d = *state;
	json_t *s = sampled_by(d, "auto,settled=100", "pointerchase");

	assert_int_equal(number(s, "timed_warp_instructions"), number(s, "warp_instructions"));
	json_decref(s);
	s = sampled(d, "%F/when.yaml");
	assert_int_equal(number(s, "timed_launches"), 12);
	json_decref(s);
	expect_results(d, "launches", "%F/when.yaml");
}

static void wrong_uses_are_named(void **state)
{
	static const char *const wrong[] = {"within,", "within,settled=0", "within,settled=5k",
		"within,settle=5", "ctas,settled=5", "within,settled=99999999999999999999"};
	const struct desk *d = *state;

	assert_int_equal(desk_run(d, "run bfs --sample cta"), 2);
	assert_says(d, "err",
		"--sample cta: there is no such policy; there are: launches, ctas, interval, "
		"spread, within, auto");
	for (unsigned i = 0; i < ARRAY_LEN(wrong); i++) {
		char command[64];

		snprintf(command, sizeof(command), "run bfs --sample %s", wrong[i]);
		assert_int_equal(desk_run(d, command), 2);
		assert_says(d, "err",
			"behind the comma follows settled=CYCLES, at least 1, of spread, within, "
			"auto");
	}
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
		cmocka_unit_test(a_launch_of_few_long_ctas_is_estimated_from_windows_within_them),
		cmocka_unit_test(a_late_launch_has_windows),
		cmocka_unit_test(a_launch_is_timed_until_it_is_settled),
		cmocka_unit_test(warps_outside_the_active_set_stay_behind),
		cmocka_unit_test(sms_keep_as_near_as_they_are_in_time),
		cmocka_unit_test(results_are_exact),
		cmocka_unit_test(threads_do_not_change_what_is_skipped),
		cmocka_unit_test(few_launches_are_exact),
		cmocka_unit_test(launches_that_read_the_clock_run_in_time),
		cmocka_unit_test(wrong_uses_are_named),
	};

	return cmocka_run_group_tests(tests, set_up, desk_tear_down);
}
