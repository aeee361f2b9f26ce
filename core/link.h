/* Links: typed bounded queues with latency and credits, the only communication between components.
 *
 * A message written in cycle t is visible to the receiver at t + latency. A credit returned by a
 * pop is usable by the sender from the next cycle on (near link, inside a partition: latency
 * shorter than the window) or from the next window on (far link: latency of at least a window,
 * whichever partitions it connects). So neither the order of steps nor the division into partitions
 * is visible.
 *
 * Included by core/sim.h. The fields belong to the kernel; use the functions. */
#ifndef CORE_LINK_H
#define CORE_LINK_H

/* The fields of the two sides, and those that neither writes, are in separate cache lines:
 * different threads may step the ends of a far link. */
struct link {
	unsigned char *slots; /* each: the tick from which the message is visible; the message */
	const tick_t *now_from, *now_to;
	struct clock *to_clock;
	uint32_t depth, mask, latency_ps;
	uint32_t flit_ps; /* the sender's period */
	uint32_t slot_bytes;
	uint32_t to_cycles; /* the latency in the receiver's periods, rounded up */
	uint32_t to_slot;
	bool far;
	uint32_t from_end, to_end; /* of a far link: its numbers in the two partitions */
	/* sender's side */
	_Alignas(64) tick_t port_free; /* the output port is occupied before this tick */
	uint32_t tail;
	uint32_t credit_head; /* head, as last read by the sender */
	uint32_t pub_tail[2]; /* published at window edges, by parity of the round */
	bool starved; /* a send was refused without a credit, and no credit has arrived since */
	/* receiver's side */
	_Alignas(64) tick_t pop_tick;
	uint32_t head;
	uint32_t seen_tail;   /* tail as the receiver knows it; of a near link: tail itself */
	uint32_t head_before; /* head before the pops of pop_tick */
	uint32_t pub_head[2];
	struct event *late; /* wakes the receiver where the latency exceeds the clock's ring */
	/* names and types */
	_Alignas(64) struct component *from;
	struct component *to;
	const char *out_name, *in_name;
	const struct msg_type *type;
	uint32_t id;
};

struct partition_head {
	tick_t now;
};

static inline tick_t sim_now(const struct component *c)
{
	return ((const struct partition_head *)(const void *)c->part)->now;
}

static inline void component_hold(struct component *c)
{
	c->blocked = true;
}

/* True when a message may be written now: a credit is available and the port is free. When false,
 * the kernel wakes the sender as soon as that changes. */
bool link_refused(struct link *); /* the slow half of link_can_send */

static inline bool link_can_send(struct link *l)
{
	if (l->tail - l->credit_head < l->depth && l->port_free <= *l->now_from)
		return true;
	return !link_refused(l);
}

/* The slot of the message with that number, and before it the tick from which it is visible. */
static inline void *link_at(const struct link *l, uint32_t number)
{
	return l->slots + (size_t)(number & l->mask) * l->slot_bytes + sizeof(tick_t);
}

static inline tick_t *link_visible(const struct link *l, uint32_t number)
{
	return (tick_t *)link_at(l, number) - 1;
}

/* The slot for the message, after link_can_send returned true. Not zeroed. */
static inline void *link_slot(struct link *l)
{
	return link_at(l, l->tail);
}

/* Sends the message in the slot; it occupies the output port for `flits` cycles of the sender (0:
 * none). */
static inline void link_send(struct link *l, unsigned flits);

/* The oldest visible message, or NULL. Valid until link_pop. */
static inline const void *link_peek(const struct link *l)
{
	if (l->head == l->seen_tail || *link_visible(l, l->head) > *l->now_to)
		return NULL;
	return link_at(l, l->head);
}

/* When the message that link_peek returns became visible. Only after link_peek returned one. */
static inline tick_t link_peek_tick(const struct link *l)
{
	return *link_visible(l, l->head);
}

/* Takes the message that link_peek returns. */
static inline void link_pop(struct link *l);

/* Declares that the receiver sleeps until a message arrives on this link, although messages of
 * other links may be visible: the check of the third law accepts that as intended. */
static inline void link_await(const struct link *l)
{
	l->to->blocked |= !link_peek(l);
}

/* Messages sent and not yet popped, as far as the receiver knows: for reports. */
static inline uint32_t link_held(const struct link *l)
{
	return l->seen_tail - l->head;
}

/* ---- the slow paths of link_send and link_pop */
/* Announces a message to the other partition, or to an idle receiver. */
void link_announce(struct link *, tick_t visible);
/* Announces a credit to the other partition, or to a waiting sender. */
void link_give_back(struct link *);
/* Wakes the receiver when the next message becomes visible. */
void link_wait(struct link *, tick_t visible);

static inline void link_send(struct link *l, unsigned flits)
{
	tick_t now = *l->now_from, visible = now + l->latency_ps;
	uint32_t tail = l->tail;

	BUG_ON(tail - l->credit_head >= l->depth);
	*link_visible(l, tail) = visible;
	l->tail = tail + 1;
	l->port_free = now + (tick_t)flits * l->flit_ps;
	if (!l->far) {
		l->seen_tail = tail + 1;
		if (tail != l->head)
			return;
	}
	link_announce(l, visible);
}

static inline void link_pop(struct link *l)
{
	tick_t now = *l->now_to, visible;
	uint32_t head = l->head;

	BUG_ON(head == l->seen_tail);
	if (l->pop_tick != now) {
		l->head_before = head;
		l->pop_tick = now;
	}
	l->head = ++head;
	if (l->far || l->starved)
		link_give_back(l);
	if (head == l->seen_tail)
		return;
	visible = *link_visible(l, head);
	if (visible > now)
		link_wait(l, visible);
}

#endif
