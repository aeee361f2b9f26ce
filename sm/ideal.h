/* What no machine does, for experiments: the run's time without one limit of the program
 * (chip/limits.h). Results are those of any machine, but without barriers. */
#ifndef SM_IDEAL_H
#define SM_IDEAL_H

#include "core/table.h"
#include "mem/coalesce.h"

#define IDEAL_PARAMS(P, T) \
	P(T, BOOL, coalescing, false, 0, 1, "", \
		"A load or store of global or local memory touches as few lines as its bytes " \
		"fill. Of records, one for each thread, these are those of an array of each " \
		"field; else neighbouring accesses take different ones of their lines, and a " \
		"CTA's stores of columns leave when their lines are full.") \
	P(T, BOOL, divergence, false, 0, 1, "", \
		"Parts of warps are packed: of the instructions that part of a warp executes, as " \
		"many take an issue slot and their latency as if all 32 lanes took part in each. A " \
		"warp of each CTA takes no less than its longest lane would alone.") \
	P(T, BOOL, blocks, false, 0, 1, "", \
		"Neighbouring CTAs whose last warp has empty lanes share warps: of those that a " \
		"neighbour's lanes have space for no instruction takes time, and no line that it " \
		"would share is sent.") \
	P(T, BOOL, narrow, false, 0, 1, "", \
		"Neighbouring bytes and halves are accessed as words: of loops with such accesses " \
		"as many passes take time.") \
	P(T, BOOL, warps, false, 0, 1, "", \
		"Warps of a CTA share its work: of the instructions of those that work while others " \
		"have exited or wait at a barrier, as many take their latency as if all took part.") \
	P(T, BOOL, loads, false, 0, 1, "", "All loads hit in the L1.") \
	P(T, UINT, chains, 0, 0, 64, "chains", \
		"Of that many loads of global memory a warp waits for one, as if they belonged to as " \
		"many chains; the others' results take as long as if they hit in the L1. Their lines " \
		"are fetched as without this. 0: it waits for all.") \
	P(T, BOOL, local, false, 0, 1, "", \
		"Arrays of local memory take as long as shared memory without bank conflicts, and " \
		"fetch and store nothing. Spilled values are where they were.") \
	P(T, BOOL, atomics, false, 0, 1, "", \
		"Lanes of a warp that make an atomic on one word make it together, and of those " \
		"whose result is not read a CTA sends one of each word, when it ends; where no word " \
		"is that of two lanes, each warp has a copy of what it operates on.") \
	P(T, BOOL, warp_sums, false, 0, 1, "", \
		"With ideal.atomics each warp sends what it has added up of a word, not the CTA.") \
	P(T, BOOL, shared_atomics, false, 0, 1, "", \
		"Lanes of an atomic on shared memory that want one word take one pass together.") \
	P(T, BOOL, constants, false, 0, 1, "", \
		"Lanes of a load of constants take one pass together, and one line, whatever " \
		"they index.") \
	P(T, BOOL, kept, false, 0, 1, "", \
		"Lines of the L1 that a store or an atomic would drop stay.") \
	P(T, BOOL, barriers, false, 0, 1, "", \
		"Warps pass bar.sync without waiting and without a slot. Values that they " \
		"exchange are then wrong, and the time is right where neither branches nor " \
		"addresses depend on them.")

/* A line of which the CTA's stores have sent nothing yet. */
#define IDEAL_HELD 4096u
struct ideal_held {
	uint64_t line;
	/* bytes: stored so far; 0: a free entry. from: offset of the first */
	uint8_t granules, bytes, cta, from;
};

/* How long lanes would take alone: cycles of latency of what each has executed, and what its warp
 * has waited for. */
struct ideal_alone {
	uint32_t lane[64][WARP_LANES], longest[64], paid[64]; /* by warp slot */
	/* By CTA slot: whether it has a warp that takes the time of its longest lane, and which;
	 * what that one has waited for. */
	bool leads[64];
	uint8_t leader[64];
	uint32_t led[64];
	unsigned turn; /* the CTA's warp that gave its leader a slot last */
};

