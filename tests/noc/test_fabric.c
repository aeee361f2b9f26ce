/* Routers with virtual channels, alone and in a mesh: exact latencies, flits, fairness, buffers of
 * depth one, order; and allocators. */
#include "noc/allocator.h"
#include "noc/network.h"
#include "noc/replay.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/rng.h"
#include "tests/rig/policies.h"
#include "tests/rig/rig.h"

#define MAX_PORTS 40

static const char *const allocators[] = {"round_robin", "islip", "input_first", "output_first"};

struct shape {
	const char *kind;
	unsigned inputs, outputs;
	unsigned packets;     /* per source, at most */
	unsigned depth;       /* of the links */
	unsigned period;      /* of the sinks; 0: 1 */
	const char *settings; /* "noc.vcs=1 noc.vc_flits=1" */
	unsigned parts; /* partitions for the sources and sinks; 0: all in one, links of a cycle */
};

struct bench {
	struct rig *rig;
	struct component *network;
	const struct network_ops *ops;
	struct source *sources[MAX_PORTS];
	struct sink *sinks[MAX_PORTS];
	struct shape shape;
};

static void set_all(struct rig *rig, const char *settings)
{
	char text[256], *at = text, *word;

	snprintf(text, sizeof(text), "%s", settings ? settings : "");
	while ((word = strsep(&at, " ")))
		if (*word)
			config_set_text(rig->config, word, "test", &rig->err);
}

static struct bench bench_new(struct shape shape, struct sim_config config)
{
	struct bench b = {.rig = rig_new(config), .shape = shape};
	struct network_config network = {.name = "noc",
		.inputs = shape.inputs,
		.outputs = shape.outputs,
		.route = ROUTE_TO_SLICE};
	struct link_config link = {.latency_cycles = shape.parts ? 20 : 1, .depth = shape.depth};
	struct partition *all = sim_partition(b.rig->sim, "all", 1), *part[MAX_PORTS] = {all};
	const struct plugin *plugin;

	for (unsigned i = 0; i < shape.parts; i++)
		part[i] = sim_partition(b.rig->sim, "part", 1);
	set_all(b.rig, shape.settings);
	plugin = plugin_find("network", shape.kind, "test", &b.rig->err);
	b.ops = plugin->ops;
	b.network = b.ops->create(plugin, all, &network, b.rig->config, &b.rig->arena, &b.rig->err);
	for (unsigned i = 0; i < shape.inputs; i++) {
		b.sources[i] = source_new(
			b.rig, part[shape.parts ? i % shape.parts : 0], i, shape.packets, false);
		link_bind(b.rig->sim, (struct component *)b.sources[i], "out", 0, b.network, "in",
			i, link);
	}
	for (unsigned j = 0; j < shape.outputs; j++) {
		b.sinks[j] = sink_new(b.rig, part[shape.parts ? j % shape.parts : 0], j,
			shape.packets * shape.inputs, shape.period ? shape.period : 1);
		link_bind(b.rig->sim, b.network, "out", j, (struct component *)b.sinks[j], "in", 0,
			link);
	}
	return b;
}

/* Ends a run: every packet that went in came out. */
static void bench_end(struct bench *b)
{
	struct audit a = {.at_rest = true};

	b->ops->audit(b->network, &a);
	assert_string_equal(text_str(&a.out), "");
	rig_free(b->rig);
}

static uint64_t stat(const struct bench *b, const char *name)
{
	const struct plugin *p = b->network->plugin;

	for (size_t i = 0; i < p->nstats; i++)
		if (!strcmp(p->stats[i].name, name))
			return *(const uint64_t *)(const void *)((const char *)b->network +
								 p->stats[i].offset);
	fail_msg("%s", name);
	return 0;
}

/* ---- latencies */
struct pipe {
	unsigned wire, route, passes, cross;
	unsigned hop; /* of a head, from its buffer to the next wire */
};

static const struct pipe pipes[] = {{1, 0, 1, 1, 2}, {2, 0, 1, 1, 2}, {3, 2, 1, 1, 4},
	{1, 0, 1, 3, 4}, {2, 0, 2, 1, 1}, {1, 1, 2, 2, 3}, {1, 0, 3, 1, 0}, {2, 3, 4, 2, 4}};

