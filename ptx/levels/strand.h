/* Private to ptx/: the flow of control of a decoded program, and the strands it falls into. */
#ifndef PTX_LEVELS_STRAND_H
#define PTX_LEVELS_STRAND_H

#include "core/base.h"
#include "core/mem.h"
#include "ptx/levels/levels.h"

#define NO_STRAND UINT32_MAX

/* Blocks in the order of the code; behind them one empty block for each function, its end: calls
 * lead to the callee's first block, rets to the end of their function, and that to all places
 * behind calls of it. Successors of block b: succ[succ_first[b]] to before succ[succ_first[b + 1]];
 * likewise predecessors. */
struct flow {
	const struct program *p;
	const struct instr *code;
	uint32_t nblocks, nfunctions;
	uint32_t *first;    /* instruction of each block; of ends and behind the last: ninstr */
	uint32_t *block;    /* by instruction */
	uint32_t *function; /* by block */
	uint32_t *succ_first, *succ, *pred_first, *pred;
};

/* Sets of 32-bit registers: `words` words each. */
struct reg_sets {
	uint32_t words;
	uint64_t *bits; /* set k: from bits[k * words] on */
};

/* What becomes of a program. */
struct strands {
	struct flow flow; /* every strand begins with a block */
	uint8_t *mark;    /* by instruction: enum strand_mark */
	uint32_t *strand; /* by instruction: numbered in the order of their first instructions */
	uint32_t n;
};

/* ptx/levels/flow.c: `leader` tells instructions with which a block begins in any case. */
void flow_build(struct flow *, const struct program *, const struct instr *, const bool *leader,
	struct arena *);

/* The block behind b in the text, when lanes can go there from b without a call's help. */
bool flow_falls(const struct flow *, uint32_t b);

/* Walks over what lanes may execute between parting at the end of block b and meeting at its
 * reconvergence point: calls visit, block after block, until that answers true. More than a few
 * thousand blocks are not looked at: then *all is set, which means any code of the program. Answers
 * what visit did. */
struct region_walk {
	const struct flow *flow;
	uint32_t *stamp, *stack; /* by block */
	uint32_t now;
};
struct region_walk region_walk_new(const struct flow *, struct arena *);
typedef bool region_visit_fn(void *ctx, uint32_t block);
bool region_walk(struct region_walk *, uint32_t b, region_visit_fn *visit, void *ctx, bool *all);

/* Whether lanes can part at the end of block b. */
bool flow_parts(const struct flow *, uint32_t b);

/* ptx/levels/strand.c: marks and numbers the strands of the program. */
void strands_mark(struct strands *, const struct program *, const struct instr *,
	const struct levels_options *, struct arena *);

/* Its result comes late: texture and surface loads, what goes through the cache. */
bool is_long_latency(const struct instr *);

static inline uint64_t *set_of(const struct reg_sets *s, uint32_t k)
{
	return s->bits + (size_t)k * s->words;
}

static inline bool set_has(const uint64_t *set, uint32_t r)
{
	return set[r / 64] >> r % 64 & 1;
}

static inline void set_add(uint64_t *set, uint32_t r)
{
	set[r / 64] |= UINT64_C(1) << r % 64;
}

static inline void set_remove(uint64_t *set, uint32_t r)
{
	set[r / 64] &= ~(UINT64_C(1) << r % 64);
}

struct reg_sets reg_sets_new(const struct program *, uint32_t n, struct arena *);

#endif
