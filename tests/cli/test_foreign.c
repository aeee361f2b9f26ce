/* Workloads with other compilers' PTX (--ptx-dir): the workload's check judges what it computes. */
#include "tests/rig/support_cli.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* C = A * B with a loop over memory, a thread for each element, as the SDK's kernel is called:
 * C, A, B, width of A, width of B. `step` is the distance of A's elements. */
#define MULTIPLY(step) \
	".version 2.1\n.target sm_20\n" \
	".entry _Z9matrixMulPfS_S_ii (.param .u64 c, .param .u64 a, .param .u64 b, .param .s32 wa," \
	" .param .s32 wb)\n{\n" \
	".reg .u32 %r<12>; .reg .u64 %rd<8>; .reg .f32 %f<4>; .reg .pred %p;\n" \
	"mov.u32 %r0, %ctaid.y; mov.u32 %r1, %ntid.y; mov.u32 %r2, %tid.y;\n" \
	"mad.lo.u32 %r3, %r0, %r1, %r2;\n" \
	"mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x;\n" \
	"mad.lo.u32 %r4, %r0, %r1, %r2;\n" \
	"ld.param.u32 %r5, [wa]; ld.param.u32 %r6, [wb];\n" \
	"ld.param.u64 %rd0, [c]; ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b];\n" \
	"mul.lo.u32 %r7, %r3, %r5; mul.wide.u32 %rd3, %r7, 4; add.u64 %rd1, %rd1, %rd3;\n" \
	"mul.wide.u32 %rd3, %r4, 4; add.u64 %rd2, %rd2, %rd3;\n" \
	"mad.lo.u32 %r8, %r3, %r6, %r4; mul.wide.u32 %rd3, %r8, 4; add.u64 %rd0, %rd0, %rd3;\n" \
	"mul.wide.u32 %rd4, %r6, 4; mov.f32 %f0, 0f00000000; mov.u32 %r9, 0;\n" \
	"more: ld.global.f32 %f1, [%rd1]; ld.global.f32 %f2, [%rd2];\n" \
	"mad.f32 %f0, %f1, %f2, %f0; add.u64 %rd1, %rd1, " step "; add.u64 %rd2, %rd2, %rd4;\n" \
	"add.u32 %r9, %r9, 1; setp.lt.u32 %p, %r9, %r5; @%p bra more;\n" \
	"st.global.f32 [%rd0], %f0;\nexit;\n}\n"

/* One thread counts all bytes, less their lower bits, if the launch has the shape CTAs * 1000 +
 * threads. */
#define COUNT(entry, shift, shape) \
	".entry " entry " (.param .u64 to, .param .u64 data, .param .s32 words)\n{\n" \
	".reg .u32 %r<8>; .reg .u64 %rd<3>; .reg .pred %p;\n" \
	"mov.u32 %r0, %ctaid.x; mov.u32 %r1, %tid.x; or.b32 %r0, %r0, %r1;\n" \
	"setp.ne.u32 %p, %r0, 0; @%p exit;\n" \
	"mov.u32 %r2, %nctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r2, %r2, 1000, %r3;\n" \
	"setp.eq.u32 %p, %r2, " shape "; selp.u32 %r4, 1, 0, %p;\n" \
	"ld.param.u64 %rd0, [to]; ld.param.u64 %rd1, [data]; ld.param.u32 %r5, [words];\n" \
	"shl.b32 %r5, %r5, 2;\n" \
	"more: ld.global.u8 %r6, [%rd1]; shr.u32 %r6, %r6, " shift ";\n" \
	"mul.wide.u32 %rd2, %r6, 4; add.u64 %rd2, %rd2, %rd0; ld.global.u32 %r7, [%rd2];\n" \
	"add.u32 %r7, %r7, %r4; st.global.u32 [%rd2], %r7; add.u64 %rd1, %rd1, 1;\n" \
	"sub.u32 %r5, %r5, 1; setp.ne.u32 %p, %r5, 0; @%p bra more; exit;\n}\n"

