/* What a profile counts of an SM's schedulers, by instruction. Every cycle of a scheduler has one
 * reason (sm/reasons.h); it is charged twice: to an instruction that waits, and to one that it
 * waits for. doc/model.md, Profiles, has the rules. */
#ifndef SM_STALLS_H
#define SM_STALLS_H

#include "sm/reasons.h"

#include <stdint.h>

#define STALL_EVENTS(X) \
	X(EXECUTED, executed, "warp instructions", "Times that a warp executed it.") \
	X(THREADS, thread_executed, "thread instructions", \
		"The same, once for each lane that took part.") \
	X(CONFLICTS, shared_conflicts, "cycles", \
		"Passes over the banks of shared memory beyond the first.") \
	X(SAME_WORD, shared_same_word, "cycles", \
		"Of these, those of its atomics for lanes whose word another lane has.") \
	X(REGISTERS, register_conflicts, "cycles", \
		"What its reads of registers that meet in a bank take longer than memory's passes.") \
	X(LINES, tag_lines, "lines", "Lines of its accesses that passed the tag stage.") \
	X(DROPPED, dropped_lines, "lines", \
		"Lines that its stores and atomics dropped from the L1.") \
	X(BARRED, barrier_waits, "warp cycles", "Cycles that warps waited at this barrier.") \
	X(AGAIN, missed_again, "lines", \
		"Lines that it missed although its launch had missed them in the same SM before.") \
	X(LATER, missed_later, "lines", \
		"Lines that it missed although an earlier launch had missed them in the same SM.")

#define STALL_EVENT_ID(id, name, unit, text) STALL_##id,
enum stall_event { STALL_EVENTS(STALL_EVENT_ID) STALL_EVENT_COUNT };

/* Of one instruction, or summed. */
struct stall_row {
	uint64_t event[STALL_EVENT_COUNT];
	uint64_t stalled[REASON_COUNT]; /* cycles in which it waited; [SELECTED]: was issued */
	uint64_t caused[REASON_COUNT];  /* cycles in which others, or it, waited for it */
};

/* to += from */
static inline void stall_row_add(struct stall_row *to, const struct stall_row *from)
{
#pragma GCC unroll 5
	for (unsigned i = 0; i < STALL_EVENT_COUNT; i++)
		to->event[i] += from->event[i];
#pragma GCC unroll 8
	for (unsigned i = 0; i < REASON_COUNT; i++) {
		to->stalled[i] += from->stalled[i];
		to->caused[i] += from->caused[i];
	}
}

/* An SM's rows, by site (mem/profile.h). They grow only while nothing runs. CTAs' cycles between
 * barriers that all warps pass, begin and end; of these, what they would not need if all warps had
 * executed as many instructions each time; and if all had from begin to end. The cycles that the SM
 * would need if it always had most CTAs, and those of the last warps, were CTAs alike. */
struct stall_table {
	struct stall_row *row;
	uint64_t cta_cycles, uneven_cycles, lasting_cycles, full_cycles, drain_cycles;
};

#endif
