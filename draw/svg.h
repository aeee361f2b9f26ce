/* What pictures share. */
#ifndef DRAW_SVG_H
#define DRAW_SVG_H

#include "core/text.h"

/* The head of a picture with its title ("": none). Colours are light; a reader who prefers dark
 * sees it so, and a page gives its own (draw/look/look.css). Words have the picture's colour. */
void svg_open(int width, int height, const char *title, struct text *);
/* The same for a page that has many: without what makes it dark outside of one. */
void svg_open_inside(int width, int height, const char *title, struct text *);

/* Attributes, after a blank, of what follows the reader's colours: a line or frame, a grid's line;
 * of a series, whose shapes are drawn in "currentColor"; of an area by its number. */
#define SVG_AXIS " class=\"ax\" stroke=\"#5a6573\""
#define SVG_GRID " class=\"gr\" stroke=\"#dfe4ea\""
#define SVG_SERIES 8u
const char *svg_series(unsigned k); /* any number */

/* Words as SVG and HTML take them; characters that XML excludes are made visible (core/plain.h). */
void svg_escaped(const char *, struct text *);

/* Words at a position; `style` is further attributes, after a blank, or "". */
void svg_label(int x, int y, const char *style, const char *words, struct text *);

#endif
