/* Settings from YAML. */
#include "cli/settings.h"

#include "chip/preset.h"

#include <string.h>

int settings_enter(struct yaml *y, const yaml_node_t *map, const char *what, struct config *config)
{
	int bad = yaml_only(y, map, what, NULL);

	for (unsigned i = 0; i < yaml_items(map) && !bad; i++) {
		const yaml_node_t *value = yaml_value(y, map, i);
		char place[512];

		yaml_place(y, yaml_key(y, map, i), place, sizeof(place));
		if (!yaml_text(value))
			bad = yaml_wrong(y, value, "a setting's value must be a scalar");
		else
			bad = config_set(config, yaml_text(yaml_key(y, map, i)), yaml_text(value),
				place, y->err);
	}
	return bad;
}

static bool looks_like_file(const char *name)
{
	const char *dot = strrchr(name, '.');

	return strchr(name, '/') || (dot && (!strcmp(dot, ".yaml") || !strcmp(dot, ".yml")));
}

int settings_chip(const char *name, struct source *source, struct config *config, struct err *err)
{
	struct yaml y = {0};
	const char *path;
	char *text;
	size_t n;
	int bad;

	if (!looks_like_file(name))
		return preset_apply(name, config, err);
	path = source_path(source, name);
	text = source_read(source, path, &n, err);
	if (!text)
		return -1;
	bad = yaml_load(&y, path, text, n, err);
	if (!bad)
		bad = settings_enter(&y, yaml_root(&y), "a chip file", config);
	yaml_unload(&y);
	return bad;
}
