/* Private to ptx/: spilling. What is spilled lives in a slot of its function's frame, a virtual
 * register of size IR_SLOT, or is computed again wherever it is needed. */
#ifndef PTX_ALLOC_SPILL_H
#define PTX_ALLOC_SPILL_H

#include "ptx/alloc/alloc.h"

/* How a function is compiled to few registers: one struct for all rounds. Arrays by virtual
 * register, by instruction or by block of `f`, the function as it came. */
enum spill_how { SPILL_NOT, SPILL_SLOT, SPILL_AGAIN };

struct spill_plan {
	const struct ir_module *m;
	const struct ir_function *f;
	const struct live *live;
	struct arena *work;
	bool once;                /* no load is executed again */
	float *weight;            /* of blocks */
	struct remat *again;      /* how to compute values again */
	float *cost;              /* of spilling in the cheaper way; INFINITY: not possible */
	uint8_t *best;            /* the cheaper way, enum spill_how */
	uint8_t *how;             /* what was decided, enum spill_how */
	bool *strict;             /* spilled, and fetched for each use by itself */
	uint16_t *room;           /* by instruction: 32-bit registers that the function may hold */
	uint16_t *pred_room;      /* and predicates */
	uint32_t *before, *after; /* by instruction: of those, taken by what is not spilled */
};

/* How to compute a value again: instruction `def` of the function, behind `leaf` when that is one.
 */
struct remat {
	uint32_t def, leaf; /* leaf: NO_VREG: def has no register among its sources */
	uint8_t instrs;     /* 0: it cannot be */
};

/* ptx/alloc/loops.c: by block, how often it runs: 1, or 10 to the number of loops around it. */
float *loops_weigh(const struct ir_function *, struct arena *);

/* ptx/alloc/remat.c: by virtual register. Values with one definition: constants, addresses of
 * variables, special registers that never change, parameters of kernels, and one instruction on one
 * of these. */
struct remat *remat_find(const struct ir_module *, const struct ir_function *, struct arena *);

/* ptx/alloc/spill_cost.c: fills cost and best of the plan. */
void spill_weigh(struct spill_plan *);

/* ptx/alloc/spill_choose.c: spills until no point needs more than its room, as far as that is
 * possible, and fills before and after. Tells whether anything was added. */
bool spill_choose(struct spill_plan *);

/* ptx/alloc/spill.c: the function with what is spilled in slots. *origin: by virtual register of
 * the result, which one of the plan's function it stands for. */
struct ir_function spill_rewrite(const struct spill_plan *, uint32_t **origin);

#endif
