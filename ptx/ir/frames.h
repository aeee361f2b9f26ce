/* Private to ptx/: the call graph below a kernel, and the frame of registers and stack of each
 * function in it. */
#ifndef PTX_IR_FRAMES_H
#define PTX_IR_FRAMES_H

#include "ptx/ir/ir.h"

/* The frame of a function starts above everything that is live across the calls to it. */
struct frame_base { /* where it starts */
	uint32_t reg, pred;
	uint64_t local;
};

struct frames {
	const struct ir_module *m;
	uint32_t kernel;
	uint32_t *order, n;      /* functions, callers before callees; order[0] is the kernel */
	struct frame_base *base; /* by function */
	uint32_t regs, preds, max_live;
	uint64_t local_bytes;
	uint32_t call_depth, stack_depth;
	/* by function, for the search: allocated once, so that a kernel costs only what it reaches
	 */
	uint32_t *colour, *depth, *live, *stack, *next;
};

/* Builds the frames of one kernel after the other in the same struct, zeroed at first. 0, or -1
 * with a message: recursion, or a callee that could not be compiled. */
int frames_build(struct frames *, struct ir_module *, uint32_t kernel);

#endif
