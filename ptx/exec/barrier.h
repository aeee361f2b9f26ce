/* The sixteen barriers of a CTA: who waits, who is released, and what bar.red delivers. Shared by
 * the untimed runner and the timing model. Arrival counts in warps, as PTX defines it. */
#ifndef PTX_EXEC_BARRIER_H
#define PTX_EXEC_BARRIER_H

#include "ptx/exec/exec.h"

#define BARRIERS 16
#define BARRIER_WARPS 64 /* of one CTA, at most */

struct barrier {
	uint64_t waiting;  /* warps */
	uint32_t arrived;  /* warps, waiting or not */
	uint32_t expected; /* warps; 0: all that run */
	uint32_t count;    /* true predicates so far */
	bool all, any;     /* of the predicates so far */
};

/* What a waiting warp will be given. */
struct barrier_wait {
	const struct instr *instr;
	uint32_t mask;
};

struct barriers {
	struct barrier at[BARRIERS];
	struct barrier_wait wait[BARRIER_WARPS];
	uint64_t waiting; /* warps that wait at any barrier */
	uint32_t running; /* warps that have not exited */
};

/* A CTA starts with `warps` warps, at most BARRIER_WARPS. */
void barriers_start(struct barriers *, uint32_t warps);

/* Warp `index` of the CTA executes barrier instruction `in` with these lanes (exec_mask before
 * exec_issue, which has checked the operands); call it after exec_issue. `warps` are the CTA's
 * warps by index: bar.red writes its results into them when the barrier completes. Returns the
 * warps that were waiting and go on now, `index` among them when its arrival completed the barrier.
 * Whether it waits is told by bit `index` of `waiting`. */
uint64_t barrier_arrive(struct barriers *, struct warp *const *warps, uint32_t index,
	const struct instr *in, uint32_t mask);

/* Whether every warp that still runs waits at a barrier: then none is ever released. Fills the
 * fault, of the first warp that waits; `warps` as above, `nwarps` of them. */
bool barriers_stuck(
	const struct barriers *, struct warp *const *warps, uint32_t nwarps, struct fault *);

/* A warp has exited: barriers that expect the whole CTA expect one warp less. Returns as above. */
uint64_t barrier_exit(struct barriers *, struct warp *const *warps);

#endif
