/* Tables in several cases: measuring them, and text, CSV and JSON of all of them. */
#include "papers/cases.h"

#include "draw/csv.h"
#include "papers/book_inside.h"
#include "papers/page.h"
#include "papers/score.h"
#include "runs/json.h"
#include "runs/report.h"
#include "runs/results/results.h"

#include <inttypes.h>
#include <string.h>

const struct book_said *cases_row(const struct cases *c, unsigned k, unsigned i)
{
	unsigned n;
	const struct book_said *rows = book_rows(c->books[k], &n);

	BUG_ON(i >= n);
	return &rows[i];
}

const char *cases_verdict(const struct cases *c, unsigned k, unsigned i)
{
	const struct book_said *s = cases_row(c, k, i);

	return book_verdict(&s->row, s->ours[0]);
}

/* ---- text */
static const char *mark(const char *verdict)
{
	return !strcmp(verdict, "within") ? "+"
	       : !strcmp(verdict, "near") ? "~"
	       : *verdict                 ? "-"
					  : " ";
}

static void row_line(const struct cases *c, unsigned i, struct text *out)
{
	const struct book_said *s = cases_row(c, 0, i);
	char paper[32], low[32], high[32], ours[32], band[72] = "";

	if (!isnan(s->row.low))
		snprintf(band, sizeof(band), "%s .. %s", page_number(s->row.low, low),
			page_number(s->row.high, high));
	text_add(out, "  %-8s\t%-44s\t%9s \t%-18s", s->row.claim, s->row.text,
		page_number(s->row.paper, paper), band);
	for (unsigned k = 0; k < c->n; k++)
		text_add(out, "\t%8s\t%s", page_number(cases_row(c, k, i)->ours[0], ours),
			mark(cases_verdict(c, k, i)));
	text_add(out, " \t%s\n", s->row.unit);
}

static void head_lines(const struct cases *c, const struct target *t, struct text *out)
{
	text_add(out, "\n%s: %s\n\v  %-8s\t%-44s\t%9s \t%-18s", t->name, t->text, "claim", "",
		"paper", "band");
	for (unsigned k = 0; k < c->n; k++)
		text_add(out, "\t%8u  ", k + 1);
	text_add(out, "\n");
}

enum line { LINE_ERROR, LINE_RANK, LINE_WITHIN };

static void score_line(struct score (*scores)[SCORE_UNITS], unsigned n, unsigned u, enum line line,
	struct text *out)
{
	static const char *const names[] = {[LINE_ERROR] = "mean absolute error",
		[LINE_RANK] = "rank correlation",
		[LINE_WITHIN] = "within the band, %"};
	char number[32];

	text_add(out, "  %-8s\t%-44s\t%9s \t%-18s", "", names[line], "", "");
	for (unsigned k = 0; k < n; k++) {
		const struct score *s = &scores[k][u];
		double share = s->judged ? 100.0 * s->within / s->judged : NAN;

		text_add(out, "\t%8s  ",
			page_number(line == LINE_ERROR  ? s->error
				    : line == LINE_RANK ? s->rank
							: share,
				number));
	}
	text_add(out, " \t%s\n", scores[0][u].unit);
}

static void scores_of(const struct cases *c, const struct target *t, struct text *out)
{
	struct score(*scores)[SCORE_UNITS] = arena_alloc(c->arena, c->n, sizeof(*scores));
	unsigned n, units = 0;

	for (unsigned k = 0; k < c->n; k++) {
		const struct book_said *rows = book_rows(c->books[k], &n);

		units = score_target(rows, n, t, 0, c->arena, scores[k]);
	}
	for (unsigned u = 0; u < units; u++)
		for (enum line l = LINE_ERROR; l <= LINE_WITHIN && scores[0][u].judged; l++)
			score_line(scores, c->n, u, l, out);
}

static void case_lines(const struct book_case *c, unsigned number, struct text *out)
{
	text_add(out, "%3u  %s: %s\n       %s", number, c->name, c->text,
		*c->set ? c->set : "unchanged");
	if (c->unified)
		text_add(out, "; unified: %s", c->unified);
	if (c->best)
		text_add(out, ", and the fastest with");
	for (const char *const *more = c->best; more && *more; more++)
		text_add(out, " %s", *more);
	text_add(out, "\n");
}

static void write_text(void *ctx, struct text *out)
{
	const struct cases *c = ctx;
	const struct paper_options *o = book_options(c->books[0]);
	unsigned n;
	const struct book_said *rows = book_rows(c->books[0], &n);

	text_add(out, "warpbeam %s (%s): figures of %s\nsize %s, seed %" PRIu64 "; %u cases\n",
		program_version(), program_build(), book_paper(c->books[0])->title,
		o->run.size ? "full" : "small", o->run.seed, c->n);
	book_fitted_line(c->books[0], out);
	book_machine_lines(c->books[0], out);
	for (unsigned k = 0; k < c->n; k++)
		case_lines(&c->cases[k], k + 1, out);
	for (unsigned i = 0; i < n; i++) {
		if (!i || rows[i].target != rows[i - 1].target)
			head_lines(c, rows[i].target, out);
		row_line(c, i, out);
		if (i + 1 == n || rows[i].target != rows[i + 1].target)
			scores_of(c, rows[i].target, out);
	}
}

