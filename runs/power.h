/* Power over time in reports: chip/power.h. */
#ifndef RUNS_POWER_H
#define RUNS_POWER_H

#include "chip/gpu.h"
#include "core/text.h"

struct json_t;
/* A list of intervals: cycle, cycles, power_w, and whole femtojoules of the total, of each
 * component, and of what is not in the total. Empty: it was not counted. */
struct json_t *power_rows(const struct gpu *);
/* An object: intervals, mean_w, peak_w, peak_cycle, peak_cycles. */
struct json_t *power_summary(const struct gpu *);

/* A line: the peak and when it was. Nothing where it was not counted. */
void power_text(const struct gpu *, struct text *);

#endif
