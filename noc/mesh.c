/* A two-dimensional mesh of input-queued routers with dimension-order (x, then y) routing (Dally
 * and Towles, "Principles and Practices of Interconnection Networks", chapter 8): a flit that
 * turned to y never waits for one that still moves along x, so there is no cyclic dependence,
 * whatever the buffers' depth.
 *
 * A node for every SM and every slice, in rows; slice k of n is on node (2 k + 1) N / (2 n) of the
 * first N nodes, rounded down (N: all SMs and slices), the SMs are on the other nodes, in order.
 * Requests and replies have separate meshes with the same positions. */
#include "noc/fabric.h"

#include <stdio.h>

#define MESH_PARAMS(P, T) \
	FABRIC_PARAMS(P, T) \
	P(T, UINT, width, 0, 0, 64, "routers", \
		"Routers in a row. 0 = by the number of nodes: the most square mesh.") \
	P(T, UINT, height, 0, 0, 64, "routers", \
		"Rows. 0 = by the number of nodes: the most square mesh.")

struct mesh {
	struct fabric fabric; /* first: it is the component */
	union {
		struct fabric_params common;
		struct {
			MESH_PARAMS(PARAM_FIELD, )
		} p;
	};
	struct fabric_stats s;
	unsigned width, height;
};

TABLES(mesh, MESH_PARAMS, FABRIC_STATS);

/* A router's ports. */
enum { HERE, EAST, WEST, SOUTH, NORTH, PORTS };

/* The node of each SM and slice: slices first. */
static void assign_nodes(
	unsigned sms, unsigned slices, unsigned *node_of_slice, unsigned *node_of_sm)
{
	unsigned n = sms + slices, k = 0, i = 0;

	for (unsigned node = 0; node < n; node++) {
		if (k < slices && node == (2 * k + 1) * n / (2 * slices))
			node_of_slice[k++] = node;
		else
			node_of_sm[i++] = node;
	}
	BUG_ON(k != slices || i != sms);
}

/* The port by which a packet leaves router `at` for node `to`. */
static unsigned port_to(const struct mesh *m, unsigned at, unsigned to)
{
	unsigned x = at % m->width, y = at / m->width;
	unsigned to_x = to % m->width, to_y = to / m->width;

	if (to_x != x)
		return to_x > x ? EAST : WEST;
	if (to_y != y)
		return to_y > y ? SOUTH : NORTH;
	return HERE;
}

/* An output to the east is connected to the neighbour's west input, and so on. */
static uint32_t neighbour(const struct mesh *m, unsigned router, unsigned port)
{
	unsigned x = router % m->width, y = router / m->width;

	switch (port) {
	case EAST:
		return x + 1 < m->width ? (router + 1) * PORTS + WEST : FABRIC_NOWHERE;
	case WEST:
		return x ? (router - 1) * PORTS + EAST : FABRIC_NOWHERE;
	case SOUTH:
		return y + 1 < m->height ? (router + m->width) * PORTS + NORTH : FABRIC_NOWHERE;
	case NORTH:
		return y ? (router - m->width) * PORTS + SOUTH : FABRIC_NOWHERE;
	default:
		return FABRIC_NOWHERE;
	}
}

static struct fabric_shape shape_of(
	const struct mesh *m, const struct network_config *network, struct arena *arena)
{
	bool to_slices = network->route == ROUTE_TO_SLICE;
	unsigned sms = to_slices ? network->inputs : network->outputs;
	unsigned slices = to_slices ? network->outputs : network->inputs;
	unsigned *slice = arena_alloc(arena, slices, sizeof(*slice));
	unsigned *sm = arena_alloc(arena, sms, sizeof(*sm));
	const unsigned *from = to_slices ? sm : slice, *to = to_slices ? slice : sm;
	struct fabric_shape s = {.routers = m->width * m->height, .ins = PORTS, .outs = PORTS};

	assign_nodes(sms, slices, slice, sm);
	s.entry = arena_alloc(arena, network->inputs, sizeof(*s.entry));
	s.next = arena_alloc(arena, (size_t)s.routers * PORTS, sizeof(*s.next));
	s.route = arena_alloc(arena, (size_t)s.routers * network->outputs, sizeof(*s.route));
	for (unsigned i = 0; i < network->inputs; i++)
		s.entry[i] = from[i] * PORTS + HERE;
	for (unsigned k = 0; k < s.routers * PORTS; k++)
		s.next[k] = neighbour(m, k / PORTS, k % PORTS);
	for (unsigned j = 0; j < network->outputs; j++) {
		s.next[to[j] * PORTS + HERE] = FABRIC_EXIT + j;
		for (unsigned r = 0; r < s.routers; r++)
			s.route[(size_t)r * network->outputs + j] = (uint16_t)port_to(m, r, to[j]);
	}
	return s;
}

/* The most square mesh with enough nodes, or the configured one, if it has enough. */
static void size_up(struct mesh *m, const struct network_config *network, struct err *err)
{
	unsigned n = network->inputs + network->outputs;

	m->width = (unsigned)m->p.width;
	m->height = (unsigned)m->p.height;
	if (!m->width && m->height)
		m->width = (unsigned)div_up(n, m->height);
	while (!m->height && m->width * m->width < n && !m->p.width)
		m->width++;
	if (!m->height)
		m->height = (unsigned)div_up(n, m->width);
	if (m->width * m->height >= n)
		return;
	err_add(err, ERR_INPUT,
		"%s.width = %u, %s.height = %u: %u routers are fewer than the %u SMs and slices "
		"that need one each",
		network->name, m->width, network->name, m->height, m->width * m->height, n);
	m->width = n;
	m->height = 1;
}

static struct component *mesh_create(const struct plugin *plugin, struct partition *part,
	const struct network_config *network, struct config *config, struct arena *arena,
	struct err *err)
{
	struct mesh *m = arena_alloc(arena, 1, sizeof(*m));
	struct fabric_config c = {.network = network,
		.plugin = plugin,
		.settings = config,
		.params = &m->common,
		.stats = &m->s};

	config_load(config, network->name, mesh_params, ARRAY_LEN(mesh_params), m, err);
	size_up(m, network, err);
	c.shape = shape_of(m, network, arena);
	fabric_init(&m->fabric, part, &c, arena, err);
	return &m->fabric.base;
}

static const struct network_ops mesh_network = {
	.create = mesh_create,
	.latency_cycles = fabric_latency_cycles,
	.flit_bytes = fabric_flit_bytes,
	.audit = fabric_audit,
	.whole_packets = true,
};

const struct plugin network_mesh = {
	.kind = "network",
	.name = "mesh",
	.text = "Two-dimensional mesh of input-queued routers, first along x, then along y.",
	.path = "noc.request",
	.other_path = "noc.reply",
	.size = sizeof(struct mesh),
	.params = mesh_params,
	.nparams = ARRAY_LEN(mesh_params),
	.stats = mesh_stats,
	.nstats = ARRAY_LEN(mesh_stats),
	.ops = &mesh_network,
};
