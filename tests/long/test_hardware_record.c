/* Every call of a whole recording by warpbeam hardware --probe fails, one after the other. */
#include "tests/rig/standin.h"

static void each_failure_is_one_line_and_leaves_nothing(void **state)
{
	assert_each_call_fails_well(*state, "hardware --probe shared --record %F/r --quiet", 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_failure_is_one_line_and_leaves_nothing),
	};

	return cmocka_run_group_tests(tests, standin_set_up, desk_tear_down);
}
