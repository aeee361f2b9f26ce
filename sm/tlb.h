/* The L1 TLB of an SM: the tag stage looks the page of each line up in it (Mei et al., NPC 2014,
 * section 4.2). Private to sm/. */
#ifndef SM_TLB_H
#define SM_TLB_H

#include "core/stall.h"
#include "mem/tlb.h"
#include "msg/packet.h"
#include "noc/mmu.h"

struct sm;
struct lsu_entry;

#define SM_TLB_STATS(S, T) \
	S(T, COUNT, mmu__l1_lookups, "lines", "Lines whose page was looked up in the L1 TLB.") \
	S(T, COUNT, mmu__l1_misses, "pages", \
		"Pages that it lacked, each once in an access of several lines.") \
	S(T, COUNT, mmu__l1_requests, "packets", \
		"Packets that left with an address to be translated.")

struct sm_tlb {
	struct {
		SM_TLB_STATS(STAT_FIELD, sm_tlb)
	} s;
	const struct mmu_settings *settings; /* NULL: addresses are not translated */
	struct tlb *pages;
	bool lacks;       /* the page of the line in the tag stage is not present */
	uint64_t page;    /* that page */
	uint64_t sent;    /* packets that the SM had sent before that line */
	uint64_t *missed; /* pages that the access in the tag stage has missed */
	unsigned nmissed;
	uint64_t asked, answered; /* packets to translate that are replied to, and replies */
};

void sm_tlb_init(struct sm *, struct arena *);
void sm_tlb_empty(struct sm *); /* with the L1 */

/* Before and after the tag stage: looks up the page of the entry's line, and counts; `done`: the
 * line went through. What it sends in between is to be translated if the page is not present; of a
 * store that is the page's fill. */
void sm_tlb_before(struct sm *, const struct lsu_entry *);
void sm_tlb_after(struct sm *, const struct lsu_entry *, bool done);

/* A reply whose request was translated: its page is present from now on. */
void sm_tlb_replied(struct sm *, const struct packet *);

/* Statistics as in the table; none without translation. */
extern const struct stat_def sm_tlb_stats[3];

#endif
