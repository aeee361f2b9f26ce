/* Measurements of a V100: Jia, Maggioni, Smith, Scarpazza, arXiv:1903.07486 and 1804.06826; Jin et
 * al., MICRO 2024; RRZE-HPC/gpu-benches, commit 1038c5d0. */
#include "papers/machines/machines.h"

#include "core/base.h"

static const struct machine_row rows[] = {
	{"L1 hit", "Jia et al. 2019, table 3.1", ROW_CALIBRATION, FIGURE_EACH, 28, 2, 0, 0,
		CHASE_L1, NULL},
	{"L2 hit", "Jia et al. 2019, table 3.1", ROW_CALIBRATION, FIGURE_EACH, 193, 2, 0, 0,
		CHASE_L2, NULL},
	{"L1 bandwidth of an SM", "Jia et al. 2019, table 3.2", ROW_COUNTED, FIGURE_BYTES_CLK,
		108.3, 10, 0, 0, READ_L1, NULL},
	{"shared atomic, 1 thread", "Jia et al. 2019, table 4.2", ROW_CALIBRATION, FIGURE_EACH, 6,
		10, 0, 0, ADD_SHARED(1), NULL},
	{"shared atomics on one word, 2 threads", "Jia et al. 2019, table 4.2", ROW_COUNTED,
		FIGURE_EACH, 7, 10, 0, 0, ADD_SHARED(2), NULL},
	{"shared atomics on one word, 4 threads", "Jia et al. 2019, table 4.2", ROW_COUNTED,
		FIGURE_EACH, 11, 10, 0, 0, ADD_SHARED(4), NULL},
	{"shared atomics on one word, 8 threads", "Jia et al. 2019, table 4.2", ROW_COUNTED,
		FIGURE_EACH, 18, 10, 0, 0, ADD_SHARED(8), NULL},
	{"shared atomics on one word, 16 threads", "Jia et al. 2019, table 4.2", ROW_COUNTED,
		FIGURE_EACH, 24, 10, 0, 0, ADD_SHARED(16), NULL},
	{"shared atomics on one word, 32 threads", "Jia et al. 2019, table 4.2", ROW_CALIBRATION,
		FIGURE_EACH, 66, 10, 0, 0, ADD_SHARED(32), NULL},
	{"L2 hit, mean over SMs and slices", "Jin et al. 2024", ROW_CALIBRATION, FIGURE_EACH, 212,
		5, 0, 0, CHASE_L2, NULL},
	{"L2 bandwidth", "Jia et al. 2019, table 3.4", ROW_COUNTED, FIGURE_GB_S, 2155, 10, 0, 0,
		READ_L2(160), NULL},
	{"DRAM copy", "Jia et al. 2019, table 3.1, as GB/s and as GiB/s", ROW_COUNTED, FIGURE_GB_S,
		750, 0, 750, 805, COPY_DRAM, NULL},
	{"DRAM read", "gpu-benches", ROW_COUNTED, FIGURE_GB_S, 867, 5, 0, 0, READ_DRAM, NULL},
	{"two warps on one scheduler", "Jia et al. 2019, table 2.1", ROW_COUNTED, FIGURE_GFLOPS, 42,
		5, 0, 0, TWO_WARPS(17), NULL},
	{"two warps on two schedulers", "Jia et al. 2019, table 2.1", ROW_COUNTED, FIGURE_GFLOPS,
		66, 5, 0, 0, TWO_WARPS(3), NULL},
	{"one SM to one slice", "Jin et al. 2024", ROW_BLIND, FIGURE_GB_S, 34, 5, 0, 0,
		READ_SLICE(1, 131072), NULL},
	{"one GPC, 14 SMs, to one slice", "Jin et al. 2024", ROW_BLIND, FIGURE_GB_S, 85, 5, 0, 0,
		READ_SLICE(14, 131072), NULL},
	{.text = "L1 seen by a scan, nominal 128 KB, in KB",
		.source = "Jia et al. 2018, table 3.3",
		.kind = ROW_UNSAID,
		.figure = FIGURE_KB,
		.published = 121,
		.needs = "what the missing 7 KB hold"},
};

static void say(struct book *b)
{
	machines_say(b, "v100", rows, ARRAY_LEN(rows));
}

const struct target machines_v100 = {
	.order = 50,
	.name = "v100",
	.text = "V100: caches, DRAM, shared atomics, schedulers.",
	.paper = &machines_paper,
	.rows = say,
};
