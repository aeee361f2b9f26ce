/* The bandwidth server: exact latencies and bandwidths, sharing, back-pressure, faults, order. */
#include "dram/channel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/rng.h"
#include "tests/rig/rig.h"

#define PEAK (256.0 / 6)
#define MAX_SLICES 4

struct shape {
	unsigned slices, latency, packets, depth;
	double bytes_per_ns;
	unsigned period[MAX_SLICES]; /* of the sinks */
};

struct channel {
	struct component *component;
	const struct channel_ops *ops;
	struct source *sources[MAX_SLICES];
	struct sink *sinks[MAX_SLICES];
};

static struct channel channel_new(struct rig *rig, struct partition *part, struct shape shape)
{
	const struct plugin *plugin = plugin_find("dram", "bandwidth", "test", &rig->err);
	struct channel c = {.ops = plugin->ops};
	struct channel_config config = {.name = "dram.0",
		.slices = shape.slices,
		.latency_cycles = shape.latency,
		.bytes_per_ns = shape.bytes_per_ns};
	struct link_config link = {.latency_cycles = 1, .depth = shape.depth};

	c.component = c.ops->create(plugin, part, &config, rig->config, &rig->arena, &rig->err);
	for (unsigned i = 0; i < shape.slices; i++) {
		c.sources[i] = source_new(rig, part, i, shape.packets, false);
		c.sinks[i] = sink_new(
			rig, part, i, shape.packets, shape.period[i] ? shape.period[i] : 1);
		link_bind(rig->sim, (struct component *)c.sources[i], "out", 0, c.component, "in",
			i, link);
		link_bind(rig->sim, c.component, "out", i, (struct component *)c.sinks[i], "in", 0,
			link);
	}
	return c;
}

struct bench {
	struct rig *rig;
	struct channel c;
};

static struct bench bench_new(struct shape shape, struct sim_config config, const char *queue)
{
	struct bench b = {.rig = rig_new(config)};

	if (queue)
		rig_set(b.rig, "dram.queue", queue);
	b.c = channel_new(b.rig, sim_partition(b.rig->sim, "all", 1), shape);
	return b;
}

static struct packet request(enum packet_kind kind, uint8_t granules, uint32_t tag)
{
	return (struct packet){
		.kind = (uint8_t)kind, .granules = granules, .tag = tag, .line = tag * 128};
}

static const struct shape one = {
	.slices = 1, .latency = 280, .packets = 3000, .depth = 8, .bytes_per_ns = PEAK};

static void a_lone_read_takes_the_latency_exactly(void **state)
{
	(void)state;
	for (unsigned granules = 1; granules < 256; granules = granules * 2 + 1) {
		struct bench b = bench_new(one, (struct sim_config){0}, NULL);

		source_add(b.c.sources[0], 17, request(PACKET_READ, (uint8_t)granules, 3));
		assert_int_equal(rig_run(b.rig, 10000), RUN_STARVED);
		assert_int_equal(sink_count(b.c.sinks[0]), 1);
		assert_int_equal(sink_arrival(b.c.sinks[0], 0)->cycle, 17 + 1 + 280 + 1);
		assert_int_equal(sink_arrival(b.c.sinks[0], 0)->packet.kind, PACKET_READ_REPLY);
		assert_int_equal(sink_arrival(b.c.sinks[0], 0)->packet.granules, granules);
		rig_free(b.rig);
	}
}

/* The k-th of n simultaneous reads leaves at the first edge at or after k services + latency. */
static void check_closed_form(double bytes_per_ns, uint8_t granules, unsigned service_ps)
{
	const unsigned n = 40;
	struct shape shape = one;
	struct bench b;

	shape.depth = 64;
	shape.bytes_per_ns = bytes_per_ns;
	b = bench_new(shape, (struct sim_config){0}, NULL);
	for (unsigned k = 0; k < n; k++)
		source_add(b.c.sources[0], 0, request(PACKET_READ, granules, k));
	assert_int_equal(rig_run(b.rig, 10000), RUN_STARVED);
	for (unsigned k = 0; k < n; k++) {
		const struct arrival *a = sink_arrival(b.c.sinks[0], k);

		assert_int_equal(a->packet.tag, k);
		assert_int_equal(a->cycle, 1 + 280 + (k * service_ps + 999) / 1000 + 1);
	}
	rig_free(b.rig);
}

