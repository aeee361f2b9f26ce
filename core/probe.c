/* Probes: listing and selecting signals, and the memory that sampling needs. */
#include "core/probe_inside.h"

#include <stdio.h>
#include <string.h>

static unsigned own_signals(const struct component *c)
{
	const struct probe_ops *ops = c->ops->probe;

	if (!ops)
		return 0;
	return ops->count ? ops->count(c) : ops->n;
}

static unsigned statistics(const struct component *c)
{
	unsigned n = c->plugin ? (unsigned)c->plugin->nstats : 0;

	for (const struct policy *p = c->policies; p; p = p->next)
		n += (unsigned)p->plugin->nstats;
	return n;
}

static void enter(
	struct probes *p, const struct component *c, const struct signal_def *def, const char *name)
{
	struct signal *s = &p->signals[p->nsignals++];
	size_t head = strlen(c->name) + 1, n = head + strlen(name) + 1;

	s->name = arena_alloc(p->arena, n, 1);
	snprintf(s->name, n, "%s.%s", c->name, name);
	s->local = s->name + head;
	s->of = c;
	s->def = *def;
	s->def.name = s->local;
}

/* A row of the table of `at`: the component or one of its policies. */
static void enter_statistic(struct probes *p, const struct component *c,
	const struct stat_def *stat, const void *at, const char *name)
{
	struct signal_def def = {.kind = stat->kind == STAT_COUNT ? SIGNAL_SUM : SIGNAL_LEVEL,
		.bits = 64,
		.unit = stat->unit,
		.text = stat->text,
		.at = (const char *)at + stat->offset,
		.bytes = 8};

	enter(p, c, &def, name);
}

static void enter_policy(struct probes *p, const struct component *c, const struct policy *policy)
{
	const struct plugin *plugin = policy->plugin;
	char name[96];

	for (size_t i = 0; i < plugin->nstats; i++) {
		snprintf(name, sizeof(name), "%s_%s", plugin->name, plugin->stats[i].name);
		enter_statistic(p, c, &plugin->stats[i], policy->self, name);
	}
}

/* True when there is another port of that name. */
static bool is_array(const struct node *node, const struct port *port)
{
	for (const struct port *p = node->ports; p; p = p->next)
		if (p != port && !strcmp(p->name, port->name))
			return true;
	return false;
}

static void enter_link(struct probes *p, const struct node *node, const struct port *port)
{
	struct signal_def def = {.kind = SIGNAL_LEVEL,
		.bits = 64 - (unsigned)__builtin_clzll(port->link->depth),
		.unit = "messages",
		.bytes = 4,
		.text = "Messages sent to this port and not taken yet."};
	char name[96];

	if (is_array(node, port))
		snprintf(name, sizeof(name), "%s_%u", port->name, port->index);
	else
		snprintf(name, sizeof(name), "%s", port->name);
	p->signals[p->nsignals].is_link = true;
	enter(p, node->component, &def, name);
}

static unsigned count_signals(const struct sim *sim)
{
	unsigned n = sim->nlinks;

	for (uint32_t i = 0; i < sim->nnodes; i++)
		n += own_signals(sim->nodes[i]->component) + statistics(sim->nodes[i]->component);
	return n;
}

static void list_signals(struct probes *p, const struct node *node, uint32_t *signal_of_link)
{
	const struct component *c = node->component;

	for (unsigned i = 0; i < own_signals(c); i++)
		enter(p, c, &c->ops->probe->defs[i], c->ops->probe->defs[i].name);
	for (size_t i = 0; c->plugin && i < c->plugin->nstats; i++)
		enter_statistic(p, c, &c->plugin->stats[i], c, c->plugin->stats[i].name);
	for (const struct policy *policy = c->policies; policy; policy = policy->next)
		enter_policy(p, c, policy);
	for (const struct port *port = node->ports; port; port = port->next) {
		if (!port->link || port->dir != PORT_IN)
			continue;
		signal_of_link[port->link->id] = p->nsignals;
		enter_link(p, node, port);
	}
}

struct probes *probes_new(struct sim *sim, struct arena *arena)
{
	struct probes *p = arena_alloc(arena, 1, sizeof(*p));
	unsigned n = count_signals(sim);

	BUG_ON(!sim->elaborated);
	p->sim = sim;
	p->arena = arena;
	p->signals = arena_alloc(arena, n, sizeof(*p->signals));
	p->values = arena_alloc(arena, n, sizeof(*p->values));
	p->means = arena_alloc(arena, n, sizeof(*p->means));
	p->links = arena_alloc(arena, n, sizeof(*p->links));
	p->link_means = arena_alloc(arena, n, sizeof(*p->link_means));
	p->probe = arena_alloc(arena, sim->nnodes, sizeof(*p->probe));
	p->signal_of_link = arena_alloc(arena, sim->nlinks, sizeof(*p->signal_of_link));
	for (uint32_t i = 0; i < sim->nnodes; i++)
		list_signals(p, sim->nodes[i], p->signal_of_link);
	return p;
}

unsigned probes_count(const struct probes *p)
{
	return p->nsignals;
}

const struct signal *probes_signal(const struct probes *p, unsigned i)
{
	return &p->signals[i];
}

unsigned probes_parts(const struct probes *p)
{
	return p->sim->nnodes;
}

unsigned probes_sink(struct probes *p, const struct probe_sink *sink)
{
	BUG_ON(p->nsinks == PROBE_SINKS);
	p->sink[p->nsinks] = *sink;
	return p->nsinks++;
}

void probes_select(struct probes *p, unsigned sink, unsigned signal)
{
	p->values[signal] |= (uint8_t)(1u << sink);
}

