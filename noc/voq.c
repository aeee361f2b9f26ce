/* A crossbar with virtual output queues (Tamir and Frazier, ISCA 1988): an input queues its packets
 * by output, so that one whose output is occupied blocks none for another. Otherwise the crossbar:
 * a packet occupies its input and its output for as many cycles as it has flits, and leaves
 * pipeline_cycles after it was visible without contention.
 *
 * An input takes packets from its link when they could leave, `queue` of them at most. In each
 * cycle the free outputs with a credit choose in turn among the free inputs that have a packet for
 * them; the first to choose rotates every cycle, because an input chosen by several serves the
 * first. What was sent frees entries for packets that may leave in the same cycle: the step
 * continues until nothing moves. */
#include "core/state.h"
#include "noc/ports.h"

#define NONE UINT32_MAX

#define VOQ_PARAMS(P, T) \
	PORTS_PARAMS(P, T) \
	GROUPS_PARAMS(P, T) \
	P(T, UINT, queue, 64, 1, 65536, "packets", \
		"Queue entries of an input, shared by its virtual output queues.")

/* A packet that requests its output. */
struct held {
	struct packet packet;
	uint64_t since;
	uint32_t next; /* in its queue, or in the list of free entries */
};

/* The packets of one input to one output. */
struct queue {
	uint32_t first, last;
};

struct voq {
	struct component base;
	struct {
		VOQ_PARAMS(PARAM_FIELD, )
	} p;
	struct ports_stats s;
	struct ports ports;
	struct held *held;             /* p.queue entries of each input */
	uint32_t *free_entry, *n_held; /* by input */
	struct queue *queues;          /* by input and output */
	uint64_t *in_free, *out_free;  /* first cycle in which the port is free again */
	uint64_t *busy;                /* bit per occupied input */
	uint64_t *requesting;          /* scratch: the requesting inputs that are free */
	unsigned all_held;             /* by all inputs */
	uint64_t groups_wake;          /* the next cycle in which groups may let a packet pass */
};

TABLES(voq, VOQ_PARAMS, PORTS_STATS);

static uint64_t *row_of(struct voq *x, unsigned output)
{
	return x->ports.requests + (size_t)output * x->ports.words;
}

static struct queue *queue_of(struct voq *x, unsigned input, unsigned output)
{
	return &x->queues[(size_t)input * x->ports.outputs + output];
}

static struct held *places_of(struct voq *x, unsigned input)
{
	return &x->held[(size_t)input * x->p.queue];
}

static void enqueue(struct voq *x, unsigned input, const struct packet *packet, uint64_t cycle)
{
	struct ports *p = &x->ports;
	unsigned output = p->route == ROUTE_TO_SLICE ? packet->slice : packet->sm;
	struct held *entries = places_of(x, input);
	struct queue *q;
	uint32_t i = x->free_entry[input];

	BUG_ON(output >= p->outputs);
	q = queue_of(x, input, output);
	x->free_entry[input] = entries[i].next;
	entries[i] = (struct held){.packet = *packet, .since = cycle, .next = NONE};
	if (q->first == NONE)
		q->first = i;
	else
		entries[q->last].next = i;
	q->last = i;
	x->n_held[input]++;
	x->all_held++;
	row_of(x, output)[input / 64] |= UINT64_C(1) << input % 64;
	p->wanted[output / 64] |= UINT64_C(1) << output % 64;
}

/* Takes what can leave an input's link. Returns when more of it can. */
static uint64_t take(struct voq *x, unsigned input, uint64_t cycle)
{
	struct inlets *in = &x->ports.in;
	const struct packet *packet;
	tick_t arrived;

	while (x->n_held[input] < x->p.queue && (packet = inlet_peek(in, input, &arrived))) {
		uint64_t ready = ports_ready(&x->ports, arrived, cycle);

		if (ready > cycle)
			return ready;
		enqueue(x, input, packet, cycle);
		inlet_pop(in, input);
	}
	return UINT64_MAX;
}

static void dequeue(struct voq *x, unsigned input, unsigned output)
{
	struct held *entries = places_of(x, input);
	struct queue *q = queue_of(x, input, output);
	uint64_t *row = row_of(x, output), any = 0;
	uint32_t i = q->first;

	q->first = entries[i].next;
	entries[i].next = x->free_entry[input];
	x->free_entry[input] = i;
	x->n_held[input]--;
	x->all_held--;
	if (q->first != NONE)
		return;
	row[input / 64] &= ~(UINT64_C(1) << input % 64);
	for (unsigned w = 0; w < x->ports.words; w++)
		any |= row[w];
	if (!any)
		x->ports.wanted[output / 64] &= ~(UINT64_C(1) << output % 64);
}

