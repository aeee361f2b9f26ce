/* The state of what a chip's parts have in common: launches, accounts, epochs, device memory. */
#include "chip/checkpoint.h"

#include "chip/profile/inside.h"
#include "chip/tally.h"
#include "chip/trace/trace.h"

/* ---- spaces: programs, launches and buffers */
static void add_programs(struct state *s, const struct gpu *g)
{
	for (unsigned i = 0; i < g->nmodules; i++) {
		const struct module *m = g->modules[i]->module;

		for (uint32_t k = 0; k < m->nkernels; k++) {
			const struct program *p = m->kernels[k];

			state_space(s, p, sizeof(*p));
			state_space(s, p->code, p->ninstr * sizeof(*p->code));
		}
	}
}

static void add_launches(struct state *s, const struct gpu *g)
{
	for (uint32_t i = 0; i < g->nlaunches; i++) {
		const struct launch_state *l = launches_at(g, i);

		if (l)
			state_space(s, l, sizeof(*l));
	}
}

static void add_buffers(struct state *s, const struct gpu *g)
{
	for (unsigned b = 1; b <= image_count(g->image); b++) {
		uint64_t bytes = image_bytes(g->image, b);

		if (bytes)
			state_space(s, image_bytes_at(g->image, image_address(g->image, b), bytes),
				bytes);
	}
}

/* ---- launches */
static void launch_pointer(struct state *s, const struct gpu *g, struct launch_state **l)
{
	uint64_t number = *l && !s->loads ? (*l)->grid.gridid : NO_LAUNCH;

	STATE(s, number);
	if (!s->loads)
		return;
	*l = NULL;
	if (number == NO_LAUNCH || !state_most(s, number, g->nlaunches - UINT64_C(1)))
		return;
	*l = launches_at(g, number);
	if (!*l)
		state_fail(s, "the checkpoint needs launch %llu, which is over",
			(unsigned long long)number);
}

static const struct state_field launch_kept[] = {
	STATE_KEPT(launch_state, grid.program),
	STATE_KEPT(launch_state, grid.params),
	STATE_KEPT(launch_state, grid.local),
	STATE_KEPT(launch_state, grid.textures),
	STATE_KEPT(launch_state, queued),
	STATE_KEPT(launch_state, name),
	STATE_KEPT(launch_state, kernel),
	STATE_KEPT(launch_state, part),
	STATE_KEPT(launch_state, policy),
	STATE_KEPT(launch_state, rest),
	STATE_KEPT(launch_state, usable),
	STATE_KEPT(launch_state, follower),
	STATE_KEPT(launch_state, before),
	STATE_KEPT(launch_state, after),
};

static void rest_state(struct state *s, struct launch_rest *r)
{
	state_same(s, r != NULL, "as what is counted without time");
	if (r && !s->failed)
		STATE(s, *r);
}

static void launch_state(struct state *s, const struct gpu *g, struct launch_state *l)
{
	const struct dispatch_ops *choose = g->chip->dispatcher->choose;
	unsigned sms = (unsigned)g->chip->p.sms;
	uint64_t ctas = l->ctas;

	state_same(s, l->ctas, "CTAs of a launch");
	state_same(s, l->usable, "SMs of a launch");
	STATE_STRUCT(s, l, launch_kept);
	l->ctas = ctas;
	rest_state(s, l->rest);
	launch_pointer(s, g, &l->follower);
	launch_pointer(s, g, &l->before);
	launch_pointer(s, g, &l->after);
	state_bytes(s, l->part,
		sms * sizeof(*l->part) + choose->launch_size + l->usable * choose->sm_size);
}

static const struct state_field row_kept[] = {
	STATE_KEPT(launch_row, state),
	STATE_KEPT(launch_row, program),
	STATE_KEPT(launch_row, sm_ends),
	STATE_KEPT(launch_row, rest),
};

/* One that is over in a checkpoint: its row is what remains. */
static void row_state(struct state *s, struct gpu *g, struct launch_row *r)
{
	bool ends = r->sm_ends;

	if (r->state)
		launches_end(g, r->state);
	STATE_STRUCT(s, r, row_kept);
	STATE_POINTER(s, r->program);
	rest_state(s, r->rest);
	STATE(s, ends);
	if (ends && !r->sm_ends)
		state_fail(s, "the checkpoint keeps launches' ends by SM, this run does not");
	else if (ends)
		state_bytes(s, r->sm_ends, g->chip->p.sms * sizeof(*r->sm_ends));
}

