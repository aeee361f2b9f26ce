/* Table 5 and section 2.1: accesses that meet in a bank, of the workloads without a benefit; what
 * the register hierarchy keeps from the main registers. */
#include "papers/m12/m12.h"

#include "papers/causes.h"
#include "papers/m12/table1_rows.h"

#include <stdio.h>

#define LARGEST_KB 384
#define BINS 5

static const char *const bins[BINS] = {"bank__inst_most_1.sum", "bank__inst_most_2.sum",
	"bank__inst_most_3.sum", "bank__inst_most_4.sum", "bank__inst_most_more.sum"};
static const char *const labels[BINS] = {"at most 1", "2", "3", "4", "more than 4"};

/* ---- table 5 */
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

/* What the conflicts are of, and the workload that has most. */
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
		"%%; " CAUSE_CONFLICTS,
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
		struct book_row r = {.claim = claims[i < 2 ? i : 2],
			.unit = "% of warp instructions",
			.paper = paper[i],
			.low = i < 2 ? paper[i] - 1 : NAN,
			.high = i < 2 ? paper[i] + 1 : NAN,
			.ours = mean_share(b, d, i),
			.judge = i < 2 ? BOOK_BAND : BOOK_TOLD,
			.cause = i < 2 ? what_meets(b, d) : NULL};

		snprintf(r.text, sizeof(r.text), "%s: %s access%s to a bank", name, labels[i],
			i ? "es" : "");
		m12_say_all(b, &r, n, M12_OTHERS);
	}
	book_tell(b, "% of warp instructions", pooled_share(b, d, 0),
		"%s: at most 1, of all workloads' instructions together", name);
}

/* Cycles that memory and registers take longer than each alone, of the active ones; the mean. */
static double arbitration(struct book *b)
{
	struct design d = store_unified(LARGEST_KB, "");
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
	struct design plain = store_unified(LARGEST_KB, "storage.unified.combine=false"),
		      combine = store_unified(LARGEST_KB, "storage.unified.combine=true");
	double sum = 0;

	for (unsigned w = 0; w < book_workloads(b); w++)
		sum += store_speedup(b, w, &plain, &combine);
	return sum / book_workloads(b);
}

static void table5(struct book *b)
{
	static const double partitioned[BINS] = {97.0, 2.7, 0.09, 0.14, 0.03},
			    unified[BINS] = {96.4, 3.4, 0.01, 0.02, 0.21};
	struct design before = store_partitioned(""), after = store_unified(LARGEST_KB, "");
	unsigned list[TABLE1_ROWS], n = m12_others(b, list);

	histogram(b, "partitioned", &before, partitioned,
		(const char *const[]){"M12-010", "M12-011", "M12-012"});
	histogram(b, "unified", &after, unified,
		(const char *const[]){"M12-013", "M12-014", "M12-015"});
	m12_say_all(b,
		&(struct book_row){"M12-016", "points", "at most 1: partitioned less unified", 0.6,
			0.3, 1, mean_share(b, &before, 0) - mean_share(b, &after, 0), BOOK_BAND,
			CAUSE_ADDRESSES},
		n, M12_OTHERS);
	m12_say_all(b,
		&(struct book_row){"M12-069", "of the active cycles",
			"arbitration of registers and memory costs", NAN, 0, 0.01, arbitration(b),
			BOOK_BAND, CAUSE_ADDRESSES},
		n, M12_OTHERS);
	m12_say_all(b,
		&(struct book_row){"M12-068", "times as fast",
			"several banks of a cluster at a time, all workloads", 1.005, 1, 1.01,
			combined(b), BOOK_BAND, CAUSE_COMBINE},
		book_workloads(b), TABLE1_ROWS);
}

/* ---- section 2.1 */
#define WITHOUT "rf.hierarchy=none sm.two_level.active_warps=32"

static double main_accesses(struct book *b, unsigned w, const struct design *d)
{
	return store_metric(b, w, d, "rf__mrf_reads.sum") +
	       store_metric(b, w, d, "rf__mrf_writes.sum");
}

static void section2(struct book *b)
{
	struct design with = store_partitioned(""), without = store_partitioned(WITHOUT);
	double accesses = 0, cycles = 0;
	unsigned n = book_workloads(b);

	for (unsigned w = 0; w < n; w++) {
		accesses += main_accesses(b, w, &with) / main_accesses(b, w, &without) / n;
		cycles += store_speedup(b, w, &without, &with) / n;
	}
	m12_say_all(b,
		&(struct book_row){"M12-018", "of those without hierarchy",
			"accesses to the main registers", 0.4, 0.35, 0.45, accesses, BOOK_BAND,
			CAUSE_STRANDS},
		n, TABLE1_ROWS);
	m12_say_all(b,
		&(struct book_row){"M12-019", "times as fast",
			"with hierarchy and 8 active warps, by without and 32", 1, 0.98, 1.02,
			cycles, BOOK_BAND, CAUSE_ACTIVE},
		n, TABLE1_ROWS);
}

const struct target m12_table5 = {
	.order = 60,
	.name = "table5",
	.text = "Accesses that meet in a bank: the 18 workloads without a benefit.",
	.paper = &m12_paper,
	.rows = table5,
	.columns = STORE_ALL,
};

const struct target m12_section2 = {
	.order = 50,
	.name = "section2.1",
	.text = "What the register hierarchy and eight active warps change.",
	.paper = &m12_paper,
	.rows = section2,
	.columns = STORE_BOTH,
};
