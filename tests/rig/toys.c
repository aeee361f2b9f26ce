/* The toy network. Requests go generator, pipe, router, pipe, server; replies server, router,
 * generator. A generator with its pipe, and a server with its pipe, stay in one partition. */
#include "tests/rig/toys.h"

#include <stdio.h>

#include "core/rng.h"

#define GENERATORS 6u
#define SERVERS 4u
#define REQUESTS_MAX 256u
#define WINDOW 20u
#define DRAM_PS 750u

struct letter {
	uint32_t from, to, number;
};
static const struct msg_type letter_type = {"letter", sizeof(struct letter)};

struct toy {
	struct component c;
	struct link *in, *out;
	struct rng rng;
	uint64_t digest;
	unsigned flits;
};

struct generator {
	struct toy toy;
	unsigned requests, sent, replied, most;
	uint64_t next;
	unsigned char answers[REQUESTS_MAX];
};

struct server {
	struct toy toy;
	struct event event;
	bool serving, done;
	struct letter letter;
};

struct router {
	struct toy toy;
	unsigned inputs, outputs;
	struct link *in[GENERATORS], *out[GENERATORS];
	uint64_t taken[GENERATORS]; /* the cycle of an input's last message + 1 */
	unsigned turn[GENERATORS];
	bool to_server;
};

struct toys {
	jmp_buf escape;
	struct arena arena;
	struct sim *sim;
	struct partition *parts[GENERATORS + SERVERS + 2];
	struct toys_shape shape;
	struct rng rng;
	unsigned dealt;
	struct generator generators[GENERATORS];
	struct toy pipes[GENERATORS + SERVERS];
	struct server servers[SERVERS];
	struct router request, reply;
};

static void note(struct toy *t, const struct letter *l, unsigned act)
{
	const uint64_t words[] = {sim_now(&t->c), l->from, l->to, l->number, act};

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		t->digest = (t->digest ^ words[i]) * 0x100000001b3u + 1;
}

static void post(struct toy *t, struct link *out, struct letter l)
{
	*(struct letter *)link_slot(out) = l;
	link_send(out, t->flits);
	note(t, &l, 1);
}

static struct letter take(struct toy *t, struct link *in)
{
	struct letter l = *(const struct letter *)link_peek(in);

	link_pop(in);
	note(t, &l, 2);
	return l;
}

static bool idle(const struct component *c)
{
	(void)c;
	return false;
}

static enum step generator_step(struct component *c, uint64_t cycle)
{
	struct generator *g = (struct generator *)c;
	struct toy *t = &g->toy;

	while (link_peek(t->in)) {
		struct letter l = take(t, t->in);

		BUG_ON(l.from != c->id);
		g->answers[l.number]++;
		g->replied++;
	}
	if (g->sent == g->requests || g->sent - g->replied >= g->most)
		return STEP_SLEEP;
	if (cycle < g->next) {
		wake_at(c, g->next);
		return STEP_SLEEP;
	}
	if (!link_can_send(t->out))
		return STEP_SLEEP;
	post(t, t->out, (struct letter){c->id, rng_below(&t->rng, SERVERS), g->sent++});
	g->next = cycle + 1 + rng_below(&t->rng, rng_below(&t->rng, 16) ? 12 : 3000);
	return STEP_AGAIN;
}

static bool generator_busy(const struct component *c)
{
	const struct generator *g = (const struct generator *)c;

	return g->replied < g->requests;
}

static enum step pipe_step(struct component *c, uint64_t cycle)
{
	struct toy *t = (struct toy *)c;

	(void)cycle;
	while (link_peek(t->in) && link_can_send(t->out))
		post(t, t->out, take(t, t->in));
	return STEP_SLEEP;
}

/* Each output takes one message a cycle from the inputs in round robin, each input gives one. */
static enum step router_step(struct component *c, uint64_t cycle)
{
	struct router *r = (struct router *)c;

