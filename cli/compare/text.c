/* A comparison as text. */
#include "cli/compare/compare.h"

#include "draw/number.h"
#include "runs/report.h"
#include "runs/work.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define BAR 32
#define TARGET 24 /* columns of a target's name */

char *compare_number(double v, unsigned decimals, char *out)
{
	if (isnan(v))
		snprintf(out, 32, "-");
	else if (!decimals && v >= 0 && v < 1e15)
		number_grouped((uint64_t)llround(v), out);
	else
		snprintf(out, 32, "%.*f", (int)decimals, v);
	return out;
}

char *compare_percent(double v, char *out)
{
	if (isnan(v))
		snprintf(out, 32, "-");
	else
		snprintf(out, 32, "%+.1f %%", fabs(v) < 0.05 ? 0 : v);
	return out;
}

unsigned compare_count(const struct options *o, enum work_kind kind)
{
	unsigned n = 0;

	for (unsigned i = 0; i < o->operands.n; i++)
		n += work_kind(o->operands.at[i]) == kind;
	return n;
}

const char *compare_chip(const struct options *o)
{
	bool own = compare_count(o, WORK_SCENARIO) && !o->together;

	return o->run.chip || own ? o->run.chip : "m12";
}

void compare_title(const struct options *o, struct text *out)
{
	unsigned workloads = compare_count(o, WORK_WORKLOAD);

	text_add(out, "warpbeam %s (%s): ", program_version(), program_build());
	for (unsigned i = 0; i < o->operands.n; i++)
		text_add(out, "%s%s", i ? ", " : "", o->operands.at[i]);
	text_add(out, "\n");
	if (workloads)
		text_add(out, "%ssize %s, seed %" PRIu64 ", %u-bit addresses, ",
			workloads < o->operands.n ? "workloads: " : "",
			o->run.size ? "full" : "small", o->run.seed, o->run.wide ? 64 : 32);
	text_add(out, "chip %s", compare_chip(o) ? compare_chip(o) : "as in the scenario");
	if (o->level)
		text_add(out, ", concurrency %s", o->level);
	text_add(out, "\n");
}

static void legend(const struct subject *s, struct text *out)
{
	char share[32], all[32];

	text_add(out,
		"The shortcut: one SM alone, %s of the chip's %s B/ns, no network, no L2, the same "
		"latency.\n",
		report_real(s->share_bytes_per_ns, share), report_real(s->bytes_per_ns, all));
	text_add(out, "  whole: all CTAs through it; cycles are divided by %u\n", s->sms);
	text_add(out,
		"  share: CTAs 0, %u, %u, .. of every launch; bytes and instructions count, launch "
		"by launch,\n         by all its CTAs / those CTAs\n",
		s->sms, 2 * s->sms);
}

/* The runs that a limit stopped, by name; returns how many there are. */
static unsigned stopped_runs(const struct subject *s, struct text *out)
{
	unsigned n = 0;

	for (unsigned v = 0; v < VARIANTS; v++)
		if (s->outcome[v].stopped)
			text_add(out, "%s%s", n++ ? ", " : "", variants[v].name);
	return n;
}

/* ---- one target */
/* Bytes have their unit beside each number. */
static bool is_scaled(const struct figure_def *d)
{
	return !strcmp(d->unit, "bytes");
}

static char *figure_number(double v, const struct figure_def *d, char out[32])
{
	return is_scaled(d) && !isnan(v) ? number_bytes(v, out)
					 : compare_number(v, d->decimals, out);
}

static void judged(double v, const struct figure_def *d, double chip, struct text *out)
{
	char number[32], percent[32];

	text_add(out, "\t%15s\t%9s", figure_number(v, d, number),
		d->judged ? compare_percent(error_pct(v, chip), percent) : "");
}

