/* The state of probes, for checkpoints: what they compare the next samples with, sums of the
 * present intervals, and records of the next window. */
#include "core/probe_inside.h"
#include "core/state.h"

static const struct state_field watched_kept[] = {
	STATE_KEPT(watched, def),
	STATE_KEPT(watched, id),
	STATE_KEPT(watched, what),
	STATE_KEPT(watched, values),
	STATE_KEPT(watched, means),
};

/* Records behind the last one mean nothing. */
static void records_state(
	struct state *s, const struct probes *all, struct record *r, uint32_t *n, uint32_t cap)
{
	STATE(s, *n);
	if (!state_most(s, *n, cap)) {
		*n = 0;
		return;
	}
	state_bytes(s, r, *n * sizeof(*r));
	state_scratch(s, r + *n, (cap - *n) * sizeof(*r));
	for (uint32_t i = 0; i < *n && s->loads; i++)
		if (r[i].what < RECORD_EVENT &&
			!state_most(s, r[i].id, all->nsignals - UINT64_C(1)))
			*n = 0;
}

static void probe_state(struct state *s, struct probe *p)
{
	BUG_ON(p->reported || p->sums_reported);
	STATE(s, p->based);
	STATE(s, p->closed);
	STATE(s, p->sampled);
	STATE(s, p->start);
	for (unsigned i = 0; i < p->ncells; i++)
		STATE(s, p->cells[i].raw);
	for (unsigned i = 0; i < p->ncells32; i++)
		STATE(s, p->cells32[i].raw);
	for (unsigned i = 0; i < p->nwatched; i++)
		STATE_STRUCT(s, &p->watched[i], watched_kept);
	if (!p->records)
		return;
	records_state(s, p->all, p->records, &p->nrecords, p->cap);
	records_state(s, p->all, p->sums, &p->nsums, p->sums_cap);
}

void probes_state(struct state *s, struct probes *p)
{
	state_same(s, p->nsignals, "signals");
	state_bytes(s, p->links, p->nsignals * sizeof(*p->links));
	state_bytes(s, p->link_means, p->nsignals * sizeof(*p->link_means));
	for (uint32_t i = 0; i < p->sim->nnodes && !s->failed; i++)
		probe_state(s, &p->probe[i]);
}
