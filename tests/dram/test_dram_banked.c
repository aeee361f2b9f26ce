/* The channel with banks: exact latencies, bandwidth, sharing, back-pressure, faults, order. */
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
	unsigned interleave;
	unsigned period[MAX_SLICES]; /* of the sinks */
};

struct bench {
	struct rig *rig;
	struct component *component;
	const struct channel_ops *ops;
	struct source *sources[MAX_SLICES];
	struct sink *sinks[MAX_SLICES];
};

static const struct shape one = {
	.slices = 1, .latency = 280, .packets = 3000, .depth = 8, .bytes_per_ns = PEAK};

static void channel_new(struct bench *b, struct shape shape)
{
	struct channel_config config = {.name = "dram.0",
		.slices = shape.slices,
		.latency_cycles = shape.latency,
		.bytes_per_ns = shape.bytes_per_ns,
		.interleave = shape.interleave,
		.block_bytes = 256};
	const struct plugin *plugin = plugin_find("dram", "banked", "test", &b->rig->err);
	struct partition *part = sim_partition(b->rig->sim, "all", 1);
	struct link_config link = {.latency_cycles = 1, .depth = shape.depth};

	b->ops = plugin->ops;
	b->component =
		b->ops->create(plugin, part, &config, b->rig->config, &b->rig->arena, &b->rig->err);
	for (unsigned i = 0; i < shape.slices; i++) {
		unsigned period = shape.period[i] ? shape.period[i] : 1;

		b->sources[i] = source_new(b->rig, part, i, shape.packets, false);
		b->sinks[i] = sink_new(b->rig, part, i, shape.packets, period);
		link_bind(b->rig->sim, (struct component *)b->sources[i], "out", 0, b->component,
			"in", i, link);
		link_bind(b->rig->sim, b->component, "out", i, (struct component *)b->sinks[i],
			"in", 0, link);
	}
}

/* `settings`: path, value, ..., NULL. */
static struct bench bench_new(
	struct shape shape, struct sim_config config, const char *const *settings)
{
	struct bench b = {.rig = rig_new(config)};

	for (; settings && *settings; settings += 2)
		rig_set(b.rig, settings[0], settings[1]);
	channel_new(&b, shape);
	return b;
}

static struct packet request(enum packet_kind kind, uint8_t granules, uint32_t tag)
{
	return (struct packet){
		.kind = (uint8_t)kind, .granules = granules, .tag = tag, .line = tag * 128};
}

static uint64_t statistic(const struct bench *b, const char *name)
{
	const struct plugin *p = b->component->plugin;

	for (size_t i = 0; i < p->nstats; i++)
		if (!strcmp(p->stats[i].name, name))
			return *(const uint64_t *)(const void *)((const char *)b->component +
								 p->stats[i].offset);
	fail_msg("no statistic %s", name);
	return 0;
}

/* Bursts of a line in two bank groups. */
static const char *const apart[] = {"dram.map", "RoBaCoBg", NULL};

/* m12: row hits need 15 CK of 750 ps, for which latency_cycles is exact; a closed bank takes tRCD,
 * 9 ns, more, another row tRP, 9 ns more. Command clocks and core cycles coincide every 3000 ps. */
static void lone_reads_take_the_latency_and_what_their_row_needs(void **state)
{
	struct bench b = bench_new(one, (struct sim_config){0}, apart);
	struct packet far = request(PACKET_READ, 0x0f, 2);

	(void)state;
	far.line = 1u << 16;
	source_add(b.sources[0], 17, request(PACKET_READ, 0x0f, 0));
	for (unsigned k = 0; k < 20; k++)
		source_add(b.sources[0], 417 + 101 * k, request(PACKET_READ, 0x0f, 2));
	source_add(b.sources[0], 2817, far);
	assert_int_equal(rig_run(b.rig, 10000), RUN_STARVED);
	assert_int_equal(sink_arrival(b.sinks[0], 0)->cycle, 17 + 1 + 280 + 9 + 1);
	assert_int_equal(sink_arrival(b.sinks[0], 0)->packet.kind, PACKET_READ_REPLY);
	for (unsigned k = 0; k < 20; k++)
		assert_int_equal(
			sink_arrival(b.sinks[0], k + 1)->cycle, 417 + 101 * k + 1 + 280 + 1);
	assert_int_equal(sink_arrival(b.sinks[0], 21)->cycle, 2817 + 1 + 280 + 18 + 1);
	assert_int_equal(statistic(&b, "row_hits"), 20);
	assert_int_equal(statistic(&b, "row_misses"), 1);
	assert_int_equal(statistic(&b, "row_conflicts"), 1);
	rig_free(b.rig);
}

