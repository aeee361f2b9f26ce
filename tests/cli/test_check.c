/* The commands about PTX: check and its bad input, exec and its counts, linking, the page of forms.
 */
#include "tests/rig/support_cli.h"

#include <stdio.h>
#include <string.h>

#include "core/base.h"
#include "core/file.h"
#include "core/mem.h"
#include "core/text.h"

#define HEAD ".version 7.0\n.target sm_70\n.address_size 64\n"
#define REGS ".reg .u32 %r<9>;\n.reg .u64 %d<9>;\n.reg .f32 %f<9>;\n.reg .pred %p<9>;\n"
/* The body begins in line 10. */
#define KERNEL(body) HEAD ".entry k(.param .u64 out)\n{\n" REGS body "}\n"

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
	int got = desk_run(p, arguments);

	if (got != code)
		print_error("%s: exit code %d\n", arguments, got);
	assert_int_equal(got, code);
	assert_says(p, file, words);
}

/* ---- check: bad input */
static const struct {
	const char *text;
	int code;
	const char *says; /* on stderr */
} bad[] = {
	{KERNEL("add.f32 %f1, %f2, %r1;\n"), 3,
		"k.ptx:10:19: kernel k: `add.f32`: %r1 is a .u32 register"},
	{KERNEL("mul.wide.f32 %f1, %f2, %f3;\n"), 3,
		"k.ptx:10:1: kernel k: `mul.wide.f32`: mul.wide takes .u16, .s16, .u32, .s32, not "
		".f32"},
	{KERNEL("add.u32 %r1, %r2;\n"), 3, "`add.u32`: takes 3 operands, 2 are given"},
	{KERNEL("addd.u32 %r1, %r2, 1;\n"), 3, "unknown instruction 'addd'; did you mean 'add"},
	{KERNEL("mov.u32 %r1, nothing;\n"), 3, "k.ptx:10:14: kernel k: `nothing` is not declared"},
	{KERNEL("mov.u32 %r9, 1;\n"), 3, "`%r<9>` at "},
	{KERNEL("bra NOWHERE;\n"), 3, "k.ptx:10:5: kernel k: `NOWHERE` is not declared"},
	{KERNEL(".reg .u32 x;\n.reg .f32 x;\n"), 3, "`x` is declared twice; the first is at "},
	{KERNEL("L:\nL:\n"), 3, "k.ptx:11:1: kernel k: `L` is declared twice"},
	{HEAD ".entry k() { ret; }\n.entry k() { ret; }\n", 3,
		"k.ptx:5:8: kernel k: `k` is declared "
		"twice"},
	{KERNEL(".reg .u32 %x<4000000000>;\n"), 3, "more than 1000000 registers"},
	{HEAD ".func g();\n.func f() { call g; ret; }\n.func g() { call f; ret; }\n"
	      ".entry k() { call f; ret; }\n",
		4, "kernel k: recursion is not supported: f calls g calls f"},
	{HEAD ".func f() { wmma.load.a.sync {_,_,_,_}, [f]; ret; }\n"
	      ".entry k() { call f; ret; }\n",
		4, "kernel k: not compiled: it calls f, which has errors"},
	{KERNEL("wmma.load.a.sync %r1;\n"), 4, "k.ptx:10:1: kernel k: `wmma.load.a.sync`"},
	{KERNEL("mov.u32 %r1, %reserved_smem_offset_cap;\n"), 4,
		"special register `%reserved_smem_offset_cap`"},
	{KERNEL(".loc 1 7 2\nwmma.load.a.sync %r1;\n"), 4, "kernel k: `wmma"},
	{HEAD ".file 1 \"dir/k.cu\"\n.entry k() {\n.loc 1 7 2\nwmma.load;\n}\n", 4, "(dir/k.cu:7)"},
	{HEAD ".extern .func f();\n.entry k() { call f; ret; }\n", 3,
		"k.ptx:5:19: kernel k: `call`: f, declared at "},
	{HEAD ".extern .func cudaGetDevice();\n.entry k() { call cudaGetDevice; ret; }\n", 4,
		"cudaGetDevice of the CUDA device runtime is not supported"},
	{HEAD ".entry k(.param .u64 out) .maxnreg 2 {\n" REGS
	      "ld.param.u64 %d1, [out];\nadd.u64 %d2, %d1, 8;\nst.u64 [%d2], %d1;\nret;\n}\n",
		5,
		"k.ptx:4:8: kernel k: it needs 4 registers even with spilling; its .maxnreg is "
		"2"},
	{HEAD ".global .texref t;\n.entry k() { .reg .f32 f;\n"
	      "tex.2d.v4.f32.f32 {f, f, f, f}, [t, {f}]; ret; }\n",
		3, "k.ptx:6:37: kernel k: `tex.2d.v4.f32.f32`: 2 coordinates are needed here, 1"},
	{HEAD ".global .texref t;\n.entry k() { .reg .f32 f;\nld.global.f32 f, [t]; ret; }\n", 3,
		"t is a texture, sampler or surface reference: memory instructions cannot access it"},
	{HEAD ".entry k() { .reg .f32 f;\ntex.1d.v4.f32.f32 {f, f, f, f}, [f, {f}]; ret; }\n", 3,
		"the name of a texture, sampler or surface reference, or a .u64 register"},
	{HEAD ".global .surfref s;\n.entry k() { .reg .f32 f;\n"
	      "suld.b.1d.b32.trap f, [s, s, {1}]; ret; }\n",
		3, "[surface, {coordinates}] is needed here"},
	{HEAD ".func f(.param .texref t) { .reg .f32 f;\n"
	      "tex.1d.v4.f32.f32 {f, f, f, f}, [t, {f}]; ret; }\n",
		4, "t: only kernels have texture, sampler and surface parameters"},
	{HEAD ".global .texref t[2];\n.entry k() { ret; }\n", 4, "texture, sampler"},
	{KERNEL("ld.global.v3.f32 {%f1, %f2, %f3}, [%d1];\n"), 3,
		".bf16x2, .nc, .b128, .v8, not .v3"},
	{KERNEL("cvt.u32.f32 %r1, %f1;\n"), 3,
		"`cvt.u32.f32`: cvt.u32 takes .u8, .s8, .u16, .s16, .u32, .s32, .u64, .s64, not "
		".f32"},
	{KERNEL("add.u32 1, %r2, %r3;\n"), 3,
		"k.ptx:10:9: kernel k: `add.u32`: a result needs a register of .u32, not `1`"},
	{KERNEL("mov.u32 %tid.x, %r3;\n"), 3, "a result needs a register of .u32, not `%tid.x`"},
	{KERNEL("bra %r1;\n"), 3, "k.ptx:10:5: kernel k: `bra`: takes one label, not `%r1`"},
	{KERNEL("st.param.u64 [out], %d1;\n"), 3,
		"k.ptx:10:14: kernel k: `st.param.u64`: out is a parameter of the kernel: it is "
		"read-only"},
	{HEAD ".func (.reg .u32 r) f(.reg .u32 a) { mov.u32 r, a; ret; }\n"
	      ".entry k() { .reg .u32 x; call (x), f, (); ret; }\n",
		3, "kernel k: `call`: f has 1 argument, 0 are given"},
	{HEAD ".entry k()\n{\n", 3, "expected `}`, found the end of the file"},
	{"", 3, "expected `.version`, found the end of the file"},
	{"int main(void) { return 0; }\n", 3, "expected `.version`, found `int`"},
	{"\177ELF\002\001\001", 3, "k.ptx: an ELF file must be one of 64 bits, little-endian"},
};

