/* Policies: finding one by name, its memory, its parameters. */
#include "core/policy.h"

#include <stdio.h>
#include <string.h>

#define PATH_BYTES 256

/* The prefix of the plugin's parameters in a part with that prefix. */
static const char *path_of(const struct plugin *p, const char *prefix, char *path)
{
	if (p->path)
		return p->path;
	snprintf(path, PATH_BYTES, "%s.%s", prefix, p->name);
	return path;
}

static int load(const struct plugin *p, const char *prefix, void *self, struct config *config,
	struct err *err)
{
	char path[PATH_BYTES];

	return config_load(config, path_of(p, prefix, path), p->params, p->nparams, self, err);
}

int policy_choose(struct policy *policy, const struct policy_scope *scope, const char *name,
	struct config *config, struct arena *arena, struct err *err)
{
	const struct plugin *p = plugin_look(scope->kind, name);
	char where[PATH_BYTES];

	*policy = (struct policy){.space = scope->space};
	if (!p) {
		snprintf(where, sizeof(where), "%s.%s", scope->prefix, scope->param);
		plugin_find(scope->kind, name, where, err);
		return -1;
	}
	policy->plugin = p;
	policy->ops = p->ops;
	policy->self = arena_alloc(arena, 1, p->size ? p->size : 1);
	return p->nparams ? load(p, scope->prefix, policy->self, config, err) : 0;
}

/* A loaded parameter that names a policy. */
struct chooser {
	const char *path, *kind;
};

struct choosers {
	struct arena *arena;
	struct chooser *list; /* NULL: only count them */
	size_t n;
};

static void note_chooser(
	void *ctx, const char *path, const char *value, const struct param_def *def, bool given)
{
	struct choosers *c = ctx;

	(void)value;
	(void)given;
	if (def->type != PARAM_NAME || !*def->unit || !strrchr(path, '.'))
		return;
	if (c->list)
		c->list[c->n] = (struct chooser){
			arena_strndup(c->arena, path, (size_t)(strrchr(path, '.') - path)),
			def->unit};
	c->n++;
}

int policies_load(struct config *config, struct arena *arena, struct err *err)
{
	struct choosers c = {.arena = arena};
	int bad = 0;

	config_echo(config, note_chooser, &c);
	c.list = arena_alloc(arena, c.n + 1, sizeof(*c.list));
	c.n = 0;
	config_echo(config, note_chooser, &c);
	for (size_t i = 0; i < c.n; i++) {
		for (size_t k = 0; plugins[k]; k++) {
			const struct plugin *p = plugins[k];

			if (!p->path && p->nparams && !strcmp(p->kind, c.list[i].kind))
				bad |= load(p, c.list[i].path, arena_alloc(arena, 1, p->size),
					config, err);
		}
	}
	return bad;
}
