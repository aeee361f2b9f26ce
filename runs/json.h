/* What all JSON outputs share. */
#ifndef RUNS_JSON_H
#define RUNS_JSON_H

#include "core/text.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Readers of JSON hold integers up to 2^53 exactly; larger ones become strings. */
json_t *json_whole(uint64_t);
/* null for values that JSON does not have. */
json_t *json_number(double);
json_t *json_hash(uint64_t);
/* Text that may hold any bytes: what is not valid UTF-8 is escaped (core/plain.h). */
json_t *json_words(const char *, size_t);
json_t *json_name(const char *); /* NULL: null */
json_t *json_dims(const uint32_t[3]);

/* Name, version, build. */
json_t *json_program(void);

/* Take ownership of `value`. Without memory it is lost, and json_print then fails. */
void json_add(json_t *object, const char *key, json_t *value);
void json_append(json_t *list, json_t *value);
/* The member of that name of another object, if it has one. */
void json_share(json_t *to, const json_t *from, const char *key);

/* Whether everything that was made or read since the last call (json_print calls it, too) is
 * complete: no part was lost because memory was short. Each tree is checked before the next one
 * begins. */
bool json_is_whole(void);

/* Writes and releases it. 0, or -1 when there is no memory. */
int json_print(json_t *, struct text *);

#endif
