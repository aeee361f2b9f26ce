/* A configuration: settings with their origin, read into structs by parameter tables, and echoed.
 */
#include "core/config.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "core/plugin.h"

struct setting {
	char *path, *value, *origin;
	bool told; /* its value was found wrong, and the user knows */
};

/* One loaded parameter. */
struct entry {
	char *path, *value;
	const struct param_def *def;
	bool given;
};

struct config {
	struct setting *settings;
	size_t nsettings, settings_cap;
	struct entry *entries; /* sorted by path */
	size_t nentries, entries_cap;
	const char *tolerated; /* or NULL */
};

union value {
	uint64_t whole;
	double real;
	bool truth;
	const char *name;
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
	mem_free(config->settings);
	mem_free(config->entries);
	mem_free(config);
}

static int no_memory(struct err *err)
{
	return err_add(err, ERR_RESOURCE, "out of memory for the configuration");
}

/* Room for one more element; the array stays as it is when there is no memory. */
static int make_room(void *array, size_t n, size_t *cap, size_t size, struct err *err)
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

	if (make_room(&config->settings, config->nsettings, &config->settings_cap, sizeof(*s), err))
		return -1;
	s = &config->settings[config->nsettings++];
	s->path = mem_strdup(path);
	s->value = mem_strdup(value);
	s->origin = mem_strdup(origin);
	if (s->path && s->value && s->origin)
		return 0;
	mem_free(s->path);
	mem_free(s->value);
	mem_free(s->origin);
	*s = (struct setting){0};
	config->nsettings--;
	return no_memory(err);
}

/* A copy of bytes [from, to) without the spaces around them; NULL when there is no memory. */
static char *trimmed(const char *from, const char *to)
{
	char *copy;

	while (from < to && isspace((unsigned char)*from))
		from++;
	while (to > from && isspace((unsigned char)to[-1]))
		to--;
	copy = mem_alloc((size_t)(to - from) + 1, 1);
	if (copy)
		memcpy(copy, from, (size_t)(to - from));
	return copy;
}

int config_set_text(
	struct config *config, const char *assignment, const char *origin, struct err *err)
{
	const char *sign = strchr(assignment, '=');
	char *path, *value;
	int answer;

	if (!sign)
		return err_add(err, ERR_USAGE, "%s: '%s' must have the form path=value", origin,
			assignment);
	path = trimmed(assignment, sign);
	value = trimmed(sign + 1, sign + 1 + strlen(sign + 1));
	if (!path || !value)
		answer = no_memory(err);
	else if (!*path)
		answer = err_add(err, ERR_USAGE, "%s: '%s' names no parameter", origin, assignment);
	else
		answer = config_set(config, path, value, origin, err);
	mem_free(path);
	mem_free(value);
	return answer;
}

/* Digits in base 10, or 16 after 0x, then nothing, K or M. False for anything else, or over 64
 * bits. */
static bool parse_whole(const char *text, uint64_t *out)
{
	bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	const char *start = hex ? text + 2 : text;
	uint64_t scale = 1;
	char *end;

	if (hex && tolower((unsigned char)start[0] ? start[1] : 0) == 'x')
		return false;
	if (!(hex ? isxdigit((unsigned char)*start) : isdigit((unsigned char)*start)))
		return false;
	errno = 0;
	*out = strtoull(start, &end, hex ? 16 : 10);
	if (errno)
		return false;
	if (*end == 'K' || *end == 'k')
		scale = 1024;
	else if (*end == 'M' || *end == 'm')
		scale = 1024 * 1024;
	else if (*end == 'G' || *end == 'g')
		scale = 1024 * 1024 * 1024;
	if (scale > 1)
		end++;
	return !*end && !__builtin_mul_overflow(*out, scale, out);
}

static bool parse_real(const char *text, double *out)
{
	char *end;

	if (!*text || isspace((unsigned char)*text))
		return false;
	*out = strtod(text, &end);
	return !*end && isfinite(*out);
}

