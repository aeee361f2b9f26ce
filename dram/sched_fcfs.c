/* First come, first served. */
#include "dram/sched.h"

static const struct dram_sched_ops ops = {.in_order = true};

const struct plugin dram_sched_fcfs = {
	.kind = "dram scheduler",
	.name = "fcfs",
	.text = "First come, first served.",
	.ops = &ops,
};
