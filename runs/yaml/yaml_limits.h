/* Limits of size and depth of YAML documents, so that the cost of a file is bounded by its size. */
#ifndef RUNS_YAML_LIMITS_H
#define RUNS_YAML_LIMITS_H

#include "core/err.h"

#include <stddef.h>
#include <yaml.h>

#define YAML_BYTES_MOST ((size_t)64 << 20)
#define YAML_DEPTH_MOST 64u               /* nested mappings and lists, aliases followed */
#define YAML_NODES_MOST ((size_t)4 << 20) /* values, keys, lists and mappings, aliases followed */
#define YAML_KEYS_MOST 4096u              /* of one mapping */

/* Scans the text without keeping it: 0, or -1 and a message that names the limit. Invalid YAML is
 * not an error here. */
int yaml_limits_text(const char *file, const char *text, size_t n, struct err *);

/* The same for a document whose aliases are followed: no alias may be inside the node that it
 * names, and all copies count. 0 or -1. */
int yaml_limits_aliases(const char *file, yaml_document_t *, struct err *);

#endif
