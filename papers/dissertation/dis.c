/* Figures of the dissertation, chapters 2 to 6: its designs, its columns, and means over the suite.
 */
#include "papers/dissertation/dis.h"

#include "runs/work.h"

#include <string.h>

#define CHIP "dis40"
#define SOFTWARE "rf.hierarchy=software"
#define HARDWARE "rf.hierarchy=hardware"

/* ---- designs */
static struct design untimed(struct design d)
{
	d.way = &dis_registers;
	return d;
}

struct design dis_single(void)
{
	return untimed(design_of(CHIP, "rf.hierarchy=none"));
}

struct design dis_soft(unsigned entries, unsigned lrf, const char *more)
{
	return untimed(design_of(CHIP, SOFTWARE " rf.entries=%u rf.lrf=%u %s", entries, lrf, more));
}

struct design dis_hard(unsigned entries, unsigned lrf, const char *more)
{
	return untimed(design_of(CHIP, HARDWARE " rf.entries=%u rf.lrf=%u %s", entries, lrf, more));
}

struct design dis_split(unsigned entries)
{
	return dis_soft(entries, LEVELS_SLOTS, "");
}

struct design dis_best_design(const char *more)
{
	return dis_soft(DIS_ENTRIES, LEVELS_SLOTS, more);
}

/* The dissertation's SM (its table 4.4), alone: 32 warps, 128 KB of registers, 16 bytes a cycle of
 * DRAM. */
struct design dis_active(unsigned warps)
{
	return design_of(CHIP,
		"chip.sms=1 chip.channels=1 chip.slices=1 chip.bytes_per_ns=16 "
		"chip.network=ideal l2.bytes=0 sm.scheduler=two_level "
		"storage.partitioned.register_bytes=64M storage.partitioned.shared_bytes=64M "
		"sm.two_level.active_warps=%u",
		warps);
}

/* The same design with nothing lost where strands end or warps are descheduled. */
static struct design kept(const struct design *d)
{
	if (strstr(d->set, "rf.keep") || strstr(d->set, "rf.flush") || !d->way)
		return *d;
	if (!strncmp(d->set, SOFTWARE, strlen(SOFTWARE)))
		return untimed(design_of(
			CHIP, "%s rf.keep_past_waits=true rf.keep_past_branches=true", d->set));
	if (!strncmp(d->set, HARDWARE, strlen(HARDWARE)))
		return untimed(design_of(CHIP, "%s rf.flush=false", d->set));
	return *d;
}

static struct design seen(const struct design *d, unsigned column)
{
	return column == VIEW_KEPT ? kept(d) : *d;
}

/* Columns on other compilers' PTX (--ptx-dir); both over the workloads that have it. */
enum foreign_column { FOREIGN_THEIRS, FOREIGN_OURS, FOREIGN_WIDE, FOREIGN_DATA };

/* The same on other compilers' PTX of the same kernels. */
static struct design seen_foreign(const struct design *d, unsigned column)
{
	struct design other = *d;

	other.foreign = column == FOREIGN_THEIRS || column == FOREIGN_DATA;
	other.wide = column == FOREIGN_WIDE;
	return other;
}

/* ---- numbers */
/* Whether a figure of this column is one of the workload. */
static bool has_view(struct book *b, unsigned w)
{
	return book_paper(b) == &dis_paper || work_has_foreign(book_workload(b, w));
}

static bool without_addresses(const struct book *b)
{
	return book_view(b) == VIEW_DATA;
}

double dis_of(struct book *b, unsigned workload, const struct design *design, dis_metric *metric)
{
	const json_t *report = has_view(b, workload) ? book_report(b, workload, design) : NULL;

	if (without_addresses(b))
		metric = dis_data_metric(metric);
	return report ? metric(report) : NAN;
}

bool dis_long_strands(struct book *b, unsigned w)
{
	struct design single = dis_single();

	return dis_of(b, w, &single, dis_strand) >= DIS_LONG_STRAND;
}

