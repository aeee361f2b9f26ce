/* Mei et al.'s rules (NPC 2014) on known caches, and what their tables look like here. */
#include "tests/rig/support_cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "core/mem.h"
#include "mem/cache.h"
#include "tests/rig/policies.h"

#include <jansson.h>

#define WORD 4u

/* ---- section 3.2: capacity C, line b, sets a */
struct known {
	struct cache *cache;
	unsigned line, sets, ways;
};

static struct known known_of(unsigned line, unsigned sets, unsigned ways, struct arena *arena)
{
	struct cache_config config = {.bytes = (uint64_t)line * sets * ways,
		.ways = ways,
		.seed = 1,
		.interleave = 1,
		.block = 1,
		.line_bytes = line,
		.set_bytes = line};

	config.replacement = test_policy("replacement", "lru", arena);
	return (struct known){cache_new(&config, arena), line, sets, ways};
}

/* Misses of a pass over n words in the steady state. */
static unsigned misses(const struct known *k, unsigned words)
{
	unsigned missed = 0;

	for (unsigned pass = 0; pass < 3; pass++) {
		missed = 0;
		for (unsigned i = 0; i < words; i++) {
			uint64_t line = (uint64_t)i * WORD / k->line * k->line;
			struct victim v;

			if (test_lookup(k->cache, line, 0xff) >= 0)
				continue;
			test_fill(k->cache, line, 0xff, &v);
			missed++;
		}
	}
	return missed;
}

/* MEI-029, MEI-030. */
static void the_paper_s_rules_hold_for_known_caches(void **state)
{
	static const unsigned lines[] = {32, 64, 128, 256},
			      shapes[][2] = {{1, 16}, {4, 12}, {16, 1}, {7, 3}, {32, 4}};
	struct arena arena = {0};
	jmp_buf no_memory;

	(void)state;
	arena.escape = &no_memory;
	if (setjmp(no_memory))
		fail();
	for (unsigned i = 0; i < ARRAY_LEN(lines) * ARRAY_LEN(shapes); i++) {
		const unsigned *shape = shapes[i / ARRAY_LEN(lines)];
		unsigned b = lines[i % ARRAY_LEN(lines)], a = shape[0], ways = shape[1];
		unsigned c = a * b * ways / WORD, line = b / WORD;
		struct known k = known_of(b, a, ways, &arena);

		assert_int_equal(misses(&k, c), 0);
		assert_int_equal(misses(&k, c + 1), ways + 1);
		assert_int_equal(misses(&k, c + line), ways + 1);
		assert_int_equal(misses(&k, c + line + 1), a > 1 ? 2 * (ways + 1) : ways + 2);
		if (a > 1)
			assert_true(misses(&k, c + (a - 1) * line) < c / line + a - 1);
		assert_int_equal(misses(&k, c + (a - 1) * line + 1), c / line + a);
	}
	arena_free(&arena);
}

/* ---- figures */
static json_t *probed(const struct desk *d, const char *arguments)
{
	char command[256], *text;
	json_t *j;

	snprintf(command, sizeof(command), "probe --quiet --json - %s", arguments);
	if (desk_run(d, command))
		fail_msg("%s: %s", command, desk_content(d, "err"));
	text = desk_content(d, "out");
	j = json_loads(text, 0, NULL);
	mem_free(text);
	assert_non_null(j);
	return j;
}

static double missed_of(const json_t *probe, const char *level, double bytes)
{
	const json_t *curves = json_object_get(probe, "curves"), *dot;
	size_t i;

	json_array_foreach(curves, i,
		dot) if (!strcmp(json_string_value(json_object_get(dot, "level")), level) &&
			 json_number_value(json_object_get(dot, "footprint_bytes")) ==
				 bytes) return json_number_value(json_object_get(dot,
		"missed_pct"));
	fail_msg("%s: no footprint of %.0f bytes", level, bytes);
	return NAN;
}

static double found_of(const json_t *probe, const char *level, const char *item)
{
	const json_t *findings = json_object_get(probe, "findings"), *f;
	size_t i;

	json_array_foreach(findings, i, f)
	{
		if (!strcmp(json_string_value(json_object_get(f, "level")), level) &&
			!strcmp(json_string_value(json_object_get(f, "item")), item) &&
			json_is_true(json_object_get(f, "known")))
			return json_number_value(json_object_get(f, "number"));
	}
	fail_msg("%s, %s: not found", level, item);
	return NAN;
}

