/* Private to ptx/: calls through registers. */
#ifndef PTX_FRONT_INDIRECT_H
#define PTX_FRONT_INDIRECT_H

#include "ptx/front/ast.h"

/* Numbers the functions whose address is taken, from 1 on (symbol->index): that is their address.
 * Makes every call through a register a call of a function, added to the module, that takes the
 * address as its last argument; a call without prototype or targets stays as it is. */
void indirect_resolve(struct ast_module *, struct arena *);

#endif
