/* The heads of a network's inputs, sorted by the requested output, and the choice among them. */
#include "noc/ports.h"

#include "core/state.h"

#include <inttypes.h>

static void set_bit(uint64_t *words, unsigned i)
{
	words[i / 64] |= (uint64_t)1 << i % 64;
}

static void clear_bit(uint64_t *words, unsigned i)
{
	words[i / 64] &= ~((uint64_t)1 << i % 64);
}

const char *network_space(const char *name, struct arena *arena)
{
	char *space = arena_strdup(arena, name);

	for (char *at = space; *at; at++)
		*at = *at == '.' ? '_' : *at;
	return space;
}

static void choose_arbiter(struct ports *p, struct component *c, const struct ports_config *config,
	struct arena *arena, struct err *err)
{
	const struct policy_scope scope = {"arbiter", config->network->name, "arbiter",
		network_space(config->network->name, arena)};

	if (policy_choose(&p->policy, &scope, config->arbiter, config->settings, arena, err))
		return;
	component_policy(c, &p->policy);
	p->arbiter = p->policy.ops;
	if (p->arbiter->init)
		p->arbiter->init(p->policy.self, p->inputs, p->outputs, arena);
}

void ports_init(struct ports *p, struct component *c, const struct ports_config *config,
	struct arena *arena, struct err *err)
{
	p->inputs = config->network->inputs;
	p->outputs = config->network->outputs;
	p->words = (p->inputs + 63) / 64;
	p->out_words = (p->outputs + 63) / 64;
	p->route = config->network->route;
	p->period_ps = c->period_ps;
	p->pipeline_ps = (uint32_t)config->pipeline_cycles * c->period_ps;
	choose_arbiter(p, c, config, arena, err);
	inlets_init(&p->in, c, config->network, arena);
	p->out = arena_alloc(arena, p->outputs, sizeof(*p->out));
	p->requests = arena_alloc(arena, (size_t)p->outputs * p->words, sizeof(*p->requests));
	p->idle = arena_alloc(arena, p->words, sizeof(*p->idle));
	p->wanted = arena_alloc(arena, p->out_words, sizeof(*p->wanted));
	p->last = arena_alloc(arena, p->outputs, sizeof(*p->last));
	p->ready = arena_alloc(arena, p->inputs, sizeof(*p->ready));
	p->view = (struct arbiter_view){.n = p->inputs, .since = p->ready};
	p->blocked_since = arena_alloc(arena, p->outputs, sizeof(*p->blocked_since));
	for (unsigned i = 0; i < p->inputs; i++)
		set_bit(p->idle, i);
	for (unsigned j = 0; j < p->outputs; j++) {
		p->last[j] = p->inputs - 1;
		p->blocked_since[j] = UINT64_MAX;
		port_declare(c, PORT_OUT, "out", j, &packet_type, &p->out[j], false);
	}
}

uint64_t ports_enter(struct ports *p, unsigned input, uint64_t cycle)
{
	tick_t arrived;
	const struct packet *packet = inlet_peek(&p->in, input, &arrived);
	unsigned output;
	uint64_t ready;

	if (!packet)
		return UINT64_MAX;
	ready = ports_ready(p, arrived, cycle);
	if (ready > cycle)
		return ready;
	output = p->route == ROUTE_TO_SLICE ? packet->slice : packet->sm;
	BUG_ON(output >= p->outputs);
	set_bit(p->requests + (size_t)output * p->words, input);
	set_bit(p->wanted, output);
	clear_bit(p->idle, input);
	p->ready[input] = cycle;
	return UINT64_MAX;
}

static unsigned bits_of(const uint64_t *set, unsigned words)
{
	unsigned n = 0;

	for (unsigned w = 0; w < words; w++)
		n += count_bits(set[w]);
	return n;
}

uint64_t ports_crowded(const struct ports *p, unsigned n, uint64_t waited)
{
	unsigned wanted = bits_of(p->wanted, p->out_words), most = n < p->outputs ? n : p->outputs;

	return wanted < most ? (waited * (most - wanted) + most / 2) / most : 0;
}

