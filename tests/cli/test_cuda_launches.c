/* warpbeam cuda: which launches of a program run in time, and when; cooperative ones; faults. */
#include "tests/rig/support_cuda.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base.h"
#include "core/mem.h"

#ifdef HAVE_CUDA

#define HEAD(name, params) ".visible .entry " name "(" params ")\n{\n"

static const char ptx[] = ".version 7.0\n.target sm_50\n.address_size 64\n"
	/* *p = 10 * *p + by: the order shows */
	HEAD("_Z3addPji",
		".param .u64 p, .param .u32 by") ".reg .b64 %p; .reg .b32 %v, %b;\nld.param.u64 %p, [p]; ld.param.u32 %b, [by];\n"
						 "ld.global.u32 %v, [%p]; mad.lo.u32 %v, %v, 10, %b; st.global.u32 [%p], %v; ret;\n}\n" HEAD(
							 "_Z5emptyv", "") "ret;\n}\n" HEAD("wait",
							 ".param .u64 p") ".reg .b64 %p; .reg .b32 %v; .reg .pred %q;\nld.param.u64 %p, [p];\n"
									  "A: ld.volatile.global.u32 %v, [%p]; setp.eq.u32 %q, %v, 0; @%q bra A; ret;\n}\n" HEAD(
										  "odd",
										  ".param .u64 p") ".reg .b64 %p; .reg .b32 %v;\nld.param.u64 %p, [p]; ld.global.u32 %v, [%p+1];\n"
												   "st.global.u32 [%p], %v; ret;\n}\n" HEAD(
													   "stop",
													   ".param .u64 p") "trap;\n}\n" HEAD("busy",
													   ".param .u64 p") ".reg .b64 %n; .reg .pred %q;\nmov.u64 %n, 0;\n"
															    "A: add.u64 %n, %n, 1; setp.ne.u64 %q, %n, 0; @%q bra A; ret;\n}\n" HEAD(
																    "newer",
																    "") "wgmma.fence.sync.aligned; ret;\n}\n"
	/* sums over the grid, thrice, as in tests/cli/test_grid_sync.c */
	HEAD("rounds",
		".param .u64 out") ".reg .pred %p<8>; .reg .b32 %r<20>; .reg .b64 %rd<8>;\n"
				   "ld.param.u64 %rd0, [out];\nmov.u32 %r0, %ctaid.x;\nmov.u32 %r1, %nctaid.x;\n"
				   "mov.u32 %r2, %tid.x;\nsetp.ne.u32 %p1, %r2, 0;\n"
				   "mov.u32 %r4, %envreg2;\nmov.u32 %r5, %envreg1;\n"
				   "cvt.u64.u32 %rd2, %r4;\ncvt.u64.u32 %rd3, %r5;\nbfi.b64 %rd2, %rd3, %rd2, 32, 32;\n"
				   "mov.u32 %r15, 0;\nadd.u32 %r11, %r0, 1;\n"
				   "R: mad.lo.u32 %r12, %r15, %r1, %r0;\nmul.wide.u32 %rd4, %r12, 4;\n"
				   "add.u64 %rd4, %rd0, %rd4;\n@!%p1 st.global.u32 [%rd4], %r11;\n"
				   "barrier.sync 0;\n@%p1 bra B;\n"
				   "sub.u32 %r6, 0x80000001, %r1;\nsetp.eq.u32 %p2, %r0, 0;\nselp.b32 %r7, %r6, 1, %p2;\n"
				   "atom.add.gpu.u32 %r8, [%rd2+4], %r7;\n"
				   "W: ld.volatile.global.u32 %r9, [%rd2+4];\nxor.b32 %r10, %r9, %r8;\n"
				   "setp.gt.s32 %p3, %r10, -1;\n@%p3 bra W;\n"
				   "B: barrier.sync 0;\nmov.u32 %r11, 0;\nmov.u32 %r13, 0;\n"
				   "S: mad.lo.u32 %r12, %r15, %r1, %r13;\nmul.wide.u32 %rd4, %r12, 4;\n"
				   "add.u64 %rd4, %rd0, %rd4;\nld.volatile.global.u32 %r14, [%rd4];\n"
				   "add.u32 %r11, %r11, %r14;\nadd.u32 %r13, %r13, 1;\n"
				   "setp.lt.u32 %p4, %r13, %r1;\n@%p4 bra S;\n"
				   "add.u32 %r15, %r15, 1;\nsetp.lt.u32 %p5, %r15, 3;\n@%p5 bra R;\nret;\n}\n";

static int set_up(void **state)
{
	desk_set_up(state);
	cuda_put_fatbin(*state, ptx, PACK_PLAIN);
	cuda_build(*state, "launches.c", "libcudart.so.13");
	return 0;
}

