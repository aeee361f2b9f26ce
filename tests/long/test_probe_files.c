/* warpbeam probe's files: a recording gives the report of the chip, for each part; any
 * number of threads gives the same bytes. */
#include "tests/rig/support_cli.h"

#include <stdio.h>
#include <string.h>

#include "core/base.h"
#include "core/mem.h"

#define SMALL \
	"--set chip.sms=1 --set chip.channels=1 --set chip.slices=1 --set l2.bytes=16K " \
	"--set storage.partitioned.cache_bytes=4K "
#define PAGES "--set mmu.page_bytes=64K --set mmu.l1_entries=4 --set mmu.l2_sets=6,4 "

static const char *const parts[] = {
	"latency", "l1", "tex", "l2", "shared", "patterns", "passes", "stairs"};

/* What is below the first line, which names the machine. */
static char *below_first(const struct desk *d, const char *name)
{
	char *all = desk_content(d, name), *rest = mem_strdup(strchr(all, '\n'));

	mem_free(all);
	return rest;
}

static void is_replayed(const struct desk *d, const char *part, const char *settings)
{
	char command[512], *live, *replayed;

	snprintf(command, sizeof(command), "probe " SMALL "%s--only %s --record %%F/r.txt",
		settings, part);
	assert_int_equal(desk_run(d, command), 0);
	live = below_first(d, "out");
	snprintf(command, sizeof(command), "probe --only %s --replay %%F/r.txt", part);
	assert_int_equal(desk_run(d, command), 0);
	replayed = below_first(d, "out");
	assert_string_equal(replayed, live);
	mem_free(live);
	mem_free(replayed);
}

static void a_recording_gives_the_report_of_the_chip(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(parts); i++)
		is_replayed(*state, parts[i], "");
	is_replayed(*state, "tlb", PAGES "--set l2.bytes=128K ");
}

static void any_number_of_threads_gives_the_same_bytes(void **state)
{
	const struct desk *d = *state;
	char command[512], *first = NULL;

	for (unsigned threads = 1; threads <= 4; threads *= 2) {
		char *json;

		snprintf(command, sizeof(command),
			"probe --set chip.sms=4 --set storage.partitioned.cache_bytes=4K " PAGES
			"--only l1,shared --quiet --json - --threads %u",
			threads);
		assert_int_equal(desk_run(d, command), 0);
		json = desk_content(d, "out");
		if (first)
			assert_string_equal(json, first);
		else
			first = mem_strdup(json);
		mem_free(json);
	}
	mem_free(first);
}

static void any_number_of_threads_gives_a_table_the_same_bytes(void **state)
{
	const struct desk *d = *state;
	char command[128], *first = NULL;

	for (unsigned threads = 1; threads <= 4; threads *= 2) {
		char *json;

		snprintf(command, sizeof(command),
			"reproduce mei-fig7 --quiet --json - --threads %u", threads);
		assert_int_equal(desk_run(d, command), 0);
		json = desk_content(d, "out");
		if (first)
			assert_string_equal(json, first);
		else
			first = mem_strdup(json);
		mem_free(json);
	}
	mem_free(first);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, desk_set_up, desk_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_recording_gives_the_report_of_the_chip),
		TEST(any_number_of_threads_gives_the_same_bytes),
		TEST(any_number_of_threads_gives_a_table_the_same_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
