/* Fields: typed values and addresses at offsets in memory and in arguments, as a C struct has. */
#include "runs/scenario/inside.h"

#include "core/base.h"

#include <stdlib.h>
#include <string.h>

/* One of a list, at its bytes. */
struct field {
	const yaml_node_t *node;
	uint64_t at, bytes;
};

/* A list that is being read. */
struct fields {
	struct scenario *s;
	struct gpu *gpu;
	const struct values *over;
	unsigned address_bytes;
	struct field *all;
	unsigned n;
	uint64_t end; /* of the last one */
};

static const char *const types[] = {
	"s8", "u8", "s16", "u16", "f16", "s32", "u32", "f32", "s64", "u64", "f64"};

/* The location of `bytes` of the field: at its `at`, else behind the last one, aligned. */
static int locate(struct fields *f, const yaml_node_t *node, uint64_t bytes, uint64_t align)
{
	struct yaml *y = &f->s->yaml;
	const yaml_node_t *at = yaml_get(y, node, "at");
	uint64_t start = div_up(f->end, align) * align;

	if (at && yaml_uint(y, at, "at", 0, f->over->n, &start))
		return -1;
	if (start > f->over->n || bytes > f->over->n - start)
		return yaml_wrong(y, node,
			"the field's bytes %llu to %llu are beyond the end: there are %llu",
			(unsigned long long)start, (unsigned long long)(start + bytes - 1),
			(unsigned long long)f->over->n);
	f->all[f->n++] = (struct field){node, start, bytes};
	f->end = start + bytes;
	return 0;
}

static void put(struct fields *f, const void *bytes)
{
	const struct field *last = &f->all[f->n - 1];

	memcpy(f->over->bytes + last->at, bytes, last->bytes);
}

static int put_address(struct fields *f, const yaml_node_t *node)
{
	struct yaml *y = &f->s->yaml;
	struct scenario_range p;
	uint64_t address;

	if (!f->address_bytes)
		return yaml_wrong(y, node,
			"an address has 4 or 8 bytes: the modules have both; load one kind");
	if (scenario_read_range(
		    f->s, yaml_get(y, node, "buffer"), yaml_get(y, node, "offset"), NULL, &p) ||
		scenario_check_range(f->s, &p))
		return -1;
	address = gpu_buffer_address(f->gpu, p.buffer->handle) + p.offset;
	if (f->address_bytes == 4 && address > UINT32_MAX)
		return yaml_wrong(y, node, "'%s' is above 4 GB, out of reach of 32-bit addressing",
			p.buffer->name);
	if (locate(f, node, f->address_bytes, f->address_bytes))
		return -1;
	put(f, &address);
	return 0;
}

static int put_handle(struct fields *f, const yaml_node_t *node)
{
	struct launch_arg arg = {0};
	uint64_t handle;

	if (scenario_handle(f->s, node, &arg) || locate(f, node, 8, 8))
		return -1;
	handle = arg.texture;
	put(f, &handle);
	return 0;
}

static int put_hex(struct fields *f, const yaml_node_t *node)
{
	struct yaml *y = &f->s->yaml;
	struct values hex = {0};

	if (value_hex(y, yaml_get(y, node, "hex"), &f->s->arena, &hex))
		return -1;
	if (!hex.n)
		return yaml_wrong(y, node, "hex: a field has at least one byte");
	if (locate(f, node, hex.n, 1))
		return -1;
	put(f, hex.bytes);
	return 0;
}

/* A number, or a list of them: an array. */
static int put_typed(
	struct fields *f, const yaml_node_t *node, const yaml_node_t *value, enum ptx_type type)
{
	struct yaml *y = &f->s->yaml;
	unsigned size = value_bytes(type), n = 1;
	unsigned char *bytes;

	if (value->type == YAML_SEQUENCE_NODE)
		n = yaml_items(value);
	if (!n)
		return yaml_wrong(y, value, "a list of at least one number is needed");
	bytes = arena_alloc(&f->s->arena, n, size);
	for (unsigned i = 0; i < n; i++)
		if (value_scalar(y,
			    value->type == YAML_SEQUENCE_NODE ? yaml_item(y, value, i) : value,
			    type, bytes + (size_t)i * size))
			return -1;
	if (locate(f, node, (uint64_t)n * size, size))
		return -1;
	put(f, bytes);
	return 0;
}

/* What a field is, by its one key. */
static int put_field(struct fields *f, const yaml_node_t *node)
{
	static const char *const keys[] = {"at", "buffer", "offset", "texture", "sampler", "hex",
		"s8", "u8", "s16", "u16", "f16", "s32", "u32", "f32", "s64", "u64", "f64", NULL};
	struct yaml *y = &f->s->yaml;
	bool buffer, offset;
	unsigned given;

	if (yaml_only(y, node, "a field", keys))
		return -1;
	buffer = yaml_get(y, node, "buffer") != NULL;
	offset = yaml_get(y, node, "offset") != NULL;
	given = yaml_items(node) - (yaml_get(y, node, "at") != NULL) - (buffer && offset);
	if (given != 1 || (offset && !buffer))
		return yaml_wrong(y, node,
			"a field is one value, such as {f32: 1.5}, {buffer: a} or {at: 8, u32: 7}");
	if (buffer)
		return put_address(f, node);
	if (yaml_get(y, node, "hex"))
		return put_hex(f, node);
	for (unsigned i = 0; i < ARRAY_LEN(types); i++)
		if (yaml_get(y, node, types[i]))
			return put_typed(
				f, node, yaml_get(y, node, types[i]), ptx_type_parse(types[i]));
	return put_handle(f, node);
}

static int by_offset(const void *a, const void *b)
{
	const struct field *x = a, *y = b;

	return x->at < y->at ? -1 : x->at > y->at;
}

static int check_overlaps(struct fields *f)
{
	char other[512];

	qsort(f->all, f->n, sizeof(*f->all), by_offset);
	for (unsigned i = 1; i < f->n; i++) {
		const struct field *a = &f->all[i - 1], *b = &f->all[i];

		if (a->at + a->bytes <= b->at)
			continue;
		yaml_place(&f->s->yaml, a->node, other, sizeof(other));
		return yaml_wrong(&f->s->yaml, b->node,
			"the field at byte %llu overlaps the one at bytes %llu to %llu: %s",
			(unsigned long long)b->at, (unsigned long long)a->at,
			(unsigned long long)(a->at + a->bytes - 1), other);
	}
	return 0;
}

int scenario_fields(struct scenario *s, struct gpu *g, const yaml_node_t *list,
	unsigned address_bytes, const struct values *over)
{
	struct fields f = {.s = s, .gpu = g, .over = over, .address_bytes = address_bytes};
	unsigned n = yaml_items(list);

	if (list->type != YAML_SEQUENCE_NODE || !n)
		return yaml_wrong(&s->yaml, list,
			"fields must be a list, such as [{f32: 1.5}, {at: 8, buffer: a}]");
	f.all = arena_alloc(&s->arena, n, sizeof(*f.all));
	for (unsigned i = 0; i < n; i++)
		if (put_field(&f, yaml_item(&s->yaml, list, i)))
			return -1;
	return check_overlaps(&f);
}
