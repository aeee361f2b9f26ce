/* The simulation kernel: components in partitions, stepped on clock edges, connected by links that
 * carry messages.
 *
 * Order of life: sim_new, sim_partition, component_init, port_declare, link_bind, sim_elaborate,
 * sim_run (repeatedly, from the host loop), sim_free. Nothing allocates after sim_elaborate.
 *
 * The three laws of a step: idempotent (a second call in the same cycle moves nothing), to the
 * fixed point (everything that this cycle's bandwidth permits is done now), derived wake (messages
 * and credits wake by themselves; a component requests only its own later wake-ups). */
#ifndef CORE_SIM_H
#define CORE_SIM_H

#include "core/base.h"
#include "core/err.h"
#include "core/mem.h"
#include "core/policy.h"
#include "core/text.h"

struct sim;
struct partition;
struct component;
struct link;
struct probe;
struct state;
struct probe_ops;

struct sim_config {
	uint64_t window_cycles; /* core cycles that partitions run alone; the minimum latency of a
				   far link */
	unsigned cycle_ps;      /* the core clock's period; 0: CORE_PERIOD_PS */
	unsigned threads;       /* host threads, at least 1 */
	bool pin;               /* bind threads to cores with hwloc, when the build has it */
	bool shuffle;           /* for tests: step awake components in a random order */
	bool early_wakes;       /* for tests: wake components at random cycles as well */
	bool hostile;           /* for tests: check the laws of a step at every step */
	uint64_t seed;          /* of shuffle and early_wakes */
};

enum step {
	STEP_SLEEP, /* until a message, a credit or a requested wake */
	STEP_AGAIN  /* step it in the next cycle */
};

struct component_ops {
	/* One clock edge. `cycle` counts periods of the component's own clock. */
	enum step (*step)(struct component *, uint64_t cycle);
	/* True while the component has unfinished work: distinguishes deadlock from idleness. */
	bool (*busy)(const struct component *);
	/* Prefetches what the next steps will touch into the host's caches: called while the same
	 * worker runs the window of the preceding partition, and, `early`, of the one before that:
	 * then only for the component's own structure. May be NULL. */
	void (*warm)(const struct component *, bool early);
	/* For the deadlock report: appends lines that say what it waits for. May be NULL. */
	void (*stuck)(const struct component *, struct text *);
	/* Moves its state (core/state.h). NULL: it cannot be in a checkpoint. */
	void (*state)(struct component *, struct state *);
	/* Its signals for observers: core/probe.h. May be NULL. */
	const struct probe_ops *probe;
};

/* Embedded as the first member of every component's struct. Read only, outside core/. */
struct component {
	const struct component_ops *ops;
	const struct plugin *plugin; /* its tables; may be NULL */
	const char *name;
	struct sim *sim;
	struct partition *part;
	uint32_t clock; /* index of its clock in the partition */
	uint32_t slot;  /* its bit in that clock's awake mask */
	uint32_t id;    /* consecutive, in order of creation */
	uint32_t period_ps;
	struct policy *policies; /* those with statistics of their own: component_policy */
	bool blocked;            /* a send was refused during this step, or component_hold */
	struct probe *probe;     /* NULL: it is not observed */
};

/* ---- elaboration. Memory comes from the arena, whose escape must be set. */
struct sim *sim_new(const struct sim_config *, struct arena *);
void sim_free(struct sim *); /* joins the threads; accepts NULL; the caller keeps the arena */

/* A part of the simulation that runs alone within a window. `weight` is the relative cost of a step
 * in it on the host, for assigning partitions to worker threads. The name is copied. */
struct partition *sim_partition(struct sim *, const char *name, unsigned weight);

/* Adds a component (zeroed except for the creator's own fields) to a partition. The name is copied.
 * A period of 0 is the core clock's. */
void component_init(struct component *, struct partition *, const struct component_ops *,
	const struct plugin *, const char *name, unsigned period_ps);

/* Adds a policy to the component, whose statistics become the component's. The policy must not
 * move. */
void component_policy(struct component *, struct policy *);

struct msg_type {
	const char *name;
	size_t size; /* bytes, at most 256, aligned to 8 at most */
};

enum port_dir { PORT_OUT, PORT_IN };

/* Declares port `name`[index]; binding stores the link in *slot. An unbound port is a fault unless
 * `optional`. */
void port_declare(struct component *, enum port_dir, const char *name, unsigned index,
	const struct msg_type *, struct link **slot, bool optional);

struct link_config {
	unsigned latency_cycles; /* at least 1; at least the window between partitions */
	unsigned depth;          /* messages in flight and waiting, at least 1 */
	unsigned period_ps;      /* of those cycles; 0: the core clock's */
};

/* Connects an output to an input. Faults (unknown port, type mismatch, bound twice, latency 0) are
 * collected and reported by sim_elaborate. */
