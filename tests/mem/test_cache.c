/* The tag array and the replacement policies: by hand, and against a naive list. */
#include "mem/cache.h"
#include "tests/rig/policies.h"

#include "core/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

extern const struct plugin replace_lru, replace_fifo, replace_random;

static struct arena memory;
static jmp_buf no_memory;

static int set_up(void **state)
{
	(void)state;
	memory = (struct arena){.escape = &no_memory};
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	arena_free(&memory);
	return 0;
}

static struct cache *new_cache(
	uint64_t bytes, unsigned ways, const struct plugin *policy, unsigned interleave)
{
	struct cache_config config = {
		.bytes = bytes, .ways = ways, .seed = 1, .interleave = interleave, .block = 1};

	if (setjmp(no_memory))
		fail();
	config.replacement = test_policy("replacement", policy->name, &memory);
	return cache_new(&config, &memory);
}

/* ---- by hand: one set of 4 ways, lines named by letters. */
static uint64_t line_of(char letter)
{
	return (uint64_t)(letter - 'a') * LINE_BYTES;
}

/* Reads a string of lines, filling on misses; writes h or m for each. */
static void read_lines(struct cache *c, const char *lines, char *out)
{
	struct victim v;

	for (; *lines; lines++) {
		bool hit = test_lookup(c, line_of(*lines), 0xff) >= 0;

		*out++ = hit ? 'h' : 'm';
		if (!hit)
			assert_false(test_fill(c, line_of(*lines), 0xff, &v));
	}
	*out = 0;
}

static void lru_evicts_the_least_recently_used_way(void **state)
{
	struct cache *c = new_cache(4 * LINE_BYTES, 4, &replace_lru, 1);
	char out[32];

	(void)state;
	/* e evicts b, b evicts c, c evicts d, d evicts a */
	read_lines(c, "abcdaaebcda", out);
	assert_string_equal(out, "mmmmhhmmmmm");
	assert_true(cache_probe(c, line_of('e'), 1) < 0);
	read_lines(c, "bcdaeb", out);
	assert_string_equal(out, "hhhhmm");
}

static void a_line_is_found_whatever_way_is_guessed(void **state)
{
	struct cache *c = new_cache(4 * LINE_BYTES, 4, &replace_lru, 1);
	char out[32];

	(void)state;
	read_lines(c, "abcd", out);
	for (int guess = -1; guess < 6; guess++) {
		int way = cache_probe(c, line_of('c'), 0);

		assert_int_equal(cache_probe_way(c, line_of('c'), guess), way);
		assert_int_equal(cache_probe_way(c, line_of('e'), guess), -1);
	}
}

static void fifo_evicts_the_way_filled_first_whatever_was_read(void **state)
{
	struct cache *c = new_cache(4 * LINE_BYTES, 4, &replace_fifo, 1);
	char out[32];

	(void)state;
	/* e evicts a in spite of its hits, a evicts b, b evicts c */
	read_lines(c, "abcdaaecdab", out);
	assert_string_equal(out, "mmmmhhmhhmm");
	read_lines(c, "deabc", out);
	assert_string_equal(out, "hhhhm");
	assert_true(cache_probe(c, line_of('d'), 1) < 0);
}

static void random_evicts_every_way_and_repeats_with_its_seed(void **state)
{
	struct cache *a = new_cache(8 * LINE_BYTES, 8, &replace_random, 1);
	struct cache *b = new_cache(8 * LINE_BYTES, 8, &replace_random, 1);
	unsigned victims[8] = {0};
	struct victim v;

	(void)state;
	for (uint64_t i = 0; i < 8000; i++) {
		test_fill(a, i * LINE_BYTES, 1, &v);
		test_fill(b, i * LINE_BYTES, 1, &v);
		assert_int_equal(
			cache_probe(a, i * LINE_BYTES, 1), cache_probe(b, i * LINE_BYTES, 1));
		victims[cache_probe(a, i * LINE_BYTES, 1)]++;
	}
	for (unsigned w = 0; w < 8; w++)
		assert_in_range(victims[w], 850, 1150);
}

static void an_invalidated_way_is_filled_before_anything_is_evicted(void **state)
{
	struct cache *c = new_cache(4 * LINE_BYTES, 4, &replace_lru, 1);
	char out[32];

	(void)state;
	read_lines(c, "abcd", out);
	cache_invalidate(c, line_of('c'));
	cache_invalidate(c, line_of('z'));
	read_lines(c, "eabd", out);
	assert_string_equal(out, "mhhh");
	read_lines(c, "fe", out); /* the order is still right: f evicts e, e evicts a */
	assert_string_equal(out, "mm");
	assert_true(cache_probe(c, line_of('a'), 1) < 0);
	cache_invalidate_all(c);
	read_lines(c, "abcdabcd", out);
	assert_string_equal(out, "mmmmhhhh");
}

