/* Networks and arbiters: exact latencies, occupancy, fairness, saturation, order, test modes. */
#include "noc/network.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/rng.h"
#include "tests/rig/policies.h"
#include "tests/rig/rig.h"

#define MAX_PORTS 100

struct shape {
	const char *kind, *arbiter;
	unsigned inputs, outputs;
	unsigned packets; /* per source, at most */
	unsigned depth, latency, pipeline;
	unsigned period; /* of the sinks */
	bool occupies;   /* sources: their link by flits */
	unsigned queue;  /* of a voq's input; 0: the default */
};

struct bench {
	struct rig *rig;
	struct component *network;
	const struct network_ops *ops;
	struct source *sources[MAX_PORTS];
	struct sink *sinks[MAX_PORTS];
	struct shape shape;
};

static struct bench bench_new(struct shape shape, struct sim_config config)
{
	struct bench b = {.rig = rig_new(config), .shape = shape};
	struct network_config network = {.name = "noc",
		.inputs = shape.inputs,
		.outputs = shape.outputs,
		.route = ROUTE_TO_SLICE};
	struct link_config link = {.latency_cycles = shape.latency, .depth = shape.depth};
	struct partition *part = sim_partition(b.rig->sim, "all", 1);
	const struct plugin *plugin;
	char number[16];

	snprintf(number, sizeof(number), "%u", shape.pipeline);
	rig_set(b.rig, "noc.pipeline_cycles", number);
	rig_set(b.rig, "noc.arbiter", shape.arbiter ? shape.arbiter : "round_robin");
	snprintf(number, sizeof(number), "%u", shape.queue);
	if (shape.queue)
		rig_set(b.rig, "noc.queue", number);
	plugin = plugin_find("network", shape.kind, "test", &b.rig->err);
	b.ops = plugin->ops;
	b.network =
		b.ops->create(plugin, part, &network, b.rig->config, &b.rig->arena, &b.rig->err);
	for (unsigned i = 0; i < shape.inputs; i++) {
		b.sources[i] = source_new(b.rig, part, i, shape.packets, shape.occupies);
		link_bind(b.rig->sim, (struct component *)b.sources[i], "out", 0, b.network, "in",
			i, link);
	}
	for (unsigned j = 0; j < shape.outputs; j++) {
		b.sinks[j] = sink_new(b.rig, part, j, shape.packets * shape.inputs,
			shape.period ? shape.period : 1);
		link_bind(b.rig->sim, b.network, "out", j, (struct component *)b.sinks[j], "in", 0,
			link);
	}
	return b;
}

static const char *const kinds[] = {"crossbar", "ideal", "voq"};

static void a_lone_packet_takes_link_and_pipeline_and_link_exactly(void **state)
{
	(void)state;
	for (unsigned k = 0; k < ARRAY_LEN(kinds); k++) {
		for (unsigned pipeline = 0; pipeline < 5; pipeline++) {
			struct shape shape = {.kind = kinds[k],
				.inputs = 4,
				.outputs = 3,
				.packets = 2,
				.depth = 4,
				.latency = 3,
				.pipeline = pipeline};
			struct bench b = bench_new(shape, (struct sim_config){0});

			source_add(b.sources[1], 10, packet_write(2, 1, 7));
			source_add(b.sources[1], 100, packet_read(0, 1, 8));
			assert_int_equal(rig_run(b.rig, 1000), RUN_STARVED);
			assert_int_equal(b.ops->latency_cycles(b.network, LINE_BYTES), pipeline);
			assert_int_equal(sink_count(b.sinks[2]), 1);
			assert_int_equal(sink_arrival(b.sinks[2], 0)->cycle, 10 + 3 + pipeline + 3);
			assert_int_equal(
				sink_arrival(b.sinks[0], 0)->cycle, 100 + 3 + pipeline + 3);
			assert_int_equal(sink_arrival(b.sinks[0], 0)->packet.tag, 8);
			rig_free(b.rig);
		}
	}
}

