/* Sampling: some launches run in time, the others are executed only, and the figures of all are
 * estimated from the former, with an interval. Results of kernels are exact. */
#ifndef RUNS_SAMPLE_SAMPLE_H
#define RUNS_SAMPLE_SAMPLE_H

#include "core/err.h"
#include "core/mem.h"
#include "core/text.h"

#include <stdbool.h>
#include <stdint.h>

struct gpu;
struct json_t;

enum sample_role {
	SAMPLE_UNTIMED,
	SAMPLE_WARM,   /* in time, so that the next one finds caches as they would be: what it found
			  itself is not known, so it is estimated, too */
	SAMPLE_FIRST,  /* in time as in a complete run, but unlike later ones */
	SAMPLE_COUNTED /* in time; others are estimated from it */
};

/* A policy: a file of this folder, and a line in sample.c. */
struct sample_policy {
	const char *name, *text;
	/* Of the kernel's launch with that number among its own, from 1 on. */
	enum sample_role (*role)(uint64_t own);
};

/* NULL and a message that names those there are. */
const struct sample_policy *sample_find(const char *name, struct err *);

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
	double timed; /* of the launches in time that are not estimated */
	double value; /* of all */
	double half;  /* half the 95 % interval's width; 0: exact */
};

struct sample_result {
	const struct sample_policy *policy;
	uint64_t launches, timed_launches;
	uint64_t instructions, timed_instructions; /* warp instructions */
	uint64_t unlike; /* launches that are estimated from others unlike them */
	double unlike_instructions;
	bool strange; /* they are more than a few: nothing is estimated */
	bool overlap; /* launches overlap: their cycles have no sum and are not estimated */
	struct sample_estimate of[SAMPLE_FIGURES];
};

/* After a run of serial launches whose region was the policy's: each kernel's other launches are
 * estimated by a line through those that count, over the warp instructions of a launch (by their
 * mean, where all execute as many). The interval is that of a sum of predictions by Student's t,
 * and half of what the kernel drifts by, launch by launch, between the earlier and the later half
 * of those that count. Launches with a quarter more or fewer instructions than any that counts are
 * unlike: while they execute at most 1 % of the run's, the interval has all of their prediction,
 * else there are no estimates. */
struct sample_result sample_estimate(
	const struct gpu *, const struct sample_policy *, struct arena *);

/* ---- reports: report.c */
void sample_text(const struct sample_result *, struct text *);
/* Lines of CSV: part (sample, sample.low, sample.high), metric, value, unit. */
void sample_csv(const struct sample_result *, struct text *);
struct json_t *sample_json(const struct sample_result *);

#endif