	for (unsigned i = 0; i < r->inputs; i++) {
		if (r->taken[i] != cycle + 1 && link_peek(r->in[i]))
			break;
		if (i + 1 == r->inputs)
			return STEP_SLEEP;
	}
	for (unsigned o = 0; o < r->outputs; o++) {
		for (unsigned n = 0; n < r->inputs; n++) {
			unsigned i = (r->turn[o] + n) % r->inputs;
			const struct letter *l = link_peek(r->in[i]);

			if (!l || r->taken[i] == cycle + 1)
				continue;
			if ((r->to_server ? l->to : l->from / 2) != o || !link_can_send(r->out[o]))
				continue;
			post(&r->toy, r->out[o], take(&r->toy, r->in[i]));
			r->taken[i] = cycle + 1;
			r->turn[o] = i + 1;
			break;
		}
	}
	for (unsigned i = 0; i < r->inputs; i++) {
		if (link_peek(r->in[i]))
			return STEP_AGAIN;
	}
	return STEP_SLEEP;
}

static void served(struct event *e)
{
	struct server *s = CONTAINER_OF(e, struct server, event);

	s->done = true;
	wake_at(&s->toy.c, div_up(sim_now(&s->toy.c), s->toy.c.period_ps));
}

static enum step server_step(struct component *c, uint64_t cycle)
{
	struct server *s = (struct server *)c;
	struct toy *t = &s->toy;

	(void)cycle;
	if (s->done && link_can_send(t->out)) {
		post(t, t->out, s->letter);
		s->done = s->serving = false;
	}
	if (!s->serving && link_peek(t->in)) {
		s->letter = take(t, t->in);
		s->serving = true;
		event_notify(&s->event, 1 + rng_below(&t->rng, 20000));
	}
	component_hold(c);
	return STEP_SLEEP;
}

static const struct component_ops generator_ops = {.step = generator_step, .busy = generator_busy};
static const struct component_ops pipe_ops = {.step = pipe_step, .busy = idle};
static const struct component_ops router_ops = {.step = router_step, .busy = idle};
static const struct component_ops server_ops = {.step = server_step, .busy = idle};

/* The partition of the next group of components; groups are distributed in one of several ways. */
static struct partition *deal(struct toys *toys)
{
	struct toys_shape s = toys->shape;
	unsigned n = toys->dealt++;

	if (s.deal == 0)
		return toys->parts[n % s.cut];
	if (s.deal == 1)
		return toys->parts[n * s.cut / (GENERATORS + SERVERS + 2)];
	return toys->parts[(n * 5 + s.deal) % s.cut];
}

static void init(struct toys *toys, struct toy *t, struct partition *part,
	const struct component_ops *ops, const char *name, unsigned period_ps)
{
	component_init(&t->c, part, ops, NULL, name, period_ps);
	t->rng = rng_new(toys->shape.seed, t->c.id);
	t->flits = 1 + rng_below(&toys->rng, 2);
	if (ops == &router_ops)
		return;
	port_declare(&t->c, PORT_IN, "in", 0, &letter_type, &t->in, false);
	port_declare(&t->c, PORT_OUT, "out", 0, &letter_type, &t->out, false);
}

static void init_router(
	struct toys *toys, struct router *r, const char *name, unsigned inputs, unsigned outputs)
{
	init(toys, &r->toy, deal(toys), &router_ops, name, toys->shape.router_ps);
	r->inputs = inputs;
	r->outputs = outputs;
	r->toy.flits = 1;
	for (unsigned i = 0; i < inputs; i++)
		port_declare(&r->toy.c, PORT_IN, "in", i, &letter_type, &r->in[i], false);
	for (unsigned i = 0; i < outputs; i++)
		port_declare(&r->toy.c, PORT_OUT, "out", i, &letter_type, &r->out[i], false);
}

static void join(
	struct toys *toys, struct toy *from, unsigned out, struct toy *to, unsigned in, bool far)
{
	struct link_config config = {.latency_cycles = 1 + rng_below(&toys->rng, WINDOW - 1),
		.depth = 1 + rng_below(&toys->rng, 4)};

	if (far)
		config.latency_cycles = rng_below(&toys->rng, 8) == 0
						? 1020 + rng_below(&toys->rng, 2000)
						: WINDOW + rng_below(&toys->rng, 30);
	link_bind(toys->sim, &from->c, "out", out, &to->c, "in", in, config);
}

