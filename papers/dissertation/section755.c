/* Section 7.5.5: the cost of arbitration and of banks of 16 bytes. */
#include "papers/dissertation/ch7.h"

#include <string.h>

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
	/* The order of magnitude: a third of it to twice it, in tenths of a per cent. */
	row = book_band("DIS-110", "% of cycles", band_between(0.31, 0.1, 0.6), waits, NULL);
	book_sayf(b, &row, "arbitration: mean");
	/* Below a tenth of a per cent. */
	row = book_band("DIS-111", "% slower", band_between(0.02, 0, 0.1), loss, NULL);
	book_sayf(b, &row, "banks of 16 bytes: mean");
	row = book_band("DIS-112", "% slower", band_points(1.5, 0.5), dgemm, NULL);
	book_sayf(b, &row, "banks of 16 bytes: dgemm");
}

const struct target ch7_conflicts = {
	.order = 110,
	.name = "section7.5.5",
	.text = "What arbitration and banks of 16 bytes cost.",
	.paper = &ch7_paper,
	.rows = sharing,
	.columns = CH7_BOTH,
	.takes = ch7_takes,
};
