/* A scenario's launches: grids, arguments, SMs. */
#include "runs/scenario/inside.h"

#include "draw/number.h"

#include <string.h>

/* One to three whole numbers, or one alone. */
static int read_dims(struct yaml *y, const yaml_node_t *node, const char *what, uint32_t out[3])
{
	unsigned n = yaml_items(node);
	uint64_t v = 0;

	out[0] = out[1] = out[2] = 1;
	if (node && node->type == YAML_SCALAR_NODE) {
		if (yaml_uint(y, node, what, 1, UINT32_MAX, &v))
			return -1;
		out[0] = (uint32_t)v;
		return 0;
	}
	if (!n || n > 3 || node->type != YAML_SEQUENCE_NODE)
		return yaml_wrong(y, node, "%s must be a list of one to three numbers", what);
	for (unsigned i = 0; i < n; i++) {
		if (yaml_uint(y, yaml_item(y, node, i), what, 1, UINT32_MAX, &v))
			return -1;
		out[i] = (uint32_t)v;
	}
	return 0;
}

/* "0-15", "3", "0-3,8,12-15". */
static int read_sms(struct yaml *y, const yaml_node_t *node, uint64_t *sms)
{
	const char *text = yaml_text(node);

	if (text && number_ranges(text, GPU_MAX_SMS, sms))
		return 0;
	return yaml_wrong(
		y, node, "sms must be a list such as 0-15 or 0-3,8, below %u", GPU_MAX_SMS);
}

static int read_address(struct scenario *s, const yaml_node_t *node, struct launch_arg *out)
{
	const yaml_node_t *offset = yaml_get(&s->yaml, node, "offset");
	const struct scenario_buffer *b = scenario_memory(s, yaml_get(&s->yaml, node, "buffer"));

	if (!b || (offset && yaml_uint(&s->yaml, offset, "offset", 0, b->bytes, &out->offset)))
		return -1;
	out->kind = ARG_BUFFER;
	out->buffer = b->handle;
	return 0;
}

static int read_typed(
	struct scenario *s, const yaml_node_t *node, enum ptx_type type, struct launch_arg *out)
{
	unsigned char *bytes = arena_alloc(&s->arena, 1, 8);

	out->type = type;
	out->bytes = bytes;
	out->size = value_bytes(type);
	return value_scalar(&s->yaml, node, type, bytes);
}

static int read_value(struct scenario *s, const yaml_node_t *node, struct launch_arg *out)
{
	struct yaml *y = &s->yaml;
	struct values hex = {0};
	enum ptx_type type;

	out->kind = ARG_BYTES;
	if (yaml_get(y, node, "hex")) {
		if (value_hex(y, yaml_get(y, node, "hex"), &s->arena, &hex))
			return -1;
		out->bytes = hex.bytes;
		out->size = hex.n;
		return 0;
	}
	type = value_type(y, yaml_key(y, node, 0));
	return type == T_NONE ? -1 : read_typed(s, yaml_value(y, node, 0), type, out);
}

/* The type that a bare number has as argument i: that of the parameter. T_NONE: it has none. */
static enum ptx_type number_type(const struct program *p, unsigned i, bool negative)
{
	static const enum ptx_type with_sign[] = {
		[T_U8] = T_S8, [T_U16] = T_S16, [T_U32] = T_S32, [T_U64] = T_S64};
	const struct param_slot *slot = &p->params[i];
	char class = slot->type == T_NONE ? 0 : ptx_type_class(slot->type);

	if (slot->bytes != ptx_type_bytes(slot->type) || slot->type == T_BF16)
		return T_NONE;
	if (class == 'u')
		return negative ? with_sign[slot->type] : slot->type;
	return class == 's' || class == 'f' ? slot->type : T_NONE;
}

/* A number without a type. An argument that the kernel does not have is reported by gpu_launch. */
static int read_bare(struct scenario *s, const yaml_node_t *node, const struct program *p,
	unsigned i, struct launch_arg *out)
{
	const char *text = yaml_text(node);
	enum ptx_type type;
	double number;

	out->kind = ARG_BYTES;
	if (!number_real(text, &number))
		return yaml_wrong(&s->yaml, node,
			"'%s' is not a number; an argument is one value, such as 7, {u32: 7} or "
			"{buffer: a}",
			text);
	if (!p || i >= p->nparams)
		return 0;
	type = number_type(p, i, *text == '-');
	if (type == T_NONE)
		return yaml_wrong(&s->yaml, node,
			"argument %u ('%s') is a parameter of %u bytes without a number's type; "
			"say "
			"which it is, such as {u32: %s} or {f32: %s}",
			i, p->params[i].name, p->params[i].bytes, text, text);
	return read_typed(s, node, type, out);
}

/* An argument that is not one number. */
struct argument {
	struct scenario *s;
	struct gpu *gpu;
	const yaml_node_t *node;
	const struct program *program; /* NULL: there is no such kernel */
	unsigned i;
};

/* A structure by value: its fields over zeros, or over bytes in hexadecimal. */
static int read_struct(const struct argument *a, struct launch_arg *out)
{
	struct scenario *s = a->s;
	struct yaml *y = &s->yaml;
	const yaml_node_t *hex = yaml_get(y, a->node, "hex");
	struct values bytes = {0};

	if (yaml_items(a->node) != 1u + (hex != NULL))
		return yaml_wrong(y, a->node,
			"an argument with fields is a structure: {fields: [...]}, or {hex: ..., "
			"fields: [...]}");
	if (!a->program || a->i >= a->program->nparams)
		return 0; /* gpu_launch reports it */
	if (hex && value_hex(y, hex, &s->arena, &bytes))
		return -1;
	if (!hex) {
		bytes.n = a->program->params[a->i].bytes;
		bytes.bytes = arena_alloc(&s->arena, bytes.n, 1);
	}
	out->kind = ARG_BYTES;
	out->bytes = bytes.bytes;
	out->size = bytes.n;
	return scenario_fields(s, a->gpu, yaml_get(y, a->node, "fields"),
		a->program->module->address_bits / 8, &bytes);
}