static void describe(const struct pipe *p, char *text, size_t n)
{
	snprintf(text, n,
		"noc.wire_cycles=%u noc.route_cycles=%u noc.passes=%u noc.cross_cycles=%u", p->wire,
		p->route, p->passes, p->cross);
}

static void a_lone_packet_takes_wires_and_router_and_its_flits_exactly(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(pipes); i++) {
		const struct pipe *p = &pipes[i];
		unsigned alone = p->wire + p->hop + p->wire;
		char settings[200];
		struct shape shape = {"router", 4, 3, 2, 4, 0, settings, 0};
		struct bench b;

		describe(p, settings, sizeof(settings));
		b = bench_new(shape, (struct sim_config){0});
		source_add(b.sources[1], 10, packet_read(0, 1, 7));
		source_add(b.sources[1], 100, packet_write(2, 1, 8));
		assert_int_equal(rig_run(b.rig, 1000), RUN_STARVED);
		assert_int_equal(b.ops->latency_cycles(b.network, LINE_BYTES), alone);
		assert_int_equal(sink_arrival(b.sinks[0], 0)->cycle, 10 + 1 + alone + 1);
		assert_int_equal(sink_arrival(b.sinks[2], 0)->cycle, 100 + 1 + alone + 4 + 1);
		assert_int_equal(stat(&b, "flits"), 6);
		assert_int_equal(stat(&b, "wait_cycles"), 0);
		assert_int_equal(stat(&b, "transit_cycles"), 2 * alone + 4);
		bench_end(&b);
	}
}

/* Two rows of two: the slice is on node 2, below SM 0; SM 1 is routed through SM 0's router, first
 * along x. */
static void a_packet_in_a_mesh_passes_a_router_for_each_hop(void **state)
{
	static const unsigned routers[] = {2, 3, 2};
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(pipes); i++) {
		const struct pipe *p = &pipes[i];
		char settings[200];
		struct shape shape = {"mesh", 3, 1, 1, 4, 0, settings, 0};
		struct bench b;

		describe(p, settings, sizeof(settings));
		b = bench_new(shape, (struct sim_config){0});
		for (unsigned k = 0; k < 3; k++)
			source_add(b.sources[k], 1000 * k, packet_read(0, k, 0));
		assert_int_equal(rig_run(b.rig, 5000), RUN_STARVED);
		for (unsigned k = 0; k < 3; k++)
			assert_int_equal(sink_arrival(b.sinks[0], k)->cycle,
				1000 * k + 2 + p->wire + routers[k] * (p->hop + p->wire));
		assert_int_equal(stat(&b, "flit_hops"), 7);
		bench_end(&b);
	}
}

static void wider_flits_are_fewer(void **state)
{
	static const struct {
		const char *settings;
		unsigned flits;
	} cases[] = {{"noc.flit_bytes=8", 17}, {"noc.flit_bytes=32", 5}, {"noc.flit_bytes=48", 4},
		{"noc.flit_bytes=128", 2}};
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct shape shape = {"router", 2, 2, 1, 4, 0, cases[i].settings, 0};
		struct bench b = bench_new(shape, (struct sim_config){0});

		source_add(b.sources[0], 0, packet_write(1, 0, 0));
		assert_int_equal(rig_run(b.rig, 1000), RUN_STARVED);
		assert_int_equal(stat(&b, "flits"), cases[i].flits);
		assert_int_equal(
			sink_arrival(b.sinks[1], 0)->cycle, 1 + 4 + cases[i].flits - 1 + 1);
		bench_end(&b);
	}
}

/* ---- contention, by hand */
/* With one VC to an output a packet has it from its grant to its last flit: two cycles for one of
 * one flit. Four packets arrive in 2, request it, and leave in 2 + 2 k + 2; each that waits loses
 * once a round. */
