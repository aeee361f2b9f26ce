/* Where the bytes of a partitioning lie: which bank, which row of it, which byte of the row. What
 * an SM runs in time needs only the banks (mem/banks.h); that there is a place for everything, and
 * no two things in one, is what this answers for. */
#ifndef MEM_PLACE_H
#define MEM_PLACE_H

#include "mem/storage.h"

enum place_store { PLACE_REGISTERS, PLACE_SHARED, PLACE_CACHE };

struct bank_place {
	enum place_store store; /* stores are memories of their own; unified: the first is all */
	unsigned bank;          /* of 32; of banks of 16 bytes bank / 8 in cluster bank % 8 */
	unsigned byte; /* of the row: below 16, where memory has banks of its own below 4 */
	uint64_t row;
};

struct place_map {
	struct bank_layout layout;
	struct storage_split split;
	uint64_t rows;                  /* of a bank that registers lie in */
	uint64_t first[BANK_REGISTERS]; /* row for registers; unified: shared memory lies below */
	uint64_t above[BANK_REGISTERS]; /* row behind the last of registers */
	uint64_t full_rows;             /* free in every bank; unified */
};

/* Rows that the registers of warp slots 0 .. warps - 1 take in each bank, `regs` a thread: register
 * r of slot w is in bank (r + w) mod 4. */
void place_heights(uint32_t regs, uint64_t warps, uint64_t heights[BANK_REGISTERS]);

/* The map for a partitioning, when each of n kernels has as many CTAs as it holds. False when a
 * bank has too few rows, or the cache finds fewer lines than it is to have: no partitioning that a
 * storage design makes. */
bool place_map(struct place_map *, const struct bank_layout *, const struct storage_split *,
	const struct storage_need *, unsigned n);

/* Lines of 128 bytes that are left for the cache: unified. */
uint64_t place_free_lines(const struct place_map *);

/* A byte of a lane's register, of `regs` in warp slot w. */
struct bank_place place_of_register(const struct place_map *, uint32_t regs, unsigned warp,
	unsigned reg, unsigned lane, unsigned byte);
/* A byte of shared memory, below split.shared_bytes. */
struct bank_place place_of_shared(const struct place_map *, uint64_t address);
/* A byte of a line, by its number: set * ways + way. Unified: bank number mod 4 of every cluster,
 * but for the last lines where registers fill banks unevenly. */
struct bank_place place_of_line(const struct place_map *, uint64_t line, unsigned byte);

#endif
