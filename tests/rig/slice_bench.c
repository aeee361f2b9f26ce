/* An L2 slice between scripts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/rig/slice_bench.h"

#define PACKETS 2000u

static void make_channel(struct bench *b, struct partition *part)
{
	const struct plugin *plugin = plugin_find("dram", "bandwidth", "test", &b->rig->err);
	struct channel_config config = {.name = "dram.0",
		.slices = 1,
		.latency_cycles = DRAM_CYCLES,
		.bytes_per_ns = 256.0 / 6};
	struct link_config link = {.latency_cycles = 1, .depth = 4};

	b->ops = plugin->ops;
	b->channel =
		b->ops->create(plugin, part, &config, b->rig->config, &b->rig->arena, &b->rig->err);
	link_bind(b->rig->sim, b->slice, "dram_out", 0, b->channel, "in", 0, link);
	link_bind(b->rig->sim, b->channel, "out", 0, b->slice, "dram_in", 0, link);
}

static void make_dram_script(struct bench *b, struct partition *part)
{
	struct link_config link = {.latency_cycles = 1, .depth = 4};

	b->dram_source = source_new(b->rig, part, 1, PACKETS, false);
	b->dram_sink = sink_new(b->rig, part, 1, PACKETS, 1);
	link_bind(b->rig->sim, b->slice, "dram_out", 0, (struct component *)b->dram_sink, "in", 0,
		link);
	link_bind(b->rig->sim, (struct component *)b->dram_source, "out", 0, b->slice, "dram_in", 0,
		link);
}

static void make_peer(struct bench *b, struct partition *part)
{
	struct link_config link = {.latency_cycles = 1, .depth = 4};
	struct sim *sim = b->rig->sim;

	b->asked = source_new(b->rig, part, 2, PACKETS, false);
	b->lent = source_new(b->rig, part, 3, PACKETS, false);
	b->ask = sink_new(b->rig, part, 2, PACKETS, 1);
	b->lend = sink_new(b->rig, part, 3, PACKETS, 1);
	link_bind(sim, (struct component *)b->asked, "out", 0, b->slice, "asked", 0, link);
	link_bind(sim, (struct component *)b->lent, "out", 0, b->slice, "lent", 0, link);
	link_bind(sim, b->slice, "ask", 0, (struct component *)b->ask, "in", 0, link);
	link_bind(sim, b->slice, "lend", 0, (struct component *)b->lend, "in", 0, link);
}

static struct bench make(const struct setting *settings, bool channel, bool free_port, bool copies)
{
	struct bench b = {.rig = rig_new((struct sim_config){.hostile = true})};
	struct partition *part = sim_partition(b.rig->sim, "all", 1);
	struct slice_config config = {.name = "l2.0.0",
		.interleave = 1,
		.block = 1,
		.free_port = free_port,
		.copies = copies};
	struct link_config link = {.latency_cycles = 1, .depth = 4};

	for (; settings && settings->path; settings++)
		rig_set(b.rig, settings->path, settings->value);
	b.slice = slice_new(part, &config, b.rig->config, &b.rig->arena, &b.rig->err);
	b.source = source_new(b.rig, part, 0, PACKETS, false);
	b.sink = sink_new(b.rig, part, 0, PACKETS, 1);
	link_bind(b.rig->sim, (struct component *)b.source, "out", 0, b.slice, "request", 0, link);
	link_bind(b.rig->sim, b.slice, "reply", 0, (struct component *)b.sink, "in", 0, link);
	if (channel)
		make_channel(&b, part);
	else
		make_dram_script(&b, part);
	if (copies)
		make_peer(&b, part);
	return b;
}

struct bench bench_new(const struct setting *settings, bool channel, bool free_port)
{
	return make(settings, channel, free_port, false);
}

struct bench bench_new_copies(const struct setting *settings)
{
	return make(settings, false, true, true);
}

void bench_run(struct bench *b)
{
	struct audit audit = {.at_rest = true};

	assert_int_equal(rig_run(b->rig, 1000000), RUN_STARVED);
	slice_audit(b->slice, &audit);
	assert_string_equal(text_str(&audit.out), "");
}

struct slice_counts bench_counts(const struct bench *b)
{
	struct slice_counts c;

	slice_counts(b->slice, &c);
	return c;
}

struct packet request(enum packet_kind kind, unsigned line, uint8_t granules, uint32_t tag)
{
	return (struct packet){.kind = (uint8_t)kind,
		.line = line * 128,
		.granules = granules,
		.tag = tag,
		.sm = 4,
		.origin = {.instr = tag}};
}

struct packet atomic(unsigned line, uint8_t granules, uint8_t lanes, uint32_t tag)
{
	struct packet p = request(PACKET_ATOMIC, line, granules, tag);

	p.lanes = lanes;
	return p;
}

struct packet acked_write(unsigned line, uint8_t granules, uint32_t tag)
{
	struct packet p = request(PACKET_WRITE, line, granules, tag);

	p.wants_ack = true;
	return p;
}

void assert_arrival(
	const struct bench *b, unsigned i, uint32_t tag, enum packet_kind kind, uint64_t cycle)
{
	const struct arrival *a = sink_arrival(b->sink, i);

	assert_int_equal(a->packet.tag, tag);
	assert_int_equal(a->packet.kind, kind);
	assert_int_equal(a->cycle, cycle);
	assert_int_equal(a->packet.sm, 4);
}

struct packet fetched(unsigned line, uint8_t granules, uint32_t entry)
{
	struct packet p = request(PACKET_READ_REPLY, line, granules, entry);

	p.sm = SLICE_ITSELF;
	return p;
}

void assert_to_dram(const struct bench *b, unsigned i, enum packet_kind kind, unsigned line,
	uint8_t granules, uint32_t instr)
{
	const struct packet *p = &sink_arrival(b->dram_sink, i)->packet;

	assert_int_equal(p->kind, kind);
	assert_int_equal(p->line, line * 128);
	assert_int_equal(p->granules, granules);
	assert_int_equal(p->origin.instr, instr);
}
