/* The kernel's internal structures, shared by the files of core/ that step, link, and elaborate. */
#ifndef CORE_KERNEL_H
#define CORE_KERNEL_H

#include <stdatomic.h>

#include "core/crew.h"
#include "core/pin.h"
#include "core/rng.h"
#include "core/sim.h"
#include "core/wheel.h"

#define RING_CYCLES 1024u

struct member {
	struct component *component;
	enum step (*step)(struct component *, uint64_t cycle);
};

/* The components of one partition that have one period. Bit `slot` of mask `cycle` in the ring says
 * that the component is to be stepped in that cycle; the ring has masks for the RING_CYCLES cycles
 * from `next` on. */
struct clock {
	struct partition *part;
	uint64_t next; /* the first cycle not yet begun */
	tick_t tick;   /* the time of the last cycle begun, TICK_NEVER before the first */
	uint32_t period_ps;
	uint32_t words; /* words of one mask */
	uint64_t *ring;
	struct member *members;
	uint32_t nmembers;
	uint32_t *order;                     /* scratch for the shuffled order of a cycle */
	uint64_t occupied[RING_CYCLES / 64]; /* which masks have a bit set */
};

/* Set in a round, published to all workers at its end. */
enum {
	FLAG_EDGE = 1, /* an edge callback was requested */
	FLAG_FINISH = 2,
	FLAG_STOP = 4,
	FLAG_PAUSE = 8,
	FLAG_ALONE = 16 /* worker 0 waits too long for the others */
};

/* Far links are exchanged by their ends: incoming links are numbered from 0, outgoing links follow.
 */
struct partition {
	struct partition_head head; /* first: sim_now reads it */
	tick_t next;       /* its earliest pending step or event at the end of its last window */
	tick_t soon;       /* the earliest effect of this round's far messages and credits */
	uint64_t *touched; /* ends that sent or popped in this window */
	/* by the parity of the round: ends whose other side was touched in that round, and in one
	 * more word whether there are any */
	_Atomic uint64_t *news[2];
	uint32_t end_words;  /* words of a mask of ends */
	struct share *share; /* it is share->parts[index] */
	uint32_t index;
	tick_t end; /* of the current window */
	bool woken; /* a step or event was added or removed after `next` was found */
	unsigned flags;
	uint32_t nclocks;
	struct clock **clocks;
	struct link **far_out, **far_in;
	uint32_t nfar_out, nfar_in;
	const struct component **warmed; /* those that have component_ops.warm */
	uint32_t nwarmed;
	uint32_t nevents; /* number of events initialised: */
	uint32_t clocks_cap, events_cap;
	struct event **all_events;
	uint64_t steps, events;
	struct rng rng;
	struct wheel wheel;
	/* for reports and elaboration */
	struct sim *sim;
	const char *name;
	unsigned weight;
	uint64_t cost;        /* measure for load balancing: recent steps, weighted */
	uint64_t dealt_steps; /* `steps` when the cost was last computed */
};

struct port {
	struct port *next;
	const char *name;
	unsigned index;
	enum port_dir dir;
	bool optional;
	const struct msg_type *type;
	struct link **slot;
	struct link *link;
};

/* The kernel's data of a component, besides struct component. */
struct node {
	struct component *component;
	struct port *ports, **last_port; /* in order of declaration */
	struct event far_wake;           /* the earliest requested wake beyond the ring */
};

/* What one worker publishes to the others at the end of a round, by the parity of the round. */
struct published {
	_Alignas(64) tick_t next;
	unsigned flags;
};

/* The partitions that one worker runs. A window asks those that are awake or were called (bit i: of
 * parts[i]) whether they have something to do, and all of them when the first sleeper is due: to
 * ask all in each window would take 3% of needle's host instructions. */
struct share {
	struct published published[2];
	struct partition **parts;
	uint32_t nparts;
	uint64_t *awake;             /* had something to do in the last window */
	tick_t due;                  /* the earliest step or event of the others; 0: not known */
	_Atomic uint64_t *called[2]; /* were sent something, by the parity of the round */
};

/* The assignment of partitions to workers. */
struct deal {
	uint32_t *worker; /* of each partition, in the last plan */
	uint64_t *load;   /* of each worker */
	uint64_t steps;   /* of all partitions, at the last plan */
};

