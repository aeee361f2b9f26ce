/* Banks of an SM's storage: the bank conflicts of a warp instruction's accesses (Gebhart et al.,
 * MICRO 2012, sections 4.1 to 4.3). */
#ifndef MEM_BANKS_H
#define MEM_BANKS_H

#include "ptx/exec/exec.h"

#define BANK_CLUSTERS 8u /* of four lanes each */
#define BANK_REGISTERS \
	4u /* banks of a cluster that hold registers: register r of warp w in bank (r + w) modulo \
	      4; ptx/levels/levels.h's note counts reads by r modulo 4 */

/* The banks of a storage design. Where they are `unified`, memory is in the registers' banks:
 * address a in cluster a / 16 modulo 8, there in bank a / 128 modulo 4. Otherwise it has separate
 * banks, and a is in bank a / bank_bytes modulo `banks`; where they are `paired`, in bank a / 4
 * modulo `banks`, and a row has two words of 4 bytes of each (Kepler's 4-byte mode: Mei et al., NPC
 * 2014, section 4.1). */
struct bank_layout {
	unsigned banks;      /* that can each serve a word in a cycle (unified: clusters), a power
			      * of two, at most 64 */
	unsigned bank_bytes; /* of such a word, a power of two: 4 or 16 */
	bool paired;         /* words of 4 bytes, two of them in a bank of 8 */
	bool merges;         /* loads of 8 or 16 bytes by pairs of lanes: see bank_use */
	bool one_store;      /* shared memory and cache are in the same banks */
	bool unified;        /* `banks` are BANK_CLUSTERS clusters of BANK_REGISTERS banks */
	bool combines; /* unified: the 16 bytes of a cluster may be words of several of its banks */
	bool one_port; /* unified: stores conflict with reads of registers; else they have a port */
	uint64_t register_capacity, shared_capacity, cache_capacity; /* bytes of one bank */
	uint64_t bytes;                                              /* of all banks together */
	unsigned tag_bits;                                           /* of a cache line */
};

/* Reads of registers by bank, four bits for each of BANK_REGISTERS: for warp w, when `reads` is for
 * warp 0. */
static inline uint16_t bank_rotated(uint16_t reads, unsigned w)
{
	unsigned by = w % BANK_REGISTERS * 4;

	return (uint16_t)(reads << by | reads >> (16 - by));
}

static inline unsigned bank_reads(uint16_t reads, unsigned bank)
{
	return (unsigned)reads >> bank * 4 & 15u;
}

/* Reads of registers in the busiest bank. */
static inline unsigned bank_most(uint16_t reads)
{
	unsigned most = 0;

	for (unsigned b = 0; b < BANK_REGISTERS; b++)
		most = bank_reads(reads, b) > most ? bank_reads(reads, b) : most;
	return most;
}

struct bank_use {
	unsigned passes; /* cycles for which memory occupies the banks, without other accesses */
	unsigned words;  /* of bank_bytes that are read or written */
	unsigned most;   /* accesses to the busiest bank; unified: reads of registers included */
};

/* An access to shared memory. Passes are the rows touched in the busiest bank, or cluster (lanes
 * that touch the same row count once), at least 1 when any lane is active. When a full warp's lanes
 * are wider than all banks together, the hardware's half- and quarter-warp passes are summed: on 32
 * banks of 4 bytes, a full-warp conflict-free 8-byte access returns 2, a 16-byte one 4 and a
 * 32-byte one, by eighths, 8. Where the layout `merges`, two neighbouring groups go together in a
 * load in which each two lanes t and t ^ 1, or each t and t ^ 2, have one address: then 8 bytes
 * take a pass at least and 16 bytes two. `reads`: of registers, for this warp; 0 where memory has
 * separate banks. */
struct bank_use bank_use(const struct access *, const struct bank_layout *, uint16_t reads);

/* The passes of a full warp's access without conflicts. */
unsigned bank_least_passes(const struct access *, const struct bank_layout *);

/* Rows of the unified design that memory moves: of bank b, a byte for each cluster. */
struct bank_rows {
	uint64_t bank[BANK_REGISTERS];
};

/* The rows that an access to shared memory touches, each row once. */
void bank_rows_of(const struct access *, struct bank_rows *);
/* A line: a row of one bank in every cluster. */
void bank_rows_of_line(unsigned bank, struct bank_rows *);
/* Doubles the rows: each is read and written. */
void bank_rows_twice(struct bank_rows *);

/* Cycles that they take when no bank is otherwise occupied: rows of the busiest cluster, which
 * accesses one bank in a cycle; where clusters combine banks, of the busiest bank. */
unsigned bank_rows_length(const struct bank_rows *, const struct bank_layout *);

/* One cycle: removes the rows that move when only the banks in `free` (bit b) can be accessed. A
 * cluster uses its first such bank that has rows left; where they are combined, all of them. */
void bank_rows_move(struct bank_rows *, const struct bank_layout *, unsigned free);

#endif
