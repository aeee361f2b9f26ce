/* The region of interest: which launches of a run are simulated in time. The others are executed
 * only (struct launch, chip/gpu.h): memory is what it would be, caches hold what they held. */
#ifndef RUNS_REGION_H
#define RUNS_REGION_H

#include "chip/gpu.h"
#include "runs/options.h"
#include "runs/sample/sample.h"

/* Launches of a kernel, numbered among its own, from 1 on. */
struct region_rule {
	const char *kernel; /* as in the PTX or in the source; "*": any */
	uint64_t first, last;
	bool met; /* there was a launch of the kernel */
};

struct text;

/* A launch is in the region when one of the rules has it, or there are none, and its number among
 * all launches is in first .. last. */
struct region {
	bool untimed; /* nothing is */
	struct region_rule *rules;
	unsigned nrules;
	const char *by;          /* the option that gave the rules */
	uint64_t first, last;    /* from 1 on; last 0: there is no such limit */
	uint64_t skip_cycles;    /* at the beginning, that metrics leave out */
	struct sampling *sample; /* chooses instead; NULL: none */
	bool warm;               /* what is executed only keeps the caches warm */
};

/* From options; the arena's. 0, or -1 and messages. */
int region_read(const struct region_options *, struct arena *, struct region *, struct err *);

/* A line for each option that is given, for the keys of stored results. */
void region_words(const struct region_options *, struct text *);

/* Whether any is given. */
bool region_is_given(const struct region_options *);

/* Whether it leaves the choice to others. */
bool region_is_all(const struct region *);

/* Whether a launch is in it: its numbers among its kernel's and among all launches. */
struct region_launch {
	const char *kernel;
	uint64_t own, number, ctas;
	bool clocked; /* its program reads the time */
};
bool region_has(struct region *, const struct region_launch *);

/* After a run of that many launches: a message for each kernel that was not launched, `seen` has
 * the names of those that were, and for a first launch that never came. */
void region_name(const char *kernel, struct text *seen); /* adds one, as in the source */
void region_check(const struct region *, uint64_t launches, const char *seen, struct err *);

/* After a run: a message when it had no more cycles than the metrics leave out. 0 or -1. */
int region_check_skipped(const struct region *, const struct gpu *, struct err *);

/* A run's region by itself: asked by gpu_launch, it counts. */
struct region_watch {
	struct region *region;
	struct arena *arena;
	uint64_t launches;
	struct region_count {
		const struct program *kernel;
		uint64_t launches;
	} * kernels;
	unsigned n, room;
};

/* Lets the GPU ask; the watch must outlive its launches. */
void region_follow(struct region_watch *, struct region *, struct gpu *, struct arena *);
/* region_check of what it has counted. 0 or -1. */
int region_watch_check(const struct region_watch *, struct err *);

#endif
