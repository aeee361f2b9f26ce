/* A scenario's modules, the variables of theirs that it names, and their kernels. */
#include "runs/scenario/inside.h"

#include "ptx/isa/program.h"
#include "ptx/isa/source_name.h"

#include <string.h>

/* ---- reading, before the run */
/* The table's first buffers are the scenario's own. */
static int check_name(struct scenario *s, const yaml_node_t *key)
{
	for (unsigned i = 0; i < s->nbuffers; i++)
		if (!strcmp(s->buffers[i].name, yaml_text(key)))
			return yaml_wrong(&s->yaml, key, "there is a buffer '%s' already",
				s->buffers[i].name);
	return 0;
}

static int read_variable(struct scenario *s, struct scenario_buffer *b)
{
	static const char *const keys[] = {"module", "name", "fields", NULL};
	struct yaml *y = &s->yaml;
	const yaml_node_t *type;

	if (b->node->type != YAML_MAPPING_NODE || !yaml_get(y, b->node, "module"))
		return yaml_wrong(y, b->node,
			"a variable needs its module, such as {module: k.ptx, type: u32, data: [1]}");
	b->module = yaml_get(y, b->node, "module");
	b->fields = yaml_get(y, b->node, "fields");
	if (value_given(y, b->node))
		return value_block(y, b->node, "a variable", keys, &s->source, &b->values);
	type = yaml_get(y, b->node, "type");
	if (type) {
		b->values.type = value_type(y, type);
		if (b->values.type == T_NONE)
			return -1;
	}
	return yaml_only(y, b->node, "a variable",
		(const char *const[]){"module", "name", "fields", "type", NULL});
}

int scenario_read_variables(struct scenario *s)
{
	struct yaml *y = &s->yaml;
	const yaml_node_t *map = yaml_get(y, yaml_root(y), "variables");
	int bad = map ? yaml_only(y, map, "variables", NULL) : 0;

	for (unsigned i = 0; i < yaml_items(map) && !bad; i++) {
		struct scenario_buffer b = {
			.name = yaml_text(yaml_key(y, map, i)), .node = yaml_value(y, map, i)};

		bad = check_name(s, yaml_key(y, map, i)) || read_variable(s, &b) ? -1 : 0;
		s->buffers[s->nbuffers++] = b;
	}
	return bad;
}

/* ---- modules */
/* One file, or a list of them. 0 or -1. */
static int read_paths(struct scenario *s, const yaml_node_t *node, struct scenario_module *m)
{
	unsigned n = node->type == YAML_SEQUENCE_NODE ? yaml_items(node) : 1;

	if (!n)
		return yaml_wrong(&s->yaml, node, "module must be a file, or a list of files");
	m->paths = arena_alloc(&s->arena, n, sizeof(char *));
	for (; m->npaths < n; m->npaths++) {
		const yaml_node_t *item = node->type == YAML_SEQUENCE_NODE
						  ? yaml_item(&s->yaml, node, m->npaths)
						  : node;
		const char *name;

		if (yaml_string(&s->yaml, item, "module", &name))
			return -1;
		m->paths[m->npaths] = source_path(&s->source, name);
	}
	return 0;
}

static bool same_files(const struct scenario_module *a, const struct scenario_module *b)
{
	for (unsigned i = 0; i < a->npaths && i < b->npaths; i++)
		if (strcmp(a->paths[i], b->paths[i]))
			return false;
	return a->npaths == b->npaths;
}

module_t scenario_module(struct scenario *s, struct gpu *g, const yaml_node_t *node)
{
	struct scenario_module *m = &s->modules[s->nmodules];
	struct err wrong = {0};
	unsigned bytes;

	*m = (struct scenario_module){0};
	if (read_paths(s, node, m))
		return 0;
	for (unsigned i = 0; i < s->nmodules; i++)
		if (same_files(&s->modules[i], m))
			return s->modules[i].handle;
	m->handle = gpu_module_set(g, m->paths, m->npaths, &wrong);
	if (!m->handle) {
		yaml_tell(&s->yaml, node, &wrong);
		return 0;
	}
	bytes = gpu_compiled(g, m->handle - 1)->address_bits / 8;
	s->address_bytes = s->nmodules && s->address_bytes != bytes ? 0 : bytes;
	s->nmodules++;
	return m->handle;
}