static void packets_alternate_on_a_virtual_channel(void **state)
{
	struct shape shape = {"router", 4, 2, 2, 4, 0, "noc.vcs=1", 0};
	struct bench b = bench_new(shape, (struct sim_config){0});

	(void)state;
	for (unsigned i = 0; i < 4; i++)
		source_add(b.sources[i], 0, packet_read(0, i, 0));
	assert_int_equal(rig_run(b.rig, 1000), RUN_STARVED);
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(sink_arrival(b.sinks[0], i)->packet.sm, i);
		assert_int_equal(sink_arrival(b.sinks[0], i)->cycle, 1 + 4 + 2 * i + 1);
	}
	assert_int_equal(stat(&b, "vc_losses"), 3 + 2 + 1);
	assert_int_equal(stat(&b, "vc_wait_cycles"), 2 + 4 + 6);
	assert_int_equal(stat(&b, "wait_cycles"), 2 + 4 + 6);
	assert_int_equal(stat(&b, "switch_losses"), 0);
	bench_end(&b);
}

/* With four VCs to an output, two packets get one at once, then one flit a cycle crosses. */
static void flits_alternate_on_the_switch(void **state)
{
	struct shape shape = {"router", 2, 1, 2, 4, 0, "noc.vcs=4 noc.vc_allocator=round_robin", 0};
	struct bench b = bench_new(shape, (struct sim_config){0});

	(void)state;
	for (unsigned i = 0; i < 2; i++)
		source_add(b.sources[i], 0, packet_write(0, i, 0));
	assert_int_equal(rig_run(b.rig, 1000), RUN_STARVED);
	/* Ten consecutive flits, and the packets' flits alternate. */
	assert_int_equal(sink_arrival(b.sinks[0], 0)->cycle, 1 + 4 + 8 + 1);
	assert_int_equal(sink_arrival(b.sinks[0], 1)->cycle, 1 + 4 + 9 + 1);
	assert_int_equal(stat(&b, "vc_losses"), 0);
	assert_int_equal(stat(&b, "switch_losses"), 9);
	bench_end(&b);
}

/* One buffer entry: the next flit is sent when the credit is back, a wire's latency after the
 * previous one was sent on. */
static void a_buffer_of_one_flit_is_filled_again_when_its_credit_is_back(void **state)
{
	(void)state;
	for (unsigned wire = 1; wire < 5; wire++) {
		char settings[100];
		struct shape shape = {"router", 1, 1, 1, 4, 0, settings, 0};
		struct bench b;

		snprintf(settings, sizeof(settings), "noc.vcs=1 noc.vc_flits=1 noc.wire_cycles=%u",
			wire);
		b = bench_new(shape, (struct sim_config){0});
		source_add(b.sources[0], 0, packet_write(0, 0, 0));
		assert_int_equal(rig_run(b.rig, 1000), RUN_STARVED);
		/* Granted in c, a flit is at the exit in c + 1 + wire, its credit back in
		 * c + 1 + 2 wire, when the next one is granted, which came meanwhile. */
		assert_int_equal(sink_arrival(b.sinks[0], 0)->cycle,
			1 + (wire + 2 + wire) + 4 * (1 + 2 * wire) + 1);
		assert_true(stat(&b, "credit_wait_cycles") > 0);
		assert_int_equal(stat(&b, "buffered_flits"), 1);
		bench_end(&b);
	}
}

/* ---- no deadlock, whatever the depth */
struct tiny {
	const char *kind, *allocator;
	unsigned vcs, vc_flits, speedup, passes, depth, parts;
};

/* Random traffic of all lengths; every packet must arrive once. The digest of all. */
static uint64_t random_traffic(const void *ctx, struct sim_config config)
{
	enum { INPUTS = 9, OUTPUTS = 5, PACKETS = 60 };
	const struct tiny *t = ctx;
	char settings[250];
	struct shape shape = {
		t->kind, INPUTS, OUTPUTS, PACKETS, t->depth, 1 + t->depth % 2, settings, t->parts};
	bool came[INPUTS][PACKETS] = {{false}};
	struct rng rng = rng_new(99, t->depth);
	unsigned n = 0;
	uint64_t sum = 0;
	struct bench b;

	snprintf(settings, sizeof(settings),
		"noc.vcs=%u noc.vc_flits=%u noc.input_speedup=%u noc.passes=%u "
		"noc.vc_allocator=%s noc.switch_allocator=%s",
		t->vcs, t->vc_flits, t->speedup, t->passes, t->allocator, t->allocator);
	b = bench_new(shape, config);
	for (unsigned i = 0; i < INPUTS; i++) {
		uint64_t cycle = 0;

		for (unsigned k = 0; k < PACKETS; k++) {
			unsigned to = rng_below(&rng, OUTPUTS);

			cycle += rng_below(&rng, 4);
			source_add(b.sources[i], cycle,
				rng_below(&rng, 2) ? packet_write(to, i, k)
						   : packet_read(to, i, k));
		}
	}
	assert_int_equal(rig_run(b.rig, 1000000), RUN_STARVED);
	for (unsigned j = 0; j < OUTPUTS; j++) {
		for (unsigned k = 0; k < sink_count(b.sinks[j]); k++, n++) {
			const struct packet *p = &sink_arrival(b.sinks[j], k)->packet;

			assert_int_equal(p->slice, j);
			assert_false(came[p->sm][p->tag]);
			came[p->sm][p->tag] = true;
		}
		sum = sink_digest(b.sinks[j], sum);
	}
	assert_int_equal(n, INPUTS * PACKETS);
	sum = rig_add_stats(b.network, sum);
	bench_end(&b);
	return sum;
}

