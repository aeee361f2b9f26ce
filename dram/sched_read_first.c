/* The name that FR-FCFS had when draining writes was part of it; now dram.writes selects that. */
#include "dram/sched.h"

static const struct dram_sched_ops ops = {0};

const struct plugin dram_sched_read_first = {
	.kind = "dram scheduler",
	.name = "read_first",
	.text = "An older name of frfcfs; draining of writes is dram.writes=drain.",
	.ops = &ops,
};
