/* warpbeam hardware without a GPU: a stand-in for the driver's library, which executes by warpbeam
 * itself, so that everything but NVIDIA's own code is exercised; and each of its calls failing. */
#include "tests/rig/standin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base.h"
#include "core/err.h"
#include "core/file.h"
#include "core/mem.h"

/* A kernel that writes two values and the address of its output, and reads a texture, a variable
 * and a surface: every kind of object that a GPU needs. */
static const char ptx[] =
	".version 5.0\n.target sm_35\n.address_size 64\n"
	".visible .const .align 4 .u32 seven = 7;\n.global .align 4 .u32 hidden = 9;\n"
	".visible .global .texref row;\n"
	".visible .entry k(.param .u64 out, .param .u64 texture)\n{\n"
	"\t.reg .b64 %a, %o, %t;\n\t.reg .b32 %i, %v, %s<4>;\n\t.reg .f32 %f<4>, %x;\n"
	"\tld.param.u64 %o, [out];\n\tld.param.u64 %t, [texture];\n\tmov.u32 %i, %tid.x;\n"
	"\tmul.wide.u32 %a, %i, 16;\n\tadd.u64 %a, %a, %o;\n\tst.global.u64 [%a], %a;\n"
	"\tld.const.u32 %v, [seven];\n\tadd.u32 %v, %v, %i;\n\tst.global.u32 [%a+8], %v;\n"
	"\tcvt.rn.f32.u32 %x, %i;\n"
	"\ttex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%t, {%x, %x}];\n"
	"\tst.global.f32 [%a+12], %f0;\n"
	"\ttex.1d.v4.s32.s32 {%s0, %s1, %s2, %s3}, [row, {%i}];\n"
	"\tadd.u32 %v, %v, %s0;\n\tst.global.u32 [%a+8], %v;\n\tret;\n}\n"
	".visible .entry s(.param .u64 surface)\n{\n\t.reg .b64 %s;\n\t.reg .b32 %i, %x;\n"
	"\tld.param.u64 %s, [surface];\n\tmov.u32 %i, %tid.x;\n\tshl.b32 %x, %i, 2;\n"
	"\tsust.b.1d.b32.trap [%s, {%x}], {%i};\n\tret;\n}\n";
static const char scenario[] =
	"chip: m12\n"
	"buffers:\n  out: { type: u32, count: 32 }\n"
	"  texels: { type: f32, data: [1, 2, 3, 4, 5, 6, 7, 8] }\n"
	"  row: { type: s32, data: [10, 20, 30, 40, 50, 60, 70, 80] }\n"
	"  drawn: { type: u32, count: 8 }\n"
	"textures:\n"
	"  t: { buffer: texels, format: f32, width: 4, height: 2 }\n"
	"  r: { buffer: row, format: s32, width: 8 }\n"
	"  d: { buffer: drawn, format: u32, width: 8 }\n"
	"launches:\n"
	"  - { module: k.ptx, kernel: k, grid: 1, block: 8,\n"
	"      args: [ {buffer: out}, {texture: t} ], bind: { row: r } }\n"
	"  - { module: k.ptx, kernel: s, grid: 1, block: 8, args: [ {texture: d} ], stream: 1 }\n"
	"checks:\n  - { buffer: drawn, equals: { type: u32, data: [0, 1, 2, 3, 4, 5, 6, 7] } }\n";

static int set_up(void **state)
{
	const struct desk *d;

	standin_set_up(state);
	d = *state;
	desk_put(d, "s.yaml", scenario);
	desk_put(d, "k.ptx", ptx);
	return 0;
}

static json_t *target(json_t *file, unsigned i)
{
	return json_array_get(json_object_get(file, "targets"), i);
}

static json_int_t whole(json_t *object, const char *key)
{
	json_t *v = json_object_get(object, key);

	assert_true(json_is_integer(v));
	return json_integer_value(v);
}

static double real(json_t *object, const char *outer, const char *key)
{
	json_t *v = json_object_get(json_object_get(object, outer), key);

	assert_true(json_is_number(v));
	return json_number_value(v);
}

static json_t *buffer(json_t *of, const char *name)
{
	json_t *list = json_object_get(of, "buffers"), *b;
	size_t i;

	json_array_foreach(list, i, b) if (!strcmp(json_text(b, "name"), name)) return b;
	fail_msg("no buffer %s", name);
	return NULL;
}

static void assert_equal_memory(json_t *of)
{
	json_t *list = json_object_get(of, "buffers"), *b;
	size_t i;

	assert_true(json_array_size(list) > 0);
	json_array_foreach(list, i, b) assert_int_equal(whole(b, "words_that_differ"), 0);
}

/* A workload that decides on results, one with a volume and a filtered row as textures, one with
 * linear memory as a texture, one whose arguments are addresses in structures, one with a variable
 * that the host resets. */
