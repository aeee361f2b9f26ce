/* The ladder from the one-SM shortcut to the chip: its rungs, and the change from one to the
 * next. */
#include "cli/compare/compare.h"

#include "core/base.h"

#include <math.h>

/* The same on a chip with DRAM banks. */
#define STEP(id, figure, key, words) \
	{ \
		.variant = VARIANT_##id, .cycles = FIGURE_##figure, .name = key, .text = words \
	}

const struct rung rungs[] = {
	STEP(SHARE, CHIP_CYCLES, "one_sm", "one SM (share)"),
	STEP(FIXED, OWN_CYCLES, "even_share", "all SMs, even share: SM 0's cycles"),
	STEP(FIXED, CHIP_CYCLES, "imbalance", "+ imbalance: the slowest SM's"),
	STEP(EVEN, CHIP_CYCLES, "dispatch", "+ the chip's dispatch"),
	STEP(SHARED, CHIP_CYCLES, "shared_channels", "+ shared channels"),
	STEP(NETWORK, CHIP_CYCLES, "network", "+ network"),
	{VARIANT_CHIP, FIGURE_CHIP_CYCLES, "l2", "+ L2", false, VARIANT_SERVERS, "+ L2"},
	STEP(BURSTS_32, CHIP_CYCLES, "bursts_32", "beyond the chip: bursts of 32 bytes"),
	STEP(BURSTS_64, CHIP_CYCLES, "bursts_64", "beyond the chip: bursts of 64 bytes"),
	{VARIANT_BANKS, FIGURE_CHIP_CYCLES, "banks", "beyond the chip: + DRAM banks", false,
		VARIANT_CHIP, "+ DRAM banks: the chip"},
	{.variant = VARIANT_KEPT,
		.cycles = FIGURE_CHIP_CYCLES,
		.name = "l1_kept",
		.text = "the chip, L1s kept between launches",
		.beside = true},
};
const unsigned nrungs = ARRAY_LEN(rungs);

enum variant_id rung_variant(const struct subject *s, unsigned rung)
{
	const struct rung *r = &rungs[rung];

	return s->banked && r->banked_text ? r->banked : r->variant;
}

const char *rung_text(const struct subject *s, unsigned rung)
{
	const struct rung *r = &rungs[rung];

	return s->banked && r->banked_text ? r->banked_text : r->text;
}

bool rung_stopped(const struct subject *s, unsigned rung)
{
	return s->outcome[rung_variant(s, rung)].stopped;
}

double rung_figure(const struct subject *s, unsigned rung, enum figure_id id)
{
	const struct outcome *o = &s->outcome[rung_variant(s, rung)];

	if (!o->report)
		return NAN;
	return o->figure[id == FIGURE_CHIP_CYCLES ? rungs[rung].cycles : id];
}

int rung_before(const struct subject *s, unsigned rung)
{
	int before = (int)rung - 1;

	while (before >= 0 &&
		(rungs[before].beside || !s->outcome[rung_variant(s, (unsigned)before)].report ||
			(rungs[rung].beside && rung_variant(s, (unsigned)before) != VARIANT_CHIP)))
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
