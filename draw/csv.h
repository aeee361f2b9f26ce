/* Cells of CSV (RFC 4180) that a spreadsheet reads as text or numbers. */
#ifndef DRAW_CSV_H
#define DRAW_CSV_H

#include "core/text.h"

/* A cell of words: quoted where it holds a comma, a quote or a line's end. Words that a spreadsheet
 * would run as a formula (= + - @ in front, or a tab or carriage return) begin with an apostrophe
 * instead; a number stays one. Control characters are made visible. */
void csv_words(const char *, struct text *);
/* The same, always quoted. */
void csv_quoted(const char *, struct text *);

#endif
