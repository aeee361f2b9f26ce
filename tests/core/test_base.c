/* The small parts of core/: messages, text, memory, configurations, plugins, stalls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/config.h"
#include "core/mem.h"
#include "core/plugin.h"
#include "core/rng.h"
#include "core/stall.h"
#include "core/text.h"

/* A registry of the test's own instead of the build's. */
static const struct plugin oldest = {.kind = "warp scheduler", .name = "oldest"};
static const struct plugin two_level = {.kind = "warp scheduler", .name = "two_level"};
static const struct plugin lru = {.kind = "replacement", .name = "lru"};
const struct plugin *const plugins[] = {&lru, &oldest, &two_level, NULL};
const struct renamed renamed_params[] = {{"chip.cores", "chip.sms"}, {NULL, NULL}};
const struct renamed renamed_stats[] = {{NULL, NULL}};

static void messages_are_lines_and_the_first_gives_the_code(void **state)
{
	struct err err = {0}, other = {0};

	(void)state;
	assert_string_equal(err_text(&err), "");
	assert_int_equal(err_add(&err, ERR_INPUT, "a = %d", 7), -1);
	assert_int_equal(err_add(&err, ERR_USAGE, "b"), -1);
	assert_string_equal(err_text(&err), "a = 7\nb\n");
	assert_int_equal(err.code, ERR_INPUT);
	assert_int_equal(err_add(NULL, ERR_USAGE, "without a receiver"), -1);
	err_add(&other, ERR_FAULT, "c");
	err_move(&err, &other);
	assert_string_equal(err_text(&err), "a = 7\nb\nc\n");
	assert_int_equal(err.count, 3);
	assert_int_equal(other.count, 0);
	for (int i = 0; i < 100; i++)
		err_add(&other, ERR_FAULT, "%0100d", i);
	assert_int_equal(strlen(err_text(&other)), 100 * 101);
	err_clear(&err);
	err_clear(&other);
	err_clear(NULL);
}

static void of_very_many_messages_only_the_number_is_reported(void **state)
{
	struct err err = {0}, other = {0};

	(void)state;
	for (unsigned i = 0; i < 100000; i++)
		err_add(&err, ERR_INPUT, "line %u", i);
	assert_int_equal(err.count, 100000);
	assert_non_null(strstr(err_text(&err), "line 999\nand 99,000 more\n"));
	assert_null(strstr(err_text(&err), "line 1000\n"));
	err_add(&other, ERR_FAULT, "first");
	err_move(&other, &err);
	assert_int_equal(other.count, 100001);
	assert_int_equal(other.code, ERR_FAULT);
	assert_memory_equal(err_text(&other), "first\nline 0\n", 13);
	assert_non_null(strstr(err_text(&other), "line 998\nand 99,001 more\n"));
	err_more(&other, 1);
	assert_non_null(strstr(err_text(&other), "line 998\nand 99,002 more\n"));
	err_clear(&other);
	err_more(&other, 7);
	assert_string_equal(err_text(&other), "and 7 more\n");
	err_clear(&other);
}

static void a_message_survives_the_lack_of_memory(void **state)
{
	struct err err = {0};

	(void)state;
	mem_fail_after(0);
	err_add(&err, ERR_RESOURCE, "lost");
	mem_fail_after(-1);
	assert_string_equal(err_text(&err), "out of memory\n");
	assert_int_equal(err.code, ERR_RESOURCE);
	err_clear(&err);
}

static void the_nearest_name_is_suggested_and_a_strange_one_is_not(void **state)
{
	static const char *const names[] = {"chip.sms", "chip.threads", "dram.queue"};

	(void)state;
	assert_string_equal(err_nearest("chip.sm", names, 3), "chip.sms");
	assert_string_equal(err_nearest("dram.qeue", names, 3), "dram.queue");
	assert_null(err_nearest("elephant", names, 3));
	assert_null(err_nearest("chip.sms", names, 0));
}

