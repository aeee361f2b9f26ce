/* How large and how deep a YAML document may be, so that no file costs more than its size is worth.
 */
#ifndef RUNS_YAML_LIMITS_H
#define RUNS_YAML_LIMITS_H

#include "core/err.h"

#include <stddef.h>
#include <yaml.h>

#define YAML_BYTES_MOST ((size_t)64 << 20)
#define YAML_DEPTH_MOST 64u               /* mappings and lists in each other, aliases followed */
#define YAML_NODES_MOST ((size_t)4 << 20) /* values, keys, lists and mappings, aliases followed */
#define YAML_KEYS_MOST 4096u              /* of one mapping */

/* Reads through the text without keeping it: 0, or -1 and a message that names the limit. What is
 * no YAML is no fault here. */
int yaml_limits_text(const char *file, const char *text, size_t n, struct err *);

/* The same for a document whose aliases are followed: none may lie in what it names, and all copies
 * count. 0 or -1. */
int yaml_limits_aliases(const char *file, yaml_document_t *, struct err *);

#endif
