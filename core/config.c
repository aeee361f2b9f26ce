/* A configuration: settings with their origin, read into structs by parameter tables, and echoed.
 */
#include "core/config.h"

#include <stdio.h>
#include <string.h>

#include "core/mem.h"
#include "core/plugin.h"
#include "core/value.h"

/* One loaded parameter. */
struct entry {
	char *path, *value;
	const struct param_def *def;
	bool given;
};

/* The values of a table that was loaded without error, for components that load it again. */
struct loaded {
	const struct param_def *defs;
	size_t n, nsettings; /* how many settings there were */
	char *prefix;
	union value *values;
};

struct config {
	struct setting *settings;
	size_t nsettings, settings_cap;
	struct entry *entries; /* sorted by path */
	size_t nentries, entries_cap;
	struct loaded *tables;
	size_t ntables, tables_cap;
	const char *tolerated; /* a prefix, or NULL */
	unsigned layer;
};

struct config *config_new(void)
{
	return mem_alloc(1, sizeof(struct config));
}

void config_free(struct config *config)
{
	if (!config)
		return;
	for (size_t i = 0; i < config->nsettings; i++) {
		mem_free(config->settings[i].path);
		mem_free(config->settings[i].value);
		mem_free(config->settings[i].origin);
	}
	for (size_t i = 0; i < config->nentries; i++) {
		mem_free(config->entries[i].path);
		mem_free(config->entries[i].value);
	}
	for (size_t i = 0; i < config->ntables; i++) {
		mem_free(config->tables[i].prefix);
		mem_free(config->tables[i].values);
	}
	mem_free(config->settings);
	mem_free(config->entries);
	mem_free(config->tables);
	mem_free(config);
}

static int no_memory(struct err *err)
{
	return err_add(err, ERR_RESOURCE, "out of memory for the configuration");
}

/* Capacity for one more element; the array is unchanged when there is no memory. */
static int grow(void *array, size_t n, size_t *cap, size_t size, struct err *err)
{
	void *old, *bigger;
	size_t more = *cap ? *cap * 2 : 32;

	if (n < *cap)
		return 0;
	memcpy(&old, array, sizeof(old));
	bigger = mem_grow(old, *cap, more, size);
	if (!bigger)
		return no_memory(err);
	memcpy(array, &bigger, sizeof(bigger));
	*cap = more;
	return 0;
}

int config_set(struct config *config, const char *path, const char *value, const char *origin,
	struct err *err)
{
	struct setting *s;

	if (grow(&config->settings, config->nsettings, &config->settings_cap, sizeof(*s), err))
		return -1;
	s = &config->settings[config->nsettings++];
	s->path = mem_strdup(path);
	s->value = mem_strdup(value);
	s->origin = mem_strdup(origin);
	s->layer = config->layer;
	if (s->path && s->value && s->origin)
		return 0;
	mem_free(s->path);
	mem_free(s->value);
	mem_free(s->origin);
	*s = (struct setting){0};
	config->nsettings--;
	return no_memory(err);
}

void config_layer(struct config *config)
{
	config->layer++;
}

int config_imply(struct config *config, const char *path, const char *value, const char *origin,
	struct err *err)
{
	if (config_set(config, path, value, origin, err))
		return -1;
	config->settings[config->nsettings - 1].implied = true;
	return 0;
}

int config_set_text(
	struct config *config, const char *assignment, const char *origin, struct err *err)
{
	const char *sign = strchr(assignment, '=');
	char *path, *value;
	int result;

	if (!sign)
		return err_add(err, ERR_USAGE, "%s: '%s' must have the form path=value", origin,
			assignment);
	path = value_trimmed(assignment, sign);
	value = value_trimmed(sign + 1, sign + 1 + strlen(sign + 1));
	if (!path || !value)
		result = no_memory(err);
	else if (!*path)
		result = err_add(err, ERR_USAGE, "%s: '%s' names no parameter", origin, assignment);
	else
		result = config_set(config, path, value, origin, err);
	mem_free(path);
	mem_free(value);
	return result;
}

