/* Scenarios: good ones, bad input of every kind, runs that fail. */
#include "tests/rig/support_cli.h"

#include <stdio.h>
#include <string.h>

#include "core/base.h"
#include "core/mem.h"
#include "runs/scenario/scenario.h"

static void good_scenarios_pass(void **state)
{
	static const char *const names[] = {
		"add", "placed", "half", "textures", "arms", "unused_opcode"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		char arguments[64];

		snprintf(arguments, sizeof(arguments), "run %%S/%s.yaml", names[i]);
		assert_int_equal(desk_run(*state, arguments), 0);
		assert_says(*state, "out", i < 5 ? "check: passed" : "check: none");
	}
}

static void textures_mean_the_same_without_time(void **state)
{
	assert_int_equal(desk_run(*state, "exec %S/textures.yaml"), 0);
	assert_says(*state, "out", "check: passed");
}

static void a_dump_holds_the_buffers_bytes(void **state)
{
	static const float expected[] = {2.0f, 3.5f, -2.0f, 1.001f};
	char *bytes;

	assert_int_equal(desk_run(*state, "run %S/add.yaml --dump c=%F/c --dump a=%F/a"), 0);
	bytes = desk_content(*state, "c");
	assert_memory_equal(bytes, expected, sizeof(expected));
	mem_free(bytes);
	assert_true(desk_has(*state, "a"));
}

static void the_command_line_wins_over_the_scenario(void **state)
{
	json_t *j;

	assert_int_equal(desk_run(*state, "run %S/add.yaml --set chip.sms=6 --json %F/j"), 0);
	j = desk_json(*state, "j");
	assert_non_null(json_object_get(json_object_get(j, "parts"), "sm.5"));
	assert_null(json_object_get(json_object_get(j, "parts"), "sm.6"));
	json_decref(j);
}

static void wrong_results_fail_the_run_and_are_reported(void **state)
{
	json_t *j;

	assert_int_equal(desk_run(*state, "run %S/failing.yaml --json %F/j"), 1);
	assert_says(*state, "out", "check: FAILED");
	assert_says(*state, "err",
		"failing.yaml:6:5: buffer 'a', element 1: 7, expected 8; 1 of 2 elements differ");
	j = desk_json(*state, "j");
	assert_true(json_is_true(json_object_get(j, "complete")));
	assert_string_equal(json_text(j, "check"), "failed");
	assert_string_equal(json_text(json_object_get(j, "error"), "name"), "check");
	json_decref(j);
}

static void nothing_finite_is_near_infinity(void **state)
{
	assert_int_equal(desk_run(*state, "run %S/infinite.yaml"), 1);
	assert_says(*state, "err", "element 0: 1, expected inf; 1 of 2");
}

static void a_tolerance_is_relative_to_what_is_expected(void **state)
{
	assert_int_equal(desk_run(*state, "run %S/relative.yaml"), 1);
	assert_says(*state, "err", "element 1: 110.5, expected 100; 1 of 2");
}

struct bad {
	const char *name;
	int code;
	const char *says;
};

