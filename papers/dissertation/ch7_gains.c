/* Figures 7.7 to 7.9: speed, DRAM traffic, energy and performance by energy of fixed, limited and
 * unified designs. */
#include "papers/dissertation/ch7.h"

#include "papers/causes.h"

#include <stdlib.h>
#include <string.h>

#define HOTSPOT 5 /* their places in ch7_workloads */
#define NEEDLE 3
#define DGEMM 2
#define BFS 0

typedef double figure_fn(struct book *, unsigned workload, enum ch7_design);

/* ---- what is told of each workload */
static void plot(struct book *b, unsigned w, enum ch7_design id, const char *axis, double y)
{
	bool is_unified = id >= CH7_U128;

	book_plot(b, &(struct book_dot){book_workload(b, w),
			     id == CH7_LIMITED ? "limited"
			     : is_unified      ? "unified"
					       : "fixed",
			     "KB of storage", axis, ch7_designs[id].kb, y});
}

/* Rows of all designs, but the base's, which are 1. */
static void tell_all(struct book *b, figure_fn *figure, const char *unit, bool with_words)
{
	for (unsigned i = 0; i < CH7_WORKLOADS; i++) {
		int at = ch7_at(b, i);
		unsigned w = (unsigned)at;

		for (unsigned id = 0; at >= 0 && id < CH7_DESIGNS; id++) {
			enum ch7_design design = (enum ch7_design)id;
			double v = figure(b, w, design);
			struct book_row row = {.claim = "",
				.unit = unit,
				.paper = NAN,
				.low = NAN,
				.high = NAN,
				.ours = v,
				.judge = BOOK_TOLD};

			plot(b, w, design, unit, v);
			if (id == CH7_BASE)
				continue;
			if (with_words && id == CH7_U384)
				row.cause = ch7_words(b, w, design);
			book_sayf(b, &row, "%s: %s", ch7_workloads[i], ch7_designs[id].name);
		}
	}
}

/* ---- the six, sorted */
struct six {
	double v[CH7_WORKLOADS];
	unsigned workload[CH7_WORKLOADS], n; /* places in ch7_workloads */
};

/* Per cent above 0 that the figure is more than 1. */
static double gain(double ratio)
{
	return 100 * (ratio - 1);
}

static struct six six_of(struct book *b, figure_fn *figure, enum ch7_design id)
{
	struct six s = {.n = 0};

	for (unsigned i = 0; i < CH7_WORKLOADS; i++) {
		int w = ch7_at(b, i);
		double v = w < 0 ? NAN : gain(figure(b, (unsigned)w, id));
		unsigned at = s.n;

		if (isnan(v))
			continue;
		for (; at && s.v[at - 1] > v; at--) {
			s.v[at] = s.v[at - 1];
			s.workload[at] = s.workload[at - 1];
		}
		s.v[at] = v;
		s.workload[at] = i;
		s.n++;
	}
	return s;
}

/* How many of the six lie from low to high; NAN: they are not all there. */
static double count(const struct six *s, double low, double high)
{
	unsigned n = 0;

	for (unsigned i = 0; i < s->n; i++)
		n += s->v[i] >= low && s->v[i] <= high;
	return s->n == CH7_WORKLOADS ? (double)n : NAN;
}

static double of(const struct six *s, unsigned workload)
{
	for (unsigned i = 0; i < s->n; i++)
		if (s->workload[i] == workload)
			return s->v[i];
	return NAN;
}

static bool lies(const struct six *s, unsigned workload, double low, double high)
{
	return of(s, workload) >= low && of(s, workload) <= high;
}

/* All six in words, for causes. */
static const char *names(struct book *b, const struct six *s)
{
	char words[480] = "";

	for (unsigned i = 0; i < s->n; i++) {
		size_t n = strlen(words);

		snprintf(words + n, sizeof(words) - n, "%s%s %.1f",
			i ? ", " : "ours: ", ch7_workloads[s->workload[i]], s->v[i]);
	}
	return book_words(b, "%s", words);
}

static void say_count(struct book *b, const char *claim, const char *text, double paper,
	const double range[2], const struct six *s)
{
	struct book_row row = book_band(
		claim, "workloads", band_exact(paper), count(s, range[0], range[1]), names(b, s));

	book_sayf(b, &row, "%s", text);
}

/* What is known of a workload's gain. */
static const char *because(struct book *b, unsigned workload)
{
	const char *name = ch7_workloads[workload];
	unsigned column = book_column(b) == CH7_CHIP ? STORE_CHIP : STORE_PAPER;
	const char *known = store_cause(name, column, "speedup");

	return book_words(b, "our %s: %s", name, known ? known : "see its rows");
}

