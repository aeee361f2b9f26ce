/* The papers' tables as they are typed: what they say of themselves. */
#include "core/base.h"
#include "papers/m12/m12.h"
#include "papers/m12/table1_rows.h"
#include "papers/suite.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* M12-047: the register file is 4 bytes by registers by 1024 threads. */
static void a_register_file_holds_1024_threads(void **state)
{
	(void)state;
	for (unsigned i = 0; i < TABLE1_ROWS; i++) {
		const double *f = table1_rows[i].figure;

		if (f[TABLE1_REGISTER_FILE] * 1024 != f[TABLE1_REGISTERS] * 4 * 1024)
			fail_msg("%s: %g KB for %g registers", table1_rows[i].workload,
				f[TABLE1_REGISTER_FILE], f[TABLE1_REGISTERS]);
	}
}

/* M12-087: eight programs gain, the other 18 of 26 do not. */
static void eight_gain_and_eighteen_do_not(void **state)
{
	unsigned gain = 0, other = 0;

	(void)state;
	for (unsigned i = 0; suite_workloads[i]; i++) {
		gain += m12_gains_from(suite_workloads[i]);
		other += m12_is_other(suite_workloads[i]);
		assert_int_equal(
			m12_gains_from(suite_workloads[i]) + m12_is_other(suite_workloads[i]), 1);
	}
	assert_int_equal(gain, 8);
	assert_int_equal(other, 18);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_register_file_holds_1024_threads),
		cmocka_unit_test(eight_gain_and_eighteen_do_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
