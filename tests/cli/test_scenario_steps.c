/* Scenarios whose host does more than launch: variables, fields, copies, writes, repetition, names;
 * bad input of every kind. */
#include "tests/rig/support_cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "core/mem.h"
#include "ptx/isa/source_name.h"

static void write_scenario(const struct desk *d, const char *text)
{
	char path[600];
	FILE *f;

	snprintf(path, sizeof(path), "%s/s.yaml", d->folder);
	f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f, "%s", text);
	assert_int_equal(fclose(f), 0);
}

/* steps.ptx beside it. */
static int set_up(void **state)
{
	char command[1200];
	const struct desk *d;

	desk_set_up(state);
	d = *state;
	snprintf(command, sizeof(command), "cp %s/steps.ptx %s/kernels.ptx %s", d->scenarios,
		d->scenarios, d->folder);
	return system(command);
}

static void steps_do_what_they_say_in_time_and_without(void **state)
{
	static const char *const runs[] = {"run %S/steps.yaml --dump scale=%F/scale",
		"exec %S/steps.yaml", "run --set chip.storage=unified %S/steps.yaml"};
	char *bytes;

	for (size_t i = 0; i < ARRAY_LEN(runs); i++) {
		assert_int_equal(desk_run(*state, runs[i]), 0);
		assert_says(*state, "out", "check: passed");
	}
	bytes = desk_content(*state, "scale");
	assert_memory_equal(bytes, &(uint32_t){1}, 4);
	mem_free(bytes);
}

#define L "{module: steps.ptx, kernel: gather, grid: 1, block: 1, args: [{buffer: a}, {buffer: p}]}"
#define STEP "{module: steps.ptx, kernel: step, grid: 1, block: 4, args: ["
#define BUFFERS \
	"buffers:\n" \
	"  a: {type: u32, count: 4, fill: 1}\n" \
	"  p: {bytes: 16, fields: [{buffer: a}]}\n"

struct bad {
	const char *text;
	int code;
	const char *says;
};

