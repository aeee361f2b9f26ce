/* The audit at a run's end: what was sent must have arrived, what was asked must have been
 * answered, to the byte. */
#ifndef MSG_AUDIT_H
#define MSG_AUDIT_H

#include "core/text.h"
#include "msg/traffic.h"

struct audit {
	bool at_rest;    /* nothing is on its way: else what comes later may lack */
	unsigned faults; /* so far */
	struct text out; /* a line for each; the owner clears it */
};

/* Two counts that are the same at any time, and what they are called. */
void audit_equal(struct audit *, const char *where, const char *left, uint64_t n, const char *right,
	uint64_t m);

/* What comes after what: equal when all is at rest, else not more. */
void audit_flow(struct audit *, const char *where, const char *first, uint64_t n, const char *then,
	uint64_t m);

/* The same of packets and bytes of each kind. */
void audit_traffic(struct audit *, const char *where, const char *first, const struct traffic *,
	const char *then, const struct traffic *);

#endif
