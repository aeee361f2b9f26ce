/* Private to ptx/: control flow of a decoded program, and its strands. */
#ifndef PTX_LEVELS_STRAND_H
#define PTX_LEVELS_STRAND_H

#include "core/base.h"
#include "core/mem.h"
#include "ptx/levels/levels.h"

#define NO_STRAND UINT32_MAX

/* Blocks in program order, then one empty block per function, its end. A call leads to the callee's
 * first block, a ret to the end of its function, and the end to every return point. Successors of
 * block b: succ[succ_first[b]] to before succ[succ_first[b + 1]]; predecessors in the same form. */
struct flow {
	const struct program *p;
	const struct instr *code;
	uint32_t nblocks, nfunctions;
	uint32_t *first;    /* first instruction of each block; of ends and past the last: ninstr */
	uint32_t *block;    /* by instruction */
	uint32_t *function; /* by block */
	uint32_t *succ_first, *succ, *pred_first, *pred;
};

/* Sets of 32-bit registers: `words` words each. */
struct reg_sets {
	uint32_t words;
	uint64_t *bits; /* set k: from bits[k * words] on */
};

/* The result of strand marking. */
struct strands {
	struct flow flow; /* every strand begins at a block */
	uint8_t *mark;    /* by instruction: enum strand_mark */
	uint32_t *strand; /* by instruction: strands are numbered by their first instructions */
	uint32_t n;
};

/* ptx/levels/flow.c: `leader` marks instructions that begin a block in any case. */
void flow_build(struct flow *, const struct program *, const struct instr *, const bool *leader,
	struct arena *);

/* The block after b in program order if lanes can reach it from b other than through a call. */
bool flow_falls(const struct flow *, uint32_t b);

/* Visits the blocks that lanes may execute between their divergence at the end of block b and its
 * reconvergence point, until `visit` returns true. At most a few thousand blocks are visited;
 * beyond that *all is set, which means any code of the program. Returns the last result of `visit`.
 */
struct region_walk {
	const struct flow *flow;
	uint32_t *stamp, *stack; /* by block */
	uint32_t now;
};
struct region_walk region_walk_new(const struct flow *, struct arena *);
typedef bool region_visit_fn(void *ctx, uint32_t block);
bool region_walk(struct region_walk *, uint32_t b, region_visit_fn *visit, void *ctx, bool *all);

/* Whether lanes can diverge at the end of block b. */
bool flow_parts(const struct flow *, uint32_t b);

/* ptx/levels/strand.c: marks and numbers the strands of the program. */
void strands_mark(struct strands *, const struct program *, const struct instr *,
	const struct levels_options *, struct arena *);

/* Whether its result has a long latency: texture and surface loads, and accesses through the cache.
 */
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