static void workloads_run_as_by_the_executor(void **state)
{
	static const char *const runs[] = {"bfs --set bfs.n=700",
		"volumerender --set volumerender.width=24 --set volumerender.height=16",
		"texturechase", "hwt", "mandelbrot --set mandelbrot.height=48"};
	const struct desk *d = *state;

	for (unsigned i = 0; i < ARRAY_LEN(runs); i++) {
		char words[200];
		json_t *j, *t;

		snprintf(words, sizeof(words), "hardware %s --repeat 2 --json %%F/j", runs[i]);
		assert_int_equal(desk_run(d, words), 0);
		j = desk_json(d, "j");
		t = target(j, 0);
		assert_true(json_is_true(json_object_get(j, "stand_in")));
		assert_string_equal(json_text(j, "schema"), "warpbeam-hardware/1");
		assert_string_equal(json_text(json_object_get(j, "gpu"), "clocks"), "not locked");
		assert_string_equal(json_text(t, "check"), "passed");
		assert_equal_memory(t);
		assert_int_equal(whole(t, "buffers_that_differ_between_repeats"), 0);
		if (!i)
			assert_true(whole(t, "launches") > 4);
		json_decref(j);
		assert_nothing_left(d);
	}
}

/* The stand-in counts a nanosecond for each warp instruction, and a register more than we do. */
static void times_clocks_and_registers_are_the_drivers(void **state)
{
	const struct desk *d = *state;
	json_t *j, *t, *k;

	assert_int_equal(desk_run(d, "hardware vectoradd --set vectoradd.n=1000 --repeat 3 "
				     "--locked-clocks --json %F/j --out %F/q"),
		0);
	j = desk_json(d, "j");
	assert_string_equal(json_text(json_object_get(j, "gpu"), "clocks"), "locked");
	t = target(j, 0);
	k = json_array_get(json_object_get(t, "kernels"), 0);
	/* 4 CTAs of 8 warps; the last warp that has an element, and those beyond, do less */
	assert_true(real(t, "us", "median") > 0.3 && real(t, "us", "median") < 0.7);
	assert_true(real(t, "us", "least") <= real(t, "us", "median"));
	assert_true(real(t, "us", "median") <= real(t, "us", "most"));
	assert_true(real(t, "clock_before", "mhz") > 999 && real(t, "clock_before", "mhz") < 1001);
	assert_true(
		json_number_value(json_object_get(t, "cycles")) > 999 * real(t, "us", "median"));
	assert_int_equal(whole(json_object_get(k, "gpu"), "registers"),
		whole(json_object_get(k, "ours"), "registers") + 1);
	json_decref(j);
	assert_says(d, "out", "stand-in 7 (a stand-in: no GPU), compute capability 9.0");
#ifdef HAVE_SQLITE
	assert_true(desk_has(d, "q"));
	assert_int_equal(desk_run(d, "hardware %F/s.yaml --out %F/s.yaml"), ERR_USAGE);
#endif
}

static void a_scenario_needs_every_kind_of_object(void **state)
{
	const struct desk *d = *state;
	json_t *j, *t;

	assert_int_equal(desk_run(d, "hardware %F/s.yaml --repeat 2 --json %F/j"), 0);
	j = desk_json(d, "j");
	t = target(j, 0);
	assert_equal_memory(t);
	/* eight addresses, of which the upper words are equal in any case */
	assert_int_equal(whole(buffer(t, "out"), "words_of_addresses"), 8);
	assert_true(json_is_true(json_object_get(buffer(t, "drawn"), "compared")));
	json_decref(j);
	assert_nothing_left(d);
}

/* ---- cycles by the SMs' clocks */
static json_t *run_and_clock(const struct desk *d, const char *kernel)
{
	json_t *j;

	desk_put(d, "c.ptx", kernel);
	desk_put(d, "c.yaml",
		"buffers:\n  out: { type: u32, count: 64 }\nlaunches:\n"
		"  - { module: c.ptx, kernel: k, grid: 2, block: 32, args: [ {buffer: out} ] }\n");
	assert_int_equal(desk_run(d, "hardware %F/c.yaml --repeat 1 --json %F/j"), 0);
	j = desk_json(d, "j");
	assert_equal_memory(target(j, 0));
	assert_nothing_left(d);
	return j;
}

#define KERNEL(more, body) \
	".version 5.0\n.target sm_35\n.address_size 64\n" more \
	".visible .entry k(.param .u64 out)\n" \
	"{\n.reg .b64 %o, %a;\n.reg .b32 %i, %n;\n.reg .pred %p;\nld.param.u64 %o, [out];\n" \
	"mov.u32 %i, %tid.x;\nmul.wide.u32 %a, %i, 4;\nadd.u64 %a, %a, %o;\n" body "}\n"