/* The requesting inputs of the output that are free; returns their number. */
static unsigned find_requesting(struct voq *x, unsigned output)
{
	unsigned n = 0;

	for (unsigned w = 0; w < x->ports.words; w++) {
		x->requesting[w] = row_of(x, output)[w] & ~x->busy[w];
		n += count_bits(x->requesting[w]);
	}
	return n;
}

static bool has_credit(struct voq *x, unsigned output, uint64_t cycle)
{
	uint64_t *since = &x->ports.blocked_since[output];

	if (!link_can_send(x->ports.out[output])) {
		*since = min_u64(*since, cycle);
		return false;
	}
	if (*since != UINT64_MAX)
		x->s.blocked_cycles += cycle - *since;
	*since = UINT64_MAX;
	return true;
}

/* The requests whose groups are free; or NULL, and the step wakes when one may be. */
static const uint64_t *let_pass(struct voq *x, unsigned output, uint64_t cycle)
{
	const uint64_t *let = groups_let(&x->ports.groups, output, x->requesting, cycle);

	if (!let)
		x->groups_wake = min_u64(x->groups_wake, x->ports.groups.when);
	return let;
}

static void count_sent(struct voq *x, unsigned requests, uint64_t waited, unsigned flits)
{
	x->s.packets++;
	x->s.flits += flits;
	x->s.arbitration_losses += requests - 1;
	x->s.wait_cycles += waited;
	if (waited)
		x->s.crowded_cycles += ports_crowded(&x->ports, x->all_held, waited);
}

/* Sends a packet by a free output, if there is one. */
static bool serve_output(struct voq *x, unsigned output, uint64_t cycle)
{
	struct ports *p = &x->ports;
	struct link *out = p->out[output];
	struct groups *groups = &p->groups;
	const uint64_t *let = x->requesting;
	unsigned n, winner, in, flits, sm_flits;
	const struct held *h;

	if (x->out_free[output] > cycle || !(n = find_requesting(x, output)) ||
		!has_credit(x, output, cycle) ||
		(groups->any && !(let = let_pass(x, output, cycle))))
		return false;
	winner = ports_choose(p, output, let, cycle);
	h = &places_of(x, winner)[queue_of(x, winner, output)->first];
	if (groups->any)
		x->s.group_wait_cycles += groups_pass(groups, output, winner, &h->packet, cycle);
	sm_flits = groups_flits(groups, &h->packet, &in, &flits);
	*(struct packet *)link_slot(out) = h->packet;
	link_send(out, flits);
	count_sent(x, n, cycle - h->since, sm_flits);
	x->in_free[winner] = cycle + in;
	x->out_free[output] = cycle + flits;
	x->busy[winner / 64] |= UINT64_C(1) << winner % 64;
	dequeue(x, winner, output);
	return true;
}

/* Every output once, beginning with another one in each cycle, or in the order of groups: one that
 * is served becomes the last there. */
static bool serve_outputs(struct voq *x, uint64_t cycle)
{
	unsigned n = x->ports.outputs, first = (unsigned)(cycle % n), k = 0;
	const uint16_t *order = x->ports.groups.order;
	bool moved = false;

	for (unsigned left = n; left; left--) {
		unsigned output = order ? order[k] : first + k < n ? first + k : first + k - n;

		if (x->ports.wanted[output / 64] >> output % 64 & 1)
			moved |= serve_output(x, output, cycle);
		k += !order || order[k] == output;
	}
	return moved;
}

static void free_inputs(struct voq *x, uint64_t cycle)
{
	for (unsigned w = 0; w < x->ports.words; w++)
		for (uint64_t bits = x->busy[w]; bits; bits &= bits - 1)
			if (x->in_free[w * 64 + low_bit(bits)] <= cycle)
				x->busy[w] &= ~(bits & -bits);
}

/* The next cycle in which a port that packets wait for is free again. */
static uint64_t next_free(const struct voq *x, uint64_t cycle)
{
	const struct ports *p = &x->ports;
	uint64_t wake = UINT64_MAX;

	for (unsigned w = 0; w < p->words; w++)
		for (uint64_t bits = x->busy[w]; bits; bits &= bits - 1) {
			unsigned i = w * 64 + low_bit(bits);

			if (x->n_held[i])
				wake = min_u64(wake, x->in_free[i]);
		}
	for (unsigned w = 0; w < p->out_words; w++)
		for (uint64_t bits = p->wanted[w]; bits; bits &= bits - 1) {
			unsigned o = w * 64 + low_bit(bits);

			if (x->out_free[o] > cycle)
				wake = min_u64(wake, x->out_free[o]);
		}
	return wake;
}

static enum step voq_step(struct component *c, uint64_t cycle)
{
	struct voq *x = CONTAINER_OF(c, struct voq, base);
	uint64_t wake;

