/* What is read as YAML: limits, chips on chips, arguments with the kernel's types, files of other
 * kinds, options given twice. */
#include "tests/rig/support_cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/err.h"
#include "core/text.h"
#include "runs/yaml/yaml.h"

/* ---- limits */
static struct err read_text(const char *text, size_t n)
{
	struct err err = {0};
	struct yaml y;

	yaml_load(&y, "f.yaml", text, n, &err);
	yaml_unload(&y);
	return err;
}

static void assert_refused(const char *text, size_t n, const char *words)
{
	struct err err = read_text(text, n);

	assert_int_equal(err.code, ERR_INPUT);
	assert_int_equal(err.count, 1);
	if (!strstr(err_text(&err), words))
		print_error("%s\n", err_text(&err));
	assert_non_null(strstr(err_text(&err), words));
	err_clear(&err);
}

/* n times the words, between two others. */
static struct text repeated(const char *before, const char *words, unsigned n, const char *after)
{
	struct text t = {0};

	text_raw(&t, "%s", before);
	for (unsigned i = 0; i < n; i++)
		text_bytes(&t, words, strlen(words));
	text_raw(&t, "%s", after);
	return t;
}

static void nesting_has_a_limit_in_every_notation(void **state)
{
	static const char *const opens[] = {"[", "- ", "? ", "{a: ", "[{a: "};

	(void)state;
	for (unsigned i = 0; i < sizeof(opens) / sizeof(opens[0]); i++) {
		struct text t = repeated("", opens[i], 200000, "");

		assert_refused(t.s, t.len, "nested too deep; at most 64");
		text_clear(&t);
	}
}

static void sixty_four_levels_are_read(void **state)
{
	struct text t = repeated("", "[", 64, "1");
	struct err err;

	(void)state;
	for (unsigned i = 0; i < 64; i++)
		text_bytes(&t, "]", 1);
	err = read_text(t.s, t.len);
	assert_string_equal(err_text(&err), "");
	err_clear(&err);
	text_clear(&t);
}

static void size_keys_and_values_have_limits(void **state)
{
	struct text t = repeated("a: ", "0123456789abcdef", 4 << 20, "");

	(void)state;
	assert_refused(t.s, t.len, "bytes of YAML; at most 67108864 are read");
	text_clear(&t);
	for (unsigned i = 0; i < 5000; i++)
		text_raw(&t, "k%u: 1\n", i);
	assert_refused(t.s, t.len, "f.yaml:4097:1: too many keys in one mapping; at most 4096");
	text_clear(&t);
}

static void aliases_expand_to_no_more_than_a_document_may_hold(void **state)
{
	struct text t = {0};

	(void)state;
	text_raw(&t, "a0: &a0 [x]\n");
	for (unsigned i = 1; i < 30; i++)
		text_raw(&t, "a%u: &a%u [*a%u, *a%u, *a%u]\n", i, i, i - 1, i - 1, i - 1);
	assert_refused(t.s, t.len, "with its aliases this has too many values; at most 4194304");
	text_clear(&t);
	text_raw(&t, "a0: &a0 [x]\n");
	for (unsigned i = 1; i < 200; i++)
		text_raw(&t, "a%u: &a%u [*a%u]\n", i, i, i - 1);
	assert_refused(t.s, t.len, "aliases nested too deep; at most 64");
	text_clear(&t);
	assert_refused("a: &a [*a]", 10, "this contains an alias of itself");
}

static void an_alias_is_read_as_what_it_names(void **state)
{
	static const char text[] = "a: &a [1, 2]\nb: *a\n";
	struct err err = {0};
	struct yaml y;

	(void)state;
	assert_int_equal(yaml_load(&y, "f.yaml", text, strlen(text), &err), 0);
	assert_string_equal(yaml_text(yaml_item(&y, yaml_get(&y, yaml_root(&y), "b"), 1)), "2");
	yaml_unload(&y);
}

