/* Detects spinning warps: loops without progress that wait for memory which only others can change.
 * A copy of the warp is executed ahead; neither the warp nor memory changes. */
#ifndef PTX_EXEC_SPIN_H
#define PTX_EXEC_SPIN_H

#include "core/err.h"
#include "ptx/exec/exec.h"

#define SPIN_NO_LOAD UINT32_MAX
#define SPIN_STEPS 8192 /* sufficient for most loops */

struct spin {
	bool spins;    /* every iteration reads the same values and changes nothing */
	bool for_ever; /* the registers, too, are the same after each iteration: no counter will end
			  the loop */
	uint32_t branch; /* instruction index of the backward branch */
	uint32_t load;   /* the load that the loop condition depends on; SPIN_NO_LOAD: none */
};

/* Buffer for copies of warps, which grows to the largest. A zeroed struct is valid and empty. */
struct spin_space {
	void *bytes;
	size_t size;
};
void spin_space_free(struct spin_space *);

/* Executes a copy of the warp for at most `steps` instructions and returns what was found. The warp
 * must have active threads and not wait at a barrier. `memory` is only read. If there is no memory
 * for the copy, nothing is found. */
struct spin spin_look(struct spin_space *, const struct warp *, const struct lanes *,
	const struct exec_memory *, unsigned steps);

#endif
