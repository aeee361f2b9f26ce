/* The state of an SM's profile, for checkpoints. */
#include "core/state.h"
#include "sm/stalls_inside.h"

static const struct state_field profile_kept[] = {
	STATE_KEPT(sm_profile, tables),
	STATE_KEPT(sm_profile, trips),
	STATE_KEPT(sm_profile, lane_bytes),
	STATE_KEPT(sm_profile, fates),
	STATE_KEPT(sm_profile, seen),
	STATE_KEPT(sm_profile, touched),
	STATE_KEPT(sm_profile, stalls),
	STATE_KEPT(sm_profile, lasting),
	STATE_KEPT(sm_profile, warp),
};

/* Sites must have rows. */
static void check_sites(struct state *s, const struct sm_profile *f, const uint32_t *site, size_t n)
{
	uint64_t most = max_u64(f->tables->map->nsites, 1) - 1;

	for (size_t i = 0; i < n && s->loads && !s->failed; i++)
		state_most(s, site[i], most);
}

static void check_spans(struct state *s, const struct sm *sm)
{
	const struct sm_profile *f = sm->profile;

	for (unsigned i = 0; i < ARRAY_LEN(f->span) && s->loads; i++) {
		check_sites(s, f, &f->span[i].site, 1);
		check_sites(s, f, &f->span[i].cause, 1);
		state_most(s, f->span[i].reason, REASON_COUNT - 1);
		state_most(s, f->turn[i].warp, sm->p.warps - 1);
	}
	check_sites(s, f, f->last_long, ARRAY_LEN(f->last_long));
	check_sites(s, f, &f->shared_by, 1);
	check_sites(s, f, &f->fetch_by, 1);
	check_sites(s, f, &f->pipe_by[0][0], PIPE_COUNT * PIPE_UNITS);
}

static void trips_state(struct state *s, struct sm_profile *f)
{
	const uint64_t most = PROFILE_TRIPS - 1;

	state_most(s, f->free_trip, most);
	state_most(s, f->used_trips, most);
	state_sparse(s, f->trips, PROFILE_TRIPS * sizeof(*f->trips));
	for (unsigned i = 0; i < PROFILE_TRIPS && s->loads && !s->failed; i++)
		state_most(s, f->trips[i].next_free, most);
}

void sm_profile_state(struct state *s, struct sm *sm)
{
	struct sm_profile *f = sm->profile;
	size_t warps = sm->p.warps * sizeof(*f->warp);

	if (!f)
		return;
	STATE_STRUCT(s, f, profile_kept);
	state_most(s, f->found, PROFILE_COUNT - 1);
	state_most(s, f->outcome, PROFILE_COUNT);
	trips_state(s, f);
	check_spans(s, sm);
	state_bytes(s, f->lane_bytes, sm->p.lsu_queue);
	state_sparse(s, f->fates, (sm->c.max_cache_bytes / LINE_BYTES + 1) * sizeof(*f->fates));
	state_bytes(s, f->touched, sm->l1.p.mshrs);
	state_sparse(s, f->seen, PROFILE_SEEN * sizeof(*f->seen));
	state_sparse(s, f->warp, warps);
	check_sites(s, f, (const uint32_t *)f->warp, warps / sizeof(uint32_t));
	stalls_watch(sm);
}