/* ---- CSV */
static void write_csv(void *ctx, struct text *out)
{
	const struct cases *c = ctx;
	unsigned n;
	const struct book_said *rows = book_rows(c->books[0], &n);
	char number[32];

	text_add(out, "table,claim,text,paper,low,high,unit");
	for (unsigned k = 0; k < c->n; k++) {
		text_add(out, ",");
		csv_words(c->cases[k].name, out);
		text_add(out, ",verdict");
	}
	text_add(out, "\n");
	for (unsigned i = 0; i < n; i++) {
		const struct book_row *row = &rows[i].row;
		const double figures[] = {row->paper, row->low, row->high};

		text_add(out, "%s,%s,", rows[i].target->name, row->claim);
		csv_words(row->text, out);
		for (unsigned f = 0; f < ARRAY_LEN(figures); f++) {
			report_real(figures[f], number);
			text_add(out, ",%s", isnan(figures[f]) ? "" : number);
		}
		text_add(out, ",%s", row->unit);
		for (unsigned k = 0; k < c->n; k++) {
			double ours = cases_row(c, k, i)->ours[0];

			report_real(ours, number);
			text_add(out, ",%s,%s", isnan(ours) ? "" : number, cases_verdict(c, k, i));
		}
		text_add(out, "\n");
	}
}

/* ---- JSON */
static json_t *row_json(const struct cases *c, unsigned i)
{
	const struct book_said *s = cases_row(c, 0, i);
	json_t *j = json_object(), *ours = json_array(), *verdicts = json_array();

	for (unsigned k = 0; k < c->n; k++) {
		json_append(ours, json_number(cases_row(c, k, i)->ours[0]));
		json_append(verdicts, json_string(cases_verdict(c, k, i)));
	}
	json_add(j, "table", json_string(s->target->name));
	json_add(j, "claim", *s->row.claim ? json_string(s->row.claim) : json_null());
	json_add(j, "text", json_name(s->row.text));
	json_add(j, "paper", json_number(s->row.paper));
	json_add(j, "low", json_number(s->row.low));
	json_add(j, "high", json_number(s->row.high));
	json_add(j, "unit", json_string(s->row.unit));
	json_add(j, "ours", ours);
	json_add(j, "verdicts", verdicts);
	return j;
}

static void add_scores(const struct cases *c, unsigned k, const struct target *t, json_t *list)
{
	struct score scores[SCORE_UNITS];
	unsigned n, units;
	const struct book_said *rows = book_rows(c->books[k], &n);

	units = score_target(rows, n, t, 0, c->arena, scores);
	for (unsigned u = 0; u < units; u++)
		json_append(list, score_json(t->name, &scores[u]));
}

static int write_json(void *ctx, struct text *out)
{
	const struct cases *c = ctx;
	const struct paper_options *o = book_options(c->books[0]);
	json_t *j = json_object(), *list = json_array(), *all = json_array();
	unsigned n;
	const struct book_said *rows = book_rows(c->books[0], &n);

	for (unsigned k = 0; k < c->n; k++) {
		json_t *one = json_object(), *scores = json_array();

		for (unsigned i = 0; i < n; i++)
			if (!i || rows[i].target != rows[i - 1].target)
				add_scores(c, k, rows[i].target, scores);
		json_add(one, "name", json_string(c->cases[k].name));
		json_add(one, "text", json_string(c->cases[k].text));
		json_add(one, "settings", json_string(c->cases[k].set));
		json_add(one, "settings_unified", json_name(c->cases[k].unified));
		json_add(one, "scores", scores);
		json_append(list, one);
	}
	for (unsigned i = 0; i < n; i++)
		json_append(all, row_json(c, i));
	json_add(j, "schema", json_integer(1));
	json_add(j, "program", json_program());
	json_add(j, "size", json_string(o->run.size ? "full" : "small"));
	json_add(j, "seed", json_whole(o->run.seed));
	json_add(j, "machines", book_machines(c->books[0]));
	json_add(j, "cases", list);
	json_add(j, "rows", all);
	return json_print(j, out);
}

const struct cases_writers cases_side_by_side = {write_json, write_csv, write_text};

/* ---- measuring */
static int measure(struct cases *c, const struct cases_ask *ask, const struct paper_options *o,
	struct results *results, struct err *err)
{
	struct points *points = points_new(&o->run, results, c->arena);

	c->books = arena_alloc(c->arena, c->n + 1, sizeof(*c->books));
	for (unsigned i = 0; i < c->n; i++) {
		c->books[i] = book_new(ask->targets, ask->ntargets, o, points, c->arena, err);
		if (!c->books[i])
			return -1;
		c->books[i]->in = &c->cases[i];
	}
	return book_fill(c->books, c->n, points, err);
}

int cases_measure(const struct cases_ask *ask, const struct paper_options *o, struct session *s,
	struct err *err)
{
	const struct cases_writers *w = ask->writers;
	struct cases c = {.cases = ask->cases, .n = ask->n, .arena = &s->arena};
	struct output_texts outputs = {&c, w->json, w->csv, NULL, w->text};
	struct results *results;

	if (o->html || o->files.svg)
		return err_add(err, ERR_USAGE, "--html and --svg go without %s", ask->option);
	results = o->out ? results_keep(o->run.files, o->out, &s->arena, err) : NULL;
	if ((o->out && !results) || measure(&c, ask, o, results, err))
		return -1;
	return output_results(&o->files, &outputs, &s->out, err);
}
