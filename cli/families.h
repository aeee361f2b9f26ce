/* PTX instructions by family: the order of the page of forms and of the counts of untimed runs. */
#ifndef CLI_FAMILIES_H
#define CLI_FAMILIES_H

#include <stddef.h>

#define FAMILIES 13u
#define FAMILY_FLOATING 2u
#define FAMILY_MOVEMENT 4u

/* The family of a spelling, or of a pattern of the forms table without its leading star. */
unsigned family_of(const char *spelling);
const char *family_title(unsigned family); /* "Integer arithmetic" */
const char *family_key(unsigned family);   /* "integer" */

/* Characters before the first dot or brace. */
size_t family_mnemonic_length(const char *spelling);

#endif
