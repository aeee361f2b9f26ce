/* Figures 7, 9 and 10: what workloads gain from the unified design of 384 KB, and from a Fermi-like
 * one. */
#include "papers/m12/m12.h"

#include "papers/causes.h"
#include "papers/m12/table1_rows.h"

#include <stdio.h>
#include <string.h>

#define LARGEST_KB 384
#define NO_CONFLICTS "sm.bank_conflicts=none"

/* A value for each workload of a set, and where it is least and most. */
struct spread {
	double least, most, sum;
	unsigned n, at_least, at_most;
};

static void add(struct spread *s, double v, unsigned workload)
{
	if (!s->n || v < s->least) {
		s->least = v;
		s->at_least = workload;
	}
	if (!s->n || v > s->most) {
		s->most = v;
		s->at_most = workload;
	}
	s->sum += v;
	s->n++;
}

static double mean(const struct spread *s)
{
	return s->n ? s->sum / s->n : NAN;
}

static double or_nan(const struct spread *s, double v)
{
	return s->n ? v : NAN;
}

/* A row of `of[0]` workloads together, where the paper's is of of[1]. */
static void say_all(struct book *b, const struct book_row *row, const char *format,
	const char *name, const unsigned of[2])
{
	struct book_row r = *row;

	snprintf(r.text, sizeof(r.text), format, name);
	m12_say_all(b, &r, of[0], of[1]);
}

static void say(struct book *b, const struct book_row *row, const char *format, const char *name)
{
	say_all(b, row, format, name, (unsigned[]){1, 1});
}

/* ---- figure 9 */
/* What the workload's time goes to, and what the gain would be without conflicts. */
static const char *speed_cause(struct book *b, unsigned w)
{
	struct design before = store_partitioned(""), after = store_unified(LARGEST_KB, "");
	struct design free_before = store_partitioned(NO_CONFLICTS),
		      free_after = store_unified(LARGEST_KB, NO_CONFLICTS);
	double without = store_speedup(b, w, &free_before, &free_after);
	const char *known = store_cause(book_workload(b, w), book_column(b), "speedup");
	const char *change = store_change_words(b, w, &before, &after);

	return book_words(b, "%s; %.3f without bank conflicts; %s", known ? known : "not found",
		without, change ? change : "");
}

static void one_gain(struct book *b, const struct m12_gain *g, unsigned w)
{
	struct design before = store_partitioned(""), after = store_unified(LARGEST_KB, "");
	double paper = g->dram, around = fmax(0.05, 0.2 * (1 - paper));
	struct book_row speed = {"M12-001", "times as fast", "", g->speedup[M12_CAPACITIES - 1], 0,
		0, store_speedup(b, w, &before, &after), BOOK_BAND, speed_cause(b, w)};
	struct book_row energy = {"M12-005", "of the energy", "", g->energy[M12_CAPACITIES - 1], 0,
		0, store_energy_ratio(b, w, &before, &after, NULL), BOOK_BAND,
		"follows the speedup and DRAM's traffic"};
	struct book_row dram = book_band("M12-082", "of the DRAM bytes", band_points(paper, around),
		store_dram_ratio(b, w, &before, &after),
		store_cause(g->workload, book_column(b), "dram"));

	snprintf(speed.text, sizeof(speed.text), "%s: speed", g->name);
	m12_ratio(b, &speed);
	say(b, &dram, "%s: DRAM traffic (from Table 1)", g->name);
	snprintf(energy.text, sizeof(energy.text), "%s: energy", g->name);
	m12_ratio(b, &energy);
}

struct all_gains {
	struct spread speed, dram, energy;
};

static struct all_gains gains_of(struct book *b)
{
	struct design before = store_partitioned(""), after = store_unified(LARGEST_KB, "");
	struct all_gains all = {.speed = {.n = 0}};

	for (unsigned i = 0; i < M12_GAINS; i++) {
		int at = m12_at(b, i);
		unsigned w = (unsigned)at;

		if (at < 0)
			continue;
		add(&all.speed, store_speedup(b, w, &before, &after), w);
		add(&all.energy, store_energy_ratio(b, w, &before, &after, NULL), w);
		if (strcmp(m12_gains[i].workload, "dgemm") != 0)
			add(&all.dram, store_dram_ratio(b, w, &before, &after), w);
	}
	return all;
}

static void two_ends(struct book *b, const char *claim, const char *unit, const char *what,
	const double paper[2], const struct spread *s, unsigned all)
{
	struct book_row least = book_band(claim, unit, band_between(paper[0], paper[0], paper[1]),
		or_nan(s, s->least), s->n ? book_workload(b, s->at_least) : NULL);
	struct book_row most = book_band(claim, unit, band_between(paper[1], paper[0], paper[1]),
		or_nan(s, s->most), s->n ? book_workload(b, s->at_most) : NULL);

	say_all(b, &least, "%s: least", what, (unsigned[]){s->n, all});
	say_all(b, &most, "%s: most", what, (unsigned[]){s->n, all});
}

