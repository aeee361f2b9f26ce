/* A network without contention: every packet leaves pipeline_cycles after it became visible, any
 * number per port and cycle, unless the receiver's queue is full.
 *
 * Credits only decrease within a cycle, so an output that refused once refuses for the rest of it:
 * serving until every requested output has refused is the fixed point. */
#include "core/state.h"
#include "noc/ports.h"

struct ideal {
	struct component base;
	struct ports_params p;
	struct ports_stats s;
	struct ports ports;
};

TABLES(ideal, PORTS_PARAMS, PORTS_STATS);

static uint64_t look_at_inputs(struct ideal *x, uint64_t cycle)
{
	struct ports *p = &x->ports;
	uint64_t wake = UINT64_MAX;

	for (unsigned w = 0; w < p->words; w++) {
		for (uint64_t bits = p->idle[w]; bits; bits &= bits - 1)
			wake = min_u64(wake, ports_examine(p, w * 64 + low_bit(bits), cycle));
	}
	return wake;
}

/* Sends by one output until it refuses or no input requests it; winners may request again at once.
 * True when anything moved: then an output that was served before may have new requests. */
static bool serve_output(struct ideal *x, unsigned output, uint64_t cycle, uint64_t *wake)
{
	struct ports *p = &x->ports;
	bool moved = false;
	struct ports_flits flits;

	while (p->wanted[output / 64] >> output % 64 & 1) {
		int winner = ports_grant(p, output, cycle, false, &x->s, &flits);

		if (winner < 0)
			break;
		moved = true;
		*wake = min_u64(*wake, ports_examine(p, (unsigned)winner, cycle));
	}
	return moved;
}

static enum step ideal_step(struct component *c, uint64_t cycle)
{
	struct ideal *x = CONTAINER_OF(c, struct ideal, base);
	uint64_t wake = look_at_inputs(x, cycle);
	bool moved = true;

	while (moved) {
		moved = false;
		for (unsigned w = 0; w < x->ports.out_words; w++) {
			for (uint64_t bits = x->ports.wanted[w]; bits; bits &= bits - 1)
				moved |= serve_output(x, w * 64 + low_bit(bits), cycle, &wake);
		}
	}
	if (wake != UINT64_MAX)
		wake_at(c, wake);
	return STEP_SLEEP;
}

static bool ideal_busy(const struct component *c)
{
	return ports_busy(&CONTAINER_OF(c, const struct ideal, base)->ports);
}

static void ideal_stuck(const struct component *c, struct text *text)
{
	ports_stuck(&CONTAINER_OF(c, const struct ideal, base)->ports, text);
}

static unsigned ideal_latency(const struct component *c, unsigned bytes)
{
	(void)bytes;
	return (unsigned)CONTAINER_OF(c, const struct ideal, base)->p.pipeline_cycles;
}

static void ideal_state(struct component *c, struct state *s)
{
	struct ideal *x = CONTAINER_OF(c, struct ideal, base);

	STATE(s, x->s);
	ports_state(s, &x->ports);
}

static struct component *ideal_create(const struct plugin *plugin, struct partition *part,
	const struct network_config *network, struct config *config, struct arena *arena,
	struct err *err)
{
	static const struct component_ops ops = {
		.step = ideal_step, .busy = ideal_busy, .stuck = ideal_stuck, .state = ideal_state};
	struct ideal *x = arena_alloc(arena, 1, sizeof(*x));
	struct ports_config ports = {.network = network, .settings = config};

	config_load(config, network->name, ideal_params, ARRAY_LEN(ideal_params), x, err);
	component_init(&x->base, part, &ops, plugin, network->name, network->period_ps);
	ports.arbiter = x->p.arbiter;
	ports.pipeline_cycles = x->p.pipeline_cycles;
	ports_init(&x->ports, &x->base, &ports, arena, err);
	groups_plain(&x->ports.groups, network);
	return &x->base;
}

static const struct network_ops ideal_network = {
	.create = ideal_create,
	.latency_cycles = ideal_latency,
	.occupies_ports = false,
};

const struct plugin network_ideal = {
	.kind = "network",
	.name = "ideal",
	.text = "No contention: the crossbar's latency, unlimited bandwidth.",
	.path = "noc.request",
	.other_path = "noc.reply",
	.size = sizeof(struct ideal),
	.params = ideal_params,
	.nparams = ARRAY_LEN(ideal_params),
	.stats = ideal_stats,
	.nstats = ARRAY_LEN(ideal_stats),
	.ops = &ideal_network,
};
