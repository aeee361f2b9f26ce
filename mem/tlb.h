/* A translation lookaside buffer: pages in sets of any sizes, of which each evicts its least
 * recently used page (Mei et al., NPC 2014, section 4.2 and figures 10 and 11). */
#ifndef MEM_TLB_H
#define MEM_TLB_H

#include "core/mem.h"

#include <stdbool.h>
#include <stdint.h>

#define TLB_NO_PAGE UINT64_MAX

struct tlb;
struct state;

/* How pages are mapped to sets. */
enum tlb_map {
	TLB_MODULO, /* page modulo the number of sets */
	/* The page modulo the number of entries; of these, as many as fill all sets to the smallest
	 * one's size go to the sets in turn, the others to the set that has entries left, in order.
	 * So as many consecutive pages as there are entries fit. */
	TLB_WRAP
};

/* The entries of each set, at least 1. The array is copied. */
struct tlb_config {
	const uint32_t *ways;
	unsigned sets;
	enum tlb_map map;
};

/* Empty. Memory from the arena. */
struct tlb *tlb_new(const struct tlb_config *, struct arena *);

/* Whether it has the page: without an effect; as a use of the page. */
bool tlb_holds(const struct tlb *, uint64_t page);
bool tlb_use(struct tlb *, uint64_t page);

/* The page is present from now on, as the most recently used one of its set. Returns the page that
 * was evicted for it, or TLB_NO_PAGE. */
uint64_t tlb_fill(struct tlb *, uint64_t page);

void tlb_empty(struct tlb *);

/* The set of a page. */
unsigned tlb_set(const struct tlb *, uint64_t page);

/* Moves its state (core/state.h). */
void tlb_state(struct state *, struct tlb *);

#endif
