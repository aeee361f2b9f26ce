/* Static execution frequency of blocks: a factor of ten for each enclosing loop. */
#include "ptx/alloc/spill.h"

#define DEEPEST 8u        /* nesting depth that counts */
#define STEPS (16u << 20) /* blocks visited, at most; then the result so far is used */

struct loops {
	const struct ir_function *f;
	uint32_t *pred, *pred_first;
	uint32_t *inside, *stack; /* inside: header + 1 of the last loop that contains the block */
	uint8_t *depth;
	uint64_t steps;
};

static void enter(struct loops *l, uint32_t b, uint32_t header, uint32_t *n)
{
	if (l->inside[b] == header + 1)
		return;
	l->inside[b] = header + 1;
	l->depth[b] = (uint8_t)min_u64(l->depth[b] + 1u, DEEPEST);
	l->stack[(*n)++] = b;
}

/* The blocks that reach a back edge without passing the header. Of loops with several entries, only
 * blocks after the header. */
static void find_loop(struct loops *l, uint32_t header)
{
	const struct ir_block *blocks = l->f->blocks;
	uint32_t n = 0;

	for (uint32_t e = l->pred_first[header]; e < l->pred_first[header + 1]; e++)
		if (blocks[l->pred[e]].order >= blocks[header].order) {
			enter(l, header, header, &n);
			enter(l, l->pred[e], header, &n);
		}
	while (n > 0 && l->steps++ < STEPS) {
		uint32_t b = l->stack[--n];

		for (uint32_t e = l->pred_first[b]; b != header && e < l->pred_first[b + 1]; e++)
			if (blocks[l->pred[e]].order >= blocks[header].order)
				enter(l, l->pred[e], header, &n);
	}
}

float *loops_weigh(const struct ir_function *f, struct arena *work)
{
	float *weight = arena_alloc(work, f->nblocks + 1, sizeof(*weight));
	struct loops l = {.f = f,
		.inside = arena_alloc(work, f->nblocks + 1, sizeof(uint32_t)),
		.stack = arena_alloc(work, f->nblocks + 1, sizeof(uint32_t)),
		.depth = arena_alloc(work, f->nblocks + 1, sizeof(uint8_t))};

	l.pred = cfg_preds(f, &l.pred_first, work);
	for (uint32_t b = 0; b < f->nblocks; b++)
		find_loop(&l, b);
	for (uint32_t b = 0; b < f->nblocks; b++) {
		weight[b] = 1;
		for (unsigned k = 0; k < l.depth[b]; k++)
			weight[b] *= 10;
	}
	return weight;
}