/* Whether the workers run together, by worker 0's waits; times are crew_clock's. */
struct company {
	unsigned most; /* that run together: the threads, or the cores if these are fewer */
	bool together;
	uint64_t from, waited; /* the time together began then, and what crew_waited was */
	uint64_t alone; /* the last time alone, in ns; 0: the workers have been together since
			   for long enough */
	uint64_t until; /* when it ends */
};

struct edge_hook {
	struct edge_hook *next;
	edge_fn *fn;
	void *ctx;
};

struct sim {
	struct sim_config config;
	struct arena *arena;
	struct err faults;
	tick_t window_ps;
	uint32_t cycle_ps;
	struct node **nodes;
	struct partition **parts;
	struct link **links;
	uint32_t nnodes, nodes_cap, nparts, parts_cap, nlinks, links_cap;
	struct edge_hook *edges;
	bool elaborated;
	struct share *shares;
	struct deal deal;
	struct crew *crew;
	struct company company;
	unsigned workers; /* that run shares now: worker w has those of w, w + workers, .. */
	struct pin *pin;
	struct edge_hook **last_edge;
	/* consistent between calls of sim_run; in a call only worker 0 writes them, while all
	 * others wait */
	tick_t next; /* the earliest tick at which anything happens */
	tick_t time;
	tick_t edge_at; /* sim_edge_at; TICK_NEVER: none */
	unsigned flags;
	uint64_t rounds;
	uint64_t budget, max_cycles;
	enum run result;
	_Alignas(64) atomic_bool stop;
	_Atomic(struct sim_bell *) bell;
};

/* ---- partition.c */
/* Advances `next` to now, over cycles in which no component was awake. */
void clock_catch_up(struct clock *);
/* clock_wake for a cycle that may be beyond the ring. */
void clock_wake_far(struct clock *, uint32_t slot, uint64_t cycle);

/* Wakes the component in `slot` in that cycle, not before `next`. */
static inline void clock_wake(struct clock *k, uint32_t slot, uint64_t cycle)
{
	uint32_t i = cycle % RING_CYCLES;

	if (cycle - k->next >= RING_CYCLES) {
		clock_wake_far(k, slot, cycle);
		return;
	}
	k->ring[(size_t)i * k->words + slot / 64] |= 1ull << slot % 64;
	k->occupied[i / 64] |= 1ull << i % 64;
	k->part->woken = true;
}

/* The first edge of the clock at or after `at`. */
static inline uint64_t clock_cycle(const struct clock *k, tick_t at)
{
	return at / k->period_ps + (at % k->period_ps != 0);
}

/* The first edge that is at or after `at` and after the last edge begun. */
static inline uint64_t clock_edge(const struct clock *k, tick_t at)
{
	return max_u64(clock_cycle(k, at), k->next);
}

/* Runs everything that happens in the partition before `end`; returns the same as partition_next.
 */
tick_t partition_run(struct partition *, tick_t end);
/* The earliest tick at which the partition has something to do. */
tick_t partition_next(const struct partition *);
/* For early_wakes: steps some components at random cycles of the window. */
void partition_disturb(struct partition *, tick_t start, tick_t end);

/* ---- link.c */
/* At a window's start: the receiver takes the new messages, the sender the new credits. */
void link_take_messages(struct link *, unsigned parity);
void link_take_credits(struct link *, unsigned parity);
/* At a window's end each side publishes its position, if it has changed. */
static inline void link_publish_tail(struct link *l, unsigned parity)
{
	l->pub_tail[parity] = l->tail;
}
static inline void link_publish_head(struct link *l, unsigned parity)
{
	l->pub_head[parity] = l->head;
}

/* ---- build.c */
/* The array, or a larger copy of it when element n does not fit. */
void *build_grow(struct arena *, void *array, uint32_t n, uint32_t *cap, size_t size);

/* ---- deal.c */
/* At elaboration: by weight alone. */
void deal_first(struct sim *);
/* Between runs: reassigns partitions if the costs measured since then make it worthwhile. */
void deal_again(struct sim *);

/* ---- company.c */
/* By worker 0, between runs of the crew: how many workers are to run. */
unsigned company_workers(struct sim *);
/* By worker 0, in a window: whether it is to run alone from the next one on; true once. */
bool company_lags(struct sim *);

/* ---- window.c */
/* One worker's part of sim_run: windows until all workers agree to stop. */
void window_loop(void *sim, unsigned worker);

/* ---- hostile.c */
/* Steps a component twice and checks the laws of a step. */
enum step hostile_step(struct component *, uint64_t cycle);

#endif
