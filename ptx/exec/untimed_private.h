/* Shared by the files of the untimed runner. Private to ptx/exec/untimed*.c. */
#ifndef PTX_EXEC_UNTIMED_PRIVATE_H
#define PTX_EXEC_UNTIMED_PRIVATE_H

#include "ptx/exec/barrier.h"
#include "ptx/exec/positions.h"
#include "ptx/exec/private.h"
#include "ptx/exec/races.h"
#include "ptx/exec/spin.h"

/* Shared by the CTAs of a run. */
struct runner {
	const struct grid *grid;
	const struct lanes *lanes;
	const struct exec_memory *memory;
	const struct untimed_limits *limits;
	const struct untimed_watch *watch; /* or NULL: of every instruction */
	const struct untimed_watch *touch; /* or NULL: of accesses */
	struct races *races;               /* NULL: not looked for */
	uint32_t warp_turn;             /* instructions of a warp's turn, if it is short; else 0 */
	const struct level_note *notes; /* or NULL */
	uint64_t *executions;           /* of each instruction */
	bool steps_aside; /* hardware-managed: warps are descheduled at the strands that wait */
	struct untimed_counts *counts;
	struct fault *fault;
	uint64_t left;    /* warp instructions until the limit; UINT64_MAX: none */
	uint64_t unasked; /* warp instructions since the caller was last polled */
	uint32_t nwarps;
	struct spin_space room;
};

/* Counts further warp instructions; returns whether the run ends (*r->fault then has the reason).
 */
bool runner_stops(struct runner *, uint64_t executed);

/* A resident CTA, with its storage: one block. */
struct resident {
	struct cta cta;
	struct barriers barriers;
	bool spins;        /* it was found to spin, and may still */
	bool turned;       /* it has had a time slice before */
	uint32_t slot;     /* index among the run's entries for CTAs */
	uint64_t unlooked; /* instructions of short turns since spinning warps were searched for */
	struct warp *warps;
	struct warp **by_index;
	uint32_t *regs, *preds;
	struct frame *stacks;
	unsigned char *local, *shared;
	void *race_memory; /* NULL: races are not looked for */
	struct race_state *race;
};

/* Host memory of a resident CTA. */
size_t resident_bytes(const struct runner *);

/* An entry for CTAs of the run; mem_free frees it. NULL: there is no memory. */
struct resident *resident_new(const struct runner *);

/* CTA `index` of the grid starts in that entry. */
void resident_start(struct runner *, struct resident *, uint64_t index);

enum turn {
	TURN_ENDED, /* the CTA has completed */
	TURN_OVER,  /* its time slice is over */
	TURN_SPINS, /* the same: all its warps wait or spin, forever if memory does not change */
	TURN_FAULT  /* a fault; or FAULT_NONE: the limit, or the caller ended the run */
};

/* Executes one time slice of the CTA. With TURN_SPINS, *executed, the instructions of the slice, is
 * 0 when nothing can have changed. */
enum turn resident_turn(struct runner *, struct resident *, uint64_t *executed);

/* Adds the state of its warps. */
void resident_report(struct runner *, const struct resident *, struct positions *);

#endif
