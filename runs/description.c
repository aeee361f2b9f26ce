/* Descriptions of machines: reading them. */
#include "runs/description.h"

#include "core/base.h"
#include "runs/settings.h"

#include <string.h>

/* The most nested bases: more is an error. */
#define BASES_MOST 16u
#define NAMES_MOST 256u

/* A description being read, and those that it is the base of. */
struct reading {
	struct yaml yaml;
	struct description *d;
	struct described_source *sources;
	struct described_value *values;
	unsigned room; /* of the values */
	struct source *source;
	const struct reading *derived;
	unsigned depth;
	bool unlisted; /* the sources are no list of sources */
};

static const char *const keys[] = {"machine", "about", "sources", "validated", "base", NULL};

static bool looks_like_file(const char *name)
{
	const char *dot = strrchr(name, '.');

	return strchr(name, '/') || (dot && (!strcmp(dot, ".yaml") || !strcmp(dot, ".yml")));
}

/* ---- the keys that are no settings */
static int read_words(struct reading *r, const char *key, const char **out)
{
	const yaml_node_t *node = yaml_get(&r->yaml, yaml_root(&r->yaml), key);
	const char *words;

	if (!node)
		return 0;
	if (yaml_string(&r->yaml, node, key, &words))
		return -1;
	*out = arena_strdup(r->source->arena, words);
	return 0;
}

/* Faults of sources are errors that hide none of values, which are taken all the same. */
static void read_source(struct reading *r, const yaml_node_t *map, unsigned i)
{
	const yaml_node_t *node = yaml_key(&r->yaml, map, i);
	const char *key = yaml_text(node), *citation;

	if (!strcmp(key, DESCRIPTION_ASSUMED)) {
		yaml_wrong(&r->yaml, node,
			"'%s' cannot be the key of a source: it means that there is none", key);
		return;
	}
	if (strpbrk(key, " ,:;"))
		yaml_wrong(&r->yaml, node,
			"the key of a source is a word without blank, comma and colon, as 'jia18'");
	if (yaml_string(&r->yaml, yaml_value(&r->yaml, map, i), "a citation", &citation))
		citation = "";
	r->sources[r->d->nsources++] = (struct described_source){
		arena_strdup(r->source->arena, key), arena_strdup(r->source->arena, citation)};
}

static void read_sources(struct reading *r)
{
	const yaml_node_t *map = yaml_get(&r->yaml, yaml_root(&r->yaml), "sources");

	r->unlisted = map && yaml_only(&r->yaml, map, "sources", NULL);
	if (!map || r->unlisted)
		return;
	r->sources = arena_alloc(r->source->arena, yaml_items(map) + 1, sizeof(*r->sources));
	r->d->sources = r->sources;
	for (unsigned i = 0; i < yaml_items(map); i++)
		read_source(r, map, i);
}

