/* The chip's private state, shared by the files of chip/. */
#ifndef CHIP_INSIDE_H
#define CHIP_INSIDE_H

#include "chip/chip.h"
#include "chip/epochs.h"
#include "chip/gpu_inside.h"
#include "chip/policy.h"
#include "core/probe.h"
#include "dram/channel.h"
#include "mem/slice.h"
#include "noc/mmu.h"
#include "noc/network.h"

enum chip_partition { PARTITION_KERNEL, PARTITION_APPLICATION };

#define CHIP_PARAMS(P, T) \
	P(T, UINT, sms, 32, 1, GPU_MAX_SMS, "SMs", "Streaming multiprocessors.") \
	P(T, UINT, channels, 6, 1, 1024, "channels", "DRAM channels.") \
	P(T, UINT, slices, 2, 1, 32, "slices", "L2 slices in front of each channel.") \
	P(T, REAL, bytes_per_ns, 256, 0.001, 100000, "B/ns", "DRAM bandwidth of all channels.") \
	P(T, UINT, share, 1, 1, 65536, "CTAs", \
		"Only CTAs 0, n, 2n, .. of a launch run with timing, the others without.") \
	P(T, NAME, dispatch, "dynamic", 0, 0, "dispatch", "Which CTA goes to which SM.") \
	P(T, BOOL, even_share, false, 0, 1, "", \
		"Every SM has a channel of its own with an even share of the bandwidth.") \
	P(T, UINT, read_cycles, 400, 0, 100000, "cycles", \
		"DRAM read latency, unloaded: from a load's issue to its dependant's, of a line, " \
		"with chip.l2_cycles of 4 bytes; on the nearest slice. 0: the least " \
		"that the path allows.") \
	P(T, UINT, l2_cycles, 0, 0, 100000, "cycles", \
		"L2 hit latency, also unloaded, of 4 bytes: it sets l2.hit_cycles. 0: what that and " \
		"the path give.") \
	P(T, UINT, sides, 1, 1, 16, "sides", \
		"Sides of the chip, each with its SMs and channels, divided in order.") \
	P(T, UINT, side_cycles, 0, 0, 10000, "cycles", \
		"Additional latency of a slice on another side, both ways together.") \
	P(T, BOOL, side_copies, false, 0, 1, "", \
		"With two sides: an SM reads through a slice of its own side, which keeps copies " \
		"of the other side's lines.") \
	P(T, UINT, spread_cycles, 0, 0, 10000, "cycles", \
		"Additional latency of the slice opposite an SM, both ways together: SMs and " \
		"slices are around a ring, in order, and the latency grows with the distance.") \
	P(T, UINT, interleave_bytes, 256, 128, 1048576, "bytes", \
		"Consecutive bytes in one slice; a multiple of the line.") \
	P(T, NAME, slice_hash, "modulo", 0, 0, "hash", "Which slice a block belongs to.") \
	P(T, REAL, sm_mhz, 1000, 10, 10000, "MHz", \
		"Clock of the SMs. Its period is the nearest whole number of picoseconds.") \
	P(T, REAL, l2_mhz, 0, 0, 10000, "MHz", \
		"Clock of the L2 and of both networks, as sm_mhz; 0: the SMs' clock.") \
	P(T, UINT, window, 20, 1, 1000, "cycles", \
		"Partitions run alone for a window; links between them are no shorter.") \
	P(T, NAME, network, "crossbar", 0, 0, "network", "The network between SMs and slices.") \
	P(T, UINT, link_cycles, 20, 1, 1000, "cycles", \
		"Latency of a link to or from the network.") \
	P(T, UINT, link_queue, 8, 1, 1024, "packets", "A router port's own buffer.") \
	P(T, NAME, dram, "bandwidth", 0, 0, "dram", "The model of a DRAM channel.") \
	P(T, NAME, storage, "partitioned", 0, 0, "storage", "The design of an SM's storage.") \
	P(T, CHOICE, partition, PARTITION_KERNEL, 0, 0, "kernel|application", \
		"What an SM's storage is split for: kernel, each when it is launched; application, " \
		"once for all of them.")

/* Events of the dispatcher for probes (core/probe.h); a is the launch. */
enum dispatcher_event { LAUNCH_BEGINS, LAUNCH_ENDS };

#define DISPATCH_STATS(S, T) \
	S(T, COUNT, chip__launches, "launches", "Launches completed.") \
	S(T, COUNT, chip__ctas, "CTAs", "CTAs completed.") \
	S(T, COUNT, storage__repartitions, "SMs", \
		"Times that an empty SM changed its split of storage: its L1 was " \
		"invalidated.")

