/* Sources and sinks of synthetic traffic, and what they measure. */
#include "noc/replay.h"

#include <math.h>
#include <string.h>

#include "core/rng.h"

#define SLOWEST 65535u /* latencies beyond count as this one */

static const struct param_def params[] = {TRAFFIC_PARAMS(PARAM_ROW, noc_traffic)};

const struct param_table noc_traffic_params = {"traffic", params, ARRAY_LEN(params)};

const char *const noc_traffic_names[TRAFFIC_KINDS] = {
	"uniform", "hotspot", "permutation", "reverse"};

struct source {
	struct rng rng;
	uint64_t drawn; /* cycles up to this one were drawn */
	uint64_t made;  /* the cycle of the packet that is to go next */
	unsigned to;
	bool ready; /* there is one */
	uint64_t accepted;
};

/* All sources and sinks. Links to and from the network take a cycle each, which is in no latency:
 * a packet made in cycle t is sent in t - 1. */
struct driver {
	struct component base;
	const struct noc_traffic *t;
	struct link **out, **in;
	struct source *source;
	uint64_t chance; /* that a source makes a packet in a cycle, of 2^53 */
	double rate;     /* the same, of 1 */
	unsigned flits;
	uint8_t granules;
	uint64_t from, to; /* measured cycles: from .. to - 1 */
	uint64_t followed, arrived, accepted;
	double latency_sum;
	uint32_t *histogram;
	uint32_t most;
	const struct component *network;
	const uint64_t *transit, *packets; /* its statistics, or NULL */
	uint64_t transit_from, packets_from, transit_to, packets_to;
	bool decided, stable;
};

/* ---- sources */
static unsigned destination(const struct noc_traffic *t, struct source *s, unsigned input)
{
	unsigned straight = (unsigned)((uint64_t)input * t->outputs / t->inputs);

	switch (t->kind) {
	case TRAFFIC_PERMUTATION:
		return straight;
	case TRAFFIC_REVERSE:
		return t->outputs - 1 - straight;
	case TRAFFIC_HOTSPOT:
		if (rng_unit(&s->rng) < t->p.hot_share)
			return 0;
		return rng_below(&s->rng, t->outputs);
	default:
		return rng_below(&s->rng, t->outputs);
	}
}

/* The next packet, if it is made by cycle `now`: the queue of those made but not sent is what was
 * not drawn yet. */
static bool draw(struct driver *d, unsigned input, uint64_t now)
{
	struct source *s = &d->source[input];

	while (!s->ready && s->drawn < now) {
		s->drawn++;
		if (rng_u64(&s->rng) >> 11 >= d->chance)
			continue;
		s->ready = true;
		s->made = s->drawn;
		s->to = destination(d->t, s, input);
		d->followed += s->made >= d->from && s->made < d->to;
	}
	return s->ready;
}

static void send(struct driver *d, unsigned input)
{
	struct source *s = &d->source[input];
	struct packet *p = link_slot(d->out[input]);

	*p = (struct packet){.line = s->made,
		.kind = d->granules ? PACKET_WRITE : PACKET_READ,
		.granules = d->granules,
		.slice = (uint16_t)s->to,
		.sm = (uint16_t)s->to,
		.tag = input};
	link_send(d->out[input], 0);
	s->ready = false;
}

/* ---- sinks */
static void receive(struct driver *d, const struct packet *p, uint64_t left)
{
	uint64_t latency = left - p->line;

	if (left >= d->from && left < d->to) {
		d->accepted += d->flits;
		d->source[p->tag].accepted += d->flits;
	}
	if (p->line < d->from || p->line >= d->to)
		return;
	d->arrived++;
	d->latency_sum += (double)latency;
	d->histogram[min_u64(latency, SLOWEST)]++;
	d->most = (uint32_t)max_u64(d->most, min_u64(latency, UINT32_MAX));
}

static void receive_all(struct driver *d, uint64_t left)
{
	const struct packet *p;

	for (unsigned j = 0; j < d->t->outputs; j++) {
		while ((p = link_peek(d->in[j]))) {
			receive(d, p, left);
			link_pop(d->in[j]);
		}
	}
}

