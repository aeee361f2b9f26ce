/* Warps that an SM cannot hold because of CTA slots. */
#include "cli/advice/advice.h"

#include "core/base.h"

#include <math.h>

/* With more warps each waits as long, and an SM as much less. */
static void look(const struct facts *f, struct advice *a)
{
	double now = facts_ctas(f, FACTS_ALL), then = facts_ctas(f, FACTS_NO_SLOTS);
	const uint64_t *stalled = f->traffic->sum.stalls.stalled;
	double waits = (double)(stalled[REASON_LONG_SCOREBOARD] + stalled[REASON_WAIT] +
				stalled[REASON_SHORT_SCOREBOARD] + stalled[REASON_BARRIER]);

	if (then > now && now > 0)
		a->cycles = waits * (1 - now / then);
	text_add(&a->measured, "CTAs of %u threads: an SM holds %.0f CTAs, and would hold %.0f",
		(unsigned)(f->launch.block[0] * f->launch.block[1] * f->launch.block[2]), now,
		then);
}

const struct rule advice_slots = {
	.name = "occupancy_slots",
	.limit = "slots",
	.change = "CTAs are larger, so that the CTA slots hold more warps",
	.basis = "the cycles stalled for results and at barriers, divided among more warps",
	.relieves = 0,
	.look = look,
};