#define IDEAL_WORD 4u /* bytes */
struct instr;
struct program;
struct sm_ideal {
	struct {
		IDEAL_PARAMS(PARAM_FIELD, sm_ideal)
	} p;
	/* By warp slot: lanes (warps: of the CTA) of instructions that took no time, less the empty
	 * ones of those that took it; and whether instructions up to the next branch take none. */
	int64_t lanes[64];
	bool riding[64], rode[64]; /* rode: the warp's last instruction took none */
	/* Issue slots of all schedulers, from cycle 0 on: up to the last instruction; by warp slot,
	 * from which one on its instructions that take no time may take them. */
	uint64_t slots, from[64];
	bool rides;        /* the last instruction took no time */
	bool packs;        /* some may take none */
	uint32_t mask;     /* the next instruction's lanes */
	bool lines;        /* accesses may touch others than their addresses' */
	uint8_t loads[64]; /* by warp slot: since it waited for one */
	uint8_t width[64]; /* by warp slot: bytes of a lane's last access, at most a word's */
	bool apart; /* a CTA's columns filled no sectors: other CTAs store the rest, and none are
		       held */
	const struct program *has_rows; /* neighbouring lanes access neighbouring words in it */
	struct ideal_held *held;        /* IDEAL_HELD, or NULL */
	struct ideal_sum *sums;         /* of atomics, or NULL */
	struct ideal_alone *alone;      /* or NULL */
	/* By CTA slot: the last of its stores that were held, its last warp; those whose warps have
	 * exited, and whose lines leave. */
	const struct instr *stores[64];
	uint8_t last[64];
	uint64_t leaves;
};

/* ideal.chains: whether the warp waits for this load. */
static inline bool ideal_waits(struct sm_ideal *i, unsigned w)
{
	i->loads[w] = (uint8_t)((i->loads[w] + 1) % i->p.chains);
	return !i->loads[w];
}

struct sm;
/* ideal.divergence: lanes of the CTA's warps have executed nothing. */
void ideal_cta_begins(struct sm *, unsigned cta);

/* The access's bytes in the fewest of its n lines; returns how many. */
unsigned ideal_pack(const struct access *, struct line_access *, unsigned n);

/* ideal.blocks: whether the warp's lanes are those that warps of a neighbouring CTA leave empty. */
bool ideal_is_shared(const struct sm *, unsigned w);
/* Whether lanes access neighbouring elements of less than a word. */
bool ideal_is_narrow(const struct access *);

/* The lines of a load or store, instead of its n; returns how many (granules 0: of it nothing is
 * sent now). */
unsigned ideal_lines(struct sm *, unsigned w, const struct instr *, const struct access *,
	struct line_access *, unsigned n);
/* The last warp of a CTA has exited: its lines leave, an entry of the queue after the other, when
 * that is not full. */
void ideal_cta_exited(struct sm *, unsigned w);
void ideal_leave(struct sm *, uint64_t cycle);
struct arena;
void ideal_lines_init(struct sm *, struct arena *);
void ideal_atomics_init(struct sm *, struct arena *);
/* sm/issue.c: when memory has what was changed in the window of that cycle. */
uint64_t sm_next_edge(const struct sm *, uint64_t cycle);
uint64_t ideal_copy(const struct sm *, unsigned w); /* bytes from a word to the warp's own */
/* ideal.atomics: which lines of the entry are sent, and for how many lanes. */
struct lsu_entry;
void ideal_atomic(
	struct sm *, unsigned w, const struct instr *, const struct access *, struct lsu_entry *);
/* Lines of atomics that the CTA of the slot has added up: they are the entry's. Returns how many.
 */
unsigned ideal_sums(struct sm *, unsigned cta, struct lsu_entry *);
struct state;
void ideal_atomics_state(struct state *, struct sm_ideal *);

#endif