/* What the dispatcher knows of an SM. */
struct sm_mirror {
	struct storage_split split;
	uint64_t register_bytes, shared_bytes; /* in use */
	uint32_t warps, ctas;                  /* in use */
	uint64_t unused; /* byte cycles that splits before this one left unused */
	uint64_t since;  /* the cycle from which this one is in force */
};

/* Hands CTAs to SMs; launches of one stream run in order. */
struct dispatcher {
	struct component base;
	struct {
		DISPATCH_STATS(STAT_FIELD, dispatcher)
	} s;
	struct gpu *gpu;
	struct chip *chip;
	struct policy policy;
	const struct dispatch_ops *choose; /* its verbs */
	struct link *start_out[GPU_MAX_SMS], *done_in[GPU_MAX_SMS];
	struct sm_mirror sm[GPU_MAX_SMS];
	struct launch_state **runnable; /* those that nothing waits for, not complete, in order */
	uint32_t nrunnable, room;
	struct launch_state **rest; /* whose untimed CTAs run at the end of the window */
	uint32_t nrest;
	unsigned next_sm;
	uint64_t stepped_cycle; /* + 1: the last step's cycle; detects repeated calls */
	enum step answer;
	bool pauses;    /* the simulation pauses when a stream is complete, */
	bool skips;     /* CTAs have ended in this window, and others may be skipped */
	uint64_t until; /* else when this launch is; NO_LAUNCH: never */
};

/* Numbers below 65536 for launches that have begun, by which parts count: a launch has one from its
 * beginning until it is over, when no packet and no dirty line of the L2 has it. Then it is another
 * launch's. */
struct accounts {
	struct launch_state **of; /* by account; NULL: it is free */
	uint64_t *number;         /* of that launch */
	uint32_t *next;           /* a free one's next free one */
	uint32_t capacity, used;  /* of the tables; accounts that ever were a launch's */
	uint32_t first_free, nfree;
	uint32_t collect_at; /* when this number is in use, those of launches that are over become
				free */
	uint32_t most;       /* 65536; tests have less */
	uint32_t waiting;    /* launches that have none yet */
	bool held;           /* a launch could not begin without one */
};

/* Launches that overlap in time: chip/epochs.h. Of one epoch, or of those that have none. */
struct epoch {
	uint32_t first, launches;      /* the number of the first; how many */
	const struct program *program; /* NULL: of several kernels */
	bool common;                   /* of launches without an epoch of their own */
	uint64_t begin_cycle;          /* the first one's; of a common one: of any */
	uint64_t cycles, span_cycles;  /* in which they ran; up to the next epoch */
	uint64_t unused_byte_cycles;
	uint64_t *sum, *most;     /* by row of the tally: of all parts, of the part that has most */
	struct energy_sum energy; /* of its span; once the run is closed */
};

/* Consecutive statistics of a part, in consecutive rows of the tally. */
struct epoch_span {
	const uint64_t *at;
	uint32_t row, n;
};

struct tally;
struct epochs {
	struct tally *rows; /* their names; NULL: nothing has run yet */
	struct epoch_span *span;
	uint64_t *before; /* by position: what had been counted when the present epoch began */
	struct epoch *own, *common; /* of common ones, the first is of several kernels */
	uint32_t nspans, npositions;
	uint32_t nown, own_room; /* those that have begun, that there is memory for */
	uint32_t ncommon;
	uint32_t numbered;      /* launches that there is memory for */
	uint32_t now, closes;   /* the present one; what the edge closes; or NO_EPOCH */
	uint32_t running;       /* launches */
	uint64_t since, unused; /* of the present one: the cycle; unused storage before it */
	uint64_t running_since;
};

struct trace;
struct power;
struct chip_profile;

/* Of the SMs in the stretches without time of a launch: rest.c. */
struct shares {
	uint64_t launch; /* its number + 1; 0: none had one yet */
	uint64_t cycle;  /* of the last stretch, or the launch's first */
	double together,
		alone; /* sums of deviations from 1: products of successive ones, squares */
	uint64_t seen[GPU_MAX_SMS];   /* warp instructions in time, before the last stretch */
	double progress[GPU_MAX_SMS]; /* between the last two, times the mean */
};

