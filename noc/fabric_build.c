/* Building a fabric: memory, ports, and the quantities that are fixed before the run. */
#include "noc/fabric.h"
#include "noc/ports.h"

#include <string.h>

/* What a fabric is made from. */
struct fabric_building {
	struct config *settings;
	struct arena *arena;
	struct err *err;
};

#define NEW(pointer, n) ((pointer) = arena_alloc(arena, (n), sizeof(*(pointer))))

/* The functions of the allocator that the parameter names; NULL, and a message, when there is none.
 */
static const struct allocator_ops *allocator(struct fabric *f, struct policy *policy,
	const struct policy_scope *scope, const char *name, const struct fabric_building *b)
{
	if (policy_choose(policy, scope, name, b->settings, b->arena, b->err))
		return NULL;
	component_policy(&f->base, policy);
	return policy->ops;
}

static void choose_allocators(
	struct fabric *f, const struct network_config *network, const struct fabric_building *b)
{
	struct policy_scope scope = {.kind = "allocator",
		.prefix = network->name,
		.space = network_space(network->name, b->arena)};

	scope.param = "vc_allocator";
	f->vc_allocator = allocator(f, &f->vc_policy, &scope, f->p->vc_allocator, b);
	scope.param = "switch_allocator";
	f->switch_allocator = allocator(f, &f->switch_policy, &scope, f->p->switch_allocator, b);
}

static void start_allocator(const struct allocator_ops *ops, struct policy *policy,
	struct allocation *a, unsigned routers, struct arena *arena)
{
	a->self = policy->self;
	if (ops && ops->init)
		ops->init(policy->self, routers, a->inputs, a->outputs, arena);
}

static uint32_t power_of_two(uint32_t least)
{
	uint32_t n = 1;

	while (n < least)
		n *= 2;
	return n;
}

static void make_buffers(struct fabric *f, uint32_t channels, struct arena *arena)
{
	uint32_t n = channels * f->vcs, places;

	while (1u << f->shift < f->p->vc_flits)
		f->shift++;
	places = n << f->shift;
	NEW(f->to, channels);
	NEW(f->free_at, channels);
	NEW(f->free_vcs, channels);
	NEW(f->credits, n);
	NEW(f->put, n);
	NEW(f->take, n);
	NEW(f->held, n);
	NEW(f->target, n);
	NEW(f->leaves, n);
	NEW(f->requests_from, n);
	NEW(f->starved, n);
	NEW(f->ivc_of, n);
	NEW(f->flit, places);
	NEW(f->followed, places);
	for (uint32_t k = 0; k < channels; k++)
		f->free_vcs[k] = (uint16_t)((1u << f->vcs) - 1);
	for (uint32_t q = 0; q < n; q++)
		f->credits[q] = (uint16_t)f->p->vc_flits;
	/* A flit waits for the wire behind one flit of each VC of its channel, at most. */
	f->due_mask = power_of_two((uint32_t)(f->p->wire_cycles + f->p->cross_cycles +
					      f->vcs * f->p->vc_flits + 4)) -
		      1;
	NEW(f->due, f->due_mask + 1);
	memset(f->due, -1, (f->due_mask + 1) * sizeof(*f->due));
	f->credit_mask = power_of_two(n * (uint32_t)f->p->vc_flits + 1) - 1;
	NEW(f->credit, f->credit_mask + 1);
	/* Every buffer entry may hold a packet of its own, every input one that it is sending. */
	f->nslots = f->nfree = n * (uint32_t)f->p->vc_flits + f->inputs;
	NEW(f->packet, f->nslots);
	NEW(f->entered, f->nslots);
	NEW(f->free_slot, f->nslots);
	for (uint32_t i = 0; i < f->nslots; i++)
		f->free_slot[i] = f->nslots - 1 - i;
}

static void make_routers(struct fabric *f, struct arena *arena)
{
	unsigned n = f->shape.routers, speedup = (unsigned)f->p->input_speedup;

	f->ivcs = f->shape.ins * f->vcs;
	f->ivc_words = (f->ivcs + 63) / 64;
	f->switch_ins = f->shape.ins * speedup;
	f->router_words = (n + 63) / 64;
	NEW(f->ivc_q, (size_t)n * f->ivcs);
	NEW(f->ivc_port, f->ivcs);
	NEW(f->ivc_vc, f->ivcs);
	f->out_words = (f->shape.outs + 63) / 64;
	NEW(f->requesting, (size_t)n * f->shape.outs * f->ivc_words);
	NEW(f->nrequesting, (size_t)n * f->shape.outs);
	NEW(f->wanted, (size_t)n * f->out_words);
	NEW(f->sending, (size_t)n * f->ivc_words);
	NEW(f->busy_ivcs, n);
	NEW(f->busy_routers, f->router_words);
	NEW(f->vc_state, n);
	NEW(f->switch_state, n);
	NEW(f->chosen_vc, (size_t)f->switch_ins * f->shape.outs);
	NEW(f->next_vc, (size_t)n * f->switch_ins);
	for (unsigned l = 0; l < f->ivcs; l++) {
		f->ivc_vc[l] = (uint8_t)(l % f->vcs);
		f->ivc_port[l] = (uint16_t)(l / f->vcs * speedup + l % f->vcs % speedup);
	}
	for (unsigned i = 0; i < n * f->switch_ins; i++)
		f->next_vc[i] = (uint8_t)(i % speedup);
	f->vc_round.iterations = f->switch_round.iterations = (unsigned)f->p->iterations;
	allocation_init(&f->vc_round, f->ivcs, f->shape.outs * f->vcs, arena);
	allocation_init(&f->switch_round, f->switch_ins, f->shape.outs, arena);
	start_allocator(f->vc_allocator, &f->vc_policy, &f->vc_round, n, arena);
	start_allocator(f->switch_allocator, &f->switch_policy, &f->switch_round, n, arena);
	for (unsigned r = 0; r < n; r++) {
		allocator_state_init(&f->vc_state[r], &f->vc_round, arena);
		allocator_state_init(&f->switch_state[r], &f->switch_round, arena);
	}
}

