/* Attribution of a DRAM channel's traffic to its origins, by bank and over time. */
#ifndef DRAM_PROFILE_H
#define DRAM_PROFILE_H

#include "dram/timing.h"
#include "mem/profile.h"

/* Time in a fixed number of bins: when they are full, pairs are merged. */
#define PROFILE_BINS 256u
#define PROFILE_BIN_CYCLES 16u /* of a bin, at first */

struct profile_bin {
	uint64_t read, write; /* bytes */
};

struct profile_bank {
	uint64_t read, write; /* bytes */
	uint64_t row_hit, row_miss, row_conflict;
};

/* A channel's profile; its creator owns the memory, zeroed except where noted. */
struct channel_profile {
	struct profile_tables *tables;
	struct component *const *slices; /* by port */
	uint64_t bin_cycles;             /* PROFILE_BIN_CYCLES to begin with */
	struct profile_bin bin[PROFILE_BINS];
	uint64_t (*sm_bin)[PROFILE_BINS]; /* by SM: bytes */
	unsigned banks;                   /* set by the channel: number of banks */
	bool rows;                        /* set by the channel: whether they have rows */
	struct profile_bank bank[DRAM_BANKS];
	struct origin *bursts; /* the channel's: origins, by queue entry */
	unsigned nbursts;
};

/* Counts the bytes of a read's transactions in one bank that contain these granules. */
void channel_profile_read(struct channel_profile *, const struct packet *, unsigned granules,
	unsigned bytes, unsigned bank);

/* Counts one transaction of a write for the writers of its sectors: several share it equally, the
 * first one gets the remainder. Returns the first one. */
struct origin channel_profile_write(struct channel_profile *, unsigned port, const struct packet *,
	unsigned granules, unsigned bytes, unsigned bank);

/* The data of a transaction was on the bus at that time. */
void channel_profile_moved(
	struct channel_profile *, const struct origin *, bool write, unsigned bytes, tick_t at);

/* Row state found by a burst: 0 open, 1 the bank closed, 2 another row. */
void channel_profile_row(
	struct channel_profile *, const struct origin *, unsigned found, unsigned bank);

/* Widens bins to that number of cycles, which must be a power-of-two multiple. */
void channel_profile_widen(struct channel_profile *, uint64_t bin_cycles);

/* For checkpoints; the tables are their owner's. */
struct state;
void channel_profile_state(struct state *, struct channel_profile *);

#endif
