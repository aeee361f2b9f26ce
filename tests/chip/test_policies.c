/* Policies that learn, by the numbers that their papers imply: DRRIP and SHiP for caches, PAR-BS
 * for DRAM. */
#include "core/base.h"
#include "tests/rig/dram_rig.h"
#include "tests/rig/policies.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static jmp_buf no_memory;

/* ---- caches: 128 sets of 8 ways */
enum { SETS = 128, WAYS = 8, LINES = SETS * WAYS };

struct trial {
	struct arena memory;
	struct cache *cache;
	struct policy *policy;
	uint64_t looks, hits;
};

static void trial_new(struct trial *t, const char *replacement)
{
	struct cache_config config = {.bytes = (uint64_t)LINES * LINE_BYTES,
		.ways = WAYS,
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

/* The instruction at that PTX line reads the given line. */
static void look(struct trial *t, uint64_t number, unsigned ptx_line)
{
	struct cache_access a = {.line = number * LINE_BYTES,
		.cycle = t->looks,
		.ptx_line = (uint16_t)ptx_line,
		.kind = PACKET_READ};
	struct victim v;

	t->looks++;
	if (cache_lookup(t->cache, 0xff, &a) >= 0) {
		t->hits++;
		return;
	}
	a.fill = true;
	cache_fill(t->cache, 0xff, &a, &v);
}

static double rate(const struct trial *t)
{
	return (double)t->hits / (double)t->looks;
}

static double cycle_of(const char *replacement, unsigned lines, unsigned rounds)
{
	struct trial t;
	double hits;

	trial_new(&t, replacement);
	for (unsigned r = 0; r < rounds; r++)
		for (unsigned i = 0; i < lines; i++)
			look(&t, i, 1);
	hits = rate(&t);
	arena_free(&t.memory);
	return hits;
}

static void a_cycle_over_twice_the_capacity_hits_with_drrip_alone(void **state)
{
	(void)state;
	assert_true(cycle_of("lru", 2 * LINES, 40) == 0);
	assert_true(cycle_of("drrip", 2 * LINES, 40) >= 0.4);
}

static void a_cycle_that_fits_hits_with_drrip_as_with_lru(void **state)
{
	(void)state;
	assert_true(cycle_of("drrip", LINES, 40) >= cycle_of("lru", LINES, 40));
}

/* Three of four reads are of the hot tenth of lines one and a half times the capacity. */
static double friendly(const char *replacement)
{
	struct rng r = rng_new(7, 0);
	struct trial t;
	double hits;

	trial_new(&t, replacement);
	for (unsigned i = 0; i < 400000; i++)
		look(&t, rng_below(&r, rng_below(&r, 4) ? LINES * 3 / 20 : LINES * 3 / 2), 1);
	hits = rate(&t);
	arena_free(&t.memory);
	return hits;
}

/* A window that moves on slowly: what was used last is used next. */
static double recent(const char *replacement)
{
	struct rng r = rng_new(9, 0);
	struct trial t;
	double hits;

	trial_new(&t, replacement);
	for (unsigned i = 0; i < 400000; i++)
		look(&t, i / 40 + rng_below(&r, LINES * 3 / 4), 1);
	hits = rate(&t);
	arena_free(&t.memory);
	return hits;
}

static void drrip_loses_two_percent_at_most_where_lru_is_good(void **state)
{
	(void)state;
	assert_true(friendly("drrip") >= 0.98 * friendly("lru"));
	assert_true(recent("drrip") >= 0.98 * recent("lru"));
}

static void a_cache_of_one_set_has_no_leaders_and_works(void **state)
{
	struct cache_config config = {
		.bytes = 4 * LINE_BYTES, .ways = 4, .seed = 1, .interleave = 1, .block = 1};
	struct trial t = {0};

	(void)state;
	t.memory.escape = &no_memory;
	if (setjmp(no_memory))
		fail();
	config.replacement = test_policy("replacement", "drrip", &t.memory);
	t.cache = cache_new(&config, &t.memory);
	for (unsigned i = 0; i < 400; i++)
		look(&t, i % 4, 1);
	assert_int_equal(t.hits, 396);
	arena_free(&t.memory);
}

/* PTX line 10 reads half of the cache twice in a row, again and again, line 20 a stream of four
 * times as much in between: the share of line 10's reads right after the stream that hit. */
static double beside_a_stream(const char *replacement)
{
	uint64_t kept = 0, of = 0, stream = 1 << 20;
	struct trial t;

	trial_new(&t, replacement);
	for (unsigned r = 0; r < 40; r++) {
		uint64_t before = t.hits;

		for (unsigned i = 0; i < LINES / 2; i++)
			look(&t, i, 10);
		kept += t.hits - before;
		of += LINES / 2;
		for (unsigned i = 0; i < LINES / 2; i++)
			look(&t, i, 10);
		for (unsigned i = 0; i < 4 * LINES; i++)
			look(&t, stream++, 20);
	}
	arena_free(&t.memory);
	return (double)kept / (double)of;
}

static void ship_learns_which_ptx_line_streams(void **state)
{
	(void)state;
	assert_true(beside_a_stream("lru") == 0);
	assert_true(beside_a_stream("ship") > 0.9);
}

/* What an atomic drops from the cache is neither used nor lost; a resize forgets lines only. */
static void learning_policies_outlive_invalidation(void **state)
{
	static const char *const names[] = {"drrip", "ship"};

	(void)state;
	for (unsigned n = 0; n < ARRAY_LEN(names); n++) {
		struct trial t;

		trial_new(&t, names[n]);
		for (unsigned i = 0; i < 20000; i++) {
			look(&t, i * 7 % 3000, i % 5);
			if (i % 11 == 0)
				cache_invalidate(t.cache, (uint64_t)(i * 7 % 3000) * LINE_BYTES);
			if (i % 5000 == 4999)
				cache_resize(t.cache, LINE_BYTES * (LINES >> i / 5000));
		}
		assert_true(t.hits > 1000);
		arena_free(&t.memory);
	}
}

/* ---- DRAM: SMs that each keep some reads outstanding, until all have had theirs */
enum { SMS = 4, READS = 400 };

struct reader {
	unsigned outstanding, asked, done;
	uint64_t end; /* CK */
};

/* SM 0 reads one row again and again; each other one rows at random, in the same bank or another.
 */
static uint64_t burst_of(unsigned sm, struct rng *r)
{
	uint64_t row = 1 + rng_below(r, 1000), bank = sm == 1 ? 0 : sm;

	return sm == 0 ? rng_below(r, 16) : row << 10 | bank << 6 | rng_below(r, 16);
}

/* Until the readers of `who` are done; the others continue. Returns SM `sm`'s clocks. */
static uint64_t clocks_of(const char *scheduler, unsigned who, unsigned sm)
{
	const char *const settings[] = {"dram.device", "gtx480", "dram.map", "RoBaBgCo",
		"dram.scheduler", scheduler, "dram.max_wait", "100000", NULL};
	struct dram_rig d = dram_rig_new(settings);
	struct controller *c = &d.r->controller;
	struct reader reader[SMS] = {0};
	struct rng r = rng_new(3, 0);

	for (uint64_t clock = 0; !reader[sm].end; clock++) {
		struct dram_event e;

		while (controller_advance(c, clock, &e)) {
			if (e.command != DRAM_READ)
				continue;
			reader[e.user].outstanding--;
			if (++reader[e.user].done == READS)
				reader[e.user].end = e.end;
		}
		for (unsigned i = 0; i < SMS; i++) {
			unsigned most = i ? 2 : 24;

			if (!(who >> i & 1) || reader[i].outstanding == most ||
				!controller_space(c, DRAM_READ))
				continue;
			controller_offer_of(c, controller_request(c, DRAM_READ, 1, i),
				burst_of(i, &r), i, clock);
			reader[i].outstanding++;
			break;
		}
	}
	dram_rig_free(d);
	return reader[sm].end;
}

/* How many times longer the most slowed SM takes beside the others than alone. */
static double slowdown(const char *scheduler)
{
	double most = 0;

	for (unsigned sm = 0; sm < SMS; sm++) {
		double beside = (double)clocks_of(scheduler, (1 << SMS) - 1, sm);
		double alone = (double)clocks_of(scheduler, 1u << sm, sm);

		most = beside / alone > most ? beside / alone : most;
	}
	return most;
}

static void batches_halve_what_a_stream_of_row_hits_costs_the_most_slowed(void **state)
{
	double open = slowdown("frfcfs"), batches = slowdown("parbs");

	(void)state;
	if (batches > open / 2)
		fail_msg("slowed %.2f times by parbs, %.2f by frfcfs", batches, open);
}

static void every_dram_scheduler_serves_every_burst_once(void **state)
{
	(void)state;
	for (size_t i = 0; plugins[i]; i++) {
		if (strcmp(plugins[i]->kind, "dram scheduler"))
			continue;
		for (unsigned sm = 0; sm < SMS; sm++)
			assert_true(clocks_of(plugins[i]->name, (1 << SMS) - 1, sm) > 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cycle_over_twice_the_capacity_hits_with_drrip_alone),
		cmocka_unit_test(a_cycle_that_fits_hits_with_drrip_as_with_lru),
		cmocka_unit_test(drrip_loses_two_percent_at_most_where_lru_is_good),
		cmocka_unit_test(a_cache_of_one_set_has_no_leaders_and_works),
		cmocka_unit_test(ship_learns_which_ptx_line_streams),
		cmocka_unit_test(learning_policies_outlive_invalidation),
		cmocka_unit_test(batches_halve_what_a_stream_of_row_hits_costs_the_most_slowed),
		cmocka_unit_test(every_dram_scheduler_serves_every_burst_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
