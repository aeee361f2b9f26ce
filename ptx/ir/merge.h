/* Private to ptx/: vectors of accesses to shared memory, before scheduling. */
#ifndef PTX_IR_MERGE_H
#define PTX_IR_MERGE_H

#include "ptx/ir/ir.h"

/* ptx/ir/zeros.c: by virtual register, how many low bits of its value are always zero, at most
 * ZEROS_MOST; in the arena. None if that is not found in a few passes over the code. */
#define ZEROS_MOST 6u
const uint8_t *zeros_of_registers(
	const struct ir_module *, const struct ir_function *, struct arena *);
unsigned zeros_of(const struct ir_module *, const struct ir_value *, const uint8_t *registers);

/* ptx/ir/merge.c: merges accesses of shared memory side by side within a block into vectors of 8 or
 * 16 bytes, where the address is known to be a multiple of that. Loads take the position of the
 * first, stores of the last. Of four words a load may lack one. Returns how many were merged into
 * another; if any, the function has a copy of its code. Liveness must be computed again. */
uint32_t merge_accesses(const struct ir_module *, struct ir_function *, struct arena *work);

#endif
