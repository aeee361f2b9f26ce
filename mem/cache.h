/* The tag array of a cache: L1, L2 and texture cache differ in parameters only. It holds no data:
 * the bytes are in the image.
 *
 * Sets are chosen by line number modulo the number of sets (any number), or by a hash of it, so
 * capacities need not be powers of two. Lines have eight granules of 16 bytes, each with a valid
 * and a dirty bit; in a cache with another line size, lines are identified by their own addresses,
 * and the owner defines what a granule is. */
#ifndef MEM_CACHE_H
#define MEM_CACHE_H

#include "core/mem.h"
#include "mem/hash.h"
#include "mem/replace.h"
#include "msg/packet.h"

#define CACHE_WAYS 256

struct cache_config {
	uint64_t bytes; /* capacity, rounded down to whole sets; 0: every lookup misses, fills have
			   no effect */
	unsigned ways;  /* 1 .. CACHE_WAYS */
	const struct policy *replacement; /* already chosen; must not move, nor must the hash */
	uint64_t seed;
	/* Of every interleave * block lines of memory only `block` consecutive ones map to this
	 * cache (each at least 1): those are numbered without the gaps, and the set is that number
	 * modulo the number of sets. */
	unsigned interleave, block;
	unsigned line_bytes;       /* 0: LINE_BYTES; else a power of two */
	unsigned set_bytes;        /* 0: LINE_BYTES; consecutive bytes in one set, a power of two */
	const struct policy *hash; /* maps that number to a set; NULL: modulo */
	bool writes_keep_the_order; /* a write hit does not count as a use of its line for
				       replacement */
	bool reserves;              /* cache_reserve is used */
};

struct cache;
struct state;

/* Memory for the largest capacity is allocated: cache_resize may later choose any smaller one. */
struct cache *cache_new(const struct cache_config *, struct arena *);

/* Invalidates everything and sets a new capacity (at most the configured one): the storage was
 * split again. Dirty lines must have been flushed before. */
void cache_resize(struct cache *, uint64_t bytes);

/* A hit: the way's handle (>= 0) when all `granules` of the access's line are valid. -1: a miss. A
 * hit is a use of the line for replacement. */
int cache_lookup(struct cache *, uint8_t granules, const struct cache_access *);

/* The same without any side effect; of a line that is probably in that way, or -1. */
int cache_probe(const struct cache *, uint64_t line, uint8_t granules);
int cache_probe_way(const struct cache *, uint64_t line, int way);

/* Granules of the line that are valid; 0 also when the line is not present. When all requested ones
 * are, this is a hit and a use of the line for replacement. */
uint8_t cache_find(struct cache *, uint8_t granules, const struct cache_access *);

/* The line's valid granules, without any side effect. */
uint8_t cache_valid(const struct cache *, uint64_t line);

/* The line's set. Only of a cache with capacity. */
uint64_t cache_set(const struct cache *, uint64_t line);

#define CACHE_NO_LINE UINT64_MAX

struct victim {
	uint64_t line;       /* the evicted line; CACHE_NO_LINE: none */
	uint8_t dirty;       /* granules to write back; 0: nothing */
	struct origin owner; /* its last writer */
	int way;             /* the handle of the line that was filled or written; -1: none */
};

/* Makes granules of the access's line valid (allocating a way, perhaps evicting). True when *victim
 * holds a dirty victim. With capacity 0 does nothing. */
bool cache_fill(struct cache *, uint8_t granules, const struct cache_access *, struct victim *);

/* A way for a line that is on its way, without valid granules if it was not present: it is no
 * victim until cache_release or an invalidation. Returns the way's handle; -1, and no effect: all
 * ways of the set are reserved. A fill of a line without a way has no effect then either. */
int cache_reserve(struct cache *, const struct cache_access *, struct victim *);
void cache_release(struct cache *, uint64_t line); /* also of a line that is not present */

/* Marks granules valid and dirty (write-back caches), allocating like cache_fill. */
bool cache_write(struct cache *, uint8_t granules, const struct cache_access *,
	const struct origin *, struct victim *);

/* Marks granules valid only (write-through caches), allocating like cache_fill. */
bool cache_update(struct cache *, uint8_t granules, const struct cache_access *, struct victim *);

/* Counts of written bytes, 16 to a granule: `dirtied` ones were clean and are now evicted, flushed,
 * dropped, or still dirty; `rewritten` ones were dirty already. */
struct cache_writes {
	uint64_t dirtied, rewritten, evicted, flushed, dropped;
};
struct cache_writes cache_writes(const struct cache *);
uint64_t cache_dirty(const struct cache *); /* counts the bytes that are dirty now */

/* Drops the line if it is present (no write-back). */
bool cache_invalidate(struct cache *, uint64_t line); /* it was there */
void cache_invalidate_all(struct cache *);

/* Moves its state (core/state.h), without its policies'. */
void cache_state(struct state *, struct cache *);

/* Visits the last writer of every dirty line, which the function may change. */
typedef void cache_owner_fn(void *ctx, struct origin *);
void cache_each_owner(struct cache *, cache_owner_fn *, void *ctx);

/* Visits every dirty line in set and way order and makes it clean: the final flush. */
typedef void cache_flush_fn(void *ctx, const struct victim *);
void cache_flush(struct cache *, cache_flush_fn *, void *ctx);

#endif
