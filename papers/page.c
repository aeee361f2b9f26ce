/* The page of all measurements: its head, the summary, and the build. */
#include "papers/page.h"

#include "core/base.h"
#include "draw/html.h"
#include "draw/svg.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const struct page_class_def page_classes[PAGE_CLASSES] = {
	[PAGE_WITHIN] = {"within", "within"},
	[PAGE_NEAR] = {"near", "near"},
	[PAGE_MISSED] = {"missed", "missed"},
	[PAGE_MISSING] = {"missing", "missing"},
	[PAGE_PRIVATE] = {"not comparable", "private"},
	[PAGE_CALIBRATION] = {"calibration", "calibration"},
};

/* ---- verdicts */
enum page_class page_class_of(const struct book_said *s, unsigned c)
{
	double ours = s->ours[c];
	const char *verdict = book_verdict(&s->row, ours);

	if (s->row.judge == BOOK_TOLD || !book_measures(s, c))
		return PAGE_TOLD;
	if (s->row.judge == BOOK_PRIVATE)
		return PAGE_PRIVATE;
	if (s->row.judge == BOOK_CALIBRATION)
		return PAGE_CALIBRATION;
	if (isnan(ours))
		return PAGE_MISSING;
	if (!strcmp(verdict, "within"))
		return PAGE_WITHIN;
	return !strcmp(verdict, "near") ? PAGE_NEAR : PAGE_MISSED;
}

unsigned page_columns(const struct paper *p)
{
	unsigned n = 1;

	while (n < p->ncolumns && p->columns[n].judged)
		n++;
	return n;
}

const char *page_number(double v, char out[32])
{
	double size = fabs(v);

	if (isnan(v))
		return "";
	snprintf(out, 32, "%.*f", size < 10 ? 3 : size < 100 ? 2 : 1, v);
	return out;
}

/* ---- the head */
static void title(const struct page *p, struct text *out)
{
	text_add(out,
		"<p class=\"facts\">warpbeam %s "
		"(%s), size %s, seed %" PRIu64 ", 32-bit addresses",
		program_version(), program_build(), p->o->run.size ? "full" : "small",
		p->o->run.seed);
	for (unsigned i = 0; i < p->o->run.set.n; i++)
		html_add(out, ", %s", p->o->run.set.at[i]);
	for (unsigned i = 0; i < p->o->workloads.n; i++)
		html_add(out, "%s%s", i ? ", " : "; only ", p->o->workloads.at[i]);
	text_add(out, "; %u runs</p>\n", points_count(p->points).all);
}

/* ---- what came out */
static unsigned count(const struct book *b, unsigned c, enum page_class class)
{
	unsigned n, found = 0;
	const struct book_said *said = book_rows(b, &n);

	for (unsigned i = 0; i < n; i++)
		found += page_class_of(&said[i], c) == class;
	return found;
}

static const struct paper *paper_of(const struct book *b)
{
	unsigned n;
	const struct book_said *said = book_rows(b, &n);

	return n ? said->paper : NULL;
}

static void count_cells(const struct book *b, unsigned c, struct text *out)
{
	const struct paper *p = paper_of(b);

	for (unsigned k = 0; k < PAGE_CLASSES; k++) {
		unsigned n = count(b, c, (enum page_class)k);

		if (n)
			text_add(out, "<td><a href=\"#%s-%s-%s\">%u</a></td>", page_classes[k].mark,
				p->name, p->columns[c].key, n);
		else
			text_add(out, "<td class=\"dim\">0</td>");
	}
}

static void score_row(const struct book *b, unsigned c, struct text *out)
{
	const struct paper *p = paper_of(b);

	text_add(out, "<tr><th scope=\"row\"><a href=\"#%s\">", p->name);
	svg_escaped(p->title, out);
	text_add(out, "</a></th>");
	html_words(out, p->columns[c].name);
	count_cells(b, c, out);
	text_add(out, "</tr>\n");
}

static void summary(const struct page *page, struct text *out)
{
	struct html_column column[2 + PAGE_CLASSES] = {{"paper", true}, {"measured on", true}};

	for (unsigned k = 0; k < PAGE_CLASSES; k++)
		column[2 + k].name = page_classes[k].name;
	text_add(out, "<h2 id=\"summary\">What came out</h2>\n");
	html_table(out, "Rows by verdict", column, ARRAY_LEN(column));
	for (unsigned i = 0; i < page->n; i++)
		for (unsigned c = 0;
			paper_of(page->books[i]) && c < page_columns(paper_of(page->books[i])); c++)
			score_row(page->books[i], c, out);
	html_table_end(out);
	text_add(out,
		"<p class=\"dim\">Rows with a number of the paper and a band that "
		"was decided before they were measured. <i>Near</i> is outside the band, but no "
		"farther from it than the band is wide. <i>Not comparable</i>: the paper measured "
		"private traces. <i>Calibration</i>: the number sets a parameter of the machine. A "
		"row without a verdict has no number of the paper to be judged by. "
		"<code>--why</code> measures which limits of the machine a row follows.</p>\n");
}