static const struct bad bad_inputs[] = {
	/* fields */
	{"buffers:\n  p: {bytes: 8, fields: [{buffer: b}]}\nlaunches: [" L "]\n", 3,
		":2:35: there is no buffer 'b'; did you mean 'p'?"},
	{"buffers:\n  p: {bytes: 8, fields: [{u31: 1}]}\nlaunches: [" L "]\n", 3,
		":2:27: unknown key 'u31' in a field; did you mean 'u32'?"},
	{"buffers:\n  p: {bytes: 8, fields: [{u32: 1, s8: 1}]}\nlaunches: [" L "]\n", 3,
		":2:26: a field is one value, such as {f32: 1.5}"},
	{"buffers:\n  p: {bytes: 8, fields: [{u32: 1.5}]}\nlaunches: [" L "]\n", 3,
		":2:32: '1.5' is not a value of u32"},
	{"buffers:\n  p: {bytes: 8, fields: [{u32: []}]}\nlaunches: [" L "]\n", 3,
		":2:32: a list of at least one number is needed"},
	{"buffers:\n  p: {bytes: 8, fields: [{u8: 1}, {buffer: p}]}\nlaunches: [" L "]\n", 3,
		":2:35: the field's bytes 8 to 15 are beyond the end: there are 8"},
	{"buffers:\n  p: {bytes: 8, fields: [{at: 9, u8: 1}]}\nlaunches: [" L "]\n", 3,
		":2:31: at: '9' is not a whole number from 0 to 8"},
	{"buffers:\n  p: {bytes: 8, fields: [{at: 3, u16: 1}, {at: 1, hex: '010203'}]}\n"
	 "launches: [" L "]\n",
		3, ":2:26: the field at byte 3 overlaps the one at bytes 1 to 3: "},
	{"buffers:\n  p: {bytes: 8, fields: [{buffer: p, offset: 9}]}\nlaunches: [" L "]\n", 3,
		":2:35: 0 bytes at offset 9 end beyond 'p', which has 8"},
	{"buffers:\n  p: {bytes: 8, fields: 3}\nlaunches: [" L "]\n", 3,
		":2:25: fields must be a list"},
	{BUFFERS "launches: [" L ", {module: kernels.ptx, kernel: add, grid: 1, block: 1}]\n", 3,
		":3:27: an address has 4 or 8 bytes: the modules have both"},
	{BUFFERS "launches:\n  - " STEP "{fields: [{at: 20, buffer: a}]}]}\n", 3,
		"the field's bytes 20 to 27 are beyond the end: there are 24"},
	{BUFFERS "launches:\n  - " STEP "{hex: '00', fields: [{u8: 1}]}]}\n", 3,
		"argument 0 ('node') has 1 byte, the parameter"},
	{BUFFERS "launches:\n  - " STEP "{fields: [{u8: 1}], u32: 4}]}\n", 3,
		"an argument with fields is a structure"},
	/* variables */
	{"variables:\n  total: {type: u32}\nlaunches: [" L "]\n", 3,
		":2:10: a variable needs its module"},
	{BUFFERS "variables:\n  a: {module: steps.ptx}\nlaunches: [" L "]\n", 3,
		":5:3: there is a buffer 'a' already"},
	{BUFFERS "variables:\n  totl: {module: steps.ptx}\nlaunches: [" L "]\n", 3,
		":5:9: the module has no variable 'totl' in global or constant memory; did you "
		"mean 'total'?"},
	{BUFFERS "variables:\n  total: {module: steps.ptx, type: u32, data: [1, 2]}\n"
		 "launches: [" L "]\n",
		3, ":5:10: variable 'total' has 4 bytes; 8 are given for it"},
	{BUFFERS "variables:\n  total: {module: steps.ptx, typ: u32}\nlaunches: [" L "]\n", 3,
		":5:30: unknown key 'typ' in a variable; did you mean 'type'?"},
	{BUFFERS "variables:\n  total: {module: no.ptx}\nlaunches: [" L "]\n", 3, ":5:19: "},
	/* names */
	{BUFFERS "launches:\n  - {module: steps.ptx, kernel: add, grid: 1, block: 1}\n", 3,
		":5:33: 'add' may be one of several kernels: add<float> (_Z3addIfEvPT_), "
		"add<int, 4> (_Z3addIiLi4EEvPT_)"},
	{BUFFERS "launches:\n  - {module: steps.ptx, kernel: addd, grid: 1, block: 1}\n", 3,
		"there is no kernel addd"},
	/* copies and writes */
	{BUFFERS "launches:\n  - " L "\n  - {copy: a}\n", 3,
		":6:5: a copy needs the buffer it goes to"},
	{BUFFERS "launches:\n  - " L "\n  - {copy: a, to: p, to_offset: 4}\n", 3,
		":6:19: 16 bytes at offset 4 end beyond 'p', which has 16"},
	{BUFFERS "launches:\n  - " L "\n  - {copy: a, offset: 8, bytes: 12, to: p}\n", 3,
		":6:12: 12 bytes at offset 8 end beyond 'a', which has 16"},
	{BUFFERS "launches:\n  - " L "\n  - {copy: a, offset: 16, to: p}\n", 3,
		":6:12: 'a' has no bytes at offset 16"},
	{BUFFERS "launches:\n  - " L "\n  - {copy: aa, to: p}\n", 3,
		":6:12: there is no buffer 'aa'; did you mean 'a'?"},
	{BUFFERS "launches:\n  - " L "\n  - {copy: a, too: p}\n", 3,
		":6:15: unknown key 'too' in a copy; did you mean 'to'?"},
	{BUFFERS "launches:\n  - " L "\n  - {write: a}\n", 3,
		":6:5: a write needs exactly one of data, hex, file, count, bytes"},
	{BUFFERS "launches:\n  - " L "\n  - {write: a, offset: 4, count: 4}\n", 3,
		":6:13: 16 bytes at offset 4 end beyond 'a', which has 16"},
	{BUFFERS "launches:\n  - " L "\n  - {wait: forever}\n", 3,
		":6:12: wait: 'forever' is not one of launches"},
	/* repetition */
	{BUFFERS "launches:\n  - {repeat: [" L "], until_zero: {buffer: a}}\n", 3,
		":5:5: a repeat needs its limit at_most"},
	{BUFFERS "launches:\n  - {repeat: [" L "], at_most: 3}\n", 3,
		":5:5: a repeat needs until_zero"},
	{BUFFERS "launches:\n  - {repeat: [" L "], until_zero: {buffer: a}, at_most: 0}\n", 3,
		"at_most: '0' is not a whole number from 1"},
	{BUFFERS "launches:\n  - {repeat: [" L "], until_zero: {buffer: a, offset: 13}, at_most: "
		 "1}\n",
		3, "4 bytes at offset 13 end beyond 'a', which has 16"},
	{BUFFERS "launches:\n  - {repeat: [" L "], until_zero: {}, at_most: 1}\n", 3,
		"until_zero needs a buffer"},
	{BUFFERS
		"launches:\n  - {repeat: [{write: a, bytes: 4}], until_zero: {buffer: a}, at_most: "
		"1}\n",
		3, ":5:14: repeat must be a list with at least one launch"},
	{BUFFERS "launches:\n  - {repeat: 7, until_zero: {buffer: a}, at_most: 1}\n", 3,
		":5:14: repeat must be a list"},
	{BUFFERS "launches:\n  - {wait: rest}\n", 3, "a scenario needs launches"},
	/* addresses */
	{"buffers:\n  p: {bytes: 8, address: 0x100000100}\n  a: {bytes: 8, address: 0x100000000}\n"
	 "launches: [" L "]\n",
		3, ":3:6: buffer a: address 0x100000000: it must be a multiple of 256 from "},
	{"buffers:\n  p: {bytes: 8, address: 4294967297}\nlaunches: [" L "]\n", 3,
		":2:6: buffer p: address 0x100000001: it must be a multiple of 256 from 0x100000000"},
	{"buffers:\n  p: {bytes: 8, address: -1}\nlaunches: [" L "]\n", 3,
		":2:26: address: '-1' is not a whole number"},
	/* checks of buffers against buffers */
	{BUFFERS "launches: [" L "]\nchecks:\n  - {buffer: a, equals: {buffer: b}}\n", 3,
		":6:34: there is no buffer 'b'"},
	{BUFFERS "launches: [" L "]\nchecks:\n  - {buffer: a, equals: {buffer: p, bytes: 24}}\n", 3,
		":6:34: 24 bytes at offset 0 end beyond 'p', which has 16"},
	{BUFFERS "launches: [" L "]\nchecks:\n  - {buffer: a, equals: {buffer: p, bytes: 6}}\n", 3,
		":6:34: 6 bytes of 'p' are to be compared: give a number of whole elements"},
	{BUFFERS "launches: [" L "]\nchecks:\n  - {buffer: a, equals: {buffer: p, size: 6}}\n", 3,
		":6:37: unknown key 'size' in equals"},
	/* a launch behind the first wait is checked before anything runs */
	{BUFFERS "launches: [" L ", {wait: rest}, " STEP "]}]\n", 3,
		"takes 1 argument, 0 were given"},
};

