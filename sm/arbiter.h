/* Banks in time, cycle by cycle: what sm.bank_conflicts=cycle asks for instead of a penalty
 * (Gebhart et al., MICRO 2012, sections 4.2 and 4.3). Register reads take their banks when an
 * instruction issues, and have priority. Where memory shares those banks, or shared memory and
 * cache share a store, accesses to shared memory and lines of the cache wait in one queue for the
 * banks' port to the lanes, in order. */
#ifndef SM_ARBITER_H
#define SM_ARBITER_H

#include "mem/banks.h"

struct sm;
struct instr;

/* An access of memory that waits for its banks. */
struct bank_job {
	struct bank_rows left;  /* what it has not moved yet */
	uint64_t from;          /* not before this cycle */
	uint64_t begun;         /* UINT64_MAX: not yet */
	uint64_t done;          /* its last cycle, as far as is known: never earlier */
	uint64_t age;           /* of the warp, as in sm->age: another one may have its slot */
	const struct instr *in; /* whose results come with it; NULL: none */
	uint32_t op;            /* the load whose line it is; ARBITER_NO_OP: none */
	uint8_t warp;
	uint16_t least;   /* cycles that it takes at least */
	uint16_t late;    /* from its last cycle to its results */
	bool meets_reads; /* of registers */
};
#define ARBITER_NO_OP UINT32_MAX

struct arbiter {
	bool on;               /* the model is configured */
	bool one_store;        /* shared memory and cache wait for the same banks */
	struct bank_job *jobs; /* ring of sm.bank_queue */
	uint32_t head, n;
	uint64_t next;                       /* the first cycle that is not settled */
	uint64_t read_until[BANK_REGISTERS]; /* reads of registers take the bank before this */
	uint64_t register_cycles,
		slips; /* issue slots; cycles in which memory waited for registers */
};

void arbiter_init(struct sm *, struct arena *, struct err *);

/* The instruction that issues reads its registers (sm->banks.reads). Returns the cycle in which it
 * has the last of them: this one, unless reads conflict. */
uint64_t arbiter_registers(struct sm *, unsigned w, uint64_t cycle);

/* No access can be queued. */
bool arbiter_full(const struct sm *);

/* Queues an access to shared memory of `passes` passes, whose operands are available in `cycle`.
 * Returns its last cycle in the banks as far as is known; a later one is put on the scoreboard. */
uint64_t arbiter_shared(struct sm *, unsigned w, const struct instr *, const struct access *,
	unsigned passes, uint64_t cycle);

/* Queues a line in a way of the cache: a load's (its op is done with it), or one that is written
 * (ARBITER_NO_OP). */
void arbiter_line(struct sm *, int way, uint32_t op, uint64_t cycle);

/* Settles all cycles before `cycle`. */
void arbiter_advance(struct sm *, uint64_t cycle);

#endif
