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

/* Of a whole run, or of some of its launches. */
struct tally {
	unsigned n;
	uint64_t cycles;             /* in which the launches ran */
	uint64_t drained_cycles;     /* with those until their traffic is over */
	uint64_t energy_cycles;      /* over which power is drawn */
	uint64_t unused_byte_cycles; /* storage that the splits left unused, over time */
	struct tally_row row[TALLY_ROWS];
};

/* All parts in a fixed order, with the name space of their statistics. */
typedef void part_fn(void *ctx, const struct component *, const char *space);
void chip_each_part(const struct chip *, part_fn *visit, void *ctx);

/* Some part must have that statistic. */
const struct tally_row *tally_find(const struct tally *, const char *name);

/* The rows alone, and where the values are that each adds up: part by part, always in one order. */
typedef void tally_position_fn(void *ctx, unsigned row, const uint64_t *at);
void tally_positions(const struct chip *, struct tally *, tally_position_fn *visit, void *ctx);

/* All statistics added up, in 32 KB of the caller's: a report cannot lack them when memory is
 * short. */
void chip_tally(const struct gpu *, struct tally *);

/* The rows; peaks, which do not add up, only of a whole run. */
void tally_metrics(const struct tally *, bool peaks, metric_fn *, void *ctx);

/* What the tally's counts cost. */
void energy_of_tally(const struct gpu *, const struct tally *, struct energy_sum *);

/* Energy by part, of that sum. */
void energy_metrics(const struct gpu *, const struct tally *, const struct energy_sum *,
	metric_fn *, void *ctx);

/* Cycles, rates, shares and imbalances; of a whole run also what only that has. */
void derived_metrics(const struct gpu *, const struct tally *, bool whole, metric_fn *, void *ctx);

#endif
