/* Checks that a page of HTML is also XML, and loads nothing else: a reader for our pages, without
 * entities of a DTD, CDATA and processing instructions. */
#ifndef TESTS_RIG_MARKUP_H
#define TESTS_RIG_MARKUP_H

#include <stdbool.h>

/* NULL, or what is wrong with the page, with the position; the text is in `message`. */
const char *markup_wrong(const char *page, char *message, unsigned bytes);

/* The number of elements of that name in the page. */
unsigned markup_count(const char *page, const char *element);

#endif