/* ---- the measurement */
/* Less came out than was offered, beyond what chance explains. */
static bool is_stable(const struct driver *d)
{
	double cycles = (double)(d->to - d->from);
	double packets = d->rate * d->t->inputs * cycles;
	double missing = packets - (double)d->accepted / d->flits;

	return missing <= packets / 100 + 3 * sqrt(packets);
}

static void look_at_network(struct driver *d, uint64_t now)
{
	if (!d->transit)
		return;
	if (now <= d->from) {
		d->transit_from = *d->transit;
		d->packets_from = *d->packets;
	}
	if (now <= d->to) {
		d->transit_to = *d->transit;
		d->packets_to = *d->packets;
	}
}

/* True when there is nothing more to wait for. */
static bool is_over(struct driver *d, uint64_t now)
{
	if (now <= d->to)
		return false;
	if (!d->decided)
		d->stable = is_stable(d);
	d->decided = true;
	if (!d->stable)
		return true;
	for (unsigned i = 0; i < d->t->inputs; i++)
		if (d->source[i].drawn < d->to)
			return false;
	return d->arrived == d->followed;
}

static enum step driver_step(struct component *c, uint64_t cycle)
{
	struct driver *d = CONTAINER_OF(c, struct driver, base);

	receive_all(d, cycle - 1);
	look_at_network(d, cycle);
	for (unsigned i = 0; i < d->t->inputs; i++)
		while (draw(d, i, cycle + 1) && link_can_send(d->out[i]))
			send(d, i);
	if (is_over(d, cycle))
		sim_finish(c);
	return STEP_AGAIN;
}

static bool driver_busy(const struct component *c)
{
	(void)c;
	return false;
}

/* ---- building */
static const uint64_t *statistic(const struct component *c, const char *name)
{
	for (size_t i = 0; i < c->plugin->nstats; i++)
		if (!strcmp(c->plugin->stats[i].name, name))
			return (const void *)((const char *)c + c->plugin->stats[i].offset);
	return NULL;
}

static void bind(struct driver *d, struct sim *sim, struct component *network)
{
	/* A credit is back after two cycles: room for a packet a cycle, at an output for one of
	 * every input. */
	struct link_config in = {.latency_cycles = 1, .depth = 4};
	struct link_config out = {.latency_cycles = 1, .depth = 2 * d->t->inputs + 2};

	for (unsigned i = 0; i < d->t->inputs; i++) {
		port_declare(&d->base, PORT_OUT, "out", i, &packet_type, &d->out[i], false);
		link_bind(sim, &d->base, "out", i, network, "in", i, in);
	}
	for (unsigned j = 0; j < d->t->outputs; j++) {
		port_declare(&d->base, PORT_IN, "in", j, &packet_type, &d->in[j], false);
		link_bind(sim, network, "out", j, &d->base, "in", j, out);
	}
}

static unsigned flits_of(const struct network_ops *net, const struct component *c, uint8_t granules)
{
	struct packet p = {.kind = granules ? PACKET_WRITE : PACKET_READ, .granules = granules};

	return packet_flits_of(&p, net->flit_bytes ? net->flit_bytes(c) : FLIT_BYTES);
}

static struct driver *driver_new(
	const struct noc_traffic *t, double offered, struct partition *part, struct arena *arena)
{
	static const struct component_ops ops = {.step = driver_step, .busy = driver_busy};
	struct driver *d = arena_alloc(arena, 1, sizeof(*d));

	component_init(&d->base, part, &ops, NULL, "traffic", CORE_PERIOD_PS);
	d->t = t;
	d->rate = offered;
	d->granules = (uint8_t)((1u << t->p.data_bytes / GRANULE_BYTES) - 1);
	d->out = arena_alloc(arena, t->inputs, sizeof(*d->out));
	d->in = arena_alloc(arena, t->outputs, sizeof(*d->in));
	d->source = arena_alloc(arena, t->inputs, sizeof(*d->source));
	d->histogram = arena_alloc(arena, SLOWEST + 1, sizeof(*d->histogram));
	for (unsigned i = 0; i < t->inputs; i++)
		d->source[i].rng = rng_new(t->seed, i);
	d->from = 1 + t->p.warmup_cycles;
	d->to = d->from + t->p.measured_cycles;
	return d;
}

