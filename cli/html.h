/* Pages of HTML that are XML as well, so that anything can read them. */
#ifndef CLI_HTML_H
#define CLI_HTML_H

#include "core/text.h"

/* Words, with what is markup made harmless. */
void html_escaped(const char *words, struct text *);

/* The same with a format. */
void html_add(struct text *, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
