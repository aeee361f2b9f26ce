/* Settings from YAML: a scenario's `set`, descriptions of machines. */
#ifndef RUNS_SETTINGS_H
#define RUNS_SETTINGS_H

#include "core/config.h"
#include "runs/yaml/yaml.h"

/* A setting of a mapping: the path is valid during the call. A value is a scalar, or a list. 0, or
 * -1 with an error. */
typedef int settings_visit_fn(
	void *ctx, const char *path, const yaml_node_t *key, const yaml_node_t *value);

struct settings_walk {
	const char *what; /* names the mapping */
	const char *const
		*keys;    /* keys of the mapping that are no settings, ended by NULL; or NULL */
	const char *list; /* what a list may be; NULL: none is allowed */
	settings_visit_fn *visit;
	void *ctx;
};

/* Visits every setting path: value of the mapping; a mapping as value contains settings whose paths
 * begin with its key, sm: {warps: 48} for sm.warps: 48. A path is set at most once. All faults at
 * once; 0 or -1. */
int settings_walk(struct yaml *, const yaml_node_t *map, const struct settings_walk *);

/* Enters every setting of the mapping, path: value, as a layer of its own. 0 or -1. */
int settings_enter(struct yaml *, const yaml_node_t *map, const char *what, struct config *);

/* The text of the setting in effect, as config_echo reports it; "" if there is none of that path.
 */
struct setting {
	const char *path;
	char value[64];
};
void settings_look_up(const struct config *, struct setting *);

#endif
