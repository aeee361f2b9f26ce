/* Measurements of a T4 by Jia, Maggioni, Smith, Scarpazza, arXiv:1903.07486. */
#include "papers/machines/machines.h"

#include "core/base.h"

static const struct machine_row rows[] = {
	{"L1 hit", "Jia et al. 2019, table 3.1", ROW_CALIBRATION, FIGURE_EACH, 32, 2, 0, 0,
		CHASE_L1, NULL},
	{"L2 hit", "Jia et al. 2019, table 3.1", ROW_CALIBRATION, FIGURE_EACH, 188, 2, 0, 0,
		CHASE_L2, NULL},
	{"L1 bandwidth of an SM", "Jia et al. 2019, table 3.2", ROW_COUNTED, FIGURE_BYTES_CLK, 58.8,
		10, 0, 0, READ_L1, NULL},
	{"shared atomic, 1 thread", "Jia et al. 2019, table 4.2", ROW_CALIBRATION, FIGURE_EACH, 8,
		10, 0, 0, ADD_SHARED(1), NULL},
	{"shared atomics on one word, 2 threads", "Jia et al. 2019, table 4.2", ROW_COUNTED,
		FIGURE_EACH, 10, 10, 0, 0, ADD_SHARED(2), NULL},
	{"shared atomics on one word, 4 threads", "Jia et al. 2019, table 4.2", ROW_COUNTED,
		FIGURE_EACH, 14, 10, 0, 0, ADD_SHARED(4), NULL},
	{"shared atomics on one word, 8 threads", "Jia et al. 2019, table 4.2", ROW_COUNTED,
		FIGURE_EACH, 22, 10, 0, 0, ADD_SHARED(8), NULL},
	{"shared atomics on one word, 16 threads", "Jia et al. 2019, table 4.2", ROW_COUNTED,
		FIGURE_EACH, 37, 10, 0, 0, ADD_SHARED(16), NULL},
	{"shared atomics on one word, 32 threads", "Jia et al. 2019, table 4.2", ROW_CALIBRATION,
		FIGURE_EACH, 69, 10, 0, 0, ADD_SHARED(32), NULL},
	{"two warps on one scheduler", "Jia et al. 2019, table 2.1", ROW_COUNTED, FIGURE_GFLOPS, 47,
		5, 0, 0, TWO_WARPS(17), NULL},
	{"two warps on two schedulers", "Jia et al. 2019, table 2.1", ROW_COUNTED, FIGURE_GFLOPS,
		73, 5, 0, 0, TWO_WARPS(3), NULL},
	{.text = "L1 seen by a scan, nominal 64 KB, in KB",
		.source = "Jia et al. 2019, table 3.3",
		.kind = ROW_UNSAID,
		.figure = FIGURE_KB,
		.published = 57,
		.needs = "what the missing 7 KB hold"},
};

static void say(struct book *b)
{
	machines_say(b, "t4", rows, ARRAY_LEN(rows));
}

const struct target machines_t4 = {
	.order = 60,
	.name = "t4",
	.text = "T4: caches, shared atomics, schedulers.",
	.paper = &machines_paper,
	.rows = say,
};
