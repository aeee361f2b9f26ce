/* The MICRO 2012 figures: the paper's own numbers, designs and columns. */
#include "papers/m12/m12.h"

#include "papers/m12/table1_rows.h"

#include "papers/suite.h"

#include <stdio.h>
#include <string.h>

const unsigned m12_capacities_kb[M12_CAPACITIES] = {128, 256, 384};

/* Table 6; DRAM traffic as Table 1's columns for 64 and 256 KB say; partitions as section 4.5's
 * rule says of Table 1's registers and shared memory, with 1024 threads. */
const struct m12_gain m12_gains[M12_GAINS] = {
	{"bfs", "bfs", {1.03, 1.08, 1.12}, {0.91, 0.89, 0.88}, 0.885, 9, 36, 0, 348, 1024, 1024},
	{"dgemm", "dgemm", {0.77, 1.01, 1.08}, {1.13, 0.95, 0.94}, 1, 57, 228, 66.5, 89.5, 1024,
		960},
	{"lu", "lu", {0.96, 1.07, 1.07}, {1.00, 0.91, 0.89}, 0.685, 20, 80, 96, 208, 1024, 672},
	{"mummer", "GPU-mummer", {0.96, 1.04, 1.04}, {0.97, 0.95, 0.97}, 0.990, 21, 84, 0, 300,
		1024, 1024},
	{"pcr", "pcr", {0.77, 1.04, 1.06}, {1.33, 0.92, 0.93}, 0.775, 33, 132, 20, 232, 1024, 1024},
	{"ray", "ray", {0.94, 1.03, 1.13}, {1.01, 0.95, 0.89}, 0.935, 42, 168, 0, 216, 1024, 1024},
	{"srad", "srad", {1.00, 1.08, 1.09}, {0.94, 0.86, 0.89}, 0.833, 18, 72, 24, 288, 1024,
		1024},
	{"needle", "needle", {1.29, 1.75, 1.71}, {0.76, 0.64, 0.67}, 1, 18, 72, 264.1, 47.9, 1024,
		224},
};

bool m12_gains_from(const char *workload)
{
	for (unsigned i = 0; i < M12_GAINS; i++)
		if (!strcmp(m12_gains[i].workload, workload))
			return true;
	return false;
}

bool m12_is_other(const char *workload)
{
	for (unsigned i = 0; i < TABLE1_ROWS; i++)
		if (!strcmp(table1_rows[i].workload, workload))
			return !m12_gains_from(workload);
	return false;
}

int m12_at(const struct book *b, unsigned gain)
{
	return book_find(b, m12_gains[gain].workload);
}

unsigned m12_others(const struct book *b, unsigned list[])
{
	unsigned n = 0;

	for (unsigned i = 0; i < TABLE1_ROWS; i++) {
		int w = book_find(b, table1_rows[i].workload);

		if (w >= 0 && m12_is_other(table1_rows[i].workload))
			list[n++] = (unsigned)w;
	}
	return n;
}

unsigned m12_not_fitted(const struct book *b, const unsigned list[], unsigned n, unsigned out[])
{
	unsigned left = 0;

	for (unsigned i = 0; i < n; i++)
		if (!book_is_fitted(b, list[i]))
			out[left++] = list[i];
	return left;
}

/* ---- rows */
struct band m12_mean_speed(void)
{
	const double table6 = 1.16;

	return band_between(1.162, table6 - 0.02, table6 + 0.02);
}

void m12_ratio(struct book *b, const struct book_row *row)
{
	struct book_row r = *row;
	struct band band = band_change(r.paper, 20, 0.03);

	r.judge = BOOK_BAND;
	r.low = band.low;
	r.high = band.high;
	book_say(b, &r);
}

void m12_say_all(struct book *b, const struct book_row *row, unsigned n, unsigned all)
{
	struct book_row r = *row;

	if (n < all) {
		r.judge = BOOK_TOLD;
		r.low = r.high = NAN;
		r.note = book_words(b, "of %u of the paper's %u workloads", n, all);
	}
	book_say(b, &r);
}

void m12_say_text(struct book *b, const char *text, struct book_row row, unsigned n, unsigned all)
{
	snprintf(row.text, sizeof(row.text), "%s", text);
	m12_say_all(b, &row, n, all);
}

const struct paper m12_paper = {
	.order = 10,
	.name = "m12",
	.text = "All of the MICRO 2012 paper's.",
	.title = "Gebhart et al., MICRO 2012",
	.suite = suite_workloads,
	.ncolumns = 2,
	.columns = {[STORE_PAPER] = {"one SM", "ours", true, STORE_PAPER},
		[STORE_CHIP] = {"chip", "chip", true, STORE_CHIP}},
	.seen = store_seen,
};
