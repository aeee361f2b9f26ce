/* The state of a slice, for checkpoints. */
#include "core/state.h"
#include "mem/slice_profile.h"
#include "mem/slice_state.h"

static const struct state_field slice_kept[] = {
	STATE_KEPT(slice, base),
	STATE_KEPT(slice, p),
	STATE_KEPT(slice, pass),
	STATE_KEPT(slice, free_port),
	STATE_KEPT(slice, port),
	STATE_KEPT(slice, pipe_cycles),
	STATE_KEPT(slice, request),
	STATE_KEPT(slice, reply),
	STATE_KEPT(slice, dram_out),
	STATE_KEPT(slice, dram_in),
	STATE_KEPT(slice, walk_in),
	STATE_KEPT(slice, entry_out),
	STATE_KEPT(slice, ask),
	STATE_KEPT(slice, asked),
	STATE_KEPT(slice, lend),
	STATE_KEPT(slice, lent),
	STATE_KEPT(slice, peer),
	STATE_KEPT(slice, replacement),
	STATE_KEPT(slice, hash),
	STATE_KEPT(slice, write),
	STATE_KEPT(slice, cache),
	STATE_KEPT(slice, mshr),
	STATE_KEPT(slice, pipe),
	STATE_KEPT(slice, dram),
	STATE_KEPT(slice, fills),
	STATE_KEPT(slice, atomics),
	STATE_KEPT(slice, ready),
	STATE_KEPT(slice, entries),
	STATE_KEPT(slice, loans),
	STATE_KEPT(slice, waiters),
	STATE_KEPT(slice, free_waiters),
	STATE_KEPT(slice, fetches_of),
	STATE_KEPT(slice, bank_free),
	STATE_KEPT(slice, warm),
	STATE_KEPT(slice, by_launch),
	STATE_KEPT(slice, profile),
};

static void queues_state(struct slice *l, struct state *s)
{
	struct fifo *queue[] = {
		&l->pipe, &l->dram, &l->fills, &l->atomics, &l->ready, &l->entries, &l->loans};

	for (unsigned i = 0; i < ARRAY_LEN(queue); i++)
		if (queue[i]->slots)
			fifo_state(s, queue[i]);
}

void slice_state(struct component *c, struct state *s)
{
	struct slice *l = CONTAINER_OF(c, struct slice, base);

	STATE_STRUCT(s, l, slice_kept);
	state_policy(s, &l->replacement);
	state_policy(s, &l->hash);
	state_policy(s, &l->write);
	cache_state(s, l->cache);
	mshr_state(s, l->mshr);
	queues_state(l, s);
	state_bytes(s, l->waiters, l->p.merges * sizeof(*l->waiters));
	state_bytes(s, l->free_waiters, l->p.merges * sizeof(*l->free_waiters));
	state_bytes(s, l->fetches_of, l->p.mshrs * sizeof(*l->fetches_of));
	state_bytes(s, l->warm, l->p.mshrs * sizeof(*l->warm));
	if (l->bank_free)
		state_bytes(s, l->bank_free, l->p.banks * sizeof(*l->bank_free));
	if (l->profile)
		slice_profile_state(s, l);
}