static void table_4_is_right_of_tlbs_and_ways(const json_t *probe)
{
	const double mb = 1024.0 * 1024.0;

	assert_true(found_of(probe, "L1 TLB", "page") == 2 * mb);
	assert_true(found_of(probe, "L1 TLB", "capacity") == 32 * mb);
	assert_true(found_of(probe, "L1 TLB", "sets") == 1);
	assert_true(found_of(probe, "L1 TLB", "ways") == 16);
	assert_true(found_of(probe, "L2 TLB", "capacity") == 130 * mb);
	assert_true(found_of(probe, "L2 TLB", "sets") == 7);
	for (unsigned way = 1; way <= 4; way++) {
		char item[] = "victims in way 0";

		item[sizeof(item) - 2] = (char)('0' + way);
		assert_true(fabs(found_of(probe, "L1", item) - (way == 2 ? 3 : 1) / 6.0) <= 0.02);
	}
}

/* The order of ways predicts 46 % from 20 KB on, and each set of the L2 TLB loses all its pages at
 * once: 9 more with each page after the first 18. */
static void figures_9_and_11_are_those_of_their_structures(void **state)
{
	json_t *probe = probed(*state, "--chip gtx560ti --set chip.sms=1 --set tex.bytes=1K "
				       "--set tex.ways=8 --only passes");

	for (unsigned kb = 17; kb <= 24; kb++) {
		double missed = missed_of(probe, "L1 in cyclic passes", kb * 1024.0);

		assert_true(missed <= 50);
		assert_true(kb < 20 || fabs(missed - 46) <= 1);
	}
	for (unsigned pages = 66; pages <= 72; pages++) {
		double bytes = pages * 2.0 * 1024 * 1024;
		double missed = missed_of(probe, "L2 TLB in cyclic passes", bytes) * pages / 100;

		assert_true(fabs(missed - 9 * (pages - 64)) < 1e-6);
	}
	table_4_is_right_of_tlbs_and_ways(probe);
	json_decref(probe);
}

static void latencies_of_all_patterns_come_out(void **state)
{
	static const struct {
		const char *item;
		double cycles; /* the paper's less two additions of 9 */
	} patterns[] = {{"hit, hit", 212}, {"hit, miss, hit", 218}, {"hit, miss, miss", 271},
		{"miss, hit", 353}, {"miss, miss, hit", 359}, {"miss, miss, miss", 716},
		{"another window", 982}};
	json_t *probe = probed(*state, "--chip gtx780 --set chip.sms=1 --only patterns");
	const json_t *findings = json_object_get(probe, "findings"), *f;
	unsigned found = 0;
	size_t i;

	json_array_foreach(findings, i, f) for (unsigned k = 0; k < ARRAY_LEN(patterns); k++)
	{
		const char *item = json_string_value(json_object_get(f, "item"));
		const char *level = json_string_value(json_object_get(f, "level"));

		if (strcmp(level, "patterns") != 0 || strcmp(item, patterns[k].item) != 0)
			continue;
		assert_true(json_number_value(json_object_get(f, "number")) == patterns[k].cycles);
		found++;
	}
	assert_int_equal(found, ARRAY_LEN(patterns));
	json_decref(probe);
}

/* ---- the tables */
static void threads_change_no_byte(void **state)
{
	const struct desk *d = *state;
	char *one = NULL;

	for (unsigned threads = 1; threads <= 4; threads *= 2) {
		char command[128], *now;

		snprintf(command, sizeof(command),
			"probe --set chip.sms=2 --set chip.channels=1 --set chip.slices=1 "
			"--only latency --threads %u",
			threads);
		assert_int_equal(desk_run(d, command), 0);
		now = desk_content(d, "out");
		if (one)
			assert_string_equal(now, one);
		mem_free(one);
		one = now;
	}
	mem_free(one);
}

static void the_book_runs_no_workload(void **state)
{
	const struct desk *d = *state;
	char *out;

	assert_int_equal(desk_run(d, "reproduce mei needle"), 2);
	assert_says(d, "err", "reproduce mei: it runs no workload, not 'needle'");
	assert_int_equal(desk_run(d, "reproduce mei-fig7 --quiet --csv -"), 0);
	assert_says(d, "out", "MEI-009");
	assert_says(d, "out", "within");
	out = desk_content(d, "out");
	assert_null(strstr(out, "missed"));
	assert_null(strstr(out, "missing"));
	mem_free(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_paper_s_rules_hold_for_known_caches),
		cmocka_unit_test_setup_teardown(figures_9_and_11_are_those_of_their_structures,
			desk_set_up, desk_tear_down),
		cmocka_unit_test_setup_teardown(
			latencies_of_all_patterns_come_out, desk_set_up, desk_tear_down),
		cmocka_unit_test_setup_teardown(
			threads_change_no_byte, desk_set_up, desk_tear_down),
		cmocka_unit_test_setup_teardown(
			the_book_runs_no_workload, desk_set_up, desk_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
