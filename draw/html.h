/* Pages of HTML that are XML as well, so that anything can read them. */
#ifndef DRAW_HTML_H
#define DRAW_HTML_H

#include "core/text.h"

/* Words made by a format, with what is markup made harmless (svg_escaped does so without one). */
void html_add(struct text *, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
