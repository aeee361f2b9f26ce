/* The layout of a split of the storage: the bank of a byte, the row of the bank, the byte of the
 * row. The timing model of an SM needs only the banks (mem/banks.h); this proves that a split fits,
 * and that no two bytes share a location. */
#ifndef MEM_LAYOUT_H
#define MEM_LAYOUT_H

#include "mem/storage/storage.h"

enum layout_store { LAYOUT_REGISTERS, LAYOUT_SHARED, LAYOUT_CACHE };

struct bank_location {
	enum layout_store
		store; /* stores are separate memories; unified: everything is in the first */
	unsigned bank; /* of 32; of banks of 16 bytes bank / 8 in cluster bank % 8 */
	unsigned byte; /* of the row: below 16; where memory has separate banks below 4 */
	uint64_t row;
};

struct layout_map {
	struct bank_layout layout;
	struct storage_split split;
	uint64_t rows;                  /* of a bank that holds registers */
	uint64_t first[BANK_REGISTERS]; /* row for registers; unified: shared memory is below */
	uint64_t above[BANK_REGISTERS]; /* row after the last of registers */
	uint64_t full_rows;             /* unused in every bank; unified */
};

/* Rows that the registers of warp slots 0 .. warps - 1 take in each bank, `regs` a thread: register
 * r of slot w is in bank (r + w) mod 4. */
void layout_heights(uint32_t regs, uint64_t warps, uint64_t heights[BANK_REGISTERS]);

/* The layout of a split, when each of n kernels has as many CTAs as fit. False when a bank has too
 * few rows, or fewer lines are left than the cache is to have: not a split that a storage design
 * makes. */
bool layout_map(struct layout_map *, const struct bank_layout *, const struct storage_split *,
	const struct storage_need *, unsigned n);

/* Lines of 128 bytes that are left for the cache: unified. */
uint64_t layout_free_lines(const struct layout_map *);

/* A byte of a lane's register, of `regs` in warp slot w. */
struct bank_location layout_of_register(const struct layout_map *, uint32_t regs, unsigned warp,
	unsigned reg, unsigned lane, unsigned byte);
/* A byte of shared memory, below split.shared_bytes. */
struct bank_location layout_of_shared(const struct layout_map *, uint64_t address);
/* A byte of a line, by its number: set * ways + way. Unified: bank number mod 4 of every cluster,
 * except for the last lines where registers fill banks unevenly. */
struct bank_location layout_of_line(const struct layout_map *, uint64_t line, unsigned byte);

#endif
