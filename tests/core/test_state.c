/* What a state takes from a checkpoint. */
#include "core/state.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

struct bytes {
	unsigned char at[8];
	size_t n;
};

static bool take(void *ctx, void *to, size_t n)
{
	struct bytes *b = ctx;

	memcpy(to, b->at + b->n, n);
	b->n += n;
	return true;
}

static bool give(void *ctx, void *from, size_t n)
{
	struct bytes *b = ctx;

	memcpy(b->at + b->n, from, n);
	b->n += n;
	return true;
}

static void a_bool_is_one_byte_of_0_or_1(void **state)
{
	struct err err = {0};
	struct bytes kept = {.n = 0};
	struct state out = {.move = give, .ctx = &kept, .err = &err, .part = "p"};
	bool yes = true, no = false;
	(void)state;

	STATE(&out, yes);
	STATE(&out, no);
	assert_int_equal(kept.n, 2);
	assert_int_equal(kept.at[0], 1);
	assert_int_equal(kept.at[1], 0);
	assert_int_equal(err.count, 0);
}

static void another_byte_is_refused(void **state)
{
	for (unsigned byte = 0; byte < 256; byte++) {
		struct err err = {0};
		struct bytes kept = {.at = {(unsigned char)byte}};
		struct state in = {
			.loads = true, .move = take, .ctx = &kept, .err = &err, .part = "the part"};
		bool flag = false;

		STATE(&in, flag);
		assert_int_equal(in.failed, byte > 1);
		assert_int_equal(err.count, byte > 1);
		assert_true(byte < 2 || strstr(err_text(&err), "in the state of the part"));
		assert_int_equal(flag, byte == 1);
		err_clear(&err);
	}
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_bool_is_one_byte_of_0_or_1),
		cmocka_unit_test(another_byte_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
