/* Measurements of a GTX 780 by Mei, Zhao, Liu, Chu, NPC 2014. */
#include "papers/machines/machines.h"

#include "core/base.h"

static const struct machine_row rows[] = {
	{"L2 hit", "Mei et al. 2014", ROW_CALIBRATION, FIGURE_EACH, 230, 2, 0, 0, MEI_L2, NULL},
	{"DRAM, TLB hit", "Mei et al. 2014", ROW_CALIBRATION, FIGURE_EACH, 371, 2, 0, 0, MEI_DRAM,
		NULL},
	{"pattern P2", "Mei et al. 2014", ROW_CALIBRATION, FIGURE_EACH, 236, 2, 0, 0, MEI_P2, NULL},
	{"pattern P3", "Mei et al. 2014", ROW_CALIBRATION, FIGURE_EACH, 289, 2, 0, 0, MEI_P3, NULL},
	{"pattern P5", "Mei et al. 2014", ROW_CALIBRATION, FIGURE_EACH, 734, 2, 0, 0, MEI_P5, NULL},
	{"pattern P6", "Mei et al. 2014", ROW_CALIBRATION, FIGURE_EACH, 1000, 2, 0, 0, MEI_P6,
		NULL},
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
