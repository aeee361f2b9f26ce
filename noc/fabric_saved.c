/* The state of a fabric, for checkpoints. */
#include "core/state.h"
#include "noc/fabric.h"

static const struct state_field fabric_kept[] = {
	STATE_KEPT(fabric, base),
	STATE_KEPT(fabric, p),
	STATE_KEPT(fabric, s),
	STATE_KEPT(fabric, shape),
	STATE_KEPT(fabric, in),
	STATE_KEPT(fabric, out),
	STATE_KEPT(fabric, to),
	STATE_KEPT(fabric, free_vcs),
	STATE_KEPT(fabric, free_at),
	STATE_KEPT(fabric, credits),
	STATE_KEPT(fabric, put),
	STATE_KEPT(fabric, take),
	STATE_KEPT(fabric, held),
	STATE_KEPT(fabric, target),
	STATE_KEPT(fabric, leaves),
	STATE_KEPT(fabric, requests_from),
	STATE_KEPT(fabric, starved),
	STATE_KEPT(fabric, flit),
	STATE_KEPT(fabric, followed),
	STATE_KEPT(fabric, due),
	STATE_KEPT(fabric, due_mask),
	STATE_KEPT(fabric, packet),
	STATE_KEPT(fabric, entered),
	STATE_KEPT(fabric, free_slot),
	STATE_KEPT(fabric, nslots),
	STATE_KEPT(fabric, entry),
	STATE_KEPT(fabric, credit),
	STATE_KEPT(fabric, credit_mask),
	STATE_KEPT(fabric, ivcs),
	STATE_KEPT(fabric, ivc_words),
	STATE_KEPT(fabric, switch_ins),
	STATE_KEPT(fabric, ivc_q),
	STATE_KEPT(fabric, ivc_of),
	STATE_KEPT(fabric, ivc_port),
	STATE_KEPT(fabric, ivc_vc),
	STATE_KEPT(fabric, requesting),
	STATE_KEPT(fabric, nrequesting),
	STATE_KEPT(fabric, wanted),
	STATE_KEPT(fabric, sending),
	STATE_KEPT(fabric, out_words),
	STATE_KEPT(fabric, busy_ivcs),
	STATE_KEPT(fabric, busy_routers),
	STATE_KEPT(fabric, router_words),
	STATE_KEPT(fabric, vc_round),
	STATE_KEPT(fabric, switch_round),
	STATE_KEPT(fabric, vc_policy),
	STATE_KEPT(fabric, switch_policy),
	STATE_KEPT(fabric, vc_allocator),
	STATE_KEPT(fabric, switch_allocator),
	STATE_KEPT(fabric, vc_state),
	STATE_KEPT(fabric, switch_state),
	STATE_KEPT(fabric, chosen_vc),
	STATE_KEPT(fabric, next_vc),
	STATE_KEPT(fabric, exit_channel),
	STATE_KEPT(fabric, waiting),
	STATE_KEPT(fabric, exit_vc),
};

#define MOVE(s, array, n) state_bytes(s, array, (n) * sizeof(*(array)))

static void buffers_state(struct state *s, struct fabric *f)
{
	size_t channels = f->inputs + (size_t)f->shape.routers * f->shape.outs;
	size_t n = channels * f->vcs, entries = n << f->shift;

	MOVE(s, f->free_vcs, channels);
	MOVE(s, f->free_at, channels);
	MOVE(s, f->credits, n);
	MOVE(s, f->put, n);
	MOVE(s, f->take, n);
	MOVE(s, f->held, n);
	MOVE(s, f->target, n);
	MOVE(s, f->leaves, n);
	MOVE(s, f->requests_from, n);
	MOVE(s, f->starved, n);
	MOVE(s, f->flit, entries);
	MOVE(s, f->followed, entries);
	MOVE(s, f->due, f->due_mask + (size_t)1);
	MOVE(s, f->packet, f->nslots);
	MOVE(s, f->entered, f->nslots);
	MOVE(s, f->free_slot, f->nslots);
	MOVE(s, f->entry, f->inputs);
	MOVE(s, f->credit, f->credit_mask + (size_t)1);
}

static void routers_state(struct state *s, struct fabric *f)
{
	size_t n = f->shape.routers, outs = f->shape.outs;

	MOVE(s, f->requesting, n * outs * f->ivc_words);
	MOVE(s, f->nrequesting, n * outs);
	MOVE(s, f->wanted, n * f->out_words);
	MOVE(s, f->sending, n * f->ivc_words);
	MOVE(s, f->busy_ivcs, n);
	MOVE(s, f->busy_routers, f->router_words);
	MOVE(s, f->chosen_vc, f->switch_ins * outs);
	MOVE(s, f->next_vc, n * f->switch_ins);
	state_policy(s, &f->vc_policy);
	state_policy(s, &f->switch_policy);
	allocation_state(s, &f->vc_round);
	allocation_state(s, &f->switch_round);
	for (size_t r = 0; r < n; r++) {
		allocator_state_state(s, &f->vc_state[r], &f->vc_round);
		allocator_state_state(s, &f->switch_state[r], &f->switch_round);
	}
	MOVE(s, f->waiting, (f->outputs + (size_t)63) / 64);
	MOVE(s, f->exit_vc, f->outputs);
}

void fabric_state(struct component *c, struct state *s)
{
	struct fabric *f = CONTAINER_OF(c, struct fabric, base);

	STATE_STRUCT(s, f, fabric_kept);
	STATE(s, *f->s);
	inlets_state(s, &f->in, f->inputs);
	buffers_state(s, f);
	routers_state(s, f);
}