/* The sorted six, each within `points` or a fifth of the paper's. */
static void say_sorted(
	struct book *b, const char *claim, const double *paper, double points, const struct six *s)
{
	for (unsigned i = 0; i < CH7_WORKLOADS; i++) {
		double around = fmax(points, 0.2 * paper[i]);
		bool whole = s->n == CH7_WORKLOADS;
		struct book_row row = book_band(claim, "% more", band_points(paper[i], around),
			whole ? s->v[i] : NAN, because(b, s->workload[i]));

		book_sayf(b, &row, "gains in their order: %u", i + 1);
	}
}

/* ---- figure 7.7 */
static void unified_claims(struct book *b)
{
	static const double sorted[] = {0.2, 3, 4, 8, 9, 75};
	struct six all = six_of(b, ch7_speed, CH7_U384), small = six_of(b, ch7_speed, CH7_U256);
	bool whole = all.n == CH7_WORKLOADS;
	struct book_row row = book_band("DIS-098", "% more", band_between(0.2, -1, 1),
		whole ? all.v[0] : NAN, because(b, all.workload[0]));

	book_sayf(b, &row, "unified 384: least gain");
	row = book_band("DIS-098", "% more", band_between(75.6, 60.5, 90.7),
		whole ? all.v[CH7_WORKLOADS - 1] : NAN,
		because(b, all.workload[CH7_WORKLOADS - 1]));
	book_sayf(b, &row, "unified 384: most");
	say_sorted(b, "DIS-099", sorted, 1.5, &all);
	row = book_band("DIS-102", "workloads", band_exact(4),
		count(&all, 3, 8.95) - lies(&all, NEEDLE, 3, 8.95) - lies(&all, HOTSPOT, 3, 8.95),
		names(b, &all));
	book_sayf(b, &row, "unified 384: without needle and hotspot, 3.0 to 8.9 %%");
	row = book_band(
		"DIS-102", "% more", band_points(0, 0.2), of(&all, HOTSPOT), because(b, HOTSPOT));
	book_sayf(b, &row, "unified 384: hotspot");
	say_count(
		b, "DIS-103", "unified 256: gains of more than 1 %", 4, (double[]){1, 1e9}, &small);
	row = book_band(
		"DIS-103", "% more", band_between(NAN, -5, 0), of(&small, DGEMM), names(b, &small));
	book_sayf(b, &row, "unified 256: dgemm loses slightly");
	row = book_band(
		"DIS-103", "% more", band_points(0, 1), of(&small, HOTSPOT), because(b, HOTSPOT));
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

	say_count(b, "DIS-104", "limited: faster than 128/32/32", 6, (double[]){1e-9, 1e9}, &small);
	say_count(b, "DIS-104", "limited: as fast as 256/64/64, within 1 %", 4, (double[]){-1, 1},
		&base);
	row = book_band("DIS-104", "% more", band_between(NAN, -100, -1), of(&base, NEEDLE),
		names(b, &base));
	book_sayf(b, &row, "limited: needle loses");
	row = book_band(
		"DIS-104", "% more", band_between(NAN, -10, -0.1), of(&base, BFS), because(b, BFS));
	book_sayf(b, &row, "limited: bfs loses slightly");
}

static void fig77(struct book *b)
{
	tell_all(b, ch7_speed, "times as fast", true);
	unified_claims(b);
	limited_claims(b);
}

/* ---- section 7.5.2 */
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
		book_tell(b, "% fewer DRAM bytes", of(&s, i), "unified 384: %s", ch7_workloads[i]);
	row = book_band("DIS-105", "workloads", band_exact(3),
		s.n == CH7_WORKLOADS ? (double)same : NAN, names(b, &s));
	book_sayf(b, &row, "unified 384: less than 2 %% fewer");
	row = book_band("DIS-105", "% fewer DRAM bytes", band_between(10, 10, 25),
		same < s.n ? s.v[same] : NAN, names(b, &s));
	book_sayf(b, &row, "unified 384: least of the others");
	row = book_band("DIS-105", "% fewer DRAM bytes", band_between(25, 10, 25),
		same < s.n ? s.v[s.n - 1] : NAN, names(b, &s));
	book_sayf(b, &row, "unified 384: most");
}

/* ---- figure 7.8 */
static double energy_saved(struct book *b, unsigned w, enum ch7_design id)
{
	return 2 - ch7_energy(b, w, id);
}

static double mean_energy(struct book *b, enum ch7_design id)
{
	double sum = 0;

	for (unsigned i = 0; i < CH7_WORKLOADS; i++)
		sum += ch7_at(b, i) < 0 ? NAN : ch7_energy(b, (unsigned)ch7_at(b, i), id);
	return sum / CH7_WORKLOADS;
}

/* Per cent of all energy that banks take. */
static double bank_share(struct book *b, unsigned w, bool registers)
{
	struct design d = ch7_best(b, w, CH7_U384);
	const json_t *r = store_try(b, w, &d);
	double part = registers ? point_metric(r, "energy__registers.sum")
				: point_metric(r, "energy__shared.sum") +
					  point_metric(r, "energy__cache.sum");

	return 100 * part / point_metric(r, "energy__total.sum");
}

