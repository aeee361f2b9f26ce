/* Settings from YAML. */
#include "runs/settings.h"

#include "core/text.h"

#include <stdio.h>
#include <string.h>

struct walking {
	struct yaml *y;
	const struct settings_walk *walk;
	struct text path;
	struct text entered; /* paths, each between NULs */
};

static bool was_entered(const struct walking *w, const char *path, size_t n)
{
	const char *at = text_str(&w->entered), *end = at + w->entered.len;

	for (; at < end; at += strlen(at) + 1)
		if (strlen(at) == n && !memcmp(at, path, n))
			return true;
	return false;
}

static int visit(struct walking *w, const yaml_node_t *key, const yaml_node_t *value)
{
	const char *path = text_str(&w->path);
	char place[512];

	yaml_place(w->y, key, place, sizeof(place));
	if (w->path.failed || w->entered.failed) /* reported once: entered remains so */
		return w->y->err->code == ERR_RESOURCE
			       ? -1
			       : err_add(w->y->err, ERR_RESOURCE, "%s: no host memory for settings",
					 place);
	if (was_entered(w, path, w->path.len))
		return yaml_wrong(w->y, key, "'%s' is set twice", path);
	text_bytes(&w->entered, path, w->path.len + 1);
	return w->walk->visit(w->walk->ctx, path, key, value);
}

static int walk_map(struct walking *w, const yaml_node_t *map, const char *what);

/* A setting, or a mapping of settings whose paths begin with the key. */
static int walk_pair(struct walking *w, const yaml_node_t *key, const yaml_node_t *value)
{
	size_t before = w->path.len;
	const char *name = yaml_text(key);
	int bad;

	text_raw(&w->path, "%s%s", before ? "." : "", name);
	if (yaml_text(value) || (value && value->type == YAML_SEQUENCE_NODE && w->walk->list))
		bad = visit(w, key, value);
	else if (value && value->type == YAML_MAPPING_NODE)
		bad = walk_map(w, value, name);
	else
		bad = yaml_wrong(w->y, value,
			"'%s' needs a value,%s%s or a mapping of settings below it", name,
			w->walk->list ? " " : "", w->walk->list ? w->walk->list : "");
	w->path.len = before;
	if (w->path.s)
		w->path.s[before] = '\0';
	return bad;
}

static bool is_setting(const struct walking *w, const char *key)
{
	for (const char *const *k = w->walk->keys; k && *k && !w->path.len; k++)
		if (!strcmp(*k, key))
			return false;
	return true;
}

static int walk_map(struct walking *w, const yaml_node_t *map, const char *what)
{
	int bad = 0;

	if (yaml_only(w->y, map, what, NULL))
		return -1;
	for (unsigned i = 0; i < yaml_items(map); i++) {
		const yaml_node_t *key = yaml_key(w->y, map, i);

		if (is_setting(w, yaml_text(key)))
			bad |= walk_pair(w, key, yaml_value(w->y, map, i));
	}
	return bad;
}

int settings_walk(struct yaml *y, const yaml_node_t *map, const struct settings_walk *walk)
{
	struct walking w = {.y = y, .walk = walk};
	int bad = walk_map(&w, map, walk->what);

	text_clear(&w.path);
	text_clear(&w.entered);
	return bad ? -1 : 0;
}

/* ---- into a configuration */
struct entering {
	struct yaml *y;
	struct config *config;
};

static int enter(void *ctx, const char *path, const yaml_node_t *key, const yaml_node_t *value)
{
	struct entering *e = ctx;
	char place[512];

	yaml_place(e->y, key, place, sizeof(place));
	return config_set(e->config, path, yaml_text(value), place, e->y->err);
}

int settings_enter(struct yaml *y, const yaml_node_t *map, const char *what, struct config *config)
{
	struct entering e = {y, config};
	struct settings_walk walk = {.what = what, .visit = enter, .ctx = &e};

	config_layer(config);
	return settings_walk(y, map, &walk);
}

static void match(
	void *ctx, const char *path, const char *value, const struct param_def *def, bool given)
{
	struct setting *s = ctx;

	(void)def;
	(void)given;
	if (!strcmp(path, s->path))
		snprintf(s->value, sizeof(s->value), "%s", value);
}

void settings_look_up(const struct config *config, struct setting *s)
{
	*s->value = 0;
	config_echo(config, match, s);
}
