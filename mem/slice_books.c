/* The books of an L2 slice: what requests asked for is hit, merged or missed; what is missed is
 * fetched; what is written is dirty, was dirty, or has gone to DRAM. */
#include "mem/slice_state.h"

const struct slice_books *slice_books(const struct component *c)
{
	return &CONTAINER_OF(c, const struct slice, base)->books;
}

static void audit_reads(const struct slice *s, struct audit *a)
{
	const struct slice_books *b = &s->books;
	const char *name = s->base.name;

	audit_flow(a, name, "bytes that reads and atomics asked for",
		b->taken.bytes[PACKET_READ] + b->taken.bytes[PACKET_ATOMIC],
		"hit, merged and missed", b->hit + b->merged + b->missed);
	audit_flow(a, name, "bytes missed, and more of their lines", b->missed + b->extra,
		"asked of DRAM", b->asked.bytes[PACKET_READ]);
	audit_flow(a, name, "reads asked of DRAM", b->asked.packets[PACKET_READ], "answered",
		b->given.packets[PACKET_READ_REPLY]);
	audit_flow(a, name, "bytes asked of DRAM", b->asked.bytes[PACKET_READ], "filled or passed",
		b->given.bytes[PACKET_READ_REPLY]);
}

static void audit_writes(const struct slice *s, struct audit *a)
{
	const struct slice_books *b = &s->books;
	struct cache_books kept = cache_books(s->cache);
	const char *name = s->base.name;
	uint64_t gone = kept.evicted + kept.flushed + kept.dropped;

	audit_flow(a, name, "bytes of writes and atomics",
		b->taken.bytes[PACKET_WRITE] + b->taken.bytes[PACKET_ATOMIC],
		"made dirty, dirty already and written through",
		kept.dirtied + kept.rewritten + b->through + b->joined);
	audit_equal(a, name, "bytes made dirty", kept.dirtied,
		"written back, flushed, dropped and dirty still", gone + cache_dirty(s->cache));
	audit_flow(a, name, "bytes written back and through, and more of their sectors",
		kept.evicted + b->through + b->padding, "sent to DRAM",
		b->asked.bytes[PACKET_WRITE]);
}

/* Every packet that wants an answer has one, of the same size. */
static void audit_answers(const struct slice *s, struct audit *a)
{
	static const enum packet_kind pairs[][2] = {
		{PACKET_READ, PACKET_READ_REPLY}, {PACKET_ATOMIC, PACKET_ATOMIC_REPLY}};
	const struct slice_books *b = &s->books;
	const char *name = s->base.name;

	for (unsigned i = 0; i < ARRAY_LEN(pairs); i++) {
		const char *asked = i ? "atomics taken" : "reads taken";
		const char *bytes = i ? "bytes of atomics taken" : "bytes of reads taken";

		audit_flow(a, name, asked, b->taken.packets[pairs[i][0]], "answered",
			b->replied.packets[pairs[i][1]]);
		audit_flow(a, name, bytes, b->taken.bytes[pairs[i][0]], "answered",
			b->replied.bytes[pairs[i][1]]);
	}
	audit_flow(a, name, "writes that want an acknowledgement", b->acks, "acknowledged",
		b->replied.packets[PACKET_WRITE_ACK]);
}

void slice_audit(const struct component *c, struct audit *a)
{
	const struct slice *s = CONTAINER_OF(c, const struct slice, base);

	audit_reads(s, a);
	audit_writes(s, a);
	audit_answers(s, a);
}