/* What is wrong before anything runs: one scenario each. */
static const struct bad bad_inputs[] = {
	{"bad_key", 3, "bad_key.yaml:3:1: unknown key 'lauches' in a scenario; did you mean"},
	{"bad_launch_key", 3, ".yaml:4:43: unknown key 'gird' in a launch; did you mean 'grid'?"},
	{"bad_yaml", 3, "bad_yaml.yaml:4:1: not valid YAML"},
	{"bad_twice", 3, ":5:1: 'buffers' is given twice"},
	{"bad_second_document", 3, ":6:1: a second document"},
	{"bad_truncated", 3, ":5:1: not valid YAML"},
	{"bad_no_launches", 3, ":1:1: a scenario needs launches"},
	{"bad_empty", 3, ":1:1: a scenario must be a mapping"},
	{"bad_ptx", 3,
		"unparsable.ptx:9:1: kernel broken: expected `]`, found the end of the file"},
	{"bad_opcode", 4, "unsupported.ptx:13:2: "},
	{"bad_module", 3, ":2:15: "},
	{"bad_kernel", 3, "there is no kernel cuont"},
	{"bad_argument_count", 3, ":4:5: kernel 'count' takes 1 argument, 2 were given"},
	{"bad_argument_size", 3, ":4:5: kernel 'count': argument 0 ('p') has 8 bytes"},
	{"bad_argument_value", 3, ":4:75: '-1' is not a value of u32"},
	{"bad_argument_minus", 3, ":4:75: '--5' is not a value of s32"},
	{"bad_argument_shape", 3, ":4:69: an argument is one value"},
	{"bad_buffer_name", 3, ":4:78: there is no buffer 'aa'; did you mean 'a'?"},
	{"bad_fit", 5,
		":2:5: kernel 'huge': a CTA can never fit: a CTA needs 1048576 bytes of shared "
		"memory"},
	{"bad_block", 5, ":2:5: kernel 'lonely': a block of (2048,1,1) has 2048 threads"},
	{"bad_zero", 3, ":2:15: bytes: '0' is not a whole number from 1"},
	{"bad_empty_data", 3, ":2:6: a buffer has no bytes"},
	{"bad_huge_buffer", 3, ":2:15: bytes: '99999999999999' is not"},
	{"bad_huge_count", 3, ":2:26: count: '18446744073709551615' is not"},
	{"bad_hex", 3, ":2:13: hex: an odd number of digits"},
	{"bad_file_size", 3, ":2:25: 3 bytes are no multiple of the 4 bytes of u32"},
	{"bad_fill", 3, ":2:35: fill goes with count or bytes"},
	{"bad_random", 3, ":2:36: random: low (0) and high (300) do not fit u8"},
	{"bad_overflow", 3, ":2:26: '1e39' is not a value of f32"},
	{"bad_type", 3, ":2:14: 'f31' is not a type"},
	{"bad_grid", 3, ":2:54: grid: '0' is not a whole number from 1"},
	{"bad_sms", 3, ":2:68: sms must be a list"},
	{"bad_sm_absent", 3, ":2:5: kernel 'lonely' asks for SM 32"},
	{"bad_parameter", 3, ":1:8: unknown parameter 'chip.smss'; did you mean 'chip.sms'?"},
	{"bad_parameter_value", 3, ":2:3: chip.sms = 100000: must be 1 .. 256 SMs"},
	{"bad_chip", 3, ":1:7: chip = m13: there is no such machine"},
	{"bad_check_buffer", 3, ":6:15: there is no buffer 'b'"},
	{"bad_check_long", 3, ":6:5: 16 bytes are expected, buffer 'a' has 12"},
	{"bad_check_partial", 3, ":6:33: 3 bytes are no multiple"},
	{"bad_texture_key", 3, ":5:26: unknown key 'widht' in a texture; did you mean 'width'?"},
	{"bad_texture_buffer", 3, ":5:18: there is no buffer 'texel'; did you mean 'texels'?"},
	{"bad_texture_width", 3, ":5:8: a texture needs a width"},
	{"bad_texture_format", 3, ":5:34: format: 'f24' is not one of u8, s8, u16, s16, u32,"},
	{"bad_texture_no_format", 3, ":5:8: a texture needs a format, such as f32"},
	{"bad_texture_channels", 3, ":5:36: channels: '3' is not one of 1, 2, 4"},
	{"bad_texture_filter", 3, ":5:44: filter: 'liner' is not one of nearest, linear"},
	{"bad_texture_address", 3, ":5:53: address: 'repeat' is not one of clamp, border, wrap,"},
	{"bad_texture_addresses", 3, ":5:45: address must be a word, or a list of one to three"},
	{"bad_texture_wrap", 3, ":5:8: texture 'map': address modes wrap and mirror need"},
	{"bad_texture_fit", 3, ":5:8: texture 'map': 4 x 2 x 1 texels of 4 bytes do not fit into"},
	{"bad_texture_pitch", 3, ":5:8: texture 'map': rows of 8 bytes every 4"},
	{"bad_texture_far_offset", 3, ":5:34: offset: '17' is not a whole number from 0 to 16"},
	{"bad_texture_handle", 3, ":6:8: texture 'two': handle 3 is taken"},
	{"bad_texture_handles", 3,
		":5:44: handle: the lower 40 bits of 4295032832 are not a number from 1 to "
		"65535"},
	{"bad_texture_read", 3, ":5:8: texture 'map': only texels of u8 that are read as"},
	{"bad_texture_unbound", 3, ":7:5: kernel 'by_surface': nothing is bound to its surface"},
	{"bad_sampler_key", 3, ":8:11: unknown key 'width' in a sampler"},
	{"bad_sampler_name", 3, ":9:3: there is a texture 'map' already"},
	{"bad_bind_reference", 3, "surface reference imag; there are: image, plane, given"},
	{"bad_bind_reference", 3, "bad_bind_reference.yaml:10:76: "},
	{"bad_bind_name", 3, ":10:83: there is no texture or sampler 'mop'; did you mean 'map'?"},
	{"bad_bind_kind", 3, "reference image is a texture: a sampler cannot be bound"},
	{"bad_bind_list", 3, ":10:74: bind must be a mapping"},
	{"bad_bind_twice", 3,
		":11:75: reference image is bound to 'map' already, for all launches"},
	{"bad_bind_argument", 3, ":10:85: there is no texture 'edge'"},
	{"bad_bind_two", 3, ":10:75: an argument is one value"},
	{"bad_check_tolerance", 3, ":6:46: abs and rel go with near"},
};

