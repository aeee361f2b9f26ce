/* YAML trees with locations. */
#include "runs/yaml/yaml.h"

#include "draw/number.h"
#include "runs/yaml/yaml_foreign.h"
#include "runs/yaml/yaml_limits.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int unreadable(const char *file, const yaml_parser_t *parser, struct err *err)
{
	if (parser->error == YAML_MEMORY_ERROR || parser->error == YAML_NO_ERROR)
		return err_add(err, ERR_RESOURCE, "%s: no host memory", file);
	return err_add(err, ERR_INPUT, "%s:%zu:%zu: not valid YAML: %s", file,
		parser->problem_mark.line + 1, parser->problem_mark.column + 1,
		parser->problem ? parser->problem : "unreadable");
}

/* Nothing may follow the document: it would be ignored. */
static int check_end(const char *file, yaml_parser_t *parser, struct err *err)
{
	yaml_document_t more;
	yaml_node_t *root;
	int bad = 0;

	if (!yaml_parser_load(parser, &more))
		return unreadable(file, parser, err);
	root = yaml_document_get_root_node(&more);
	if (root)
		bad = err_add(err, ERR_INPUT, "%s:%zu:%zu: a second document; one is read", file,
			root->start_mark.line + 1, root->start_mark.column + 1);
	yaml_document_delete(&more);
	return bad;
}

int yaml_load(struct yaml *y, const char *file, const char *text, size_t n, struct err *err)
{
	*y = (struct yaml){.file = file, .err = err};
	if (yaml_foreign(file, text, n, err) || yaml_limits_text(file, text, n, err) ||
		yaml_load_own(y, file, text, n, err))
		return -1;
	return yaml_limits_aliases(file, &y->doc, err);
}

int yaml_load_own(struct yaml *y, const char *file, const char *text, size_t n, struct err *err)
{
	yaml_parser_t parser;
	int bad;

	*y = (struct yaml){.file = file, .err = err};
	if (!yaml_parser_initialize(&parser))
		return err_add(err, ERR_RESOURCE, "%s: no host memory", file);
	yaml_parser_set_input_string(&parser, (const unsigned char *)text, n);
	y->loaded = yaml_parser_load(&parser, &y->doc);
	if (!y->loaded)
		bad = unreadable(file, &parser, err);
	else
		bad = yaml_document_get_root_node(&y->doc) ? check_end(file, &parser, err) : 0;
	yaml_parser_delete(&parser);
	return bad;
}

void yaml_unload(struct yaml *y)
{
	if (y->loaded)
		yaml_document_delete(&y->doc);
	y->loaded = false;
}

yaml_node_t *yaml_root(struct yaml *y)
{
	return yaml_document_get_root_node(&y->doc);
}

void yaml_place(struct yaml *y, const yaml_node_t *node, char *out, size_t n)
{
	size_t line = node ? node->start_mark.line : 0, column = node ? node->start_mark.column : 0;

	snprintf(out, n, "%s:%zu:%zu", y->file, line + 1, column + 1);
}

int yaml_wrong(struct yaml *y, const yaml_node_t *node, const char *format, ...)
{
	char place[512], words[512];
	va_list args;

	va_start(args, format);
	vsnprintf(words, sizeof(words), format, args);
	va_end(args);
	yaml_place(y, node, place, sizeof(place));
	return err_add(y->err, ERR_INPUT, "%s: %s", place, words);
}

int yaml_tell(struct yaml *y, const yaml_node_t *node, struct err *wrong)
{
	char place[512];
	const char *line = err_text(wrong);

	yaml_place(y, node, place, sizeof(place));
	while (*line) {
		int n = (int)strcspn(line, "\n");

		if (n)
			err_add(y->err, wrong->code, "%s: %.*s", place, n, line);
		line += n + (line[n] == '\n');
	}
	err_clear(wrong);
	return -1;
}

const char *yaml_text(const yaml_node_t *node)
{
	if (!node || node->type != YAML_SCALAR_NODE)
		return NULL;
	return (const char *)node->data.scalar.value;
}

