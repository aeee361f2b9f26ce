/* Settings from YAML: a scenario's `set`, chip files, presets. */
#ifndef CLI_SETTINGS_H
#define CLI_SETTINGS_H

#include "cli/source.h"
#include "cli/yaml.h"
#include "core/config.h"

/* Every entry path: value of the mapping becomes a setting. `what` names the mapping. 0 or -1. */
int settings_enter(struct yaml *, const yaml_node_t *map, const char *what, struct config *);

/* Enters a chip: a preset's name, or a YAML file of settings (its name has a '/' or ends in .yaml
 * or .yml). 0 or -1. */
int settings_chip(const char *name, struct source *, struct config *, struct err *);

#endif
