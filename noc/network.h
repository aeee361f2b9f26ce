/* A network carries packets from n inputs to m outputs: a component with ports in[i] and out[j].
 * One plugin of kind "network" per design. Requests are routed by packet.slice, replies by
 * packet.sm. */
#ifndef NOC_NETWORK_H
#define NOC_NETWORK_H

#include "core/config.h"
#include "msg/packet.h"

enum route { ROUTE_TO_SLICE, ROUTE_TO_SM };

struct network_config {
	const char *name; /* of the component and prefix of its parameters: "noc.request",
			     "noc.reply" */
	unsigned inputs, outputs;
	enum route route;
};

struct network_ops {
	/* Makes the component in the partition, ports declared. Parameters come from the
	 * configuration under config.name. Faults go into err. Never NULL. */
	struct component *(*create)(struct partition *, const struct network_config *,
		struct config *, struct arena *, struct err *);
	/* Cycles from an unloaded packet's arrival at an input to its departure at an output, the
	 * mean of all pairs of them. Of a read, or of the reply to one of a whole line. */
	unsigned (*latency_cycles)(const struct component *);
	/* Data bytes of a flit; NULL: FLIT_BYTES. */
	unsigned (*flit_bytes)(const struct component *);
	/* Asserts that all that came in went out, when nothing moves any more. May be NULL. */
	void (*at_rest)(const struct component *);
	/* Output ports occupied by flits (a crossbar), or not at all (an ideal network). */
	bool occupies_ports;
	/* A packet leaves with its last flit; else with its first, the others behind it. */
	bool whole_packets;
};

/* Arbiters: a plugin of kind "arbiter"; which of the requesting inputs wins an output. */
struct arbiter_ops {
	/* `last` is the arbiter's own word: inputs granted last. requests != 0 (bit i of word i /
	 * 64), n inputs. Answers the winner; only choosing, no state change. */
	unsigned (*pick)(const uint64_t *requests, unsigned n, unsigned last);
};

#endif
