/* The device-memory image: addresses, bounds, accesses without timing. */
#include "mem/image.h"
#include "mem/log.h"
#include "tests/rig/access.h"

#include "core/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static struct arena memory;
static jmp_buf no_memory;

static int tear_down(void **state)
{
	(void)state;
	arena_free(&memory);
	return 0;
}

static struct image *new_image(void)
{
	struct image *im = image_new(NULL);

	assert_non_null(im);
	return im;
}

static struct store_log *new_log(struct image *im, unsigned entries)
{
	memory.escape = &no_memory;
	if (setjmp(no_memory))
		fail();
	return log_new(&memory, im, entries);
}

/* ---- the image */
static void buffers_have_gaps_and_are_found_by_each_of_their_bytes(void **state)
{
	const uint64_t sizes[] = {1, 255, 256, 16128, 16384, 16385, 100000, 3, 1 << 20};
	struct image *im = new_image();
	uint64_t end = 0;

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(sizes); i++)
		assert_int_equal(image_add(im, "b", sizes[i], true, NULL), i + 1);
	assert_int_equal(image_count(im), ARRAY_LEN(sizes));
	for (unsigned b = 1; b <= ARRAY_LEN(sizes); b++) {
		uint64_t a = image_address(im, b), n = image_bytes(im, b);

		assert_int_equal(n, sizes[b - 1]);
		assert_int_equal(a % IMAGE_ALIGN, 0);
		assert_true(b == 1 ? a >= GENERIC_GLOBAL_BASE : a > end);
		assert_int_equal(image_find(im, a, n), b);
		assert_int_equal(image_find(im, a, 1), b);
		assert_int_equal(image_find(im, a + n - 1, 1), b);
		assert_int_equal(image_find(im, a + n - 1, 2), 0);
		assert_int_equal(image_find(im, a + n, 1), 0);
		assert_int_equal(image_find(im, a - 1, 1), 0);
		assert_int_equal(image_find(im, a - 1, 2), 0);
		assert_int_equal(image_find(im, a, UINT64_MAX), 0);
		assert_ptr_equal(
			image_bytes_at(im, a + n - 1, 1), image_bytes_at(im, a, n) + n - 1);
		assert_null(image_bytes_at(im, a, n + 1));
		end = a + n;
	}
	assert_int_equal(image_find(im, 0, 1), 0);
	assert_int_equal(image_find(im, GENERIC_SHARED_BASE, 4), 0);
	assert_int_equal(image_find(im, UINT64_MAX, 1), 0);
	image_free(im);
}

static void the_nearest_buffer_is_before_in_or_behind_an_address(void **state)
{
	struct image *im = new_image();
	uint64_t a, b;

	(void)state;
	assert_int_equal(image_nearest(im, 0), 0);
	image_add(im, "first", 1000, true, NULL);
	image_add(im, "second", 1000, true, NULL);
	a = image_address(im, 1);
	b = image_address(im, 2);
	assert_int_equal(image_nearest(im, 0), 1);
	assert_int_equal(image_nearest(im, a + 500), 1);
	assert_int_equal(image_nearest(im, a + 1000), 1);
	assert_int_equal(image_nearest(im, b - 1), 2);
	assert_int_equal(image_nearest(im, (a + 999 + b) / 2 + 1), 2);
	assert_int_equal(image_nearest(im, UINT64_MAX), 2);
	assert_string_equal(image_name(im, 2), "second");
	image_free(im);
}

static void low_buffers_stay_below_4_gigabytes(void **state)
{
	struct image *im = new_image();
	struct err err = {0};
	unsigned low, high;

	(void)state;
	high = image_add(im, "high", 4096, false, &err);
	low = image_add(im, "low", UINT64_C(3) << 30, true, &err);
	assert_true(low && high);
	assert_true(image_address(im, low) + image_bytes(im, low) <= UINT64_C(1) << 32);
	assert_int_equal(image_bytes_at(im, image_address(im, low) + 12345678, 1)[0], 0);
	assert_int_equal(err.count, 0);
	assert_int_equal(image_add(im, "more", UINT64_C(1) << 30, true, &err), 0);
	assert_int_equal(err.code, ERR_RESOURCE);
	assert_non_null(strstr(err_text(&err), "more"));
	assert_true(image_add(im, "more", 1000, true, NULL) != 0);
	err_clear(&err);
	image_free(im);
}

static void absurd_buffers_are_errors(void **state)
{
	struct image *im = new_image();
	struct err err = {0};

	(void)state;
	assert_int_equal(image_add(im, "none", 0, false, &err), 0);
	assert_int_equal(err.code, ERR_INPUT);
	assert_int_equal(image_add(im, "huge", UINT64_MAX, false, &err), 0);
	assert_int_equal(image_add(im, "huge", UINT64_C(1) << 60, false, &err), 0);
	assert_int_equal(err.count, 3);
	assert_int_equal(image_count(im), 0);
	mem_fail_after(0);
	assert_int_equal(image_add(im, "b", 100, false, NULL), 0);
	assert_null(image_new(NULL));
	for (int64_t n = 1; n < 4; n++) {
		mem_fail_after(n);
		assert_int_equal(image_add(im, "b", 100, false, NULL) != 0, n == 3);
	}
	mem_fail_after(-1);
	err_clear(&err);
	image_free(im);
	image_free(NULL);
}

