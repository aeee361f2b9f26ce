/* Private to ptx/: registers that are read together, in different banks. */
#ifndef PTX_ALLOC_BANKS_H
#define PTX_ALLOC_BANKS_H

#include "ptx/alloc/alloc.h"

/* Changes the places of an assignment that takes `used` of them, so that fewer registers of one
 * instruction lie in one bank. It still takes no more of them and all limits of the job hold; no
 * copy is lost that had become none. What survives calls is not put higher. */
void alloc_spread(const struct alloc_job *, uint32_t used);

#endif
