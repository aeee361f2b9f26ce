/* FR-FCFS (Rixner et al., ISCA 2000): open rows first, then the oldest request. */
#include "dram/sched.h"

static const struct dram_sched_ops ops = {0};

const struct plugin dram_sched_frfcfs = {
	.kind = "dram scheduler",
	.name = "frfcfs",
	.text = "Requests to open rows first, then the oldest.",
	.ops = &ops,
};
