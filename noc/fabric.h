/* Input-queued routers with virtual channels, and the wires between them: what crossbar and mesh
 * are made of (Dally and Towles, "Principles and Practices of Interconnection Networks", chapter
 * 16).
 *
 * Packets cross in flits. A *channel* is a wire from where flits come from (an input of the
 * network, or an output of a router) to where they go (an input of a router, or an output of the
 * network: an exit), with a buffer for each virtual channel (VC) at its far end; whoever sends
 * counts that buffer's free places, its credits. A packet that comes to the front of its buffer
 * asks for a VC of its output's channel, which is its own until its last flit was sent; from the
 * next pass on each of its flits with a credit asks for the switch. An input puts a flit a cycle on
 * its wire, a router's output as well. At the exit packets are put together, and leave with their
 * last flit.
 *
 * All of it is one component, awake while anything moves. */
#ifndef NOC_FABRIC_H
#define NOC_FABRIC_H

#include "noc/allocator.h"
#include "noc/network.h"

#define FABRIC_PARAMS(P, T) \
	P(T, UINT, vcs, 4, 1, 16, "VCs", "Virtual channels of a channel.") \
	P(T, UINT, vc_flits, 8, 1, 256, "flits", "Depth of a virtual channel's buffer.") \
	P(T, UINT, flit_bytes, 32, 8, 128, "bytes", "Data bytes of a flit.") \
	P(T, UINT, input_speedup, 1, 1, 16, "ports", \
		"Ports of the switch for each input; its VCs share them out.") \
	P(T, UINT, passes, 1, 1, 4, "passes", \
		"Passes of the allocators in a cycle: the switch's speed over the wires'.") \
	P(T, UINT, route_cycles, 0, 0, 100, "cycles", \
		"From the front of the buffer to asking for a VC.") \
	P(T, UINT, cross_cycles, 1, 1, 100, "cycles", "From the switch's grant to the wire.") \
	P(T, UINT, wire_cycles, 1, 1, 100, "cycles", \
		"Latency of a wire: of flits there, of credits back.") \
	P(T, NAME, vc_allocator, "islip", 0, 0, "allocator", "Which packet gets which VC.") \
	P(T, NAME, switch_allocator, "islip", 0, 0, "allocator", \
		"Which input gets which output in a pass.") \
	P(T, UINT, iterations, 1, 1, 16, "rounds", "Rounds of an iSLIP allocator in a pass.")

#define FABRIC_STATS(S, T) \
	S(T, COUNT, packets, "packets", "Packets moved.") \
	S(T, COUNT, flits, "flits", "Flits moved, headers included.") \
	S(T, COUNT, flit_hops, "flits", "Flits that crossed a router, summed over routers.") \
	S(T, COUNT, wait_cycles, "cycles", \
		"Cycles that packets waited at the head of an input, ready to leave.") \
	S(T, COUNT, vc_wait_cycles, "cycles", \
		"Of them, cycles that they waited for a virtual channel.") \
	S(T, COUNT, credit_wait_cycles, "cycles", \
		"Cycles that virtual channels had a flit to send, but no credit.") \
	S(T, COUNT, vc_losses, "packets", \
		"Packets that asked for a virtual channel when another one got it, summed over " \
		"passes.") \
	S(T, COUNT, switch_losses, "flits", \
		"Flits that asked for an output when another one got it, summed over passes.") \
	S(T, COUNT, buffered_flit_cycles, "flits", \
		"Flits in the routers' buffers, summed over cycles.") \
	S(T, MAX, buffered_flits, "flits", "The most flits in the routers' buffers at once.") \
	S(T, COUNT, transit_cycles, "cycles", \
		"From a packet's first flit in to its last flit out, summed over packets.")

struct fabric_params {
	FABRIC_PARAMS(PARAM_FIELD, )
};
struct fabric_stats {
	FABRIC_STATS(STAT_FIELD, )
};

#define FABRIC_EXIT 0x80000000u
#define FABRIC_NOWHERE UINT32_MAX

/* Which routers there are, and what their ports are wired to. All routers have the same number of
 * ports; those that no wire leads to are never used. */
struct fabric_shape {
	unsigned routers, ins, outs;
	uint32_t *entry; /* per input of the network: router * ins + port */
	uint32_t *next;  /* per router * outs + port: router * ins + port of the next router, or
			    FABRIC_EXIT + output of the network, or FABRIC_NOWHERE */
	uint16_t *route; /* per router * outputs of the network + output: the port to take */
};

/* A packet on its way into the network. */
struct fabric_entry {
	uint32_t slot;
	uint8_t left; /* flits to send; 0: no packet is on its way */
	uint8_t vc, last_vc;
	bool first; /* the next flit is the first one */
};

struct fabric_credit {
	uint64_t due;
	uint32_t vc;
};