#define LOOP \
	"mov.u32 %n, 100;\nL:\nsub.u32 %n, %n, 1;\nsetp.ne.u32 %p, %n, 0;\n@%p bra L;\n" \
	"st.global.u32 [%a], %i;\n"

/* Some threads leave at once: the cycles are those of the ones that stay, a loop of 300 and more
 * instructions. Without any exit the kernel ends at its brace. */
static void the_last_thread_ends_the_cycles(void **state)
{
	static const char *const kernels[] = {
		KERNEL("", "setp.lt.u32 %p, %i, 20;\n@%p ret;\n" LOOP "ret;\n"),
		KERNEL("", "setp.lt.u32 %p, %i, 20;\n@!%p bra M;\nexit;\nM:\n" LOOP)};
	const struct desk *d = *state;

	for (unsigned i = 0; i < ARRAY_LEN(kernels); i++) {
		json_t *j = run_and_clock(d, kernels[i]), *t = target(j, 0);
		json_t *k = json_array_get(json_object_get(t, "kernels"), 0);

		assert_true(whole(t, "clocked_cycles") > 300);
		assert_true(whole(t, "clocked_cycles") < 1400);
		assert_int_equal(whole(k, "clocked_cycles"), whole(t, "clocked_cycles"));
		assert_true(whole(json_object_get(k, "gpu"), "clocked_registers") > 1);
		assert_true(json_is_null(json_object_get(t, "not_clocked")));
		json_decref(j);
	}
}

static void cycles_that_cannot_be_counted_are_missing_by_name(void **state)
{
	const struct desk *d = *state;
	json_t *j = run_and_clock(d, KERNEL(".func f()\n{\nexit;\n}\n", LOOP "call f;\nret;\n"));

	assert_true(json_is_null(json_object_get(target(j, 0), "clocked_cycles")));
	assert_non_null(
		strstr(json_text(target(j, 0), "not_clocked"), "c.ptx:6: a function ends threads"));
	assert_true(real(target(j, 0), "us", "median") > 0);
	json_decref(j);
	assert_says(d, "out", "no cycles by clock64: ");
	/* in two streams kernels overlap */
	assert_int_equal(desk_run(d, "hardware %F/s.yaml --json %F/j"), 0);
	j = desk_json(d, "j");
	assert_string_equal(
		json_text(target(j, 0), "not_clocked"), "its launches are in several streams");
	json_decref(j);
	/* the copy is refused, the kernel itself is not */
	setenv("STANDIN_REFUSE", "warpbeam_clocks", 1);
	j = run_and_clock(d, KERNEL("", LOOP "ret;\n"));
	unsetenv("STANDIN_REFUSE");
	assert_non_null(strstr(json_text(target(j, 0), "not_clocked"), "ptxas says: refused"));
	json_decref(j);
}

static void wrong_results_are_a_failed_check_and_words_that_differ(void **state)
{
	const struct desk *d = *state;
	json_t *j, *c;

	setenv("STANDIN_FLIP", "1", 1);
	assert_int_equal(desk_run(d, "hardware vectoradd needle --json %F/j"), ERR_CHECK);
	unsetenv("STANDIN_FLIP");
	assert_says(d, "err", "vectoradd: ");
	j = desk_json(d, "j");
	assert_string_equal(json_text(target(j, 0), "check"), "failed");
	c = buffer(target(j, 0), "c");
	assert_int_equal(whole(c, "words_that_differ"), 1);
	assert_int_equal(whole(json_object_get(c, "first"), "offset"), 0);
	assert_true(real(target(j, 0), "us", "median") > 0);
	assert_int_equal(json_array_size(json_object_get(j, "targets")), 2);
	json_decref(j);
	assert_nothing_left(d);
}

/* ---- no GPU */
static void assert_refused(const struct desk *d, const char *words)
{
	assert_int_equal(desk_run(d, "hardware vectoradd --json %F/none"), ERR_HOST);
	assert_one_line(d, words);
	assert_false(desk_has(d, "none"));
}

static void without_driver_or_gpu_one_line_says_so(void **state)
{
	const struct desk *d = *state;

	assert_int_equal(desk_run(d, "hardware vectoradd --driver %F/no.so"), ERR_HOST);
	assert_one_line(d, "no driver of a GPU");
	setenv("STANDIN_VERSION", "8000", 1);
	assert_refused(d, "the driver is too old: it supports CUDA 8.0; 9.0 or newer is needed");
	unsetenv("STANDIN_VERSION");
	setenv("STANDIN_GPUS", "0", 1);
	assert_refused(d, "the driver finds no GPU");
	setenv("STANDIN_GPUS", "-1", 1);
	assert_refused(d, "the driver finds no GPU");
	unsetenv("STANDIN_GPUS");
	assert_int_equal(desk_run(d, "hardware vectoradd --gpu 1"), ERR_HOST);
	assert_one_line(d, "there is no GPU 1: the driver finds 1, from 0 on");
	standin_compile(d, "fail", "", "old.so");
	assert_int_equal(desk_run(d, "hardware vectoradd --driver %F/old.so"), ERR_HOST);
	assert_one_line(d, "the driver has no function cuInit");
}

