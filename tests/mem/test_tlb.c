/* TLBs: which set a page belongs to, and which page a set evicts. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "core/base.h"
#include "mem/tlb.h"

#define FERMI 7
static jmp_buf no_memory;
static const uint32_t fermi[FERMI] = {17, 8, 8, 8, 8, 8, 8};

static struct tlb *made(struct arena *a, const uint32_t *ways, unsigned sets, enum tlb_map map)
{
	return tlb_new(&(struct tlb_config){ways, sets, map}, a);
}

/* Pages first .. first + n - 1 in turn, twice. Returns the misses of the second time. */
static unsigned second_misses(struct tlb *t, uint64_t first, uint64_t n)
{
	unsigned misses = 0;

	tlb_empty(t);
	for (uint64_t i = 0; i < 2 * n; i++) {
		bool hit = tlb_use(t, first + i % n);

		if (!hit)
			tlb_fill(t, first + i % n);
		misses += i >= n && !hit;
	}
	return misses;
}

static void the_least_recently_used_page_of_a_set_is_evicted(void **state)
{
	struct arena a = {.escape = &no_memory};
	const uint32_t ways = 3;
	struct tlb *t = made(&a, &ways, 1, TLB_MODULO);

	(void)state;
	for (uint64_t page = 0; page < 3; page++)
		assert_int_equal(tlb_fill(t, page), TLB_NO_PAGE);
	assert_true(tlb_use(t, 0));
	assert_true(tlb_holds(t, 1)); /* looking is no use of it */
	assert_int_equal(tlb_fill(t, 3), 1);
	assert_int_equal(tlb_fill(t, 0), TLB_NO_PAGE); /* it is present: a use */
	assert_int_equal(tlb_fill(t, 4), 2);
	assert_int_equal(tlb_fill(t, 5), 3);
	assert_false(tlb_use(t, 3));
	tlb_empty(t);
	for (uint64_t page = 0; page < 6; page++)
		assert_false(tlb_holds(t, page));
	assert_int_equal(tlb_fill(t, 0), TLB_NO_PAGE);
	arena_free(&a);
}

/* Mei et al., NPC 2014, figure 11: beyond 65 pages whole sets miss, the one of 17 first. */
static void unequal_sets_miss_one_after_the_other(void **state)
{
	static const unsigned missed[] = {0, 18, 27, 36, 45, 54, 63, 72};
	struct arena a = {.escape = &no_memory};
	struct tlb *t = made(&a, fermi, FERMI, TLB_WRAP);

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(missed); i++)
		assert_int_equal(second_misses(t, 0, 65 + i), missed[i]);
	for (uint64_t first = 1; first < 200; first += 7)
		assert_int_equal(second_misses(t, first, 65), 0);
	arena_free(&a);
}

static void modulo_leaves_the_larger_set_half_empty(void **state)
{
	struct arena a = {.escape = &no_memory};
	struct tlb *t = made(&a, fermi, FERMI, TLB_MODULO);

	(void)state;
	for (uint64_t page = 0; page < 100; page++)
		assert_int_equal(tlb_set(t, page), page % 7);
	assert_int_equal(second_misses(t, 0, 56), 0);
	assert_int_equal(second_misses(t, 0, 65), 10 + 5 * 9);
	arena_free(&a);
}

/* All entries of any sets hold as many consecutive pages. */
static void wrapped_pages_fill_all_sets(void **state)
{
	static const uint32_t sets[][4] = {{1, 1, 1, 1}, {1, 9, 2, 1}, {5, 3, 4, 3}, {2, 2, 2, 7}};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(sets); i++) {
		struct arena a = {.escape = &no_memory};
		struct tlb *t = made(&a, sets[i], 4, TLB_WRAP);
		uint32_t all = 0, of[4] = {0};

		for (unsigned s = 0; s < 4; s++)
			all += sets[i][s];
		for (uint32_t page = 0; page < all; page++)
			of[tlb_set(t, 3 * all + page)]++;
		assert_memory_equal(of, sets[i], sizeof(of));
		assert_int_equal(second_misses(t, 12345, all), 0);
		assert_true(second_misses(t, 12345, all + 1) > 0);
		arena_free(&a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_least_recently_used_page_of_a_set_is_evicted),
		cmocka_unit_test(unequal_sets_miss_one_after_the_other),
		cmocka_unit_test(modulo_leaves_the_larger_set_half_empty),
		cmocka_unit_test(wrapped_pages_fill_all_sets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