/* ---- names in a module, as in the PTX or in the source */
/* NULL and a message: several could be meant; `wanted` itself: none is. */
static const char *choose(struct scenario *s, const yaml_node_t *node, const char *what,
	const char *const *names, size_t n, const char *wanted)
{
	struct text found = {0};
	bool many;
	const char *one = source_name_find(names, n, wanted, &many, &found);

	if (many)
		yaml_wrong(&s->yaml, node, "'%s' may be one of several %s: %s", wanted, what,
			text_str(&found));
	text_clear(&found);
	return one || many ? one : wanted;
}

const char *scenario_kernel(
	struct scenario *s, const struct gpu *g, module_t module, const yaml_node_t *node)
{
	const struct module *m = gpu_compiled(g, module - 1);
	const char **names = arena_alloc(&s->arena, m->nkernels + 1, sizeof(*names)), *wanted;

	if (yaml_string(&s->yaml, node, "kernel", &wanted))
		return NULL;
	for (uint32_t i = 0; i < m->nkernels; i++)
		names[i] = m->kernels[i]->name;
	return choose(s, node, "kernels", names, m->nkernels, wanted);
}

/* The variables that have memory: their names. */
static const char **variables(struct scenario *s, const struct gpu *g, module_t module, unsigned *n)
{
	const struct module *m = gpu_compiled(g, module - 1);
	const char **names = arena_alloc(&s->arena, m->nvars + 1, sizeof(*names));

	*n = 0;
	for (uint32_t i = 0; i < m->nvars; i++)
		if (gpu_variable(g, module, m->vars[i].name))
			names[(*n)++] = m->vars[i].name;
	return names;
}

static int find_variable(struct scenario *s, struct gpu *g, struct scenario_buffer *b)
{
	struct yaml *y = &s->yaml;
	const yaml_node_t *name = yaml_get(y, b->node, "name");
	const char **names, *wanted = b->name, *one;
	module_t module = scenario_module(s, g, b->module);
	unsigned n;

	if (!module || (name && yaml_string(y, name, "name", &wanted)))
		return -1;
	names = variables(s, g, module, &n);
	one = choose(s, name ? name : b->node, "variables", names, n, wanted);
	if (!one)
		return -1;
	b->handle = gpu_variable(g, module, one);
	if (!b->handle) {
		const char *near = err_nearest(wanted, names, n);

		return yaml_wrong(y, name ? name : b->node,
			"the module has no variable '%s' in global or constant memory%s%s%s",
			wanted, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
	}
	b->bytes = gpu_buffer_bytes(g, b->handle);
	return 0;
}

/* Its bytes; fields change what the module gives it, unless it has values. */
static int start_value(struct scenario *s, struct gpu *g, struct scenario_buffer *b)
{
	if (b->values.n > b->bytes)
		return yaml_wrong(&s->yaml, b->node,
			"variable '%s' has %llu bytes; %llu are given for it", b->name,
			(unsigned long long)b->bytes, (unsigned long long)b->values.n);
	if (b->fields && !value_given(&s->yaml, b->node)) {
		b->values.n = b->bytes;
		b->values.bytes = arena_alloc(&s->arena, b->bytes, 1);
		gpu_read(g, b->handle, 0, b->values.bytes, b->bytes);
	}
	return 0;
}

int scenario_find_variables(struct scenario *s, struct gpu *g)
{
	for (unsigned i = 0; i < s->nbuffers; i++) {
		struct scenario_buffer *b = &s->buffers[i];

		if (b->module && (find_variable(s, g, b) || start_value(s, g, b)))
			return -1;
	}
	return 0;
}
