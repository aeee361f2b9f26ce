/* The commands, and what they share. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "cli/options.h"
#include "runs/session.h"

/* A command is given its options. 0, or -1 with err, whose code is the exit code. */
typedef int command_fn(const struct options *, struct session *, struct err *);
command_fn command_run, command_exec, command_check, command_forms, command_compare, command_list,
	command_params, command_stats, command_topology, command_reproduce, command_explain,
	command_sweep, command_occupancy, command_tune, command_replay, command_profile,
	command_chip, command_hardware, command_probe, command_cuda, command_scenario,
	command_completion, command_diff;

/* A command: --help prints `text`, the manual page `more`, too (NULL: nothing). */
struct command {
	const char *name, *arguments, *text;
	command_fn *run;
	enum command_bit bit;
	unsigned least, most; /* operands */
	const char *more;
	const char *section; /* of the guide, doc/guide.md */
};

/* All commands, ended by one without a name. */
#define COMMANDS_MOST 32
extern const struct command command_rows[];

/* The kinds of replay, ended by one without a name. */
struct replay_kind {
	const char *name, *argument, *text;
	enum command_bit bit;       /* of the options that it takes */
	const char *params;         /* the command that lists its parameters */
	const char *more, *section; /* as a command's */
};
extern const struct replay_kind replay_kinds[];

/* The one of that name, or NULL. */
const struct replay_kind *replay_find(const char *name);

/* The command run on that target. */
int command_run_on(const struct options *, const char *target, struct session *, struct err *);

/* The part of command_list for machines. */
command_fn list_machines;

/* The part of command_replay for caches. */
command_fn replay_cache;

/* The part of command_replay for networks. */
command_fn replay_noc;

/* Most targets of a comparison. */
#define COMPARE_TARGETS 64

#endif
