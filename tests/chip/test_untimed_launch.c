/* Launches that are executed without time, in the order of their stream. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/rig/support_gpu.h"

#include <string.h>

/* One step of a recurrence whose result shows the order; kernels in time differ in nothing else. */
static const char ptx[] =
	".version 7.0\n.target sm_70\n.address_size 32\n"
	".visible .entry step(.param .u32 to, .param .u32 digit)\n"
	"{ .reg .u32 %a, %d, %v, %c;\n"
	"ld.param.u32 %a, [to]; ld.param.u32 %d, [digit]; mov.u32 %c, %ctaid.x;\n"
	"mad.lo.u32 %a, %c, 4, %a; ld.global.u32 %v, [%a]; mad.lo.u32 %v, %v, 10, %d;\n"
	"st.global.u32 [%a], %v; ret; }\n"
	".visible .entry outside() { .reg .u32 %a; mov.u32 %a, 16; st.global.u32 [%a], %a; ret; }\n";

#define CTAS 70u

static void step(struct kit *k, buffer_t b, uint32_t digit, unsigned stream, bool untimed)
{
	const struct launch_arg args[] = {ARG_BUF(b), ARG_VAL(digit)};
	struct launch l = {.module = 1,
		.kernel = "step",
		.grid = {CTAS, 1, 1},
		.block = {1, 1, 1},
		.args = args,
		.nargs = 2,
		.stream = stream,
		.untimed = untimed};

	assert_int_equal(gpu_launch(k->gpu, &l, &k->err), 0);
}

static struct kit new_kit(const char *settings, buffer_t *b)
{
	struct kit k = kit_new(settings);

	kit_module(&k, ptx);
	*b = kit_buffer(&k, "b", CTAS * 4);
	return k;
}

static struct launch_report report_of(const struct kit *k, unsigned i)
{
	struct launch_report r;

	chip_launch_report(k->gpu, i, &r);
	return r;
}

static void expect(struct kit *k, buffer_t b, uint32_t value)
{
	for (unsigned i = 0; i < CTAS; i++)
		assert_int_equal(kit_u32(k, b, i), value);
}

static void launches_of_a_stream_keep_their_order(void **state)
{
	(void)state;
	for (unsigned mask = 0; mask < 16; mask++) {
		buffer_t b;
		struct kit k = new_kit(mask % 3 ? "chip.sms=2" : "chip.sms=2 chip.share=4", &b);

		for (unsigned i = 0; i < 4; i++)
			step(&k, b, i + 1, 0, mask >> i & 1);
		kit_run(&k);
		expect(&k, b, 1234);
		for (unsigned i = 1; i < 4; i++)
			assert_true(report_of(&k, i).start_cycle >= report_of(&k, i - 1).end_cycle);
		kit_free(&k);
	}
}

static void they_are_counted_apart(void **state)
{
	buffer_t b;
	struct kit k = new_kit("chip.sms=2", &b);
	struct launch_report timed, untimed;

	(void)state;
	step(&k, b, 1, 0, true);
	step(&k, b, 2, 0, false);
	kit_run(&k);
	untimed = report_of(&k, 0);
	timed = report_of(&k, 1);
	assert_true(untimed.untimed && untimed.complete && !timed.untimed);
	assert_int_equal(untimed.warp_instructions, 0);
	assert_int_equal(untimed.timed_ctas, 0);
	assert_int_equal(untimed.untimed_instructions, timed.warp_instructions);
	assert_int_equal(timed.untimed_instructions, 0);
	assert_int_equal(untimed.start_cycle, untimed.end_cycle);
	assert_int_equal(
		kit_metric(&k, "chip__inst_executed_untimed.sum"), timed.warp_instructions);
	assert_int_equal(kit_metric(&k, "chip__launches.sum"), 2);
	kit_free(&k);
}