static void kernels_state(struct state *s, struct gpu *g)
{
	for (unsigned i = 0; i < g->nmodules; i++) {
		const struct gpu_module *m = g->modules[i];

		for (uint32_t k = 0; k < m->module->nkernels; k++) {
			STATE(s, m->kernel[k].accounts);
			STATE(s, m->kernel[k].shared);
			STATE(s, m->kernel[k].epoch);
		}
	}
}

static void launches_state(struct state *s, struct gpu *g)
{
	state_part(s, "launches");
	state_same(s, g->nmodules, "modules");
	state_same(s, g->nlaunches, "launches");
	for (uint32_t i = 0; i < g->nlaunches && !s->failed; i++) {
		bool over = !launches_at(g, i);

		STATE(s, over);
		if (over)
			row_state(s, g, launches_row_at(g, i));
		else if (!launches_at(g, i))
			state_fail(s, "the checkpoint needs launch %u, which is over", (unsigned)i);
	}
	add_launches(s, g);
	for (uint32_t i = 0; i < g->nlaunches && !s->failed; i++)
		if (launches_at(g, i))
			launch_state(s, g, launches_at(g, i));
	launch_pointer(s, g, &g->oldest);
	launch_pointer(s, g, &g->newest);
	launch_pointer(s, g, &g->chip->ended);
	STATE(s, g->npending);
	kernels_state(s, g);
}

/* ---- accounts */
static const struct state_field accounts_kept[] = {
	STATE_KEPT(accounts, of),
	STATE_KEPT(accounts, number),
	STATE_KEPT(accounts, next),
};

static void counts_state(struct state *s, struct chip *c)
{
	uint32_t n = c->accounts.capacity;

	for (unsigned i = 0; i < c->p.sms; i++)
		state_bytes(s, c->by_launch[i], n * sizeof(*c->by_launch[i]));
	for (unsigned i = 0; i < c->channels * c->per_channel; i++)
		state_bytes(s, c->lookups[i], n * sizeof(*c->lookups[i]));
	for (unsigned i = 0; i < c->channels; i++)
		state_bytes(s, c->traffic[i], n * sizeof(*c->traffic[i]));
	state_bytes(s, c->flushed, n * sizeof(*c->flushed));
	state_bytes(s, c->earlier, c->channels * sizeof(*c->earlier));
}

static void accounts_state(struct state *s, struct chip *c)
{
	struct accounts *a = &c->accounts;
	uint32_t capacity = a->capacity;

	state_part(s, "accounts");
	STATE(s, capacity);
	if (s->failed || accounts_resize(c, capacity, s->err)) {
		s->failed = true;
		return;
	}
	STATE_STRUCT(s, a, accounts_kept);
	a->capacity = capacity;
	state_bytes(s, a->number, a->capacity * sizeof(*a->number));
	state_bytes(s, a->next, a->capacity * sizeof(*a->next));
	for (uint32_t i = 0; i < a->capacity && !s->failed; i++) {
		launch_pointer(s, c->gpu, &a->of[i]);
		if (s->loads)
			c->grids.grids[i] = a->of[i] ? &a->of[i]->grid : NULL;
	}
	counts_state(s, c);
}

/* ---- epochs */
static const struct state_field epochs_kept[] = {
	STATE_KEPT(epochs, rows),
	STATE_KEPT(epochs, span),
	STATE_KEPT(epochs, before),
	STATE_KEPT(epochs, own),
	STATE_KEPT(epochs, common),
};

static const struct state_field epoch_kept[] = {
	STATE_KEPT(epoch, program),
	STATE_KEPT(epoch, sum),
	STATE_KEPT(epoch, most),
};

static void epoch_state(struct state *s, const struct epochs *e, struct epoch *epoch)
{
	STATE_STRUCT(s, epoch, epoch_kept);
	STATE_POINTER(s, epoch->program);
	state_bytes(s, epoch->sum, 2 * (size_t)e->rows->n * sizeof(*epoch->sum));
}

