/* Elaboration, first half: partitions, components, ports and links are registered; faults are
 * collected. */
#include <stdio.h>
#include <string.h>

#include "core/kernel.h"

/* Larger values are typing errors, and their products would overflow. */
#define LATENCY_MAX_CYCLES 1000000u
#define DEPTH_MAX (1u << 20)
#define MSG_MAX_BYTES 256u

void *build_grow(struct arena *arena, void *array, uint32_t n, uint32_t *cap, size_t size)
{
	uint32_t more = *cap ? *cap * 2 : 16;
	void *copy;

	if (n < *cap)
		return array;
	copy = arena_alloc(arena, more, size);
	if (n)
		memcpy(copy, array, n * size);
	*cap = more;
	return copy;
}

struct partition *sim_partition(struct sim *sim, const char *name, unsigned weight)
{
	struct partition *p = arena_alloc(sim->arena, 1, sizeof(*p));

	BUG_ON(sim->elaborated);
	sim->parts = build_grow(sim->arena, sim->parts, sim->nparts, &sim->parts_cap, sizeof(p));
	p->sim = sim;
	p->name = arena_strdup(sim->arena, name);
	p->weight = weight;
	p->woken = true;
	p->rng = rng_new(sim->config.seed, sim->nparts);
	sim->parts[sim->nparts++] = p;
	return p;
}

/* The partition's clock of that period, created when it does not exist yet. */
static uint32_t clock_index(struct partition *p, uint32_t period_ps)
{
	struct arena *arena = p->sim->arena;
	struct clock *k;

	for (uint32_t i = 0; i < p->nclocks; i++) {
		if (p->clocks[i]->period_ps == period_ps)
			return i;
	}
	k = arena_alloc(arena, 1, sizeof(*k));
	p->clocks = build_grow(arena, p->clocks, p->nclocks, &p->clocks_cap, sizeof(k));
	k->part = p;
	k->period_ps = period_ps;
	k->tick = TICK_NEVER;
	p->clocks[p->nclocks] = k;
	return p->nclocks++;
}

static void far_wake_fires(struct event *e)
{
	const struct component *c = CONTAINER_OF(e, struct node, far_wake)->component;
	struct clock *k = c->part->clocks[c->clock];

	clock_catch_up(k);
	clock_wake(k, c->slot, clock_edge(k, c->part->head.now));
}

void component_init(struct component *c, struct partition *part, const struct component_ops *ops,
	const struct plugin *plugin, const char *name, unsigned period_ps)
{
	struct sim *sim = part->sim;
	struct node *node = arena_alloc(sim->arena, 1, sizeof(*node));

	BUG_ON(sim->elaborated || !ops->step || !ops->busy);
	*c = (struct component){.ops = ops,
		.plugin = plugin,
		.name = arena_strdup(sim->arena, name),
		.sim = sim,
		.part = part,
		.id = sim->nnodes,
		.period_ps = period_ps ? period_ps : sim->cycle_ps};
	c->clock = clock_index(part, c->period_ps);
	c->slot = part->clocks[c->clock]->nmembers++;
	node->component = c;
	node->last_port = &node->ports;
	event_init(&node->far_wake, part, far_wake_fires);
	sim->nodes = build_grow(sim->arena, sim->nodes, sim->nnodes, &sim->nodes_cap, sizeof(node));
	sim->nodes[sim->nnodes++] = node;
}

/* Appended: statistics are reported in the order of registration. */
void component_policy(struct component *c, struct policy *policy)
{
	struct policy **at = &c->policies;

	BUG_ON(c->sim->elaborated);
	while (*at)
		at = &(*at)->next;
	*at = policy;
}

static struct port *find_port(const struct component *c, const char *name, unsigned index)
{
	for (struct port *p = c->sim->nodes[c->id]->ports; p; p = p->next) {
		if (p->index == index && !strcmp(p->name, name))
			return p;
	}
	return NULL;
}

