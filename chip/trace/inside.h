/* What the files of a chip's trace share: trace.c, which opens and chooses, trace_slices.c and
 * trace_counters.c. */
#ifndef CHIP_TRACE_INSIDE_H
#define CHIP_TRACE_INSIDE_H

#include "chip/inside.h"
#include "chip/trace/trace.h"
#include "core/perfetto.h"
#include "core/vcd.h"

#define TRACE_NAMES 4096u /* names of slices that are kept */
#define TRACE_STREAMS 256u
#define TRACE_SLOTS 64u /* CTA slots of an SM */

/* A signal, or the sum of several, as means over intervals. */
struct counter {
	uint64_t sum;   /* over the current interval */
	double told;    /* the mean last written */
	uint32_t track; /* 0: not in the file */
	uint32_t group; /* the counter of the sum it belongs to; 0: none */
	uint64_t scale; /* mean = sum * scale / length */
	bool told_any, moving;
};

/* A signal of named values, as slices on a track of its own. */
struct signal_state {
	struct track track;
	uint32_t value, next; /* in the file; as of `now` */
	uint32_t names;       /* number of its first value's name */
	bool known, moving;
};

struct cta_track {
	struct track track;
	uint32_t launch;
	uint64_t cta;
	bool used, waits;
};

struct sm_tracks {
	struct track track; /* the SM's own: which kernels it holds */
	struct cta_track slot[TRACE_SLOTS];
	uint64_t held; /* hash of the names on it; 0: none */
};

struct stream_track {
	unsigned stream;
	struct track track;
	uint32_t launch;
	bool busy;
};

struct slice_name {
	uint64_t hash;
	uint32_t number;
};

struct trace {
	struct chip *chip;
	struct probes *probes;
	struct perfetto file;
	struct vcd vcd;
	struct trace_request request;
	unsigned sink;
	uint8_t *wanted; /* by signal: it is in the Perfetto trace */
	tick_t from, to;
	/* counters: [0] is unused; then one for each signal; then sums over parts */
	struct counter *counters;
	uint32_t *moving; /* those with an update in this interval */
	uint64_t *groups; /* by signal: hash of its sum's name */
	uint32_t ncounters, nmoving;
	tick_t start, length; /* of the current interval; ps */
	/* slices */
	struct signal_state *states; /* by signal */
	uint32_t *moving_states;
	uint32_t nmoving_states;
	tick_t now;           /* of moving_states */
	uint32_t *part_track; /* by component: 0: not in the file */
	uint8_t *part_wanted; /* by component: something of it is in the Perfetto trace */
	uint32_t *sm_of;      /* by component: which SM it is */
	uint32_t process, marks;
	struct sm_tracks *sms;
	struct stream_track *streams;
	unsigned nstreams;
	struct slice_name *names; /* hashed */
	bool begun;
};

/* trace_slices.c */
void slices_init(struct trace *);
void slices_state(struct trace *, unsigned signal, tick_t at, uint32_t value);
void slices_event(void *trace, const struct component *, tick_t at, const struct probe_event *);
void slices_end(struct trace *, tick_t end);
uint32_t slices_name(struct trace *, const char *);
/* Begins again all that is open. */
void slices_again(struct trace *);

/* trace_counters.c */
void counters_init(struct trace *);
void counters_mean(void *trace, unsigned signal, tick_t start, tick_t length, uint64_t sum);
void counters_end(struct trace *);

/* trace_power.c: counters of power over time, if it was counted. */
void trace_power(struct trace *);
/* Writes again what they are. */
void counters_again(struct trace *);

#endif
