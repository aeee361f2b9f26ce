/* warpbeam explain: figures 6.7 to 6.9 of Gebhart's dissertation, written as PTX, are visible in
 * it; so are spills, live counts, strands and the CUDA-C of the code. */
#include "tests/rig/markup.h"
#include "tests/rig/support_cli.h"

#include <stdio.h>
#include <string.h>

#include "core/file.h"
#include "core/mem.h"
#include "core/text.h"

#define HEAD \
	".version 7.0\n.target sm_70\n.address_size 32\n.visible .entry k(.param .u64 out)\n{\n" \
	".reg .pred %p<4>;\n.reg .b32 %r<64>;\n"
#define XY "ld.param.u32 %r0, [out];\nld.param.u32 %r1, [out+4];\n"
#define TAIL "ret;\n}\n"

#define ONE_LEVEL "--set rf.hierarchy=none "
#define TWO_LEVELS "--set rf.hierarchy=software --set rf.lrf=0 "
#define ENTRIES(n) "--set rf.entries=" #n " "
#define NO_PARTIAL "--set rf.partial_ranges=false "
#define NO_READS "--set rf.read_operands=false "

static void put(const struct desk *p, const char *name, const char *content)
{
	struct text path = {0};

	text_raw(&path, "%s/%s", p->folder, name);
	assert_int_equal(file_write(NULL, text_str(&path), content, strlen(content), NULL), 0);
	text_clear(&path);
}

/* `says` is in this order in what explain says of the text with the options. */
static void explained(const struct desk *p, const char *text, const char *options,
	const char *const *says, unsigned n)
{
	struct text command = {0};
	char *out;
	const char *at;

	put(p, "k.ptx", text);
	text_raw(&command, "explain %%F/k.ptx %s", options);
	assert_int_equal(desk_run(p, text_str(&command)), 0);
	out = desk_content(p, "out");
	at = out;
	for (unsigned i = 0; i < n; i++) {
		const char *found = strstr(at, says[i]);

		if (!found)
			fail_msg("missing or out of order: %s\nin\n%s", says[i], out);
		at = found + strlen(says[i]);
	}
	mem_free(out);
	text_clear(&command);
}

#define EXPLAINED(p, text, options, ...) \
	do { \
		static const char *const says[] = {__VA_ARGS__}; \
		explained(p, text, options, says, sizeof(says) / sizeof(*says)); \
	} while (0)

/* ---- figure 6.7 */
static const char partial[] = HEAD XY "add.u32 %r2, %r0, %r1;\nadd.u32 %r3, %r2, %r2;\n"
				      "add.u32 %r3, %r3, %r2;\nst.shared.u32 [%r1], %r3;\n"
				      "add.u32 %r5, %r0, 7;\nst.shared.u32 [%r5], %r5;\n"
				      "st.shared.u32 [%r5+4], %r5;\n"
				      "st.shared.u32 [%r0], %r2;\n" TAIL;

/* With one entry the value that is read last, r2, does not fit beside r5. */
static void figure_6_7_a_value_that_does_not_fit_stays_in_the_mrf(void **state)
{
	EXPLAINED(*state, partial, TWO_LEVELS ENTRIES(1) NO_READS NO_PARTIAL,
		"add.u32 r2, r0, r1\n", "add.u32 o0, r2, r2\n", "add.u32 o0, o0, r2\n",
		"st.shared.u32 [r1], o0\n", "st.shared.u32 [r0], r2\n");
}

static void figure_6_7_its_first_reads_come_from_the_orf(void **state)
{
	EXPLAINED(*state, partial, TWO_LEVELS ENTRIES(1) NO_READS, "add.u32 r2+o0, r0, o0\n",
		"add.u32 o0, o0, o0\n", "add.u32 o0, o0, r2\n", "st.shared.u32 [r1], o0\n",
		"add.u32 o0, r0, 7\n", "st.shared.u32 [o0], o0\n", "st.shared.u32 [o0+4], o0\n",
		"st.shared.u32 [r0], r2\n");
}

