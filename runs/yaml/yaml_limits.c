/* Limits of YAML documents. libyaml takes time that grows with the square of the depth, and an
 * alias of a list of aliases expands to more than any memory can hold ("a billion laughs"). */
#include "runs/yaml/yaml_limits.h"

#include "core/base.h"
#include "core/mem.h"

#include <stdbool.h>

/* ---- the text, event by event */
struct walk {
	const char *file;
	size_t nodes;
	unsigned depth;
	unsigned keys[YAML_DEPTH_MOST + 1]; /* nodes below each open mapping; two are a pair */
	bool map[YAML_DEPTH_MOST + 1];
	struct err *err;
};

static int over(const struct walk *w, const yaml_mark_t *at, const char *what, size_t most)
{
	return err_add(w->err, ERR_INPUT, "%s:%zu:%zu: %s; at most %zu are read", w->file,
		at->line + 1, at->column + 1, what, most);
}

static int count_node(struct walk *w, const yaml_event_t *e)
{
	if (++w->nodes > YAML_NODES_MOST)
		return over(w, &e->start_mark, "too many values in one document", YAML_NODES_MOST);
	if (w->map[w->depth] && ++w->keys[w->depth] > 2 * YAML_KEYS_MOST)
		return over(w, &e->start_mark, "too many keys in one mapping", YAML_KEYS_MOST);
	return 0;
}

static int open_node(struct walk *w, const yaml_event_t *e)
{
	if (w->depth == YAML_DEPTH_MOST)
		return over(
			w, &e->start_mark, "lists and mappings nested too deep", YAML_DEPTH_MOST);
	w->depth++;
	w->keys[w->depth] = 0;
	w->map[w->depth] = e->type == YAML_MAPPING_START_EVENT;
	return 0;
}

static int take_event(struct walk *w, const yaml_event_t *e)
{
	switch (e->type) {
	case YAML_SEQUENCE_START_EVENT:
	case YAML_MAPPING_START_EVENT:
		return count_node(w, e) || open_node(w, e) ? -1 : 0;
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		w->depth--;
		return 0;
	case YAML_SCALAR_EVENT:
	case YAML_ALIAS_EVENT:
		return count_node(w, e);
	default:
		return 0;
	}
}

int yaml_limits_text(const char *file, const char *text, size_t n, struct err *err)
{
	struct walk w = {.file = file, .err = err};
	yaml_parser_t parser;
	bool more = true;
	int bad = 0;

	if (n > YAML_BYTES_MOST)
		return err_add(err, ERR_INPUT,
			"%s: %zu bytes of YAML; at most %zu are read (large data goes into a file "
			"of its own: {file: NAME})",
			file, n, YAML_BYTES_MOST);
	if (!yaml_parser_initialize(&parser))
		return err_add(err, ERR_RESOURCE, "%s: no host memory", file);
	yaml_parser_set_input_string(&parser, (const unsigned char *)text, n);
	while (more && !bad) {
		yaml_event_t e;

		if (!yaml_parser_parse(&parser, &e))
			break;
		more = e.type != YAML_STREAM_END_EVENT;
		bad = take_event(&w, &e);
		yaml_event_delete(&e);
	}
	yaml_parser_delete(&parser);
	return bad;
}

/* ---- the document, aliases followed */
#define OPEN UINT32_MAX /* its parts are being measured */

/* The size of a node with its parts, aliases followed. */
struct extent {
	uint32_t nodes; /* 0: not known yet */
	uint32_t depth;
};

struct expand {
	const char *file;
	yaml_document_t *doc;
	struct extent *at; /* by node */
	struct err *err;
};

static int measure(struct expand *x, int id, unsigned level);

static int add_part(struct expand *x, struct extent *sum, int child, unsigned level)
{
	const struct extent *part = &x->at[child - 1];

	if (measure(x, child, level + 1))
		return -1;
	sum->nodes = (uint32_t)min_u64((uint64_t)sum->nodes + part->nodes, YAML_NODES_MOST + 1);
	sum->depth = part->depth >= sum->depth ? part->depth + 1 : sum->depth;
	return 0;
}

static int add_parts(struct expand *x, struct extent *sum, const yaml_node_t *node, unsigned level)
{
	int bad = 0;

	if (node->type == YAML_SEQUENCE_NODE)
		for (const int *i = node->data.sequence.items.start;
			i < node->data.sequence.items.top && !bad; i++)
			bad = add_part(x, sum, *i, level);
	if (node->type == YAML_MAPPING_NODE)
		for (const yaml_node_pair_t *p = node->data.mapping.pairs.start;
			p < node->data.mapping.pairs.top && !bad; p++)
			bad = add_part(x, sum, p->key, level) || add_part(x, sum, p->value, level);
	return bad;
}

static int too_much(const struct expand *x, const yaml_node_t *node, const char *what, size_t most)
{
	return err_add(x->err, ERR_INPUT, "%s:%zu:%zu: %s; at most %zu are read", x->file,
		node->start_mark.line + 1, node->start_mark.column + 1, what, most);
}

static int measure(struct expand *x, int id, unsigned level)
{
	const yaml_node_t *node = yaml_document_get_node(x->doc, id);
	struct extent sum = {1, 0}, *kept = &x->at[id - 1];

	if (kept->nodes == OPEN)
		return err_add(x->err, ERR_INPUT, "%s:%zu:%zu: this contains an alias of itself",
			x->file, node->start_mark.line + 1, node->start_mark.column + 1);
	if (kept->nodes)
		return 0;
	kept->nodes = OPEN;
	if (level > YAML_DEPTH_MOST)
		return too_much(x, node, "aliases nested too deep", YAML_DEPTH_MOST);
	if (add_parts(x, &sum, node, level))
		return -1;
	*kept = sum;
	if (sum.nodes > YAML_NODES_MOST)
		return too_much(
			x, node, "with its aliases this has too many values", YAML_NODES_MOST);
	if (sum.depth > YAML_DEPTH_MOST)
		return too_much(x, node, "aliases nested too deep", YAML_DEPTH_MOST);
	return 0;
}

int yaml_limits_aliases(const char *file, yaml_document_t *doc, struct err *err)
{
	size_t n = (size_t)(doc->nodes.top - doc->nodes.start);
	struct expand x = {file, doc, NULL, err};
	int bad;

	if (!n)
		return 0;
	x.at = mem_alloc(n, sizeof(*x.at));
	bad = x.at ? measure(&x, 1, 0) : err_add(err, ERR_RESOURCE, "%s: no host memory", file);
	mem_free(x.at);
	return bad;
}