/* A line is two bursts in two bank groups: the reply waits for the second. */
static void a_reply_leaves_after_the_lines_last_burst(void **state)
{
	struct bench b = bench_new(one, (struct sim_config){0}, apart);

	(void)state;
	source_add(b.sources[0], 17, request(PACKET_READ, 0xff, 0));
	source_add(b.sources[0], 417, request(PACKET_READ, 0xff, 0));
	assert_int_equal(rig_run(b.rig, 10000), RUN_STARVED);
	assert_int_equal(sink_count(b.sinks[0]), 2);
	/* The second activate waits for tRRD, 6 CK; hits for tCCD, 2 CK. */
	assert_int_equal(sink_arrival(b.sinks[0], 0)->cycle, 17 + 1 + 280 + 9 + 5 + 1);
	assert_int_equal(sink_arrival(b.sinks[0], 1)->cycle, 417 + 1 + 280 + 2 + 1);
	assert_int_equal(statistic(&b, "reads"), 4);
	rig_free(b.rig);
}

/* An entry holds a request, whatever its number of bursts: the fifth line waits for an entry. */
static void queue_entries_are_counted_in_requests(void **state)
{
	const char *const settings[] = {"dram.queue", "4", NULL};

	(void)state;
	for (unsigned granules = 0x0f; granules <= 0xff; granules += 0xf0) {
		struct bench b = bench_new(one, (struct sim_config){0}, settings);

		for (unsigned k = 0; k < 8; k++)
			source_add(b.sources[0], 0, request(PACKET_READ, (uint8_t)granules, k));
		assert_int_equal(rig_run(b.rig, 10000), RUN_STARVED);
		assert_int_equal(sink_count(b.sinks[0]), 8);
		assert_int_equal(statistic(&b, "queue_peak"), 4);
		assert_int_equal(statistic(&b, "reads"), granules == 0xff ? 16 : 8);
		rig_free(b.rig);
	}
}

static void transactions_are_whole_bursts(void **state)
{
	static const struct {
		uint8_t granules;
		unsigned bytes;
	} cases[] = {{0x01, 64}, {0x11, 128}, {0x0f, 64}, {0x18, 128}, {0xf0, 64}, {0xff, 128}};
	struct channel_counts counts;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct bench b = bench_new(one, (struct sim_config){0}, NULL);
		struct launch_traffic of = {0, 0};

		b.ops->count_into(b.component, &of);
		source_add(b.sources[0], 0, request(PACKET_READ, cases[i].granules, 0));
		source_add(b.sources[0], 0, request(PACKET_WRITE, cases[i].granules, 7));
		assert_int_equal(rig_run(b.rig, 10000), RUN_STARVED);
		b.ops->counts(b.component, &counts);
		assert_int_equal(counts.read_bytes, cases[i].bytes);
		assert_int_equal(counts.write_bytes, cases[i].bytes);
		assert_int_equal(of.read_bytes, cases[i].bytes);
		assert_int_equal(of.write_bytes, cases[i].bytes);
		assert_int_equal(counts.busy_ps, 2 * cases[i].bytes / 64 * 1500);
		rig_free(b.rig);
	}
}

/* Of bursts of 64 bytes 32 are used: a block of 32 bytes is a burst of its own, in the same row. */
static void bursts_may_fetch_more_than_is_used(void **state)
{
	static const char *const settings[] = {"dram.useful_bytes", "32", NULL};
	static const struct {
		uint8_t granules;
		unsigned bursts;
	} cases[] = {{0x01, 1}, {0x03, 1}, {0x05, 2}, {0x0f, 2}, {0x18, 2}, {0xff, 4}};
	struct channel_counts counts;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct bench b = bench_new(one, (struct sim_config){0}, settings);

		source_add(b.sources[0], 0, request(PACKET_READ, cases[i].granules, 0));
		source_add(b.sources[0], 0, request(PACKET_WRITE, cases[i].granules, 7));
		assert_int_equal(rig_run(b.rig, 10000), RUN_STARVED);
		b.ops->counts(b.component, &counts);
		assert_int_equal(counts.read_bytes, cases[i].bursts * 64);
		assert_int_equal(counts.write_bytes, cases[i].bursts * 64);
		assert_int_equal(counts.busy_ps, 2 * cases[i].bursts * 1500);
		rig_free(b.rig);
	}
}

