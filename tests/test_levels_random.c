/* Random kernels whose lanes part leave what a scalar interpreter leaves, whatever keeps their
 * registers. */
#include "tests/divergence.h"
#include "tests/exec_rig.h"

#include <stdlib.h>

#define SEEDS 60u

/* Each seed runs with one cache after the other. */
static const struct levels_options caches[] = {
	{.kind = LEVELS_HARDWARE, .entries = 6, .flush = true, .bypass = true},
	{.kind = LEVELS_HARDWARE, .entries = 1, .flush = true, .bypass = true, .lru = true},
	{.kind = LEVELS_HARDWARE, .entries = 13, .flush = true},
	{.kind = LEVELS_HARDWARE, .entries = 3, .lru = true, .reads_allocate = true},
	{.kind = LEVELS_HARDWARE, .entries = 2, .lrf = 1, .flush = true, .bypass = true},
	{.kind = LEVELS_HARDWARE, .entries = 5, .lrf = 1, .flush = true, .reads_allocate = true},
	{.kind = LEVELS_HARDWARE, .entries = 4, .lrf = 1, .lru = true},
};

static struct rng marks;
static const struct levels_options *options;

/* Strands end anywhere: a cache keeps what it has, or writes it back. */
static void by_hand(struct rig *r, struct program *p)
{
	struct program_levels *l = arena_alloc(&r->arena, 1, sizeof(*l));
	struct level_note *notes = arena_alloc(&r->arena, p->ninstr, sizeof(*notes));

	for (uint32_t i = 0; i < p->ninstr; i++) {
		notes[i].shared = unit_is_shared(p->code[i].unit);
		notes[i].strand = rng_u64(&marks) % 8 ? STRAND_INSIDE : STRAND_WAITS;
	}
	*l = (struct program_levels){.options = *options,
		.upper = options->entries,
		.lrf = options->lrf,
		.notes = notes};
	p->levels = l;
	p->planes = p->regs + l->upper + l->lrf + LEVELS_RFC_PLANES;
}

static void compare(const struct random_kernel *k, uint64_t seed, const char *text, unsigned which)
{
	static struct rig r;
	static uint32_t expected[RIG_WORDS];
	const uint32_t words = DIVERGENCE_INPUTS + DIVERGENCE_THREADS * DIVERGENCE_WORDS;
	struct rng rng = rng_new(seed, 8);

	memset(&r, 0, sizeof(r));
	memset(expected, 0, sizeof(expected));
	options = &caches[which];
	r.prepare = by_hand;
	for (unsigned i = 0; i < DIVERGENCE_INPUTS; i++)
		r.words[i] = expected[i] = (uint32_t)rng_u64(&rng);
	divergence_interpret(k, expected);
	if (rig_run(&r, text, 1, DIVERGENCE_THREADS))
		fail_msg("seed %llu, cache %u: %s\n%s", (unsigned long long)seed, which, r.what,
			text);
	for (uint32_t i = 0; i < words; i++)
		if (r.words[i] != expected[i])
			fail_msg("seed %llu, cache %u: word %u is %x, expected %x\n%s",
				(unsigned long long)seed, which, i, r.words[i], expected[i], text);
	assert_true(r.counts.registers.orf_reads > 0);
}

static void random_kernels_do_not_notice_a_register_file_cache(void **state)
{
	static struct random_kernel k;
	const char *seeds = getenv("WARPBEAM_TEST_SEEDS");
	uint64_t n = seeds ? strtoull(seeds, NULL, 10) : SEEDS;

	(void)state;
	marks = rng_new(1, 9);
	for (uint64_t seed = 0; seed < n; seed++) {
		struct text text = {0};

		divergence_make(&k, seed);
		divergence_write(&k, &text);
		for (unsigned i = 0; i < ARRAY_LEN(caches); i++)
			compare(&k, seed, text_str(&text), i);
		text_clear(&text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_kernels_do_not_notice_a_register_file_cache),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
