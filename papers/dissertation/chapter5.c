/* Chapter 5: the register file cache. Its figures are of private traces, most of them of
 * graphics: ours are printed beside them, without verdicts. */
#include "papers/dissertation/dis.h"

#include <stdio.h>

#define ENTRIES 6
#define NO_FLUSH "rf.flush=false rf.bypass=false rf.liveness=false"

static void private_row(struct book *d, const char *claim, const char *unit, const char *text,
	double paper, double ours)
{
	struct book_row row = book_told(claim, unit, paper, ours, NULL);

	row.judge = BOOK_PRIVATE;
	book_say_text(d, text, row);
}

static double avoided(struct book *d, unsigned entries, const char *more, bool writes)
{
	struct design rfc = dis_hard(entries, 0, more);
	double left = writes ? dis_mean_ratio(d, &rfc, "writes.mrf", "work.written")
			     : dis_mean_ratio(d, &rfc, "reads.mrf", "work.read");

	return 100 * (1 - left);
}

static double values(struct book *d, const char *count)
{
	struct design single = dis_single();

	return 100 * dis_mean_ratio(d, &single, count, "values.written");
}

static void usage(struct book *d)
{
	private_row(
		d, "DIS-066", "% of values", "read once (up to)", 70, values(d, "values.read_1"));
	private_row(d, "DIS-067", "% of values", "read more than twice", 10,
		values(d, "values.read_more"));
	private_row(d, "DIS-069", "% of values", "read once, within 3 instructions (up to)", 40,
		values(d, "values.life_1") + values(d, "values.life_2") +
			values(d, "values.life_3"));
}

static void filtering(struct book *d)
{
	private_row(d, "DIS-076", "% avoided", "MRF reads, 6 entries, all warps (45 .. 75)", 60,
		avoided(d, ENTRIES, NO_FLUSH, false));
	private_row(d, "DIS-077", "% avoided", "MRF writes, 6 entries, all warps (35 .. 75)", 55,
		avoided(d, ENTRIES, NO_FLUSH, true));
	private_row(d, "DIS-078", "% avoided", "MRF reads, 13 entries, all warps (65 .. 90)", 78,
		avoided(d, LEVELS_MAX_RFC, NO_FLUSH, false));
	private_row(d, "DIS-079", "points", "MRF writes more, by last reads (10 .. 15)", 12.5,
		avoided(d, ENTRIES, "rf.flush=false rf.bypass=false", true) -
			avoided(d, ENTRIES, NO_FLUSH, true));
	private_row(d, "DIS-087", "% avoided", "MRF reads, 6 entries, descheduled (40 .. 60)", 50,
		avoided(d, ENTRIES, "rf.liveness=false", false));
	private_row(d, "DIS-088", "% avoided", "MRF writes, 6 entries, descheduled (30 .. 60)", 45,
		avoided(d, ENTRIES, "rf.liveness=false", true));
	private_row(d, "DIS-088", "% avoided", "MRF writes, with last reads (40 .. 80)", 60,
		avoided(d, ENTRIES, "", true));
	private_row(d, "DIS-082", "points", "reads avoided, LRU over FIFO, 8 entries (1 .. 3)", 2,
		avoided(d, 8, NO_FLUSH " rf.lru=true", false) - avoided(d, 8, NO_FLUSH, false));
	private_row(d, "DIS-083", "points", "reads avoided, FIFO over LRU, 4 entries (above 0)",
		NAN,
		avoided(d, 4, NO_FLUSH, false) - avoided(d, 4, NO_FLUSH " rf.lru=true", false));
	private_row(d, "DIS-084", "points", "reads avoided, results only over all, 3 entries", NAN,
		avoided(d, 3, NO_FLUSH, false) -
			avoided(d, 3, NO_FLUSH " rf.reads_allocate=true", false));
}

static double saved(struct book *d, unsigned entries, const char *more)
{
	struct design rfc = dis_hard(entries, 0, more);

	return dis_mean(d, &rfc, dis_saved);
}

static void costs(struct book *d)
{
	struct design bypass = dis_hard(ENTRIES, 0, ""),
		      through = dis_hard(ENTRIES, 0, "rf.bypass=false");

	private_row(d, "DIS-085", "% fewer", "write-backs, by bypassing long latencies", 30,
		100 * (1 - dis_mean_ratio(d, &bypass, "traffic.writebacks", "work.written") /
				      dis_mean_ratio(
					      d, &through, "traffic.writebacks", "work.written")));
	private_row(d, "DIS-004", "% saved", "6 entries", 36, saved(d, ENTRIES, ""));
	private_row(d, "DIS-090", "% less energy", "by last reads (10 .. 20)", 15,
		100 * (1 - (100 - saved(d, ENTRIES, "")) /
				      (100 - saved(d, ENTRIES, "rf.liveness=false"))));
	private_row(d, "DIS-096", "of a single level's", "MRF accesses, 6 entries", 0.5,
		1 - (avoided(d, ENTRIES, "", false) + avoided(d, ENTRIES, "", true)) / 200);
}

static void rows(struct book *d)
{
	usage(d);
	filtering(d);
	costs(d);
}

const struct target dis_chapter5 = {
	.order = 40,
	.name = "chapter5",
	.text = "The register file cache; the paper's numbers are of private traces.",
	.paper = &dis_paper,
	.rows = rows,
};
