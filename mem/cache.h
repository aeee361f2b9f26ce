/* The tag array of a cache: L1, L2 and texture cache differ in parameters only. Data is nowhere: it
 * lives in the image.
 *
 * Sets are chosen by line number modulo the number of sets (any number), or by a hash of it, so
 * capacities that are no power of two work. Lines have eight granules of 16 bytes, each valid and
 * dirty by itself; of a cache whose lines have another size they are named by their own addresses,
 * and a granule is what the owner takes it for. */
#ifndef MEM_CACHE_H
#define MEM_CACHE_H

#include "core/mem.h"
#include "mem/hash.h"
#include "mem/replace.h"
#include "msg/packet.h"

#define CACHE_WAYS 128

struct cache_config {
	uint64_t bytes; /* capacity, rounded down to whole sets; none: every lookup misses, fills
			   vanish */
	unsigned ways;  /* 1 .. CACHE_WAYS */
	const struct policy *replacement; /* chosen; must stay where it is, as must the hash */
	uint64_t seed;
	/* Of every interleave * block lines of memory only `block` in a row come here (each at
	 * least 1): those are numbered without the gaps, and the set is that number modulo the
	 * sets. */
	unsigned interleave, block;
	unsigned line_bytes;       /* 0: LINE_BYTES; else a power of two */
	unsigned set_bytes;        /* 0: LINE_BYTES; consecutive bytes in one set, a power of two */
	const struct policy *hash; /* that number to a set; NULL: modulo */
	bool writes_keep_the_order; /* a write that finds its line is no use of it to replacement */
};

struct cache;

/* The largest cache it may become is allocated: cache_resize may later choose any smaller capacity.
 */
struct cache *cache_new(const struct cache_config *, struct arena *);

/* Invalidates everything and takes a new capacity (at most the configured one): a repartitioning.
 * Dirty lines must have been flushed before. */
void cache_resize(struct cache *, uint64_t bytes);

/* A hit: the way's handle (>= 0) when all `granules` of the access's line are valid. -1: a miss. A
 * hit is a use of the line to replacement. */
int cache_lookup(struct cache *, uint8_t granules, const struct cache_access *);

/* The same without touching anything. */
int cache_probe(const struct cache *, uint64_t line, uint8_t granules);

/* Granules of the line that are valid; 0 as well when it is not there. When all asked for are, this
 * is a hit and a use of the line to replacement. */
uint8_t cache_find(struct cache *, uint8_t granules, const struct cache_access *);

/* The line's set. Only of a cache with capacity. */
uint64_t cache_set(const struct cache *, uint64_t line);

#define CACHE_NO_LINE UINT64_MAX

struct victim {
	uint64_t line;       /* that gave way; CACHE_NO_LINE: none had to */
	uint8_t dirty;       /* granules to write back; 0: nothing */
	struct origin owner; /* who dirtied it last */
};

/* Makes granules of the access's line valid (allocating a way, perhaps evicting). True when *victim
 * holds a dirty victim. With capacity 0 does nothing. */
bool cache_fill(struct cache *, uint8_t granules, const struct cache_access *, struct victim *);

/* Marks granules valid and dirty (write-back caches), allocating like cache_fill. */
bool cache_write(struct cache *, uint8_t granules, const struct cache_access *,
	const struct origin *, struct victim *);

/* Marks granules valid and no more than that (write-through caches), allocating like cache_fill. */
bool cache_update(struct cache *, uint8_t granules, const struct cache_access *, struct victim *);

/* What became of what was written, in bytes, 16 to a granule: `dirtied` that were clean are now in
 * a victim's `dirty`, flushed, dropped, or still there; `rewritten` were dirty already. */
struct cache_books {
	uint64_t dirtied, rewritten, evicted, flushed, dropped;
};
struct cache_books cache_books(const struct cache *);
uint64_t cache_dirty(const struct cache *); /* bytes that are dirty now: counts them */

/* Drops the line if it is there (no write-back). */
void cache_invalidate(struct cache *, uint64_t line);
void cache_invalidate_all(struct cache *);

/* Visits every dirty line in set and way order and makes it clean: the final flush. */
typedef void cache_flush_fn(void *ctx, const struct victim *);
void cache_flush(struct cache *, cache_flush_fn *, void *ctx);

#endif
