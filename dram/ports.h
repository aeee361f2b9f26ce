/* The interface of every DRAM channel to the slices in front of it: requests in, replies out, and
 * replies that are not yet due. Private to dram/. */
#ifndef DRAM_PORTS_H
#define DRAM_PORTS_H

#include "core/config.h"
#include "msg/fifo.h"
#include "msg/traffic.h"

struct channel_ports {
	unsigned n;
	uint32_t most; /* replies that wait for one slice */
	struct link **in, **out;
	struct fifo *replies;  /* per slice; at: the cycle in which the reply leaves */
	uint64_t replies_sent; /* replies that have left */
	struct traffic taken, replied;
};

/* Declares in[] and out[] of the component and allocates memory for `most` replies to each slice.
 */
void channel_ports_init(
	struct channel_ports *, struct component *, unsigned n, uint32_t most, struct arena *);

/* Takes the request that is visible at the port. */
static inline void channel_ports_take(struct channel_ports *p, unsigned port)
{
	traffic_count(&p->taken, link_peek(p->in[port]));
	link_pop(p->in[port]);
}

/* Sends the replies that are due; they occupy nothing, the data bus was the limit. Returns the
 * cycle of the next one that waits only for its time, or UINT64_MAX. */
uint64_t channel_ports_send(struct channel_ports *, uint64_t cycle);

/* True when a request is visible at any port. */
bool channel_ports_asked(const struct channel_ports *);

/* True when a reply waits. */
bool channel_ports_owe(const struct channel_ports *);

/* Moves their state (core/state.h). */
void channel_ports_state(struct state *, struct channel_ports *);

#endif
