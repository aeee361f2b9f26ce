/* PTX types, state spaces and special registers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ptx/isa/types.h"

static void a_type_is_found_by_its_name(void **state)
{
	for (unsigned i = T_NONE + 1; i < T_COUNT; i++)
		assert_int_equal(ptx_type_parse(ptx_type_name((enum ptx_type)i)), i);
	assert_int_equal(ptx_type_parse("u31"), T_NONE);
	assert_int_equal(ptx_type_parse(""), T_NONE);
	assert_int_equal(ptx_type_parse(".u32"), T_NONE);
	(void)state;
}

static void types_have_sizes_and_classes(void **state)
{
	static const struct {
		enum ptx_type type;
		unsigned bytes, words;
		char class;
	} rows[] = {{T_PRED, 0, 0, 'p'}, {T_B8, 1, 1, 'b'}, {T_S16, 2, 1, 's'}, {T_U32, 4, 1, 'u'},
		{T_F64, 8, 2, 'f'}, {T_B128, 16, 4, 'b'}, {T_F16X2, 4, 1, 'x'}, {T_F16, 2, 1, 'f'}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(ptx_type_bytes(rows[i].type), rows[i].bytes);
		assert_int_equal(ptx_type_words(rows[i].type), rows[i].words);
		assert_int_equal(ptx_type_class(rows[i].type), rows[i].class);
	}
	(void)state;
}

static void a_special_register_is_found_by_its_name(void **state)
{
	for (unsigned i = 0; i < SREG_COUNT; i++)
		assert_int_equal(ptx_sreg_parse(ptx_sreg_name((enum ptx_sreg)i)), i);
	assert_int_equal(ptx_sreg_parse("%tid"), -1);
	assert_int_equal(ptx_sreg_parse("tid.x"), -1);
	assert_int_equal(ptx_sreg_words(SREG_TID_X), 1);
	assert_int_equal(ptx_sreg_words(SREG_CLOCK64), 2);
	(void)state;
}

static void spaces_have_names(void **state)
{
	assert_string_equal(ptx_space_name(SPACE_GLOBAL), "global");
	assert_string_equal(ptx_space_name(SPACE_PARAM), "param");
	for (unsigned i = 0; i < SPACE_COUNT; i++)
		assert_non_null(ptx_space_name((enum ptx_space)i));
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_type_is_found_by_its_name),
		cmocka_unit_test(types_have_sizes_and_classes),
		cmocka_unit_test(a_special_register_is_found_by_its_name),
		cmocka_unit_test(spaces_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
