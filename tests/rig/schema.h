/* JSON Schema, as much of it as schema/ uses: type, properties, required, additionalProperties,
 * items, enum. Other keywords but $schema, title and description are an error, so that nothing in
 * a schema goes unchecked. */
#ifndef TESTS_RIG_SCHEMA_H
#define TESTS_RIG_SCHEMA_H

#include "core/text.h"

#include <jansson.h>
#include <stdbool.h>

/* Whether the value is what the schema says; else `wrong` says where and what, which
 * the caller clears. */
bool schema_holds(json_t *schema, json_t *value, struct text *wrong);

/* Whether one of the command's schemas, schema/COMMAND.schema.json or schema/COMMAND-*, holds;
 * `wrong` has what each of them said. A file that is not JSON is wrong. */
bool schema_holds_of(const char *command, const char *json_file, struct text *wrong);

/* The schema of that file of schema/; NULL: none. json_decref. */
json_t *schema_load(const char *file);

#endif
