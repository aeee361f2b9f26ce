/* Section 7.5.2: DRAM traffic of the unified design. */
#include "papers/dissertation/six.h"

static double traffic_saved(struct book *b, unsigned w, enum ch7_design id)
{
	return 2 - ch7_dram(b, w, id);
}

static void traffic(struct book *b)
{
	struct six s = six_of(b, traffic_saved, CH7_U384);
	unsigned same = 0;
	struct book_row row;

	while (same < s.n && s.v[same] < 2)
		same++;
	for (unsigned i = 0; i < CH7_WORKLOADS; i++)
		book_tell(b, "% fewer DRAM bytes", six_at(&s, i), "unified 384: %s",
			ch7_workloads[i]);
	row = book_band("DIS-105", "workloads", band_exact(3),
		s.n == CH7_WORKLOADS ? (double)same : NAN, NULL);
	book_sayf(b, &row, "unified 384: less than 2 %% fewer");
	/* "10 to 25 %". */
	row = book_band("DIS-105", "% fewer DRAM bytes", band_between(10, 10, 25),
		same < s.n ? s.v[same] : NAN, six_name(&s, same));
	book_sayf(b, &row, "unified 384: least of the others");
	row = book_band("DIS-105", "% fewer DRAM bytes", band_between(25, 10, 25),
		same < s.n ? s.v[s.n - 1] : NAN, six_name(&s, CH7_WORKLOADS - 1));
	book_sayf(b, &row, "unified 384: most");
}

const struct target ch7_traffic = {
	.order = 70,
	.name = "section7.5.2",
	.text = "DRAM traffic of the unified design.",
	.paper = &ch7_paper,
	.rows = traffic,
	.columns = CH7_BOTH,
	.takes = ch7_takes,
};
