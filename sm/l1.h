/* The L1 of an SM and the texture cache beside it: their parameters, statistics and state. */
#ifndef SM_L1_H
#define SM_L1_H

#include "core/stall.h"
#include "mem/cache.h"
#include "mem/mshr.h"
#include "msg/audit.h"

enum l1_keeps { L1_KEEPS_ALL, L1_KEEPS_LOCAL, L1_KEEPS_NONE };
enum l1_write { L1_WRITES_THROUGH, L1_WRITES_EVICT, L1_WRITES_ALLOCATE };
enum l1_read_only { L1_READ_ONLY_HERE, L1_READ_ONLY_TEXTURE };

/* The way of an access's lines through the tag stage. */
enum l1_route {
	L1_LOOKED_UP,
	L1_PASSED,  /* requested from the L2; a store updates a line that is here */
	L1_DROPPED, /* the same; a load drops the line first */
	L1_TEXTURE  /* looked up in the texture cache */
};
/* Of an access, by bits a lane: to 32, to 64, more. */
enum width { WIDTH_32, WIDTH_64, WIDTH_128, WIDTHS };

static inline enum width width_of(unsigned bytes)
{
	return bytes <= 4 ? WIDTH_32 : bytes <= 8 ? WIDTH_64 : WIDTH_128;
}

#define L1_OPERATORS 7u /* enum cache_op */

#define L1_PARAMS(P, T) \
	P(T, UINT, ways, 4, 1, CACHE_WAYS, "ways", "Associativity.") \
	P(T, NAME, set_hash, "modulo", 0, 0, "hash", "How its lines are mapped to sets.") \
	P(T, UINT, set_bytes, LINE_BYTES, LINE_BYTES, 65536, "bytes", \
		"Consecutive bytes whose lines share a set, a power of two: its logarithm is the " \
		"lowest address bit of the set index.") \
	P(T, NAME, replacement, "lru", 0, 0, "replacement", "The replacement policy.") \
	P(T, CHOICE, keeps, L1_KEEPS_ALL, 0, 0, "all|local|none", \
		"What loads leave in it: all; local memory only, as in Kepler, or Fermi with " \
		"-dlcm=cg; none.") \
	P(T, BOOL, operators, false, 0, 1, "", \
		"PTX's cache operators (.ca .cg .cs .lu .cv .nc .wb .wt, volatile) have the " \
		"effects of doc/model.md's table; else all accesses are as without one.") \
	P(T, CHOICE, read_only, L1_READ_ONLY_HERE, 0, 0, "l1|tex", \
		"Where ld.global.nc and ldu look lines up, with l1.operators: as other loads; or in " \
		"the texture cache, as in Kepler.") \
	P(T, UINT, hit_cycles, 20, 2, 1000, "cycles", \
		"From issue to a dependant's issue on a hit.") \
	P(T, UINT, hit_cycles_64, 0, 0, 1000, "cycles", \
		"The same of a load of 64 bits a lane; 0: as hit_cycles.") \
	P(T, UINT, hit_cycles_128, 0, 0, 1000, "cycles", \
		"The same of more than 64 bits a lane; 0: as hit_cycles.") \
	P(T, UINT, read_only_cycles, 0, 0, 1000, "cycles", \
		"The same in the texture cache (l1.read_only); 0: as in the L1.") \
	P(T, UINT, pass_cycles, 0, 0, 1000, "cycles", \
		"What a load takes longer that missed than one that is not looked up, beside its " \
		"line's flits; chip.l2_cycles and chip.read_cycles do not include it.") \
	P(T, UINT, mshrs, 64, 1, 4096, "lines", "Outstanding lines.") \
	P(T, UINT, merges, 512, 1, 65536, "accesses", "Accesses waiting for outstanding lines.") \
	P(T, BOOL, reserve, false, 0, 1, "", \
		"A miss takes a way of its set at once, so that lines in flight occupy the cache; " \
		"else the line takes one when it arrives.") \
	P(T, UINT, miss_queue, 0, 0, 4096, "packets", \
		"Requests that wait for the port to the network while the tags go on; 0: the tags " \
		"wait.") \
	P(T, CHOICE, write, L1_WRITES_THROUGH, 0, 0, "through|evict|allocate", \
		"What stores, which are all written through, leave in the L1: through, a line that " \
		"is there is updated; evict, it is dropped, unless local memory; allocate, granules " \
		"that are written whole are kept.") \
	P(T, BOOL, whole_line, true, 0, 1, "", \
		"A miss requests the whole line, not only the sectors that lack.") \
	P(T, UINT, sector_bytes, 16, 16, LINE_BYTES, "bytes", \
		"Sectors: what is requested of a line at least, a power of two. Without " \
		"l1.whole_line, and of lines that are not looked up.")