static void bad_input_has_one_message_with_its_location(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(bad_inputs); i++) {
		char *err;
		int code;

		write_scenario(*state, bad_inputs[i].text);
		code = desk_run(*state, "exec %F/s.yaml --json %F/j");
		err = desk_content(*state, "err");
		if (code != bad_inputs[i].code || !strstr(err, bad_inputs[i].says))
			print_error("%s%d, expected '%s':\n%s", bad_inputs[i].text, code,
				bad_inputs[i].says, err);
		assert_int_equal(code, bad_inputs[i].code);
		assert_non_null(strstr(err, bad_inputs[i].says));
		assert_non_null(strstr(err, "s.yaml:"));
		assert_ptr_equal(strchr(err, '\n'), err + strlen(err) - 1);
		assert_false(desk_has(*state, "j"));
		mem_free(err);
	}
}

static void a_repetition_without_end_is_ended_by_its_limit(void **state)
{
	write_scenario(*state,
		BUFFERS "launches:\n  - {repeat: [" L "], until_zero: {buffer: a}, at_most: 5}\n");
	assert_int_equal(desk_run(*state, "run %F/s.yaml"), 8);
	assert_says(*state, "err",
		"s.yaml:5:5: repeated 5 times, the limit at_most, the word at offset 0 of 'a' is "
		"still 1, not zero");
	assert_says(*state, "out", "PARTIAL REPORT");
	assert_int_equal(desk_run(*state, "exec %F/s.yaml"), 8);
}

