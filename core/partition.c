/* One partition's time: clock edges of awake components, and events, until the window ends. */
#include "core/kernel.h"

static uint64_t ring_search(const struct clock *k)
{
	uint32_t start = k->next % RING_CYCLES, word = start / 64;

	for (uint32_t i = 1; i <= ARRAY_LEN(k->occupied); i++) {
		word = (word + 1) % ARRAY_LEN(k->occupied);
		if (!k->occupied[word])
			continue;
		return k->next + (word * 64 + low_bit(k->occupied[word]) - start) % RING_CYCLES;
	}
	return UINT64_MAX;
}

/* The first cycle with a mask in the ring, or UINT64_MAX. */
static inline uint64_t ring_next(const struct clock *k)
{
	uint32_t start = k->next % RING_CYCLES;
	uint64_t bits = k->occupied[start / 64] >> start % 64;

	return bits ? k->next + low_bit(bits) : ring_search(k);
}

static tick_t clock_next(const struct clock *k)
{
	uint64_t cycle = ring_next(k);

	return cycle == UINT64_MAX ? TICK_NEVER : cycle * k->period_ps;
}

void clock_catch_up(struct clock *k)
{
	k->next = clock_edge(k, k->part->head.now);
}

void clock_wake_far(struct clock *k, uint32_t slot, uint64_t cycle)
{
	struct event *far_wake;
	tick_t at = cycle * k->period_ps;

	clock_catch_up(k);
	if (cycle - k->next < RING_CYCLES) {
		clock_wake(k, slot, cycle);
		return;
	}
	far_wake = &k->part->sim->nodes[k->members[slot].component->id]->far_wake;
	if (far_wake->at > at)
		event_notify(far_wake, at - k->part->head.now);
}

void wake_at(struct component *c, uint64_t cycle)
{
	struct clock *k = c->part->clocks[c->clock];

	BUG_ON(cycle < k->next || cycle * k->period_ps < c->part->head.now);
	clock_wake(k, c->slot, cycle);
}

void event_init(struct event *e, struct partition *part, event_fn *fn)
{
	BUG_ON(part->sim->elaborated);
	*e = (struct event){.fn = fn, .part = part, .at = TICK_NEVER};
	part->all_events = build_grow(
		part->sim->arena, part->all_events, part->nevents, &part->events_cap, sizeof(e));
	part->all_events[part->nevents++] = e;
}

/* Out of line, so that event_notify saves no registers for it. */
static __attribute__((noinline)) void move(struct wheel *w, struct event *e, tick_t at)
{
	wheel_remove(w, e);
	wheel_add(w, e, at);
}

void event_notify(struct event *e, tick_t delay)
{
	struct partition *p = e->part;

	BUG_ON(!delay || !p->wheel.buckets); /* the wheel has its memory after elaboration */
	p->woken = true;
	if (e->at == TICK_NEVER)
		wheel_add(&p->wheel, e, p->head.now + delay);
	else
		move(&p->wheel, e, p->head.now + delay);
}

void event_cancel(struct event *e)
{
	if (e->at == TICK_NEVER)
		return;
	e->part->woken = true;
	wheel_remove(&e->part->wheel, e);
}

static void fire(struct partition *p, tick_t at)
{
	p->head.now = at;
	while (wheel_next(&p->wheel) == at) {
		struct event *e = wheel_take(&p->wheel);

		p->events++;
		e->fn(e);
	}
}

/* Steps the components of one word of the mask; returns the word's bits for the next cycle. */
static inline uint64_t step_word(
	struct clock *k, const struct member *members, uint64_t bits, uint64_t cycle)
{
	uint64_t again = 0;

	for (; bits; bits &= bits - 1) {
		const struct member *m = &members[low_bit(bits)];

		k->part->steps++;
		m->component->blocked = false;
		if (m->step(m->component, cycle) == STEP_AGAIN)
			again |= bits & -bits;
	}
	return again;
}

/* step_cycle in random order. */
static void step_shuffled(struct clock *k, uint64_t *mask, uint64_t cycle)
{
	uint32_t n = 0;

	for (uint32_t slot = 0; slot < k->nmembers; slot++) {
		if (mask[slot / 64] >> slot % 64 & 1)
			k->order[n++] = slot;
	}
	for (uint32_t w = 0; w < k->words; w++)
		mask[w] = 0;
	while (n) {
		uint32_t pick = rng_below(&k->part->rng, n), slot = k->order[pick];

		k->order[pick] = k->order[--n];
		if (step_word(k, &k->members[slot], 1, cycle))
			clock_wake(k, slot, cycle + 1);
	}
}

