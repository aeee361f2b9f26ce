/* Runs that are stopped: their messages, and CTAs that wait for each other. */
#include "core/mem.h"
#include "tests/rig/support_cli.h"

#include <stdio.h>
#include <string.h>

#define KERNEL(name, body) \
	".visible .entry " name "(.param .u64 out)\n{\n" \
	".reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<4>;\n" \
	"ld.param.u64 %rd0, [out];\nmov.u32 %r0, %ctaid.x;\nmov.u32 %r1, %nctaid.x;\n" body \
	"ret;\n}\n"

#define STORES(second) \
	".local .b64 l<4>; .shared .b64 s<4>;\nmov.u32 %r2, 7;\nmov.u32 %r3, " second ";\n" \
	"W: st.local.v2.u32 [l0], {%r2, %r2};\nst.local.v2.u32 [l0], {%r2, %r3};\n" \
	"st.shared.v2.u32 [s0], {%r2, %r2};\nld.volatile.global.u32 %r4, [%rd0];\n" \
	"setp.ne.u32 %p0, %r4, 7;\n@%p0 bra W;\n"

/* A line of kernels.ptx each, so that lines can be named. */
static const char kernels[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
	/* The last CTA goes first: each waits for the one behind it. */
	KERNEL("turns", "sub.u32 %r1, %r1, 1;\nsub.u32 %r1, %r1, %r0;\n"
			"W: ld.volatile.global.u32 %r2, [%rd0];\nsetp.ne.u32 %p0, %r2, %r1;\n"
			"@%p0 bra W;\nadd.u32 %r2, %r2, 1;\nst.volatile.global.u32 [%rd0], %r2;\n")
	/* The first thread of each CTA arrives, and waits until all have, four times. */
	KERNEL("together", "mov.u32 %r3, 0;\nmov.u32 %r5, %tid.x;\nsetp.ne.u32 %p2, %r5, 0;\n"
			   "N: add.u32 %r3, %r3, %r1;\n@%p2 bra S;\n"
			   "atom.global.add.u32 %r2, [%rd0], 1;\n"
			   "W: ld.volatile.global.u32 %r2, [%rd0];\n"
			   "setp.lt.u32 %p0, %r2, %r3;\n@%p0 bra W;\nS: bar.sync 0;\n"
			   "mul.lo.u32 %r4, %r1, 4;\nsetp.lt.u32 %p1, %r3, %r4;\n@%p1 bra N;\n")
	/* A lock that is never released; two warps of three wait at the barrier behind it. */
	KERNEL("never", "mov.u32 %r4, %tid.x;\nsetp.ge.u32 %p1, %r4, 32;\n@%p1 bra B;\n"
			"W: atom.global.cas.b32 %r2, [%rd0], 7, 9;\nsetp.ne.u32 %p0, %r2, 7;\n"
			"@%p0 bra W;\nB: bar.sync 0;\n")
	/* Waits, and stores to local and shared memory: "idle" what is there, "busy" another second
	 * word each time. */
	KERNEL("idle", STORES("7")) KERNEL("busy", STORES("8"))
	/* Counts up to ten million: long, but not for ever. */
	KERNEL("long", "mov.u32 %r3, 0;\nN: add.u32 %r3, %r3, 1;\n"
		       "setp.lt.u32 %p1, %r3, 10000000;\n@%p1 bra N;\n")
		KERNEL("short", "st.global.u32 [%rd0], %r1;\n");

static void write_file(const struct desk *d, const char *name, const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", d->folder, name);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
	assert_int_equal(fclose(f), 0);
}

static void launch(const struct desk *d, const char *kernel, const char *grid, unsigned block)
{
	char text[512];

	snprintf(text, sizeof(text),
		"buffers: { out: { type: u32, count: 4, fill: 0 } }\nlaunches:\n  - { module: "
		"kernels.ptx, kernel: %s, grid: %s, block: %u, args: [ { buffer: out } ] }\n",
		kernel, grid, block);
	write_file(d, "kernels.ptx", kernels);
	write_file(d, "s.yaml", text);
}

/* Runs the command, which must end with that exit code. */
static void expect(const struct desk *d, const char *arguments, int code)
{
	if (desk_run(d, arguments) != code)
		fail_msg("warpbeam %s does not exit %d: %s", arguments, code,
			desk_content(d, "err"));
}

/* The number of the line of kernels.ptx that holds the words first, behind `kernel`. */
static unsigned line_of(const char *kernel, const char *words)
{
	const char *at = strstr(strstr(kernels, kernel), words);
	unsigned line = 1;

	for (const char *c = kernels; c < at; c++)
		line += *c == '\n';
	return line;
}

static void ctas_that_wait_for_each_other_take_turns(void **state)
{
	launch(*state, "turns", "200", 32);
	expect(*state, "exec %F/s.yaml", 0);
	expect(*state, "run %F/s.yaml", 0);
	launch(*state, "together", "16", 256);
	expect(*state, "exec %F/s.yaml", 0);
	expect(*state, "run %F/s.yaml", 0);
}

static void ctas_for_which_there_is_no_space_are_reported(void **state)
{
	launch(*state, "together", "129", 256); /* 128 fit the chip */
	expect(*state, "run %F/s.yaml --max-cycles 3000", 8);
	assert_says(*state, "err",
		"kernel 'together' (launch 0): CTAs: 0 ended, 128 running, 1 not "
		"started (first CTA (128,0,0))\n");
	launch(*state, "together", "257", 1024);
	expect(*state, "exec %F/s.yaml", 8);
	assert_says(
		*state, "err", "CTAs: 0 ended, 256 running, 1 not started (first CTA (256,0,0))\n");
	launch(*state, "never", "[10, 13]", 1024);
	expect(*state, "run %F/s.yaml --max-cycles 3000", 8); /* 32 fit */
	assert_says(*state, "err", "98 not started (first CTA (2,3,0))\n");
	expect(*state, "run %F/s.yaml --max-cycles 3000 --set chip.dispatch=static", 8);
	assert_says(*state, "err", "98 not started (first CTA (2,3,0))\n");
}

static void assert_names_the_lock(const struct desk *d)
{
	char words[256];

	assert_says(d, "err",
		"kernel 'never' (launch 0): CTAs: 0 ended, 40 running, 0 not "
		"started");
	snprintf(words, sizeof(words), "  40 warps spin: %s/kernels.ptx:%u:1 (bra) repeats",
		d->folder, line_of("never", "@%p0 bra W"));
	assert_says(d, "err", words);
	snprintf(words, sizeof(words),
		"until the value read by %s/kernels.ptx:%u:4 (atom.global.cas.b32) changes",
		d->folder, line_of("never", "W: atom"));
	assert_says(d, "err", words);
	snprintf(words, sizeof(words),
		"  80 warps before %s/kernels.ptx:%u:4 (bar.sync): waiting at a barrier", d->folder,
		line_of("never", "B: bar"));
	assert_says(d, "err", words);
}

static void a_limit_reports_which_warps_spin_on_what(void **state)
{
	launch(*state, "never", "40", 96);
	expect(*state, "run %F/s.yaml --max-cycles 5000", 8);
	assert_names_the_lock(*state);
	expect(*state, "exec %F/s.yaml", 8);
	assert_says(*state, "err", "the run would never end");
	assert_names_the_lock(*state);
	expect(*state, "exec %F/s.yaml --max-instructions 5000", 8);
	assert_says(*state, "err", "limit of 5000 warp instructions");
}

/* The warps that spin, what they wait for, and those that wait for them. */
static void lines_of_cuda_c_are_named_too(void **state)
{
	static const char located[] =
		".version 7.0\n.target sm_70\n.address_size 64\n.file 1 \"k.cu\"\n" KERNEL("lines",
			".loc 1 7 2\nmov.u32 %r4, %tid.x;\nsetp.ge.u32 %p1, %r4, 32;\n"
			"@%p1 bra B;\n.loc 1 8 2\nW: ld.volatile.global.u32 %r2, [%rd0];\n"
			".loc 1 9 2\nsetp.ne.u32 %p0, %r2, 7;\n@%p0 bra W;\n"
			".loc 1 10 2\nB: bar.sync 0;\n");

	launch(*state, "lines", "1", 64);
	write_file(*state, "kernels.ptx", located);
	expect(*state, "run %F/s.yaml --max-cycles 5000", 8);
	assert_says(*state, "err", ":19:1 (bra, k.cu:9) repeats until the value read by ");
	assert_says(*state, "err", ":16:4 (ld.volatile.global.u32, k.cu:8) changes\n");
	assert_says(*state, "err", ":21:4 (bar.sync, k.cu:10): waiting at a barrier\n");
	expect(*state, "exec %F/s.yaml", 8);
	assert_says(*state, "err", "(bar.sync, k.cu:10): waiting at a barrier\n");
}

static void a_long_loop_is_no_spin(void **state)
{
	char *err;

	launch(*state, "long", "1", 32);
	expect(*state, "exec %F/s.yaml --max-instructions 9000000", 8);
	err = desk_content(*state, "err");
	assert_non_null(strstr(err, "  1 warp before "));
	assert_null(strstr(err, "spin"));
	mem_free(err);
	expect(*state, "run %F/s.yaml --max-cycles 5000", 8);
	err = desk_content(*state, "err");
	assert_non_null(strstr(err, "  1 warp before "));
	assert_null(strstr(err, "spin"));
	mem_free(err);
}

/* Whether what is stored is there already is compared word by word. */
static void stores_that_change_nothing_spin(void **state)
{
	char *err;

	launch(*state, "idle", "1", 32);
	expect(*state, "exec %F/s.yaml", 8);
	assert_says(*state, "err", "the run would never end");
	assert_says(*state, "err", "  1 warp spins: ");
	launch(*state, "busy", "1", 32);
	expect(*state, "exec %F/s.yaml --max-instructions 200000", 8);
	err = desk_content(*state, "err");
	assert_non_null(strstr(err, "  1 warp before "));
	assert_null(strstr(err, "spin"));
	mem_free(err);
}

static void the_limit_of_instructions_is_one_of_the_command(void **state)
{
	launch(*state, "short", "[2147483647, 1, 1]", 32);
	expect(*state, "exec %F/s.yaml --max-instructions 100000", 8);
	assert_says(*state, "err", "CTAs: 20000 ended, 1 running, 2147463646 not started");
	launch(*state, "short", "20000", 32);
	expect(*state, "exec %F/s.yaml --max-instructions 100000", 0);
}

/* Shares of a partial report are at most 1, and its kernels are marked unfinished. */
static void a_partial_report_is_true_as_far_as_it_goes(void **state)
{
	json_t *j, *first, *second, *metric;
	const char *name;

	expect(*state, "run bfs --max-cycles 1500 --json %F/j --csv %F/c", 8);
	assert_says(*state, "out", "PARTIAL REPORT");
	assert_says(*state, "out", "unfinished: ");
	assert_says(*state, "out", "  not started");
	assert_says(*state, "out", "simulated");
	assert_says(*state, "c", "chip,gpc__cycles_elapsed.max,1500,cycles");
	j = desk_json(*state, "j");
	assert_int_equal(json_metric(j, "gpc__cycles_elapsed.max"), 1500);
	json_object_foreach(json_object_get(j, "metrics"), name, metric)
	{
		double value = json_number_value(json_object_get(metric, "value"));

		if (!strcmp(json_text(metric, "unit"), "%") && (value < 0 || value > 100))
			fail_msg("%s is %g %%", name, value);
	}
	first = json_array_get(json_object_get(j, "launches"), 0);
	second = json_array_get(json_object_get(j, "launches"), 1);
	assert_true(json_is_false(json_object_get(first, "complete")));
	assert_int_equal(json_integer_value(json_object_get(first, "start_cycle")), 0);
	assert_true(json_is_null(json_object_get(first, "end_cycle")));
	assert_true(json_is_null(json_object_get(second, "start_cycle")));
	assert_int_equal(json_integer_value(json_object_get(second, "started_ctas")), 0);
	json_decref(j);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, desk_set_up, desk_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(ctas_that_wait_for_each_other_take_turns),
		TEST(ctas_for_which_there_is_no_space_are_reported),
		TEST(a_limit_reports_which_warps_spin_on_what),
		TEST(lines_of_cuda_c_are_named_too),
		TEST(a_long_loop_is_no_spin),
		TEST(stores_that_change_nothing_spin),
		TEST(the_limit_of_instructions_is_one_of_the_command),
		TEST(a_partial_report_is_true_as_far_as_it_goes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