static void bad_input_is_reported_with_its_location_and_its_kernel(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		write_file(*state, "k.ptx", bad[i].text);
		expect(*state, "check %F/k.ptx", bad[i].code, "err", bad[i].says);
	}
}

static void strange_code_that_is_right_compiles(void **state)
{
	static const char *const good[] = {
		HEAD,
		HEAD ".extern .func f();\n.extern .global .u32 g;\n.entry k() { ret; }\n",
		KERNEL("ret;\nadd.u32 %r1, %r2, 1;\nbra L;\nL:\n"),
		KERNEL("L: bra L;\n"),
		KERNEL("L: bra M;\nM: bra L;\nret;\n"),
		KERNEL("@%p1 bra L;\ntrap;\nL:\n"),
		KERNEL(""),
	};

	for (size_t i = 0; i < ARRAY_LEN(good); i++) {
		write_file(*state, "k.ptx", good[i]);
		expect(*state, "check %F/k.ptx", 0, "out", " 0 left out; 0 wrong");
		assert_says(*state, "err", "");
	}
}

static void a_statement_that_breaks_off_is_reported_once(void **state)
{
	char *err;

	write_file(*state, "k.ptx", KERNEL("add.u32 %r1 %r2, %r3;\nret;\n"));
	expect(*state, "check %F/k.ptx", 3, "err",
		"k.ptx:10:13: kernel k: expected `,` or `;`, found `%r2`");
	err = desk_content(*state, "err");
	assert_null(strstr(err, "operands"));
	mem_free(err);
}

