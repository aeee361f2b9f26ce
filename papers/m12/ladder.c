/* From the paper's one SM to the chip: on each step, what the unified design of 384 KB gains, so
 * that each difference has a step that it comes from. */
#include "papers/m12/m12.h"

#include <stdio.h>

#define NOTHING 0.002

/* The paper's: the cache keeps its lines from launch to launch. */
#define STEPS 9
static const struct {
	const char *text;
	enum variant_id variant;
	enum figure_id cycles;
	const char *more;
} steps[STEPS] = {
	{"one SM, the whole grid: the paper's", VARIANT_WHOLE, FIGURE_CHIP_CYCLES,
		"sm.invalidate_l1=false"},
	{"+ the L1 is empty when a launch starts", VARIANT_WHOLE, FIGURE_CHIP_CYCLES, ""},
	{"+ one SM's CTAs of each launch alone", VARIANT_SHARE, FIGURE_CHIP_CYCLES, ""},
	{"+ all SMs, even share: SM 0's cycles", VARIANT_FIXED, FIGURE_OWN_CYCLES, ""},
	{"+ imbalance: the slowest SM's", VARIANT_FIXED, FIGURE_CHIP_CYCLES, ""},
	{"+ the chip's dispatch", VARIANT_EVEN, FIGURE_CHIP_CYCLES, ""},
	{"+ shared channels", VARIANT_SHARED, FIGURE_CHIP_CYCLES, ""},
	{"+ network", VARIANT_NETWORK, FIGURE_CHIP_CYCLES, ""},
	{"+ L2: the chip", VARIANT_CHIP, FIGURE_CHIP_CYCLES, ""},
};

static double cycles(struct book *b, unsigned w, unsigned step, const struct design *design)
{
	struct design d = store_variant(steps[step].variant, design);
	const json_t *report = store_report(b, w, &d);
	struct outcome o;

	if (!report)
		return NAN;
	outcome_read(&o, report, 1);
	return o.figure[steps[step].cycles];
}

static double gain(struct book *b, unsigned w, unsigned step)
{
	struct design before = store_partitioned(steps[step].more),
		      after = store_unified(M12_LARGEST_KB, steps[step].more);

	return cycles(b, w, step, &before) / cycles(b, w, step, &after);
}

/* The step that changes the gain most: its factor, and its name. */
static void largest(struct book *b, const char *name, const double gains[STEPS])
{
	unsigned at = 1;
	struct book_row r = book_told("", "of the gain", NAN, NAN, NULL);

	for (unsigned i = 2; i < STEPS; i++)
		if (fabs(gains[i] / gains[i - 1] - 1) > fabs(gains[at] / gains[at - 1] - 1))
			at = i;
	r.ours = gains[at] / gains[at - 1];
	r.note = fabs(r.ours - 1) < NOTHING ? "no step changes it" : steps[at].text;
	book_sayf(b, &r, "%s: the largest step", name);
}

static void rows(struct book *b)
{
	for (unsigned i = 0; i < M12_GAINS; i++) {
		int w = m12_at(b, i);
		double gains[STEPS];

		if (w < 0)
			continue;
		for (unsigned k = 0; k < STEPS; k++) {
			gains[k] = gain(b, (unsigned)w, k);
			book_tell(b, "times as fast", gains[k], "%s: %s", m12_gains[i].name,
				steps[k].text);
		}
		largest(b, m12_gains[i].name, gains);
	}
}

const struct target m12_ladder = {
	.order = 100,
	.name = "ladder",
	.text = "From one SM to the chip: where the unified design's gain changes.",
	.paper = &m12_paper,
	.rows = rows,
	.takes = m12_gains_from,
};
