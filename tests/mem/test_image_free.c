/* The device-memory image: buffers are removed, and their addresses used again. */
#include "mem/image_inside.h"

#include "core/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static uint32_t random_below(uint64_t *seed, uint32_t n)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((*seed >> 33) % n);
}

static struct image *new_image(void)
{
	struct image *im = image_new(NULL);

	assert_non_null(im);
	return im;
}

static void a_removed_buffer_is_nowhere_and_remembered(void **state)
{
	struct image *im = new_image();
	unsigned b = image_add(im, "gone", 100000, false, NULL), c;
	uint64_t a = image_address(im, b), at = 0, bytes = 0;

	(void)state;
	c = image_add(im, "stays", 100, false, NULL);
	image_remove(im, b);
	assert_int_equal(image_find(im, a, 1), 0);
	assert_int_equal(image_find(im, a + 99999, 1), 0);
	assert_int_equal(image_account(im, a), 0);
	assert_null(image_bytes_at(im, a, 4));
	assert_string_equal(image_freed(im, a + 99999, &at, &bytes), "gone");
	assert_true(at == a && bytes == 100000);
	assert_null(image_freed(im, a + 100000, &at, &bytes));
	assert_null(image_freed(im, image_address(im, c), &at, &bytes));
	assert_int_equal(image_nearest(im, a), c);
	assert_string_equal(image_name(im, b), "(freed)");
	assert_int_equal(image_bytes(im, b), 0);
	assert_int_equal(image_live_bytes(im), 100);
	image_free(im);
}

static void the_same_size_gets_the_same_addresses_and_zeros(void **state)
{
	const uint64_t sizes[] = {1, 4096, 16384, 16385, 65536, 1 << 20};
	struct image *im = new_image();

	(void)state;
	for (unsigned low = 0; low < 2; low++)
		for (unsigned i = 0; i < ARRAY_LEN(sizes); i++) {
			unsigned b = image_add(im, "first", sizes[i], low, NULL);
			uint64_t a = image_address(im, b);

			image_add(im, "between", 1, low, NULL);
			*image_bytes_at(im, a, 1) = 7;
			image_remove(im, b);
			b = image_add(im, "second", sizes[i], low, NULL);
			assert_true(image_address(im, b) == a);
			assert_int_equal(*image_bytes_at(im, a, 1), 0);
		}
	image_free(im);
}

/* ---- against a list of all live buffers */
#define LIVE 100u
struct live {
	uint64_t start, bytes;
	unsigned index;
};

static void compare_with(const struct image *im, const struct live *live, unsigned n, unsigned i)
{
	const struct live *b = &live[i];
	uint64_t align = b->index && im->buffers[b->index].given ? IMAGE_SHARED_ALIGN : IMAGE_ALIGN;

	assert_int_equal(image_find(im, b->start, b->bytes), b->index);
	assert_int_equal(b->start % align, 0);
	for (unsigned k = 0; k < n; k++) {
		const struct live *o = &live[k];

		if (k == i)
			continue;
		assert_true(o->start >= b->start + b->bytes + IMAGE_ALIGN ||
			    b->start >= o->start + o->bytes + IMAGE_ALIGN);
	}
}

static uint64_t draw_bytes(uint64_t *seed)
{
	unsigned shift = random_below(seed, 20);

	return random_below(seed, 3) ? 1 + random_below(seed, 1u << shift) : UINT64_C(1) << shift;
}

static void live_buffers_never_meet(void **state)
{
	static unsigned char pages[1u << 20];
	struct image *im = new_image();
	struct live live[LIVE];
	unsigned n = 0;
	uint64_t seed = 5, bytes;

	(void)state;
	for (unsigned step = 0; step < 8000; step++) {
		if (n == LIVE || (n && random_below(&seed, 100) < 45)) {
			unsigned i = random_below(&seed, n);

			image_remove(im, live[i].index);
			assert_int_equal(image_find(im, live[i].start, 1), 0);
			live[i] = live[--n];
			continue;
		}
		bytes = draw_bytes(&seed);
		live[n].bytes = bytes;
		live[n].index = random_below(&seed, 4)
					? image_add(im, "b", bytes, random_below(&seed, 2), NULL)
					: image_add_at(im, "at", pages, bytes, NULL);
		assert_int_not_equal(live[n].index, 0);
		live[n].start = image_address(im, live[n].index);
		compare_with(im, live, n + 1, n);
		n++;
	}
	for (unsigned i = 0; i < n; i++)
		compare_with(im, live, n, i);
	image_free(im);
}

