/* What the files of probes share: probe.c, which lists and chooses, probe_look.c, which looks after
 * steps, and probe_tell.c, which tells at edges. */
#ifndef CORE_PROBE_INSIDE_H
#define CORE_PROBE_INSIDE_H

#include "core/kernel.h"
#include "core/probe.h"

/* What a record is of. Those from RECORD_EVENT on are events: code + RECORD_EVENT. */
enum {
	RECORD_VALUE, /* `id` is the signal */
	RECORD_SENT,  /* likewise, a link: messages sent so far, by its sender */
	RECORD_TAKEN, /* messages taken so far, by its receiver */
	RECORD_EVENT  /* `id` and `value` are the event's a and b */
};

/* A change, an event, or the sum over an interval that begins at `at`. */
struct record {
	tick_t at;
	uint64_t value;
	uint32_t id, what;
};

/* What is looked at first: a number, and what it was. */
struct eye {
	const uint64_t *at;
	uint64_t raw;
};
struct eye32 {
	const uint32_t *at;
	uint32_t raw;
};

/* And what is touched when it has changed. */
struct watched {
	uint64_t value;
	uint64_t sum;  /* of this interval, up to `since` */
	uint64_t told; /* sum of the last interval that was told */
	tick_t since;
	const struct signal_def *def;
	uint32_t id;
	uint8_t what; /* RECORD_VALUE, _SENT or _TAKEN */
	bool values, means, told_any;
	bool moving; /* this interval's sum may be another one than the last's */
};

/* What belongs to one component; only its own steps and the window's edge touch it. The eyes are,
 * in the order of `watched`, those of 8 bytes and those of 4; computed ones have none, and those of
 * them that have a `before` come first. */
struct probe {
	struct component *component;
	const struct probes *all;
	const struct probe_ops *ops;
	enum step (*step)(struct component *, uint64_t cycle);
	struct eye *eyes;
	struct eye32 *eyes32;
	struct watched *watched;
	unsigned neyes, neyes32, nbefore, nwatched;
	bool lazy;       /* it may change by time alone */
	bool based;      /* looking has begun */
	bool closed;     /* and ended */
	bool means;      /* some signal's means are wanted */
	uint8_t events;  /* bit per sink that wants its events */
	uint64_t looked; /* the cycle that was looked at last */
	tick_t start;    /* of the interval */
	struct record *records, *sums;
	uint32_t nrecords, room; /* entered; places */
	uint32_t nsums, sums_room;
	uint32_t told, sums_told; /* of those entered, at the edge */
};

/* Messages in a link, as its two sides have told: counts, or sums over an interval. */
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

/* Where the interval that begins at p->start ends. */
static inline tick_t probe_interval_end(const struct probe *p)
{
	return p->start + p->all->every;
}

/* Looking begins, at a component that nothing has happened to since `from`. */
void probe_base(struct probe *);
/* Looks at what has changed by time alone before that tick, for who has not been stepped. */
void probe_catch_up(struct probe *, tick_t end);
/* Ends all intervals that end at `at` or before. */
void probe_roll(struct probe *, tick_t at);
/* Ends the last one there, shorter. */
void probe_roll_last(struct probe *, tick_t at);
/* The step of a component that somebody looks at. */
enum step probe_step(struct component *, uint64_t cycle);

/* At a window's edge: tells all that happened before `end`. An edge_fn of struct probes. */
void probes_tell(void *probes, tick_t end);

#endif
