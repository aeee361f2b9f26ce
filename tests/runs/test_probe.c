/* The prober on hidden machines that are hard to find out, and on some outside its hypotheses: of
 * those it says "not determined". tests/long/test_probe_hidden.c draws machines at random. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "core/mem.h"
#include "runs/probe/inside.h"
#include "tests/rig/hidden_check.h"

/* The report, which is the arena's. */
static const struct probe_report *probe(struct hidden *h, unsigned parts, struct arena *arena)
{
	struct probe_report *r = arena_alloc(arena, 1, sizeof(*r));
	struct verbs v = hidden_verbs(h);
	struct err err = {0};

	hidden_start(h);
	assert_int_equal(probe_all(&v, parts, arena, r, &err), 0);
	hidden_stop(h);
	return r;
}

/* 16 KB of L1, 256 KB of L2, two TLBs. */
static struct hidden *plain(void)
{
	struct hidden *h = mem_alloc(1, sizeof(*h));

	hidden_draw(h, 3);
	h->l1 = (struct hidden_cache){
		.present = true, .line = 128, .fill = 128, .sets = 32, .ways = 4, .block = 1};
	h->l2 = (struct hidden_cache){.present = true,
		.line = 128,
		.fill = 128,
		.sets = 64,
		.ways = 8,
		.slices = 4,
		.block = 2};
	h->cg_is_ca = false;
	h->needs_tlb = true;
	h->near = 30;
	h->second = 200;
	h->far = 500;
	h->tlb2_cycles = 20;
	h->walk = 50;
	h->code = 8;
	return h;
}

/* All of it is determined, and right. */
static void is_found_out(struct hidden *h, unsigned parts)
{
	struct hidden_score score = {0};

	hidden_judge(h, parts, &score);
	mem_free(h);
	assert_int_equal(score.wrong, 0);
	assert_int_equal(score.unknown, 0);
}

static void a_plain_machine_is_found_out(void **state)
{
	(void)state;
	is_found_out(plain(), PROBE_ALL);
}

static void classes_three_cycles_apart_are_told_apart(void **state)
{
	struct hidden *h = plain();

	(void)state;
	h->second = h->near + 3;
	h->far = h->second + 3;
	h->pass = 0;
	h->page = 0;
	h->tlb1.present = h->tlb2.present = false;
	is_found_out(h, PROBE_LATENCY | PROBE_L1 | PROBE_L2);
}

static void an_l1_as_large_as_the_l2_is_found_out(void **state)
{
	struct hidden *h = plain();

	(void)state;
	h->l2.slices = 1;
	h->l2.sets = 32;
	h->l2.ways = 4;
	h->code = 0;
	h->page = 0;
	h->tlb1.present = h->tlb2.present = false;
	is_found_out(h, PROBE_LATENCY | PROBE_L1 | PROBE_L2);
}

static void without_an_l1_there_is_none(void **state)
{
	struct hidden *h = plain();

	(void)state;
	h->l1.present = false;
	is_found_out(h, PROBE_LATENCY | PROBE_L1 | PROBE_L2 | PROBE_TLB);
}

/* Latency by slice widens the classes of what comes from the slices. */
static void a_mesh_hides_no_geometry(void **state)
{
	struct hidden *h = plain();

	(void)state;
	h->hop = 7;
	is_found_out(h, PROBE_LATENCY | PROBE_L1 | PROBE_L2);
}

static void rows_of_banked_dram_hide_no_geometry(void **state)
{
	struct hidden *h = plain();

	(void)state;
	h->row = 90;
	is_found_out(h, PROBE_LATENCY | PROBE_L1 | PROBE_L2 | PROBE_TLB);
}

/* Slices by a hash, 48 sets in each: parities and a remainder together. */
static void a_hash_over_slices_of_48_sets_is_found_out(void **state)
{
	struct hidden *h = plain();

	(void)state;
	h->l2.slice_hash = true;
	h->l2.sets = 48;
	is_found_out(h, PROBE_L2);
}

/* Four lines in a row share a set: none is taken for a part of the one before. */
static void lines_whose_neighbours_share_their_set_are_found_out(void **state)
{
	struct hidden *h = plain();

	(void)state;
	h->l1.index = HIDDEN_SHIFTED;
	h->l1.shift = 2;
	is_found_out(h, PROBE_L1);
}

/* 23 sets of eight lines in a row: the remainder alone, without a parity that holds by chance. */
static void sets_of_a_remainder_are_not_doubled_by_a_parity(void **state)
{
	struct hidden *h = plain();

	(void)state;
	h->l1.index = HIDDEN_SHIFTED;
	h->l1.shift = 3;
	h->l1.sets = 23;
	is_found_out(h, PROBE_L1);
}