/* ---- the whole program */
static void write_file(const struct desk *d, const char *name, const char *text)
{
	char path[200];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", d->folder, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void assert_error(const struct desk *d, const char *arguments, int code, const char *words)
{
	assert_int_equal(desk_run(d, arguments), code);
	assert_says(d, "err", words);
}

static void sizes_near_two_to_the_64_are_refused(void **state)
{
	static const char *const counts[] = {"1e19", "18446744073709551615", "18446744073709551616",
		"-1", "4611686018427387905"};
	char text[300];

	for (unsigned i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		snprintf(text, sizeof(text),
			"buffers: {a: {type: u32, count: %s, fill: 1}}\nlaunches: [{module: k}]\n",
			counts[i]);
		write_file(*state, "s.yaml", text);
		assert_error(
			*state, "run %F/s.yaml", 3, "is not a whole number from 1 to 805306368");
	}
}

static void a_chip_file_changes_its_base(void **state)
{
	const struct desk *d = *state;

	write_file(d, "a.yaml", "base: dis40\nsm: {warps: 16}\nchip.sms: 2\n");
	write_file(d, "b.yaml", "base: a.yaml\nsm.warps: 24\n");
	assert_int_equal(desk_run(d, "params --chip %F/b.yaml sm.warps"), 0);
	assert_says(d, "out", "sm.warps                             24 ");
	assert_int_equal(desk_run(d, "params --chip %F/b.yaml chip.sms"), 0);
	assert_says(d, "out", "chip.sms                             2 ");
	assert_int_equal(desk_run(d, "params --chip %F/a.yaml sm.warps"), 0);
	assert_says(d, "out", "sm.warps                             16 ");
}

static void a_wrong_chip_file_is_reported_with_its_location(void **state)
{
	const struct desk *d = *state;

	write_file(d, "c.yaml", "sm: {warps: 16}\nsm.warps: 4\n");
	assert_error(d, "params --chip %F/c.yaml", 3, "c.yaml:2:1: 'sm.warps' is set twice");
	write_file(d, "c.yaml", "sm:\n  warp: 16\n");
	assert_error(d, "run bfs --chip %F/c.yaml", 3,
		"c.yaml:2:3: unknown parameter 'sm.warp'; did you mean 'sm.warps'?");
	write_file(d, "c.yaml", "base: m13\n");
	assert_error(d, "params --chip %F/c.yaml", 3, "c.yaml:1:7: chip = m13: there is no such");
	write_file(d, "c.yaml", "base: d.yaml\n");
	write_file(d, "d.yaml", "base: c.yaml\n");
	assert_error(d, "params --chip %F/c.yaml", 3, "/c.yaml is its own base");
	write_file(d, "c.yaml", "sm: [1]\n");
	assert_error(d, "params --chip %F/c.yaml", 3,
		"c.yaml:1:5: 'sm' needs a value, or [value, source]");
}

static void set_of_a_scenario_nests_too(void **state)
{
	const struct desk *d = *state;

	write_file(d, "k.ptx", ".version 3.0\n.target sm_20\n.entry k () { ret; }\n");
	write_file(d, "s.yaml",
		"set: {chip: {sms: 3}}\nlaunches: [{module: k.ptx, kernel: k, grid: 1, block: "
		"32}]\n");
	assert_int_equal(
		desk_run(d, "run %F/s.yaml --quiet --json %F/j; grep -A1 chip.sms %F/j"), 0);
	assert_says(d, "out", "\"value\": 3");
}

#define KERNEL \
	".version 3.0\n.target sm_20\n.address_size 64\n.entry k (.param .u64 p, .param .u32 n, " \
	".param " \
	".f32 f, .param .b32 b, .param .s32 i) { .reg .u32 %r<4>; .reg .u64 %d; ld.param.u64 %d, " \
	"[p]; " \
	"ld.param.u32 %r1, [n]; ld.param.u32 %r2, [f]; ld.param.u32 %r3, [i]; st.global.u32 " \
	"[%d], %r1; " \
	"st.global.u32 [%d+4], %r2; st.global.u32 [%d+8], %r3; ret; }\n"

static void with_arguments(const struct desk *d, const char *args, const char *checks)
{
	char text[1000];

	write_file(d, "k.ptx", KERNEL);
	snprintf(text, sizeof(text),
		"buffers: {a: {bytes: 12}}\nlaunches: [{module: k.ptx, kernel: k, grid: 1, block: "
		"1, "
		"args: [%s]}]\n%s",
		args, checks);
	write_file(d, "s.yaml", text);
}

static void a_bare_number_is_what_the_kernel_takes(void **state)
{
	const struct desk *d = *state;

	with_arguments(d, "{buffer: a}, 1024, 2.5, {f32: 1}, -3",
		"checks: [{buffer: a, equals: {hex: \"00040000 00002040 fdffffff\"}}]\n");
	assert_int_equal(desk_run(d, "run %F/s.yaml"), 0);
	with_arguments(d, "{buffer: a}, -1, 2, {u32: 1}, 0x10",
		"checks: [{buffer: a, equals: {hex: \"ffffffff 00000040 10000000\"}}]\n");
	assert_int_equal(desk_run(d, "run %F/s.yaml"), 0);
	with_arguments(d,
		"{buffer: a}, {hex: \"01000000\"}, {hex: \"0000803f\"}, {s32: -1}, {u32: 5}",
		"checks: [{buffer: a, equals: {hex: \"01000000 0000803f 05000000\"}}]\n");
	assert_int_equal(desk_run(d, "run %F/s.yaml"), 0);
}

static void an_argument_of_another_kind_is_refused_at_its_location(void **state)
{
	static const char *const wrong[][2] = {
		{"{buffer: a}, {f32: 4}, 1, {u32: 1}, 1", "s.yaml:2:78: kernel 'k': argument 1 "
							  "('n') is given as f32, the parameter is "
							  ".u32"},
		{"{buffer: a}, 4, {u32: 1}, {u32: 1}, 1", "argument 2 ('f') is given as u32"},
		{"{buffer: a}, 4, 1, {u32: 1}, {f32: 1}", "argument 4 ('i') is given as f32"},
		{"{buffer: a}, 2.5, 1, {u32: 1}, 1", "s.yaml:2:78: '2.5' is not a value of u32"},
		{"{buffer: a}, 4294967296, 1, {u32: 1}, 1", "'4294967296' is not a value of u32"},
		{"{buffer: a}, -2147483649, 1, {u32: 1}, 1", "'-2147483649' is not a value of s32"},
		{"{buffer: a}, 1, 1, 7, 1", "argument 3 ('b') is a parameter of 4 bytes without"},
		{"a, 1, 1, {u32: 1}, 1", "s.yaml:2:65: 'a' is not a number"},
		{"{f64: 1}, 1, 1, {u32: 1}, 1", "argument 0 ('p') is given as f64"},
		{"{buffer: a}, {u64: 1}, 1, {u32: 1}, 1",
			"has 8 bytes, the parameter (.u32) takes 4"},
		{"{buffer: a}, 1, 1", "takes 5 arguments, 3 were given"}};

	for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		with_arguments(*state, wrong[i][0], "");
		assert_error(*state, "run %F/s.yaml", 3, wrong[i][1]);
	}
}

