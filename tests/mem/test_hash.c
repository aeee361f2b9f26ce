/* Hashes: every policy distributes rows and strides evenly, and caches find what they hashed. */
#include "mem/hash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "core/base.h"
#include "mem/cache.h"
#include "tests/rig/policies.h"

#define PLACES 64u

extern const struct plugin hash_modulo, hash_xor, hash_polynomial, hash_fermi;

static uint64_t place(const struct plugin *p, uint64_t block, uint64_t places)
{
	const struct hash_ops *ops = p->ops;

	return ops->map ? ops->map(NULL, block, places) : block % places;
}

/* How many of `n` blocks, `stride` apart from `first` on, the fullest target gets. */
static unsigned fullest(
	const struct plugin *p, uint64_t first, uint64_t stride, unsigned n, unsigned places)
{
	unsigned had[PLACES] = {0}, most = 0;

	assert_true(places <= PLACES);
	for (unsigned i = 0; i < n; i++) {
		uint64_t at = place(p, first + i * stride, places);

		assert_true(at < places);
		had[at]++;
		most = had[at] > most ? had[at] : most;
	}
	return most;
}

static void consecutive_blocks_reach_each_target_once(void **state)
{
	(void)state;
	for (unsigned places = 1; places <= PLACES; places++) {
		for (uint64_t row = 0; row < 300; row++) {
			uint64_t first = row * row * places;

			assert_int_equal(fullest(&hash_modulo, first, 1, places, places), 1);
			assert_int_equal(fullest(&hash_polynomial, first, 1, places, places), 1);
		}
	}
}

static void a_stride_of_any_power_of_two_reaches_all_targets(void **state)
{
	(void)state;
	for (unsigned places = 2; places <= PLACES; places *= 2) {
		for (unsigned shift = 0; shift < 30; shift++) {
			uint64_t stride = UINT64_C(1) << shift;

			assert_int_equal(fullest(&hash_polynomial, 0, stride, places, places), 1);
		}
		assert_int_equal(fullest(&hash_modulo, 0, places, places, places), places);
	}
}

/* The polynomials are primitive: the powers of x are all remainders but 0. */
static void powers_of_two_reach_all_targets_but_the_first(void **state)
{
	(void)state;
	for (unsigned places = 2; places <= PLACES && places <= 64; places *= 2) {
		unsigned had[PLACES] = {0};

		for (unsigned i = 0; i + 1 < places; i++)
			had[place(&hash_polynomial, UINT64_C(1) << i, places)]++;
		for (unsigned k = 0; k < places; k++)
			assert_int_equal(had[k], k > 0);
	}
}

/* Twelve slices: a stride that modulo maps to one of them. */
static void a_stride_of_the_number_of_targets_spreads(void **state)
{
	(void)state;
	assert_int_equal(fullest(&hash_modulo, 0, 12, 1200, 12), 1200);
	assert_true(fullest(&hash_polynomial, 0, 12, 1200, 12) < 200);
	assert_true(fullest(&hash_xor, 0, 12 * 128, 1200, 12) < 400);
}

static void xor_folds_bits_7_and_13_onto_the_lowest(void **state)
{
	(void)state;
	assert_int_equal(place(&hash_xor, 5, 12), 5);
	assert_int_equal(place(&hash_xor, 1 << 7, 12), (128 ^ 1) % 12);
	assert_int_equal(place(&hash_xor, 1 << 13, 12), (8192 ^ 64 ^ 1) % 12);
}

static jmp_buf no_memory;

static struct cache *cache_with(const struct plugin *hash, struct arena *memory)
{
	struct cache_config config = {
		.bytes = 64 * 4 * LINE_BYTES, .ways = 4, .interleave = 1, .block = 1};

	memory->escape = &no_memory;
	if (setjmp(no_memory))
		fail();
	config.replacement = test_policy("replacement", "lru", memory);
	config.hash = hash ? test_policy("hash", hash->name, memory) : NULL;
	return cache_new(&config, memory);
}

/* 64 lines, all a set's size apart: modulo keeps only the ways of one set, a hash nearly all. */
static unsigned kept(const struct plugin *hash)
{
	struct arena memory = {0};
	struct cache *c = cache_with(hash, &memory);
	struct victim v;
	unsigned hits = 0;

	for (uint64_t i = 0; i < 64; i++)
		test_fill(c, i * 64 * LINE_BYTES, 0xff, &v);
	for (uint64_t i = 0; i < 64; i++)
		hits += cache_probe(c, i * 64 * LINE_BYTES, 0xff) >= 0;
	arena_free(&memory);
	return hits;
}

static void a_cache_hashes_its_sets(void **state)
{
	(void)state;
	assert_int_equal(kept(NULL), 4);
	assert_int_equal(kept(&hash_modulo), 4);
	assert_int_equal(kept(&hash_polynomial), 64);
	assert_true(kept(&hash_xor) > 32);
}

/* Address bits 7 to 11 are XORed with bits 13, 14, 15, 17 and 19; bits 16, 18 and 20 have no
 * effect; bit 12 is the highest of 64 sets. */
static void fermis_index_has_the_bits_that_were_found(void **state)
{
	static const struct {
		unsigned bit, set;
	} rows[] = {{7, 1}, {8, 2}, {9, 4}, {10, 8}, {11, 16}, {12, 32}, {13, 1}, {14, 2}, {15, 4},
		{16, 0}, {17, 8}, {18, 0}, {19, 16}, {20, 0}, {33, 0}};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(rows); i++) {
		uint64_t block = (UINT64_C(1) << rows[i].bit) / 128;

		assert_int_equal(place(&hash_fermi, block, 64), rows[i].set);
		assert_int_equal(place(&hash_fermi, block, 32), rows[i].set % 32);
		assert_int_equal(place(&hash_fermi, block ^ 21, 64), rows[i].set ^ 21);
	}
	for (unsigned places = 32; places <= 64; places *= 2)
		for (uint64_t row = 0; row < 300; row++)
			assert_int_equal(
				fullest(&hash_fermi, row * row * places, 1, places, places), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fermis_index_has_the_bits_that_were_found),
		cmocka_unit_test(consecutive_blocks_reach_each_target_once),
		cmocka_unit_test(a_stride_of_any_power_of_two_reaches_all_targets),
		cmocka_unit_test(powers_of_two_reach_all_targets_but_the_first),
		cmocka_unit_test(a_stride_of_the_number_of_targets_spreads),
		cmocka_unit_test(xor_folds_bits_7_and_13_onto_the_lowest),
		cmocka_unit_test(a_cache_hashes_its_sets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