/* Of them 12, of 96 sets each: one remainder by 1,152. */
static void slices_that_are_no_power_of_two_are_found_out(void **state)
{
	struct hidden *h = plain();

	(void)state;
	h->l2.slices = 12;
	h->l2.sets = 96;
	is_found_out(h, PROBE_L2);
}

static bool is_known(const struct probe_report *r, const char *level, const char *item)
{
	const struct finding *f = probe_find(r, level, item);

	if (f && f->known)
		print_message("%s, %s: %s\n", level, item, f->value);
	return f && f->known;
}

/* Nothing of the level's sets is known, and there is a reason. */
static void expect_nothing_known(const struct probe_report *r, const char *level)
{
	static const char *const items[] = {"capacity", "sets", "ways", "index", "replacement"};
	bool said = false;

	for (unsigned i = 0; i < 5; i++) {
		const struct finding *f = probe_find(r, level, items[i]);

		assert_false(is_known(r, level, items[i]));
		said |= f && strlen(f->value) > 20;
	}
	assert_true(said || probe_find(r, level, "line"));
}

static void is_not_determined(struct hidden *h, unsigned part, const char *level)
{
	struct arena arena = {0};
	jmp_buf escape;

	arena.escape = &escape;
	assert_int_equal(setjmp(escape), 0);
	expect_nothing_known(probe(h, part, &arena), level);
	arena_free(&arena);
	mem_free(h);
}

/* 16 sets of 4 ways, as a regular cache has, too. */
static struct hidden *outside(void)
{
	struct hidden *h = plain();

	h->l1.sets = 16;
	return h;
}

static void nothing_is_known_of_a_skewed_cache(void **state)
{
	struct hidden *h = outside();

	(void)state;
	h->l1.index = HIDDEN_SKEWED;
	is_not_determined(h, PROBE_L1, "L1");
}

static void nothing_is_known_of_a_cache_with_a_victim_cache(void **state)
{
	struct hidden *h = outside();

	(void)state;
	h->l1.victims = 4;
	is_not_determined(h, PROBE_L1, "L1");
}

static void nothing_is_known_of_a_cache_with_a_prefetcher(void **state)
{
	struct hidden *h = outside();

	(void)state;
	h->l1.prefetches = true;
	is_not_determined(h, PROBE_L1, "L1");
}

static void nothing_is_known_of_an_l2_below_pages_placed_at_random(void **state)
{
	struct hidden *h = plain();

	(void)state;
	h->random_pages = true;
	is_not_determined(h, PROBE_L2, "L2");
}

/* Its sets can be found one by one; a function of the address there is none. */
static void no_index_is_made_up_for_pages_placed_at_random(void **state)
{
	struct hidden *h = plain();
	const struct finding *f;
	struct arena arena = {0};
	jmp_buf escape;

	(void)state;
	h->random_pages = true;
	h->l1.sets = 128;
	h->l1.ways = 2;
	arena.escape = &escape;
	assert_int_equal(setjmp(escape), 0);
	f = probe_find(probe(h, PROBE_L1, &arena), "L1", "index");
	assert_true(f && (!f->known || !strncmp(f->value, "by table", 8)));
	arena_free(&arena);
	mem_free(h);
}

/* An access that neither TLB has and the L2 has takes as long as one to DRAM. */
static void walks_as_long_as_dram_are_not_taken_for_misses(void **state)
{
	struct hidden_score score = {0};
	struct hidden *h = plain();

	(void)state;
	h->walk = h->far - h->second;
	hidden_judge(h, PROBE_L1 | PROBE_L2 | PROBE_TLB, &score);
	mem_free(h);
	assert_int_equal(score.wrong, 0);
}

/* Then times of the L1's misses and of the TLB's are mixed. */
static void an_l1_that_needs_no_translation_hides_the_tlbs(void **state)
{
	struct hidden *h = plain();

	(void)state;
	h->cg_is_ca = true;
	h->needs_tlb = false;
	is_not_determined(h, PROBE_TLB, "L1 TLB");
}

static void pages_whose_data_do_not_stay_in_the_l2_count_no_entries(void **state)
{
	struct hidden_score score = {0};
	struct hidden *h = plain();

	(void)state;
	h->l2.slices = 1;
	h->l2.sets = 16;
	h->l2.ways = 4;
	hidden_judge(h, PROBE_TLB, &score);
	mem_free(h);
	assert_int_equal(score.wrong, 0);
}

