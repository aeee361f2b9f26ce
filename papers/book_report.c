/* Tables and figures beside the papers': text, CSV and JSON. */
#include "papers/book.h"

#include "draw/csv.h"
#include "papers/page.h"
#include "papers/papers.h"
#include "papers/score.h"
#include "runs/json.h"
#include "runs/report.h"
#include "runs/results/results.h"
#include "runs/roll.h"
#include "runs/work.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SCHEMA 2

/* More digits for small numbers. */
static const char *number(double v, char out[32])
{
	double size = fabs(v);

	if (isnan(v))
		return "";
	snprintf(out, 32, "%.*f", size < 10 ? 3 : size < 100 ? 2 : 1, v);
	return out;
}

static const struct paper *paper_of(const struct book_said *s)
{
	return s->paper;
}

/* Columns in a row's line; the others are printed below misses. */
static bool is_judged(const struct paper *p, unsigned c)
{
	return c < p->ncolumns && p->columns[c].judged;
}

/* Of those, columns that the target is measured in. */
static bool is_shown(const struct book_said *s, unsigned c)
{
	return is_judged(s->paper, c) && (!c || s->columns >> c & 1);
}

static const char *verdict(const struct book_said *s, unsigned c)
{
	return book_measures(s, c) ? book_verdict(&s->row, s->ours[c]) : "";
}

/* ---- text */
/* A miss in the other columns, where it differs. */
static void other_lines(const struct book_said *s, struct text *out)
{
	const struct paper *p = paper_of(s);
	char ours[32], other[32];

	if (s->row.judge != BOOK_BAND || !strcmp(verdict(s, 0), "within"))
		return;
	for (unsigned c = 1; c < p->ncolumns; c++) {
		const char *now = number(s->ours[0], ours), *then = number(s->ours[c], other);

		if (!p->columns[c].judged && *then && strcmp(now, then))
			text_add(out, "             %s: %s\n", p->columns[c].name, then);
	}
}

static bool has_note(const struct book_said *s, unsigned c)
{
	return is_judged(paper_of(s), c) && s->note[c];
}

static bool same_note(const struct book_said *s, unsigned c, unsigned other)
{
	return has_note(s, other) && !strcmp(s->note[c], s->note[other]);
}

/* A note, whatever the verdict: once for all columns that have it. */
static void note_lines(const struct book_said *s, struct text *out)
{
	const struct paper *p = paper_of(s);

	for (unsigned c = 0; c < BOOK_COLUMNS; c++) {
		bool said = false;

		for (unsigned k = 0; k < c && has_note(s, c); k++)
			said |= same_note(s, c, k);
		if (!has_note(s, c) || said)
			continue;
		text_add(out, "             ");
		for (unsigned k = c; k < BOOK_COLUMNS && is_judged(p, 1); k++)
			if (same_note(s, c, k))
				text_add(out, "%s%s", k > c ? ", " : "",
					target_column(s->target, k));
		text_add(out, "%s%s\n", is_judged(p, 1) ? ": " : "", s->note[c]);
	}
}

static void row_lines(const struct book_said *s, struct text *out)
{
	const struct book_row *row = &s->row;
	char paper[32], ours[32], low[32], high[32], band[72] = "";

	if (!isnan(row->low))
		snprintf(band, sizeof(band), "%s .. %s", number(row->low, low),
			number(row->high, high));
	text_add(out, "  %-8s\t%-58s\t%9s\t%9s \t%-18s\t%-14s", row->claim, row->text,
		number(row->paper, paper), number(row->ours, ours), band, verdict(s, 0));
	for (unsigned c = 1; c < BOOK_COLUMNS; c++)
		if (is_shown(s, c))
			text_add(out, "\t%9s\t%-8s", number(s->ours[c], ours), verdict(s, c));
	text_add(out, "\t%s\n", row->unit);
	note_lines(s, out);
	other_lines(s, out);
}

static void head_lines(const struct book_said *s, struct text *out)
{
	const struct target *t = s->target;
	const struct paper *p = s->paper;

	text_add(out, "\n%s: %s\n\v  %-8s\t%-58s\t%9s\t%9s \t%-18s\t%s", t->name, t->text, "claim",
		"", "paper", is_judged(p, 1) ? target_column(t, 0) : "ours", "band", "verdict");
	if (is_judged(p, 1))
		text_add(out, "%7s", "");
	for (unsigned c = 1; c < BOOK_COLUMNS; c++)
		if (is_shown(s, c))
			text_add(out, "\t%9s\t%-8s", p->columns[c].name, "verdict");
	text_add(out, "\n");
}

