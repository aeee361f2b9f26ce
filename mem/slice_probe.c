/* The signals of an L2 slice: its queues. */
#include "mem/slice_state.h"

enum queue { QUEUE_PIPE, QUEUE_TO_DRAM, QUEUE_ATOMICS, QUEUE_FILLS, QUEUE_REPLIES };

static uint64_t get(struct component *c, unsigned queue, uint64_t cycle)
{
	const struct slice *s = CONTAINER_OF(c, const struct slice, base);

	(void)cycle;
	switch ((enum queue)queue) {
	case QUEUE_PIPE:
		return fifo_count(&s->pipe);
	case QUEUE_TO_DRAM:
		return fifo_count(&s->dram);
	case QUEUE_ATOMICS:
		return fifo_count(&s->atomics);
	case QUEUE_FILLS:
		return fifo_count(&s->fills);
	case QUEUE_REPLIES:
		return fifo_count(&s->ready);
	}
	return 0;
}

static const void *where_missing(const struct component *c)
{
	return mshr_used_at(CONTAINER_OF(c, const struct slice, base)->mshr);
}

#define LEVEL(queue, name_, unit_, text_) \
	{ \
		.name = name_, .kind = SIGNAL_LEVEL, .bits = 18, .unit = unit_, .text = text_, \
		.get = get, .arg = queue \
	}

static const struct signal_def defs[] = {
	LEVEL(QUEUE_PIPE, "pipe", "packets",
		"Requests in the pipeline before the lookup, or stalled there."),
	{.name = "lines_missing",
		.kind = SIGNAL_LEVEL,
		.bits = 18,
		.unit = "lines",
		.text = "Outstanding lines.",
		.bytes = 4,
		.where = where_missing},
	LEVEL(QUEUE_TO_DRAM, "to_dram", "packets", "Packets queued for DRAM."),
	LEVEL(QUEUE_ATOMICS, "atomics", "packets", "Atomics in execution."),
	LEVEL(QUEUE_FILLS, "fills", "packets", "Returned fetches that wait for their bank."),
	LEVEL(QUEUE_REPLIES, "replies", "packets", "Replies queued for the network."),
};

const struct probe_ops slice_probe = {.defs = defs, .n = ARRAY_LEN(defs)};
