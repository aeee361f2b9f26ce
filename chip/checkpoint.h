/* The whole state of a GPU with a chip, for checkpoints: core/state.h. */
#ifndef CHIP_CHECKPOINT_H
#define CHIP_CHECKPOINT_H

#include "chip/gpu.h"
#include "core/state.h"

/* Moves it, while the chip runs, between two windows. Loading needs a GPU whose chip, modules,
 * buffers and launches were made as those of the other one were. A profiled or traced run and parts
 * without tables of their state are refused by name. */
void chip_state(struct gpu *, struct state *);

/* The next chip_run begins by loading this state, which it then does not need any more. Its failure
 * is the run's. */
void chip_resume(struct gpu *, struct state *);

#endif