static void what_a_kernel_says_of_its_launches_is_listed(void **state)
{
	write_file(*state, "k.ptx",
		HEAD ".entry k(.param .u32 a) .maxntid 64, 2 .maxnreg 20 .minnctapersm 3 {\n" REGS
		     "ld.param.u32 %r1, [a];\nst.global.u32 [64], %r1;\nret;\n}\n"
		     ".entry q() .reqntid 32 { ret; }\n");
	expect(*state, "check %F/k.ptx --json %F/j", 0, "out",
		"\n     .maxntid 64, 2, 1  .maxnreg 20 (1 used)  .minnctapersm 3 "
		"(on a machine: warpbeam occupancy)\n");
	assert_says(*state, "out", "\n     .reqntid 32, 1, 1\n");
	assert_says(*state, "j", "\"maxnreg\": 20");
}

static void all_of_a_kernel_is_reported_at_once_in_the_order_of_the_text(void **state)
{
	static const char *const says[] = {":10:1: kernel k: `mul.wide.f32`",
		":11:1: kernel k: `wmma", ":12:5: kernel k: `NOWHERE`",
		":13:1: kernel k: `add.u32`: takes 3"};
	const struct desk *p = *state;
	const char *at;
	char *err;

	write_file(p, "k.ptx",
		KERNEL("mul.wide.f32 %f1, %f2, %f3;\nwmma.load.a.sync %r1;\nbra NOWHERE;\n"
		       "add.u32 %r1;\nret;\n"));
	expect(p, "check %F/k.ptx", 3, "out", "3 wrong, 1 not supported");
	err = desk_content(p, "err");
	at = err;
	for (size_t i = 0; i < ARRAY_LEN(says); i++) {
		at = strstr(at, says[i]);
		assert_non_null(at);
	}
	mem_free(err);
}

static void a_bad_kernel_does_not_stop_another(void **state)
{
	static const char scenario[] =
		"buffers: { out: { bytes: 4 } }\n"
		"launches:\n  - { module: k.ptx, kernel: good, grid: 1, block: 1,\n"
		"      args: [ {buffer: out} ] }\n"
		"checks:\n  - { buffer: out, type: u32, equals: { data: [7] } }\n";
	static const char text[] =
		HEAD ".entry unsupported() { wmma.load; }\n"
		     ".entry wrong() { bra NOWHERE; }\n"
		     ".entry good(.param .u64 out)\n{\n" REGS
		     "ld.param.u64 %d1, [out];\nst.global.u32 [%d1], 7;\nret;\n}\n";

	write_file(*state, "k.ptx", text);
	write_file(*state, "s.yaml", scenario);
	expect(*state, "check %F/k.ptx", 3, "out", "3 kernels: 1 compiles, 2 left out");
	assert_says(*state, "out", "good ");
	expect(*state, "run %F/s.yaml", 0, "out", "check: passed");
	expect(*state, "exec %F/s.yaml", 0, "out", "check: passed");
}

static void check_reports_what_kernels_need(void **state)
{
	json_t *j, *k, *note;

	write_file(*state, "k.ptx",
		HEAD ".shared .u32 s[4];\n.extern .shared .u32 d[];\n"
		     ".func f() { ret; }\n.entry k(.param .u64 a, .param .u32 b)\n{\n" REGS
		     "ld.shared.u32 %r1, [s];\nst.shared.u32 [d], %r1;\ncall f;\nret;\n}\n"
		     ".entry l() { wmma.load; }\n");
	expect(*state, "check %F/k.ptx --json %F/j --quiet", 4, "err", "wmma.load");
	j = desk_json(*state, "j");
	k = json_array_get(json_object_get(j, "kernels"), 0);
	assert_string_equal(json_text(k, "name"), "k");
	assert_int_equal(json_integer_value(json_object_get(k, "shared_bytes")), 16);
	assert_true(json_is_true(json_object_get(k, "dynamic_shared")));
	assert_int_equal(json_integer_value(json_object_get(k, "param_bytes")), 12);
	assert_int_equal(json_integer_value(json_object_get(k, "call_depth")), 1);
	assert_int_equal(json_integer_value(json_object_get(k, "registers")), 1);
	assert_int_equal(json_array_size(json_object_get(j, "notes")), 1);
	note = json_array_get(json_object_get(j, "notes"), 0);
	assert_string_equal(json_text(note, "kernel"), "l");
	assert_string_equal(json_text(note, "opcode"), "wmma.load");
	assert_string_equal(json_text(note, "code"), "unsupported");
	assert_int_equal(json_integer_value(json_object_get(note, "line")), 18);
	json_decref(j);
}