struct chip {
	struct {
		CHIP_PARAMS(PARAM_FIELD, chip)
	} p;
	struct gpu *gpu;
	struct arena arena;
	struct sim *sim;
	const struct plugin *network, *dram, *storage;
	void *storage_self;
	struct policy slice_hash;
	struct storage_split largest;  /* the most of each that a split gives */
	struct storage_rules rules;    /* of allocation */
	struct storage_need *foreseen; /* with PARTITION_APPLICATION: all that will be launched */
	unsigned nforeseen;
	struct storage_split application; /* the split for them */
	struct sm_config sm_config;
	struct dispatcher *dispatcher;
	struct component *sm[GPU_MAX_SMS];
	struct component *request, *reply;
	struct mmu_settings mmu_settings;
	struct component *mmu; /* NULL: addresses are not translated */
	struct component **slice, **channel;
	struct store_log *log[GPU_MAX_SMS];
	struct accounts accounts;
	struct epochs epochs;
	struct grid_table grids;          /* by account, and so: */
	uint64_t *by_launch[GPU_MAX_SMS]; /* warp instructions */
	struct launch_traffic **traffic;  /* by channel */
	struct launch_lookups **lookups;  /* by slice */
	uint64_t *flushed;                /* bytes */
	struct launch_traffic *earlier;   /* by channel: of launches that are over */
	struct launch_state *ended;       /* in this run; their memory is to be freed */
	uint64_t queued_ctas,
		last_end; /* timed CTAs so far; cycle in which the last launch ended */
	unsigned channels, per_channel; /* as built: an even share has a channel for every SM */
	unsigned sm_ps, l2_ps;          /* periods of the clocks */
	unsigned dram_cycles; /* of the L2's clock, derived from read_cycles; 0: the least */
	/* How much later packets arrive, by SM and slice and the other way; NULL: no later. */
	uint32_t *request_extra_ps, *reply_extra_ps;
	bool copies; /* slices keep copies for their side (mem/slice_peer.c) */
	uint64_t flushed_bytes;
	struct untimed_counts rest_counts; /* of CTAs that ran without timing */
	struct shares shares;
	struct err rest_errors;
	bool rest_failed, rest_stopped; /* the second: at the host's wish */
	const struct host_hooks *hooks; /* of this run, or NULL */
	bool alone;                     /* one host thread runs all */
	bool at_rest;                   /* the last run was complete */
	struct warmup *warmup;          /* NULL: metrics are of all cycles */
	bool warms; /* what runs without time leaves the caches as it would in time */
	struct gpu_skipping skipping; /* chooses what is executed only; state NULL: nothing */
	bool closed;
	struct state *loads;          /* the next run begins by loading it; or NULL */
	struct trace *trace;          /* NULL: none was asked for */
	struct power *power;          /* NULL: intervals are not counted */
	struct chip_profile *profile; /* NULL: the run is not profiled */
};

/* 0, or -1 when there is no such policy. */
int dispatcher_init(struct dispatcher *, struct chip *, struct partition *, struct err *);
void dispatcher_free(struct dispatcher *);
/* Grows the tables for one more launch, the given one. */
int dispatcher_grow(struct dispatcher *, struct launch_state *, struct err *);
/* Enters the GPU's last launch; the tables are large enough. */
void dispatcher_queue(struct dispatcher *, struct launch_state *);
/* One that is runnable is complete: what comes next in its stream is runnable. */
void dispatcher_leave(struct dispatcher *, const struct launch_state *);
/* At the end of a window: runs the untimed CTAs. False and chip->rest_errors when it failed. */
bool dispatcher_rest(struct dispatcher *, uint64_t cycle);
/* The lowest CTA of the launch that has not started, as far as SMs may take one now; NO_CTA
 * (chip/policy.h): none. */
uint64_t dispatcher_next(const struct dispatcher *, const struct launch_state *);
/* Storage that SMs' splits left unused, in byte cycles of all SMs before `cycle`. An SM that has no
 * split yet counts nothing. */
uint64_t dispatcher_unused(const struct dispatcher *, uint64_t cycle);
/* Everything that was queued is complete without having run (chip/journal.h). */
void dispatcher_forget(struct dispatcher *);
/* chip/checkpoint.c: for component_ops. */
void dispatcher_state(struct component *, struct state *);
/* Launches may be queued: called between runs. */
void dispatcher_wake(struct dispatcher *);

/* ---- warmup.c: cycles that metrics leave out */
struct warmup;
struct tally;
/* The cycle in which the warm-up ends; 0: there is none, or it is over. */
uint64_t warmup_until(const struct chip *);
void warmup_free(struct chip *);
void warmup_state(struct state *, struct chip *);
/* It ends now, at a window's edge. */
void warmup_end(struct chip *);
/* Makes the counts of a whole run those behind it: of all rows but peaks. */
void warmup_subtract(const struct chip *, struct tally *);
/* What was counted before, at that position of tally_positions; a channel's bytes behind it. */
uint64_t warmup_count(const struct chip *, unsigned position);
uint64_t warmup_channel_bytes(const struct chip *, unsigned channel);

