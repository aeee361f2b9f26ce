/* Address translation outside the SMs: one unit, between the SMs' links and the request network,
 * has the L2 TLB that all SMs share, and walks the page table in the L2 cache's slices (Mei et al.,
 * NPC 2014, section 4.2). Packets with `translate` wait in it for their translation, others pass.
 * Ports: "in" and "out" of each SM; "walk" and "entry", to and from each slice. */
#ifndef NOC_MMU_H
#define NOC_MMU_H

#include "core/config.h"
#include "mem/tlb.h"
#include "msg/audit.h"
#include "ptx/isa/program.h"

#define MMU_SETS 64u
#define MMU_LEAST_PAGE 4096u
#define MMU_MOST_PAGE (1u << 30)

#define MMU_PARAMS(P, T) \
	P(T, UINT, page_bytes, 0, 0, MMU_MOST_PAGE, "bytes", \
		"Size of a page, a power of two from 4096 on; 0: addresses are not translated.") \
	P(T, UINT, l1_entries, 16, 1, 4096, "pages", \
		"Entries of an SM's L1 TLB, fully associative, LRU.") \
	P(T, NAME, l2_sets, "17,8,8,8,8,8,8", 0, 0, "", \
		"Entries of each set of the L2 TLB, which all SMs share, separated by commas; LRU.") \
	P(T, UINT, l2_entries, 0, 0, MMU_SETS * 65535, "pages", \
		"Entries of the L2 TLB, to which its sets must add up; 0: what they add up to.") \
	P(T, CHOICE, l2_map, TLB_WRAP, 0, 0, "modulo|wrap", \
		"The set of a page: modulo the number of sets; wrap, the page modulo the number of " \
		"entries fills the sets in turn, and what is left the larger ones in order.") \
	P(T, UINT, l2_cycles, 27, 0, 10000, "cycles", \
		"What a miss in the L1 TLB adds to an access's latency. The defaults are Fermi's.") \
	P(T, UINT, walk_cycles, 84, 0, 100000, "cycles", \
		"What a miss in the L2 TLB adds to that, if the L2 cache has the page table entry: " \
		"at least two windows, which its links take. 0: walks read nothing and take no time.") \
	P(T, UINT, upper_cycles, 227, 0, 100000, "cycles", \
		"What a walk takes longer if its entry came from DRAM, besides that read: upper " \
		"levels of the page table.") \
	P(T, UINT, walks, 64, 1, 4096, "walks", \
		"Walks in flight; accesses to a page that is being walked wait for that walk.") \
	P(T, UINT, requests, 1024, 1, 65536, "packets", \
		"Packets that can wait for their translations, of all SMs.") \
	P(T, UINT, entry_bytes, 128, 8, 65536, "bytes", \
		"From a page table entry to the next page's, a power of two. A walk reads the 32 " \
		"bytes that hold it.") \
	P(T, UINT, window_bytes, 0, 0, UINT64_C(1) << 40, "bytes", \
		"Pages of one aligned window of that size, a power of two, are active; 0: all are.") \
	P(T, UINT, switch_cycles, 0, 0, 100000, "cycles", \
		"What a walk to another window than the active one adds; that one is active then.")

struct mmu_settings {
	struct {
		MMU_PARAMS(PARAM_FIELD, mmu_settings)
	} p;
	uint32_t ways[MMU_SETS]; /* of the L2 TLB's sets */
	unsigned sets;
};

/* Reads and checks the parameters "mmu.*". 0, or -1 and all faults in err. */
int mmu_load(struct mmu_settings *, struct config *, struct err *);

/* Addresses are translated. */
static inline bool mmu_translates(const struct mmu_settings *s)
{
	return s->p.page_bytes != 0;
}

/* Pages and windows are counted from the first byte of device memory. */
static inline uint64_t mmu_offset(uint64_t address)
{
	return address - GENERIC_GLOBAL_BASE;
}

/* Page table entries are beyond all buffers. */
#define MMU_TABLE (UINT64_C(1) << 43)

struct mmu_config {
	const struct mmu_settings *settings;
	unsigned sms, slices;
	unsigned sm_ps, period_ps; /* of the SMs, in whose cycles the parameters are; its own */
	unsigned window_cycles;    /* of the SMs: the latency of the links to the slices */
	bool walk_given;  /* walk_cycles is set: else it is raised to what the links take */
	bool invalidates; /* a newer launch finds an empty TLB */
	bool own_slice;   /* an access's page table entry is in its line's slice */
	unsigned (*slice_of)(const void *ctx, uint64_t line); /* else, in this one */
	const void *ctx;
	uint64_t *const *numbers; /* of launches, by account; the table may move between runs */
};

/* Creates the unit in the request network's partition, ports declared. Never NULL; faults, such as
 * walks that are faster than their links, go into err. */
struct component *mmu_new(
	struct partition *, const struct mmu_config *, struct arena *, struct err *);

struct mmu_counts {
	uint64_t taken;         /* packets to translate */
	uint64_t asked, walked; /* walks begun and ended */
};
struct mmu_counts mmu_counts(const struct component *);

/* Reports counters that do not balance. */
void mmu_audit(const struct component *, struct audit *);

/* From now on the times of packets that wait are added to their requests' (mem/profile.h). */
struct profile_map;
void mmu_profile_start(struct component *, const struct profile_map *);

#endif
