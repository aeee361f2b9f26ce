/* A timing wheel: 1024 buckets of 1024 ps for the near future, a heap for the rest. Order is (tick,
 * order of adding), exactly.
 *
 * A bucket is a list in order of adding. When its time comes it is opened: sorted if necessary,
 * then emptied from its front; events added to it from then on go to a separate heap. */
#ifndef CORE_WHEEL_H
#define CORE_WHEEL_H

#include "core/sim.h"

#define WHEEL_BUCKETS 1024u
#define WHEEL_SHIFT 10 /* a bucket is 1 << WHEEL_SHIFT ps long */
#define WHEEL_WORDS (WHEEL_BUCKETS / 64)

struct wheel_entry {
	tick_t at;
	uint64_t order;
	struct event *event;
};

/* A binary heap; the earliest entry is entries[0]. */
struct heap {
	struct wheel_entry *entries;
	uint32_t n;
};

struct wheel_bucket {
	struct event *first;
	struct event **last; /* where the next event is linked; NULL: at `first` */
	tick_t latest;       /* of the event added last */
	bool mixed;          /* the list may not be in order of time */
};

struct wheel {
	tick_t next;   /* the earliest event's tick, or TICK_NEVER */
	uint64_t open; /* the bucket opened last, counted from time 0 */
	struct wheel_bucket *buckets;
	uint64_t words; /* the words of `occupied` that are not 0 */
	uint64_t occupied[WHEEL_WORDS];
	/* Events of buckets up to `open` that were added after opening, so after all that the open
	 * bucket still lists. */
	struct heap due;
	struct heap far; /* buckets from open + WHEEL_BUCKETS on */
	uint64_t order;  /* of the next entry of a heap */
};

/* Takes memory for `capacity` pending events. */
void wheel_init(struct wheel *, struct arena *, uint32_t capacity);

/* Removes a pending event: in constant time, or logarithmic when it is due or far. */
void wheel_remove(struct wheel *, struct event *);

/* The earliest event's tick, or TICK_NEVER. */
static inline tick_t wheel_next(const struct wheel *w)
{
	return w->next;
}

/* The slow paths of the functions below. */
void wheel_open_next(struct wheel *);
void wheel_add_apart(struct wheel *, struct event *);
struct event *wheel_take_due(struct wheel *);

static inline uint64_t wheel_bucket_of(tick_t at)
{
	return at >> WHEEL_SHIFT;
}

static inline void wheel_mark(struct wheel *w, uint32_t i)
{
	w->occupied[i / 64] |= UINT64_C(1) << i % 64;
	w->words |= UINT64_C(1) << i / 64;
}

static inline void wheel_emptied(struct wheel *w, uint32_t i)
{
	w->occupied[i / 64] &= ~(UINT64_C(1) << i % 64);
	w->words &= ~((uint64_t)!w->occupied[i / 64] << i / 64);
}

static inline void wheel_push(struct wheel *w, struct event *e)
{
	uint32_t i = wheel_bucket_of(e->at) % WHEEL_BUCKETS;
	struct wheel_bucket *b = &w->buckets[i];

	e->next = NULL;
	e->link = b->last ? b->last : &b->first;
	*e->link = e;
	b->last = &e->next;
	b->mixed |= e->at < b->latest;
	b->latest = e->at;
	wheel_mark(w, i);
}

/* Adds an event that is not pending, at a tick that is not before the last one taken. */
static inline void wheel_add(struct wheel *w, struct event *e, tick_t at)
{
	e->at = at;
	if (wheel_bucket_of(at) - w->open - 1 < WHEEL_BUCKETS - 1 && w->next != TICK_NEVER)
		wheel_push(w, e); /* after the open bucket, so after the earliest event */
	else
		wheel_add_apart(w, e);
}

/* Takes the earliest event out; the wheel is not empty. The next one is searched at once, so that a
 * host core can do it while it runs the event: events that it adds are seldom earlier. */
static inline struct event *wheel_take(struct wheel *w)
{
	uint32_t i = w->open % WHEEL_BUCKETS;
	struct wheel_bucket *b = &w->buckets[i];
	struct event *e = b->first, *then;

	if (w->due.n)
		return wheel_take_due(w);
	e->at = TICK_NEVER;
	then = b->first = e->next;
	if (then) {
		then->link = &b->first;
		w->next = then->at;
		__builtin_prefetch(then->next);
	} else {
		b->last = &b->first;
		wheel_emptied(w, i);
		wheel_open_next(w);
	}
	return e;
}

#endif
