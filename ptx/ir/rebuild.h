/* Private to ptx/: a function's code written anew, block by block, with more instructions and more
 * registers than it had. */
#ifndef PTX_IR_REBUILD_H
#define PTX_IR_REBUILD_H

#include "ptx/ir/ir.h"

struct rebuild {
	const struct ir_function *f; /* as it was */
	struct ir_function out;
	struct arena *work;
	uint32_t *origin; /* by virtual register of `out`: which one of f it stands for */
	uint32_t *begin;  /* by instruction of f that begins a block: where that begins now */
};

struct rebuild rebuild_start(const struct ir_function *, struct arena *);
uint32_t rebuild_vreg(struct rebuild *, uint8_t words, uint32_t origin);
void rebuild_emit(struct rebuild *, const struct ir_instr *);

/* Around all that is emitted for a block. Afterwards all branches lead to the blocks' new places.
 */
void rebuild_begin_block(struct rebuild *, uint32_t block);
void rebuild_end_block(struct rebuild *, uint32_t block);
void rebuild_finish(struct rebuild *);

#endif
