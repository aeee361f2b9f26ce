/* Registers of a thread with which an SM holds a number of CTAs at once, as ptxas counts them for
 * .maxntid and .minnctapersm: by registers and slots, whatever shared memory they take. */
#ifndef CHIP_RESIDENT_H
#define CHIP_RESIDENT_H

#include <stdint.h>

/* A resident_regs_fn (ptx/isa/program.h); `config` is the struct config that describes the machine,
 * of which no setting counts as used. */
uint32_t resident_regs(void *config, uint32_t threads, uint32_t ctas);

#endif
