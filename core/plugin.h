/* A part of the model that a user can choose by name. One `const struct plugin NAME = {` per file
 * at the start of a line; tools/list-plugins finds it and generates the registry. */
#ifndef CORE_PLUGIN_H
#define CORE_PLUGIN_H

#include "core/table.h"

struct state;

struct plugin {
	const char *kind; /* "warp scheduler", "replacement", "arbiter", "network", ... */
	const char *name; /* its name in a configuration: "two_level" */
	const char *text; /* one sentence */
	const char *path; /* prefix of its parameters and statistics ("l1"). NULL: it has none, or,
			     for a policy, they are below the part that uses it (core/policy.h) */
	const char *other_path; /* of a part that a chip has twice; NULL: it has it once */
	size_t size;            /* bytes of its state; 0 for a policy without state */
	const struct param_def *params;
	size_t nparams;
	const struct stat_def *stats;
	size_t nstats;
	const void *ops; /* the kind's table of functions; the kind's header declares its type */
	/* Moves a policy's state (core/state.h). NULL: it has none, or cannot be in a
	 * checkpoint. */
	void (*state)(void *self, struct state *);
};

/* All plugins of the build, sorted by kind and name, terminated by NULL. */
extern const struct plugin *const plugins[];

/* The plugin `name` of `kind`, or NULL. */
const struct plugin *plugin_look(const char *kind, const char *name);

/* The plugin `name` of `kind`; else NULL and a message that lists the existing ones. `where` is the
 * parameter that named it. */
const struct plugin *plugin_find(
	const char *kind, const char *name, const char *where, struct err *);

/* Renamed parameters, statistics and plugins with their new names. From tools/renames.tsv,
 * terminated by NULLs. */
struct renamed {
	const char *before, *now;
};
extern const struct renamed renamed_params[], renamed_stats[];

/* The new name of `name` in one of these lists; NULL: it was not renamed. */
const char *renamed_to(const struct renamed *, const char *name);

#endif
