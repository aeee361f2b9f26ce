/* Chooses the exit that the threads of a function are expected to take, so that divergent lanes
 * reconverge although some exit early; otherwise an exit that only some lanes take would leave all
 * code before it without a post-dominator. The expected path leads to the next barrier, which all
 * remaining lanes must reach together; without one, to the exit reachable from the most code. Short
 * exits are no reconvergence points: each edge to one counts as an exit of its own. */
#include "ptx/ir/ir.h"

#include <string.h>

#define SHORT_EXIT 4u    /* instructions of a block that does little but end the thread */
#define CANDIDATES 32u   /* exits considered; of more, the last ones in the text */
#define LEVEL_SHORT 255u /* of short exits */

struct way_out {
	uint32_t block;  /* that exits, or leads to a short exit */
	uint64_t weight; /* of the code that reaches it */
};

struct choice {
	const struct ir_function *f;
	uint32_t *pred, *pred_first; /* edges to block b: from pred[pred_first[b]] on */
	uint32_t *stack, *reached;   /* reached: stamp of the last search */
	uint32_t stamp;
	uint64_t *weight; /* of each block */
};

/* Exchange between lanes needs all remaining lanes of the warp; a call may contain one. */
static uint64_t weigh(const struct ir_function *f, const struct ir_block *b)
{
	uint64_t weight = 0;

	for (uint32_t i = b->first; i < b->end; i++) {
		if (f->code[i].action == ACT_BARRIER || f->code[i].action == ACT_WARP)
			weight += UINT64_C(1) << 20;
		else
			weight += f->code[i].action == ACT_CALL ? 1u << 10 : 1u;
	}
	return weight;
}

static void reach(struct choice *c, uint32_t b, uint32_t *depth)
{
	if (c->reached[b] == c->stamp)
		return;
	c->reached[b] = c->stamp;
	c->stack[(*depth)++] = b;
}

/* Visits all blocks that reach the blocks on the stack and returns their weight; blocks without a
 * level get `level`, unless it is 0. */
static uint64_t climb(struct choice *c, uint32_t depth, uint8_t *levels, uint8_t level)
{
	uint64_t weight = 0;

	while (depth) {
		uint32_t b = c->stack[--depth];

		weight += c->weight[b];
		if (!levels[b])
			levels[b] = level;
		for (uint32_t e = c->pred_first[b]; e < c->pred_first[b + 1]; e++)
			reach(c, c->pred[e], &depth);
	}
	return weight;
}

static uint64_t climb_from(struct choice *c, uint32_t exit, uint8_t *levels, uint8_t level)
{
	uint32_t depth = 0;

	c->stamp++;
	reach(c, exit, &depth);
	return climb(c, depth, levels, level);
}

/* The paths to barriers are one level: divergent lanes cannot be meant to reach different barriers.
 */
static void choose_barriers(struct choice *c, uint8_t *levels, bool *exits)
{
	uint32_t depth = 0;

	c->stamp++;
	for (uint32_t b = 0; b < c->f->nblocks; b++) {
		exits[b] = c->f->blocks[b].waits;
		if (exits[b])
			reach(c, b, &depth);
	}
	climb(c, depth, levels, 1);
}

static bool is_short_exit(const struct ir_function *f, uint32_t b)
{
	return f->blocks[b].exits && f->blocks[b].end - f->blocks[b].first <= SHORT_EXIT;
}

static bool is_way_out(const struct ir_function *f, uint32_t b)
{
	const struct ir_block *block = &f->blocks[b];

	for (uint32_t s = 0; s < block->nsucc; s++)
		if (is_short_exit(f, block->succ[s]))
			return true;
	return block->exits && !is_short_exit(f, b);
}

/* A trap is never the expected exit. */
static bool is_candidate(const struct ir_function *f, uint32_t b)
{
	const struct ir_block *block = &f->blocks[b];

	for (uint32_t s = 0; s < block->nsucc; s++)
		if (is_short_exit(f, block->succ[s]) &&
			f->code[f->blocks[block->succ[s]].end - 1].action != ACT_TRAP)
			return true;
	return block->exits && !is_short_exit(f, b) && f->code[block->end - 1].action != ACT_TRAP;
}