static const char *const kinds[] = {"router", "mesh"};

static void order_and_extra_steps_have_no_effect_at_any_depth(void **state)
{
	(void)state;
	for (size_t k = 0; k < ARRAY_LEN(kinds); k++)
		for (size_t a = 0; a < ARRAY_LEN(allocators); a++)
			for (unsigned d = 1; d < 4; d++)
				rig_assert_order_unseen(random_traffic,
					&(struct tiny){kinds[k], allocators[a], d, d, 1 + d / 3, d,
						1 + d % 3, 0},
					1);
}

static void nothing_stops_at_a_depth_of_one_flit_and_two_threads_cannot_be_seen(void **state)
{
	(void)state;
	for (size_t k = 0; k < ARRAY_LEN(kinds); k++) {
		for (size_t a = 0; a < ARRAY_LEN(allocators); a++) {
			for (unsigned vcs = 1; vcs <= 4; vcs *= 2) {
				struct tiny t = {kinds[k], allocators[a], vcs, 1, 1, 1, 1, 3};

				assert_int_equal(random_traffic(&t, (struct sim_config){0}),
					random_traffic(&t, (struct sim_config){.threads = 2}));
			}
		}
	}
}

/* Packets of one input on one VC stay in order, also through a mesh. */
static void one_virtual_channel_keeps_the_order_of_a_pair(void **state)
{
	(void)state;
	for (size_t k = 0; k < ARRAY_LEN(kinds); k++) {
		struct shape shape = {kinds[k], 4, 2, 40, 4, 0, "noc.vcs=1 noc.vc_flits=2", 0};
		struct bench b = bench_new(shape, (struct sim_config){0});

		for (unsigned i = 0; i < 4; i++)
			for (unsigned n = 0; n < 40; n++)
				source_add(b.sources[i], 0,
					n % 3 ? packet_write(n % 2, i, n)
					      : packet_read(n % 2, i, n));
		assert_int_equal(rig_run(b.rig, 10000), RUN_STARVED);
		for (unsigned j = 0; j < 2; j++) {
			unsigned next[4] = {j, j, j, j};

			for (unsigned n = 0; n < sink_count(b.sinks[j]); n++) {
				const struct packet *p = &sink_arrival(b.sinks[j], n)->packet;

				assert_int_equal(p->tag, next[p->sm]);
				next[p->sm] += 2;
			}
		}
		bench_end(&b);
	}
}

/* A receiver that takes nothing: the report says which packets wait for what. */
static void a_fabric_reports_why_it_is_stuck(void **state)
{
	struct shape shape = {"router", 2, 2, 9, 1, 1000000, "noc.vcs=1 noc.vc_flits=1", 0};
	struct bench b = bench_new(shape, (struct sim_config){0});
	struct text report = {0};

	(void)state;
	for (unsigned k = 1; k < 9; k++)
		source_add(b.sources[k % 2], k, packet_read(1, k % 2, k));
	assert_int_equal(rig_run(b.rig, 10000), RUN_LIMIT);
	sim_report_stuck(b.rig->sim, &report);
	assert_non_null(strstr(text_str(&report),
		"  router 0: packets that request a virtual channel: 1, with flits to send: 1\n"
		"  output 1: no credit\n"));
	text_clear(&report);
	rig_free(b.rig);
}

