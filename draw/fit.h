/* Tables that fit a width. In a report a tab ends a cell, and a line that begins with a vertical
 * tab is the head of a table. Names cannot contain either: text_add escapes its arguments. */
#ifndef DRAW_FIT_H
#define DRAW_FIT_H

#include "core/text.h"

#define FIT_ALL UINT32_MAX /* a width: any line fits */

/* Adds the text with its tables laid out. Where all lines of a table fit, a tab becomes a blank.
 * Otherwise its columns are as narrow as what they hold, the widest of words is wrapped, and the
 * last columns of a table with a head are left out, which a line says. Of lines without a head only
 * the last cells are wrapped, if that is enough; sentences of which a column would have a few words
 * a line are below their rows. Lines without cells are wrapped between words,
 * unless more than one blank is between several of them: behind a short head, or below a long one.
 */
void fit_text(const char *text, uint32_t width, struct text *out);

/* fit_text for FIT_ALL, without a copy. */
void fit_nothing(struct text *);

#endif
