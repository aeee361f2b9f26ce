/* Asynchronous copies to shared memory, in groups. */
#ifndef SM_COPIES_H
#define SM_COPIES_H

#include "ptx/exec/exec.h"

/* The latest groups, whose copies are counted group by group. */
#define COPY_GROUPS 16u

struct copy_group {
	uint64_t ready; /* cycle in which the copies that have come are complete */
	uint32_t out;   /* copies in flight */
};

/* Of a warp. */
struct copies {
	struct copy_group latest[COPY_GROUPS]; /* by group modulo COPY_GROUPS */
	struct copy_group older;               /* all groups before these */
	uint32_t group;                        /* that of the next copy */
	uint32_t waits;  /* 1 + the instruction that waits for copies; 0: none does */
	uint32_t spared; /* the latest groups, which it does not wait for */
};

struct sm;
struct op;

/* Executes an instruction of ACT_ASYNC. */
void copies_issue(struct sm *, unsigned w, const struct instr *, uint64_t cycle);
/* A copy is in flight; its last byte has come. */
void copies_enter(struct sm *, unsigned w, struct op *);
void copies_arrive(struct sm *, const struct op *, uint64_t cycle);

#endif
