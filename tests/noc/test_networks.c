/* Workloads through every kind of network, end to end, and traffic through one alone: results are
 * right, threads have no effect, errors are reported. */
#include "tests/rig/support_cli.h"

#include <stdio.h>
#include <string.h>

#include "core/base.h"
#include "core/mem.h"

#define BOTH(name, value) " --set noc.request." name "=" value " --set noc.reply." name "=" value
#define ALLOCATORS(name) BOTH("vc_allocator", name) BOTH("switch_allocator", name)
#define TINY BOTH("vcs", "1") BOTH("vc_flits", "1")

static const char *const networks[] = {
	"crossbar",
	"ideal",
	"voq",
	"voq" BOTH("queue", "1") " --set chip.link_queue=1",
	"router" ALLOCATORS("round_robin"),
	"router" ALLOCATORS("islip") BOTH("iterations", "3"),
	"router" ALLOCATORS("input_first") BOTH("input_speedup", "2"),
	"router" ALLOCATORS("output_first") BOTH("passes", "2"),
	"router" TINY " --set chip.link_queue=1",
	"mesh",
	"mesh" ALLOCATORS("round_robin") TINY " --set chip.link_queue=1",
	"mesh" BOTH("flit_bytes", "64") BOTH("width", "11") BOTH("route_cycles", "1"),
};

/* bfs has uncoalesced reads and writes; vectoradd reads and writes whole lines. */
static void workloads_are_right_through_every_network(void **state)
{
	static const char *const workloads[] = {"vectoradd", "bfs --set bfs.n=1024"};
	const struct desk *d = *state;
	char arguments[1000];

	for (size_t i = 0; i < ARRAY_LEN(networks); i++) {
		for (size_t w = 0; w < ARRAY_LEN(workloads); w++) {
			snprintf(arguments, sizeof(arguments),
				"run %s --quiet --set chip.network=%s", workloads[w], networks[i]);
			if (desk_run(d, arguments))
				fail_msg("%s: %s", arguments, desk_content(d, "err"));
		}
	}
}

static void threads_cannot_be_seen_through_any_network(void **state)
{
	const struct desk *d = *state;
	char arguments[1000];

	for (size_t i = 2; i < ARRAY_LEN(networks); i++) {
		char *one, *two;

		snprintf(arguments, sizeof(arguments),
			"run vectoradd --csv %%F/1 --quiet --set chip.network=%s", networks[i]);
		assert_int_equal(desk_run(d, arguments), 0);
		snprintf(arguments, sizeof(arguments),
			"run vectoradd --csv %%F/2 --threads 2 --no-pin --quiet "
			"--set chip.network=%s",
			networks[i]);
		assert_int_equal(desk_run(d, arguments), 0);
		one = desk_content(d, "1");
		two = desk_content(d, "2");
		assert_string_equal(one, two);
		mem_free(one);
		mem_free(two);
	}
}

/* Its variants replace the network, and the router's parameters have no effect there. */
static void compare_takes_a_network_with_parameters_of_its_own(void **state)
{
	const struct desk *d = *state;

	assert_int_equal(desk_run(d, "compare vectoradd --set chip.network=router "
				     "--set noc.request.vcs=2 --against noc.reply.passes=2"),
		0);
	assert_says(d, "out", "+ network");
	assert_int_equal(desk_run(d, "compare vectoradd --set chip.network=router "
				     "--set noc.request.vcz=2"),
		3);
	assert_says(d, "err", "unknown parameter 'noc.request.vcz'");
}

