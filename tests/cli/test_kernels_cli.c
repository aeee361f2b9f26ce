/* warpbeam run and profile: figures of each kernel and launch, which add up to the run's. */
#include "tests/rig/support_cli.h"

#include <stdio.h>
#include <string.h>

#include "core/base.h"
#include "core/mem.h"

#define ADDING 12
static const char *const adding[ADDING] = {"smsp__inst_executed.sum", "sched__cycles_wait.sum",
	"sched__cycles_idle.sum", "dram__bytes_read.sum", "lts__t_sectors_op_read.sum",
	"l1tex__t_lines_load.sum", "noc_request__flits.sum", "bank__inst_most_1.sum",
	"smsp__operations_int.sum", "smsp__bytes_shared.sum", "l1tex__granule_bytes.sum",
	"l1tex__m_granule_bytes_sent.sum"};

static json_t *load(const struct desk *p, const char *what)
{
	char command[256];

	snprintf(command, sizeof(command), "run %s --quiet --json %%F/k.json", what);
	assert_int_equal(desk_run(p, command), 0);
	return desk_json(p, "k.json");
}

static json_int_t sum(json_t *report, const char *list, const char *metric)
{
	json_int_t all = 0;
	json_t *j;
	size_t i;

	json_array_foreach(json_object_get(report, list), i, j)
	{
		json_t *metrics = json_object_get(j, "metrics");

		if (json_is_object(metrics))
			all += json_integer_value(json_object_get(metrics, metric));
	}
	return all;
}

static void launches_and_kernels_add_up_to_the_run(void **state)
{
	const struct desk *p = *state;
	json_t *j = load(p, "bfs --set bfs.n=2000");

	assert_true(json_array_size(json_object_get(j, "launches")) > 4);
	assert_int_equal(json_array_size(json_object_get(j, "kernels")), 2);
	assert_int_equal(json_array_size(json_object_get(j, "groups")), 0);
	for (unsigned i = 0; i < ADDING; i++) {
		assert_int_equal(sum(j, "launches", adding[i]), json_metric(j, adding[i]));
		assert_int_equal(sum(j, "kernels", adding[i]), json_metric(j, adding[i]));
	}
	json_decref(j);
}

static void overlapping_launches_have_one_row(void **state)
{
	const struct desk *p = *state;
	json_t *j = load(p, "%S/placed.yaml"), *first;

	first = json_array_get(json_object_get(j, "launches"), 0);
	assert_true(json_is_null(json_object_get(first, "metrics")));
	assert_int_equal(json_integer_value(json_object_get(first, "group")), 0);
	first = json_array_get(json_object_get(j, "groups"), 0);
	assert_true(json_is_true(json_object_get(first, "overlap")));
	assert_true(json_is_null(json_object_get(first, "kernel")));
	for (unsigned i = 0; i < ADDING; i++)
		assert_int_equal(sum(j, "groups", adding[i]) + sum(j, "launches", adding[i]),
			json_metric(j, adding[i]));
	json_decref(j);
}

static void the_text_shows_the_slowest_or_what_is_chosen(void **state)
{
	const struct desk *p = *state;

	assert_int_equal(desk_run(p, "run bfs --set bfs.n=2000"), 0);
	assert_says(p, "out", "\nkernel bfs_expand, the slowest");
	assert_says(p, "out", "\nall launches together\n");
	assert_int_equal(desk_run(p, "run bfs --set bfs.n=2000 --kernel bfs_advance"), 0);
	assert_says(p, "out", "\nkernel bfs_advance\n");
	assert_says(p, "out", "\nlaunch ");
	assert_int_equal(desk_run(p, "run bfs --set bfs.n=2000 --launch 2"), 0);
	assert_says(p, "out", "\nlaunch 2, kernel bfs_expand, from cycle ");
	assert_int_equal(desk_run(p, "run vectoradd --wide"), 0);
	assert_says(p, "out",
		"4 CTAs on an SM, limited by warp slots\n"
		"            warps by registers a thread  16:32 ");
}

static void kernels_are_called_as_in_their_source(void **state)
{
	const struct desk *p = *state;
	json_t *j, *kernel;

	assert_int_equal(desk_run(p, "run %S/steps.yaml --kernel ns::step --json %F/k.json"), 0);
	assert_says(p, "out", "\nns::step      ");
	assert_says(p, "out", "\nadd<int, 4>   ");
	assert_says(p, "out", "\nkernel ns::step, the slowest");
	j = desk_json(p, "k.json");
	kernel = json_array_get(json_object_get(j, "kernels"), 0);
	assert_string_equal(json_text(kernel, "name"), "ns::step");
	assert_non_null(strstr(json_text(kernel, "kernel"), "_ZN2ns4step"));
	assert_int_equal(desk_run(p, "run %S/steps.yaml --kernel step"), 0);
	assert_says(p, "out", "\nkernel ns::step, the slowest");
	json_decref(j);
}