/* The exits considered, by decreasing weight of the code that reaches them; of ties the last in the
 * text. */
static uint32_t rank(struct choice *c, uint8_t *levels, struct way_out *ways)
{
	uint32_t n = 0, at;

	for (uint32_t b = c->f->nblocks; b-- > 0 && n < CANDIDATES;) {
		struct way_out w = {.block = b};

		if (!is_candidate(c->f, b))
			continue;
		w.weight = climb_from(c, b, levels, 0);
		for (at = n++; at > 0 && ways[at - 1].weight < w.weight; at--)
			ways[at] = ways[at - 1];
		ways[at] = w;
	}
	return n;
}

static void choose_exits(struct choice *c, uint8_t *levels, bool *exits)
{
	struct way_out ways[CANDIDATES];
	uint32_t n = rank(c, levels, ways);

	for (uint32_t k = 0; k < n; k++) {
		if (!levels[ways[k].block])
			exits[ways[k].block] = true;
		climb_from(c, ways[k].block, levels, (uint8_t)(k + 2));
	}
	for (uint32_t b = 0; b < c->f->nblocks; b++)
		if (!levels[b])
			exits[b] = is_way_out(c->f, b);
}

static struct choice choice_new(const struct ir_function *f, struct arena *work)
{
	struct choice c = {.f = f,
		.stack = arena_alloc(work, f->nblocks + 1, sizeof(uint32_t)),
		.reached = arena_alloc(work, f->nblocks + 1, sizeof(uint32_t)),
		.weight = arena_alloc(work, f->nblocks + 1, sizeof(uint64_t))};

	c.pred = cfg_preds(c.f, &c.pred_first, work);
	return c;
}

void reconverge_choose(
	const struct ir_function *f, uint8_t *levels, bool *exits, struct arena *work)
{
	struct choice c = choice_new(f, work);

	for (uint32_t b = 0; b < f->nblocks; b++)
		c.weight[b] = weigh(f, &f->blocks[b]);
	choose_barriers(&c, levels, exits);
	choose_exits(&c, levels, exits);
	for (uint32_t b = 0; b < f->nblocks; b++) {
		if (!is_short_exit(f, b))
			continue;
		levels[b] = LEVEL_SHORT;
		exits[b] = true;
	}
}

/* Successors with the same expected exit. */
static uint32_t count_staying(
	const struct ir_function *f, const uint8_t *levels, const struct ir_block *b)
{
	uint32_t n = 0;

	for (uint32_t s = 0; s < b->nsucc; s++)
		n += levels[b->succ[s]] == levels[b - f->blocks];
	return n;
}

/* Whether the search reached a successor of b. */
static bool leads_on(const struct choice *c, const struct ir_block *b)
{
	for (uint32_t s = 0; s < b->nsucc; s++)
		if (c->reached[b->succ[s]] == c->stamp)
			return true;
	return false;
}

void reconverge_leaving(struct ir_function *f, const uint8_t *levels, struct arena *work)
{
	struct choice c = choice_new(f, work);
	uint8_t *none = arena_alloc(work, f->nblocks + 1, sizeof(*none));
	uint32_t depth = 0;

	c.stamp++;
	for (uint32_t k = 0; k < f->nblocks; k++) {
		const struct ir_block *b = &f->blocks[k];

		if (b->reconv != NO_BLOCK && b->reconv != b->ipdom &&
			count_staying(f, levels, b) > 1)
			reach(&c, b->reconv, &depth);
	}
	climb(&c, depth, none, 0);
	for (uint32_t k = 0; k < f->nblocks; k++) {
		struct ir_block *b = &f->blocks[k];

		if (b->nsucc > 1 && b->ipdom != NO_BLOCK && is_short_exit(f, b->ipdom) &&
			count_staying(f, levels, b) < 2 && !leads_on(&c, b))
			b->reconv = b->ipdom;
	}
}
