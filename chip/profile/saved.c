/* The state of a chip's profile, for checkpoints: the tables of its parts; what the parts keep
 * beside them is in their own state. */
#include "chip/profile/inside.h"
#include "core/state.h"

static void tables_state(struct state *s, const struct chip_profile *f, struct profile_tables *t)
{
	state_sparse(s, t->site, f->map.nsites * sizeof(*t->site));
	state_bytes(s, t->site_buffer, f->map.nsites * sizeof(*t->site_buffer));
	state_sparse(s, t->buffer, f->map.nbuffers * sizeof(*t->buffer));
	if (t->sm)
		state_sparse(s, t->sm, f->map.sms * sizeof(*t->sm));
	if (s->loads)
		t->last = (struct account_range){0};
	state_scratch(s, &t->last, sizeof(t->last));
}

/* An account's launch may be over: its kernel's sites stay. */
static void sites_state(struct state *s, struct chip_profile *f)
{
	uint64_t most = max_u64(f->map.nsites, 1) - 1;
	uint32_t n = f->account_capacity;

	STATE(s, n);
	if (!state_most(s, n, f->account_capacity))
		return;
	state_bytes(s, f->map.first_site, n * sizeof(*f->map.first_site));
	for (uint32_t i = 0; i < n && s->loads && !s->failed; i++)
		state_most(s, f->map.first_site[i], most);
}

void profile_state(struct state *s, struct chip *c)
{
	struct chip_profile *f = c->profile;

	state_part(s, "the profile");
	state_same(s, f != NULL, "profiles");
	if (!f || s->failed)
		return;
	if (s->loads && profile_grow(c, s->err)) {
		s->failed = true;
		return;
	}
	state_same(s, f->nparts, "tables");
	state_same(s, f->map.nsites, "instructions");
	state_same(s, f->map.nbuffers, "names of buffers");
	if (s->failed)
		return;
	sites_state(s, f);
	for (unsigned i = 0; i < f->nparts && !s->failed; i++)
		tables_state(s, f, &f->tables[i]);
	for (unsigned i = 0; i < f->map.sms && !s->failed; i++) {
		state_sparse(s, f->stalls[i].row, f->map.nsites * sizeof(*f->stalls[i].row));
		STATE(s, f->stalls[i].cta_cycles);
		STATE(s, f->stalls[i].uneven_cycles);
		STATE(s, f->stalls[i].lasting_cycles);
		STATE(s, f->stalls[i].full_cycles);
		STATE(s, f->stalls[i].drain_cycles);
	}
}
