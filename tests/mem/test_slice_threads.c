/* SMs, networks, slices and channels together: every request gets exactly one reply, and order,
 * extra steps and threads have no effect; and a read stream gets its bandwidth. */
#include "mem/slice.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/rng.h"
#include "dram/channel.h"
#include "noc/network.h"
#include "tests/rig/rig.h"

#define MAX_SMS 32
#define MAX_SLICES 12
#define MAX_CHANNELS 6
#define WINDOW 20u

struct setting {
	const char *path, *value;
};

struct shape {
	unsigned sms, channels, slices; /* slices per channel */
	unsigned packets;               /* per SM */
	unsigned far_depth, near_depth;
	unsigned period; /* of the sinks */
	const char *network;
	const struct setting *settings;
};

struct bench {
	struct rig *rig;
	struct shape shape;
	unsigned slices; /* in total */
	struct component *request, *reply, *slice[MAX_SLICES], *channel[MAX_CHANNELS];
	const struct channel_ops *dram;
	struct source *source[MAX_SMS];
	struct sink *sink[MAX_SMS];
};

static struct component *make_network(
	struct bench *b, const char *name, unsigned inputs, unsigned outputs, enum route route)
{
	struct network_config config = {
		.name = name, .inputs = inputs, .outputs = outputs, .route = route};
	const struct plugin *plugin =
		plugin_find("network", b->shape.network, "test", &b->rig->err);
	const struct network_ops *ops = plugin->ops;

	return ops->create(plugin, sim_partition(b->rig->sim, name, 4), &config, b->rig->config,
		&b->rig->arena, &b->rig->err);
}

static void make_channel(struct bench *b, unsigned index)
{
	struct partition *part = sim_partition(b->rig->sim, "channel", 2);
	struct channel_config config = {.name = "dram",
		.index = index,
		.slices = b->shape.slices,
		.latency_cycles = 280,
		.bytes_per_ns = 256.0 / 6};
	struct link_config far = {.latency_cycles = WINDOW, .depth = b->shape.far_depth},
			   near = {.latency_cycles = 1, .depth = b->shape.near_depth};
	const struct plugin *plugin = plugin_find("dram", "bandwidth", "test", &b->rig->err);
	struct sim *sim = b->rig->sim;

	b->channel[index] = b->dram->create(
		plugin, part, &config, b->rig->config, &b->rig->arena, &b->rig->err);
	for (unsigned k = 0; k < b->shape.slices; k++) {
		unsigned i = index * b->shape.slices + k;
		struct slice_config slice = {.name = "l2",
			.index = i,
			.interleave = b->slices,
			.block = 1,
			.free_port = !strcmp(b->shape.network, "ideal")};
		struct component *c =
			slice_new(part, &slice, b->rig->config, &b->rig->arena, &b->rig->err);

		b->slice[i] = c;
		link_bind(sim, b->request, "out", i, c, "request", 0, far);
		link_bind(sim, c, "reply", 0, b->reply, "in", i, far);
		link_bind(sim, c, "dram_out", 0, b->channel[index], "in", k, near);
		link_bind(sim, b->channel[index], "out", k, c, "dram_in", 0, near);
	}
}

static struct bench bench_new(struct shape shape, struct sim_config sim)
{
	struct bench b = {
		.rig = rig_new(sim), .shape = shape, .slices = shape.channels * shape.slices};
	struct link_config far = {.latency_cycles = WINDOW, .depth = shape.far_depth};

	for (const struct setting *s = shape.settings; s && s->path; s++)
		rig_set(b.rig, s->path, s->value);
	b.dram = plugin_find("dram", "bandwidth", "test", &b.rig->err)->ops;
	b.request = make_network(&b, "noc.request", shape.sms, b.slices, ROUTE_TO_SLICE);
	b.reply = make_network(&b, "noc.reply", b.slices, shape.sms, ROUTE_TO_SM);
	for (unsigned i = 0; i < shape.channels; i++)
		make_channel(&b, i);
	for (unsigned i = 0; i < shape.sms; i++) {
		struct partition *part = sim_partition(b.rig->sim, "sm", 2);

		b.source[i] = source_new(b.rig, part, i, shape.packets, true);
		b.sink[i] = sink_new(b.rig, part, i, shape.packets, shape.period);
		link_bind(b.rig->sim, (struct component *)b.source[i], "out", 0, b.request, "in", i,
			far);
		link_bind(
			b.rig->sim, b.reply, "out", i, (struct component *)b.sink[i], "in", 0, far);
	}
	return b;
}