static void six_channels_would_give_256_bytes_per_ns(void **state)
{
	const char *const settings[] = {"dram.refresh", "false", NULL};
	struct bench b = bench_new(one, (struct sim_config){0}, settings);

	(void)state;
	for (unsigned k = 0; k < 3000; k++)
		source_add(b.sources[0], 0, request(PACKET_READ, 0xff, k));
	assert_int_equal(rig_run(b.rig, 100000), RUN_STARVED);
	assert_int_equal(sink_count_between(b.sinks[0], 1000, 7000) * 128 * 6, 256 * 6000);
	rig_free(b.rig);
}

/* Every other block of 256 bytes arrives by port 0, the others by port 1, each eighth maps to this
 * channel: together they are rows without gaps. */
static void interleaved_addresses_fill_rows(void **state)
{
	struct shape shape = one;
	struct bench b;

	(void)state;
	shape.slices = 2;
	shape.interleave = 8;
	b = bench_new(shape, (struct sim_config){0}, NULL);
	for (unsigned k = 0; k < 512; k++) {
		unsigned block = k / 2, port = block % 2;
		struct packet p = request(PACKET_READ, 0xff, k);

		p.line = (block / 2 * 8 + port * 4 + 1) * 256u + k % 2 * 128;
		source_add(b.sources[port], 0, p);
	}
	assert_int_equal(rig_run(b.rig, 100000), RUN_STARVED);
	assert_int_equal(statistic(&b, "reads"), 1024);
	assert_int_equal(statistic(&b, "activates"), 1024 * 64 / 4096);
	rig_free(b.rig);
}

/* Slice 0 accepts a reply in 500 cycles: its requests finally stall; slice 1 is not affected. */
static void a_slice_that_does_not_accept_its_replies_stalls_only_itself(void **state)
{
	const char *const settings[] = {"dram.queue", "4", NULL};
	struct shape shape = one;
	struct bench b;

	(void)state;
	shape.slices = 2;
	shape.depth = 2;
	shape.period[0] = 500;
	b = bench_new(shape, (struct sim_config){0}, settings);
	for (unsigned k = 0; k < 600; k++) {
		source_add(b.sources[0], 0, request(PACKET_READ, 0x01, k));
		source_add(b.sources[1], 0, request(PACKET_READ, 0xff, k));
	}
	assert_int_equal(rig_run(b.rig, 1000000), RUN_STARVED);
	assert_int_equal(sink_count(b.sinks[0]), 600);
	assert_true(source_sent_at(b.sources[0], 599) > 500 * 200);
	assert_int_equal(sink_count(b.sinks[1]), 600);
	assert_true(sink_arrival(b.sinks[1], 599)->cycle < 6000);
	rig_free(b.rig);
}

static const char *const settings_of[][9] = {
	{"dram.queue", "2", "dram.write_queue", "2", NULL},
	{"dram.writes", "mixed", "dram.write_queue", "0", "dram.bank_queue", "3", NULL},
	{"dram.scheduler", "frfcfs_cap", "dram.closed_page", "true", "dram.hash", "xor", NULL},
	{"dram.scheduler", "fcfs", "dram.map", "RoBaBgCo", "dram.queue", "5", NULL},
	{"dram.refi", "600", "dram.max_wait", "50", NULL},
};

