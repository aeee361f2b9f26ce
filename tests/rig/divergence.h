/* Random divergent kernels: a seed makes one, as PTX and for a scalar interpreter that runs one
 * thread after another.
 *
 * A kernel is a sequence of segments. Within one, control flow is arbitrary: loops with a trip
 * count per lane, breaks, jumps into and out of anything, calls, early exits; every backward jump
 * consumes fuel, so that the kernel terminates. Between segments the threads synchronise and
 * exchange values. Some segments are repeated, each time by all threads. */
#ifndef TESTS_RIG_DIVERGENCE_H
#define TESTS_RIG_DIVERGENCE_H

#include "core/rng.h"
#include "core/text.h"

#include <stdbool.h>
#include <stdint.h>

#define DIVERGENCE_THREADS 80u /* two warps and a half */
#define DIVERGENCE_REGS 10u
#define DIVERGENCE_PREDS 4u
#define DIVERGENCE_COUNTERS 4u
#define DIVERGENCE_INPUTS 64u                  /* words of input, before the results */
#define DIVERGENCE_WORDS (DIVERGENCE_REGS + 1) /* of results per thread */
#define DIVERGENCE_OPS 240u

enum op_kind {
	OP_ADD,
	OP_SUB,
	OP_MUL,
	OP_XOR,
	OP_SHR,
	OP_MAX,
	OP_MAD,
	OP_SELECT,
	OP_COMPARE,
	OP_LOAD,
	OP_CALL,
	OP_PLAIN,            /* the kinds above have no control flow and any guard */
	OP_COUNT = OP_PLAIN, /* sets a counter to low bits of a register */
	OP_JUMP,             /* forward */
	OP_BACK,             /* backward: consumes fuel, and a counter when `a` is one */
	OP_RETURN,
	OP_EXIT,
	OP_LAND /* no operation: a jump target */
};

#define NO_GUARD_HERE 0xff

struct op {
	uint8_t kind, d, a, b, c; /* registers, predicates, counters; a function */
	uint8_t guard;            /* predicate, or NO_GUARD_HERE */
	bool negated;
	uint32_t imm, target;
};

struct body {
	struct op ops[DIVERGENCE_OPS];
	unsigned n, fuel;
};

#define DIVERGENCE_SEGMENTS 4u
#define DIVERGENCE_FUNCTIONS 3u

struct random_kernel {
	struct body segments[DIVERGENCE_SEGMENTS], functions[DIVERGENCE_FUNCTIONS];
	unsigned nsegments, repeat_first, repeat_last, repeats;
	struct rng rng;        /* during construction */
	unsigned depth, level; /* of loops; 0: the kernel, 1 + i: function i */
	bool gotos, exits;
};

void divergence_make(struct random_kernel *, uint64_t seed);

/* The kernel `k` with 64-bit addresses, for memory of inputs and results of one CTA. */
void divergence_write(const struct random_kernel *, struct text *);

/* The memory after it: inputs, then the results of one CTA, thread by thread. */
void divergence_interpret(const struct random_kernel *, uint32_t *memory);

#endif
