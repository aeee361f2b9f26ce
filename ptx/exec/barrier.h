/* The sixteen barriers of a CTA: waiting warps, their release, and the results of bar.red. Used by
 * the untimed runner and by the timing model. Arrivals are counted in warps, as PTX defines it. */
#ifndef PTX_EXEC_BARRIER_H
#define PTX_EXEC_BARRIER_H

#include "ptx/exec/exec.h"

#define BARRIERS 16
#define BARRIER_WARPS 64 /* of one CTA, at most */

struct barrier {
	uint64_t waiting;  /* warps */
	uint32_t arrived;  /* warps, waiting or not */
	uint32_t expected; /* warps; 0: all that have not exited */
	uint32_t count;    /* true predicates so far */
	bool all, any;     /* of the predicates so far */
};

/* The pending results of a waiting warp. */
struct barrier_wait {
	const struct instr *instr;
	uint32_t mask;
};

struct barriers {
	struct barrier at[BARRIERS];
	struct barrier_wait wait[BARRIER_WARPS];
	uint64_t waiting; /* warps waiting at any barrier */
	uint32_t running; /* warps that have not exited */
};

/* Initialises the barriers of a CTA with `warps` warps, at most BARRIER_WARPS. */
void barriers_start(struct barriers *, uint32_t warps);

/* Warp `index` of the CTA executes barrier instruction `in` with these lanes (exec_mask before
 * exec_issue); call it after exec_issue, which checks the operands. `warps` are the CTA's warps by
 * index: bar.red writes its results to them when the barrier completes. Returns the waiting warps
 * that are released, including `index` when its arrival completed the barrier. Bit `index` of
 * `waiting` is set if the warp waits; lanes that were set aside are no arrival. */
uint64_t barrier_arrive(struct barriers *, struct warp *const *warps, uint32_t index,
	const struct instr *in, uint32_t mask);

/* The same for a barrier that nothing waits at: lanes of the warp that are set aside go on. */
void barrier_pass(struct warp *, const struct instr *in, uint32_t mask);

/* Which of the BARRIERS a barrier instruction of a warp names, executed by these lanes (not none).
 */
uint32_t barrier_id(const struct warp *, const struct instr *, uint32_t mask);

/* Whether every warp that has not exited waits at a barrier, so that none is ever released. Fills
 * in the fault, for the first waiting warp; `warps` as above, `nwarps` of them. */
bool barriers_stuck(
	const struct barriers *, struct warp *const *warps, uint32_t nwarps, struct fault *);

/* A warp has exited: barriers of the whole CTA expect one warp less. Returns the released warps. */
uint64_t barrier_exit(struct barriers *, struct warp *const *warps);

#endif
