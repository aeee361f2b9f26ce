/* Private to ptx/: calls through registers. */
#ifndef PTX_FRONT_INDIRECT_H
#define PTX_FRONT_INDIRECT_H

#include "ptx/front/ast.h"

/* Numbers the functions whose address is taken, from 1 on (symbol->index): the number is the
 * address. Replaces every call through a register by a call of a dispatch function, added to the
 * module, that takes the address as its last argument; a call without prototype or targets is left
 * unchanged. */
void indirect_resolve(struct ast_module *, struct arena *);

#endif
