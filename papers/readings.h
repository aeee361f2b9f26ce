/* Readings: where a paper's words can be understood in several ways, each of them, with the
 * sentence it follows. All of a paper's are measured side by side (reproduce TARGET --readings);
 * none is chosen by its result. */
#ifndef PAPERS_READINGS_H
#define PAPERS_READINGS_H

#include "papers/cases.h"

/* The readings of a paper, the one that its text states first; NULL: it has none. */
const struct book_case *readings_of(const struct paper *, unsigned *n);

#endif