static void the_worst_of_all_files_is_the_exit_code(void **state)
{
	write_file(*state, "good.ptx", KERNEL("ret;\n"));
	write_file(*state, "unsupported.ptx", KERNEL("wmma.load;\n"));
	write_file(*state, "wrong.ptx", KERNEL("bra X;\n"));
	write_file(*state, "large.ptx", KERNEL(".local .b8 x[600000];\nst.local.u8 [x], 1;\n"));
	expect(*state, "check %F/good.ptx", 0, "out", "1 file, 1 kernel: 1 compiles, 0 left out");
	expect(*state, "check %F/large.ptx %F/good.ptx", 5, "err", "600000 bytes of local memory");
	expect(*state, "check %F/large.ptx %F/unsupported.ptx", 4, "out", "1 not supported, 1 too");
	expect(*state, "check %F/unsupported.ptx %F/wrong.ptx %F/good.ptx", 3, "out",
		"3 files, 3 kernels: 1 compiles, 2 left out; 1 wrong, 1 not supported");
	expect(*state, "check %F/none.ptx %F/good.ptx", 3, "err", "none.ptx: No such file");
	expect(*state, "check", 2, "err", "check needs FILE.ptx");
}

/* A file of n bytes: `head`, then `piece` again and again. */
static void write_large(const struct desk *p, const char *head, const char *piece, size_t n)
{
	size_t at = strlen(head), len = strlen(piece);
	char *text = mem_alloc(n, 1);

	assert_non_null(text);
	memcpy(text, head, at);
	for (; at + len <= n; at += len)
		memcpy(text + at, piece, len);
	memset(text + at, '\n', n - at);
	write_bytes(p, "k.ptx", text, n);
	mem_free(text);
}

static void a_hundred_megabytes_are_read_or_refused(void **state)
{
	write_large(*state, KERNEL("ret;\n"), "// nothing to be seen here\n", 100000000);
	expect(*state, "check %F/k.ptx", 0, "out", "1 kernel: 1 compiles");
	write_large(*state, HEAD, ".global .u33 x;\n", 100000000);
	expect(*state, "check %F/k.ptx", 3, "err", "k.ptx:4:9: unknown type `.u33`");
	assert_says(*state, "err", "more errors are not shown after 100");
}

static void binary_garbage_is_refused(void **state)
{
	uint64_t seed = 42;
	char noise[65536];

	for (unsigned round = 0; round < 4; round++) {
		for (size_t i = 0; i < sizeof(noise); i++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			noise[i] = (char)(seed >> 56);
		}
		if (round % 2)
			memcpy(noise, HEAD, sizeof(HEAD) - 1);
		write_bytes(*state, "k.ptx", noise, sizeof(noise));
		expect(*state, "check %F/k.ptx", 3, "err", "k.ptx:");
	}
}