/* A library whose function of that name has another one. */
static void functions_that_few_need_are_missed_by_those_alone(void **state)
{
	const struct desk *d = *state;
	json_t *j;

	standin_compile(d, "cuda", " -DcuTexObjectCreate=none -DcuLaunchCooperativeKernel=nothing",
		"less.so");
	assert_int_equal(desk_run(d, "hardware %F/s.yaml vectoradd "
				     "--driver %F/less.so --json %F/j"),
		ERR_HOST);
	assert_one_line(d, "the driver has no function cuTexObjectCreate, which this needs");
	j = desk_json(d, "j");
	assert_string_equal(json_text(target(j, 1), "check"), "passed");
	json_decref(j);
	assert_nothing_left(d);
}

/* ---- failures on the way */
static void every_failed_call_is_one_line_and_leaves_nothing(void **state)
{
	assert_each_call_fails_well(*state, "hardware %F/s.yaml --repeat 1 --quiet", 60);
}

static void a_fault_on_the_gpu_ends_its_target_alone(void **state)
{
	const struct desk *d = *state;
	json_t *j;

	setenv("STANDIN_FAULT", "1", 1);
	assert_int_equal(desk_run(d, "hardware vectoradd needle --json %F/j"), ERR_FAULT);
	unsetenv("STANDIN_FAULT");
	assert_one_line(d, "vectoradd: vectoradd: cuEventRecord: error 700 "
			   "(CUDA_ERROR_ILLEGAL_ADDRESS)");
	j = desk_json(d, "j");
	assert_int_equal(whole(target(j, 0), "code"), ERR_FAULT);
	assert_string_equal(json_text(target(j, 0), "check"), "not reached");
	assert_string_equal(json_text(target(j, 1), "check"), "passed");
	json_decref(j);
	assert_nothing_left(d);
}

static void ptx_that_the_driver_refuses_is_told_with_its_reason(void **state)
{
	const struct desk *d = *state;

	setenv("STANDIN_REFUSE", "bfs_expand", 1);
	assert_int_equal(desk_run(d, "hardware bfs --set bfs.n=700"), ERR_INPUT);
	unsetenv("STANDIN_REFUSE");
	assert_one_line(d, "ptxas says: refused: cuModuleLoadDataEx: error 218 "
			   "(CUDA_ERROR_INVALID_PTX)");
	assert_nothing_left(d);
}

static void what_gpus_do_not_have_is_unsupported(void **state)
{
	static const char narrow[] = ".version 3.0\n.target sm_20\n.address_size 32\n"
				     ".visible .entry k()\n{\n\tret;\n}\n";
	const struct desk *d = *state;

	desk_put(d, "n.ptx", narrow);
	desk_put(d, "n.yaml", "launches:\n  - { module: n.ptx, kernel: k, grid: 1, block: 32 }\n");
	assert_int_equal(desk_run(d, "hardware %F/n.yaml"), ERR_UNSUPPORTED);
	assert_one_line(d, "its addresses have 32 bits");
	assert_int_equal(desk_run(d, "hardware %F/s.yaml --size full"), ERR_USAGE);
	assert_int_equal(desk_run(d, "hardware nonesuch"), ERR_USAGE);
	assert_int_equal(desk_run(d, "hardware vectoradd --json %F/x --out %F/x"), ERR_USAGE);
	assert_false(desk_has(d, "x"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(workloads_run_as_by_the_executor),
		cmocka_unit_test(times_clocks_and_registers_are_the_drivers),
		cmocka_unit_test(a_scenario_needs_every_kind_of_object),
		cmocka_unit_test(the_last_thread_ends_the_cycles),
		cmocka_unit_test(cycles_that_cannot_be_counted_are_missing_by_name),
		cmocka_unit_test(wrong_results_are_a_failed_check_and_words_that_differ),
		cmocka_unit_test(without_driver_or_gpu_one_line_says_so),
		cmocka_unit_test(functions_that_few_need_are_missed_by_those_alone),
		cmocka_unit_test(every_failed_call_is_one_line_and_leaves_nothing),
		cmocka_unit_test(a_fault_on_the_gpu_ends_its_target_alone),
		cmocka_unit_test(ptx_that_the_driver_refuses_is_told_with_its_reason),
		cmocka_unit_test(what_gpus_do_not_have_is_unsupported),
	};

	return cmocka_run_group_tests(tests, set_up, desk_tear_down);
}
