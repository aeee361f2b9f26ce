/* Power over time on a page: components on top of each other, and a table of the intervals. */
#include "cli/html/html.h"

#include "chip/power.h"
#include "core/base.h"
#include "draw/html.h"
#include "draw/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define HIGH 160

#define NAME(name, text) #name,
#define TEXT(name, text) text,
static const char *const names[] = {ENERGY_PARTS(NAME)}, *const texts[] = {ENERGY_PARTS(TEXT)};
#define PARTS ARRAY_LEN(names)
static const unsigned colours[PARTS] = {0, 4, 6, 3, 2, 7, 5, 1};

#define FJ(name, text) i->energy.name##_fj,

static void parts_of(const struct power_interval *i, double fj[PARTS])
{
	const double of[] = {ENERGY_PARTS(FJ)};

	for (unsigned k = 0; k < PARTS; k++)
		fj[k] = of[k];
}

/* What is below 0 is drawn as nothing. */
static void shape(
	const struct gpu *g, unsigned part, uint64_t cycles, double peak, struct text *out)
{
	text_add(out, "<path class=\"f%u\" d=\"", colours[part]);
	for (unsigned k = 0; k < chip_power_intervals(g); k++) {
		const struct power_interval i = chip_power_interval(g, k);
		double fj[PARTS], below = 0, unit;

		parts_of(&i, fj);
		if (!i.cycles || fj[part] <= 0 || peak <= 0)
			continue;
		for (unsigned b = 0; b < part; b++)
			below += fmax(fj[b], 0);
		unit = HIGH * i.watts / (i.energy.total_fj * peak);
		text_add(out, "M%.2f %.1fh%.2fv-%.1fh-%.2fz",
			1000 * (double)i.cycle / (double)cycles, HIGH - below * unit,
			1000 * (double)i.cycles / (double)cycles, fj[part] * unit,
			1000 * (double)i.cycles / (double)cycles);
	}
	text_add(out, "\"/>\n");
}

static void plot(const struct gpu *g, uint64_t cycles, double peak, struct text *out)
{
	struct page_plot p = {"power of each component over time", HIGH, cycles};
	char words[32];

	text_add(out, "<p class=\"key dim\">");
	for (unsigned k = 0; k < PARTS; k++) {
		text_add(out, "<span><i style=\"background:var(--f%u)\"></i>", colours[k]);
		html_add(out, "%.*s", (int)strcspn(texts[k], "."), texts[k]);
		text_add(out, "</span> ");
	}
	text_add(out, "</p>\n");
	page_plot_open(&p, out);
	snprintf(words, sizeof(words), "%.4g W", peak);
	page_plot_label(12, words, out);
	snprintf(words, sizeof(words), "%.4g W", peak / 2);
	page_plot_label(HIGH / 2 + 4, words, out);
	page_plot_label(HIGH, "0 W", out);
	page_plot_shapes(&p, out);
	for (unsigned k = 0; k < PARTS; k++)
		shape(g, k, cycles, peak, out);
	page_plot_close(&p, out);
}

static void table(const struct gpu *g, struct text *out)
{
	struct html_column column[4 + PARTS] = {
		{"cycle", false}, {"cycles", false}, {"power, W", false}, {"total", false}};

	for (unsigned k = 0; k < PARTS; k++)
		column[4 + k].name = names[k];
	text_add(out, "<details><summary>Energy of each interval</summary>\n");
	html_table(out, "Energy by interval, nJ", column, ARRAY_LEN(column));
	for (unsigned k = 0; k < chip_power_intervals(g); k++) {
		const struct power_interval i = chip_power_interval(g, k);
		double fj[PARTS];
		char number[32];

		parts_of(&i, fj);
		text_add(out, "<tr><th scope=\"row\" data-v=\"%llu\">%s</th>",
			(unsigned long long)i.cycle, number_grouped(i.cycle, number));
		html_whole(out, i.cycles);
		html_real(out, i.watts, 3, "");
		html_real(out, i.energy.total_fj / 1e6, 1, "");
		for (unsigned p = 0; p < PARTS; p++)
			html_real(out, fj[p] / 1e6, 1, "");
		html_row_end(out);
	}
	html_table_end(out);
	text_add(out, "</details>\n");
}

void page_run_power(const struct page_run *run, uint64_t cycles, struct text *out)
{
	const struct gpu *g = run->report->gpu;
	const struct power_summary s = chip_power_summary(g);
	struct power_interval peak;
	char from[32], to[32];

	if (!chip_power_intervals(g) || !cycles)
		return;
	peak = chip_power_interval(g, s.peak);
	text_add(out, "<h3 id=\"power\">Power over time</h3>\n");
	text_add(out, "<p>%.4g W on average; at most %.4g W, from cycle %s to %s.</p>\n", s.mean_w,
		s.peak_w, number_grouped(peak.cycle, from),
		number_grouped(peak.cycle + peak.cycles, to));
	plot(g, cycles, s.peak_w, out);
	table(g, out);
}
