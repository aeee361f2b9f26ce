/* Whether two scenarios are the same work, possibly on different chips. */
#include "runs/scenario/inside.h"

#include "core/base.h"

#include <string.h>

#define DEPTH 32 /* of a scenario's nesting; aliases could nest without end */

/* Two files that are read side by side. */
struct pair {
	struct yaml *a, *b;
	unsigned depth;
};

static bool same_node(struct pair p, const yaml_node_t *x, const yaml_node_t *y);

static bool same_items(struct pair p, const yaml_node_t *x, const yaml_node_t *y)
{
	for (unsigned i = 0; i < yaml_items(x); i++)
		if (!same_node(p, yaml_item(p.a, x, i), yaml_item(p.b, y, i)))
			return false;
	return true;
}

/* Keys may be in any order: no mapping has one twice. */
static bool same_entries(struct pair p, const yaml_node_t *x, const yaml_node_t *y)
{
	for (unsigned i = 0; i < yaml_items(x); i++) {
		const char *key = yaml_text(yaml_key(p.a, x, i));
		const yaml_node_t *other = key ? yaml_get(p.b, y, key) : NULL;

		if (!other || !same_node(p, yaml_value(p.a, x, i), other))
			return false;
	}
	return true;
}

static bool same_node(struct pair p, const yaml_node_t *x, const yaml_node_t *y)
{
	if (!x || !y)
		return x == y;
	if (!p.depth-- || x->type != y->type || yaml_items(x) != yaml_items(y))
		return false;
	if (x->type == YAML_SEQUENCE_NODE)
		return same_items(p, x, y);
	if (x->type == YAML_MAPPING_NODE)
		return same_entries(p, x, y);
	return !strcmp(yaml_text(x), yaml_text(y));
}

int scenario_same_work(struct scenario *s, struct scenario *other, struct err *err)
{
	static const char *const sections[] = {
		"buffers", "variables", "textures", "samplers", "launches", "checks"};
	struct yaml *a = &s->yaml, *b = &other->yaml;
	struct pair pair = {a, b, DEPTH};
	int bad = 0;

	for (unsigned i = 0; i < ARRAY_LEN(sections); i++) {
		if (same_node(pair, yaml_get(a, yaml_root(a), sections[i]),
			    yaml_get(b, yaml_root(b), sections[i])))
			continue;
		bad = err_add(err, ERR_INPUT, "%s and %s differ in more than the chip: in %s",
			a->file, b->file, sections[i]);
	}
	if (strcmp(s->source.directory, other->source.directory))
		bad = err_add(err, ERR_INPUT,
			"%s and %s are in different folders: the files they name may differ",
			a->file, b->file);
	return bad;
}

bool scenario_sets_machine(struct scenario *s)
{
	struct yaml *y = &s->yaml;

	return yaml_get(y, yaml_root(y), "chip") || yaml_get(y, yaml_root(y), "set");
}

bool scenario_names_sms(struct scenario *s)
{
	for (size_t i = 0; i < s->nsteps; i++) {
		const struct scenario_step *step = &s->steps[i];

		if (step->kind == STEP_LAUNCH && step->node->type == YAML_MAPPING_NODE &&
			yaml_get(&s->yaml, step->node, "sms"))
			return true;
	}
	return false;
}
