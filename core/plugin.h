/* A part of the model that a user can choose by name. One `const struct plugin NAME = {` per file
 * at the start of a line; tools/list-plugins finds it and writes the registry. */
#ifndef CORE_PLUGIN_H
#define CORE_PLUGIN_H

#include "core/table.h"

struct plugin {
	const char
		*kind; /* "warp scheduler", "replacement", "arbiter", "network", "component", ... */
	const char *name; /* what a configuration calls it: "two_level" */
	const char *text; /* one sentence */
	const char *path; /* prefix of its parameters and statistics ("l1"). NULL: it has none; of
			     a policy: they stand below the part that uses it (core/policy.h) */
	size_t size;      /* bytes of its state; 0 for a policy without state */
	const struct param_def *params;
	size_t nparams;
	const struct stat_def *stats;
	size_t nstats;
	const void *ops; /* the kind's table of verbs; each kind's header says its type */
};

/* All plugins of the build, sorted by kind and name, ended by NULL. */
extern const struct plugin *const plugins[];

/* The plugin `name` of `kind`, or NULL. */
const struct plugin *plugin_look(const char *kind, const char *name);

/* The plugin `name` of `kind`; else NULL and a message that lists what there is. `where` names the
 * parameter that asked for it. */
const struct plugin *plugin_find(
	const char *kind, const char *name, const char *where, struct err *);

/* Names that were changed: what stands for the old one now. From tools/renames.tsv, ended by NULLs.
 */
struct renamed {
	const char *before, *now;
};
extern const struct renamed renamed_params[], renamed_stats[];

/* What `name` is called now, in one of these lists; NULL: it never was there. */
const char *renamed_to(const struct renamed *, const char *name);

#endif
