/* Replacement policies: which way of a set is evicted. Each is a plugin of kind "replacement": a
 * policy (core/policy.h), one for each cache. */
#ifndef MEM_REPLACE_H
#define MEM_REPLACE_H

#include "core/policy.h"
#include "core/rng.h"

/* An access to a cache: a lookup of one of its lines, or the fill for an earlier one. */
struct cache_access {
	uint64_t line, cycle; /* cycle of the cache's owner; in a replay the number of the access */
	uint16_t sm, launch;
	uint16_t ptx_line; /* of the instruction; UINT16_MAX: that line or a later one */
	uint8_t warp;      /* slot in the SM */
	uint8_t kind;      /* enum packet_kind: PACKET_READ, PACKET_WRITE or PACKET_ATOMIC */
	bool fill;         /* the fill for a read or an atomic that missed */
};

/* Sets and ways are numbered from 0. */
struct replace_ops {
	/* Whether the parameters at `where` ("l1.listed") suit a cache of that many ways: 0, or -1
	 * and a message. May be NULL. */
	int (*check)(const void *self, const char *where, unsigned ways, struct err *);
	/* Initialises the state for a cache of at most that many sets. May be NULL. */
	void (*init)(void *self, uint64_t sets, unsigned ways, struct arena *);

	/* ---- choosing: all ways are valid. Returns the victim. */
	unsigned (*victim)(
		const void *self, uint64_t set, const struct cache_access *, struct rng *);

	/* ---- events; each may be NULL */
	/* The line was filled into the way: after `evicted` if another line was there. */
	void (*filled)(
		void *self, uint64_t set, unsigned way, const struct cache_access *, struct rng *);
	/* A hit, or, with access.fill, more granules of a line that was partly valid. */
	void (*used)(void *self, uint64_t set, unsigned way, const struct cache_access *);
	/* The line, chosen as victim, is evicted from the way. */
	void (*evicted)(void *self, uint64_t set, unsigned way, uint64_t line);
	/* All lines were invalidated, and the cache has that many sets from now on. */
	void (*emptied)(void *self, uint64_t sets);
};

/* policy_choose for a cache of that many ways, with the policy's check. 0, or -1 and a message. */
struct replace_cache {
	unsigned ways;
	struct config *settings;
	struct arena *arena;
};
int replace_choose(struct policy *, const struct policy_scope *, const char *name,
	const struct replace_cache *, struct err *);

/* Reads numbers below 65536, separated by commas. Returns how many; 0: the text is something else,
 * or has more than `most`. */
unsigned replace_numbers(const char *text, uint32_t *out, unsigned most);

#endif