/* ---- figure 6.8 */
static void figure_6_8_the_first_read_leaves_a_copy(void **state)
{
	static const char text[] = HEAD XY "bar.sync 0;\nadd.u32 %r2, %r0, %r1;\n"
					   "add.u32 %r3, %r0, %r2;\nadd.u32 %r4, %r0, %r3;\n"
					   "st.shared.u32 [%r4], %r4;\n" TAIL;

	EXPLAINED(*state, text, TWO_LEVELS ENTRIES(2), "ld.param.u32 r0, [out]\n", "bar.sync 0\n",
		"strand 2: continues\n", "add.u32 o0, r0>o1, r1\n", "add.u32 o0, o1, o0\n",
		"add.u32 o0, o1, o0\n", "st.shared.u32 [o0], o0\n");
}

/* ---- figure 6.9 */
#define BASELINE TWO_LEVELS ENTRIES(2) NO_READS NO_PARTIAL

static void figure_6_9_a_one_side_writes_and_the_merge_reads_the_mrf(void **state)
{
	static const char text[] = HEAD XY "setp.eq.u32 %p1, %r0, %r1;\nmov.u32 %r2, 5;\n"
					   "bar.sync 0;\n@%p1 bra B;\nadd.u32 %r2, %r0, %r1;\n"
					   "B:\nst.shared.u32 [%r0], %r2;\n" TAIL;

	EXPLAINED(*state, text, BASELINE, "@p0 bra B2\n", "B1:\n", "add.u32 r2, r0, r1\n", "B2:\n",
		"st.shared.u32 [r0], r2\n");
}

static void figure_6_9_b_the_side_that_reads_has_a_copy(void **state)
{
	static const char text[] =
		HEAD XY "setp.eq.u32 %p1, %r0, %r1;\nmov.u32 %r2, 5;\nbar.sync 0;\n"
			"@%p1 bra B;\nadd.u32 %r2, %r0, %r1;\nadd.u32 %r3, %r2, %r2;\n"
			"add.u32 %r3, %r2, %r3;\nst.shared.u32 [%r1], %r3;\n"
			"B:\nst.shared.u32 [%r0], %r2;\n" TAIL;

	EXPLAINED(*state, text, BASELINE, "B1:\n", "add.u32 r2+o1, r0, r1\n",
		"add.u32 o0, o1, o1\n", "add.u32 o0, o1, o0\n", "B2:\n",
		"st.shared.u32 [r0], r2\n");
}

static void figure_6_9_c_both_sides_write_the_entry_that_the_merge_reads(void **state)
{
	static const char text[] = HEAD XY "setp.eq.u32 %p1, %r0, %r1;\nbar.sync 0;\n"
					   "@%p1 bra A;\nadd.u32 %r2, %r0, %r1;\nbra B;\n"
					   "A:\nsub.u32 %r2, %r0, %r1;\n"
					   "B:\nst.shared.u32 [%r0], %r2;\n" TAIL;

	EXPLAINED(*state, text, BASELINE, "registers: 2, live at most: 2",
		"strands: 2, of which 0 deschedule the warp", "B1:\n", "add.u32 o0, r0, r1\n",
		"bra B3\n", "B2:\n", "sub.u32 o0, r0, r1\n", "B3:\n", "st.shared.u32 [r0], o0\n");
}

/* ---- the rest of a line */
static void a_long_latency_makes_the_warp_step_aside(void **state)
{
	static const char text[] = HEAD "ld.global.u32 %r1, [64];\nadd.u32 %r2, %r1, 1;\n"
					"add.u32 %r3, %r2, %r2;\nst.global.u32 [64], %r3;\n" TAIL;

	EXPLAINED(*state, text, "--set rf.entries=3 --set rf.lrf=3",
		"hierarchy: software: 3 ORF entries, an LRF for each operand slot",
		"strand 1: continues\n", "ld.global.u32 r0, [64]\n", "strand 2: is descheduled\n",
		"1    1  add.u32", "2    1  add.u32 o0, ", "st.global.u32 [64], o0\n");
}