static void figure_lines(const struct subject *s, struct text *out)
{
	const struct outcome *o = s->outcome;
	char number[32];

	text_add(out, "\v%-*s\t%15s\t%15s\t%9s\t%15s\t%9s\n", TARGET, s->target, "chip", "whole",
		"error", "share", "error");
	for (unsigned i = 0; i < FIGURES; i++) {
		const struct figure_def *d = &figure_defs[i];
		double chip = o[VARIANT_CHIP].figure[i];

		text_add(out, "%-*s\t%15s", TARGET, d->label, figure_number(chip, d, number));
		judged(o[VARIANT_WHOLE].figure[i], d, chip, out);
		judged(o[VARIANT_SHARE].figure[i], d, chip, out);
		text_add(out, " \t%s\n", is_scaled(d) ? "" : d->unit);
	}
}

static void stall_lines(const struct subject *s, struct text *out)
{
	static const enum variant_id shown[] = {VARIANT_CHIP, VARIANT_WHOLE, VARIANT_SHARE};

	for (unsigned i = 0; i < STALLS; i++) {
		double most = 0;
		char number[32];

		for (unsigned k = 0; k < ARRAY_LEN(shown); k++)
			most = fmax(most, s->outcome[shown[k]].stall[i]);
		if (most < 0.05)
			continue;
		text_add(out, "%-*s", TARGET, stall_defs[i].name);
		for (unsigned k = 0; k < ARRAY_LEN(shown); k++)
			text_add(out, k ? "\t%15s\t         " : "\t%15s",
				compare_number(s->outcome[shown[k]].stall[i], 1, number));
		text_add(out, " \t%% of cycles\n");
	}
}

static void bar(double part, struct text *out)
{
	unsigned n = (unsigned)lround(part * BAR);

	for (unsigned i = 0; i < n; i++)
		text_add(out, "#");
	text_add(out, "\n");
}

static void rung_line(const struct subject *s, unsigned i, double most, struct text *out)
{
	double now = rung_figure(s, i, FIGURE_CHIP_CYCLES);
	char cycles[32], bytes[32], by[32] = "", by_bytes[32] = "";

	if (i) {
		compare_percent(rung_change_pct(s, i, FIGURE_CHIP_CYCLES), by);
		compare_percent(rung_change_pct(s, i, FIGURE_BYTES), by_bytes);
	}

	text_add(out, "%-36s\t%13s\t%9s\t%15s\t%9s \t", rung_text(s, i),
		compare_number(now, 0, cycles), by,
		figure_number(rung_figure(s, i, FIGURE_BYTES), &figure_defs[FIGURE_BYTES], bytes),
		by_bytes);
	if (rung_stopped(s, i))
		text_add(out, "limit\n");
	else
		bar(most > 0 && now > 0 ? now / most : 0, out);
}

static void ladder(const struct subject *s, struct text *out)
{
	double most = 0;

	text_add(out, "\n\v%-36s\t%13s\t%9s\t%15s\t%9s\n", "the ladder", "cycles", "change",
		"DRAM bytes", "change");
	for (unsigned i = 0; i < nrungs; i++)
		most = fmax(most, rung_figure(s, i, FIGURE_CHIP_CYCLES));
	for (unsigned i = 0; i < nrungs; i++)
		rung_line(s, i, most, out);
}

/* ---- several targets */
/* A column of the table of several targets: a ratio to the chip's. */
struct column {
	const char *name;
	enum variant_id variant;
	enum figure_id figure;
};

static const struct column columns[] = {
	{"whole, cycles", VARIANT_WHOLE, FIGURE_CHIP_CYCLES},
	{"share, cycles", VARIANT_SHARE, FIGURE_CHIP_CYCLES},
	{"whole, DRAM", VARIANT_WHOLE, FIGURE_BYTES},
	{"share, DRAM", VARIANT_SHARE, FIGURE_BYTES},
};

static double column_error(const struct subject *s, const struct column *c)
{
	return error_pct(s->outcome[c->variant].figure[c->figure],
		s->outcome[VARIANT_CHIP].figure[c->figure]);
}

