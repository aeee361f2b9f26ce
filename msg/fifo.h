/* A bounded queue of packets inside a component, each with the core cycle from which it may leave.
 */
#ifndef MSG_FIFO_H
#define MSG_FIFO_H

#include "core/state.h"
#include "msg/packet.h"

struct fifo_slot {
	uint64_t at; /* set by the owner: usually the first cycle in which it may leave */
	struct packet packet;
};

/* Indices wrap freely; the number of slots is a power of two. */
struct fifo {
	struct fifo_slot *slots;
	uint32_t head, tail, mask;
};

/* An empty queue for `capacity` packets (at least 1); memory from the arena. */
static inline void fifo_init(struct fifo *f, unsigned capacity, struct arena *arena)
{
	uint32_t size = 1;

	while (size < capacity)
		size *= 2;
	f->slots = arena_alloc(arena, size, sizeof(*f->slots));
	f->mask = size - 1;
	f->head = f->tail = 0;
}

static inline uint32_t fifo_count(const struct fifo *f)
{
	return f->tail - f->head;
}

/* The oldest entry, or NULL. Valid until fifo_pop. */
static inline struct fifo_slot *fifo_front(const struct fifo *f)
{
	return f->head == f->tail ? NULL : &f->slots[f->head & f->mask];
}

static inline void fifo_push(struct fifo *f, const struct packet *p, uint64_t at)
{
	struct fifo_slot *slot = &f->slots[f->tail & f->mask];

	BUG_ON(f->tail - f->head > f->mask);
	slot->at = at;
	slot->packet = *p;
	f->tail++;
}

static inline void fifo_pop(struct fifo *f)
{
	f->head++;
}

/* Moves its state. */
static inline void fifo_state(struct state *s, struct fifo *f)
{
	STATE(s, f->head);
	STATE(s, f->tail);
	state_most(s, f->tail - f->head, f->mask + UINT64_C(1));
	state_bytes(s, f->slots, (f->mask + (size_t)1) * sizeof(*f->slots));
}

#endif
