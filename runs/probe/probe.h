/* What a machine's memory hierarchy is, found out by timing accesses alone (after Mei et al., NPC
 * 2014; Saavedra and Smith, IEEE TC 1995). Of the simulator it knows runs/verbs/verbs.h, and
 * nothing else: a chip, a recording of hardware and a toy of the tests are the same to it. */
#ifndef RUNS_PROBE_PROBE_H
#define RUNS_PROBE_PROBE_H

#include "core/err.h"
#include "core/mem.h"
#include "runs/verbs/verbs.h"

#include <stdbool.h>

enum probe_part { /* bits */
	PROBE_LATENCY = 1,
	PROBE_L1 = 2,
	PROBE_TEX = 4,
	PROBE_L2 = 8,
	PROBE_TLB = 16,
	PROBE_SHARED = 32,
	PROBE_ALL = 63,
	/* Beside them: Mei et al.'s patterns, which take the TLBs; cyclic passes over more than the
	 * L1, the texture cache, the TLBs hold, and what they evict. */
	PROBE_PATTERNS = 64,
	PROBE_L1_PASSES = 128,
	PROBE_TEX_PASSES = 256,
	PROBE_TLB_PASSES = 512,
	/* Latency by footprint and stride, over all levels: pictures only, nothing is concluded. */
	PROBE_STAIRS = 1024,
	PROBE_USUAL = PROBE_ALL | PROBE_STAIRS
};

/* One thing that was looked for. Strings are the arena's or constants. */
struct finding {
	const char *level;    /* "L1", "texture cache", "L2", "L1 TLB", "shared memory" .. */
	const char *item;     /* "capacity", "ways" .. */
	bool known;           /* else `value` is the reason why it was not determined */
	const char *value;    /* in words, with unit */
	double number;        /* the same, where it is one number; else 0 */
	const char *evidence; /* what was observed */
	uint64_t accesses;    /* that it took */
};

/* A measured curve: misses by footprint, of the second pass, or of all passes in the steady state.
 */
struct probe_dot {
	const char *level;        /* "L1"; also with PROBE_IN_PASSES */
	uint32_t stride;          /* bytes */
	double footprint, missed; /* bytes; per cent of the accesses */
};

/* What a level's name ends with in curves of cyclic passes. */
#define PROBE_IN_PASSES " in cyclic passes"

/* The mean latency, from load to use, of a second pass over the footprint. */
struct probe_stair {
	uint32_t stride;          /* bytes */
	double footprint, cycles; /* bytes */
};

/* How a level's first units, contiguous ones, are mapped to its sets. */
struct probe_map {
	const char *level;
	uint32_t unit, n;       /* bytes; units */
	const uint32_t *set_of; /* by unit: from 0 on; PROBE_NO_SET: unknown */
	uint32_t sets;
	const uint32_t *ways; /* by set */
	uint32_t capacity;    /* contiguous units that stay */
};

#define PROBE_NO_SET UINT32_MAX
#define PROBE_MAPS 8

struct probe_report {
	struct finding *at;
	unsigned n;
	struct probe_dot *dots;
	unsigned ndots;
	struct probe_stair *stairs;
	unsigned nstairs;
	struct probe_map maps[PROBE_MAPS];
	unsigned nmaps;
	uint64_t accesses, scripts;
};

/* Finds out the parts, bits of probe_part; those that others need are probed, too. Memory is the
 * arena's. 0, or -1 and a message when a verb failed: the report then has what was found before. */
int probe_all(
	const struct verbs *, unsigned parts, struct arena *, struct probe_report *, struct err *);

/* The finding of that name, or NULL. */
const struct finding *probe_find(const struct probe_report *, const char *level, const char *item);

#endif
