/* Figure 7.7: speed of fixed, limited and unified designs. */
#include "papers/dissertation/six.h"

static void unified_claims(struct book *b)
{
	static const double sorted[] = {0.2, 3, 4, 8, 9, 75};
	struct six all = six_of(b, ch7_speed, CH7_U384), small = six_of(b, ch7_speed, CH7_U256);
	/* The least gain is as good as none: equal is 1 %. */
	struct book_row row = book_band(
		"DIS-098", "% more", band_between(0.2, -1, 1), six_least(&all), six_name(&all, 0));

	book_sayf(b, &row, "unified 384: least gain");
	row = book_band("DIS-098", "% more", band_percent(75.6, 20), six_most(&all),
		six_name(&all, CH7_WORKLOADS - 1));
	book_sayf(b, &row, "unified 384: most");
	six_say_sorted(b, "DIS-099", sorted, 1.5, &all);
	row = book_band("DIS-102", "workloads", band_exact(4),
		six_count(&all, 3, 8.95) - six_is_from(&all, CH7_NEEDLE, 3, 8.95) -
			six_is_from(&all, CH7_HOTSPOT, 3, 8.95),
		six_words(b, &all));
	book_sayf(b, &row, "unified 384: without needle and hotspot, 3.0 to 8.9 %%");
	row = book_band("DIS-102", "% more", band_points(0, 0.2), six_at(&all, CH7_HOTSPOT), NULL);
	book_sayf(b, &row, "unified 384: hotspot");
	six_say_count(
		b, "DIS-103", "unified 256: gains of more than 1 %", 4, (double[]){1, 1e9}, &small);
	/* "Slightly": up to 5 % for dgemm, here, and up to 10 % for bfs, below. */
	row = book_band(
		"DIS-103", "% more", band_between(NAN, -5, 0), six_at(&small, CH7_DGEMM), NULL);
	book_sayf(b, &row, "unified 256: dgemm loses slightly");
	row = book_band("DIS-103", "% more", band_points(0, 1), six_at(&small, CH7_HOTSPOT), NULL);
	book_sayf(b, &row, "unified 256: hotspot stays");
}

/* The limited design against the smallest fixed one. */
static double limited_gain(struct book *b, unsigned w, enum ch7_design id)
{
	return ch7_speed(b, w, CH7_LIMITED) / ch7_speed(b, w, id);
}

static void limited_claims(struct book *b)
{
	struct six small = six_of(b, limited_gain, CH7_F128_32),
		   base = six_of(b, limited_gain, CH7_BASE);
	struct book_row row;

	six_say_count(
		b, "DIS-104", "limited: faster than 128/32/32", 6, (double[]){1e-9, 1e9}, &small);
	six_say_count(b, "DIS-104", "limited: as fast as 256/64/64, within 1 %", 4,
		(double[]){-1, 1}, &base);
	row = book_band(
		"DIS-104", "% more", band_between(NAN, -100, -1), six_at(&base, CH7_NEEDLE), NULL);
	book_sayf(b, &row, "limited: needle loses");
	row = book_band(
		"DIS-104", "% more", band_between(NAN, -10, -0.1), six_at(&base, CH7_BFS), NULL);
	book_sayf(b, &row, "limited: bfs loses slightly");
}

static void fig77(struct book *b)
{
	six_tell(b, ch7_speed, "times as fast");
	unified_claims(b);
	limited_claims(b);
}

const struct target ch7_fig77 = {
	.order = 60,
	.name = "fig7.7",
	.text = "Speed of fixed, limited and unified designs, by capacity.",
	.paper = &ch7_paper,
	.rows = fig77,
	.columns = CH7_BOTH,
	.takes = ch7_takes,
	.plots = true,
};
