/* The state of a channel's controller, for checkpoints. */
#include "core/state.h"
#include "dram/controller.h"

static const struct state_field controller_kept[] = {
	STATE_KEPT(controller, p),
	STATE_KEPT(controller, s),
	STATE_KEPT(controller, device),
	STATE_KEPT(controller, own_map),
	STATE_KEPT(controller, map),
	STATE_KEPT(controller, hash),
	STATE_KEPT(controller, scheduler),
	STATE_KEPT(controller, when),
	STATE_KEPT(controller, sched),
	STATE_KEPT(controller, writes),
	STATE_KEPT(controller, bursts),
	STATE_KEPT(controller, requests),
	STATE_KEPT(controller, timing.device),
};

void controller_state(struct state *s, struct controller *c)
{
	STATE_STRUCT(s, c, controller_kept);
	STATE(s, *c->s);
	state_policy(s, &c->hash);
	state_policy(s, &c->scheduler);
	state_policy(s, &c->when);
	state_bytes(s, c->bursts, c->nbursts * sizeof(*c->bursts));
	state_bytes(s, c->requests, c->nrequests * sizeof(*c->requests));
}
