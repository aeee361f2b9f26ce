/* Traces are the same bytes for any number of threads and in every order of steps, and a run is the
 * same with a trace and without. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "core/base.h"
#include "core/file.h"
#include "core/mem.h"
#include "tests/rig/trace_rig.h"

static const char *const chips[] = {
	TRACE_CHIP,
	TRACE_CHIP "chip.dram=banked",
	TRACE_CHIP "chip.network=ideal chip.window=3 sm.schedulers=2",
	/* DRAM works for long while all others wait: windows that do not run */
	TRACE_CHIP "chip.bytes_per_ns=0.5 chip.read_cycles=2000 chip.window=5",
	/* 714, 1053 and 333 ps */
	TRACE_CHIP "chip.sm_mhz=1400 chip.l2_mhz=950 chip.dram=banked dram.tck_ps=333 "
		   "chip.bytes_per_ns=192",
};

static const struct trace_request requests[] = {
	{.trace = "", .vcd = "", .every = 100},
	{.trace = "",
		.vcd = "",
		.from = 333,
		.to = 1501,
		.trace_filter = {.patterns = "sm.*,sm.*.scheduler_0,dram.*"},
		.vcd_filter = {.patterns = "dispatcher.*,sm.*.*,noc.*.*,l2.*.*.*,dram.*.*"}},
};

static void assert_same_bytes(const char *a, const char *b)
{
	struct err err = {0};
	size_t na, nb;
	char *x = file_read(NULL, a, &na, ERR_INPUT, &err),
	     *y = file_read(NULL, b, &nb, ERR_INPUT, &err);

	assert_string_equal(err_text(&err), "");
	assert_true(na == nb && na > 1000);
	assert_memory_equal(x, y, na);
	mem_free(x);
	mem_free(y);
}

static void compare(const struct chip_host *a, const struct chip_host *b)
{
	for (unsigned i = 0; i < ARRAY_LEN(chips); i++) {
		for (unsigned k = 0; k < ARRAY_LEN(requests); k++) {
			struct traced x = trace_run(chips[i], a, &requests[k]);
			struct traced y = trace_run(chips[i], b, &requests[k]);

			assert_same_bytes(x.trace, y.trace);
			assert_same_bytes(x.vcd, y.vcd);
			trace_run_free(&x);
			trace_run_free(&y);
		}
	}
}

static void two_and_three_threads_write_what_one_does(void **state)
{
	(void)state;
	compare(&(struct chip_host){.threads = 1}, &(struct chip_host){.threads = 2});
	compare(&(struct chip_host){.threads = 1}, &(struct chip_host){.threads = 3});
}

static void the_order_of_steps_and_early_wakes_do_not_show(void **state)
{
	(void)state;
	compare(&(struct chip_host){.threads = 1},
		&(struct chip_host){.threads = 1, .shuffle = true, .seed = 4});
	compare(&(struct chip_host){.threads = 1},
		&(struct chip_host){.threads = 2, .early_wakes = true, .hostile = true, .seed = 5});
}

static void a_run_is_the_same_with_a_trace_and_without(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(chips); i++) {
		struct chip_host host = {.threads = 1 + i % 2};
		struct kit plain = untraced_run(chips[i], &host);
		struct text without = kit_everything(&plain);

		for (unsigned k = 0; k < ARRAY_LEN(requests); k++) {
			struct traced run = trace_run(chips[i], &host, &requests[k]);
			struct text with = kit_everything(&run.kit);

			assert_string_equal(text_str(&with), text_str(&without));
			assert_true(
				chip_progress(run.kit.gpu).cycle == chip_progress(plain.gpu).cycle);
			text_clear(&with);
			trace_run_free(&run);
		}
		text_clear(&without);
		kit_free(&plain);
	}
}

/* Takings of memory by a run, from its first window to its end. */
static uint64_t takings(bool traced)
{
	struct kit k = kit_new(TRACE_CHIP "chip.window=1");
	struct trace_request r = {.trace = "/tmp/warpbeam-mem.trace",
		.vcd = "/tmp/warpbeam-mem.vcd",
		.to = 2000,
		.every = 1,
		.limit_bytes = 100000,
		.title = "t"};
	struct trace_outcomes out;
	uint64_t calls;

	trace_rig_queue(&k);
	if (traced)
		assert_int_equal(chip_trace(k.gpu, &r, &k.err), 0);
	calls = mem_calls();
	assert_int_equal(chip_run(k.gpu, 0, NULL, &k.err), 0);
	assert_int_equal(chip_trace_end(k.gpu, &out, &k.err), 0);
	calls = mem_calls() - calls;
	remove(r.trace);
	remove(r.vcd);
	kit_free(&k);
	return calls;
}

static void looking_allocates_nothing_while_it_runs(void **state)
{
	(void)state;
	assert_true(takings(true) == takings(false));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_and_three_threads_write_what_one_does),
		cmocka_unit_test(the_order_of_steps_and_early_wakes_do_not_show),
		cmocka_unit_test(a_run_is_the_same_with_a_trace_and_without),
		cmocka_unit_test(looking_allocates_nothing_while_it_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
