/* Replacement policies: which way of a set gives way. A plugin of kind "replacement" each: a policy
 * (core/policy.h), one for each cache. */
#ifndef MEM_REPLACE_H
#define MEM_REPLACE_H

#include "core/policy.h"
#include "core/rng.h"

/* Who asks a cache for what: a look at one of its lines, or the line that comes for an earlier
 * one. */
struct cache_access {
	uint64_t line,
		cycle; /* cycle: of the cache's owner; of a replay the number of the access */
	uint16_t sm, launch;
	uint16_t ptx_line; /* of the instruction; UINT16_MAX: that line or a later one */
	uint8_t warp;      /* slot in the SM */
	uint8_t kind;      /* enum packet_kind: PACKET_READ, PACKET_WRITE or PACKET_ATOMIC */
	bool fill;         /* what was fetched for a read or an atomic that had missed */
};

/* Sets and ways are numbered from 0. */
struct replace_ops {
	/* Sets state up for a cache that will have no more than so many sets. May be NULL. */
	void (*init)(void *self, uint64_t sets, unsigned ways, struct arena *);

	/* ---- choosing: all ways are valid. Returns the victim. */
	unsigned (*victim)(
		const void *self, uint64_t set, const struct cache_access *, struct rng *);

	/* ---- events; each may be NULL */
	/* The line has taken the way: after `evicted` when another one had it. */
	void (*filled)(
		void *self, uint64_t set, unsigned way, const struct cache_access *, struct rng *);
	/* A hit, or, with access.fill, more of a line that was there in part. */
	void (*used)(void *self, uint64_t set, unsigned way, const struct cache_access *);
	/* The line, chosen as victim, leaves the way. */
	void (*evicted)(void *self, uint64_t set, unsigned way, uint64_t line);
	/* All lines are gone, and the cache has so many sets from now on. */
	void (*emptied)(void *self, uint64_t sets);
};

#endif
