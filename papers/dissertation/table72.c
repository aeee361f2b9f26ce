/* Table 7.2: threads and registers with which each workload is fastest on the unified 384 KB. */
#include "papers/dissertation/ch7.h"

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

/* Loads and stores of spills in the code of the fastest; and the split of its storage. */
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
	row = book_band("DIS-115", "threads", band_points(best[i].threads, 128), p.threads, NULL);
	book_sayf(b, &row, "%s: best threads", ch7_workloads[i]);
	row = book_band(
		"DIS-115", "registers", band_percent(best[i].registers, 20), p.registers, NULL);
	book_sayf(b, &row, "%s: registers", ch7_workloads[i]);
}

static void table72(struct book *b)
{
	double spills = 0;
	struct book_row row;

	for (unsigned i = 0; i < CH7_WORKLOADS; i++)
		one_best(b, i, &spills);
	row = book_band(
		"DIS-116", "instructions", band_exact(0), ch7_has_all(b) ? spills : NAN, NULL);
	book_sayf(b, &row, "loads and stores of spills");
}

const struct target ch7_table72 = {
	.order = 130,
	.name = "table7.2",
	.text = "Threads and registers with which each workload is fastest on the unified 384 KB.",
	.paper = &ch7_paper,
	.rows = table72,
	.columns = CH7_BOTH,
	.takes = ch7_takes,
	.plots = true,
};