#define L1_STATS(S, T) \
	S(T, COUNT, l1tex__t_requests, "warp instructions", \
		"Global and local accesses, texture fetches.") \
	S(T, COUNT, l1tex__t_texels_pipe_tex, "texels", "Texels that lanes fetched.") \
	S(T, COUNT, l1tex__t_sectors_pipe_tex_mem_texture, "sectors", \
		"32-byte sectors that warps' fetches touched.") \
	S(T, COUNT, l1tex__t_lines_load, "lines", "Line lookups by loads.") \
	S(T, COUNT, l1tex__t_lines_load_lookup_hit, "lines", "Those that hit.") \
	S(T, COUNT, l1tex__t_lines_load_lookup_merged, "lines", "Those that joined a miss.") \
	S(T, COUNT, l1tex__t_lines_load_lookup_partial, "lines", \
		"Those of which some sectors were valid or in flight, and others requested.") \
	S(T, COUNT, l1tex__t_lines_load_lookup_bypassed, "lines", \
		"Those that were not looked up: l1.keeps, or their cache operator.") \
	S(T, COUNT, l1tex__t_lines_local_load, "lines", \
		"Of the lookups by loads, those of local memory.") \
	S(T, COUNT, l1tex__t_lines_local_load_lookup_hit, "lines", "Those that hit.") \
	S(T, COUNT, l1tex__t_lines_store, "lines", "Line writes.") \
	S(T, COUNT, l1tex__t_lines_atomic, "lines", "Line atomics and reductions.") \
	S(T, COUNT, l1tex__t_bytes_requested, "bytes", "Distinct bytes that lanes requested.") \
	S(T, COUNT, l1tex__granule_bytes, "bytes", \
		"Granules of 16 bytes that loads, stores, atomics and fetches of texels touched.") \
	S(T, COUNT, l1tex__m_granule_bytes_sent, "bytes", \
		"Granules that they requested of the network, or sent there.") \
	S(T, COUNT, l1tex__m_l1tex2xbar_req_packets, "packets", "Requests sent to the network.") \
	S(T, COUNT, l1tex__m_xbar2l1tex_read_bytes, "bytes", "Bytes of read replies.") \
	S(T, COUNT, l1tex__cycles_tag_busy, "cycles", "The tag stage looked up a line.") \
	S(T, COUNT, l1tex__cycles_tag_stalled_mshr, "cycles", "It waited for an MSHR.") \
	S(T, COUNT, l1tex__cycles_tag_stalled_network, "cycles", "It waited for the network.") \
	S(T, COUNT, l1tex__cycles_tag_stalled_way, "cycles", \
		"It waited for a way that is not reserved (l1.reserve).") \
	S(T, MAX, l1tex__requests_waiting, "packets", \
		"Most requests that waited for the port to the network (l1.miss_queue).")

#define TEX_PARAMS(P, T) \
	P(T, UINT, bytes, 12288, 0, 1048576, "bytes", \
		"Capacity of the texture cache; 0: texels go through the L1.") \
	P(T, UINT, line_bytes, 32, 16, 128, "bytes", "Its line size, a power of two.") \
	P(T, UINT, ways, 96, 1, CACHE_WAYS, "ways", "Associativity.") \
	P(T, UINT, set_bytes, 128, 16, 4096, "bytes", \
		"Consecutive bytes whose lines share a set, a power of two.") \
	P(T, NAME, replacement, "lru", 0, 0, "replacement", "The replacement policy.") \
	P(T, UINT, pass_cycles, 0, 0, 1000, "cycles", \
		"What texels take longer that it lacks, and the L2 or memory returns, than a load " \
		"of as many bytes; sm.texture_cycles is the latency of those that hit.") \
	P(T, UINT, mshrs, 128, 1, 4096, "lines", "Outstanding lines.") \
	P(T, UINT, merges, 1024, 1, 65536, "accesses", "Accesses waiting for outstanding lines.")

#define TEX_STATS(S, T) \
	S(T, COUNT, l1tex__t_lines_tex, "lines", "Line lookups in the texture cache.") \
	S(T, COUNT, l1tex__t_lines_tex_lookup_hit, "lines", "Those that hit.") \
	S(T, COUNT, l1tex__t_lines_tex_lookup_merged, "lines", "Those that joined a miss.")

/* TAG_BANKS: a line that was looked up waits for the banks' queue; TAG_WAY: all ways of its set are
 * reserved. */
enum tag_owner { TAG_IDLE, TAG_BUSY, TAG_MSHR, TAG_NETWORK, TAG_BANKS, TAG_WAY };

/* The audit counters of an SM, in bytes of granules. */
struct sm_flows {
	struct traffic sent, got;
	uint64_t loaded, stored, changed;     /* requested by loads, stores and atomics */
	uint64_t hit, merged, missed, filled; /* of loads; filled beyond that: whole lines */
	uint64_t fetches;                     /* looked up in the texture cache */
	uint64_t texels;                      /* requested by it */
	uint64_t fetched; /* requested by the caches of constants and instructions */
};

/* An access's way through the tag stage. */
struct l1_way {
	uint16_t hit_cycles;
	uint8_t route; /* enum l1_route */
	bool texels;   /* the texture cache, if there is one */
	bool local;    /* of local memory */
};

struct sm_l1 {
	struct {
		L1_PARAMS(PARAM_FIELD, sm_l1)
	} p;
	struct {
		L1_STATS(STAT_FIELD, sm_l1)
	} s;
	struct policy replacement, set_hash;
	struct cache *cache;
	uint8_t *
		fillers; /* by way of the cache: the warp that had it filled, if the policy needs it
			  */
	struct mshr *mshr;
	struct l1_way ways[2][L1_OPERATORS][WIDTHS]; /* [is local memory][enum cache_op] */
	struct l1_way texel_way;
	bool one_way;       /* they are all the same */
	uint64_t bytes;     /* capacity now; 0: no cache */
	uint64_t port_free; /* cycle from which hits' words can move */
	struct stall tag;   /* owners: enum tag_owner */
};

/* The way of a load or store of that many bytes a lane. */
static inline const struct l1_way *l1_way(
	const struct sm_l1 *l, bool local, unsigned operator, unsigned bytes)
{
	return l->one_way ? &l->ways[local][0][0] : &l->ways[local][operator][width_of(bytes)];
}

struct sm_tex {
	struct {
		TEX_PARAMS(PARAM_FIELD, sm_tex)
	} p;
	struct {
		TEX_STATS(STAT_FIELD, sm_tex)
	} s;
	struct policy replacement;
	struct cache *cache;
	struct mshr *mshr;
};

#endif
