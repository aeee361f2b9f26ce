/* warpbeam compare --hardware: scores, and what is in none, of a file of results by hand. */
#include "tests/rig/markup.h"
#include "tests/rig/support_cli.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/err.h"
#include "core/file.h"
#include "core/mem.h"

static void put(const struct desk *d, const char *name, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", d->folder, name);
	assert_int_equal(file_write(NULL, path, text, strlen(text), NULL), 0);
}

/* A target whose launches take 2 us of the GPU's time each, at 1 GHz. */
#define TARGET(name, set, check, launches, us) \
	"{\"target\": \"" name "\", \"size\": \"small\", \"set\": [" set "], \"code\": 0, " \
	"\"check\": \"" check "\", \"launches\": " #launches ", \"us\": {\"median\": " #us "}, " \
	"\"clock_before\": {\"mhz\": 900, \"empty_launch_us\": 2}, " \
	"\"clock_after\": {\"mhz\": 1100, \"empty_launch_us\": 3}}"
#define HEAD(stand_in) \
	"{\"schema\": \"warpbeam-hardware/1\", \"date\": \"2026-01-31\", \"seed\": 1, " \
	"\"stand_in\": " stand_in ", \"gpu\": {\"name\": \"a GPU\"}, \"targets\": ["

static const char results[] = HEAD("false") TARGET("vectoradd", "\"vectoradd.n=1000\"", "passed", 1,
	12) "," TARGET("vectoradd", "\"vectoradd.n=4000\"", "passed", 2, 10) "," TARGET("vectoradd",
	"\"vectoradd.n=40000\"", "passed", 1,
	22) "," TARGET("vectoradd", "\"vectoradd.n=2000\"", "passed", 2, 5) "," TARGET("vectoradd",
	"\"vectoradd.n=3000\"", "failed", 1, 30) "," TARGET("throughput", "", "passed", 1, 30) "]}";

static double number(json_t *j, const char *key)
{
	assert_true(json_is_number(json_object_get(j, key)));
	return json_number_value(json_object_get(j, key));
}

/* Pearson's, of the logarithms of ours and the GPU's. */
static double correlation(json_t *t, const double *cycles)
{
	double x[3], y[3], mx = 0, my = 0, xy = 0, xx = 0, yy = 0;

	for (unsigned i = 0; i < 3; i++) {
		mx += (x[i] = log(number(json_array_get(t, i), "cycles"))) / 3;
		my += (y[i] = log(cycles[i])) / 3;
	}
	for (unsigned i = 0; i < 3; i++) {
		xy += (x[i] - mx) * (y[i] - my);
		xx += (x[i] - mx) * (x[i] - mx);
		yy += (y[i] - my) * (y[i] - my);
	}
	return xy / sqrt(xx * yy);
}

static void scores_are_of_cycles_without_launches(void **state)
{
	static const double cycles[] = {10000, 6000, 20000};
	const struct desk *d = *state;
	double logs = 0, errors = 0;
	json_t *j, *t;

	put(d, "gpu.json", results);
	assert_int_equal(desk_run(d, "compare --hardware %F/gpu.json --chip m12 --set chip.sms=2 "
				     "--json %F/j --svg %F/s --csv %F/c"),
		0);
	j = desk_json(d, "j");
	t = json_object_get(j, "targets");
	assert_int_equal(json_array_size(t), 6);
	for (unsigned i = 0; i < 3; i++) {
		json_t *row = json_array_get(t, i);
		double ratio = number(row, "cycles") / cycles[i];

		assert_true(fabs(number(row, "gpu_cycles") - cycles[i]) < 1e-6);
		assert_true(fabs(number(row, "ratio") - ratio) < 1e-9);
		assert_true(json_is_null(json_object_get(row, "not_scored")));
		logs += log(ratio) / 3;
		errors += 100 * fabs(ratio - 1) / 3;
	}
	assert_int_equal((int)number(j, "scored"), 3);
	assert_true(fabs(number(j, "geometric_mean_ratio") - exp(logs)) < 1e-9);
	assert_true(fabs(number(j, "mean_error_pct") - errors) < 1e-6);
	/* ours are below a tenth of the GPU's: all ratios are off to the same side */
	assert_true(
		fabs(number(j, "geometric_mean_error_pct") - 100 * (exp(fabs(logs)) - 1)) < 1e-6);
	assert_true(fabs(number(j, "correlation") - correlation(t, cycles)) < 1e-9);
	/* ours grow with n; of the GPU's 1000, 4000, 40000 elements the ranks are 2, 1, 3 */
	assert_true(fabs(number(j, "rank_correlation") - 0.5) < 1e-9);
	assert_int_equal(json_array_size(json_object_get(j, "pairs")), 3);
	assert_int_equal((int)number(j, "same_signs"), 2);
	json_decref(j);
	assert_true(desk_has(d, "s") && desk_has(d, "c"));
}