static void bad_input_is_reported_with_its_location_and_nothing_is_written(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(bad_inputs); i++) {
		char arguments[128];
		int code;

		snprintf(arguments, sizeof(arguments), "run %%S/%s.yaml --json %%F/j --csv %%F/c",
			bad_inputs[i].name);
		code = desk_run(*state, arguments);
		if (code != bad_inputs[i].code)
			print_error("%s: exit code %d\n", bad_inputs[i].name, code);
		assert_int_equal(code, bad_inputs[i].code);
		assert_says(*state, "err", "warpbeam: ");
		assert_says(*state, "err", bad_inputs[i].says);
		assert_false(desk_has(*state, "j") || desk_has(*state, "c"));
	}
}

/* What goes wrong in the middle of a run. */
static const struct bad bad_runs[] = {
	{"bad_bounds", 6, "out-of-bounds 4-byte load from global address 0x10001000"},
	{"bad_bounds", 6, "the nearest buffer is 'a'"},
	{"bad_bounds", 6, "kernel 'peek'"},
	{"bad_bounds", 6, "thread (0,0,0) of CTA (0,0,0)"},
	{"bad_alignment", 6, "misaligned 4-byte load"},
	{"bad_barrier", 6, "barrier that can never complete"},
	{"endless", 8, "the limit of 5000 cycles is reached"},
};

static void a_run_that_fails_leaves_a_report_marked_as_partial(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(bad_runs); i++) {
		char arguments[128];
		json_t *j;

		snprintf(arguments, sizeof(arguments),
			"run %%S/%s.yaml --json %%F/j --max-cycles 5000 --dump=a=%%F/a",
			bad_runs[i].name);
		if (bad_runs[i].code != 6 || strstr(bad_runs[i].name, "barrier"))
			*strstr(arguments, " --dump") = '\0';
		assert_int_equal(desk_run(*state, arguments), bad_runs[i].code);
		assert_says(*state, "err", bad_runs[i].says);
		assert_says(*state, "out", "PARTIAL REPORT");
		assert_says(*state, "out", "check: not reached");
		assert_false(desk_has(*state, "a"));
		j = desk_json(*state, "j");
		assert_true(json_is_false(json_object_get(j, "complete")));
		assert_int_equal(
			json_integer_value(json_object_get(json_object_get(j, "error"), "code")),
			bad_runs[i].code);
		json_decref(j);
	}
}

static unsigned failed_loads(const struct desk *desk, const char *name)
{
	struct scenario *s = NULL;
	unsigned failures = 0;
	char path[600];

	snprintf(path, sizeof(path), "%s/%s.yaml", desk->scenarios, name);
	for (int64_t n = 0; !s; n++) {
		struct config *config = config_new();
		struct err err = {0};

		mem_fail_after(n);
		s = scenario_load(path, true, config, NULL, &err);
		mem_fail_after(-1);
		failures += !s;
		assert_int_equal(err.code, s ? ERR_NONE : ERR_RESOURCE);
		scenario_free(s);
		err_clear(&err);
		config_free(config);
	}
	return failures;
}

static void every_failed_allocation_of_loading_is_a_message(void **state)
{
	assert_true(failed_loads(*state, "add") > 5);
	assert_true(failed_loads(*state, "textures") > 5);
}

static void other_textures_are_other_work(void **state)
{
	static const char *const names[] = {"bad_texture_fit", "bad_texture_pitch"};
	const struct desk *desk = *state;
	struct config *config = config_new();
	struct scenario *s[2];
	struct err err = {0};

	for (unsigned i = 0; i < 2; i++) {
		char path[600];

		snprintf(path, sizeof(path), "%s/%s.yaml", desk->scenarios, names[i]);
		s[i] = scenario_load(path, true, config, NULL, &err);
		assert_non_null(s[i]);
	}
	assert_int_equal(scenario_same_work(s[0], s[0], &err), 0);
	assert_int_equal(scenario_same_work(s[0], s[1], &err), -1);
	assert_non_null(strstr(err_text(&err), "differ in more than the chip: in textures"));
	err_clear(&err);
	scenario_free(s[0]);
	scenario_free(s[1]);
	config_free(config);
}

int main(void)
{
#define TEST(fn) cmocka_unit_test_setup_teardown(fn, desk_set_up, desk_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(good_scenarios_pass),
		TEST(textures_mean_the_same_without_time),
		TEST(a_dump_holds_the_buffers_bytes),
		TEST(the_command_line_wins_over_the_scenario),
		TEST(wrong_results_fail_the_run_and_are_reported),
		TEST(nothing_finite_is_near_infinity),
		TEST(a_tolerance_is_relative_to_what_is_expected),
		TEST(bad_input_is_reported_with_its_location_and_nothing_is_written),
		TEST(a_run_that_fails_leaves_a_report_marked_as_partial),
		TEST(every_failed_allocation_of_loading_is_a_message),
		TEST(other_textures_are_other_work),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
