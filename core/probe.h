/* Probes: observing a running simulation from outside, without changing it.
 *
 * A *signal* is a number of a component (a level, a sum, a state) or the number of messages in a
 * link. After every step of an observed component, its selected signals are compared with their
 * previous values. Changes are reported to *sinks*: each change, or the mean of each interval.
 * Components also report events. Records are kept with the component, and reported at the window's
 * edge in the order of (time, component, order): the same for any number of threads. Steps of
 * components that are not observed cost nothing.
 *
 * Order of life: sim_elaborate, probes_new, probes_sink, probes_select.., probes_start; sim_run
 * repeatedly; probes_finish. */
#ifndef CORE_PROBE_H
#define CORE_PROBE_H

#include "core/sim.h"

enum signal_kind {
	SIGNAL_LEVEL, /* the current number: a queue's length */
	SIGNAL_SUM,   /* the total up to the cycle's end; never decreases */
	SIGNAL_STATE  /* one of a list of names, by index */
};

/* What a component exposes, and how: as a number in memory, or computed. `cycle` counts its own
 * clock's edges. */
struct signal_def {
	const char *name; /* an identifier: [a-z_][a-z0-9_]* */
	enum signal_kind kind;
	unsigned bits; /* its values are below 2^bits; 1 .. 64 */
	const char *unit, *text;
	const char *const *states; /* of a STATE: the names of its values */
	unsigned nstates;
	/* The number: of 4 or 8 bytes; with `ones`, of 8, whose set bits are counted. Its address:
	 * this offset in the component, or the result of `where`, or `at`. */
	size_t offset;
	const void *at;
	unsigned bytes;
	bool ones;
	const void *(*where)(const struct component *);
	/* bytes = 0: computed, as of that cycle, after its step if there is one. */
	uint64_t (*get)(struct component *, unsigned arg, uint64_t cycle);
	/* Of a computed one, just before the step; may be NULL. */
	void (*before)(struct component *, unsigned arg, uint64_t cycle);
	/* Of a computed one, its value in the cycles after a step, until the next step, if it may
	 * differ; may be NULL. */
	uint64_t (*settled)(struct component *, unsigned arg);
	unsigned arg; /* passed to the functions */
};

/* All signals of a component. */
struct probe_ops {
	const struct signal_def *defs;
	unsigned n;
	/* How many of them, from the first on, this component has; NULL: all. */
	unsigned (*count)(const struct component *);
	/* For a component some of whose signals or statistics change with time alone, between
	 * steps; else both are NULL. next: the next cycle after that one in which one may change,
	 * UINT64_MAX: none; advance: updates them to that cycle. Neither may change what the
	 * component does. */
	uint64_t (*next)(struct component *, uint64_t cycle);
	void (*advance)(struct component *, uint64_t cycle);
	unsigned events; /* the most events that it reports in a cycle */
};

/* One signal of a simulation. Besides those of probe_ops these are a component's statistics (those
 * of its plugin: sums and levels) and, under the receiver's name, each link: messages that were
 * sent to that port and not taken yet. */
struct signal {
	char *name;        /* "sm.3.warps_eligible" */
	const char *local; /* its last component */
	const struct component *of;
	struct signal_def def;
	bool is_link;
};

/* Something that a component reports at once. Code and numbers are defined by the component. */
struct probe_event {
	unsigned code;
	uint32_t a;
	uint64_t b;
};

/* A receiver of reports. The times of values and events together never decrease, nor do those of
 * means; of several values or means of a signal at one time the last counts. The first value of
 * every signal comes with the time at which observation begins (or never, when the run ends
 * before). Events are reported from the start of the run on. */
struct probe_sink {
	void *ctx;
	void (*value)(void *ctx, unsigned signal, tick_t at, uint64_t value);
	/* In the interval of `length` ps from `start` on: a level times ps, or the growth of a sum.
	 * Reported when it differs from the previous interval's, and for the last interval, which
	 * may be shorter. */
	void (*mean)(void *ctx, unsigned signal, tick_t start, tick_t length, uint64_t sum);
	void (*event)(void *ctx, const struct component *, tick_t at, const struct probe_event *);
};
#define PROBE_SINKS 2

struct probes;

/* Lists the signals of an elaborated simulation. Memory comes from the arena, whose escape must be
 * set until probes_start has returned. */
struct probes *probes_new(struct sim *, struct arena *);
unsigned probes_count(const struct probes *);
const struct signal *probes_signal(const struct probes *, unsigned i); /* in order of components */
/* Components, whose numbers (component.id) are below. */
unsigned probes_parts(const struct probes *);

/* Adds a sink, PROBE_SINKS at most; returns its number. */
unsigned probes_sink(struct probes *, const struct probe_sink *);
/* Selects for the sink this signal's values, its means, or all events of this component. A state
 * has no mean. */
void probes_select(struct probes *, unsigned sink, unsigned signal);
void probes_select_means(struct probes *, unsigned sink, unsigned signal);
void probes_select_events(struct probes *, unsigned sink, const struct component *);

/* Signals are observed from `from` (inclusive) to `to` (exclusive); intervals have `every` ps. At
 * most once in a simulation, before it runs. */
void probes_start(struct probes *, tick_t from, tick_t to, tick_t every);

/* After the last sim_run: reports the rest. Returns the time at which observation ended, or would
 * have begun if the run was over before. */
tick_t probes_finish(struct probes *);

/* For checkpoints, between two windows; of probes that were started alike. */
struct state;
void probes_state(struct state *, struct probes *);

/* ---- from within a step */
struct probe;
void probe_note(struct probe *, struct probe_event);

/* Reports something that happened in this cycle, if the component is observed. */
static inline void probe_event(struct component *c, unsigned code, uint32_t a, uint64_t b)
{
	if (c->probe)
		probe_note(c->probe, (struct probe_event){code, a, b});
}

#endif
