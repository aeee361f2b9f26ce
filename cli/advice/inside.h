/* What the files of advice share. */
#ifndef CLI_ADVICE_INSIDE_H
#define CLI_ADVICE_INSIDE_H

#include "cli/advice/advice.h"

void facts_gather(struct facts *, const struct traffic *);
void lines_look(struct facts *);  /* once `missed` is known */
void chains_find(struct facts *); /* the last of gathering */

#endif