static void text_grows_and_stops_when_memory_ends(void **state)
{
	struct text text = {0};

	(void)state;
	assert_string_equal(text_str(&text), "");
	for (int i = 0; i < 1000; i++)
		text_add(&text, "%03d,", i);
	text_bytes(&text, "xyz", 3);
	assert_int_equal(text.len, 4003);
	assert_memory_equal(text.s + 3996, "999,xyz", 8);
	mem_fail_after(0);
	for (int i = 0; i < 1000; i++)
		text_add(&text, "more and more");
	mem_fail_after(-1);
	assert_true(text.failed);
	assert_int_equal(strlen(text_str(&text)), text.len);
	text_clear(&text);
	text_clear(NULL);
}

static void memory_is_zero_aligned_counted_and_can_fail(void **state)
{
	uint64_t before = mem_calls();
	unsigned char *block = mem_alloc(3, 50);

	(void)state;
	assert_int_equal((uintptr_t)block % 64, 0);
	for (size_t i = 0; i < 150; i++)
		assert_int_equal(block[i], 0);
	memset(block, 7, 150);
	block = mem_grow(block, 150, 5000, 1);
	assert_int_equal((uintptr_t)block % 64, 0);
	assert_int_equal(block[149], 7);
	assert_int_equal(block[150], 0);
	assert_int_equal(block[4999], 0);
	assert_int_equal(mem_calls() - before, 2);
	mem_fail_after(1);
	mem_free(mem_alloc(1, 1));
	assert_null(mem_alloc(1, 1));
	assert_null(mem_grow(block, 5000, 6000, 1));
	mem_fail_after(-1);
	assert_int_equal(block[149], 7);
	assert_null(mem_alloc(SIZE_MAX / 2, 4));
	mem_free(block);
	mem_free(NULL);
}

static void an_arena_gives_aligned_zero_blocks_and_escapes(void **state)
{
	static struct arena arena;
	static unsigned given;
	jmp_buf escape;

	(void)state;
	arena.escape = &escape;
	if (!setjmp(escape)) {
		for (unsigned i = 0; i < 2000; i++) {
			size_t n = 1 + i * 37 % 700 + (i % 500 == 7 ? 100000u : 0);
			unsigned char *p = arena_alloc(&arena, n, 1);

			assert_int_equal((uintptr_t)p % (n >= 64 ? 64 : 16), 0);
			assert_true(p[0] == 0 && p[n - 1] == 0);
			memset(p, 0xff, n);
		}
		assert_string_equal(arena_strdup(&arena, "needle"), "needle");
		assert_string_equal(arena_strndup(&arena, "needle", 4), "need");
	} else {
		fail();
	}
	arena_free(&arena);
	mem_fail_after(3);
	if (!setjmp(escape)) {
		for (;; given++)
			arena_alloc(&arena, 1000, 1);
	}
	mem_fail_after(-1);
	assert_true(given >= 3 * 60);
	arena_free(&arena);
	arena_free(NULL);
}

#define PARAMS(P, T) \
	P(T, UINT, sms, 32, 1, 256, "SMs", "Streaming multiprocessors.") \
	P(T, REAL, share, 0.1, 0, 1, "", "A part of the whole.") \
	P(T, BOOL, pin, 0, 0, 1, "", "Bind threads.") \
	P(T, NAME, scheduler, "oldest", 0, 0, "warp scheduler", "Selection policy.") \
	P(T, NAME, title, "none", 0, 0, "", "Free text.")
#define STATS(S, T) S(T, COUNT, cycles, "cycles", "Time.")
struct chip {
	struct {
		PARAMS(PARAM_FIELD, chip)
	} p;
	struct {
		STATS(STAT_FIELD, chip)
	} s;
};
TABLES(chip, PARAMS, STATS);

static int load(struct config *config, struct chip *chip, struct err *err)
{
	return config_load(config, "chip", chip_params, ARRAY_LEN(chip_params), chip, err);
}

