/* warpbeam hardware --forms on the stand-in for a GPU's driver: equal where it executes as we do,
 * and what it falsifies, refuses or fails is listed, form by form. */
#include "tests/rig/standin.h"

#include "core/base.h"
#include "core/err.h"
#include "core/mem.h"

#include "runs/hardware/forms.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static json_t *form(json_t *file, const char *spelling)
{
	json_t *list = json_object_get(file, "forms"), *f;
	size_t i;

	json_array_foreach(list, i, f) if (!strcmp(json_text(f, "form"), spelling)) return f;
	fail_msg("no form %s", spelling);
	return NULL;
}

static unsigned in_state(json_t *file, const char *state)
{
	json_t *list = json_object_get(file, "forms"), *f;
	unsigned n = 0;
	size_t i;

	json_array_foreach(list, i, f) n += !strcmp(json_text(f, "state"), state);
	return n;
}

static json_int_t whole(json_t *object, const char *key)
{
	assert_true(json_is_integer(json_object_get(object, key)));
	return json_integer_value(json_object_get(object, key));
}

/* Arithmetic, memory of all spaces, textures, surfaces, barriers, calls, warp-wide forms. */
#define SOME \
	"add mul24 div. rcp ld.global ld.u st.shared atom.add.f tex.1d tex.a2d sust.b.2d sured.b.2d suq bar call shfl"

static void forms_are_equal_where_the_gpu_executes_as_we_do(void **state)
{
	const struct desk *d = *state;
	json_t *j;
	unsigned all;

	assert_int_equal(desk_run(d, "hardware --forms " SOME " --json %F/j --out %F/q"), 0);
	j = desk_json(d, "j");
	all = (unsigned)json_array_size(json_object_get(j, "forms"));
	assert_true(all > 200);
	assert_int_equal(in_state(j, "equal"), all);
	assert_true(json_is_true(json_object_get(j, "stand_in")));
	assert_true(whole(form(j, "add.s32"), "values") == 512);
	/* each thread's number and the whole texture of 16 bytes, 4 bytes */
	assert_true(whole(form(j, "sust.b.2d.b8.trap"), "values") > 1024);
	json_decref(j);
	assert_says(d, "out", "equal");
	assert_nothing_left(d);
#ifdef HAVE_SQLITE
	assert_true(desk_has(d, "q"));
#endif
}

static void one_seed_gives_the_same_file(void **state)
{
	const struct desk *d = *state;
	char *a, *b, *c;

	assert_int_equal(desk_run(d, "hardware --forms mul24 --seed 3 --json %F/a"), 0);
	assert_int_equal(desk_run(d, "hardware --forms mul24 --seed 3 --json %F/b"), 0);
	setenv("STANDIN_REPLACE", "mul24.lo.u32|mul24.hi.u32", 1);
	assert_int_equal(desk_run(d, "hardware --forms mul24 --seed 4 --json %F/c"), ERR_CHECK);
	assert_int_equal(desk_run(d, "hardware --forms mul24 --seed 3 --json %F/d"), ERR_CHECK);
	unsetenv("STANDIN_REPLACE");
	a = desk_content(d, "a");
	b = desk_content(d, "b");
	assert_string_equal(a, b);
	mem_free(a);
	mem_free(b);
	c = desk_content(d, "c");
	a = desk_content(d, "d");
	assert_string_not_equal(strstr(a, "first_difference"), strstr(c, "first_difference"));
	mem_free(a);
	mem_free(c);
}

/* As NVIDIA's compiler wants them: a second predicate for pairs alone, an order with a scope. */
static void forms_are_spelled_as_ptx_has_them(void **state)
{
	const struct desk *d = *state;
	json_t *j;

	assert_int_equal(
		desk_run(d, "hardware --forms setp.lt ld.relaxed ld.mmio ld.vol --json %F/j"), 0);
	j = desk_json(d, "j");
	assert_int_equal(whole(form(j, "setp.lt.f32"), "values"), 1024);
	assert_int_equal(whole(form(j, "setp.lt.bf16"), "values"), 512);
	form(j, "ld.relaxed.gpu.b8");
	form(j, "ld.relaxed.cluster.b128");
	form(j, "ld.mmio.relaxed.sys.b8");
	form(j, "ld.volatile.b8");
	json_decref(j);
}