static int read_argument(const struct argument *a, struct launch_arg *out)
{
	static const char *const keys[] = {"buffer", "offset", "texture", "sampler", "fields",
		"hex", "s8", "u8", "s16", "u16", "f16", "s32", "u32", "f32", "s64", "u64", "f64",
		NULL};
	struct scenario *s = a->s;
	struct yaml *y = &s->yaml;
	const yaml_node_t *node = a->node;
	bool buffer, offset;

	if (yaml_only(y, node, "an argument", keys))
		return -1;
	if (yaml_get(y, node, "fields"))
		return read_struct(a, out);
	buffer = yaml_get(y, node, "buffer") != NULL;
	offset = yaml_get(y, node, "offset") != NULL;
	if (yaml_items(node) != 1u + (buffer && offset) || (offset && !buffer))
		return yaml_wrong(
			y, node, "an argument is one value, such as 7, {u32: 7} or {buffer: a}");
	if (yaml_get(y, node, "texture") || yaml_get(y, node, "sampler"))
		return scenario_handle(s, node, out);
	return buffer ? read_address(s, node, out) : read_value(s, node, out);
}

/* One of the kernel's arguments, if there is such a kernel. */
static int read_one(const struct argument *a, struct launch_arg *out)
{
	struct err wrong = {0};

	if (yaml_text(a->node))
		return read_bare(a->s, a->node, a->program, a->i, out);
	if (read_argument(a, out))
		return -1;
	return a->program && gpu_check_type(a->program, a->i, out, &wrong)
		       ? yaml_tell(&a->s->yaml, a->node, &wrong)
		       : 0;
}

static int read_arguments(struct scenario *s, struct gpu *g, const yaml_node_t *node,
	const struct program *p, struct launch *l)
{
	unsigned n = yaml_items(node);
	struct launch_arg *args = arena_alloc(&s->arena, n + 1, sizeof(*args));

	if (node && node->type != YAML_SEQUENCE_NODE)
		return yaml_wrong(&s->yaml, node, "args must be a list");
	for (unsigned i = 0; i < n; i++) {
		const struct argument a = {s, g, yaml_item(&s->yaml, node, i), p, i};

		if (read_one(&a, &args[i]))
			return -1;
	}
	l->args = args;
	l->nargs = n;
	return 0;
}

static int read_numbers(struct yaml *y, const yaml_node_t *node, struct launch *l)
{
	const yaml_node_t *shared = yaml_get(y, node, "shared_bytes");
	const yaml_node_t *stream = yaml_get(y, node, "stream"), *sms = yaml_get(y, node, "sms");
	uint64_t shared_bytes = 0, number = 0;

	if (!yaml_get(y, node, "grid") || !yaml_get(y, node, "block"))
		return yaml_wrong(y, node, "a launch needs grid and block");
	if (read_dims(y, yaml_get(y, node, "grid"), "grid", l->grid) ||
		read_dims(y, yaml_get(y, node, "block"), "block", l->block))
		return -1;
	if (shared && yaml_uint(y, shared, "shared_bytes", 0, 1 << 30, &shared_bytes))
		return -1;
	if (stream && yaml_uint(y, stream, "stream", 0, 65535, &number))
		return -1;
	l->shared_bytes = (uint32_t)shared_bytes;
	l->stream = (unsigned)number;
	return sms ? read_sms(y, sms, l->sms) : 0;
}

/* Loads a launch's module and binds its references; 0 and a message on failure. */
static module_t open_module(struct scenario *s, struct gpu *g, const yaml_node_t *node)
{
	static const char *const keys[] = {"module", "kernel", "grid", "block", "shared_bytes",
		"args", "bind", "sms", "stream", NULL};
	struct yaml *y = &s->yaml;
	module_t module;

	if (yaml_only(y, node, "a launch", keys))
		return 0;
	if (!yaml_get(y, node, "module") || !yaml_get(y, node, "kernel")) {
		yaml_wrong(y, node, "a launch needs module and kernel");
		return 0;
	}
	module = scenario_module(s, g, yaml_get(y, node, "module"));
	if (module && yaml_get(y, node, "bind") &&
		scenario_bind(s, g, yaml_get(y, node, "bind"), module))
		return 0;
	return module;
}

int scenario_open_modules(struct scenario *s, struct gpu *g)
{
	s->modules = arena_alloc(&s->arena, s->nsteps + s->nbuffers + 1, sizeof(*s->modules));
	s->nmodules = 0;
	s->bindings = NULL;
	for (size_t i = 0; i < s->nsteps; i++) {
		struct scenario_step *step = &s->steps[i];

		if (step->kind != STEP_LAUNCH)
			continue;
		step->launch = (struct launch){.module = open_module(s, g, step->node)};
		if (!step->launch.module)
			return -1;
	}
	return 0;
}

int scenario_read_launch(struct scenario *s, struct gpu *g, struct scenario_step *step)
{
	struct yaml *y = &s->yaml;
	struct launch *l = &step->launch;
	const yaml_node_t *args = yaml_get(y, step->node, "args");
	struct err wrong = {0};

	l->kernel = scenario_kernel(s, g, l->module, yaml_get(y, step->node, "kernel"));
	if (!l->kernel || read_numbers(y, step->node, l) ||
		read_arguments(s, g, args, gpu_kernel(g, l->module, l->kernel), l))
		return -1;
	return gpu_check_launch(g, l, &wrong) ? yaml_tell(y, step->node, &wrong) : 0;
}