static void the_last_setting_wins_and_the_rest_is_default(void **state)
{
	struct config *config = config_new();
	struct err err = {0};
	struct chip chip;

	(void)state;
	assert_int_equal(config_set(config, "chip.sms", "4", "my.yaml:3:5", &err), 0);
	assert_int_equal(config_set_text(config, "chip.sms = 0x10", "--set", &err), 0);
	assert_int_equal(config_set_text(config, "chip.pin=on", "--set", &err), 0);
	assert_int_equal(config_set_text(config, "chip.scheduler=two_level", "--set", &err), 0);
	assert_int_equal(load(config, &chip, &err), 0);
	assert_int_equal(config_finish(config, &err), 0);
	assert_int_equal(chip.p.sms, 16);
	assert_true(chip.p.pin);
	assert_true(chip.p.share == 0.1);
	assert_string_equal(chip.p.scheduler, "two_level");
	assert_string_equal(chip.p.title, "none");
	assert_int_equal(chip_stats[0].offset, offsetof(struct chip, s.cycles));
	config_free(config);
	config_free(NULL);
}

/* Components of one kind read their table once: what one changes in its own values, or what is set
 * later, does not mix with what another reads. */
static void each_load_of_a_table_has_the_settings_of_its_time(void **state)
{
	struct config *config = config_new();
	struct err err = {0};
	struct chip first, second;

	(void)state;
	assert_int_equal(config_set_text(config, "chip.sms=4", "--set", &err), 0);
	assert_int_equal(load(config, &first, &err), 0);
	first.p.sms = 9;
	assert_int_equal(load(config, &second, &err), 0);
	assert_int_equal(second.p.sms, 4);
	assert_string_equal(second.p.title, "none");
	assert_int_equal(config_set_text(config, "chip.sms=5", "--set", &err), 0);
	assert_int_equal(load(config, &second, &err), 0);
	assert_int_equal(second.p.sms, 5);
	/* a wrong value is reported to each */
	assert_int_equal(config_set_text(config, "chip.sms=many", "--set", &err), 0);
	assert_int_equal(load(config, &first, &err), -1);
	assert_int_equal(load(config, &second, &err), -1);
	config_free(config);
	err_clear(&err);
}

/* An implied value is a default: it is not given, settings before and after override it, of two the
 * last counts, and one that no table has is no error. */
static void an_implied_value_is_a_default(void **state)
{
	struct config *config = config_new();
	const char *value, *origin;
	struct err err = {0};
	struct chip chip;

	(void)state;
	assert_int_equal(config_imply(config, "chip.sms", "7", "a", &err), 0);
	assert_int_equal(config_imply(config, "chip.sms", "8", "b", &err), 0);
	assert_int_equal(config_set(config, "chip.share", "0.5", "--set", &err), 0);
	assert_int_equal(config_imply(config, "chip.share", "0.25", "c", &err), 0);
	assert_int_equal(config_imply(config, "chip.other", "1", "d", &err), 0);
	assert_int_equal(load(config, &chip, &err), 0);
	assert_int_equal(config_finish(config, &err), 0);
	assert_int_equal(chip.p.sms, 8);
	assert_true(chip.p.share == 0.5);
	assert_false(config_given(config, "chip.sms"));
	assert_true(config_given(config, "chip.share"));
	assert_true(config_setting(config, "chip.share", 0, &value, &origin));
	assert_string_equal(origin, "--set");
	assert_true(config_setting(config, "chip.share", 1, &value, &origin));
	assert_string_equal(origin, "c");
	assert_false(config_setting(config, "chip.share", 2, &value, &origin));
	config_free(config);
}

/* The message for one wrong setting, and that the default is used then. */
static void expect_message(const char *path, const char *value, const char *message)
{
	struct config *config = config_new();
	struct err err = {0};
	struct chip chip;

	assert_int_equal(config_set(config, path, value, "my.yaml:3:5", &err), 0);
	assert_int_equal(load(config, &chip, &err) | config_finish(config, &err), -1);
	assert_int_equal(err.code, ERR_INPUT);
	assert_string_equal(err_text(&err), message);
	assert_int_equal(chip.p.sms, 32);
	assert_false(chip.p.pin);
	/* The second of several loads of one prefix does not repeat it. */
	load(config, &chip, &err);
	assert_int_equal(err.count, 1);
	err_clear(&err);
	config_free(config);
}