static void buffers_are_not_limited_in_number(void **state)
{
	struct image *im = new_image();

	(void)state;
	for (unsigned i = 1; i <= 70000; i++)
		if (image_add(im, "b", 300, true, NULL) != i)
			fail_msg("buffer %u", i);
	assert_int_equal(image_find(im, image_address(im, 69999) + 299, 1), 69999);
	assert_int_equal(image_find(im, image_address(im, 12345), 300), 12345);
	assert_int_equal(image_account(im, image_address(im, 69999)), 1);
	image_free(im);
}

/* ---- accesses, by the image and by a log */
static void the_first_illegal_lane_is_named_and_nothing_happens(void **state)
{
	struct image *im = new_image();
	unsigned b = image_add(im, "b", 100, false, NULL);
	struct store_log *l = new_log(im, 64);
	struct exec_memory both[] = {image_memory(im), log_memory(l)};
	uint64_t base = image_address(im, b);
	unsigned char data[512], *host = image_bytes_at(im, base, 100);
	uint32_t old[WARP_LANES], *const dst[ATOM_PLANES] = {old};

	(void)state;
	memset(data, 0xaa, sizeof(data));
	for (unsigned i = 0; i < 2; i++) {
		struct exec_memory m = both[i];
		struct access a = warp_access(ACT_STORE, base, 4); /* 25 words fit */

		assert_int_equal(m.store(m.ctx, &a, data), 26);
		assert_int_equal(m.load(m.ctx, &a, data), 26);
		assert_int_equal(m.atomic(m.ctx, &a, data, NULL, dst), 26);
		a.contiguous = false;
		assert_int_equal(m.store(m.ctx, &a, data), 26);
		a.mask = 0xf0000000;
		assert_int_equal(m.load(m.ctx, &a, data), 29);
		a.mask = 0;
		assert_int_equal(m.store(m.ctx, &a, data), 0);
		a = lane_access(ACT_STORE, base + 97, 4); /* the buffer ends inside the word */
		assert_int_equal(m.store(m.ctx, &a, data), 1);
		a.addr[0] = 0;
		assert_int_equal(m.load(m.ctx, &a, data), 1);
		a.addr[0] = UINT64_MAX - 1;
		assert_int_equal(m.load(m.ctx, &a, data), 1);
	}
	assert_false(log_pending(l));
	for (unsigned i = 0; i < 100; i++)
		assert_int_equal(host[i], 0);
	image_free(im);
}

static void constant_memory_can_be_read(void **state)
{
	struct image *im = new_image();
	unsigned b = image_add(im, "c", 128, false, NULL);
	struct store_log *l = new_log(im, 64);
	struct exec_memory m = log_memory(l);
	struct access a = warp_access(ACT_LOAD, image_address(im, b), 4);
	unsigned char data[128];

	(void)state;
	a.space = SPACE_CONST;
	memset(image_bytes_at(im, image_address(im, b), 128), 7, 128);
	assert_int_equal(m.load(m.ctx, &a, data), 0);
	assert_int_equal(data[127], 7);
	image_free(im);
}

static void untimed_memory_does_the_same_at_once(void **state)
{
	struct image *im = new_image();
	uint64_t base = image_address(im, image_add(im, "b", 1024, false, NULL));
	struct exec_memory m = image_memory(im);
	struct access a = warp_access(ACT_STORE, base + 4, 8);
	uint64_t data[WARP_LANES], back[WARP_LANES];
	uint32_t low[WARP_LANES], high[WARP_LANES], *const dst[ATOM_PLANES] = {low, high};

	(void)state;
	for (unsigned i = 0; i < WARP_LANES; i++)
		data[i] = (uint64_t)i << 32 | (100 + i);
	assert_int_equal(m.store(m.ctx, &a, (const unsigned char *)data), 0);
	assert_int_equal(m.load(m.ctx, &a, (unsigned char *)back), 0);
	assert_memory_equal(data, back, sizeof(data));
	a.contiguous = false;
	a.mask = 0x0000ffff;
	for (unsigned i = 0; i < WARP_LANES; i++)
		a.addr[i] = base + 4 + 8 * 3; /* all lanes at one address: serialised */
	a.action = ACT_ATOM;
	a.atom_op = ATOM_ADD;
	assert_int_equal(m.atomic(m.ctx, &a, (const unsigned char *)data, NULL, dst), 0);
	for (uint64_t i = 0, sum = data[3]; i < 16; sum += data[i++]) {
		assert_int_equal(low[i], (uint32_t)sum);
		assert_int_equal(high[i], sum >> 32);
	}
	assert_int_equal(m.atomic(m.ctx, &a, (const unsigned char *)data, NULL, NULL), 0);
	image_free(im);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(
			buffers_have_gaps_and_are_found_by_each_of_their_bytes, tear_down),
		cmocka_unit_test_teardown(
			the_nearest_buffer_is_before_in_or_behind_an_address, tear_down),
		cmocka_unit_test_teardown(low_buffers_stay_below_4_gigabytes, tear_down),
		cmocka_unit_test_teardown(absurd_buffers_are_errors, tear_down),
		cmocka_unit_test_teardown(buffers_are_not_limited_in_number, tear_down),
		cmocka_unit_test_teardown(
			the_first_illegal_lane_is_named_and_nothing_happens, tear_down),
		cmocka_unit_test_teardown(constant_memory_can_be_read, tear_down),
		cmocka_unit_test_teardown(untimed_memory_does_the_same_at_once, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