/* Bit 10 is set in none of the units below 16: half of the draws are of a set without any. */
static void a_set_without_units_ends_the_drawing_of_them(void **state)
{
	struct prober p = {.rng = rng_new(1, 0)};
	struct level l = {.ways = 1, .unit = 128, .capacity = 1};
	struct guess g = {.sets = 2, .modulus = 1, .bits = 4, .mask = {1 << 10}, .masks = 1};
	unsigned drawn = 0;
	uint32_t unit;

	(void)state;
	for (unsigned i = 0; i < 40; i++)
		drawn += guess_units(&p, &l, &g, 1, &unit);
	assert_true(drawn > 8 && drawn < 32);
}

/* ---- pictures */
static struct hidden *without_pages(void)
{
	struct hidden *h = plain();

	h->l1.policy = h->l2.policy = HIDDEN_LRU;
	h->pass = 0;
	h->page = 0;
	h->tlb1.present = h->tlb2.present = false;
	return h;
}

/* A second pass in order finds all of a footprint that fits, and nothing of one twice as large. */
static void stairs_rise_where_a_cache_ends(void **state)
{
	struct arena arena = {0};
	struct hidden *h = without_pages();
	const struct probe_report *r;
	unsigned strides = 0;
	jmp_buf escape;

	(void)state;
	arena.escape = &escape;
	assert_int_equal(setjmp(escape), 0);
	r = probe(h, PROBE_STAIRS, &arena);
	for (unsigned i = 0; i < r->nstairs; i++) {
		const struct probe_stair *s = &r->stairs[i];

		strides += !i || s->stride != r->stairs[i - 1].stride;
		if (s->stride != 128)
			continue;
		if (s->footprint <= 16 << 10)
			assert_true(s->cycles == h->near);
		else if (s->footprint >= 32 << 10 && s->footprint <= 128 << 10)
			assert_true(s->cycles == h->second);
		else if (s->footprint == 512 << 10)
			assert_true(s->cycles == h->far);
	}
	assert_int_equal(strides, 5);
	arena_free(&arena);
	mem_free(h);
}

/* Units have one set in the map exactly if they have one in the cache. */
static void a_map_has_the_sets_of_the_cache(void **state)
{
	struct arena arena = {0};
	struct hidden *h = without_pages();
	const struct probe_map *m;
	jmp_buf escape;

	(void)state;
	h->l1.index = HIDDEN_XOR;
	arena.escape = &escape;
	assert_int_equal(setjmp(escape), 0);
	m = probe(h, PROBE_L1, &arena)->maps;
	assert_string_equal(m->level, "L1");
	assert_int_equal(m->unit, 128);
	assert_int_equal(m->capacity, 128);
	assert_int_equal(m->sets, 32);
	assert_true(m->n >= 256);
	for (uint32_t i = 0; i < m->n; i++)
		for (uint32_t k = 0; k < i; k++)
			assert_true((m->set_of[i] == m->set_of[k]) ==
				    (hidden_cache_set(&h->l1, i * 128) ==
					    hidden_cache_set(&h->l1, k * 128)));
	for (uint32_t i = 0; i < m->sets; i++)
		assert_int_equal(m->ways[i], 4);
	arena_free(&arena);
	mem_free(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_plain_machine_is_found_out),
		cmocka_unit_test(classes_three_cycles_apart_are_told_apart),
		cmocka_unit_test(an_l1_as_large_as_the_l2_is_found_out),
		cmocka_unit_test(without_an_l1_there_is_none),
		cmocka_unit_test(a_mesh_hides_no_geometry),
		cmocka_unit_test(rows_of_banked_dram_hide_no_geometry),
		cmocka_unit_test(a_hash_over_slices_of_48_sets_is_found_out),
		cmocka_unit_test(lines_whose_neighbours_share_their_set_are_found_out),
		cmocka_unit_test(sets_of_a_remainder_are_not_doubled_by_a_parity),
		cmocka_unit_test(slices_that_are_no_power_of_two_are_found_out),
		cmocka_unit_test(nothing_is_known_of_a_skewed_cache),
		cmocka_unit_test(nothing_is_known_of_a_cache_with_a_victim_cache),
		cmocka_unit_test(nothing_is_known_of_a_cache_with_a_prefetcher),
		cmocka_unit_test(nothing_is_known_of_an_l2_below_pages_placed_at_random),
		cmocka_unit_test(no_index_is_made_up_for_pages_placed_at_random),
		cmocka_unit_test(walks_as_long_as_dram_are_not_taken_for_misses),
		cmocka_unit_test(an_l1_that_needs_no_translation_hides_the_tlbs),
		cmocka_unit_test(pages_whose_data_do_not_stay_in_the_l2_count_no_entries),
		cmocka_unit_test(a_set_without_units_ends_the_drawing_of_them),
		cmocka_unit_test(stairs_rise_where_a_cache_ends),
		cmocka_unit_test(a_map_has_the_sets_of_the_cache),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
