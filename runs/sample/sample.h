/* Sampling: some launches, or some CTAs of a launch, run in time; the others are executed only,
 * with warm caches, and the figures of all are estimated, with an interval. Results of kernels are
 * exact. */
#ifndef RUNS_SAMPLE_SAMPLE_H
#define RUNS_SAMPLE_SAMPLE_H

#include "chip/gpu.h"
#include "core/err.h"
#include "core/mem.h"
#include "core/text.h"

#include <stdbool.h>
#include <stdint.h>

struct json_t;

/* ---- policies */
/* A launch that is queued: the numbers of CTAs of its kernel's launches that are timed so far. */
struct sample_offer {
	const char *kernel;
	uint64_t own;         /* its number among its kernel's launches, from 1 on */
	uint64_t ctas;        /* of its grid */
	uint64_t least, most; /* of those before that are timed; 0: there is none */
	bool uneven;          /* as far as they have run, equal grids executed different numbers of
				 instructions */
};

/* A span of a launch in time. */
struct sample_window {
	double cycles, instructions, dram_bytes;
};
#define SAMPLE_WINDOWS 64

/* Windows of as many instructions each, and the stretches without time between them. A stretch
 * takes the mean of the cycles per instruction of the windows around it, or where CTAs have ended
 * and no others came, those of the one before; their error is that of successive differences
 * (Wolter, Introduction to Variance Estimation, section 8.2), which leaves a trend out. */
struct sample_stretches {
	uint64_t settled;             /* cycles of the launch before the first one */
	bool begun, open;             /* a window is open; the first window may begin */
	uint64_t unit, from;          /* instructions of a window; in time, when it was due */
	uint64_t instructions, cycle; /* when it began */
	uint64_t moved;               /* the cycle of the last instruction that was seen */
	uint64_t seen;                /* instructions in time, then */
	uint64_t executed;            /* without time, at the end of the last window */
	uint64_t resident;            /* CTAs, then */
	uint64_t n;                   /* windows */
	double cpi;                   /* of the last one: cycles an instruction */
	double cycles, square;        /* of the stretches between windows; of their error */
	double differences;           /* squares of successive ones' */
	double doubt; /* what windows do not show, as a share of stretches' cycles */
};

/* What ran in time between two moments of a launch. */
struct sample_span {
	uint64_t instructions, read_bytes;
};

/* What a policy keeps of a launch of which it skips CTAs. */
struct sample_progress {
	struct sample_window window[SAMPLE_WINDOWS];
	unsigned n;
	bool open;                                          /* a window is: */
	uint64_t finished, cycle, instructions, dram_bytes; /* when it began */
	bool skips;                     /* CTAs were executed while others stayed resident: */
	struct sample_span first, last; /* up to the first time, and up to the last one */
	uint64_t wait;                  /* CTAs that end before the next one does */
	bool chosen, lasting;           /* auto: it is known whether CTAs take long; they do */
	double spread;                  /* the error of the windows' rate, as a share of it */
	struct sample_stretches within;
};

/* A policy: a file of this folder, and a line in sample.c. Each function may be NULL. */
struct sample_policy {
	const char *name, *text;
	bool settles; /* it has windows within CTAs */
	/* Whether a launch runs in time; else it is executed only. */
	bool (*times)(const struct sample_offer *);
	/* As gpu_skip_fn, of a launch that runs in time. */
	uint64_t (*skip)(struct sample_progress *, const struct gpu_cta_view *);
	/* As gpu_advance_fn, the same. */
	uint64_t (*advance)(struct sample_progress *, const struct gpu_cta_view *, uint64_t *again);
};

/* A policy, and a launch's cycles before its first window within CTAs. */
struct sample_choice {
	const struct sample_policy *policy;
	uint64_t settled;
};
/* "within", "within,settled=50000". 0, or -1 and a message that names what there is. */
int sample_read(const char *words, struct sample_choice *, struct err *);

/* Closes the open window when `ctas` have ended since it began, and opens the next one behind it.
 * True: it has. */
bool sample_close_window(struct sample_progress *, const struct gpu_cta_view *, uint64_t ctas);
/* Opens one. */
void sample_open_window(struct sample_progress *, const struct gpu_cta_view *);
/* Warp instructions a cycle in windows first .. end - 1; the half width of its 95 % interval as a
 * share of it, by their spread. */
