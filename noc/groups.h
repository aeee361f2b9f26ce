/* Ports that groups of SMs share: TPCs of SMs, GPCs of TPCs. All packets of a group pass its port,
 * which moves a number of bytes a cycle. Neighbouring SMs are in one group. */
#ifndef NOC_GROUPS_H
#define NOC_GROUPS_H

#include "noc/network.h"

#define GROUPS_PARAMS(P, T) \
	P(T, UINT, sm_bytes, 32, 8, 256, "bytes", \
		"Width of an SM's port: data bytes of a flit, one of which it moves a cycle.") \
	P(T, UINT, slice_bytes, 32, 8, 256, "bytes", "Width of a slice's port.") \
	P(T, BOOL, header_apart, 0, 0, 1, "", \
		"Headers travel beside the data, without a flit of their own.") \
	P(T, UINT, tpc_sms, 2, 1, 256, "SMs", "SMs of a TPC.") \
	P(T, UINT, tpc_bytes, 0, 0, 65536, "bytes", \
		"Bytes that a TPC's port moves a cycle. 0: it limits nothing.") \
	P(T, UINT, gpc_sms, 16, 1, 256, "SMs", "SMs of a GPC.") \
	P(T, UINT, gpc_bytes, 0, 0, 65536, "bytes", \
		"Bytes that a GPC's port moves a cycle. 0: it limits nothing.")

struct groups_params {
	GROUPS_PARAMS(PARAM_FIELD, )
};

/* One level: TPCs or GPCs. */
struct group_level {
	unsigned sms;
	uint64_t bytes; /* a cycle; 0: no limit */
	uint64_t *free; /* by group: the first free byte of its port, of all since cycle 0 */
};

struct groups {
	bool any;                /* a level limits something */
	bool inputs;             /* the SMs are the inputs, else the outputs */
	unsigned n;              /* SMs */
	unsigned words, outputs; /* of 64 inputs; in all */
	bool plain;              /* nothing is limited, and all ports are plain */
	struct packet_port in, out;
	uint64_t when; /* of the last groups_let that returned NULL */
	struct group_level level[2];
	uint64_t *requesting; /* scratch: of an output's requests those whose groups are free */
	uint16_t *order;      /* of outputs: the one served longest ago first */
	uint64_t *since;      /* by output: the cycle since which groups held it, or UINT64_MAX */
};

/* From the parameters under the network's name; plain: a network without them. */
void groups_init(struct groups *, struct config *, const struct network_config *, struct arena *);
void groups_plain(struct groups *, const struct network_config *);

/* The widths for network_ops. */
void groups_widths(struct config *, const char *name, struct network_widths *);

/* The first cycle in which the ports of the SM's groups have something left. */
uint64_t groups_when(const struct groups *, unsigned sm);
/* Those of the requests for an output that groups let pass: a bit per input, valid until the next
 * call. NULL: none, and `when` is the first cycle in which that may change. Only if `any`. */
const uint64_t *groups_let(
	struct groups *, unsigned output, const uint64_t *requests, uint64_t cycle);

/* A packet from the input passes the ports of its groups on its way to the output. Returns for how
 * many cycles they held the output. Only if `any`. */
uint64_t groups_pass(
	struct groups *, unsigned output, unsigned input, const struct packet *, uint64_t cycle);

/* The packet's flits at the input's port, and at the output's. Returns those at the SM's. */
static inline unsigned groups_flits(
	const struct groups *g, const struct packet *p, unsigned *in, unsigned *out)
{
	if (g->plain)
		return *in = *out = packet_flits(p);
	*in = packet_port_flits(p, &g->in);
	*out = packet_port_flits(p, &g->out);
	return g->inputs ? *in : *out;
}

/* Data bytes of a flit at the SM's port. */
static inline unsigned groups_flit_bytes(const struct groups *g)
{
	return g->inputs ? g->in.bytes : g->out.bytes;
}

/* Moves their state (core/state.h). */
void groups_state(struct state *, struct groups *);

#endif