static void within_lines(const struct book *b, const struct paper *p, struct text *out)
{
	for (unsigned c = 0; c < BOOK_COLUMNS; c++) {
		struct book_score score = book_score(b, NULL, c);

		if (!is_judged(p, c) || !score.judged)
			continue;
		text_add(out, c ? "" : "\n");
		text_add(out, "within the band%s%s: %u of %u\n", is_judged(p, 1) ? ", " : "",
			is_judged(p, 1) ? p->columns[c].name : "", score.within, score.judged);
	}
}

/* The files of other compilers' PTX that rows were measured on, with their hashes; a file that
 * cannot be read is reported by the runs. */
static void foreign_lines(const struct book *b, struct text *out)
{
	const struct run_options *o = &book_options(b)->run;
	struct err ignored = {0};

	for (unsigned w = 0; w < book_workloads(b) && o->ptx_dir; w++)
		work_foreign_hashes(book_workload(b, w), o->ptx_dir, o->files, out, &ignored);
	err_clear(&ignored);
}

void book_fitted_line(const struct book *b, struct text *out)
{
	unsigned n = 0;

	for (unsigned w = 0; w < book_workloads(b); w++)
		if (book_is_fitted(b, w))
			text_add(out, "%s %s",
				n++ ? "," : "fitted, in no score:", book_workload(b, w));
	text_add(out, n ? "\n" : "");
}

void book_text(const struct book *b, struct text *out)
{
	const struct paper_options *o = book_options(b);
	const struct target *target = NULL;
	unsigned n;
	const struct book_said *said = book_rows(b, &n);

	text_add(out,
		"warpbeam %s (%s): figures of %s\n"
		"size %s, seed %" PRIu64 ", %s; ",
		program_version(), program_build(), n ? paper_of(said)->title : "",
		o->run.size ? "full" : "small", o->run.seed,
		o->run.ptx_dir ? "our PTX with 32-bit addresses" : "32-bit addresses");
	if (book_runs(b))
		text_add(out, "%u workload%s\n", book_workloads(b),
			book_workloads(b) == 1 ? "" : "s");
	else
		text_add(out, "no workload runs\n");
	foreign_lines(b, out);
	book_fitted_line(b, out);
	book_machine_lines(b, out);
	for (unsigned i = 0; i < n; i++) {
		if (said[i].target != target)
			head_lines(&said[i], out);
		target = said[i].target;
		row_lines(&said[i], out);
		if (i + 1 == n || said[i + 1].target != target)
			score_lines(b, target, out);
	}
	if (n)
		within_lines(b, paper_of(said), out);
}

/* ---- CSV: columns are those of the first row's paper */
static void csv_number(double v, struct text *out)
{
	char text[32] = "";

	if (!isnan(v))
		report_real(v, text);
	text_add(out, ",%s", text);
}

static void csv_head(const struct paper *p, struct text *out)
{
	text_add(out, "table,claim,text,paper,ours,low,high,verdict,unit,note");
	for (unsigned c = 1; c < p->ncolumns; c++) {
		text_add(out, ",%s", p->columns[c].key);
		if (is_judged(p, c))
			text_add(out, ",%s_verdict,%s_note", p->columns[c].key, p->columns[c].key);
	}
	text_add(out, "\n");
}

static void csv_row(const struct book_said *s, const struct paper *p, struct text *out)
{
	const struct book_row *row = &s->row;

	text_add(out, "%s,%s,", s->target->name, row->claim);
	csv_words(row->text, out);
	csv_number(row->paper, out);
	csv_number(row->ours, out);
	csv_number(row->low, out);
	csv_number(row->high, out);
	text_add(out, ",%s,%s,", verdict(s, 0), row->unit);
	csv_words(row->note ? row->note : "", out);
	for (unsigned c = 1; c < p->ncolumns; c++) {
		csv_number(s->ours[c], out);
		if (!is_judged(p, c))
			continue;
		text_add(out, ",%s,", verdict(s, c));
		csv_words(s->note[c] ? s->note[c] : "", out);
	}
	text_add(out, "\n");
}

void book_csv(const struct book *b, struct text *out)
{
	unsigned n;
	const struct book_said *said = book_rows(b, &n);

	if (n)
		csv_head(paper_of(said), out);
	for (unsigned i = 0; i < n; i++)
		csv_row(&said[i], paper_of(said), out);
}

/* ---- JSON */
static void add_column(json_t *j, const struct book_said *s, unsigned c)
{
	const struct book_column *column = &paper_of(s)->columns[c];
	char key[64];

	json_add(j, column->key, json_number(s->ours[c]));
	if (!column->judged)
		return;
	snprintf(key, sizeof(key), "%s_verdict", column->key);
	json_add(j, key, json_string(verdict(s, c)));
	snprintf(key, sizeof(key), "%s_note", column->key);
	json_add(j, key, json_name(s->note[c]));
}

