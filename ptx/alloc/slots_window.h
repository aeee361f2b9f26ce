/* Where a callee's frame of slots begins behind its caller's, and what moves before the call (Hayes
 * and Zhang, ICS 2014, section 3.2.1). */
#ifndef PTX_ALLOC_SLOTS_WINDOW_H
#define PTX_ALLOC_SLOTS_WINDOW_H

#include "ptx/isa/program.h"

/* A word of the caller's frame, moved before a call and back behind it. */
struct slot_move {
	uint16_t from, to;
};

/* Where the frame of a callee begins if those of the caller's `words` slots are live across the
 * call. Of the moving stack: the moves, at most one for each live slot. */
uint32_t slots_window(
	enum spill_stack, const bool *live, uint32_t words, struct slot_move *, uint32_t *nmoves);

#endif
