/* Measurements of a K80 by Jia, Maggioni, Smith, Scarpazza, arXiv:1903.07486. */
#include "papers/machines/machines.h"

#include "core/base.h"

static const struct machine_row rows[] = {
	{"L1 hit", "Jia et al. 2019, table 3.1", ROW_CALIBRATION, FIGURE_EACH, 35, 2, 0, 0,
		CHASE_L1, NULL},
	{"L2 hit", "Jia et al. 2019, table 3.1", ROW_CALIBRATION, FIGURE_EACH, 200, 2, 0, 0,
		CHASE_L2, NULL},
	{"L1 bandwidth of an SM", "Jia et al. 2019, table 3.2", ROW_BLIND, FIGURE_BYTES_CLK, 68.6,
		10, 0, 0, READ_L1, NULL},
	{"L2 bandwidth", "Jia et al. 2019, table 3.4", ROW_BLIND, FIGURE_GB_S, 339, 10, 0, 0,
		READ_L2(26), NULL},
	{"DRAM copy", "Jia et al. 2019, table 3.1, as GB/s and as GiB/s", ROW_BLIND, FIGURE_GB_S,
		191, 0, 191, 205.1, COPY_DRAM, NULL},
	{"shared atomic, 1 thread", "Jia et al. 2019, table 4.2", ROW_CALIBRATION, FIGURE_EACH, 93,
		10, 0, 0, ADD_SHARED(1), NULL},
	{"shared atomics on one word, 2 threads", "Jia et al. 2019, table 4.2", ROW_BLIND,
		FIGURE_EACH, 214, 10, 0, 0, ADD_SHARED(2), NULL},
	{"shared atomics on one word, 4 threads", "Jia et al. 2019, table 4.2", ROW_BLIND,
		FIGURE_EACH, 460, 10, 0, 0, ADD_SHARED(4), NULL},
	{"shared atomics on one word, 8 threads", "Jia et al. 2019, table 4.2", ROW_BLIND,
		FIGURE_EACH, 952, 10, 0, 0, ADD_SHARED(8), NULL},
	{"shared atomics on one word, 16 threads", "Jia et al. 2019, table 4.2", ROW_BLIND,
		FIGURE_EACH, 1936, 10, 0, 0, ADD_SHARED(16), NULL},
	{"shared atomics on one word, 32 threads", "Jia et al. 2019, table 4.2", ROW_CALIBRATION,
		FIGURE_EACH, 4257, 10, 0, 0, ADD_SHARED(32), NULL},
};

static void say(struct book *b)
{
	machines_say(b, "k80", rows, ARRAY_LEN(rows));
}

const struct target machines_k80 = {
	.order = 32,
	.name = "k80",
	.text = "K80: caches, DRAM, shared atomics.",
	.paper = &machines_paper,
	.rows = say,
};
