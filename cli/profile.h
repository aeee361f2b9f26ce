/* What an untimed run did, instruction by instruction: counted by an observer of the executor. */
#ifndef CLI_PROFILE_H
#define CLI_PROFILE_H

#include "core/mem.h"
#include "ptx/exec/exec.h"

enum profile_act { PROFILE_LOADS, PROFILE_STORES, PROFILE_ATOMICS, PROFILE_ACTS };

/* Accesses of warps to one space. */
struct profile_memory {
	uint64_t accesses, lanes, bytes; /* of all lanes together */
	uint64_t lines;                  /* of 128 bytes; none in shared memory and parameters */
};

/* A spelling of the PTX. */
struct profile_form {
	const char *spelling;
	uint64_t warp_instructions, thread_instructions;
};

/* A program that ran, with counts for each of its instructions. */
struct profile_program {
	const struct program *program;
	uint64_t *warps, *threads;
};

/* A zeroed struct is a valid empty one. */
struct profile {
	struct profile_program *programs;
	unsigned nprograms, last;
	struct profile_memory memory[SPACE_COUNT][PROFILE_ACTS];
	uint64_t branches, taken, divergent; /* branches: warp instructions */
	bool failed;                         /* no host memory: counts are not complete */
};

/* The observer that counts into the profile, which must not move. */
struct untimed_watch profile_watch(struct profile *);
void profile_clear(struct profile *); /* accepts an empty one */

const char *profile_act_name(enum profile_act); /* "loads" */

/* All forms, the most frequent first, in the arena; *n of them. */
struct profile_form *profile_forms(const struct profile *, struct arena *, unsigned *n);

/* 32-bit registers and predicates that warps read and wrote. A guard counts as a predicate read. */
struct profile_registers {
	uint64_t read, written, preds_read, preds_written;
};
struct profile_registers profile_registers(const struct profile *);

#endif
