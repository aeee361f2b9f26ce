/* What the chip's gain from the unified design depends on: the L2, the DRAM model, the number of
 * SMs (with 8 B/ns of DRAM for each) and the dispatch of CTAs, one at a time from the preset. */
#include "papers/m12/m12.h"

#include <string.h>

static const struct {
	const char *text, *set;
} machines[] = {
	{"the preset", ""},
	{"no L2", "l2.bytes=0"},
	{"L2 of 384 KB", "l2.bytes=32K"},
	{"L2 of 3 MB", "l2.bytes=256K"},
	{"DRAM with banks", "chip.dram=banked"},
	{"8 SMs, 64 B/ns", "chip.sms=8 chip.bytes_per_ns=64"},
	{"16 SMs, 128 B/ns", "chip.sms=16 chip.bytes_per_ns=128"},
	{"64 SMs, 512 B/ns", "chip.sms=64 chip.bytes_per_ns=512"},
	{"static dispatch", "chip.dispatch=static"},
	{"dispatch of pairs of CTAs", "chip.dispatch=bcs"},
};

/* On the chip, whatever the column. */
static struct design on_chip(const struct design *design)
{
	struct design d = store_seen(design, STORE_CHIP);

	d.as_it_is = true;
	return d;
}

static double gain(struct book *b, unsigned w, const char *set)
{
	struct design partitioned = store_partitioned(set),
		      unified = store_unified(M12_LARGEST_KB, set);
	struct design before = on_chip(&partitioned), after = on_chip(&unified);

	return store_cycles(b, w, &before) / store_cycles(b, w, &after);
}

static void machine(struct book *b, const char *text, const char *set)
{
	double sum = 0, needle = NAN;
	unsigned n = 0;

	for (unsigned i = 0; i < M12_GAINS; i++) {
		int w = m12_at(b, i);
		double g;

		if (w < 0)
			continue;
		g = gain(b, (unsigned)w, set);
		book_tell(b, "times as fast", g, "%s: %s", text, m12_gains[i].name);
		if (!strcmp(m12_gains[i].workload, "needle"))
			needle = g;
		sum += g;
		n++;
	}
	book_tell(b, "times as fast", n ? sum / n : NAN, "%s: mean", text);
	if (!isnan(needle) && n > 1)
		book_tell(b, "times as fast", (sum - needle) / (n - 1), "%s: mean without needle",
			text);
}

static void rows(struct book *b)
{
	for (unsigned i = 0; i < ARRAY_LEN(machines); i++)
		machine(b, machines[i].text, machines[i].set);
}

const struct target m12_sensitivity = {
	.order = 126,
	.name = "sensitivity",
	.text = "Unified, 384 KB, on the chip: the gain by L2, DRAM model, SMs and dispatch.",
	.paper = &m12_paper,
	.rows = rows,
	.takes = m12_gains_from,
	.first = "chip",
};
