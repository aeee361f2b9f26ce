/* A short, deterministic fuzzing run; `make fuzz` runs longer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <unistd.h>

#include "core/mem.h"
#include "tests/fuzz/mutate.h"
#include "tests/fuzz/targets.h"

#define LONGEST 8192u /* seeds: the quick ones */
#define ROOM 16384u
#define SECONDS 120 /* until a hang fails the test */

static int read_corpus(void **state)
{
	struct corpus *c = calloc(1, sizeof(*c));

	*state = c;
	alarm(SECONDS);
	return !c || !corpus_read(c, WARPBEAM_SRCDIR "/tests/fuzz/seeds", LONGEST) ||
	       !corpus_read(c, WARPBEAM_SRCDIR "/workloads", LONGEST) ||
	       !corpus_read_words(c, WARPBEAM_SRCDIR "/tests/fuzz/ptx.dict");
}

static int drop_corpus(void **state)
{
	alarm(0);
	corpus_drop(*state);
	free(*state);
	return 0;
}

/* A copy of exactly the text's size: a read past its end is detected. */
static char *exact(const char *text, size_t n)
{
	char *copy = malloc(n ? n : 1);

	assert_non_null(copy);
	memcpy(copy, text, n);
	return copy;
}

static void a_text_is_given_by_seed_and_number_alone(void **state)
{
	static char a[ROOM], b[ROOM];
	unsigned differ = 0;

	for (uint64_t k = 0; k < 200; k++) {
		size_t n = mutate(*state, 1, k, a, sizeof(a));

		assert_int_equal(mutate(*state, 1, k, b, sizeof(b)), n);
		assert_memory_equal(a, b, n);
		differ += mutate(*state, 2, k, b, sizeof(b)) != n || memcmp(a, b, n) != 0;
	}
	assert_true(differ > 190);
}

static void every_seed_is_read_and_most_have_a_kernel_that_runs(void **state)
{
	const struct corpus *c = *state;
	unsigned run = 0;

	assert_true(c->texts.n > 15);
	for (uint32_t k = 0; k < c->texts.n; k++)
		run += fuzz_build((unsigned char *)c->texts.at[k].bytes, c->texts.at[k].n) > 0;
	assert_true(run >= c->texts.n - 3); /* textures; newer than this version */
}

static void ten_thousand_texts_are_read_or_refused(void **state)
{
	static char text[ROOM];

	for (uint64_t k = 0; k < 10000; k++) {
		size_t n = mutate(*state, 11, k, text, sizeof(text));
		char *copy = exact(text, n);

		fuzz_read((unsigned char *)copy, n);
		free(copy);
	}
}

static void two_thousand_texts_are_run_or_refused(void **state)
{
	static char text[ROOM];
	unsigned run = 0;

	for (uint64_t k = 0; k < 2000; k++) {
		size_t n = mutate(*state, 12, k, text, sizeof(text));
		char *copy = exact(text, n);

		run += fuzz_build((unsigned char *)copy, n) > 0;
		free(copy);
	}
	assert_true(run > 200); /* else the mutator produces only noise */
}

/* The n-th and all later allocations fail, for every n. */
static void every_seed_survives_a_host_without_memory(void **state)
{
	const struct corpus *c = *state;

	for (uint32_t k = 0; k < c->texts.n; k++) {
		const struct piece *p = &c->texts.at[k];
		uint64_t before = mem_calls(), calls;

		fuzz_build((unsigned char *)p->bytes, p->n);
		calls = mem_calls() - before;
		for (uint64_t n = 0; n < calls; n++) {
			mem_fail_after((int64_t)n);
			fuzz_build((unsigned char *)p->bytes, p->n);
			mem_fail_after(-1);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_text_is_given_by_seed_and_number_alone),
		cmocka_unit_test(every_seed_is_read_and_most_have_a_kernel_that_runs),
		cmocka_unit_test(every_seed_survives_a_host_without_memory),
		cmocka_unit_test(ten_thousand_texts_are_read_or_refused),
		cmocka_unit_test(two_thousand_texts_are_run_or_refused),
	};

	return cmocka_run_group_tests(tests, read_corpus, drop_corpus);
}
