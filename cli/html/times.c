/* Launches over time: of each kernel, and of the last CTAs of each SM. */
#include "cli/html/html.h"

#include <stdio.h>
#include <string.h>

#define ROWS 16u      /* kernels */
#define SHAPES 12000u /* of a plot */
#define COLOURS 8u
#define ROW 20

struct times {
	const struct page_run *run;
	uint64_t cycles;
	unsigned launches; /* that are drawn, the first ones */
	struct text *out;
};

static double x_of(const struct times *t, uint64_t cycle)
{
	return 1000 * (double)cycle / (double)t->cycles;
}

static unsigned row_of(const struct times *t, const struct launch_report *l)
{
	const struct kernels *k = &t->run->kernels;

	for (unsigned i = 0; i < k->n; i++)
		if (!strcmp(k->at[i].first.kernel, l->kernel) &&
			!strcmp(k->at[i].first.file, l->file))
			return i < ROWS ? i : ROWS;
	return ROWS;
}

static void bar(const struct times *t, uint64_t from, uint64_t to, double y, double high)
{
	double x = x_of(t, from), wide = x_of(t, to) - x;

	text_add(t->out, "M%.3f %.1fh%.3fv%.1fh-%.3fz", x, y, wide, high, wide);
}

/* The launches of a kernel's row, as one shape. */
static void kernel_bars(const struct times *t, unsigned row)
{
	text_add(t->out, "<path class=\"f%u\" d=\"", row % COLOURS);
	for (unsigned i = 0; i < t->launches; i++) {
		struct launch_report l;

		chip_launch_report(t->run->report->gpu, i, &l);
		if (l.begun && !l.untimed && row_of(t, &l) == row)
			bar(t, l.start_cycle, l.end_cycle, row * ROW + 2, ROW - 4);
	}
	text_add(t->out, "\"/>\n");
}

static void by_kernel(struct times *t)
{
	const struct kernels *k = &t->run->kernels;
	unsigned rows = k->n < ROWS ? k->n : ROWS + 1;
	struct page_plot plot = {"launches of each kernel over time", (int)rows * ROW, t->cycles};

	page_plot_open(&plot, t->out);
	for (unsigned i = 0; i < rows; i++) {
		char name[24];

		snprintf(name, sizeof(name), "%.17s", i < ROWS ? k->at[i].name : "others");
		page_plot_label(i * ROW + 14, name, t->out);
	}
	page_plot_shapes(&plot, t->out);
	for (unsigned i = 0; i < rows; i++)
		kernel_bars(t, i);
	page_plot_close(&plot, t->out);
}

/* From the launch's start to the end of its last CTA on that SM. */
static void sm_bars(const struct times *t, unsigned row, unsigned sms, double high)
{
	text_add(t->out, "<path class=\"f%u\" d=\"", row % COLOURS);
	for (unsigned i = 0; i < t->launches && i * sms < SHAPES; i++) {
		struct launch_report l;

		chip_launch_report(t->run->report->gpu, i, &l);
		if (!l.begun || l.untimed || row_of(t, &l) != row)
			continue;
		for (unsigned sm = 0; sm < sms; sm++) {
			uint64_t end = chip_launch_sm_end(t->run->report->gpu, i, sm);

			if (end > l.start_cycle)
				bar(t, l.start_cycle, end, high * sm + 0.5, high - 1);
		}
	}
	text_add(t->out, "\"/>\n");
}

static void by_sm(struct times *t)
{
	const struct kernels *k = &t->run->kernels;
	unsigned sms = k->at[0].first.sms, rows = k->n < ROWS ? k->n : ROWS + 1;
	double high = sms > 64 ? 5 : 10;
	struct page_plot plot = {"SMs with CTAs over time", (int)(high * sms), t->cycles};

	page_plot_open(&plot, t->out);
	for (unsigned sm = 0; sm < sms; sm += 4) {
		char name[16];

		snprintf(name, sizeof(name), "sm.%u", sm);
		page_plot_label(high * sm + 10, name, t->out);
	}
	page_plot_shapes(&plot, t->out);
	for (unsigned i = 0; i < rows; i++)
		sm_bars(t, i, sms, high);
	page_plot_close(&plot, t->out);
}

void page_run_times(const struct page_run *run, struct text *out)
{
	unsigned all = chip_launches(run->report->gpu);
	struct times t = {.run = run, .launches = all < SHAPES ? all : SHAPES, .out = out};

	for (unsigned i = 0; i < t.launches; i++) {
		struct launch_report l;

		chip_launch_report(run->report->gpu, i, &l);
		if (l.begun && !l.untimed && l.end_cycle > t.cycles)
			t.cycles = l.end_cycle;
	}
	if (!t.cycles)
		return;
	text_add(out, "<h2 id=\"time\">Launches over time</h2>\n");
	page_plot_buttons(out);
	by_kernel(&t);
	text_add(out,
		"<h3>SMs: until the last CTA of each launch, in its kernel&#39;s colour</h3>\n");
	by_sm(&t);
	page_run_power(run, t.cycles, out);
}
