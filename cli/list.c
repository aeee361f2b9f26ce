/* warpbeam list: the workloads, or the parts of every kind. */
#include "cli/command.h"

#include "workloads/workload.h"

#include <string.h>

static void list_workloads(struct text *out)
{
	text_add(out, "Each comes in the sizes small and full, for 32- and 64-bit addresses.\n\n");
	for (size_t i = 0; plugins[i]; i++) {
		const struct workload_ops *ops = plugins[i]->ops;

		if (strcmp(plugins[i]->kind, "workload"))
			continue;
		text_add(out, "%-14s  %s\n", plugins[i]->name, plugins[i]->text);
		text_add(out, "%-14s  %s (%s)\n", "", ops->computes, ops->source);
	}
}

static void list_plugins(struct text *out)
{
	const char *kind = "";

	for (size_t i = 0; plugins[i]; i++) {
		const struct plugin *p = plugins[i];

		if (strcmp(kind, p->kind))
			text_add(out, "%s%s\n", *kind ? "\n" : "", p->kind);
		kind = p->kind;
		text_add(out, "  %-16s  %s\n", p->name, p->text);
	}
}

int command_list(const struct options *o, struct session *s, struct err *err)
{
	if (o->plugins)
		list_plugins(&s->out);
	else
		list_workloads(&s->out);
	return output_text(&s->out, err);
}
