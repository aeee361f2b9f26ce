/* Private to ptx/: which virtual registers hold a value that is still needed, at every point. */
#ifndef PTX_LIVE_H
#define PTX_LIVE_H

#include "ptx/ir.h"

/* Bit vectors cover only registers that live across a block's edge (`global` ones): the others are
 * found inside their block. */
struct live {
	uint32_t nglobals, stride; /* 64-bit words in a row */
	uint32_t *global;          /* virtual register -> bit, or NO_VREG */
	uint32_t *vreg;            /* bit -> virtual register */
	uint64_t *in, *out;        /* a row for each block */
};

/* A set of virtual registers that is quick to walk. */
struct live_set {
	uint32_t *list, *where;
	uint32_t n;
};

/* Fills `fresh` of the instructions, max_live and calls of the function. Code that may read
 * registers before they are written can do with fewer than max_live: what is undefined needs no
 * place. */
struct live *live_compute(struct ir_function *, struct arena *);

struct live_set live_set_new(const struct ir_function *, struct arena *);

/* The set at a block's end. Then, backwards: what is live before an instruction when the set holds
 * what is live after it. */
void live_at_end(const struct live *, uint32_t block, struct live_set *);
void live_step_back(const struct ir_function *, const struct ir_instr *, struct live_set *);

static inline bool live_has(const struct live_set *s, uint32_t v)
{
	return s->where[v] < s->n && s->list[s->where[v]] == v;
}

#endif