void probes_select_means(struct probes *p, unsigned sink, unsigned signal)
{
	BUG_ON(p->signals[signal].def.kind == SIGNAL_STATE);
	p->means[signal] |= (uint8_t)(1u << sink);
}

void probes_select_events(struct probes *p, unsigned sink, const struct component *c)
{
	p->probe[c->id].events |= (uint8_t)(1u << sink);
}

/* ---- memory for sampling */
/* Adds a signal of the component to those that are sampled, if a sink selected it. */
static bool watch(struct probe *probe, unsigned signal, uint8_t what)
{
	const struct probes *all = probe->all;

	if (!all->values[signal] && !all->means[signal])
		return false;
	probe->watched[probe->nwatched++] = (struct watched){.def = &all->signals[signal].def,
		.id = signal,
		.what = what,
		.values = all->values[signal],
		.means = all->means[signal]};
	probe->means |= all->means[signal];
	return true;
}

/* The address of the signal's number. */
static const void *signal_address(const struct component *c, const struct signal_def *def)
{
	if (def->at)
		return def->at;
	return def->where ? def->where(c) : (const char *)c + def->offset;
}

static void watch_words(struct probe *probe, unsigned first, unsigned n)
{
	for (unsigned i = first; i < first + n; i++) {
		const struct signal_def *def = &probe->all->signals[i].def;

		if (def->bytes == 8 && watch(probe, i, RECORD_VALUE))
			probe->cells[probe->ncells++].at = signal_address(probe->component, def);
	}
}

static void watch_half_words(struct probe *probe, unsigned first, unsigned n)
{
	for (unsigned i = first; i < first + n; i++) {
		const struct signal_def *def = &probe->all->signals[i].def;

		if (def->bytes == 4 && watch(probe, i, RECORD_VALUE))
			probe->cells32[probe->ncells32++].at =
				signal_address(probe->component, def);
	}
}

static void watch_links(struct probe *probe)
{
	const struct component *c = probe->component;

	for (const struct port *p = c->sim->nodes[c->id]->ports; p; p = p->next) {
		bool out = p->dir == PORT_OUT;

		if (p->link && watch(probe, probe->all->signal_of_link[p->link->id],
				       out ? RECORD_SENT : RECORD_TAKEN))
			probe->cells32[probe->ncells32++].at =
				out ? &p->link->tail : &p->link->head;
	}
}

static void watch_computed(struct probe *probe, unsigned first, unsigned n)
{
	const struct signal *signals = probe->all->signals;

	for (unsigned i = first; i < first + n; i++)
		if (!signals[i].def.bytes && signals[i].def.before)
			probe->nbefore += watch(probe, i, RECORD_VALUE);
	for (unsigned i = first; i < first + n; i++)
		if (!signals[i].def.bytes && !signals[i].def.before)
			watch(probe, i, RECORD_VALUE);
}

static unsigned count_ports(const struct component *c)
{
	unsigned n = 0;

	for (const struct port *p = c->sim->nodes[c->id]->ports; p; p = p->next)
		n++;
	return n;
}

/* All sampled signals: 64-bit numbers, 32-bit numbers, computed ones. */
static void watch_all(struct probe *probe, unsigned first)
{
	const struct component *c = probe->component;
	unsigned n = own_signals(c) + statistics(c), most = n + count_ports(c) + 1;
	struct arena *arena = probe->all->arena;

	probe->watched = arena_alloc(arena, most, sizeof(*probe->watched));
	probe->cells = arena_alloc(arena, most, sizeof(*probe->cells));
	probe->cells32 = arena_alloc(arena, most, sizeof(*probe->cells32));
	watch_words(probe, first, n);
	watch_half_words(probe, first, n);
	watch_links(probe);
	watch_computed(probe, first, n);
}

/* Memory for everything that a window can produce: each signal's value in each cycle and once after
 * it, what is left from the previous window, and the first values; each interval that ends in it,
 * and the two that may follow a pause. */
static void take_memory(struct probe *probe, const struct sim *sim)
{
	struct arena *arena = probe->all->arena;
	const struct probe_ops *ops = probe->ops;
	uint64_t cycles = div_up(sim->window_ps, probe->component->period_ps) + 3;
	uint64_t each = 2 * (uint64_t)probe->nwatched;
	uint64_t intervals = sim->window_ps / probe->all->every + 4;

	if (probe->events && ops)
		each += ops->events;
	probe->cap = (uint32_t)(each * cycles);
	probe->records = arena_alloc(arena, probe->cap + 1, sizeof(*probe->records));
	probe->sums_cap = probe->means ? (uint32_t)(probe->nwatched * intervals) : 0;
	probe->sums = arena_alloc(arena, probe->sums_cap + 1, sizeof(*probe->sums));
}

static void attach(struct probes *p, struct component *c, unsigned first)
{
	struct probe *probe = &p->probe[c->id];
	struct member *m = &c->part->clocks[c->clock]->members[c->slot];

	probe->component = c;
	probe->all = p;
	probe->ops = c->ops->probe;
	watch_all(probe, first);
	take_memory(probe, p->sim);
	probe->lazy = probe->ops && probe->ops->next;
	if (probe->events || probe->nwatched)
		c->probe = probe;
	if (!probe->nwatched)
		return;
	probe->step = m->step;
	m->step = probe_step;
}

void probes_start(struct probes *p, tick_t from, tick_t to, tick_t every)
{
	unsigned first = 0;

	BUG_ON(!every || from >= to);
	p->from = from;
	p->to = to;
	p->every = every;
	for (uint32_t i = 0; i < p->sim->nnodes; i++) {
		struct component *c = p->sim->nodes[i]->component;

		attach(p, c, first);
		while (first < p->nsignals && p->signals[first].of == c)
			first++;
	}
	sim_on_edge(p->sim, probes_report, p);
}