static void live_counts_are_those_before_the_instruction(void **state)
{
	static const char text[] = HEAD "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ntid.x;\n"
					"mov.u32 %r3, %ctaid.x;\nmad.lo.s32 %r4, %r3, %r2, %r1;\n"
					"setp.lt.u32 %p1, %r4, 9;\n@%p1 mov.u32 %r5, 1;\n"
					"@!%p1 mov.u32 %r5, 2;\nst.shared.u32 [%r4], %r5;\n" TAIL;

	/* A guarded move keeps what its register held, be it another value's. */
	EXPLAINED(*state, text, ONE_LEVEL, "live at most: 3", " 0    0  mov.u32 r",
		" 1    1  mov.u32 r", " 2    2  mov.u32 r", " 3    3  mad.lo.s32 r",
		" 4    2  setp.lt.u32 p0, ", " 5    2  @p0 mov.u32", " 6    2  @!p0 mov.u32",
		" 7    2  st.shared.u32", " 8    0  ret");
}

static void spills_are_marked_and_counted(void **state)
{
	struct text text = {0};

	text_raw(&text, "%s", HEAD "mov.u32 %r0, %tid.x;\n");
	for (unsigned i = 1; i <= 30; i++)
		text_raw(&text, "ld.shared.u32 %%r%u, [%%r%u];\n", i, i - 1);
	for (unsigned i = 1; i <= 30; i++)
		text_raw(&text, "st.shared.u32 [%u], %%r%u;\n", 4 * i, i);
	text_raw(&text, TAIL);
	EXPLAINED(*state, text_str(&text), ONE_LEVEL "--regs 16", "registers: 16, live at most: 16",
		"spills: ", "st.local.b32 [", "<- spill\n", "ld.local.b32 r", "<- spill\n");
	EXPLAINED(*state, text_str(&text), "", "spills: stores 0, loads 0");
	text_clear(&text);
}

#define LINES \
	".version 7.0\n.target sm_70\n.address_size 32\n.visible .entry k()\n{\n" \
	".reg .b32 %r<4>;\n.loc 1 2 3\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %tid.y;\n" \
	".loc 1 3 3\nadd.u32 %r3, %r1, %r2;\nret;\n}\n.file 1 \"k.cu\"\n"

static void the_line_of_cuda_c_is_beside_its_code(void **state)
{
	put(*state, "k.cu", "void k()\n{ int x = threadIdx.x,\n\ty = x + 1; }\n");
	EXPLAINED(*state, LINES, ONE_LEVEL, "mov.u32 r0, %tid.x",
		"k.cu:2  { int x = threadIdx.x,\n", "mov.u32 r1, %tid.y\n", "add.u32 ",
		"k.cu:3  y = x + 1; }\n");
}

static void a_source_that_is_not_there_is_named_all_the_same(void **state)
{
	EXPLAINED(
		*state, LINES, ONE_LEVEL, "mov.u32 r0, %tid.x", "k.cu:2\n", "add.u32 ", "k.cu:3\n");
}

/* ---- HTML */
static void a_page_needs_nothing_but_itself(void **state)
{
	const struct desk *p = *state;
	char *page, message[400];

	put(p, "k.ptx", partial);
	assert_int_equal(
		desk_run(p, "explain %F/k.ptx " TWO_LEVELS ENTRIES(1) "--html %F/k.html"), 0);
	assert_says(p, "k.html", "<span class=\"m\">r2</span>+<span class=\"o\">o0</span>");
	assert_says(p, "k.html", "prefers-color-scheme:dark");
	assert_says(p, "k.html", "</html>\n");
	page = desk_content(p, "k.html");
	if (markup_wrong(page, message, sizeof(message)))
		fail_msg("%s", message);
	assert_null(strstr(page, "http:"));
	assert_null(strstr(page, "https:"));
	mem_free(page);
	assert_int_equal(desk_run(p, "explain %F/k.ptx --html -"), 0);
	assert_says(p, "out", "<!DOCTYPE html>");
}

/* ---- workloads, questions that are wrong */
static void a_workload_shows_all_its_kernels_or_the_one_that_is_asked_for(void **state)
{
	const struct desk *p = *state;
	char *out;

	assert_int_equal(desk_run(p, "explain backprop"), 0);
	assert_says(p, "out", "kernel backprop_forward (");
	assert_says(p, "out", "kernel backprop_adjust (");
	assert_says(p, "out", "backprop.cu:");
	assert_int_equal(desk_run(p, "explain backprop --kernel backprop_adjust --ptx 64"), 0);
	out = desk_content(p, "out");
	assert_null(strstr(out, "kernel backprop_forward"));
	assert_non_null(strstr(out, "kernel backprop_adjust"));
	mem_free(out);
}

