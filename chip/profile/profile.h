/* Profiling: the source of every byte of DRAM traffic, and what loads wait on. */
#ifndef CHIP_PROFILE_PROFILE_H
#define CHIP_PROFILE_PROFILE_H

#include "chip/chip.h"
#include "dram/profile.h"
#include "sm/stalls.h"

/* Enables the profile of the GPU's chip; before anything has run. From then on chip_close asserts
 * that all counters balance. 0 or -1 (no host memory). */
int chip_profile(struct gpu *, struct err *);

bool chip_is_profiled(const struct gpu *);

/* A kernel that was launched: its instruction i is site first_site + i. */
struct profile_kernel {
	const struct program *program;
	uint32_t first_site, launches;
};

/* Everything added up. Arrays are the arena's. */
struct profile_sum {
	struct profile_row total, *site, *buffer, *sm;
	struct stall_row stalls, *stall_site, *stall_sm; /* of schedulers: the run, by site, SM */
	uint64_t *idle; /* by SM: schedulers' cycles in which none of their warps was resident */
	uint32_t *site_buffer; /* PROFILE_NO_BUFFER, PROFILE_SEVERAL, or a buffer */
	/* Buffers are names, in the order of their first buffers; 0: addresses in none. Buffers of
	 * one name are one row, such as the local memory of all launches, freed ones too. */
	uint32_t nsites, nbuffers;
	unsigned sms, channels, banks;
	struct profile_kernel *kernel;
	uint32_t nkernels;
	struct profile_row *channel;         /* what channels and their slices counted */
	struct profile_row **channel_buffer; /* the same by channel and buffer */
	const struct profile_bank **bank;    /* by channel and bank */
	const struct profile_bin **bin;      /* by channel and bin */
	uint64_t (*sm_bin)[PROFILE_BINS];    /* by SM: bytes */
	uint64_t bin_cycles;
	unsigned bins;     /* in use */
	unsigned cycle_ps; /* of the SMs */
	uint64_t cta_cycles, uneven_cycles, lasting_cycles, full_cycles,
		drain_cycles; /* sm/stalls.h */
	uint64_t unblamed;    /* stalled cycles that no request ended */
	bool has_rows;        /* DRAM has banks and rows */
	bool translates;      /* addresses are translated */
};

/* After chip_close, once. The arena's escape is set. */
void chip_profile_sum(const struct gpu *, struct arena *, struct profile_sum *);

/* The name of a buffer's row, from 1 on. */
const char *chip_profile_buffer(const struct gpu *, uint32_t buffer);
/* The bytes of its buffers, of those that were not freed. */
uint64_t chip_profile_buffer_bytes(const struct gpu *, uint32_t buffer);

#endif
