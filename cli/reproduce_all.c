/* warpbeam reproduce --all: every table and figure, in one page. What is run goes into a file of
 * results at once, from which the same command goes on after any interruption. */
#include "cli/page.h"
#include "cli/reproduce.h"
#include "cli/results.h"

#include <stdio.h>
#include <string.h>

#define MOST_BOOKS 16

struct all {
	struct points *points;
	struct book *books[MOST_BOOKS];
	unsigned n;
};

static int check(const struct options *o, struct err *err)
{
	if (!o->html)
		err_add(err, ERR_USAGE, "--all needs --html FILE, the page that it writes");
	if (o->json || o->csv || o->svg)
		err_add(err, ERR_USAGE,
			"--json, --csv and --svg go with one table; --all writes a page");
	return err->count ? -1 : 0;
}

/* Where runs are kept unless --out says it: beside the page, "page.html" to "page.sqlite". */
static const char *default_out(const struct options *o, struct arena *arena)
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
static struct results *open_results(struct options *o, struct arena *arena, struct err *err)
{
	if (!o->out && CAN_KEEP) {
		o->out = default_out(o, arena);
		if (o->out && options_database(o->files, "the file of results", o->out, err))
			return NULL;
	}
	if (o->out)
		return results_open(o->files, o->out, err);
	output_note(CAN_KEEP ? "note: without --out FILE.sqlite, what is interrupted starts again"
			     : "note: built without SQLite: what is interrupted starts again");
	return NULL;
}

/* Operands are workloads; books look for them behind the first one, which is a table elsewhere. */
static void shift_operands(struct options *o, struct arena *arena)
{
	unsigned n = o->operands.n;
	const char **at = arena_alloc(arena, n + 1, sizeof(*at));

	at[0] = "--all";
	for (unsigned i = 0; i < n; i++)
		at[i + 1] = o->operands.at[i];
	o->operands = (struct string_list){at, n + 1};
}

static int open_books(struct all *a, const struct options *o, struct arena *arena, struct err *err)
{
	for (unsigned i = 0; papers[i]; i++) {
		const struct paper *p = papers[i];

		BUG_ON(a->n == MOST_BOOKS);
		a->books[a->n] = book_new(p->targets, paper_targets(p), o, a->points, arena, err);
		if (!a->books[a->n++])
			return -1;
	}
	return 0;
}

/* Runs that fail leave holes in the page, which is written none the less. */
static int measure(struct all *a, const struct options *o, struct session *s, struct err *err)
{
	const struct book *books[MOST_BOOKS];
	struct page page = {books, a->n, o, a->points};
	struct err wrong = {0};
	int bad = book_fill(a->books, a->n, a->points, &wrong);

	if (bad && points_wanting(a->points)) {
		err_move(err, &wrong);
		return -1;
	}
	for (unsigned i = 0; i < a->n; i++)
		books[i] = a->books[i];
	if (page_write(&page, s, &s->out, err) || output_file(o->files, o->html, &s->out, err))
		bad = -1;
	err_move(err, &wrong);
	return bad;
}

int reproduce_all(const struct options *options, struct session *s, struct err *err)
{
	struct options o = *options;
	struct results *results;
	struct all a = {0};
	int bad;

	if (check(&o, err))
		return -1;
	shift_operands(&o, &s->arena);
	results = open_results(&o, &s->arena, err);
	bad = err->code ? -1 : 0;
	if (!bad) {
		a.points = points_new(&o, results, &s->arena);
		bad = open_books(&a, &o, &s->arena, err) || measure(&a, &o, s, err);
	}
	points_clear(a.points);
	results_close(results);
	return bad ? -1 : 0;
}