/* With 64 bins the only partial histogram is copied, with 256 the first one is the result. */
#define HISTOGRAM_64 \
	".version 2.1\n.target sm_20\n" COUNT("_Z17histogram64KernelPjS_i", "2", \
		"1064") ".entry _Z22mergeHistogram64KernelPjS_j (.param .u64 to, .param .u64 from," \
			" .param .u32 n)\n{\n" \
			".reg .u32 %r0; .reg .u64 %rd<3>;\n" \
			"ld.param.u64 %rd0, [to]; ld.param.u64 %rd1, [from]; mov.u32 %r0, %ctaid.x;\n" \
			"mul.wide.u32 %rd2, %r0, 4; add.u64 %rd0, %rd0, %rd2; add.u64 %rd1, %rd1, %rd2;\n" \
			"ld.global.u32 %r0, [%rd1]; st.global.u32 [%rd0], %r0; exit;\n}\n"
#define HISTOGRAM_256(shape) \
	".version 2.1\n.target sm_20\n" COUNT("_Z18histogram256KernelPjS_i", "0", \
		shape) ".entry _Z23mergeHistogram256KernelPj (.param .u64 r)\n{\nexit;\n}\n"

static void write_ptx(const struct desk *d, const char *suite, const char *file, const char *ptx)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", d->folder, suite);
	mkdir(path, 0777);
	snprintf(path, sizeof(path), "%s/%s/%s", d->folder, suite, file);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(ptx, 1, strlen(ptx), f), strlen(ptx));
	assert_int_equal(fclose(f), 0);
}

static void write_multiply(const struct desk *d, const char *ptx)
{
	write_ptx(d, "sdk2.2", "matrixMul_kernel.ptx", ptx);
}

static void expect(const struct desk *d, const char *arguments, int code, const char *words)
{
	int got = desk_run(d, arguments);

	assert_says(d, code ? "err" : "out", words);
	if (got != code)
		fail_msg("warpbeam %s: exit code %d instead of %d", arguments, got, code);
}

static void the_workloads_check_judges_foreign_kernels(void **state)
{
	const struct desk *d = *state;

	write_multiply(d, MULTIPLY("4"));
	expect(d, "run matrixmul --ptx-dir %F", 0, "check: passed");
	expect(d, "exec matrixmul --ptx-dir %F --json -", 0, "/sdk2.2/matrixMul_kernel.ptx");
	expect(d, "exec matrixmul --ptx-dir %F --json -", 0, "\"address_bits\": 64");
	write_multiply(d, MULTIPLY("0"));
	expect(d, "run matrixmul --ptx-dir %F", 1, "the reference says");
}

static void write_histogram(const struct desk *d, const char *ptx)
{
	write_ptx(d, "sdk2.2", "histogram64.ptx", HISTOGRAM_64);
	write_ptx(d, "sdk2.2", "histogram256_SM10.ptx", ptx);
	write_ptx(d, "sdk2.2", "histogram256_SM11.ptx", ptx);
	write_ptx(d, "sdk2.2", "histogram256_SM12.ptx", ptx);
}

static void foreign_kernels_run_in_the_shape_of_their_list(void **state)
{
	const struct desk *d = *state;
	const char *command = "run histogram --set histogram.bytes=64 --ptx-dir %F";

	write_histogram(d, HISTOGRAM_256("64006"));
	expect(d, command, 0, "check: passed");
	write_histogram(d, HISTOGRAM_256("240192"));
	expect(d, command, 1, "the reference says");
}

static void what_cannot_be_run_is_refused(void **state)
{
	const struct desk *d = *state;

	expect(d, "run pcr --ptx-dir %F", 3, "pcr has no list of foreign kernels");
	expect(d, "run matrixmul --ptx-dir nowhere", 3,
		"nowhere/sdk2.2/matrixMul_kernel.ptx: No such file or directory");
	write_multiply(d, ".version 2.1\n.target sm_20\n.entry another () { exit; }\n");
	expect(d, "run matrixmul --ptx-dir %F", 3, "_Z9matrixMulPfS_S_ii");
	expect(d, "run %S/add.yaml --ptx-dir %F", 2, "--ptx-dir goes with a workload");
}

/* The value of a key in the row of that text in the file. */
static double figure(const struct desk *d, const char *file, const char *text, const char *key)
{
	json_t *report = desk_json(d, file), *row;
	double v = -1;
	size_t i;

	json_array_foreach(json_object_get(report, "rows"), i,
		row) if (!strcmp(json_text(row, "text"), text)) v =
		json_number_value(json_object_get(row, key));
	json_decref(report);
	return v;
}

