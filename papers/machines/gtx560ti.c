/* Measurements of a GTX 560 Ti by Mei, Zhao, Liu, Chu, NPC 2014. */
#include "papers/machines/machines.h"

#include "core/base.h"

static const struct machine_row rows[] = {
	{"L1 hit", "Mei et al. 2014", ROW_CALIBRATION, FIGURE_EACH, 116, 2, 0, 0, MEI_L1, NULL},
	{"L2 hit", "Mei et al. 2014", ROW_CALIBRATION, FIGURE_EACH, 371, 2, 0, 0, MEI_L2, NULL},
	{"DRAM, TLB hit", "Mei et al. 2014", ROW_CALIBRATION, FIGURE_EACH, 639, 2, 0, 0, MEI_DRAM,
		NULL},
	{"pattern P2, L1 on", "Mei et al. 2014", ROW_CALIBRATION, FIGURE_EACH, 404, 2, 0, 0, MEI_P2,
		NULL},
	{"pattern P3, L1 on", "Mei et al. 2014", ROW_CALIBRATION, FIGURE_EACH, 488, 2, 0, 0, MEI_P3,
		NULL},
	{"pattern P5, L1 on", "Mei et al. 2014", ROW_CALIBRATION, FIGURE_EACH, 1259, 2, 0, 0,
		MEI_P5, NULL},
	{"shared memory, 1 way", "Mei et al. 2014", ROW_CALIBRATION, FIGURE_EACH, 50, 2, 0, 0,
		CHASE_SHARED(1), NULL},
	{"shared memory, 2 ways", "Mei et al. 2014", ROW_CALIBRATION, FIGURE_EACH, 88, 2, 0, 0,
		CHASE_SHARED(2), NULL},
	{"shared memory, 32 ways", "Mei et al. 2014", ROW_CALIBRATION, FIGURE_EACH, 1210, 2, 0, 0,
		CHASE_SHARED(32), NULL},
};

static void say(struct book *b)
{
	machines_say(b, "gtx560ti", rows, ARRAY_LEN(rows));
}

const struct target machines_gtx560ti = {
	.order = 20,
	.name = "gtx560ti",
	.text = "GTX 560 Ti: latencies, bank conflicts.",
	.paper = &machines_paper,
	.rows = say,
};
