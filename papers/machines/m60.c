/* Measurements of a M60 by Jia, Maggioni, Smith, Scarpazza, arXiv:1903.07486. */
#include "papers/machines/machines.h"

#include "core/base.h"

/* A CTA of 1024 threads may have 32 registers of a thread here. */
#define READ_L1_32 \
	"bandwidth", \
		"bandwidth.ctas=1 bandwidth.threads=1024 bandwidth.step=256 gpu.max_regs=32 " \
		"bandwidth.groups=1 bandwidth.width=2", \
		"bandwidth.passes=8", "bandwidth.passes=40", 32 * 8 * 8 * 1024.0
#define READ_L2_32 \
	"bandwidth", \
		"bandwidth.ctas=32 bandwidth.threads=1024 bandwidth.step=8192 gpu.max_regs=32 " \
		"bandwidth.groups=1 l1.keeps=none", \
		"bandwidth.passes=2", "bandwidth.passes=8", 6 * 8 * 4 * 32768.0

static const struct machine_row rows[] = {
	{"L1 hit", "Jia et al. 2019, table 3.1", ROW_CALIBRATION, FIGURE_EACH, 82, 2, 0, 0,
		CHASE_L1, NULL},
	{"L2 hit", "Jia et al. 2019, table 3.1", ROW_CALIBRATION, FIGURE_EACH, 207, 2, 0, 0,
		CHASE_L2, NULL},
	{"L1 bandwidth of an SM", "Jia et al. 2019, table 3.2", ROW_BLIND, FIGURE_BYTES_CLK, 15.7,
		10, 0, 0, READ_L1_32, NULL},
	{"L2 bandwidth", "Jia et al. 2019, table 3.4", ROW_BLIND, FIGURE_GB_S, 446, 10, 0, 0,
		READ_L2_32, NULL},
	{"DRAM copy", "Jia et al. 2019, table 3.1, as GB/s and as GiB/s", ROW_BLIND, FIGURE_GB_S,
		127, 0, 127, 136.4, COPY_DRAM, NULL},
	{"shared atomic, 1 thread", "Jia et al. 2019, table 4.2", ROW_CALIBRATION, FIGURE_EACH, 17,
		10, 0, 0, ADD_SHARED(1), NULL},
	{"shared atomics on one word, 2 threads", "Jia et al. 2019, table 4.2", ROW_COUNTED,
		FIGURE_EACH, 19, 10, 0, 0, ADD_SHARED(2), NULL},
	{"shared atomics on one word, 4 threads", "Jia et al. 2019, table 4.2", ROW_COUNTED,
		FIGURE_EACH, 25, 10, 0, 0, ADD_SHARED(4), NULL},
	{"shared atomics on one word, 8 threads", "Jia et al. 2019, table 4.2", ROW_COUNTED,
		FIGURE_EACH, 31, 10, 0, 0, ADD_SHARED(8), NULL},
	{"shared atomics on one word, 16 threads", "Jia et al. 2019, table 4.2", ROW_COUNTED,
		FIGURE_EACH, 47, 10, 0, 0, ADD_SHARED(16), NULL},
	{"shared atomics on one word, 32 threads", "Jia et al. 2019, table 4.2", ROW_CALIBRATION,
		FIGURE_EACH, 79, 10, 0, 0, ADD_SHARED(32), NULL},
};

static void say(struct book *b)
{
	machines_say(b, "m60", rows, ARRAY_LEN(rows));
}

const struct target machines_m60 = {
	.order = 34,
	.name = "m60",
	.text = "M60: caches, DRAM, shared atomics.",
	.paper = &machines_paper,
	.rows = say,
};