static void what_failed_is_too_short_or_calibrates_is_not_scored(void **state)
{
	static const char *const why[] = {
		"shorter than its launches", "failed on the GPU", "calibrates machines"};
	const struct desk *d = *state;
	json_t *j;

	put(d, "gpu.json", results);
	assert_int_equal(desk_run(d, "compare vectoradd throughput --hardware %F/gpu.json "
				     "--chip m12 --set chip.sms=2 --json %F/j"),
		0);
	j = desk_json(d, "j");
	for (unsigned i = 0; i < 3; i++)
		assert_string_equal(json_text(json_array_get(json_object_get(j, "targets"), 3 + i),
					    "not_scored"),
			why[i]);
	json_decref(j);
}

#define POINT(group, what, warps, value, unit) \
	"{\"group\": \"" group "\", \"what\": \"" what "\", \"footprint\": 0, \"stride\": 0, " \
	"\"warps\": " #warps ", \"value\": " #value ", \"unit\": \"" unit "\"}"

/* Latencies of m12: 8 cycles of the ALU, 20 of shared memory and the SFU; an issue a
 * cycle, of which three of 35 are the loop. */
static void curves_are_measured_on_the_chip(void **state)
{
	static const double ours[] = {8, 20, 20, 32 * 32 / 35.0};
	const struct desk *d = *state;
	json_t *j, *list;

	put(d, "c.json",
		"{\"schema\": \"warpbeam-hardware/1\", \"stand_in\": false, \"gpu\": {\"name\": \"a "
		"GPU\", \"sms\": 1}, \"targets\": [], \"curves\": [" POINT(
			"latency", "add.s32", 1, 4, "cycles") "," POINT("latency",
			"rcp.approx.ftz.f32", 1, 40, "cycles") "," POINT("shared", "ld.shared.u32",
			1, 10, "cycles") "," POINT("throughput", "add.f32", 32, 62.5,
			"operations/cycle") "," POINT("latency", "popc.b32", 1, null,
			"cycles") "," POINT("latency", "nonesuch", 1, 4, "cycles") "]}");
	assert_int_equal(
		desk_run(d, "compare --hardware %F/c.json --chip m12 --wide --json %F/j"), 0);
	assert_says(d, "out", "the GPU's         ours   ratio unit");
	j = desk_json(d, "j");
	list = json_object_get(j, "curves");
	assert_int_equal(json_array_size(list), 4);
	for (unsigned i = 0; i < 4; i++) {
		json_t *row;
		bool found = false;

		for (unsigned k = 0; k < 4 && !found; k++) {
			row = json_array_get(list, k);
			found = fabs(number(row, "value") - ours[i]) < 0.07 * ours[i];
			assert_true(fabs(number(row, "ratio") * number(row, "gpu_value") -
					    number(row, "value")) < 1e-9);
		}
		assert_true(found);
	}
	json_decref(j);
}

/* What ptxas needed is recorded, and shown beside ours. */
static void registers_are_beside_each_other(void **state)
{
	const struct desk *d = *state;
	json_t *j, *kernels;

	put(d, "k.json",
		HEAD("false") "{\"target\": \"vectoradd\", \"size\": \"small\", \"set\": "
			      "[\"vectoradd.n=1000\"], \"code\": 0, \"check\": \"passed\", "
			      "\"kernels\": [{\"name\": \"vectoradd\", \"ours\": {\"registers\": 11, "
			      "\"local_bytes\": 0}, \"gpu\": {\"registers\": 12, \"local_bytes\": "
			      "16}}]}]}");
	assert_int_equal(
		desk_run(d, "compare --hardware %F/k.json --chip m12 --set chip.sms=2"), 0);
	assert_says(d, "out", "11     12           0     16");
	assert_int_equal(desk_run(d, "compare --hardware %F/k.json --chip m12 --set chip.sms=2 "
				     "--json %F/j"),
		0);
	j = desk_json(d, "j");
	kernels = json_object_get(json_array_get(json_object_get(j, "targets"), 0), "kernels");
	assert_int_equal(json_array_size(kernels), 1);
	assert_string_equal(
		json_text(json_array_get(json_object_get(j, "targets"), 0), "not_scored"),
		"no time or clock of the GPU");
	json_decref(j);
}

/* The page is also XML, and loads nothing. */
static void assert_page(const struct desk *d, const char *name)
{
	char *page = desk_content(d, name), message[200];
	const char *wrong = markup_wrong(page, message, sizeof(message));

	if (wrong)
		fail_msg("%s", wrong);
	mem_free(page);
}

/* What the SMs' clocks counted goes before the time, even one that is shorter than its launches;
 * the table of variants says which runs are pairs, and in which direction. */
#define COUNTED(set, cycles) \
	"{\"target\": \"transpose\", \"size\": \"small\", \"set\": [" set "], \"code\": 0, " \
	"\"check\": \"passed\", \"launches\": 1, \"us\": {\"median\": 3}, " \
	"\"clocked_cycles\": " #cycles \
	", \"clock_before\": {\"mhz\": 900, \"empty_launch_us\": 2}, " \
	"\"clock_after\": {\"mhz\": 1100, \"empty_launch_us\": 3}}"