/* Buffers, owners and credits are all kept by the channel's number k (inputs first, then routers'
 * outputs) times the VCs, plus the VC: here called q. */
struct fabric {
	struct component base;
	const struct fabric_params *p;
	struct fabric_stats *s;
	struct fabric_shape shape;
	enum route route;
	unsigned inputs, outputs, vcs, shift; /* a buffer has 1 << shift places in memory */
	unsigned hop_cycles;                  /* of a lone head: from its buffer to the wire */
	unsigned least_wait;                  /* of a lone head: from the front to the grant */
	double routers_on_the_way;            /* mean of all pairs */
	struct link **in, **out;
	/* by channel */
	uint32_t *to;       /* as fabric_shape.next */
	uint16_t *free_vcs; /* bit per VC that no packet owns */
	uint64_t *free_at;  /* the cycle from which its wire is free again */
	/* by q */
	uint16_t *credits;
	uint16_t *put, *take, *held; /* the ring: next place to fill, front, flits that arrived */
	uint32_t *target;            /* of the packet at the front: the q it was given */
	uint16_t *leaves;            /* of the packet at the front: the router's port it takes */
	uint64_t *asks;              /* the first cycle in which it may ask for a VC */
	uint64_t *starved;  /* 1 + the cycle since which its front has no credit; 0: it has */
	uint32_t *flit;     /* by place, q << shift + place: slot << 2 | last << 1 | first */
	uint32_t *followed; /* by place: the next one that arrives in the same cycle */
	uint32_t *due;      /* by cycle mod due_cycles: places that arrive then, or UINT32_MAX */
	uint32_t due_mask;
	/* packets inside */
	struct packet *packet; /* by slot */
	uint64_t *entered;
	uint32_t *free_slot;
	uint32_t nfree, nslots;
	struct fabric_entry *entry;
	struct fabric_credit *credit; /* a ring, in order of time */
	uint32_t credit_head, credit_tail, credit_mask;
	uint32_t on_wires; /* flits */
	/* routers: a lane is a VC of an input, port * vcs + vc */
	unsigned lanes, lane_words, switch_ins;
	uint32_t *lane_q;    /* by router and lane */
	uint32_t *lane_of;   /* by q: router * lanes + lane */
	uint16_t *lane_port; /* by lane: its port of the switch */
	uint8_t *lane_vc;    /* by lane */
	uint64_t *asking;    /* by router and output: lanes that want a VC of it */
	uint32_t *nasking;   /* the same, how many */
	uint64_t *wanted;    /* by router: outputs that lanes want a VC of */
	uint64_t *sending;   /* by router: lanes that have a VC and a flit */
	unsigned out_words;
	uint32_t *busy_lanes;   /* by router: bits in both */
	uint64_t *busy_routers; /* bit per router with such lanes */
	unsigned router_words;
	struct allocation vc_round, switch_round;
	struct policy vc_policy, switch_policy;
	const struct allocator_ops *vc_allocator, *switch_allocator; /* their verbs */
	struct allocator_state *vc_state, *switch_state;             /* by router */
	uint8_t *chosen_vc; /* by port of the switch and output: the VC that asks */
	uint8_t *next_vc;   /* by router and port of the switch: whose turn it is */
	/* exits */
	uint32_t *exit_channel; /* by output */
	uint64_t *waiting;      /* bit per output whose exit holds flits */
	uint8_t *exit_vc;       /* by output: whose turn it is */
	/* the step */
	uint64_t stepped; /* 1 + the last cycle */
	enum step answer;
	uint64_t routed;   /* the last cycle in which a packet begins to ask for a VC */
	uint32_t buffered; /* flits in routers' buffers now */
	uint64_t counted;  /* the cycle up to which they were summed up */
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

/* Makes the component: ports declared, memory taken. The shape's arrays stay the caller's. */
void fabric_init(struct fabric *, struct partition *, const struct fabric_config *, struct arena *,
	struct err *);

extern const struct component_ops fabric_component;

/* The verbs of the networks that are a fabric (it is the first member of theirs). */
unsigned fabric_latency_cycles(const struct component *);
unsigned fabric_flit_bytes(const struct component *);
void fabric_audit(const struct component *, struct audit *);

/* ---- among the files of the fabric */
/* One pass of a router's allocators. True when anything was granted. */
bool fabric_pass(struct fabric *, unsigned router, unsigned pass, uint64_t cycle);
/* Puts a flit on the wire to q, to arrive at that cycle. There is a credit. */
void fabric_send(struct fabric *, uint32_t q, uint32_t flit, uint64_t arrives);
/* Takes the front flit of q, whose place is known to the sender after a wire's latency. */
uint32_t fabric_take(struct fabric *, uint32_t q, uint64_t cycle);
/* The flit at the front of a router's buffer is there from now on, or from the next pass on. */
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
