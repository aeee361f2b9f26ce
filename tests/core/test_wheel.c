/* The timing wheel against a list with linear search. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/rng.h"
#include "core/wheel.h"

#define EVENTS 300

struct pair {
	struct event event;
	bool pending;
	tick_t at;
	uint64_t order;
};

struct bench {
	struct arena arena;
	jmp_buf escape;
	struct wheel wheel;
	struct pair pairs[EVENTS];
	uint64_t order;
	tick_t now;
};

static void set_up(struct bench *b)
{
	*b = (struct bench){0};
	b->arena.escape = &b->escape;
	wheel_init(&b->wheel, &b->arena, EVENTS);
	for (size_t i = 0; i < EVENTS; i++)
		b->pairs[i].event.at = TICK_NEVER;
}

static struct pair *earliest(struct bench *b)
{
	struct pair *best = NULL;

	for (size_t i = 0; i < EVENTS; i++) {
		struct pair *p = &b->pairs[i];

		if (!p->pending)
			continue;
		if (!best || p->at < best->at || (p->at == best->at && p->order < best->order))
			best = p;
	}
	return best;
}

static void add(struct bench *b, struct pair *p, tick_t at)
{
	p->pending = true;
	p->at = at;
	p->order = b->order++;
	wheel_add(&b->wheel, &p->event, at);
}

static void take(struct bench *b)
{
	struct pair *expected = earliest(b);

	assert_int_equal(wheel_next(&b->wheel), expected ? expected->at : TICK_NEVER);
	if (!expected)
		return;
	assert_ptr_equal(wheel_take(&b->wheel), &expected->event);
	assert_int_equal(expected->event.at, TICK_NEVER);
	expected->pending = false;
	b->now = expected->at;
}

/* Near, inside the open bucket, on its edge, across the wheel, far beyond it. */
static tick_t delay(struct rng *rng, uint32_t reach)
{
	static const uint32_t spans[] = {3, 1024, 4096, 400000, 1024 * 1024, 50000000};

	return 1 + rng_below(rng, spans[rng_below(rng, reach)]);
}

static void play(uint64_t seed, uint32_t reach)
{
	static struct bench b;
	struct rng rng = rng_new(seed, 0);

	set_up(&b);
	for (unsigned i = 0; i < 20000; i++) {
		struct pair *p = &b.pairs[rng_below(&rng, EVENTS)];
		uint32_t act = rng_below(&rng, 8);

		if (act < 3 || !p->pending) {
			if (p->pending)
				wheel_remove(&b.wheel, &p->event);
			add(&b, p, b.now + delay(&rng, reach));
		} else if (act == 3) {
			wheel_remove(&b.wheel, &p->event);
			p->pending = false;
		} else {
			take(&b);
		}
		assert_int_equal(
			wheel_next(&b.wheel), earliest(&b) ? earliest(&b)->at : TICK_NEVER);
	}
	while (earliest(&b))
		take(&b);
	take(&b);
	arena_free(&b.arena);
}

static void the_wheel_takes_the_event_that_a_search_finds(void **state)
{
	(void)state;
	for (uint32_t reach = 1; reach <= 6; reach++) {
		for (uint64_t seed = 0; seed < 3; seed++)
			play(seed, reach);
	}
}

static void equal_ticks_come_in_the_order_they_were_added(void **state)
{
	static const tick_t when[] = {1, 900, 5000, 1024 * 1024 + 5, 90000000};
	static struct bench b;

	(void)state;
	for (size_t w = 0; w < ARRAY_LEN(when); w++) {
		set_up(&b);
		for (size_t i = 0; i < 40; i++)
			add(&b, &b.pairs[(i * 7) % 40], when[w]);
		for (size_t i = 0; i < 40; i++)
			assert_ptr_equal(wheel_take(&b.wheel), &b.pairs[(i * 7) % 40].event);
		assert_int_equal(wheel_next(&b.wheel), TICK_NEVER);
		arena_free(&b.arena);
	}
}

static void an_event_before_the_opened_bucket_still_comes_first(void **state)
{
	static struct bench b;

	(void)state;
	set_up(&b);
	add(&b, &b.pairs[0], 70000000); /* alone: the wheel opens its bucket at once */
	add(&b, &b.pairs[1], 5000);
	add(&b, &b.pairs[2], 71000000);
	for (unsigned i = 0; i < 3; i++)
		take(&b);
	arena_free(&b.arena);
}

static void a_bucket_filled_backwards_is_emptied_forwards(void **state)
{
	static struct bench b;

	(void)state;
	set_up(&b);
	add(&b, &b.pairs[0], 1000); /* keeps the later bucket closed while it fills */
	for (size_t i = 1; i < EVENTS; i++)
		add(&b, &b.pairs[i], 5120 + (EVENTS - i) / 3 * 5);
	wheel_remove(&b.wheel, &b.pairs[EVENTS - 1].event);
	b.pairs[EVENTS - 1].pending = false;
	for (size_t i = 0; i < EVENTS; i++)
		take(&b);
	arena_free(&b.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_wheel_takes_the_event_that_a_search_finds),
		cmocka_unit_test(equal_ticks_come_in_the_order_they_were_added),
		cmocka_unit_test(an_event_before_the_opened_bucket_still_comes_first),
		cmocka_unit_test(a_bucket_filled_backwards_is_emptied_forwards),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
