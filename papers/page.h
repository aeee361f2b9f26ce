/* Tables as one page of HTML that needs nothing else: verdicts counted on top, every table and
 * figure with its bars and curves, the commands, the configuration, the build. */
#ifndef PAPERS_PAGE_H
#define PAPERS_PAGE_H

#include "papers/book.h"

struct page {
	const struct book *const *books;
	unsigned n;
	const struct paper_options *o;
	const struct points *points;
};

/* Writes the page; the session's arena is used. 0 or -1. */
int page_write(const struct page *, struct session *, struct text *, struct err *);

/* ---- its parts */
/* How a row came out: near is outside its band, but no farther than the band is wide. */
enum page_class {
	PAGE_WITHIN,
	PAGE_NEAR,
	PAGE_MISSED,
	PAGE_MISSING,
	PAGE_PRIVATE,     /* not comparable */
	PAGE_CALIBRATION, /* sets a parameter */
	PAGE_CLASSES,
	PAGE_TOLD /* without verdict */
};
struct page_class_def {
	const char *name, *mark; /* "within", its CSS class */
};
extern const struct page_class_def page_classes[PAGE_CLASSES];

/* The class of a row in a column. */
enum page_class page_class_of(const struct book_said *, unsigned column);

/* More digits for small numbers; "" for NAN. */
const char *page_number(double, char out[32]);

/* Columns of a paper that have verdicts: they are the first ones. */
unsigned page_columns(const struct paper *);

/* The targets: page_rows.c. */
void page_book(const struct page *, const struct book *, struct text *);

/* A row's bars, on the scale of the rows in its unit: page_bars.c. */
struct page_scale {
	const struct target *target;
	const char *unit;
	double low, high;
};
struct page_scale page_scale_of(const struct book *, const struct book_said *);
void page_bars(const struct book_said *, const struct page_scale *, struct text *);

/* All parameters: page_settings.c. 0 or -1. */
int page_settings(const struct run_options *, struct session *, struct text *, struct err *);

extern const char page_style[]; /* added to the look of all pages: page_style.c */

#endif
