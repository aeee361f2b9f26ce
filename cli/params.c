/* warpbeam params: every parameter, its value, bounds and meaning. */
#include "runs/params.h"
#include "cli/command.h"

#include <string.h>

static void add_words(const struct param_def *def, struct text *out)
{
	const char *word;
	size_t n = 0;

	for (uint64_t i = 0; (word = param_word(def, i, &n)); i++)
		text_add(out, "%s%.*s", i ? ", " : "", (int)n, word);
}

/* A NAME's bounds are its possible names. */
static void add_bounds(const struct param_def *def, struct text *out)
{
	const char *comma = "";

	switch (def->type) {
	case PARAM_BOOL:
		text_add(out, "false, true");
		return;
	case PARAM_CHOICE:
		add_words(def, out);
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
	text_add(t->out, "%-36s\t%-12s\t%-32s\t%s%s\n", path, *value ? value : "-",
		text_str(&bounds), def->text, given ? " (set)" : "");
	t->out->failed |= bounds.failed;
	text_clear(&bounds);
	t->told++;
}

int command_params(const struct options *o, struct session *s, struct err *err)
{
	struct telling t = {.prefix = o->operands.n ? o->operands.at[0] : "", .out = &s->out};

	if (session_open(s, &o->run, NULL, err) || params_load_parts(s, err) ||
		config_finish(s->config, err))
		return -1;
	config_echo(s->config, tell, &t);
	if (!t.told)
		return err_add(
			err, ERR_USAGE, "there is no parameter that starts with '%s'", t.prefix);
	return output_report(&s->out, o->run.uncut, err);
}
