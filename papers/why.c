/* Why rows differ from the paper's: experiments in which one limit of the machine is removed
 * (chip/limits.h), on all rows, those within their bands included. A limit is a cause only as far
 * as the row follows it and the limit's own observable moves. */
#include "papers/cases.h"
#include "papers/page.h"
#include "papers/papers.h"

#include "chip/limits.h"
#include "runs/json.h"
#include "runs/report.h"

#include <inttypes.h>
#include <string.h>

/* The distance that must be gone for "in part". */
#define PART 0.25

enum outcome {
	OUTCOME_CONSISTENT, /* within the band without the limit; the observable moved */
	OUTCOME_PART,       /* nearer by PART at least */
	OUTCOME_REFUTED,    /* the observable moved, the row did not follow */
	OUTCOME_IDLE,       /* the observable did not move: nothing is known */
	OUTCOME_NEEDED,     /* of a row within its band: outside without the limit */
	OUTCOME_HOLDS,      /* and within */
	OUTCOME_MISSING,    /* a run without the limit fails, as a CTA that does not fit */
	OUTCOME_APART, /* the row's runs are the same without the limit, as those without time */
	OUTCOMES
};
static const char *const outcome_names[] = {"consistent", "in part", "refuted", "idle",
	"not within its band without", "within its band without", "missing without",
	"no part of its runs"};

struct trial_of {
	enum outcome outcome;
	double ours, before, after; /* the row without the limit; the observable with and without */
};

/* How far outside its band a row is; NAN: not judged, or missing. */
static double distance(const struct book_said *s)
{
	double ours = s->ours[0];

	if (s->row.judge != BOOK_BAND || isnan(ours))
		return NAN;
	return fmax(0, fmax(s->row.low - ours, ours - s->row.high));
}

/* The limit's observable, as the mean over the row's runs; NAN: they have none. */
static double observable(const struct limit *l, const struct book *b, const struct book_said *s)
{
	double sum = 0;
	unsigned n = 0;

	for (unsigned i = 0; i < s->nused; i++) {
		const json_t *report = point_report(book_point(b, s, i));
		double v = point_metric(report, l->metric);

		if (l->by)
			v /= point_metric(report, l->by);
		sum += isnan(v) ? 0 : v;
		n += isnan(v) ? 0 : 1;
	}
	return n ? sum / n : NAN;
}

/* Whether lifting the limit changes no run of the row. */
static bool is_apart(const struct cases *c, unsigned row, unsigned k)
{
	const struct book_said *with = cases_row(c, 0, row), *without = cases_row(c, k + 1, row);
	bool same = with->nused == without->nused;

	for (unsigned i = 0; same && i < with->nused; i++)
		same = book_point(c->books[0], with, i) == book_point(c->books[k + 1], without, i);
	return same;
}

/* Case 0 is the machine with all limits, case k + 1 the one without limit k. */
static struct trial_of trial_of(const struct cases *c, unsigned row, unsigned k)
{
	const struct book_said *with = cases_row(c, 0, row), *without = cases_row(c, k + 1, row);
	double far = distance(with), rest = distance(without);
	struct trial_of t = {OUTCOME_IDLE, without->ours[0],
		observable(&limits[k], c->books[0], with),
		observable(&limits[k], c->books[k + 1], without)};

	if (is_apart(c, row, k))
		t.outcome = OUTCOME_APART;
	else if (isnan(rest))
		t.outcome = OUTCOME_MISSING;
	else if (far == 0)
		t.outcome = rest == 0 ? OUTCOME_HOLDS : OUTCOME_NEEDED;
	else if (!limit_moved(&limits[k], t.before, t.after))
		t.outcome = OUTCOME_IDLE;
	else if (rest == 0)
		t.outcome = OUTCOME_CONSISTENT;
	else
		t.outcome = rest <= (1 - PART) * far ? OUTCOME_PART : OUTCOME_REFUTED;
	return t;
}

