/* warpbeam profile: schedulers' cycles by line are those of the run, and have their causes. */
#include "tests/rig/support_cli.h"

#include <stdio.h>
#include <string.h>

#include "core/base.h"
#include "core/mem.h"

static json_t *table(json_t *report, const char *name)
{
	return json_object_get(json_object_get(report, "profile"), name);
}

static json_int_t sum(json_t *report, const char *name, const char *column)
{
	json_int_t all = 0;
	json_t *row;
	size_t i;

	assert_true(json_array_size(table(report, name)) > 0);
	json_array_foreach(table(report, name), i, row)
	{
		assert_true(json_is_integer(json_object_get(row, column)));
		all += json_integer_value(json_object_get(row, column));
	}
	return all;
}

static const char *const reasons[] = {"wait", "short_scoreboard", "imc_miss", "no_instruction",
	"long_scoreboard", "barrier", "membar", "lg_throttle", "mio_throttle", "math_pipe_throttle",
	"tex_throttle", "not_selected", "drain"};
static const char *const tables[] = {"lines", "kernels", "sms", "total"};

static void compare(json_t *j, json_t *run)
{
	for (unsigned t = 0; t < ARRAY_LEN(tables); t++)
		for (unsigned i = 0; i < ARRAY_LEN(reasons); i++) {
			char metric[64], stalled[64], caused[64];

			snprintf(metric, sizeof(metric), "sched__cycles_%s.sum", reasons[i]);
			snprintf(stalled, sizeof(stalled), "stalled_%s", reasons[i]);
			snprintf(caused, sizeof(caused), "caused_%s", reasons[i]);
			assert_int_equal(sum(j, tables[t], stalled), json_metric(run, metric));
			assert_int_equal(sum(j, tables[t], caused), json_metric(run, metric));
		}
	assert_int_equal(sum(j, "lines", "executed"), json_metric(run, "smsp__inst_executed.sum"));
	assert_int_equal(sum(j, "lines", "thread_executed"),
		json_metric(run, "smsp__thread_inst_executed.sum"));
	assert_int_equal(sum(j, "lines", "shared_conflicts"),
		json_metric(run, "l1tex__data_bank_conflicts_pipe_lsu.sum"));
	assert_int_equal(sum(j, "lines", "register_conflicts"),
		json_metric(run, "bank__conflicts_register.sum"));
	assert_int_equal(sum(j, "lines", "stalled_selected"),
		json_metric(run, "sched__cycles_selected.sum"));
	assert_int_equal(sum(j, "sms", "idle"), json_metric(run, "sched__cycles_idle.sum"));
}

static void sums_are_the_runs(void **state)
{
	static const char *const runs[] = {"%S/transpose.yaml", "needle --set needle.n=128",
		"bicubictexture --chip gtx680", "bfs --set bfs.n=2000 --chip v100",
		"matrixmul --set gpu.spread_banks=false",
		"matrixmul --set gpu.spread_banks=false --set sm.bank_conflicts=cycle",
		"matrixmul --set gpu.spread_banks=false --set sm.bank_conflicts=penalty",
		("needle --set needle.n=64 --set gpu.spread_banks=false --set "
		 "rf.hierarchy=hardware")};
	const struct desk *p = *state;
	unsigned some = 0;

	for (unsigned i = 0; i < ARRAY_LEN(runs); i++) {
		char command[160];
		json_t *run, *j;

		snprintf(command, sizeof(command), "run %s --quiet --json %%F/run.json", runs[i]);
		assert_int_equal(desk_run(p, command), 0);
		snprintf(command, sizeof(command), "profile %s --quiet --json %%F/p.json", runs[i]);
		assert_int_equal(desk_run(p, command), 0);
		run = desk_json(p, "run.json");
		j = desk_json(p, "p.json");
		compare(j, run);
		some += json_metric(run, "bank__conflicts_register.sum") > 0;
		json_decref(run);
		json_decref(j);
	}
	assert_in_range(some, 3, ARRAY_LEN(runs)); /* conflicts of registers */
}

/* Its loads and stores wait for space in the queue; the stores' lines fill it. */
static void a_scattered_store_has_what_it_caused(void **state)
{
	const struct desk *p = *state;
	json_int_t all, store = 0;
	json_t *j, *row;
	size_t i;

	assert_int_equal(desk_run(p, "profile %S/transpose.yaml --top 1 --json %F/p.json"), 0);
	assert_says(p, "out", "stalls by PTX line");
	assert_says(p, "out", "% lg_throttle");
	j = desk_json(p, "p.json");
	all = sum(j, "total", "caused_lg_throttle");
	json_array_foreach(table(j, "lines"), i, row)
	{
		if (!strncmp(json_text(row, "ptx"), "st.global", 9))
			store += json_integer_value(json_object_get(row, "caused_lg_throttle"));
	}
	assert_true(all > sum(j, "total", "cycles"));
	assert_true(10 * store > 9 * all);
	json_decref(j);
}

/* One kernel is the whole. */
static void several_kernels_have_a_table(void **state)
{
	const struct desk *p = *state;
	char *text;

	assert_int_equal(desk_run(p, "profile backprop --set chip.sms=4 --top 2"), 0);
	assert_says(p, "out", "\nstalls by kernel ");
	assert_says(p, "out", "\nbackprop_adjust ");
	assert_int_equal(desk_run(p, "profile %S/transpose.yaml --top 2"), 0);
	text = desk_content(p, "out");
	assert_null(strstr(text, "stalls by kernel"));
	mem_free(text);
}

#define CLI_TEST(f) cmocka_unit_test_setup_teardown(f, desk_set_up, desk_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLI_TEST(sums_are_the_runs),
		CLI_TEST(a_scattered_store_has_what_it_caused),
		CLI_TEST(several_kernels_have_a_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