static void variants_are_pairs_by_their_counted_cycles(void **state)
{
	static const char *const from[] = {"naive", "tiled"}, *const to[] = {"tiled", "height=160"};
	const struct desk *d = *state;
	json_t *j, *pairs;

	put(d, "v.json",
		HEAD("false") COUNTED("\"transpose.height=160\"", 3000) "," COUNTED(
			"\"transpose.height=160\", \"transpose.kernel=naive\"",
			9000) "," COUNTED("\"transpose.height=160\", \"transpose.kernel=tiled\"",
			2000) "]}");
	assert_int_equal(desk_run(d, "compare --hardware %F/v.json --chip m12 --json %F/j "
				     "--html %F/p.html"),
		0);
	j = desk_json(d, "j");
	assert_int_equal((int)number(j, "scored"), 3);
	assert_string_equal(
		json_text(json_array_get(json_object_get(j, "targets"), 0), "gpu_cycles_by"),
		"clock64");
	pairs = json_object_get(j, "pairs");
	assert_int_equal(json_array_size(pairs), 2);
	for (unsigned i = 0; i < 2; i++) {
		json_t *p = json_array_get(pairs, i);

		assert_non_null(strstr(json_text(p, "from"), from[i]));
		assert_non_null(strstr(json_text(p, "to"), to[i]));
		assert_true(number(p, "speedup") > 1); /* tiles, then padding */
		assert_int_equal(json_is_true(json_object_get(p, "same_sign")), !i);
	}
	assert_true(number(json_array_get(pairs, 0), "gpu_speedup") == 4.5);
	assert_int_equal((int)number(j, "same_signs"), 1);
	json_decref(j);
	assert_says(d, "p.html", "a word of padding in each row of a tile");
	assert_page(d, "p.html");
}

/* The page is well-formed, and a plot whose points are where their cycles are. */
static void the_page_has_a_scatter_plot(void **state)
{
	const struct desk *d = *state;

	put(d, "gpu.json", results);
	assert_int_equal(desk_run(d, "compare --hardware %F/gpu.json --chip m12 --set chip.sms=2 "
				     "--html %F/p.html --svg %F/s"),
		0);
	/* the GPU's 6,000 to 20,000 cycles and our hundreds: 1e2 to 1e5 in 400 pixels; 10,000 are
	 * two decades from the left */
	assert_says(d, "p.html", "cx=\"330.7\"");
	assert_says(d, "p.html", "the GPU, cycles");
	assert_says(d, "p.html", "<line x1=\"64.0\" y1=\"280.0\" x2=\"464.0\" y2=\"40.0\"");
	assert_says(d, "p.html", "prefers-color-scheme:dark");
	assert_says(d, "p.html", "not scored: calibrates machines");
	assert_page(d, "p.html");
	assert_says(d, "p.html", "<caption>Targets<");
	assert_says(d, "s", "prefers-color-scheme:dark");
}

static void files_of_no_gpu_are_refused(void **state)
{
	const struct desk *d = *state;

	put(d, "s.json", HEAD("true") TARGET("vectoradd", "", "passed", 1, 12) "]}");
	assert_int_equal(desk_run(d, "compare --hardware %F/s.json --chip m12"), ERR_INPUT);
	assert_says(d, "err", "was made by a stand-in for a driver, without a GPU");
	put(d, "o.json", "{\"schema\": 1}");
	assert_int_equal(desk_run(d, "compare --hardware %F/o.json --chip m12"), ERR_INPUT);
	assert_says(d, "err", "is no file of warpbeam hardware --json");
	put(d, "b.json", "{\"schema\": ");
	assert_int_equal(desk_run(d, "compare --hardware %F/b.json --chip m12"), ERR_INPUT);
	put(d, "gpu.json", results);
	assert_int_equal(
		desk_run(d, "compare needle --hardware %F/gpu.json --chip m12"), ERR_INPUT);
	assert_says(d, "err", "has none of the targets");
	assert_int_equal(desk_run(d, "compare --hardware %F/gpu.json"), ERR_USAGE);
	assert_says(d, "err", "--hardware needs --chip");
	assert_int_equal(
		desk_run(d, "compare --hardware %F/gpu.json --chip m12 --together"), ERR_USAGE);
	assert_int_equal(desk_run(d, "compare"), ERR_USAGE);
}

int main(void)
{
#define test(f) cmocka_unit_test_setup_teardown(f, desk_set_up, desk_tear_down)
	const struct CMUnitTest tests[] = {
		test(scores_are_of_cycles_without_launches),
		test(what_failed_is_too_short_or_calibrates_is_not_scored),
		test(curves_are_measured_on_the_chip),
		test(registers_are_beside_each_other),
		test(variants_are_pairs_by_their_counted_cycles),
		test(the_page_has_a_scatter_plot),
		test(files_of_no_gpu_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
