/* What the files of fitting share: a table's lines, cells and layout. */
#ifndef DRAW_FIT_INSIDE_H
#define DRAW_FIT_INSIDE_H

#include "draw/fit.h"

#include <stdbool.h>
#include <stddef.h>

#define COLUMNS 128    /* of a table; what follows is part of the last */
#define INDENT 2       /* of a first column, at most */
#define BELOW 6        /* of words below their row, further */
#define WORDS_LEAST 16 /* columns of text in which words can still be wrapped */

struct cell {
	const char *s;                /* without blanks around it */
	size_t n;                     /* bytes */
	uint32_t before, wide, after; /* blanks, characters, blanks */
};

struct line {
	struct cell cell[COLUMNS];
	unsigned n;
};

/* The lines from `s` to `end`: a table, or a list of lines. */
struct block {
	const char *s, *end;
	uint32_t width;
	bool has_head;
	bool hangs; /* all that is too wide is the last cells' words */
	/* what its lines have */
	unsigned n; /* columns */
	uint32_t wide[COLUMNS], indent;
	uint32_t word[COLUMNS];    /* the longest */
	int to_the_right[COLUMNS]; /* cells aligned so, minus those aligned to the left */
	uint32_t begins;           /* where a line's last cell does at most, as the lines are */
	/* how it is laid out */
	bool below; /* the last column's words are below the others */
	unsigned shown;
	bool wraps[COLUMNS];
	uint32_t gap;
};

uint32_t fit_characters(const char *s, size_t bytes);
bool fit_has_cells(const char *s, size_t n);
void fit_read_line(const char *s, size_t n, struct line *);
/* Where the words of a line's last cell begin, were the line unchanged. */
uint32_t fit_last_begins(const char *s, size_t n);

/* Unchanged, a blank for each tab. */
void fit_copy(const char *s, const char *end, struct text *out);
/* A line of a block, laid out; all of the block `fits`, or not. */
void fit_row(const struct block *, const char *s, size_t n, bool fits, struct text *out);
/* The line that names the columns which are not shown. */
void fit_left_out(const struct block *, struct text *out);

#endif
