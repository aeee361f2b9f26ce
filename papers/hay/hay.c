/* Hayes and Zhang, ICS 2014: table 1, which workloads figures 6 and 7 show below their best, and
 * the two machines. */
#include "papers/hay/hay.h"

#include <string.h>

const char *const hay_machines[2] = {HAY_FERMI, HAY_KEPLER};

const struct hay_workload hay_seven[HAY_SEVEN] = {
	{"cfd", {61, 63}, {1.00, 1.12}, {90.49, 0}, {90.49, 83.68}, {false, false}, true},
	{"dxtc", {43, 49}, {1.03, 1.00}, {32.81, 0}, {54.39, 0}, {false, false}, false},
	{"fdtd3d", {57, 48}, {1.05, 1.10}, {0, 0}, {0, 0}, {true, true}, true},
	{"hotspot", {36, 39}, {1.03, 1.03}, {0, 0}, {48.26, 43.09}, {false, false}, true},
	{"imagedenoising", {63, 63}, {1.29, 1.06}, {0, 0}, {72.99, 37.05}, {false, true}, true},
	{"particles", {50, 52}, {1.09, 1.12}, {0, 0}, {44.44, 43.41}, {true, false}, true},
	{"recursivegaussian", {41, 42}, {1.00, 1.07}, {0, 72.77}, {83.69, 90.09}, {false, false},
		true},
};

bool hay_takes(const char *workload)
{
	for (unsigned i = 0; i < HAY_SEVEN; i++)
		if (!strcmp(hay_seven[i].name, workload))
			return true;
	return false;
}

int hay_at(const struct book *b, unsigned of_seven)
{
	return book_find(b, hay_seven[of_seven].name);
}

struct design hay_design(const char *machine, const char *more)
{
	return design_of(machine, "%s", more);
}

/* One SM with its share of the bandwidth, and one slice of the L2 behind a crossbar of one port. */
static struct design seen(const struct design *d, unsigned column)
{
	bool kepler = !strcmp(d->chip, HAY_KEPLER);
	struct design one = design_of(d->chip,
		"chip.sms=1 chip.channels=1 chip.slices=1 chip.dram=bandwidth chip.bytes_per_ns=%s "
		"%s",
		kepler ? "24" : "10.3", d->set);

	one.way = d->way;
	return column ? *d : one;
}

static const char *const suite[] = {"cfd", "dxtc", "fdtd3d", "hotspot", "imagedenoising",
	"particles", "recursivegaussian", "pointerchase", NULL};

const struct paper hay_paper = {
	.order = 36,
	.name = "hay",
	.text = "All of Hayes and Zhang's.",
	.title = "Hayes and Zhang, ICS 2014",
	.suite = suite,
	.ncolumns = 2,
	.columns = {{"one SM", "ours", true, 0}, {"chip", "chip", true, 1}},
	.seen = seen,
};