static void a_buffer_that_differs_from_another_fails_the_check(void **state)
{
	write_scenario(*state, "buffers:\n  a: {type: u32, count: 4, fill: 1}\n"
			       "  b: {type: u32, data: [1, 1, 2, 1]}\n"
			       "  p: {bytes: 8, fields: [{buffer: a}]}\n"
			       "launches: [" L "]\n"
			       "checks:\n  - {buffer: a, equals: {buffer: b}}\n");
	assert_int_equal(desk_run(*state, "run %F/s.yaml"), 1);
	assert_says(*state, "err",
		"s.yaml:7:5: buffer 'a', element 2: 1, expected 2; 1 of 4 elements differ");
}

/* Launches in several streams, repetition within repetition. */
static void repetitions_nest(void **state)
{
	write_scenario(*state,
		"buffers:\n  d: {type: u32, count: 4}\n  in: {type: u32, data: [2]}\n"
		"  out: {type: u32, data: [3]}\n"
		"launches:\n"
		"  - {repeat: [{write: in, type: u32, data: [2]},\n"
		"      {repeat: [" STEP "{fields: [{u32: 1}, {buffer: d}, {buffer: in}]}]}],\n"
		"       until_zero: {buffer: in}, at_most: 2},\n"
		"      " STEP "{fields: [{u32: 0}, {buffer: d}, {buffer: out}]}]}],\n"
		"     until_zero: {buffer: out}, at_most: 3}\n"
		"checks:\n  - {buffer: d, equals: {data: [18, 18, 18, 18]}}\n");
	assert_int_equal(desk_run(*state, "run %F/s.yaml"), 0);
	assert_says(*state, "out", "check: passed");
}

static void mangled_names_are_readable(void **state)
{
	static const struct {
		const char *mangled, *source;
	} rows[] = {{"add", "add"}, {"_Z3addPf", "add"}, {"_ZN2ns3addEv", "ns::add"},
		{"_Z3addIfEvPT_", "add<float>"},
		{"_Z3addIPKfLi4ELb1EEvv", "add<const float*, 4, true>"},
		{"_Z3addILin3EEvv", "add<-3>"},
		{"_ZN12_GLOBAL__N_13addEv", "(anonymous namespace)::add"}, {"_ZL3addv", "add"},
		{"_Z3addIN2ns1tIjEEEvv", "add<ns::t<unsigned int>>"},
		{"_Z3addIJifEEvv", "add<int, float>"},
		{"_ZN2nsIJifEE3addEv", "ns<int, float>::add"}, {"_Z3addIS_Evv", "add<...>"},
		{"_Z99add", "_Z99add"}, {"_Z", "_Z"}, {"_ZN", "_ZN"}, {"_Z3addI", "add<...>"}};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct text out = {0};

		source_name(rows[i].mangled, &out);
		assert_string_equal(text_str(&out), rows[i].source);
		text_clear(&out);
	}
	assert_true(source_name_is("_ZN2ns3addIfLi4EEEvv", "add<float,4>"));
	assert_true(source_name_is("_ZN2ns3addIfLi4EEEvv", "ns::add"));
	assert_false(source_name_is("_ZN2ns3addIfLi4EEEvv", "ad"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test(name)
		TEST(steps_do_what_they_say_in_time_and_without),
		TEST(bad_input_has_one_message_with_its_location),
		TEST(a_repetition_without_end_is_ended_by_its_limit),
		TEST(a_buffer_that_differs_from_another_fails_the_check),
		TEST(repetitions_nest),
		TEST(mangled_names_are_readable),
#undef TEST
	};

	return cmocka_run_group_tests(tests, set_up, desk_tear_down);
}
