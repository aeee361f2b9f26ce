/* CTAs of launches that the executor alone runs, by several host threads at once. What they compute
 * is what one thread computes, CTA after CTA: kernels whose CTAs may meet (atomics with results,
 * printing, clocks) are left to one thread, and a launch whose CTAs turn out to have depended on
 * each other is taken back and runs again (chip/untimed/apart.h). */
#ifndef CHIP_UNTIMED_TOGETHER_H
#define CHIP_UNTIMED_TOGETHER_H

#include "ptx/exec/exec.h"

struct gpu;
struct together;

/* As untimed_run, of CTAs first, first + step, .. with the GPU's lanes. */
struct together_work {
	const struct grid *grid;
	uint64_t first, step;
	const struct exec_memory *memory; /* for one thread */
	const struct untimed_limits *limits;
};
int together_run(struct gpu *, const struct together_work *, struct untimed_counts *,
	struct fault *, struct err *);

/* For tests: several threads execute launches however small they are. How many they executed, and
 * how many of these were taken back. */
void together_always(struct gpu *);
void together_count(const struct gpu *, uint64_t *launches, uint64_t *taken_back);

void together_free(struct together *); /* accepts NULL */

#endif
