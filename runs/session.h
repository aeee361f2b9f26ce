/* A GPU with its chip, out of machines, scenarios and options. */
#ifndef RUNS_SESSION_H
#define RUNS_SESSION_H

#include "chip/chip.h"
#include "runs/options.h"
#include "runs/output.h"
#include "runs/scenario/scenario.h"

/* The state of a command; the caller closes it in any case. A zeroed struct is an empty one. */
struct session {
	struct arena arena;   /* for the command's whole life; its escape is set */
	struct source source; /* files read for the options */
	struct config *config;
	struct scenario *scenario;   /* the first of the scenarios, or NULL */
	struct scenario **scenarios; /* those that were loaded */
	unsigned nscenarios;
	struct gpu *gpu;
	struct text out;    /* the report being written */
	struct files files; /* read and written by the command; empty in sessions within it */
};

/* The first of --set that gives the parameter a value, other than this one (NULL: any); NULL: none.
 */
const char *session_set(const struct run_options *, const char *path, const char *value);

/* Makes a GPU with its chip, as the options and the scenario (a path, or NULL) describe them. 0 or
 * -1. */
int session_open(struct session *, const struct run_options *, const char *scenario, struct err *);

/* A machine (or NULL), under --set as any chip; and "path=value" texts, on top of all others. */
struct layer {
	const char *origin; /* for messages: "--against" */
	const char *chip;
	const char *const *set;
	unsigned nset;
	const char *tolerates; /* prefix of settings that may be unused now; NULL: none */
};

/* The same for any number of scenarios, which share the chip, and with layers. */
struct machine {
	const char *const *scenarios;
	unsigned nscenarios;
	const struct layer *layers;
	unsigned nlayers;
};
int session_open_machine(
	struct session *, const struct run_options *, const struct machine *, struct err *);

/* The first part of it: the settings alone, without a GPU. 0 or -1. */
int session_settings(
	struct session *, const struct run_options *, const struct machine *, struct err *);

/* The machine of an open session: the last one named; of none, the default. NULL and a message when
 * there is no memory. */
const struct description *session_machine(struct session *, struct err *);

/* A short option for a setting; `value` NULL: it was not given. */
struct short_setting {
	const char *path, *value, *option;
};

/* The settings of a part that runs without a chip: --set and the short options. Faults in err; 0 or
 * -1. */
int session_part(struct session *, const struct run_options *, const struct short_setting *,
	unsigned n, struct err *);

/* A session within another, with the escape of that one's arena, closed at the latest when that is
 * freed. */
struct session *session_within(struct arena *);

void session_close(struct session *);

#endif
