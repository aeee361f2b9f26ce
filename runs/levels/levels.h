/* How many threads of a kernel run at once, with registers spilled to shared memory, chosen without
 * running it (Hayes and Zhang, ICS 2014, section 4.2, figure 5). */
#ifndef RUNS_LEVELS_LEVELS_H
#define RUNS_LEVELS_LEVELS_H

#include "mem/storage/storage.h"
#include "runs/session.h"

/* A level: a number of resident CTAs, with the registers and spill slots that it leaves. */
struct thread_level {
	uint32_t ctas, threads;
	uint32_t limit, budget; /* of registers; of slots, 0: no spills to shared memory */
	uint32_t regs, slots, moves, local; /* used; accesses of values spilled to local memory */
	uint32_t instrs, off_chip, spills;  /* accesses off the chip; of these, spilled values' */
	uint32_t counted;                   /* of them, those that intensity counts */
	double interval, intensity;
};

#define LEVELS_INTENSITY 200.0 /* above it more threads are expected to gain */
#define LEVELS_BUSY 1.05       /* intervals up to this leave nothing to more threads */

/* What the rule is asked: levels by rising threads, the first the unchanged program; lanes of an
 * SM's cores; the intensity that must be exceeded. */
struct levels_ask {
	const struct thread_level *level;
	unsigned n;
	double cores, threshold;
};

/* Begins with the lowest level that has at least interval * cores threads: if its intensity is
 * high, the largest that is from there on; otherwise, if it has at least the threads of the largest
 * level without local spills, the first that is on the way down to that one; otherwise level 0. */
unsigned levels_choose(const struct levels_ask *);

/* Which count misled the rule where it does not choose level `wanted`: the one with which, replaced
 * alone, it would. Accesses decide what passes, the interval where the search begins. */
enum levels_count { COUNT_NONE, COUNT_MEMORY, COUNT_INTERVAL, COUNT_EITHER, COUNT_BOTH };
enum levels_count levels_misled(const struct levels_ask *, unsigned wanted);

/* The same in words, with the numbers counted; none where it chooses that level. */
void levels_misled_words(const struct levels_ask *, unsigned wanted, struct text *);

/* ---- the storage of a machine's SMs */
struct sm_storage {
	const char *name;   /* of the design */
	const void *design; /* its parameters */
	const struct plugin *plugin;
	struct storage_rules rules;
	uint64_t warp_slots, cta_slots, sms;
	bool once; /* one split for all kernels */
};

/* Of the session's settings. 0 or -1; memory is the session's. */
int sm_storage_read(struct sm_storage *, struct config *, struct arena *, struct err *);

/* Whether an SM can hold a CTA of the launch: 0, or -1 and what it lacks, with both numbers. */
int sm_storage_holds(
	const struct sm_storage *, const char *target, const struct launch_report *, struct err *);

/* The registers and slots of a thread that leave an SM this number of CTAs: the most registers, up
 * to the need's, then the most slots beside its own shared memory. False: not that many CTAs. */
bool levels_room(const struct sm_storage *, const struct storage_need *, uint32_t ctas,
	struct thread_level *);

/* ---- all levels of what a target launches */
#define LEVELS_MOST 64u

struct kernel_levels {
	const char *kernel;
	struct storage_need need;
	struct thread_level level[LEVELS_MOST];
	unsigned n, automatic; /* by rising threads; the one that levels_choose names */
};

struct work_levels {
	struct kernel_levels *kernel; /* those that spill at their highest level; of none, the one
					 with the most registers; that one is first */
	unsigned n;
	double cores;
	bool spills; /* intensity counts accesses of spilled values (gpu.level_memory) */
};

/* Of a target on the machine of an open session, which was opened with these options and this
 * machine: a rehearsal finds the kernels, and each level is compiled. Refuses settings that say how
 * spills are compiled. 0 or -1; memory is the session's. */
int levels_find(struct session *, const char *target, const struct run_options *,
	const struct machine *, struct work_levels *, struct err *);

/* The text "gpu.kernels=..." of a level of one kernel, or of one of each; NULL: all are the
 * unchanged program. The arena's. */
const char *levels_setting(const struct kernel_levels *, unsigned level, struct arena *);
const char *levels_settings(const struct work_levels *, const unsigned *level_of, struct arena *);

/* The setting that `concurrency` names: "auto"; threads of an SM "1536", of all kernels that have
 * such a level; "KERNEL:THREADS". *out NULL: nothing changes. 0; or -1 and a message that lists the
 * levels there are. */
int levels_named(const struct work_levels *, const char *concurrency, struct arena *,
	const char **out, struct err *);

/* The same of a target on a machine, before any session of it is open. */
struct level_wish {
	const char *target, *concurrency;
};
int levels_on(const struct level_wish *, const struct run_options *, const struct machine *,
	struct arena *, const char **out, struct err *);

/* Opens a session for a target as session_open, at the level that `concurrency` names; NULL: as the
 * options say. 0 or -1. */
int levels_open(struct session *, const char *target, const struct run_options *,
	const char *concurrency, struct err *);

#endif
