/* Packets on their way to the inputs of a network: a list by input, in order of arrival. */
#include "noc/inlet.h"

#include "core/state.h"

#define NONE UINT32_MAX
#define A_FEW 8u

struct inlet_slot {
	struct packet packet;
	tick_t at;
	uint32_t next; /* in the list, or of the unused ones */
};

static void take_memory(struct inlets *n, unsigned inputs, uint32_t period_ps, struct arena *arena)
{
	uint32_t longest = 0;

	for (size_t i = 0; i < (size_t)inputs * n->outputs; i++)
		longest = longest > n->extra_ps[i] ? longest : n->extra_ps[i];
	n->most = (uint32_t)div_up(longest, period_ps) + A_FEW;
	n->slots = arena_alloc(arena, (size_t)inputs * n->most, sizeof(*n->slots));
	n->first = arena_alloc(arena, inputs, sizeof(*n->first));
	n->last = arena_alloc(arena, inputs, sizeof(*n->last));
	n->unused = arena_alloc(arena, inputs, sizeof(*n->unused));
	n->held = arena_alloc(arena, inputs, sizeof(*n->held));
	for (unsigned i = 0; i < inputs; i++) {
		n->first[i] = n->last[i] = NONE;
		n->unused[i] = i * n->most;
		for (uint32_t k = 0; k < n->most; k++)
			n->slots[i * n->most + k].next = i * n->most + k + 1;
	}
}

void inlets_init(struct inlets *n, struct component *c, const struct network_config *network,
	struct arena *arena)
{
	n->in = arena_alloc(arena, network->inputs, sizeof(*n->in));
	n->extra_ps = network->extra_ps;
	n->outputs = network->outputs;
	n->route = network->route;
	if (n->extra_ps)
		take_memory(n, network->inputs, c->period_ps, arena);
	for (unsigned i = 0; i < network->inputs; i++)
		port_declare(c, PORT_IN, "in", i, &packet_type, &n->in[i], false);
}

/* Enters a packet behind those that arrive no later. */
static void enter(struct inlets *n, unsigned input, const struct packet *p, tick_t at)
{
	uint32_t i = n->unused[input], *link = &n->first[input];
	struct inlet_slot *s = &n->slots[i];

	n->unused[input] = s->next;
	n->held[input]++;
	if (n->last[input] != NONE && n->slots[n->last[input]].at <= at)
		link = &n->slots[n->last[input]].next;
	while (*link != NONE && n->slots[*link].at <= at)
		link = &n->slots[*link].next;
	*s = (struct inlet_slot){*p, at, *link};
	*link = i;
	if (s->next == NONE)
		n->last[input] = i;
}

const struct packet *inlet_peek_far(struct inlets *n, unsigned input, tick_t *at)
{
	const uint32_t *extra = n->extra_ps + (size_t)input * n->outputs;
	struct link *in = n->in[input];
	const struct packet *p;

	while (n->held[input] < n->most && (p = link_peek(in))) {
		unsigned output = n->route == ROUTE_TO_SLICE ? p->slice : p->sm;

		BUG_ON(output >= n->outputs);
		enter(n, input, p, link_peek_tick(in) + extra[output]);
		link_pop(in);
	}
	if (n->held[input] == n->most)
		component_hold(in->to);
	if (n->first[input] == NONE)
		return NULL;
	*at = n->slots[n->first[input]].at;
	return &n->slots[n->first[input]].packet;
}

const struct packet *inlet_front_far(const struct inlets *n, unsigned input)
{
	BUG_ON(n->first[input] == NONE);
	return &n->slots[n->first[input]].packet;
}

void inlet_pop_far(struct inlets *n, unsigned input)
{
	uint32_t i = n->first[input];
	struct inlet_slot *s = &n->slots[i];

	BUG_ON(i == NONE);
	n->first[input] = s->next;
	if (s->next == NONE)
		n->last[input] = NONE;
	s->next = n->unused[input];
	n->unused[input] = i;
	n->held[input]--;
}

void inlets_state(struct state *s, struct inlets *n, unsigned inputs)
{
	if (!n->extra_ps)
		return;
	state_bytes(s, n->slots, (size_t)inputs * n->most * sizeof(*n->slots));
	state_bytes(s, n->first, inputs * sizeof(*n->first));
	state_bytes(s, n->last, inputs * sizeof(*n->last));
	state_bytes(s, n->unused, inputs * sizeof(*n->unused));
	state_bytes(s, n->held, inputs * sizeof(*n->held));
}