static void settings_of_a_replaced_part_are_no_error(void **state)
{
	struct config *config = config_new();
	struct err err = {0};
	struct chip chip;

	(void)state;
	config_set(config, "noc.vcs", "4", "test", &err);
	config_set(config, "nox.vcs", "4", "test", &err);
	assert_int_equal(load(config, &chip, &err), 0);
	config_tolerate(config, "noc.");
	assert_int_equal(config_finish(config, &err), -1);
	assert_int_equal(err.count, 1);
	assert_non_null(strstr(err_text(&err), "nox.vcs"));
	err_clear(&err);
	config_free(config);
}

static void wrong_values_name_location_path_value_and_bounds(void **state)
{
	static const char *const wrong[] = {"999", "0", "-1", "", "x", "4x", "1.5",
		"99999999999999999999", "0x", " 4", "1T", "17592186044416M", "0x0x4", "+4"};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		struct text message = {0};

		text_add(&message, "my.yaml:3:5: chip.sms = %s: must be 1 .. 256 SMs\n", wrong[i]);
		expect_message("chip.sms", wrong[i], text_str(&message));
		text_clear(&message);
	}
	expect_message(
		"chip.share", "nan", "my.yaml:3:5: chip.share = nan: must be a number, 0 .. 1\n");
	expect_message("chip.share", "1e999",
		"my.yaml:3:5: chip.share = 1e999: must be a number, 0 .. 1\n");
	expect_message(
		"chip.pin", "maybe", "my.yaml:3:5: chip.pin = maybe: must be true or false\n");
	expect_message("chip.scheduler", "lru",
		"my.yaml:3:5: chip.scheduler = lru: there is no such warp scheduler; "
		"there are: oldest, two_level\n");
	expect_message("chip.sm", "1",
		"my.yaml:3:5: unknown parameter 'chip.sm'; did you mean 'chip.sms'?\n");
	expect_message("chip.cores", "4",
		"my.yaml:3:5: unknown parameter 'chip.cores': it was renamed to 'chip.sms'\n");
	expect_message("elephant", "1", "my.yaml:3:5: unknown parameter 'elephant'\n");
}

static void suffixes_multiply_by_1024(void **state)
{
	struct {
		struct {
			uint64_t bytes;
		} p;
	} part;
	const struct param_def def = {"bytes", PARAM_UINT, 0, 1, 0, 1e18, NULL, "B", "Size."};
	static const struct {
		const char *text;
		uint64_t value;
	} good[] = {{"16K", 16384}, {"3M", 3145728}, {"1G", 1 << 30}, {"0xfK", 15360}, {"7", 7},
		{"0", 0}};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(good); i++) {
		struct config *config = config_new();
		struct err err = {0};

		config_set(config, "bytes", good[i].text, "--set", &err);
		assert_int_equal(config_load(config, "", &def, 1, &part, &err), 0);
		assert_int_equal(part.p.bytes, good[i].value);
		config_free(config);
	}
}

static void an_assignment_needs_a_sign_and_a_path(void **state)
{
	struct config *config = config_new();
	struct err err = {0};

	(void)state;
	assert_int_equal(config_set_text(config, "chip.sms", "--set", &err), -1);
	assert_int_equal(config_set_text(config, " = 4", "--set", &err), -1);
	assert_string_equal(err_text(&err), "--set: 'chip.sms' must have the form path=value\n"
					    "--set: ' = 4' names no parameter\n");
	assert_int_equal(err.code, ERR_USAGE);
	err_clear(&err);
	config_free(config);
}

static void echo_line(
	void *ctx, const char *path, const char *value, const struct param_def *def, bool given)
{
	text_add(ctx, "%s=%s %s%s\n", path, value, def->name, given ? " given" : "");
}

static void the_echo_is_sorted_and_marks_explicit_settings(void **state)
{
	struct config *config = config_new();
	struct err err = {0};
	struct text text = {0};
	struct chip chip;

	(void)state;
	config_set(config, "chip.share", "0.30000000000000004", "--set", &err);
	load(config, &chip, &err);
	load(config, &chip, &err);
	config_echo(config, echo_line, &text);
	assert_string_equal(text_str(&text), "chip.pin=false pin\n"
					     "chip.scheduler=oldest scheduler\n"
					     "chip.share=0.30000000000000004 share given\n"
					     "chip.sms=32 sms\n"
					     "chip.title=none title\n");
	text_clear(&text);
	config_free(config);
}