static void granules_are_valid_one_by_one(void **state)
{
	struct cache *c = new_cache(1024, 2, &replace_lru, 1);
	struct victim v;
	int way;

	(void)state;
	assert_false(test_fill(c, 0x1000, 0x03, &v));
	way = test_lookup(c, 0x1000, 0x01);
	assert_true(way >= 0);
	assert_int_equal(test_lookup(c, 0x1000, 0x04), -1);
	assert_int_equal(test_lookup(c, 0x1000, 0x07), -1);
	assert_false(test_fill(c, 0x1000, 0x0c, &v));
	assert_int_equal(test_lookup(c, 0x1000, 0x0f), way);
	assert_int_equal(cache_probe(c, 0x1000, 0x0f), way);
	assert_int_equal(cache_probe(c, 0x1000, 0x1f), -1);
	cache_invalidate(c, 0x1000);
	assert_int_equal(cache_probe(c, 0x1000, 0x01), -1);
}

static void dirty_victims_carry_granules_and_the_last_writer(void **state)
{
	struct cache *c = new_cache(2 * LINE_BYTES, 2, &replace_lru, 1);
	const struct origin first = {.instr = 5, .sm = 1},
			    second = {.instr = 6, .buffer = 3, .sm = 2};
	struct victim v;

	(void)state;
	assert_false(test_write(c, line_of('a'), 0x01, &first, &v));
	assert_false(test_write(c, line_of('a'), 0x80, &second, &v));
	assert_false(test_fill(c, line_of('a'), 0x02, &v));
	assert_false(test_fill(c, line_of('b'), 0xff, &v));
	assert_true(test_fill(c, line_of('c'), 0xff, &v));
	assert_int_equal(v.line, line_of('a'));
	assert_int_equal(v.dirty, 0x81);
	assert_int_equal(v.owner.instr, 6);
	assert_int_equal(v.owner.buffer, 3);
	assert_int_equal(v.owner.sm, 2);
	/* a clean victim is not written back, and a new line is not dirty */
	assert_false(test_fill(c, line_of('d'), 0xff, &v));
	assert_false(test_fill(c, line_of('e'), 0xff, &v));
}

struct flushed {
	unsigned n;
	struct victim v[8];
};

static void keep(void *ctx, const struct victim *v)
{
	struct flushed *f = ctx;

	f->v[f->n++] = *v;
}

static void a_flush_visits_dirty_lines_once_in_order_and_keeps_them_valid(void **state)
{
	struct cache *c = new_cache(8 * LINE_BYTES, 2, &replace_lru, 1);
	struct flushed f = {0};
	const struct origin who = {.instr = 9};
	struct victim v;

	(void)state;
	test_write(c, 7 * LINE_BYTES, 0x10, &who, &v); /* set 3 */
	test_write(c, 4 * LINE_BYTES, 0x01, &who, &v); /* set 0, way 0 */
	test_fill(c, 1 * LINE_BYTES, 0xff, &v);
	test_write(c, 8 * LINE_BYTES, 0x03, &who, &v); /* set 0, way 1 */
	cache_flush(c, keep, &f);
	assert_int_equal(f.n, 3);
	assert_int_equal(f.v[0].line, 4 * LINE_BYTES);
	assert_int_equal(f.v[1].line, 8 * LINE_BYTES);
	assert_int_equal(f.v[1].dirty, 0x03);
	assert_int_equal(f.v[2].line, 7 * LINE_BYTES);
	assert_int_equal(f.v[2].owner.instr, 9);
	assert_true(cache_probe(c, 7 * LINE_BYTES, 0x10) >= 0);
	cache_flush(c, keep, &f);
	assert_int_equal(f.n, 3);
}

static void a_cache_of_no_bytes_misses_always_and_keeps_nothing(void **state)
{
	struct cache *c = new_cache(0, 4, &replace_lru, 1);
	struct flushed f = {0};
	const struct origin who = {0};
	struct victim v;

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(test_lookup(c, 0, 1), -1);
		assert_false(test_fill(c, 0, 0xff, &v));
		assert_false(test_write(c, 0, 0xff, &who, &v));
		assert_int_equal(cache_probe(c, 0, 1), -1);
	}
	cache_invalidate(c, 0);
	cache_invalidate_all(c);
	cache_flush(c, keep, &f);
	assert_int_equal(f.n, 0);
}

