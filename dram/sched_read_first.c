/* FR-FCFS on reads; writes wait until there are many of them, or no reads, and are then drained. */
#include "dram/sched.h"

static unsigned serve(const struct dram_sched_view *v, unsigned serving)
{
	unsigned reads = v->queued[0], writes = v->queued[1];

	if (!reads || writes > v->high)
		return DRAM_SERVE_WRITES;
	if (!writes || writes < v->low)
		return DRAM_SERVE_READS;
	return serving == DRAM_SERVE_WRITES ? DRAM_SERVE_WRITES : DRAM_SERVE_READS;
}

static const struct dram_sched_ops ops = {.serve = serve};

const struct plugin dram_sched_read_first = {
	.kind = "dram scheduler",
	.name = "read_first",
	.text = "FR-FCFS on reads, writes drained between two watermarks.",
	.ops = &ops,
};
