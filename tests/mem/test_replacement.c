/* Replacement policies by hand: the order of victims, DRRIP's duel of leader sets (Jaleel et al.,
 * ISCA 2010), SHiP's counters (Wu et al., MICRO 2011). */
#include "mem/cache.h"

#include "core/base.h"
#include "tests/rig/policies.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

struct trial {
	struct arena memory;
	struct cache *cache;
	struct policy *policy;
};

static jmp_buf no_memory;

static void trial_new(struct trial *t, const char *replacement, unsigned sets, unsigned ways)
{
	struct cache_config config = {.bytes = (uint64_t)sets * ways * LINE_BYTES,
		.ways = ways,
		.seed = 1,
		.interleave = 1,
		.block = 1};

	*t = (struct trial){0};
	t->memory.escape = &no_memory;
	if (setjmp(no_memory))
		fail();
	t->policy = test_policy("replacement", replacement, &t->memory);
	config.replacement = t->policy;
	t->cache = cache_new(&config, &t->memory);
}

/* The instruction at that PTX line reads the line of that number. Returns the number of the evicted
 * line, or -1. */
static int look(struct trial *t, unsigned number, unsigned ptx_line)
{
	struct cache_access a = {.line = (uint64_t)number * LINE_BYTES,
		.ptx_line = (uint16_t)ptx_line,
		.kind = PACKET_READ};
	struct victim v;

	if (cache_lookup(t->cache, 0xff, &a) >= 0)
		return -1;
	a.fill = true;
	cache_fill(t->cache, 0xff, &a, &v);
	return v.line == CACHE_NO_LINE ? -1 : (int)(v.line / LINE_BYTES);
}

static uint64_t statistic(const struct trial *t, const char *name)
{
	const struct plugin *p = t->policy->plugin;

	for (size_t i = 0; i < p->nstats; i++)
		if (!strcmp(p->stats[i].name, name))
			return *(const uint64_t *)(const void *)((const char *)t->policy->self +
								 p->stats[i].offset);
	fail_msg("no statistic %s", name);
	return 0;
}

/* ---- one set of four ways: lines 0 to 3 are filled, 0 is used again, then come 4, 5, ... */
/* DRRIP and SHiP insert at an RRPV of 2 of at most 3, and a use sets it to 0: two rounds of victims
 * bring line 0 from 0 to 1 and to 2, level with the lines filled last, and it is the first of
 * these. */
static void victims_follow_each_policys_rule(void **state)
{
	static const struct {
		const char *policy;
		int victims[7];
	} cases[] = {
		{"fifo", {0, 1, 2, 3, 4, 5, 6}},
		{"lru", {1, 2, 3, 0, 4, 5, 6}},
		{"drrip", {1, 2, 3, 4, 5, 6, 0}},
		{"ship", {1, 2, 3, 4, 5, 6, 0}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct trial t;

		trial_new(&t, cases[i].policy, 1, 4);
		for (unsigned line = 0; line < 4; line++)
			assert_int_equal(look(&t, line, line), -1);
		assert_int_equal(look(&t, 0, 0), -1);
		for (unsigned k = 0; k < ARRAY_LEN(cases[i].victims); k++) {
			int victim = look(&t, 4 + k, 4 + k);

			if (victim != cases[i].victims[k])
				fail_msg("%s: victim %u is line %d", cases[i].policy, k, victim);
		}
		arena_free(&t.memory);
	}
}

/* ---- DRRIP: of four sets of one way set 0 leads for SRRIP, set 2 for BRRIP; 1 and 3 follow */
struct duel {
	struct trial t;
	unsigned next; /* the next line, a multiple of the sets */
};

/* A miss in that set. True when BRRIP inserts its line. */
static bool miss(struct duel *d, unsigned set)
{
	uint64_t before = statistic(&d->t, "fills_brrip");

	look(&d->t, d->next + set, 1);
	d->next += 4;
	return statistic(&d->t, "fills_brrip") > before;
}

/* The misses in the leader's set until the followers use the other policy. */
static unsigned misses_to_turn(struct duel *d, unsigned leader)
{
	bool now = miss(d, 1), then = now;
	unsigned n = 0;

	while (then == now && n < 5000) {
		miss(d, leader);
		then = miss(d, 3);
		n++;
	}
	return n;
}

static void a_miss_in_a_leader_set_votes_for_the_other_policy(void **state)
{
	struct duel d = {.next = 0};

	(void)state;
	trial_new(&d.t, "drrip", 4, 1);
	assert_false(miss(&d, 1));
	assert_false(miss(&d, 0));
	assert_true(miss(&d, 1));
	assert_true(miss(&d, 3));
	assert_true(miss(&d, 2));
	assert_false(miss(&d, 1));
	assert_false(miss(&d, 3));
	arena_free(&d.t.memory);
}

/* The selector has 10 bits, and followers use BRRIP above the middle, 512. */
static void the_selector_saturates_at_both_ends(void **state)
{
	struct duel d = {.next = 0};

	(void)state;
	trial_new(&d.t, "drrip", 4, 1);
	for (unsigned i = 0; i < 2000; i++)
		miss(&d, 2);
	assert_int_equal(misses_to_turn(&d, 0), 513);
	for (unsigned i = 0; i < 2000; i++)
		miss(&d, 0);
	assert_int_equal(misses_to_turn(&d, 2), 1023 - 512);
	arena_free(&d.t.memory);
}

/* ---- SHiP: one way, so that each new line evicts the one before */
/* Counters have 3 bits. After any number of uses seven evictions without a use bring the counter of
 * the instruction to 0; then its lines are the first to be evicted, until one is used. */
static void the_counter_of_a_signature_saturates_at_both_ends(void **state)
{
	struct trial t;
	unsigned line = 0;

	(void)state;
	trial_new(&t, "ship", 1, 1);
	for (unsigned i = 0; i < 300; i++)
		look(&t, line, 10);
	look(&t, ++line, 10);
	for (unsigned i = 0; i < 6; i++)
		look(&t, ++line, 10);
	assert_int_equal(statistic(&t, "evicted_unused"), 6);
	assert_int_equal(statistic(&t, "fills_distant"), 0);
	for (unsigned i = 0; i < 20; i++)
		look(&t, ++line, 10);
	assert_int_equal(statistic(&t, "fills_distant"), 20);
	look(&t, line, 10);
	look(&t, ++line, 10);
	assert_int_equal(statistic(&t, "fills_distant"), 20);
	assert_int_equal(statistic(&t, "evicted_unused"), 26);
	arena_free(&t.memory);
}

/* The line of an instruction that streams is evicted before those of another one. */
static void a_line_of_a_streaming_instruction_is_evicted_first(void **state)
{
	struct trial t;

	(void)state;
	trial_new(&t, "ship", 1, 4);
	for (unsigned line = 0; line < 3; line++) {
		look(&t, line, 10);
		look(&t, line, 10);
	}
	for (unsigned k = 0; k < 20; k++)
		assert_int_equal(look(&t, 100 + k, 20), k ? (int)(99 + k) : -1);
	arena_free(&t.memory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(victims_follow_each_policys_rule),
		cmocka_unit_test(a_miss_in_a_leader_set_votes_for_the_other_policy),
		cmocka_unit_test(the_selector_saturates_at_both_ends),
		cmocka_unit_test(the_counter_of_a_signature_saturates_at_both_ends),
		cmocka_unit_test(a_line_of_a_streaming_instruction_is_evicted_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
