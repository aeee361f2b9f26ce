/* Private to ptx/: which virtual registers hold a value that is still needed, at every point. */
#ifndef PTX_IR_LIVE_H
#define PTX_IR_LIVE_H

#include "ptx/ir/ir.h"

/* By block b, the registers that are live into it: list[first[b]] .. list[first[b + 1] - 1]. */
struct live {
	const struct ir_function *function;
	uint64_t *first;
	uint32_t *list;
};

/* A set of virtual registers that is quick to walk. */
struct live_set {
	uint32_t *list, *where;
	uint32_t n;
	const uint8_t *size;   /* by register, as in the function */
	uint32_t words, preds; /* of all in the set */
	bool no_slots;         /* spill slots are left out */
};

/* Fills `fresh` of the instructions, max_live and calls of the function. Code that may read
 * registers before they are written can do with fewer than max_live: what is undefined needs no
 * place. */
struct live *live_compute(struct ir_function *, struct arena *);

struct live_set live_set_new(const struct ir_function *, struct arena *);

/* What is live into a block, *n registers in ascending order. */
const uint32_t *live_in(const struct live *, uint32_t block, uint32_t *n);

/* The set at a block's end. Then, backwards: what is live before an instruction when the set holds
 * what is live after it. */
void live_at_end(const struct live *, uint32_t block, struct live_set *);
void live_step_back(const struct ir_function *, const struct ir_instr *, struct live_set *);

/* ptx/ir/windows.c: after allocation, fills regs and preds of the function's calls. */
void windows_measure(struct ir_function *, const struct live *, struct arena *);

/* Before: how many registers the function may hold at each instruction, if it and those below it
 * may take so many together. */
struct windows_limit {
	uint32_t regs, preds;
	const uint32_t *regs_below, *preds_below; /* by function: what it takes with those below */
	uint16_t *room, *pred_room;               /* out: by instruction */
};
void windows_limit(struct ir_function *, const struct windows_limit *, struct arena *);

static inline bool live_has(const struct live_set *s, uint32_t v)
{
	return s->where[v] < s->n && s->list[s->where[v]] == v;
}

#endif
