/* Private to ptx/: liveness of virtual registers. */
#ifndef PTX_IR_LIVE_H
#define PTX_IR_LIVE_H

#include "ptx/ir/ir.h"

/* Live-in registers of block b: list[first[b]] .. list[first[b + 1] - 1]. */
struct live {
	const struct ir_function *function;
	uint64_t *first;
	uint32_t *list;
};

/* A set of virtual registers with fast iteration. */
struct live_set {
	uint32_t *list, *where;
	uint32_t n;
	const uint8_t *size;   /* by register, as in the function */
	uint32_t words, preds; /* totals of the set */
	bool no_slots;         /* leave out spill slots */
};

/* Sets `fresh` of the instructions, and max_live and calls of the function. Code that may read
 * undefined registers can need fewer than max_live: an undefined value needs no register. */
struct live *live_compute(struct ir_function *, struct arena *);

struct live_set live_set_new(const struct ir_function *, struct arena *);

/* Live-in registers of a block, *n of them in ascending order. */
const uint32_t *live_in(const struct live *, uint32_t block, uint32_t *n);

/* The live-out set of a block, and the backward step: from the set after an instruction to the set
 * before it. */
void live_at_end(const struct live *, uint32_t block, struct live_set *);
void live_step_back(const struct ir_function *, const struct ir_instr *, struct live_set *);

/* ptx/ir/call_live.c: after allocation, sets regs and preds of the function's calls. */
void calls_measure(struct ir_function *, const struct live *, struct arena *);

/* Before allocation: the registers available to the function at each instruction if it and its
 * callees have this limit. */
struct calls_limit {
	uint32_t regs, preds;
	const uint32_t *regs_below, *preds_below; /* by function, with its callees */
	uint16_t *capacity, *pred_capacity;       /* out: by instruction */
};
void calls_limit(struct ir_function *, const struct calls_limit *, struct arena *);

static inline bool live_has(const struct live_set *s, uint32_t v)
{
	return s->where[v] < s->n && s->list[s->where[v]] == v;
}

#endif