/* Connects channel k to its destination. */
static void wire(struct fabric *f, uint32_t k, uint32_t to)
{
	f->to[k] = to;
	if (to == FABRIC_NOWHERE)
		return;
	if (to & FABRIC_EXIT) {
		f->exit_channel[to & ~FABRIC_EXIT] = k;
		return;
	}
	for (unsigned v = 0; v < f->vcs; v++) {
		uint32_t ivc = to * f->vcs + v; /* ins * vcs input VCs to a router */

		f->ivc_q[ivc] = k * f->vcs + v;
		f->ivc_of[k * f->vcs + v] = ivc;
	}
}

/* Number of routers from an input to an output. */
static unsigned hops(
	const struct fabric_shape *s, unsigned outputs, unsigned input, unsigned output)
{
	uint32_t at = s->entry[input];
	unsigned n = 0;

	while (!(at & FABRIC_EXIT)) {
		unsigned router = at / s->ins;

		at = s->next[router * s->outs + s->route[router * outputs + output]];
		BUG_ON(at == FABRIC_NOWHERE || ++n > s->routers);
	}
	BUG_ON((at & ~FABRIC_EXIT) != output);
	return n;
}

static void measure(struct fabric *f)
{
	const struct fabric_params *p = f->p;
	uint64_t sum = 0;

	f->least_wait = (unsigned)p->route_cycles + (p->passes == 1);
	f->hop_cycles =
		(unsigned)(p->route_cycles + p->cross_cycles) + (p->passes == 1) - (p->passes > 2);
	for (unsigned i = 0; i < f->inputs; i++)
		for (unsigned j = 0; j < f->outputs; j++)
			sum += hops(&f->shape, f->outputs, i, j);
	f->routers_on_the_way = (double)sum / ((double)f->inputs * f->outputs);
}

static void declare_ports(
	struct fabric *f, const struct network_config *network, struct arena *arena)
{
	inlets_init(&f->in, &f->base, network, arena);
	NEW(f->out, f->outputs);
	NEW(f->entry, f->inputs);
	NEW(f->exit_channel, f->outputs);
	NEW(f->exit_vc, f->outputs);
	NEW(f->waiting, (f->outputs + 63) / 64);
	for (unsigned i = 0; i < f->inputs; i++)
		f->entry[i].last_vc = (uint8_t)(f->vcs - 1);
	for (unsigned j = 0; j < f->outputs; j++)
		port_declare(&f->base, PORT_OUT, "out", j, &packet_type, &f->out[j], false);
}

void fabric_init(struct fabric *f, struct partition *part, const struct fabric_config *config,
	struct arena *arena, struct err *err)
{
	const struct network_config *network = config->network;
	const struct fabric_building building = {config->settings, arena, err};
	unsigned routed;

	f->p = config->params;
	f->s = config->stats;
	f->shape = config->shape;
	f->route = network->route;
	f->inputs = network->inputs;
	f->outputs = network->outputs;
	f->vcs = (unsigned)f->p->vcs;
	routed = f->shape.routers * f->shape.outs;
	if (f->p->input_speedup > f->p->vcs)
		err_add(err, ERR_INPUT, "%s.input_speedup = %u: must be at most %s.vcs = %u",
			network->name, (unsigned)f->p->input_speedup, network->name, f->vcs);
	component_init(&f->base, part, &fabric_component, config->plugin, network->name,
		network->period_ps);
	choose_allocators(f, network, &building);
	declare_ports(f, network, arena);
	make_buffers(f, f->inputs + routed, arena);
	make_routers(f, arena);
	for (unsigned i = 0; i < f->inputs; i++)
		wire(f, i, f->shape.entry[i]);
	for (unsigned k = 0; k < routed; k++)
		wire(f, f->inputs + k, f->shape.next[k]);
	measure(f);
}