static struct shape small(const char *kind)
{
	return (struct shape){
		.kind = kind, .inputs = 4, .outputs = 4, .packets = 8, .depth = 8, .latency = 1};
}

static void packets_to_one_output_follow_each_other_by_their_flits(void **state)
{
	struct bench b = bench_new(small("crossbar"), (struct sim_config){0});

	(void)state;
	for (unsigned i = 0; i < 4; i++)
		source_add(b.sources[i], 0, packet_write(2, i, i));
	assert_int_equal(rig_run(b.rig, 1000), RUN_STARVED);
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(sink_arrival(b.sinks[2], i)->cycle, 2 + 5 * i);
		assert_int_equal(sink_arrival(b.sinks[2], i)->packet.sm, i);
	}
	rig_free(b.rig);
}

static void packets_from_one_input_follow_each_other_by_their_flits(void **state)
{
	struct bench b = bench_new(small("crossbar"), (struct sim_config){0});

	(void)state;
	for (unsigned j = 0; j < 4; j++)
		source_add(b.sources[1], 0, packet_write(j, 1, j));
	assert_int_equal(rig_run(b.rig, 1000), RUN_STARVED);
	for (unsigned j = 0; j < 4; j++)
		assert_int_equal(sink_arrival(b.sinks[j], 0)->cycle, 2 + 5 * j);
	rig_free(b.rig);
}

/* The head of input 0 waits for output 1; the packet behind it, though its output is free, waits
 * too. */
static void a_blocked_head_blocks_the_packets_behind_it(void **state)
{
	struct bench b = bench_new(small("crossbar"), (struct sim_config){0});

	(void)state;
	source_add(b.sources[1], 0, packet_write(1, 1, 0));
	source_add(b.sources[0], 1, packet_read(1, 0, 0));
	source_add(b.sources[0], 1, packet_read(3, 0, 1));
	assert_int_equal(rig_run(b.rig, 1000), RUN_STARVED);
	assert_int_equal(sink_arrival(b.sinks[1], 1)->cycle, 2 + 5);
	assert_int_equal(sink_arrival(b.sinks[3], 0)->cycle, 2 + 5 + 1);
	rig_free(b.rig);
}

/* The same with virtual output queues: it leaves when its input is free, before the one ahead. */
static void a_packet_overtakes_those_for_other_outputs(void **state)
{
	struct bench b = bench_new(small("voq"), (struct sim_config){0});

	(void)state;
	source_add(b.sources[1], 0, packet_write(1, 1, 0));
	source_add(b.sources[0], 1, packet_read(1, 0, 0));
	source_add(b.sources[0], 1, packet_read(3, 0, 1));
	source_add(b.sources[0], 1, packet_read(1, 0, 2));
	assert_int_equal(rig_run(b.rig, 1000), RUN_STARVED);
	assert_int_equal(sink_arrival(b.sinks[3], 0)->cycle, 3);
	/* the two for one output keep their order */
	assert_int_equal(sink_arrival(b.sinks[1], 1)->cycle, 2 + 5);
	assert_int_equal(sink_arrival(b.sinks[1], 1)->packet.tag, 0);
	assert_int_equal(sink_arrival(b.sinks[1], 2)->packet.tag, 2);
	rig_free(b.rig);
}

/* The cycle in which the packet behind `ahead` ones for an occupied output arrives at its own. The
 * output is free again in 6, and each of those ahead occupies the input for a cycle. */
static uint64_t overtakes(unsigned queue, unsigned ahead)
{
	struct shape shape = small("voq");
	struct bench b;
	uint64_t cycle;

	shape.queue = queue;
	b = bench_new(shape, (struct sim_config){0});
	source_add(b.sources[1], 0, packet_write(1, 1, 0));
	for (unsigned k = 0; k < ahead; k++)
		source_add(b.sources[0], 1, packet_read(1, 0, k));
	source_add(b.sources[0], 1, packet_read(3, 0, ahead));
	assert_int_equal(rig_run(b.rig, 1000), RUN_STARVED);
	cycle = sink_arrival(b.sinks[3], 0)->cycle;
	rig_free(b.rig);
	return cycle;
}

