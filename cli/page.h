/* Pages of doc/ that the program writes: their lines end where doc/'s do. */
#ifndef CLI_PAGE_H
#define CLI_PAGE_H

struct text;

/* Adds a page of Markdown to `out`, its lines broken at blanks where they would be longer than 100
 * columns. The lines that continue an item of a list are indented by two. Lines between ``` stay.
 */
void page_wrapped(const struct text *page, struct text *out);

#endif
