/* A checker of JSON Schema for the tests. */
#include "tests/rig/schema.h"

#include <glob.h>
#include <stdio.h>
#include <string.h>

#define FOLDER WARPBEAM_SRCDIR "/schema/"

struct place {
	const struct place *above;
	const char *key; /* NULL: an element, `index` */
	size_t index;
};

static void write_place(const struct place *p, struct text *out)
{
	if (!p)
		return;
	write_place(p->above, out);
	if (p->key)
		text_add(out, "/%s", p->key);
	else
		text_add(out, "/%zu", p->index);
}

static bool fails(const struct place *at, const char *what, const char *which, struct text *wrong)
{
	text_clear(wrong);
	write_place(at, wrong);
	text_add(wrong, ": %s%s", what, which);
	return false;
}

static bool is_known(const char *keyword)
{
	static const char *const known[] = {"$schema", "title", "description", "type", "properties",
		"required", "additionalProperties", "items", "enum"};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strcmp(known[i], keyword))
			return true;
	return false;
}

static bool has_type(const char *type, const json_t *v)
{
	if (!strcmp(type, "object"))
		return json_is_object(v);
	if (!strcmp(type, "array"))
		return json_is_array(v);
	if (!strcmp(type, "string"))
		return json_is_string(v);
	if (!strcmp(type, "integer"))
		return json_is_integer(v);
	if (!strcmp(type, "number"))
		return json_is_number(v);
	if (!strcmp(type, "boolean"))
		return json_is_boolean(v);
	return !strcmp(type, "null") && json_is_null(v);
}

static bool one_of_types(const json_t *types, const json_t *v)
{
	size_t i;
	json_t *type;

	if (json_is_string(types))
		return has_type(json_string_value(types), v);
	json_array_foreach(types, i, type)
	{
		if (has_type(json_string_value(type), v))
			return true;
	}
	return false;
}

static bool is_listed(const json_t *list, const json_t *v)
{
	size_t i;
	json_t *one;

	json_array_foreach(list, i, one)
	{
		if (json_equal(one, v))
			return true;
	}
	return false;
}

static bool holds(json_t *schema, json_t *v, const struct place *at, struct text *wrong);

static bool members_hold(json_t *schema, json_t *v, const struct place *at, struct text *wrong)
{
	json_t *known = json_object_get(schema, "properties"), *member, *name;
	json_t *others = json_object_get(schema, "additionalProperties");
	const char *key;
	size_t i;

	json_array_foreach(json_object_get(schema, "required"), i, name)
	{
		if (!json_object_get(v, json_string_value(name)))
			return fails(at, "there is no ", json_string_value(name), wrong);
	}
	json_object_foreach(v, key, member)
	{
		struct place here = {at, key, 0};
		json_t *its = json_object_get(known, key);

		if (!its && !json_is_object(others))
			return fails(at, "the schema does not have ", key, wrong);
		if (!holds(its ? its : others, member, &here, wrong))
			return false;
	}
	return true;
}

static bool holds(json_t *schema, json_t *v, const struct place *at, struct text *wrong)
{
	json_t *types = json_object_get(schema, "type"), *list = json_object_get(schema, "enum");
	json_t *items = json_object_get(schema, "items"), *unused, *element;
	const char *keyword;
	size_t i;

	json_object_foreach(schema, keyword, unused)
	{
		if (!is_known(keyword))
			return fails(at, "the schema has the keyword ", keyword, wrong);
	}
	if (!types || !one_of_types(types, v))
		return fails(at, "is of another type", "", wrong);
	if (list && !is_listed(list, v))
		return fails(at, "is not one of the enum", "", wrong);
	if (json_is_object(v) && !members_hold(schema, v, at, wrong))
		return false;
	json_array_foreach(v, i, element)
	{
		struct place here = {at, NULL, i};

		if (!items)
			return fails(&here, "the list is empty in the schema", "", wrong);
		if (!holds(items, element, &here, wrong))
			return false;
	}
	return true;
}

bool schema_holds(json_t *schema, json_t *value, struct text *wrong)
{
	return holds(schema, value, NULL, wrong);
}

json_t *schema_load(const char *file)
{
	char path[512];

	snprintf(path, sizeof(path), FOLDER "%s", file);
	return json_load_file(path, JSON_REJECT_DUPLICATES, NULL);
}

/* The schemas that match a pattern; whether one holds; else what each says. */
static bool one_holds(const char *pattern, json_t *value, struct text *wrong)
{
	glob_t found = {0};
	bool yes = false;

	if (!glob(pattern, 0, NULL, &found))
		for (size_t i = 0; i < found.gl_pathc && !yes; i++) {
			json_t *schema =
				json_load_file(found.gl_pathv[i], JSON_REJECT_DUPLICATES, NULL);
			struct text why = {0};

			yes = schema && schema_holds(schema, value, &why);
			text_add(wrong, "\n%s: %s", strrchr(found.gl_pathv[i], '/') + 1,
				text_str(&why));
			text_clear(&why);
			json_decref(schema);
		}
	globfree(&found);
	return yes;
}

bool schema_holds_of(const char *command, const char *json_file, struct text *wrong)
{
	json_t *value = json_load_file(json_file, JSON_REJECT_DUPLICATES, NULL);
	char path[512];
	bool yes;

	if (!value)
		text_add(wrong, "it is not JSON");
	snprintf(path, sizeof(path), FOLDER "%s-*.schema.json", command);
	yes = value && one_holds(path, value, wrong);
	snprintf(path, sizeof(path), FOLDER "%s.schema.json", command);
	yes = yes || (value && one_holds(path, value, wrong));
	json_decref(value);
	return yes;
}
