/* Typed values of a scenario: numbers, hex, files and random data as bytes of GPU memory. */
#ifndef RUNS_VALUES_H
#define RUNS_VALUES_H

#include "core/mem.h"
#include "ptx/isa/types.h"
#include "runs/source.h"
#include "runs/yaml/yaml.h"

/* Bytes with the type of their elements (T_NONE: raw bytes). Memory is the arena's. */
struct values {
	enum ptx_type type;
	unsigned char *bytes;
	uint64_t n; /* bytes; a multiple of the element's */
};

/* Types of a scenario: s8 u8 s16 u16 f16 s32 u32 f32 s64 u64 f64. T_NONE and a message
 * otherwise. */
enum ptx_type value_type(struct yaml *, const yaml_node_t *);

/* Bytes of one element: 1 for T_NONE. */
unsigned value_bytes(enum ptx_type);

/* One scalar as `type`, into out (value_bytes of them). 0 or -1. */
int value_scalar(struct yaml *, const yaml_node_t *, enum ptx_type, unsigned char *out);

/* "0a00ff00" -> bytes in memory order; spaces, line ends and underscores may separate digits.
 * 0 or -1. */
int value_hex(struct yaml *, const yaml_node_t *, struct arena *, struct values *);

/* Reads a mapping with one of: data, hex, file, count, bytes; the last two with random, fill or
 * neither (zeros). out->type is the type when the mapping names none. `what` names the mapping in
 * messages; it may also have the keys of `more` (NULL: none), for the caller. Never empty. 0 or
 * -1. */
int value_block(struct yaml *, const yaml_node_t *, const char *what, const char *const *more,
	struct source *, struct values *out);
/* Whether the mapping has any of them. */
bool value_given(struct yaml *, const yaml_node_t *);

/* Element i as text: "1.5", "-3", "0xff" for raw bytes; with enough digits to distinguish it from
 * its neighbours. */
void value_print(const struct values *, uint64_t i, char *out, size_t n);

/* An element as a number; not for T_NONE. */
double value_number(enum ptx_type, const unsigned char *);

#endif