/* A figure of a workload that means are taken over in this column; else NAN. */
static double in_view(struct book *b, unsigned w, double v)
{
	if (book_view(b) == VIEW_NOT_FITTED && book_is_fitted(b, w))
		return NAN;
	return book_view(b) == VIEW_STRANDS && !dis_long_strands(b, w) ? NAN : v;
}

double dis_mean(struct book *b, const struct design *design, dis_metric *metric)
{
	double sum = 0;
	unsigned n = 0;

	for (unsigned w = 0; w < book_workloads(b); w++) {
		double v = in_view(b, w, dis_of(b, w, design, metric));

		sum += isnan(v) ? 0 : v;
		n += isnan(v) ? 0 : 1;
	}
	return n ? sum / n : NAN;
}

double dis_one_ratio(struct book *b, unsigned workload, const struct design *design,
	const char *count, const char *by)
{
	const json_t *report = has_view(b, workload) ? book_report(b, workload, design) : NULL;

	if (without_addresses(b)) {
		count = dis_data_count(count);
		by = dis_data_count(by);
	}
	return report ? dis_ratio(report, count, by) : NAN;
}

double dis_mean_ratio(
	struct book *b, const struct design *design, const char *count, const char *by)
{
	double sum = 0;
	unsigned n = 0;

	for (unsigned w = 0; w < book_workloads(b); w++) {
		double v = in_view(b, w, dis_one_ratio(b, w, design, count, by));

		sum += isnan(v) ? 0 : v;
		n += isnan(v) ? 0 : 1;
	}
	return n ? sum / n : NAN;
}

double dis_energy(struct book *b, const struct design *design)
{
	return 100 - dis_mean(b, design, dis_saved);
}

double dis_best_energy(struct book *b, const char *more)
{
	struct design design = dis_best_design(more);

	return dis_energy(b, &design);
}

double dis_less(double before, double after)
{
	return 100 * (1 - after / before);
}

double dis_best(struct book *b, dis_sweep *sweep, unsigned most, dis_metric *metric)
{
	double best = NAN, where = NAN;

	for (unsigned n = 1; n <= most; n++) {
		struct design design = sweep(n);
		double v = dis_mean(b, &design, metric);

		if (isnan(best) || v > best) {
			best = v;
			where = isnan(v) ? NAN : (double)n;
		}
	}
	return where;
}

static const struct paper foreign_paper = {
	.order = 20,
	.name = "dis",
	.text = "All of the dissertation's chapters 2 to 6.",
	.title = "Gebhart's dissertation, chapters 2 to 6, on other compilers' PTX",
	.suite = dis_suite,
	.ncolumns = 4,
	.columns = {[FOREIGN_THEIRS] = {"their PTX", "theirs", true, VIEW_ALL},
		[FOREIGN_OURS] = {"our PTX", "ours_same", true, VIEW_ALL},
		[FOREIGN_WIDE] = {"64 bits", "ours_wide", true, VIEW_ALL},
		[FOREIGN_DATA] = {"their PTX, memory addresses left out", "theirs_no_addresses",
			false, VIEW_DATA}},
	.seen = seen_foreign,
};

const struct paper dis_paper = {
	.order = 20,
	.name = "dis",
	.text = "All of the dissertation's chapters 2 to 6.",
	.title = "Gebhart's dissertation, chapters 2 to 6",
	.suite = dis_suite,
	.ncolumns = 5,
	.columns = {[VIEW_ALL] = {"ours", "ours", true, VIEW_ALL},
		[VIEW_STRANDS] = {"workloads with strands of 8 instructions and more",
			"long_strands", false, VIEW_STRANDS},
		[VIEW_KEPT] = {"nothing lost where strands end or warps are descheduled", "kept",
			false, VIEW_KEPT},
		[VIEW_DATA] = {"memory addresses left out", "no_addresses", false, VIEW_DATA},
		[VIEW_NOT_FITTED] = {"without fitted workloads", "not_fitted", false,
			VIEW_NOT_FITTED}},
	.seen = seen,
	.foreign = &foreign_paper,
};