static void epochs_state(struct state *s, struct epochs *e)
{
	state_part(s, "epochs");
	state_same(s, e->rows->n, "statistics");
	state_same(s, e->npositions, "counters");
	state_same(s, e->own_room, "epochs");
	state_same(s, e->ncommon, "kernels' epochs");
	STATE_STRUCT(s, e, epochs_kept);
	state_bytes(s, e->before, e->npositions * sizeof(*e->before));
	for (uint32_t i = 0; i < e->own_room && !s->failed; i++)
		epoch_state(s, e, &e->own[i]);
	for (uint32_t i = 0; i < e->ncommon && !s->failed; i++)
		epoch_state(s, e, &e->common[i]);
}

/* ---- device memory */
static void memory_state(struct state *s, struct gpu *g)
{
	state_part(s, "device memory");
	state_same(s, image_count(g->image), "buffers");
	for (unsigned b = 1; b <= image_count(g->image) && !s->failed; b++) {
		uint64_t bytes = image_bytes(g->image, b), address = image_address(g->image, b);

		state_same(s, bytes, "bytes of a buffer");
		state_same(s, address, "as a buffer's address");
		if (bytes && !s->failed)
			state_sparse(s, image_bytes_at(g->image, address, bytes), bytes);
	}
	add_buffers(s, g);
}

/* ---- the dispatcher */
static void list_state(
	struct state *s, const struct gpu *g, struct launch_state **list, uint32_t *n)
{
	STATE(s, *n);
	if (!state_most(s, *n, g->chip->dispatcher->room)) {
		*n = 0;
		return;
	}
	for (uint32_t i = 0; i < *n; i++) {
		launch_pointer(s, g, &list[i]);
		if (!list[i])
			state_fail(s, "the checkpoint lacks a launch of the dispatcher's");
	}
}

void dispatcher_state(struct component *c, struct state *s)
{
	struct dispatcher *d = CONTAINER_OF(c, struct dispatcher, base);

	STATE(s, d->s);
	state_policy(s, &d->policy);
	state_bytes(s, d->sm, d->chip->p.sms * sizeof(*d->sm));
	list_state(s, d->gpu, d->runnable, &d->nrunnable);
	list_state(s, d->gpu, d->rest, &d->nrest);
	STATE(s, d->next_sm);
	STATE(s, d->stepped_cycle);
	STATE(s, d->answer);
	STATE(s, d->skips);
	state_same(s, d->pauses, "as what ends a run");
	state_same(s, d->until, "as the launch that ends a run");
	state_most(s, d->next_sm, d->chip->p.sms - 1);
}

void dispatcher_forget(struct dispatcher *d)
{
	d->nrunnable = 0;
}

/* ---- all of it */
static void chip_own_state(struct state *s, struct chip *c)
{
	state_part(s, "the chip");
	state_same(s, c->skipping.state != NULL, "as whether CTAs are skipped");
	if (c->skipping.state)
		STATE(s, c->queued_ctas);
	else
		state_same(s, c->queued_ctas, "CTAs");
	STATE(s, c->last_end);
	STATE(s, c->flushed_bytes);
	STATE(s, c->rest_counts);
	STATE(s, c->shares);
	STATE(s, c->at_rest);
	STATE(s, c->gpu->fault);
}

void chip_state(struct gpu *g, struct state *s)
{
	BUG_ON(!g->chip || g->chip->closed);
	chip_own_state(s, g->chip);
	add_programs(s, g);
	if (!s->failed)
		sm_notes_state(s, g->notes);
	if (!s->failed)
		launches_state(s, g);
	if (!s->failed && g->chip->skipping.state)
		g->chip->skipping.state(g->chip->skipping.ctx, s);
	if (!s->failed)
		memory_state(s, g);
	if (!s->failed)
		accounts_state(s, g->chip);
	if (!s->failed)
		profile_state(s, g->chip);
	if (!s->failed)
		epochs_state(s, &g->chip->epochs);
	if (!s->failed)
		power_state(s, g->chip);
	if (!s->failed)
		warmup_state(s, g->chip);
	if (!s->failed)
		state_sim(s, g->chip->sim);
	if (!s->failed)
		trace_state(s, g->chip);
	if (!s->failed)
		state_part(s, "the end");
}

void chip_resume(struct gpu *g, struct state *s)
{
	g->chip->loads = s;
}