/* ---- replay noc */
static void a_rate_below_saturation_comes_out_again(void **state)
{
	static const char *const kinds[] = {"crossbar", "ideal", "router", "mesh", "voq"};
	const struct desk *d = *state;
	char arguments[200];

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		json_t *j, *point;
		double offered;

		snprintf(arguments, sizeof(arguments),
			"replay noc uniform:8x4 --network %s --loads 0.4,3 --json -", kinds[i]);
		assert_int_equal(desk_run(d, arguments), 0);
		j = desk_json(d, "out");
		point = json_array_get(json_object_get(j, "loads"), 0);
		offered = json_real_value(json_object_get(point, "accepted"));
		assert_true(offered > 0.38 && offered < 0.42);
		assert_true(json_is_true(json_object_get(point, "stable")));
		assert_true(json_is_object(json_object_get(point, "latency_cycles")));
		/* An ideal network has no limit. */
		point = json_array_get(json_object_get(j, "loads"), 1);
		assert_int_equal(json_is_true(json_object_get(point, "stable")), i == 1);
		assert_int_equal(json_is_null(json_object_get(j, "saturation_throughput")), i == 1);
		assert_true(json_is_object(json_object_get(point, "latency_cycles")) == (i == 1));
		json_decref(j);
	}
}

/* Four sources with a packet in two cycles for four outputs, each its own: without contention all
 * packets take the four cycles of a lone one. Reversed, it is the same. */
static void a_permutation_has_no_contention(void **state)
{
	static const char *const kinds[] = {"permutation", "reverse"};
	const struct desk *d = *state;
	char arguments[100];

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		char line[200], *csv;

		snprintf(arguments, sizeof(arguments),
			"replay noc %s:4x4 --loads 0.25..0.5:0.25 --csv -", kinds[i]);
		assert_int_equal(desk_run(d, arguments), 0);
		csv = desk_content(d, "out");
		snprintf(line, sizeof(line), "\nrouter,%s,4,4,1,1,0.500000,", kinds[i]);
		assert_non_null(strstr(csv, line));
		assert_non_null(strstr(strstr(csv, line), ",4.0000,4,4,4,4.0000,"));
		mem_free(csv);
	}
}

/* Half of all packets and an eighth of the others: output 0 saturates at a load of 8 / 4.5 / 8. */
static void a_hot_output_is_the_limit(void **state)
{
	const struct desk *d = *state;
	json_t *j;
	double full;

	assert_int_equal(desk_run(d, "replay noc hotspot:8x8 --loads 1 --json - "
				     "--set traffic.hot_share=0.5 --set noc.vcs=8"),
		0);
	j = desk_json(d, "out");
	full = json_real_value(json_object_get(j, "saturation_throughput"));
	if (full < 0.92 / 4.5 || full > 1.01 / 4.5)
		fail_msg("%g", full);
	json_decref(j);
}

static void a_replay_can_be_repeated_and_depends_on_its_seed(void **state)
{
	static const char arguments[] = "replay noc uniform:6x32 --loads 0.5 "
					"--set traffic.data_bytes=128 --csv %F/a";
	const struct desk *d = *state;
	char *first, *again, *other;

	assert_int_equal(desk_run(d, arguments), 0);
	first = desk_content(d, "a");
	assert_says(d, "out", "5 flits a packet, through router alone");
	assert_says(d, "out", "saturation throughput: not reached");
	assert_int_equal(desk_run(d, arguments), 0);
	again = desk_content(d, "a");
	assert_int_equal(desk_run(d, "replay noc uniform:6x32 --loads 0.5 --seed 2 --quiet "
				     "--set traffic.data_bytes=128 --csv %F/a"),
		0);
	other = desk_content(d, "a");
	assert_string_equal(first, again);
	assert_string_not_equal(first, other);
	mem_free(first);
	mem_free(again);
	mem_free(other);
}

