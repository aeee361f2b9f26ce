/* What the files of the untimed runner share. Private to ptx/untimed*.c. */
#ifndef PTX_EXEC_UNTIMED_PRIVATE_H
#define PTX_EXEC_UNTIMED_PRIVATE_H

#include "ptx/exec/barrier.h"
#include "ptx/exec/private.h"
#include "ptx/exec/spin.h"
#include "ptx/exec/standing.h"

/* Everything that the CTAs of a run share. */
struct runner {
	const struct grid *grid;
	const struct lanes *lanes;
	const struct exec_memory *memory;
	const struct untimed_limits *limits;
	const struct untimed_watch *watch; /* or NULL */
	const struct level_note *notes;    /* or NULL */
	uint64_t *executions;              /* of each instruction */
	bool steps_aside;                  /* at the strands that wait, seen by hardware */
	struct untimed_counts *counts;
	struct fault *fault;
	uint64_t left;    /* warp instructions until the limit; UINT64_MAX: there is none */
	uint64_t unasked; /* warp instructions since the owner was asked whether to go on */
	uint32_t nwarps;
	struct spin_room room;
};

/* After so many more warp instructions: whether the owner ends the run (then *r->fault says so). */
bool runner_stops(struct runner *, uint64_t executed);

/* A CTA that has begun and not ended, with its storage: one block. */
struct resident {
	struct cta cta;
	struct barriers barriers;
	bool spins;     /* it was seen getting nowhere, and may still */
	bool turned;    /* it has had a turn before */
	uint32_t place; /* of those that the run has for CTAs */
	struct warp *warps;
	struct warp **by_index;
	uint32_t *regs, *preds;
	struct frame *stacks;
	unsigned char *local, *shared;
};

/* Host memory that a resident CTA takes. */
size_t resident_bytes(const struct runner *);

/* A place for CTAs of the run; mem_free frees it. NULL: there is no memory. */
struct resident *resident_new(const struct runner *);

/* CTA `index` of the grid begins in that place. */
void resident_start(struct runner *, struct resident *, uint64_t index);

enum turn {
	TURN_ENDED, /* the CTA has ended */
	TURN_OVER,  /* others have their turn */
	TURN_SPINS, /* the same: all its warps wait or go round, for ever if memory does not change
		     */
	TURN_FAULT  /* a fault; or FAULT_NONE: the limit, or the owner does not want to go on */
};

/* The CTA's turn. Of TURN_SPINS *executed, the instructions of the turn, are none when nothing can
 * have changed. */
enum turn resident_turn(struct runner *, struct resident *, uint64_t *executed);

/* Where its warps stand. */
void resident_tell(struct runner *, const struct resident *, struct standing *);

#endif
