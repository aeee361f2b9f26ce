/* A timing wheel: 1024 buckets of 1024 ps for what is near, heaps for what is due and what is far.
 * Order is (tick, order of adding), exactly. */
#ifndef CORE_WHEEL_H
#define CORE_WHEEL_H

#include "core/sim.h"

#define WHEEL_BUCKETS 1024u
#define WHEEL_SHIFT 10 /* a bucket is 1 << WHEEL_SHIFT ps long */

struct heap_entry {
	tick_t at;
	uint64_t order;
	struct event *event;
};

/* A binary heap; the earliest entry is at[0]. */
struct heap {
	struct heap_entry *entries;
	uint32_t n;
};

struct wheel {
	struct heap due;  /* buckets up to `open`; empty only when the whole wheel is */
	struct heap far;  /* buckets from open + WHEEL_BUCKETS on */
	uint64_t open;    /* the bucket opened last, counted from time 0 */
	uint64_t order;   /* of the next event */
	uint32_t waiting; /* events in buckets */
	uint64_t occupied[WHEEL_BUCKETS / 64];
	struct event *buckets[WHEEL_BUCKETS];
};

/* Takes memory for `capacity` pending events. */
void wheel_init(struct wheel *, struct arena *, uint32_t capacity);

/* Adds an event that is not pending, at a tick that is not before the last one taken. */
void wheel_add(struct wheel *, struct event *, tick_t at);

/* Takes a pending event out: in constant time, but for a heap's logarithm when it is due or far. */
void wheel_remove(struct wheel *, struct event *);

/* Takes the earliest event out; the wheel is not empty. */
struct event *wheel_take(struct wheel *);

/* The earliest event's tick, or TICK_NEVER. */
static inline tick_t wheel_next(const struct wheel *w)
{
	return w->due.n ? w->due.entries[0].at : TICK_NEVER;
}

#endif