static bool parse_truth(const char *text, bool *out)
{
	static const char *const words[][2] = {
		{"false", "true"}, {"off", "on"}, {"no", "yes"}, {"0", "1"}};

	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		for (int truth = 0; truth < 2; truth++) {
			if (strcmp(text, words[i][truth]))
				continue;
			*out = truth;
			return true;
		}
	}
	return false;
}

static int wrong_value(struct setting *s, const struct param_def *def, struct err *err)
{
	const char *space = *def->unit ? " " : "";

	if (s->told)
		return -1;
	s->told = true;
	switch (def->type) {
	case PARAM_UINT:
	case PARAM_REAL:
		return err_add(err, ERR_INPUT, "%s: %s = %s: must be %s%.15g .. %.15g%s%s",
			s->origin, s->path, s->value, def->type == PARAM_UINT ? "" : "a number, ",
			def->low, def->high, space, def->unit);
	case PARAM_BOOL:
		return err_add(err, ERR_INPUT, "%s: %s = %s: must be true or false", s->origin,
			s->path, s->value);
	default:
		return err_add(err, ERR_INPUT, "%s: %s: %s%s", s->origin, s->path,
			*def->unit ? "must name a " : "must not be empty", def->unit);
	}
}

/* A NAME whose unit is a kind of plugin must be one of them. */
static int check_name(struct setting *s, const struct param_def *def, struct err *err)
{
	char where[256];

	if (!*s->value)
		return wrong_value(s, def, err);
	if (!*def->unit)
		return 0;
	snprintf(where, sizeof(where), "%s: %s", s->origin, s->path);
	if (plugin_find(def->unit, s->value, where, s->told ? NULL : err))
		return 0;
	s->told = true;
	return -1;
}

/* The setting's value, in its type and bounds. */
static int parse(struct setting *s, const struct param_def *def, union value *v, struct err *err)
{
	double number = 0;
	bool good = false;

	switch (def->type) {
	case PARAM_UINT:
		good = parse_whole(s->value, &v->whole);
		number = good ? (double)v->whole : 0;
		break;
	case PARAM_REAL:
		good = parse_real(s->value, &v->real);
		number = good ? v->real : 0;
		break;
	case PARAM_BOOL:
		return parse_truth(s->value, &v->truth) ? 0 : wrong_value(s, def, err);
	case PARAM_NAME:
		v->name = s->value;
		return check_name(s, def, err);
	}
	return good && number >= def->low && number <= def->high ? 0 : wrong_value(s, def, err);
}

static union value default_value(const struct param_def *def)
{
	switch (def->type) {
	case PARAM_UINT:
		return (union value){.whole = (uint64_t)def->value};
	case PARAM_REAL:
		return (union value){.real = def->value};
	case PARAM_BOOL:
		return (union value){.truth = def->value != 0};
	default:
		return (union value){.name = def->name_value};
	}
}

static void store(void *base, const struct param_def *def, union value v)
{
	static const size_t size[] = {[PARAM_UINT] = sizeof(v.whole),
		[PARAM_REAL] = sizeof(v.real),
		[PARAM_BOOL] = sizeof(v.truth),
		[PARAM_NAME] = sizeof(v.name)};

	memcpy((char *)base + def->offset, &v, size[def->type]);
}

/* The value as text, the shortest that reads back as the same; NULL when there is no memory. */
static char *value_text(const struct param_def *def, union value v)
{
	char buffer[40];

	switch (def->type) {
	case PARAM_UINT:
		snprintf(buffer, sizeof(buffer), "%" PRIu64, v.whole);
		break;
	case PARAM_REAL:
		snprintf(buffer, sizeof(buffer), "%.15g", v.real);
		if (strtod(buffer, NULL) != v.real)
			snprintf(buffer, sizeof(buffer), "%.17g", v.real);
		break;
	case PARAM_BOOL:
		return mem_strdup(v.truth ? "true" : "false");
	case PARAM_NAME:
		return mem_strdup(v.name ? v.name : "");
	}
	return mem_strdup(buffer);
}

