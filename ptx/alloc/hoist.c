/* Hoists updates of loop-carried registers before spilling: an instruction that replaces a value by
 * one computed from it (for the next iteration) moves to directly after the last reader of the old
 * value. It needs no additional register there, and a spilled value is reloaded once for both.
 * Blocks that always follow each other, as around barriers, are treated as one. */
#include "ptx/alloc/reorder.h"

#include <string.h>

#define FAR 4096u /* instructions searched backwards for each update */

static bool is_update(const struct ir_instr *i)
{
	return i->action == ACT_LANES && i->guard == NO_VREG && i->ndst == 1 &&
	       i->dst[0].kind == IR_REG && ir_reads(i, i->dst[0].index);
}

/* Whether the update can move above instruction k. */
static bool can_pass(const struct ir_instr *update, const struct ir_instr *k)
{
	for (unsigned s = 0; s < update->nsrc; s++)
		if (update->src[s].kind == IR_REG && ir_writes(k, update->src[s].index))
			return false;
	return true;
}

/* Whether the block has the previous block as its only predecessor, and that block has no other
 * successor and does not branch. */
static bool continues(const struct ir_function *f, const uint32_t *pred_first, uint32_t b)
{
	const struct ir_block *before = &f->blocks[b - (b > 0)];

	if (b == 0 || pred_first[b + 1] != pred_first[b] + 1)
		return false;
	if (before->nsucc != 1 || before->succ[0] != b || before->end != f->blocks[b].first)
		return false;
	return before->end == before->first || f->code[before->end - 1].action != ACT_BRANCH;
}

/* The position for the update: after the last reader from `first` on, or its current position. */
static uint32_t find_position(
	const struct ir_function *f, uint32_t first, uint32_t at, uint32_t end)
{
	const struct ir_instr *update = &f->code[at];

	for (uint32_t k = at + 1; k < end; k++)
		if (ir_reads(&f->code[k], update->dst[0].index) || f->code[k].action == ACT_RET)
			return at;
	for (uint32_t k = at; k-- > first && at - k < FAR;) {
		if (ir_reads(&f->code[k], update->dst[0].index))
			return ir_writes(&f->code[k], update->dst[0].index) ? at : k + 1;
		if (!can_pass(update, &f->code[k]))
			return at;
	}
	return at;
}

/* The position after a block's last instruction is before the next block's first one. */
static void move_up(struct ir_function *f, uint32_t b, uint32_t at, uint32_t to)
{
	struct ir_instr update = f->code[at];

	memmove(&f->code[to + 1], &f->code[to], (at - to) * sizeof(update));
	f->code[to] = update;
	for (; f->blocks[b].first > to; b--) {
		f->blocks[b].first++;
		f->blocks[b - 1].end++;
	}
}

void hoist_updates(struct ir_function *f, struct arena *work)
{
	uint32_t *pred_first, head = 0;

	cfg_preds(f, &pred_first, work);
	for (uint32_t b = 0; b < f->nblocks; b++) {
		head = continues(f, pred_first, b) ? head : b;
		for (uint32_t i = f->blocks[b].first; i < f->blocks[b].end; i++) {
			uint32_t to = i;

			if (is_update(&f->code[i]))
				to = find_position(f, f->blocks[head].first, i, f->blocks[b].end);
			if (to < i)
				move_up(f, b, i, to);
		}
	}
}
