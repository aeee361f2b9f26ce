/* warpbeam replay: traces, figures, messages. */
#include "tests/rig/support_cli.h"

#include <stdio.h>
#include <string.h>

#include "core/base.h"

static void write_trace(const struct desk *d, const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/t", d->folder);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void a_trace_of_three_reads_is_counted_by_hand(void **state)
{
	const struct desk *d = *state;
	json_t *j, *latency;

	/* A closed bank: 12 + 12 + 2 + 1 CK; its row: 3 CK after it; another row 28 CK after the
	 * first activate, and 12 + 12 + 12 + 2 on. Accepted at 0, 1, 2. */
	write_trace(d, "# by hand\nR 0x0\n\nR 64 # hit\r\nR 0x10000\n");
	assert_int_equal(
		desk_run(d, "replay dram %F/t --device gtx480 --map RoBaBgCo --json %F/j"), 0);
	j = desk_json(d, "j");
	assert_int_equal(
		json_integer_value(json_object_get(j, "clocks")), 1 + 28 + 12 + 12 + 12 + 2);
	latency = json_object_get(j, "read_latency_from_acceptance_ck");
	assert_int_equal(json_integer_value(json_object_get(latency, "p50")), 27 + 3 - 1);
	assert_int_equal(json_integer_value(json_object_get(latency, "most")), 67 - 2);
	assert_int_equal(
		json_integer_value(json_object_get(json_object_get(j, "counts"), "row_conflicts")),
		1);
	assert_string_equal(json_text(json_object_get(j, "settings"), "dram.map"), "RoBaBgCo");
	assert_says(d, "out", "2 activates, 1 precharges, 0 refreshes");
	json_decref(j);
}

static void a_rate_below_saturation_comes_out_again(void **state)
{
	static const struct {
		const char *inject;
		double low, high;
	} cases[] = {{"cbr:0.5", 0.499, 0.501}, {"pois:0.5", 0.45, 0.55}, {"sat", 0.95, 1}};
	const struct desk *d = *state;
	char text[40000] = "", arguments[200];
	size_t n = 0;

	for (unsigned i = 0; i < 2000; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "R 0x%x\n", i * 64);
	write_trace(d, text);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		json_t *j;
		double share;

		snprintf(arguments, sizeof(arguments),
			"replay dram %%F/t --device gtx480 --inject %s --json -", cases[i].inject);
		assert_int_equal(desk_run(d, arguments), 0);
		j = desk_json(d, "out");
		share = json_real_value(json_object_get(j, "share_of_peak"));
		if (share < cases[i].low || share > cases[i].high)
			fail_msg("%s: %g", cases[i].inject, share);
		json_decref(j);
	}
}

/* Lines of 64 bytes, one of them in each of two sets: 0x0 misses, 0x44 is another line, a write to
 * 0x80 misses and evicts 0x0, 0x3c comes back and evicts it, dirty; 0x40 hits. */
static void a_trace_through_a_cache_is_counted_by_hand(void **state)
{
	const struct desk *d = *state;
	json_t *j, *n;

	write_trace(d, "0 0\n0 0x44 # the other set\n1 80\n\n0 3c\r\n2 40\n1 40\n");
	assert_int_equal(desk_run(d, "replay cache %F/t --bytes 128 --ways 1 --line-bytes 64 "
				     "--json %F/j"),
		0);
	assert_says(d, "out", "misses            3, 0.750000");
	j = desk_json(d, "j");
	n = json_object_get(j, "counts");
	assert_int_equal(json_integer_value(json_object_get(n, "reads")), 4);
	assert_int_equal(json_integer_value(json_object_get(n, "read_misses")), 3);
	assert_int_equal(json_integer_value(json_object_get(n, "write_misses")), 1);
	assert_int_equal(json_integer_value(json_object_get(n, "bytes_from_memory")), 4 * 64);
	assert_int_equal(json_integer_value(json_object_get(n, "bytes_to_memory")), 2 * 64);
	assert_int_equal(json_integer_value(json_object_get(n, "lines_given_up")), 1);
	assert_int_equal(json_integer_value(json_object_get(n, "lines_flushed")), 1);
	assert_string_equal(
		json_text(json_object_get(j, "settings"), "cache.write_policy"), "back");
	json_decref(j);
	assert_int_equal(desk_run(d, "replay cache %F/t --bytes 128 --ways 2 --line-bytes 64 "
				     "--replacement fifo --write-policy through --set "
				     "cache.write_allocate=false --json -"),
		0);
	j = desk_json(d, "out");
	n = json_object_get(j, "counts");
	assert_int_equal(json_integer_value(json_object_get(n, "read_misses")), 2);
	assert_int_equal(json_integer_value(json_object_get(n, "write_misses")), 1);
	assert_int_equal(json_integer_value(json_object_get(n, "bytes_to_memory")), 2 * 4);
	json_decref(j);
}