static struct packet request(
	const struct bench *b, unsigned sm, uint64_t line, enum packet_kind kind, uint32_t tag)
{
	return (struct packet){.kind = (uint8_t)kind,
		.line = line * LINE_BYTES,
		.slice = (uint16_t)(line % b->slices),
		.sm = (uint16_t)sm,
		.origin = {.sm = (uint16_t)sm, .instr = tag},
		.granules = 0xff,
		.tag = tag};
}

/* The kind of reply that each request requires; PACKET_KINDS: none. */
static enum packet_kind reply_kind(const struct packet *p)
{
	if (p->kind == PACKET_READ)
		return PACKET_READ_REPLY;
	if (p->kind == PACKET_ATOMIC)
		return PACKET_ATOMIC_REPLY;
	return p->wants_ack ? PACKET_WRITE_ACK : PACKET_KINDS;
}

/* Adds a random request to few lines and records the expected reply. */
static struct packet random_request(
	const struct bench *b, struct rng *rng, unsigned sm, uint32_t tag)
{
	static const enum packet_kind kinds[] = {
		PACKET_READ, PACKET_READ, PACKET_READ, PACKET_WRITE, PACKET_WRITE, PACKET_ATOMIC};
	struct packet p =
		request(b, sm, rng_below(rng, 24), kinds[rng_below(rng, ARRAY_LEN(kinds))], tag);

	p.granules = (uint8_t)(1 + rng_below(rng, 255));
	p.wants_ack = p.kind == PACKET_WRITE && rng_below(rng, 2);
	p.lanes = p.kind == PACKET_ATOMIC ? (uint8_t)(1 + rng_below(rng, 32)) : 0;
	return p;
}

static void check_answers(const struct bench *b, const struct packet *sent)
{
	for (unsigned i = 0; i < b->shape.sms; i++) {
		unsigned answers[200] = {0};

		for (unsigned k = 0; k < sink_count(b->sink[i]); k++) {
			const struct packet *p = &sink_arrival(b->sink[i], k)->packet;
			const struct packet *asked = &sent[i * b->shape.packets + p->tag];

			assert_true(p->tag < b->shape.packets);
			assert_int_equal(p->kind, reply_kind(asked));
			assert_int_equal(p->sm, i);
			assert_int_equal(p->line, asked->line);
			assert_int_equal(p->granules, asked->granules);
			assert_int_equal(p->origin.instr, asked->origin.instr);
			answers[p->tag]++;
		}
		for (unsigned k = 0; k < b->shape.packets; k++) {
			const struct packet *asked = &sent[i * b->shape.packets + k];

			assert_int_equal(answers[k], reply_kind(asked) != PACKET_KINDS);
		}
	}
}

/* What slices send to DRAM, DRAM serves; what the SMs send, slices receive; and every slice's
 * counters balance. */
static void check_traffic(const struct bench *b)
{
	struct slice_counts sum = {0};
	struct channel_counts dram = {0};
	struct audit audit = {.at_rest = true};

	for (unsigned i = 0; i < b->slices; i++) {
		struct slice_counts c;

		slice_counts(b->slice[i], &c);
		sum.reads += c.reads + c.writes + c.atomics;
		sum.fills += c.fills;
		sum.fill_bytes += c.fill_bytes;
		sum.writebacks += c.writebacks;
		sum.writeback_bytes += c.writeback_bytes;
		slice_flush(b->slice[i], NULL, NULL);
		slice_audit(b->slice[i], &audit);
	}
	assert_string_equal(text_str(&audit.out), "");
	for (unsigned i = 0; i < b->shape.channels; i++) {
		struct channel_counts c;

		b->dram->counts(b->channel[i], &c);
		dram.reads += c.reads;
		dram.writes += c.writes;
		dram.read_bytes += c.read_bytes;
		dram.write_bytes += c.write_bytes;
	}
	assert_int_equal(sum.reads, b->shape.sms * b->shape.packets);
	assert_int_equal(sum.fills, dram.reads);
	assert_int_equal(sum.fill_bytes, dram.read_bytes);
	assert_int_equal(sum.writebacks, dram.writes);
	assert_int_equal(sum.writeback_bytes, dram.write_bytes);
}

static uint64_t digest(const struct bench *b)
{
	uint64_t sum = rig_add_stats(b->reply, rig_add_stats(b->request, 0));

	for (unsigned i = 0; i < b->shape.sms; i++)
		sum = sink_digest(b->sink[i], sum);
	for (unsigned i = 0; i < b->slices; i++)
		sum = rig_add_stats(b->slice[i], sum);
	for (unsigned i = 0; i < b->shape.channels; i++)
		sum = rig_add_stats(b->channel[i], sum);
	return sum;
}

