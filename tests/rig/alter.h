/* Alters single instructions of PTX text, to find out whether a check would notice. */
#ifndef TESTS_RIG_ALTER_H
#define TESTS_RIG_ALTER_H

#include "core/rng.h"
#include "core/text.h"

#define ALTER_LINE 200

/* One line before and after, without the blanks around; `after` is empty when it was left out. */
struct alteration {
	unsigned line; /* from 1 */
	char before[ALTER_LINE], after[ALTER_LINE];
};

/* Draws an instruction of the text and a change of it: left out, guard negated, opcode or
 * comparison replaced by a near one, a number or a source register by another. Writes the whole
 * altered text. False when the text has no instruction that can be altered so. */
bool alter(const char *text, struct rng *, struct alteration *, struct text *out);

#endif