/* Steps all components whose bit is set for this cycle, which is now. */
static void step_cycle(struct clock *k, uint64_t cycle)
{
	uint32_t i = cycle % RING_CYCLES, then = (i + 1) % RING_CYCLES;
	uint64_t *mask = k->ring + (size_t)i * k->words;
	uint64_t *next = k->ring + (size_t)then * k->words;
	uint64_t any = 0;

	k->next = cycle + 1;
	k->tick = cycle * k->period_ps;
	k->occupied[i / 64] &= ~(1ull << i % 64);
	if (k->order) {
		step_shuffled(k, mask, cycle);
		return;
	}
	for (uint32_t w = 0; w < k->words; w++) {
		uint64_t bits = mask[w], again;

		if (!bits)
			continue;
		mask[w] = 0;
		again = step_word(k, k->members + w * 64, bits, cycle);
		next[w] |= again;
		any |= again;
	}
	if (any)
		k->occupied[then / 64] |= 1ull << then % 64;
}

/* step_cycle for a clock of at most 64 components that are stepped in order; goes on as long as one
 * of them steps again in the next cycle, that is before the end, and no event comes first. */
static inline void step_narrow(struct clock *k, uint64_t cycle, tick_t end)
{
	struct partition *p = k->part;

	for (;; cycle++) {
		uint32_t i = cycle % RING_CYCLES, then = (i + 1) % RING_CYCLES;
		uint64_t bits = k->ring[i], again;
		tick_t edge = p->head.now + k->period_ps;

		k->next = cycle + 1;
		k->tick = p->head.now;
		k->occupied[i / 64] &= ~(UINT64_C(1) << i % 64);
		k->ring[i] = 0;
		again = step_word(k, k->members, bits, cycle);
		if (!again)
			return;
		k->ring[then] |= again;
		if (edge >= min_u64(end, wheel_next(&p->wheel))) {
			k->occupied[then / 64] |= UINT64_C(1) << then % 64;
			return;
		}
		p->head.now = edge;
	}
}

/* step_narrow for a clock of one component: an SM has its partition alone. */
static inline void step_alone(struct clock *k, uint64_t cycle, tick_t end)
{
	const struct member m = k->members[0];
	struct partition *p = k->part;

	for (;; cycle++) {
		uint32_t i = cycle % RING_CYCLES;
		tick_t edge = p->head.now + k->period_ps;

		k->next = cycle + 1;
		k->tick = p->head.now;
		k->occupied[i / 64] &= ~(UINT64_C(1) << i % 64);
		k->ring[i] = 0;
		p->steps++;
		m.component->blocked = false;
		if (m.step(m.component, cycle) != STEP_AGAIN)
			return;
		if (edge >= min_u64(end, wheel_next(&p->wheel))) {
			clock_wake(k, 0, cycle + 1);
			return;
		}
		p->head.now = edge;
	}
}

static tick_t run_one_clock(struct partition *p, tick_t end)
{
	struct clock *k = p->clocks[0];
	bool narrow = k->words == 1 && !k->order, alone = narrow && k->nmembers == 1;

	for (;;) {
		uint64_t cycle = ring_next(k);
		tick_t edge = cycle == UINT64_MAX ? TICK_NEVER : cycle * k->period_ps;
		tick_t due = wheel_next(&p->wheel);

		if (min_u64(due, edge) >= end)
			return min_u64(due, edge);
		if (due <= edge) {
			fire(p, due);
			continue;
		}
		p->head.now = edge;
		if (alone)
			step_alone(k, cycle, end);
		else if (narrow)
			step_narrow(k, cycle, end);
		else
			step_cycle(k, cycle);
	}
}

/* A partition with events only. */
static tick_t run_events(struct partition *p, tick_t end)
{
	while (wheel_next(&p->wheel) < end) {
		struct event *e;

		p->head.now = wheel_next(&p->wheel);
		e = wheel_take(&p->wheel);
		p->events++;
		e->fn(e);
	}
	return wheel_next(&p->wheel);
}

static tick_t run_clocks(struct partition *p, tick_t end)
{
	for (;;) {
		tick_t at = partition_next(p);

		if (at >= end)
			return at;
		fire(p, at);
		for (uint32_t i = 0; i < p->nclocks; i++) {
			if (clock_next(p->clocks[i]) == at)
				step_cycle(p->clocks[i], ring_next(p->clocks[i]));
		}
	}
}

tick_t partition_run(struct partition *p, tick_t end)
{
	if (!p->nclocks)
		return run_events(p, end);
	return p->nclocks == 1 ? run_one_clock(p, end) : run_clocks(p, end);
}

tick_t partition_next(const struct partition *p)
{
	tick_t next = wheel_next(&p->wheel);

	for (uint32_t i = 0; i < p->nclocks; i++)
		next = min_u64(next, clock_next(p->clocks[i]));
	return next;
}

void partition_disturb(struct partition *p, tick_t start, tick_t end)
{
	for (uint32_t i = 0; i < p->nclocks; i++) {
		struct clock *k = p->clocks[i];
		uint64_t first = clock_edge(k, start), last = clock_cycle(k, end);

		for (uint32_t slot = 0; slot < k->nmembers && first < last; slot++) {
			uint64_t ahead = rng_u64(&p->rng) % (last - first);

			if (ahead < RING_CYCLES && rng_below(&p->rng, 4) == 0)
				clock_wake(k, slot, first + ahead);
		}
	}
}
