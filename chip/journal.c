/* The journal of a GPU's host: reads, and runs with the ends of launches. A run's entry has the
 * numbers of launches, then none, whether the chip was at rest, and its progress. */
#include "chip/journal.h"

#include "chip/inside.h"

#include <string.h>

void gpu_journal_clear(struct gpu_journal *j)
{
	mem_free(j->bytes);
	*j = (struct gpu_journal){0};
}

void gpu_journal(struct gpu *g, struct gpu_journal *j)
{
	g->journal = j;
}

static bool make_room(struct gpu_journal *j, size_t bytes)
{
	size_t room = 2 * (j->n + bytes) + 4096;
	unsigned char *grown;

	if (j->failed || bytes <= j->room - j->n)
		return !j->failed;
	grown = mem_grow(j->bytes, j->n, room, 1);
	j->failed = !grown;
	if (!grown)
		return false;
	j->bytes = grown;
	j->room = room;
	return true;
}

/* Notes bytes, or takes those that were noted. */
static void pass(struct gpu_journal *j, void *data, size_t bytes)
{
	if (j->at == j->n && make_room(j, bytes)) {
		memcpy(j->bytes + j->n, data, bytes);
		j->at = j->n += bytes;
	} else if (!j->failed && bytes <= j->n - j->at) {
		memcpy(data, j->bytes + j->at, bytes);
		j->at += bytes;
	} else {
		j->failed = true;
	}
}

/* A number that must be the noted one. */
static void pass_same(struct gpu_journal *j, uint64_t number)
{
	uint64_t noted = number;

	pass(j, &noted, sizeof(noted));
	j->failed |= noted != number;
}

void gpu_note(const struct gpu *g, void *data, uint64_t bytes)
{
	if (!g->journal)
		return;
	pass_same(g->journal, bytes);
	pass(g->journal, data, bytes);
}

void journal_ended(struct chip *c)
{
	for (const struct launch_state *l = c->ended; l; l = l->after) {
		uint64_t number = l->grid.gridid;

		pass(c->gpu->journal, &number, sizeof(number));
	}
}

/* What a run leaves beside the ends of launches. */
static void pass_end(struct chip *c, bool *at_rest)
{
	struct gpu_journal *j = c->gpu->journal;
	uint64_t rest = *at_rest;

	pass(j, &rest, sizeof(rest));
	pass(j, &j->progress, sizeof(j->progress));
	*at_rest = rest;
}

void journal_ran(struct chip *c, bool at_rest)
{
	uint64_t none = NO_LAUNCH;

	c->gpu->journal->progress = chip_progress(c->gpu);
	pass(c->gpu->journal, &none, sizeof(none));
	pass_end(c, &at_rest);
}

/* As at the end of the run: complete, and its memory free. */
static bool end(struct gpu *g, uint64_t number)
{
	struct launch_state *l = number < g->nlaunches ? launches_at(g, number) : NULL;

	if (!l || l->complete)
		return false;
	launches_complete(g, l);
	gpu_launch_memory_free(g, l);
	return true;
}

bool journal_goes_on(const struct chip *c)
{
	const struct gpu_journal *j = c->gpu->journal;

	return c->loads && j && j->at < j->n && !j->failed;
}

bool journal_repeat(struct chip *c, bool *at_rest)
{
	struct gpu_journal *j = c->gpu->journal;

	while (journal_goes_on(c)) {
		uint64_t number = 0;

		pass(j, &number, sizeof(number));
		if (number == NO_LAUNCH && !j->failed) {
			pass_end(c, at_rest);
			dispatcher_forget(c->dispatcher);
			return true;
		}
		j->failed |= !end(c->gpu, number);
	}
	return false;
}
