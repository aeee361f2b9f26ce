/* Requests that wait for the SM's port to the network. */
#include "sm/outbox.h"

#include "sm/state.h"

void outbox_init(struct sm *sm, struct arena *arena)
{
	struct outbox *o = &sm->outbox;

	o->size = (uint32_t)sm->l1.p.miss_queue + o->others;
	o->ring = arena_alloc(arena, o->size + 1, sizeof(*o->ring));
}

/* A packet can go past the queue: it is empty, and the port is free. */
static inline bool passes(struct sm *sm)
{
	return !sm->outbox.n && link_can_send(sm->request_out);
}

bool outbox_takes(struct sm *sm)
{
	return passes(sm) || sm->outbox.misses < sm->l1.p.miss_queue;
}

static struct packet *behind(struct outbox *o)
{
	return &o->ring[(o->head + o->n) % o->size];
}

struct packet *outbox_place(struct sm *sm)
{
	return passes(sm) ? link_slot(sm->request_out) : behind(&sm->outbox);
}

/* Sends the packet, or counts it among those that wait. True: it waits. */
static bool put(struct sm *sm, const struct packet *p)
{
	struct outbox *o = &sm->outbox;

	traffic_count(&sm->flows.sent, p);
	sm->l1.s.l1tex__m_l1tex2xbar_req_packets++;
	if (passes(sm)) {
		link_send(sm->request_out, packet_port_flits(p, &sm->c.request_port));
		return false;
	}
	o->n++;
	sm->l1.s.l1tex__requests_waiting = max_u64(sm->l1.s.l1tex__requests_waiting, o->n);
	return true;
}

void outbox_put(struct sm *sm, struct packet *p)
{
	sm->outbox.misses += put(sm, p);
}

void outbox_add(struct sm *sm, const struct packet *p)
{
	struct packet *at = outbox_place(sm);

	BUG_ON(sm->outbox.n == sm->outbox.size && !passes(sm));
	*at = *p;
	put(sm, at);
}

void outbox_send(struct sm *sm)
{
	struct outbox *o = &sm->outbox;

	while (o->n && link_can_send(sm->request_out)) {
		const struct packet *p = &o->ring[o->head];

		*(struct packet *)link_slot(sm->request_out) = *p;
		link_send(sm->request_out, packet_port_flits(p, &sm->c.request_port));
		o->head = (o->head + 1) % o->size;
		o->n--;
		o->misses -= !(p->tag & TAG_FETCH);
	}
}
