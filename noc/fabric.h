/* Input-queued routers with virtual channels, and the wires between them: the basis of crossbar and
 * mesh (Dally and Towles, "Principles and Practices of Interconnection Networks", chapter 16).
 *
 * Packets cross in flits. A *channel* is a wire from the source of flits (an input of the network,
 * or an output of a router) to their destination (an input of a router, or an output of the
 * network: an exit), with a buffer for each virtual channel (VC) at its far end; the sender counts
 * that buffer's free entries, its credits. A packet at the front of its buffer requests a VC of its
 * output's channel, which it owns until its last flit was sent; from the next pass on each of its
 * flits with a credit requests the switch. An input puts a flit a cycle on its wire, and so does a
 * router's output. At the exit packets are reassembled, and leave with their last flit.
 *
 * All of it is one component, awake while anything moves. */
#ifndef NOC_FABRIC_H
#define NOC_FABRIC_H

#include "noc/allocator.h"
#include "noc/inlet.h"

#define FABRIC_PARAMS(P, T) \
	P(T, UINT, vcs, 4, 1, 16, "VCs", "Virtual channels per channel.") \
	P(T, UINT, vc_flits, 8, 1, 256, "flits", "Depth of a virtual channel's buffer.") \
	P(T, UINT, flit_bytes, 32, 8, 128, "bytes", "Data bytes of a flit.") \
	P(T, UINT, input_speedup, 1, 1, 16, "ports", \
		"Switch ports per input; its VCs are distributed over them.") \
	P(T, UINT, passes, 1, 1, 4, "passes", \
		"Allocator passes per cycle: the speedup of the switch over the wires.") \
	P(T, UINT, route_cycles, 0, 0, 100, "cycles", \
		"Routing latency, from the front of the buffer to the request for a VC.") \
	P(T, UINT, cross_cycles, 1, 1, 100, "cycles", \
		"Latency from the switch's grant to the wire.") \
	P(T, UINT, wire_cycles, 1, 1, 100, "cycles", \
		"Latency of a wire, for flits and for credits.") \
	P(T, NAME, vc_allocator, "islip", 0, 0, "allocator", "Allocator of virtual channels.") \
	P(T, NAME, switch_allocator, "islip", 0, 0, "allocator", "Allocator of the switch.") \
	P(T, UINT, iterations, 1, 1, 16, "rounds", "Rounds of an iSLIP allocator in a pass.")

#define FABRIC_STATS(S, T) \
	S(T, COUNT, packets, "packets", "Packets moved.") \
	S(T, COUNT, flits, "flits", "Flits moved, headers included.") \
	S(T, COUNT, flit_hops, "flits", "Flits that crossed a router, summed over routers.") \
	S(T, COUNT, wait_cycles, "cycles", \
		"Cycles that packets waited at the head of an input, ready to leave.") \
	S(T, COUNT, vc_wait_cycles, "cycles", \
		"Cycles of them that packets waited for a virtual channel.") \
	S(T, COUNT, credit_wait_cycles, "cycles", \
		"Cycles that virtual channels had a flit to send, but no credit.") \
	S(T, COUNT, vc_losses, "packets", \
		"Packets that lost the allocation of a virtual channel to another, summed over " \
		"passes.") \
	S(T, COUNT, switch_losses, "flits", \
		"Flits that lost the allocation of an output to another one, summed over passes.") \
	S(T, COUNT, buffered_flit_cycles, "flits", \
		"Flits in the routers' buffers, summed over cycles.") \
	S(T, MAX, buffered_flits, "flits", "Peak number of flits in the routers' buffers.") \
	S(T, COUNT, transit_cycles, "cycles", \
		"Latency from a packet's first flit in to its last flit out, summed over packets.")

struct fabric_params {
	FABRIC_PARAMS(PARAM_FIELD, )
};
struct fabric_stats {
	FABRIC_STATS(STAT_FIELD, )
};

#define FABRIC_EXIT 0x80000000u
#define FABRIC_NOWHERE UINT32_MAX

/* The routers, and what their ports are wired to. All routers have the same number of ports; those
 * without a wire are never used. */
struct fabric_shape {
	unsigned routers, ins, outs;
	uint32_t *entry; /* per input of the network: router * ins + port */
	uint32_t *next;  /* per router * outs + port: router * ins + port of the next router, or
			    FABRIC_EXIT + output of the network, or FABRIC_NOWHERE */
	uint16_t *route; /* per router * outputs of the network + output: the port to take */
};

/* A packet entering the network. */
struct fabric_entry {
	uint32_t slot;
	uint8_t left; /* flits to send; 0: no packet is entering */
	uint8_t vc, last_vc;
	bool first; /* the next flit is the first one */
};

struct fabric_credit {
	uint64_t due;
	uint32_t vc;
};

/* Buffers, owners and credits are all indexed by the channel's number k (inputs first, then
 * routers' outputs) times the VCs, plus the VC: called q here. */
