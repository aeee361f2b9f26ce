/* Statistics added up over parts, and the figures derived from them. */
#ifndef CHIP_TALLY_H
#define CHIP_TALLY_H

#include "chip/inside.h"

#define TALLY_NAME 96
#define TALLY_ROWS 256

struct tally_row {
	char name[TALLY_NAME];
	const struct stat_def *def;
	uint64_t sum, max;
	unsigned parts;
};

struct tally {
	unsigned n;
	struct tally_row row[TALLY_ROWS];
};

/* Some part must have that statistic. */
const struct tally_row *tally_find(const struct tally *, const char *name);

/* All statistics added up, in 32 KB of the caller's: a report cannot lack them when memory is
 * short. */
void chip_tally(const struct gpu *, struct tally *);

/* Energy by part. */
void energy_metrics(const struct gpu *, const struct tally *, metric_fn *, void *ctx);

/* Cycles, rates, shares and imbalances. */
void derived_metrics(const struct gpu *, const struct tally *, metric_fn *, void *ctx);

#endif
