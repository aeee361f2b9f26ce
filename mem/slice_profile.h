/* What a slice reports to its profile, if it has one. Private to mem/. */
#ifndef MEM_SLICE_PROFILE_H
#define MEM_SLICE_PROFILE_H

#include "mem/profile.h"

struct slice;
struct victim;

/* A request arrived from the network; its lookup, with these valid granules, was done; its data is
 * available; an atomic completes in that cycle. */
void slice_profile_note_taken(struct slice *, const struct packet *, uint64_t cycle);
void slice_profile_note_looked_up(
	struct slice *, const struct packet *, unsigned valid, uint64_t cycle);
void slice_profile_note_served(struct slice *, const struct packet *, uint64_t cycle);
void slice_profile_note_executed(struct slice *, const struct packet *, uint64_t cycle);

/* The cache has filled a fetch into that way, or none; a write or an atomic has made the line dirty
 * or not. A victim of either is evicted after it. */
void slice_profile_note_filled(struct slice *, const struct packet *, int way);
void slice_profile_note_written(struct slice *, const struct packet *, int way, bool dirty);

/* A dirty victim (or the result of atomics without a cache, or through it) goes to DRAM: returns
 * the tag of its packet. */
uint32_t slice_profile_leaves(struct slice *, const struct victim *);
/* A write goes to DRAM at once, as that many granules. */
void slice_profile_note_passed(struct slice *, const struct packet *, unsigned granules);
/* A dirty line is written back by the flush. */
void slice_profile_note_flushed(struct slice *, const struct victim *);

/* For checkpoints. */
struct state;
void slice_profile_state(struct state *, struct slice *);

#endif
