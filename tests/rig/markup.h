/* Whether a page of HTML is XML too, and needs nothing but itself: a reader of what pages of ours
 * have, without entities of a DTD, CDATA and processing instructions. */
#ifndef TESTS_RIG_MARKUP_H
#define TESTS_RIG_MARKUP_H

#include <stdbool.h>

/* NULL, or what is wrong with the page, with the place; the text is static to `room`. */
const char *markup_wrong(const char *page, char *room, unsigned bytes);

/* How many elements of that name the page has. */
unsigned markup_count(const char *page, const char *element);

#endif
