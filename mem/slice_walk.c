/* Walks of the page table at an L2 slice: reads of page table entries from the translation unit, on
 * links of their own. They pass the slice's pipeline and banks by: an entry that the cache has is
 * returned in the cycle of the read's arrival, another one when DRAM has returned it. */
#include "mem/slice_state.h"

void slice_walked(struct slice *s, const struct packet *p, bool from_dram)
{
	struct packet entry = *p;

	entry.kind = PACKET_READ_REPLY;
	entry.from_dram = from_dram;
	fifo_push(&s->entries, &entry, 0);
}

bool slice_walk_back(struct slice *s, const struct packet *p)
{
	slice_profile_filled(s, p, -1);
	slice_walked(s, p, true);
	return true;
}

bool slice_walks_busy(const struct slice *s)
{
	return fifo_count(&s->entries) || (s->walk_in && link_peek(s->walk_in));
}

static void return_entries(struct slice *s)
{
	struct fifo_slot *slot;

	while ((slot = fifo_front(&s->entries)) && link_can_send(s->entry_out)) {
		*(struct packet *)link_slot(s->entry_out) = slot->packet;
		link_send(s->entry_out, 0);
		fifo_pop(&s->entries);
	}
}

/* Each finds the queue to DRAM as the one before left it. */
void slice_walks(struct slice *s, uint64_t cycle)
{
	const struct packet *p;

	while ((p = link_peek(s->walk_in)) && slice_look_walk_up(s, p, cycle)) {
		s->flows.walks += packet_granule_bytes[p->granules];
		link_pop(s->walk_in);
		slice_drain_dram(s, cycle);
	}
	return_entries(s);
}

void slice_walks_init(struct slice *s, unsigned walks, struct arena *arena)
{
	fifo_init(&s->entries, walks ? walks : 1, arena);
	if (!walks)
		return;
	port_declare(&s->base, PORT_IN, "walk", 0, &packet_type, &s->walk_in, false);
	port_declare(&s->base, PORT_OUT, "entry", 0, &packet_type, &s->entry_out, false);
}
