/* malloc() and free() of kernels: a text that is linked with those that declare them. */
#ifndef PTX_COMPILE_HEAP_H
#define PTX_COMPILE_HEAP_H

#include "core/mem.h"
#include "ptx/isa/program.h"

/* The texts, *n of them; where one declares either function without a body, with one more, of
 * 64-bit addresses, whose definitions yield to others. The arena's. */
const struct module_text *heap_link(const struct module_text *, unsigned *n, struct arena *);

#endif
