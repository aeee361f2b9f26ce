/* A part of a run: all launches, those of a kernel, or one. */
#ifndef RUNS_KERNELS_PART_H
#define RUNS_KERNELS_PART_H

#include "chip/epochs.h"

enum run_part_kind {
	PART_RUN,
	PART_KERNEL,  /* its launches that overlap with no other kernel's */
	PART_OVERLAP, /* launches of several kernels that overlap */
	PART_EPOCH    /* a launch, or several that overlap */
};

struct run_part {
	enum run_part_kind what;
	const char *kernel, *file; /* PART_KERNEL; file NULL: of any file */
	unsigned epoch;            /* PART_EPOCH */
};

/* Metrics, copied for lookup, in the order of chip_metrics. */
struct metric_set {
	struct arena *arena;
	struct metric *at;
	unsigned n, room;
};

/* Adds the metrics of the part to the empty set; none when it has no epoch. */
void run_part_metrics(const struct gpu *, const struct run_part *, struct metric_set *);
/* Whether the part has any launch that was counted. */
bool run_part_exists(const struct gpu *, const struct run_part *);

/* NULL: there is none of that name. */
const struct metric *metric_find(const struct metric_set *, const char *name);
/* Its value; 0: there is none. */
double metric_value(const struct metric_set *, const char *name);

#endif
