/* A short, reproducible part of fuzzing of all inputs except PTX; `make fuzz` continues from
 * here, or WARPBEAM_TEST_SEEDS=10000 of each kind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <unistd.h>

#include "tests/fuzz/inputs.h"
#include "tests/fuzz/mutate.h"
#include "tests/rig/seeds.h"

#define ROOM ((size_t)256 << 10)
#define SECONDS 60 /* until an input that hangs ends the test */

static void every_seed_is_taken(void **state)
{
	unsigned char *bytes = malloc(ROOM);

	(void)state;
	assert_non_null(bytes);
	for (unsigned k = 0; k < FUZZ_KINDS; k++) {
		size_t n = fuzz_seed((enum fuzz_kind)k, bytes, ROOM);

		if (!n && k == FUZZ_RESULTS)
			continue; /* built without SQLite */
		assert_true(n > 0);
		if (k == FUZZ_OPTIONS)
			continue; /* no command takes all of them */
		if (!fuzz_input((enum fuzz_kind)k, bytes, n))
			fail_msg("the seed of kind %u is refused", k);
	}
	free(bytes);
}

static void changed_inputs_are_taken_or_refused(void **state)
{
	unsigned char *bytes = malloc(ROOM);
	unsigned taken = 0;

	(void)state;
	assert_non_null(bytes);
	for (unsigned k = 0; k < FUZZ_KINDS; k++) {
		unsigned runs = seeds(k >= FUZZ_RESULTS ? 40 : 300);

		for (unsigned i = 0; i < runs; i++) {
			size_t n = fuzz_seed((enum fuzz_kind)k, bytes, ROOM);

			alarm(SECONDS);
			n = n ? mutate_alone((char *)bytes, n, ROOM, 1000 * k + i) : 0;
			taken += fuzz_input((enum fuzz_kind)k, bytes, n);
		}
	}
	alarm(0);
	assert_true(taken > 50); /* else the mutator only makes rubbish */
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_seed_is_taken),
		cmocka_unit_test(changed_inputs_are_taken_or_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