static void what_there_is_not_is_refused(void **state)
{
	const struct desk *p = *state;

	assert_int_equal(desk_run(p, "run vectoradd --launch 1"), 2);
	assert_says(p, "err", "--launch 1: the run has 1 launch, counted from 0");
	assert_int_equal(desk_run(p, "run vectoradd --kernel add"), 2);
	assert_says(p, "err", "--kernel add: none of that name was launched; there is vectoradd");
	assert_int_equal(desk_run(p, "run vectoradd --launch -1"), 2);
	assert_int_equal(desk_run(p, "run bfs --set bfs.n=2000 --timed bfs_advance --launch 0"), 2);
	assert_says(p, "err", "--launch 0: it did not run in time, and has no figures");
}

static void a_profile_has_them_as_tables(void **state)
{
	const struct desk *p = *state;
	json_t *j, *row, *rows;
	json_int_t executed = 0;
	size_t i;
	char *csv;

	assert_int_equal(desk_run(p, "profile bfs --set bfs.n=2000 --quiet --json %F/p.json "
				     "--csv %F/p.csv"),
		0);
	j = desk_json(p, "p.json");
	rows = json_object_get(json_object_get(j, "profile"), "launch_metrics");
	json_array_foreach(rows, i, row)
	{
		assert_int_equal(json_integer_value(json_object_get(row, "launch")), i);
		executed += json_integer_value(json_object_get(row, "smsp__inst_executed.sum"));
	}
	rows = json_object_get(json_object_get(j, "profile"), "kernel_metrics");
	json_array_foreach(rows, i, row) executed -=
		json_integer_value(json_object_get(row, "smsp__inst_executed.sum"));
	assert_int_equal(executed, 0);
	json_decref(j);
	csv = desk_content(p, "p.csv");
	assert_non_null(strstr(csv, "# launch_metrics\nlaunch,launches,kernel,"));
	mem_free(csv);
}

static void a_profile_is_of_the_kernel_or_launch_that_is_chosen(void **state)
{
	static const struct {
		const char *options, *timed; /* of each launch: a capital when it ran in time */
	} rows[] = {{"--kernel 'add<int, 4>'", "A"}, {"--kernel ns::step", "S"},
		{"--launch 1", "S"}, {"--timed 'ns::step,add<int, 4>:1'", "SA"}};
	const struct desk *p = *state;

	for (unsigned i = 0; i < ARRAY_LEN(rows); i++) {
		char line[160];
		json_t *j, *kernel;
		size_t k, seen = 0;

		snprintf(line, sizeof(line), "profile %%S/steps.yaml --quiet --json %%F/p.json %s",
			rows[i].options);
		assert_int_equal(desk_run(p, line), 0);
		j = desk_json(p, "p.json");
		json_array_foreach(
			json_object_get(json_object_get(j, "profile"), "kernels"), k, kernel)
		{
			const char *name = json_text(kernel, "source");
			char letter = *name == 'a' ? 'A' : *name == 'n' ? 'S' : 'G';
			bool timed = json_integer_value(json_object_get(kernel, "executed")) > 0;

			assert_int_equal(timed, strchr(rows[i].timed, letter) != NULL);
			seen += timed;
		}
		assert_int_equal(seen, strlen(rows[i].timed));
		json_decref(j);
	}
	assert_int_equal(desk_run(p, "profile %S/steps.yaml --kernel add --timed '*'"), 2);
	assert_says(p, "err", "--kernel chooses what runs in time, as --timed does");
	assert_int_equal(desk_run(p, "profile %S/steps.yaml --launch 0 --launches 1"), 2);
	assert_says(p, "err", "--launch chooses what runs in time, as --launches does");
}

/* ---- the roofline's counts */
static json_int_t column(json_t *report, const char *table, const char *name)
{
	json_t *row;
	json_int_t all = 0;
	size_t i;

	json_array_foreach(json_object_get(json_object_get(report, "profile"), table), i, row)
	{
		if (!json_is_null(json_object_get(row, "kernel")))
			all += json_integer_value(json_object_get(row, name));
	}
	return all;
}

