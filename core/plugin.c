/* Finding a plugin by kind and name in the registry that the build generates. */
#include "core/plugin.h"

#include <string.h>

#include "core/text.h"

const struct plugin *plugin_look(const char *kind, const char *name)
{
	for (size_t i = 0; plugins[i]; i++)
		if (!strcmp(plugins[i]->kind, kind) && !strcmp(plugins[i]->name, name))
			return plugins[i];
	return NULL;
}

const struct plugin *plugin_find(
	const char *kind, const char *name, const char *where, struct err *err)
{
	const struct plugin *found = plugin_look(kind, name);
	struct text known = {0};

	if (found)
		return found;
	for (size_t i = 0; plugins[i]; i++) {
		if (!strcmp(plugins[i]->kind, kind))
			text_add(&known, "%s%s", known.len ? ", " : "", plugins[i]->name);
	}
	err_add(err, ERR_INPUT, "%s = %s: there is no such %s; there are: %s", where, name, kind,
		known.len ? text_str(&known) : "none");
	text_clear(&known);
	return NULL;
}

const char *renamed_to(const struct renamed *list, const char *name)
{
	for (; list->before; list++)
		if (!strcmp(list->before, name))
			return list->now;
	return NULL;
}
