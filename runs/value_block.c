/* Blocks of values: lists, files, fills and random numbers. */
#include "runs/values.h"

#include "core/base.h"
#include "core/rng.h"

#include <math.h>
#include <string.h>

#define BLOCK_MAX (UINT64_C(3) << 30)

/* Every reader gets the mapping, and the node of the key that selected it. */
struct block {
	struct yaml *y;
	const yaml_node_t *map, *node;
	struct source *source;
	struct values *out;
};

/* The bytes must be whole elements. */
static int check_elements(const struct block *b)
{
	unsigned size = value_bytes(b->out->type);

	if (b->out->n % size == 0)
		return 0;
	return yaml_wrong(b->y, b->node, "%llu byte%s no multiple of the %u bytes of %s",
		(unsigned long long)b->out->n, b->out->n == 1 ? " is" : "s are", size,
		ptx_type_name(b->out->type));
}

static int read_data(const struct block *b)
{
	unsigned n = yaml_items(b->node), size = value_bytes(b->out->type);
	int bad = 0;

	if (b->node->type != YAML_SEQUENCE_NODE)
		return yaml_wrong(b->y, b->node, "data must be a list of numbers");
	if (b->out->type == T_NONE)
		return yaml_wrong(b->y, b->node, "data needs a type: beside it, such as f32");
	b->out->n = (uint64_t)n * size;
	b->out->bytes = arena_alloc(b->source->arena, n + 1, size);
	for (unsigned i = 0; i < n && !bad; i++)
		bad = value_scalar(b->y, yaml_item(b->y, b->node, i), b->out->type,
			b->out->bytes + (size_t)i * size);
	return bad;
}

static int read_hex(const struct block *b)
{
	if (value_hex(b->y, b->node, b->source->arena, b->out))
		return -1;
	return check_elements(b);
}

static int read_file(const struct block *b)
{
	struct err wrong = {0};
	const char *name;
	size_t n;

	if (yaml_string(b->y, b->node, "file", &name))
		return -1;
	b->out->bytes =
		(unsigned char *)source_read(b->source, source_path(b->source, name), &n, &wrong);
	if (!b->out->bytes)
		return yaml_tell(b->y, b->node, &wrong);
	b->out->n = n;
	return check_elements(b);
}

/* Integers in [low, high): both must be values of the type. */
static int check_range(const struct block *b, const yaml_node_t *node, double low, double high)
{
	enum ptx_type type = b->out->type;
	int bits = (int)value_bytes(type) * 8;
	double least = ptx_type_class(type) == 's' ? -ldexp(1, bits - 1) : 0;
	double most = ldexp(1, ptx_type_class(type) == 's' ? bits - 1 : bits);

	if (high < low || !isfinite(high - low))
		return yaml_wrong(
			b->y, node, "random: low (%g) must be below high (%g)", low, high);
	if (ptx_type_class(type) != 'f' && (low < least || high > most))
		return yaml_wrong(b->y, node, "random: low (%g) and high (%g) do not fit %s", low,
			high, ptx_type_name(type));
	return 0;
}

static void put_random(enum ptx_type type, double v, unsigned char *out)
{
	unsigned size = ptx_type_bytes(type);
	int64_t negative = v < 0 ? (int64_t)floor(v) : 0;
	uint64_t whole = v < 0 ? (uint64_t)negative : (uint64_t)v;
	float f = (float)v;

	if (type == T_F32)
		memcpy(out, &f, size);
	else if (type == T_F64)
		memcpy(out, &v, size);
	else
		memcpy(out, &whole, size);
}

static int fill_random(const struct block *b, const yaml_node_t *node)
{
	static const char *const keys[] = {"low", "high", "seed", NULL};
	const yaml_node_t *low_node, *high_node, *seed_node;
	struct values *out = b->out;
	double low = 0, high = 1;
	uint64_t seed = 1;
	struct rng rng;

	if (out->type == T_NONE || out->type == T_F16)
		return yaml_wrong(
			b->y, node, "random needs a type: beside it, such as f32 (not f16)");
	if (yaml_only(b->y, node, "random", keys))
		return -1;
	low_node = yaml_get(b->y, node, "low");
	high_node = yaml_get(b->y, node, "high");
	seed_node = yaml_get(b->y, node, "seed");
	if ((low_node && yaml_real(b->y, low_node, "low", &low)) ||
		(high_node && yaml_real(b->y, high_node, "high", &high)) ||
		(seed_node && yaml_uint(b->y, seed_node, "seed", 0, UINT64_MAX, &seed)) ||
		check_range(b, node, low, high))
		return -1;
	rng = rng_new(seed, 0);
	for (uint64_t i = 0; i < out->n; i += value_bytes(out->type))
		put_random(out->type, low + (high - low) * rng_unit(&rng), out->bytes + i);
	return 0;
}