static int run(const struct desk *d, const char *options, const char *what)
{
	char command[256];

	snprintf(command, sizeof(command),
		"cuda --set chip.sms=2 --quiet --json %%F/r.json %s -- %%F/app %s", options, what);
	return desk_run(d, command);
}

/* Of each launch in order: 'a' or 'e', a capital when it ran in time. */
static void expect_timed(const struct desk *d, const char *letters)
{
	json_t *j = desk_json(d, "r.json"), *rows = json_object_get(j, "launches");

	assert_int_equal(json_array_size(rows), strlen(letters));
	for (unsigned i = 0; letters[i]; i++) {
		json_t *row = json_array_get(rows, i);
		bool timed = json_integer_value(json_object_get(row, "timed_ctas"));
		bool add = strstr(json_string_value(json_object_get(row, "kernel")), "add");

		assert_int_equal(letters[i], (add ? 'a' : 'e') - (timed ? 32 : 0));
	}
	json_decref(j);
}

static void chosen_launches_run_in_time_and_the_result_is_the_same(void **state)
{
	static const struct {
		const char *options, *timed;
	} rows[] = {{"", "AEAEAEA"}, {"--untimed", "aeaeaea"}, {"--timed '*'", "AEAEAEA"},
		{"--timed add", "AeAeAeA"}, {"--timed _Z3addPji:2-3,empty:3", "aeAeAEa"},
		{"--timed add:4-", "aeaeaeA"}, {"--timed add:1,add:3", "AeaeAea"},
		{"--from-launch 4 --launches 2", "aeaEAea"},
		{"--launches 3 --timed add", "AeAeaea"}};
	const struct desk *d = *state;

	for (unsigned i = 0; i < ARRAY_LEN(rows); i++) {
		assert_int_equal(run(d, rows[i].options, "seven"), 0);
		assert_says(d, "out", "word 1234\n");
		expect_timed(d, rows[i].timed);
	}
}

static void told_once(const struct desk *d, const char *words)
{
	char *text = desk_content(d, "err"), *first = strstr(text, words);

	assert_non_null(first);
	assert_null(strstr(first + 1, words));
	mem_free(text);
}

static void what_cannot_be_launched_is_told_once(void **state)
{
	const struct desk *d = *state;

	assert_int_equal(run(d, "", "newer"), 4);
	assert_says(d, "out",
		"first: cudaErrorInvalidPtx\nagain: cudaErrorInvalidPtx\n"
		"other: cudaSuccess\nwait: cudaSuccess\nlarge: cudaErrorInvalidConfiguration\n");
	told_once(d, "kernel newer: `wgmma.fence.sync.aligned`");
	told_once(d, "2048 threads");
}

static void wrong_choices_are_named(void **state)
{
	const struct desk *d = *state;
	static const char *const ranges[] = {"add:0", "add:3-2", "add:x", "add:", "add:1-2-3"};
	char options[64];

	for (unsigned i = 0; i < ARRAY_LEN(ranges); i++) {
		snprintf(options, sizeof(options), "--timed %s", ranges[i]);
		assert_int_equal(run(d, options, "seven"), 2);
		assert_says(d, "err", "a range of launches is FIRST-LAST, FIRST- or FIRST");
	}
	assert_int_equal(run(d, "--timed add,,empty", "seven"), 2);
	assert_says(d, "err", "a kernel's name is missing");
	assert_int_equal(run(d, "--timed add --untimed", "seven"), 2);
	assert_int_equal(run(d, "--from-launch 8", "seven"), 3);
	assert_says(d, "err", "--from-launch 8: the run has 7 launches");
	assert_int_equal(run(d, "--timed add,ad", "seven"), 3);
	assert_says(d, "err", "no kernel 'ad' was launched; launched were: add, empty");
}

static void a_stream_waits_for_its_own_launches_only(void **state)
{
	const struct desk *d = *state;

	assert_int_equal(run(d, "--max-cycles 100000", "apart"), 0);
	assert_says(
		d, "out", "other: cudaSuccess\ncopy: cudaSuccess\nfirst: cudaSuccess\nwords 1 5\n");
}

/* Those that need no reply, more than the chip runs at once. */
static void pinned_memory_is_the_hosts_while_launches_are_pending(void **state)
{
	const struct desk *d = *state;
	char *first, *again;

	assert_int_equal(run(d, "--max-cycles 100000 --record %F/rec", "pinned"), 0);
	assert_says(d, "out", "wait: cudaSuccess\ncopied 72, added 83\n");
	first = desk_content(d, "r.json");
	assert_int_equal(
		desk_run(d, "run --set chip.sms=2 --max-cycles 100000 --json %F/r.json %F/rec"), 0);
	again = desk_content(d, "r.json");
	assert_string_equal(first, again);
	mem_free(first);
	mem_free(again);
}

