/* A timing wheel: 1024 buckets of 1024 ps for what is near, a heap for what is far. Order is (tick,
 * order of adding), exactly. */
#ifndef CORE_WHEEL_H
#define CORE_WHEEL_H

#include "core/sim.h"

#define WHEEL_BUCKETS 1024u
#define WHEEL_SHIFT 10 /* a bucket is 1 << WHEEL_SHIFT ps long */
#define WHEEL_PACK 10u

struct wheel_entry {
	tick_t at;
	uint64_t order;
	struct event *event; /* NULL: taken out of the run */
};

/* A binary heap; the earliest entry is entries[0]. */
struct heap {
	struct wheel_entry *entries;
	uint32_t n;
};

/* Entries of a bucket in order of adding, so that adding one touches no other event. All packs of a
 * bucket but its last are full. */
struct wheel_pack {
	_Alignas(64) uint32_t
		before; /* the pack filled before this one, or the next free one; 0: none */
	uint32_t n;
	struct wheel_entry entries[WHEEL_PACK];
};

struct wheel {
	tick_t next; /* the earliest event's tick, or TICK_NEVER */
	struct heap
		due; /* of buckets up to `open`: what came after their opening or out of order */
	struct heap far; /* buckets from open + WHEEL_BUCKETS on */
	/* The bucket opened last, when it was in order: entries from run_at on; run_at < run_n has
	 * an event. All were added before those in `due`. Empty, as `due`, only when the wheel is.
	 */
	struct wheel_entry *run;
	uint32_t run_at, run_n;
	uint32_t waiting; /* events in buckets */
	uint32_t free;    /* pack, or 0 */
	uint64_t open;    /* the bucket opened last, counted from time 0 */
	uint64_t order;   /* of the next event */
	struct wheel_pack *packs;
	uint64_t occupied[WHEEL_BUCKETS / 64];
	uint32_t last[WHEEL_BUCKETS]; /* the pack that each bucket fills, or 0 */
};

/* Takes memory for `capacity` pending events. */
void wheel_init(struct wheel *, struct arena *, uint32_t capacity);

/* Adds an event that is not pending, at a tick that is not before the last one taken. */
void wheel_add(struct wheel *, struct event *, tick_t at);

/* Takes a pending event out: in constant time, but for a logarithm when it is due or far. */
void wheel_remove(struct wheel *, struct event *);

/* Takes the earliest event out; the wheel is not empty. */
struct event *wheel_take(struct wheel *);

/* The earliest event's tick, or TICK_NEVER. */
static inline tick_t wheel_next(const struct wheel *w)
{
	return w->next;
}

#endif