static void a_falsified_form_differs_alone(void **state)
{
	const struct desk *d = *state;
	json_t *j;

	setenv("STANDIN_REPLACE", "mul24.lo.u32|mul24.hi.u32", 1);
	assert_int_equal(desk_run(d, "hardware --forms mul24 add.s --json %F/j"), ERR_CHECK);
	unsetenv("STANDIN_REPLACE");
	assert_says(d, "err", "1 form differs from what PTX defines");
	assert_says(d, "out", "mul24.lo.u32: ");
	j = desk_json(d, "j");
	assert_string_equal(json_text(form(j, "mul24.lo.u32"), "state"), "differs");
	assert_string_equal(json_text(form(j, "mul24.lo.u32"), "class"), "defined by PTX");
	assert_true(whole(form(j, "mul24.lo.u32"), "differ") > 100);
	assert_non_null(
		strstr(json_text(form(j, "mul24.lo.u32"), "first_difference"), " of thread 0."));
	assert_int_equal(in_state(j, "equal") + 1, json_array_size(json_object_get(j, "forms")));
	json_decref(j);
}

/* The reciprocal of a neighbour: an ulp or two off where PTX allows one, exact rounding does not.
 */
static void an_approximation_may_differ_within_its_bound(void **state)
{
	const struct desk *d = *state;
	json_t *j;

	setenv("STANDIN_REPLACE", "sqrt.approx.f32 |sqrt.rz.f32 ", 1);
	assert_int_equal(desk_run(d, "hardware --forms sqrt --json %F/j"), 0);
	setenv("STANDIN_REPLACE", "sqrt.rm.f32 |sqrt.rp.f32 ", 1);
	assert_int_equal(desk_run(d, "hardware --forms sqrt.rm.f32"), ERR_CHECK);
	unsetenv("STANDIN_REPLACE");
	j = desk_json(d, "j");
	assert_string_equal(json_text(form(j, "sqrt.approx.f32"), "state"), "within the bound");
	assert_string_equal(json_text(form(j, "sqrt.approx.f32"), "class"), "within a bound");
	assert_true(whole(form(j, "sqrt.approx.f32"), "within_bound") > 50);
	json_decref(j);
}

static void what_ptx_leaves_open_may_differ(void **state)
{
	const struct desk *d = *state;
	json_t *j;

	/* by zero nothing is defined: a quotient of 0 there, and nowhere else */
	setenv("STANDIN_REPLACE",
		"div.u32 o0_0, o1_0, o2_0;|{ .reg .pred %z; setp.ne.u32 %z, o2_0, 0;"
		" mov.u32 o0_0, 5; @%z div.u32 o0_0, o1_0, o2_0; }",
		1);
	assert_int_equal(desk_run(d, "hardware --forms div.u --json %F/j"), 0);
	unsetenv("STANDIN_REPLACE");
	j = desk_json(d, "j");
	assert_string_equal(
		json_text(form(j, "div.u32"), "state"), "differs where PTX says nothing");
	assert_true(whole(form(j, "div.u32"), "open") > 10);
	assert_int_equal(whole(form(j, "div.u32"), "differ"), 0);
	json_decref(j);
}

static void check_refused(const struct desk *d, const char *how, const char *says)
{
	json_t *j;

	setenv(how, "mul24.hi.s32", 1);
	assert_int_equal(desk_run(d, "hardware --forms mul24 add --json %F/j"), 0);
	unsetenv(how);
	j = desk_json(d, "j");
	assert_int_equal(in_state(j, "refused by the driver's compiler"), 1);
	assert_non_null(strstr(json_text(form(j, "mul24.hi.s32"), "message"), says));
	assert_int_equal(in_state(j, "equal") + 1, json_array_size(json_object_get(j, "forms")));
	json_decref(j);
	assert_says(d, "out", says);
	assert_nothing_left(d);
}

static void what_the_compiler_refuses_ends_nothing(void **state)
{
	check_refused(*state, "STANDIN_REFUSE_LINES", "; error   : refused");
	/* a log that names no line: found by halving */
	check_refused(*state, "STANDIN_REFUSE", "ptxas says: refused");
}

static void what_faults_is_found_by_halving(void **state)
{
	const struct desk *d = *state;
	json_t *j;

	setenv("STANDIN_REPLACE", "mul24.hi.s32 o0_0, o1_0, o2_0|trap", 1);
	assert_int_equal(desk_run(d, "hardware --forms mul24 --json %F/j"), 0);
	unsetenv("STANDIN_REPLACE");
	j = desk_json(d, "j");
	assert_string_equal(json_text(form(j, "mul24.hi.s32"), "state"), "failed");
	assert_int_equal(in_state(j, "equal"), 3);
	json_decref(j);
	assert_nothing_left(d);
}

static void a_failed_call_ends_the_command_and_leaves_nothing(void **state)
{
	assert_each_call_fails_well(*state, "hardware --forms mul24.hi.s32 suq.width --quiet", 30);
}