/* It overtakes them when its input has an entry for it, else when one of them has left. */
static void an_input_queues_as_many_packets_as_it_has_entries(void **state)
{
	(void)state;
	for (unsigned queue = 1; queue < 5; queue++) {
		assert_int_equal(overtakes(queue, queue - 1), 3);
		assert_int_equal(overtakes(queue, queue), 2 + 5 + 1);
	}
}

static void an_ideal_network_moves_everything_at_once(void **state)
{
	struct bench b = bench_new(small("ideal"), (struct sim_config){0});

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		source_add(b.sources[i], 0, packet_write(2, i, 0));
		source_add(b.sources[i], 0, packet_write(2, i, 1));
	}
	assert_int_equal(rig_run(b.rig, 1000), RUN_STARVED);
	assert_int_equal(sink_count(b.sinks[2]), 8);
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(sink_arrival(b.sinks[2], i)->cycle, 2);
	rig_free(b.rig);
}

/* Deliveries per cycle of single-flit packets to random outputs, every input always full. */
static double saturation(const char *kind, unsigned inputs, unsigned outputs)
{
	const unsigned warm = 500, end = 4500;
	struct shape shape = {.kind = kind,
		.inputs = inputs,
		.outputs = outputs,
		.packets = end,
		.depth = 4,
		.latency = 1};
	struct bench b = bench_new(shape, (struct sim_config){0});
	unsigned n = 0;

	for (unsigned i = 0; i < inputs; i++) {
		struct rng rng = rng_new(12345, i);

		for (unsigned k = 0; k < end; k++)
			source_add(b.sources[i], 0, packet_read(rng_below(&rng, outputs), i, k));
	}
	assert_int_equal(rig_run(b.rig, end), RUN_LIMIT);
	for (unsigned j = 0; j < outputs; j++)
		n += sink_count_between(b.sinks[j], warm, end);
	rig_free(b.rig);
	return (double)n / (end - warm);
}

static void assert_near(double value, double expected, double relative)
{
	if (value < expected * (1 - relative) || value > expected * (1 + relative))
		fail_msg("%g is not within %g of %g", value, relative, expected);
}

/* Against an independent slotted single-FIFO model. */
static void saturation_is_that_of_single_fifo_inputs(void **state)
{
	(void)state;
	assert_near(saturation("crossbar", 32, 6) / 6, 0.925, 0.02);
	assert_near(saturation("crossbar", 6, 32) / 6, 0.921, 0.02);
	assert_near(saturation("crossbar", 32, 32) / 32, 0.593, 0.02);
	/* many ports: 3 / 4 = x + x^2 / (2 - 2 x) of the outputs, x = 1/2, hence 2/3 of the inputs
	 */
	assert_near(saturation("crossbar", 24, 32) / 24, 2 / 3.0, 0.02);
}

/* With many inputs the busiest queue of each output always has one that is free. */
static void virtual_output_queues_saturate_close_to_all_ports(void **state)
{
	(void)state;
	assert_true(saturation("voq", 32, 6) / 6 >= 0.99);
	assert_true(saturation("voq", 6, 32) / 6 >= 0.99);
	assert_true(saturation("voq", 32, 32) / 32 >= 0.93);
}

/* All inputs request one output: the counts after any number of grants differ by one at most. */
static void check_fair(const char *kind, unsigned inputs, unsigned period)
{
	struct shape shape = {.kind = kind,
		.inputs = inputs,
		.outputs = 2,
		.packets = 100,
		.depth = 2,
		.latency = 1,
		.period = period};
	struct bench b = bench_new(shape, (struct sim_config){0});
	unsigned got[MAX_PORTS] = {0};

	for (unsigned i = 0; i < inputs; i++) {
		for (unsigned k = 0; k < 100; k++)
			source_add(b.sources[i], 0, packet_read(1, i, k));
	}
	assert_int_equal(rig_run(b.rig, 1000000), RUN_STARVED);
	assert_int_equal(sink_count(b.sinks[1]), inputs * 100);
	for (unsigned k = 0; k < inputs * 100; k++) {
		const struct packet *p = &sink_arrival(b.sinks[1], k)->packet;

		assert_int_equal(p->tag, got[p->sm]++);
		assert_int_equal(got[p->sm], k / inputs + 1);
	}
	rig_free(b.rig);
}

