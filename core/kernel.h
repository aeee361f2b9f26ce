/* The kernel's own structures, shared by the files of core/ that step, link, and elaborate. */
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
 * that the component is to be stepped then; cycles from `next` on, and less than RING_CYCLES away,
 * have a mask. */
struct clock {
	struct partition *part;
	uint64_t next; /* the first cycle that was not begun */
	tick_t tick;   /* the time of the last one begun, TICK_NEVER before the first */
	uint32_t period_ps;
	uint32_t words; /* of one mask */
	uint64_t *ring;
	struct member *members;
	uint32_t nmembers;
	uint32_t *order;                     /* scratch for the shuffled order of a cycle */
	uint64_t occupied[RING_CYCLES / 64]; /* the masks that have a bit set */
};

/* Set in a round, told to all at its end. */
enum {
	FLAG_EDGE = 1, /* the edge callbacks are wanted */
	FLAG_FINISH = 2,
	FLAG_STOP = 4,
	FLAG_PAUSE = 8
};

/* Far links are exchanged by their ends: those that come in are numbered from 0, those that go out
 * behind them. */
struct partition {
	struct partition_head head; /* first: sim_now reads it */
	tick_t next;                /* the earliest thing it had to do when it was closed last */
	tick_t soon;       /* the earliest thing this round's far messages and credits cause */
	uint64_t *touched; /* ends that sent or popped in this window */
	/* by the round's parity: ends whose other side was touched in that round */
	_Atomic uint64_t *news[2];
	uint32_t end_words; /* of a mask of ends */
	tick_t end;         /* of the window that runs */
	unsigned flags;
	uint32_t nclocks;
	struct clock **clocks;
	struct link **far_out, **far_in;
	uint32_t nfar_out, nfar_in;
	const struct component **warmed; /* those that have component_ops.warm */
	uint32_t nwarmed;
	uint32_t nevents; /* that were event_init'ed */
	uint32_t clocks_cap;
	uint64_t steps, events;
	struct rng rng;
	struct wheel wheel;
	/* for reports and elaboration */
	struct sim *sim;
	const char *name;
	unsigned weight;
	uint64_t cost;        /* by which partitions are dealt: recent steps, weighted */
	uint64_t dealt_steps; /* `steps` when that was reckoned last */
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

/* What the kernel knows of a component beside what stands in it. */
struct node {
	struct component *component;
	struct port *ports, **last_port; /* in order of declaration */
	struct event wish;               /* the earliest asked-for wake beyond the ring */
};

/* What one thread tells the others at the end of a round, by the round's parity. */
struct told {
	_Alignas(64) tick_t next;
	unsigned flags;
};

/* One thread's share of the partitions. */
struct lane {
	struct told told[2];
	struct partition **parts;
	uint32_t nparts;
};

/* The dealing of partitions to lanes. */
struct deal {
	uint32_t *lane; /* of each partition, as planned last */
	uint64_t *load; /* of each lane */
	uint64_t steps; /* of all partitions, when it was planned last */
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
	struct node **nodes;
	struct partition **parts;
	struct link **links;
	uint32_t nnodes, nodes_cap, nparts, parts_cap, nlinks, links_cap;
	struct edge_hook *edges;
	bool elaborated;
	struct lane *lanes;
	struct deal deal;
	struct crew *crew;
	struct pin *pin;
	struct edge_hook **last_edge;
	/* agreed between calls of sim_run; in a call only thread 0 writes them, where all others
	 * wait */
	tick_t next; /* the earliest tick at which anything happens */
	tick_t time;
	unsigned flags;
	uint64_t rounds;
	uint64_t budget, max_cycles;
	enum run answer;
	_Alignas(64) atomic_bool stop;
	_Atomic(struct sim_bell *) bell;
};

/* ---- partition.c */
/* Moves `next` up to now, over cycles in which nobody was awake. */
void clock_catch_up(struct clock *);
/* clock_wake for a cycle that the ring seems not to reach. */
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

/* Runs everything that happens in the partition before `end`; answers what partition_next would. */
tick_t partition_run(struct partition *, tick_t end);
/* The earliest tick at which the partition has something to do. */
tick_t partition_next(const struct partition *);
/* For early_wakes: steps some components at random cycles of the window. */
void partition_disturb(struct partition *, tick_t start, tick_t end);

/* ---- link.c */
/* At a window's start: the receiver takes over new messages, the sender new credits. */
void link_take_messages(struct link *, unsigned parity);
void link_take_credits(struct link *, unsigned parity);
/* At its end they tell each other how far they came, if they came any further. */
static inline void link_tell_tail(struct link *l, unsigned parity)
{
	l->pub_tail[parity] = l->tail;
}
static inline void link_tell_head(struct link *l, unsigned parity)
{
	l->pub_head[parity] = l->head;
}

/* ---- build.c */
/* The array, or a larger copy of it when element n does not fit. */
void *build_room(struct arena *, void *array, uint32_t n, uint32_t *cap, size_t size);

/* ---- deal.c */
/* At elaboration: by weight alone. */
void deal_first(struct sim *);
/* Between runs: anew, if what partitions have cost since makes it worth while. */
void deal_again(struct sim *);

/* ---- window.c */
/* One thread's share of sim_run: windows until an answer is agreed. */
void window_loop(void *sim, unsigned lane);

/* ---- hostile.c */
/* Steps a component twice and checks the laws of a step. */
enum step hostile_step(struct component *, uint64_t cycle);

#endif
