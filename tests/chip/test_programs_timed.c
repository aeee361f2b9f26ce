/* Small programs on a chip of four SMs in time: the same memory as without time. */
#include "tests/programs/programs.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static unsigned run_all(unsigned address_bits, const char *settings)
{
	unsigned n = 0;

	for (unsigned i = 0; program_files[i]; i++)
		n += programs_run_timed(program_files[i], address_bits, settings);
	return n;
}

static void programs_leave_in_time_what_they_leave_without(void **state)
{
	(void)state;
	assert_true(run_all(32, "chip.sms=4") >= 170);
}

static void programs_with_64_bit_addresses_do_so_without_caches(void **state)
{
	(void)state;
	assert_true(run_all(64, "chip.sms=4 l2.bytes=0") >= 170);
}

static void programs_do_so_wherever_their_registers_are(void **state)
{
	(void)state;
	assert_true(run_all(32, "chip.sms=4 rf.hierarchy=software rf.lrf=3") >= 170);
	assert_true(run_all(32, "chip.sms=4 rf.hierarchy=hardware rf.lrf=1") >= 170);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs_leave_in_time_what_they_leave_without),
		cmocka_unit_test(programs_with_64_bit_addresses_do_so_without_caches),
		cmocka_unit_test(programs_do_so_wherever_their_registers_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