static json_t *row_json(const struct book_said *s)
{
	const struct book_row *row = &s->row;
	json_t *j = json_object();

	json_add(j, "table", json_string(s->target->name));
	json_add(j, "claim", *row->claim ? json_string(row->claim) : json_null());
	json_add(j, "text", json_name(row->text));
	json_add(j, "paper", json_number(row->paper));
	json_add(j, "ours", json_number(row->ours));
	json_add(j, "low", json_number(row->low));
	json_add(j, "high", json_number(row->high));
	json_add(j, "verdict", json_string(verdict(s, 0)));
	json_add(j, "unit", json_string(row->unit));
	json_add(j, "note", json_name(row->note));
	json_add(j, "fitted", json_boolean(s->fitted));
	for (unsigned c = 1; c < paper_of(s)->ncolumns; c++)
		add_column(j, s, c);
	return j;
}

static json_t *dot_json(const struct book_curve_dot *d)
{
	json_t *j = json_object();

	json_add(j, "table", json_string(d->target->name));
	json_add(j, "column", json_string(d->paper->columns[d->column].key));
	json_add(j, "picture", json_name(d->dot.title));
	json_add(j, "curve", json_name(d->dot.series));
	json_add(j, "x", json_number(d->dot.x));
	json_add(j, "y", json_number(d->dot.y));
	return j;
}

static json_t *foreign_json(const struct book *b)
{
	json_t *list = json_array();
	struct text lines = {0};

	foreign_lines(b, &lines);
	for (const char *at = text_str(&lines); *at;) {
		size_t n = strcspn(at, " "), end = strcspn(at, "\n");
		json_t *file = json_object();

		json_add(file, "path", json_words(at, n));
		json_add(file, "fnv1a", json_words(at + n + 1, end - n - 1));
		json_append(list, file);
		at += end + 1;
	}
	text_clear(&lines);
	return list;
}

int book_json(const struct book *b, struct text *out)
{
	json_t *j = json_object(), *rows = json_array(), *workloads = json_array(),
	       *dots = json_array();
	const struct paper_options *o = book_options(b);
	unsigned n, ndots;
	const struct book_said *said = book_rows(b, &n);
	const struct book_curve_dot *dot = book_dots(b, &ndots);

	for (unsigned i = 0; i < n; i++)
		json_append(rows, row_json(&said[i]));
	for (unsigned i = 0; i < ndots; i++)
		json_append(dots, dot_json(&dot[i]));
	for (unsigned w = 0; w < book_workloads(b); w++)
		json_append(workloads, json_string(book_workload(b, w)));
	json_add(j, "schema", json_integer(SCHEMA));
	json_add(j, "program", json_program());
	json_add(j, "size", json_string(o->run.size ? "full" : "small"));
	json_add(j, "seed", json_whole(o->run.seed));
	json_add(j, "machines", book_machines(b));
	json_add(j, "workloads", workloads);
	if (o->run.ptx_dir)
		json_add(j, "foreign_ptx", foreign_json(b));
	json_add(j, "rows", rows);
	json_add(j, "scores", score_list(b));
	if (ndots)
		json_add(j, "curves", dots);
	else
		json_decref(dots);
	return json_print(j, out);
}

/* ---- the command */
static int write_json(void *ctx, struct text *out)
{
	return book_json(ctx, out);
}

static void write_csv(void *ctx, struct text *out)
{
	book_csv(ctx, out);
}

static void write_svg(void *ctx, struct text *out)
{
	book_svg(ctx, out);
}

static void write_text(void *ctx, struct text *out)
{
	book_text(ctx, out);
}

static int write_page(const struct book *b, const struct points *points,
	const struct paper_options *o, struct session *s, struct err *err)
{
	struct page page = {&b, 1, o, points};
	int bad = page_write(&page, s, &s->out, err) ||
		  output_file(o->run.files, o->html, &s->out, err);

	text_clear(&s->out);
	return bad ? -1 : 0;
}

int papers_measure(const struct target *const *some, unsigned n, const struct paper_options *o,
	struct session *s, struct err *err)
{
	struct results *results =
		o->out ? results_keep(o->run.files, o->out, &s->arena, err) : NULL;
	struct points *points = NULL;
	struct book *b = NULL;
	int bad = o->out && !results ? -1 : 0;

	if (!bad) {
		points = points_new(&o->run, results, &s->arena);
		b = book_new(some, n, o, points, &s->arena, err);
		bad = b ? book_fill(&b, 1, points, err) : -1;
		if (bad)
			roll_cut(o->run.roll);
	}
	if (!bad) {
		struct output_texts outputs = {b, write_json, write_csv, write_svg, write_text};

		bad = (o->html && write_page(b, points, o, s, err)) ||
		      output_results(&o->files, &outputs, &s->out, err);
	}
	points_clear(points);
	return bad;
}
