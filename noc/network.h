/* A network carries packets from n inputs to m outputs: a component with ports in[i] and out[j].
 * One plugin of kind "network" per design. Requests are routed by packet.slice, replies by
 * packet.sm. */
#ifndef NOC_NETWORK_H
#define NOC_NETWORK_H

#include "core/config.h"
#include "core/policy.h"
#include "msg/audit.h"
#include "msg/packet.h"

enum route { ROUTE_TO_SLICE, ROUTE_TO_SM };

struct network_config {
	const char *name; /* of the component, and prefix of its parameters: "noc.request",
			     "noc.reply" */
	unsigned inputs, outputs;
	enum route route;
	unsigned period_ps; /* 0: the core clock's */
	/* By input, then output: how much later than at other inputs and outputs a packet arrives
	 * at the network. NULL: no later. It must outlive the network. */
	const uint32_t *extra_ps;
};

/* The ports at the two ends of a network. */
struct network_widths {
	struct packet_port sm, slice;
};

struct network_ops {
	/* Creates the component of this plugin in the partition, ports declared. Parameters come
	 * from the configuration under config.name. Faults go into err. Never NULL. */
	struct component *(*create)(const struct plugin *, struct partition *,
		const struct network_config *, struct config *, struct arena *, struct err *);
	/* Unloaded latency in cycles, from a packet's arrival at an input to its departure at an
	 * output, the mean over all pairs, without extra_ps. For a read, or for the reply to one of
	 * that number of bytes. */
	unsigned (*latency_cycles)(const struct component *, unsigned bytes);
	/* Data bytes of a flit; NULL: FLIT_BYTES. */
	unsigned (*flit_bytes)(const struct component *);
	/* The widths of its ports under these settings, before it is created. NULL: a flit is
	 * FLIT_BYTES of data at both, and the header has one. */
	void (*widths)(struct config *, const char *name, struct network_widths *);
	/* Checks its own conservation: what came in went out or is inside. May be NULL. */
	void (*audit)(const struct component *, struct audit *);
	/* Output ports are occupied by flits (a crossbar), or not at all (an ideal network). */
	bool occupies_ports;
	/* A packet leaves with its last flit; else with its first, the others follow. */
	bool whole_packets;
};

/* Arbiters: which of the requesting inputs wins an output. Each is a plugin of kind "arbiter": a
 * policy (core/policy.h), one for all outputs of a network. */
struct arbiter_view {
	const uint64_t *requests; /* bit i % 64 of word i / 64: input i requests; not all 0 */
	unsigned n;               /* inputs */
	unsigned output;
	unsigned last; /* the input that this output served last; at first n - 1 */
	uint64_t cycle;
	/* By requesting input: the cycle from which its packet could leave. NULL: not known, where
	 * an input has packets to several outputs. */
	const uint64_t *since;
};

struct arbiter_ops {
	/* Initialises the state, before anything runs. May be NULL. */
	void (*init)(void *self, unsigned inputs, unsigned outputs, struct arena *);
	/* Choosing: returns the winner, whose packet will leave. */
	unsigned (*pick)(const void *self, const struct arbiter_view *);
	/* Event: the output serves that input now. May be NULL. */
	void (*granted)(void *self, unsigned output, unsigned input, uint64_t cycle);
};

#endif
