/* Widths of ports, ports that TPCs and GPCs share, distances: exact intervals and rates. */
#include "noc/network.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/rig/rig.h"

enum { SMS = 16, SLICES = 8, PACKETS = 1000, FROM = 200, TO = 1160 };

struct bench {
	struct rig *rig;
	struct component *network;
	struct source *sources[SMS];
	struct sink *sinks[SMS];
	unsigned inputs, outputs;
};

static void set_all(struct rig *rig, const char *settings)
{
	char *copy = strdup(settings), *rest = copy, *word;

	while ((word = strtok_r(rest, " ", &rest)))
		config_set_text(rig->config, word, "test", &rig->err);
	free(copy);
}

static struct bench bench_far(
	const char *kind, enum route route, const char *settings, const uint32_t *extra)
{
	struct bench b = {.rig = rig_new((struct sim_config){0})};
	struct network_config network = {.name = "noc", .route = route, .extra_ps = extra};
	struct link_config link = {.latency_cycles = 1, .depth = 8};
	struct partition *part = sim_partition(b.rig->sim, "all", 1);
	const struct plugin *plugin = plugin_find("network", kind, "test", &b.rig->err);
	const struct network_ops *ops = plugin->ops;

	b.inputs = network.inputs = route == ROUTE_TO_SLICE ? SMS : SLICES;
	b.outputs = network.outputs = route == ROUTE_TO_SLICE ? SLICES : SMS;
	set_all(b.rig, settings);
	b.network = ops->create(plugin, part, &network, b.rig->config, &b.rig->arena, &b.rig->err);
	for (unsigned i = 0; i < b.inputs; i++) {
		b.sources[i] = source_new(b.rig, part, i, PACKETS, false);
		link_bind(b.rig->sim, (struct component *)b.sources[i], "out", 0, b.network, "in",
			i, link);
	}
	for (unsigned j = 0; j < b.outputs; j++) {
		b.sinks[j] = sink_new(b.rig, part, j, PACKETS * SMS, 1);
		link_bind(b.rig->sim, b.network, "out", j, (struct component *)b.sinks[j], "in", 0,
			link);
	}
	return b;
}

static struct bench bench_new(const char *kind, enum route route, const char *settings)
{
	return bench_far(kind, route, settings, NULL);
}

/* Lines of data from an input to `n` outputs from the first one on, in turn. */
static void load(struct bench *b, unsigned input, unsigned first, unsigned n)
{
	for (unsigned i = 0; i < PACKETS; i++) {
		unsigned to = first + (i + input) % n;
		struct packet p = packet_write(to, input, i);

		p.sm = (uint16_t)(b->inputs == SMS ? input : to);
		p.slice = (uint16_t)(b->inputs == SMS ? to : input);
		source_add(b->sources[input], 0, p);
	}
}

static uint64_t stat(const struct bench *b, const char *name)
{
	const struct plugin *p = b->network->plugin;

	for (size_t i = 0; i < p->nstats; i++)
		if (!strcmp(p->stats[i].name, name))
			return *(const uint64_t *)(const void *)((const char *)b->network +
								 p->stats[i].offset);
	fail_msg("no statistic %s", name);
	return 0;
}

/* Bytes a cycle that arrive while everybody sends. */
static double rate(struct bench *b)
{
	unsigned n = 0;

	assert_string_equal(err_text(&b->rig->err), "");
	rig_run(b->rig, TO);
	for (unsigned j = 0; j < b->outputs; j++)
		n += sink_count_between(b->sinks[j], FROM, TO);
	return n * 128.0 / (TO - FROM);
}

static const char *const kinds[] = {"crossbar", "voq"};

/* What one SM moves, to one slice and to all: its port or the slice's is the limit. */
static void ports_move_their_width_a_cycle(void **state)
{
	static const struct {
		const char *settings;
		double one, all;
	} cases[] = {
		{"", 25.6, 25.6}, /* a line and its header: five flits */
		{"noc.header_apart=1", 32, 32},
		{"noc.sm_bytes=64", 25.6, 128 / 3.0},
		{"noc.sm_bytes=64 noc.header_apart=1", 32, 64},
		{"noc.sm_bytes=64 noc.slice_bytes=64 noc.header_apart=1", 64, 64},
		{"noc.slice_bytes=64 noc.header_apart=1", 32, 32},
		{"noc.sm_bytes=128 noc.slice_bytes=64", 128 / 3.0, 64},
	};

	(void)state;
	for (unsigned k = 0; k < ARRAY_LEN(kinds); k++)
		for (unsigned i = 0; i < ARRAY_LEN(cases); i++)
			for (unsigned n = 1; n <= SLICES; n += SLICES - 1) {
				struct bench b =
					bench_new(kinds[k], ROUTE_TO_SLICE, cases[i].settings);
				double expected = n == 1 ? cases[i].one : cases[i].all, r;

				load(&b, 3, 0, n);
				r = rate(&b);
				if (r < 0.99 * expected || r > 1.01 * expected)
					fail_msg("%s %s, %u: %g, not %g", kinds[k],
						cases[i].settings, n, r, expected);
				assert_int_equal(stat(&b, "group_wait_cycles"), 0);
				rig_free(b.rig);
			}
}

static double together(const char *kind, enum route route, const char *settings, unsigned first,
	unsigned n, unsigned step)
{
	struct bench b = bench_new(kind, route, settings);
	double r;

	if (route == ROUTE_TO_SLICE)
		for (unsigned i = 0; i < n; i++)
			load(&b, first + i * step, 0, SLICES);
	else
		for (unsigned s = 0; s < SLICES; s++)
			load(&b, s, first, n);
	r = rate(&b);
	rig_free(b.rig);
	return r;
}