/* ---- fairness */
/* All inputs of a router request one output: during the run each gets its share. */
static void a_router_serves_all_inputs_of_an_output_alike(void **state)
{
	(void)state;
	for (size_t a = 0; a < ARRAY_LEN(allocators); a++) {
		char settings[100];
		struct shape shape = {"router", 12, 2, 100, 4, 0, settings, 0};
		unsigned got[12] = {0};
		struct bench b;

		snprintf(settings, sizeof(settings), "noc.vc_allocator=%s noc.switch_allocator=%s",
			allocators[a], allocators[a]);
		b = bench_new(shape, (struct sim_config){0});
		for (unsigned i = 0; i < 12; i++)
			for (unsigned k = 0; k < 100; k++)
				source_add(b.sources[i], 0, packet_read(0, i, k));
		assert_int_equal(rig_run(b.rig, 10000), RUN_STARVED);
		for (unsigned k = 100; k < 100 + 12 * 50; k++)
			got[sink_arrival(b.sinks[0], k)->packet.sm]++;
		for (unsigned i = 0; i < 12; i++)
			if (got[i] < 43 || got[i] > 57)
				fail_msg("%s: %u of input %u", allocators[a], got[i], i);
		bench_end(&b);
	}
}

static struct noc_result load(const char *network, const char *allocator, double offered)
{
	struct noc_traffic t = {.network = network,
		.kind = TRAFFIC_UNIFORM,
		.inputs = 32,
		.outputs = 6,
		.seed = 1,
		.p = {.warmup_cycles = 3000, .measured_cycles = 12000, .drain_cycles = 5000}};
	struct config *config = config_new();
	struct noc_result r;
	struct err err = {0};

	assert_non_null(config);
	config_set(config, "noc.vc_allocator", allocator, "test", &err);
	config_set(config, "noc.switch_allocator", allocator, "test", &err);
	if (noc_replay(&t, offered, config, &r, &err))
		fail_msg("%s", err_text(&err));
	config_free(config);
	return r;
}

static void every_source_gets_its_share_at_saturation(void **state)
{
	(void)state;
	for (size_t a = 0; a < ARRAY_LEN(allocators); a++) {
		struct noc_result r = load("router", allocators[a], 5);

		assert_false(r.stable);
		if (r.least_source < 0.9 || r.most_source > 1.1)
			fail_msg("router, %s: %g .. %g", allocators[a], r.least_source,
				r.most_source);
	}
}

/* Each router of a mesh divides bandwidth equally among its inputs: at saturation sources near a
 * slice get more. Below saturation all get what they request; above it none starves. */
static void a_mesh_serves_all_sources_until_it_is_full_and_starves_none(void **state)
{
	(void)state;
	for (size_t a = 0; a < ARRAY_LEN(allocators); a++) {
		struct noc_result r = load("mesh", allocators[a], 0.8);

		assert_true(r.stable);
		if (r.least_source < 0.9 || r.most_source > 1.1)
			fail_msg("%s: %g .. %g", allocators[a], r.least_source, r.most_source);
		r = load("mesh", allocators[a], 5);
		assert_false(r.stable);
		if (r.least_source < 0.04)
			fail_msg("%s: %g", allocators[a], r.least_source);
	}
}

/* ---- allocators */
static void request_at_random(struct allocation *a, struct rng *rng)
{
	unsigned n = 1 + rng_below(rng, 2 * a->inputs);

	for (unsigned k = 0; k < n; k++)
		allocation_request(a, rng_below(rng, a->inputs), rng_below(rng, a->outputs));
}

static bool asks(const struct allocation *a, unsigned i, unsigned j)
{
	return a->by_output[j * a->in_words + i / 64] >> i % 64 & 1;
}

/* Returns the number of matches. */
static unsigned check_match(const struct allocation *a, const char *name, bool maximal)
{
	unsigned n = 0;

	for (unsigned i = 0; i < a->inputs; i++) {
		int32_t j = a->of_input[i];

		if (j >= 0) {
			assert_true(asks(a, i, (unsigned)j));
			assert_int_equal(a->of_output[j], i);
			n++;
		}
		for (unsigned k = 0; k < a->outputs && maximal; k++)
			if (j < 0 && a->of_output[k] < 0 && asks(a, i, k))
				fail_msg("%s leaves input %u and output %u apart", name, i, k);
	}
	for (unsigned j = 0; j < a->outputs; j++)
		assert_true(a->of_output[j] < 0 || a->of_input[a->of_output[j]] == (int32_t)j);
	assert_true(n);
	return n;
}