static void a_file_of_another_kind_is_called_by_its_name(void **state)
{
	const struct desk *d = *state;
	char path[200];

	write_file(d, "gemm.ptx", "// made\n/* by */\n" KERNEL);
	assert_error(d, "run %F/gemm.ptx", 3, "gemm.ptx: this is PTX; a scenario");
	assert_says(d, "err", "{module: gemm.ptx, kernel: k, grid: 1");
	assert_error(d, "exec gemm.ptx", 3, "gemm.ptx: No such file");
	write_file(d, "gemm.cu", "__global__ void k() {}\n");
	assert_error(d, "profile %F/gemm.cu", 3, "gemm.cu: this is source, not a scenario");
	assert_int_equal(desk_run(d, "run bfs --quiet --json %F/r.json"), 0);
	assert_error(d, "compare %F/r.json", 3, "r.json: this is a report in JSON");
	assert_error(d, "tune %F/../../bin/sh", 3, "sh: this is a compiled program; '-- ");
	write_file(d, "zeros.bin", "a");
	snprintf(path, sizeof(path), "%s/zeros.bin", d->folder);
	assert_int_equal(truncate(path, 8), 0);
	assert_error(d, "tune %F/zeros.bin", 3, "this is not text");
}

static void an_option_given_twice_is_not_dropped(void **state)
{
	const struct desk *d = *state;

	assert_error(d, "run bfs --ptx-dir a --ptx-dir b", 2,
		"--ptx-dir b: --ptx-dir was given before; a command takes it once");
	assert_error(d, "run bfs --seed 1 --seed=2", 2, "--seed was given before");
	assert_error(d, "run bfs --size small --size full", 2, "--size was given before");
	assert_error(d, "run bfs --json a --json b", 2, "--json was given before");
	assert_int_equal(
		desk_run(d, "params --set chip.sms=2 --set sm.warps=8 --set chip.sms=4"), 0);
	assert_says(d, "err", "note: --set chip.sms=4 replaces --set chip.sms=2");
	assert_int_equal(desk_run(d, "run bfs --quiet --quiet"), 0);
}

int main(void)
{
#define WITH_DESK(f) cmocka_unit_test_setup_teardown(f, desk_set_up, desk_tear_down)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nesting_has_a_limit_in_every_notation),
		cmocka_unit_test(sixty_four_levels_are_read),
		cmocka_unit_test(size_keys_and_values_have_limits),
		cmocka_unit_test(aliases_expand_to_no_more_than_a_document_may_hold),
		cmocka_unit_test(an_alias_is_read_as_what_it_names),
		WITH_DESK(sizes_near_two_to_the_64_are_refused),
		WITH_DESK(a_chip_file_changes_its_base),
		WITH_DESK(a_wrong_chip_file_is_reported_with_its_location),
		WITH_DESK(set_of_a_scenario_nests_too),
		WITH_DESK(a_bare_number_is_what_the_kernel_takes),
		WITH_DESK(an_argument_of_another_kind_is_refused_at_its_location),
		WITH_DESK(a_file_of_another_kind_is_called_by_its_name),
		WITH_DESK(an_option_given_twice_is_not_dropped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
