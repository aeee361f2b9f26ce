/* Table 6: the unified design with 128, 256 and 384 KB. */
#include "papers/m12/m12.h"

#include "papers/m12/table1_rows.h"

#include <stdio.h>
#include <string.h>

#define SLOWEST 3u /* are named */

static double speed(struct book *b, unsigned w, unsigned k)
{
	struct design before = store_partitioned(""),
		      after = store_unified(m12_capacities_kb[k], "");

	return store_speedup(b, w, &before, &after);
}

static double energy(struct book *b, unsigned w, unsigned k, const struct store_energy *how)
{
	struct design before = store_partitioned(""),
		      after = store_unified(m12_capacities_kb[k], "");

	return store_energy_ratio(b, w, &before, &after, how);
}

static void plot(struct book *b, const struct m12_gain *g, unsigned k, const double ours[2])
{
	const double y[] = {ours[0], ours[1], g->speedup[k], g->energy[k]};
	static const char *const series[] = {
		"speed", "energy", BOOK_PAPER ": speed", BOOK_PAPER ": energy"};

	for (unsigned i = 0; i < ARRAY_LEN(series); i++)
		book_plot(b, &(struct book_dot){g->name, series[i], "KB of storage",
				     "of partitioned", m12_capacities_kb[k], y[i]});
}

static void one(struct book *b, const struct m12_gain *g, unsigned row, unsigned w)
{
	static const char *const claims[M12_GAINS][2] = {{"M12-020", "M12-021"},
		{"M12-022", "M12-023"}, {"M12-024", "M12-025"}, {"M12-026", "M12-027"},
		{"M12-028", "M12-029"}, {"M12-030", "M12-031"}, {"M12-032", "M12-033"},
		{"M12-034", "M12-035"}};
	struct book_row r = {.judge = BOOK_BAND};

	for (unsigned k = 0; k < M12_CAPACITIES; k++) {
		const double ours[] = {speed(b, w, k), energy(b, w, k, NULL)};

		plot(b, g, k, ours);
		r.claim = claims[row][0];
		r.unit = "times as fast";
		r.paper = g->speedup[k];
		r.ours = ours[0];
		snprintf(r.text, sizeof(r.text), "%s: speed, %u KB", g->name, m12_capacities_kb[k]);
		m12_ratio(b, &r);
		r.claim = claims[row][1];
		r.unit = "of the energy";
		r.paper = g->energy[k];
		r.ours = ours[1];
		snprintf(
			r.text, sizeof(r.text), "%s: energy, %u KB", g->name, m12_capacities_kb[k]);
		m12_ratio(b, &r);
	}
}

/* ---- averages */
struct means_by_kb {
	struct means speed, energy;
};

/* `list` NULL: the eight that gain. */
static struct means_by_kb average(struct book *b, const unsigned *list, unsigned n, unsigned k,
	const struct store_energy *how)
{
	double s[TABLE1_ROWS], e[TABLE1_ROWS];
	unsigned m = 0;

	for (unsigned i = 0; i < n; i++) {
		int w = list ? (int)list[i] : m12_at(b, i);

		if (w < 0)
			continue;
		s[m] = speed(b, (unsigned)w, k);
		e[m++] = energy(b, (unsigned)w, k, how);
	}
	return (struct means_by_kb){means_of(s, m), means_of(e, m)};
}

/* The three that are slowest, and the others' mean. */
static const char *slowest(struct book *b, const unsigned *others, unsigned n, unsigned k)
{
	struct book_ranked list[TABLE1_ROWS];

	for (unsigned i = 0; i < n; i++)
		list[i] = (struct book_ranked){others[i], speed(b, others[i], k)};
	return book_rank(b, list, n, &(struct book_ranking){SLOWEST, -INFINITY, true, 3});
}

static void say_average(
	struct book *b, const char *what, unsigned k, const unsigned of[2], struct book_row r)
{
	snprintf(r.text, sizeof(r.text), "%s, %u KB", what, m12_capacities_kb[k]);
	m12_say_all(b, &r, of[0], of[1]);
}