/* ---- rest.c: what runs without time */
/* Memory for the counts of a launch, if there will be any. 0 or -1. */
int rest_admit(struct chip *, struct launch_state *, struct err *);
/* The launch's CTAs that are not timed. False and chip->rest_errors when they failed. */
bool rest_run(struct chip *, struct launch_state *, uint64_t cycle);
/* The same of those that sampling skips now. */
bool rest_skip(struct chip *, struct launch_state *, uint64_t cycle);
/* The launch has begun: whether resident CTAs advance without time is asked from now on. */
void rest_begin(const struct chip *, struct launch_state *, uint64_t cycle);
/* Asks, when it is time; false as above. */
bool rest_advance(struct chip *, struct launch_state *, uint64_t cycle);

/* ---- accounts.c */
void accounts_init(struct chip *);
void accounts_free(struct chip *);
/* Before a run: accounts for the launches that wait, as far as there are. 0 or -1. */
int accounts_prepare(struct chip *, struct err *);
/* For a checkpoint with tables of that many. 0 or -1. */
int accounts_resize(struct chip *, uint32_t capacity, struct err *);
/* The launch begins. False: there is no account for it before the chip is at rest. */
bool accounts_take(struct chip *, struct launch_state *);
/* Adds what the parts have counted for the launch. */
void accounts_add_counts(const struct chip *, const struct launch_state *, struct launch_row *);

/* ---- epochs.c */
/* Memory for a launch that is admitted last, if the chip has run before; before a run, for those
 * that wait and have none. Both 0 or -1. */
int epochs_admit(struct chip *, const struct launch_state *, struct err *);
int epochs_grow(struct chip *, struct err *);
void epochs_free(struct epochs *);
/* A launch begins, and is complete. */
void epochs_begin(struct chip *, struct launch_state *, uint64_t cycle);
void epochs_end(struct chip *, const struct launch_state *);
/* At a window's edge: counts what belongs to the epoch before, if another one began in it. */
void epochs_edge(struct chip *, uint64_t cycle);
/* The run is over: everything is counted, and sums are checked. */
void epochs_close(struct chip *, uint64_t cycle);

/* power.c: before the chip runs, after epochs_grow; at a window's edge; when a warm-up is over; at
 * the end, as often as wanted: sums are checked. */
int power_start(struct chip *, struct err *);
void power_edge(struct chip *, uint64_t cycle);
void power_warm(struct chip *, uint64_t cycle);
void power_close(struct chip *);
void power_free(struct chip *);
void power_state(struct state *, struct chip *);

/* translation.c: address translation. Creates the unit, if there is one; binds the SM's requests,
 * and the slice's walks, to it. */
void translation_make(struct chip *, struct err *);
void translation_bind_sm(struct chip *, unsigned sm);
void translation_bind_slice(struct chip *, unsigned slice);
/* What it adds to the way of a request that needs no translation, in the L2's cycles. */
unsigned translation_cycles(const struct chip *);
void translation_audit(const struct chip *, struct audit *);

/* distance.c: the networks' additional latencies. */
void distance_set(struct chip *);
unsigned distance_side(const struct chip *, unsigned sm);
void distance_choose(struct chip *, struct err *);
void distance_bind_peer(struct chip *, unsigned slice);

/* partition.c: a launch's split of its SMs' storage. */
int partition_admit(const struct chip *, struct launch_state *, struct err *);
/* ---- clocks.c */
/* Sets the periods: 0, or -1 when they do not go together. */
void clocks_set(struct chip *, struct err *);
/* The parts of the configured latencies that are left for a slice, and for DRAM, after all other
 * parts of the path, which exist: in the mean of all offsets between the clocks, the nearest cycle
 * of the L2's. */
void clocks_l2_latency(struct chip *, struct err *);
void clocks_dram_latency(struct chip *, struct err *);
/* The links that dispatcher and SMs, and those that the networks have to others. */
struct link_config clocks_cta_link(const struct chip *);
struct link_config clocks_packet_link(const struct chip *);
struct link_config clocks_side_link(const struct chip *);

/* The SMs' cycles up to which everything has happened. */
static inline uint64_t chip_cycle(const struct chip *c)
{
	return sim_time(c->sim) / c->sm_ps;
}

/* Audits the run: 0, or -1 and ERR_BUG with all counters that contradict each other. `at_rest`:
 * nothing is in flight. */
int chip_audit(const struct chip *, bool at_rest, struct err *);

/* chip/chip.c: the design that a configuration names; NULL: there is none of that name. */
const struct plugin *chip_storage_design(struct config *);
static inline const struct storage_ops *chip_storage(const struct chip *chip)
{
	return chip->storage->ops;
}

#endif