unsigned yaml_items(const yaml_node_t *node)
{
	if (node && node->type == YAML_SEQUENCE_NODE)
		return (unsigned)(node->data.sequence.items.top - node->data.sequence.items.start);
	if (node && node->type == YAML_MAPPING_NODE)
		return (unsigned)(node->data.mapping.pairs.top - node->data.mapping.pairs.start);
	return 0;
}

static yaml_node_t *pair(struct yaml *y, const yaml_node_t *map, unsigned i, bool key)
{
	const yaml_node_pair_t *p;

	if (!map || map->type != YAML_MAPPING_NODE || i >= yaml_items(map))
		return NULL;
	p = map->data.mapping.pairs.start + i;
	return yaml_document_get_node(&y->doc, key ? p->key : p->value);
}

yaml_node_t *yaml_key(struct yaml *y, const yaml_node_t *map, unsigned i)
{
	return pair(y, map, i, true);
}

yaml_node_t *yaml_value(struct yaml *y, const yaml_node_t *map, unsigned i)
{
	return pair(y, map, i, false);
}

yaml_node_t *yaml_item(struct yaml *y, const yaml_node_t *sequence, unsigned i)
{
	if (!sequence || sequence->type != YAML_SEQUENCE_NODE || i >= yaml_items(sequence))
		return NULL;
	return yaml_document_get_node(&y->doc, sequence->data.sequence.items.start[i]);
}

yaml_node_t *yaml_get(struct yaml *y, const yaml_node_t *map, const char *key)
{
	for (unsigned i = 0; i < yaml_items(map); i++) {
		const char *text = yaml_text(yaml_key(y, map, i));

		if (text && !strcmp(text, key))
			return yaml_value(y, map, i);
	}
	return NULL;
}

static int check_key(struct yaml *y, const yaml_node_t *map, unsigned i, const char *what,
	const char *const *keys)
{
	const yaml_node_t *node = yaml_key(y, map, i);
	const char *key = yaml_text(node), *near;
	size_t n = 0;

	if (!key)
		return yaml_wrong(y, node, "a key of %s must be a word", what);
	for (unsigned k = 0; k < i; k++)
		if (yaml_text(yaml_key(y, map, k)) && !strcmp(yaml_text(yaml_key(y, map, k)), key))
			return yaml_wrong(y, node, "'%s' is given twice in %s", key, what);
	if (!keys)
		return 0;
	for (; keys[n]; n++)
		if (!strcmp(keys[n], key))
			return 0;
	near = err_nearest(key, keys, n);
	return yaml_wrong(y, node, "unknown key '%s' in %s%s%s%s", key, what,
		near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

int yaml_only(struct yaml *y, const yaml_node_t *map, const char *what, const char *const *keys)
{
	int bad = 0;

	if (!map || map->type != YAML_MAPPING_NODE)
		return yaml_wrong(y, map, "%s must be a mapping (key: value)", what);
	for (unsigned i = 0; i < yaml_items(map); i++)
		bad |= check_key(y, map, i, what, keys);
	return bad;
}

int yaml_uint(struct yaml *y, const yaml_node_t *node, const char *what, uint64_t low,
	uint64_t high, uint64_t *out)
{
	const char *text = yaml_text(node);

	*out = 0;
	if (!text || !number_whole(text, out) || *out < low || *out > high)
		return yaml_wrong(y, node, "%s: '%s' is not a whole number from %llu to %llu", what,
			text ? text : "(no scalar)", (unsigned long long)low,
			(unsigned long long)high);
	return 0;
}

int yaml_real(struct yaml *y, const yaml_node_t *node, const char *what, double *out)
{
	const char *text = yaml_text(node);

	*out = 0;
	if (!text || !number_real(text, out) || !isfinite(*out))
		return yaml_wrong(
			y, node, "%s: '%s' is not a number", what, text ? text : "(no scalar)");
	return 0;
}

int yaml_string(struct yaml *y, const yaml_node_t *node, const char *what, const char **out)
{
	*out = yaml_text(node);
	if (!*out || !**out)
		return yaml_wrong(y, node, "%s must be a word", what);
	return 0;
}
