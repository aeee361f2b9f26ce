/* What the files of advice share. */
#ifndef CLI_ADVICE_INSIDE_H
#define CLI_ADVICE_INSIDE_H

#include "cli/advice/advice.h"

void facts_gather(struct facts *, const struct traffic *);

/* Those with most to gain first: as proved, else as estimated. */
void advice_sort(struct advices *);

#endif
