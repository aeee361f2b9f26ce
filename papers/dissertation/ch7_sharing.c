/* Figures 7.10 and 7.11, section 7.5.5 and Table 7.2: what sharing banks costs, and how the unified
 * storage is shared out. */
#include "papers/dissertation/ch7.h"

#include "papers/causes.h"

#include <stdio.h>
#include <string.h>

/* ---- figure 7.10 */
#define NO_HIERARCHY "rf.hierarchy=none"

/* Per cent of instructions with more than one access to a bank. */
static double conflicts(struct book *b, unsigned w, const struct design *d)
{
	const json_t *r = store_try(b, w, d);
	double one = point_metric(r, "bank__inst_most_1.sum");
	double more = point_metric(r, "bank__inst_most_2.sum") +
		      point_metric(r, "bank__inst_most_3.sum") +
		      point_metric(r, "bank__inst_most_4.sum") +
		      point_metric(r, "bank__inst_most_more.sum");

	return 100 * more / (one + more);
}

static double mean_conflicts(struct book *b, const struct design *d)
{
	double sum = 0;

	for (unsigned i = 0; i < CH7_WORKLOADS; i++)
		sum += ch7_at(b, i) < 0 ? NAN : conflicts(b, (unsigned)ch7_at(b, i), d);
	return sum / CH7_WORKLOADS;
}

static void fig710(struct book *b)
{
	struct design base = store_partitioned(NO_HIERARCHY),
		      unified = store_unified(384, NO_HIERARCHY), both = store_unified(384, "");
	double plain = mean_conflicts(b, &base), more = mean_conflicts(b, &unified),
	       less = mean_conflicts(b, &both);
	struct book_row row;

	for (unsigned i = 0; i < CH7_WORKLOADS; i++) {
		int at = ch7_at(b, i);
		unsigned w = (unsigned)at;
		const char *name = ch7_workloads[i], *unit = "% of instructions";

		if (at < 0)
			continue;
		book_tell(b, unit, conflicts(b, w, &base), "%s: 256/64/64, no hierarchy", name);
		book_tell(b, unit, conflicts(b, w, &unified), "%s: unified, no hierarchy", name);
		book_tell(b, unit, conflicts(b, w, &both), "%s: unified, hierarchy", name);
	}
	row = book_band("DIS-113", "points", band_points(5, 2), more - plain,
		book_words(b, "%.1f and %.1f %%: see each workload", plain, more));
	book_sayf(b, &row, "without hierarchy, unified has more conflicts");
	row = book_band("DIS-114", "points", band_between(NAN, 0, 100), plain - less,
		book_words(b, "not found: %.1f %% with hierarchy, %.1f without; see each workload",
			less, plain));
	book_sayf(b, &row, "unified with hierarchy has fewer than 256/64/64 without (above 0)");
	row = book_band("DIS-114", "points", band_between(NAN, 0, 100), more - plain,
		book_words(b, "%.1f and %.1f %%", plain, more));
	book_sayf(b, &row, "and that fewer than unified without (above 0)");
}

/* ---- section 7.5.5 */
/* The base's sizes in banks of 16 bytes that all share: only mapping and arbitration differ. */
static struct design mapped(void)
{
	return store_unified(384, "storage.unified.register_bytes=256K "
				  "storage.unified.shared_bytes=64K storage.unified.threads=0");
}

/* Per cent of cycles that memory waits for registers in its banks. */
static double arbitration(struct book *b, unsigned w, const struct design *d)
{
	const json_t *r = store_try(b, w, d);

	return 100 * point_metric(r, "bank__conflicts_arbitration.sum") /
	       point_metric(r, "sm__cycles_active.sum");
}

/* Per cent by which it is slower, without arbitration. */
static double width_loss(struct book *b, unsigned w)
{
	struct design before = store_partitioned(""), after = mapped();

	return 100 * (store_try_cycles(b, w, &after) / store_try_cycles(b, w, &before) - 1) -
	       arbitration(b, w, &after);
}

static void sharing(struct book *b)
{
	struct design d = store_unified(384, "");
	double waits = 0, loss = 0, dgemm = NAN;
	struct book_row row;

	for (unsigned i = 0; i < CH7_WORKLOADS; i++) {
		int at = ch7_at(b, i);
		double wait = at < 0 ? NAN : arbitration(b, (unsigned)at, &d);
		double lost = at < 0 ? NAN : width_loss(b, (unsigned)at);

		if (at >= 0) {
			book_tell(b, "% of cycles", wait, "%s: arbitration", ch7_workloads[i]);
			book_tell(b, "% slower", lost, "%s: banks of 16 bytes", ch7_workloads[i]);
		}
		waits += wait / CH7_WORKLOADS;
		loss += lost / CH7_WORKLOADS;
		if (!strcmp(ch7_workloads[i], "dgemm"))
			dgemm = lost;
	}
	row = book_band(
		"DIS-110", "% of cycles", band_between(0.31, 0.1, 0.6), waits, CAUSE_ADDRESSES);
	book_sayf(b, &row, "arbitration: mean");
	row = book_band("DIS-111", "% slower", band_between(0.02, 0, 0.1), loss,
		"needle's diagonals take 32 cycles in banks of 4 bytes, 8 in those of 16; "
		"the others' accesses hardly differ");
	book_sayf(b, &row, "banks of 16 bytes: mean");
	row = book_band("DIS-112", "% slower", band_points(1.5, 0.5), dgemm,
		"its padded tiles meet as often in banks of 4 bytes as of 16");
	book_sayf(b, &row, "banks of 16 bytes: dgemm");
}