static void words_that_name_no_form_are_wrong(void **state)
{
	const struct desk *d = *state;

	assert_int_equal(desk_run(d, "hardware --forms nonesuch"), ERR_USAGE);
	assert_one_line(d, "no form begins with 'nonesuch'");
}

/* ---- the comparison itself */
static enum form_outcome outcome(
	const char *spelling, enum ptx_type type, uint64_t ours, uint64_t theirs)
{
	double error;

	return form_compare(form_rule_of(spelling), type, (unsigned char *)&ours,
		(unsigned char *)&theirs, &error);
}

static void bounds_are_of_the_types_last_digits(void **state)
{
	(void)state;
	assert_int_equal(outcome("add.f32", T_F32, 0x3f800000, 0x3f800001), FORM_DIFFERS);
	assert_int_equal(outcome("rcp.approx.f32", T_F32, 0x3f800000, 0x3f800001), FORM_WITHIN);
	assert_int_equal(outcome("rcp.approx.f32", T_F32, 0x3f800000, 0x3f800002), FORM_DIFFERS);
	assert_int_equal(outcome("div.full.f32", T_F32, 0x3f800000, 0x3f800002), FORM_WITHIN);
	assert_int_equal(outcome("div.full.f32", T_F32, 0x3f800000, 0x3f800003), FORM_DIFFERS);
	assert_int_equal(outcome("add.f32", T_F32, 0x7fffffff, 0x7fc00000), FORM_NAN);
	assert_int_equal(outcome("add.s32", T_S32, 0x7fffffff, 0x7fc00000), FORM_DIFFERS);
	assert_int_equal(outcome("rcp.approx.f32", T_F32, 0x7f800000, 0x7f7fffff), FORM_DIFFERS);
	/* 2^-9.9 of 1 is a thousandth: a unit of a half */
	assert_int_equal(outcome("ex2.approx.f16", T_F16, 0x3c00, 0x3c02), FORM_WITHIN);
	assert_int_equal(outcome("ex2.approx.f16", T_F16, 0x3c00, 0x3c03), FORM_DIFFERS);
	/* the high half of a pair counts, too */
	assert_int_equal(
		outcome("ex2.approx.f16x2", T_F16X2, 0x3c003c00, 0x3c033c00), FORM_DIFFERS);
	assert_int_equal(outcome("sin.approx.f32", T_F32, 0x00000000, 0x35000000), FORM_WITHIN);
	assert_int_equal(outcome("sin.approx.f32", T_F32, 0x00000000, 0x36000000), FORM_DIFFERS);
}

static const char *open_for(const char *spelling, const char *operand, uint64_t a, uint64_t b)
{
	unsigned char in[256] = {0};
	struct form_match m;
	char why[FORM_WHY];
	bool unsupported;

	(void)operand;
	assert_int_equal(form_match(spelling, &m, why, sizeof(why), &unsupported), 0);
	memcpy(in + 32, &a, sizeof(a));
	memcpy(in + 64, &b, sizeof(b));
	return form_open_for(spelling, &m, in);
}

static void some_operands_leave_results_open(void **state)
{
	(void)state;
	assert_non_null(open_for("rem.s64", "", 5, 0));
	assert_null(open_for("rem.s64", "", 5, UINT64_C(1) << 40));
	assert_non_null(open_for("rem.s16", "", 5, 0xffff0000));
	assert_null(open_for("div.rn.f32", "", 5, 0));
	assert_non_null(open_for("sin.approx.f32", "", 0x40e00000, 0)); /* 7 */
	assert_null(open_for("sin.approx.f32", "", 0x40c00000, 0));     /* 6 */
	assert_non_null(open_for("div.approx.f32", "", 0, 0x7f000000));
	assert_null(open_for("div.approx.f32", "", 0x7f000000, 0x7e000000));
	assert_non_null(open_for("elect.sync", "", 0, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(forms_are_equal_where_the_gpu_executes_as_we_do),
		cmocka_unit_test(one_seed_gives_the_same_file),
		cmocka_unit_test(forms_are_spelled_as_ptx_has_them),
		cmocka_unit_test(a_falsified_form_differs_alone),
		cmocka_unit_test(an_approximation_may_differ_within_its_bound),
		cmocka_unit_test(what_ptx_leaves_open_may_differ),
		cmocka_unit_test(what_the_compiler_refuses_ends_nothing),
		cmocka_unit_test(what_faults_is_found_by_halving),
		cmocka_unit_test(a_failed_call_ends_the_command_and_leaves_nothing),
		cmocka_unit_test(words_that_name_no_form_are_wrong),
		cmocka_unit_test(bounds_are_of_the_types_last_digits),
		cmocka_unit_test(some_operands_leave_results_open),
	};

	return cmocka_run_group_tests(tests, standin_set_up, desk_tear_down);
}
