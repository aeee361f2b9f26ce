/* The prober's state, shared by the files of runs/probe/. */
#ifndef RUNS_PROBE_INSIDE_H
#define RUNS_PROBE_INSIDE_H

#include "core/base.h"
#include "core/rng.h"
#include "core/text.h"
#include "runs/probe/probe.h"

#define PROBE_BUFFER (UINT32_C(1088) << 20) /* more than two windows of 512 MB */
#define PROBE_FINDINGS 256
#define PROBE_DOTS 1024
#define PROBE_STAIRS_MOST 256
#define CACHE_MOST 256 /* ways */
#define PROBE_WORD 4u
#define PROBE_POOL 32768u /* units of a level that are tried, at most */

/* Cycles of accesses that are in one state. */
struct range {
	uint32_t low, high;
};

struct guess;

/* One cache or TLB. An access misses it when it takes more than `limit` cycles. */
struct level {
	const char *name;
	enum verbs_path path;
	enum verbs_path
		again;   /* of second passes: as `path`, or past the cache that has the first */
	bool apart;      /* what is nearer is empty in a script of its own: passes are scripts */
	bool forget;     /* it outlives scripts */
	uint32_t limit;  /* cycles */
	uint32_t unit;   /* bytes: a line, a page, or what of it is tried */
	uint32_t skew;   /* bytes by which unit i is moved, times i: other sets of nearer caches */
	uint32_t units;  /* that may be used */
	uint32_t origin; /* bytes: the address of unit 0 */
	bool shared;     /* others' lines are in it, too: code, parameters, page table entries */
	const uint32_t *filler; /* units touched before an access to what was touched before, so */
	uint32_t fillers;       /* that nearer TLBs do not have it; of another set */
	uint32_t capacity;      /* units that stay, from the first on; 0: unknown */
	uint32_t leaves; /* that number does not: one more; of a large shared level a quarter */
	uint32_t *base;  /* ways + 1 units of one set, ascending; NULL: unknown */
	uint32_t ways;   /* of that set */
	uint32_t sets;   /* 0: unknown */
	const struct guess *guess; /* what was accepted; NULL: nothing */
};

/* Of one path: where the data are, with their page in the nearest TLB. */
struct path_times {
	struct range near, l2, far; /* touched before; in a script before; never */
};

struct prober {
	const struct verbs *v;
	struct arena *arena;
	struct err *err;
	struct probe_report *r;
	bool bad;      /* a verb failed: all times are 0 from now on */
	bool overflow; /* a script had too many segments */
	struct rng rng;
	struct verbs_script script;
	uint32_t results[VERBS_RESULTS], nresults;
	uint64_t said; /* accesses when the last finding was made */

	uint32_t one, addition; /* cycles of a step with one addition; of an addition */
	struct path_times path[VERBS_TEX + 1];
	bool bypass;       /* ld.global.cg does not look up the L1 */
	uint32_t page;     /* bytes; 0: unknown */
	uint32_t window;   /* bytes; 0: none */
	uint32_t reach[2]; /* contiguous pages that stay in the L1 and L2 TLB; 0: unknown */
	bool pages;        /* PROBE_TLB_PASSES */
};

/* ---- scripts: plan.c */
void plan_start(struct prober *);
void plan_add(struct prober *, uint32_t address, enum verbs_path, enum verbs_act);
/* Runs what was added; results are in p->results. */
void plan_run(struct prober *, uint32_t limit);
void plan_forget(struct prober *);

/* The address of a level's unit. */
uint32_t level_address(const struct level *, uint32_t unit);
/* From empty caches the units are touched, then again: how many miss in the second pass. */
uint32_t level_misses(struct prober *, const struct level *, const uint32_t *units, uint32_t n);
bool level_stays(struct prober *, const struct level *, const uint32_t *units, uint32_t n);
/* The same, tried `tries` times: where others evict a unit now and then. What an overfull set has
 * never stays. */
bool level_stays_once(
	struct prober *, const struct level *, const uint32_t *units, uint32_t n, unsigned tries);
/* The same of units first, first + step, .. */
uint32_t level_misses_of(
	struct prober *, const struct level *, uint32_t first, uint32_t step, uint32_t n);
/* A sequence of units from empty caches; hit[i]: access i did not miss. */
void level_sequence(
	struct prober *, const struct level *, const uint32_t *units, uint32_t n, bool *hit);

/* ---- findings: say.c */
/* The value and the evidence are formats; `number` is of the value. */
void say(struct prober *, const char *level, const char *item, double number, const char *value,
	const char *evidence);
