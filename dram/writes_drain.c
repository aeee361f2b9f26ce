/* Reads first; writes wait until there are many of them, or no reads, and are then drained. */
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

static const struct dram_writes_ops ops = {.serve = serve};

const struct plugin dram_writes_drain = {
	.kind = "dram writes",
	.name = "drain",
	.text = "Reads first; writes drained between two watermarks, or while there are no reads.",
	.ops = &ops,
};
