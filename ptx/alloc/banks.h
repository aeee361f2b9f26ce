/* Private to ptx/: avoids register bank conflicts after allocation. */
#ifndef PTX_ALLOC_BANKS_H
#define PTX_ALLOC_BANKS_H

#include "ptx/alloc/alloc.h"

/* Renumbers an assignment that uses `used` locations to reduce the bank conflicts between the
 * source registers of an instruction. It uses no more locations, respects the job's limits, keeps
 * copies coalesced, and moves no register that survives a call to a higher location. */
void alloc_renumber(const struct alloc_job *, uint32_t used);

#endif
