/* Shared by the files of probes: probe.c, which lists and selects, probe_sample.c, which samples
 * after steps, and probe_report.c, which reports at edges. */
#ifndef CORE_PROBE_INSIDE_H
#define CORE_PROBE_INSIDE_H

#include "core/kernel.h"
#include "core/probe.h"

/* The type of a record. Those from RECORD_EVENT on are events: code + RECORD_EVENT. */
enum {
	RECORD_VALUE, /* `id` is the signal */
	RECORD_SENT,  /* `id` is the signal of a link: messages sent so far, by its sender */
	RECORD_TAKEN, /* messages taken so far, by its receiver */
	RECORD_EVENT  /* `id` and `value` are the event's a and b */
};

/* A change, an event, or the sum over an interval that begins at `at`. */
struct record {
	tick_t at;
	uint64_t value;
	uint32_t id, what;
};

/* What every sample reads first: the address of a number, and its previous content. */
struct cell {
	const uint64_t *at;
	uint64_t raw;
};
struct cell32 {
	const uint32_t *at;
	uint32_t raw;
};

/* What is touched only when it has changed. */
struct watched {
	uint64_t value;
	uint64_t sum;      /* of this interval, up to `since` */
	uint64_t reported; /* sum of the last reported interval */
	tick_t since;
	const struct signal_def *def;
	uint32_t id;
	uint8_t what; /* RECORD_VALUE, _SENT or _TAKEN */
	bool values, means, reported_any;
	bool moving; /* this interval's sum may differ from the last one's */
};

/* The probe of one component; only its own steps and the window's edge touch it. `watched` has
 * first the signals of `cells`, then those of `cells32`, then the computed ones, of which those
 * with `before` come first. */
struct probe {
	struct component *component;
	const struct probes *all;
	const struct probe_ops *ops;
	enum step (*step)(struct component *, uint64_t cycle);
	struct cell *cells;
	struct cell32 *cells32;
	struct watched *watched;
	unsigned ncells, ncells32, nbefore, nwatched;
	bool lazy;        /* it may change with time alone */
	bool based;       /* observation has begun */
	bool closed;      /* observation has ended */
	bool means;       /* a sink selected means */
	uint8_t events;   /* bit per sink that selected its events */
	uint64_t sampled; /* the last sampled cycle */
	tick_t start;     /* of the interval */
	struct record *records, *sums;
	uint32_t nrecords, cap; /* number of records; capacity */
	uint32_t nsums, sums_cap;
	uint32_t reported, sums_reported; /* how many of them are reported, at the edge */
};

/* Messages in a link, as reported by its two sides: counts, or sums over an interval. */
struct link_sum {
	uint64_t sent, taken;
};

struct probes {
	struct sim *sim;
	struct arena *arena;
	struct signal *signals;
	uint8_t *values, *means;             /* bit per sink, by signal */
	struct link_sum *links, *link_means; /* by signal */
	uint32_t *signal_of_link;
	struct probe *probe; /* by component */
	struct probe_sink sink[PROBE_SINKS];
	unsigned nsignals, nsinks;
	tick_t from, to, every;
};

/* The end of the interval that begins at p->start. */
static inline tick_t probe_interval_end(const struct probe *p)
{
	return p->start + p->all->every;
}

/* Begins observation of a component that has not changed since `from`. */
void probe_base(struct probe *);
/* Samples what has changed with time alone before that tick, for a component that was not stepped.
 */
void probe_catch_up(struct probe *, tick_t end);
/* Ends all intervals that end at `at` or before. */
void probe_roll(struct probe *, tick_t at);
/* Ends the last interval at `at`, shorter than the others. */
void probe_roll_last(struct probe *, tick_t at);
/* The step of an observed component. */
enum step probe_step(struct component *, uint64_t cycle);

/* At a window's edge: reports all that happened before `end`. An edge_fn of struct probes. */
void probes_report(void *probes, tick_t end);

#endif
