/* Random divergent kernels leave the same memory as a scalar interpreter, with every register
 * hierarchy. */
#include "tests/rig/divergence.h"
#include "tests/rig/exec_rig.h"
#include "tests/rig/seeds.h"

#include <stdlib.h>

#define SEEDS 40u

/* Each seed runs with one of the caches in turn. */
static const struct levels_options caches[] = {
	{.kind = LEVELS_HARDWARE, .entries = 6, .flush = true, .bypass = true},
	{.kind = LEVELS_HARDWARE, .entries = 1, .flush = true, .bypass = true, .lru = true},
	{.kind = LEVELS_HARDWARE, .entries = 13, .flush = true},
	{.kind = LEVELS_HARDWARE, .entries = 3, .lru = true, .reads_allocate = true},
	{.kind = LEVELS_HARDWARE, .entries = 2, .lrf = 1, .flush = true, .bypass = true},
	{.kind = LEVELS_HARDWARE, .entries = 5, .lrf = 1, .flush = true, .reads_allocate = true},
	{.kind = LEVELS_HARDWARE, .entries = 4, .lrf = 1, .lru = true},
};

/* Energies with which nearly all values are kept that can be. */
#define CHEAP \
	.energy = {.mrf_read = 16, \
		.mrf_write = 19, \
		.orf_read = {{1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, \
			{1, 1}}, \
		.orf_write = {{1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, \
			{1, 1}}, \
		.lrf_read = 1, \
		.lrf_write = 1}

static const struct levels_options compiled[] = {
	{.kind = LEVELS_NONE},
	{.kind = LEVELS_SOFTWARE,
		.entries = 3,
		.partial_ranges = true,
		.read_operands = true,
		.forward_branches = true,
		CHEAP},
	{.kind = LEVELS_SOFTWARE,
		.entries = 1,
		.lrf = 1,
		.partial_ranges = true,
		.read_operands = true,
		.forward_branches = true,
		CHEAP},
	{.kind = LEVELS_SOFTWARE,
		.entries = 8,
		.lrf = 3,
		.partial_ranges = true,
		.read_operands = true,
		.forward_branches = true,
		CHEAP},
	{.kind = LEVELS_SOFTWARE, .entries = 4, .one_level_writes = true, CHEAP},
	{.kind = LEVELS_SOFTWARE,
		.entries = 3,
		.lrf = 3,
		.forward_branches = true,
		.lrf_dual_only = true,
		CHEAP},
	{.kind = LEVELS_SOFTWARE,
		.entries = 6,
		.read_operands = true,
		.forward_branches = true,
		.keep_past_branches = true,
		.keep_past_waits = true,
		CHEAP},
	{.kind = LEVELS_HARDWARE, .entries = 6, .flush = true, .bypass = true, .liveness = true},
	{.kind = LEVELS_HARDWARE,
		.entries = 2,
		.lrf = 1,
		.flush = true,
		.liveness = true,
		.reads_allocate = true},
	{.kind = LEVELS_HARDWARE,
		.entries = 3,
		.lrf = 1,
		.lru = true,
		.liveness = true,
		.bypass = true},
};

static struct rng marks;
static const struct levels_options *options;

/* Strands end anywhere: a cache keeps its entries, or writes them back. */
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

static void compare(const struct random_kernel *k, uint64_t seed, const char *text, struct rig *r)
{
	static uint32_t expected[RIG_WORDS];
	const uint32_t words = DIVERGENCE_INPUTS + DIVERGENCE_THREADS * DIVERGENCE_WORDS;
	struct rng rng = rng_new(seed, 8);

	memset(expected, 0, sizeof(expected));
	for (unsigned i = 0; i < DIVERGENCE_INPUTS; i++)
		r->words[i] = expected[i] = (uint32_t)rng_u64(&rng);
	divergence_interpret(k, expected);
	if (rig_run(r, text, 1, DIVERGENCE_THREADS))
		fail_msg("seed %llu: %s\n%s", (unsigned long long)seed, r->what, text);
	for (uint32_t i = 0; i < words; i++)
		if (r->words[i] != expected[i])
			fail_msg("seed %llu: word %u is %x, expected %x\n%s",
				(unsigned long long)seed, i, r->words[i], expected[i], text);
}

static void run_by_hand(const struct random_kernel *k, uint64_t seed, const char *text)
{
	static struct rig r;

	for (unsigned i = 0; i < ARRAY_LEN(caches); i++) {
		memset(&r, 0, sizeof(r));
		options = &caches[i];
		r.prepare = by_hand;
		compare(k, seed, text, &r);
		assert_true(r.counts.registers.orf_reads > 0);
	}
}

/* Accesses above the MRF replace accesses of the MRF, overheads apart. */
static void run_compiled(const struct random_kernel *k, uint64_t seed, const char *text)
{
	static struct rig r;
	uint64_t reads = 0, writes = 0;

	for (unsigned i = 0; i < ARRAY_LEN(compiled); i++) {
		const struct level_traffic *t = &r.counts.registers;

		memset(&r, 0, sizeof(r));
		r.levels = &compiled[i];
		compare(k, seed, text, &r);
		if (compiled[i].kind == LEVELS_NONE) {
			reads = t->mrf_reads;
			writes = t->mrf_writes;
		} else if (compiled[i].kind == LEVELS_SOFTWARE) {
			assert_int_equal(
				t->mrf_reads + t->orf_reads + t->orf_shared_reads + t->lrf_reads,
				reads);
			assert_int_equal(t->mrf_writes + t->orf_writes + t->orf_shared_writes +
						 t->lrf_writes,
				writes + t->deposits + t->duplicates);
		} else {
			assert_int_equal(t->mrf_writes + t->orf_writes + t->orf_shared_writes +
						 t->lrf_writes,
				writes + t->deposits + t->lrf_falls + t->writebacks);
		}
	}
}

typedef void run_fn(const struct random_kernel *, uint64_t seed, const char *text);

static void run_seeds(run_fn *run)
{
	static struct random_kernel k;

	for (uint64_t seed = 0; seed < seeds(SEEDS); seed++) {
		struct text text = {0};

		divergence_make(&k, seed);
		divergence_write(&k, &text);
		run(&k, seed, text_str(&text));
		text_clear(&text);
	}
}

static void random_kernels_do_not_notice_a_register_file_cache(void **state)
{
	(void)state;
	marks = rng_new(1, 9);
	run_seeds(run_by_hand);
}

static void nor_where_the_compiler_has_put_their_values(void **state)
{
	(void)state;
	run_seeds(run_compiled);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_kernels_do_not_notice_a_register_file_cache),
		cmocka_unit_test(nor_where_the_compiler_has_put_their_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
