/* Miss status holding registers: limits, merging, order of waking. */
#include "mem/mshr.h"

#include "core/base.h"
#include "core/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static struct arena memory;
static jmp_buf no_memory;

static struct mshr *new_mshr(unsigned lines, unsigned merges)
{
	memory.escape = &no_memory;
	if (setjmp(no_memory))
		fail();
	return mshr_new(lines, merges, &memory);
}

static int tear_down(void **state)
{
	(void)state;
	arena_free(&memory);
	return 0;
}

struct woken {
	uint64_t who[64];
	unsigned n;
};

static void wake(void *ctx, uint64_t waiter)
{
	struct woken *w = ctx;

	w->who[w->n++] = waiter;
}

static void three_entries_hold_three_lines_and_no_fourth(void **state)
{
	struct mshr *m = new_mshr(3, 8);
	struct woken w = {.n = 0};
	int e[3];

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(mshr_find(m, i * 128), -1);
		assert_true(mshr_has_space(m));
		e[i] = mshr_open(m, i * 128, (uint8_t)(1u << i));
		assert_true(e[i] >= 0);
		assert_int_equal(mshr_used(m), i + 1);
	}
	assert_false(mshr_has_space(m));
	assert_int_equal(mshr_open(m, 3 * 128, 1), -1);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(mshr_find(m, i * 128), e[i]);
		assert_int_equal(mshr_line(m, e[i]), i * 128);
		assert_int_equal(mshr_granules(m, e[i]), 1u << i);
	}
	mshr_add_granules(m, e[1], 0x80);
	assert_int_equal(mshr_granules(m, e[1]), 0x82);
	mshr_close(m, e[1], wake, &w);
	assert_int_equal(w.n, 0);
	assert_int_equal(mshr_find(m, 128), -1);
	assert_true(mshr_open(m, 3 * 128, 1) >= 0);
}

static void waiters_wake_in_order_of_arrival_and_of_their_line_only(void **state)
{
	struct mshr *m = new_mshr(2, 64);
	int a = mshr_open(m, 0x1000, 1), b = mshr_open(m, 0x2000, 1);
	struct woken w = {.n = 0};

	(void)state;
	for (uint64_t i = 0; i < 20; i++)
		assert_true(mshr_wait(m, i % 3 ? a : b, 100 + i));
	mshr_close(m, b, wake, &w);
	assert_int_equal(w.n, 7);
	for (unsigned i = 0; i < 7; i++)
		assert_int_equal(w.who[i], 100 + 3 * i);
	w.n = 0;
	mshr_close(m, a, wake, &w);
	assert_int_equal(w.n, 13);
	for (unsigned i = 1; i < 13; i++)
		assert_true(w.who[i] > w.who[i - 1]);
}

static void waiters_are_a_pool_of_all_lines(void **state)
{
	struct mshr *m = new_mshr(4, 3);
	int a = mshr_open(m, 0, 1), b = mshr_open(m, 128, 1);
	struct woken w = {.n = 0};

	(void)state;
	assert_true(mshr_wait(m, a, 1));
	assert_true(mshr_wait(m, b, 2));
	assert_true(mshr_has_space(m));
	assert_true(mshr_wait(m, a, 3));
	assert_false(mshr_wait(m, a, 4));
	assert_false(mshr_wait(m, b, 4));
	assert_false(mshr_has_space(m)); /* entries are left, waiters are not */
	mshr_close(m, a, wake, &w);
	assert_int_equal(w.n, 2);
	assert_true(mshr_wait(m, b, 5));
	w.n = 0;
	mshr_close(m, b, wake, &w);
	assert_int_equal(w.n, 2);
	assert_int_equal(w.who[0], 2);
	assert_int_equal(w.who[1], 5);
}

struct chain {
	struct mshr *m;
	unsigned woken;
};

static void wait_again(void *ctx, uint64_t waiter)
{
	struct chain *c = ctx;
	int e = mshr_find(c->m, waiter);

	if (e < 0)
		e = mshr_open(c->m, waiter, 1);
	assert_true(e >= 0);
	assert_true(mshr_wait(c->m, e, waiter));
	c->woken++;
}

