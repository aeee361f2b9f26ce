/* Advice on a profiled run: what was measured where, what would change, and how much faster the run
 * would be. A rule is a file with one `const struct rule NAME = {`, which the build finds. */
#ifndef CLI_ADVICE_ADVICE_H
#define CLI_ADVICE_ADVICE_H

#include "chip/limits.h"
#include "cli/traffic/traffic.h"
#include "runs/kernels/part.h"

/* No advice promises less: a speedup. */
#define ADVICE_LEAST 1.02

/* What the run needs of a unit whatever it waits for. */
#define ADVICE_UNITS(X) \
	X(ISSUE, "issue slots") \
	X(TAGS, "the tag stage") \
	X(SHARED, "shared memory") \
	X(SFU, "special functions") \
	X(NETWORK, "the networks") \
	X(DRAM, "DRAM")
#define ADVICE_UNIT_ID(id, text) UNIT_OF_##id,
enum advice_unit { ADVICE_UNITS(ADVICE_UNIT_ID) ADVICE_UNIT_COUNT };

/* What rules look at. */
struct facts {
	const struct traffic *traffic;
	struct launch_report launch;         /* the one that took longest */
	double cycles;                       /* elapsed */
	double resident;                     /* schedulers' cycles in which a warp was resident */
	double busy[ADVICE_UNIT_COUNT];      /* cycles, of a unit in the mean */
	double schedulers;                   /* of an SM */
	double warp_slots, cta_slots, lanes; /* of an SM; of a warp of the longest launch */
	double slices;  /* requests of the busiest slice of the L2 by the mean's; 1: all alike */
	double crowded; /* 0 to 1: how far packets to slices wait for the same ones while others
			   have none */
	double camped;  /* the same without atomics' excess */
	double atomics; /* of requests, those of atomics */
	double atomic_lanes; /* of the slice with most; and cycles between them on one word */
	double atomic_cycles, atomic_rate; /* atomic_rate: lanes that a slice takes in a cycle */
	double atomic_spread;              /* lanes of the slice with most by the mean's */
	bool strided;                      /* addresses of some strides are in few slices */
	const char *storage;               /* the design's name */
	double alu_cycles;                 /* latency of arithmetic */
	double mshrs;                      /* of an L1 */
	double read_cycles;                /* of an unloaded read of DRAM */
	double l1_cycles, l2_cycles;       /* of an unloaded hit in the L1, in the L2 */
	double refetched;                  /* bytes that DRAM read beyond its buffers' sizes, */
	double fetched;                    /* and all that it read */
	double uneven;  /* of CTAs' time, the share for which warps wait that have less to do, */
	double lasting; /* and have less from begin to end */
	double missed;  /* lines that loads missed, beside local memory; of them, */
	double again, later; /* those that the launch, or an earlier one, missed in the same SM */
	bool used;           /* loads together use the lines that they miss */
	bool *chained;       /* by line: a load whose address comes from its own result */
	double texture_cycles, sfu_cycles, constant_cycles, shared_cycles; /* latencies */
	double instruction_bytes, instruction_line; /* of the caches of instructions */
};

/* A metric of the run; 0: it has none of that name. */
double facts_metric(const struct facts *, const char *name);
/* How busy the busiest of the units on the path to memory was, 0 to 1: of the networks, the port of
 * the busiest slice. */
double facts_busiest(const struct facts *);
/* The run's cycles if SMs ended with the mean; or if CTAs had as much to do. */
double facts_balanced(const struct facts *, bool by_number);
/* Of the time of late results, the share that is queueing: it grows faster than what is busy. */
double facts_queued(const struct facts *);
/* The line's cycles: what it waited for and what waited for it of one reason; of all. */
double facts_caused(const struct traffic_item *, enum sm_reason);
double facts_stalled(const struct traffic_item *, enum sm_reason);
/* Lines that the line's accesses would fill with their bytes; of those that it touches or, for a
 * load, misses, the share that is in excess. */
double facts_needed(const struct traffic_item *);
double facts_excess(const struct facts *, const struct traffic_item *);
/* Of the time of late results, the share in a network that is crowded, and half of the rest: what
 * waited there comes in bursts to the L2 and to DRAM. */
double facts_crowded(const struct facts *, const struct traffic_item *);
/* It accesses bytes or halves of neighbours. */
bool facts_is_narrow(const struct traffic_item *, double *bytes);
/* The line is an atomic, of global or shared memory; a texture fetch; a load of constants. */
bool facts_is_atomic(const struct traffic_item *);
bool facts_is_texture(const struct traffic_item *);
bool facts_is_local(const struct traffic_item *); /* loads of it */
bool facts_is_array(const struct traffic_item *); /* and stores, but of no spilled values */
bool facts_is_constant(const struct traffic_item *);
/* It is a comparison or a branch, as loops end with. */
bool facts_is_control(const struct traffic_item *);
/* Of the line's accesses, those whose lines all hit if that share of them does, and misses come
 * first (coupons are collected: of n lines the last takes as many as the n-th harmonic number). */
