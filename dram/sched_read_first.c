/* The name that FR-FCFS had when it drained writes by itself: dram.writes says that now. */
#include "dram/sched.h"

static const struct dram_sched_ops ops = {0};

const struct plugin dram_sched_read_first = {
	.kind = "dram scheduler",
	.name = "read_first",
	.text = "An older name of frfcfs: that writes are drained is dram.writes=drain.",
	.ops = &ops,
};
