/* Sources and sinks of packets for tests. */
#include "tests/rig/rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

struct source {
	struct component base;
	struct link *out;
	struct arrival *script; /* cycles are replaced by those of the sending */
	unsigned n, next, capacity;
	bool occupies;
};

struct sink {
	struct component base;
	struct link *in;
	struct arrival *log;
	unsigned n, capacity, period;
	uint64_t took; /* 1 + the last cycle */
};

struct rig *rig_new(struct sim_config config)
{
	static jmp_buf no_memory;
	struct rig *rig = mem_alloc(1, sizeof(*rig));

	assert_non_null(rig);
	if (setjmp(no_memory))
		fail();
	rig->arena.escape = &no_memory;
	config.threads = config.threads ? config.threads : 1;
	config.window_cycles = config.window_cycles ? config.window_cycles : 20;
	rig->config = config_new();
	rig->sim = sim_new(&config, &rig->arena);
	assert_non_null(rig->config);
	return rig;
}

void rig_free(struct rig *rig)
{
	sim_free(rig->sim);
	config_free(rig->config);
	arena_free(&rig->arena);
	err_clear(&rig->err);
	mem_free(rig);
}

void rig_set(struct rig *rig, const char *path, const char *value)
{
	config_set(rig->config, path, value, "test", &rig->err);
}

enum run rig_run(struct rig *rig, uint64_t max_cycles)
{
	enum run answer;
	uint64_t calls;

	config_finish(rig->config, &rig->err);
	assert_string_equal(err_text(&rig->err), "");
	if (sim_elaborate(rig->sim, &rig->err))
		fail_msg("%s", err_text(&rig->err));
	calls = mem_calls();
	do
		answer = sim_run(rig->sim, UINT64_MAX, max_cycles);
	while (answer == RUN_QUANTUM);
	assert_int_equal(mem_calls(), calls);
	return answer;
}

static enum step source_step(struct component *c, uint64_t cycle)
{
	struct source *s = (struct source *)c;

	while (s->next < s->n) {
		struct arrival *a = &s->script[s->next];

		if (a->cycle > cycle) {
			wake_at(c, a->cycle);
			break;
		}
		if (!link_can_send(s->out))
			break;
		*(struct packet *)link_slot(s->out) = a->packet;
		link_send(s->out, s->occupies ? packet_flits(&a->packet) : 0);
		a->cycle = cycle;
		s->next++;
	}
	return STEP_SLEEP;
}

static bool source_busy(const struct component *c)
{
	return ((const struct source *)c)->next < ((const struct source *)c)->n;
}

struct source *source_new(
	struct rig *rig, struct partition *part, unsigned index, unsigned capacity, bool occupies)
{
	static const struct component_ops ops = {.step = source_step, .busy = source_busy};
	struct source *s = arena_alloc(&rig->arena, 1, sizeof(*s));
	char name[32];

	snprintf(name, sizeof(name), "source.%u", index);
	component_init(&s->base, part, &ops, NULL, name, 0);
	s->script = arena_alloc(&rig->arena, capacity, sizeof(*s->script));
	s->capacity = capacity;
	s->occupies = occupies;
	port_declare(&s->base, PORT_OUT, "out", 0, &packet_type, &s->out, false);
	return s;
}

struct packet packet_read(unsigned slice, unsigned source, uint32_t tag)
{
	return (struct packet){.kind = PACKET_READ,
		.granules = 0xff,
		.slice = (uint16_t)slice,
		.sm = (uint16_t)source,
		.tag = tag};
}

struct packet packet_write(unsigned slice, unsigned source, uint32_t tag)
{
	struct packet p = packet_read(slice, source, tag);

	p.kind = PACKET_WRITE;
	return p;
}

void source_add(struct source *s, uint64_t cycle, struct packet packet)
{
	assert_true(s->n < s->capacity);
	s->script[s->n++] = (struct arrival){cycle, packet};
}

uint64_t source_sent_at(const struct source *s, unsigned i)
{
	assert_true(i < s->next);
	return s->script[i].cycle;
}

static enum step sink_step(struct component *c, uint64_t cycle)
{
	struct sink *s = (struct sink *)c;
	const struct packet *p;

	while ((p = link_peek(s->in))) {
		if (s->period > 1 && (cycle % s->period || s->took == cycle + 1)) {
			wake_at(c, (cycle / s->period + 1) * s->period);
			break;
		}
		BUG_ON(s->n == s->capacity);
		s->log[s->n++] = (struct arrival){cycle, *p};
		link_pop(s->in);
		s->took = cycle + 1;
	}
	return STEP_SLEEP;
}

static bool sink_busy(const struct component *c)
{
	(void)c;
	return false;
}

struct sink *sink_new(
	struct rig *rig, struct partition *part, unsigned index, unsigned capacity, unsigned period)
{
	static const struct component_ops ops = {.step = sink_step, .busy = sink_busy};
	struct sink *s = arena_alloc(&rig->arena, 1, sizeof(*s));
	char name[32];

	snprintf(name, sizeof(name), "sink.%u", index);
	component_init(&s->base, part, &ops, NULL, name, 0);
	s->log = arena_alloc(&rig->arena, capacity, sizeof(*s->log));
	s->capacity = capacity;
	s->period = period;
	port_declare(&s->base, PORT_IN, "in", 0, &packet_type, &s->in, false);
	return s;
}

unsigned sink_count(const struct sink *s)
{
	return s->n;
}

const struct arrival *sink_arrival(const struct sink *s, unsigned i)
{
	assert_true(i < s->n);
	return &s->log[i];
}

unsigned sink_count_between(const struct sink *s, uint64_t from, uint64_t to)
{
	unsigned n = 0;

	for (unsigned i = 0; i < s->n; i++)
		n += s->log[i].cycle >= from && s->log[i].cycle < to;
	return n;
}

uint64_t sink_digest(const struct sink *s, uint64_t sum)
{
	for (unsigned i = 0; i < s->n; i++) {
		const struct packet *p = &s->log[i].packet;
		const uint64_t words[] = {s->log[i].cycle, p->line, p->tag, p->sm, p->kind,
			p->granules, p->origin.instr};

		for (unsigned w = 0; w < ARRAY_LEN(words); w++)
			sum = (sum ^ words[w]) * 0x9e3779b97f4a7c15u + (sum >> 29);
	}
	return sum;
}

uint64_t rig_add_stats(const struct component *c, uint64_t sum)
{
	for (size_t i = 0; i < c->plugin->nstats; i++) {
		const char *at = (const char *)c + c->plugin->stats[i].offset;

		sum = sum * 31 + *(const uint64_t *)(const void *)at;
	}
	return sum;
}

void rig_assert_order_unseen(rig_run_fn *run, const void *ctx, unsigned orders)
{
	uint64_t plain = run(ctx, (struct sim_config){0});

	for (uint64_t order = 1; order <= orders; order++) {
		struct sim_config config = {.shuffle = true, .seed = order};

		assert_int_equal(plain, run(ctx, config));
		config.early_wakes = true;
		assert_int_equal(plain, run(ctx, config));
		config.hostile = true;
		assert_int_equal(plain, run(ctx, config));
	}
}
