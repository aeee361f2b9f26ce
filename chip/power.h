/* Power over time: the energy of every component by interval, from the counts of all parts at
 * windows' edges. What the intervals have adds up to the run's, in whole femtojoules. It changes no
 * result; a run without it does nothing for it. */
#ifndef CHIP_POWER_H
#define CHIP_POWER_H

#include "chip/chip.h"
#include "energy/chip.h"

#define POWER_INTERVALS 128u /* at most: then every two become one */

/* From then on intervals are counted: before the first chip_run. 0 or -1 (no host memory). */
int chip_power(struct gpu *, struct err *);

/* Of a time in which power is drawn: up to the end of the last launch, without the cycles of a
 * warm-up. `rest` is below 0 where banks take more than energy.sm_w. */
struct power_interval {
	uint64_t cycle, cycles; /* the first one; how many */
	struct energy_sum energy;
	double watts; /* of the total */
};

/* After chip_close: how many there are (0: none was asked for), and each. */
unsigned chip_power_intervals(const struct gpu *);
struct power_interval chip_power_interval(const struct gpu *, unsigned i);

/* Over all of them; `peak`: the interval with most. */
struct power_summary {
	double mean_w, peak_w;
	unsigned peak;
};
struct power_summary chip_power_summary(const struct gpu *);

#endif
