/* Private to ptx/: spilling. A spilled register is in a slot of its function's frame, a virtual
 * register of size IR_SLOT, or is rematerialised at each use. */
#ifndef PTX_ALLOC_SPILL_H
#define PTX_ALLOC_SPILL_H

#include "ptx/alloc/alloc.h"

/* The allocation of a function under a register limit: one struct for all iterations. Arrays are by
 * virtual register, instruction or block of `f`, the original function. */
enum spill_how { SPILL_NOT, SPILL_SLOT, SPILL_REMAT };

struct spill_plan {
	const struct ir_module *m;
	const struct ir_function *f;
	const struct live *live;
	struct arena *work;
	bool once;                /* no load is repeated */
	float *weight;            /* execution frequency by block */
	struct remat *again;      /* how to rematerialise values */
	float *cost;              /* of the cheaper kind of spill; INFINITY: not possible */
	uint8_t *best;            /* the cheaper kind, enum spill_how */
	uint8_t *how;             /* the decision, enum spill_how */
	bool *strict;             /* spilled, and reloaded at each use */
	uint16_t *capacity;       /* by instruction: 32-bit registers available */
	uint16_t *pred_capacity;  /* and predicates */
	uint32_t *before, *after; /* by instruction: registers of these taken by unspilled values */
};

/* How to rematerialise a value: instruction `def` of the function, after `leaf` if there is one. */
struct remat {
	uint32_t def, leaf; /* leaf: NO_VREG: def has no register source */
	uint8_t instrs;     /* 0: not possible */
};

/* ptx/alloc/loops.c: execution frequency by block: 1, or 10 to the power of the loop depth. */
float *loops_weigh(const struct ir_function *, struct arena *);

/* ptx/alloc/remat.c: by virtual register. Candidates have one definition: constants, addresses of
 * variables, constant special registers, kernel parameters, and one instruction on one of these. */
struct remat *remat_find(const struct ir_module *, const struct ir_function *, struct arena *);

/* ptx/alloc/spill_cost.c: fills cost and best of the plan. */
void spill_weigh(struct spill_plan *);

/* ptx/alloc/spill_choose.c: spills until the pressure nowhere exceeds the capacity, as far as
 * possible, and fills before and after. Returns whether anything was added. */
bool spill_choose(struct spill_plan *);

/* ptx/alloc/spill.c: the function with spill code. *origin: by virtual register of the result, the
 * register of the plan's function that it holds. */
struct ir_function spill_rewrite(const struct spill_plan *, uint32_t **origin);

#endif