/* ---- exec */
static void exec_counts_what_a_kernel_does(void **state)
{
	static const char text[] = KERNEL("ld.param.u64 %d1, [out];\n"
					  "mov.u32 %r1, %tid.x;\n"
					  "mul.wide.u32 %d2, %r1, 256;\n"
					  "add.u64 %d2, %d1, %d2;\n"
					  "st.global.u32 [%d2], %r1;\n"
					  "setp.lt.u32 %p1, %r1, 8;\n"
					  "@%p1 bra L;\n"
					  "st.global.u32 [%d2], %r1;\n"
					  "L: ret;\n");
	static const char scenario[] = "buffers: { out: { bytes: 16384 } }\n"
				       "launches:\n  - { module: k.ptx, kernel: k, grid: 1, "
				       "block: 64, args: [ {buffer: out} ] }\n";
	json_t *j, *stores, *branches, *forms;

	write_file(*state, "k.ptx", text);
	write_file(*state, "s.yaml", scenario);
	expect(*state, "exec %F/s.yaml --profile --json %F/j --csv %F/c", 0, "out", "check: none");
	j = desk_json(*state, "j");
	stores = json_object_get(json_object_get(json_object_get(j, "memory"), "global"), "stores");
	assert_int_equal(json_integer_value(json_object_get(stores, "accesses")), 4);
	assert_int_equal(json_integer_value(json_object_get(stores, "lanes")), 64 + 56);
	assert_int_equal(json_integer_value(json_object_get(stores, "bytes")), 4 * (64 + 56));
	assert_int_equal(json_integer_value(json_object_get(stores, "lines")), 64 + 56);
	branches = json_object_get(json_object_get(j, "counts"), "branches");
	assert_int_equal(json_integer_value(json_object_get(branches, "executed")), 2);
	assert_int_equal(json_integer_value(json_object_get(branches, "taken_by_a_lane")), 1);
	assert_int_equal(json_integer_value(json_object_get(branches, "divergent")), 1);
	forms = json_object_get(j, "forms");
	assert_string_equal(json_text(json_array_get(forms, 0), "form"), "st.global.u32");
	assert_says(*state, "c", "form,st.global.u32.threads,120,thread instructions");
	assert_says(*state, "c", "work,warp_instructions,18,");
	json_decref(j);
}

static json_int_t count_of(json_t *j, const char *group, const char *name)
{
	return json_integer_value(
		json_object_get(json_object_get(json_object_get(j, "counts"), group), name));
}

static void exec_does_the_work_of_run(void **state)
{
	json_t *timed, *plain, *profiled, *form, *families, *family;
	json_int_t sum = 0;
	const char *name;
	size_t i;

	assert_int_equal(desk_run(*state, "run needle --json %F/t --quiet"), 0);
	assert_int_equal(desk_run(*state, "exec needle --json %F/p --quiet"), 0);
	assert_int_equal(desk_run(*state, "exec needle --profile --json %F/q --quiet"), 0);
	timed = desk_json(*state, "t");
	plain = desk_json(*state, "p");
	profiled = desk_json(*state, "q");
	assert_int_equal(count_of(plain, "work", "warp_instructions"),
		json_metric(timed, "smsp__inst_executed.sum"));
	assert_int_equal(count_of(plain, "work", "thread_instructions"),
		count_of(profiled, "work", "thread_instructions"));
	json_array_foreach(json_object_get(profiled, "forms"), i, form) sum +=
		json_integer_value(json_object_get(form, "warp_instructions"));
	assert_int_equal(sum, count_of(plain, "work", "warp_instructions"));
	families = json_object_get(json_object_get(profiled, "counts"), "families");
	json_object_foreach(families, name, family) sum -= json_integer_value(family);
	assert_int_equal(sum, 0);
	assert_true(count_of(profiled, "families", "memory") > 0);
	assert_string_equal(json_text(plain, "check"), "passed");
	json_decref(timed);
	json_decref(plain);
	json_decref(profiled);
}

static void exec_stops_at_its_limit_and_at_faults(void **state)
{
	static const char scenario[] = "buffers: { out: { bytes: 4 } }\nlaunches:\n  - { module: "
				       "k.ptx, kernel: k, grid: 1, block: 32, args: [ {buffer: "
				       "out} ] }\n";

	write_file(*state, "s.yaml", scenario);
	write_file(*state, "k.ptx", KERNEL("L: bra L;\n"));
	expect(*state, "exec %F/s.yaml --max-instructions 1000", 8, "err",
		"limit of 1000 warp instructions");
	assert_says(*state, "out", "PARTIAL REPORT");
	write_file(*state, "k.ptx", KERNEL("st.global.u32 [0], 1;\n"));
	expect(*state, "exec %F/s.yaml", 6, "err", "out-of-bounds");
	expect(*state, "exec %F/s.yaml --seed 3", 2, "err", "--seed goes with a workload");
	expect(*state, "exec vectorad", 2, "err", "did you mean 'vectoradd'?");
	expect(*state, "exec vectoradd --max-cycles 9", 2, "err", "unknown option --max-cycles");
}