static void figures_stand_beside_those_of_our_ptx(void **state)
{
	const struct desk *d = *state;
	json_t *report, *file;

	write_multiply(d, MULTIPLY("4"));
	expect(d, "reproduce fig6.1 matrixmul --quiet --json %F/ours.json", 0, "");
	expect(d, "reproduce fig6.1 matrixmul --ptx-dir %F --quiet --json %F/one.json", 0, "");
	/* A workload without such PTX has no part in either mean. */
	expect(d, "reproduce fig6.1 matrixmul pcr --ptx-dir %F --quiet --json %F/two.json", 0, "");
	assert_true(figure(d, "one.json", "never read", "ours") >= 0);
	assert_true(figure(d, "one.json", "read once", "ours") !=
		    figure(d, "one.json", "read once", "ours_same"));
	assert_true(figure(d, "one.json", "read once", "ours_same") ==
		    figure(d, "ours.json", "read once", "ours"));
	assert_true(figure(d, "one.json", "read once", "ours_wide") !=
		    figure(d, "one.json", "read once", "ours_same"));
	assert_true(figure(d, "one.json", "read once", "ours") ==
		    figure(d, "two.json", "read once", "ours"));
	assert_true(figure(d, "one.json", "read once", "ours_same") ==
		    figure(d, "two.json", "read once", "ours_same"));
	report = desk_json(d, "two.json");
	file = json_array_get(json_object_get(report, "foreign_ptx"), 0);
	assert_string_equal(json_text(file, "path"), "sdk2.2/matrixMul_kernel.ptx");
	assert_int_equal(strlen(json_text(file, "fnv1a")), 16);
	json_decref(report);
	expect(d, "reproduce fig9 needle --ptx-dir %F", 2, "no figures with --ptx-dir");
}

#define NEEDLE(kernel) \
	".entry " kernel " (.param .u64 reference, .param .u64 in, .param .u64 out," \
	" .param .s32 columns, .param .s32 penalty, .param .s32 i, .param .s32 blocks)" \
	" { exit; }\n"

/* Rodinia's kernels have blocks of 16. */
static void settings_that_the_kernels_need_are_defaults(void **state)
{
	const struct desk *d = *state;

	write_ptx(d, "rodinia", "needle.ptx",
		".version 2.1\n.target sm_20\n" NEEDLE("_Z20needle_cuda_shared_1PiS_S_iiii")
			NEEDLE("_Z20needle_cuda_shared_2PiS_S_iiii"));
	expect(d, "run needle --ptx-dir %F", 1, "the reference says");
	expect(d, "run needle --ptx-dir %F --set needle.block=32", 3,
		"the foreign kernels of needle have no 'needle_upper_32'");
}

/* A table without runs, of a suite whose other files are not there. */
static void files_that_are_missing_have_no_hash(void **state)
{
	const struct desk *d = *state;
	json_t *report, *files;

	write_multiply(d, MULTIPLY("4"));
	expect(d, "reproduce table4.5 --ptx-dir %F --quiet --json %F/r.json", 0, "");
	report = desk_json(d, "r.json");
	files = json_object_get(report, "foreign_ptx");
	assert_int_equal(json_array_size(files), 1);
	assert_string_equal(
		json_text(json_array_get(files, 0), "path"), "sdk2.2/matrixMul_kernel.ptx");
	assert_int_equal(strlen(json_text(json_array_get(files, 0), "fnv1a")), 16);
	json_decref(report);
}

#define TABLE(bytes) \
	".version 2.1\n.target sm_20\n.const .align 4 .b8 Q[" bytes "];\n" \
	".entry a () { .reg .u32 %r; ld.const.u32 %r, [Q]; exit; }\n"

static void variables_have_the_hosts_bytes(void **state)
{
	write_ptx(*state, "sdk2.2", "dct8x8.ptx", TABLE("64"));
	expect(*state, "run dct8x8 --ptx-dir %F", 3,
		"variable 'Q' of its PTX has 64 bytes; the host needs 128");
}

static void list_shows_the_files(void **state)
{
	expect(*state, "list matrixmul", 0,
		"foreign PTX (--ptx-dir): sdk2.2/matrixMul_kernel.ptx\n");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, desk_set_up, desk_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_workloads_check_judges_foreign_kernels),
		TEST(foreign_kernels_run_in_the_shape_of_their_list),
		TEST(what_cannot_be_run_is_refused),
		TEST(figures_stand_beside_those_of_our_ptx),
		TEST(settings_that_the_kernels_need_are_defaults),
		TEST(files_that_are_missing_have_no_hash),
		TEST(variables_have_the_hosts_bytes),
		TEST(list_shows_the_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