static void a_resized_cache_is_empty_and_has_its_new_capacity(void **state)
{
	struct cache *c = new_cache(64 * 1024, 4, &replace_lru, 1);
	const uint64_t sizes[] = {64 * 1024, 12 * 1024, 0, 512, 60 * 1024};
	struct victim v;

	(void)state;
	for (unsigned s = 0; s < ARRAY_LEN(sizes); s++) {
		uint64_t lines = sizes[s] / LINE_BYTES, hits = 0;

		cache_resize(c, sizes[s]);
		for (uint64_t i = 0; i < lines; i++)
			assert_int_equal(cache_probe(c, i * LINE_BYTES, 1), -1);
		for (uint64_t i = 0; i < 600; i++)
			test_fill(c, i * LINE_BYTES, 0xff, &v);
		for (uint64_t i = 0; i < 600; i++)
			hits += cache_probe(c, i * LINE_BYTES, 1) >= 0;
		assert_int_equal(hits, lines);
	}
}

/* ---- against a naive oracle: each set a list of lines, the next victim last. */
struct item {
	uint64_t line;
	uint8_t valid, dirty;
	uint32_t instr;
};

struct oracle {
	struct item (*sets)[32];
	unsigned *filled;
	uint64_t nsets;
	unsigned ways, interleave;
	bool lru;
};

static struct item *oracle_find(struct oracle *o, uint64_t line, uint64_t *set, unsigned *at)
{
	*set = line / LINE_BYTES / o->interleave % o->nsets;
	for (*at = 0; *at < o->filled[*set]; ++*at)
		if (o->sets[*set][*at].line == line)
			return &o->sets[*set][*at];
	return NULL;
}

static void oracle_front(struct oracle *o, uint64_t set, unsigned at, struct item item)
{
	memmove(&o->sets[set][1], &o->sets[set][0], at * sizeof(item));
	o->sets[set][0] = item;
}

/* A hit moves a line to the front under LRU; returns whether all granules are valid. */
static bool oracle_lookup(struct oracle *o, uint64_t line, uint8_t granules, bool touch)
{
	uint64_t set;
	unsigned at;
	struct item *item = oracle_find(o, line, &set, &at);

	if (!item || (item->valid & granules) != granules)
		return false;
	if (touch && o->lru)
		oracle_front(o, set, at, *item);
	return true;
}

/* Makes granules valid, and dirty for instruction `instr` if that is not 0. */
static bool oracle_fill(
	struct oracle *o, uint64_t line, uint8_t granules, uint32_t instr, struct item *victim)
{
	uint64_t set;
	unsigned at;
	struct item *found = oracle_find(o, line, &set, &at), item = {.line = line};
	bool evicts = !found && o->filled[set] == o->ways;

	if (found)
		item = *found;
	else if (evicts)
		*victim = o->sets[set][--at];
	else
		o->filled[set]++;
	item.valid |= granules;
	if (instr) {
		item.dirty |= granules;
		item.instr = instr;
	}
	if (found && !o->lru)
		*found = item;
	else
		oracle_front(o, set, at, item);
	return evicts && victim->dirty;
}

static void oracle_drop(struct oracle *o, uint64_t line)
{
	uint64_t set;
	unsigned at;

	if (!oracle_find(o, line, &set, &at))
		return;
	o->filled[set]--;
	memmove(&o->sets[set][at], &o->sets[set][at + 1],
		(o->filled[set] - at) * sizeof(struct item));
}

static void fill_both(
	struct cache *c, struct oracle *o, uint64_t line, uint8_t granules, uint32_t instr)
{
	const struct origin who = {.instr = instr};
	struct item expected = {0};
	struct victim v = {0};
	bool dirty = oracle_fill(o, line, granules, instr, &expected);

	if (instr)
		assert_int_equal(test_write(c, line, granules, &who, &v), dirty);
	else
		assert_int_equal(test_fill(c, line, granules, &v), dirty);
	if (!dirty)
		return;
	assert_int_equal(v.line, expected.line);
	assert_int_equal(v.dirty, expected.dirty);
	assert_int_equal(v.owner.instr, expected.instr);
}

struct flush_check {
	struct oracle *o;
	uint64_t last_set;
	unsigned n;
};

static void check_flushed(void *ctx, const struct victim *v)
{
	struct flush_check *f = ctx;
	uint64_t set;
	unsigned at;
	struct item *item = oracle_find(f->o, v->line, &set, &at);

	assert_non_null(item);
	assert_int_equal(v->dirty, item->dirty);
	assert_int_equal(v->owner.instr, item->instr);
	assert_true(set >= f->last_set);
	f->last_set = set;
	item->dirty = 0;
	f->n++;
}

