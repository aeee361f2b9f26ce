/* The page of a command with one table: its picture, the rows of its CSV, its text. */
#include "cli/html/results.h"

#include "core/base.h"
#include "draw/fit.h"
#include "draw/html.h"
#include "draw/number.h"
#include "draw/svg.h"

#include <math.h>
#include <string.h>

#define COLUMNS 256u
#define CELL 512u

/* The next cell of a line of CSV, without its quotes; false: the line ends behind it. */
static bool next_cell(const char **at, char out[CELL])
{
	bool quoted = **at == '"';
	const char *s = *at + quoted;
	size_t n = 0;

	for (; *s && (quoted || (*s != ',' && *s != '\n')); s++) {
		if (quoted && *s == '"' && *++s != '"')
			break;
		if (n + 1 < CELL)
			out[n++] = *s;
	}
	out[n] = '\0';
	*at = s + (*s == ',' || *s == '\n');
	return *s == ',';
}

static bool is_number(const char *s)
{
	return !*s || strspn(s, "+-.0123456789eE") == strlen(s);
}

/* Columns of which the first row is no number are words. */
static unsigned columns_of(
	const char *csv, char (*names)[CELL], struct html_column *column, const char **rows)
{
	unsigned n = 0;
	bool more = true;

	while (more && n < COLUMNS) {
		more = next_cell(&csv, names[n]);
		column[n] = (struct html_column){names[n], false};
		n++;
	}
	*rows = csv;
	more = *csv;
	for (unsigned i = 0; i < n && more; i++) {
		char cell[CELL];

		more = next_cell(&csv, cell);
		column[i].words = !i || !is_number(cell);
	}
	return n;
}

/* Wholes in groups of three digits, others with six digits. */
static void number(const char *words, struct text *out)
{
	const char *digits = words + (*words == '-' || *words == '+');
	uint64_t whole;
	double real;
	char grouped[32];

	if (number_whole(digits, &whole))
		text_add(out, "%.*s%s", (int)(digits - words), words,
			number_grouped(whole, grouped));
	else if (number_real(digits, &real) && real < 1e6)
		text_add(out, "%.*s%.6g", (int)(digits - words), words, real);
	else if (number_real(digits, &real) && real < 1e18)
		text_add(out, "%.*s%s", (int)(digits - words), words,
			number_grouped((uint64_t)llround(real), grouped));
	else
		svg_escaped(words, out);
}

static void cell(const struct html_column *column, const char *words, struct text *out)
{
	if (column->words) {
		html_words(out, words);
		return;
	}
	text_add(out, "<td data-v=\"");
	svg_escaped(words, out);
	text_add(out, "\">");
	number(words, out);
	text_add(out, "</td>");
}

static void table(const char *title, const char *csv, struct arena *arena, struct text *out)
{
	char(*names)[CELL] = arena_alloc(arena, COLUMNS, sizeof(*names));
	struct html_column *column = arena_alloc(arena, COLUMNS, sizeof(*column));
	unsigned n = columns_of(csv, names, column, &csv);
	char words[CELL];

	html_table(out, title, column, n);
	while (*csv) {
		bool more = true;

		html_row(out);
		for (unsigned i = 0; i < n; i++) {
			words[0] = '\0';
			if (more)
				more = next_cell(&csv, words);
			if (i)
				cell(&column[i], words, out);
			else
				html_name(out, words);
		}
		html_row_end(out);
	}
	html_table_end(out);
}

static void write_page(const char *title, const char *what, const struct output_texts *w,
	page_more_fn *more, struct arena *arena, struct text *out)
{
	struct text part = {0};
	bool charts = false;

	html_open(out, title, what);
	html_tools(out);
	if (w->svg) {
		text_add(out, "<figure class=\"picture wide\">\n");
		w->svg(w->ctx, out);
		text_add(out, "</figure>\n");
	}
	if (more)
		charts = more(w->ctx, out);
	w->csv(w->ctx, &part);
	table("All rows", text_str(&part), arena, out);
	out->failed |= part.failed;
	text_clear(&part);
	w->text(w->ctx, &part);
	fit_nothing(&part);
	text_add(out, "<h2>As text</h2>\n<pre class=\"wide\">");
	svg_escaped(text_str(&part), out);
	text_add(out, "</pre>\n");
	out->failed |= part.failed;
	text_clear(&part);
	html_close(out, charts);
}

int page_results(const struct options *o, const char *what, const struct output_texts *w,
	page_more_fn *more, struct arena *arena, struct err *err)
{
	struct text page = {0}, title = {0};
	int bad;

	if (!o->html)
		return 0;
	for (unsigned i = 0; i < o->operands.n; i++)
		text_add(&title, "%s%s", i ? ", " : "", o->operands.at[i]);
	write_page(text_str(&title), what, w, more, arena, &page);
	page.failed |= title.failed;
	bad = output_file(o->run.files, o->html, &page, err);
	text_clear(&title);
	text_clear(&page);
	return bad;
}