/* Runs random traffic, checks the replies, and returns the digest of all events. */
static uint64_t random_traffic(struct shape shape, unsigned seed, struct sim_config config)
{
	struct bench b = bench_new(shape, config);
	struct packet *sent =
		arena_alloc(&b.rig->arena, (size_t)shape.sms * shape.packets, sizeof(*sent));
	uint64_t sum;

	for (unsigned i = 0; i < shape.sms; i++) {
		struct rng rng = rng_new(seed, i);
		uint64_t cycle = 0;

		for (unsigned k = 0; k < shape.packets; k++) {
			struct packet *p = &sent[i * shape.packets + k];

			*p = random_request(&b, &rng, i, k);
			cycle += rng_below(&rng, 6);
			source_add(b.source[i], cycle, *p);
		}
	}
	assert_int_equal(rig_run(b.rig, 10000000), RUN_STARVED);
	check_answers(&b, sent);
	check_traffic(&b);
	sum = digest(&b);
	rig_free(b.rig);
	return sum;
}

static const struct setting no_l2[] = {{"l2.bytes", "0"}, {0}};
static const struct setting small_l2[] = {{"l2.bytes", "512"}, {"l2.ways", "2"}, {0}};
static const struct setting parts[] = {
	{"l2.bytes", "512"}, {"l2.ways", "2"}, {"l2.fill_line", "false"}, {"l2.mshrs", "2"}, {0}};
static const struct setting tiny_l2[] = {{"l2.bytes", "256"}, {"l2.ways", "1"}, {"l2.mshrs", "1"},
	{"l2.merges", "1"}, {"l2.replies", "1"}, {"l2.dram_queue", "1"}, {"dram.queue", "1"},
	{"l2.hit_cycles", "0"}, {0}};
static const struct setting tiny_no_l2[] = {{"l2.bytes", "0"}, {"l2.mshrs", "1"},
	{"l2.merges", "1"}, {"l2.replies", "1"}, {"l2.dram_queue", "1"}, {"dram.queue", "1"}, {0}};
static const struct setting tiny_parts[] = {{"l2.bytes", "256"}, {"l2.ways", "1"},
	{"l2.mshrs", "1"}, {"l2.merges", "2"}, {"l2.replies", "1"}, {"l2.dram_queue", "1"},
	{"dram.queue", "1"}, {"l2.fill_line", "false"}, {0}};

static const struct setting modes[] = {{"l2.bytes", "1024"}, {"l2.ways", "2"},
	{"l2.write_policy", "through"}, {"l2.sector_bytes", "32"}, {"l2.fill_line", "false"},
	{"l2.set_hash", "polynomial"}, {"l2.atomic_cycles", "7"}, {0}};
static const struct setting tiny_modes[] = {{"l2.bytes", "512"}, {"l2.ways", "1"},
	{"l2.banks", "2"}, {"l2.bank_cycles", "3"}, {"l2.fill_queue", "1"}, {"l2.evict_queue", "1"},
	{"l2.write_allocate", "false"}, {"l2.mshrs", "2"}, {"l2.merges", "2"}, {"l2.replies", "1"},
	{"l2.dram_queue", "1"}, {"dram.queue", "1"}, {"l2.sector_bytes", "64"}, {0}};
static const struct setting tiny_through[] = {{"l2.bytes", "256"}, {"l2.ways", "2"},
	{"l2.bank_cycles", "1"}, {"l2.fill_queue", "1"}, {"l2.evict_queue", "1"},
	{"l2.write_policy", "through"}, {"l2.write_allocate", "false"}, {"l2.mshrs", "3"},
	{"l2.merges", "3"}, {"l2.replies", "1"}, {"l2.dram_queue", "1"}, {"dram.queue", "1"},
	{"l2.fill_line", "false"}, {0}};
static const struct setting tiny_evict[] = {
	{"l2.bytes", "0"}, {"l2.evict_queue", "1"}, {"l2.dram_queue", "1"}, {0}};
/* Networks of flits with minimum resources. */
static const struct setting narrow[] = {{"l2.bytes", "512"}, {"l2.ways", "2"},
	{"noc.request.vcs", "1"}, {"noc.request.vc_flits", "1"}, {"noc.reply.vcs", "1"},
	{"noc.reply.vc_flits", "1"}, {0}};
