/* Measurements of a GTX 780 by Mei, Zhao, Liu, Chu, NPC 2014. */
#include "papers/machines/machines.h"

#include "core/base.h"

static const struct machine_row rows[] = {
	{"L2 hit", "Mei et al. 2014", ROW_CALIBRATION, FIGURE_EACH, 230, 2, 0, 0, MEI_L2, NULL},
	{"DRAM, TLB hit", "Mei et al. 2014", ROW_CALIBRATION, FIGURE_EACH, 371, 2, 0, 0, MEI_DRAM,
		NULL},
	{.text = "pattern P2",
		.source = "Mei et al. 2014",
		.kind = ROW_UNSAID,
		.figure = FIGURE_EACH,
		.published = 236,
		.needs = "a TLB, which the model has not"},
	{.text = "pattern P3",
		.source = "Mei et al. 2014",
		.kind = ROW_UNSAID,
		.figure = FIGURE_EACH,
		.published = 289,
		.needs = "a TLB, which the model has not"},
	{.text = "pattern P5",
		.source = "Mei et al. 2014",
		.kind = ROW_UNSAID,
		.figure = FIGURE_EACH,
		.published = 734,
		.needs = "a TLB, which the model has not"},
	{.text = "pattern P6",
		.source = "Mei et al. 2014",
		.kind = ROW_UNSAID,
		.figure = FIGURE_EACH,
		.published = 1000,
		.needs = "a TLB, which the model has not"},
};

static void say(struct book *b)
{
	machines_say(b, "gtx780", rows, ARRAY_LEN(rows));
}

const struct target machines_gtx780 = {
	.order = 30,
	.name = "gtx780",
	.text = "GTX 780: latencies.",
	.paper = &machines_paper,
	.rows = say,
};
