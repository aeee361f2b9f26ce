/* The kernel's state: time, wheels of events, clocks, links, and each component's own. */
#include "core/kernel.h"
#include "core/state.h"

#include <string.h>

/* ---- events, by their numbers in the partition */
static uint32_t number_of(const struct partition *p, const struct event *e)
{
	uint32_t i = 0;

	while (p->all_events[i] != e)
		i++;
	return i;
}

/* NULL, and a failure: there is no such event, or it is in a list already. */
static struct event *take_event(struct state *s, const struct partition *p, uint32_t number)
{
	struct event *e;

	if (!state_most(s, number, p->nevents - UINT64_C(1)))
		return NULL;
	e = p->all_events[number];
	if (state_most(s, e->at != TICK_NEVER, 0))
		return e;
	return NULL;
}

/* A pending one without its position. */
static void move_event(struct state *s, const struct partition *p, struct event **e)
{
	uint32_t number = s->loads ? UINT32_MAX : number_of(p, *e);
	tick_t at = s->loads ? TICK_NEVER : (*e)->at;

	STATE(s, number);
	STATE(s, at);
	if (!s->loads)
		return;
	*e = take_event(s, p, number);
	if (*e)
		(*e)->at = at;
}

static void bucket_state(struct state *s, const struct partition *p, struct wheel_bucket *b)
{
	struct event **link = &b->first, *e = b->first;
	uint32_t n = 0;
	bool at_first = b->last != NULL;

	for (; !s->loads && e; e = e->next)
		n++;
	STATE(s, n);
	STATE(s, b->latest);
	STATE(s, b->mixed);
	STATE(s, at_first);
	if (!state_most(s, n, p->nevents))
		return;
	for (; n && !s->failed; n--) {
		e = *link;
		move_event(s, p, &e);
		if (!e)
			return;
		if (s->loads) {
			*link = e;
			e->link = link;
			e->next = NULL;
		}
		link = &e->next;
	}
	b->last = at_first || link != &b->first ? link : NULL;
}

static void heap_state(struct state *s, const struct partition *p, struct heap *h)
{
	STATE(s, h->n);
	if (!state_most(s, h->n, p->nevents)) {
		h->n = 0;
		return;
	}
	for (uint32_t i = 0; i < h->n; i++) {
		struct wheel_entry *entry = &h->entries[i];

		move_event(s, p, &entry->event);
		STATE(s, entry->order);
		if (!entry->event) {
			h->n = i;
			return;
		}
		entry->at = entry->event->at;
		entry->event->next = NULL;
		entry->event->link = NULL;
		entry->event->index = i;
	}
	memset(h->entries + h->n, 0, (p->nevents - h->n) * sizeof(*h->entries));
}

/* Positions of events that are not pending mean nothing. */
static void forget_positions(struct state *s, const struct partition *p)
{
	for (uint32_t i = 0; i < p->nevents; i++) {
		struct event *e = p->all_events[i];

		if (s->loads)
			e->at = TICK_NEVER;
		if (e->at != TICK_NEVER)
			continue;
		e->next = NULL;
		e->link = NULL;
	}
}

static void wheel_state(struct state *s, const struct partition *p, struct wheel *w)
{
	forget_positions(s, p);
	STATE(s, w->next);
	STATE(s, w->open);
	STATE(s, w->words);
	STATE(s, w->occupied);
	STATE(s, w->order);
	for (uint32_t i = 0; i < WHEEL_BUCKETS && !s->failed; i++) {
		if (s->loads)
			w->buckets[i].first = NULL;
		bucket_state(s, p, &w->buckets[i]);
	}
	heap_state(s, p, &w->due);
	heap_state(s, p, &w->far);
}

/* ---- the rest of a partition */
static void clock_state(struct state *s, struct clock *k)
{
	STATE(s, k->next);
	STATE(s, k->tick);
	STATE(s, k->occupied);
	state_bytes(s, k->ring, (size_t)k->words * RING_CYCLES * sizeof(*k->ring));
	if (k->order)
		state_scratch(s, k->order, k->nmembers * sizeof(*k->order));
}