/* Round robin finds a maximal matching; so does iSLIP with as many rounds as there are inputs. */
static void every_allocator_matches_only_requests(void **state)
{
	struct rng rng = rng_new(1, 1);
	unsigned found = 0;

	(void)state;
	for (size_t i = 0; plugins[i]; i++) {
		const struct allocator_ops *ops = plugins[i]->ops;
		const char *name = plugins[i]->name;
		bool all = !strcmp(name, "round_robin") || !strcmp(name, "islip");

		if (strcmp(plugins[i]->kind, "allocator"))
			continue;
		found++;
		for (unsigned size = 0; size < 5; size++) {
			static const unsigned sizes[5][2] = {
				{1, 1}, {5, 5}, {64, 6}, {6, 64}, {130, 70}};
			struct rig *rig = rig_new((struct sim_config){0});
			struct allocation a = {.iterations = sizes[size][0]};
			struct allocator_state s = {0};

			allocation_init(&a, sizes[size][0], sizes[size][1], &rig->arena);
			allocator_state_init(&s, &a, &rig->arena);
			a.at = &s;
			a.self = test_policy("allocator", name, &rig->arena)->self;
			if (ops->init)
				ops->init(a.self, 1, a.inputs, a.outputs, &rig->arena);
			for (unsigned k = 0; k < 400; k++) {
				request_at_random(&a, &rng);
				ops->match(&a);
				check_match(&a, name, all);
				allocation_clear(&a);
			}
			rig_free(rig);
		}
	}
	assert_true(found >= ARRAY_LEN(allocators));
}

/* When all inputs always request all outputs the round robins desynchronise (McKeown 1999, section
 * II): then all are matched in every round. */
static void round_robins_desynchronise_until_all_are_matched(void **state)
{
	(void)state;
	for (size_t k = 0; k < ARRAY_LEN(allocators); k++) {
		struct rig *rig = rig_new((struct sim_config){0});
		struct err err = {0};
		const struct allocator_ops *ops =
			plugin_find("allocator", allocators[k], "test", &err)->ops;
		struct allocation a = {.iterations = 1};
		struct allocator_state s = {0};

		allocation_init(&a, 12, 12, &rig->arena);
		allocator_state_init(&s, &a, &rig->arena);
		a.at = &s;
		for (unsigned round = 0; round < 60; round++) {
			for (unsigned i = 0; i < 144; i++)
				allocation_request(&a, i / 12, i % 12);
			ops->match(&a);
			if (round >= 12)
				assert_int_equal(check_match(&a, allocators[k], true), 12);
			allocation_clear(&a);
		}
		rig_free(rig);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_lone_packet_takes_wires_and_router_and_its_flits_exactly),
		cmocka_unit_test(a_packet_in_a_mesh_passes_a_router_for_each_hop),
		cmocka_unit_test(wider_flits_are_fewer),
		cmocka_unit_test(packets_alternate_on_a_virtual_channel),
		cmocka_unit_test(flits_alternate_on_the_switch),
		cmocka_unit_test(a_buffer_of_one_flit_is_filled_again_when_its_credit_is_back),
		cmocka_unit_test(order_and_extra_steps_have_no_effect_at_any_depth),
		cmocka_unit_test(
			nothing_stops_at_a_depth_of_one_flit_and_two_threads_cannot_be_seen),
		cmocka_unit_test(one_virtual_channel_keeps_the_order_of_a_pair),
		cmocka_unit_test(a_fabric_reports_why_it_is_stuck),
		cmocka_unit_test(a_router_serves_all_inputs_of_an_output_alike),
		cmocka_unit_test(every_source_gets_its_share_at_saturation),
		cmocka_unit_test(a_mesh_serves_all_sources_until_it_is_full_and_starves_none),
		cmocka_unit_test(every_allocator_matches_only_requests),
		cmocka_unit_test(round_robins_desynchronise_until_all_are_matched),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
