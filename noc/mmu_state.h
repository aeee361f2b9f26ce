/* The translation unit's state, shared by noc/mmu.c and noc/mmu_walk.c.
 *
 * Why it cannot deadlock. A walk's read waits for its link and its slice only, and that for DRAM
 * alone (mem/slice_state.h); entries that return are always taken. So walks end, packets that wait
 * for them get their time, and leave when the network accepts them, which it does whatever
 * translation does. */
#ifndef NOC_MMU_STATE_H
#define NOC_MMU_STATE_H

#include "mem/profile.h"
#include "noc/mmu.h"

#define MMU_STATS(S, T) \
	S(T, COUNT, l2_lookups, "packets", "Packets whose page was looked up in the L2 TLB.") \
	S(T, COUNT, l2_misses, "packets", "Those whose page it lacked.") \
	S(T, COUNT, l2_merged, "packets", "Those of them that joined a walk.") \
	S(T, COUNT, walks, "walks", "Walks of the page table.") \
	S(T, COUNT, walk_dram, "walks", "Those whose entry came from DRAM.") \
	S(T, COUNT, switches, "walks", "Those to another window than the active one.") \
	S(T, COUNT, wait_cycles, "cycles", "Cycles that packets waited for their translations.") \
	S(T, COUNT, stall_cycles, "cycles", \
		"Cycles in which ports stalled because walks or packets that wait were too many.") \
	S(T, MAX, walks_in_flight, "walks", "Most walks at once.") \
	S(T, MAX, requests_waiting, "packets", "Most packets that waited at once.")

#define MMU_NONE UINT32_MAX
#define MMU_NEVER UINT64_MAX

/* Packets in order: those of a port by the cycle in which they may leave, those of a walk by
 * arrival, or entries that are not used. */
struct mmu_list {
	uint32_t first, last;
};

struct mmu_waiting {
	struct packet packet;
	uint64_t came, at; /* it was taken; may leave: in cycles of the unit */
	uint32_t next;
	uint32_t port;
};

struct mmu_walk {
	uint64_t page;
	uint64_t at;    /* of a walk that has not sent its read: when it may; of one whose entry has
			   returned: when it ends; else MMU_NEVER */
	uint64_t extra; /* cycles that a change of the window takes */
	struct packet read;
	struct mmu_list waiting;
	bool used, sent;
};

struct mmu {
	struct component base;
	struct {
		MMU_STATS(STAT_FIELD, )
	} s;
	struct mmu_config c;
	const struct mmu_settings *settings;
	uint64_t l2_cycles, rest_cycles, upper_cycles, switch_cycles; /* of its clock */
	struct tlb *tlb;
	struct link **in, **out, **walk_out, **entry_in;
	struct mmu_list *leaving; /* by port */
	struct mmu_waiting *pool;
	struct mmu_list unused;
	uint32_t nwaiting;
	struct mmu_walk *walks;
	uint32_t nwalks, most_walks; /* in use; those after the second never were */
	unsigned turn;               /* the port that takes a packet first */
	uint64_t window;             /* the active one, or MMU_NEVER */
	uint64_t newest_launch;      /* + 1 */
	uint64_t stalled_since;      /* MMU_NEVER: no port is */
	uint64_t left, ended;        /* packets that waited; walks */
	const struct profile_map *profile;
};

static inline uint64_t mmu_page(const struct mmu *m, uint64_t line)
{
	return mmu_offset(line) >> low_bit(m->settings->p.page_bytes);
}

void mmu_list_add(struct mmu *, struct mmu_list *, uint32_t i); /* at its end */

/* The packet may leave from that cycle on. */
void mmu_leave_at(struct mmu *, uint32_t i, uint64_t at);

/* ---- mmu_walk.c */
/* The walk of a page that is in flight, or NULL. */
struct mmu_walk *mmu_walk_find(const struct mmu *, uint64_t page);
/* Begins one for the packet's page; there are fewer than `walks`. */
struct mmu_walk *mmu_walk_begin(struct mmu *, const struct packet *, uint64_t cycle);
/* A walk that takes no time: its page is in the TLB. Returns the cycles that its window takes. */
uint64_t mmu_walk_free(struct mmu *, const struct packet *);
/* Takes entries that have returned; ends walks whose time has come; sends reads. */
void mmu_walks_advance(struct mmu *, uint64_t cycle);
void mmu_walks_send(struct mmu *, uint64_t cycle);
/* The next cycle in which time alone moves a walk. */
uint64_t mmu_walks_wake(const struct mmu *, uint64_t cycle);

/* mmu_saved.c: for component_ops. */
void mmu_state(struct component *, struct state *);

#endif
