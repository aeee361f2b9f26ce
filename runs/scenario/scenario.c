/* Reading a scenario: its chip, its settings, its buffers. */
#include "runs/scenario/inside.h"

#include "runs/description.h"
#include "runs/settings.h"

#include <string.h>

#define MOST_ADDRESS (UINT64_C(1) << 38)

static int read_buffer(struct scenario *s, struct scenario_buffer *b)
{
	static const char *const more[] = {"fields", "address", NULL};
	struct yaml *y = &s->yaml;
	const yaml_node_t *address;

	if (value_block(y, b->node, "a buffer", more, &s->source, &b->values))
		return -1;
	b->bytes = b->values.n;
	b->fields = yaml_get(y, b->node, "fields");
	address = yaml_get(y, b->node, "address");
	return address ? yaml_uint(y, address, "address", 1, MOST_ADDRESS, &b->address) : 0;
}

static int read_buffers(struct scenario *s, const yaml_node_t *map)
{
	struct yaml *y = &s->yaml;
	int bad = map ? yaml_only(y, map, "buffers", NULL) : 0;

	for (unsigned i = 0; i < yaml_items(map) && !bad; i++) {
		struct scenario_buffer *b = &s->buffers[s->nbuffers++];

		b->name = yaml_text(yaml_key(y, map, i));
		b->node = yaml_value(y, map, i);
		bad = read_buffer(s, b);
	}
	return bad;
}

/* Buffers and variables have one table: both can be named. */
static int read_memory(struct scenario *s)
{
	const yaml_node_t *root = yaml_root(&s->yaml);
	const yaml_node_t *buffers = yaml_get(&s->yaml, root, "buffers");
	unsigned n = yaml_items(buffers) + yaml_items(yaml_get(&s->yaml, root, "variables"));

	s->buffers = arena_alloc(&s->arena, n + 1, sizeof(*s->buffers));
	return read_buffers(s, buffers) ? -1 : scenario_read_variables(s);
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
	static const char *const keys[] = {"chip", "set", "buffers", "variables", "textures",
		"samplers", "launches", "checks", NULL};
	struct yaml *y = &s->yaml;
	yaml_node_t *root = yaml_root(y), *chip, *set, *launches;

	if (yaml_only(y, root, "a scenario", keys))
		return -1;
	chip = yaml_get(y, root, "chip");
	set = yaml_get(y, root, "set");
	launches = yaml_get(y, root, "launches");
	if (!launches || launches->type != YAML_SEQUENCE_NODE || !yaml_items(launches))
		return yaml_wrong(y, launches ? launches : root,
			"a scenario needs launches: a list of at least one");
	if (chip && with_chip && enter_chip(s, chip, config))
		return -1;
	if (set && settings_enter(y, set, "set", config))
		return -1;
	if (read_memory(s) || scenario_read_textures(s) || scenario_read_steps(s))
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

static struct scenario_buffer *find(
	struct scenario *s, const yaml_node_t *node, const char *what, bool variables)
{
	const char **names = arena_alloc(&s->arena, s->nbuffers + 1, sizeof(*names));
	const char *name = yaml_text(node);
	unsigned n = 0;

	for (unsigned i = 0; i < s->nbuffers; i++) {
		if (s->buffers[i].module && !variables)
			continue;
		if (name && !strcmp(s->buffers[i].name, name))
			return &s->buffers[i];
		names[n++] = s->buffers[i].name;
	}
	scenario_lost(s, node, what, names, n);
	return NULL;
}

struct scenario_buffer *scenario_named(struct scenario *s, const yaml_node_t *node)
{
	return find(s, node, "buffer", false);
}

struct scenario_buffer *scenario_memory(struct scenario *s, const yaml_node_t *node)
{
	return find(s, node, "buffer", true);
}

int scenario_read_range(struct scenario *s, const yaml_node_t *name, const yaml_node_t *offset,
	const yaml_node_t *bytes, struct scenario_range *p)
{
	struct yaml *y = &s->yaml;

	*p = (struct scenario_range){.node = name};
	p->buffer = scenario_memory(s, name);
	if (!p->buffer || (offset && yaml_uint(y, offset, "offset", 0, MOST_ADDRESS, &p->offset)))
		return -1;
	if (bytes)
		return yaml_uint(y, bytes, "bytes", 1, MOST_ADDRESS, &p->bytes);
	return 0;
}

int scenario_check_range(struct scenario *s, const struct scenario_range *p)
{
	uint64_t has = p->buffer->bytes;

	if (p->offset <= has && p->bytes <= has - p->offset)
		return 0;
	return yaml_wrong(&s->yaml, p->node,
		"%llu byte%s at offset %llu end beyond '%s', which has %llu",
		(unsigned long long)p->bytes, p->bytes == 1 ? "" : "s",
		(unsigned long long)p->offset, p->buffer->name, (unsigned long long)has);
}

/* ---- on the GPU */
static int make_buffers(struct scenario *s, struct gpu *g)
{
	for (unsigned i = 0; i < s->nbuffers; i++) {
		struct scenario_buffer *b = &s->buffers[i];
		struct err wrong = {0};

		if (b->module)
			continue;
		b->handle = b->address ? gpu_buffer_placed(g, b->name, b->address, b->bytes, &wrong)
				       : gpu_buffer(g, b->name, b->bytes, &wrong);
		if (!b->handle)
			return yaml_tell(&s->yaml, b->node, &wrong);
	}
	return 0;
}

/* Once all addresses are known. */
static int fill_buffers(struct scenario *s, struct gpu *g)
{
	for (unsigned i = 0; i < s->nbuffers; i++) {
		struct scenario_buffer *b = &s->buffers[i];

		if (b->fields && scenario_fields(s, g, b->fields, s->address_bytes, &b->values))
			return -1;
		if (b->values.n)
			gpu_write(g, b->handle, 0, b->values.bytes, b->values.n);
	}
	return 0;
}

static int set_up(struct scenario *s, struct gpu *g)
{
	if (make_buffers(s, g) || scenario_make_textures(s, g) || scenario_open_modules(s, g) ||
		scenario_find_variables(s, g) || fill_buffers(s, g))
		return -1;
	return scenario_check_steps(s, g) || scenario_check_checks(s) ? -1 : 0;
}

int scenario_guarded(struct scenario *s, struct gpu *g, const char *what, struct err *err,
	int (*part)(struct scenario *, struct gpu *))
{
	jmp_buf *outer = s->arena.escape, escape;
	int result;

	if (setjmp(escape)) {
		s->arena.escape = outer;
		return err_add(err, ERR_RESOURCE, "%s: no host memory for %s", s->yaml.file, what);
	}
	s->arena.escape = &escape;
	s->yaml.err = err;
	result = part(s, g);
	s->arena.escape = outer;
	return result;
}

int scenario_setup(struct scenario *s, struct gpu *g, struct err *err)
{
	if (scenario_guarded(s, g, "the scenario", err, set_up))
		return -1;
	return scenario_advance(s, g, err) < 0 ? -1 : 0;
}

buffer_t scenario_find(const struct scenario *s, const char *name)
{
	for (unsigned i = 0; i < s->nbuffers; i++)
		if (!strcmp(s->buffers[i].name, name))
			return s->buffers[i].handle;
	return 0;
}

const char *scenario_chip(const struct scenario *s)
{
	return s->chip;
}

const struct source *scenario_source(const struct scenario *s)
{
	return &s->source;
}
