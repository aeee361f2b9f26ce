/* What all JSON outputs share: numbers that a reader gets back as they were. */
#include "runs/json.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void whole_numbers_that_a_double_cannot_hold_are_strings(void **state)
{
	const uint64_t most = UINT64_C(1) << 53;
	json_t *held = json_whole(most), *beyond = json_whole(most + 1);

	(void)state;
	assert_true(json_integer_value(held) == (json_int_t)most);
	assert_string_equal(json_string_value(beyond), "9007199254740993");
	json_decref(held);
	json_decref(beyond);
}

static void real_numbers_are_read_as_they_were_written(void **state)
{
	static const double some[] = {1.0 / 3, 0.1 + 0.2, 1e-300 / 7, 123456789.123456789};

	(void)state;
	for (unsigned i = 0; i < sizeof(some) / sizeof(some[0]); i++) {
		json_t *list = json_array();
		struct text text = {0};
		const char *digits;

		json_append(list, json_number(some[i]));
		assert_int_equal(json_print(list, &text), 0);
		digits = strpbrk(text_str(&text), "-0123456789");
		assert_non_null(digits);
		assert_true(strtod(digits, NULL) == some[i]);
		text_clear(&text);
	}
}

static void what_json_has_no_number_for_is_null(void **state)
{
	json_t *none = json_number(NAN), *more = json_number(INFINITY);

	(void)state;
	assert_true(json_is_null(none) && json_is_null(more));
	json_decref(none);
	json_decref(more);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_numbers_that_a_double_cannot_hold_are_strings),
		cmocka_unit_test(real_numbers_are_read_as_they_were_written),
		cmocka_unit_test(what_json_has_no_number_for_is_null),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