static void bank_claims(
	struct book *b, const char *claim, const char *text, bool registers, const double paper[2])
{
	double least = NAN, most = NAN;
	struct book_row row;

	for (unsigned i = 0; i < CH7_WORKLOADS; i++) {
		double v =
			ch7_at(b, i) < 0 ? NAN : bank_share(b, (unsigned)ch7_at(b, i), registers);

		book_tell(b, "% of the energy", v, "%s: %s", ch7_workloads[i], text);
		least = fmin(least, v);
		most = fmax(most, v);
	}
	row = book_band(claim, "% of the energy",
		band_between(paper[0], paper[0] / 2, 2 * paper[0]), ch7_has_all(b) ? least : NAN,
		"see each workload's row; whether the paper's share is of accesses with the "
		"register hierarchy is not known");
	book_sayf(b, &row, "%s: least", text);
	row.paper = paper[1];
	row.low = paper[1] / 2;
	row.high = 2 * paper[1];
	row.ours = ch7_has_all(b) ? most : NAN;
	book_sayf(b, &row, "%s: most", text);
}

static void fig78(struct book *b)
{
	struct six s = six_of(b, energy_saved, CH7_U384);
	bool whole = s.n == CH7_WORKLOADS;
	struct book_row row;

	tell_all(b, ch7_energy, "of the energy", false);
	row = book_band(
		"DIS-106", "% less energy", band_points(0, 2), whole ? s.v[0] : NAN, names(b, &s));
	book_sayf(b, &row, "unified 384: least");
	row = book_band("DIS-106", "% less energy", band_percent(20, 20),
		whole ? s.v[CH7_WORKLOADS - 1] : NAN, names(b, &s));
	book_sayf(b, &row, "unified 384: most");
	row = book_band("DIS-107", "of the energy", band_between(NAN, 1.05, 3),
		mean_energy(b, CH7_F256), "leakage of 0.52 mW/KB (energy.leakage)");
	book_sayf(b, &row, "256/256/256: mean (well above 1)");
	row.ours = mean_energy(b, CH7_F512);
	book_sayf(b, &row, "512/512/512: mean (well above 1)");
	bank_claims(b, "DIS-108", "banks of registers", true, (double[]){0.12, 1.16});
	bank_claims(
		b, "DIS-109", "banks of shared memory and cache", false, (double[]){0.004, 0.072});
}

/* ---- figure 7.9 */
/* The paper's own numbers are speed by energy, 1.756 / 0.8; a run's performance by its power is
 * work by energy alone. */
static double by_energy(struct book *b, unsigned w, enum ch7_design id)
{
	return ch7_speed(b, w, id) / ch7_energy(b, w, id);
}

static void fig79(struct book *b)
{
	static const double sorted[] = {0.2, 4, 10, 17, 20, 115};
	struct six s = six_of(b, by_energy, CH7_U384);
	struct book_row row;

	tell_all(b, by_energy, "speed by energy", false);
	say_sorted(b, "DIS-100", sorted, 2, &s);
	row = book_band("DIS-101", "% more", band_percent(120, 20),
		s.n == CH7_WORKLOADS ? s.v[CH7_WORKLOADS - 1] : NAN, names(b, &s));
	book_sayf(b, &row, "unified 384: most (115 elsewhere)");
	row = book_band("DIS-101", "% more", band_points(0, 1), of(&s, HOTSPOT), names(b, &s));
	book_sayf(b, &row, "unified 384: hotspot, none");
	say_count(b, "DIS-123", "unified 384: 10 % and more", 4, (double[]){10, 1e9}, &s);
	for (unsigned i = 0; i < CH7_WORKLOADS; i++)
		if (ch7_at(b, i) >= 0)
			book_tell(b, "% more work by energy",
				gain(1 / ch7_energy(b, (unsigned)ch7_at(b, i), CH7_U384)),
				"unified 384: %s, performance by power", ch7_workloads[i]);
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

const struct target ch7_traffic = {
	.order = 70,
	.name = "section7.5.2",
	.text = "DRAM traffic of the unified design.",
	.paper = &ch7_paper,
	.rows = traffic,
	.columns = CH7_BOTH,
	.takes = ch7_takes,
};

const struct target ch7_fig78 = {
	.order = 80,
	.name = "fig7.8",
	.text = "Energy of fixed, limited and unified designs, by capacity.",
	.paper = &ch7_paper,
	.rows = fig78,
	.columns = CH7_BOTH,
	.takes = ch7_takes,
	.plots = true,
};

const struct target ch7_fig79 = {
	.order = 90,
	.name = "fig7.9",
	.text = "Performance per watt, as the dissertation reckons it: speed by energy.",
	.paper = &ch7_paper,
	.rows = fig79,
	.columns = CH7_BOTH,
	.takes = ch7_takes,
	.plots = true,
};
