/* An input-buffered crossbar with one FIFO per input (Karol et al., IEEE Trans. Comm. 1987): a
 * packet occupies its input and its output for as many cycles as it has flits.
 *
 * A packet visible in cycle t leaves in t + pipeline_cycles without contention. In each cycle every
 * free output with a credit sends one packet; each input requests one output at most, so one pass
 * is the fixed point, and what was sent occupies both its ports, so a second one moves nothing.
 * Ports of TPCs and GPCs only fill up in a cycle. */
#include "core/state.h"
#include "noc/ports.h"

#define CROSSBAR_PARAMS(P, T) \
	PORTS_PARAMS(P, T) \
	GROUPS_PARAMS(P, T)

struct crossbar {
	struct component base;
	struct {
		CROSSBAR_PARAMS(PARAM_FIELD, )
	} p;
	struct ports_stats s;
	struct ports ports;
	uint64_t *in_free, *out_free; /* first cycle in which the port is free again */
};

TABLES(crossbar, CROSSBAR_PARAMS, PORTS_STATS);

/* Examines idle inputs for new requests. Returns the next cycle in which one of them must be
 * examined. */
static uint64_t examine_inputs(struct crossbar *x, uint64_t cycle)
{
	struct ports *p = &x->ports;
	uint64_t wake = UINT64_MAX;

	for (unsigned w = 0; w < p->words; w++) {
		for (uint64_t bits = p->idle[w]; bits; bits &= bits - 1) {
			unsigned i = w * 64 + low_bit(bits);

			if (x->in_free[i] <= cycle)
				wake = min_u64(wake, ports_examine(p, i, cycle));
			else if (inlet_holds(&p->in, i))
				wake = min_u64(wake, x->in_free[i]);
		}
	}
	return wake;
}

/* Sends what one output can. Returns the next cycle in which time alone permits more. */
static inline uint64_t serve_output(struct crossbar *x, unsigned output, uint64_t cycle)
{
	struct ports *p = &x->ports;
	uint64_t wake = UINT64_MAX;
	struct ports_flits flits;
	int winner;

	if (x->out_free[output] > cycle)
		return x->out_free[output];
	winner = ports_grant(p, output, cycle, true, &x->s, &flits);
	if (winner < 0)
		return p->groups.when;
	x->in_free[winner] = cycle + flits.in;
	x->out_free[output] = cycle + flits.out;
	if (inlet_holds(&p->in, (unsigned)winner))
		wake = cycle + flits.in;
	if (p->wanted[output / 64] >> output % 64 & 1)
		wake = min_u64(wake, cycle + flits.out);
	return wake;
}

/* Every output once, as they compete for their groups' ports the one served longest ago first: one
 * that is served becomes the last, and the next takes its position. */
static uint64_t serve_in_turn(struct crossbar *x, uint64_t cycle)
{
	const uint16_t *order = x->ports.groups.order;
	uint64_t wake = UINT64_MAX;

	for (unsigned n = x->ports.outputs, k = 0; n; n--) {
		unsigned output = order[k];

		if (x->ports.wanted[output / 64] >> output % 64 & 1)
			wake = min_u64(wake, serve_output(x, output, cycle));
		k += order[k] == output;
	}
	return wake;
}

static enum step crossbar_step(struct component *c, uint64_t cycle)
{
	struct crossbar *x = CONTAINER_OF(c, struct crossbar, base);
	uint64_t wake = examine_inputs(x, cycle);

	if (x->ports.groups.any)
		wake = min_u64(wake, serve_in_turn(x, cycle));
	else
		for (unsigned w = 0; w < x->ports.out_words; w++)
			for (uint64_t bits = x->ports.wanted[w]; bits; bits &= bits - 1)
				wake = min_u64(
					wake, serve_output(x, w * 64 + low_bit(bits), cycle));
	if (wake != UINT64_MAX)
		wake_at(c, wake);
	return STEP_SLEEP;
}

static bool crossbar_busy(const struct component *c)
{
	return ports_busy(&CONTAINER_OF(c, const struct crossbar, base)->ports);
}

static void crossbar_stuck(const struct component *c, struct text *text)
{
	ports_stuck(&CONTAINER_OF(c, const struct crossbar, base)->ports, text);
}

static void crossbar_state(struct component *c, struct state *s)
{
	struct crossbar *x = CONTAINER_OF(c, struct crossbar, base);

	STATE(s, x->s);
	ports_state(s, &x->ports);
	state_bytes(s, x->in_free, x->ports.inputs * sizeof(*x->in_free));
	state_bytes(s, x->out_free, x->ports.outputs * sizeof(*x->out_free));
}

static unsigned crossbar_latency(const struct component *c, unsigned bytes)
{
	(void)bytes;
	return (unsigned)CONTAINER_OF(c, const struct crossbar, base)->p.pipeline_cycles;
}

static unsigned crossbar_flit_bytes(const struct component *c)
{
	return groups_flit_bytes(&CONTAINER_OF(c, const struct crossbar, base)->ports.groups);
}

static struct component *crossbar_create(const struct plugin *plugin, struct partition *part,
	const struct network_config *network, struct config *config, struct arena *arena,
	struct err *err)
{
	static const struct component_ops ops = {.step = crossbar_step,
		.busy = crossbar_busy,
		.stuck = crossbar_stuck,
		.state = crossbar_state};
	struct crossbar *x = arena_alloc(arena, 1, sizeof(*x));
	struct ports_config ports = {.network = network, .settings = config};

	config_load(config, network->name, crossbar_params, ARRAY_LEN(crossbar_params), x, err);
	component_init(&x->base, part, &ops, plugin, network->name, network->period_ps);
	ports.arbiter = x->p.arbiter;
	ports.pipeline_cycles = x->p.pipeline_cycles;
	ports_init(&x->ports, &x->base, &ports, arena, err);
	groups_init(&x->ports.groups, config, network, arena);
	x->in_free = arena_alloc(arena, network->inputs, sizeof(*x->in_free));
	x->out_free = arena_alloc(arena, network->outputs, sizeof(*x->out_free));
	return &x->base;
}

static const struct network_ops crossbar_network = {
	.create = crossbar_create,
	.latency_cycles = crossbar_latency,
	.flit_bytes = crossbar_flit_bytes,
	.widths = groups_widths,
	.occupies_ports = true,
};

const struct plugin network_crossbar = {
	.kind = "network",
	.name = "crossbar",
	.text = "Input-buffered crossbar, one FIFO per input, packets occupy ports by flits.",
	.path = "noc.request",
	.other_path = "noc.reply",
	.size = sizeof(struct crossbar),
	.params = crossbar_params,
	.nparams = ARRAY_LEN(crossbar_params),
	.stats = crossbar_stats,
	.nstats = ARRAY_LEN(crossbar_stats),
	.ops = &crossbar_network,
};