/* Each line of code in the text is the code of an instruction in JSON. */
static void same_code(json_t *kernel, const char *text)
{
	json_int_t spills = 0;
	json_t *row;
	size_t i;

	json_array_foreach(json_object_get(kernel, "code"), i, row)
	{
		assert_non_null(strstr(text, json_text(row, "code")));
		assert_int_equal(json_integer_value(json_object_get(row, "instruction")), i);
		assert_true(json_integer_value(json_object_get(row, "live")) <=
			    json_integer_value(json_object_get(kernel, "max_live_registers")));
		spills += json_is_true(json_object_get(row, "spill"));
	}
	assert_int_equal(json_integer_value(json_object_get(kernel, "instructions")), i);
	assert_int_equal(
		spills, json_integer_value(json_object_get(kernel, "spill_loads")) +
				json_integer_value(json_object_get(kernel, "spill_stores")));
	row = json_array_get(json_object_get(kernel, "blocks"), 0);
	assert_int_equal(json_integer_value(json_object_get(row, "first_instruction")), 0);
}

static void json_has_what_the_text_has(void **state)
{
	const struct desk *d = *state;
	json_int_t spills = 0, reads = 0;
	json_t *j, *kernel, *row;
	size_t i, k;
	char *out;

	assert_int_equal(desk_run(d, "explain cfd --regs 16 --json %F/j"), 0);
	out = desk_content(d, "out");
	j = desk_json(d, "j");
	json_array_foreach(json_object_get(j, "kernels"), k, kernel)
	{
		same_code(kernel, out);
		spills += json_integer_value(json_object_get(kernel, "spill_loads"));
		json_array_foreach(json_object_get(kernel, "levels"), i, row) reads +=
			json_integer_value(json_object_get(row, "reads"));
	}
	assert_true(spills > 0 && reads > 0);
	json_decref(j);
	mem_free(out);
	assert_int_equal(desk_run(d, "explain needle --kernel needle_upper_16 --json -"), 0);
	j = desk_json(d, "out");
	assert_int_equal(json_array_size(json_object_get(j, "kernels")), 1);
	json_decref(j);
	assert_int_equal(desk_run(d, "explain needle --json - --html -"), 2);
	assert_says(d, "err", "only one of --json and --html");
}

static void kernels_have_their_names_in_the_source(void **state)
{
	const struct desk *p = *state;

	put(p, "k.ptx",
		".version 6.0\n.target sm_50\n.address_size 64\n"
		".visible .entry _ZN2ns3addIfLi4EEEvv() { ret; }\n"
		".visible .entry _ZN2ns3addIiLi4EEEvv() { ret; }\n"
		".visible .entry _Z3subv() { ret; }\n");
	assert_int_equal(desk_run(p, "explain %F/k.ptx --kernel ns::add"), 0);
	assert_says(p, "out", "kernel ns::add<float, 4> (_ZN2ns3addIfLi4EEEvv, ");
	assert_says(p, "out", "kernel ns::add<int, 4> (");
	assert_int_equal(desk_run(p, "explain %F/k.ptx --kernel sub"), 0);
	assert_says(p, "out", "kernel sub (");
	assert_int_equal(desk_run(p, "explain %F/k.ptx --kernel su"), 2);
	assert_says(p, "err", "there is 'sub'");
	assert_int_equal(desk_run(p, "occupancy %F/k.ptx --block 32"), 0);
	assert_says(p, "out", "\nns::add<int, 4>: CTAs of 32 threads");
}

/* Of a file where others compile. */
static void a_kernel_that_does_not_compile_says_why(void **state)
{
	static const char why[] = "kernel _Z5newerv: `wgmma.fence.sync.aligned`";
	const struct desk *p = *state;

	put(p, "k.ptx",
		".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry good()\n{ ret; }\n"
		".visible .entry _Z5newerv()\n{ wgmma.fence.sync.aligned; ret; }\n");
	assert_int_equal(desk_run(p, "explain %F/k.ptx"), 4);
	assert_says(p, "out", "kernel good (");
	assert_says(p, "err", why);
	assert_int_equal(desk_run(p, "explain %F/k.ptx --kernel newer"), 4);
	assert_says(p, "err", why);
	assert_int_equal(desk_run(p, "explain %F/k.ptx --kernel good"), 0);
	assert_int_equal(desk_run(p, "occupancy %F/k.ptx --block 32"), 4);
	assert_says(p, "out", "good: CTAs of 32 threads");
	assert_says(p, "err", why);
}