/* ---- values */
static void unknown_source(struct reading *r, const yaml_node_t *node, const char *key)
{
	const char **names = arena_alloc(r->source->arena, r->d->nsources + 1, sizeof(*names)),
		   *near;

	for (unsigned i = 0; i < r->d->nsources; i++)
		names[i] = r->d->sources[i].key;
	names[r->d->nsources] = DESCRIPTION_ASSUMED;
	near = err_nearest(key, names, r->d->nsources + 1);
	yaml_wrong(&r->yaml, node,
		"there is no source '%s'%s%s%s; a source begins with a key of this file's sources, "
		"or is: assumed, and the reason",
		key, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

/* The key, and the words behind it. */
static void split_source(
	struct reading *r, const yaml_node_t *node, const char *words, struct described_value *v)
{
	size_t n = strcspn(words, " ,:;");
	const char *key = arena_strndup(r->source->arena, words, n);

	v->words = words + n + strspn(words + n, " ,:;");
	if (!strcmp(key, DESCRIPTION_ASSUMED)) {
		v->source = DESCRIPTION_ASSUMED;
		if (!*v->words)
			yaml_wrong(&r->yaml, node,
				"assumed needs the reason: [%s, \"assumed: ...\"]", v->value);
		return;
	}
	for (unsigned i = 0; i < r->d->nsources; i++)
		if (!strcmp(r->d->sources[i].key, key))
			v->source = r->d->sources[i].key;
	if (!v->source && !r->unlisted)
		unknown_source(r, node, key);
}

/* [value, source], where the source may have commas. */
static int read_list(
	struct reading *r, const char *path, const yaml_node_t *list, struct described_value *v)
{
	char *words;
	size_t room = 1;

	for (unsigned i = 0; i < yaml_items(list); i++) {
		const char *item = yaml_text(yaml_item(&r->yaml, list, i));

		if (!item || !*item || yaml_items(list) < 2)
			return yaml_wrong(
				&r->yaml, list, "'%s' needs a value, or [value, source]", path);
		room += strlen(item) + 2;
	}
	if (!yaml_items(list))
		return yaml_wrong(&r->yaml, list, "'%s' needs a value, or [value, source]", path);
	v->value = arena_strdup(r->source->arena, yaml_text(yaml_item(&r->yaml, list, 0)));
	words = arena_alloc(r->source->arena, room, 1);
	for (unsigned i = 1; i < yaml_items(list); i++) {
		strcat(words, i > 1 ? ", " : "");
		strcat(words, yaml_text(yaml_item(&r->yaml, list, i)));
	}
	split_source(r, yaml_item(&r->yaml, list, 1), words, v);
	return 0;
}

static void add_value(struct reading *r, const struct described_value *v)
{
	if (r->d->nvalues == r->room) {
		struct described_value *more =
			arena_alloc(r->source->arena, 2 * r->room + 32, sizeof(*more));

		if (r->room)
			memcpy(more, r->values, r->room * sizeof(*more));
		r->d->values = r->values = more;
		r->room = 2 * r->room + 32;
	}
	r->values[r->d->nvalues++] = *v;
}

static int read_value(void *ctx, const char *path, const yaml_node_t *key, const yaml_node_t *value)
{
	struct reading *r = ctx;
	struct described_value v = {.path = arena_strdup(r->source->arena, path), .words = ""};
	char place[512];

	yaml_place(&r->yaml, key, place, sizeof(place));
	v.place = arena_strdup(r->source->arena, place);
	if (yaml_text(value))
		v.value = arena_strdup(r->source->arena, yaml_text(value));
	else if (read_list(r, path, value, &v))
		return -1;
	add_value(r, &v);
	return 0;
}

/* ---- files and bases */
static const struct description *read_one(
	const char *name, const struct reading *derived, struct source *, struct err *);

/* Names of files are relative to the description's. */
static int read_base(struct reading *r)
{
	const yaml_node_t *node = yaml_get(&r->yaml, yaml_root(&r->yaml), "base");
	const char *name, *outer = r->source->directory, *slash = strrchr(r->d->file, '/');
	struct err wrong = {0};

	if (!node)
		return 0;
	if (yaml_string(&r->yaml, node, "base (a machine, or a file)", &name))
		return -1;
	if (r->depth == BASES_MOST)
		return yaml_wrong(&r->yaml, node, "more than %u nested bases", BASES_MOST);
	r->source->directory =
		!slash ? "."
		       : arena_strndup(r->source->arena, r->d->file,
				 slash == r->d->file ? 1 : (size_t)(slash - r->d->file));
	r->d->base = read_one(name, r, r->source, &wrong);
	r->source->directory = outer;
	if (wrong.count)
		yaml_tell(&r->yaml, node, &wrong);
	return r->d->base ? 0 : -1;
}

static int read_all(struct reading *r)
{
	struct settings_walk walk = {.what = "a machine's description",
		.keys = keys,
		.list = "[value, source]",
		.visit = read_value,
		.ctx = r};
	yaml_node_t *root = yaml_root(&r->yaml);
	int bad;

	if (yaml_only(&r->yaml, root, walk.what, NULL))
		return -1;
	bad = read_words(r, "machine", &r->d->title) | read_words(r, "about", &r->d->about) |
	      read_words(r, "validated", &r->d->validated) | read_base(r);
	read_sources(r);
	return settings_walk(&r->yaml, root, &walk) || bad ? -1 : 0;
}

static const struct machine_text *find(const char *name)
{
	const struct machine_text *m = machine_texts;

	while (m->name && strcmp(m->name, name))
		m++;
	return m->name ? m : NULL;
}

static void no_such_machine(const char *name, struct err *err)
{
	const char *all[NAMES_MOST], *near;
	struct text names = {0};
	unsigned n = 0;

	for (const struct machine_text *m = machine_texts; m->name; m++) {
		text_add(&names, "%s%s", n ? ", " : "", m->name);
		if (n < NAMES_MOST)
			all[n++] = m->name;
	}
	near = err_nearest(name, all, n);
	err_add(err, ERR_INPUT,
		"chip = %s: there is no such machine%s%s%s; there are: %s (a file's name ends in .yaml)",
		name, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "",
		text_str(&names));
	text_clear(&names);
}

/* The text of a machine that is compiled in. NULL: there is no such machine. */
static char *compiled_in(const char *name, struct arena *arena, size_t *bytes, struct err *err)
{
	const struct machine_text *m = find(name);
	size_t n = 0, at = 0;
	char *text;

	if (!m) {
		no_such_machine(name, err);
		return NULL;
	}
	for (const char *const *line = m->lines; *line; line++)
		n += strlen(*line) + 1;
	text = arena_alloc(arena, n + 1, 1);
	for (const char *const *line = m->lines; *line; line++) {
		memcpy(text + at, *line, strlen(*line));
		at += strlen(*line) + 1;
		text[at - 1] = '\n';
	}
	*bytes = n;
	return text;
}

static char *read_text(struct reading *r, size_t *bytes, struct err *err)
{
	char path[300];

	if (looks_like_file(r->d->name)) {
		r->d->file = source_path(r->source, r->d->name);
	} else {
		snprintf(path, sizeof(path), "machines/%.256s.yaml", r->d->name);
		r->d->file = arena_strdup(r->source->arena, path);
	}
	for (const struct reading *d = r->derived; d; d = d->derived)
		if (!strcmp(d->d->file, r->d->file)) {
			err_add(err, ERR_INPUT, "%s is its own base", r->d->file);
			return NULL;
		}
	return looks_like_file(r->d->name) ? source_read(r->source, r->d->file, bytes, err)
					   : compiled_in(r->d->name, r->source->arena, bytes, err);
}

static void let_go(void *yaml)
{
	yaml_unload(yaml);
}

static const struct description *read_one(
	const char *name, const struct reading *derived, struct source *source, struct err *err)
{
	void **kept = arena_own(source->arena, let_go);
	struct reading *r = arena_alloc(source->arena, 1, sizeof(*r));
	char *text;
	size_t n;
	int bad;

	*r = (struct reading){.source = source,
		.derived = derived,
		.depth = derived ? derived->depth + 1 : 0,
		.d = arena_alloc(source->arena, 1, sizeof(struct description))};
	*kept = &r->yaml;
	r->d->name = arena_strdup(source->arena, name);
	text = read_text(r, &n, err);
	if (!text)
		return NULL;
	bad = looks_like_file(name) ? yaml_load(&r->yaml, r->d->file, text, n, err)
				    : yaml_load_own(&r->yaml, r->d->file, text, n, err);
	if (!bad)
		bad = read_all(r);
	yaml_unload(&r->yaml);
	return bad ? NULL : r->d;
}

const struct description *description_read(const char *name, struct source *source, struct err *err)
{
	return read_one(name, NULL, source, err);
}
