/* Traces of a run in time: a Perfetto trace of a chip, and waves (VCD) of its signals. Neither
 * changes a result, and both are the same bytes for any number of host threads. What they hold:
 * doc/guide.md, section 10. */
#ifndef CHIP_TRACE_TRACE_H
#define CHIP_TRACE_TRACE_H

#include "chip/gpu.h"
#include "core/text.h"

/* Shell patterns (fnmatch), separated by commas, each for names of parts or of signals: a part's
 * usual signals are selected, or any signal by its own name. `patterns` NULL: all that is usual. */
struct trace_filter {
	const char *origin; /* for messages: "--vcd-filter" */
	const char *patterns;
};

struct trace_request {
	struct files *files;     /* that the command reads and writes; NULL: unknown */
	const char *trace, *vcd; /* the files; NULL: none */
	struct trace_filter trace_filter, vcd_filter;
	uint64_t from, to;    /* core cycles, from < to: [from, to) is traced */
	uint64_t every;       /* cycles that a counter of the trace is the mean of */
	uint64_t limit_bytes; /* of each file */
	const char *title;    /* of the trace */
	bool checkpoints;     /* the run will have some, or goes on from one */
};

/* Opens the files and traces from now on: after chip_new, before the first chip_run, at most once.
 * 0 or -1: a pattern that matches nothing (ERR_USAGE), a file that cannot be written (ERR_HOST). */
int chip_trace(struct gpu *, const struct trace_request *, struct err *);

/* The result for a file. */
struct trace_outcome {
	const char *path;        /* NULL: there was none */
	uint64_t bytes, dropped; /* dropped: what came after the limit */
	uint64_t full_cycle;     /* when the limit was reached, if anything was dropped */
	bool early;              /* the run ended before `from` */
};
struct trace_outcomes {
	struct trace_outcome trace, vcd;
};

/* After the last chip_run, before chip_close: completes the files under their names. Without it no
 * file is written. 0 or -1 (ERR_HOST). */
int chip_trace_end(struct gpu *, struct trace_outcomes *, struct err *);

/* What runs must have in common for one to go on with the other's trace, in lines: "trace none". */
void chip_trace_words(const struct gpu *, struct text *);

/* All signals of the chip, one line each; usual ones are marked. 0 or -1 (ERR_RESOURCE). */
int chip_list_signals(struct gpu *, struct text *, struct err *);

/* chip_free's part: accepts NULL. */
struct trace;
void trace_free(struct trace *);
/* For checkpoints, after all other state. */
struct state;
struct chip;
void trace_state(struct state *, struct chip *);

#endif
