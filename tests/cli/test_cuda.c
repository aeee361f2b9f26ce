/* warpbeam cuda: a program that registers its kernels as nvcc's do, linked with the library in
 * cuda/; what its calls return, what is reported, and how it may end. */
#include "tests/rig/support_cuda.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <unistd.h>

#include "core/base.h"
#include "core/mem.h"

#ifdef HAVE_CUDA

static const char ptx[] =
	".version 6.0\n.target sm_50\n.address_size 64\n"
	".visible .global .align 4 .u32 step = 1;\n.global .align 1 .b8 words[8] = {104, 105, 10, 0};\n"
	".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);\n"
	".visible .entry fill(.param .u64 out, .param .u32 first)\n{\n"
	"\t.reg .b64 %a, %o;\n\t.reg .b32 %i, %s, %f;\n"
	"\tld.param.u64 %o, [out];\n\tld.param.u32 %f, [first];\n\tmov.u32 %i, %tid.x;\n"
	"\tmul.wide.u32 %a, %i, 4;\n\tadd.u64 %a, %a, %o;\n\tld.global.u32 %s, [step];\n"
	"\tmad.lo.u32 %f, %i, %s, %f;\n\tst.global.u32 [%a], %f;\n\tret;\n}\n"
	".visible .entry spin(.param .u64 flag)\n{\n\t.reg .b64 %a;\n\t.reg .b32 %v;\n"
	"\t.reg .pred %p;\n\tld.param.u64 %a, [flag];\n"
	"again:\n\tld.volatile.global.u32 %v, [%a];\n\tsetp.eq.u32 %p, %v, 0;\n"
	"\t@%p bra again;\n\tret;\n}\n"
	".visible .entry say()\n{\n\t.reg .b64 %w, %z;\n\t.reg .b32 %r;\n"
	"\tmov.u64 %w, words;\n\tcvta.global.u64 %w, %w;\n\tmov.u64 %z, 0;\n\t{\n"
	"\t.param .b64 f;\n\t.param .b64 a;\n\t.param .b32 r;\n\tst.param.b64 [f], %w;\n"
	"\tst.param.b64 [a], %z;\n\tcall.uni (r), vprintf, (f, a);\n"
	"\tld.param.b32 %r, [r];\n\t}\n\tret;\n}\n";

static void put_fatbin(const struct desk *d, enum pack_how how)
{
	cuda_put_fatbin(d, ptx, how);
}

static void build(const struct desk *d, const char *library)
{
	cuda_build(d, "program.c", library);
}

static int set_up(void **state)
{
	const struct desk *d;

	desk_set_up(state);
	d = *state;
	put_fatbin(d, PACK_PLAIN);
	build(d, "libcudart.so.13");
	return 0;
}

/* Runs it; the exit code. */
static int run(const struct desk *d, const char *what)
{
	char command[256];

	snprintf(command, sizeof(command),
		"cuda --set chip.sms=2 --max-cycles 300000 --json %%F/r.json -- %%F/app %s", what);
	return desk_run(d, command);
}

static const char plain[] =
	"malloc: cudaSuccess\nlaunch: cudaSuccess\ncopy: cudaSuccess\nfilled: 1\n"
	"launch: cudaSuccess\nfilled: 1\nelapsed: cudaSuccess\n"
	"step 3, time 1\nset: 1\nfree: cudaSuccess\ndestroy: cudaSuccess\n";

static void launches_copies_streams_and_symbols_work_and_are_reported(void **state)
{
	const struct desk *d = *state;
	json_t *j;

	assert_int_equal(run(d, "plain"), 0);
	assert_says(d, "out", plain);
	assert_says(d, "err", "");
	j = desk_json(d, "r.json");
	assert_int_equal(json_array_size(json_object_get(j, "launches")), 2);
	json_decref(j);
	assert_int_equal(desk_run(d, "cuda --set chip.sms=2 --html %F/page -- %F/app plain"), 0);
	assert_says(d, "page", "<caption>Launches<");
}

static void every_version_of_the_library_and_the_static_one_run_the_program(void **state)
{
	static const char *const names[] = {
		"libcudart.so.12", "libcudart.so.11.0", "libcudart_static.a"};
	const struct desk *d = *state;

	for (unsigned i = 0; i < ARRAY_LEN(names); i++) {
		build(d, names[i]);
		assert_int_equal(run(d, "plain"), 0);
		assert_says(d, "out", plain);
	}
}