/* ---- text */
static void trial_line(const struct limit *l, const struct trial_of *t, struct text *out)
{
	char ours[32], before[32], after[32];

	text_add(out, "             %s: %s: %s", outcome_names[t->outcome], l->name,
		page_number(t->ours, ours));
	text_add(out, " (%s%s%s: %s, then %s)\n", l->metric, l->by ? " by " : "",
		l->by ? l->by : "", page_number(t->before, before), page_number(t->after, after));
}

static void names_line(
	const struct trial_of *t, enum outcome outcome, const char *words, struct text *out)
{
	unsigned n = 0;

	for (unsigned k = 0; k < limits_of_machine(); k++)
		if (t[k].outcome == outcome)
			text_add(out, "%s%s", n++ ? ", " : "             ", limits[k].name);
	if (n)
		text_add(out, ": %s\n", words);
}

static unsigned count(const struct trial_of *t, enum outcome outcome)
{
	unsigned n = 0;

	for (unsigned k = 0; k < limits_of_machine(); k++)
		n += t[k].outcome == outcome;
	return n;
}

static void row_lines(const struct cases *c, unsigned i, unsigned found[OUTCOMES], struct text *out)
{
	const struct book_said *s = cases_row(c, 0, i);
	struct trial_of *t = arena_alloc(c->arena, limits_of_machine(), sizeof(*t));
	char paper[32], ours[32], low[32], high[32];
	unsigned apart;

	if (isnan(distance(s)))
		return;
	text_add(out, "  %-8s\t%-48s\t%9s\t%9s \t%s .. %s \t%s\n", s->row.claim, s->row.text,
		page_number(s->row.paper, paper), page_number(s->ours[0], ours),
		page_number(s->row.low, low), page_number(s->row.high, high),
		cases_verdict(c, 0, i));
	for (unsigned k = 0; k < limits_of_machine(); k++) {
		t[k] = trial_of(c, i, k);
		if (t[k].outcome <= OUTCOME_PART || t[k].outcome == OUTCOME_NEEDED)
			trial_line(&limits[k], &t[k], out);
	}
	names_line(t, OUTCOME_REFUTED, "refuted: their observables moved, the row did not", out);
	names_line(t, OUTCOME_MISSING, "missing: without them its runs fail", out);
	apart = count(t, OUTCOME_APART);
	if (apart < limits_of_machine())
		names_line(t, OUTCOME_APART, "no part: its runs do not have them", out);
	if (apart == limits_of_machine())
		text_add(out, "             no limit takes part in its runs\n");
	if (distance(s) == 0 || apart == limits_of_machine())
		return;
	found[count(t, OUTCOME_CONSISTENT) ? OUTCOME_CONSISTENT
		: count(t, OUTCOME_PART)   ? OUTCOME_PART
					   : OUTCOME_REFUTED]++;
	if (!count(t, OUTCOME_CONSISTENT) && !count(t, OUTCOME_PART))
		text_add(out, "             none found: %u limits tried, %u had an effect\n",
			limits_of_machine() - apart, count(t, OUTCOME_REFUTED));
}

static void write_text(void *ctx, struct text *out)
{
	const struct cases *c = ctx;
	const struct paper_options *o = book_options(c->books[0]);
	unsigned n, found[OUTCOMES] = {0};
	const struct book_said *rows = book_rows(c->books[0], &n);

	text_add(out,
		"warpbeam %s (%s): figures of %s\nsize %s, seed %" PRIu64
		"; without each of %u limits, one at a time\n",
		program_version(), program_build(), book_paper(c->books[0])->title,
		o->run.size ? "full" : "small", o->run.seed, limits_of_machine());
	book_machine_lines(c->books[0], out);
	for (unsigned i = 0; i < n; i++) {
		if (!i || rows[i].target != rows[i - 1].target)
			text_add(out, "\n%s: %s\n", rows[i].target->name, rows[i].target->text);
		row_lines(c, i, found, out);
	}
	text_add(out,
		"\nrows outside their bands: %u consistent with a limit, %u in part, %u with none "
		"found; %u limits tried on each\n",
		found[OUTCOME_CONSISTENT], found[OUTCOME_PART], found[OUTCOME_REFUTED],
		limits_of_machine());
}