/* ---- linking */
static const char user[] = HEAD
	".file 1 \"a.cu\"\n.extern .func (.param .u32 r) twice(.param .u32 a);\n"
	".extern .global .u32 table[];\n.weak .global .u32 w = 1;\n"
	".common .global .u32 c[2];\n.func (.param .u32 r) own() { st.param.u32 [r], 1; ret; }\n"
	".visible .entry k(.param .u64 out)\n{\n" REGS
	"ld.param.u64 %d1, [out];\nld.global.u32 %r1, [table+4];\n"
	"{\n.param .u32 a;\n.param .u32 r;\nst.param.u32 [a], %r1;\n"
	"call (r), twice, (a);\nld.param.u32 %r2, [r];\n}\n"
	"ld.global.u32 %r3, [w];\nadd.u32 %r2, %r2, %r3;\n"
	"{\n.param .u32 r;\ncall (r), own;\nld.param.u32 %r4, [r];\n}\n"
	"add.u32 %r2, %r2, %r4;\nst.global.u32 [c+4], %r2;\n"
	"st.global.u32 [%d1], %r2;\nret;\n}\n";
static const char library[] =
	HEAD ".file 1 \"b.cu\"\n.visible .global .u32 table[3] = {5, 6, 7};\n"
	     ".visible .global .u32 w = 100;\n.common .global .u32 c[8];\n"
	     ".visible .global .u64 where = table;\n"
	     ".func (.param .u32 r) own() { st.param.u32 [r], 5000; ret; }\n"
	     ".visible .func (.param .u32 r) twice(.param .u32 a)\n{\n" REGS
	     ".param .u32 o;\nld.param.u32 %r1, [a];\nadd.u32 %r1, %r1, %r1;\n"
	     "call (o), own;\nld.param.u32 %r2, [o];\nadd.u32 %r1, %r1, %r2;\n"
	     "st.param.u32 [r], %r1;\nret;\n}\n"
	     ".visible .entry last(.param .u64 out)\n{\n" REGS
	     "ld.param.u64 %d1, [out];\nld.global.u32 %r1, [c+4];\n"
	     "ld.global.u64 %d2, [where];\nld.u32 %r2, [%d2+8];\nadd.u32 %r1, %r1, %r2;\n"
	     "st.global.u32 [%d1+4], %r1;\nret;\n}\n";

static void linked_modules_share_functions_and_variables(void **state)
{
	/* 2 * 6 + 5000 + 100 + 1, and 7 more */
	static const char scenario[] =
		"buffers: { out: { bytes: 8 } }\nlaunches:\n"
		"  - { module: [a.ptx, b.ptx], kernel: k, grid: 1, block: 1, args: [ {buffer: out} "
		"] }\n"
		"  - { module: [a.ptx, b.ptx], kernel: last, grid: 1, block: 1,\n"
		"      args: [ {buffer: out} ] }\n"
		"checks:\n  - { buffer: out, type: u32, equals: { data: [5113, 5120] } }\n";
	json_t *j;

	write_file(*state, "a.ptx", user);
	write_file(*state, "b.ptx", library);
	write_file(*state, "s.yaml", scenario);
	expect(*state, "check %F/a.ptx %F/b.ptx", 3, "err",
		"a.ptx:17:20: kernel k: `ld.global.u32`: table, declared at ");
	expect(*state, "check --link %F/a.ptx %F/b.ptx", 0, "out", "2 kernels: 2 compile,");
	expect(*state, "exec %F/s.yaml", 0, "out", "check: passed");
	expect(*state, "run %F/s.yaml --json %F/j", 0, "out", "check: passed");
	j = desk_json(*state, "j");
	assert_int_equal(json_array_size(json_object_get(j, "inputs")), 3);
	json_decref(j);
}

