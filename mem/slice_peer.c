/* Copies of lines that are homed on the chip's other side (NVIDIA's A100 and H100: a partition of
 * the L2 caches what the SMs connected to it read). A read of such a line goes to the slice with
 * the same position on the SM's side; what is not there is asked for at the line's own slice, the
 * peer, where it passes the pipeline by and takes a lookup in turns with the peer's own requests.
 * Writes and atomics go to the line's own slice, which has its peer drop a copy. A copy is
 * replaced as any other line, and never dirty.
 *
 * Why it cannot deadlock. What the peer lends can always be accepted (as DRAM's fills can,
 * slice_state.h), so `loans` drains. What it asks for waits for DRAM and for `loans` only, never
 * for what is asked here: fetches of copies take at most half of the entries, of the waiters and of
 * the victims' writes, so that the others drain by DRAM alone. */
#include "mem/slice_state.h"

#include <inttypes.h>

bool slice_peer_has_space(const struct slice *s)
{
	return fifo_count(&s->loans) < s->p.replies;
}

/* A copy is a read's reply, of a line to drop a write. */
static void queue(struct slice *s, const struct packet *p, enum packet_kind kind)
{
	struct packet out = *p;

	out.kind = (uint8_t)kind;
	out.copy = true;
	fifo_push(&s->loans, &out, 0);
}

void slice_lend(struct slice *s, const struct packet *p)
{
	queue(s, p, PACKET_READ_REPLY);
}

void slice_drop_copy(struct slice *s, const struct packet *p)
{
	queue(s, p, PACKET_WRITE);
}

bool slice_may_ask(struct slice *s, int entry, bool missing)
{
	unsigned entries = (unsigned)s->p.mshrs / 2;

	if (s->nfree <= s->p.merges / 2 || (entry < 0 && mshr_used(s->mshr) >= entries) ||
		(missing && (s->fetches >= entries ||
				    s->evicting + s->fetches >= s->p.evict_queue / 2))) {
		link_await(s->lent);
		return false;
	}
	return !missing || link_can_send(s->ask);
}

void slice_ask(struct slice *s, const struct packet *p)
{
	*(struct packet *)link_slot(s->ask) = *p;
	link_send(s->ask, 1);
	s->flows.asked += packet_granule_bytes[p->granules];
}

void slice_take_loans(struct slice *s, uint64_t cycle)
{
	const struct packet *p;

	while ((p = link_peek(s->lent))) {
		if (p->kind == PACKET_WRITE)
			cache_invalidate(s->cache, p->line);
		else if (!slice_take_back(s, p, cycle))
			return;
		link_pop(s->lent);
	}
}

void slice_send_loans(struct slice *s)
{
	struct fifo_slot *slot;

	while ((slot = fifo_front(&s->loans)) && link_can_send(s->lend)) {
		const struct packet *p = &slot->packet;
		bool data = p->kind == PACKET_READ_REPLY;

		*(struct packet *)link_slot(s->lend) = *p;
		link_send(s->lend, data ? packet_port_flits(p, &s->port) : 1);
		fifo_pop(&s->loans);
	}
}

bool slice_peer_look_up(struct slice *s, uint64_t cycle)
{
	const struct packet *p = link_peek(s->asked);

	if (!p || !slice_peer_has_space(s) ||
		(s->bank_free && slice_bank_free(s, p->line) > cycle) ||
		!slice_look_asked_up(s, p, cycle))
		return false;
	s->flows.lent += packet_granule_bytes[p->granules];
	link_pop(s->asked);
	return true;
}

uint64_t slice_peer_next(const struct slice *s, uint64_t cycle)
{
	const struct packet *p = link_peek(s->asked);

	if (!p)
		return UINT64_MAX;
	if (s->looked == cycle + 1)
		return cycle + 1;
	if (s->bank_free && slice_bank_free(s, p->line) > cycle)
		return slice_bank_free(s, p->line);
	return UINT64_MAX;
}

bool slice_peer_busy(const struct slice *s)
{
	return s->ask && (fifo_count(&s->loans) || link_peek(s->asked) || link_peek(s->lent));
}

void slice_peer_stuck(const struct slice *s, struct text *text)
{
	text_add(text, "  reads of the other side that wait: %u, replies to it: %u\n",
		link_held(s->asked), fifo_count(&s->loans));
}

void slice_set_peer(struct component *c, struct component *peer)
{
	CONTAINER_OF(c, struct slice, base)->peer = CONTAINER_OF(peer, struct slice, base);
}

/* Half of each is for copies, half for what they wait for. */
static void check(const struct slice *s, struct err *err)
{
	const struct {
		const char *name;
		uint64_t value, least;
	} rows[] = {
		{"mshrs", s->p.mshrs, 2},
		{"merges", s->p.merges, 2},
		{"evict_queue", s->p.evict_queue, 2},
	};

	for (unsigned i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].value < rows[i].least)
			err_add(err, ERR_INPUT,
				"l2.%s = %" PRIu64 ": must be at least %" PRIu64
				" with chip.side_copies; or set chip.side_copies=false",
				rows[i].name, rows[i].value, rows[i].least);
}

/* Replies are at most those of all waiters, and the replies that may be queued besides. */
void slice_peer_init(struct slice *s, bool copies, struct arena *arena, struct err *err)
{
	unsigned most = (unsigned)(s->p.merges + s->p.replies);

	fifo_init(&s->loans, copies ? most + 1 : 1, arena);
	if (!copies)
		return;
	check(s, err);
	port_declare(&s->base, PORT_OUT, "ask", 0, &packet_type, &s->ask, false);
	port_declare(&s->base, PORT_IN, "asked", 0, &packet_type, &s->asked, false);
	port_declare(&s->base, PORT_OUT, "lend", 0, &packet_type, &s->lend, false);
	port_declare(&s->base, PORT_IN, "lent", 0, &packet_type, &s->lent, false);
}