void say_not(struct prober *, const char *level, const char *item, const char *why);
const char *words(struct prober *, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *bytes_words(struct prober *, uint64_t bytes);
/* None of a level's geometry is known. */
void say_none(struct prober *, const struct level *, const char *why);
/* What of these items, up to NULL, the level has not is not determined: for its first reason, or
 * for `why` if it has none. A level that is known to be absent has no items. */
void say_rest(struct prober *, const char *level, const char *const *items, const char *why);
/* Sorts findings by level, levels in the order of their first ones. */
void say_by_level(struct prober *);
void say_dot(struct prober *, const struct level *, uint32_t stride, uint32_t n, uint32_t missed);
/* The map is kept; its level's unit and capacity are added. */
void say_map(struct prober *, const struct level *, struct probe_map);

/* ---- parts */
void probe_latency(struct prober *, bool tell); /* latency.c: first of all */
/* A cache: fill, line, capacity, sets, ways, index, replacement. False: nothing was found. */
bool probe_cache(struct prober *, struct level *, bool tell);
void probe_shared(struct prober *);   /* shared.c */
void probe_tlbs(struct prober *);     /* tlb.c */
void probe_patterns(struct prober *); /* patterns.c: after the TLBs */
void probe_stairs(struct prober *);   /* stairs.c */
/* passes.c: of a level whose capacity and base are known. */
void probe_passes(struct prober *, struct level *);

/* sets.c: the least prefix of units 0, step, .. that does not stay, reduced to ways + 1 units of
 * one set in level->base. False: none was found. */
bool sets_base(struct prober *, struct level *, uint32_t step, uint32_t most);
/* The base of any set, of a level whose unit is one word; its units are words. False: none was
 * found in 16 MB. */
bool sets_any(struct prober *, struct level *);
/* Of a list that does not stay: reduces it to ways + 1 units of one set; returns their number, 0:
 * that failed. `rest` has space for as many. */
uint32_t sets_reduce(
	struct prober *, const struct level *, uint32_t *list, uint32_t n, uint32_t *rest);
/* The same of a list of any units, in address; 0: all stay, or none was found. */
uint32_t sets_least(
	struct prober *, const struct level *, uint32_t *list, uint32_t n, uint32_t *rest);
/* The distance from the base's first unit to the next one of its set that is `from` away or more,
 * up to `most`; 0: none is. */
uint32_t sets_next(struct prober *, const struct level *, uint32_t from, uint32_t most);
/* Whether the unit is in the set of the base. */
bool sets_member(struct prober *, const struct level *, uint32_t unit);
/* The level's capacity: contiguous units that stay, and how many do not. False: `most` stay. */
bool sets_capacity(struct prober *, struct level *, uint32_t most);

/* index.c, after base and capacity are known: how units are mapped to sets. */
void probe_index(struct prober *, struct level *);
/* guess.c: a hypothesis, and whether all that it predicts comes true. */
#define PREDICTIONS 64u
struct guess { /* the set: parities, and the remainder of a quotient */
	uint32_t sets;
	uint32_t shift, modulus; /* of unit numbers; modulus 1: parities alone */
	uint32_t bits;           /* of unit numbers that the masks look at */
	uint32_t mask[32];
	unsigned masks;    /* 0: the remainder alone */
	uint32_t occupied; /* predictions of sets in which others' lines are */
};
bool guess_predicts(struct prober *, const struct level *, struct guess *);
/* The sets of the first units, by the hypothesis, as the level's map. */
void guess_map(struct prober *, const struct level *, const struct guess *);
/* n units of a random set by the hypothesis, ascending. False: the set has fewer. */
bool guess_units(
	struct prober *, const struct level *, const struct guess *, uint32_t n, uint32_t *list);
/* Ways of most of some random sets: of the one in l->base others may have some. */
uint32_t guess_ways(struct prober *, const struct level *, const struct guess *);
/* members.c: a random unit of the base's set below `all`, a power of two; `list` has space for
 * MEMBERS_CHUNK + CACHE_MOST. False: none was found this time. */
#define MEMBERS_CHUNK 16384u
bool member_random(
	struct prober *, const struct level *, uint32_t all, uint32_t *list, uint32_t *unit);
/* linear.c: the set is made of parities of address bits, and perhaps of the remainder of an address
 * by an odd number; still to be tried by what it predicts. */
bool linear_guess(struct prober *, struct level *, struct guess *);
const char *linear_words(struct prober *, const struct level *, const struct guess *);
/* partition.c: all sets of a small level, one by one: what set each unit of a pool is in. */
#define SETS_MOST 256
struct partition {
	uint32_t *set_of; /* by unit of the pool: its set, counted from 1; 0: none */
	uint32_t ways[SETS_MOST];
	uint32_t sets, pool;
};
void probe_partition(struct prober *, struct level *);
/* Finds the sets of units that have none yet. False: of what is left no least set was found. */
bool partition_find(struct prober *, struct level *, struct partition *);
/* Reports it, if the sets predict the capacity. */
void partition_say(struct prober *, struct level *, const struct partition *);
/* policy.c */
void probe_policy(struct prober *, struct level *);

/* The last quarter of what is between them: an access of the nearer one whose page is in no TLB
 * takes longer, and has not missed. 0: they are not apart. */
uint32_t range_limit(struct range near, struct range far);
void range_add(struct range *, uint32_t cycles);

#endif
