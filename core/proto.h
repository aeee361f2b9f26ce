/* The wire format of Protocol Buffers: fields of a message in sequence, in a buffer of fixed size
 * (https://protobuf.dev/programming-guides/encoding). */
#ifndef CORE_PROTO_H
#define CORE_PROTO_H

#include "core/base.h"

#define PROTO_BYTES 2048u

/* A zeroed struct is an empty one. What does not fit is dropped and sets `failed`. */
struct proto {
	uint32_t n;
	bool failed;
	unsigned char bytes[PROTO_BYTES];
};

void proto_uint(struct proto *, unsigned field, uint64_t value);
void proto_double(struct proto *, unsigned field, double value);
void proto_string(struct proto *, unsigned field, const char *);

/* Opens a nested message, which contains what is added until proto_close is called with the
 * returned number. */
uint32_t proto_open(struct proto *, unsigned field);
void proto_close(struct proto *, uint32_t opened);

#endif
