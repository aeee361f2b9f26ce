/* The rows of tables: evaluated column by column until all runs that they need were made. */
#include "papers/book_inside.h"

#include "runs/work.h"

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
	return a->way == b->way && a->foreign == b->foreign && a->wide == b->wide &&
	       a->copies == b->copies && !strcmp(a->chip, b->chip) && !strcmp(a->set, b->set);
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

/* Whether the case's settings change what runs this way give. */
static bool has_part(const struct book_case *in, const struct point_way *way)
{
	const char *start = way ? way->varies : "", *at;

	if (!in || !start)
		return false;
	for (at = in->set; strncmp(at, start, strlen(start)) != 0; at++) {
		at += strcspn(at, " ");
		if (!*at)
			return false;
	}
	return true;
}

/* The design that runs for this one in the present column and case, with more settings. */
static struct design seen(struct book *b, const struct design *design, const char *more)
{
	const struct paper *p = b->paper;
	struct design d = *design, with;

	if (p->seen && !d.as_it_is)
		d = p->seen(design, b->column);
	if (!has_part(b->in, d.way))
		return d;
	with = design_of(d.chip, "%s %s %s %s", d.set, b->in->set, book_for_storage(b, &d), more);
	with.way = d.way;
	with.foreign = d.foreign;
	with.wide = d.wide || b->in->wide;
	with.copies = d.copies;
	return with;
}

static const struct point *point_with(struct book *b, unsigned workload,
	const struct design *design, const char *more, bool may_fail)
{
	struct design other = seen(b, design, more);
	unsigned k = find_design(b, &other);
	const struct point **p = &b->asked[k * b->nworkloads + workload];

	may_fail |= b->in && b->in->may_fail;
	b->runs += !*p;
	if (!*p || !may_fail)
		*p = points_ask(b->points, &(struct point_ask){.workload = b->workload[workload],
						   .chip = other.chip,
						   .set = other.set,
						   .way = other.way,
						   .copies = other.copies,
						   .foreign = other.foreign,
						   .wide = other.wide,
						   .may_fail = may_fail,
						   .may_refuse = b->in && b->in->may_fail});
	b->missing += point_state(*p) == POINT_UNKNOWN;
	b->used = grown(b->arena, b->used, b->nused, &b->used_capacity, sizeof(*b->used));
	b->used[b->nused++] = *p;
	return *p;
}

/* The point, or the fastest one of those that the case tries instead. */
static const struct point *point_of(
	struct book *b, unsigned workload, const struct design *design, bool may_fail)
{
	const struct book_case *in = b->in;
	const struct point *best = NULL;
	double least = INFINITY;

	if (!in || !in->best || strcmp(book_storage(b, design), "unified") != 0)
		return point_with(b, workload, design, "", may_fail);
	for (const char *const *more = in->best; *more; more++) {
		const struct point *p = point_with(b, workload, design, *more, true);
		double cycles = point_metric(point_report(p), "gpc__cycles_elapsed.max");

		best = best ? best : p;
		if (cycles < least) {
			least = cycles;
			best = p;
		}
	}
	return best;
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

bool book_is_fitted(const struct book *b, unsigned w)
{
	return work_fitted(b->workload[w]);
}

unsigned book_column(const struct book *b)
{
	return b->column;
}

int book_view(const struct book *b)
{
	return b->paper->columns[b->column].view;
}

const struct paper *book_paper(const struct book *b)
{
	return b->paper;
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
/* Bits: where a target is measured besides the first column. */
static unsigned columns_of(const struct book *b, const struct target *t)
{
	return b->paper == t->paper ? t->columns : ~0u;
}

/* Whether all points of a row are of workloads that a table chose. */
static bool only_fitted(const struct book *b, const struct book_said *s)
{
	for (unsigned i = 0; i < s->nused; i++)
		if (!work_fitted(point_workload(book_point(b, s, i))))
			return false;
	return s->nused > 0;
}

/* The points asked for since the row before; none: that row's. */
static void note_points(struct book *b, struct book_said *said)
{
	bool first = b->nsaid == 1 || said[-1].target != said->target;

	if (b->nused > b->noted || first) {
		said->used = b->noted;
		said->nused = b->nused - b->noted;
	} else {
		said->used = said[-1].used;
		said->nused = said[-1].nused;
	}
	b->noted = b->nused;
	said->fitted = only_fitted(b, said);
}

const struct point *book_point(const struct book *b, const struct book_said *s, unsigned i)
{
	return b->used[s->used + i];
}

void book_say(struct book *b, const struct book_row *row)
{
	struct book_said *said;

	if (!b->column) {
		b->said = grown(b->arena, b->said, b->nsaid, &b->said_capacity, sizeof(*b->said));
		said = &b->said[b->nsaid++];
		*said = (struct book_said){.target = b->target,
			.paper = b->paper,
			.columns = columns_of(b, b->target),
			.row = *row};
		note_points(b, said);
		for (unsigned c = 1; c < BOOK_COLUMNS; c++)
			said->ours[c] = NAN;
	} else {
		said = &b->said[b->at++];
		BUG_ON(said->target != b->target);
	}
	said->ours[b->column] = row->ours;
	said->note[b->column] = row->note;
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
	const char *claim, const char *unit, struct band band, double ours, const char *note)
{
	return (struct book_row){.claim = claim,
		.unit = unit,
		.paper = band.paper,
		.low = band.low,
		.high = band.high,
		.ours = ours,
		.judge = BOOK_BAND,
		.note = note};
}

struct book_row book_told(
	const char *claim, const char *unit, double paper, double ours, const char *note)
{
	struct book_row row = book_band(claim, unit, (struct band){paper, NAN, NAN}, ours, note);

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
	b->dots[b->ndots++] = (struct book_curve_dot){b->target, b->paper, b->column, *dot};
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
	if (row->judge == BOOK_CALIBRATION)
		return "calibration";
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
	return !column || (!s->once && s->columns >> column & 1);
}

struct book_score book_score(const struct book *b, const struct target *t, unsigned column)
{
	struct book_score score = {0, 0};

	for (unsigned i = 0; i < b->nsaid; i++) {
		const struct book_said *s = &b->said[i];

		if ((t && s->target != t) || s->row.judge != BOOK_BAND || s->fitted ||
			!book_measures(s, column))
			continue;
		score.judged++;
		score.within += !strcmp(book_verdict(&s->row, s->ours[column]), "within");
	}
	return score;
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
	b->missing = b->nsaid = b->ndots = b->nused = b->noted = 0;
	for (b->column = 0; b->column < (b->in ? 1 : b->paper->ncolumns); b->column++)
		for (unsigned i = 0; i < b->ntargets; i++)
			if (!b->column || columns_of(b, b->targets[i]) >> b->column & 1)
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

	*b = (struct book){.o = o,
		.arena = arena,
		.paper = targets[0]->paper,
		.targets = targets,
		.ntargets = n,
		.points = points};
	if (o->run.ptx_dir && !b->paper->foreign) {
		err_add(err, ERR_USAGE, "reproduce %s: no figures with --ptx-dir; dis has them",
			b->paper->name);
		return NULL;
	}
	if (o->run.ptx_dir)
		b->paper = b->paper->foreign;
	return book_choose_workloads(b, err) ? NULL : b;
}

int book_fill(struct book *const *books, unsigned n, struct points *points, struct err *err)
{
	for (;;) {
		bool whole = true;

		for (unsigned i = 0; i < n; i++)
			whole &= book_ask(books[i]);
		if (whole)
			break;
		if (points_run(points, err))
			return -1;
	}
	if (n)
		book_note_fixed(books, n);
	return points_failures(points, err);
}