static void counts_of_a_profile_are_those_of_metrics(void **state)
{
	static const struct {
		const char *row, *metric;
	} same[] = {{"f16_operations", "smsp__operations_f16.sum"},
		{"f32_operations", "smsp__operations_f32.sum"},
		{"f64_operations", "smsp__operations_f64.sum"},
		{"int_operations", "smsp__operations_int.sum"},
		{"shared_bytes", "smsp__bytes_shared.sum"},
		{"l1_bytes", "l1tex__granule_bytes.sum"},
		{"l2_bytes", "l1tex__m_granule_bytes_sent.sum"}, {"dram_bytes", "dram__bytes.sum"}};
	static const char *const runs[] = {"srad --set srad.n=64", "needle", "bicubictexture",
		"matrixmul --set rf.hierarchy=none --regs 16"};
	const struct desk *d = *state;

	for (unsigned k = 0; k < ARRAY_LEN(runs); k++) {
		char command[128];
		json_t *j;

		snprintf(command, sizeof(command), "profile %s --quiet --json %%F/p.json", runs[k]);
		assert_int_equal(desk_run(d, command), 0);
		j = desk_json(d, "p.json");
		assert_true(column(j, "roofline", "int_operations") > 0);
		for (unsigned i = 0; i < ARRAY_LEN(same); i++)
			if (column(j, "roofline", same[i].row) !=
				column(j, "launch_metrics", same[i].metric))
				fail_msg("%s: %s of lines: %lld, of launches: %lld", runs[k],
					same[i].row, column(j, "roofline", same[i].row),
					column(j, "launch_metrics", same[i].metric));
		json_decref(j);
	}
}

static void the_text_has_operations_by_precision(void **state)
{
	const struct desk *d = *state;
	char *out;

	assert_int_equal(desk_run(d, "run vectoradd --set vectoradd.n=4096"), 0);
	assert_says(d, "out", "\noperations  f32 ");
	assert_says(d, "out",
		" 4,096 5.953 a ns, 0.3 % of the peak; a byte: L1 0.0833, L2 0.0833, DRAM ");
	out = desk_content(d, "out");
	assert_null(strstr(out, " f64 "));
	mem_free(out);
}

static void bytes_have_units_that_fit(void **state)
{
	static const struct {
		const char *command, *says;
	} rows[] = {
		{"run %s", "DRAM        read                                           32.00 KB\n"},
		{"profile %s", "  at DRAM                                       32.00 KB "},
		{"profile %s", "\na                               16.00 KB           0 B "},
		{"exec %s --profile", " 4,096           16.00 KB "},
		{"compare %s", "\nDRAM bytes read                 32.00 KB        32.00 KB "}};
	const struct desk *d = *state;

	for (unsigned i = 0; i < ARRAY_LEN(rows); i++) {
		char command[96];

		snprintf(command, sizeof(command), rows[i].command,
			"vectoradd --set vectoradd.n=4096");
		assert_int_equal(desk_run(d, command), 0);
		assert_says(d, "out", rows[i].says);
	}
}

/* ---- Speed of Light */
static json_t *light(json_t *report, const char *unit)
{
	json_t *j;
	size_t i;

	json_array_foreach(json_object_get(report, "speed_of_light"), i, j)
	{
		if (!strcmp(json_text(j, "unit"), unit))
			return j;
	}
	fail_msg("no unit %s", unit);
	return NULL;
}

static double number(json_t *j, const char *key)
{
	return json_number_value(json_object_get(j, key));
}

static void units_are_measured_against_their_peaks(void **state)
{
	const struct desk *p = *state;
	json_t *j = load(p, "vectoradd --set chip.sms=8 --set sm.schedulers=2");
	json_t *dram = json_object_get(json_object_get(j, "metrics"),
		"dram__throughput.avg.pct_of_peak_sustained_elapsed");
	double cycles = (double)json_metric(j, "gpc__cycles_elapsed.max");

	assert_int_equal(number(light(j, "issue"), "peak"), 8 * 2 * cycles);
	assert_int_equal(
		number(light(j, "issue"), "achieved"), json_metric(j, "smsp__inst_issued.sum"));
	assert_int_equal(number(light(j, "alu"), "achieved"),
		json_metric(j, "smsp__inst_executed_pipe_alu.sum"));
	assert_int_equal(number(light(j, "l1"), "peak"), 8 * cycles);
	assert_float_equal(number(light(j, "dram"), "pct"), number(dram, "value"), 0.01);
	json_decref(j);
}

/* Of 32 lanes, 4 in a cycle. */
static void a_slow_pipe_is_active_for_longer(void **state)
{
	const struct desk *p = *state;
	json_t *j = load(p, "nbody --set chip.sms=8 --set sm.sfu_lanes=4");
	json_int_t executed = json_metric(j, "smsp__inst_executed_pipe_xu.sum");

	assert_true(executed > 0);
	assert_int_equal(json_metric(j, "sm__pipe_xu_cycles_active.sum"), 8 * executed);
	assert_int_equal(number(light(j, "xu"), "achieved"), 8 * executed);
	json_decref(j);
}

