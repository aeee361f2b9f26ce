/* Random kernels of moves, arithmetic, pairs, guards, loops and jumps to anywhere: for compiling.
 * They need not end. */
#ifndef TESTS_RIG_RANDOM_PTX_H
#define TESTS_RIG_RANDOM_PTX_H

#include "core/text.h"

#include <stdbool.h>

/* Writes a module with kernel k; `written`: it writes all registers first, else some of them only.
 */
void random_ptx(unsigned seed, bool written, struct text *);

#endif