/* `offered` becomes packets of a source in a cycle. */
static void set_rate(struct driver *d, unsigned flits)
{
	unsigned least = d->t->inputs < d->t->outputs ? d->t->inputs : d->t->outputs;

	d->flits = flits;
	d->rate = fmin(1, d->rate * least / d->t->inputs / flits);
	d->chance = (uint64_t)(d->rate * 0x1p53);
}

static struct driver *build(const struct noc_traffic *t, double offered, struct config *config,
	struct sim *sim, struct arena *arena, struct err *err)
{
	struct network_config network = {.name = "noc",
		.inputs = t->inputs,
		.outputs = t->outputs,
		.route = t->inputs < t->outputs ? ROUTE_TO_SM : ROUTE_TO_SLICE};
	const struct plugin *plugin = plugin_find("network", t->network, "--network", err);
	const struct network_ops *ops;
	struct partition *part = sim_partition(sim, "all", 1);
	struct driver *d = driver_new(t, offered, part, arena);
	struct component *c;

	if (!plugin)
		return NULL;
	ops = plugin->ops;
	c = ops->create(plugin, part, &network, config, arena, err);
	set_rate(d, flits_of(ops, c, d->granules));
	bind(d, sim, c);
	d->transit = statistic(c, "transit_cycles");
	d->packets = statistic(c, "packets");
	return d;
}

/* ---- the answer */
static uint32_t percentile(const struct driver *d, double share)
{
	uint64_t sum = 0, wanted = (uint64_t)(share * (double)d->arrived);

	for (uint32_t i = 0; i <= SLOWEST; i++) {
		sum += d->histogram[i];
		if (sum > wanted)
			return i;
	}
	return SLOWEST;
}

static void sum_up(const struct driver *d, struct noc_result *r)
{
	unsigned n = d->t->inputs, least = n < d->t->outputs ? n : d->t->outputs;
	double cycles = (double)(d->to - d->from), mean = (double)d->accepted / n;
	uint64_t low = UINT64_MAX, high = 0;

	for (unsigned i = 0; i < n; i++) {
		low = min_u64(low, d->source[i].accepted);
		high = max_u64(high, d->source[i].accepted);
	}
	*r = (struct noc_result){.offered = d->rate * d->flits * n / least,
		.accepted = (double)d->accepted / cycles / least,
		.flits = d->flits,
		.stable = d->stable && d->arrived == d->followed,
		.followed = d->followed,
		.most = d->most,
		.transit = -1};
	if (d->accepted) {
		r->least_source = (double)low / mean;
		r->most_source = (double)high / mean;
	}
	if (d->arrived) {
		r->mean = d->latency_sum / (double)d->arrived;
		r->p50 = percentile(d, 0.5);
		r->p99 = percentile(d, 0.99);
	}
	if (d->transit && d->packets_to > d->packets_from)
		r->transit = (double)(d->transit_to - d->transit_from) /
			     (double)(d->packets_to - d->packets_from);
}

int noc_replay(const struct noc_traffic *t, double offered, struct config *config,
	struct noc_result *result, struct err *err)
{
	struct sim_config sim_config = {.window_cycles = 20, .threads = 1};
	struct sim *volatile sim = NULL;
	struct arena arena = {0};
	unsigned before = err->count;
	struct driver *d;
	jmp_buf escape;

	arena.escape = &escape;
	if (setjmp(escape)) {
		err_add(err, ERR_RESOURCE, "no host memory for the network");
	} else {
		sim = sim_new(&sim_config, &arena);
		d = build(t, offered, config, sim, &arena, err);
		if (err->count == before && !sim_elaborate(sim, err)) {
			sim_run(sim, UINT64_MAX, d->to + t->p.drain_cycles);
			sum_up(d, result);
		}
	}
	sim_free(sim);
	arena_free(&arena);
	return err->count == before ? 0 : -1;
}