static void packed_code_is_unpacked(void **state)
{
	const struct desk *d = *state;

#ifdef HAVE_LZ4
	put_fatbin(d, PACK_LZ4);
	build(d, "libcudart.so.13");
	assert_int_equal(run(d, "plain"), 0);
#endif
#ifdef HAVE_ZSTD
	put_fatbin(d, PACK_ZSTD);
	build(d, "libcudart.so.13");
	assert_int_equal(run(d, "plain"), 0);
#endif
	put_fatbin(d, PACK_OLD);
	build(d, "libcudart.so.13");
	assert_int_equal(run(d, "plain"), 4);
	assert_says(d, "out", "launch: cudaErrorInvalidPtx");
	assert_says(d, "err", "before CUDA 9");
}

static void wrong_calls_return_cudas_errors_and_the_program_goes_on(void **state)
{
	const struct desk *d = *state;
	static const char *const rows[] = {"null: cudaErrorInvalidValue\n",
		"last: cudaErrorInvalidValue\n", "forgotten: cudaSuccess\n",
		"too many bytes: cudaErrorInvalidValue\n",
		"direction: cudaErrorInvalidMemcpyDirection\n",
		"free inside: cudaErrorInvalidValue\n", "free twice: cudaErrorInvalidValue\n",
		"free nothing: cudaSuccess\n", "freed: cudaErrorInvalidValue\n",
		"stream: cudaErrorInvalidResourceHandle\n",
		"event: cudaErrorInvalidResourceHandle\n", "pinned: cudaErrorInvalidValue\n",
		"symbol: cudaErrorInvalidSymbol\n", "beyond a symbol: cudaErrorInvalidValue\n",
		"kernel: cudaErrorInvalidDeviceFunction\n",
		"no such kernel: cudaErrorInvalidDeviceFunction\n",
		"no threads: cudaErrorInvalidConfiguration\n",
		"threads: cudaErrorInvalidConfiguration\n", "shared: cudaErrorInvalidValue\n",
		"graph: cudaErrorNotSupported\n", "peek: cudaErrorNotSupported\n"};

	run(d, "wrong");
	for (unsigned i = 0; i < ARRAY_LEN(rows); i++)
		assert_says(d, "out", rows[i]);
	assert_says(d, "err",
		"warpbeam: cudaGraphConditionalHandleCreate is not supported; it returns cudaErrorNotSupported\n");
}

static void a_fault_is_cudas_error_from_then_on_and_the_exit_code(void **state)
{
	const struct desk *d = *state;

	assert_int_equal(run(d, "outside"), 6);
	assert_says(d, "out",
		"wait: cudaErrorIllegalAddress\nmalloc: cudaErrorIllegalAddress\n"
		"last: cudaErrorIllegalAddress\n");
	assert_says(d, "err", "out-of-bounds 4-byte store to global address 0x40");
	assert_says(d, "err", "; it is in the first page, as a null pointer's is\n");
	assert_int_equal(run(d, "spin"), 8);
	assert_says(d, "out", "wait: cudaErrorLaunchTimeout\n");
}

/* As containers do. */
static bool host_keeps_addresses_random(void)
{
	int before = personality(0xffffffff);
	bool refused = before < 0 || personality((unsigned long)before | ADDR_NO_RANDOMIZE) < 0;

	if (!refused)
		personality((unsigned long)before);
	return refused;
}

static void a_pointer_of_the_host_is_the_same_in_every_run(void **state)
{
	const struct desk *d = *state;
	char *first, *second;

	assert_int_equal(run(d, "heap"), 6);
	assert_says(d, "err", "; it is far from all buffers: a pointer to the host's memory");
	first = desk_content(d, "err");
	assert_int_equal(run(d, "heap"), 6);
	second = desk_content(d, "err");
	if (!host_keeps_addresses_random())
		assert_string_equal(first, second);
	mem_free(first);
	mem_free(second);
}

static void a_program_that_ends_badly_is_reported(void **state)
{
	const struct desk *d = *state;

	assert_int_equal(run(d, "status 3"), 1);
	assert_says(d, "err", "the program ended with status 3");
	assert_int_equal(run(d, "abort"), 1);
	assert_says(d, "err", "ended by signal 6");
	assert_int_equal(desk_run(d, "cuda -- %F/none"), 2);
	assert_says(d, "err", "/none: cannot be started: No such file");
	assert_int_equal(desk_run(d, "cuda -- %F/none.cu"), 2);
	assert_says(d, "err", "it is source: compile it (nvcc -cudart shared)");
	assert_int_equal(desk_run(d, "cuda -- /bin/echo --set"), 3);
	assert_says(d, "out", "--set\n");
	assert_says(d, "err", "NVCC_APPEND_FLAGS=\"-cudart shared\"");
}

