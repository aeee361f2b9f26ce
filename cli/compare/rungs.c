/* The ladder from the one-SM shortcut to the chip: its rungs, and the change from one to the
 * next. */
#include "cli/compare/compare.h"

#include "core/base.h"

#include <math.h>

const struct rung rungs[] = {
	{VARIANT_SHARE, FIGURE_CHIP_CYCLES, "one_sm", "one SM (share)", false},
	{VARIANT_FIXED, FIGURE_OWN_CYCLES, "even_share", "all SMs, even share: SM 0's cycles",
		false},
	{VARIANT_FIXED, FIGURE_CHIP_CYCLES, "imbalance", "+ imbalance: the slowest SM's", false},
	{VARIANT_EVEN, FIGURE_CHIP_CYCLES, "dispatch", "+ the chip's dispatch", false},
	{VARIANT_SHARED, FIGURE_CHIP_CYCLES, "shared_channels", "+ shared channels", false},
	{VARIANT_NETWORK, FIGURE_CHIP_CYCLES, "network", "+ network", false},
	{VARIANT_CHIP, FIGURE_CHIP_CYCLES, "l2", "+ L2", false},
	{VARIANT_BURSTS_32, FIGURE_CHIP_CYCLES, "bursts_32", "beyond the chip: bursts of 32 bytes",
		false},
	{VARIANT_BURSTS_64, FIGURE_CHIP_CYCLES, "bursts_64", "beyond the chip: bursts of 64 bytes",
		false},
	{VARIANT_BANKS, FIGURE_CHIP_CYCLES, "banks", "beyond the chip: + DRAM banks", false},
	{VARIANT_KEPT, FIGURE_CHIP_CYCLES, "l1_kept", "the chip, L1s kept between launches", true},
};
const unsigned nrungs = ARRAY_LEN(rungs);

bool rung_stopped(const struct subject *s, unsigned rung)
{
	return s->outcome[rungs[rung].variant].stopped;
}

double rung_figure(const struct subject *s, unsigned rung, enum figure_id id)
{
	const struct rung *r = &rungs[rung];

	if (!s->outcome[r->variant].report)
		return NAN;
	return s->outcome[r->variant].figure[id == FIGURE_CHIP_CYCLES ? r->cycles : id];
}

int rung_before(const struct subject *s, unsigned rung)
{
	int before = (int)rung - 1;

	while (before >= 0 &&
		(rungs[before].beside || !s->outcome[rungs[before].variant].report ||
			(rungs[rung].beside && rungs[before].variant != VARIANT_CHIP)))
		before--;
	return before;
}

double rung_change_pct(const struct subject *s, unsigned rung, enum figure_id id)
{
	int before = rung_before(s, rung);

	if (before < 0)
		return NAN;
	return error_pct(rung_figure(s, rung, id), rung_figure(s, (unsigned)before, id));
}

double compare_speedup(const struct comparison *c, unsigned target, enum variant_id v)
{
	const struct outcome *from = &c->base[target].outcome[v],
			     *to = &c->against[target].outcome[v];
	double before = from->figure[FIGURE_CHIP_CYCLES] * from->cycle_ns;
	double after = to->figure[FIGURE_CHIP_CYCLES] * to->cycle_ns;

	return after > 0 ? before / after : NAN;
}
