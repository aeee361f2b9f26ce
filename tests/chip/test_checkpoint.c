/* Checkpoints: a chip that loads another's state between two windows is that chip. Whatever a part
 * changes and does not save, its twin's memory lacks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/text.h"
#include "tests/rig/seeds.h"
#include "tests/rig/twin.h"

static void twins_are_equal(const char *workload, const char *settings, uint64_t at)
{
	struct twin t = {.subject = {.name = workload, .seed = 1, .settings = settings},
		.at = at,
		.compare = true};

	twin_run(&t);
	if (!t.saved)
		fail_msg("%s has %llu windows only", workload, (unsigned long long)t.windows);
}

static void a_loaded_chip_is_the_saved_one_byte_by_byte(void **state)
{
	(void)state;
	twins_are_equal("vectoradd", "chip.sms=4", 1);
	twins_are_equal("vectoradd", "chip.sms=4", 200);
	twins_are_equal("needle", "chip.sms=4", 500);
	twins_are_equal("aes", "chip.sms=4", 100);
}

static void observed(const char *workload, const char *settings, uint64_t at, unsigned threads)
{
	struct twin t = {.subject = {.name = workload, .seed = 1, .settings = settings},
		.at = at,
		.threads = threads,
		.compare = !threads,
		.profile = true,
		.trace = "*"};

	twin_run(&t);
	assert_true(t.saved);
}

static void profiles_and_traces_go_on(void **state)
{
	(void)state;
	observed("vectoradd", "chip.sms=4", 60, 0);
	observed("needle", "chip.sms=4 chip.dram=banked", 300, 0);
	observed("backprop", "chip.sms=3 chip.network=mesh", 150, 2);
}

static void threads_may_differ(void **state)
{
	struct twin t = {
		.subject = {.name = "needle", .seed = 1, .settings = "chip.sms=4", .threads = 2},
		.threads = 3,
		.at = 300};

	(void)state;
	twin_run(&t);
	assert_true(t.saved);
}

static void a_wrong_byte_crashes_no_load(void **state)
{
	struct twin t = {.subject = {.name = "mergesort",
				 .seed = 1,
				 .settings = "chip.sms=1 chip.channels=1 chip.slices=1"},
		.at = 60};

	(void)state;
	twin_spoil(&t, seeds(40));
	assert_true(t.saved);
	t.saved = false;
	t.profile = true;
	t.trace = "*";
	twin_spoil(&t, seeds(40));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_loaded_chip_is_the_saved_one_byte_by_byte),
		cmocka_unit_test(profiles_and_traces_go_on),
		cmocka_unit_test(threads_may_differ),
		cmocka_unit_test(a_wrong_byte_crashes_no_load),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
