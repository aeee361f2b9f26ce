/* Pages of HTML that are also XML. */
#ifndef DRAW_HTML_H
#define DRAW_HTML_H

#include "core/text.h"

/* Words made by a format, with markup escaped (svg_escaped: without a format). */
void html_add(struct text *, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
