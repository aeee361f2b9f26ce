/* warpbeam hardware --all on the stand-in for a GPU's driver: it continues what was interrupted,
 * lost or failed, and refuses files that are of something else. */
#include "tests/rig/standin.h"

#include "core/err.h"
#include "core/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALL \
	"hardware --all transpose --set transpose.width=40 --set transpose.height=33 --repeat 1 " \
	"--json %F/"

static void set_number(const char *name, long n)
{
	char text[24];

	snprintf(text, sizeof(text), "%ld", n);
	setenv(name, text, 1);
}

static unsigned targets(const struct desk *d, const char *name)
{
	json_t *j = desk_json(d, name), *list = json_object_get(j, "targets"), *t;
	unsigned n = 0;
	size_t i;

	json_array_foreach(list, i, t)
	{
		assert_string_equal(json_text(t, "check"), "passed");
		n++;
	}
	json_decref(j);
	return n;
}

/* The file a: forms of one opcode only, so that what is whole takes a moment; then everything. b:
 * the same, as far as the curves. */
static int set_up(void **state)
{
	const struct desk *d;
	json_t *j;
	char *text;

	standin_set_up(state);
	d = *state;
	assert_int_equal(desk_run(d, "hardware --forms mul24 --json %F/a"), 0);
	assert_int_equal(desk_run(d, ALL "a --out %F/q"), 0);
	assert_nothing_left(d);
	j = desk_json(d, "a");
	json_array_clear(json_object_get(j, "targets"));
	text = json_dumps(j, 0);
	desk_put(d, "b", text);
	free(text);
	json_decref(j);
	return 0;
}

static void assert_same(const struct desk *d, const char *name)
{
	char *a = desk_content(d, "a"), *b = desk_content(d, name);

	assert_string_equal(a, b);
	mem_free(a);
	mem_free(b);
}

static void copy(const struct desk *d, const char *from, const char *to)
{
	char *text = desk_content(d, from);

	desk_put(d, to, text);
	mem_free(text);
}

/* Three kernels, at both sizes. */
static void all_has_every_part_and_the_variants(void **state)
{
	const struct desk *d = *state;
	json_t *j = desk_json(d, "a"), *t = json_object_get(j, "targets");

	assert_int_equal(json_array_size(json_object_get(j, "forms")), 4);
	assert_true(json_array_size(json_object_get(j, "curves")) > 100);
	assert_int_equal(targets(d, "a"), 6);
	assert_string_equal(json_text(json_array_get(t, 0), "size"), "small");
	assert_string_equal(json_text(json_array_get(t, 5), "size"), "full");
	assert_string_equal(
		json_string_value(json_array_get(json_object_get(json_array_get(t, 1), "set"), 2)),
		"transpose.kernel=naive");
	json_decref(j);
	copy(d, "a", "c");
	assert_int_equal(desk_run(d, ALL "c"), 0);
	assert_same(d, "c");
}

static void what_a_signal_left_is_measured_by_the_same_command(void **state)
{
	const struct desk *d = *state;
	unsigned n = 0, had = 0, code;

	copy(d, "b", "c");
	setenv("STANDIN_SIGNAL", "40", 1);
	while ((code = (unsigned)desk_run(d, ALL "c")) == ERR_INTERRUPTED) {
		assert_true(n < 6);
		assert_one_line(d, "interrupted: the same command continues from");
		assert_nothing_left(d);
		assert_int_equal(targets(d, "c"), had + 1);
		had++;
		n++;
	}
	unsetenv("STANDIN_SIGNAL");
	assert_int_equal(code, 0);
	assert_int_equal(n, 5); /* what came while the last ran left nothing */
	assert_same(d, "c");
	setenv("STANDIN_SIGNAL", "20", 1);
	assert_int_equal(desk_run(d, "hardware --forms --json %F/f"), ERR_INTERRUPTED);
	unsetenv("STANDIN_SIGNAL");
	assert_one_line(d, "interrupted: not all was measured");
}