/* ---- CSV and JSON */
static void csv_number(double v, struct text *out)
{
	char number[32];

	report_real(v, number);
	text_add(out, ",%s", isnan(v) ? "" : number);
}

static void write_csv(void *ctx, struct text *out)
{
	const struct cases *c = ctx;
	unsigned n;
	const struct book_said *rows = book_rows(c->books[0], &n);

	text_add(out,
		"table,row,claim,limit,outcome,paper,ours,without,observable,observable_without\n");
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; k < limits_of_machine() && !isnan(distance(&rows[i])); k++) {
			struct trial_of t = trial_of(c, i, k);

			text_add(out, "%s,%u,%s,%s,%s", rows[i].target->name, i, rows[i].row.claim,
				limits[k].name, outcome_names[t.outcome]);
			csv_number(rows[i].row.paper, out);
			csv_number(rows[i].ours[0], out);
			csv_number(t.ours, out);
			csv_number(t.before, out);
			csv_number(t.after, out);
			text_add(out, "\n");
		}
}

static json_t *row_json(const struct cases *c, unsigned i)
{
	const struct book_said *s = cases_row(c, 0, i);
	json_t *j = json_object(), *trials = json_array();

	for (unsigned k = 0; k < limits_of_machine(); k++) {
		struct trial_of t = trial_of(c, i, k);
		json_t *one = json_object();

		json_add(one, "limit", json_string(limits[k].name));
		json_add(one, "outcome", json_string(outcome_names[t.outcome]));
		json_add(one, "ours", json_number(t.ours));
		json_add(one, "observable", json_number(t.before));
		json_add(one, "observable_without", json_number(t.after));
		json_append(trials, one);
	}
	json_add(j, "table", json_string(s->target->name));
	json_add(j, "claim", json_string(s->row.claim));
	json_add(j, "text", json_name(s->row.text));
	json_add(j, "paper", json_number(s->row.paper));
	json_add(j, "low", json_number(s->row.low));
	json_add(j, "high", json_number(s->row.high));
	json_add(j, "ours", json_number(s->ours[0]));
	json_add(j, "verdict", json_string(cases_verdict(c, 0, i)));
	json_add(j, "limits", trials);
	return j;
}

static int write_json(void *ctx, struct text *out)
{
	const struct cases *c = ctx;
	const struct paper_options *o = book_options(c->books[0]);
	json_t *j = json_object(), *all = json_array();
	unsigned n;
	const struct book_said *rows = book_rows(c->books[0], &n);

	for (unsigned i = 0; i < n; i++)
		if (!isnan(distance(&rows[i])))
			json_append(all, row_json(c, i));
	json_add(j, "schema", json_integer(1));
	json_add(j, "program", json_program());
	json_add(j, "size", json_string(o->run.size ? "full" : "small"));
	json_add(j, "seed", json_whole(o->run.seed));
	json_add(j, "machines", book_machines(c->books[0]));
	json_add(j, "limits_tried", json_whole(limits_of_machine()));
	json_add(j, "rows", all);
	return json_print(j, out);
}

int papers_measure_why(const struct target *const *some, unsigned n, const struct paper_options *o,
	struct session *s, struct err *err)
{
	static const struct cases_writers writers = {write_json, write_csv, write_text};
	struct book_case *cases = arena_alloc(&s->arena, limits_of_machine() + 1, sizeof(*cases));

	cases[0] = (struct book_case){.name = "all limits", .text = "", .set = ""};
	for (unsigned k = 0; k < limits_of_machine(); k++)
		cases[k + 1] = (struct book_case){.name = limits[k].name,
			.text = limits[k].text,
			.set = limits[k].set ? limits[k].set : "",
			.partitioned = limits[k].partitioned,
			.unified = limits[k].unified,
			.fermi = limits[k].fermi,
			.carveout = limits[k].carveout,
			.may_fail = true};
	return cases_measure(
		&(struct cases_ask){cases, limits_of_machine() + 1, some, n, &writers, "--why"}, o,
		s, err);
}
