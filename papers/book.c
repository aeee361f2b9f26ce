/* The rows of tables: evaluated column by column until all runs that they need were made. */
#include "papers/book_inside.h"

#include "papers/suite.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The array with capacity for one element more. */
static void *grown(struct arena *arena, void *old, unsigned n, unsigned *room, size_t size)
{
	void *more;

	if (n < *room)
		return old;
	*room = 2 * n + 64;
	more = arena_alloc(arena, *room, size);
	if (n)
		memcpy(more, old, n * size);
	return more;
}

/* ---- designs and points */
struct design design_of(const char *chip, const char *format, ...)
{
	struct design d = {.chip = chip};
	va_list list;
	int n;

	va_start(list, format);
	n = vsnprintf(d.set, sizeof(d.set), format, list);
	va_end(list);
	BUG_ON(n < 0 || (size_t)n >= sizeof(d.set));
	return d;
}

static bool is_same(const struct design *a, const struct design *b)
{
	return a->way == b->way && !strcmp(a->chip, b->chip) && !strcmp(a->set, b->set);
}

static unsigned find_design(struct book *b, const struct design *design)
{
	unsigned k = 0, before = b->design_capacity;

	while (k < b->ndesigns && !is_same(&b->design[k], design))
		k++;
	if (k < b->ndesigns)
		return k;
	b->design = grown(b->arena, b->design, k, &b->design_capacity, sizeof(*b->design));
	if (b->design_capacity != before) {
		const struct point **asked =
			arena_alloc(b->arena, (size_t)b->design_capacity * b->nworkloads + 1,
				sizeof(const struct point *));

		if (k)
			memcpy(asked, b->asked,
				(size_t)k * b->nworkloads * sizeof(const struct point *));
		b->asked = asked;
	}
	b->design[b->ndesigns++] = *design;
	return k;
}

static const struct point *point_of(
	struct book *b, unsigned workload, const struct design *design, bool may_fail)
{
	const struct paper *paper = b->target->paper;
	struct design other =
		paper->seen && !design->as_it_is ? paper->seen(design, b->column) : *design;
	unsigned k = find_design(b, &other);
	const struct point **p = &b->asked[k * b->nworkloads + workload];

	b->runs += !*p;
	if (!*p || !may_fail)
		*p = points_ask(b->points, &(struct point_ask){.workload = b->workload[workload],
						   .chip = other.chip,
						   .set = other.set,
						   .way = other.way,
						   .may_fail = may_fail});
	b->missing += point_state(*p) == POINT_UNKNOWN;
	return *p;
}

const json_t *book_report(struct book *b, unsigned workload, const struct design *design)
{
	return point_report(point_of(b, workload, design, false));
}

const json_t *book_try(struct book *b, unsigned workload, const struct design *design)
{
	return point_report(point_of(b, workload, design, true));
}

bool book_fails(struct book *b, unsigned workload, const struct design *design)
{
	return point_state(point_of(b, workload, design, true)) == POINT_FAILS;
}

unsigned book_workloads(const struct book *b)
{
	return b->nworkloads;
}

const char *book_workload(const struct book *b, unsigned w)
{
	return b->workload[w];
}

int book_find(const struct book *b, const char *workload)
{
	for (unsigned w = 0; w < b->nworkloads; w++)
		if (!strcmp(b->workload[w], workload))
			return (int)w;
	return -1;
}

unsigned book_column(const struct book *b)
{
	return b->column;
}

const struct paper_options *book_options(const struct book *b)
{
	return b->o;
}

unsigned book_runs(const struct book *b)
{
	return b->runs;
}

/* ---- rows */
void book_say(struct book *b, const struct book_row *row)
{
	struct book_said *said;

	if (!b->column) {
		b->said = grown(b->arena, b->said, b->nsaid, &b->said_capacity, sizeof(*b->said));
		said = &b->said[b->nsaid++];
		*said = (struct book_said){.target = b->target, .row = *row};
		for (unsigned c = 1; c < BOOK_COLUMNS; c++)
			said->ours[c] = NAN;
	} else {
		said = &b->said[b->at++];
		BUG_ON(said->target != b->target);
	}
	said->ours[b->column] = row->ours;
	said->cause[b->column] = row->cause;
}

void book_say_once(struct book *b, const struct book_row *row)
{
	struct book_row nothing = {.ours = NAN};

	book_say(b, b->column ? &nothing : row);
	b->said[b->column ? b->at - 1 : b->nsaid - 1].once = true;
}

const char *book_words(struct book *b, const char *format, ...)
{
	char words[480];
	va_list list;

	if (b->missing)
		return NULL;
	va_start(list, format);
	vsnprintf(words, sizeof(words), format, list);
	va_end(list);
	return arena_strdup(b->arena, words);
}

void book_sayf(struct book *b, const struct book_row *row, const char *format, ...)
{
	struct book_row r = *row;
	va_list list;

	va_start(list, format);
	vsnprintf(r.text, sizeof(r.text), format, list);
	va_end(list);
	book_say(b, &r);
}

struct book_row book_band(
	const char *claim, const char *unit, struct band band, double ours, const char *cause)
{
	return (struct book_row){.claim = claim,
		.unit = unit,
		.paper = band.paper,
		.low = band.low,
		.high = band.high,
		.ours = ours,
		.judge = BOOK_BAND,
		.cause = cause};
}

struct book_row book_told(
	const char *claim, const char *unit, double paper, double ours, const char *cause)
{
	struct book_row row = book_band(claim, unit, (struct band){paper, NAN, NAN}, ours, cause);

	row.judge = BOOK_TOLD;
	return row;
}

struct book_row book_unjudged(struct book_row row)
{
	row.judge = BOOK_TOLD;
	return row;
}

