/* Random divergent kernels leave the same memory as a scalar interpreter, with both register
 * allocators. */
#include "tests/rig/divergence.h"
#include "tests/rig/exec_rig.h"
#include "tests/rig/seeds.h"

#include <stdlib.h>

#define SEEDS 150u

static const char *const allocators[] = {"linear", "colour"};

static void compare(const struct random_kernel *k, uint64_t seed, const char *allocator)
{
	static struct rig r;
	static uint32_t expected[RIG_WORDS];
	const uint32_t words = DIVERGENCE_INPUTS + DIVERGENCE_THREADS * DIVERGENCE_WORDS;
	struct text text = {0};
	struct rng rng = rng_new(seed, 8);

	memset(&r, 0, sizeof(r));
	memset(expected, 0, sizeof(expected));
	r.allocator = allocator;
	for (unsigned i = 0; i < DIVERGENCE_INPUTS; i++)
		r.words[i] = expected[i] = (uint32_t)rng_u64(&rng);
	divergence_interpret(k, expected);
	divergence_write(k, &text);
	if (rig_run(&r, text_str(&text), 1, DIVERGENCE_THREADS))
		fail_msg("seed %llu, %s: %s\n%s", (unsigned long long)seed, allocator, r.what,
			text_str(&text));
	for (uint32_t i = 0; i < words; i++)
		if (r.words[i] != expected[i])
			fail_msg("seed %llu, %s: word %u is %x, expected %x\n%s",
				(unsigned long long)seed, allocator, i, r.words[i], expected[i],
				text_str(&text));
	text_clear(&text);
}

static void random_kernels_leave_what_one_thread_after_another_leaves(void **state)
{
	static struct random_kernel k;

	(void)state;
	for (uint64_t seed = 0; seed < seeds(SEEDS); seed++) {
		divergence_make(&k, seed);
		for (unsigned i = 0; i < ARRAY_LEN(allocators); i++)
			compare(&k, seed, allocators[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_kernels_leave_what_one_thread_after_another_leaves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
