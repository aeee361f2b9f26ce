/* Applying presets. */
#include "chip/preset.h"

#include <stdio.h>

int preset_apply(const char *name, struct config *config, struct err *err)
{
	const struct plugin *p = plugin_find("preset", name, "chip", err);
	char origin[64];

	if (!p)
		return -1;
	snprintf(origin, sizeof(origin), "preset %s", p->name);
	for (const struct preset_setting *s = p->ops; s->path; s++)
		if (config_set(config, s->path, s->value, origin, err))
			return -1;
	return 0;
}