static void simultaneous_reads_follow_each_other_by_their_service(void **state)
{
	(void)state;
	check_closed_form(PEAK, 0xff, 3000);
	check_closed_form(PEAK, 0x0f, 1500);
	check_closed_form(PEAK, 0x10, 375);
	check_closed_form(PEAK, 0x81, 750);
	check_closed_form(8, 0xff, 16000);
	check_closed_form(51.2, 0x01, 312); /* 312.5: none of the first 40 ends between */
	check_closed_form(10, 0x03, 3200);
}

/* n lines at full speed: the bus is never idle between the first and the last. */
static void check_saturation(const char *queue, uint8_t granules, unsigned service_ps)
{
	const unsigned n = 3000;
	struct bench b = bench_new(one, (struct sim_config){0}, queue);
	struct channel_counts counts;

	for (unsigned k = 0; k < n; k++)
		source_add(b.c.sources[0], 0, request(PACKET_READ, granules, k));
	assert_int_equal(rig_run(b.rig, 100000), RUN_STARVED);
	assert_int_equal(sink_count(b.c.sinks[0]), n);
	assert_int_equal(sink_arrival(b.c.sinks[0], n - 1)->cycle,
		1 + 280 + ((n - 1) * service_ps + 999) / 1000 + 1);
	b.c.ops->counts(b.c.component, &counts);
	assert_int_equal(counts.busy_ps, (uint64_t)n * service_ps);
	assert_int_equal(counts.reads, n);
	assert_int_equal(counts.read_bytes, n * count_bits(granules) * 16);
	rig_free(b.rig);
}

static void a_read_stream_keeps_the_bus_busy_all_the_time(void **state)
{
	(void)state;
	check_saturation(NULL, 0xff, 3000);
	check_saturation("2", 0xff, 3000);
	check_saturation(
		"1", 0xff, 3000); /* a service ends on an edge: its entry is reused at once */
	check_saturation(NULL, 0x03, 750);
	check_saturation(NULL, 0x01, 375);
}

static uint64_t statistic(const struct channel *c, const char *name)
{
	const struct plugin *p = c->component->plugin;

	for (size_t i = 0; i < p->nstats; i++)
		if (!strcmp(p->stats[i].name, name))
			return *(const uint64_t *)(const void *)((const char *)c->component +
								 p->stats[i].offset);
	fail_msg("no statistic %s", name);
	return 0;
}

/* Of n lines that arrive together the k-th (from 0) finds k in the queue, and waits for their time
 * on the bus. */
static void arrivals_count_those_in_the_queue_and_the_peak_themselves(void **state)
{
	(void)state;
	for (unsigned n = 1; n < 9; n++) {
		struct bench b = bench_new(one, (struct sim_config){0}, NULL);

		for (unsigned k = 0; k < n; k++)
			source_add(b.c.sources[0], 0, request(PACKET_READ, 0xff, k));
		assert_int_equal(rig_run(b.rig, 10000), RUN_STARVED);
		assert_int_equal(statistic(&b.c, "queue_peak"), n);
		assert_int_equal(statistic(&b.c, "queue_sum"), n * (n - 1) / 2);
		assert_int_equal(statistic(&b.c, "wait_ps"), n * (n - 1) / 2 * 3000);
		rig_free(b.rig);
	}
}

static void six_channels_give_256_bytes_per_ns(void **state)
{
	struct rig *rig = rig_new((struct sim_config){0});
	struct partition *part = sim_partition(rig->sim, "all", 1);
	struct channel channels[6];
	unsigned lines = 0;

	(void)state;
	for (unsigned i = 0; i < 6; i++) {
		channels[i] = channel_new(rig, part, one);
		for (unsigned k = 0; k < 1200; k++)
			source_add(channels[i].sources[0], 0, request(PACKET_READ, 0xff, k));
	}
	assert_int_equal(rig_run(rig, 100000), RUN_STARVED);
	for (unsigned i = 0; i < 6; i++)
		lines += sink_count_between(channels[i].sinks[0], 500, 3500);
	assert_int_equal(lines * 128, 256 * 3000);
	rig_free(rig);
}