static void faults_are_told(void **state)
{
	static const struct {
		const char *arguments;
		int code;
		const char *says;
	} cases[] = {
		{"replay noc often", 2, "must be uniform, hotspot, permutation or reverse"},
		{"replay noc uniform:0x4", 2, "1 to 512"},
		{"replay noc uniform:4", 2, "as uniform:32x12"},
		{"replay noc uniform:4x600", 2, "1 to 512"},
		{"replay noc uniform --loads 0", 2, "must be numbers above 0"},
		{"replay noc uniform --loads 0.1,nan", 2, "must be numbers above 0"},
		{"replay noc uniform --loads 0.5..0.1:0.1", 2, "must be numbers above 0"},
		{"replay noc uniform --loads 0.1..0.5:0", 2, "must be numbers above 0"},
		{"replay noc uniform --loads 0.001..1:0.001", 2, "at most 256"},
		{"replay noc uniform --network ring", 3,
			"there is no such network; there are: crossbar, ideal, mesh, router, voq"},
		{"replay noc uniform --set noc.vcs=0", 3, "noc.vcs"},
		{"replay noc uniform --set noc.vcz=1", 3, "unknown parameter 'noc.vcz'"},
		{"replay noc uniform --set traffic.data_bytes=20", 3, "a multiple of 16 bytes"},
		{"replay noc uniform --set noc.vcs=2 --set noc.input_speedup=3", 3,
			"noc.input_speedup = 3: must be at most noc.vcs = 2"},
		{"replay noc uniform --set noc.vc_allocator=luck", 3,
			"there are: input_first, islip, output_first, round_robin"},
		{"replay noc uniform --network mesh --set noc.width=4 --set noc.height=4", 3,
			"16 routers are fewer than the 44 SMs and slices"},
		{"replay noc uniform --device m12", 2, "--device: only replay dram takes it"},
		{"replay dram x --loads 1", 2, "--loads: only replay noc takes it"},
		{"replay noc uniform --json - --csv -", 2, "stdout takes one of them"},
		{"replay noc uniform --loads 0.1 --csv /nowhere/x", 9, "/nowhere/x"},
		{"replay tape x", 2, "must be dram, cache or noc"},
		{"run vectoradd --set chip.network=mesh --set noc.reply.width=2 "
		 "--set noc.reply.height=2",
			3, "noc.reply.width = 2"},
	};
	const struct desk *d = *state;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		int code = desk_run(d, cases[i].arguments);

		if (code != cases[i].code)
			fail_msg("%s: %d", cases[i].arguments, code);
		assert_says(d, "err", cases[i].says);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, desk_set_up, desk_tear_down)

/* One packet is all of its percentiles. */
static void the_percentile_of_one_packet_is_its_latency(void **state)
{
	const struct desk *d = *state;
	json_t *report, *latency;

	assert_int_equal(desk_run(d, "replay noc uniform:1x1 --loads 0.01 "
				     "--set traffic.measured_cycles=100 --quiet --json %F/j"),
		0);
	report = desk_json(d, "j");
	latency = json_object_get(
		json_array_get(json_object_get(report, "loads"), 0), "latency_cycles");
	assert_true(json_integer_value(json_object_get(latency, "most")) > 0);
	assert_int_equal(json_integer_value(json_object_get(latency, "p50")),
		json_integer_value(json_object_get(latency, "most")));
	assert_int_equal(json_integer_value(json_object_get(latency, "p99")),
		json_integer_value(json_object_get(latency, "most")));
	json_decref(report);
}

static double saturation(const struct desk *d, const char *settings)
{
	char line[256];
	json_t *report;
	double v;

	snprintf(line, sizeof(line),
		"replay noc uniform:8x8 --loads 2 --set traffic.measured_cycles=4000 "
		"--set noc.vcs=4 %s --quiet --json %%F/j",
		settings);
	assert_int_equal(desk_run(d, line), 0);
	report = desk_json(d, "j");
	v = json_number_value(json_object_get(report, "saturation_throughput"));
	json_decref(report);
	return v;
}

/* With a port of the switch for each virtual channel an input is no longer held up by its head. */
static void virtual_channels_of_an_input_have_ports_of_their_own(void **state)
{
	const struct desk *d = *state;
	double one = saturation(d, ""), four = saturation(d, "--set noc.input_speedup=4");

	assert_true(one < 0.7 && four > 0.8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(workloads_are_right_through_every_network),
		TEST(threads_cannot_be_seen_through_any_network),
		TEST(compare_takes_a_network_with_parameters_of_its_own),
		TEST(a_rate_below_saturation_comes_out_again),
		TEST(a_permutation_has_no_contention),
		TEST(the_percentile_of_one_packet_is_its_latency),
		TEST(virtual_channels_of_an_input_have_ports_of_their_own),
		TEST(a_hot_output_is_the_limit),
		TEST(a_replay_can_be_repeated_and_depends_on_its_seed),
		TEST(faults_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
