/* The choice among a list of splits. */
#include "mem/storage/storage_list.h"

#include "core/base.h"

#include <stdlib.h>

#define MOST_KB (1u << 20)

bool storage_read_kb(const char **at, char end, uint64_t *bytes)
{
	char *after;
	unsigned long kb = strtoul(*at, &after, 10);

	if (after == *at || **at < '0' || **at > '9' || (*after != end && *after) || kb > MOST_KB)
		return false;
	*at = after;
	*bytes = (uint64_t)kb * 1024;
	return true;
}

bool storage_holds(const struct storage_split *split, const struct storage_need *needs, unsigned n,
	uint64_t *warps)
{
	*warps = 0;
	for (unsigned i = 0; i < n; i++) {
		uint64_t ctas = storage_ctas(split, &needs[i]);

		if (!ctas && storage_slots(&needs[i]))
			return false;
		*warps += ctas * needs[i].warps_per_cta;
	}
	return true;
}

static bool is_better(const struct storage_split *a, const struct storage_split *b,
	const struct storage_need *needs, unsigned n)
{
	uint64_t in_a, in_b;
	bool a_holds = storage_holds(a, needs, n, &in_a);
	bool b_holds = storage_holds(b, needs, n, &in_b);

	if (a_holds != b_holds)
		return a_holds;
	if (a_holds && in_a != in_b)
		return in_a > in_b;
	return a->cache_bytes > b->cache_bytes;
}

unsigned storage_best(const struct storage_split *list, unsigned n,
	const struct storage_need *needs, unsigned nneeds)
{
	unsigned best = 0;

	for (unsigned i = 1; i < n; i++)
		if (is_better(&list[i], &list[best], needs, nneeds))
			best = i;
	return best;
}

/* The larger of two allowances, of which STORAGE_NONE is the least. */
static uint32_t larger(uint32_t a, uint32_t b)
{
	return a + 1 > b + 1 ? a : b;
}

struct storage_allowance storage_allow_any(const struct storage_split *list, unsigned n,
	const struct storage_need *need, uint32_t ctas)
{
	struct storage_allowance most = {STORAGE_NONE, STORAGE_NONE};

	for (unsigned i = 0; i < n; i++) {
		struct storage_allowance a = storage_allow(&list[i], need, ctas);

		most.regs_per_thread = larger(most.regs_per_thread, a.regs_per_thread);
		most.shared_per_cta = larger(most.shared_per_cta, a.shared_per_cta);
	}
	return most;
}
