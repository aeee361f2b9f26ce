/* The command against input of every kind: text that is not PTX, unusual text, far too much text.
 * Each ends soon, with one documented exit code and a short message. */
#include "tests/rig/support_cli.h"

#include <stdio.h>
#include <string.h>

#include "core/base.h"
#include "core/file.h"
#include "core/text.h"

#define HEAD ".version 7.0\n.target sm_70\n.address_size 64\n"

static void write_bytes(const struct desk *p, const char *name, const char *bytes, size_t n)
{
	struct err err = {0};
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", p->folder, name);
	file_write(NULL, path, bytes, n, &err);
	assert_string_equal(err_text(&err), "");
}

static void write_file(const struct desk *p, const char *name, const char *text)
{
	write_bytes(p, name, text, strlen(text));
}

static void expect(
	const struct desk *p, const char *arguments, int code, const char *file, const char *words)
{
	assert_int_equal(desk_run(p, arguments), code);
	assert_says(p, file, words);
}

/* `piece` many times in a kernel. */
static void write_repeated(void **state, const char *piece, unsigned times)
{
	struct text text = {0};

	text_raw(&text, "%s", HEAD ".entry k()\n{\n.reg .u32 r;\n.reg .f32 f;\n");
	for (unsigned i = 0; i < times; i++)
		text_raw(&text, "%s\n", piece);
	text_raw(&text, "}\n");
	write_file(*state, "k.ptx", text_str(&text));
	text_clear(&text);
}

static void at_most_a_hundred_messages_are_listed(void **state)
{
	write_repeated(state, "add.u32 r, r, f;", 50000);
	expect(*state, "check %F/k.ptx", 3, "err", "warpbeam: and 49,900 more\n");
	assert_says(*state, "out", "50000 wrong");
}

static void a_spelling_that_is_not_supported_is_reported_once(void **state)
{
	write_repeated(state, "wgmma.mma_async r, r;\ntcgen05.ld r;", 1000);
	expect(*state, "check %F/k.ptx", 4, "err", "(matrix multiplication) (and 999 more)\n");
	assert_says(*state, "err", "k.ptx:8:1: kernel k: `wgmma.mma_async`");
	assert_says(*state, "err", "k.ptx:9:1: kernel k: `tcgen05.ld`");
	assert_says(*state, "out", "2000 not supported");
	assert_says(*state, "out", "k                                is left out");
}

static void what_is_no_ptx_is_reported_in_one_sentence(void **state)
{
	static const struct {
		const char *name, *bytes;
		size_t n;
		const char *says;
	} rows[] = {
		{"k.cu", "#include <stdio.h>\n__global__ void k() {}\n", 41,
			"k.cu:1:1: CUDA C, not PTX"},
		{"m.cu", "int main;\n", 10, "m.cu:1:1: CUDA C, not PTX: nvcc -ptx"},
		{"h.ptx", "#include <stdio.h>\n", 19, "h.ptx:1:1: a C or CUDA C source"},
		{"k.bc",
			"BC\xc0\xde"
			"5",
			5, "k.bc:1:1: LLVM bitcode"},
		{"k.ll", "; ModuleID = 'k'\nsource_filename = \"k\"\n", 37,
			"k.ll:1:1: LLVM IR, not PTX"},
		{"k.cl", "__kernel void k(){}\n", 20, "k.cl:1:1: OpenCL C, not PTX"},
		{"k.yaml", "launches:\n  - {}\n", 17, "k.yaml:1:1: YAML, not PTX"},
		{"none.ptx", "", 0, "none.ptx:1:1: expected `.version`, found the end"},
		{"blank.ptx", " // nothing\n", 12,
			"blank.ptx:2:1: expected `.version`, found the end"},
		{"zero.ptx", "a\0b", 3, "zero.ptx:1:1: a binary file"},
	};

	for (unsigned i = 0; i < ARRAY_LEN(rows); i++) {
		char arguments[64];

		write_bytes(*state, rows[i].name, rows[i].bytes, rows[i].n);
		snprintf(arguments, sizeof(arguments), "check %%F/%s", rows[i].name);
		expect(*state, arguments, 3, "err", rows[i].says);
		assert_says(*state, "out", "1 wrong, 0 not supported");
	}
}

static void an_unknown_instruction_set_of_the_host_is_bad_input(void **state)
{
	expect(*state, "run reduction --set gpu.isa=none", 3, "err",
		"gpu.isa: instruction-set level");
}

static void launches_have_cudas_limits(void **state)
{
	static const struct {
		const char *shape;
		int code;
		const char *says;
	} rows[] = {
		{"grid: [1, 65536, 1], block: 1", 3, "has 65536 CTAs in y, at most 65535"},
		{"grid: [1, 1, 65536], block: 1", 3, "has 65536 CTAs in z, at most 65535"},
		{"grid: 2147483648, block: 1", 3, "2147483648 CTAs in x, at most 2147483647"},
		{"grid: 1, block: [1, 1, 65]", 5, "has 65 threads in z, at most 64"},
		{"grid: 1, block: [1025, 1, 1]", 5, "has 1025 threads, at most 1024"},
		{"grid: 1, block: [1, 1025, 1]", 5, "has 1025 threads, at most 1024"},
		{"grid: [1, 2, 65535], block: [16, 1, 64]", 0, ""},
	};

	write_file(*state, "k.ptx", HEAD ".entry k() { exit; }\n");
	for (unsigned i = 0; i < ARRAY_LEN(rows); i++) {
		char text[256];

		snprintf(text, sizeof(text),
			"launches:\n  - { module: k.ptx, kernel: k, %s, args: [] }\n",
			rows[i].shape);
		write_file(*state, "k.yaml", text);
		expect(*state, "exec %F/k.yaml", rows[i].code, "err", rows[i].says);
		if (rows[i].code)
			expect(*state, "run %F/k.yaml --quiet", rows[i].code, "err", rows[i].says);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, desk_set_up, desk_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(at_most_a_hundred_messages_are_listed),
		TEST(a_spelling_that_is_not_supported_is_reported_once),
		TEST(what_is_no_ptx_is_reported_in_one_sentence),
		TEST(an_unknown_instruction_set_of_the_host_is_bad_input),
		TEST(launches_have_cudas_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