/* So do messages about an instruction. */
static void a_fault_names_the_line_of_cuda_c(void **state)
{
	const struct desk *p = *state;

	put(p, "k.ptx",
		".version 6.0\n.target sm_50\n.address_size 64\n.file 1 \"k.cu\"\n"
		".visible .entry _Z1kPj(.param .u64 a)\n{\n\t.reg .b64 %a;\n\t.reg .b32 %v;\n"
		"\tld.param.u64 %a, [a];\n\t.loc 1 7 3\n\tld.volatile.global.u32 %v, [%a+64];\n"
		"again:\n\tbra again;\n}\n");
	put(p, "s.yaml",
		"buffers:\n  a: { type: u32, data: [1] }\nlaunches:\n"
		"  - { module: k.ptx, kernel: k, grid: 1, block: 1, args: [{buffer: a}] }\n");
	assert_int_equal(desk_run(p, "run %F/s.yaml --quiet"), 6);
	assert_says(p, "err", "kernel 'k': out-of-bounds 4-byte load");
	assert_says(p, "err", "k.ptx:11:2 (k.cu:7); the nearest buffer");
	put(p, "s.yaml",
		"buffers:\n  a: { type: u32, count: 32 }\nlaunches:\n"
		"  - { module: k.ptx, kernel: k, grid: 1, block: 1, args: [{buffer: a}] }\n");
	assert_int_equal(desk_run(p, "run %F/s.yaml --quiet --max-cycles 5000"), 8);
	assert_says(p, "err", "k.ptx:13:2 (bra, k.cu:7) repeats");
}

static void wrong_questions_are_refused(void **state)
{
	const struct desk *p = *state;

	assert_int_equal(desk_run(p, "explain"), 2);
	assert_int_equal(desk_run(p, "explain needel"), 2);
	assert_says(p, "err", "did you mean 'needle'?");
	assert_int_equal(desk_run(p, "explain needle --kernel needle_lower"), 2);
	assert_says(p, "err", "has no kernel 'needle_lower'");
	assert_int_equal(desk_run(p, "explain needle --regs 8"), 2);
	assert_int_equal(desk_run(p, "explain %F/nothing.ptx"), 3);
	put(p, "k.ptx", "nonsense");
	assert_int_equal(desk_run(p, "explain %F/k.ptx"), 3);
	assert_int_equal(desk_run(p, "explain needle --set rf.lrf=2"), 3);
	assert_says(p, "err", "rf.lrf");
}

#define AT_DESK(test) cmocka_unit_test_setup_teardown(test, desk_set_up, desk_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		AT_DESK(figure_6_7_a_value_that_does_not_fit_stays_in_the_mrf),
		AT_DESK(figure_6_7_its_first_reads_come_from_the_orf),
		AT_DESK(figure_6_8_the_first_read_leaves_a_copy),
		AT_DESK(figure_6_9_a_one_side_writes_and_the_merge_reads_the_mrf),
		AT_DESK(figure_6_9_b_the_side_that_reads_has_a_copy),
		AT_DESK(figure_6_9_c_both_sides_write_the_entry_that_the_merge_reads),
		AT_DESK(a_long_latency_makes_the_warp_step_aside),
		AT_DESK(live_counts_are_those_before_the_instruction),
		AT_DESK(spills_are_marked_and_counted),
		AT_DESK(the_line_of_cuda_c_is_beside_its_code),
		AT_DESK(a_source_that_is_not_there_is_named_all_the_same),
		AT_DESK(a_page_needs_nothing_but_itself),
		AT_DESK(a_workload_shows_all_its_kernels_or_the_one_that_is_asked_for),
		AT_DESK(json_has_what_the_text_has),
		AT_DESK(kernels_have_their_names_in_the_source),
		AT_DESK(a_kernel_that_does_not_compile_says_why),
		AT_DESK(a_fault_names_the_line_of_cuda_c),
		AT_DESK(wrong_questions_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