static const struct {
	const char *a, *b;
	int code;
	const char *says; /* on stderr */
} links[] = {
	{".visible .func f() { ret; }\n", ".visible .func f() { ret; }\n", 3,
		"b.ptx:4:16: `f` is defined twice; the first is at "},
	{".visible .global .u32 x;\n", ".visible .global .u32 x;\n", 3, "a.ptx:4:23"},
	{".entry k() { ret; }\n", ".entry k() { ret; }\n", 3, "`k` is defined twice"},
	{".weak .entry k() { ret; }\n", ".entry k() { ret; }\n", 0, ""},
	{".weak .func f() { ret; }\n", ".weak .func f() { ret; }\n", 0, ""},
	{".func f() { ret; }\n", ".func f() { ret; }\n", 0, ""},
	{".global .u32 x;\n", ".visible .global .u32 x;\n", 0, ""},
	{".extern .global .f32 x;\n", ".visible .global .u32 x;\n", 3,
		"a.ptx:4:22: `x` differs from its definition at "},
	{".extern .func f(.param .u32 a);\n", ".visible .func f() { ret; }\n", 3,
		"`f` differs from its definition at "},
	{".extern .func f();\n.entry k() { call f; ret; }\n", ".func f() { ret; }\n", 3,
		"a.ptx:5:19: kernel k: `call`: f, declared at "},
	{".extern .global .u32 x;\n.entry k() { ret; }\n", ".entry l() { ret; }\n", 0, ""},
	{".extern .shared .u32 x[];\n", ".extern .shared .u32 x[];\n", 0, ""},
	{"oops\n", ".entry l() { ret; }\n", 3, "a.ptx:4:1: expected a directive"},
};

static void what_does_not_fit_together_is_reported_with_both_locations(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(links); i++) {
		struct text a = {0}, b = {0};

		text_raw(&a, "%s%s", HEAD, links[i].a);
		text_raw(&b, "%s%s", HEAD, links[i].b);
		write_file(*state, "a.ptx", text_str(&a));
		write_file(*state, "b.ptx", text_str(&b));
		text_clear(&a);
		text_clear(&b);
		expect(*state, "check --link %F/a.ptx %F/b.ptx", links[i].code, "err",
			links[i].says);
	}
	write_file(*state, "a.ptx", ".version 7.0\n.target sm_70\n.address_size 32\n");
	write_file(*state, "b.ptx", HEAD);
	expect(*state, "check --link %F/a.ptx %F/b.ptx", 3, "err",
		"b.ptx: it has 64-bit addresses, ");
}

/* ---- the page of forms */
/* The text of a generated document, which must be what the command prints; freed by the caller. */
static char *page_of(struct desk *p, const char *document, const char *command)
{
	struct err err = {0};
	char path[600], *page, *written;
	size_t n;

	assert_int_equal(desk_run(p, command), 0);
	written = desk_content(p, "out");
	snprintf(path, sizeof(path), "%s/../../doc/%s", p->scenarios, document);
	page = file_read(NULL, path, &n, ERR_INPUT, &err);
	assert_string_equal(err_text(&err), "");
	if (strcmp(page, written))
		fail_msg("doc/%s is not what `warpbeam %s` prints: make doc-pages", document,
			command);
	mem_free(written);
	return page;
}

static void the_page_of_forms_is_up_to_date(void **state)
{
	char *page = page_of(*state, "ptx.md", "forms");

	assert_null(strstr(page, "## Others"));
	assert_null(strstr(page, "{#"));
	mem_free(page);
}

static void the_page_of_workloads_is_up_to_date(void **state)
{
	char *page = page_of(*state, "workloads.md", "list --markdown");

	assert_non_null(strstr(page, "\nneedle_upper_32 "));
	mem_free(page);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, desk_set_up, desk_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(bad_input_is_reported_with_its_location_and_its_kernel),
		TEST(strange_code_that_is_right_compiles),
		TEST(a_statement_that_breaks_off_is_reported_once),
		TEST(what_a_kernel_says_of_its_launches_is_listed),
		TEST(all_of_a_kernel_is_reported_at_once_in_the_order_of_the_text),
		TEST(a_bad_kernel_does_not_stop_another),
		TEST(check_reports_what_kernels_need),
		TEST(the_worst_of_all_files_is_the_exit_code),
		TEST(a_hundred_megabytes_are_read_or_refused),
		TEST(binary_garbage_is_refused),
		TEST(exec_counts_what_a_kernel_does),
		TEST(exec_does_the_work_of_run),
		TEST(exec_stops_at_its_limit_and_at_faults),
		TEST(linked_modules_share_functions_and_variables),
		TEST(what_does_not_fit_together_is_reported_with_both_locations),
		TEST(the_page_of_forms_is_up_to_date),
		TEST(the_page_of_workloads_is_up_to_date),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