static void a_process_that_was_forked_or_executed_has_no_gpu(void **state)
{
	const struct desk *d = *state;

	assert_int_equal(run(d, "forked"), 0);
	assert_says(d, "out", "in the child: cudaErrorNotPermitted\nin the parent: cudaSuccess\n");
	assert_int_equal(run(d, "executed"), 0);
	assert_says(d, "out", "malloc: cudaErrorInitializationError\n");
	assert_says(d, "err", "executed by one that had used CUDA");
	assert_int_equal(run(d, "closed"), 0);
	assert_says(d, "out", "closed: cudaErrorUnknown\n");
	assert_says(d, "err", "warpbeam: the connection of the CUDA program is closed");
}

static void pages_are_accessible_on_demand(void **state)
{
	const struct desk *d = *state;

	assert_int_equal(run(d, "beyond"), 6);
	assert_says(d, "out", "wait: cudaErrorIllegalAddress\n");
	assert_says(
		d, "err", "100 bytes); a GPU's page hides it, as --set gpu.page_bytes=2M does\n");
	assert_int_equal(desk_run(d, "cuda --quiet --set gpu.page_bytes=2M -- %F/app beyond"), 0);
	assert_says(d, "out", "wait: cudaSuccess\ncopy beyond: cudaErrorInvalidValue\n");
}

static void processes_that_a_program_leaves_end_with_it(void **state)
{
	const struct desk *d = *state;
	char *text;
	int left = 0;

	assert_int_equal(run(d, "leaves"), 0);
	assert_says(d, "err", "left 1 process, which was ended with it\n");
	text = desk_content(d, "out");
	assert_int_equal(sscanf(text, "left %d", &left), 1);
	assert_int_equal(kill(left, 0), -1);
	mem_free(text);
}

static void kernels_text_is_written_among_the_programs(void **state)
{
	const struct desk *d = *state;

	assert_int_equal(run(d, "say"), 0);
	assert_says(d, "out", "before\nqueued\nhi\nafter\nhi\n");
}

static void launches_run_in_batches_where_the_host_never_waits(void **state)
{
	const struct desk *d = *state;
	json_t *j;

	assert_int_equal(run(d, "many"), 0);
	assert_says(d, "out", "filled: 1\n");
	j = desk_json(d, "r.json");
	assert_int_equal(json_array_size(json_object_get(j, "launches")), 300);
	json_decref(j);
}

static void managed_and_mapped_memory_have_one_address(void **state)
{
	const struct desk *d = *state;
	char *out;

	assert_int_equal(run(d, "managed"), 1);
	assert_says(d, "out",
		"managed: cudaSuccess\nmapped: cudaSuccess\npointer: cudaSuccess\n"
		"managed: 3 device host\nmapped: 1 device host\ndevice: 2 device\nother: 0 host\n"
		"pinned: cudaSuccess\npinned: 1 device host\nfilled: 1\nfilled: 1 1\n"
		"free: cudaSuccess\nfree: cudaSuccess\nagain: cudaErrorInvalidValue\n");
	out = desk_content(d, "out");
	assert_null(strstr(out, "not reached"));
	mem_free(out);
	assert_says(d, "err", "ended by signal 11");
}

static void registered_pages_of_the_host_are_the_devices_at_another_address(void **state)
{
	const struct desk *d = *state;

	assert_int_equal(run(d, "registered"), 0);
	assert_says(d, "out",
		"register: cudaSuccess\nregistered: 1 other host\ntwice: cudaErrorHostMemoryAlreadyRegistered\n"
		"pointer: cudaSuccess\nkept: 1, another: 1\nfilled: 1\n"
		"unregister: cudaSuccess\nkept: 1\nnot registered: 0 host\nfreed: cudaErrorInvalidValue\n"
		"part of a page: cudaSuccess\npointer: cudaErrorNotSupported\n"
		"not readable: cudaErrorInvalidValue\n");
	assert_says(d, "err", "cudaHostGetDevicePointer: the memory was not registered as mapped");
}