double sample_rate(const struct sample_progress *, unsigned first, unsigned end);
double sample_spread(const struct sample_progress *, unsigned first, unsigned end);
/* The next CTAs are skipped. */
void sample_note_skip(struct sample_progress *, const struct gpu_cta_view *);
/* Bytes that CTAs in time read, from the first to the last time, beyond what others executed alike
 * would have: possibly what those that were skipped had evicted. */
double sample_again(const struct sample_progress *, double bytes_an_instruction);
/* Asked at every window's edge of the simulation, in time. True: a window is over, and a stretch
 * may begin. */
bool sample_measure(struct sample_stretches *, const struct gpu_cta_view *, uint64_t *again);
/* Instructions from the end of a stretch to the next one. */
uint64_t sample_period(const struct sample_stretches *);
/* The most of a stretch: few instructions in the beginning, and while the error is large. */
double sample_most(const struct sample_stretches *, const struct gpu_cta_view *);
/* The cycles of all stretches, of which `executed` instructions in all; half their 95 % interval.
 */
double sample_stretched(const struct sample_stretches *, uint64_t executed, double *half);
/* The 97.5 % quantile of Student's t. */
double sample_student(double freedom);

/* ---- a run's sampling: sampling.c */
struct sampling {
	const struct sample_policy *policy;
	uint64_t settled; /* as in struct sample_choice */
	struct arena *arena;
	const struct gpu *gpu;       /* once it is followed */
	struct sample_progress **of; /* by launch; NULL: it is executed only */
	uint64_t n, room;
	struct sample_kernel *kernels; /* of its launches so far */
};

struct sampling *sampling_new(const struct sample_choice *, struct arena *);
/* The GPU's chip asks it from now on. */
void sampling_follow(struct sampling *, struct gpu *);
/* The next launch is queued, of that number of CTAs. Whether it runs in time. */
bool sampling_times(struct sampling *, const char *kernel, uint64_t ctas);

/* ---- estimates: estimate.c */
enum sample_figure {
	SAMPLE_CYCLES,
	SAMPLE_DRAM_READ,
	SAMPLE_DRAM_WRITE,
	SAMPLE_L2_SECTORS,
	SAMPLE_L2_HITS,
	SAMPLE_FIGURES
};

struct sample_estimate {
	double timed; /* of what ran in time */
	double value; /* of all */
	double half;  /* half the 95 % interval's width; 0: exact */
};

struct sample_result {
	const struct sample_policy *policy;
	uint64_t launches, timed_launches;
	uint64_t skipped_ctas;                     /* of launches in time */
	uint64_t instructions, timed_instructions; /* warp instructions */
	uint64_t unlike; /* launches that are estimated from others unlike them */
	double unlike_instructions;
	bool strange; /* they are more than a few: cycles are not estimated */
	bool overlap; /* launches overlap: their cycles have no sum and are not estimated */
	struct sample_estimate of[SAMPLE_FIGURES];
};

/* After a run of serial launches. Cycles: a launch in stretches takes the longer by theirs (struct
 * sample_stretches); the interval has the differences of their windows, as a sum of independent
 * errors, and the policy's doubt. One of which CTAs were skipped else takes the longer by the
 * instructions of these at the rate of the windows; the interval has the windows' spread, at least
 * 1 %, half a window for where it was joined, and the time in which DRAM would move what the
 * skipped CTAs moved more or less than those in time. Each kernel's launches without time are
 * estimated by a line through those in time, over the warp instructions of a launch (by their mean,
 * where all execute as many); the interval is that of a sum of predictions by Student's t, and half
 * of what the kernel drifts by, launch by launch, between the earlier and the later half. Launches
 * with a quarter more or fewer instructions than any in time are unlike: while they execute at most
 * 1 % of the run's, the interval has all of their prediction, else there is no estimate.
 *
 * DRAM bytes and lookups: those in time, and those of the accesses without time in the warm caches,
 * whose interval is 10 % of the latter, and 1 % of all DRAM bytes; hits also to their share in
 * time. What CTAs in time read more than those skipped between them, they possibly read again:
 * half of it is taken off, and in the interval.
 */
struct sample_result sample_estimate(const struct gpu *, const struct sampling *, struct arena *);

/* How many times as many host instructions the launches of the complete run would take, by its
 * estimated figures and the cost of each: cost.c. */
double sample_speedup(const struct sample_result *);

/* ---- reports: report.c */
void sample_text(const struct sample_result *, struct text *);
/* Lines of CSV: part (sample, sample.low, sample.high), metric, value, unit. */
void sample_csv(const struct sample_result *, struct text *);
struct json_t *sample_json(const struct sample_result *);

#endif