static void writes_take_the_bus_and_get_no_reply(void **state)
{
	struct bench b = bench_new(one, (struct sim_config){0}, NULL);
	struct packet write = request(PACKET_WRITE, 0xff, 0);
	struct channel_counts counts;

	(void)state;
	write.wants_ack = true;
	source_add(b.c.sources[0], 0, write);
	source_add(b.c.sources[0], 0, request(PACKET_WRITE, 0x01, 1));
	source_add(b.c.sources[0], 0, request(PACKET_READ, 0xff, 2));
	assert_int_equal(rig_run(b.rig, 10000), RUN_STARVED);
	assert_int_equal(sink_count(b.c.sinks[0]), 1);
	assert_int_equal(sink_arrival(b.c.sinks[0], 0)->cycle, 1 + 4 + 280 + 1); /* 3375 ps */
	b.c.ops->counts(b.c.component, &counts);
	assert_int_equal(counts.writes, 2);
	assert_int_equal(counts.write_bytes, 128 + 16);
	assert_int_equal(counts.busy_ps, 3000 + 375 + 3000);
	rig_free(b.rig);
}

static void the_smallest_transaction_is_an_aligned_block(void **state)
{
	static const struct {
		const char *min_bytes;
		uint8_t granules;
		unsigned bytes;
	} cases[] = {
		{"16", 0x11, 32},
		{"32", 0x11, 64},
		{"32", 0x03, 32},
		{"32", 0x06, 64},
		{"64", 0x81, 128},
		{"128", 0x08, 128},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct rig *rig = rig_new((struct sim_config){0});
		struct channel_counts counts;
		struct channel c;

		rig_set(rig, "dram.min_bytes", cases[i].min_bytes);
		c = channel_new(rig, sim_partition(rig->sim, "all", 1), one);
		source_add(c.sources[0], 0, request(PACKET_READ, cases[i].granules, 0));
		assert_int_equal(rig_run(rig, 10000), RUN_STARVED);
		c.ops->counts(c.component, &counts);
		assert_int_equal(counts.read_bytes, cases[i].bytes);
		rig_free(rig);
	}
}

/* Transactions of 64 bytes, of which 32 are used. */
static void transactions_may_fetch_more_than_is_used(void **state)
{
	static const struct {
		uint8_t granules;
		unsigned bytes;
	} cases[] = {{0x01, 64}, {0x03, 64}, {0x05, 128}, {0x18, 128}, {0xff, 256}};
	struct channel_counts counts;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct rig *rig = rig_new((struct sim_config){0});
		struct channel c;

		rig_set(rig, "dram.min_bytes", "64");
		rig_set(rig, "dram.useful_bytes", "32");
		c = channel_new(rig, sim_partition(rig->sim, "all", 1), one);
		source_add(c.sources[0], 0, request(PACKET_READ, cases[i].granules, 0));
		source_add(c.sources[0], 0, request(PACKET_WRITE, cases[i].granules, 1));
		assert_int_equal(rig_run(rig, 10000), RUN_STARVED);
		c.ops->counts(c.component, &counts);
		assert_int_equal(counts.read_bytes, cases[i].bytes);
		assert_int_equal(counts.write_bytes, cases[i].bytes);
		assert_int_equal(counts.busy_ps, 2 * cases[i].bytes / 16 * 375);
		rig_free(rig);
	}
}

static void slices_share_the_bus_in_turn(void **state)
{
	struct shape shape = one;
	struct bench b;

	(void)state;
	shape.slices = 3;
	b = bench_new(shape, (struct sim_config){0}, NULL);
	for (unsigned i = 0; i < 3; i++) {
		for (unsigned k = 0; k < 1000; k++)
			source_add(b.c.sources[i], 0, request(PACKET_READ, 0xff, k));
	}
	assert_int_equal(rig_run(b.rig, 100000), RUN_STARVED);
	for (uint64_t end = 1000; end < 9000; end += 1000) {
		unsigned a = sink_count_between(b.c.sinks[0], 1000, end);

		for (unsigned i = 1; i < 3; i++)
			assert_in_range(sink_count_between(b.c.sinks[i], 1000, end) + 1, a, a + 2);
	}
	for (unsigned i = 0; i < 3; i++) {
		for (unsigned k = 0; k < 1000; k++)
			assert_int_equal(sink_arrival(b.c.sinks[i], k)->packet.tag, k);
	}
	rig_free(b.rig);
}