static void contents_of(const struct book *b, struct text *out)
{
	const struct target *last = NULL;
	unsigned n;
	const struct book_said *said = book_rows(b, &n);

	text_add(out, "<p>");
	for (unsigned i = 0; i < n; i++) {
		const struct target *t = said[i].target;

		if (t != last)
			text_add(out, "<a href=\"#%s\">%s</a> ", t->name, t->name);
		last = t;
	}
	text_add(out, "</p>\n");
}

/* ---- rows by what came out */
static void index_of(const struct book *b, unsigned c, enum page_class class, struct text *out)
{
	const struct paper *p = paper_of(b);
	const struct target *last = NULL;
	unsigned n, k = 0;
	const struct book_said *said = book_rows(b, &n);

	if (!count(b, c, class))
		return;
	text_add(out, "<h3 id=\"%s-%s-%s\"><span class=\"v %s\">%s</span> <span>",
		page_classes[class].mark, p->name, p->columns[c].key, page_classes[class].mark,
		page_classes[class].name);
	html_add(out, "%s, %s", p->title, p->columns[c].name);
	text_add(out, "</span></h3>\n<div class=\"index\">\n");
	for (unsigned i = 0; i < n; i++) {
		const struct target *t = said[i].target;

		k = t == last ? k + 1 : 1;
		last = t;
		if (page_class_of(&said[i], c) != class)
			continue;
		text_add(out, "<a href=\"#%s-%u\">%s: ", t->name, k, t->name);
		svg_escaped(said[i].row.text, out);
		text_add(out, "</a>\n");
	}
	text_add(out, "</div>\n");
}

static void indices(const struct page *page, struct text *out)
{
	text_add(out, "<h2 id=\"verdicts\">Rows by what came out</h2>\n");
	for (unsigned i = 0; i < page->n; i++)
		for (unsigned k = 0; k < PAGE_CLASSES; k++)
			for (unsigned c = 0; paper_of(page->books[i]) &&
					     c < page_columns(paper_of(page->books[i]));
				c++)
				index_of(page->books[i], c, (enum page_class)k, out);
}

/* ---- the build */
#ifdef __clang__
#define COMPILER ""
#else
#define COMPILER "gcc "
#endif

/* What was asked for: --all, or a table, and workloads. */
static void command(const struct page *page, struct text *out)
{
	const struct paper_options *o = page->o;

	text_add(out, "warpbeam reproduce");
	html_add(out, " %s", o->target);
	for (unsigned i = 0; i < o->workloads.n; i++)
		html_add(out, " %s", o->workloads.at[i]);
	text_add(out, " --html FILE%s", o->run.size ? " --size full" : "");
	if (o->run.seed_given)
		text_add(out, " --seed %" PRIu64, o->run.seed);
	for (unsigned i = 0; i < o->run.set.n; i++)
		html_add(out, " --set %s", o->run.set.at[i]);
}

static void build(const struct page *page, struct text *out)
{
	static const struct html_column columns[] = {{"of", true}, {"is", true}};
	const char *const rows[][2] = {{"version", program_version()}, {"commit", program_build()},
		{"compiler", COMPILER __VERSION__}};

	text_add(out, "<h2 id=\"build\">Build and commands</h2>\n");
	html_table(out, "Build", columns, ARRAY_LEN(columns));
	for (unsigned i = 0; i < ARRAY_LEN(rows); i++) {
		html_row(out);
		html_name(out, rows[i][0]);
		html_long(out, rows[i][1]);
		html_row_end(out);
	}
	text_add(out, "<tr><th scope=\"row\">this page</th><td class=\"long\"><code>");
	command(page, out);
	text_add(out, "</code></td></tr>\n");
	html_table_end(out);
	text_add(out,
		"<p>Above each table or figure is the command that makes it alone. With "
		"<code>--json</code>, <code>--csv</code> or <code>--svg</code> it writes the same "
		"for programs; with <code>--out FILE.sqlite</code> it keeps its runs and uses "
		"those that it has.</p>\n");
}

int page_write(const struct page *page, struct session *s, struct text *out, struct err *err)
{
	html_open_style(out, "Papers' tables and figures, measured", "", page_style);
	title(page, out);
	html_tools(out);
	text_add(out, "<nav><p><a href=\"#summary\">What came out</a> <a href=\"#verdicts\">by "
		      "verdict</a> <a href=\"#build\">build</a> <a "
		      "href=\"#parameters\">parameters</a></p>\n");
	for (unsigned i = 0; i < page->n; i++)
		contents_of(page->books[i], out);
	text_add(out, "</nav>\n");
	summary(page, out);
	for (unsigned i = 0; i < page->n; i++)
		page_book(page, page->books[i], out);
	indices(page, out);
	build(page, out);
	if (page_settings(&page->o->run, s, out, err))
		return -1;
	html_close(out, false);
	return 0;
}