/* The place of `path` among the sorted entries. */
static size_t entry_place(const struct config *config, const char *path, bool *found)
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
	size_t at = entry_place(config, path, &found);
	struct entry entry = {.def = def, .given = given};

	if (found)
		return 0;
	if (make_room(&config->entries, config->nentries, &config->entries_cap, sizeof(entry), err))
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

static struct setting *last_setting(struct config *config, const char *path)
{
	for (size_t i = config->nsettings; i-- > 0;) {
		if (!strcmp(config->settings[i].path, path))
			return &config->settings[i];
	}
	return NULL;
}

bool config_given(struct config *config, const char *path)
{
	return last_setting(config, path);
}

struct loading {
	struct config *config;
	const char *prefix;
	void *base;
	bool note;
};

static int load_one(const struct loading *l, const struct param_def *def, struct err *err)
{
	union value v = default_value(def), own;
	char path[256];
	struct setting *s;
	bool given = false;
	int answer = 0;

	snprintf(path, sizeof(path), "%s%s%s", l->prefix ? l->prefix : "",
		l->prefix && *l->prefix ? "." : "", def->name);
	s = last_setting(l->config, path);
	if (s && parse(s, def, &own, err)) {
		answer = -1;
	} else if (s) {
		v = own;
		given = true;
	}
	store(l->base, def, v);
	if (l->note && note_entry(l->config, path, def, v, given, err))
		answer = -1;
	return answer;
}

int config_load(struct config *config, const char *prefix, const struct param_def *defs, size_t n,
	void *base, struct err *err)
{
	const struct loading l = {config, prefix, base, true};
	int answer = 0;

	for (size_t i = 0; i < n; i++)
		answer |= load_one(&l, &defs[i], err);
	return answer;
}

int config_peek(struct config *config, const char *prefix, const struct param_def *defs, size_t n,
	void *base, struct err *err)
{
	const struct loading l = {config, prefix, base, false};
	int answer = 0;

	for (size_t i = 0; i < n; i++)
		answer |= load_one(&l, &defs[i], err);
	return answer;
}

/* The part whose parameter it would be, if it were used; NULL: none. */
static const struct plugin *owner(const char *path)
{
	for (size_t i = 0; plugins[i]; i++) {
		const struct plugin *p = plugins[i];
		size_t n = p->path ? strlen(p->path) : 0;

		for (size_t k = 0; n && k < p->nparams; k++)
			if (!strncmp(path, p->path, n) && path[n] == '.' &&
				!strcmp(path + n + 1, p->params[k].name))
				return p;
	}
	return NULL;
}

static int tell_unknown(const struct config *config, const struct setting *s, struct err *err)
{
	const struct plugin *unused = owner(s->path);
	const char **paths = mem_alloc(config->nentries + 1, sizeof(*paths));
	const char *near = NULL;

	for (size_t i = 0; paths && i < config->nentries; i++)
		paths[i] = config->entries[i].path;
	if (paths)
		near = err_nearest(s->path, paths, config->nentries);
	mem_free(paths);
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

int config_finish(struct config *config, struct err *err)
{
	int answer = 0;

	for (size_t i = 0; i < config->nsettings; i++) {
		bool found;

		entry_place(config, config->settings[i].path, &found);
		if (!found && !is_tolerated(config, config->settings[i].path))
			answer = tell_unknown(config, &config->settings[i], err);
	}
	return answer;
}

void config_echo(const struct config *config, config_visit_fn *visit, void *ctx)
{
	for (size_t i = 0; i < config->nentries; i++) {
		const struct entry *e = &config->entries[i];

		visit(ctx, e->path, e->value, e->def, e->given);
	}
}
