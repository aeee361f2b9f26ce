/* FR-FCFS with a cap on row hits (Mutlu and Moscibroda, MICRO 2007): a row that has had its share
 * gives way to an older request. */
#include "dram/sched.h"

static bool passes(const struct dram_sched_view *v, unsigned columns)
{
	return columns < v->cap;
}

static const struct dram_sched_ops ops = {.passes = passes};

const struct plugin dram_sched_frfcfs_cap = {
	.kind = "dram scheduler",
	.name = "frfcfs_cap",
	.text = "FR-FCFS in which an open row has dram.cap reads and writes before older requests.",
	.ops = &ops,
};