static void target_line(const struct subject *s, struct text *out)
{
	const double *chip = s->outcome[VARIANT_CHIP].figure;
	char number[32], ipc[32], bytes[32];
	struct text runs = {0};

	text_add(out, "%-*.*s\t%13s\t%8s\t%15s", TARGET - 8, TARGET - 8, s->target,
		compare_number(chip[FIGURE_CHIP_CYCLES], 0, number),
		compare_number(chip[FIGURE_IPC], 3, ipc),
		figure_number(chip[FIGURE_BYTES], &figure_defs[FIGURE_BYTES], bytes));
	for (unsigned i = 0; i < ARRAY_LEN(columns); i++)
		text_add(out, "\t%14s", compare_percent(column_error(s, &columns[i]), number));
	text_add(out, "%s\n", stopped_runs(s, &runs) ? "  limit" : "");
	text_clear(&runs);
}

static void mean_lines(const struct comparison *c, struct text *out)
{
	double v[COMPARE_TARGETS], size[COMPARE_TARGETS];
	struct means ratio[ARRAY_LEN(columns)], absolute[ARRAY_LEN(columns)], ipc;
	char number[32];

	for (unsigned k = 0; k < ARRAY_LEN(columns); k++) {
		for (unsigned i = 0; i < c->n; i++) {
			double e = column_error(&c->base[i], &columns[k]);

			v[i] = 1 + e / 100;
			size[i] = fabs(e);
		}
		ratio[k] = means_of(v, c->n);
		absolute[k] = means_of(size, c->n);
	}
	for (unsigned i = 0; i < c->n; i++)
		v[i] = c->base[i].outcome[VARIANT_CHIP].figure[FIGURE_IPC];
	ipc = means_of(v, c->n);
	text_add(out, "mean: harmonic (IPC),\tgeometric\t%8s\t%15s",
		compare_number(ipc.harmonic, 3, number), "");
	for (unsigned k = 0; k < ARRAY_LEN(columns); k++)
		text_add(out, "\t%14s", compare_percent(100 * (ratio[k].geometric - 1), number));
	text_add(out, "\nmean of the\terrors' sizes     \t%8s\t%15s", "", "");
	for (unsigned k = 0; k < ARRAY_LEN(columns); k++)
		text_add(out, "\t%12s %%", compare_number(absolute[k].arithmetic, 1, number));
	text_add(out, "\n");
}

static void target_table(const struct comparison *c, struct text *out)
{
	text_add(out, "\n\v%-*s\t%13s\t%8s\t%15s", TARGET - 8, "error of", "chip cycles", "IPC/SM",
		"DRAM bytes");
	for (unsigned i = 0; i < ARRAY_LEN(columns); i++)
		text_add(out, "\t%14s", columns[i].name);
	text_add(out, "\n");
	for (unsigned i = 0; i < c->n; i++)
		target_line(&c->base[i], out);
	mean_lines(c, out);
}

static double rung_ratio(const struct subject *s, unsigned rung, enum figure_id figure)
{
	return rung_figure(s, rung, figure) / s->outcome[VARIANT_CHIP].figure[figure];
}

/* Of targets on different chips: as without banks. */
static const char *common_text(const struct comparison *c, unsigned rung)
{
	const char *text = rung_text(&c->base[0], rung);

	for (unsigned i = 1; i < c->n; i++)
		if (c->base[i].banked != c->base[0].banked)
			return rungs[rung].text;
	return text;
}

/* Cycles or bytes of every rung, the chip's being 1. */
static void ladder_table(
	const struct comparison *c, enum figure_id figure, const char *what, struct text *out)
{
	text_add(out, "\nthe ladder: %s, the chip's = 1\n\v%-36s", what, "");
	for (unsigned i = 0; i < c->n; i++)
		text_add(out, "\t%11.11s", c->base[i].target);
	text_add(out, "\t%11s\n", "geometric");
	for (unsigned k = 0; k < nrungs; k++) {
		double v[COMPARE_TARGETS], mean;
		char number[32];

		for (unsigned i = 0; i < c->n; i++)
			v[i] = rung_ratio(&c->base[i], k, figure);
		mean = means_of(v, c->n).geometric;
		text_add(out, "%-36s", common_text(c, k));
		for (unsigned i = 0; i < c->n; i++)
			text_add(out, "\t%11s",
				rung_stopped(&c->base[i], k) ? "limit"
							     : compare_number(v[i], 3, number));
		text_add(out, "\t%11s \t", compare_number(mean, 3, number));
		bar(mean > 0 ? fmin(mean / 2, 1.5) : 0, out);
	}
}

