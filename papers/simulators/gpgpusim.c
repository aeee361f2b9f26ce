/* The same 64-bit PTX, inputs and launches on GPGPU-Sim 4.2.0 (accel-sim fork, commit 667834cf,
 * configuration SM2_GTX480, its L2 cold) and on our description of that configuration. Bands:
 * cycles 10 %, hit rates 2 points, DRAM bytes 1 % (they contain instructions here), accesses none.
 * DRAM bytes are those that were asked for, without what bursts bring besides; a hit may be on its
 * way. */
#include "core/base.h"
#include "papers/papers.h"

#include <string.h>

#define CHIP "sm2_gtx480"
#define PERFECT "icache.mode=perfect const.mode=perfect"
#define CHASE "pointerchase.fine=false pointerchase.accesses="

enum figure { CYCLES, ACCESSES, DRAM_BYTES, HIT_RATE, LATENCY };

static const struct {
	const char *unit;
	double percent, points;
} figures[] = {
	[CYCLES] = {"cycles", 10, 0},
	[ACCESSES] = {"lines", 0, 0},
	[DRAM_BYTES] = {"bytes", 1, 0},
	[HIT_RATE] = {"% of lines loaded", 0, 2},
	[LATENCY] = {"cycles", 2, 0},
};

static const struct row {
	const char *workload, *text;
	enum figure figure;
	double theirs;
	const char *set; /* besides the description; of LATENCY: without the number of accesses */
} rows[] = {
	{"pointerchase", "an address and a hit in the L1", LATENCY, 62,
		"pointerchase.bytes=4096 pointerchase.stride=128"},
	{"pointerchase", "an address and a hit in the L2", LATENCY, 204,
		"pointerchase.bytes=32768 pointerchase.stride=128 l1.keeps=none"},
	{"pointerchase", "an address and DRAM", LATENCY, 321,
		"pointerchase.bytes=262144 pointerchase.stride=256 pointerchase.warmup=0 "
		"l1.keeps=none"},
	{"vectoradd", "cold caches", CYCLES, 5673, ""},
	{"scalarprod", "cold caches", CYCLES, 13714, ""},
	{"matrixmul", "cold caches", CYCLES, 33021, ""},
	{"hotspot", "cold caches", CYCLES, 18562, ""},
	{"vectoradd", "instructions and constants hit", CYCLES, 5051, PERFECT},
	{"scalarprod", "instructions and constants hit", CYCLES, 11490, PERFECT},
	{"matrixmul", "instructions and constants hit", CYCLES, 32458, PERFECT},
	{"hotspot", "instructions and constants hit", CYCLES, 15876, PERFECT},
	{"vectoradd", "L1 accesses", ACCESSES, 6144, ""},
	{"scalarprod", "L1 accesses", ACCESSES, 8224, ""},
	{"matrixmul", "L1 accesses", ACCESSES, 17408, ""},
	{"hotspot", "L1 accesses", ACCESSES, 13408, ""},
	{"vectoradd", "DRAM bytes read", DRAM_BYTES, 524288, ""},
	{"scalarprod", "DRAM bytes read", DRAM_BYTES, 1048576, ""},
	{"matrixmul", "DRAM bytes read", DRAM_BYTES, 131072, ""},
	{"hotspot", "DRAM bytes read", DRAM_BYTES, 147456, ""},
	{"matrixmul", "loads that hit, hashed sets", HIT_RATE, 31.4, ""},
	{"matrixmul", "loads that hit, linear sets", HIT_RATE, 20.5, "l1.set_hash=modulo"},
};

static const json_t *report_of(struct book *b, unsigned w, const char *set, const char *more)
{
	struct design d = design_of(CHIP, "%s %s", set, more);

	d.wide = true;
	return book_report(b, w, &d);
}

/* An access of the chase: 256 more by what they took. */
static double latency(struct book *b, unsigned w, const char *set)
{
	static const char cycles[] = "gpc__cycles_elapsed.max";
	const json_t *less = report_of(b, w, set, CHASE "64");
	const json_t *more = report_of(b, w, set, CHASE "320");

	return (point_metric(more, cycles) - point_metric(less, cycles)) / 256;
}

/* Of the lines that loads asked for, those that were in the L1 or on their way to it. */
static double hits(const json_t *r)
{
	return 100 *
	       (point_metric(r, "l1tex__t_lines_load_lookup_hit.sum") +
		       point_metric(r, "l1tex__t_lines_load_lookup_merged.sum")) /
	       point_metric(r, "l1tex__t_lines_load.sum");
}

static double measured(struct book *b, unsigned w, const struct row *row)
{
	const json_t *r;

	if (row->figure == LATENCY)
		return latency(b, w, row->set);
	r = report_of(b, w, row->set, "");
	switch (row->figure) {
	case CYCLES:
		return point_metric(r, "gpc__cycles_elapsed.max");
	case ACCESSES:
		return point_metric(r, "l1tex__t_lines_load.sum") +
		       point_metric(r, "l1tex__t_lines_store.sum");
	case DRAM_BYTES:
		return point_metric(r, "lts__dram_read_bytes.sum");
	default:
		return hits(r);
	}
}

static struct band band_of_row(const struct row *row)
{
	double points = figures[row->figure].points;

	return points > 0 ? band_points(row->theirs, points)
			  : band_percent(row->theirs, figures[row->figure].percent);
}

static void say_row(struct book *b, const struct row *row)
{
	int w = book_find(b, row->workload);
	struct book_row said;

	if (w < 0)
		return;
	said = book_band("", figures[row->figure].unit, band_of_row(row),
		measured(b, (unsigned)w, row), NULL);
	if (row->figure == LATENCY)
		said.judge = BOOK_CALIBRATION;
	book_sayf(b, &said, "%s: %s", row->workload, row->text);
}

static bool is_listed(const char *workload)
{
	for (unsigned i = 0; i < ARRAY_LEN(rows); i++)
		if (strcmp(rows[i].workload, workload) == 0)
			return true;
	return false;
}

/* Kernels that were asked for and that no row has: ours alone. */
static void tell_others(struct book *b)
{
	for (unsigned w = 0; w < book_workloads(b); w++) {
		const char *name = book_workload(b, w);

		if (!is_listed(name))
			book_tell(b, "cycles",
				point_metric(report_of(b, w, "", ""), "gpc__cycles_elapsed.max"),
				"%s: cold caches", name);
	}
}

static void say(struct book *b)
{
	for (unsigned i = 0; i < ARRAY_LEN(rows); i++)
		say_row(b, &rows[i]);
	tell_others(b);
}

static const char *const workloads[] = {
	"vectoradd", "scalarprod", "matrixmul", "hotspot", "pointerchase", NULL};

const struct paper simulators_paper = {
	.order = 50,
	.name = "simulators",
	.text = "The same kernels on other simulators.",
	.title = "other simulators",
	.suite = workloads,
	.ncolumns = 1,
	.columns = {{"ours", "ours", true, 0}},
};

const struct target simulators_gpgpusim = {
	.order = 10,
	.name = "gpgpusim",
	.text = "GPGPU-Sim 4.2, SM2_GTX480: cycles, accesses, DRAM bytes of four kernels.",
	.paper = &simulators_paper,
	.rows = say,
};
