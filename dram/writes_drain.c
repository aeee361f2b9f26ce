/* Reads have priority; writes wait until many are queued, or no reads, and are then drained. */
#include "dram/sched.h"

#include "core/state.h"

#include <inttypes.h>

#define PARAMS(P, T) \
	P(T, UINT, write_high, 80, 1, 100, "%", \
		"High watermark: draining begins above this share of the write queue's entries.") \
	P(T, UINT, write_low, 20, 0, 100, "%", "Low watermark: draining ends below this share.")

struct drain {
	struct {
		PARAMS(PARAM_FIELD, drain)
	} p;
	unsigned high, low; /* in queue entries */
};

static const struct param_def params[] = {PARAMS(PARAM_ROW, drain)};

static int init(
	void *self, const struct dram_sched_shape *shape, struct arena *arena, struct err *err)
{
	struct drain *d = self;

	(void)arena;
	d->high = (unsigned)(shape->write_entries * d->p.write_high / 100);
	d->low = (unsigned)div_up(shape->write_entries * d->p.write_low, 100);
	if (d->p.write_low <= d->p.write_high)
		return 0;
	return err_add(err, ERR_INPUT,
		"dram.drain.write_low = %" PRIu64
		": must not be above dram.drain.write_high = %" PRIu64,
		d->p.write_low, d->p.write_high);
}

static unsigned serve(const void *self, const struct dram_sched_view *v, unsigned serving)
{
	const struct drain *d = self;
	unsigned reads = v->queued[0], writes = v->queued[1];

	if (!reads || writes > d->high)
		return DRAM_SERVE_WRITES;
	if (!writes || writes < d->low)
		return DRAM_SERVE_READS;
	return serving == DRAM_SERVE_WRITES ? DRAM_SERVE_WRITES : DRAM_SERVE_READS;
}

static const struct dram_writes_ops ops = {.init = init, .serve = serve};

const struct plugin dram_writes_drain = {
	.kind = "dram writes",
	.name = "drain",
	.text = "Reads first; writes drained between two watermarks, or while there are no reads.",
	.size = sizeof(struct drain),
	.params = params,
	.nparams = ARRAY_LEN(params),
	.ops = &ops,
	.state = state_none,
};