double facts_all_hit(const struct traffic_item *, double share);
/* A walk: neither neighbours nor other warps determine where it goes. */
bool facts_is_chained(const struct facts *, const struct traffic_item *);
/* Warps of a scheduler; cycles of warps that the line's misses take at least; of the cycles in
 * which all warps wait for arithmetic, the share that is not in memory otherwise: where other warps
 * are there while one waits, it would be, too, and all of them would wait. */
double facts_warps(const struct facts *);
double facts_missing(const struct facts *, const struct traffic_item *);
double facts_kept(const struct facts *);
/* Loads in flight of a warp that waits for memory, if none were queued: less than one, and the rest
 * of the wait is queues; more than one, and they are in flight together already. */
double facts_in_flight(const struct facts *);
/* What a line of arithmetic occupies. */
enum facts_arithmetic { FACTS_DIVISION, FACTS_DOUBLE, FACTS_SPECIAL, FACTS_OTHER };
enum facts_arithmetic facts_arithmetic_of(const struct traffic_item *);
/* CTAs of the longest launch that an SM would hold if registers, shared memory, slots did not limit
 * them: by what is left, at most as many as the grid gives it. 0: as many as it holds. */
#define FACTS_REGISTERS 1u
#define FACTS_SHARED 2u
#define FACTS_SLOTS 4u
double facts_ctas(const struct facts *, unsigned without);

struct rule;
struct advice {
	const struct rule *rule;
	const struct limit *limit, *also;
	const struct traffic_item *line; /* where most of it is; NULL: everywhere */
	double cycles;                   /* of the resident cycles, those that would be saved */
	double left[ADVICE_UNIT_COUNT];  /* of relieved units, cycles that they then need */
	/* Of SMs without work: the run's cycles if they had as much as others; whether it is the
	 * CTAs' number that leaves them without. */
	double balanced;
	bool by_number;
	struct text measured;
	double after;      /* the run's cycles, as estimated */
	double speedup;    /* by them */
	const char *bound; /* the unit that bounds the speedup; NULL: none */
	/* --prove: cycles without the limit; NAN: not tried, or it failed. */
	double proved;
	uint64_t stopped;          /* the cycles at which that run was stopped; 0: it was not */
	bool moved;                /* the limit's observable moved with it */
	double fixed[LIMIT_FIXES]; /* cycles with the limit's other fixes; NAN: as `proved` */
};

struct rule {
	const char *name, *limit; /* of chip/limits.h */
	const char *also;         /* another one: only without both is there a gain; or NULL */
	const char *change;       /* what would change */
	const char *basis;        /* of the estimate */
	unsigned relieves;        /* bits of units that then need others than busy[] cycles */
	/* Notes what would be saved and what was measured. */
	void (*look)(const struct facts *, struct advice *);
};

/* All rules of the build, terminated by NULL. */
extern const struct rule *const rules[];

/* Where the rule found `cycles`: they are added, and the line with most of them is kept. `most` is
 * that line's, 0 before the first. */
void advice_add(struct advice *, const struct traffic_item *, double cycles, double *most);

/* What more warps would save if an SM held those CTAs: each warp waits as long, and an SM as much
 * less. Nothing where fewer of these limits suffice. */
void advice_add_warps(const struct facts *, unsigned without, struct advice *);

/* What would be saved of the cycles stalled for misses and full queues without that share of each
 * line's misses: of `event`, which counts it. Units behind the L1 have as much less to do. */
void advice_add_missed(const struct facts *, enum stall_event event, struct advice *);

/* The speedups of other fixes, where there are any that were proved: "two chains 1.21x, ...". */
void advice_fixes(const struct advice *, struct text *);

/* "mshrs", "registers and shared_memory". */
const char *advice_limits(const struct advice *, char out[64]);

/* What SMs without work cost, and the words for it; nothing if it is for the other reason: whether
 * most of it is explained by the CTAs' number, were they all alike. If it is not, those without a
 * CTA stay so. */
void advice_add_idle(const struct facts *, bool by_number, struct advice *);

struct advices {
	struct advice *at; /* those with most to gain first */
	unsigned n;
};

/* Those with most to gain first: by what was proved, else by the estimate. */
void advice_sort(struct advices *);

/* What the run's profile suggests. Memory is the profile's arena's, texts are advice_clear's. */
struct advices advice_look(const struct traffic *);
void advice_clear(struct advices *);

/* What the estimate promises by what was proved, as speedups; NAN: not proved. */
double advice_ratio(const struct advice *);

/* Runs without each one's limit, in processes of their own: `proved`, NAN where such a run failed.
 * 0; or -1 when the host or a signal ended it. */
struct options;
int advice_prove(struct advices *, const struct traffic *, const struct options *, struct err *);

void advice_text(const struct advices *, bool proved, struct text *);
json_t *advice_json(const struct advices *); /* as rows of a table */
void advice_html(const struct advices *, struct text *);

#endif