static void faults_of_caches_are_reported(void **state)
{
	static const struct {
		const char *trace, *arguments;
		int code;
		const char *says;
	} cases[] = {
		{"0 0\n3 0\n", "", 3, "t:2: must be '0 ADDRESS' (a read)"},
		{"0 0x\n", "", 3, "t:1: must be"},
		{"0 12g\n", "", 3, "t:1: must be"},
		{"0 11112222333344445\n", "", 3, "t:1: must be"},
		{"00\n", "", 3, "t:1: must be"},
		{"\n", "", 3, "no access in it"},
		{"0 0\n", "--bytes 1000", 3, "must be a multiple of cache.ways = 4 lines of 128"},
		{"0 0\n", "--line-bytes 96", 3, "must be a power of two"},
		{"0 0\n", "--line-bytes many", 3, "cache.line_bytes"},
		{"0 0\n", "--ways 0", 3, "cache.ways = 0"},
		{"0 0\n", "--replacement mru", 3, "cache.replacement"},
		{"0 0\n", "--write-policy never", 3, "cache.write_policy"},
		{"0 0\n", "--set cache.access_bytes=64 --set cache.sectors=4", 3,
			"must fit in one sector of 32 bytes"},
		{"0 0\n", "--line-bytes 4 --set cache.sectors=8", 3, "a line has 4 bytes"},
		{"0 0\n", "--set cache.wayz=1", 3, "cache.wayz"},
		{"0 0\n", "--map RoBaBgCo", 2, "--map: only replay dram takes it"},
	};
	const struct desk *d = *state;
	char arguments[200];

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		write_trace(d, cases[i].trace);
		snprintf(arguments, sizeof(arguments), "replay cache %%F/t %s", cases[i].arguments);
		if (desk_run(d, arguments) != cases[i].code)
			fail_msg("%s, %s", cases[i].trace, cases[i].arguments);
		assert_says(d, "err", cases[i].says);
	}
	write_trace(d, "R 0\n");
	assert_int_equal(desk_run(d, "replay dram %F/t --ways 4"), 2);
	assert_says(d, "err", "--ways: only replay cache takes it");
}

static void faults_are_reported_with_their_location(void **state)
{
	static const struct {
		const char *trace, *arguments;
		int code;
		const char *says;
	} cases[] = {
		{"R 0x0\nX 0x40\n", "", 3, "t:2: must be 'R ADDRESS' or 'W ADDRESS'"},
		{"R 0x0\nR 0xg\n", "", 3, "t:2: must be"},
		{"R\n", "", 3, "t:1: must be"},
		{"# none\n", "", 3, "no access in it"},
		{"R 0\n", "--inject cbr:0", 2, "must be sat, cbr:SHARE or pois:SHARE"},
		{"R 0\n", "--inject often", 2, "must be sat, cbr:SHARE or pois:SHARE"},
		{"R 0\n", "--inject pois:nan", 2, "must be sat, cbr:SHARE or pois:SHARE"},
		{"R 0\n", "--device gddr9", 3, "must be one of m12, gtx480"},
		{"R 0\n", "--map RoBaCo", 3, "Bg: missing bits"},
		{"R 0\n", "--scheduler fifo", 3, "dram.scheduler"},
		{"R 0\n", "--set dram.queue=0", 3, "dram.queue"},
		{"R 0\n", "--set dram.rowz=1", 3, "dram.rowz"},
	};
	const struct desk *d = *state;
	char arguments[200];

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		write_trace(d, cases[i].trace);
		snprintf(arguments, sizeof(arguments), "replay dram %%F/t %s", cases[i].arguments);
		if (desk_run(d, arguments) != cases[i].code)
			fail_msg("%s, %s", cases[i].trace, cases[i].arguments);
		assert_says(d, "err", cases[i].says);
	}
	assert_int_equal(desk_run(d, "replay noc %F/t"), 2);
	assert_int_equal(desk_run(d, "replay dram %F/nothing"), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			a_trace_of_three_reads_is_counted_by_hand, desk_set_up, desk_tear_down),
		cmocka_unit_test_setup_teardown(
			a_rate_below_saturation_comes_out_again, desk_set_up, desk_tear_down),
		cmocka_unit_test_setup_teardown(
			faults_are_reported_with_their_location, desk_set_up, desk_tear_down),
		cmocka_unit_test_setup_teardown(
			a_trace_through_a_cache_is_counted_by_hand, desk_set_up, desk_tear_down),
		cmocka_unit_test_setup_teardown(
			faults_of_caches_are_reported, desk_set_up, desk_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