/* What is behind it in time takes the same cycles as at the start, one window later. */
static void it_costs_one_window(void **state)
{
	buffer_t b;
	struct kit with = new_kit("chip.sms=2 chip.window=20", &b), without;

	(void)state;
	step(&with, b, 1, 0, true);
	step(&with, b, 2, 0, false);
	kit_run(&with);
	without = new_kit("chip.sms=2 chip.window=20", &b);
	step(&without, b, 2, 0, false);
	kit_run(&without);
	assert_int_equal(report_of(&with, 1).start_cycle, report_of(&without, 0).start_cycle + 20);
	assert_int_equal(report_of(&with, 1).end_cycle, report_of(&without, 0).end_cycle + 20);
	kit_free(&with);
	kit_free(&without);
}

static void other_streams_go_on(void **state)
{
	buffer_t b, c;
	struct kit k = new_kit("chip.sms=2", &b);

	(void)state;
	c = kit_buffer(&k, "c", CTAS * 4);
	for (unsigned i = 0; i < 3; i++) {
		step(&k, b, i + 1, 0, i != 1);
		step(&k, c, i + 4, 1, i == 1);
	}
	kit_run(&k);
	expect(&k, b, 123);
	expect(&k, c, 456);
	kit_free(&k);
}

static void a_fault_of_it_ends_the_run(void **state)
{
	buffer_t b;
	struct kit k = new_kit("chip.sms=2", &b);
	struct launch l = {.module = 1,
		.kernel = "outside",
		.grid = {1, 1, 1},
		.block = {1, 1, 1},
		.untimed = true};

	(void)state;
	step(&k, b, 1, 0, false);
	assert_int_equal(gpu_launch(k.gpu, &l, &k.err), 0);
	step(&k, b, 2, 0, false);
	assert_int_equal(chip_run(k.gpu, 0, NULL, &k.err), -1);
	assert_int_equal(k.err.code, ERR_FAULT);
	assert_non_null(strstr(err_text(&k.err), "kernel 'outside': out-of-bounds"));
	expect(&k, b, 1);
	assert_false(report_of(&k, 1).complete);
	kit_free(&k);
}

static void a_run_of_one_stream_ends_with_it(void **state)
{
	buffer_t b;
	struct kit k = new_kit("chip.sms=2", &b);
	bool at_rest = false;

	(void)state;
	step(&k, b, 1, 0, true);
	while (!at_rest)
		assert_int_equal(chip_run_stream(k.gpu, 0, NULL, &at_rest, &k.err), 0);
	step(&k, b, 2, 0, true);
	kit_run(&k);
	expect(&k, b, 12);
	kit_free(&k);
}

/* The launches before it are complete; those behind it take longer than a window. */
static void a_run_ends_when_a_launch_is_complete(void **state)
{
	buffer_t b;
	struct kit k = new_kit("chip.sms=2", &b);

	(void)state;
	for (unsigned i = 0; i < 4; i++)
		step(&k, b, i + 1, 0, i == 0);
	for (unsigned i = 1; i < 4; i++) {
		assert_int_equal(chip_run_launch(k.gpu, i, 0, NULL, &k.err), 0);
		assert_true(report_of(&k, i).complete);
		assert_true(i == 3 || !report_of(&k, i + 1).complete);
		assert_int_equal(kit_u32(&k, b, 0), i == 1 ? 12 : i == 2 ? 123 : 1234);
	}
	assert_int_equal(chip_run_launch(k.gpu, 0, 0, NULL, &k.err), 0);
	kit_run(&k);
	expect(&k, b, 1234);
	kit_free(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(launches_of_a_stream_keep_their_order),
		cmocka_unit_test(they_are_counted_apart),
		cmocka_unit_test(it_costs_one_window),
		cmocka_unit_test(other_streams_go_on),
		cmocka_unit_test(a_fault_of_it_ends_the_run),
		cmocka_unit_test(a_run_of_one_stream_ends_with_it),
		cmocka_unit_test(a_run_ends_when_a_launch_is_complete),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
