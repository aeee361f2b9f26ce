/* A chip's profile, shared by chip/profile/profile.c and chip/profile/check.c. */
#ifndef CHIP_PROFILE_INSIDE_H
#define CHIP_PROFILE_INSIDE_H

#include "chip/inside.h"
#include "chip/profile/profile.h"

struct chip_profile {
	struct arena arena;
	struct profile_map map;
	struct profile_tables *tables; /* SMs', slices', channels' */
	struct stall_table *stalls;    /* SMs' */
	struct profile_row *sum;       /* by part, of all its instructions, once it is closed */
	struct stall_row *stall_sum;   /* by SM */
	unsigned nparts;
	struct profile_row *site_rows; /* parts' rows, in their order */
	struct stall_row *stall_rows;
	uint32_t *site_buffers;
	bool *accesses; /* by site: the instruction may access memory, and have rows in the tables
			 */
	struct channel_profile *channel;
	struct profile_kernel *kernel;
	uint32_t nkernels;
	uint32_t numbered; /* launches whose kernels have their first sites */
	uint32_t account_capacity, site_capacity, buffer_capacity;
	uint64_t unblamed;
};

/* Parts in order: SMs, slices, channels. */
static inline unsigned profile_slice_part(const struct chip *c, unsigned slice)
{
	return (unsigned)c->p.sms + slice;
}

static inline unsigned profile_channel_part(const struct chip *c, unsigned channel)
{
	return (unsigned)c->p.sms + c->channels * c->per_channel + channel;
}

/* The launch begins, with an account. */
static inline void profile_begins(struct chip_profile *f, const struct launch_state *l)
{
	f->map.first_site[l->grid.launch] = l->kernel->site;
}

/* Grows all tables to all launches and buffers. 0 or -1. */
int profile_grow(struct chip *, struct err *);

/* The run is over: closes the parts' counters and asserts that they balance; those of traffic in
 * flight only when there is none. */
void profile_close(struct chip *, uint64_t cycle);

void profile_free(struct chip_profile *); /* accepts NULL */

/* profile_saved.c: for checkpoints, once accounts are loaded. */
struct state;
void profile_state(struct state *, struct chip *);

/* to += from */
void profile_row_add(struct profile_row *to, const struct profile_row *from);

#endif