	free_inputs(x, cycle);
	do {
		wake = x->groups_wake = UINT64_MAX;
		for (unsigned i = 0; i < x->ports.inputs; i++)
			wake = min_u64(wake, take(x, i, cycle));
	} while (serve_outputs(x, cycle));
	wake = min_u64(min_u64(wake, x->groups_wake), next_free(x, cycle));
	if (wake != UINT64_MAX)
		wake_at(c, wake);
	return STEP_SLEEP;
}

static bool voq_busy(const struct component *c)
{
	const struct voq *x = CONTAINER_OF(c, const struct voq, base);
	uint64_t held = 0;

	for (unsigned i = 0; i < x->ports.inputs; i++)
		held += x->n_held[i];
	return held || ports_busy(&x->ports);
}

static void voq_stuck(const struct component *c, struct text *text)
{
	ports_stuck(&CONTAINER_OF(c, const struct voq, base)->ports, text);
}

static unsigned voq_latency(const struct component *c, unsigned bytes)
{
	(void)bytes;
	return (unsigned)CONTAINER_OF(c, const struct voq, base)->p.pipeline_cycles;
}

static unsigned voq_flit_bytes(const struct component *c)
{
	return groups_flit_bytes(&CONTAINER_OF(c, const struct voq, base)->ports.groups);
}

static void make_queues(struct voq *x, struct arena *arena)
{
	size_t inputs = x->ports.inputs, pairs = inputs * x->ports.outputs;

	x->held = arena_alloc(arena, inputs * x->p.queue, sizeof(*x->held));
	x->free_entry = arena_alloc(arena, inputs, sizeof(*x->free_entry));
	x->n_held = arena_alloc(arena, inputs, sizeof(*x->n_held));
	x->queues = arena_alloc(arena, pairs, sizeof(*x->queues));
	x->busy = arena_alloc(arena, x->ports.words, sizeof(*x->busy));
	x->requesting = arena_alloc(arena, x->ports.words, sizeof(*x->requesting));
	x->in_free = arena_alloc(arena, inputs, sizeof(*x->in_free));
	x->out_free = arena_alloc(arena, x->ports.outputs, sizeof(*x->out_free));
	for (size_t i = 0; i < pairs; i++)
		x->queues[i] = (struct queue){NONE, NONE};
	for (size_t i = 0; i < inputs * x->p.queue; i++)
		x->held[i].next = (uint32_t)(i % x->p.queue) + 1;
}

static void voq_state(struct component *c, struct state *s)
{
	struct voq *x = CONTAINER_OF(c, struct voq, base);
	size_t inputs = x->ports.inputs, outputs = x->ports.outputs;

	STATE(s, x->s);
	STATE(s, x->groups_wake);
	STATE(s, x->all_held);
	ports_state(s, &x->ports);
	state_bytes(s, x->held, inputs * x->p.queue * sizeof(*x->held));
	state_bytes(s, x->free_entry, inputs * sizeof(*x->free_entry));
	state_bytes(s, x->n_held, inputs * sizeof(*x->n_held));
	state_bytes(s, x->queues, inputs * outputs * sizeof(*x->queues));
	state_bytes(s, x->busy, x->ports.words * sizeof(*x->busy));
	state_bytes(s, x->in_free, inputs * sizeof(*x->in_free));
	state_bytes(s, x->out_free, outputs * sizeof(*x->out_free));
	state_scratch(s, x->requesting, x->ports.words * sizeof(*x->requesting));
}

static struct component *voq_create(const struct plugin *plugin, struct partition *part,
	const struct network_config *network, struct config *config, struct arena *arena,
	struct err *err)
{
	static const struct component_ops ops = {
		.step = voq_step, .busy = voq_busy, .stuck = voq_stuck, .state = voq_state};
	struct voq *x = arena_alloc(arena, 1, sizeof(*x));
	struct ports_config ports = {.network = network, .settings = config};

	config_load(config, network->name, voq_params, ARRAY_LEN(voq_params), x, err);
	component_init(&x->base, part, &ops, plugin, network->name, network->period_ps);
	ports.arbiter = x->p.arbiter;
	ports.pipeline_cycles = x->p.pipeline_cycles;
	ports_init(&x->ports, &x->base, &ports, arena, err);
	groups_init(&x->ports.groups, config, network, arena);
	x->ports.view.since = NULL;
	make_queues(x, arena);
	return &x->base;
}

static const struct network_ops voq_network = {
	.create = voq_create,
	.latency_cycles = voq_latency,
	.flit_bytes = voq_flit_bytes,
	.widths = groups_widths,
	.occupies_ports = true,
};

const struct plugin network_voq = {
	.kind = "network",
	.name = "voq",
	.text = "Crossbar with virtual output queues: no packet waits behind one for another "
		"output.",
	.path = "noc.request",
	.other_path = "noc.reply",
	.size = sizeof(struct voq),
	.params = voq_params,
	.nparams = ARRAY_LEN(voq_params),
	.stats = voq_stats,
	.nstats = ARRAY_LEN(voq_stats),
	.ops = &voq_network,
};