static void how_names_the_runtime_and_the_ptx(void **state)
{
	const struct desk *d = *state;

	assert_int_equal(desk_run(d, "cuda --how %F/app"), 0);
	assert_says(d, "out", "runtime  shared");
	assert_says(d, "out", "for sm_50");
	assert_says(d, "out", "run it   warpbeam cuda -- ");
	build(d, "libcudart_static.a");
	assert_int_equal(desk_run(d, "cuda --how %F/app"), 0);
	assert_says(d, "out", "runtime  static, warpbeam's own\n");
	assert_int_equal(desk_run(d, "cuda --how /bin/sh"), 3);
	assert_says(d, "out", "runtime  none");
	assert_says(d, "err", "without CUDA code");
	assert_int_equal(desk_run(d, "cuda --how %F/app.fatbin"), 3);
}

static void messages_that_no_library_sends_do_no_harm(void **state)
{
	const struct desk *d = *state;

	run(d, "hostile");
	assert_says(d, "out", "sent\n");
}

/* The workload's own launch, from a program: the same PTX, grid and data. */
static void cycles_are_those_of_the_same_launch_from_a_scenario(void **state)
{
	const struct desk *d = *state;
	static const char *const metrics[] = {"gpc__cycles_elapsed.max", "smsp__inst_executed.sum",
		"dram__bytes_read.sum", "l1tex__t_lines_load.sum"};
	static const char scenario[] = "buffers:\n  out: { type: u32, count: 32 }\nlaunches:\n"
				       "  - { module: app, kernel: fill, grid: 1, block: 32,\n"
				       "      args: [ {buffer: out}, {u32: 299} ] }\n";
	json_t *a, *b;
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/s.yaml", d->folder);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(scenario, f);
	fclose(f);
	assert_int_equal(desk_run(d, "run --set chip.sms=2 --quiet --json %F/s.json %F/s.yaml"), 0);
	assert_int_equal(run(d, "one"), 0);
	a = desk_json(d, "s.json");
	b = desk_json(d, "r.json");
	for (unsigned i = 0; i < ARRAY_LEN(metrics); i++)
		assert_int_equal(json_metric(a, metrics[i]), json_metric(b, metrics[i]));
	assert_true(json_metric(a, metrics[0]) > 100);
	json_decref(a);
	json_decref(b);
}

static void a_program_that_dies_stops_its_run(void **state)
{
	const struct desk *d = *state;
	pid_t program, pid = cuda_start(d, "cuda --set chip.sms=1 -- ./app spin", &program);

	kill(program, SIGKILL);
	assert_int_equal(desk_finish(pid), 1);
	assert_says(d, "err", "ended by signal 9");
	assert_says(d, "out", "PARTIAL REPORT");
}

static void an_interrupt_ends_the_program_with_a_partial_report(void **state)
{
	const struct desk *d = *state;
	pid_t program, pid = cuda_start(d, "cuda --set chip.sms=1 -- ./app spin", &program);

	kill(pid, SIGINT);
	assert_int_equal(desk_finish(pid), 10);
	assert_int_equal(kill(program, 0), -1);
	assert_says(d, "out", "PARTIAL REPORT");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, desk_tear_down)
		TEST(launches_copies_streams_and_symbols_work_and_are_reported),
		TEST(every_version_of_the_library_and_the_static_one_run_the_program),
		TEST(packed_code_is_unpacked),
		TEST(wrong_calls_return_cudas_errors_and_the_program_goes_on),
		TEST(a_fault_is_cudas_error_from_then_on_and_the_exit_code),
		TEST(a_pointer_of_the_host_is_the_same_in_every_run),
		TEST(a_program_that_ends_badly_is_reported),
		TEST(a_process_that_was_forked_or_executed_has_no_gpu),
		TEST(pages_are_accessible_on_demand),
		TEST(processes_that_a_program_leaves_end_with_it),
		TEST(kernels_text_is_written_among_the_programs),
		TEST(launches_run_in_batches_where_the_host_never_waits),
		TEST(managed_and_mapped_memory_have_one_address),
		TEST(registered_pages_of_the_host_are_the_devices_at_another_address),
		TEST(how_names_the_runtime_and_the_ptx),
		TEST(messages_that_no_library_sends_do_no_harm),
		TEST(cycles_are_those_of_the_same_launch_from_a_scenario),
		TEST(a_program_that_dies_stops_its_run),
		TEST(an_interrupt_ends_the_program_with_a_partial_report),
#undef TEST
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
	return 77; /* no such programs here */
}

#endif
