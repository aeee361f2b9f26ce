/* warpbeam reproduce --all: every table and figure, in one page. Each run is written to a file of
 * results at once, from which the same command continues after any interruption. */
#include "papers/page.h"
#include "papers/papers.h"
#include "runs/results/results.h"
#include "runs/roll.h"

#include <stdio.h>
#include <string.h>

struct all {
	struct points *points;
	struct book **books;
	unsigned n;
};

/* The file of results without --out: beside the page, "page.html" to "page.sqlite". */
static const char *default_out(const struct paper_options *o, struct arena *arena)
{
	size_t n = strlen(o->html), end = strlen(".html"), room = n + sizeof(".sqlite");
	char *path;

	if (!strcmp(o->html, "-"))
		return NULL;
	path = arena_alloc(arena, room, 1);
	if (n > end && !strcmp(o->html + n - end, ".html"))
		n -= end;
	snprintf(path, room, "%.*s.sqlite", (int)n, o->html);
	return path;
}

#ifdef HAVE_SQLITE
#define CAN_KEEP true
#else
#define CAN_KEEP false
#endif

/* NULL without a message: there is no such file, and none was asked for. */
static struct results *open_results(struct paper_options *o, struct arena *arena, struct err *err)
{
	if (!o->out && CAN_KEEP) {
		o->out = default_out(o, arena);
		if (o->out && output_database(o->run.files, "the file of results", o->out, err))
			return NULL;
	}
	if (o->out)
		return results_keep(o->run.files, o->out, arena, err);
	output_note(CAN_KEEP ? "note: without --out FILE.sqlite, what is interrupted starts again"
			     : "note: built without SQLite: what is interrupted starts again");
	return NULL;
}

/* Of workloads that are named only tables that run workloads. */
static int open_books(
	struct all *a, const struct paper_options *o, struct arena *arena, struct err *err)
{
	unsigned n;
	struct paper_list *lists = papers_listed(&n, arena);

	a->books = arena_alloc(arena, n + 1, sizeof(*a->books));
	for (unsigned i = 0; i < n; i++) {
		struct book **b = &a->books[a->n];

		if (o->workloads.n && lists[i].paper->own_kernels)
			continue;
		*b = book_new(lists[i].targets, lists[i].n, o, a->points, arena, err);
		if (!*b)
			return -1;
		a->n++;
	}
	return 0;
}

/* Runs that fail leave gaps in the page, which is written all the same. */
static int measure(struct all *a, const struct paper_options *o, struct session *s, struct err *err)
{
	const struct book **books = arena_alloc(&s->arena, a->n + 1, sizeof(*books));
	struct page page = {books, a->n, o, a->points};
	struct err wrong = {0};
	int bad = book_fill(a->books, a->n, a->points, &wrong);

	if ((bad && points_wanting(a->points)) || (o->elsewhere && !o->elsewhere->act)) {
		roll_cut(o->run.roll);
		err_move(err, &wrong);
		return -1; /* one of several processes writes no page */
	}
	for (unsigned i = 0; i < a->n; i++)
		books[i] = a->books[i];
	if (page_write(&page, s, &s->out, err) || output_file(o->run.files, o->html, &s->out, err))
		bad = -1;
	err_move(err, &wrong);
	return bad;
}

int papers_measure_all(const struct paper_options *options, struct session *s, struct err *err)
{
	struct paper_options o = *options;
	struct results *results;
	struct all a = {0};
	int bad;

	results = open_results(&o, &s->arena, err);
	bad = err->code ? -1 : 0;
	if (!bad) {
		a.points = points_new(&o.run, results, &s->arena);
		points_elsewhere(a.points, o.elsewhere);
		bad = open_books(&a, &o, &s->arena, err) || measure(&a, &o, s, err);
	}
	points_clear(a.points);
	return bad ? -1 : 0;
}
