/* Warp schedulers: which warps are active, and which of them issues. A plugin of kind "warp
 * scheduler" each: a policy (core/policy.h), one for all schedulers of an SM. */
#ifndef SM_SCHED_H
#define SM_SCHED_H

#include "core/policy.h"
#include "sm/reasons.h"

#define SCHED_WARPS 64 /* the most warp slots */

/* The result of pick when no warp is to issue. */
#define SCHED_NONE UINT32_MAX

struct sm;

/* What a policy may know of its scheduler's warps; bit w is warp slot w. */
struct sched_view {
	uint64_t resident;
	uint64_t active;      /* as activate() last returned, without warps that left */
	uint64_t ready;       /* can issue this cycle */
	uint64_t waiting;     /* on a long-latency result, a barrier, a fence, or their exit */
	uint64_t drained;     /* of `waiting`: their short-latency writes are done */
	const uint64_t *age;  /* per warp: order of arrival */
	unsigned last;        /* the warp that issued last */
	unsigned last_active; /* the warp activated last */
	unsigned scheduler;   /* its number in the SM */
	uint64_t cycle;
	const struct sm *sm; /* for sched_look */
};

/* One warp of the SM, of any of its schedulers. */
struct sched_warp {
	bool resident;
	enum sm_reason waits_for; /* SELECTED: for nothing */
	unsigned cta;             /* CTA slot */
	uint64_t issued_at;       /* 1 + the cycle of its last issue; 0: none yet */
	unsigned in_memory;       /* memory instructions in flight */
	bool loads; /* its next instruction loads from, or is an atomic on, global or local memory
		     */
};
struct sched_warp sched_look(const struct sched_view *, unsigned warp);

/* What happened to a line of the SM's L1. */
enum sched_l1 {
	SCHED_L1_HIT,     /* the warp's load found it */
	SCHED_L1_MISSED,  /* the warp's load did not: now requested, or merged with an outstanding
			     request */
	SCHED_L1_FILLED,  /* it was filled, requested by the warp */
	SCHED_L1_EVICTED, /* it was replaced; the warp is the one that had it filled */
	SCHED_L1_EMPTIED  /* all lines are gone; no warp, no line */
};

struct sched_ops {
	/* Sets state up, before anything runs. May be NULL. */
	void (*init)(void *self, unsigned warps, unsigned schedulers, struct arena *);

	/* ---- choosing */
	/* The new active set: which warps may issue. Called whenever something changed: the cycle
	 * alone must not change the result. */
	uint64_t (*activate)(const void *self, const struct sched_view *);
	/* activate() depends on resident, waiting, drained and active alone, and keeps a set that
	 * it has chosen until one of the first three changes: only then is it called. */
	bool steady;
	/* The warp to issue, one of active & ready; that set is not empty. SCHED_NONE: none of them
	 * yet; it is called again in the next cycle. */
	unsigned (*pick)(const void *self, const struct sched_view *);

	/* ---- events; each may be NULL */
	void (*started)(void *self, unsigned warp, uint64_t cycle); /* into a free slot */
	void (*ended)(void *self, unsigned warp, uint64_t cycle);
	void (*issued)(void *self, unsigned warp, uint64_t cycle);
	void (*l1)(void *self, enum sched_l1, unsigned warp, uint64_t line, uint64_t cycle);
};

/* The lowest bit of `set` above `after`, wrapping around; set != 0. */
static inline unsigned sched_next(uint64_t set, unsigned after)
{
	uint64_t above = after >= 63 ? 0 : set & (~UINT64_C(0) << (after + 1));

	return low_bit(above ? above : set);
}

/* The bit of `set` with the smallest age; set != 0. */
static inline unsigned sched_oldest(uint64_t set, const uint64_t *age)
{
	unsigned best = low_bit(set);

	for (set &= set - 1; set; set &= set - 1)
		if (age[low_bit(set)] < age[best])
			best = low_bit(set);
	return best;
}

#endif
