/* Mei et al.'s (NPC 2014) table 4 by timing alone, where the tables' other tests are of less, and
 * figure 5. */
#include "tests/rig/support_cli.h"

#include <string.h>

#include "core/base.h"

static const struct {
	const char *level, *item, *value;
} table4[] = {{"L1", "line", "128 bytes"}, {"L1", "capacity", "16 KB"}, {"L1", "sets", "32"},
	{"L1", "ways", "4"}, {"texture cache", "line", "32 bytes"},
	{"texture cache", "capacity", "12 KB"}, {"texture cache", "sets", "4"},
	{"texture cache", "ways", "96"}, {"texture cache", "replacement", "LRU"},
	{"L1 TLB", "page", "2 MB"}, {"L1 TLB", "capacity", "32 MB"}, {"L1 TLB", "sets", "1"},
	{"L1 TLB", "ways", "16"}, {"L1 TLB", "replacement", "LRU"},
	{"L2 TLB", "capacity", "130 MB"}, {"L2 TLB", "sets", "7"},
	{"L2 TLB", "ways", "17, 8 (6 sets)"}, {"L2 TLB", "replacement", "LRU"}};

static const char *value_of(json_t *report, const char *level, const char *item)
{
	json_t *all = json_object_get(report, "findings"), *f;
	size_t i;

	json_array_foreach(all, i,
		f) if (!strcmp(json_text(f, "level"), level) &&
		       !strcmp(json_text(f, "item"), item) &&
		       json_is_true(json_object_get(f, "known"))) return json_text(f, "value");
	return "not determined";
}

static void table_4_is_found_by_timing(void **state)
{
	const struct desk *d = *state;
	json_t *report;

	assert_int_equal(
		desk_run(d, "probe --chip gtx560ti --set chip.sms=1 --only l1,tex,tlb --quiet "
			    "--json %F/p"),
		0);
	report = desk_json(d, "p");
	for (size_t i = 0; i < ARRAY_LEN(table4); i++)
		assert_string_equal(
			value_of(report, table4[i].level, table4[i].item), table4[i].value);
	assert_string_equal(value_of(report, "L1", "replacement"), "ways in the order 1,2,1,1,3,0");
	json_decref(report);
}

/* Also of rows that set parameters, which no verdict judges. */
static void figure_5_is_within_its_bands(void **state)
{
	static const char *const claims[] = {
		"MEI-001", "MEI-002", "MEI-003", "MEI-004", "MEI-031", "MEI-005"};
	const struct desk *d = *state;
	json_t *report, *rows;

	assert_int_equal(desk_run(d, "reproduce mei-fig5 --quiet --json %F/r"), 0);
	report = desk_json(d, "r");
	rows = json_object_get(report, "rows");
	for (size_t i = 0; i < ARRAY_LEN(claims); i++) {
		const json_t *row = json_array_get(rows, i);
		double ours = json_number_value(json_object_get(row, "ours"));

		assert_string_equal(json_string_value(json_object_get(row, "claim")), claims[i]);
		assert_true(ours >= json_number_value(json_object_get(row, "low")));
		assert_true(ours <= json_number_value(json_object_get(row, "high")));
	}
	json_decref(report);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, desk_set_up, desk_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(table_4_is_found_by_timing),
		TEST(figure_5_is_within_its_bands),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