/* The index of `path` in the sorted entries, or where to insert it. */
static size_t entry_index(const struct config *config, const char *path, bool *found)
{
	size_t low = 0, high = config->nentries;

	*found = false;
	while (low < high) {
		size_t middle = (low + high) / 2;
		int order = strcmp(config->entries[middle].path, path);

		if (!order) {
			*found = true;
			return middle;
		}
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int note_entry(struct config *config, const char *path, const struct param_def *def,
	union value v, bool given, struct err *err)
{
	bool found;
	size_t at = entry_index(config, path, &found);
	struct entry entry = {.def = def, .given = given};

	if (found)
		return 0;
	if (grow(&config->entries, config->nentries, &config->entries_cap, sizeof(entry), err))
		return -1;
	entry.path = mem_strdup(path);
	entry.value = value_text(def, v);
	if (!entry.path || !entry.value) {
		mem_free(entry.path);
		mem_free(entry.value);
		return no_memory(err);
	}
	memmove(config->entries + at + 1, config->entries + at,
		(config->nentries - at) * sizeof(entry));
	config->entries[at] = entry;
	config->nentries++;
	return 0;
}

/* Number i of the path's settings: the last is 0, and what is implied comes after all others. */
static struct setting *setting_of(const struct config *config, const char *path, unsigned i)
{
	for (int implied = 0; implied < 2; implied++)
		for (size_t k = config->nsettings; k-- > 0;) {
			struct setting *s = &config->settings[k];

			if (s->implied == implied && !strcmp(s->path, path) && !i--)
				return s;
		}
	return NULL;
}

static struct setting *last_setting(const struct config *config, const char *path)
{
	return setting_of(config, path, 0);
}

bool config_given(struct config *config, const char *path)
{
	const struct setting *s = last_setting(config, path);

	return s && !s->implied;
}

int config_given_in(struct config *config, const char *path)
{
	const struct setting *s = last_setting(config, path);

	return s && !s->implied ? (int)s->layer : -1;
}

bool config_setting(const struct config *config, const char *path, unsigned i, const char **value,
	const char **origin)
{
	const struct setting *s = setting_of(config, path, i);

	if (!s)
		return false;
	*value = s->value;
	*origin = s->origin;
	return true;
}

struct loading {
	struct config *config;
	const char *prefix;
	void *base;
	bool note;
};

static int load_one(
	const struct loading *l, const struct param_def *def, union value *value, struct err *err)
{
	union value v = value_default(def), own;
	char path[256];
	struct setting *s;
	bool given = false;
	int result = 0;

	snprintf(path, sizeof(path), "%s%s%s", l->prefix ? l->prefix : "",
		l->prefix && *l->prefix ? "." : "", def->name);
	s = l->config ? last_setting(l->config, path) : NULL;
	if (s && value_parse(s, def, &own, err)) {
		result = -1;
	} else if (s) {
		v = own;
		given = !s->implied;
	}
	value_store(l->base, def, v);
	if (value)
		*value = v;
	if (l->note && note_entry(l->config, path, def, v, given, err))
		result = -1;
	return result;
}

static const struct loaded *find_loaded(const struct loading *l, const struct param_def *defs)
{
	for (size_t i = 0; l->config && i < l->config->ntables; i++) {
		const struct loaded *t = &l->config->tables[i];

		if (t->defs == defs && t->nsettings == l->config->nsettings &&
			!strcmp(t->prefix, l->prefix))
			return t;
	}
	return NULL;
}

/* Keeps the values, which then belong to the configuration; without memory it does not. */
static void keep_loaded(
	const struct loading *l, const struct param_def *defs, size_t n, union value *values)
{
	struct config *c = l->config;
	struct loaded t = {defs, n, c->nsettings, mem_strdup(l->prefix), values};

	if (t.prefix && !grow(&c->tables, c->ntables, &c->tables_cap, sizeof(t), NULL)) {
		c->tables[c->ntables++] = t;
		return;
	}
	mem_free(t.prefix);
	mem_free(values);
}

int config_load(struct config *config, const char *prefix, const struct param_def *defs, size_t n,
	void *base, struct err *err)
{
	const struct loading l = {config, prefix, base, config};
	const struct loaded *again = prefix ? find_loaded(&l, defs) : NULL;
	union value *values;
	int result = 0;

	for (size_t i = 0; again && i < n; i++)
		value_store(base, &defs[i], again->values[i]);
	if (again)
		return 0;
	values = config && prefix ? mem_alloc(n + 1, sizeof(*values)) : NULL;
	for (size_t i = 0; i < n; i++)
		result |= load_one(&l, &defs[i], values ? &values[i] : NULL, err);
	if (values && !result)
		keep_loaded(&l, defs, n, values);
	else
		mem_free(values);
	return result;
}

int config_peek(struct config *config, const char *prefix, const struct param_def *defs, size_t n,
	void *base, struct err *err)
{
	const struct loading l = {config, prefix, base, false};
	int result = 0;

	for (size_t i = 0; i < n; i++)
		result |= load_one(&l, &defs[i], NULL, err);
	return result;
}

static bool has_param(const struct plugin *p, const char *name)
{
	for (size_t k = 0; k < p->nparams; k++)
		if (!strcmp(p->params[k].name, name))
			return true;
	return false;
}

/* True when a parameter directly below the prefix of n bytes names a plugin of that kind. */
static bool chooses(const struct config *config, const char *prefix, size_t n, const char *kind)
{
	for (size_t i = 0; i < config->nentries; i++) {
		const struct entry *e = &config->entries[i];

		if (!strncmp(e->path, prefix, n) && e->path[n] == '.' &&
			!strchr(e->path + n + 1, '.') && e->def->type == PARAM_NAME &&
			!strcmp(e->def->unit, kind))
			return true;
	}
	return false;
}

/* True when the path's part before `row`, its last dot, is the prefix. */
static bool is_prefix(const char *prefix, const char *path, const char *row)
{
	return strlen(prefix) == (size_t)(row - path) &&
	       !strncmp(path, prefix, (size_t)(row - path));
}

/* True when the plugin has a parameter of that path, or would have it in a component that can use
 * it. */
static bool owns(const struct config *config, const struct plugin *p, const char *path)
{
	const char *row = strrchr(path, '.'), *name = row;
	size_t n = strlen(p->name);

	if (!row || !has_param(p, row + 1))
		return false;
	if (p->path)
		return is_prefix(p->path, path, row) ||
		       (p->other_path && is_prefix(p->other_path, path, row));
	while (name > path && name[-1] != '.')
		name--;
	return name > path && (size_t)(row - name) == n && !strncmp(name, p->name, n) &&
	       chooses(config, path, (size_t)(name - 1 - path), p->kind);
}

/* The plugin that would have the parameter if it were in use; NULL: none. */
static const struct plugin *owner(const struct config *config, const char *path)
{
	for (size_t i = 0; plugins[i]; i++)
		if (owns(config, plugins[i], path))
			return plugins[i];
	return NULL;
}

/* The loaded parameter with the most similar path; NULL: none is similar. */
static const char *nearest(const struct config *config, const char *path)
{
	const char **paths = mem_alloc(config->nentries + 1, sizeof(*paths));
	const char *near = NULL;

	for (size_t i = 0; paths && i < config->nentries; i++)
		paths[i] = config->entries[i].path;
	if (paths)
		near = err_nearest(path, paths, config->nentries);
	mem_free(paths);
	return near;
}

static int report_unknown(const struct config *config, const struct setting *s, struct err *err)
{
	const struct plugin *unused = owner(config, s->path);
	const char *now = renamed_to(renamed_params, s->path), *near = nearest(config, s->path);

	if (now)
		return err_add(err, ERR_INPUT, "%s: unknown parameter '%s': it was renamed to '%s'",
			s->origin, s->path, now);
	if (unused)
		return err_add(err, ERR_INPUT,
			"%s: unknown parameter '%s': the %s '%s' is not used here", s->origin,
			s->path, unused->kind, unused->name);
	if (near)
		return err_add(err, ERR_INPUT, "%s: unknown parameter '%s'; did you mean '%s'?",
			s->origin, s->path, near);
	return err_add(err, ERR_INPUT, "%s: unknown parameter '%s'", s->origin, s->path);
}

void config_tolerate(struct config *config, const char *prefix)
{
	config->tolerated = prefix;
}

static bool is_tolerated(const struct config *config, const char *path)
{
	return config->tolerated && !strncmp(path, config->tolerated, strlen(config->tolerated));
}

/* True when the setting is for a part that a later layer replaced by another of its kind. */
static bool was_replaced(const struct config *config, const struct setting *s)
{
	const struct plugin *p = owner(config, s->path);

	for (size_t i = 0; p && i < config->nentries; i++) {
		const struct entry *e = &config->entries[i];
		const struct setting *chosen;

		if (e->def->type != PARAM_NAME || strcmp(e->def->unit, p->kind))
			continue;
		chosen = last_setting(config, e->path);
		if (chosen && chosen->layer > s->layer && strcmp(chosen->value, p->name))
			return true;
	}
	return false;
}

/* No part that was loaded has the parameter. */
static bool is_stray(const struct config *config, const struct setting *s)
{
	bool found;

	entry_index(config, s->path, &found);
	return !found && !s->implied && !is_tolerated(config, s->path) && !was_replaced(config, s);
}

int config_finish(struct config *config, struct err *err)
{
	int result = 0;

	for (size_t i = 0; i < config->nsettings; i++)
		if (is_stray(config, &config->settings[i]))
			result = report_unknown(config, &config->settings[i], err);
	return result;
}

/* Parameters that differ from it only after the last dot were loaded. */
static bool has_brothers(const struct config *config, const char *path)
{
	const char *dot = strrchr(path, '.');
	size_t n = dot ? (size_t)(dot - path) + 1 : 0;

	for (size_t i = 0; n && i < config->nentries; i++)
		if (!strncmp(config->entries[i].path, path, n) &&
			!strchr(config->entries[i].path + n, '.'))
			return true;
	return false;
}

void config_strays(const struct config *config, struct err *err)
{
	for (size_t i = 0; i < config->nsettings; i++)
		if (has_brothers(config, config->settings[i].path) &&
			is_stray(config, &config->settings[i]))
			report_unknown(config, &config->settings[i], err);
}

void config_echo(const struct config *config, config_visit_fn *visit, void *ctx)
{
	for (size_t i = 0; i < config->nentries; i++) {
		const struct entry *e = &config->entries[i];

		visit(ctx, e->path, e->value, e->def, e->given);
	}
}
