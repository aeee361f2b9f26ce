/* Measurements of a P100 by Jia, Maggioni, Smith, Scarpazza, arXiv:1903.07486. */
#include "papers/machines/machines.h"

#include "core/base.h"

static const struct machine_row rows[] = {
	{"L1 hit", "Jia et al. 2019, table 3.1", ROW_CALIBRATION, FIGURE_EACH, 82, 2, 0, 0,
		CHASE_L1, NULL},
	{"L2 hit", "Jia et al. 2019, table 3.1", ROW_CALIBRATION, FIGURE_EACH, 234, 2, 0, 0,
		CHASE_L2, NULL},
	{"L1 bandwidth of an SM", "Jia et al. 2019, table 3.2", ROW_COUNTED, FIGURE_BYTES_CLK, 31.3,
		10, 0, 0, READ_L1, NULL},
	{"shared atomic, 1 thread", "Jia et al. 2019, table 4.2", ROW_CALIBRATION, FIGURE_EACH, 15,
		10, 0, 0, ADD_SHARED(1), NULL},
	{"shared atomics on one word, 2 threads", "Jia et al. 2019, table 4.2", ROW_COUNTED,
		FIGURE_EACH, 17, 10, 0, 0, ADD_SHARED(2), NULL},
	{"shared atomics on one word, 4 threads", "Jia et al. 2019, table 4.2", ROW_COUNTED,
		FIGURE_EACH, 19, 10, 0, 0, ADD_SHARED(4), NULL},
	{"shared atomics on one word, 8 threads", "Jia et al. 2019, table 4.2", ROW_COUNTED,
		FIGURE_EACH, 30, 10, 0, 0, ADD_SHARED(8), NULL},
	{"shared atomics on one word, 16 threads", "Jia et al. 2019, table 4.2", ROW_COUNTED,
		FIGURE_EACH, 46, 10, 0, 0, ADD_SHARED(16), NULL},
	{"shared atomics on one word, 32 threads", "Jia et al. 2019, table 4.2", ROW_CALIBRATION,
		FIGURE_EACH, 78, 10, 0, 0, ADD_SHARED(32), NULL},
};

static void say(struct book *b)
{
	machines_say(b, "p100", rows, ARRAY_LEN(rows));
}

const struct target machines_p100 = {
	.order = 40,
	.name = "p100",
	.text = "P100: caches, shared atomics.",
	.paper = &machines_paper,
	.rows = say,
};
