/* Warps that go round a loop and get nowhere: they wait for memory that only others can change. A
 * copy of the warp is run ahead; neither the warp nor memory changes. */
#ifndef PTX_EXEC_SPIN_H
#define PTX_EXEC_SPIN_H

#include "core/err.h"
#include "ptx/exec/exec.h"

#define SPIN_NO_LOAD UINT32_MAX
#define SPIN_STEPS 8192 /* that find most loops */

struct spin {
	bool spins;      /* round after round reads the same and changes nothing */
	bool for_ever;   /* registers, too, are the same after each round: no count will end it */
	uint32_t branch; /* of the rounds: instruction index of the branch back */
	uint32_t load;   /* what the way round depends on; SPIN_NO_LOAD: on no memory */
};

/* Memory for copies of warps, which grows with the largest. A zeroed struct is a valid empty one.
 */
struct spin_room {
	void *bytes;
	size_t size;
};
void spin_room_free(struct spin_room *);

/* Runs a copy of the warp for at most `steps` instructions, and answers what it was seen doing. The
 * warp must have threads left and wait at no barrier. `memory` is only read. Of a warp for whose
 * copy there is no memory nothing is seen. */
struct spin spin_look(struct spin_room *, const struct warp *, const struct lanes *,
	const struct exec_memory *, unsigned steps);

#endif
