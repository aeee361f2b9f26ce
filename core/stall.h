/* Stall accounting: every cycle is attributed to exactly one reason, when it ends or lazily after a
 * sleep. */
#ifndef CORE_STALL_H
#define CORE_STALL_H

#include "core/base.h"

#define STALL_MAX 32

struct stall {
	uint64_t since;  /* cycles before this one are attributed */
	unsigned reason; /* reason of the cycles from `since` on, until the next stall_set */
	uint64_t cycles[STALL_MAX];
};

/* The cycles from the last call up to `cycle` (exclusive) count for the previous reason; those from
 * `cycle` on for `reason`. */
static inline void stall_set(struct stall *s, uint64_t cycle, unsigned reason)
{
	uint64_t *cycles = &s->cycles[s->reason];

	*cycles += cycle - s->since;
	s->since = cycle;
	s->reason = reason;
}

/* Attributes all cycles before `cycle` and returns their sum over all reasons. */
static inline uint64_t stall_close(struct stall *s, uint64_t cycle)
{
	uint64_t sum = 0;

	stall_set(s, cycle, s->reason);
	for (unsigned i = 0; i < STALL_MAX; i++)
		sum += s->cycles[i];
	return sum;
}

#endif
