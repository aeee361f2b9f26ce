/* Counts that must agree when a run ends. */
#include "msg/audit.h"

#include <inttypes.h>
#include <stdio.h>

static void fault(struct audit *a, const char *where, const char *left, uint64_t n,
	const char *right, uint64_t m)
{
	a->faults++;
	text_add(&a->out, "  %s: %s %" PRIu64 ", %s %" PRIu64 "\n", where, left, n, right, m);
}

void audit_equal(struct audit *a, const char *where, const char *left, uint64_t n,
	const char *right, uint64_t m)
{
	if (n != m)
		fault(a, where, left, n, right, m);
}

void audit_flow(struct audit *a, const char *where, const char *first, uint64_t n, const char *then,
	uint64_t m)
{
	if (a->at_rest ? n != m : m > n)
		fault(a, where, first, n, then, m);
}

void audit_traffic(struct audit *a, const char *where, const char *first, const struct traffic *t,
	const char *then, const struct traffic *u)
{
	static const char *const kinds[PACKET_KINDS] = {"reads", "writes", "atomics",
		"read replies", "atomic replies", "write acknowledgements"};
	char left[64];

	for (unsigned k = 0; k < PACKET_KINDS; k++) {
		snprintf(left, sizeof(left), "packets of %s %s", kinds[k], first);
		audit_flow(a, where, left, t->packets[k], then, u->packets[k]);
		snprintf(left, sizeof(left), "bytes of %s %s", kinds[k], first);
		audit_flow(a, where, left, t->bytes[k], then, u->bytes[k]);
	}
}