/* Each allocation fails once: no crash, no leak, and an error each time until all succeed. */
static void a_configuration_survives_each_failed_allocation(void **state)
{
	int64_t n = 0;
	int failed = -1;

	(void)state;
	for (; failed; n++) {
		struct err err = {0};
		struct config *config;
		struct chip chip;

		mem_fail_after(n);
		config = config_new();
		failed = config ? 0 : -1;
		for (int i = 0; i < 40 && !failed; i++)
			failed = config_set_text(config, "chip.sms=4", "--set", &err);
		if (!failed)
			failed = load(config, &chip, &err);
		mem_fail_after(-1);
		assert_true(!failed || !config || err.code == ERR_RESOURCE);
		err_clear(&err);
		config_free(config);
	}
	assert_true(n > 40 * 5);
}

static void a_plugin_is_found_by_kind_and_name(void **state)
{
	struct err err = {0};

	(void)state;
	assert_ptr_equal(
		plugin_find("warp scheduler", "two_level", "sm.scheduler", &err), &two_level);
	assert_null(plugin_find("arbiter", "oldest", "noc.arbiter", &err));
	assert_string_equal(err_text(&err),
		"noc.arbiter = oldest: there is no such arbiter; there are: none\n");
	err_clear(&err);
}

static void every_cycle_has_one_owner(void **state)
{
	struct stall stall = {0};

	(void)state;
	stall_set(&stall, 10, 3);
	stall_set(&stall, 10, 4);
	stall_set(&stall, 25, 0);
	assert_int_equal(stall_close(&stall, 100), 100);
	assert_int_equal(stall.cycles[0], 85);
	assert_int_equal(stall.cycles[3], 0);
	assert_int_equal(stall.cycles[4], 15);
}

static void random_numbers_stay_in_bounds_and_streams_differ(void **state)
{
	struct rng a = rng_new(1, 0), b = rng_new(1, 1);
	unsigned equal = 0;

	(void)state;
	for (unsigned i = 0; i < 10000; i++) {
		double unit = rng_unit(&a);
		uint32_t n = 1 + i % 1000;

		assert_true(unit >= 0 && unit < 1);
		assert_true(rng_below(&b, n) < n);
		equal += rng_u64(&a) == rng_u64(&b);
	}
	assert_int_equal(equal, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages_are_lines_and_the_first_gives_the_code),
		cmocka_unit_test(of_very_many_messages_only_the_number_is_reported),
		cmocka_unit_test(a_message_survives_the_lack_of_memory),
		cmocka_unit_test(the_nearest_name_is_suggested_and_a_strange_one_is_not),
		cmocka_unit_test(text_grows_and_stops_when_memory_ends),
		cmocka_unit_test(memory_is_zero_aligned_counted_and_can_fail),
		cmocka_unit_test(an_arena_gives_aligned_zero_blocks_and_escapes),
		cmocka_unit_test(the_last_setting_wins_and_the_rest_is_default),
		cmocka_unit_test(each_load_of_a_table_has_the_settings_of_its_time),
		cmocka_unit_test(an_implied_value_is_a_default),
		cmocka_unit_test(settings_of_a_replaced_part_are_no_error),
		cmocka_unit_test(wrong_values_name_location_path_value_and_bounds),
		cmocka_unit_test(suffixes_multiply_by_1024),
		cmocka_unit_test(an_assignment_needs_a_sign_and_a_path),
		cmocka_unit_test(the_echo_is_sorted_and_marks_explicit_settings),
		cmocka_unit_test(a_configuration_survives_each_failed_allocation),
		cmocka_unit_test(a_plugin_is_found_by_kind_and_name),
		cmocka_unit_test(every_cycle_has_one_owner),
		cmocka_unit_test(random_numbers_stay_in_bounds_and_streams_differ),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
