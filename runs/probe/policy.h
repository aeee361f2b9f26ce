/* Replacement, shared by its files. */
#ifndef RUNS_PROBE_POLICY_H
#define RUNS_PROBE_POLICY_H

#include "runs/probe/inside.h"

enum candidate_kind { KIND_LRU, KIND_FIFO, KIND_TREE, KIND_LISTED };

/* A policy that predicts every hit. */
struct candidate {
	enum candidate_kind kind;
	uint32_t period;
	uint16_t order[64]; /* ways, of KIND_LISTED */
};

/* Ways that were evicted one after the other; free ways are filled from 0 on. */
#define VICTIMS_MOST 3000u
struct victims {
	uint16_t way[VICTIMS_MOST];
	uint32_t n;
};

/* Some 3000 of them in cyclic passes. False: a unit that missed was not kept. */
bool policy_victims(struct prober *, const struct level *, struct victims *);

/* What a set's replacement is, with the evidence, or NULL and why that is not known. */
struct verdict {
	const char *value, *text;
};
/* random.c: neither predicts: ways by chance, with weights. */
struct verdict random_verdict(struct prober *, const struct level *);

#endif