static void gain_means(struct book *b)
{
	struct all_gains all = gains_of(b);
	struct book_row speed = book_band("M12-002", "times as fast",
		band_between(1.162, 1.14, 1.18), mean(&all.speed), CAUSE_ROWS);

	two_ends(b, "M12-001", "times as fast", "speed", (double[]){1.042, 1.708}, &all.speed,
		M12_GAINS);
	say_all(b, &speed, "%s", "speed: arithmetic mean", (unsigned[]){all.speed.n, M12_GAINS});
	two_ends(b, "M12-003", "of the DRAM bytes", "DRAM traffic without dgemm's",
		(double[]){0.68, 0.99}, &all.dram, M12_GAINS - 1);
	two_ends(b, "M12-005", "of the energy", "energy", (double[]){0.67, 0.972}, &all.energy,
		M12_GAINS);
}

/* Means of the energy as the paper can be read otherwise. */
static void other_readings(struct book *b)
{
	static const struct {
		const char *text;
		struct store_energy how;
	} readings[] = {{"constant power, leakage 'literal'", {"literal", false}},
		{"constant power, leakage 'fit'", {"fit", false}},
		{"constant work, leakage 'split'", {"split", true}}};
	struct design before = store_partitioned(""), after = store_unified(LARGEST_KB, "");

	for (unsigned k = 0; k < ARRAY_LEN(readings); k++) {
		struct spread s = {0};

		for (unsigned i = 0; i < M12_GAINS; i++) {
			int w = m12_at(b, i);

			if (w >= 0)
				add(&s,
					store_energy_ratio(
						b, (unsigned)w, &before, &after, &readings[k].how),
					(unsigned)w);
		}
		book_tell(b, "of the energy", mean(&s), "energy: arithmetic mean, %s",
			readings[k].text);
	}
}

static void fig9(struct book *b)
{
	for (unsigned i = 0; i < M12_GAINS; i++) {
		int w = m12_at(b, i);

		if (w >= 0)
			one_gain(b, &m12_gains[i], (unsigned)w);
	}
	gain_means(b);
	other_readings(b);
}

/* ---- figure 7 */
static void one_other(struct book *b, unsigned w)
{
	struct design before = store_partitioned(""), after = store_unified(LARGEST_KB, "");
	double cycles = store_cycles(b, w, &after) - store_cycles(b, w, &before);
	struct book_row speed = book_band("M12-007", "times as fast", band_points(1, 0.01),
		store_speedup(b, w, &before, &after), NULL);
	const char *known = store_cause(book_workload(b, w), book_column(b), "speedup");

	speed.cause = book_words(b,
		"%s: %+.0f cycles; conflicts of memory %+.0f, of arbitration "
		"%.0f; DRAM %+.1f %%; threads %.0f and %.0f",
		known ? known : "not found", cycles,
		store_metric(b, w, &after, "l1tex__data_bank_conflicts_pipe_lsu.sum") -
			store_metric(b, w, &before, "l1tex__data_bank_conflicts_pipe_lsu.sum"),
		store_metric(b, w, &after, "bank__conflicts_arbitration.sum"),
		100 * (store_dram_ratio(b, w, &before, &after) - 1),
		store_partition_of(store_report(b, w, &before)).threads,
		store_partition_of(store_report(b, w, &after)).threads);
	say(b, &speed, "%s: speed", book_workload(b, w));
	book_tell(b, "of the energy", store_energy_ratio(b, w, &before, &after, NULL), "%s: energy",
		book_workload(b, w));
}

/* Of all energy, what banks take. */
static double banks_share(struct book *b, unsigned w)
{
	struct design after = store_unified(LARGEST_KB, "");

	return (store_metric(b, w, &after, "energy__registers.sum") +
		       store_metric(b, w, &after, "energy__upper_registers.sum") +
		       store_metric(b, w, &after, "energy__shared.sum") +
		       store_metric(b, w, &after, "energy__cache.sum")) /
	       store_metric(b, w, &after, "energy__total.sum");
}

