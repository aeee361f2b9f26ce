/* Checks that a program whose operands are allocated in the register hierarchy reads the same
 * values as without it, on all paths. */
#ifndef TESTS_RIG_LEVELS_CHECK_H
#define TESTS_RIG_LEVELS_CHECK_H

#include "core/text.h"
#include "ptx/levels/levels.h"

/* The options of the best design, with the dissertation's energies (tables 4.5 and 4.6). */
struct levels_options levels_best(void);

/* `plain` is the same program with all operands in the MRF. Errors are added to `wrong`, which is
 * otherwise empty. */
void levels_check(const struct program *plain, const struct program *placed, struct text *wrong);

/* Each instruction as a line: its mark (. inside, | begins, ! waits), the destinations of its
 * results and, after =, the levels of its sources; M, O0.., L0.., c a constant, p a predicate, -
 * none; +O1: an additional copy. */
void levels_tell(const struct program *, struct text *);

/* Energy of one execution of every instruction, in pJ per four lanes. */
double levels_energy(const struct program *);

#endif
