/* What the runs of a command came to: for the page of a command that does not come to its own. */
#ifndef RUNS_ROLL_H
#define RUNS_ROLL_H

#include "core/mem.h"

#include <jansson.h>
#include <stdbool.h>

/* A run; its strings are the arena's. */
struct roll_run {
	const char *name, *settings;          /* settings: "sm.warps=8 .."; "" */
	const char *end;                      /* "done", "not begun", "stopped", or its messages */
	bool done;                            /* else the figures are NAN */
	double cycles, dram_bytes, energy_nj; /* NAN: its report has none */
};

/* A struct with an arena alone is empty. */
struct roll {
	struct arena *arena;
	struct roll_run *run;
	unsigned n, room;
	bool cut; /* runs failed or were stopped: the command writes no page of its own */
};

/* Notes a run that has ended or never began: with a report ("done"), or how else it ended. Words
 * are copied. Without a roll nothing happens. */
void roll_note(struct roll *, const char *name, const char *settings, const json_t *report,
	const char *end);
/* The command will write no page. */
void roll_cut(struct roll *);

#endif
