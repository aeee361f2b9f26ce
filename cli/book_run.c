/* The runs of a book: each point that is missing in a process of its own, unless a store has its
 * answer from before. */
#include "cli/book_inside.h"

#include "cli/progress.h"
#include "core/pool.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MOST_SETTINGS 48

struct batch {
	struct book *book;
	const struct book_store *store;
	struct options o;
	struct point **points;
	struct trial *trials;
	char **keys;
	unsigned n;
	double start_s;
	struct err *err;
};

/* ---- trials */
static const struct layer *layer_of(const struct design *design, struct arena *arena)
{
	struct layer *layer = arena_alloc(arena, 1, sizeof(*layer));
	const char **set = arena_alloc(arena, MOST_SETTINGS, sizeof(*set));
	char *text = arena_strdup(arena, design->set), *rest = NULL;

	*layer = (struct layer){.origin = "reproduce", .chip = design->chip, .set = set};
	for (char *at = strtok_r(text, " ", &rest); at; at = strtok_r(NULL, " ", &rest)) {
		BUG_ON(layer->nset == MOST_SETTINGS);
		set[layer->nset++] = at;
	}
	return layer;
}

static struct trial make_trial(
	const struct design *design, const char *workload, struct arena *arena)
{
	struct party *party = arena_alloc(arena, 1, sizeof(*party));
	size_t room = strlen(workload) + sizeof(design->set) + 4;
	char *name = arena_alloc(arena, room, 1);

	snprintf(name, room, "%s, %s", workload, design->set);
	party->target = workload;
	return (struct trial){.name = name,
		.machine = {.layers = layer_of(design, arena), .nlayers = 1},
		.parties = party,
		.nparties = 1,
		.act = design->act};
}

/* Everything that decides an answer, but the program itself. */
static char *key_of(const struct book *b, const struct trial *t, const struct design *design)
{
	struct text key = {0};
	const struct options *o = b->o;
	char *copy;

	text_add(&key, "%s|%s|%s|%s|%" PRIu64 "|%u", t->name, design->chip,
		design->act ? "without time" : "in time", o->size ? "full" : "small", o->seed,
		o->wide ? 64 : 32);
	for (unsigned i = 0; i < o->set.n; i++)
		text_add(&key, "|%s", o->set.at[i]);
	copy = arena_strdup(b->arena, text_str(&key));
	text_clear(&key);
	return copy;
}

/* Of hundreds of reports only sums are read. */
static void slim(json_t *report)
{
	static const char *const parts[] = {"parts", "configuration", "inputs", "program"};

	for (unsigned i = 0; i < ARRAY_LEN(parts); i++)
		json_object_del(report, parts[i]);
}

/* ---- the pool */
static void child(void *ctx, unsigned job, int out)
{
	const struct batch *batch = ctx;

	trial_child(&batch->trials[job], &batch->o, out);
}

static int ended(void *ctx, unsigned job, struct pool_answer *a)
{
	struct batch *batch = ctx;
	const struct book_store *store = batch->store;
	struct point *p = batch->points[job];

	p->report = trial_answer(batch->trials[job].name, a, batch->err);
	text_clear(&a->bytes);
	if (!p->report)
		return -1;
	slim(p->report);
	return store ? store->keep(store->ctx, batch->keys[job], p->report, batch->err) : 0;
}

/* Runs differ by more than tenfold, so that what is left is a guess. */
static void progress(void *ctx, unsigned done, unsigned jobs)
{
	const struct batch *batch = ctx;
	double took = progress_now_s() - batch->start_s;

	fprintf(stderr, "\r\033[K");
	if (done < jobs)
		fprintf(stderr, "%u of %u runs, about %.0f s left", done, jobs,
			took / done * (jobs - done));
}

static void prepare(struct batch *batch)
{
	struct book *b = batch->book;
	unsigned all = b->ndesigns * b->nworkloads;

	batch->points = arena_alloc(b->arena, all, sizeof(struct point *));
	batch->trials = arena_alloc(b->arena, all, sizeof(*batch->trials));
	batch->keys = arena_alloc(b->arena, all, sizeof(*batch->keys));
	for (unsigned i = 0; i < all; i++) {
		struct point *p = &b->points[i];
		const struct design *design = &b->design[p->design];
		unsigned n = batch->n;

		if (!p->asked || p->report)
			continue;
		batch->trials[n] = make_trial(design, b->workload[p->workload], b->arena);
		batch->keys[n] = key_of(b, &batch->trials[n], design);
		if (batch->store)
			p->report = batch->store->find(batch->store->ctx, batch->keys[n]);
		batch->points[n] = p;
		batch->n += !p->report;
	}
}

int book_run(struct book *b, const struct book_store *store, struct err *err)
{
	struct batch batch = {
		.book = b, .store = store, .o = *b->o, .start_s = progress_now_s(), .err = err};
	struct pool_hooks hooks = {.ctx = &batch,
		.progress = !b->o->quiet && isatty(STDERR_FILENO) ? progress : NULL,
		.ended = ended};
	struct pool_answer *answers;
	unsigned jobs;
	int bad;

	prepare(&batch);
	if (!batch.n)
		return 0;
	jobs = trial_jobs(b->o, batch.n);
	batch.o.no_pin |= jobs > 1;
	answers = arena_alloc(b->arena, batch.n, sizeof(*answers));
	bad = pool_run(batch.n, jobs, child, &batch, &hooks, answers, err);
	for (unsigned i = 0; i < batch.n; i++)
		text_clear(&answers[i].bytes);
	return bad || err->count ? -1 : 0;
}