void link_bind(struct sim *, struct component *from, const char *out, unsigned out_index,
	struct component *to, const char *in, unsigned in_index, struct link_config);

/* Called once per window by one worker while all others wait, if any partition requested it with
 * edge_request in that window. `end` is the first tick after the window, and the time of all
 * partitions. May wake any component (wake_at), notify events and finish; may not use links.
 * Several callbacks are called in the order of sim_on_edge. */
typedef void edge_fn(void *ctx, tick_t end);
void sim_on_edge(struct sim *, edge_fn *, void *ctx);

/* Ends elaboration: all faults at once in err (ERR_INPUT), or 0. Starts the worker threads. Every
 * component is awake in the first cycle. */
int sim_elaborate(struct sim *, struct err *);

/* ---- from within a step */
/* The partition's time now. */
static inline tick_t sim_now(const struct component *);
/* Also steps the component at that cycle of its clock (in the future); from an event or an edge
 * callback, cycles that begin now count as future. Of the requests that are 1024 cycles ahead or
 * more, the kernel keeps only the earliest: request the others again when stepped. */
void wake_at(struct component *, uint64_t cycle);
/* Declares that a visible message remains in its queue on purpose, although no send was refused:
 * something else (a reply, an event, the edge) will wake the component. Only sim_config.hostile
 * uses it. */
static inline void component_hold(struct component *);
/* Requests the edge callback at the end of this window; from an edge callback, at the end of the
 * next window that runs. */
void edge_request(struct component *);
/* Also calls the edge callbacks at the first window's end that is at or after that tick. The latest
 * request counts; from an edge callback, or between calls of sim_run. */
void sim_edge_at(struct sim *, tick_t);
/* Ends the simulation: sim_run returns RUN_DONE at the window's end. */
void sim_finish(struct component *);
/* Something happened that the owner of the simulation should see at once: sim_run returns
 * RUN_PAUSED at the window's end; the next call continues. */
void sim_pause(struct component *);
/* Stops the simulation, for a reason that only its owner can report: RUN_STOPPED. Safe from any
 * thread and from a signal handler's loop; takes effect at a window's end. */
void sim_stop(struct sim *);
/* Sets the bell that sim_stop rings, from its caller's thread, or NULL. The caller owns the bell.
 */
struct sim_bell {
	void (*ring)(void *ctx);
	void *ctx;
};
void sim_on_stop(struct sim *, struct sim_bell *);

/* ---- timed events: one callback at a tick, in order of (tick, order of notification) */
struct event;
typedef void event_fn(struct event *);
struct event {
	event_fn *fn;
	struct partition *part;
	tick_t at; /* TICK_NEVER while not pending */
	/* the kernel's: the position of a pending event */
	union {
		struct event *next; /* in the same list */
		uint32_t index;     /* index in a heap */
	};
	struct event **link; /* what points to it in its list; NULL: it is in a heap */
};
/* Before sim_elaborate, once. */
void event_init(struct event *, struct partition *, event_fn *);
/* (Re)schedules the event `delay` ps from now; 0 is not allowed. Events come before the clock edges
 * of the same tick. Usable after sim_elaborate. */
void event_notify(struct event *, tick_t delay);
void event_cancel(struct event *); /* no-op when not pending */

/* ---- running */
enum run {
	RUN_QUANTUM,  /* the budget is used up; call again */
	RUN_DONE,     /* sim_finish was called */
	RUN_STARVED,  /* nothing will ever happen again, and no component has unfinished work */
	RUN_DEADLOCK, /* nothing will ever happen again, but a component has unfinished work */
	RUN_STOPPED,  /* sim_stop was called */
	RUN_LIMIT,    /* max_cycles reached */
	RUN_PAUSED    /* sim_pause was called */
};

/* Runs at most `windows` windows that contain work, and stops at the first window's edge at or
 * after max_cycles core cycles. Results do not depend on how a run is divided into calls. Later
 * calls return DONE and STOPPED again; after LIMIT a larger max_cycles continues. */
enum run sim_run(struct sim *, uint64_t windows, uint64_t max_cycles);

/* The simulated time up to which everything has happened: the end of a window. */
tick_t sim_time(const struct sim *);
/* The period of the core clock, in which windows and limits are counted. */
unsigned sim_cycle_ps(const struct sim *);
uint64_t sim_window_cycles(const struct sim *);

/* The kernel's own counters, for reports about the host: component steps, windows, events. The test
 * modes of sim_config change them. */
struct sim_counts {
	uint64_t steps, windows, events;
};
struct sim_counts sim_counts(const struct sim *);

/* The deadlock report: which component waits for whose credit, the fill level of queues, and each
 * busy component's own lines. */
void sim_report_stuck(const struct sim *, struct text *);

#include "core/link.h"
#endif
