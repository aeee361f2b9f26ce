/* A YAML file as a tree whose messages name file, line and column (based on libyaml). */
#ifndef RUNS_YAML_H
#define RUNS_YAML_H

#include "core/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <yaml.h>

struct yaml {
	const char *file;
	yaml_document_t doc;
	bool loaded;
	struct err *err;
};

/* Loads one document; `file` must outlive it. 0 or -1. */
int yaml_load(struct yaml *, const char *file, const char *text, size_t n, struct err *);
/* The same of a text of the program's own: without limits. */
int yaml_load_own(struct yaml *, const char *file, const char *text, size_t n, struct err *);
/* (libyaml itself exports a yaml_free.) */
void yaml_unload(struct yaml *);

yaml_node_t *yaml_root(struct yaml *); /* NULL for an empty document */

/* Adds "file:line:column: message" for a node; returns -1. */
int yaml_wrong(struct yaml *, const yaml_node_t *, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Adds the messages of `wrong` with the prefix "file:line:column: " of the node; returns -1. */
int yaml_tell(struct yaml *, const yaml_node_t *, struct err *wrong);

/* The value of a key of a mapping, or NULL. */
yaml_node_t *yaml_get(struct yaml *, const yaml_node_t *map, const char *key);

/* The node must be a mapping whose keys are all in `keys` (ended by NULL), each at most once.
 * `what` names the mapping. 0 or -1. */
int yaml_only(struct yaml *, const yaml_node_t *, const char *what, const char *const *keys);

/* Key and value i of a mapping; element i of a sequence; NULL past the end. */
yaml_node_t *yaml_key(struct yaml *, const yaml_node_t *map, unsigned i);
yaml_node_t *yaml_value(struct yaml *, const yaml_node_t *map, unsigned i);
yaml_node_t *yaml_item(struct yaml *, const yaml_node_t *sequence, unsigned i);
unsigned yaml_items(const yaml_node_t *); /* of a sequence or mapping, else 0 */

/* The text of a scalar, or NULL (no message). */
const char *yaml_text(const yaml_node_t *);

/* Scalars with bounds: 0, or -1 with a message about `what`. */
int yaml_uint(struct yaml *, const yaml_node_t *, const char *what, uint64_t low, uint64_t high,
	uint64_t *);
int yaml_real(struct yaml *, const yaml_node_t *, const char *what, double *);
int yaml_string(struct yaml *, const yaml_node_t *, const char *what, const char **);

/* "file:line:col" of a node, for later messages. */
void yaml_place(struct yaml *, const yaml_node_t *, char *out, size_t n);

#endif
