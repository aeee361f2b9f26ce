/* A list of accesses through one cache alone, without time: what hits, and what moves between the
 * cache and the memory behind it. */
#ifndef MEM_CACHE_REPLAY_H
#define MEM_CACHE_REPLAY_H

#include "core/config.h"
#include "mem/cache.h"

#define CACHE_REPLAY_PARAMS(P, T) \
	P(T, UINT, bytes, 65536, 1, 1u << 30, "bytes", "Capacity.") \
	P(T, UINT, ways, 4, 1, CACHE_WAYS, "ways", "Associativity.") \
	P(T, UINT, line_bytes, 128, 4, 65536, "bytes", "Size of a line, a power of two.") \
	P(T, UINT, sectors, 1, 1, 8, "sectors", \
		"Parts of a line that are fetched and written back separately, a power of " \
		"two.") \
	P(T, UINT, access_bytes, 4, 1, 65536, "bytes", \
		"Size of an access, a power of two; addresses are rounded down to it.") \
	P(T, NAME, replacement, "lru", 0, 0, "replacement", \
		"Replacement policy: which line is evicted.") \
	P(T, NAME, write_policy, "back", 0, 0, "write policy", \
		"Write policy: when written data goes to memory.") \
	P(T, BOOL, write_allocate, true, 0, 1, "", "A write miss allocates its line.") \
	P(T, BOOL, write_fetches, true, 0, 1, "", \
		"A write miss that allocates fetches its sector first.") \
	P(T, BOOL, write_touches, true, 0, 1, "", \
		"A write hit counts as a use of its line for replacement.") \
	P(T, NAME, set_hash, "modulo", 0, 0, "hash", "Hash that maps a line to its set.")

#define CACHE_REPLAY_STATS(S, T) \
	S(T, COUNT, reads, "accesses", "Reads.") \
	S(T, COUNT, writes, "accesses", "Writes.") \
	S(T, COUNT, read_misses, "accesses", "Reads that missed their sector.") \
	S(T, COUNT, write_misses, "accesses", "Writes that missed their sector.") \
	S(T, COUNT, bytes_from_memory, "bytes", "Sectors fetched.") \
	S(T, COUNT, bytes_to_memory, "bytes", \
		"Writes sent to memory and sectors written back, the final flush included.") \
	S(T, COUNT, lines_given_up, "lines", "Dirty lines that were evicted.") \
	S(T, COUNT, lines_flushed, "lines", \
		"Lines still dirty at the end, written back by the flush.")

struct cache_replay {
	struct {
		CACHE_REPLAY_PARAMS(PARAM_FIELD, )
	} p;
	struct {
		CACHE_REPLAY_STATS(STAT_FIELD, )
	} s;
	struct policy replacement, hash, write;
	struct cache *cache;
	uint8_t acts[2]; /* sums of write_act: of a line that is absent, present */
	unsigned sector_bytes;
};

/* Its parameters, under "cache". */
extern const struct param_table cache_replay_params;

/* Creates the cache that the loaded parameters describe; the parameters of its policies are read
 * from the configuration, or have their defaults without one (NULL). Memory from the arena. Errors
 * go into err: -1. */
int cache_replay_init(
	struct cache_replay *, struct config *, uint64_t seed, struct arena *, struct err *);

void cache_replay_read(struct cache_replay *, uint64_t address);
void cache_replay_write(struct cache_replay *, uint64_t address);

/* The final flush: writes back dirty lines. */
void cache_replay_flush(struct cache_replay *);

#endif