static int fill_same(const struct block *b, const yaml_node_t *node)
{
	enum ptx_type type = b->out->type == T_NONE ? T_U8 : b->out->type;
	unsigned size = value_bytes(type);

	if (value_scalar(b->y, node, type, b->out->bytes))
		return -1;
	for (uint64_t i = size; i < b->out->n; i += size)
		memcpy(b->out->bytes + i, b->out->bytes, size);
	return 0;
}

/* Memory for n elements of `size` bytes, with random:, fill: or neither (zeros). */
static int read_sized(const struct block *b, const char *what, uint64_t size)
{
	const yaml_node_t *random = yaml_get(b->y, b->map, "random");
	const yaml_node_t *fill = yaml_get(b->y, b->map, "fill");
	uint64_t n;

	if (yaml_uint(b->y, b->node, what, 1, BLOCK_MAX / size, &n))
		return -1;
	b->out->n = n * size;
	if (check_elements(b))
		return -1;
	b->out->bytes = arena_alloc(b->source->arena, b->out->n, 1);
	if (random)
		return fill_random(b, random);
	return fill ? fill_same(b, fill) : 0;
}

static int read_count(const struct block *b)
{
	if (b->out->type == T_NONE)
		return yaml_wrong(b->y, b->node, "count needs a type: beside it, such as f32");
	return read_sized(b, "count", value_bytes(b->out->type));
}

static int read_bytes(const struct block *b)
{
	return read_sized(b, "bytes", 1);
}

static const struct {
	const char *key;
	int (*read)(const struct block *);
	bool sized;
} readers[] = {
	{"data", read_data, false},
	{"hex", read_hex, false},
	{"file", read_file, false},
	{"count", read_count, true},
	{"bytes", read_bytes, true},
};

/* The one reader that the mapping selects: its index, or -1. */
static int choose_reader(struct yaml *y, const yaml_node_t *map, const char *what)
{
	const yaml_node_t *random = yaml_get(y, map, "random"), *fill = yaml_get(y, map, "fill");
	int chosen = -1;
	unsigned given = 0;

	for (unsigned i = 0; i < ARRAY_LEN(readers); i++) {
		if (!yaml_get(y, map, readers[i].key))
			continue;
		chosen = (int)i;
		given++;
	}
	if (given != 1)
		return yaml_wrong(
			y, map, "%s needs exactly one of data, hex, file, count, bytes", what);
	if (random && fill)
		return yaml_wrong(y, fill, "%s takes random or fill, not both", what);
	if ((random || fill) && !readers[chosen].sized)
		return yaml_wrong(y, random ? random : fill,
			"%s goes with count or bytes, not with %s", random ? "random" : "fill",
			readers[chosen].key);
	return chosen;
}

bool value_given(struct yaml *y, const yaml_node_t *map)
{
	for (unsigned i = 0; i < ARRAY_LEN(readers); i++)
		if (yaml_get(y, map, readers[i].key))
			return true;
	return yaml_get(y, map, "random") || yaml_get(y, map, "fill");
}

static int check_keys(
	struct yaml *y, const yaml_node_t *map, const char *what, const char *const *more)
{
	const char *keys[24] = {
		"type", "data", "hex", "file", "count", "bytes", "random", "fill", NULL};
	unsigned n = 0;

	while (keys[n])
		n++;
	for (; more && *more; more++) {
		BUG_ON(n + 1 >= ARRAY_LEN(keys));
		keys[n++] = *more;
	}
	return yaml_only(y, map, what, keys);
}

int value_block(struct yaml *y, const yaml_node_t *map, const char *what, const char *const *more,
	struct source *source, struct values *out)
{
	struct block b = {.y = y, .map = map, .source = source, .out = out};
	int reader;

	if (check_keys(y, map, what, more))
		return -1;
	if (yaml_get(y, map, "type")) {
		out->type = value_type(y, yaml_get(y, map, "type"));
		if (out->type == T_NONE)
			return -1;
	}
	reader = choose_reader(y, map, what);
	if (reader < 0)
		return -1;
	b.node = yaml_get(y, map, readers[reader].key);
	if (readers[reader].read(&b))
		return -1;
	if (!out->n)
		return yaml_wrong(y, map, "%s has no bytes; at least one is needed", what);
	return 0;
}
