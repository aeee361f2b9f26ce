/* What changed, as a page. */
#include "cli/diff/diff.h"

#include "core/base.h"
#include "draw/html.h"
#include "draw/svg.h"

#include <math.h>

#define ROWS 1000u /* of a table */

static const struct html_column columns[] = {{"item", true}, {"count", true}, {"before", false},
	{"after", false}, {"change", false}, {"weight", false}, {"", true}};

static void number(double v, struct text *out)
{
	html_real(out, v, v == floor(v) ? 0 : 3, "");
}

static void table(const struct diff_table *t, struct text *out)
{
	unsigned n = t->n < ROWS ? t->n : ROWS;

	text_add(out, "<h2>");
	svg_escaped(t->name, out);
	text_add(out, "</h2>\n");
	html_table(
		out, t->n ? "What changed, by weight" : "No change", columns, ARRAY_LEN(columns));
	for (unsigned i = 0; i < n; i++) {
		const struct diff_row *r = &t->row[i];

		html_row(out);
		html_name(out, r->item ? r->item : "");
		html_words(out, r->count);
		number(r->before, out);
		number(r->after, out);
		html_real(out, r->before > 0 ? 100 * (r->after / r->before - 1) : NAN, 1, " %");
		html_real(out, 100 * r->weight, 1, " %");
		html_bar(out, fabs(r->weight));
		html_row_end(out);
	}
	html_table_end(out);
	if (n < t->n)
		text_add(out, "<p class=\"dim\">%u more are in --json.</p>\n", t->n - n);
}

void diff_html(const struct diff *d, struct text *out)
{
	struct text title = {0};

	text_add(&title, "from %s to %s", d->path[0], d->path[1]);
	html_open(out, text_str(&title), "");
	out->failed |= title.failed;
	text_clear(&title);
	diff_head(d, &title);
	text_add(out, "<pre class=\"wide facts\">");
	svg_escaped(text_str(&title), out);
	text_add(out, "</pre>\n");
	out->failed |= title.failed;
	text_clear(&title);
	html_tools(out);
	for (unsigned i = 0; i < d->ntables; i++)
		table(&d->table[i], out);
	html_close(out, false);
}