void port_declare(struct component *c, enum port_dir dir, const char *name, unsigned index,
	const struct msg_type *type, struct link **slot, bool optional)
{
	struct sim *sim = c->sim;
	struct node *node = sim->nodes[c->id];
	struct port *p = arena_alloc(sim->arena, 1, sizeof(*p));

	BUG_ON(sim->elaborated);
	if (find_port(c, name, index))
		err_add(&sim->faults, ERR_INPUT, "%s.%s[%u] is declared twice", c->name, name,
			index);
	if (!type->size || type->size > MSG_MAX_BYTES)
		err_add(&sim->faults, ERR_INPUT,
			"%s.%s[%u]: messages of type %s have %zu bytes: must be 1 .. %u", c->name,
			name, index, type->name, type->size, MSG_MAX_BYTES);
	*p = (struct port){.name = arena_strdup(sim->arena, name),
		.index = index,
		.dir = dir,
		.optional = optional,
		.type = type,
		.slot = slot};
	*node->last_port = p;
	node->last_port = &p->next;
}

/* A port that can still be connected, or NULL after a fault. */
static struct port *free_port(struct sim *sim, const struct component *c, enum port_dir dir,
	const char *name, unsigned index)
{
	static const char *const word[] = {[PORT_OUT] = "output", [PORT_IN] = "input"};
	struct port *p = find_port(c, name, index);

	if (!p || p->dir != dir) {
		err_add(&sim->faults, ERR_INPUT, "%s has no %s %s[%u]", c->name, word[dir], name,
			index);
		return NULL;
	}
	if (p->link) {
		err_add(&sim->faults, ERR_INPUT, "%s.%s[%u] is connected twice", c->name, name,
			index);
		return NULL;
	}
	return p;
}

static const char *port_label(struct sim *sim, const struct port *p)
{
	char label[128];

	snprintf(label, sizeof(label), "%s[%u]", p->name, p->index);
	return arena_strdup(sim->arena, label);
}

/* Adds a fault of the link to the list: "a.out[0] -> b.in[1]: " and the sentence. */
static void link_fault(const struct link *l, const char *what, unsigned value, const char *right)
{
	err_add(&l->from->sim->faults, ERR_INPUT, "%s.%s -> %s.%s: %s %u: %s", l->from->name,
		l->out_name, l->to->name, l->in_name, what, value, right);
}

static void check_link(const struct link *l, struct link_config config)
{
	uint64_t most = min_u64(LATENCY_MAX_CYCLES, UINT32_MAX / config.period_ps);
	char right[40];

	snprintf(right, sizeof(right), "must be 1 .. %u cycles", (unsigned)most);
	if (!config.latency_cycles || config.latency_cycles > most)
		link_fault(l, "latency", config.latency_cycles, right);
	else if (!l->far && l->from->part != l->to->part)
		link_fault(l, "latency", config.latency_cycles,
			"between partitions it must be at least the window");
	if (!config.depth || config.depth > DEPTH_MAX)
		link_fault(l, "depth", config.depth, "must be 1 .. 1048576 messages");
}

static void check_types(const struct link *l, const struct port *out, const struct port *in)
{
	if (out->type->size == in->type->size && !strcmp(out->type->name, in->type->name))
		return;
	err_add(&l->from->sim->faults, ERR_INPUT, "%s.%s sends %s, but %s.%s takes %s",
		l->from->name, l->out_name, out->type->name, l->to->name, l->in_name,
		in->type->name);
}

void link_bind(struct sim *sim, struct component *from, const char *out, unsigned out_index,
	struct component *to, const char *in, unsigned in_index, struct link_config config)
{
	struct port *source = free_port(sim, from, PORT_OUT, out, out_index);
	struct port *sink = free_port(sim, to, PORT_IN, in, in_index);
	struct link *l;

	BUG_ON(sim->elaborated);
	if (!source || !sink)
		return;
	l = arena_alloc(sim->arena, 1, sizeof(*l));
	sim->links = build_grow(sim->arena, sim->links, sim->nlinks, &sim->links_cap, sizeof(l));
	l->from = from;
	l->to = to;
	l->out_name = port_label(sim, source);
	l->in_name = port_label(sim, sink);
	l->type = source->type;
	l->id = sim->nlinks;
	l->depth = config.depth;
	if (!config.period_ps)
		config.period_ps = sim->cycle_ps;
	l->far = (uint64_t)config.latency_cycles * config.period_ps >= sim->window_ps;
	l->latency_ps = config.latency_cycles * config.period_ps;
	check_link(l, config);
	check_types(l, source, sink);
	sim->links[sim->nlinks++] = l;
	source->link = sink->link = l;
	*source->slot = l;
	*sink->slot = l;
}
