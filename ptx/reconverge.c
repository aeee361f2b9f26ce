/* Where the arms of a branch meet when some paths end the thread before. The immediate
 * post-dominator is then the exit, and what follows would run once for each arm; lanes that have
 * exited need not be met, so paths that only lead to an exit are left out. */
#include "ptx/ir.h"

#include <string.h>

#define SHORT_EXIT 4u         /* instructions of a block that only ends the thread */
#define MEETINGS 8u           /* blocks at which paths may come together at first */
#define MOST_VISITS 20000000u /* of blocks, in one function */

struct meet {
	const struct ir_function *f;
	uint32_t *reached; /* by block: stamp of the last source that reached it */
	uint32_t *count;   /* sources that reach it, of `round` */
	uint32_t *round_of, *list, *stack;
	uint32_t *back, back_stamp; /* as `reached`, against the edges */
	bool *is_meeting; /* some branch waits there that would not at its post-dominator */
	uint32_t *pred, *pred_first; /* edges to block b: from pred[pred_first[b]] on */
	uint32_t stamp, round, nlist;
	uint64_t visits;
};

static bool is_short_exit(const struct ir_function *f, uint32_t b)
{
	return f->blocks[b].exits && f->blocks[b].end - f->blocks[b].first <= SHORT_EXIT;
}

/* One that may as well run again for each arm: it tells nobody anything. */
static bool is_bare_exit(const struct ir_function *f, uint32_t b)
{
	if (!is_short_exit(f, b))
		return false;
	for (uint32_t i = f->blocks[b].first; i < f->blocks[b].end; i++)
		if (f->code[i].action != ACT_LANES && f->code[i].action != ACT_EXIT &&
			f->code[i].action != ACT_RET && f->code[i].action != ACT_NOP)
			return false;
	return true;
}

static void reach(struct meet *w, uint32_t b)
{
	if (w->reached[b] == w->stamp)
		return;
	w->reached[b] = w->stamp;
	if (w->round_of[b] != w->round) {
		w->round_of[b] = w->round;
		w->count[b] = 0;
		w->list[w->nlist++] = b;
	}
	w->count[b]++;
}

/* Everything behind `source`, not through the branch itself. */
static void reach_from(struct meet *w, uint32_t source, uint32_t branch)
{
	uint32_t depth = 0, before;

	w->stamp++;
	w->reached[branch] = w->stamp;
	reach(w, source);
	w->stack[depth++] = source;
	while (depth) {
		const struct ir_block *b = &w->f->blocks[w->stack[--depth]];

		w->visits++;
		for (uint32_t s = 0; s < b->nsucc; s++) {
			before = w->reached[b->succ[s]];
			reach(w, b->succ[s]);
			if (before != w->stamp)
				w->stack[depth++] = b->succ[s];
		}
	}
}

/* More than MEETINGS are too many, however many: nobody looks at them then. */
static uint32_t add_entry(uint32_t *entry, uint32_t n, uint32_t b)
{
	if (n > MEETINGS)
		return n;
	for (uint32_t k = 0; k < n; k++)
		if (entry[k] == b)
			return n;
	entry[n] = b;
	return n + 1;
}

static bool is_common(const struct meet *w, uint32_t b, uint32_t nsources)
{
	return w->round_of[b] == w->round && w->count[b] == nsources && !is_short_exit(w->f, b);
}

/* Blocks at which paths from the sources first come to where all of them can come. */
static uint32_t find_entries(struct meet *w, const uint32_t *source, uint32_t n, uint32_t branch,
	uint32_t entry[MEETINGS + 1])
{
	uint32_t entries = 0;

	w->round++;
	w->nlist = 0;
	for (uint32_t k = 0; k < n; k++)
		reach_from(w, source[k], branch);
	for (uint32_t k = 0; k < n; k++)
		if (is_common(w, source[k], n))
			entries = add_entry(entry, entries, source[k]);
	for (uint32_t k = 0; k < w->nlist && entries <= MEETINGS; k++) {
		const struct ir_block *b = &w->f->blocks[w->list[k]];

		if (is_common(w, w->list[k], n))
			continue;
		for (uint32_t s = 0; s < b->nsucc; s++)
			if (b->succ[s] != branch && is_common(w, b->succ[s], n))
				entries = add_entry(entry, entries, b->succ[s]);
	}
	return entries;
}

/* Marks all blocks from which the branch can be reached again, and itself. */
static void reach_back(struct meet *w, uint32_t branch)
{
	uint32_t depth = 0;

	w->back_stamp++;
	w->back[branch] = w->back_stamp;
	w->stack[depth++] = branch;
	while (depth) {
		uint32_t b = w->stack[--depth];

		w->visits++;
		for (uint32_t e = w->pred_first[b]; e < w->pred_first[b + 1]; e++) {
			if (w->back[w->pred[e]] == w->back_stamp)
				continue;
			w->back[w->pred[e]] = w->back_stamp;
			w->stack[depth++] = w->pred[e];
		}
	}
}

