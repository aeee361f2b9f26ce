/* Presets: named lists of settings. A plugin of kind "preset" each. */
#ifndef CHIP_PRESET_H
#define CHIP_PRESET_H

#include "core/config.h"
#include "core/plugin.h"

struct preset_setting {
	const char *path, *value;
};

/* A preset's ops point at its settings, ended by a NULL path. */

/* Enters the preset's settings into the configuration. 0, or -1 and a message naming the presets.
 */
int preset_apply(const char *name, struct config *, struct err *);

#endif
