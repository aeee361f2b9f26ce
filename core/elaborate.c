/* Elaboration, second half: missing connections are reported, memory is allocated, workers get
 * their partitions. */
#include "core/kernel.h"

struct late {
	struct event event;
	struct link *link;
};

static void late_comes(struct event *e)
{
	const struct link *l = CONTAINER_OF(e, struct late, event)->link;

	clock_catch_up(l->to_clock);
	clock_wake(l->to_clock, l->to_slot, clock_edge(l->to_clock, *l->now_to));
}

static void check_ports(struct sim *sim)
{
	for (uint32_t i = 0; i < sim->nnodes; i++) {
		const struct node *node = sim->nodes[i];

		for (const struct port *p = node->ports; p; p = p->next) {
			if (p->link || p->optional)
				continue;
			err_add(&sim->faults, ERR_INPUT, "%s.%s[%u] is not connected",
				node->component->name, p->name, p->index);
		}
	}
}

static void check_threads(struct sim *sim)
{
	unsigned threads = sim->config.threads;

	if (!threads)
		err_add(&sim->faults, ERR_INPUT, "threads = 0: must be at least 1");
	else if (threads > 1 && threads > sim->nparts)
		err_add(&sim->faults, ERR_INPUT,
			"threads = %u: must be at most %u, the number of partitions", threads,
			sim->nparts);
}

static void equip_link(struct sim *sim, struct link *l)
{
	uint32_t slots = 1;

	while (slots < l->depth)
		slots *= 2;
	l->mask = slots - 1;
	l->slot_bytes = (uint32_t)(sizeof(tick_t) * (1 + div_up(l->type->size, sizeof(tick_t))));
	l->slots = arena_alloc(sim->arena, slots, l->slot_bytes);
	l->flit_ps = l->from->period_ps;
	l->now_from = &l->from->part->head.now;
	l->now_to = &l->to->part->head.now;
	l->to_clock = l->to->part->clocks[l->to->clock];
	l->to_slot = l->to->slot;
	l->to_cycles = (uint32_t)div_up(l->latency_ps, l->to->period_ps);
	if (l->to_cycles >= RING_CYCLES - 1) {
		struct late *late = arena_alloc(sim->arena, 1, sizeof(*late));

		event_init(&late->event, l->to->part, late_comes);
		late->link = l;
		l->late = &late->event;
	}
}

static void equip_ends(struct sim *sim, struct partition *p)
{
	size_t line = 64 / sizeof(uint64_t);

	p->far_out = arena_alloc(sim->arena, p->nfar_out, sizeof(struct link *));
	p->far_in = arena_alloc(sim->arena, p->nfar_in, sizeof(struct link *));
	p->end_words = (uint32_t)div_up(p->nfar_in + p->nfar_out, 64);
	p->touched = arena_alloc(sim->arena, p->end_words, sizeof(*p->touched));
	/* Other threads write here: cache lines of their own. */
	for (unsigned i = 0; i < 2; i++)
		p->news[i] = arena_alloc(
			sim->arena, div_up(p->end_words + 1, line) * line, sizeof(*p->news[i]));
}

/* Each partition's list of the far links that begin or end in it. */
static void list_far_links(struct sim *sim)
{
	for (uint32_t i = 0; i < sim->nlinks; i++) {
		if (!sim->links[i]->far)
			continue;
		sim->links[i]->from->part->nfar_out++;
		sim->links[i]->to->part->nfar_in++;
	}
	for (uint32_t i = 0; i < sim->nparts; i++) {
		equip_ends(sim, sim->parts[i]);
		sim->parts[i]->nfar_out = 0;
	}
	for (uint32_t i = 0; i < sim->nlinks; i++) {
		struct link *l = sim->links[i];
		struct partition *from = l->from->part;

		if (!l->far)
			continue;
		l->from_end = from->nfar_in + from->nfar_out;
		from->far_out[from->nfar_out++] = l;
	}
	for (uint32_t i = 0; i < sim->nparts; i++)
		sim->parts[i]->nfar_in = 0;
	for (uint32_t i = 0; i < sim->nlinks; i++) {
		struct link *l = sim->links[i];

		if (!l->far)
			continue;
		l->to_end = l->to->part->nfar_in;
		l->to->part->far_in[l->to->part->nfar_in++] = l;
	}
}

static void equip_clock(struct sim *sim, struct clock *k)
{
	k->words = (uint32_t)div_up(k->nmembers, 64);
	k->ring = arena_alloc(sim->arena, (size_t)k->words * RING_CYCLES, sizeof(*k->ring));
	k->members = arena_alloc(sim->arena, k->nmembers, sizeof(*k->members));
	if (sim->config.shuffle)
		k->order = arena_alloc(sim->arena, k->nmembers, sizeof(*k->order));
}

static void equip_partitions(struct sim *sim)
{
	for (uint32_t i = 0; i < sim->nparts; i++) {
		struct partition *p = sim->parts[i];

		wheel_init(&p->wheel, sim->arena, p->nevents);
		for (uint32_t j = 0; j < p->nclocks; j++)
			equip_clock(sim, p->clocks[j]);
	}
	for (uint32_t i = 0; i < sim->nnodes; i++) {
		struct component *c = sim->nodes[i]->component;
		struct clock *k = c->part->clocks[c->clock];

		k->members[c->slot].component = c;
		k->members[c->slot].step = sim->config.hostile ? hostile_step : c->ops->step;
		clock_wake(k, c->slot, 0);
	}
}

/* Each partition's list of the components that have component_ops.warm. */
static void list_warmed(struct sim *sim)
{
	for (uint32_t i = 0; i < sim->nnodes; i++)
		sim->nodes[i]->component->part->nwarmed += !!sim->nodes[i]->component->ops->warm;
	for (uint32_t i = 0; i < sim->nparts; i++) {
		struct partition *p = sim->parts[i];

		p->warmed = arena_alloc(sim->arena, p->nwarmed, sizeof(*p->warmed));
		p->nwarmed = 0;
	}
	for (uint32_t i = 0; i < sim->nnodes; i++) {
		const struct component *c = sim->nodes[i]->component;

		if (c->ops->warm)
			c->part->warmed[c->part->nwarmed++] = c;
	}
}

int sim_elaborate(struct sim *sim, struct err *err)
{
	BUG_ON(sim->elaborated);
	check_ports(sim);
	check_threads(sim);
	if (sim->faults.count) {
		err_move(err, &sim->faults);
		return -1;
	}
	for (uint32_t i = 0; i < sim->nlinks; i++)
		equip_link(sim, sim->links[i]);
	list_far_links(sim);
	equip_partitions(sim);
	list_warmed(sim);
	deal_first(sim);
	sim->workers = 1;
	sim->company.most = (unsigned)min_u64(sim->config.threads, pin_cores());
	if (sim->config.pin && sim->company.most > 1)
		sim->pin = pin_new(sim->arena, sim->company.most);
	sim->crew = crew_new(sim->arena, sim->company.most, sim->pin, window_loop, sim, err);
	if (!sim->crew)
		return -1;
	sim->elaborated = true;
	return 0;
}
