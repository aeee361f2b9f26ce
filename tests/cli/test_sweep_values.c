/* The values of a swept parameter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/sweep/sweep.h"
#include "core/base.h"

static const struct {
	const char *text, *values; /* values with blanks between; NULL: it is wrong */
} lists[] = {
	{"a.b=1", "1"},
	{"a.b=x,4K,y", "x 4K y"},
	{"a=1..4", "1 2 3 4"},
	{"a=1..8:3", "1 4 7"},
	{"a=1..8:*2,100", "1 2 4 8 100"},
	{"a=64K..256K:*2", "65536 131072 262144"},
	{"a=0.1..0.5:0.2", "0.1 0.3 0.5"},
	{"a=-2..2:2", "-2 0 2"},
	{"a=3..3", "3"},
	{"a=96/32,32/96;48/16", "96/32,32/96 48/16"},
	{"a=../x..y", "../x..y"},
	{"a=4..1", NULL},
	{"a=1..x", NULL},
	{"a=1..4:0", NULL},
	{"a=1..4:*1", NULL},
	{"a=0..4:*2", NULL},
	{"a=1..4:", NULL},
	{"a=1..4:*", NULL},
	{"a=1..nan", NULL},
	{"a=1..1e300", NULL},
	{"a=1..65537", NULL},
	{"a=1,,2", NULL},
	{"a=1,", NULL},
	{"a=", NULL},
	{"a", NULL},
	{"=1", NULL},
};

static void lists_and_ranges_are_expanded(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		jmp_buf escape;
		struct arena arena = {.escape = &escape};
		struct err err = {0};
		struct sweep_axis axis;
		struct text all = {0};
		int bad;

		assert_false(setjmp(escape));
		bad = sweep_axis_read(lists[i].text, &arena, &axis, &err);
		for (unsigned k = 0; k < axis.n && !bad; k++)
			text_raw(&all, "%s%s", k ? " " : "", axis.values[k]);
		if (lists[i].values)
			assert_string_equal(text_str(&all), lists[i].values);
		assert_int_equal(bad, lists[i].values ? 0 : -1);
		assert_int_equal(err.code, lists[i].values ? ERR_NONE : ERR_USAGE);
		text_clear(&all);
		err_clear(&err);
		arena_free(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_and_ranges_are_expanded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
