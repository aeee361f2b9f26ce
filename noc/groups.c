/* The ports of TPCs and GPCs: each is free from a byte on, counted from cycle 0. */
#include "noc/groups.h"

#include "core/state.h"

#include <string.h>

struct holder {
	struct groups_params p;
};

static const struct param_def params[] = {GROUPS_PARAMS(PARAM_ROW, holder)};

/* The network that has them in its table reports their faults. */
static struct groups_params read_params(struct config *settings, const char *name)
{
	struct holder h;
	struct err faults = {0};

	config_peek(settings, name, params, ARRAY_LEN(params), &h, &faults);
	err_clear(&faults);
	return h.p;
}

static struct packet_port port_of(uint64_t bytes, bool header_apart)
{
	return (struct packet_port){(uint32_t)bytes, !header_apart};
}

void groups_widths(struct config *settings, const char *name, struct network_widths *w)
{
	struct groups_params p = read_params(settings, name);

	w->sm = port_of(p.sm_bytes, p.header_apart);
	w->slice = port_of(p.slice_bytes, p.header_apart);
}

static void make_level(
	struct group_level *l, uint64_t sms, uint64_t bytes, unsigned n, struct arena *arena)
{
	*l = (struct group_level){.sms = (unsigned)sms, .bytes = bytes};
	if (bytes)
		l->free = arena_alloc(arena, div_up(n, sms), sizeof(*l->free));
}

void groups_plain(struct groups *g, const struct network_config *network)
{
	*g = (struct groups){.inputs = network->route == ROUTE_TO_SLICE, .plain = true};
	g->in = g->out = packet_port_plain();
}

void groups_init(struct groups *g, struct config *settings, const struct network_config *network,
	struct arena *arena)
{
	struct groups_params p = read_params(settings, network->name);
	unsigned outputs = network->outputs;

	groups_plain(g, network);
	g->n = g->inputs ? network->inputs : outputs;
	g->in = port_of(g->inputs ? p.sm_bytes : p.slice_bytes, p.header_apart);
	g->out = port_of(g->inputs ? p.slice_bytes : p.sm_bytes, p.header_apart);
	make_level(&g->level[0], p.tpc_sms, p.tpc_bytes, g->n, arena);
	make_level(&g->level[1], p.gpc_sms, p.gpc_bytes, g->n, arena);
	g->any = p.tpc_bytes || p.gpc_bytes;
	g->plain = !g->any && !p.header_apart && p.sm_bytes == FLIT_BYTES &&
		   p.slice_bytes == FLIT_BYTES;
	if (!g->any)
		return;
	g->words = (network->inputs + 63) / 64;
	g->requesting = arena_alloc(arena, g->words, sizeof(*g->requesting));
	g->since = arena_alloc(arena, outputs, sizeof(*g->since));
	g->outputs = outputs;
	g->order = arena_alloc(arena, outputs, sizeof(*g->order));
	for (unsigned i = 0; i < outputs; i++) {
		g->since[i] = UINT64_MAX;
		g->order[i] = (uint16_t)i;
	}
}

uint64_t groups_when(const struct groups *g, unsigned sm)
{
	uint64_t when = 0;

	for (unsigned k = 0; k < ARRAY_LEN(g->level); k++) {
		const struct group_level *l = &g->level[k];

		if (l->bytes)
			when = max_u64(when, l->free[sm / l->sms] / l->bytes);
	}
	return when;
}

/* The output was served: the others come first. */
static void make_last(struct groups *g, unsigned output)
{
	unsigned k = 0;

	while (g->order[k] != output)
		k++;
	memmove(g->order + k, g->order + k + 1, (g->outputs - k - 1) * sizeof(*g->order));
	g->order[g->outputs - 1] = (uint16_t)output;
}

uint64_t groups_pass(
	struct groups *g, unsigned output, unsigned input, const struct packet *p, uint64_t cycle)
{
	const struct packet_port *at = g->inputs ? &g->in : &g->out;
	uint64_t bytes = (uint64_t)packet_port_flits(p, at) * at->bytes;
	uint64_t held = g->since[output] == UINT64_MAX ? 0 : cycle - g->since[output];
	unsigned sm = g->inputs ? input : output;

	for (unsigned k = 0; k < ARRAY_LEN(g->level); k++) {
		struct group_level *l = &g->level[k];
		uint64_t *free = l->bytes ? &l->free[sm / l->sms] : NULL;

		if (free)
			*free = max_u64(*free, cycle * l->bytes) + bytes;
	}
	g->since[output] = UINT64_MAX;
	make_last(g, output);
	return held;
}

/* The requesting inputs whose groups are free. */
static bool find_free(struct groups *g, const uint64_t *requests, uint64_t cycle)
{
	uint64_t any = 0;

	for (unsigned w = 0; w < g->words; w++) {
		g->requesting[w] = 0;
		for (uint64_t bits = requests[w]; bits; bits &= bits - 1) {
			uint64_t from = groups_when(g, w * 64 + low_bit(bits));

			if (from <= cycle)
				g->requesting[w] |= bits & -bits;
			else
				g->when = min_u64(g->when, from);
		}
		any |= g->requesting[w];
	}
	return any;
}

const uint64_t *groups_let(
	struct groups *g, unsigned output, const uint64_t *requests, uint64_t cycle)
{
	g->when = UINT64_MAX;
	if (g->inputs) {
		if (find_free(g, requests, cycle))
			return g->requesting;
	} else {
		g->when = groups_when(g, output);
		if (g->when <= cycle)
			return requests;
	}
	g->since[output] = min_u64(g->since[output], cycle);
	return NULL;
}

void groups_state(struct state *s, struct groups *g)
{
	STATE(s, g->when);
	if (!g->any)
		return;
	for (unsigned i = 0; i < ARRAY_LEN(g->level); i++) {
		struct group_level *l = &g->level[i];

		if (l->bytes)
			state_bytes(s, l->free, div_up(g->n, l->sms) * sizeof(*l->free));
	}
	state_bytes(s, g->order, g->outputs * sizeof(*g->order));
	state_bytes(s, g->since, g->outputs * sizeof(*g->since));
	state_scratch(s, g->requesting, g->words * sizeof(*g->requesting));
}
