/* Opcodes that represent a row of the semantics table, few enough to run them all. */
#ifndef RUNS_FORM_SPELLINGS_H
#define RUNS_FORM_SPELLINGS_H

#include "ptx/isa/forms.h"

typedef void form_spelling_fn(void *ctx, const char *spelling);

/* Of the pattern (of form_list) every alternative of every slot, beside the first ones of the
 * others. The spelling is valid during the call. */
void form_spellings(const char *pattern, form_spelling_fn *, void *ctx);

/* The state spaces that form_write's `where` can name for the opcode: more than one where its
 * address is generic. */
unsigned form_places(const char *spelling, const struct form_match *);

/* Whether form_write can show what a form does: not that of a trap, nor of what takes several
 * statements (fragments of matrices, asynchronous copies, barrier objects). */
bool form_is_shown(const struct form_match *);

#endif
