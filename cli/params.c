/* warpbeam params: every parameter, its value, bounds and meaning. */
#include "cli/params.h"

#include <stdio.h>
#include <string.h>

/* The parts that the chip does not use have parameters too: they are loaded once, to be told. */
int params_load_parts(struct session *s, struct err *err)
{
	int bad = 0;

	for (size_t i = 0; plugins[i]; i++) {
		const struct plugin *p = plugins[i];
		size_t room = p->size;

		if (!p->path || !p->nparams)
			continue;
		for (size_t k = 0; k < p->nparams; k++)
			room = max_u64(room, p->params[k].offset + sizeof(uint64_t));
		bad |= config_load(s->config, p->path, p->params, p->nparams,
			arena_alloc(&s->arena, 1, room), err);
	}
	return bad;
}

/* A NAME's bounds are the names there are. */
static void add_bounds(const struct param_def *def, struct text *out)
{
	const char *comma = "";

	switch (def->type) {
	case PARAM_BOOL:
		text_add(out, "false, true");
		return;
	case PARAM_NAME:
		for (size_t i = 0; plugins[i]; i++) {
			if (strcmp(plugins[i]->kind, def->unit))
				continue;
			text_add(out, "%s%s", comma, plugins[i]->name);
			comma = ", ";
		}
		return;
	case PARAM_UINT:
	case PARAM_REAL:
		text_add(out, "%.15g .. %.15g %s", def->low, def->high, def->unit);
	}
}

struct telling {
	const char *prefix;
	unsigned told;
	struct text *out;
};

static void tell(
	void *ctx, const char *path, const char *value, const struct param_def *def, bool given)
{
	struct telling *t = ctx;
	struct text bounds = {0};

	if (strncmp(path, t->prefix, strlen(t->prefix)))
		return;
	add_bounds(def, &bounds);
	text_add(t->out, "%-36s %-12s %-32s %s%s\n", path, *value ? value : "-", text_str(&bounds),
		def->text, given ? " (set)" : "");
	text_clear(&bounds);
	t->told++;
}

int command_params(const struct options *o, struct session *s, struct err *err)
{
	struct telling t = {.prefix = o->operands.n ? o->operands.at[0] : "", .out = &s->out};

	if (session_open(s, o, NULL, err) || params_load_parts(s, err) ||
		config_finish(s->config, err))
		return -1;
	config_echo(s->config, tell, &t);
	if (!t.told)
		return err_add(
			err, ERR_USAGE, "there is no parameter that starts with '%s'", t.prefix);
	return output_text(&s->out, err);
}
