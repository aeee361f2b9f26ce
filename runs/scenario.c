/* Reading a scenario: its chip, its settings, its buffers. */
#include "runs/scenario_inside.h"

#include "runs/description.h"
#include "runs/settings.h"

#include <string.h>

static int read_buffers(struct scenario *s, const yaml_node_t *map)
{
	struct yaml *y = &s->yaml;
	int bad = yaml_only(y, map, "buffers", NULL);

	s->buffers = arena_alloc(&s->arena, yaml_items(map) + 1, sizeof(*s->buffers));
	for (unsigned i = 0; i < yaml_items(map) && !bad; i++) {
		struct scenario_buffer *b = &s->buffers[s->nbuffers++];

		b->name = yaml_text(yaml_key(y, map, i));
		b->node = yaml_value(y, map, i);
		bad = value_block(y, b->node, "a buffer", &s->source, &b->values);
	}
	return bad;
}

static int enter_chip(struct scenario *s, const yaml_node_t *node, struct config *config)
{
	struct err wrong = {0};

	if (yaml_string(&s->yaml, node, "chip", &s->chip))
		return -1;
	if (description_take(s->chip, &s->source, config, &wrong) || wrong.count)
		return yaml_tell(&s->yaml, node, &wrong);
	return 0;
}

static int read_sections(struct scenario *s, bool with_chip, struct config *config)
{
	static const char *const keys[] = {
		"chip", "set", "buffers", "textures", "samplers", "launches", "checks", NULL};
	struct yaml *y = &s->yaml;
	yaml_node_t *root = yaml_root(y), *chip, *set, *buffers, *launches;

	if (yaml_only(y, root, "a scenario", keys))
		return -1;
	chip = yaml_get(y, root, "chip");
	set = yaml_get(y, root, "set");
	buffers = yaml_get(y, root, "buffers");
	launches = yaml_get(y, root, "launches");
	if (!launches || launches->type != YAML_SEQUENCE_NODE || !yaml_items(launches))
		return yaml_wrong(y, launches ? launches : root,
			"a scenario needs launches: a list of at least one");
	if (chip && with_chip && enter_chip(s, chip, config))
		return -1;
	if (set && settings_enter(y, set, "set", config))
		return -1;
	if ((buffers && read_buffers(s, buffers)) || scenario_read_textures(s))
		return -1;
	return scenario_read_checks(s);
}

static void find_directory(struct scenario *s, const char *path)
{
	const char *slash = strrchr(path, '/');

	s->source.arena = &s->arena;
	if (!slash)
		s->source.directory = ".";
	else
		s->source.directory =
			arena_strndup(&s->arena, path, slash == path ? 1 : (size_t)(slash - path));
}

static int load(struct scenario *s, const char *path, bool with_chip, struct config *config,
	struct err *err)
{
	const char *text, *name;
	jmp_buf escape;
	size_t n;

	if (setjmp(escape))
		return err_add(err, ERR_RESOURCE, "%s: no host memory for the scenario", path);
	s->arena.escape = &escape;
	find_directory(s, path);
	name = arena_strdup(&s->arena, path);
	text = source_read(&s->source, name, &n, err);
	if (!text || yaml_load(&s->yaml, name, text, n, err))
		return -1;
	return read_sections(s, with_chip, config);
}

struct scenario *scenario_load(const char *path, bool with_chip, struct config *config,
	struct files *files, struct err *err)
{
	struct scenario *s = mem_alloc(1, sizeof(*s));

	if (!s) {
		err_add(err, ERR_RESOURCE, "%s: no host memory for the scenario", path);
		return NULL;
	}
	s->source.files = files;
	if (!load(s, path, with_chip, config, err))
		return s;
	scenario_free(s);
	return NULL;
}

void scenario_free(struct scenario *s)
{
	if (!s)
		return;
	yaml_unload(&s->yaml);
	arena_free(&s->arena);
	mem_free(s);
}

int scenario_lost(struct scenario *s, const yaml_node_t *node, const char *what,
	const char *const *names, unsigned n)
{
	const char *name = yaml_text(node), *near = name ? err_nearest(name, names, n) : NULL;

	return yaml_wrong(&s->yaml, node, "there is no %s '%s'%s%s%s", what,
		name ? name : "(no name)", near ? "; did you mean '" : "", near ? near : "",
		near ? "'?" : "");
}

struct scenario_buffer *scenario_named(struct scenario *s, const yaml_node_t *node)
{
	const char **names = arena_alloc(&s->arena, s->nbuffers + 1, sizeof(*names));
	const char *name = yaml_text(node);

	for (unsigned i = 0; i < s->nbuffers; i++) {
		if (name && !strcmp(s->buffers[i].name, name))
			return &s->buffers[i];
		names[i] = s->buffers[i].name;
	}
	scenario_lost(s, node, "buffer", names, s->nbuffers);
	return NULL;
}

static int make_buffers(struct scenario *s, struct gpu *g)
{
	for (unsigned i = 0; i < s->nbuffers; i++) {
		struct scenario_buffer *b = &s->buffers[i];
		struct err wrong = {0};

		b->handle = gpu_buffer(g, b->name, b->values.n, &wrong);
		if (!b->handle)
			return yaml_tell(&s->yaml, b->node, &wrong);
		gpu_write(g, b->handle, 0, b->values.bytes, b->values.n);
	}
	return 0;
}

int scenario_setup(struct scenario *s, struct gpu *g, struct err *err)
{
	jmp_buf escape;

	if (setjmp(escape))
		return err_add(
			err, ERR_RESOURCE, "%s: no host memory for the scenario", s->yaml.file);
	s->arena.escape = &escape;
	s->yaml.err = err;
	if (make_buffers(s, g) || scenario_make_textures(s, g))
		return -1;
	return scenario_launches(s, g);
}

const char *scenario_chip(const struct scenario *s)
{
	return s->chip;
}

const struct source *scenario_source(const struct scenario *s)
{
	return &s->source;
}
