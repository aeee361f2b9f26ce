/* What pictures share. */
#ifndef DRAW_SVG_H
#define DRAW_SVG_H

#include "core/text.h"

/* The head of a picture on white, with its title. */
void svg_open(int width, int height, const char *title, struct text *);

/* Words as SVG and HTML take them; characters that XML excludes are made visible (core/plain.h). */
void svg_escaped(const char *, struct text *);

/* Words at a position; `style` is further attributes, after a blank, or "". */
void svg_label(int x, int y, const char *style, const char *words, struct text *);

#endif
