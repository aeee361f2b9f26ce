/* The inputs of a network: links, behind which packets may still be on their way. Where outputs are
 * at different distances from an input, a packet arrives at the network later than from its link
 * alone, and packets of the same input to nearer outputs overtake it; those to one output keep
 * their order. An input holds as many packets as its longest way has cycles, and a few. */
#ifndef NOC_INLET_H
#define NOC_INLET_H

#include "noc/network.h"

struct inlet_slot;

/* The fields belong to the module. */
struct inlets {
	struct link **in;
	const uint32_t *extra_ps; /* of network_config; NULL: none */
	unsigned outputs;
	enum route route;
	uint32_t most; /* packets on their way to an input */
	struct inlet_slot *slots;
	uint32_t *first, *last, *unused, *held; /* by input */
};

/* Declares the component's ports in[] and allocates memory. */
void inlets_init(
	struct inlets *, struct component *, const struct network_config *, struct arena *);

/* The slow halves of the functions below: outputs have distances. */
const struct packet *inlet_peek_far(struct inlets *, unsigned input, tick_t *at);
const struct packet *inlet_front_far(const struct inlets *, unsigned input);
void inlet_pop_far(struct inlets *, unsigned input);

/* The input's first packet, or NULL; *at: when it arrives, which may be in the future. A later call
 * may return another one, that arrives earlier, until then. */
static inline const struct packet *inlet_peek(struct inlets *n, unsigned input, tick_t *at)
{
	const struct packet *p;

	if (n->extra_ps)
		return inlet_peek_far(n, input, at);
	p = link_peek(n->in[input]);
	if (p)
		*at = link_peek_tick(n->in[input]);
	return p;
}

/* The packet that inlet_peek returned last, and its removal. */
static inline const struct packet *inlet_front(const struct inlets *n, unsigned input)
{
	return n->extra_ps ? inlet_front_far(n, input) : link_peek(n->in[input]);
}

static inline void inlet_pop(struct inlets *n, unsigned input)
{
	if (n->extra_ps)
		inlet_pop_far(n, input);
	else
		link_pop(n->in[input]);
}

/* True when the input holds a packet, or its link one that may not be visible yet. */
static inline bool inlet_holds(const struct inlets *n, unsigned input)
{
	return link_held(n->in[input]) || (n->extra_ps && n->held[input]);
}

/* True when the input holds a packet that has left its link, or could. */
static inline bool inlet_busy(const struct inlets *n, unsigned input)
{
	return link_peek(n->in[input]) || (n->extra_ps && n->held[input]);
}

/* Moves their state (core/state.h). */
void inlets_state(struct state *, struct inlets *, unsigned inputs);

#endif