/* Slice 0 accepts a reply in 500 cycles: its requests finally stall; slice 1 is not affected. */
static void a_slice_that_does_not_accept_its_replies_stalls_only_itself(void **state)
{
	struct shape shape = one;
	struct bench b;

	(void)state;
	shape.slices = 2;
	shape.depth = 2;
	shape.period[0] = 500;
	b = bench_new(shape, (struct sim_config){0}, "4");
	for (unsigned k = 0; k < 1100; k++) {
		source_add(b.c.sources[0], 0, request(PACKET_READ, 0x01, k));
		source_add(b.c.sources[1], 0, request(PACKET_READ, 0xff, k));
	}
	assert_int_equal(rig_run(b.rig, 1000000), RUN_STARVED);
	assert_int_equal(sink_count(b.c.sinks[0]), 1100);
	assert_true(source_sent_at(b.c.sources[0], 1099) > 500 * 300);
	/* Once slice 0 stalls, slice 1 has the whole bus. */
	assert_int_equal(sink_count_between(b.c.sinks[1], 3000, 3300), 100);
	rig_free(b.rig);
}

static uint64_t random_traffic(const void *ctx, struct sim_config config)
{
	unsigned seed = *(const unsigned *)ctx;
	struct shape shape = {.slices = 1 + seed % 3,
		.latency = 3 + seed * 7,
		.packets = 300,
		.depth = 1 + seed % 4,
		.bytes_per_ns = seed % 2 ? PEAK : 50,
		.period = {1, 1 + seed % 5, 2}};
	static const char *const queues[] = {"1", "3", "64"};
	struct bench b = bench_new(shape, config, queues[seed % 3]);
	struct rng rng = rng_new(7, seed);
	unsigned reads[MAX_SLICES] = {0};
	uint64_t sum = 0;

	for (unsigned i = 0; i < shape.slices; i++) {
		uint64_t cycle = 0;

		for (unsigned k = 0; k < shape.packets; k++) {
			bool read = rng_below(&rng, 3) > 0;
			uint8_t granules = (uint8_t)(1 + rng_below(&rng, 255));

			cycle += rng_below(&rng, 8);
			source_add(b.c.sources[i], cycle,
				request(read ? PACKET_READ : PACKET_WRITE, granules,
					read ? reads[i]++ : 0));
		}
	}
	assert_int_equal(rig_run(b.rig, 1000000), RUN_STARVED);
	for (unsigned i = 0; i < shape.slices; i++) {
		assert_int_equal(sink_count(b.c.sinks[i]), reads[i]);
		for (unsigned k = 0; k < reads[i]; k++)
			assert_int_equal(sink_arrival(b.c.sinks[i], k)->packet.tag, k);
		sum = sink_digest(b.c.sinks[i], sum);
	}
	sum = rig_add_stats(b.c.component, sum);
	rig_free(b.rig);
	return sum;
}

static void order_and_extra_steps_have_no_effect(void **state)
{
	(void)state;
	for (unsigned seed = 0; seed < 12; seed++)
		rig_assert_order_unseen(random_traffic, &seed, 2);
}

static void impossible_channels_are_faults(void **state)
{
	static const struct {
		unsigned latency;
		double bytes_per_ns;
		const char *min_bytes;
	} cases[] = {{2, PEAK, "16"}, {100, 0, "16"}, {100, -1, "16"}, {100, 1e12, "16"},
		{100, PEAK, "48"}};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct rig *rig = rig_new((struct sim_config){0});
		struct shape shape = one;

		shape.latency = cases[i].latency;
		shape.bytes_per_ns = cases[i].bytes_per_ns;
		rig_set(rig, "dram.min_bytes", cases[i].min_bytes);
		channel_new(rig, sim_partition(rig->sim, "all", 1), shape);
		assert_int_equal(rig->err.code, ERR_INPUT);
		rig_free(rig);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_lone_read_takes_the_latency_exactly),
		cmocka_unit_test(simultaneous_reads_follow_each_other_by_their_service),
		cmocka_unit_test(a_read_stream_keeps_the_bus_busy_all_the_time),
		cmocka_unit_test(arrivals_count_those_in_the_queue_and_the_peak_themselves),
		cmocka_unit_test(six_channels_give_256_bytes_per_ns),
		cmocka_unit_test(writes_take_the_bus_and_get_no_reply),
		cmocka_unit_test(the_smallest_transaction_is_an_aligned_block),
		cmocka_unit_test(transactions_may_fetch_more_than_is_used),
		cmocka_unit_test(slices_share_the_bus_in_turn),
		cmocka_unit_test(a_slice_that_does_not_accept_its_replies_stalls_only_itself),
		cmocka_unit_test(order_and_extra_steps_have_no_effect),
		cmocka_unit_test(impossible_channels_are_faults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
