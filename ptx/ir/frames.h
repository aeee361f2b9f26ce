/* Private to ptx/: which functions a kernel runs, and the window of registers and stack that each
 * of them has. */
#ifndef PTX_IR_FRAMES_H
#define PTX_IR_FRAMES_H

#include "ptx/ir/ir.h"

/* A function's window lies above what must survive in those of all its callers. */
struct window { /* where it begins */
	uint32_t reg, pred;
	uint64_t local;
};

struct frames {
	const struct ir_module *m;
	uint32_t kernel;
	uint32_t *order, n;    /* functions, callers before callees; order[0] is the kernel */
	struct window *window; /* by function */
	uint32_t regs, preds, max_live;
	uint64_t local_bytes;
	uint32_t call_depth, stack_depth;
	/* by function, for the search: made once, so that a kernel costs what it reaches */
	uint32_t *colour, *depth, *live, *stack, *next;
};

/* Builds the frames of one kernel after the other, in the same struct, zeroed at first. 0, or -1
 * and a message: a cycle of calls, or a callee that could not be compiled. */
int frames_build(struct frames *, struct ir_module *, uint32_t kernel);

#endif