/* What has everything but the recording gets it, once. */
static void a_recording_that_is_missing_is_made_up_for(void **state)
{
	const struct desk *d = *state;
	char *kept;
	json_t *j;

	copy(d, "a", "c");
	assert_int_equal(desk_run(d, ALL "c --record %F/r"), 0);
	assert_true(desk_has(d, "r"));
	j = desk_json(d, "c");
	assert_non_null(strstr(json_text(j, "recorded"), "/r"));
	json_decref(j);
	desk_put(d, "r", "kept");
	assert_int_equal(desk_run(d, ALL "c --record %F/r"), 0);
	kept = desk_content(d, "r");
	assert_string_equal(kept, "kept");
	mem_free(kept);
}

/* From some call on every call fails: what was being measured is not in the file. */
static void a_gpu_that_is_lost_costs_what_was_under_way(void **state)
{
	const struct desk *d = *state;
	long all, live;

	copy(d, "b", "c");
	assert_int_equal(desk_run(d, ALL "c"), 0);
	standin_counted(d, &all, &live);
	copy(d, "b", "c");
	set_number("STANDIN_LOST", all / 2);
	assert_int_equal(desk_run(d, ALL "c"), ERR_HOST);
	unsetenv("STANDIN_LOST");
	assert_says(d, "err", ": error 999 (CUDA_ERROR_UNKNOWN)");
	assert_true(targets(d, "c") >= 2 && targets(d, "c") <= 4);
	assert_int_equal(desk_run(d, ALL "c"), 0);
	assert_same(d, "c");
}

static void what_fails_ends_its_target_alone(void **state)
{
	const struct desk *d = *state;

	setenv("STANDIN_NO_MEMORY", "100000", 1);
	assert_int_equal(desk_run(d, "hardware vectoradd --repeat 1"), ERR_RESOURCE);
	unsetenv("STANDIN_NO_MEMORY");
	assert_says(d, "err", "vectoradd: a: cuMemAlloc_v2: error 2 (CUDA_ERROR_OUT_OF_MEMORY)");
	setenv("STANDIN_FAULT", "1", 1);
	setenv("STANDIN_FAULT_CODE", "214", 1);
	assert_int_equal(
		desk_run(d, "hardware vectoradd transpose --repeat 1 --json %F/e"), ERR_HOST);
	unsetenv("STANDIN_FAULT");
	unsetenv("STANDIN_FAULT_CODE");
	assert_one_line(d, "error 214 (CUDA_ERROR_ECC_UNCORRECTABLE)");
	assert_says(d, "out", "passed");
}

/* ---- other files */
static void refuse(const struct desk *d, const char *key, json_t *value)
{
	json_t *j = desk_json(d, "a");
	char *text;

	json_object_set_new(j, key, value);
	text = json_dumps(j, 0);
	json_decref(j);
	desk_put(d, "c", text);
	assert_int_equal(desk_run(d, ALL "c"), ERR_INPUT);
	assert_one_line(d, "--all continues its own files only");
	j = desk_json(d, "c"); /* it is as it was */
	json_decref(j);
	free(text);
}

static void other_files_are_refused(void **state)
{
	const struct desk *d = *state;

	refuse(d, "program", json_string("another"));
	refuse(d, "gpu", json_string("another"));
	refuse(d, "stand_in", json_false());
	refuse(d, "seed", json_integer(7));
	refuse(d, "schema", json_string("warpbeam-hardware/0"));
	desk_put(d, "c", "{\"schema\": \"warpbeam-hardware/1\", ");
	assert_int_equal(desk_run(d, ALL "c"), ERR_INPUT);
	assert_one_line(d, "--all continues its own files only");
	assert_int_equal(desk_run(d, "hardware --all vectoradd"), ERR_USAGE);
	assert_one_line(d, "--all needs --json FILE");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_has_every_part_and_the_variants),
		cmocka_unit_test(what_a_signal_left_is_measured_by_the_same_command),
		cmocka_unit_test(a_recording_that_is_missing_is_made_up_for),
		cmocka_unit_test(a_gpu_that_is_lost_costs_what_was_under_way),
		cmocka_unit_test(what_fails_ends_its_target_alone),
		cmocka_unit_test(other_files_are_refused),
	};

	return cmocka_run_group_tests(tests, set_up, desk_tear_down);
}
