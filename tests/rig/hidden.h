/* A machine to hide from the prober: a fast model of caches, TLBs and banks behind the four verbs,
 * none of it the simulator's. Its parts are public, so that a test sets them and compares. */
#ifndef TESTS_RIG_HIDDEN_H
#define TESTS_RIG_HIDDEN_H

#include "core/rng.h"
#include "runs/verbs/verbs.h"

#include <stdbool.h>
#include <stdint.h>

#define HIDDEN_WAYS 96u   /* of a set, at most */
#define HIDDEN_SETS 8192u /* of a cache, at most */
#define HIDDEN_ORDER 32u

enum hidden_policy {
	HIDDEN_LRU,
	HIDDEN_FIFO,
	HIDDEN_RANDOM,
	HIDDEN_WEIGHTED,
	HIDDEN_LISTED,
	HIDDEN_TREE, /* a bit for each pair of halves: a power of two of ways */
	HIDDEN_POLICIES
};

enum hidden_index {
	HIDDEN_MODULO,
	HIDDEN_SHIFTED, /* consecutive units share a set */
	HIDDEN_XOR,     /* the number above the sets is XORed in */
	HIDDEN_FOLDED,  /* the number is XORed with itself, shifted twice */
	HIDDEN_INDICES,
	HIDDEN_SKEWED /* another one for each way */
};

/* A cache, or a TLB, whose lines are pages. */
struct hidden_cache {
	bool present;
	uint32_t line, fill; /* bytes; `fill` divides the line */
	uint32_t sets, ways; /* of a slice; the most ways of a set */
	uint32_t slices;     /* 0: as 1 */
	uint32_t block;      /* lines that go to one slice */
	bool slice_hash;
	enum hidden_index index;
	unsigned shift;
	const uint32_t *set_ways; /* by set; NULL: all have `ways` */
	const uint32_t *map;      /* sets of `mapped` units, again and again; NULL: by `index` */
	uint32_t mapped;
	enum hidden_policy policy;
	uint32_t weight[16], order[HIDDEN_ORDER], period;
	uint32_t victims; /* lines of a victim cache */
	bool prefetches;

	struct rng rng;
	uint32_t epoch, clock, last_victim;
	uint32_t *seen, *next, *tree; /* by set */
	struct hidden_way {
		uint64_t number;
		uint32_t since, sectors; /* 0 sectors: free */
	} * way;                         /* by set */
	uint64_t victim[8];
};

/* Cycles are from load to use. */
struct hidden {
	struct hidden_cache l1, tex, l2, tlb1, tlb2;
	bool cg_is_ca, nc_is_tex;
	uint32_t near, near_tex; /* hits of L1 and texture cache */
	uint32_t second, far;    /* hits of the L2; what it misses */
	uint32_t pass, pass_tex; /* more, of what missed in L1 or texture cache */
	uint32_t hop;            /* more for each slice */
	uint32_t row;            /* more where a bank of DRAM has another row */
	uint32_t page, tlb2_cycles, walk, upper, window, window_cycles;
	bool needs_tlb;    /* what is in no TLB nearby is not looked up in the L1 */
	bool random_pages; /* placed at random in memory */
	uint32_t code;     /* lines of code and parameters that each script has in the L2 */
	uint32_t banks, bank_bytes, bank_mode, shared, shared_pass; /* 1/32 cycles: the last */

	uint32_t tlb_ways[16], tlb_map[512]; /* of hidden_draw's L2 TLB */
	uint32_t active;
	uint64_t open[16];
	uint32_t addition, step; /* cycles */
};

/* After it was set: takes memory, none of it lent. */
void hidden_start(struct hidden *);
void hidden_stop(struct hidden *);
struct verbs hidden_verbs(struct hidden *);

/* hidden_draw.c: one by seed. */
void hidden_draw(struct hidden *, uint64_t seed);

/* hidden_cache.c */
void hidden_cache_start(struct hidden_cache *);
void hidden_cache_stop(struct hidden_cache *);
void hidden_cache_empty(struct hidden_cache *);
/* Whether the cache has it; it has it afterwards. */
bool hidden_cache_access(struct hidden_cache *, uint64_t address);
/* The set of an address, counted over all slices. */
uint32_t hidden_cache_set(const struct hidden_cache *, uint64_t address);
uint64_t hidden_cache_units(const struct hidden_cache *); /* lines of all sets */

#endif
