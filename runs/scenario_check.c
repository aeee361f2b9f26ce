/* A scenario's checks: buffers against expected values. */
#include "runs/scenario_inside.h"

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

static int read_place(struct yaml *y, const yaml_node_t *node, struct scenario_check *c)
{
	const yaml_node_t *offset = yaml_get(y, node, "offset");
	uint64_t bytes = c->buffer->values.n;

	if (offset && yaml_uint(y, offset, "offset", 0, bytes, &c->offset))
		return -1;
	if (c->expected.n > bytes - c->offset)
		return yaml_wrong(y, node,
			"%llu byte%s expected, buffer '%s' has %llu from this offset on",
			(unsigned long long)c->expected.n, c->expected.n == 1 ? " is" : "s are",
			c->buffer->name, (unsigned long long)(bytes - c->offset));
	return 0;
}

static int read_check(struct scenario *s, const yaml_node_t *node, struct scenario_check *c)
{
	static const char *const keys[] = {
		"buffer", "type", "offset", "equals", "near", "abs", "rel", NULL};
	struct yaml *y = &s->yaml;
	const yaml_node_t *equals, *near, *type;

	if (yaml_only(y, node, "a check", keys))
		return -1;
	equals = yaml_get(y, node, "equals");
	near = yaml_get(y, node, "near");
	type = yaml_get(y, node, "type");
	if (!yaml_get(y, node, "buffer"))
		return yaml_wrong(y, node, "a check needs a buffer");
	c->buffer = scenario_named(s, yaml_get(y, node, "buffer"));
	if (!c->buffer)
		return -1;
	if (!equals == !near)
		return yaml_wrong(y, node, "a check needs exactly one of equals, near");
	c->node = node;
	c->near = near != NULL;
	c->expected.type = type ? value_type(y, type) : c->buffer->values.type;
	if ((type && c->expected.type == T_NONE) ||
		value_block(y, near ? near : equals, near ? "near" : "equals", &s->source,
			&c->expected))
		return -1;
	return read_tolerance(y, node, c) ? -1 : read_place(y, node, c);
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
		place, c->buffer->name, (unsigned long long)first, our, their,
		(unsigned long long)wrong, (unsigned long long)n);
}

static int check_all(struct scenario *s, struct gpu *g)
{
	int bad = 0;

	for (unsigned i = 0; i < s->nchecks; i++) {
		const struct scenario_check *c = &s->checks[i];
		struct values ours = c->expected;

		ours.bytes = arena_alloc(&s->arena, ours.n, 1);
		gpu_read(g, c->buffer->handle, c->offset, ours.bytes, ours.n);
		bad |= compare(&s->yaml, c, &ours);
	}
	return bad;
}

int scenario_check(struct scenario *s, struct gpu *g, struct err *err)
{
	jmp_buf escape;

	if (setjmp(escape))
		return err_add(
			err, ERR_RESOURCE, "%s: no host memory for the checks", s->yaml.file);
	s->arena.escape = &escape;
	s->yaml.err = err;
	return check_all(s, g);
}

unsigned scenario_checks(const struct scenario *s)
{
	return s->nchecks;
}
