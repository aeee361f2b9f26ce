/* Figure 9: speed, DRAM traffic and energy of the unified design of 384 KB for the eight that gain.
 */
#include "papers/m12/spread.h"

#include <stdio.h>
#include <string.h>

static void one_gain(struct book *b, const struct m12_gain *g, unsigned w)
{
	struct design before = store_partitioned(""), after = store_unified(M12_LARGEST_KB, "");
	struct book_row speed = {"M12-001", "times as fast", "", g->speedup[M12_CAPACITIES - 1], 0,
		0, store_speedup(b, w, &before, &after), BOOK_BAND, NULL};
	struct book_row energy = {"M12-005", "of the energy", "", g->energy[M12_CAPACITIES - 1], 0,
		0, store_energy_ratio(b, w, &before, &after, NULL), BOOK_BAND, NULL};
	struct book_row dram = book_band("M12-082", "of the DRAM bytes",
		band_change(g->dram, 20, 0.05), store_dram_ratio(b, w, &before, &after), NULL);

	snprintf(speed.text, sizeof(speed.text), "%s: speed", g->name);
	m12_ratio(b, &speed);
	spread_say_one(b, &dram, "%s: DRAM traffic (from Table 1)", g->name);
	snprintf(energy.text, sizeof(energy.text), "%s: energy", g->name);
	m12_ratio(b, &energy);
}

struct all_gains {
	struct spread speed, dram, energy;
};

static struct all_gains gains_of(struct book *b)
{
	struct design before = store_partitioned(""), after = store_unified(M12_LARGEST_KB, "");
	struct all_gains all = {.speed = {.n = 0}};

	for (unsigned i = 0; i < M12_GAINS; i++) {
		int at = m12_at(b, i);
		unsigned w = (unsigned)at;

		if (at < 0)
			continue;
		spread_add(&all.speed, store_speedup(b, w, &before, &after), w);
		spread_add(&all.energy, store_energy_ratio(b, w, &before, &after, NULL), w);
		if (strcmp(m12_gains[i].workload, "dgemm") != 0)
			spread_add(&all.dram, store_dram_ratio(b, w, &before, &after), w);
	}
	return all;
}

static void two_ends(struct book *b, const char *claim, const char *unit, const char *what,
	const double paper[2], const struct spread *s, unsigned all)
{
	struct book_row least = book_band(claim, unit, band_between(paper[0], paper[0], paper[1]),
		spread_or_nan(s, s->least), s->n ? book_workload(b, s->at_least) : NULL);
	struct book_row most = book_band(claim, unit, band_between(paper[1], paper[0], paper[1]),
		spread_or_nan(s, s->most), s->n ? book_workload(b, s->at_most) : NULL);

	spread_say(b, &least, "%s: least", what, (unsigned[]){s->n, all});
	spread_say(b, &most, "%s: most", what, (unsigned[]){s->n, all});
}

static void gain_means(struct book *b)
{
	struct all_gains all = gains_of(b);
	struct book_row speed = book_band(
		"M12-002", "times as fast", m12_mean_speed(), spread_mean(&all.speed), NULL);

	two_ends(b, "M12-001", "times as fast", "speed", (double[]){1.042, 1.708}, &all.speed,
		M12_GAINS);
	spread_say(b, &speed, "%s", "speed: arithmetic mean", (unsigned[]){all.speed.n, M12_GAINS});
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
	struct design before = store_partitioned(""), after = store_unified(M12_LARGEST_KB, "");

	for (unsigned k = 0; k < ARRAY_LEN(readings); k++) {
		struct spread s = {0};

		for (unsigned i = 0; i < M12_GAINS; i++) {
			int w = m12_at(b, i);

			if (w >= 0)
				spread_add(&s,
					store_energy_ratio(
						b, (unsigned)w, &before, &after, &readings[k].how),
					(unsigned)w);
		}
		book_tell(b, "of the energy", spread_mean(&s), "energy: arithmetic mean, %s",
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

const struct target m12_fig9 = {
	.order = 90,
	.name = "fig9",
	.text = "Unified, 384 KB: speed, DRAM traffic, energy of the eight that gain.",
	.paper = &m12_paper,
	.rows = fig9,
	.takes = m12_gains_from,
	.columns = STORE_BOTH,
};