static void the_memory_chart_has_what_the_metrics_have(void **state)
{
	const struct desk *p = *state;
	json_t *j = load(p, "%S/transpose.yaml"), *chart = json_object_get(j, "memory_chart"), *e;
	json_int_t sectors = json_metric(j, "lts__t_sectors_op_read.sum");

	assert_int_equal(json_array_size(chart), 13);
	e = json_array_get(chart, 7);
	assert_string_equal(json_text(e, "to"), "L2");
	assert_int_equal(number(e, "requests"), sectors);
	assert_int_equal(number(e, "bytes"), 32 * sectors);
	e = json_array_get(chart, 8);
	assert_string_equal(json_text(e, "from"), "writes");
	assert_true(number(e, "requests") > 0);
	assert_int_equal(number(e, "requests"), json_metric(j, "lts__t_requests_op_write.sum"));
	e = json_array_get(chart, 0);
	assert_int_equal(number(e, "bytes"), json_metric(j, "smsp__bytes_shared.sum"));
	e = json_array_get(chart, 11);
	assert_string_equal(json_text(e, "from"), "DRAM");
	assert_int_equal(number(e, "bytes"), json_metric(j, "dram__bytes_read.sum"));
	assert_true(json_is_null(json_object_get(e, "hit_pct")));
	assert_true(json_equal(
		json_object_get(json_array_get(json_object_get(j, "kernels"), 0), "memory_chart"),
		chart));
	json_decref(j);
}

static json_int_t warps_at(json_t *occupancy, const char *what, json_int_t value)
{
	json_t *j;
	size_t i;

	json_array_foreach(json_object_get(occupancy, what), i, j)
	{
		if (json_integer_value(json_object_get(j, "value")) == value)
			return json_integer_value(json_object_get(j, "warps"));
	}
	fail_msg("no %s of %d", what, (int)value);
	return 0;
}

/* CTAs of 8 warps, 15 registers and 2 KB; an SM has 256 KB of registers, 64 KB of shared memory and
 * 32 warp slots. */
static void occupancy_is_told_for_other_needs(void **state)
{
	const struct desk *p = *state;
	json_t *j = load(p, "matrixmul"), *o;

	o = json_object_get(json_array_get(json_object_get(j, "kernels"), 0), "occupancy");
	assert_int_equal(warps_at(o, "registers", 64), 32);
	assert_int_equal(warps_at(o, "registers", 96), 16);
	assert_int_equal(warps_at(o, "registers", 255), 8);
	assert_int_equal(warps_at(o, "shared_bytes", 16384), 32);
	assert_int_equal(warps_at(o, "shared_bytes", 49152), 8);
	assert_int_equal(warps_at(o, "threads", 32), 32);
	json_decref(j);
}

static void the_text_names_what_binds(void **state)
{
	const struct desk *p = *state;

	assert_int_equal(desk_run(p, "run vectoradd"), 0);
	assert_says(p, "out", "            what binds: DRAM (76.8 %), then network, replies (");
	assert_says(p, "out", "\nmix         ALU ");
	assert_says(p, "out", "\nmemory      kernel -> global ");
	assert_int_equal(desk_run(p, "run vectoradd --set chip.bytes_per_ns=100000"), 0);
	assert_says(p, "out", "            what binds: network, replies (");
}

/* Kernels, lines, sums and metrics of a profile have the source's name beside that of the PTX. */
static void profiles_have_the_names_of_the_source(void **state)
{
	static const char *const tables[] = {
		"kernels", "lines", "roofline", "kernel_metrics", "launch_metrics"};
	const struct desk *d = *state;
	json_t *j, *row;

	assert_int_equal(desk_run(d, "profile %S/steps.yaml --json %F/p.json"), 0);
	assert_says(d, "out", "\nns::step    ");
	j = desk_json(d, "p.json");
	for (unsigned i = 0; i < 5; i++) {
		row = json_array_get(json_object_get(json_object_get(j, "profile"), tables[i]), 0);
		assert_non_null(strstr(json_text(row, i ? "kernel" : "name"), "_ZN2ns4step"));
		assert_string_equal(
			json_text(row, i == 1 ? "kernel_source" : "source"), "ns::step");
	}
	json_decref(j);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, desk_set_up, desk_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(launches_and_kernels_add_up_to_the_run),
		TEST(overlapping_launches_have_one_row),
		TEST(the_text_shows_the_slowest_or_what_is_chosen),
		TEST(kernels_are_called_as_in_their_source),
		TEST(what_there_is_not_is_refused),
		TEST(a_profile_has_them_as_tables),
		TEST(a_profile_is_of_the_kernel_or_launch_that_is_chosen),
		TEST(profiles_have_the_names_of_the_source),
		TEST(counts_of_a_profile_are_those_of_metrics),
		TEST(the_text_has_operations_by_precision),
		TEST(bytes_have_units_that_fit),
		TEST(units_are_measured_against_their_peaks),
		TEST(a_slow_pipe_is_active_for_longer),
		TEST(the_memory_chart_has_what_the_metrics_have),
		TEST(occupancy_is_told_for_other_needs),
		TEST(the_text_names_what_binds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