static const struct setting two_vcs[] = {{"l2.bytes", "256"}, {"l2.ways", "1"}, {"l2.mshrs", "1"},
	{"l2.merges", "1"}, {"l2.replies", "1"}, {"l2.dram_queue", "1"}, {"dram.queue", "1"},
	{"noc.request.vcs", "2"}, {"noc.request.vc_flits", "1"}, {"noc.reply.vcs", "2"},
	{"noc.reply.vc_flits", "1"}, {"noc.request.vc_allocator", "input_first"},
	{"noc.reply.switch_allocator", "round_robin"}, {"noc.reply.passes", "2"}, {0}};

#define SMALL .sms = 3, .channels = 1, .slices = 2
static const struct shape shapes[] = {
	{SMALL, 150, 40, 4, 1, "crossbar", NULL},
	{SMALL, 150, 40, 4, 1, "crossbar", no_l2},
	{SMALL, 150, 40, 4, 1, "ideal", small_l2},
	{SMALL, 150, 40, 4, 1, "crossbar", parts},
	{SMALL, 60, 1, 1, 3, "crossbar", tiny_l2},
	{SMALL, 60, 1, 1, 3, "crossbar", tiny_no_l2},
	{SMALL, 60, 2, 1, 1, "ideal", tiny_parts},
	{SMALL, 60, 2, 1, 1, "ideal", tiny_no_l2},
	{SMALL, 150, 40, 4, 1, "crossbar", modes},
	{SMALL, 60, 1, 1, 3, "crossbar", tiny_modes},
	{SMALL, 60, 2, 1, 1, "ideal", tiny_through},
	{SMALL, 60, 1, 1, 1, "crossbar", tiny_evict},
	{SMALL, 150, 40, 4, 1, "router", small_l2},
	{SMALL, 60, 1, 1, 3, "router", narrow},
	{SMALL, 60, 2, 1, 1, "router", two_vcs},
	{SMALL, 150, 40, 4, 1, "mesh", small_l2},
	{SMALL, 60, 1, 1, 3, "mesh", narrow},
	{SMALL, 60, 2, 1, 1, "mesh", two_vcs},
};

/* One of the networks, with a seed for its traffic. */
struct traffic_run {
	const struct shape *shape;
	unsigned seed;
};

static uint64_t run_traffic(const void *ctx, struct sim_config config)
{
	const struct traffic_run *r = ctx;

	return random_traffic(*r->shape, r->seed, config);
}

static void every_request_gets_one_reply_and_order_has_no_effect(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(shapes); i++) {
		for (unsigned seed = 1; seed < 3; seed++)
			rig_assert_order_unseen(
				run_traffic, &(struct traffic_run){&shapes[i], seed}, seed);
	}
}

static void two_threads_have_no_effect(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(shapes); i++) {
		struct sim_config config = {.threads = 2};

		assert_int_equal(random_traffic(shapes[i], 1, (struct sim_config){0}),
			random_traffic(shapes[i], 1, config));
	}
}

/* Every SM reads its own lines in sequence, as fast as the network accepts the requests. Returns
 * the bytes per ns of the replies in steady state. */
static double read_stream(const char *network, const struct setting *settings)
{
	const unsigned warm = 2000, end = 6000;
	struct shape shape = {.sms = 32,
		.channels = 6,
		.slices = 2,
		.packets = 600,
		.far_depth = 60,
		.near_depth = 8,
		.period = 1,
		.network = network,
		.settings = settings};
	struct bench b = bench_new(shape, (struct sim_config){0});
	uint64_t lines = 0;

	for (unsigned i = 0; i < shape.sms; i++) {
		for (unsigned k = 0; k < shape.packets; k++)
			source_add(b.source[i], 0, request(&b, i, i * 1000 + k, PACKET_READ, k));
	}
	assert_int_equal(rig_run(b.rig, end), RUN_LIMIT);
	for (unsigned i = 0; i < shape.sms; i++)
		lines += sink_count_between(b.sink[i], warm, end);
	rig_free(b.rig);
	return (double)(lines * LINE_BYTES) / (end - warm);
}

static void a_read_stream_gets_95_percent_of_the_dram_bandwidth(void **state)
{
	(void)state;
	assert_true(read_stream("crossbar", NULL) >= 0.95 * 256);
	assert_true(read_stream("crossbar", no_l2) >= 0.95 * 256);
	assert_true(read_stream("router", NULL) >= 0.95 * 256);
	assert_true(read_stream("mesh", NULL) >= 0.95 * 256);
	assert_true(read_stream("ideal", no_l2) >= 0.99 * 256);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_request_gets_one_reply_and_order_has_no_effect),
		cmocka_unit_test(two_threads_have_no_effect),
		cmocka_unit_test(a_read_stream_gets_95_percent_of_the_dram_bandwidth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
