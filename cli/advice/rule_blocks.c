/* CTAs of a part of a warp. */
#include "cli/advice/advice.h"

#include <math.h>

/* The empty lanes' share of all cycles but those of late results, which wait as long. */
static void look(const struct facts *f, struct advice *a)
{
	const struct launch_report *l = &f->launch;
	const uint64_t *stalled = f->traffic->sum.stalls.stalled;
	double threads = (double)l->block[0] * l->block[1] * l->block[2];
	double warps = ceil(threads / 32);

	if (f->launch.ctas > 1)
		a->cycles = (1 - threads / 32 / warps) *
			    (f->resident - (double)stalled[REASON_LONG_SCOREBOARD]);
	text_add(&a->measured, "%.0f threads a CTA, in warps of 32", threads);
}

const struct rule advice_blocks = {
	.name = "blocks",
	.limit = "blocks",
	.change = "CTAs have a multiple of 32 threads, and there are fewer of them",
	.basis = "the empty lanes' share of all cycles but those of late results",
	.relieves = 1u << UNIT_OF_ISSUE | 1u << UNIT_OF_SHARED | 1u << UNIT_OF_TAGS,
	.look = look,
};
