/* What every DRAM channel has towards the slices in front of it: requests in, replies out, and
 * replies whose time has not come. Private to dram/. */
#ifndef DRAM_PORTS_H
#define DRAM_PORTS_H

#include "core/config.h"
#include "msg/fifo.h"
#include "msg/traffic.h"

struct channel_ports {
	unsigned n;
	uint32_t most; /* replies that wait for one slice */
	struct link **in, **out;
	struct fifo *replies; /* per slice; at: the cycle in which the reply leaves */
	uint64_t answered;    /* replies that have left */
	struct traffic taken, replied;
};

/* Declares in[] and out[] of the component and takes memory for `most` replies to each slice. */
void channel_ports_init(
	struct channel_ports *, struct component *, unsigned n, uint32_t most, struct arena *);

/* Takes the request that the port shows. */
static inline void channel_ports_take(struct channel_ports *p, unsigned port)
{
	traffic_count(&p->taken, link_peek(p->in[port]));
	link_pop(p->in[port]);
}

/* Replies whose time has come leave; they occupy nothing, the data bus was the limit. Answers the
 * cycle of the next one that only waits for its time, or UINT64_MAX. */
uint64_t channel_ports_send(struct channel_ports *, uint64_t cycle);

/* True when a slice asks for something. */
bool channel_ports_asked(const struct channel_ports *);

/* True when a reply waits. */
bool channel_ports_owe(const struct channel_ports *);

#endif
