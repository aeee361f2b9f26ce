/* Replacement by list and by weights. */
#include "mem/cache.h"

#include "core/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/rig/policies.h"

enum { SETS = 4, MOST_WAYS = 8 };

struct trial {
	struct arena memory;
	struct config *settings;
	struct policy policy;
	struct cache *cache;
	struct err err;
};

static jmp_buf no_memory;

/* A cache of four sets whose policy has that setting; false: it is refused. */
static bool trial_new(struct trial *t, const char *name, const char *setting, unsigned ways)
{
	static const struct policy_scope place = {"replacement", "test", "policy", "test"};
	struct cache_config config = {.bytes = (uint64_t)SETS * ways * LINE_BYTES,
		.ways = ways,
		.replacement = &t->policy,
		.seed = 1,
		.interleave = 1,
		.block = 1};
	struct replace_cache cache = {ways, NULL, &t->memory};

	*t = (struct trial){.settings = config_new()};
	t->memory.escape = &no_memory;
	cache.settings = t->settings;
	if (setjmp(no_memory))
		fail();
	assert_int_equal(config_set_text(t->settings, setting, "test", &t->err), 0);
	if (replace_choose(&t->policy, &place, name, &cache, &t->err))
		return false;
	t->cache = cache_new(&config, &t->memory);
	return true;
}

static void trial_free(struct trial *t)
{
	arena_free(&t->memory);
	config_free(t->settings);
	err_clear(&t->err);
}

/* Line i of a set. */
static uint64_t line(unsigned set, unsigned i)
{
	return ((uint64_t)i * SETS + set) * LINE_BYTES;
}

/* Fills line i of the set, whose line n was filled n-th: the way whose line was evicted. */
static unsigned way_evicted(struct trial *t, unsigned set, unsigned i)
{
	struct victim v;

	test_fill(t->cache, line(set, i), 1, &v);
	if (v.line == CACHE_NO_LINE)
		return UINT32_MAX;
	return (unsigned)cache_probe(t->cache, line(set, i), 1) % MOST_WAYS;
}

static void a_list_names_the_ways_that_go(void **state)
{
	static const unsigned expected[] = {2, 0, 0, 3, 2, 0, 0, 3, 2};
	struct trial t;

	(void)state;
	assert_true(trial_new(&t, "listed", "test.listed.order=2,0,0,3", MOST_WAYS));
	for (unsigned set = 0; set < 2; set++) {
		for (unsigned i = 0; i < MOST_WAYS; i++)
			assert_int_equal(way_evicted(&t, set, i), UINT32_MAX);
		for (unsigned i = 0; i < ARRAY_LEN(expected); i++)
			assert_int_equal(way_evicted(&t, set, MOST_WAYS + i), expected[i]);
	}
	/* a hit changes nothing, an empty cache begins the list again */
	cache_invalidate_all(t.cache);
	for (unsigned i = 0; i < MOST_WAYS; i++)
		way_evicted(&t, 1, i);
	assert_true(test_lookup(t.cache, line(1, 2), 1) >= 0);
	assert_int_equal(way_evicted(&t, 1, MOST_WAYS), 2);
	trial_free(&t);
}

/* The same lines go first: the default. */
static void the_default_list_keeps_all_ways_but_one(void **state)
{
	struct trial t;

	(void)state;
	assert_true(trial_new(&t, "listed", "test.listed.order=0", MOST_WAYS));
	for (unsigned i = 0; i < 100; i++)
		way_evicted(&t, 3, i);
	for (unsigned i = 1; i < MOST_WAYS; i++)
		assert_true(cache_probe(t.cache, line(3, i), 1) >= 0);
	assert_true(cache_probe(t.cache, line(3, 99), 1) >= 0);
	trial_free(&t);
}

/* 60,000 evictions: a sixth is 10,000 and a deviation of 91; four of them are allowed. */
static void weights_are_probabilities(void **state)
{
	static const unsigned expected[] = {10000, 30000, 10000, 10000};
	unsigned evicted[4] = {0};
	struct trial t;

	(void)state;
	assert_true(trial_new(&t, "weighted", "test.weighted.weights=1,3,1,1", 4));
	for (unsigned i = 0; i < 4 + 60000; i++) {
		struct victim v;

		test_fill(t.cache, line(0, i), 1, &v);
		if (v.line != CACHE_NO_LINE)
			evicted[cache_probe(t.cache, line(0, i), 1)]++;
	}
	for (unsigned w = 0; w < 4; w++)
		if (evicted[w] + 500 < expected[w] || evicted[w] > expected[w] + 500)
			fail_msg("way %u: %u evictions, not about %u", w, evicted[w], expected[w]);
	trial_free(&t);
}

/* Way 1 never goes; more ways than weights take them again. */
static void a_weight_of_zero_keeps_its_way(void **state)
{
	struct trial t;

	(void)state;
	assert_true(trial_new(&t, "weighted", "test.weighted.weights=1,0", MOST_WAYS));
	for (unsigned i = 0; i < 1000; i++) {
		unsigned way = way_evicted(&t, 0, i);

		assert_true(way == UINT32_MAX || way % 2 == 0);
	}
	trial_free(&t);
}

static void what_is_no_list_is_refused(void **state)
{
	static const struct {
		const char *name, *setting, *says;
	} rows[] = {
		{"listed", "test.listed.order=x",
			"test.listed.order = 'x': must be numbers of ways"},
		{"listed", "test.listed.order=0,,1", "must be numbers of ways"},
		{"listed", "test.listed.order=0,1,", "must be numbers of ways"},
		{"listed", "test.listed.order=-1", "must be numbers of ways"},
		{"listed", "test.listed.order=0,8", "there is no way 8; must be below 8 ways"},
		{"weighted", "test.weighted.weights=0", "must be at most 8 numbers, not all 0"},
		{"weighted", "test.weighted.weights=1,2,x", "must be at most 8 numbers"},
		{"weighted", "test.weighted.weights=1,1,1,1,1,1,1,1,1",
			"must be at most 8 numbers"},
		{"weighted", "test.weighted.weights=65536", "must be at most 8 numbers"},
	};
	struct trial t;

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(rows); i++) {
		assert_false(trial_new(&t, rows[i].name, rows[i].setting, MOST_WAYS));
		assert_int_equal(t.err.count, 1);
		if (!strstr(err_text(&t.err), rows[i].says))
			fail_msg("%s: %s", rows[i].setting, err_text(&t.err));
		trial_free(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_list_names_the_ways_that_go),
		cmocka_unit_test(the_default_list_keeps_all_ways_but_one),
		cmocka_unit_test(weights_are_probabilities),
		cmocka_unit_test(a_weight_of_zero_keeps_its_way),
		cmocka_unit_test(what_is_no_list_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
