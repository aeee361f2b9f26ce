/* Mei et al., NPC 2014: the paper, its machines, and what their probes found. */
#include "papers/mei/mei.h"

struct design mei_design(const char *machine, const struct point_way *way, const char *more)
{
	struct design d = design_of(machine, "chip.sms=1%s%s", *more ? " " : "", more);

	d.way = way;
	return d;
}

struct book_row mei_calibration(
	const char *claim, const char *unit, struct band band, double ours, const char *note)
{
	struct book_row row = book_band(claim, unit, band, ours, note);

	row.judge = BOOK_CALIBRATION;
	return row;
}

static const char *const probes[] = {"probe", NULL};

const struct paper mei_paper = {
	.order = 35,
	.name = "mei",
	.text = "All of Mei et al.'s, by the prober.",
	.title = "Mei et al., NPC 2014",
	.suite = probes,
	.own_kernels = true,
	.ncolumns = 1,
	.columns = {{"ours", "ours", true, 0}},
};
