/* Pages of run and profile: whole, self-contained, with the figures of the other reports. */
#include "tests/rig/support_cli.h"

#include <stdio.h>
#include <string.h>

#include "core/base.h"
#include "core/mem.h"
#include "draw/number.h"
#include "tests/rig/markup.h"

#define PAGE_MOST 1000000u /* bytes */

static char *page_of(const struct desk *p, const char *command, int code)
{
	char message[400], *page;
	const char *wrong;

	assert_int_equal(desk_run(p, command), code);
	page = desk_content(p, "page.html");
	wrong = markup_wrong(page, message, sizeof(message));
	if (wrong)
		fail_msg("%s: %s", command, wrong);
	assert_true(strlen(page) < PAGE_MOST);
	assert_null(strstr(page, "https://www"));
	return page;
}

static void assert_has(const char *page, const char *words)
{
	if (!strstr(page, words))
		fail_msg("the page lacks: %s", words);
}

static unsigned count_of(const char *page, const char *words)
{
	unsigned n = 0;

	for (const char *at = page; (at = strstr(at, words)); at++)
		n++;
	return n;
}

static void a_page_of_a_run_has_all_sections_of_every_kernel_and_launch(void **state)
{
	static const char *const sections[] = {"<caption>Speed of Light<",
		"<caption>Instruction mix<", "<caption>Memory chart<",
		"<caption>Schedulers&#39; cycles by reason<", "<caption>Figures<"};
	const struct desk *p = *state;
	char *page = page_of(
		p, "run bfs --set bfs.n=2000 --quiet --html %F/page.html --json %F/k.json", 0);
	json_t *j = desk_json(p, "k.json");
	size_t parts = 1 + json_array_size(json_object_get(j, "kernels")) +
		       json_array_size(json_object_get(j, "launches"));
	char number[32];

	for (unsigned i = 0; i < ARRAY_LEN(sections); i++)
		assert_int_equal(count_of(page, sections[i]), parts);
	assert_int_equal(count_of(page, "<section class=\"part\""), parts);
	assert_has(page, "data-name=\"kernel bfs_expand\"");
	assert_has(
		page, number_grouped((uint64_t)json_metric(j, "smsp__inst_executed.sum"), number));
	assert_int_equal(count_of(page, "<th>"), 0); /* each has a scope */
	json_decref(j);
	mem_free(page);
}

static void a_page_changes_no_result(void **state)
{
	const struct desk *p = *state;
	char *with, *without;

	assert_int_equal(desk_run(p, "run bfs --set bfs.n=500 --quiet --csv %F/a.csv"), 0);
	assert_int_equal(desk_run(p, "run bfs --set bfs.n=500 --quiet --csv %F/b.csv "
				     "--html %F/page.html"),
		0);
	without = desk_content(p, "a.csv");
	with = desk_content(p, "b.csv");
	assert_string_equal(without, with);
	mem_free(without);
	mem_free(with);
}

static void a_run_that_was_stopped_has_a_page_that_says_so(void **state)
{
	const struct desk *p = *state;
	char *page = page_of(p, "run bfs --max-cycles 2000 --quiet --html %F/page.html", 8);

	assert_has(page, "The run is not complete");
	assert_has(page, "<caption>Speed of Light<");
	mem_free(page);
}

static void only_one_report_goes_to_stdout(void **state)
{
	const struct desk *p = *state;

	assert_int_equal(desk_run(p, "run bfs --html - --json -"), 2);
	assert_says(p, "err", "can be written to stdout");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			a_page_of_a_run_has_all_sections_of_every_kernel_and_launch, desk_set_up,
			desk_tear_down),
		cmocka_unit_test_setup_teardown(
			a_page_changes_no_result, desk_set_up, desk_tear_down),
		cmocka_unit_test_setup_teardown(a_run_that_was_stopped_has_a_page_that_says_so,
			desk_set_up, desk_tear_down),
		cmocka_unit_test_setup_teardown(
			only_one_report_goes_to_stdout, desk_set_up, desk_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
