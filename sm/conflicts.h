/* Bank conflicts: what they cost at issue (sm.bank_conflicts), and their statistics. */
#ifndef SM_CONFLICTS_H
#define SM_CONFLICTS_H

#include "core/table.h"

struct sm;
struct access;
struct line_access;
struct lsu_entry;

#define CONFLICT_BINS 5u
#define CONFLICT_MOST 256u /* more than the accesses of an instruction in a bank */
#define BANK_STATS(S, T) \
	S(T, COUNT, bank__inst_most_1, "warp instructions", \
		"Those with at most one access to any bank, of registers or memory.") \
	S(T, COUNT, bank__inst_most_2, "warp instructions", "Two accesses to the busiest bank.") \
	S(T, COUNT, bank__inst_most_3, "warp instructions", "Three accesses to it.") \
	S(T, COUNT, bank__inst_most_4, "warp instructions", "Four accesses to it.") \
	S(T, COUNT, bank__inst_most_more, "warp instructions", "More than four accesses to it.") \
	S(T, COUNT, bank__conflicts_register, "cycles", \
		"What register reads that meet in a bank take longer than memory's passes.") \
	S(T, COUNT, bank__conflicts_arbitration, "cycles", \
		"What memory takes longer because registers are in its banks and come first.") \
	S(T, COUNT, bank__words_shared_read, "bank words", "Read from shared memory's banks.") \
	S(T, COUNT, bank__words_shared_write, "bank words", "Written to shared memory's banks.") \
	S(T, COUNT, bank__words_cache_read, "bank words", "Read from the L1's banks.") \
	S(T, COUNT, bank__words_cache_write, "bank words", "Written to the L1's banks.")

enum conflict_price {
	CONFLICTS_FREE,
	CONFLICTS_OF_MEMORY,
	CONFLICTS_OF_ALL,
	CONFLICTS_BY_CYCLE,
	CONFLICTS_DELAY
};

/* Bank conflicts. */
struct sm_banks {
	struct {
		BANK_STATS(STAT_FIELD, sm_banks)
	} s;
	enum conflict_price price;
	uint16_t reads;     /* of registers, by the instruction being issued: as note.banks */
	unsigned reads_met; /* the most of them in one bank */
	unsigned beats;     /* cycles that its words of shared memory take (sm.memory_bytes) */
	unsigned late; /* cycles that its conflicts add beside passes (sm.shared_pass_cycles) */
	uint64_t same_word_cycles;   /* of shared memory: passes for lanes whose word another has */
	uint64_t register_cycles;    /* of memory instructions */
	uint64_t met[CONFLICT_MOST]; /* other instructions by accesses to the busiest bank */
	uint64_t met_with_memory[CONFLICT_MOST];
};

void conflicts_init(struct sm *, struct err *);
void conflicts_close(struct sm *);

/* Whether those of registers and of cache lines cost something at issue. */
bool conflicts_of_all(const struct sm *);

/* The cycles that a memory instruction takes; the last: one without any. */
unsigned conflicts_shared(struct sm *, unsigned w, const struct access *);
unsigned conflicts_lines(struct sm *, unsigned w, const struct access *, const struct lsu_entry *);
unsigned conflicts_none(struct sm *, const struct access *);

/* Cycles in which that many bank words move, at sm.memory_bytes a cycle. */
unsigned conflicts_beats(const struct sm *, uint64_t words);

/* Bank words of a line that an access touches, and of a fill. */
uint64_t conflicts_words(const struct sm *, const struct line_access *);
uint64_t conflicts_words_filled(const struct sm *, uint8_t granules);

#endif
