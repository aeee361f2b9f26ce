/* The audit of an L2 slice: what requests asked for is hit, merged or missed; what is missed is
 * fetched; what is written is dirty, was dirty, or has gone to DRAM. */
#include "mem/slice_state.h"

const struct slice_flows *slice_flows(const struct component *c)
{
	return &CONTAINER_OF(c, const struct slice, base)->flows;
}

static void audit_reads(const struct slice *s, struct audit *a)
{
	const struct slice_flows *b = &s->flows;
	const char *name = s->base.name;

	audit_flow(a, name, "bytes requested by reads and atomics",
		b->taken.bytes[PACKET_READ] + b->taken.bytes[PACKET_ATOMIC] + b->walks + b->lent,
		"hit, merged and missed", b->hit + b->merged + b->missed);
	audit_flow(a, name, "bytes missed, and the rest of their lines", b->missed + b->extra,
		"requested from DRAM and the other side", b->to_dram.bytes[PACKET_READ] + b->asked);
	audit_flow(a, name, "reads sent to DRAM", b->to_dram.packets[PACKET_READ], "replied to",
		b->from_dram.packets[PACKET_READ_REPLY]);
	audit_flow(a, name, "bytes requested from DRAM", b->to_dram.bytes[PACKET_READ],
		"filled or passed", b->from_dram.bytes[PACKET_READ_REPLY]);
}

static void audit_writes(const struct slice *s, struct audit *a)
{
	const struct slice_flows *b = &s->flows;
	struct cache_writes kept = cache_writes(s->cache);
	const char *name = s->base.name;
	uint64_t gone = kept.evicted + kept.flushed + kept.dropped;

	audit_flow(a, name, "bytes of writes and atomics",
		b->taken.bytes[PACKET_WRITE] + b->taken.bytes[PACKET_ATOMIC] + b->warm_written,
		"made dirty, dirty already and written through",
		kept.dirtied + kept.rewritten + b->through + b->joined);
	audit_equal(a, name, "bytes made dirty", kept.dirtied,
		"written back, flushed, dropped and still dirty", gone + cache_dirty(s->cache));
	audit_flow(a, name, "bytes written back and through, and the rest of their sectors",
		kept.evicted - b->warm_evicted + b->through + b->padding, "sent to DRAM",
		b->to_dram.bytes[PACKET_WRITE]);
}

/* Every packet that requires a reply gets one, of the same size. */
static void audit_replies(const struct slice *s, struct audit *a)
{
	static const enum packet_kind pairs[][2] = {
		{PACKET_READ, PACKET_READ_REPLY}, {PACKET_ATOMIC, PACKET_ATOMIC_REPLY}};
	const struct slice_flows *b = &s->flows;
	const char *name = s->base.name;

	for (unsigned i = 0; i < ARRAY_LEN(pairs); i++) {
		const char *asked = i ? "atomics taken" : "reads taken";
		const char *bytes = i ? "bytes of atomics taken" : "bytes of reads taken";

		audit_flow(a, name, asked, b->taken.packets[pairs[i][0]], "replied to",
			b->replied.packets[pairs[i][1]]);
		audit_flow(a, name, bytes, b->taken.bytes[pairs[i][0]], "replied to",
			b->replied.bytes[pairs[i][1]]);
	}
	audit_flow(a, name, "writes that require an acknowledgement", b->acks, "acknowledged",
		b->replied.packets[PACKET_WRITE_ACK]);
}

void slice_audit(const struct component *c, struct audit *a)
{
	const struct slice *s = CONTAINER_OF(c, const struct slice, base);

	audit_reads(s, a);
	audit_writes(s, a);
	audit_replies(s, a);
}