/* Sizes and lives are mixed; nothing grows once the most that is live at once was. */
static void a_million_buffers_take_constant_memory_and_steps(void **state)
{
	static unsigned index[1000];
	struct image *im = new_image();
	uint64_t seed = 9, pages = 0, steps = 0, calls = 0;
	unsigned slots = 0;

	(void)state;
	for (unsigned i = 0; i < 1000000; i++) {
		unsigned k = random_below(&seed, ARRAY_LEN(index));
		uint64_t looked = im->extents.looked;

		if (index[k])
			image_remove(im, index[k]);
		index[k] = image_add(im, "b",
			1 + random_below(&seed, random_below(&seed, 16) ? 64 : 50000), false, NULL);
		assert_int_not_equal(index[k], 0);
		steps = max_u64(steps, im->extents.looked - looked);
		if (i == 200000) {
			pages = im->npages;
			slots = im->cap;
			calls = mem_calls();
		}
	}
	assert_true(steps <= 8 * 4);
	assert_int_equal(im->npages, pages);
	assert_int_equal(im->cap, slots);
	assert_int_equal(mem_calls() - calls, 1000000 - 200001);
	image_free(im);
}

static void the_callers_pages_are_the_buffers_bytes(void **state)
{
	static unsigned char pages[100000];
	struct image *im = new_image();
	unsigned b = image_add_at(im, "shared", pages, sizeof(pages), NULL), c;

	(void)state;
	c = image_add(im, "next", 4, false, NULL);
	assert_true(image_bytes_at(im, image_address(im, b), sizeof(pages)) == pages);
	assert_int_equal(image_address(im, b) % IMAGE_SHARED_ALIGN, 0);
	assert_true(image_address(im, c) >= image_address(im, b) + 2 * IMAGE_SHARED_ALIGN);
	image_remove(im, b);
	pages[0] = 1;
	b = image_add(im, "other", sizeof(pages), false, NULL);
	assert_true(image_bytes_at(im, image_address(im, b), 1) != pages);
	image_add_at(im, "stays", pages, sizeof(pages), NULL);
	image_free(im);
}

/* ---- accounts */
static void a_name_has_one_account_forever(void **state)
{
	struct image *im = new_image();
	unsigned a = image_add(im, "a", 1, false, NULL), b = image_add(im, "b", 1, false, NULL);

	(void)state;
	image_remove(im, a);
	a = image_add(im, "c", 1, false, NULL);
	assert_int_equal(image_account(im, image_address(im, a)), 3);
	assert_int_equal(image_account(im, image_address(im, b)), 2);
	image_remove(im, a);
	a = image_add(im, "a", 1, false, NULL);
	assert_int_equal(image_account(im, image_address(im, a)), 1);
	assert_int_equal(image_accounts(im), 3);
	assert_string_equal(image_account_name(im, 3), "c");
	image_free(im);
}

static void names_beyond_the_accounts_share_the_last_one(void **state)
{
	struct image *im = new_image();

	(void)state;
	for (unsigned i = 1; i <= IMAGE_ACCOUNTS + 5; i++) {
		char name[16];
		unsigned b;

		snprintf(name, sizeof(name), "b%u", i);
		b = image_add(im, name, 1, false, NULL);
		assert_int_equal(image_account(im, image_address(im, b)),
			i < IMAGE_ACCOUNTS ? i : IMAGE_ACCOUNTS);
		image_remove(im, b);
	}
	assert_int_equal(image_accounts(im), IMAGE_ACCOUNTS);
	assert_string_equal(image_account_name(im, 777), "b777");
	assert_string_equal(image_account_name(im, IMAGE_ACCOUNTS), "(other buffers)");
	image_free(im);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_removed_buffer_is_nowhere_and_remembered),
		cmocka_unit_test(the_same_size_gets_the_same_addresses_and_zeros),
		cmocka_unit_test(live_buffers_never_meet),
		cmocka_unit_test(a_million_buffers_take_constant_memory_and_steps),
		cmocka_unit_test(the_callers_pages_are_the_buffers_bytes),
		cmocka_unit_test(a_name_has_one_account_forever),
		cmocka_unit_test(names_beyond_the_accounts_share_the_last_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