static void averages(struct book *b, unsigned gaining, const unsigned *others, unsigned n)
{
	const unsigned eight[] = {gaining, M12_GAINS}, rest[] = {n, M12_OTHERS};
	static const double speeds[] = {0.97, 1.14, 1.16}, energies[] = {0.98, 0.87, 0.87},
			    flat[] = {0.99, 1.00, 1.00}, less[] = {0.93, 0.96, 1.00};
	static const struct store_energy literal = {"literal", false}, fit = {"fit", false};

	for (unsigned k = 0; k < M12_CAPACITIES && gaining; k++) {
		struct means_by_kb gain = average(b, NULL, M12_GAINS, k, NULL);

		say_average(b, "the eight: speed, arithmetic mean", k, eight,
			book_band("M12-036", "times as fast", band_points(speeds[k], 0.03),
				gain.speed.arithmetic, NULL));
		say_average(b, "the eight: energy, harmonic mean", k, eight,
			book_band("M12-037", "of the energy", band_points(energies[k], 0.03),
				gain.energy.harmonic, NULL));
	}
	for (unsigned k = 0; k < M12_CAPACITIES && n; k++) {
		struct means_by_kb mean = average(b, others, n, k, NULL);

		say_average(b, "the others: speed, arithmetic mean", k, rest,
			book_band("M12-038", "times as fast", band_points(flat[k], 0.01),
				mean.speed.arithmetic, slowest(b, others, n, k)));
		say_average(b, "the others: energy, arithmetic mean", k, rest,
			book_band("M12-039", "of the energy", band_points(less[k], 0.02),
				mean.energy.arithmetic, NULL));
		book_tell(b, "of the energy", average(b, others, n, k, &literal).energy.arithmetic,
			"the others: energy with leakage 'literal', %u KB", m12_capacities_kb[k]);
		book_tell(b, "of the energy", average(b, others, n, k, &fit).energy.arithmetic,
			"the others: energy with leakage 'fit', %u KB", m12_capacities_kb[k]);
	}
}

/* The same means of those that no table chose. */
static void without_fitted(struct book *b, const unsigned *others, unsigned n)
{
	unsigned rest[TABLE1_ROWS], left = m12_not_fitted(b, others, n, rest);

	for (unsigned k = 0; k < M12_CAPACITIES && left < n; k++) {
		struct means_by_kb mean = average(b, rest, left, k, NULL);

		book_tell(b, "times as fast", mean.speed.arithmetic,
			"the others without fitted: speed, arithmetic mean, %u KB",
			m12_capacities_kb[k]);
		book_tell(b, "of the energy", mean.energy.arithmetic,
			"the others without fitted: energy, arithmetic mean, %u KB",
			m12_capacities_kb[k]);
	}
}

/* ---- the best capacity */
#define TIE 0.005

/* Whether no capacity is better than k by more than a tie. */
static bool is_best(const double v[M12_CAPACITIES], unsigned k, bool most)
{
	for (unsigned i = 0; i < M12_CAPACITIES; i++)
		if (most ? v[i] > v[k] + TIE : v[i] < v[k] - TIE)
			return false;
	return true;
}

static void count_row(struct book *b, const char *claim, const char *text, unsigned n, double ours)
{
	m12_say_text(b, text, book_band(claim, "workloads", band_exact(M12_GAINS), ours, NULL), n,
		M12_GAINS);
}

static void best(struct book *b, unsigned gaining, const unsigned *others, unsigned n)
{
	double small[M12_CAPACITIES];
	unsigned fastest = 0, thriftiest = 0;

	for (unsigned i = 0; i < M12_GAINS; i++) {
		int at = m12_at(b, i);
		double s[M12_CAPACITIES], e[M12_CAPACITIES];
		bool is_needle = !strcmp(m12_gains[i].workload, "needle");

		for (unsigned k = 0; k < M12_CAPACITIES && at >= 0; k++) {
			s[k] = speed(b, (unsigned)at, k);
			e[k] = energy(b, (unsigned)at, k, NULL);
		}
		if (at < 0)
			continue;
		fastest += is_best(s, is_needle ? 1 : 2, true);
		thriftiest += is_best(e, 1, false) || is_best(e, 2, false);
	}
	for (unsigned k = 0; k < M12_CAPACITIES; k++)
		small[k] = average(b, others, n, k, NULL).energy.arithmetic;
	if (gaining) {
		count_row(
			b, "M12-040", "fastest with 384 KB, needle with 256 KB", gaining, fastest);
		count_row(b, "M12-042", "least energy with 256 or 384 KB", gaining, thriftiest);
	}
	if (n)
		m12_say_text(b, "the others: least energy with 128 KB",
			book_band(
				"M12-041", "1: so", band_exact(1), is_best(small, 0, false), NULL),
			n, M12_OTHERS);
}

static void rows(struct book *b)
{
	unsigned others[TABLE1_ROWS], n = m12_others(b, others);
	unsigned gaining = 0;

	for (unsigned i = 0; i < M12_GAINS; i++) {
		int w = m12_at(b, i);

		gaining += w >= 0;
		if (w >= 0)
			one(b, &m12_gains[i], i, (unsigned)w);
	}
	averages(b, gaining, others, n);
	without_fitted(b, others, n);
	best(b, gaining, others, n);
}

const struct target m12_table6 = {
	.order = 130,
	.name = "table6",
	.text = "Unified of 128, 256 and 384 KB: speed and energy against partitioned.",
	.paper = &m12_paper,
	.rows = rows,
	.columns = STORE_BOTH,
	.plots = true,
};
