/* Policies of a DRAM channel, called as the controller calls them: when writes are drained, what a
 * batch marks and in which order, and which banks a hash gives. */
#include "core/base.h"
#include "dram/hash.h"
#include "dram/sched.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct policy choose(const char *kind, const char *name, struct arena *arena)
{
	struct policy_scope scope = {kind, "dram", "policy", "dram"};
	struct policy p;
	struct err err = {0};

	assert_int_equal(setjmp(*arena->escape), 0);
	assert_int_equal(policy_choose(&p, &scope, name, NULL, arena, &err), 0);
	return p;
}

/* ---- writes: of ten entries 80% and 20% are the watermarks */
static void writes_are_drained_between_two_watermarks(void **state)
{
	static const struct {
		unsigned reads, writes, before, now;
	} cases[] = {
		{1, 8, DRAM_SERVE_READS, DRAM_SERVE_READS},   /* at the high one */
		{1, 9, DRAM_SERVE_READS, DRAM_SERVE_WRITES},  /* above it */
		{1, 8, DRAM_SERVE_WRITES, DRAM_SERVE_WRITES}, /* and on */
		{1, 2, DRAM_SERVE_WRITES, DRAM_SERVE_WRITES}, /* at the low one */
		{1, 1, DRAM_SERVE_WRITES, DRAM_SERVE_READS},  /* below it */
		{1, 2, DRAM_SERVE_READS, DRAM_SERVE_READS},
		{0, 1, DRAM_SERVE_READS, DRAM_SERVE_WRITES}, /* no reads */
		{1, 0, DRAM_SERVE_WRITES, DRAM_SERVE_READS},
		{1, 5, 0, DRAM_SERVE_READS},
	};
	jmp_buf escape;
	struct arena arena = {.escape = &escape};
	struct policy p = choose("dram writes", "drain", &arena);
	const struct dram_writes_ops *ops = p.ops;
	struct dram_sched_shape shape = {.bursts = 32, .write_entries = 10, .banks = 8};

	(void)state;
	assert_int_equal(ops->init(p.self, &shape, &arena, NULL), 0);
	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		struct dram_sched_view v = {{cases[i].reads, cases[i].writes}, 10};

		if (ops->serve(p.self, &v, cases[i].before) != cases[i].now)
			fail_msg("case %u", i);
	}
	arena_free(&arena);
}

/* ---- batches: SM 9's burst is a batch of its own, and what follows it waits for the next */
enum { CAP = 5 };
struct batch {
	struct arena arena;
	struct policy p;
	const struct dram_sched_ops *ops;
	struct dram_queued_burst burst[16];
	unsigned n;
};

static void enter(struct batch *b, unsigned sm, unsigned bank)
{
	struct dram_queued_burst *q = &b->burst[b->n];

	*q = (struct dram_queued_burst){.order = b->n,
		.entry = (uint16_t)b->n,
		.requester = (uint16_t)sm,
		.bank = (uint8_t)bank};
	b->n++;
	b->ops->accepted(b->p.self, q);
}

static uint32_t rank(const struct batch *b, unsigned burst, bool hit)
{
	return b->ops->rank(b->p.self, &b->burst[burst], hit);
}

/* Bursts 1 to 6 are SM 1's to bank 0, 7 and 8 SM 2's to one bank, 9 to 11 SM 3's to three banks. */
static void a_batch_marks_five_of_a_bank_and_ranks_the_shortest_job_first(void **state)
{
	jmp_buf escape;
	struct batch b = {.arena = {.escape = &escape}};
	struct dram_sched_shape shape = {.bursts = 16, .write_entries = 8, .banks = 8};

	(void)state;
	b.p = choose("dram scheduler", "parbs", &b.arena);
	b.ops = b.p.ops;
	assert_int_equal(b.ops->init(b.p.self, &shape, &b.arena, NULL), 0);
	enter(&b, 9, 0);
	for (unsigned i = 0; i <= CAP; i++)
		enter(&b, 1, 0);
	for (unsigned i = 0; i < 2; i++)
		enter(&b, 2, 4);
	for (unsigned i = 0; i < 3; i++)
		enter(&b, 3, i);
	b.ops->served(b.p.self, &b.burst[0]);
	/* worst banks: one, two and five bursts */
	assert_true(rank(&b, 9, true) < rank(&b, 7, true));
	assert_true(rank(&b, 7, true) < rank(&b, 1, true));
	assert_true(rank(&b, 1, true) == rank(&b, CAP, true));
	/* the sixth is not marked: behind all that are, hits or not */
	assert_true(rank(&b, CAP + 1, true) > rank(&b, 1, false));
	/* row hits come before ranks */
	assert_true(rank(&b, 1, true) < rank(&b, 9, false));
	arena_free(&b.arena);
}

/* ---- hashes */
static void xor_permutes_banks_by_the_rows_lowest_bits(void **state)
{
	jmp_buf escape;
	struct arena arena = {.escape = &escape};
	struct policy p = choose("dram hash", "xor", &arena);
	const struct dram_hash_ops *ops = p.ops;

	(void)state;
	ops->init(p.self, 16);
	for (unsigned row = 0; row < 64; row++)
		for (unsigned bank = 0; bank < 16; bank++)
			assert_int_equal(ops->bank(p.self, row, bank), bank ^ row % 16);
	arena_free(&arena);
}

/* A primitive polynomial of degree d has period 2^d - 1: the rows of one bit each flip every
 * combination of the banks' bits but none, each once, before the first comes again. */
static void the_polynomial_hash_is_primitive_for_every_number_of_banks(void **state)
{
	(void)state;
	for (unsigned bits = 2; bits <= 5; bits++) {
		jmp_buf escape;
		struct arena arena = {.escape = &escape};
		struct policy p = choose("dram hash", "polynomial", &arena);
		const struct dram_hash_ops *ops = p.ops;
		uint32_t seen = 0, period = (UINT32_C(1) << bits) - 1;

		ops->init(p.self, 1u << bits);
		for (unsigned i = 0; i < period && i < 32; i++)
			seen |= UINT32_C(1) << ops->bank(p.self, UINT32_C(1) << i, 0);
		assert_int_equal(count_bits(seen), period);
		assert_false(seen & 1);
		assert_int_equal(ops->bank(p.self, 1, 0), 1);
		assert_int_equal(ops->bank(p.self, 1, 3), 2);
		if (period < 32)
			assert_int_equal(ops->bank(p.self, UINT32_C(1) << period, 0), 1);
		assert_int_equal(
			ops->bank(p.self, 5, 0), ops->bank(p.self, 1, 0) ^ ops->bank(p.self, 4, 0));
		arena_free(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes_are_drained_between_two_watermarks),
		cmocka_unit_test(a_batch_marks_five_of_a_bank_and_ranks_the_shortest_job_first),
		cmocka_unit_test(xor_permutes_banks_by_the_rows_lowest_bits),
		cmocka_unit_test(the_polynomial_hash_is_primitive_for_every_number_of_banks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
