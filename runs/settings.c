/* Settings from YAML. */
#include "runs/settings.h"

#include "chip/preset.h"
#include "core/text.h"

#include <string.h>

/* The most nested bases: more is an error. */
#define BASES_MOST 16u

/* ---- a mapping of settings */
struct entering {
	struct yaml *y;
	struct config *config;
	const yaml_node_t *without; /* a key that is no setting, or NULL */
	struct text path;
	struct text entered; /* paths, each between NULs */
};

static bool was_entered(const struct entering *e, const char *path, size_t n)
{
	const char *at = text_str(&e->entered), *end = at + e->entered.len;

	for (; at < end; at += strlen(at) + 1)
		if (strlen(at) == n && !memcmp(at, path, n))
			return true;
	return false;
}

static int enter_value(struct entering *e, const yaml_node_t *key, const yaml_node_t *value)
{
	const char *path = text_str(&e->path);
	char place[512];

	yaml_place(e->y, key, place, sizeof(place));
	if (e->path.failed || e->entered.failed)
		return err_add(e->y->err, ERR_RESOURCE, "%s: no host memory for settings", place);
	if (was_entered(e, path, e->path.len))
		return yaml_wrong(e->y, key, "'%s' is set twice", path);
	text_bytes(&e->entered, path, e->path.len + 1);
	return config_set(e->config, path, yaml_text(value), place, e->y->err);
}

static int enter_map(struct entering *e, const yaml_node_t *map, const char *what);

/* A setting, or a mapping of settings whose paths begin with the key. */
static int enter_pair(struct entering *e, const yaml_node_t *key, const yaml_node_t *value)
{
	size_t before = e->path.len;
	const char *name = yaml_text(key);
	int bad;

	text_raw(&e->path, "%s%s", before ? "." : "", name);
	if (yaml_text(value))
		bad = enter_value(e, key, value);
	else if (value && value->type == YAML_MAPPING_NODE)
		bad = enter_map(e, value, name);
	else
		bad = yaml_wrong(
			e->y, value, "'%s' needs a value, or a mapping of settings below it", name);
	e->path.len = before;
	if (e->path.s)
		e->path.s[before] = '\0';
	return bad;
}

static int enter_map(struct entering *e, const yaml_node_t *map, const char *what)
{
	int bad = yaml_only(e->y, map, what, NULL);

	for (unsigned i = 0; i < yaml_items(map) && !bad; i++) {
		const yaml_node_t *key = yaml_key(e->y, map, i);

		if (key != e->without)
			bad = enter_pair(e, key, yaml_value(e->y, map, i));
	}
	return bad;
}

static int enter_all(struct entering *e, const yaml_node_t *map, const char *what)
{
	int bad = enter_map(e, map, what);

	text_clear(&e->path);
	text_clear(&e->entered);
	return bad;
}

int settings_enter(struct yaml *y, const yaml_node_t *map, const char *what, struct config *config)
{
	struct entering e = {.y = y, .config = config};

	return enter_all(&e, map, what);
}

/* ---- chips */
/* A chip, and those that it is the base of. */
struct chip_file {
	const char *path;
	const struct chip_file *derived;
	unsigned depth;
};

static bool looks_like_file(const char *name)
{
	const char *dot = strrchr(name, '.');

	return strchr(name, '/') || (dot && (!strcmp(dot, ".yaml") || !strcmp(dot, ".yml")));
}

static int enter_chip(const char *name, const struct chip_file *derived, struct source *,
	struct config *, struct err *);

/* The key `base` of a chip file; names in it are relative to the file. */
static int enter_base(
	struct yaml *y, const struct chip_file *file, struct source *source, struct config *config)
{
	const yaml_node_t *node = yaml_get(y, yaml_root(y), "base");
	const char *name, *outer = source->directory, *slash = strrchr(file->path, '/');
	struct err wrong = {0};
	int bad;

	if (!node)
		return 0;
	if (yaml_string(y, node, "base (a preset, or a chip file)", &name))
		return -1;
	if (file->depth == BASES_MOST)
		return yaml_wrong(y, node, "more than %u nested bases", BASES_MOST);
	source->directory =
		!slash ? "."
		       : arena_strndup(source->arena, file->path,
				 slash == file->path ? 1 : (size_t)(slash - file->path));
	bad = enter_chip(name, file, source, config, &wrong);
	source->directory = outer;
	return bad ? yaml_tell(y, node, &wrong) : 0;
}

/* The key's node, or NULL. */
static const yaml_node_t *base_key(struct yaml *y)
{
	const yaml_node_t *root = yaml_root(y);

	for (unsigned i = 0; i < yaml_items(root) && root->type == YAML_MAPPING_NODE; i++) {
		const yaml_node_t *key = yaml_key(y, root, i);

		if (yaml_text(key) && !strcmp(yaml_text(key), "base"))
			return key;
	}
	return NULL;
}

static int enter_file(
	struct yaml *y, const struct chip_file *file, struct source *source, struct config *config)
{
	struct entering e = {.y = y, .config = config, .without = base_key(y)};

	if (yaml_only(y, yaml_root(y), "a chip file", NULL))
		return -1;
	return enter_base(y, file, source, config) || enter_all(&e, yaml_root(y), "a chip file")
		       ? -1
		       : 0;
}

static int enter_chip(const char *name, const struct chip_file *derived, struct source *source,
	struct config *config, struct err *err)
{
	struct chip_file file = {.derived = derived, .depth = derived ? derived->depth + 1 : 0};
	struct yaml y = {0};
	char *text;
	size_t n;
	int bad;

	if (!looks_like_file(name))
		return preset_apply(name, config, err);
	file.path = source_path(source, name);
	for (const struct chip_file *f = derived; f; f = f->derived)
		if (!strcmp(f->path, file.path))
			return err_add(err, ERR_INPUT, "%s is its own base", file.path);
	text = source_read(source, file.path, &n, err);
	if (!text)
		return -1;
	bad = yaml_load(&y, file.path, text, n, err);
	if (!bad)
		bad = enter_file(&y, &file, source, config);
	yaml_unload(&y);
	return bad;
}

int settings_chip(const char *name, struct source *source, struct config *config, struct err *err)
{
	return enter_chip(name, NULL, source, config, err);
}
