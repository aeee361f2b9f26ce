/* Requests that wait for the SM's port to the network. */
#include "sm/outbox.h"

#include "sm/state.h"

void outbox_init(struct sm *sm, struct arena *arena)
{
	struct outbox *o = &sm->outbox;

	o->size = (uint32_t)sm->l1.p.miss_queue + o->others;
	o->ring = arena_alloc(arena, o->size + 1, sizeof(*o->ring));
}

static struct packet *behind(struct outbox *o)
{
	return &o->ring[(o->head + o->n) % o->size];
}

struct packet *outbox_behind(struct sm *sm)
{
	return sm->outbox.misses < sm->l1.p.miss_queue ? behind(&sm->outbox) : NULL;
}

static void wait_behind(struct sm *sm)
{
	uint64_t n = ++sm->outbox.n;

	sm->l1.s.l1tex__requests_waiting = max_u64(sm->l1.s.l1tex__requests_waiting, n);
}

void outbox_wait(struct sm *sm)
{
	sm->outbox.misses++;
	wait_behind(sm);
}

void outbox_add(struct sm *sm, const struct packet *p)
{
	traffic_count(&sm->flows.sent, p);
	sm->l1.s.l1tex__m_l1tex2xbar_req_packets++;
	if (!sm->outbox.n && link_can_send(sm->request_out)) {
		*(struct packet *)link_slot(sm->request_out) = *p;
		link_send(sm->request_out, packet_port_flits(p, &sm->c.request_port));
		return;
	}
	BUG_ON(sm->outbox.n == sm->outbox.size);
	*behind(&sm->outbox) = *p;
	wait_behind(sm);
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
