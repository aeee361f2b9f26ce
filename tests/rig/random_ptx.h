/* Random kernels of moves, arithmetic, pairs, guards, loops and arbitrary jumps: for compiling.
 * They need not terminate. */
#ifndef TESTS_RIG_RANDOM_PTX_H
#define TESTS_RIG_RANDOM_PTX_H

#include "core/text.h"

#include <stdbool.h>

/* Writes a module with kernel k; `written`: it initialises all registers, else only some of them.
 */
void random_ptx(unsigned seed, bool written, struct text *);

#endif
