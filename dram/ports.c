/* The ports of a DRAM channel. */
#include "dram/ports.h"

void channel_ports_init(struct channel_ports *p, struct component *component, unsigned n,
	uint32_t most, struct arena *arena)
{
	p->n = n;
	p->most = most;
	p->in = arena_alloc(arena, n, sizeof(*p->in));
	p->out = arena_alloc(arena, n, sizeof(*p->out));
	p->replies = arena_alloc(arena, n, sizeof(*p->replies));
	for (unsigned i = 0; i < n; i++) {
		fifo_init(&p->replies[i], most, arena);
		port_declare(component, PORT_IN, "in", i, &packet_type, &p->in[i], false);
		port_declare(component, PORT_OUT, "out", i, &packet_type, &p->out[i], false);
	}
}

uint64_t channel_ports_send(struct channel_ports *p, uint64_t cycle)
{
	uint64_t wake = UINT64_MAX;

	for (unsigned i = 0; i < p->n; i++) {
		struct fifo_slot *slot;

		while ((slot = fifo_front(&p->replies[i])) && slot->at <= cycle) {
			if (!link_can_send(p->out[i]))
				break;
			*(struct packet *)link_slot(p->out[i]) = slot->packet;
			link_send(p->out[i], 0);
			traffic_count(&p->replied, &slot->packet);
			fifo_pop(&p->replies[i]);
			p->replies_sent++;
		}
		if (slot && slot->at > cycle)
			wake = min_u64(wake, slot->at);
	}
	return wake;
}

bool channel_ports_asked(const struct channel_ports *p)
{
	for (unsigned i = 0; i < p->n; i++)
		if (link_peek(p->in[i]))
			return true;
	return false;
}

bool channel_ports_owe(const struct channel_ports *p)
{
	for (unsigned i = 0; i < p->n; i++)
		if (fifo_count(&p->replies[i]))
			return true;
	return false;
}

void channel_ports_state(struct state *s, struct channel_ports *p)
{
	STATE(s, p->replies_sent);
	STATE(s, p->taken);
	STATE(s, p->replied);
	for (unsigned i = 0; i < p->n; i++)
		fifo_state(s, &p->replies[i]);
}
