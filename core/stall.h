/* Stall accounting: every cycle has exactly one owner, told when it ends or lazily after sleep. */
#ifndef CORE_STALL_H
#define CORE_STALL_H

#include "core/base.h"

#define STALL_MAX 32

struct stall {
	uint64_t since;  /* cycles before this one have an owner */
	unsigned reason; /* owner of the cycles from `since` on until told otherwise */
	uint64_t cycles[STALL_MAX];
};

/* The cycles from the last call up to `cycle` (exclusive) belong to the reason told then; those
 * from `cycle` on belong to `reason`. */
static inline void stall_set(struct stall *s, uint64_t cycle, unsigned reason)
{
	s->cycles[s->reason] += cycle - s->since;
	s->since = cycle;
	s->reason = reason;
}

/* Gives an owner to all cycles before `cycle` and returns their sum over all owners. */
static inline uint64_t stall_close(struct stall *s, uint64_t cycle)
{
	uint64_t sum = 0;

	stall_set(s, cycle, s->reason);
	for (unsigned i = 0; i < STALL_MAX; i++)
		sum += s->cycles[i];
	return sum;
}

#endif
