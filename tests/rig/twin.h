/* A run that is saved between two windows, and its twin: another chip that loads what was saved and
 * goes on. */
#ifndef TESTS_RIG_TWIN_H
#define TESTS_RIG_TWIN_H

#include "tests/rig/workload_rig.h"

struct twin {
	struct subject subject; /* timed */
	unsigned threads;       /* of the twin's host; 0: 1 */
	uint64_t at;            /* windows that have run when the state is saved */
	bool compare;           /* both chips' memory, too, right after loading */
	bool profile;           /* both are profiled, and the tables compared */
	const char *trace;      /* both are traced: patterns of signals; NULL: none */
	const char *sample;     /* both are sampled, by that policy; NULL: none */
	/* results */
	bool saved;       /* false: the run was over before */
	uint64_t windows; /* of the whole run */
	size_t bytes;     /* of the state */
	double untimed;   /* warp instructions of the sampled run */
};

/* Runs it. Fails the test where the two memories differ in more than what a part declares as
 * scratch, or the two runs' results at the end. */
void twin_run(struct twin *);

/* Instead loads what was saved that often with one byte of it wrong: it may be refused or not, but
 * nothing crashes. */
void twin_spoil(struct twin *, unsigned loads);

/* The message with which saving is refused. Where it is not, the test fails. */
struct text twin_refusal(const struct twin *);

#endif
