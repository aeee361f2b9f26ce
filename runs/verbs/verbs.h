/* A machine whose parameters one cannot see, through four verbs: a buffer, a script of accesses of
 * one thread, a stride through shared memory, forget. Behind them is a chip, a recording
 * of one, or a toy of the tests; runs/probe/ knows no more of it. */
#ifndef RUNS_VERBS_H
#define RUNS_VERBS_H

#include "core/err.h"

#include <stdint.h>

/* How an access goes to memory. */
enum verbs_path {
	VERBS_CA,  /* ld.global.ca: through the caches that loads use */
	VERBS_CG,  /* ld.global.cg: past the L1 */
	VERBS_NC,  /* ld.global.nc: the read-only cache */
	VERBS_TEX, /* a fetch of a texel of 4 bytes */
	/* No access: its time is what else is in the times of the others, with one or two dependent
	 * additions. */
	VERBS_ONE_ADDITION,
	VERBS_TWO_ADDITIONS
};

/* What a segment's accesses leave in the results. */
enum verbs_act {
	VERBS_TOUCH, /* nothing */
	VERBS_TIME,  /* the cycles of each */
	VERBS_COUNT  /* one number: how many of them took more than the script's limit */
};

/* `count` (at least one) accesses of 4 bytes to the buffer, at first, first + stride, ..: multiples
 * of 4 inside the buffer. */
struct verbs_segment {
	uint32_t first;
	int32_t stride;
	uint32_t count;
	uint8_t path, act;
};

#define VERBS_SEGMENTS 240 /* of a script */
#define VERBS_RESULTS 2048

struct verbs_script {
	uint32_t limit; /* of VERBS_COUNT, in cycles as VERBS_TIME gives them */
	uint32_t n;
	struct verbs_segment at[VERBS_SEGMENTS];
};

/* Each returns 0, or -1 and a message; after that no verb is used any more. */
struct verbs {
	void *ctx;
	/* A buffer of that many bytes, all zero, at a multiple of VERBS_ALIGN, instead of the one
	 * before it; the first verb. */
	int (*buffer)(void *ctx, uint64_t bytes, struct err *);
	/* Runs the script, each access after the one before, and fills the results, verbs_results
	 * of them. It begins as a launch of a kernel begins: the caches of the SM are empty. */
	int (*script)(void *ctx, const struct verbs_script *, uint32_t *results, struct err *);
	/* A warp's loads from shared memory of `words` words of 4 bytes (1 or 2) each, `stride`
	 * times that far from lane to lane: the cycles of VERBS_STEPS dependent ones. */
	int (*stride)(void *ctx, unsigned stride, unsigned words, uint32_t *cycles, struct err *);
	/* All caches and TLBs are empty after it. */
	int (*forget)(void *ctx, struct err *);
};

#define VERBS_ALIGN (UINT32_C(64) << 20) /* bytes: of an address, bits below are an offset's */
#define VERBS_STEPS 32
#define VERBS_STRIDE_MOST 64

/* How many results the script has. */
static inline uint32_t verbs_results(const struct verbs_script *s)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->n; i++)
		n += s->at[i].act == VERBS_TIME    ? s->at[i].count
		     : s->at[i].act == VERBS_COUNT ? 1
						   : 0;
	return n;
}

#endif