static void round_robin_serves_all_inputs_alike(void **state)
{
	(void)state;
	check_fair("crossbar", 32, 1);
	check_fair("crossbar", 65, 3);
	check_fair("voq", 32, 1);
	check_fair("voq", 65, 3);
	check_fair("ideal", 32, 3);
	check_fair("ideal", 4, 4);
}

static void fixed_priority_serves_the_first_input_first(void **state)
{
	struct shape shape = small("crossbar");
	struct bench b;

	(void)state;
	shape.arbiter = "fixed";
	b = bench_new(shape, (struct sim_config){0});
	for (unsigned i = 0; i < 4; i++) {
		for (unsigned k = 0; k < 8; k++)
			source_add(b.sources[i], 0, packet_read(0, i, k));
	}
	assert_int_equal(rig_run(b.rig, 1000), RUN_STARVED);
	for (unsigned k = 0; k < 32; k++)
		assert_int_equal(sink_arrival(b.sinks[0], k)->packet.sm, k / 8);
	rig_free(b.rig);
}

static void every_arbiter_chooses_a_requesting_input(void **state)
{
	struct rig *rig = rig_new((struct sim_config){0});
	struct rng rng = rng_new(1, 1);

	(void)state;
	for (size_t i = 0; plugins[i]; i++) {
		const struct arbiter_ops *ops = plugins[i]->ops;
		void *self;

		if (strcmp(plugins[i]->kind, "arbiter"))
			continue;
		self = test_policy("arbiter", plugins[i]->name, &rig->arena)->self;
		if (ops->init)
			ops->init(self, 130, 1, &rig->arena);
		for (unsigned k = 0; k < 20000; k++) {
			unsigned n = 1 + rng_below(&rng, 130), requesting = rng_below(&rng, n), won;
			uint64_t requests[3] = {0};
			struct arbiter_view v = {.requests = requests, .n = n};

			requests[requesting / 64] |= (uint64_t)1 << requesting % 64;
			if (k % 2) {
				unsigned other = rng_below(&rng, n);

				requests[other / 64] |= (uint64_t)1 << other % 64;
			}
			v.last = rng_below(&rng, n);
			won = ops->pick(self, &v);
			assert_true(won < n && requests[won / 64] >> won % 64 & 1);
			if (ops->granted)
				ops->granted(self, 0, won, k);
		}
	}
	rig_free(rig);
}

/* Each input's packets to this output arrive in the order of their tags, from 0. */
static void check_order(const struct sink *sink, unsigned output)
{
	unsigned next[MAX_PORTS] = {0};

	for (unsigned k = 0; k < sink_count(sink); k++) {
		const struct packet *p = &sink_arrival(sink, k)->packet;

		assert_int_equal(p->slice, output);
		assert_int_equal(p->tag, next[p->sm]++);
	}
}

/* Random traffic of all lengths; every packet must arrive once, in order per pair. The digest of
 * all. */
/* A network, and the depth of its queues. */
struct queued {
	const char *kind;
	unsigned depth;
};

