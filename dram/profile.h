/* Who caused a DRAM channel's traffic, in which bank and when. */
#ifndef DRAM_PROFILE_H
#define DRAM_PROFILE_H

#include "dram/timing.h"
#include "mem/profile.h"

/* Time in a fixed number of bins: when they are full, two become one. */
#define PROFILE_BINS 256u
#define PROFILE_BIN_CYCLES 16u /* of a bin, at first */

struct profile_bin {
	uint64_t read, write; /* bytes */
};

struct profile_bank {
	uint64_t read, write; /* bytes */
	uint64_t row_hit, row_miss, row_conflict;
};

/* A channel's profile; all memory is the maker's, zeroed but for what is said. */
struct channel_profile {
	struct profile_tables *tables;
	struct component *const *slices; /* by port */
	uint64_t bin_cycles;             /* PROFILE_BIN_CYCLES to begin with */
	struct profile_bin bin[PROFILE_BINS];
	uint64_t (*sm_bin)[PROFILE_BINS]; /* by SM: bytes */
	unsigned banks;                   /* the channel says how many there are */
	bool rows;                        /* and whether they have rows */
	struct profile_bank bank[DRAM_BANKS];
	struct origin *bursts; /* the channel's: whose they are, by place of its queue */
};

/* Counts the bytes of a read's transactions in one bank, which hold these granules of it. */
void channel_profile_read(struct channel_profile *, const struct packet *, unsigned granules,
	unsigned bytes, unsigned bank);

/* Counts one transaction of a write in the name of the writers of its sectors: several share it
 * equally, the first has what is left over. Answers the first one. */
struct origin channel_profile_write(struct channel_profile *, unsigned port, const struct packet *,
	unsigned granules, unsigned bytes, unsigned bank);

/* What a transaction moved lay on the bus in that cycle. */
void channel_profile_moved(struct channel_profile *, const struct origin *, bool write,
	unsigned bytes, uint64_t cycle);

/* How a burst found its row: 0 open, 1 the bank closed, 2 another one. */
void channel_profile_row(
	struct channel_profile *, const struct origin *, unsigned found, unsigned bank);

/* Makes bins wider until they have that many cycles, which must be a multiple by a power of two. */
void channel_profile_widen(struct channel_profile *, uint64_t bin_cycles);

#endif
