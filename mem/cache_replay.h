/* A list of accesses through one cache alone, with no time in it: what hits, and what moves between
 * the cache and the memory behind it. */
#ifndef MEM_CACHE_REPLAY_H
#define MEM_CACHE_REPLAY_H

#include "core/config.h"
#include "mem/cache.h"

#define CACHE_REPLAY_PARAMS(P, T) \
	P(T, UINT, bytes, 65536, 1, 1u << 30, "bytes", "Capacity.") \
	P(T, UINT, ways, 4, 1, CACHE_WAYS, "ways", "Associativity.") \
	P(T, UINT, line_bytes, 128, 4, 65536, "bytes", "Size of a line, a power of two.") \
	P(T, UINT, sectors, 1, 1, 8, "sectors", \
		"Parts of a line that are fetched and written back by themselves, a power of " \
		"two.") \
	P(T, UINT, access_bytes, 4, 1, 65536, "bytes", \
		"Size of an access, a power of two; addresses are rounded down to it.") \
	P(T, NAME, replacement, "lru", 0, 0, "replacement", "Which line gives way.") \
	P(T, NAME, write_policy, "back", 0, 0, "write policy", \
		"When memory hears of what was written.") \
	P(T, BOOL, write_allocate, true, 0, 1, "", \
		"A write gives its line a place, if it has none.") \
	P(T, BOOL, write_fetches, true, 0, 1, "", \
		"A write that is to be kept and misses fetches its sector first.") \
	P(T, BOOL, write_touches, true, 0, 1, "", \
		"A write that hits counts as a use of its line for replacement.") \
	P(T, NAME, set_hash, "modulo", 0, 0, "hash", "Which set a line belongs to.")

#define CACHE_REPLAY_STATS(S, T) \
	S(T, COUNT, reads, "accesses", "Reads.") \
	S(T, COUNT, writes, "accesses", "Writes.") \
	S(T, COUNT, read_misses, "accesses", "Reads that did not find their sector.") \
	S(T, COUNT, write_misses, "accesses", "Writes that did not find their sector.") \
	S(T, COUNT, bytes_from_memory, "bytes", "Sectors fetched.") \
	S(T, COUNT, bytes_to_memory, "bytes", \
		"Writes that went to memory, sectors written back, the flush included.") \
	S(T, COUNT, lines_given_up, "lines", "Dirty lines that made room for others.") \
	S(T, COUNT, lines_flushed, "lines", "Lines dirty at the end, written back then.")

struct cache_replay {
	struct {
		CACHE_REPLAY_PARAMS(PARAM_FIELD, )
	} p;
	struct {
		CACHE_REPLAY_STATS(STAT_FIELD, )
	} s;
	struct policy replacement, hash, write;
	struct cache *cache;
	uint8_t acts[2]; /* sums of write_act: of a line that is not there, that is */
	unsigned sector_bytes;
};

/* Its parameters, under "cache". */
extern const struct param_table cache_replay_params;

/* Makes the cache that the parameters, which are loaded, describe; its policies' are read from the
 * configuration, or have their defaults without one (NULL). Memory from the arena. What is
 * wrong with them goes into err: -1. */
int cache_replay_init(
	struct cache_replay *, struct config *, uint64_t seed, struct arena *, struct err *);

void cache_replay_read(struct cache_replay *, uint64_t address);
void cache_replay_write(struct cache_replay *, uint64_t address);

/* Writes back what is dirty: the end. */
void cache_replay_flush(struct cache_replay *);

#endif