static void partition_state(struct state *s, struct partition *p)
{
	STATE(s, p->head.now);
	STATE(s, p->next);
	STATE(s, p->soon);
	STATE(s, p->end);
	STATE(s, p->woken);
	STATE(s, p->flags);
	STATE(s, p->steps);
	STATE(s, p->events);
	STATE(s, p->rng);
	state_bytes(s, p->touched, p->end_words * sizeof(*p->touched));
	for (unsigned i = 0; i < ARRAY_LEN(p->news); i++)
		state_bytes(s, (void *)p->news[i], (p->end_words + 1) * sizeof(*p->news[i]));
	state_scratch(s, &p->cost, sizeof(p->cost));
	state_scratch(s, &p->dealt_steps, sizeof(p->dealt_steps));
	wheel_state(s, p, &p->wheel);
	for (uint32_t i = 0; i < p->nclocks; i++)
		clock_state(s, p->clocks[i]);
}

static void link_state(struct state *s, struct link *l)
{
	state_bytes(s, l->slots, (size_t)(l->mask + 1) * l->slot_bytes);
	STATE(s, l->port_free);
	STATE(s, l->tail);
	STATE(s, l->credit_head);
	STATE(s, l->pub_tail);
	STATE(s, l->starved);
	STATE(s, l->pop_tick);
	STATE(s, l->head);
	STATE(s, l->seen_tail);
	STATE(s, l->head_before);
	STATE(s, l->pub_head);
}

static void component_state(struct state *s, struct component *c)
{
	state_part(s, c->name);
	STATE(s, c->blocked);
	if (!c->ops->state)
		state_fail(s, "%s (%s) cannot be in a checkpoint: it has no table of its state",
			c->name, c->plugin ? c->plugin->name : "a part");
	else
		c->ops->state(c, s);
}

static void share_scratch(struct state *s, const struct sim *sim, const struct share *share)
{
	size_t bytes = div_up(sim->nparts, 64) * sizeof(uint64_t);

	state_scratch(s, share->awake, bytes);
	for (unsigned k = 0; k < ARRAY_LEN(share->called); k++)
		state_scratch(s, (const void *)share->called[k], bytes);
}

/* What belongs to the host's threads, and to one call of sim_run. */
static void host_scratch(struct state *s, const struct sim *sim)
{
	state_scratch(s, sim->shares, sim->config.threads * sizeof(*sim->shares));
	for (unsigned i = 0; i < sim->config.threads; i++)
		share_scratch(s, sim, &sim->shares[i]);
	state_scratch(s, sim->deal.load, sim->config.threads * sizeof(*sim->deal.load));
	state_scratch(s, sim->deal.worker, sim->nparts * sizeof(*sim->deal.worker));
	state_scratch(s, &sim->deal.steps, sizeof(sim->deal.steps));
	state_scratch(s, &sim->budget, sizeof(sim->budget));
	state_scratch(s, &sim->max_cycles, sizeof(sim->max_cycles));
	state_scratch(s, &sim->result, sizeof(sim->result));
	state_scratch(s, &sim->bell, sizeof(sim->bell));
}

void state_sim(struct state *s, struct sim *sim)
{
	BUG_ON(!sim->elaborated);
	state_part(s, "the simulation");
	state_same(s, sim->nparts, "partitions");
	state_same(s, sim->nlinks, "links");
	state_same(s, sim->nnodes, "parts");
	STATE(s, sim->next);
	STATE(s, sim->time);
	STATE(s, sim->flags);
	STATE(s, sim->rounds);
	host_scratch(s, sim);
	for (uint32_t i = 0; i < sim->nparts && !s->failed; i++)
		partition_state(s, sim->parts[i]);
	for (uint32_t i = 0; i < sim->nlinks && !s->failed; i++)
		link_state(s, sim->links[i]);
	for (uint32_t i = 0; i < sim->nnodes && !s->failed; i++)
		component_state(s, sim->nodes[i]->component);
}