/* ---- a second configuration */
static void against_table(const struct comparison *c, struct text *out)
{
	static const enum variant_id shown[] = {VARIANT_CHIP, VARIANT_WHOLE, VARIANT_SHARE};
	double v[ARRAY_LEN(shown)][COMPARE_TARGETS], mean[ARRAY_LEN(shown)];
	char number[32], percent[32];

	text_add(out, "\nspeedup against %s\n\v%-*s\t%9s\t%9s\t%9s\t%9s\t%9s\n", c->against_name,
		TARGET, "", "chip", "whole", "error", "share", "error");
	for (unsigned i = 0; i < c->n; i++) {
		text_add(out, "%-*s", TARGET, c->base[i].target);
		for (unsigned k = 0; k < ARRAY_LEN(shown); k++) {
			v[k][i] = compare_speedup(c, i, shown[k]);
			text_add(out, "\t%9s", compare_number(v[k][i], 3, number));
			if (k)
				text_add(out, "\t%9s",
					compare_percent(error_pct(v[k][i], v[0][i]), percent));
		}
		text_add(out, "\n");
	}
	for (unsigned k = 0; k < ARRAY_LEN(shown) && c->n > 1; k++) {
		mean[k] = means_of(v[k], c->n).geometric;
		text_add(out, "%-*s\t%9s", k ? 0 : TARGET, k ? "" : "geometric mean",
			compare_number(mean[k], 3, number));
		if (k)
			text_add(out, "\t%9s",
				compare_percent(error_pct(mean[k], mean[0]), percent));
	}
	if (c->n > 1)
		text_add(out, "\n");
}

static unsigned limit_line(const struct subject *s, const char *side, struct text *out)
{
	struct text runs = {0};
	unsigned n = stopped_runs(s, &runs);

	if (n)
		text_add(out, "%s%s: limit: %s\n", s->target, side, text_str(&runs));
	out->failed |= runs.failed;
	text_clear(&runs);
	return n;
}

/* The runs that are missing because of limits. */
static void limit_lines(const struct comparison *c, struct text *out)
{
	struct text lines = {0};
	unsigned n = 0;

	for (unsigned i = 0; i < c->n; i++) {
		n += limit_line(&c->base[i], "", &lines);
		if (c->against)
			n += limit_line(&c->against[i], " (against)", &lines);
	}
	if (n)
		text_add(out,
			"\nA limit stopped %u run%s: figures that need such a run are -; means are "
			"without it.\n",
			n, text_s(n));
	text_raw(out, "%s", text_str(&lines));
	out->failed |= lines.failed;
	text_clear(&lines);
}

/* Targets may have chips of their own: printed once when all are equal. */
static void legends(const struct comparison *c, struct text *out)
{
	for (unsigned i = 0; i < c->n; i++) {
		const struct subject *s = &c->base[i], *first = &c->base[0];

		if (i && s->sms == first->sms && s->bytes_per_ns == first->bytes_per_ns)
			continue;
		if (i)
			text_add(out, "%s:\n", s->target);
		legend(s, out);
	}
}

void compare_text(const struct comparison *c, struct text *out)
{
	compare_title(c->o, out);
	report_machine_lines(
		json_object_get(c->base[0].outcome[VARIANT_CHIP].report, "machine"), out);
	legends(c, out);
	if (c->n == 1) {
		text_add(out, "\n");
		figure_lines(&c->base[0], out);
		stall_lines(&c->base[0], out);
		ladder(&c->base[0], out);
	} else {
		target_table(c, out);
		ladder_table(c, FIGURE_CHIP_CYCLES, "cycles", out);
		ladder_table(c, FIGURE_BYTES, "DRAM bytes", out);
	}
	if (c->against)
		against_table(c, out);
	limit_lines(c, out);
}
