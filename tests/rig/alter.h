/* Mutates single instructions of PTX text, to measure whether a check would detect it. */
#ifndef TESTS_RIG_ALTER_H
#define TESTS_RIG_ALTER_H

#include "core/rng.h"
#include "core/text.h"

#define ALTER_LINE 200

/* The line before and after, without surrounding blanks; `after` is empty when it was removed. */
struct alteration {
	unsigned line; /* from 1 */
	char before[ALTER_LINE], after[ALTER_LINE];
};

/* Draws an instruction of the text and a mutation of it: removed, guard negated, opcode or
 * comparison replaced by a similar one, a number or a source register replaced. Writes the whole
 * mutated text. False when the text has no instruction that can be mutated this way. */
bool alter(const char *text, struct rng *, struct alteration *, struct text *out);

#endif
