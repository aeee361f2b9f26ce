/* Reads and writes alike. */
#include "dram/sched.h"

static const struct dram_writes_ops ops = {0};

const struct plugin dram_writes_mixed = {
	.kind = "dram writes",
	.name = "mixed",
	.text = "Reads and writes alike, in the scheduler's order.",
	.ops = &ops,
};
