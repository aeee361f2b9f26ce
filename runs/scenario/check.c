/* A scenario's checks: buffers against expected values. */
#include "runs/scenario/inside.h"

#include "core/base.h"

#include <math.h>
#include <string.h>

/* ---- reading, before the run */
static int read_tolerance(struct yaml *y, const yaml_node_t *node, struct scenario_check *c)
{
	const yaml_node_t *abs = yaml_get(y, node, "abs"), *rel = yaml_get(y, node, "rel");

	if ((abs && yaml_real(y, abs, "abs", &c->abs)) ||
		(rel && yaml_real(y, rel, "rel", &c->rel)))
		return -1;
	if (c->abs < 0 || c->rel < 0)
		return yaml_wrong(y, abs ? abs : rel, "a tolerance cannot be negative");
	if ((abs || rel) && !c->near)
		return yaml_wrong(y, abs ? abs : rel, "abs and rel go with near, not with equals");
	if (c->near && c->expected.type == T_NONE)
		return yaml_wrong(y, node, "near needs a type: beside it, such as f32");
	return 0;
}

/* What the node `expected` describes: values, or another buffer. 0 or -1. */
static int read_expected(struct scenario *s, const yaml_node_t *node, struct scenario_check *c)
{
	static const char *const keys[] = {"buffer", "offset", "bytes", NULL};
	struct yaml *y = &s->yaml;
	const char *what = c->near ? "near" : "equals";

	if (node->type != YAML_MAPPING_NODE || !yaml_get(y, node, "buffer"))
		return value_block(y, node, what, NULL, &s->source, &c->expected);
	if (yaml_only(y, node, what, keys))
		return -1;
	return scenario_read_range(s, yaml_get(y, node, "buffer"), yaml_get(y, node, "offset"),
		yaml_get(y, node, "bytes"), &c->other);
}

static int read_check(struct scenario *s, const yaml_node_t *node, struct scenario_check *c)
{
	static const char *const keys[] = {
		"buffer", "type", "offset", "equals", "near", "abs", "rel", NULL};
	struct yaml *y = &s->yaml;
	const yaml_node_t *equals, *near, *type, *buffer;

	if (yaml_only(y, node, "a check", keys))
		return -1;
	equals = yaml_get(y, node, "equals");
	near = yaml_get(y, node, "near");
	type = yaml_get(y, node, "type");
	buffer = yaml_get(y, node, "buffer");
	if (!buffer)
		return yaml_wrong(y, node, "a check needs a buffer");
	if (scenario_read_range(s, buffer, yaml_get(y, node, "offset"), NULL, &c->place))
		return -1;
	if (!equals == !near)
		return yaml_wrong(y, node, "a check needs exactly one of equals, near");
	c->node = node;
	c->near = near != NULL;
	c->expected.type = type ? value_type(y, type) : c->place.buffer->values.type;
	if ((type && c->expected.type == T_NONE) || read_expected(s, near ? near : equals, c))
		return -1;
	return read_tolerance(y, node, c);
}

int scenario_read_checks(struct scenario *s)
{
	struct yaml *y = &s->yaml;
	const yaml_node_t *list = yaml_get(y, yaml_root(y), "checks");

	if (list && list->type != YAML_SEQUENCE_NODE)
		return yaml_wrong(y, list, "checks must be a list");
	s->nchecks = yaml_items(list);
	s->checks = arena_alloc(&s->arena, s->nchecks + 1, sizeof(*s->checks));
	for (unsigned i = 0; i < s->nchecks; i++)
		if (read_check(s, yaml_item(y, list, i), &s->checks[i]))
			return -1;
	return 0;
}

