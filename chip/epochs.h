/* What launches did, one by one: every statistic of the chip, divided among epochs.
 *
 * An epoch begins when a launch begins while no other one runs, and ends when the next one does. It
 * has all launches that overlap in time: one, where a program has one stream. Its counts are what
 * all parts counted meanwhile: also of stores that were in flight when the last of its launches
 * ended, as far as the next one had not begun. Over all epochs they add up to the chip's, and so do
 * energies. Peaks do not add up, and epochs have none.
 *
 * The first EPOCHS_OWN have counts of their own. Later launches are counted together: those of each
 * kernel in one common epoch, those that overlap with another kernel's in another one. Launches
 * without time have none.
 *
 * To be read after chip_close. */
#ifndef CHIP_EPOCHS_H
#define CHIP_EPOCHS_H

#include "chip/chip.h"

#define EPOCHS_OWN 1024u
#define EPOCHS_NONE UINT32_MAX

struct epoch_report {
	unsigned first;            /* the number of its first launch */
	unsigned launches;         /* how many it has */
	const char *kernel, *file; /* NULL: launches of several kernels */
	bool common;
	uint64_t begin_cycle; /* of the first launch */
	uint64_t cycles;      /* in which any of them ran */
};

/* The epochs of a run: 0 .. chip_epochs - 1, common ones last. */
unsigned chip_epochs(const struct gpu *);
void chip_epoch(const struct gpu *, unsigned i, struct epoch_report *);
/* That of a launch; EPOCHS_NONE: it has not begun, or ran without time. */
unsigned chip_launch_epoch(const struct gpu *, unsigned launch);

/* The metrics of those epochs together that `chosen` chooses, in the order of chip_metrics. */
typedef bool epoch_chosen_fn(void *ctx, unsigned epoch);
void chip_epoch_metrics(
	const struct gpu *, epoch_chosen_fn *chosen, void *of, metric_fn *, void *ctx);

#endif