static void assert_near(double value, double expected, double relative)
{
	if (value < expected * (1 - relative) || value > expected * (1 + relative))
		fail_msg("%g, not %g", value, expected);
}

static void the_sms_of_a_tpc_share_its_port(void **state)
{
	static const char narrow[] =
		"noc.header_apart=1 noc.slice_bytes=64 noc.tpc_sms=2 noc.tpc_bytes=32";
	static const char wide[] =
		"noc.header_apart=1 noc.slice_bytes=64 noc.tpc_sms=2 noc.tpc_bytes=48";

	(void)state;
	for (unsigned k = 0; k < ARRAY_LEN(kinds); k++) {
		assert_near(together(kinds[k], ROUTE_TO_SLICE, narrow, 4, 1, 1), 32, 0.01);
		assert_near(together(kinds[k], ROUTE_TO_SLICE, narrow, 4, 2, 1), 32, 0.01);
		assert_near(together(kinds[k], ROUTE_TO_SLICE, narrow, 5, 2, 1), 64, 0.05);
		assert_near(together(kinds[k], ROUTE_TO_SLICE, wide, 4, 2, 1), 48, 0.02);
		assert_near(together(kinds[k], ROUTE_TO_SM, narrow, 4, 2, 1), 32, 0.01);
		assert_near(together(kinds[k], ROUTE_TO_SM, wide, 4, 2, 1), 48, 0.02);
	}
}

/* A GPC of eight SMs of 32 bytes a cycle moves 112, and another GPC as much. */
static void the_sms_of_a_gpc_share_its_port(void **state)
{
	static const char settings[] = "noc.header_apart=1 noc.slice_bytes=64 noc.tpc_bytes=64 "
				       "noc.gpc_sms=8 noc.gpc_bytes=112";

	(void)state;
	for (unsigned r = 0; r < 2; r++) {
		enum route route = r ? ROUTE_TO_SM : ROUTE_TO_SLICE;

		assert_near(together("voq", route, settings, 0, 8, 1), 112, 0.01);
		assert_near(together("voq", route, settings, 0, 16, 1), 224, 0.01);
		assert_near(together("crossbar", route, settings, 0, 8, 1), 112, 0.02);
	}
	assert_near(together("voq", ROUTE_TO_SLICE, settings, 0, 3, 1), 96, 0.01);
}

static void the_sms_of_a_group_get_equal_shares_and_their_wait_is_counted(void **state)
{
	(void)state;
	for (unsigned k = 0; k < ARRAY_LEN(kinds); k++) {
		struct bench b = bench_new(kinds[k], ROUTE_TO_SM,
			"noc.header_apart=1 noc.slice_bytes=64 noc.gpc_sms=8 noc.gpc_bytes=64");
		double all;

		for (unsigned s = 0; s < SLICES; s++)
			load(&b, s, 0, SMS);
		all = rate(&b);
		/* in one queue, packets wait behind those for the other GPC */
		if (k ? all < 127 : all < 85)
			fail_msg("%s: %g", kinds[k], all);
		for (unsigned sm = 0; sm < SMS; sm++)
			assert_near(sink_count_between(b.sinks[sm], FROM, TO) * 128.0,
				all * (TO - FROM) / SMS, 0.12);
		assert_true(stat(&b, "group_wait_cycles") > 0);
		rig_free(b.rig);
	}
}

/* From SM 3 to slice 0 it is 100 cycles farther than to slice 1: later packets to that one
 * overtake, those to one slice keep their order. */
static void packets_to_nearer_outputs_overtake(void **state)
{
	static const char *const all[] = {"crossbar", "voq", "ideal", "router"};
	static uint32_t extra[SMS * SLICES];

	(void)state;
	extra[3 * SLICES] = 100 * CORE_PERIOD_PS;
	for (unsigned k = 0; k < ARRAY_LEN(all); k++) {
		struct bench b = bench_far(all[k], ROUTE_TO_SLICE, "", extra);
		uint64_t alone;

		for (unsigned i = 0; i < 4; i++)
			source_add(b.sources[3], 10 + i, packet_read(i / 2 * (i % 2), 3, i));
		source_add(b.sources[3], 500, packet_read(1, 3, 9));
		assert_int_equal(rig_run(b.rig, 1000), RUN_STARVED);
		assert_int_equal(sink_count(b.sinks[0]), 3);
		assert_int_equal(sink_count(b.sinks[1]), 2);
		alone = sink_arrival(b.sinks[1], 1)->cycle - 500;
		assert_int_equal(sink_arrival(b.sinks[1], 0)->cycle, 13 + alone);
		for (unsigned i = 0; i < 3; i++) {
			const struct arrival *a = sink_arrival(b.sinks[0], i);

			assert_int_equal(a->packet.tag, i);
			assert_int_equal(a->cycle, 10 + i + 100 + alone);
		}
		rig_free(b.rig);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ports_move_their_width_a_cycle),
		cmocka_unit_test(packets_to_nearer_outputs_overtake),
		cmocka_unit_test(the_sms_of_a_tpc_share_its_port),
		cmocka_unit_test(the_sms_of_a_gpc_share_its_port),
		cmocka_unit_test(the_sms_of_a_group_get_equal_shares_and_their_wait_is_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