/* Of another buffer: as many bytes as the shorter of the two has, unless it says how many. */
static int check_other(struct scenario *s, struct scenario_check *c)
{
	uint64_t ours = c->place.buffer->bytes, theirs = c->other.buffer->bytes;
	unsigned element = value_bytes(c->expected.type);

	if (!c->other.bytes && c->place.offset < ours && c->other.offset < theirs)
		c->other.bytes = min_u64(ours - c->place.offset, theirs - c->other.offset);
	if (scenario_check_range(s, &c->other))
		return -1;
	if (!c->other.bytes || c->other.bytes % element)
		return yaml_wrong(&s->yaml, c->other.node,
			"%llu bytes of '%s' are to be compared: give a number of whole elements (%u "
			"bytes each)",
			(unsigned long long)c->other.bytes, c->other.buffer->name, element);
	c->expected.n = c->other.bytes;
	return 0;
}

static int check_bounds(struct scenario *s, struct scenario_check *c)
{
	uint64_t bytes = c->place.buffer->bytes;

	if (c->other.buffer && check_other(s, c))
		return -1;
	c->place.bytes = c->expected.n;
	if (c->place.offset <= bytes && c->expected.n <= bytes - c->place.offset)
		return 0;
	return yaml_wrong(&s->yaml, c->node,
		"%llu byte%s expected, buffer '%s' has %llu from this offset on",
		(unsigned long long)c->expected.n, c->expected.n == 1 ? " is" : "s are",
		c->place.buffer->name,
		(unsigned long long)(bytes - min_u64(bytes, c->place.offset)));
}

int scenario_check_checks(struct scenario *s)
{
	for (unsigned i = 0; i < s->nchecks; i++)
		if (check_bounds(s, &s->checks[i]))
			return -1;
	return 0;
}

/* ---- comparing, after the run */
/* An infinity is near itself only, a NaN is near NaNs only. */
static bool same(const struct scenario_check *c, const unsigned char *ours, uint64_t i)
{
	unsigned n = value_bytes(c->expected.type);
	const unsigned char *a = ours + i * n, *b = c->expected.bytes + i * n;
	double x, y;

	if (!memcmp(a, b, n))
		return true;
	if (!c->near)
		return false;
	x = value_number(c->expected.type, a);
	y = value_number(c->expected.type, b);
	return x == y || (isfinite(x) && isfinite(y) && fabs(x - y) <= c->abs + c->rel * fabs(y));
}

static int compare(struct yaml *y, const struct scenario_check *c, const struct values *ours)
{
	uint64_t n = c->expected.n / value_bytes(c->expected.type), wrong = 0, first = 0;
	char our[64], their[64], place[512];

	for (uint64_t i = 0; i < n; i++) {
		if (same(c, ours->bytes, i))
			continue;
		if (!wrong)
			first = i;
		wrong++;
	}
	if (!wrong)
		return 0;
	value_print(ours, first, our, sizeof(our));
	value_print(&c->expected, first, their, sizeof(their));
	yaml_place(y, c->node, place, sizeof(place));
	return err_add(y->err, ERR_CHECK,
		"%s: buffer '%s', element %llu: %s, expected %s; %llu of %llu elements differ",
		place, c->place.buffer->name, (unsigned long long)first, our, their,
		(unsigned long long)wrong, (unsigned long long)n);
}

static int check_all(struct scenario *s, struct gpu *g)
{
	int bad = 0;

	for (unsigned i = 0; i < s->nchecks; i++) {
		struct scenario_check c = s->checks[i];
		struct values ours = c.expected;

		ours.bytes = arena_alloc(&s->arena, ours.n, 1);
		gpu_read(g, c.place.buffer->handle, c.place.offset, ours.bytes, ours.n);
		if (c.other.buffer) {
			c.expected.bytes = arena_alloc(&s->arena, ours.n, 1);
			gpu_read(g, c.other.buffer->handle, c.other.offset, c.expected.bytes,
				ours.n);
		}
		bad |= compare(&s->yaml, &c, &ours);
	}
	return bad;
}

int scenario_check(struct scenario *s, struct gpu *g, struct err *err)
{
	return scenario_guarded(s, g, "the checks", err, check_all);
}

unsigned scenario_checks(const struct scenario *s)
{
	return s->nchecks;
}