static void check_flush(struct cache *c, struct oracle *o)
{
	struct flush_check f = {.o = o};
	unsigned left = 0;

	cache_flush(c, check_flushed, &f);
	for (uint64_t s = 0; s < o->nsets; s++)
		for (unsigned i = 0; i < o->filled[s]; i++)
			left += o->sets[s][i].dirty != 0;
	assert_int_equal(left, 0);
	assert_true(f.n > 0);
}

static void blocks_of_lines_between_gaps_fill_every_set(void **state)
{
	struct cache_config config = {.bytes = 64 * 1024,
		.ways = 8,
		.replacement = test_policy("replacement", "lru", &memory),
		.interleave = 12,
		.block = 2};
	struct cache *c = cache_new(&config, &memory);
	struct victim victim;
	(void)state;

	/* as many lines as it holds, two of every 24 */
	for (uint64_t i = 0; i < 512; i++)
		test_fill(c, (i / 2 * 24 + i % 2) * LINE_BYTES, 0xff, &victim);
	for (uint64_t i = 0; i < 512; i++)
		assert_true(cache_probe(c, (i / 2 * 24 + i % 2) * LINE_BYTES, 0xff) >= 0);
}

struct geometry {
	uint64_t bytes;
	unsigned ways, interleave;
	uint64_t base; /* of the addresses used */
};

static void play(const struct geometry *g, bool lru, uint64_t seed)
{
	struct cache *c =
		new_cache(g->bytes, g->ways, lru ? &replace_lru : &replace_fifo, g->interleave);
	struct oracle o = {.nsets = g->bytes / LINE_BYTES / g->ways,
		.ways = g->ways,
		.interleave = g->interleave,
		.lru = lru};
	uint32_t lines = (uint32_t)(g->bytes / LINE_BYTES) * 3 / 2;
	struct rng r = rng_new(seed, 0);

	o.sets = arena_alloc(&memory, o.nsets, sizeof(*o.sets));
	o.filled = arena_alloc(&memory, o.nsets, sizeof(*o.filled));
	for (uint32_t i = 1; i < 40000; i++) {
		uint64_t line =
			g->base + (uint64_t)rng_below(&r, lines) * LINE_BYTES * g->interleave;
		uint8_t granules = (uint8_t)(rng_below(&r, 255) + 1);
		uint32_t act = rng_below(&r, 100);

		if (act < 50 && (test_lookup(c, line, granules) >= 0) !=
					oracle_lookup(&o, line, granules, true))
			fail_msg("lookup %u", i);
		if (act >= 45 && act < 75)
			fill_both(c, &o, line, granules, 0);
		else if (act >= 75 && act < 95)
			fill_both(c, &o, line, granules, i);
		else if (act >= 95 && act < 97)
			cache_invalidate(c, line), oracle_drop(&o, line);
		assert_int_equal(cache_probe(c, line, granules) >= 0,
			oracle_lookup(&o, line, granules, false));
	}
	check_flush(c, &o);
}

static void random_traces_agree_with_a_naive_list(void **state)
{
	static const struct geometry geometries[] = {
		{64 * 1024, 4, 1, 0},
		{3 * 2 * 128, 2, 1, 0x10000000},
		{348 * 1024, 4, 1, 0x10000000},
		{64 * 1024, 4, 12, 0x10000000},
		{8 * 1024, 32, 1, 0},
		{16 * 1024, 1, 1, 0x123456780000},
		{7 * 5 * 128, 5, 7, 0x7ffffff000},
		{128, 1, 1, 0},
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(geometries); i++) {
		play(&geometries[i], true, i);
		play(&geometries[i], false, 100 + i);
	}
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(blocks_of_lines_between_gaps_fill_every_set),
		TEST(lru_evicts_the_least_recently_used_way),
		TEST(a_line_is_found_whatever_way_is_guessed),
		TEST(fifo_evicts_the_way_filled_first_whatever_was_read),
		TEST(random_evicts_every_way_and_repeats_with_its_seed),
		TEST(an_invalidated_way_is_filled_before_anything_is_evicted),
		TEST(granules_are_valid_one_by_one),
		TEST(dirty_victims_carry_granules_and_the_last_writer),
		TEST(a_flush_visits_dirty_lines_once_in_order_and_keeps_them_valid),
		TEST(a_cache_of_no_bytes_misses_always_and_keeps_nothing),
		TEST(a_resized_cache_is_empty_and_has_its_new_capacity),
		TEST(random_traces_agree_with_a_naive_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