/* ---- figure 7.11 */
static void fig711(struct book *b)
{
	for (unsigned i = 0; i < CH7_WORKLOADS; i++) {
		int w = ch7_at(b, i);
		const char *name = ch7_workloads[i];
		struct store_partition p;
		struct design d;

		if (w < 0)
			continue;
		d = ch7_best(b, (unsigned)w, CH7_U384);
		p = store_partition_of(store_try(b, (unsigned)w, &d));
		book_tell(b, "KB", p.register_kb, "%s: registers", name);
		book_tell(b, "KB", p.shared_kb, "%s: shared memory", name);
		book_tell(b, "KB", p.cache_kb, "%s: cache", name);
		book_tell(b, "KB", 384 - p.register_kb - p.shared_kb - p.cache_kb, "%s: unused",
			name);
	}
}

/* ---- table 7.2 */
static const struct {
	const char *workload;
	double registers, threads;
} best[CH7_WORKLOADS] = {{"bfs", 32, 1024}, {"mummer", 32, 864}, {"dgemm", 64, 1024},
	{"needle", 24, 576}, {"pcr", 40, 640}, {"hotspot", 32, 992}};

static double performance(struct book *b, unsigned w, unsigned threads)
{
	struct design d = ch7_threads(b, w, threads == 1024 ? 0 : threads),
		      all = ch7_threads(b, w, 0);

	return store_try_cycles(b, w, &all) / store_try_cycles(b, w, &d);
}

/* Loads and stores of spills in the code of the best; and its partitioning. */
static double spills_of(struct book *b, unsigned w, struct store_partition *p)
{
	struct design d = ch7_best(b, w, CH7_U384);
	const json_t *r = store_try(b, w, &d), *l;
	double n = 0;
	size_t k;

	*p = store_partition_of(r);
	json_array_foreach(json_object_get(r, "launches"), k, l)
	{
		n += json_number_value(json_object_get(l, "spill_loads")) +
		     json_number_value(json_object_get(l, "spill_stores"));
	}
	return n;
}

static void one_best(struct book *b, unsigned i, double *spills)
{
	int at = ch7_at(b, i);
	unsigned w = (unsigned)at;
	struct store_partition p;
	struct book_row row;

	if (at < 0)
		return;
	for (unsigned k = 0; k < CH7_THREADS; k++) {
		double v = performance(b, w, ch7_thread_counts[k]);

		book_plot(b, &(struct book_dot){"unified 384", ch7_workloads[i], "threads",
				     "performance", ch7_thread_counts[k], v});
		book_tell(b, "of most threads'", v, "%s: %u threads", ch7_workloads[i],
			ch7_thread_counts[k]);
	}
	*spills += spills_of(b, w, &p);
	row = book_band("DIS-115", "threads", band_points(best[i].threads, 128), p.threads,
		book_words(b, "see the rows of its threads, and table1"));
	book_sayf(b, &row, "%s: best threads", ch7_workloads[i]);
	row = book_band("DIS-115", "registers", band_percent(best[i].registers, 20), p.registers,
		"no more are needed without spills: the paper's compiler is another");
	book_sayf(b, &row, "%s: registers", ch7_workloads[i]);
}

static void table72(struct book *b)
{
	double spills = 0;
	struct book_row row;

	for (unsigned i = 0; i < CH7_WORKLOADS; i++)
		one_best(b, i, &spills);
	row = book_band("DIS-116", "instructions", band_exact(0), ch7_has_all(b) ? spills : NAN,
		"not found");
	book_sayf(b, &row, "loads and stores of spills");
}

const struct target ch7_fig710 = {
	.order = 100,
	.name = "fig7.10",
	.text = "Instructions whose accesses meet in a bank.",
	.paper = &ch7_paper,
	.rows = fig710,
	.columns = CH7_BOTH,
	.takes = ch7_takes,
};

const struct target ch7_conflicts = {
	.order = 110,
	.name = "section7.5.5",
	.text = "What arbitration and banks of 16 bytes cost.",
	.paper = &ch7_paper,
	.rows = sharing,
	.columns = CH7_BOTH,
	.takes = ch7_takes,
};

const struct target ch7_fig711 = {
	.order = 120,
	.name = "fig7.11",
	.text = "How the unified 384 KB are shared out.",
	.paper = &ch7_paper,
	.rows = fig711,
	.columns = CH7_BOTH,
	.takes = ch7_takes,
};

const struct target ch7_table72 = {
	.order = 130,
	.name = "table7.2",
	.text = "Threads and registers with which the unified 384 KB serve best.",
	.paper = &ch7_paper,
	.rows = table72,
	.columns = CH7_BOTH,
	.takes = ch7_takes,
	.plots = true,
};
