/* Private to ptx/: rewrites the code of a function, block by block, with additional instructions
 * and registers. */
#ifndef PTX_IR_REBUILD_H
#define PTX_IR_REBUILD_H

#include "ptx/ir/ir.h"

struct rebuild {
	const struct ir_function *f; /* the original */
	struct ir_function out;
	struct arena *work;
	uint32_t *origin; /* by virtual register of `out`: the register of f that it holds */
	uint32_t *begin;  /* by first instruction of a block of f: its new index */
};

struct rebuild rebuild_start(const struct ir_function *, struct arena *);
uint32_t rebuild_vreg(struct rebuild *, uint8_t words, uint32_t origin);
void rebuild_emit(struct rebuild *, const struct ir_instr *);

/* Call before and after a block is emitted. After the last one all branches have their new targets.
 */
void rebuild_begin_block(struct rebuild *, uint32_t block);
void rebuild_end_block(struct rebuild *, uint32_t block);
void rebuild_finish(struct rebuild *);

#endif