static uint64_t random_traffic(const void *ctx, struct sim_config config)
{
	enum { INPUTS = 9, OUTPUTS = 5, PACKETS = 60 };
	unsigned depth = ((const struct queued *)ctx)->depth;
	struct shape shape = {.kind = ((const struct queued *)ctx)->kind,
		.inputs = INPUTS,
		.outputs = OUTPUTS,
		.packets = PACKETS,
		.depth = depth,
		.latency = 1,
		.pipeline = depth % 3,
		.period = 1 + depth % 2,
		.occupies = depth % 2};
	struct bench b = bench_new(shape, config);
	struct rng rng = rng_new(99, depth);
	unsigned expected[OUTPUTS] = {0};
	uint64_t sum = 0;

	for (unsigned i = 0; i < INPUTS; i++) {
		uint64_t cycle = 0;
		unsigned numbers[OUTPUTS] = {0};

		for (unsigned k = 0; k < PACKETS; k++) {
			unsigned to = rng_below(&rng, OUTPUTS);
			bool is_long = rng_below(&rng, 2);

			cycle += rng_below(&rng, 4);
			source_add(b.sources[i], cycle,
				is_long ? packet_write(to, i, numbers[to])
					: packet_read(to, i, numbers[to]));
			numbers[to]++;
			expected[to]++;
		}
	}
	assert_int_equal(rig_run(b.rig, 100000), RUN_STARVED);
	for (unsigned j = 0; j < OUTPUTS; j++) {
		assert_int_equal(sink_count(b.sinks[j]), expected[j]);
		check_order(b.sinks[j], j);
		sum = sink_digest(b.sinks[j], sum);
	}
	sum = rig_add_stats(b.network, sum);
	rig_free(b.rig);
	return sum;
}

static void order_and_extra_steps_have_no_effect_at_any_depth(void **state)
{
	(void)state;
	for (unsigned k = 0; k < ARRAY_LEN(kinds); k++)
		for (unsigned depth = 1; depth < 7; depth++)
			rig_assert_order_unseen(
				random_traffic, &(struct queued){kinds[k], depth}, 3);
}

static void replies_are_routed_by_sm(void **state)
{
	struct rig *rig = rig_new((struct sim_config){0});
	struct partition *part = sim_partition(rig->sim, "all", 1);
	struct network_config network = {
		.name = "noc.reply", .inputs = 1, .outputs = 2, .route = ROUTE_TO_SM};
	const struct plugin *plugin = plugin_find("network", "crossbar", "test", &rig->err);
	const struct network_ops *ops = plugin->ops;
	struct component *c =
		ops->create(plugin, part, &network, rig->config, &rig->arena, &rig->err);
	struct source *source = source_new(rig, part, 0, 1, true);
	struct sink *sinks[2] = {sink_new(rig, part, 0, 1, 1), sink_new(rig, part, 1, 1, 1)};
	struct link_config link = {.latency_cycles = 1, .depth = 1};

	(void)state;
	source_add(source, 0, packet_read(0, 1, 5));
	link_bind(rig->sim, (struct component *)source, "out", 0, c, "in", 0, link);
	for (unsigned j = 0; j < 2; j++)
		link_bind(rig->sim, c, "out", j, (struct component *)sinks[j], "in", 0, link);
	assert_int_equal(rig_run(rig, 1000), RUN_STARVED);
	assert_int_equal(sink_count(sinks[0]), 0);
	assert_int_equal(sink_count(sinks[1]), 1);
	rig_free(rig);
}

/* A statistic of the bench's network by name. */
static uint64_t stat(const struct bench *b, const char *name)
{
	const struct plugin *p = b->network->plugin;

	for (size_t i = 0; i < p->nstats; i++) {
		if (!strcmp(p->stats[i].name, name))
			return *(const uint64_t *)(const void *)((const char *)b->network +
								 p->stats[i].offset);
	}
	fail();
	return 0;
}

/* Four packets of five flits for one output: they wait 0, 5, 10, 15 cycles and lose 3, 2, 1, 0
 * times. Of 4, 3, 2, 1 outputs that as many packets could request they request one. */
