/* Weak scaling: on each SM of the chip the problem that one SM had alone, beside strong scaling, in
 * which all SMs share that one problem. One rule for all workloads: as many copies as there are
 * SMs, each confined to an SM, in buffers of its own, with a seed of its own, at the same time;
 * each copy's launches follow each other as they do alone. So an SM's working set, CTAs and
 * launches are those of the paper's one SM, and network, L2 and DRAM serve 32 of them. */
#include "papers/m12/m12.h"

#include <string.h>

#define SMS 32

enum scaling { ONE_SM, STRONG, WEAK, SCALINGS };
static const char *const names[] = {"one SM, its L1 emptied by launches",
	"strong: one problem on the chip", "weak: the problem on each SM"};

static struct design scaled(const struct design *design, enum scaling s)
{
	struct design d = store_variant(s == ONE_SM ? VARIANT_WHOLE : VARIANT_CHIP, design);

	d.copies = s == WEAK ? SMS : 0;
	return d;
}

static double gain(struct book *b, unsigned w, enum scaling s)
{
	struct design partitioned = store_partitioned(""),
		      unified = store_unified(M12_LARGEST_KB, "");
	struct design before = scaled(&partitioned, s), after = scaled(&unified, s);

	return store_cycles(b, w, &before) / store_cycles(b, w, &after);
}

static void means(struct book *b, double sums[SCALINGS], double needle[SCALINGS], unsigned n)
{
	for (enum scaling s = ONE_SM; s < SCALINGS; s++) {
		book_tell(b, "times as fast", n ? sums[s] / n : NAN, "mean, %s", names[s]);
		if (!isnan(needle[s]) && n > 1)
			book_tell(b, "times as fast", (sums[s] - needle[s]) / (n - 1),
				"mean without needle, %s", names[s]);
	}
}

static void rows(struct book *b)
{
	double sums[SCALINGS] = {0}, needle[SCALINGS] = {NAN, NAN, NAN};
	unsigned n = 0;

	for (unsigned i = 0; i < M12_GAINS; i++) {
		int w = m12_at(b, i);

		if (w < 0)
			continue;
		for (enum scaling s = ONE_SM; s < SCALINGS; s++) {
			double g = gain(b, (unsigned)w, s);

			book_tell(b, "times as fast", g, "%s: %s", m12_gains[i].name, names[s]);
			sums[s] += g;
			if (!strcmp(m12_gains[i].workload, "needle"))
				needle[s] = g;
		}
		n++;
	}
	means(b, sums, needle, n);
}

const struct target m12_weak = {
	.order = 125,
	.name = "weak",
	.text = "Unified, 384 KB: the gain with one problem for the chip and with one for each SM.",
	.paper = &m12_paper,
	.rows = rows,
	.takes = m12_gains_from,
};
