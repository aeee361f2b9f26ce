/* warpbeam params: every parameter, its value, bounds and meaning. */
#include "cli/params.h"

#include "core/policy.h"
#include "dram/replay.h"
#include "mem/cache_replay.h"
#include "noc/replay.h"

#include <stdio.h>
#include <string.h>

static int load(struct session *s, const char *prefix, const struct param_def *defs, size_t n,
	size_t room, struct err *err)
{
	for (size_t k = 0; k < n; k++)
		room = max_u64(room, defs[k].offset + sizeof(uint64_t));
	return config_load(s->config, prefix, defs, n, arena_alloc(&s->arena, 1, room), err);
}

/* The parts that the chip does not use have parameters too: they are loaded once, to be told. So
 * have those that are no parts of a chip: what replays are made of. */
int params_load_parts(struct session *s, struct err *err)
{
	static const struct param_table *const replayed[] = {
		&dram_replay_params, &cache_replay_params, &noc_traffic_params};
	int bad = 0;

	for (size_t i = 0; plugins[i]; i++) {
		const struct plugin *p = plugins[i];

		if (p->path && p->nparams)
			bad |= load(s, p->path, p->params, p->nparams, p->size, err);
	}
	for (size_t i = 0; i < ARRAY_LEN(replayed); i++)
		bad |= load(s, replayed[i]->prefix, replayed[i]->defs, replayed[i]->n, 0, err);
	return bad | policies_load(s->config, &s->arena, err);
}

static void add_words(const struct param_def *def, struct text *out)
{
	const char *word;
	size_t n = 0;

	for (uint64_t i = 0; (word = param_word(def, i, &n)); i++)
		text_add(out, "%s%.*s", i ? ", " : "", (int)n, word);
}

/* A NAME's bounds are the names there are. */
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
	text_add(t->out, "%-36s %-12s %-32s %s%s\n", path, *value ? value : "-", text_str(&bounds),
		def->text, given ? " (set)" : "");
	t->out->failed |= bounds.failed;
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