/* Counted only when the choice is made, or up to that moment, so that counts do not depend on the
 * number of steps. */
static void count_grant(struct ports *p, unsigned output, uint64_t cycle, struct ports_stats *s)
{
	const uint64_t *row = p->requests + (size_t)output * p->words;
	uint64_t waited = cycle - p->ready[p->last[output]];

	s->packets++;
	s->arbitration_losses += bits_of(row, p->words);
	s->arbitration_losses--;
	s->wait_cycles += waited;
	if (waited)
		s->crowded_cycles +=
			ports_crowded(p, p->inputs - bits_of(p->idle, p->words), waited);
	if (p->blocked_since[output] != UINT64_MAX) {
		s->blocked_cycles += cycle - p->blocked_since[output];
		p->blocked_since[output] = UINT64_MAX;
	}
}

static bool row_is_empty(const uint64_t *row, unsigned words)
{
	for (unsigned w = 0; w < words; w++) {
		if (row[w])
			return false;
	}
	return true;
}

/* The requests that groups let pass; NULL: none, and until when. */
static const uint64_t *let_pass(
	struct ports *p, unsigned output, const uint64_t *row, uint64_t cycle)
{
	return p->groups.any ? groups_let(&p->groups, output, row, cycle) : row;
}

int ports_grant(struct ports *p, unsigned output, uint64_t cycle, bool occupy,
	struct ports_stats *stats, struct ports_flits *flits)
{
	uint64_t *row = p->requests + (size_t)output * p->words;
	struct link *out = p->out[output];
	const struct packet *packet;
	const uint64_t *let;
	unsigned winner;

	p->groups.when = UINT64_MAX;
	if (!link_can_send(out)) {
		if (p->blocked_since[output] == UINT64_MAX)
			p->blocked_since[output] = cycle;
		return -1;
	}
	if (!(let = let_pass(p, output, row, cycle)))
		return -1;
	winner = ports_choose(p, output, let, cycle);
	packet = inlet_front(&p->in, winner);
	stats->flits += groups_flits(&p->groups, packet, &flits->in, &flits->out);
	if (p->groups.any)
		stats->group_wait_cycles += groups_pass(&p->groups, output, winner, packet, cycle);
	*(struct packet *)link_slot(out) = *packet;
	link_send(out, occupy ? flits->out : 0);
	inlet_pop(&p->in, winner);
	count_grant(p, output, cycle, stats);
	clear_bit(row, winner);
	set_bit(p->idle, winner);
	if (row_is_empty(row, p->words))
		clear_bit(p->wanted, output);
	return (int)winner;
}

bool ports_busy(const struct ports *p)
{
	for (unsigned i = 0; i < p->inputs; i++) {
		if (inlet_busy(&p->in, i))
			return true;
	}
	return false;
}

void ports_stuck(const struct ports *p, struct text *text)
{
	for (unsigned j = 0; j < p->outputs; j++) {
		const uint64_t *row = p->requests + (size_t)j * p->words;
		unsigned requesting = 0;

		for (unsigned w = 0; w < p->words; w++)
			requesting += count_bits(row[w]);
		if (!requesting)
			continue;
		text_add(text, "  output %u: requesting inputs: %u", j, requesting);
		if (p->blocked_since[j] != UINT64_MAX)
			text_add(text, ", no credit since cycle %" PRIu64, p->blocked_since[j]);
		text_add(text, "\n");
	}
}

void ports_state(struct state *s, struct ports *p)
{
	inlets_state(s, &p->in, p->inputs);
	groups_state(s, &p->groups);
	state_policy(s, &p->policy);
	state_scratch(s, &p->view, sizeof(p->view));
	state_bytes(s, p->requests, (size_t)p->outputs * p->words * sizeof(*p->requests));
	state_bytes(s, p->idle, p->words * sizeof(*p->idle));
	state_bytes(s, p->wanted, p->out_words * sizeof(*p->wanted));
	state_bytes(s, p->last, p->outputs * sizeof(*p->last));
	state_bytes(s, p->ready, p->inputs * sizeof(*p->ready));
	state_bytes(s, p->blocked_since, p->outputs * sizeof(*p->blocked_since));
}