void book_say_text(struct book *b, const char *text, struct book_row row)
{
	book_sayf(b, &row, "%s", text);
}

void book_tell(struct book *b, const char *unit, double ours, const char *format, ...)
{
	struct book_row row = book_told("", unit, NAN, ours, NULL);
	va_list list;

	va_start(list, format);
	vsnprintf(row.text, sizeof(row.text), format, list);
	va_end(list);
	book_say(b, &row);
}

void book_plot(struct book *b, const struct book_dot *dot)
{
	if (isnan(dot->x) || isnan(dot->y))
		return;
	b->dots = grown(b->arena, b->dots, b->ndots, &b->dot_capacity, sizeof(*b->dots));
	b->dots[b->ndots++] = (struct book_curve_dot){b->target, b->column, *dot};
}

const struct book_said *book_rows(const struct book *b, unsigned *n)
{
	*n = b->nsaid;
	return b->said;
}

const struct book_curve_dot *book_dots(const struct book *b, unsigned *n)
{
	*n = b->ndots;
	return b->dots;
}

/* No farther from the band than it is wide; a band that is open on one side is taken as a tenth of
 * its bound. */
static bool is_near(const struct book_row *row, double ours)
{
	double bound = ours < row->low ? row->low : row->high;
	double width = row->high - row->low;

	if (isnan(width) || isinf(width))
		width = fabs(bound) / 10;
	return fabs(ours - bound) <= width;
}

const char *book_verdict(const struct book_row *row, double ours)
{
	double slack = 1e-9; /* decimal bounds and quotients are inexact */

	if (row->judge == BOOK_PRIVATE)
		return "not comparable";
	if (row->judge == BOOK_TOLD)
		return "";
	if (isnan(ours))
		return "missing";
	if (ours >= row->low - slack && ours <= row->high + slack)
		return "within";
	return is_near(row, ours) ? "near" : "missed";
}

bool book_measures(const struct book_said *s, unsigned column)
{
	return !column || (!s->once && s->target->columns >> column & 1);
}

struct book_score book_score(const struct book *b, const struct target *t, unsigned column)
{
	struct book_score score = {0, 0};

	for (unsigned i = 0; i < b->nsaid; i++) {
		const struct book_said *s = &b->said[i];

		if ((t && s->target != t) || s->row.judge != BOOK_BAND || !book_measures(s, column))
			continue;
		score.judged++;
		score.within += !strcmp(book_verdict(&s->row, s->ours[column]), "within");
	}
	return score;
}

/* ---- workloads */
static bool exists(const char *workload)
{
	for (size_t i = 0; plugins[i]; i++)
		if (!strcmp(plugins[i]->kind, "workload") && !strcmp(plugins[i]->name, workload))
			return true;
	return false;
}

static void add_workload(struct book *b, const char *name)
{
	if (exists(name) && book_find(b, name) < 0)
		b->workload[b->nworkloads++] = name;
}

/* Parameters of workloads that are not measured would change nothing. */
static int check_settings(const struct book *b, struct err *err)
{
	const struct string_list *set = &b->o->run.set;

	for (unsigned i = 0; i < set->n; i++) {
		const char *workload = points_workload_of(set->at[i]);

		if (workload && book_find(b, workload) < 0)
			err_add(err, ERR_USAGE, "--set %s: '%s' is not among the workloads",
				set->at[i], workload);
	}
	return err->count ? -1 : 0;
}

/* Those that are named after the target; else those of Table 1 and what the papers add. */
static void choose_workloads(struct book *b, struct err *err)
{
	const struct string_list *named = &b->o->workloads;

	b->workload = arena_alloc(
		b->arena, SUITE_WORKLOADS + b->ntargets + named->n + 1, sizeof(*b->workload));
	for (unsigned i = 0; i < named->n; i++) {
		if (!exists(named->at[i]))
			err_add(err, ERR_USAGE, "there is no workload '%s'", named->at[i]);
		add_workload(b, named->at[i]);
	}
	if (named->n)
		return;
	for (unsigned i = 0; i < SUITE_WORKLOADS; i++)
		add_workload(b, suite_workloads[i]);
	for (unsigned i = 0; i < b->ntargets; i++)
		if (b->targets[i]->paper->more_workload)
			add_workload(b, b->targets[i]->paper->more_workload);
}

/* ---- asking */
/* A target's rows in this column. */
static void rows_of(struct book *b, const struct target *target)
{
	b->target = target;
	b->at = 0;
	while (b->column && b->at < b->nsaid && b->said[b->at].target != target)
		b->at++;
	target->rows(b);
}

static void all_rows(struct book *b)
{
	b->missing = b->nsaid = b->ndots = 0;
	for (b->column = 0; b->column < BOOK_COLUMNS; b->column++)
		for (unsigned i = 0; i < b->ntargets; i++)
			if (!b->column || b->targets[i]->columns >> b->column & 1)
				rows_of(b, b->targets[i]);
}

bool book_ask(struct book *b)
{
	all_rows(b);
	return !b->missing;
}

struct book *book_new(const struct target *const *targets, unsigned n,
	const struct paper_options *o, struct points *points, struct arena *arena, struct err *err)
{
	struct book *b = arena_alloc(arena, 1, sizeof(*b));

	*b = (struct book){
		.o = o, .arena = arena, .targets = targets, .ntargets = n, .points = points};
	choose_workloads(b, err);
	return err->count || check_settings(b, err) ? NULL : b;
}

int book_fill(struct book *const *books, unsigned n, struct points *points, struct err *err)
{
	for (;;) {
		bool whole = true;

		for (unsigned i = 0; i < n; i++)
			whole &= book_ask(books[i]);
		if (whole)
			return points_failures(points, err);
		if (points_run(points, err))
			return -1;
	}
}
