/* Settings from YAML: a scenario's `set`, chip files, presets. */
#ifndef RUNS_SETTINGS_H
#define RUNS_SETTINGS_H

#include "core/config.h"
#include "runs/source.h"
#include "runs/yaml.h"

/* Every entry path: value of the mapping becomes a setting; a mapping as value contains settings
 * whose paths begin with its key, sm: {warps: 48} for sm.warps: 48. A path is set at most once.
 * `what` names the mapping. 0 or -1. */
int settings_enter(struct yaml *, const yaml_node_t *map, const char *what, struct config *);

/* Enters a chip: a preset's name, or a YAML file of settings (its name has a '/' or ends in .yaml
 * or .yml). A file's key `base` names the chip that its settings change: a preset, or a file
 * relative to it. 0 or -1. */
int settings_chip(const char *name, struct source *, struct config *, struct err *);

#endif