static void fig7(struct book *b)
{
	struct design before = store_partitioned(""), after = store_unified(LARGEST_KB, "");
	struct spread speed = {0}, energy = {0}, banks = {0};
	unsigned list[TABLE1_ROWS], n = m12_others(b, list);
	struct book_row most, average, share;

	for (unsigned i = 0; i < n; i++) {
		unsigned w = list[i];

		one_other(b, w);
		add(&speed, store_speedup(b, w, &before, &after), w);
		add(&energy, store_energy_ratio(b, w, &before, &after, NULL), w);
		add(&banks, banks_share(b, w), w);
	}
	most = book_band("M12-008", "of the energy", band_between(1.009, 1, 1.009),
		or_nan(&energy, energy.most), n ? book_workload(b, energy.at_most) : NULL);
	average = book_band("M12-009", "of the energy", band_between(0.9994, 0.99, 1.009),
		mean(&energy), CAUSE_ROWS);
	share = book_band(
		"M12-081", "of the energy", band_between(NAN, 0, 0.02), mean(&banks), CAUSE_BANKS);
	book_tell(b, "times as fast", mean(&speed), "speed: arithmetic mean");
	say_all(b, &most, "%s", "energy: most (the paper: nn)", (unsigned[]){n, M12_OTHERS});
	say_all(b, &average, "%s", "energy: arithmetic mean", (unsigned[]){n, M12_OTHERS});
	say_all(b, &share, "%s", "banks' share of the energy, unified (small)",
		(unsigned[]){n, M12_OTHERS});
}

/* ---- figure 10 */
/* The split with which the workload is faster. */
static struct design best_split(struct book *b, unsigned w)
{
	struct design first = store_fermi(1, ""), second = store_fermi(2, "");

	return store_cycles(b, w, &first) <= store_cycles(b, w, &second) ? first : second;
}

static const char *fermi_cause(struct book *b, unsigned w)
{
	struct design best = best_split(b, w);
	const char *words = store_time_words(b, w, &best);
	const char *known = store_cause(book_workload(b, w), book_column(b), "fermi");
	struct store_partition p = store_partition_of(store_report(b, w, &best));

	return book_words(b, "%s. %.0f KB shared, %.0f KB cache: %s", known ? known : "not found",
		p.shared_kb, p.cache_kb, words ? words : "");
}

static void one_fermi(struct book *b, const struct m12_gain *g, unsigned w)
{
	struct design before = store_partitioned(""), fermi = best_split(b, w),
		      after = store_unified(LARGEST_KB, "");
	bool is_better = strcmp(g->workload, "mummer") != 0;
	struct book_row gain = book_band("M12-071", "times as fast", band_between(NAN, 1.01, 1.2),
		store_speedup(b, w, &before, &fermi), fermi_cause(b, w));
	struct book_row other = book_band("M12-072", "times as fast",
		is_better ? band_between(NAN, 1, 2) : band_between(NAN, 0.5, 1),
		store_speedup(b, w, &fermi, &after), CAUSE_ROWS);

	say(b, &gain, "%s: Fermi-like, by partitioned", g->name);
	say(b, &other,
		is_better ? "%s: unified, by Fermi-like (above 1)"
			  : "%s: unified, by Fermi-like (below 1)",
		g->name);
}

static void fig10(struct book *b)
{
	struct design after = store_unified(LARGEST_KB, ""), before = store_partitioned("");
	struct spread energy = {0}, dram = {0};
	struct book_row row;

	for (unsigned i = 0; i < M12_GAINS; i++) {
		int at = m12_at(b, i);
		unsigned w = (unsigned)at;
		struct design fermi;

		if (at < 0)
			continue;
		fermi = best_split(b, w);
		one_fermi(b, &m12_gains[i], w);
		add(&energy,
			store_energy_ratio(b, w, &before, &after, NULL) /
				store_energy_ratio(b, w, &before, &fermi, NULL),
			w);
		add(&dram, store_dram_ratio(b, w, &fermi, &after), w);
	}
	row = book_band(
		"M12-073", "of the energy", band_between(NAN, 0.5, 1), mean(&energy), CAUSE_ROWS);
	say_all(b, &row, "%s", "energy of unified by Fermi-like: mean (below 1)",
		(unsigned[]){energy.n, M12_GAINS});
	row = book_band(
		"M12-073", "of the DRAM bytes", band_between(NAN, 0.5, 1), mean(&dram), CAUSE_ROWS);
	say_all(b, &row, "%s", "DRAM traffic of unified by Fermi-like: mean (below 1)",
		(unsigned[]){dram.n, M12_GAINS});
}

const struct target m12_fig7 = {
	.order = 70,
	.name = "fig7",
	.text = "Unified, 384 KB: the 18 workloads without a benefit.",
	.paper = &m12_paper,
	.rows = fig7,
	.takes = m12_is_other,
	.columns = STORE_ALL,
};

const struct target m12_fig9 = {
	.order = 90,
	.name = "fig9",
	.text = "Unified, 384 KB: speed, DRAM traffic, energy of the eight that gain.",
	.paper = &m12_paper,
	.rows = fig9,
	.takes = m12_gains_from,
	.columns = STORE_ALL,
};

const struct target m12_fig10 = {
	.order = 120,
	.name = "fig10",
	.text = "A Fermi-like design (the better of two splits) beside the unified one.",
	.paper = &m12_paper,
	.rows = fig10,
	.takes = m12_gains_from,
	.columns = STORE_ALL,
};
