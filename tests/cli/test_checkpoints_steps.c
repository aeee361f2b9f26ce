/* Checkpoints of runs whose host acts while the chip is not at rest: scenarios with steps, and
 * recordings of CUDA programs. */
#include <stdio.h>
#include <string.h>

#include "core/base.h"
#include "core/mem.h"
#include "tests/rig/support_cuda.h"

static void assert_same_files(const struct desk *d, const char *a, const char *b)
{
	size_t n, m;
	char *one = desk_bytes(d, a, &n), *other = desk_bytes(d, b, &m);

	assert_int_equal(n, m);
	assert_memory_equal(one, other, n);
	mem_free(one);
	mem_free(other);
}

static int run_to(const struct desk *d, const char *target, const char *name, const char *more)
{
	char command[512];

	snprintf(command, sizeof(command), "run %s --quiet --json %%F/%s.json %s", target, name,
		more);
	return desk_run(d, command);
}

/* A run, one that leaves its last checkpoint where a multiple of `every` is, and one that goes on
 * from it. */
static void goes_on(const struct desk *d, const char *target, unsigned every)
{
	char more[256];

	assert_int_equal(run_to(d, target, "whole", ""), 0);
	snprintf(more, sizeof(more), "--checkpoint %%F/c --checkpoint-every %u", every);
	assert_int_equal(run_to(d, target, "wrote", more), 0);
	assert_int_equal(run_to(d, target, "again", "--resume %F/c --threads 2"), 0);
	assert_same_files(d, "whole.json", "wrote.json");
	assert_same_files(d, "whole.json", "again.json");
}

/* Of the last such run. */
static void has_the_dump(const struct desk *d, const char *target, const char *buffer)
{
	char more[256];

	snprintf(more, sizeof(more), "--dump '%s=%%F/whole.dump'", buffer);
	assert_int_equal(run_to(d, target, "whole", more), 0);
	snprintf(more, sizeof(more), "--resume %%F/c --dump '%s=%%F/again.dump'", buffer);
	assert_int_equal(run_to(d, target, "again", more), 0);
	assert_same_files(d, "whole.dump", "again.dump");
}

static void a_scenarios_steps_are_repeated(void **state)
{
	static const unsigned every[] = {100, 300, 500, 700, 900};

	for (size_t i = 0; i < ARRAY_LEN(every); i++)
		goes_on(*state, "%S/steps.yaml --set chip.sms=2", every[i]);
	has_the_dump(*state, "%S/steps.yaml --set chip.sms=2", "out");
}

#ifdef HAVE_CUDA

static void recorded(const struct desk *d, const char *act)
{
	char command[256];

	snprintf(command, sizeof(command),
		"run --quiet --set chip.sms=2 --record %%F/%s -- %%F/app %s", act, act);
	assert_int_equal(desk_run(d, command), 0);
}

static void a_recording_goes_on(void **state)
{
	const struct desk *d = *state;

	cuda_put_fatbin(d, cuda_ptx, PACK_PLAIN);
	cuda_build(d, "program.c", "libcudart.so.13");
	recorded(d, "plain");
	recorded(d, "shares");
	recorded(d, "many");
	goes_on(d, "%F/plain --set chip.sms=2", 300);
	goes_on(d, "%F/shares --set chip.sms=2", 1000);
	has_the_dump(d, "%F/shares --set chip.sms=2", "allocation 3");
	goes_on(d, "%F/many --set chip.sms=2", 5000);
	goes_on(d, "%F/many --set chip.sms=2", 8000);
	assert_int_equal(run_to(d, "%F/plain --dump 'allocation 1=%F/x'", "x", ""), 2);
	assert_says(d, "err", "it was freed before the end of the run");
}

#endif

/* The scenario is the same file, what it reads is not. */
static void a_host_that_does_other_things_is_refused(void **state)
{
	const struct desk *d = *state;

	assert_int_equal(run_to(d, "%S/steps.yaml --set chip.sms=2", "a",
				 "--checkpoint %F/c --checkpoint-every 500"),
		0);
	assert_int_equal(run_to(d, "%S/steps.yaml --set chip.sms=3", "a", "--resume %F/c"), 3);
	assert_says(d, "err", "'chip.sms = 2', this one has 'chip.sms = 3'");
}

int main(void)
{
#ifndef HAVE_ZSTD
	return 77; /* skipped: this build cannot pack them */
#endif
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			a_scenarios_steps_are_repeated, desk_set_up, desk_tear_down),
#ifdef HAVE_CUDA
		cmocka_unit_test_setup_teardown(a_recording_goes_on, desk_set_up, desk_tear_down),
#endif
		cmocka_unit_test_setup_teardown(
			a_host_that_does_other_things_is_refused, desk_set_up, desk_tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