/* From there all that does not end the thread comes back to the branch. */
static bool comes_back(struct meet *w, uint32_t source, uint32_t branch)
{
	if (w->back[source] != w->back_stamp)
		return false;
	w->round++;
	w->nlist = 0;
	reach_from(w, source, branch);
	for (uint32_t k = 0; k < w->nlist; k++)
		if (w->back[w->list[k]] != w->back_stamp && !is_short_exit(w->f, w->list[k]))
			return false;
	return true;
}

/* The arms meet nowhere, or in an exit. Those that leave a loop wait for the others where they
 * leave it. */
static uint32_t exit_meeting(struct meet *w, uint32_t branch)
{
	const struct ir_block *b = &w->f->blocks[branch];
	uint32_t away = NO_BLOCK, n = 0;

	reach_back(w, branch);
	for (uint32_t s = 0; s < b->nsucc && n < 2; s++) {
		if (comes_back(w, b->succ[s], branch))
			continue;
		away = b->succ[s];
		n++;
	}
	return n == 1 ? away : b->ipdom;
}

/* The one block where all paths come together that come together at all; the post-dominator when
 * it is not found. */
static uint32_t meeting_of(struct meet *w, uint32_t branch)
{
	const struct ir_block *b = &w->f->blocks[branch];
	uint32_t source[MEETINGS + 1], entry[MEETINGS + 1], n = 0, entries;

	for (uint32_t s = 0; s < b->nsucc; s++)
		n = add_entry(source, n, b->succ[s]);
	for (unsigned rounds = 0; n <= MEETINGS && rounds < MEETINGS; rounds++) {
		entries = find_entries(w, source, n, branch, entry);
		if (entries < 2)
			return entries ? entry[0] : exit_meeting(w, branch);
		if (entries == n && memcmp(entry, source, n * sizeof(*entry)) == 0)
			break;
		n = entries;
		if (n <= MEETINGS)
			memcpy(source, entry, n * sizeof(*entry));
	}
	return b->ipdom;
}

/* Arms that would meet at an exit do not, when one of them passes a place where an outer branch
 * waits on its way: there it shall stop. */
static bool passes_meeting(struct meet *w, uint32_t branch)
{
	const struct ir_block *b = &w->f->blocks[branch];

	if (b->ipdom == NO_BLOCK || b->reconv != b->ipdom || !is_bare_exit(w->f, b->ipdom))
		return false;
	w->round++;
	w->nlist = 0;
	for (uint32_t s = 0; s < b->nsucc; s++)
		reach_from(w, b->succ[s], branch);
	for (uint32_t k = 0; k < w->nlist; k++)
		if (w->is_meeting[w->list[k]])
			return true;
	return false;
}

static void find_preds(struct meet *w, struct arena *work)
{
	const struct ir_function *f = w->f;
	uint32_t *first = arena_alloc(work, f->nblocks + 2, sizeof(*first));

	for (uint32_t b = 0; b < f->nblocks; b++)
		for (uint32_t s = 0; s < f->blocks[b].nsucc; s++)
			first[f->blocks[b].succ[s] + 1]++;
	for (uint32_t b = 0; b < f->nblocks; b++)
		first[b + 1] += first[b];
	w->pred = arena_alloc(work, first[f->nblocks] + 1, sizeof(*w->pred));
	for (uint32_t b = 0; b < f->nblocks; b++)
		for (uint32_t s = 0; s < f->blocks[b].nsucc; s++)
			w->pred[first[f->blocks[b].succ[s]]++] = b;
	memmove(first + 1, first, f->nblocks * sizeof(*first));
	first[0] = 0;
	w->pred_first = first;
}

/* A branch whose post-dominator is an exit. */
static bool is_split(const struct meet *w, uint32_t b)
{
	const struct ir_block *block = &w->f->blocks[b];

	return block->nsucc > 1 && w->visits < MOST_VISITS &&
	       (block->ipdom == NO_BLOCK || is_short_exit(w->f, block->ipdom));
}

void reconverge_build(struct ir_function *f, struct arena *work)
{
	size_t n = f->nblocks + 1;
	struct meet w = {.f = f};

	w.reached = arena_alloc(work, n, sizeof(*w.reached));
	w.is_meeting = arena_alloc(work, n, sizeof(*w.is_meeting));
	w.back = arena_alloc(work, n, sizeof(*w.back));
	w.count = arena_alloc(work, n, sizeof(*w.count));
	w.round_of = arena_alloc(work, n, sizeof(*w.round_of));
	w.list = arena_alloc(work, n, sizeof(*w.list));
	w.stack = arena_alloc(work, n, sizeof(*w.stack));
	find_preds(&w, work);
	for (uint32_t b = 0; b < f->nblocks; b++) {
		struct ir_block *block = &f->blocks[b];

		block->reconv = block->ipdom;
		if (!is_split(&w, b))
			continue;
		block->reconv = meeting_of(&w, b);
		if (block->reconv != block->ipdom)
			w.is_meeting[block->reconv] = true;
	}
	for (uint32_t b = 0; b < f->nblocks; b++)
		if (is_split(&w, b) && passes_meeting(&w, b))
			f->blocks[b].reconv = NO_BLOCK;
}
