/* A crossbar as one input-queued router with virtual channels. */
#include "noc/fabric.h"

struct router {
	struct fabric fabric; /* first: it is the component */
	struct fabric_params p;
	struct fabric_stats s;
};

TABLES(router, FABRIC_PARAMS, FABRIC_STATS);

static struct fabric_shape one_router(const struct network_config *network, struct arena *arena)
{
	struct fabric_shape s = {.routers = 1, .ins = network->inputs, .outs = network->outputs};

	s.entry = arena_alloc(arena, s.ins, sizeof(*s.entry));
	s.next = arena_alloc(arena, s.outs, sizeof(*s.next));
	s.route = arena_alloc(arena, s.outs, sizeof(*s.route));
	for (unsigned i = 0; i < s.ins; i++)
		s.entry[i] = i;
	for (unsigned j = 0; j < s.outs; j++) {
		s.next[j] = FABRIC_EXIT + j;
		s.route[j] = (uint16_t)j;
	}
	return s;
}

static struct component *router_create(const struct plugin *plugin, struct partition *part,
	const struct network_config *network, struct config *config, struct arena *arena,
	struct err *err)
{
	struct router *r = arena_alloc(arena, 1, sizeof(*r));
	struct fabric_config c = {.network = network,
		.plugin = plugin,
		.settings = config,
		.params = &r->p,
		.stats = &r->s,
		.shape = one_router(network, arena)};

	config_load(config, network->name, router_params, ARRAY_LEN(router_params), r, err);
	fabric_init(&r->fabric, part, &c, arena, err);
	return &r->fabric.base;
}

static const struct network_ops router_network = {
	.create = router_create,
	.latency_cycles = fabric_latency_cycles,
	.flit_bytes = fabric_flit_bytes,
	.audit = fabric_audit,
	.whole_packets = true,
};

const struct plugin network_router = {
	.kind = "network",
	.name = "router",
	.text = "Crossbar as one input-queued router: virtual channels, allocators, flits.",
	.path = "noc.request",
	.other_path = "noc.reply",
	.size = sizeof(struct router),
	.params = router_params,
	.nparams = ARRAY_LEN(router_params),
	.stats = router_stats,
	.nstats = ARRAY_LEN(router_stats),
	.ops = &router_network,
};