static void a_program_that_waits_in_vain_is_told(void **state)
{
	const struct desk *d = *state;

	assert_int_equal(run(d, "", "polls"), 0);
	assert_says(d, "out", "wait: cudaSuccess\nword 5\n");
	told_once(d, "called nothing for 5 s while 1 launch is pending");
}

static void many_launches_are_all_run(void **state)
{
	const struct desk *d = *state;
	json_t *j;

	assert_int_equal(run(d, "--untimed", "many 2100"), 0);
	assert_says(d, "out", "wait: cudaSuccess\n");
	j = desk_json(d, "r.json");
	assert_int_equal(json_array_size(json_object_get(j, "launches")), 2100);
	assert_int_equal(json_metric(j, "chip__launches.sum"), 2100);
	json_decref(j);
}

static void faults_are_cudas(void **state)
{
	const struct desk *d = *state;

	assert_int_equal(run(d, "", "odd"), 6);
	assert_says(d, "out", "wait: cudaErrorMisalignedAddress\n");
	assert_int_equal(run(d, "", "stop"), 6);
	assert_says(d, "out", "wait: cudaErrorLaunchFailure\n");
	assert_int_equal(run(d, "--untimed", "odd"), 6);
	assert_says(d, "out", "wait: cudaErrorMisalignedAddress\n");
}

static void an_interrupt_ends_a_launch_without_time(void **state)
{
	const struct desk *d = *state;
	pid_t program,
		pid = cuda_start(d, "cuda --set chip.sms=1 --untimed -- ./app forever", &program);

	kill(pid, SIGINT);
	assert_int_equal(desk_finish(pid), 10);
	assert_says(d, "out", "PARTIAL REPORT");
}

/* Whose kernel never ends. */
static void a_program_that_dies_stops_its_run(void **state)
{
	static const char *const commands[] = {"run --max-cycles 2000000000",
		"exec --max-instructions 100000000000", "profile --max-cycles 2000000000",
		"cuda --untimed"};
	const struct desk *d = *state;
	char command[128];

	for (unsigned i = 0; i < ARRAY_LEN(commands); i++) {
		pid_t program, pid;

		snprintf(command, sizeof(command), "%s --set chip.sms=1 --quiet -- ./app forever",
			commands[i]);
		pid = cuda_start(d, command, &program);
		kill(program, SIGKILL);
		assert_int_equal(desk_finish(pid), 1);
		assert_says(d, "err", "ended by signal 9");
	}
}

static void a_cooperative_launch_is_resident_at_once_or_refused(void **state)
{
	const struct desk *d = *state;

	assert_int_equal(run(d, "", "together"), 0);
	assert_says(d, "out",
		"too many: cudaErrorCooperativeLaunchTooLarge\nfits: cudaSuccess\n"
		"fits: cudaSuccess\nsums 4 10 40\n");
}

static void attributes_make_a_launch_cooperative_and_clusters_are_refused(void **state)
{
	const struct desk *d = *state;

	assert_int_equal(run(d, "--untimed", "attributes"), 0);
	assert_says(d, "out", "attributes: cudaSuccess\nPTX for 50 on 90\n");
	assert_says(d, "out",
		"fits: cudaSuccess\nsums 4 10 40\ntoo many: cudaErrorCooperativeLaunchTooLarge\n"
		"cluster: cudaErrorNotSupported\nalone: cudaSuccess\n"
		"unknown: cudaErrorInvalidValue\nnone: cudaErrorInvalidValue\n");
	assert_says(d, "err", "cudaLaunchAttributeClusterDimension is not supported");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test(name)
		TEST(chosen_launches_run_in_time_and_the_result_is_the_same),
		TEST(what_cannot_be_launched_is_told_once),
		TEST(wrong_choices_are_named),
		TEST(a_stream_waits_for_its_own_launches_only),
		TEST(pinned_memory_is_the_hosts_while_launches_are_pending),
		TEST(a_program_that_waits_in_vain_is_told),
		TEST(many_launches_are_all_run),
		TEST(faults_are_cudas),
		TEST(an_interrupt_ends_a_launch_without_time),
		TEST(a_program_that_dies_stops_its_run),
		TEST(a_cooperative_launch_is_resident_at_once_or_refused),
		TEST(attributes_make_a_launch_cooperative_and_clusters_are_refused),
#undef TEST
	};

	return cmocka_run_group_tests(tests, set_up, desk_tear_down);
}

#else

int main(void)
{
	return 77; /* no such programs here */
}

#endif
