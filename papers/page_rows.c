/* Tables and figures on the page. */
#include "papers/page.h"

#include "core/base.h"
#include "draw/html.h"
#include "draw/svg.h"

#include <stdio.h>
#include <string.h>

/* ---- cells */
static void number_cell(double v, struct text *out)
{
	char number[32];

	text_add(out, "<td>%s</td>", page_number(v, number));
}

static void band_cell(const struct book_row *row, struct text *out)
{
	char low[32], high[32];

	text_add(out, "<td>");
	if (!isnan(row->low) && !isinf(row->low) && !isnan(row->high) && !isinf(row->high))
		text_add(out, "%s &#8230; %s", page_number(row->low, low),
			page_number(row->high, high));
	else if (!isnan(row->low) && !isinf(row->low))
		text_add(out, "from %s", page_number(row->low, low));
	else if (!isnan(row->high) && !isinf(row->high))
		text_add(out, "to %s", page_number(row->high, high));
	text_add(out, "</td>");
}

static void verdict_cell(const struct book_said *s, unsigned c, struct text *out)
{
	enum page_class class = page_class_of(s, c);

	text_add(out, "<td class=\"w\">");
	if (class != PAGE_TOLD)
		text_add(out, "<span class=\"v %s\">%s</span>", page_classes[class].mark,
			page_classes[class].name);
	text_add(out, "</td>");
}

/* ---- rows */
static bool is_missed(const struct book_said *s, unsigned c)
{
	enum page_class class = page_class_of(s, c);

	return class == PAGE_NEAR || class == PAGE_MISSED || class == PAGE_MISSING;
}

/* A miss in the columns without verdicts. */
static void add_views(const struct book_said *s, struct text *words)
{
	const struct paper *p = s->paper;
	char ours[32], other[32];

	for (unsigned c = page_columns(p); c < p->ncolumns && is_missed(s, 0); c++) {
		const char *now = page_number(s->ours[0], ours),
			   *then = page_number(s->ours[c], other);

		if (*then && strcmp(now, then))
			html_add(words, "%s%s: %s", words->len ? "; " : "", p->columns[c].name,
				then);
	}
}

/* Notes, whatever the verdicts. */
static void add_notes(const struct book_said *s, struct text *words)
{
	const struct paper *p = s->paper;
	unsigned columns = page_columns(p);

	for (unsigned c = 0; c < columns; c++) {
		if (!s->note[c] || (c && s->note[0] && !strcmp(s->note[0], s->note[c])))
			continue;
		html_add(words, "%s%s%s%s", words->len ? "; " : "",
			columns > 1 ? target_column(s->target, c) : "", columns > 1 ? ": " : "",
			s->note[c]);
	}
}

static void row_line(const struct book *b, const struct book_said *s, unsigned k, struct text *out)
{
	const struct book_row *row = &s->row;
	unsigned columns = page_columns(s->paper);
	struct page_scale scale = page_scale_of(b, s);
	struct text words = {0};

	add_notes(s, &words);
	add_views(s, &words);
	text_add(out, "<tr id=\"%s-%u\"><td class=\"w dim\">", s->target->name, k);
	svg_escaped(row->claim, out);
	text_add(out, "</td><th scope=\"row\" class=\"what\">");
	svg_escaped(row->text, out);
	if (words.len)
		text_add(out, "<span class=\"dim\">%s</span>", text_str(&words));
	text_add(out, "</th><td class=\"w\">");
	page_bars(s, &scale, out);
	text_add(out, "</td>");
	number_cell(row->paper, out);
	band_cell(row, out);
	for (unsigned c = 0; c < columns; c++) {
		number_cell(s->ours[c], out);
		verdict_cell(s, c, out);
	}
	text_add(out, "<td class=\"w dim\">");
	svg_escaped(row->unit, out);
	text_add(out, "</td></tr>\n");
	out->failed |= words.failed;
	text_clear(&words);
}

/* ---- targets */
static void key(const struct paper *p, struct text *out)
{
	text_add(out, "<p class=\"key dim\">");
	for (unsigned c = 0; c < page_columns(p); c++) {
		text_add(out,
			"<span><svg width=\"12\" height=\"9\"><rect class=\"c%u\" width=\"12\" "
			"height=\"9\"/></svg>",
			c);
		svg_escaped(p->columns[c].name, out);
		text_add(out, "</span>");
	}
	text_add(out, "<span><svg class=\"bars\" style=\"display:inline\" width=\"12\" "
		      "height=\"10\"><rect class=\"band\" width=\"12\" height=\"10\"/>"
		      "<line class=\"paper\" x1=\"6\" x2=\"6\" y1=\"0\" y2=\"10\"/></svg>"
		      "the paper's number and the band around it</span></p>\n");
}

static void command_line(const struct page *page, const struct target *t, struct text *out)
{
	text_add(out, "<p><code>warpbeam reproduce %s", t->name);
	for (unsigned i = 0; i < page->o->workloads.n; i++)
		html_add(out, " %s", page->o->workloads.at[i]);
	text_add(out, "%s", page->o->run.size ? " --size full" : "");
	if (page->o->run.seed != 1)
		text_add(out, " --seed %llu", (unsigned long long)page->o->run.seed);
	for (unsigned i = 0; i < page->o->run.set.n; i++)
		html_add(out, " --set %s", page->o->run.set.at[i]);
	text_add(out, "</code></p>\n");
}

/* Opens the table of a target. */
static void open_table(const struct target *t, struct text *out)
{
	static const struct html_column first[] = {
		{"claim", true}, {"what", true}, {"", true}, {"paper", false}, {"band", false}};
	struct html_column column[ARRAY_LEN(first) + 2 * BOOK_COLUMNS + 1];
	unsigned n = ARRAY_LEN(first);

	memcpy(column, first, sizeof(first));
	for (unsigned c = 0; c < page_columns(t->paper); c++) {
		column[n++] = (struct html_column){target_column(t, c), false};
		column[n++] = (struct html_column){"verdict", true};
	}
	column[n++] = (struct html_column){"unit", true};
	html_table(out, t->name, column, n);
}

static void target(
	const struct page *page, const struct book *b, const struct target *t, struct text *out)
{
	unsigned n, k = 0;
	const struct book_said *said = book_rows(b, &n);

	text_add(out, "<h3 id=\"%s\">%s <span>", t->name, t->name);
	svg_escaped(t->text, out);
	text_add(out, "</span></h3>\n");
	command_line(page, t, out);
	if (t->plots) {
		text_add(out, "<figure class=\"pictures\">\n");
		book_pictures(b, t, out);
		text_add(out, "</figure>\n");
	}
	open_table(t, out);
	for (unsigned i = 0; i < n; i++)
		if (said[i].target == t)
			row_line(b, &said[i], ++k, out);
	html_table_end(out);
}

void page_book(const struct page *page, const struct book *b, struct text *out)
{
	const struct target *last = NULL;
	unsigned n;
	const struct book_said *said = book_rows(b, &n);

	if (!n)
		return;
	text_add(out, "<h2 id=\"%s\">", said->paper->name);
	svg_escaped(said->paper->title, out);
	text_add(out, "</h2>\n");
	key(said->paper, out);
	for (unsigned i = 0; i < n; i++) {
		if (said[i].target != last)
			target(page, b, said[i].target, out);
		last = said[i].target;
	}
}