/* Reads and writes at random: every read gets one reply, with its own tag; a digest of all. */
static uint64_t random_traffic(const void *ctx, struct sim_config config)
{
	unsigned seed = *(const unsigned *)ctx;
	struct shape shape = {.slices = 1 + seed % 3,
		.latency = 13 + seed * 17,
		.packets = 300,
		.depth = 1 + seed % 4,
		.bytes_per_ns = PEAK,
		.interleave = seed % 2 ? 6 : 0,
		.period = {1, 1 + seed % 5, 2}};
	struct bench b = bench_new(shape, config, settings_of[seed % ARRAY_LEN(settings_of)]);
	struct rng rng = rng_new(7, seed);
	unsigned reads[MAX_SLICES] = {0};
	uint64_t sum = 0;

	for (unsigned i = 0; i < shape.slices; i++) {
		uint64_t cycle = 0;

		for (unsigned k = 0; k < shape.packets; k++) {
			bool read = rng_below(&rng, 3) > 0;
			struct packet p = request(read ? PACKET_READ : PACKET_WRITE,
				(uint8_t)(1 + rng_below(&rng, 255)), read ? reads[i]++ : 0);

			cycle += rng_below(&rng, 12);
			p.line = rng_below(&rng, 1u << 14) * 128;
			source_add(b.sources[i], cycle, p);
		}
	}
	assert_int_equal(rig_run(b.rig, 1000000), RUN_STARVED);
	for (unsigned i = 0; i < shape.slices; i++) {
		uint64_t tags = 0;

		assert_int_equal(sink_count(b.sinks[i]), reads[i]);
		for (unsigned k = 0; k < reads[i]; k++)
			tags += sink_arrival(b.sinks[i], k)->packet.tag;
		assert_int_equal(tags, (uint64_t)reads[i] * (reads[i] - 1) / 2);
		sum = sink_digest(b.sinks[i], sum);
	}
	assert_int_equal((statistic(&b, "reads") + statistic(&b, "writes")) * 64,
		statistic(&b, "bytes_read") + statistic(&b, "bytes_write"));
	sum = rig_add_stats(b.component, sum);
	rig_free(b.rig);
	return sum;
}

static void order_and_extra_steps_have_no_effect(void **state)
{
	(void)state;
	for (unsigned seed = 0; seed < 15; seed++)
		rig_assert_order_unseen(random_traffic, &seed, 2);
}

static void impossible_channels_are_faults(void **state)
{
	static const struct {
		unsigned latency, slices, interleave;
		double bytes_per_ns;
		const char *settings[3], *says;
	} cases[] = {
		{11, 1, 0, PEAK, {NULL},
			"is shorter than a row hit of dram.device = m12, 11.250 ns: "
			"chip.read_cycles must leave it 12"},
		{280, 1, 0, 50, {NULL}, "gives 42.667 B/ns"},
		{280, 1, 0, PEAK, {"dram.device", "hbm2"}, "gives 16.000 B/ns"},
		{280, 1, 0, PEAK, {"dram.queue", "0"}, "dram.queue"},
		{280, 1, 0, PEAK, {"dram.useful_bytes", "24"},
			"power of two from 16 to a burst's 64"},
		{280, 1, 0, PEAK, {"dram.useful_bytes", "128"}, "dram.useful_bytes = 128: must be"},
		{280, 2, 7, PEAK, {NULL}, "7 slices do not divide into channels of 2"},
		{280, 1, 0, PEAK, {"dram.ras", "39"}, "tRAS + tRP <= tRC"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct shape shape = one;
		struct bench b;

		shape.latency = cases[i].latency;
		shape.slices = cases[i].slices;
		shape.interleave = cases[i].interleave;
		shape.bytes_per_ns = cases[i].bytes_per_ns;
		b = bench_new(shape, (struct sim_config){0}, cases[i].settings);
		assert_int_equal(b.rig->err.code, ERR_INPUT);
		if (!strstr(err_text(&b.rig->err), cases[i].says))
			fail_msg("'%s', not '%s'", err_text(&b.rig->err), cases[i].says);
		rig_free(b.rig);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lone_reads_take_the_latency_and_what_their_row_needs),
		cmocka_unit_test(a_reply_leaves_after_the_lines_last_burst),
		cmocka_unit_test(queue_entries_are_counted_in_requests),
		cmocka_unit_test(transactions_are_whole_bursts),
		cmocka_unit_test(bursts_may_fetch_more_than_is_used),
		cmocka_unit_test(six_channels_would_give_256_bytes_per_ns),
		cmocka_unit_test(interleaved_addresses_fill_rows),
		cmocka_unit_test(a_slice_that_does_not_accept_its_replies_stalls_only_itself),
		cmocka_unit_test(order_and_extra_steps_have_no_effect),
		cmocka_unit_test(impossible_channels_are_faults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