static void build_generators(struct toys *toys)
{
	for (unsigned i = 0; i < GENERATORS; i++) {
		struct generator *g = &toys->generators[i];
		struct partition *part = deal(toys);

		init(toys, &g->toy, part, &generator_ops, "generator", 0);
		BUG_ON(g->toy.c.id != 2 * i);
		g->requests = toys->shape.requests;
		g->most = 1 + rng_below(&toys->rng, 6);
		init(toys, &toys->pipes[i], part, &pipe_ops, "shaper", 0);
		join(toys, &g->toy, 0, &toys->pipes[i], 0, false);
	}
}

static void build_servers(struct toys *toys)
{
	for (unsigned i = 0; i < SERVERS; i++) {
		struct server *s = &toys->servers[i];
		struct toy *front = &toys->pipes[GENERATORS + i];
		struct partition *part = deal(toys);

		init(toys, &s->toy, part, &server_ops, "server",
			toys->shape.server_ps ? toys->shape.server_ps : DRAM_PS);
		event_init(&s->event, part, served);
		init(toys, front, part, &pipe_ops, "front", 0);
		join(toys, front, 0, &s->toy, 0, false);
	}
}

static void join_routers(struct toys *toys)
{
	for (unsigned i = 0; i < GENERATORS; i++) {
		join(toys, &toys->pipes[i], 0, &toys->request.toy, i, true);
		join(toys, &toys->reply.toy, i, &toys->generators[i].toy, 0, true);
	}
	for (unsigned i = 0; i < SERVERS; i++) {
		join(toys, &toys->request.toy, i, &toys->pipes[GENERATORS + i], 0, true);
		join(toys, &toys->servers[i].toy, 0, &toys->reply.toy, i, true);
	}
}

static int build(struct toys *toys, const struct sim_config *config, struct err *err)
{
	struct sim_config own = *config;

	if (setjmp(toys->escape))
		return err_add(err, ERR_RESOURCE, "out of memory");
	toys->arena.escape = &toys->escape;
	own.window_cycles = WINDOW;
	own.cycle_ps = toys->shape.core_ps;
	toys->sim = sim_new(&own, &toys->arena);
	for (unsigned i = 0; i < toys->shape.cut; i++) {
		char name[16];

		snprintf(name, sizeof(name), "part%u", i);
		toys->parts[i] = sim_partition(toys->sim, name, 1 + i % 3);
	}
	build_generators(toys);
	build_servers(toys);
	init_router(toys, &toys->request, "request", GENERATORS, SERVERS);
	init_router(toys, &toys->reply, "reply", SERVERS, GENERATORS);
	toys->request.to_server = true;
	join_routers(toys);
	return sim_elaborate(toys->sim, err);
}

struct toys *toys_new(struct toys_shape shape, const struct sim_config *config, struct err *err)
{
	struct toys *toys = mem_alloc(1, sizeof(*toys));

	BUG_ON(shape.requests > REQUESTS_MAX || shape.cut > ARRAY_LEN(toys->parts));
	if (!toys)
		return NULL;
	toys->shape = shape;
	toys->rng = rng_new(shape.seed, 1000);
	if (!build(toys, config, err))
		return toys;
	toys_free(toys);
	return NULL;
}

void toys_free(struct toys *toys)
{
	if (!toys)
		return;
	sim_free(toys->sim);
	arena_free(&toys->arena);
	mem_free(toys);
}

struct sim *toys_sim(struct toys *toys)
{
	return toys->sim;
}

uint64_t toys_digest(const struct toys *toys)
{
	uint64_t sum = toys->request.toy.digest + 3 * toys->reply.toy.digest + sim_time(toys->sim);

	for (unsigned i = 0; i < GENERATORS; i++)
		sum = sum * 31 + toys->generators[i].toy.digest;
	for (unsigned i = 0; i < GENERATORS + SERVERS; i++)
		sum = sum * 31 + toys->pipes[i].digest;
	for (unsigned i = 0; i < SERVERS; i++)
		sum = sum * 31 + toys->servers[i].toy.digest;
	return sum;
}

bool toys_replied(const struct toys *toys)
{
	for (unsigned i = 0; i < GENERATORS; i++) {
		for (unsigned n = 0; n < toys->shape.requests; n++) {
			if (toys->generators[i].answers[n] != 1)
				return false;
		}
	}
	return true;
}
