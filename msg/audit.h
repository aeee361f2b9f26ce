/* The audit at the end of a run: everything sent must have arrived, and every request must have got
 * its reply, to the byte. */
#ifndef MSG_AUDIT_H
#define MSG_AUDIT_H

#include "core/text.h"
#include "msg/traffic.h"

struct audit {
	bool at_rest;    /* nothing is in flight; otherwise later counts may be smaller */
	unsigned faults; /* so far */
	struct text out; /* a line for each; the owner clears it */
};

/* Two counters that are equal at any time, and their names. */
void audit_equal(struct audit *, const char *where, const char *left, uint64_t n, const char *right,
	uint64_t m);

/* A flow from one counter to the next: equal when nothing is in flight, else the second is not
 * larger. */
void audit_flow(struct audit *, const char *where, const char *first, uint64_t n, const char *then,
	uint64_t m);

/* The same for packets and bytes of each kind. */
void audit_traffic(struct audit *, const char *where, const char *first, const struct traffic *,
	const char *then, const struct traffic *);

#endif
