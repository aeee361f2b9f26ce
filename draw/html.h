/* Pages of HTML that are also XML, in one look: self-contained, light and dark, with tables that
 * sort and filter (draw/look/). */
#ifndef DRAW_HTML_H
#define DRAW_HTML_H

#include "core/text.h"

#include <stdbool.h>
#include <stdint.h>

/* Words made by a format, with markup escaped (svg_escaped: without a format). */
void html_add(struct text *, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The page up to its heading, whose words follow the title's. */
void html_open(struct text *, const char *title, const char *heading);
/* The same of a page that asks the server that it comes from. */
void html_open_live(struct text *, const char *title, const char *heading);
/* The same with a style of the page's own, which may use the look's colours. */
void html_open_style(struct text *, const char *title, const char *heading, const char *style);
/* Where the buttons and the list of parts are: once, below the heading. */
void html_tools(struct text *);
/* The page's end; `charts`: with what html_chart needs. */
void html_close(struct text *, bool charts);

/* ---- tables: open, rows of as many cells as columns, close */
struct html_column {
	const char *name;
	bool words; /* aligned at the left */
};
void html_table(struct text *, const char *caption, const struct html_column *, unsigned n);
void html_table_end(struct text *);
void html_row(struct text *); /* ends as html_row_end */
void html_row_end(struct text *);
void html_name(struct text *, const char *words); /* the first cell of a row: its heading */
void html_words(struct text *, const char *);     /* NULL: "" */
void html_long(struct text *, const char *);      /* words that may take several lines */
void html_code(struct text *, const char *);      /* a name as one writes it: the row's heading */
void html_whole(struct text *, uint64_t);         /* grouped; 0: "" */
void html_real(struct text *, double, unsigned digits, const char *unit); /* NAN: "" */
void html_bytes(struct text *, double);                                   /* "604.8 KB"; NAN: "" */
void html_energy(struct text *, double nj);                               /* NAN: "" */
void html_bar(struct text *, double share);                               /* a bar, full at 1 */

/* ---- curves: a table whose first column is x, and each other one a curve; drawn by the script */
void html_chart(struct text *, const char *caption, const char *unit, const struct html_column *,
	unsigned n);
void html_chart_end(struct text *);

#endif