struct fabric {
	struct component base;
	const struct fabric_params *p;
	struct fabric_stats *s;
	struct fabric_shape shape;
	enum route route;
	unsigned inputs, outputs, vcs, shift; /* a buffer has 1 << shift entries in memory */
	unsigned hop_cycles;                  /* without contention: from the buffer to the wire */
	unsigned least_wait;                  /* without contention: from the front to the grant */
	double routers_on_the_way;            /* mean of all pairs */
	struct inlets in;
	struct link **out;
	/* by channel */
	uint32_t *to;       /* as fabric_shape.next */
	uint16_t *free_vcs; /* bit per VC that no packet owns */
	uint64_t *free_at;  /* the cycle from which its wire is free again */
	/* by q */
	uint16_t *credits;
	uint16_t *put, *take, *held; /* the ring: next entry to fill, front, flits that arrived */
	uint32_t *target;            /* of the packet at the front: the q allocated to it */
	uint16_t *leaves;            /* of the packet at the front: the router's port it takes */
	uint64_t *requests_from;     /* the first cycle in which it may request a VC */
	uint64_t *starved;  /* 1 + the cycle since which its front has no credit; 0: it has */
	uint32_t *flit;     /* by entry, q << shift + entry: slot << 2 | last << 1 | first */
	uint32_t *followed; /* by entry: the next one that arrives in the same cycle */
	uint32_t *due;      /* by cycle mod due_cycles: entries that arrive then, or UINT32_MAX */
	uint32_t due_mask;
	/* packets in flight */
	struct packet *packet; /* by slot */
	uint64_t *entered;
	uint32_t *free_slot;
	uint32_t nfree, nslots;
	struct fabric_entry *entry;
	struct fabric_credit *credit; /* a ring, in order of time */
	uint32_t credit_head, credit_tail, credit_mask;
	uint32_t on_wires; /* flits */
	/* routers: a an input VC is port * vcs + vc */
	unsigned ivcs, ivc_words, switch_ins;
	uint32_t *ivc_q;       /* by router and input VC */
	uint32_t *ivc_of;      /* by q: router * ivcs + input VC */
	uint16_t *ivc_port;    /* by input VC: its port of the switch */
	uint8_t *ivc_vc;       /* by input VC */
	uint64_t *requesting;  /* by router and output: input VCs that request a VC of it */
	uint32_t *nrequesting; /* the same, their number */
	uint64_t *wanted;      /* by router: outputs of which a VC is requested */
	uint64_t *sending;     /* by router: input VCs that have a VC and a flit */
	unsigned out_words;
	uint32_t *busy_ivcs;    /* by router: bits in both */
	uint64_t *busy_routers; /* bit per router with such input VCs */
	unsigned router_words;
	struct allocation vc_round, switch_round;
	struct policy vc_policy, switch_policy;
	const struct allocator_ops *vc_allocator, *switch_allocator; /* their verbs */
	struct allocator_state *vc_state, *switch_state;             /* by router */
	uint8_t *chosen_vc; /* by port of the switch and output: the VC that requests it */
	uint8_t *next_vc;   /* by router and port of the switch: round robin position */
	/* exits */
	uint32_t *exit_channel; /* by output */
	uint64_t *waiting;      /* bit per output whose exit holds flits */
	uint8_t *exit_vc;       /* by output: round robin position */
	/* the step */
	uint64_t stepped; /* 1 + the last cycle */
	uint64_t arrival; /* the next cycle in which a packet arrives at an input */
	enum step answer;
	uint64_t routed;   /* the last cycle in which a packet begins to request a VC */
	uint32_t buffered; /* flits in routers' buffers now */
	uint64_t counted;  /* the cycle up to which they were summed */
	/* for the audit */
	uint64_t packets_in, flits_in, vcs_given, vcs_returned;
};

struct fabric_config {
	const struct network_config *network;
	const struct plugin *plugin;
	struct config *settings; /* for the parameters of its policies */
	const struct fabric_params *params;
	struct fabric_stats *stats;
	struct fabric_shape shape;
};

/* Creates the component: ports declared, memory allocated. The caller keeps the shape's arrays. */
void fabric_init(struct fabric *, struct partition *, const struct fabric_config *, struct arena *,
	struct err *);

extern const struct component_ops fabric_component;
void fabric_state(struct component *, struct state *); /* for it */

/* The functions of the networks that are a fabric (it is their first member). */
unsigned fabric_latency_cycles(const struct component *, unsigned bytes);
unsigned fabric_flit_bytes(const struct component *);
void fabric_audit(const struct component *, struct audit *);

/* ---- between the files of the fabric */
/* One pass of a router's allocators. True when anything was granted. */
bool fabric_pass(struct fabric *, unsigned router, unsigned pass, uint64_t cycle);
/* Puts a flit on the wire to q, to arrive at that cycle. There must be a credit. */
void fabric_send(struct fabric *, uint32_t q, uint32_t flit, uint64_t arrives);
/* Takes the front flit of q; its sender learns of the free entry after a wire's latency. */
uint32_t fabric_take(struct fabric *, uint32_t q, uint64_t cycle);
/* The flit at the front of a router's buffer can be allocated from now on, or from the next pass
 * on. */
void fabric_front(struct fabric *, uint32_t q, uint64_t cycle);
static inline uint32_t fabric_front_flit(const struct fabric *f, uint32_t q)
{
	return f->flit[((size_t)q << f->shift) + f->take[q]];
}

static inline unsigned fabric_destination(const struct fabric *f, uint32_t flit)
{
	const struct packet *p = &f->packet[flit >> 2];

	return f->route == ROUTE_TO_SLICE ? p->slice : p->sm;
}

/* The channel of a router's output. */
static inline uint32_t fabric_channel(const struct fabric *f, unsigned router, unsigned port)
{
	return f->inputs + router * f->shape.outs + port;
}

#endif
