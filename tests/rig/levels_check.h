/* Proof that a program whose operands were placed in the register hierarchy reads what it would
 * read without, on all ways through it. */
#ifndef TESTS_RIG_LEVELS_CHECK_H
#define TESTS_RIG_LEVELS_CHECK_H

#include "core/text.h"
#include "ptx/levels/levels.h"

/* The options of the best design, with the dissertation's energies (tables 4.5 and 4.6). */
struct levels_options levels_best(void);

/* `plain` is the same program with all operands in the MRF. What is wrong goes into `wrong`, which
 * stays empty otherwise. */
void levels_check(const struct program *plain, const struct program *placed, struct text *wrong);

/* Each instruction as a line: its mark (. inside, | begins, ! waits), where its results go and,
 * behind
 * =, where its sources come from; M, O0.., L0.., c a constant, p a predicate, - nothing; +O1: a
 * copy in addition. */
void levels_tell(const struct program *, struct text *);

/* Energy of one execution of every instruction, in pJ per four lanes. */
double levels_energy(const struct program *);

#endif
