/* The commands, and the words they share. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "chip/chip.h"
#include "cli/options.h"
#include "cli/scenario.h"

/* What a command works with; the caller closes it, whatever happens. A zeroed struct is an empty
 * one. */
struct session {
	struct arena arena;   /* for the command's whole life; its escape is set */
	struct source source; /* files read for the options */
	struct config *config;
	struct scenario *scenario;   /* the first of the scenarios, or NULL */
	struct scenario **scenarios; /* those that were loaded */
	unsigned nscenarios;
	struct gpu *gpu;
	struct text out;    /* a report in the making */
	struct files files; /* read and written by the command; empty in sessions within it */
};

/* A command does what its options say. 0, or -1 with err, whose code is the exit code. */
typedef int command_fn(const struct options *, struct session *, struct err *);
command_fn command_run, command_exec, command_check, command_forms, command_compare, command_list,
	command_params, command_stats, command_topology, command_reproduce, command_explain,
	command_sweep, command_occupancy, command_tune, command_replay, command_profile;

/* What command_replay replays in, ended by one without a name. */
struct replay_kind {
	const char *name, *argument, *text;
	enum command_bit bit; /* of the options that it takes */
	const char *params;   /* the command that lists what --set sets */
};
extern const struct replay_kind replay_kinds[];

/* The one of that name, or NULL. */
const struct replay_kind *replay_find(const char *name);

/* The part of command_replay that is about caches. */
command_fn replay_cache;

/* The part of command_replay that is about networks. */
command_fn replay_noc;

/* Makes a GPU with its chip, as the options and the scenario (a path, or NULL) describe them. 0 or
 * -1. */
int session_open(struct session *, const struct options *, const char *scenario, struct err *);

/* Settings on top of all others: a preset or chip file (or NULL), then "path=value" texts. */
struct layer {
	const char *origin; /* stands in messages: "--against" */
	const char *chip;
	const char *const *set;
	unsigned nset;
	const char *tolerates; /* prefix of settings that may mean nothing now; NULL: none */
};

/* The same for any number of scenarios, which share the chip, and with layers. */
struct machine {
	const char *const *scenarios;
	unsigned nscenarios;
	const struct layer *layers;
	unsigned nlayers;
};
int session_open_machine(
	struct session *, const struct options *, const struct machine *, struct err *);

/* The first part of it: the settings alone, without a GPU. 0 or -1. */
int session_settings(
	struct session *, const struct options *, const struct machine *, struct err *);

/* A short option that stands for a setting; `value` NULL: it was not given. */
struct short_setting {
	const char *path, *value, *option;
};

/* The settings of a part that runs without a chip: --set and the short options. Faults in err; 0 or
 * -1. */
int session_part(struct session *, const struct options *, const struct short_setting *, unsigned n,
	struct err *);

void session_close(struct session *);

/* Most targets of a comparison. */
#define COMPARE_TARGETS 64

struct exit_code {
	const char *name, *text;
};
#define EXIT_CODES 12
/* Indexed by enum err_code. */
extern const struct exit_code exit_codes[EXIT_CODES];

/* Program version and build, "0.1.0" and "v0.1.0-3-gabcdef". */
const char *program_version(void);
const char *program_build(void);

/* Writes text to stdout. 0 or -1 (ERR_HOST; without a message when nobody reads it any more). */
int output_text(const struct text *, struct err *);

/* Ends the process by ERR_HOST: the event loop cannot go on, and there is no way back out of it. */
void output_broken(const char *what);

/* A line on stderr that is no error, "warpbeam: " in front; what %s brings is made plain. */
void output_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The text to a file, all of it or nothing; "-" is stdout. */
int output_file(struct files *, const char *path, const struct text *, struct err *);

#endif
