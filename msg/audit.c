/* Counters that must balance when a run ends. */
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

static bool flows(const struct audit *a, uint64_t n, uint64_t m)
{
	return a->at_rest ? n == m : m <= n;
}

void audit_flow(struct audit *a, const char *where, const char *first, uint64_t n, const char *then,
	uint64_t m)
{
	if (!flows(a, n, m))
		fault(a, where, first, n, then, m);
}

void audit_traffic(struct audit *a, const char *where, const char *first, const struct traffic *t,
	const char *then, const struct traffic *u)
{
	static const char *const kinds[PACKET_KINDS] = {"reads", "writes", "atomics",
		"read replies", "atomic replies", "write acknowledgements"};

	for (unsigned i = 0; i < 2 * PACKET_KINDS; i++) {
		unsigned k = i / 2;
		uint64_t n = i % 2 ? t->bytes[k] : t->packets[k];
		uint64_t m = i % 2 ? u->bytes[k] : u->packets[k];
		char left[80];

		if (flows(a, n, m))
			continue;
		snprintf(left, sizeof(left), "%s of %s %s", i % 2 ? "bytes" : "packets", kinds[k],
			first);
		fault(a, where, left, n, then, m);
	}
}
