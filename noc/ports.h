/* Shared by all single-stage networks: the heads of their inputs, sorted by the requested output.
 *
 * An input's queue is its link (and noc/inlet.h). Only the head of the queue can leave; it requests
 * its output from pipeline_cycles after it became visible on. An input is in exactly one of two
 * states: requesting (its bit is set in one row of `requests`), or idle (its bit is set in `idle`).
 * So a cycle examines each idle input and each requested output once. */
#ifndef NOC_PORTS_H
#define NOC_PORTS_H

#include "noc/groups.h"
#include "noc/inlet.h"

#define PORTS_PARAMS(P, T) \
	P(T, NAME, arbiter, "round_robin", 0, 0, "arbiter", \
		"Arbitration among the inputs that request the same output.") \
	P(T, UINT, pipeline_cycles, 2, 0, 1000, "cycles", \
		"Pipeline depth of the router, from a packet's arrival to its earliest departure.")

#define PORTS_STATS(S, T) \
	S(T, COUNT, packets, "packets", "Packets moved.") \
	S(T, COUNT, flits, "flits", "Flits moved: 32 bytes each, headers included.") \
	S(T, COUNT, wait_cycles, "cycles", \
		"Cycles that packets waited at the head of an input, ready to leave.") \
	S(T, COUNT, crowded_cycles, "cycles", \
		"Of wait_cycles, the share of the outputs that as many packets could have " \
		"requested, and did not.") \
	S(T, COUNT, blocked_cycles, "cycles", \
		"Cycles that an output was free and requested, but its queue was full.") \
	S(T, COUNT, group_wait_cycles, "cycles", \
		"Cycles that an output was free and requested, but the ports of TPCs or GPCs " \
		"were occupied.") \
	S(T, COUNT, arbitration_losses, "packets", \
		"Packets that lost the arbitration for an output, summed over " \
		"choices.")

struct ports_params {
	PORTS_PARAMS(PARAM_FIELD, )
};
struct ports_stats {
	PORTS_STATS(STAT_FIELD, )
};

struct ports {
	unsigned inputs, outputs;
	unsigned words; /* of 64 inputs, in a row of requests */
	unsigned out_words;
	enum route route;
	uint32_t period_ps, pipeline_ps;
	struct policy policy;
	struct arbiter_view view;
	const struct arbiter_ops *arbiter; /* its functions */
	struct inlets in;
	struct groups groups; /* and the widths of ports */
	struct link **out;
	uint64_t *requests; /* row per output: bit per requesting input */
	uint64_t *idle;     /* bit per input without a request */
	uint64_t *wanted;   /* bit per requested output */
	uint32_t *last;     /* per output: the input chosen last */
	uint64_t *ready;    /* per requesting input: the cycle from which its head could leave */
	uint64_t *blocked_since; /* per output: first cycle without a credit, or UINT64_MAX */
};

/* What ports are made from. */
struct ports_config {
	const struct network_config *network;
	const char *arbiter;
	uint64_t pipeline_cycles;
	struct config *settings; /* for the arbiter's parameters */
};

/* Declares the component's ports in[] and out[] and allocates memory. */
void ports_init(struct ports *, struct component *, const struct ports_config *, struct arena *,
	struct err *);

/* The cycle from which a packet that arrives then can leave; `cycle`, which is now: it can. */
static inline uint64_t ports_ready(const struct ports *p, tick_t arrives, uint64_t cycle)
{
	tick_t now = cycle * p->period_ps, ready = arrives + p->pipeline_ps;

	if (ready <= now)
		return cycle;
	return cycle + ((uint32_t)(ready - now) + p->period_ps - 1) / p->period_ps;
}

/* The arbiter's choice for the output among `requests`, which is granted. */
static inline unsigned ports_choose(
	struct ports *p, unsigned output, const uint64_t *requests, uint64_t cycle)
{
	unsigned winner;

	p->view.requests = requests;
	p->view.output = output;
	p->view.last = p->last[output];
	p->view.cycle = cycle;
	winner = p->arbiter->pick(p->policy.self, &p->view);
	if (p->arbiter->granted)
		p->arbiter->granted(p->policy.self, output, winner, cycle);
	p->last[output] = winner;
	return winner;
}

/* The name space of a network's statistics: its name with '_' for '.'. */
const char *network_space(const char *name, struct arena *);

/* Examines the head of an idle input: when it can leave now, the input requests from now on.
 * Returns the cycle in which to examine it again, or UINT64_MAX: a message will wake the component.
 */
uint64_t ports_enter(struct ports *, unsigned input, uint64_t cycle);
static inline uint64_t ports_examine(struct ports *p, unsigned input, uint64_t cycle)
{
	return inlet_holds(&p->in, input) ? ports_enter(p, input, cycle) : UINT64_MAX;
}

/* Arbitrates among the inputs that request `output`, none of which is occupied, and sends the
 * winner's packet, which occupies the output for its flits when `occupy`. Returns the winner's
 * index, now idle, and its flits at the input's port and at the output's; or -1 when there is no
 * credit, or groups hold all of them: until groups.when, else UINT64_MAX. */
struct ports_flits {
	unsigned in, out;
};
int ports_grant(struct ports *, unsigned output, uint64_t cycle, bool occupy, struct ports_stats *,
	struct ports_flits *);

/* How many of the cycles that a packet waited are crowded_cycles, when `n` packets request. */
uint64_t ports_crowded(const struct ports *, unsigned n, uint64_t waited);

/* Moves their state (core/state.h). */
void ports_state(struct state *, struct ports *);

/* True when any input holds a packet. */
bool ports_busy(const struct ports *);
/* A line per requested output, for the deadlock report. */
void ports_stuck(const struct ports *, struct text *);

#endif