static void check_waits(const char *kind)
{
	struct bench b = bench_new(small(kind), (struct sim_config){0});

	for (unsigned i = 0; i < 4; i++)
		source_add(b.sources[i], 0, packet_write(2, i, i));
	assert_int_equal(rig_run(b.rig, 1000), RUN_STARVED);
	assert_int_equal(stat(&b, "packets"), 4);
	assert_int_equal(stat(&b, "flits"), 20);
	assert_int_equal(stat(&b, "wait_cycles"), 30);
	assert_int_equal(stat(&b, "arbitration_losses"), 6);
	assert_int_equal(stat(&b, "crowded_cycles"), 3 + 5);
	assert_int_equal(stat(&b, "blocked_cycles"), 0);
	rig_free(b.rig);
}

/* A write occupies the output from 1 to 6. Of those that are ready in 3 and in 4 the latter is next
 * in turn: it waits 2 cycles, the other one, which loses once, 8. */
static void check_late_waits(const char *kind)
{
	struct bench b = bench_new(small(kind), (struct sim_config){0});

	source_add(b.sources[0], 0, packet_write(2, 0, 0));
	source_add(b.sources[3], 2, packet_write(2, 3, 0));
	source_add(b.sources[1], 3, packet_write(2, 1, 0));
	assert_int_equal(rig_run(b.rig, 1000), RUN_STARVED);
	assert_int_equal(sink_arrival(b.sinks[2], 1)->packet.sm, 1);
	assert_int_equal(sink_arrival(b.sinks[2], 1)->cycle, 6 + 1);
	assert_int_equal(sink_arrival(b.sinks[2], 2)->cycle, 11 + 1);
	assert_int_equal(stat(&b, "wait_cycles"), (6 - 4) + (11 - 3));
	assert_int_equal(stat(&b, "arbitration_losses"), 1);
	rig_free(b.rig);
}

static void waits_and_losses_are_counted(void **state)
{
	(void)state;
	check_waits("crossbar");
	check_waits("voq");
	check_late_waits("crossbar");
	check_late_waits("voq");
}

/* Depth 1, and a sink that takes one packet in ten cycles, at 10, 20, ...: packet 0 arrives in 2
 * and leaves in 10. Packet 1 could leave in 2 (its output is free again), and does when the credit
 * is back in 11. */
static void check_credits(const char *kind)
{
	struct shape shape = small(kind);
	struct bench b;

	shape.depth = 1;
	shape.period = 10;
	b = bench_new(shape, (struct sim_config){0});
	source_add(b.sources[0], 0, packet_read(2, 0, 0));
	source_add(b.sources[1], 0, packet_read(2, 1, 0));
	assert_int_equal(rig_run(b.rig, 1000), RUN_STARVED);
	assert_int_equal(sink_arrival(b.sinks[2], 1)->cycle, 20);
	assert_int_equal(stat(&b, "blocked_cycles"), 11 - 2);
	rig_free(b.rig);
}

static void cycles_without_a_credit_are_counted(void **state)
{
	(void)state;
	check_credits("crossbar");
	check_credits("voq");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_lone_packet_takes_link_and_pipeline_and_link_exactly),
		cmocka_unit_test(packets_to_one_output_follow_each_other_by_their_flits),
		cmocka_unit_test(packets_from_one_input_follow_each_other_by_their_flits),
		cmocka_unit_test(a_blocked_head_blocks_the_packets_behind_it),
		cmocka_unit_test(a_packet_overtakes_those_for_other_outputs),
		cmocka_unit_test(an_input_queues_as_many_packets_as_it_has_entries),
		cmocka_unit_test(an_ideal_network_moves_everything_at_once),
		cmocka_unit_test(saturation_is_that_of_single_fifo_inputs),
		cmocka_unit_test(virtual_output_queues_saturate_close_to_all_ports),
		cmocka_unit_test(round_robin_serves_all_inputs_alike),
		cmocka_unit_test(fixed_priority_serves_the_first_input_first),
		cmocka_unit_test(every_arbiter_chooses_a_requesting_input),
		cmocka_unit_test(order_and_extra_steps_have_no_effect_at_any_depth),
		cmocka_unit_test(replies_are_routed_by_sm),
		cmocka_unit_test(waits_and_losses_are_counted),
		cmocka_unit_test(cycles_without_a_credit_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
