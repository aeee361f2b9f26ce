/* Shared-memory bank conflicts: how many cycles a warp's access occupies the banks. */
#ifndef MEM_BANKS_H
#define MEM_BANKS_H

#include "ptx/exec.h"

struct bank_layout {
	unsigned banks;      /* a power of two, at most 64 */
	unsigned bank_bytes; /* a power of two: 4 or 16 */
};

/* Rows touched in the busiest bank (lanes that touch the same row count once), at least 1 when any
 * lane takes part: Gebhart et al., MICRO 2012, section 4.3. When a full warp's lanes are wider than
 * all banks together, the hardware's half- and quarter-warp passes are added up: on 32 banks of 4
 * bytes, a full-warp conflict-free 8-byte access answers 2 and a 16-byte one 4. */
unsigned bank_passes(const struct access *, struct bank_layout);

#endif