static void a_woken_waiter_may_wait_again(void **state)
{
	struct mshr *m = new_mshr(1, 3);
	struct chain c = {.m = m};
	struct woken w = {.n = 0};
	int e = mshr_open(m, 0x80, 1);

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		assert_true(mshr_wait(m, e, 0x100));
	mshr_close(m, e, wait_again, &c);
	assert_int_equal(c.woken, 3);
	assert_int_equal(mshr_find(m, 0x80), -1);
	assert_false(mshr_wait(m, mshr_find(m, 0x100), 1));
	mshr_close(m, mshr_find(m, 0x100), wake, &w);
	assert_int_equal(w.n, 3);
}

#define LINES 37u
#define MERGES 100u

/* The oracle: waiters of each of 64 lines, and whether it is outstanding. */
struct oracle {
	uint64_t who[64][MERGES];
	unsigned n[64], open, waiting;
	bool is_open[64];
};

static void step(struct mshr *m, struct oracle *o, struct rng *r, uint64_t who)
{
	uint32_t line = rng_below(r, 64);
	int e = mshr_find(m, line * 128);

	assert_int_equal(e >= 0, o->is_open[line]);
	assert_int_equal(mshr_has_space(m), o->open < LINES && o->waiting < MERGES);
	if (rng_below(r, 8) == 0 && e >= 0) {
		struct woken w = {.n = 0};

		mshr_close(m, e, wake, &w);
		assert_int_equal(w.n, o->n[line]);
		assert_memory_equal(w.who, o->who[line], w.n * sizeof(w.who[0]));
		o->open--;
		o->waiting -= w.n;
		o->n[line] = 0;
		o->is_open[line] = false;
		return;
	}
	if (e < 0) {
		e = mshr_open(m, line * 128, 1);
		assert_int_equal(e >= 0, o->open < LINES);
		o->open += e >= 0;
		o->is_open[line] = e >= 0;
	}
	if (e < 0 || o->n[line] == 64)
		return;
	assert_int_equal(mshr_wait(m, e, who), o->waiting < MERGES);
	if (o->waiting < MERGES) {
		o->who[line][o->n[line]++] = who;
		o->waiting++;
	}
}

static void random_use_agrees_with_a_naive_table(void **state)
{
	struct mshr *m = new_mshr(LINES, MERGES);
	struct oracle *o = arena_alloc(&memory, 1, sizeof(*o));
	struct rng r = rng_new(3, 0);

	(void)state;
	for (uint64_t i = 0; i < 100000; i++) {
		step(m, o, &r, i);
		assert_int_equal(mshr_used(m), o->open);
	}
}

/* Two waiters of the first sector, one of the second, one of both. */
static void waiters_wake_when_their_granules_have_arrived(void **state)
{
	struct mshr *m = new_mshr(2, 4);
	struct woken w = {.n = 0};
	int e = mshr_open(m, 128, 0x03);

	(void)state;
	assert_true(mshr_wait_for(m, e, 10, 0x03));
	mshr_add_granules(m, e, 0x0c);
	assert_true(mshr_wait_for(m, e, 11, 0x06));
	assert_true(mshr_wait_for(m, e, 12, 0x08));
	assert_true(mshr_wait_for(m, e, 13, 0x01));
	assert_false(mshr_wait(m, e, 14));
	mshr_arrived(m, e, 0x03, wake, &w);
	assert_int_equal(w.n, 2);
	assert_int_equal(w.who[0], 10);
	assert_int_equal(w.who[1], 13);
	assert_int_equal(mshr_find(m, 128), e);
	assert_true(mshr_wait(m, e, 14)); /* their space is free */
	mshr_arrived(m, e, 0x0c, wake, &w);
	assert_int_equal(w.n, 5);
	assert_int_equal(w.who[2], 11);
	assert_int_equal(w.who[3], 12);
	assert_int_equal(w.who[4], 14);
	assert_int_equal(mshr_find(m, 128), -1);
	assert_int_equal(mshr_used(m), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(three_entries_hold_three_lines_and_no_fourth, tear_down),
		cmocka_unit_test_teardown(
			waiters_wake_in_order_of_arrival_and_of_their_line_only, tear_down),
		cmocka_unit_test_teardown(waiters_are_a_pool_of_all_lines, tear_down),
		cmocka_unit_test_teardown(a_woken_waiter_may_wait_again, tear_down),
		cmocka_unit_test_teardown(waiters_wake_when_their_granules_have_arrived, tear_down),
		cmocka_unit_test_teardown(random_use_agrees_with_a_naive_table, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
