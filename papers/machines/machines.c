/* Measurements of real GPUs: how a row is measured and judged. */
#include "papers/machines/machines.h"

#include "runs/description.h"

#include <stdio.h>
#include <string.h>

static const char *const units[] = {[FIGURE_GB_S] = "GB/s",
	[FIGURE_GFLOPS] = "GFLOP/s",
	[FIGURE_BYTES_CLK] = "B/clk",
	[FIGURE_FMA_CLK] = "FMA/clk",
	[FIGURE_EACH] = "cycles",
	[FIGURE_KB] = "KB"};

static bool is_described(const char *machine)
{
	const struct machine_text *m = machine_texts;

	while (m->name && strcmp(m->name, machine) != 0)
		m++;
	return m->name;
}

/* What the longer run took more; NAN while a run is missing. */
static double longer(struct book *b, unsigned w, const char *machine, const struct machine_row *row,
	const char *metric)
{
	struct design less = design_of(machine, "%s %s", row->set, row->less);
	struct design more = design_of(machine, "%s %s", row->set, row->more);

	return point_metric(book_report(b, w, &more), metric) -
	       point_metric(book_report(b, w, &less), metric);
}

static double measured(
	struct book *b, unsigned w, const char *machine, const struct machine_row *row)
{
	static const char cycles[] = "gpc__cycles_elapsed.max", ns[] = "gpu__time_duration.sum";

	switch (row->figure) {
	case FIGURE_BYTES_CLK:
	case FIGURE_FMA_CLK:
		return row->work / longer(b, w, machine, row, cycles);
	case FIGURE_EACH:
		return longer(b, w, machine, row, cycles) / row->work;
	default:
		return row->work / longer(b, w, machine, row, ns);
	}
}

static struct band band_of_row(const struct machine_row *row)
{
	return row->percent > 0 ? band_percent(row->published, row->percent)
				: band_between(row->published, row->low, row->high);
}

/* Why a row has no figure; NULL: it has one. */
static const char *lacks(struct book *b, const char *machine, const struct machine_row *row)
{
	if (row->kind == ROW_UNSAID)
		return row->needs;
	if (!is_described(machine))
		return "no description of this machine";
	return book_find(b, row->workload) < 0 ? "its workload was not asked for" : NULL;
}

static const char *note_of(struct book *b, const struct machine_row *row, const char *lack)
{
	static const char *const kinds[] = {[ROW_COUNTED] = "",
		[ROW_BLIND] = "; held back",
		[ROW_CALIBRATION] = "; sets a parameter",
		[ROW_UNSAID] = ""};
	char rule[32];

	if (row->percent > 0)
		snprintf(rule, sizeof(rule), "%g %%", row->percent);
	else
		snprintf(rule, sizeof(rule), "%g to %g", row->low, row->high);
	if (lack)
		return book_words(b, "%s; not measured: %s", row->source, lack);
	return book_words(b, "%s; band: %s%s", row->source, rule, kinds[row->kind]);
}

static void say(struct book *b, const char *machine, const struct machine_row *row)
{
	const char *lack = lacks(b, machine, row);
	double ours = lack ? NAN : measured(b, (unsigned)book_find(b, row->workload), machine, row);
	struct book_row said = book_band("", units[row->figure], band_of_row(row), ours, NULL);

	said.note = note_of(b, row, lack);
	if (row->kind == ROW_CALIBRATION)
		said.judge = BOOK_CALIBRATION;
	if (lack)
		said = book_told("", units[row->figure], row->published, NAN, said.note);
	book_say_text(b, row->text, said);
}

void machines_say(struct book *b, const char *machine, const struct machine_row *rows, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		say(b, machine, &rows[i]);
}

static const char *const workloads[] = {"bandwidth", "throughput", "pointerchase", NULL};

const struct paper machines_paper = {
	.order = 40,
	.name = "machines",
	.text = "All measurements of real GPUs.",
	.title = "published measurements of real GPUs",
	.suite = workloads,
	.ncolumns = 1,
	.columns = {{"ours", "ours", true, 0}},
};
