/* Table 5: bank conflicts of the workloads that do not gain from the unified design. */
#include "papers/m12/m12.h"

#include "papers/m12/table1_rows.h"

#include <stdio.h>

#define BINS 5

static const char *const bins[BINS] = {"bank__inst_most_1.sum", "bank__inst_most_2.sum",
	"bank__inst_most_3.sum", "bank__inst_most_4.sum", "bank__inst_most_more.sum"};
static const char *const labels[BINS] = {"at most 1", "2", "3", "4", "more than 4"};

/* Of a workload's warp instructions, %. */
static double share(struct book *b, unsigned w, const struct design *d, unsigned bin)
{
	double all = 0;

	for (unsigned i = 0; i < BINS; i++)
		all += store_metric(b, w, d, bins[i]);
	return 100 * store_metric(b, w, d, bins[bin]) / all;
}

static double mean_share(struct book *b, const struct design *d, unsigned bin)
{
	unsigned list[TABLE1_ROWS], n = m12_others(b, list);
	double sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += share(b, list[i], d, bin);
	return n ? sum / n : NAN;
}

/* At most one access, the mean of those that no table chose. */
static void tell_without_fitted(struct book *b, const char *name, const struct design *d)
{
	unsigned list[TABLE1_ROWS], n = m12_others(b, list);
	unsigned rest[TABLE1_ROWS], left = m12_not_fitted(b, list, n, rest);
	double sum = 0;

	for (unsigned i = 0; i < left; i++)
		sum += share(b, rest[i], d, 0);
	if (left < n)
		book_tell(b, "% of warp instructions", left ? sum / left : NAN,
			"%s: at most 1 access to a bank, without fitted", name);
}

/* Of all their warp instructions together. */
static double pooled_share(struct book *b, const struct design *d, unsigned bin)
{
	unsigned list[TABLE1_ROWS], n = m12_others(b, list);
	double sum = 0, all = 0;

	for (unsigned i = 0; i < n; i++) {
		sum += store_metric(b, list[i], d, bins[bin]);
		for (unsigned k = 0; k < BINS; k++)
			all += store_metric(b, list[i], d, bins[k]);
	}
	return n ? 100 * sum / all : NAN;
}

/* Cycles of conflicts by 100 instructions, the mean. */
static double cycles(struct book *b, const struct design *d, const char *count)
{
	unsigned list[TABLE1_ROWS], n = m12_others(b, list);
	double sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += store_metric(b, list[i], d, count) /
		       store_metric(b, list[i], d, "smsp__inst_executed.sum");
	return n ? 100 * sum / n : NAN;
}

/* The kinds of conflicts, and the workload that has most. */
static const char *what_meets(struct book *b, const struct design *d)
{
	unsigned list[TABLE1_ROWS], n = m12_others(b, list), at = 0;
	double most = -1;

	for (unsigned i = 0; i < n; i++) {
		double more = 100 - share(b, list[i], d, 0);

		if (more <= most)
			continue;
		most = more;
		at = list[i];
	}
	return book_words(b,
		"cycles of 100 instructions: two registers of an instruction %.2f, shared memory "
		"%.2f, a line and its own address's register %.2f; most in %s, %.1f "
		"%%",
		cycles(b, d, "bank__conflicts_register.sum"),
		cycles(b, d, "l1tex__data_bank_conflicts_pipe_lsu.sum"),
		cycles(b, d, "bank__conflicts_arbitration.sum"), n ? book_workload(b, at) : "none",
		most);
}

static void histogram(struct book *b, const char *name, const struct design *d,
	const double paper[BINS], const char *const claims[3])
{
	unsigned list[TABLE1_ROWS], n = m12_others(b, list);

	for (unsigned i = 0; i < BINS; i++) {
		struct book_row r = book_band(claims[i < 2 ? i : 2], "% of warp instructions",
			band_points(paper[i], 1), mean_share(b, d, i), NULL);

		if (!i)
			r.note = what_meets(b, d);
		if (i >= 2)
			r = book_told(r.claim, r.unit, paper[i], r.ours, NULL);
		snprintf(r.text, sizeof(r.text), "%s: %s access%s to a bank", name, labels[i],
			i ? "es" : "");
		m12_say_all(b, &r, n, M12_OTHERS);
	}
	book_tell(b, "% of warp instructions", pooled_share(b, d, 0),
		"%s: at most 1, of all workloads' instructions together", name);
	tell_without_fitted(b, name, d);
}

/* Cycles that memory and registers take longer than each alone, of the active ones; the mean. */
static double arbitration(struct book *b)
{
	struct design d = store_unified(M12_LARGEST_KB, "");
	unsigned list[TABLE1_ROWS], n = m12_others(b, list);
	double sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += store_metric(b, list[i], &d, "bank__conflicts_arbitration.sum") /
		       store_metric(b, list[i], &d, "sm__cycles_active.sum");
	return n ? sum / n : NAN;
}

/* All workloads of the paper: how much faster with several banks of a cluster at a time. */
static double combined(struct book *b)
{
	struct design plain = store_unified(M12_LARGEST_KB, "storage.unified.combine=false"),
		      combine = store_unified(M12_LARGEST_KB, "storage.unified.combine=true");
	double sum = 0;

	for (unsigned w = 0; w < book_workloads(b); w++)
		sum += store_speedup(b, w, &plain, &combine);
	return sum / book_workloads(b);
}

static void table5(struct book *b)
{
	static const double partitioned[BINS] = {97.0, 2.7, 0.09, 0.14, 0.03},
			    unified[BINS] = {96.4, 3.4, 0.01, 0.02, 0.21};
	struct design before = store_partitioned(""), after = store_unified(M12_LARGEST_KB, "");
	unsigned list[TABLE1_ROWS], n = m12_others(b, list);

	histogram(b, "partitioned", &before, partitioned,
		(const char *const[]){"M12-010", "M12-011", "M12-012"});
	histogram(b, "unified", &after, unified,
		(const char *const[]){"M12-013", "M12-014", "M12-015"});
	/* Half of it to 1 point, the band of the rows above. */
	m12_say_text(b, "at most 1: partitioned less unified",
		book_band("M12-016", "points", band_between(0.6, 0.3, 1),
			mean_share(b, &before, 0) - mean_share(b, &after, 0), NULL),
		n, M12_OTHERS);
	m12_say_text(b, "arbitration of registers and memory costs",
		book_band(
			"M12-069", "of the active cycles", band_below(0.01), arbitration(b), NULL),
		n, M12_OTHERS);
	m12_say_text(b, "several banks of a cluster at a time, all workloads",
		book_band("M12-068", "times as fast", band_points(1.005, 0.005), combined(b), NULL),
		book_workloads(b), TABLE1_ROWS);
}

const struct target m12_table5 = {
	.order = 60,
	.name = "table5",
	.text = "Bank conflicts of the 18 workloads without a benefit.",
	.paper = &m12_paper,
	.rows = table5,
	.columns = STORE_BOTH,
};
