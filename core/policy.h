/* A policy in use: a plugin that only makes decisions, with its own parameters, statistics and
 * state.
 *
 * Its owner gives it a scope: the owner's prefix ("l2"), the parameter that names the policy
 * ("replacement"), and the name space of the owner's statistics ("lts"). The policy's own rows are
 * then `l2.NAME.row` and `lts__NAME_row.sum`, unless the plugin has a path of its own. Two uses of
 * one policy in one part share its parameters.
 *
 * The rules of its functions. Choosing functions get a const self and a view, and may be called any
 * number of times. Event functions run once for each event that has happened, in order, never for
 * an attempt. State depends on events and on the cycle in the view, not on the number of calls.
 * Random numbers come from the stream that the function is given. The state of another partition is
 * known from messages only. */
#ifndef CORE_POLICY_H
#define CORE_POLICY_H

#include "core/config.h"
#include "core/mem.h"
#include "core/plugin.h"

struct policy {
	const struct plugin *plugin;
	const void *ops; /* the kind's table of functions */
	void *self;      /* plugin->size bytes: the parameters; the rest is zero at first */
	const char *space;
	struct policy *next; /* of the same component */
};

struct policy_scope {
	const char *kind;   /* "replacement" */
	const char *prefix; /* "l2" */
	const char *param;  /* "replacement": l2.replacement names the policy */
	const char *space;  /* "lts" */
};

/* Finds the policy `name`, allocates its state and reads its parameters; without a configuration
 * (NULL) they have their defaults. 0, or -1 and a message, with ops NULL when there is no such
 * policy. */
int policy_choose(struct policy *, const struct policy_scope *, const char *name, struct config *,
	struct arena *, struct err *);

/* Loads the parameters of all policies that the parameters loaded so far could name, so that they
 * appear in the echo. 0 or -1. */
int policies_load(struct config *, struct arena *, struct err *);

#endif
