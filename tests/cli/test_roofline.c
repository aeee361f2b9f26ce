/* warpbeam profile: arithmetic operations and bytes of kernels are those counted by hand. */
#include "tests/rig/profile_rig.h"
#include "tests/rig/support_cli.h"

#include "cli/traffic/roofline.h"

/* Of a thread of warp 0, and of one whose predicate holds (%p1: the lower 20 of a CTA). */
static const char mixed[] = HEAD "setp.lt.u32 %p1, %r4, 20;\n"
				 ".reg .f32 %f<4>; .reg .f64 %d<4>; .reg .b32 %h<4>;\n"
				 "mov.f32 %f1, 0f3f800000; mov.f64 %d1, 0d3ff0000000000000;\n"
				 "mov.b32 %h1, 0x3c003c00;\n"
				 "fma.rn.f32 %f2, %f1, %f1, %f1;\n"
				 "@%p1 add.f32 %f2, %f2, %f1;\n"
				 "min.f32 %f2, %f2, %f1;\n"
				 "@%p1 fma.rn.f64 %d2, %d1, %d1, %d1;\n"
				 "mul.f64 %d2, %d2, %d1;\n"
				 "fma.rn.f16x2 %h2, %h1, %h1, %h1;\n"
				 "@!%p1 add.s32 %r10, %r4, 1;\n"
				 "xor.b32 %r10, %r10, %r4;\n"
				 "add.u32 %r15, %tid.x, 1;\n" /* a read and a sum */
				 "add.u32 %r11, %r1, %r8;\n"
				 ".shared .align 8 .b8 kept[384];\n"
				 "shl.b32 %r12, %r1, 3;\nmov.u32 %r13, kept;\n"
				 "@%p1 st.shared.v2.f32 [%r13], {%f2, %f2};\n"
				 "ld.shared.u8 %r14, [%r13];\n"
				 "st.global.f32 [%r11], %f2;\n" TAIL;
#define CTAS 3u
#define THREADS 48u /* a warp and a half */
#define HOLDS 20u   /* of a CTA's */

static void operations_are_those_counted_by_hand(void **state)
{
	struct rig r;
	struct traffic t = {0};
	struct roofline of, all;
	(void)state;

	rig_new(&r, ONE_SM, 1);
	rig_launch(&r, kit_module(&r.kit, mixed), CTAS, THREADS);
	kit_run(&r.kit);
	rig_sum(&r);
	t.sum = r.sum;
	of = traffic_roofline(&t, 0);
	all = traffic_roofline(&t, r.sum.nkernels);
	assert_int_equal(of.operations[PRECISION_F16], 4 * CTAS * THREADS);
	assert_int_equal(of.operations[PRECISION_F32], CTAS * (2 * THREADS + HOLDS));
	assert_int_equal(of.operations[PRECISION_F64], CTAS * (THREADS + 2 * HOLDS));
	/* the head's mad and two shifts; xor, two adds, a shift; the one for the others */
	assert_int_equal(
		of.operations[PRECISION_INT], CTAS * ((4 + 4) * THREADS + THREADS - HOLDS));
	assert_int_equal(of.bytes[ROOFLINE_SHARED], CTAS * (8 * HOLDS + THREADS));
	assert_int_equal(of.bytes[ROOFLINE_L1], CTAS * THREADS * 4);
	assert_memory_equal(&of, &all, sizeof(of));
	assert_int_equal(
		kit_metric(&r.kit, "smsp__operations_f16.sum"), of.operations[PRECISION_F16]);
	assert_int_equal(
		kit_metric(&r.kit, "smsp__operations_f32.sum"), of.operations[PRECISION_F32]);
	assert_int_equal(
		kit_metric(&r.kit, "smsp__operations_f64.sum"), of.operations[PRECISION_F64]);
	assert_int_equal(
		kit_metric(&r.kit, "smsp__operations_int.sum"), of.operations[PRECISION_INT]);
	assert_int_equal(kit_metric(&r.kit, "smsp__bytes_shared.sum"), of.bytes[ROOFLINE_SHARED]);
	assert_int_equal(kit_metric(&r.kit, "l1tex__granule_bytes.sum"), of.bytes[ROOFLINE_L1]);
	assert_int_equal(
		kit_metric(&r.kit, "l1tex__m_granule_bytes_sent.sum"), of.bytes[ROOFLINE_L2]);
	rig_free(&r);
}

/* The first ten threads of a CTA go round a loop once, twice, .. ten times; the others do not. All
 * load four words, store two and change one of global and one of shared memory. */
static const char parted[] = HEAD ".reg .f32 %f<8>; .reg .f64 %d<4>; .reg .b32 %h<4>;\n"
				  ".shared .align 4 .b8 kept[4];\n"
				  "mov.f32 %f1, 0f3f800000; mov.f64 %d1, 0d3ff0000000000000;\n"
				  "mov.b32 %h1, 0x3c003c00; mov.b32 %r10, 0; mov.u32 %r14, kept;\n"
				  "setp.lt.u32 %p1, %r4, 10;\n@!%p1 bra OTHERS;\n"
				  "AGAIN: fma.rn.f16x2 %h1, %h1, %h1, %h1;\n"
				  "add.s32 %r10, %r10, 1;\n"
				  "setp.le.u32 %p2, %r10, %r4;\n@%p2 bra AGAIN;\n"
				  "bra.uni ALL;\n"
				  "OTHERS: fma.rn.f64 %d1, %d1, %d1, %d1;\n"
				  "sub.f32 %f1, %f1, %f1;\n"
				  "ALL: shl.b32 %r11, %r4, 4;\n"
				  "add.u32 %r12, %r1, %r11;\nadd.u32 %r13, %r2, %r11;\n"
				  "ld.global.v4.f32 {%f2, %f3, %f4, %f5}, [%r12];\n"
				  "st.global.v2.f64 [%r13], {%d1, %d1};\n"
				  "add.u32 %r13, %r3, %r8;\n"
				  "red.global.add.u32 [%r13], %r10;\n"
				  "atom.shared.add.u32 %r15, [%r14], %r10;\n" TAIL;
#define IN_LOOP 10u

static void divergent_paths_and_vectors_are_counted_by_thread(void **state)
{
	struct rig r;
	struct traffic t = {0};
	struct roofline of;
	(void)state;

	rig_new(&r, ONE_SM, 1);
	rig_launch(&r, kit_module(&r.kit, parted), CTAS, THREADS);
	kit_run(&r.kit);
	rig_sum(&r);
	t.sum = r.sum;
	of = traffic_roofline(&t, 0);
	assert_int_equal(of.operations[PRECISION_F16], CTAS * 4 * (IN_LOOP * (IN_LOOP + 1) / 2));
	assert_int_equal(of.operations[PRECISION_F32], CTAS * (THREADS - IN_LOOP));
	assert_int_equal(of.operations[PRECISION_F64], CTAS * 2 * (THREADS - IN_LOOP));
	/* the head's mad and two shifts; a shift and three adds; the loop's adds */
	assert_int_equal(of.operations[PRECISION_INT],
		CTAS * ((4 + 4) * THREADS + IN_LOOP * (IN_LOOP + 1) / 2));
	assert_int_equal(of.bytes[ROOFLINE_SHARED], CTAS * THREADS * 4);
	assert_int_equal(of.bytes[ROOFLINE_L1], CTAS * THREADS * (16 + 16 + 4));
	/* CTAs load the same bytes: those in the L1 are not asked for */
	assert_int_equal(of.bytes[ROOFLINE_L2], THREADS * 16 + CTAS * THREADS * (16 + 4));
	/* the L2 reads the five lines, 576 bytes of them, that atomics change; stores read none */
	assert_int_equal(of.bytes[ROOFLINE_DRAM], THREADS * 16 + 5 * 128);
	rig_free(&r);
}

static void counts_are_of_opcodes(void **state)
{
	static const struct {
		const char *opcode;
		unsigned n;
		enum precision precision;
	} of[] = {
		{"add.rn.ftz.f32", 1, PRECISION_F32},
		{"fma.rn.bf16x2", 4, PRECISION_F16},
		{"mad.rn.f32", 2, PRECISION_F32},
		{"mad.wide.u32", 2, PRECISION_INT},
		{"dp4a.u32.s32", 8, PRECISION_INT},
		{"rsqrt.approx.f64", 1, PRECISION_F64},
		{"fma.rn.f32x2", 4, PRECISION_F32},
	};
	static const char *const none[] = {"mov.f32", "cvt.f32.s32", "setp.lt.f32", "ld.global.f32",
		"addition.f32", "bra", "", "atom.global.add.f32"};
	enum precision precision = PRECISION_COUNT;
	(void)state;

	for (unsigned i = 0; i < ARRAY_LEN(none); i++)
		assert_int_equal(opcode_operations(none[i], &precision), 0);
	assert_int_equal(opcode_operations(NULL, &precision), 0);
	assert_int_equal(precision, PRECISION_COUNT);
	for (unsigned i = 0; i < ARRAY_LEN(of); i++) {
		assert_int_equal(opcode_operations(of[i].opcode, &precision), of[i].n);
		assert_int_equal(precision, of[i].precision);
	}
}

/* Of the whole and of each launch, whatever is executed without time. */
static void without_time_operations_are_those_of_the_run(void **state)
{
	static const char *const works[] = {"bfs", "nbody", "scalarprod"};
	static const char *const precisions[] = {"f16", "f32", "f64", "int"};
	const struct desk *d = *state;

	for (unsigned w = 0; w < ARRAY_LEN(works); w++) {
		char command[96], metric[40];
		json_t *run, *exec, *counts, *launches, *l;
		size_t i;

		snprintf(command, sizeof(command), "run %s --quiet --json %%F/r", works[w]);
		assert_int_equal(desk_run(d, command), 0);
		snprintf(command, sizeof(command), "exec %s --quiet --json %%F/e", works[w]);
		assert_int_equal(desk_run(d, command), 0);
		run = desk_json(d, "r");
		exec = desk_json(d, "e");
		counts = json_object_get(exec, "counts");
		launches = json_object_get(exec, "launches");
		assert_int_equal(json_array_size(launches),
			json_array_size(json_object_get(run, "launches")));
		for (unsigned p = 0; p < ARRAY_LEN(precisions); p++) {
			json_int_t sum = 0;

			snprintf(metric, sizeof(metric), "smsp__operations_%s.sum", precisions[p]);
			json_array_foreach(launches, i, l) sum += json_integer_value(
				json_object_get(json_object_get(l, "operations"), precisions[p]));
			assert_int_equal(sum, json_metric(run, metric));
			assert_int_equal(
				json_integer_value(json_object_get(
					json_object_get(counts, "operations"), precisions[p])),
				sum);
		}
		assert_int_equal(json_integer_value(json_object_get(
					 json_object_get(counts, "work"), "shared_bytes")),
			json_metric(run, "smsp__bytes_shared.sum"));
		json_decref(run);
		json_decref(exec);
	}
	assert_int_equal(desk_run(d, "exec bfs"), 0);
	assert_says(d, "out", "\n     1 bfs_advance ");
	assert_says(d, "out", "and 6 more launches");
}

/* With atomics, and where the L1 fetches more than loads ask for. */
static void bytes_of_a_profile_are_those_of_the_run(void **state)
{
	static const char *const works[] = {
		"bfs --set l1.whole_line=true", "%S/../advice/atomics_faulty.yaml"};
	const struct desk *d = *state;

	for (unsigned w = 0; w < ARRAY_LEN(works); w++) {
		char command[128];
		json_t *run, *profile, *rows, *all = NULL, *row;
		size_t i;

		snprintf(command, sizeof(command), "run %s --quiet --json %%F/r", works[w]);
		assert_int_equal(desk_run(d, command), 0);
		snprintf(command, sizeof(command), "profile %s --quiet --json %%F/p", works[w]);
		assert_int_equal(desk_run(d, command), 0);
		run = desk_json(d, "r");
		profile = desk_json(d, "p");
		rows = json_object_get(json_object_get(profile, "profile"), "roofline");
		json_array_foreach(rows, i, row)
		{
			if (json_is_null(json_object_get(row, "kernel")))
				all = row;
		}
		assert_int_equal(json_integer_value(json_object_get(all, "l1_bytes")),
			json_metric(run, "l1tex__granule_bytes.sum"));
		assert_int_equal(json_integer_value(json_object_get(all, "l2_bytes")),
			json_metric(run, "l1tex__m_granule_bytes_sent.sum"));
		json_decref(run);
		json_decref(profile);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(operations_are_those_counted_by_hand),
		cmocka_unit_test(divergent_paths_and_vectors_are_counted_by_thread),
		cmocka_unit_test_setup_teardown(
			bytes_of_a_profile_are_those_of_the_run, desk_set_up, desk_tear_down),
		cmocka_unit_test(counts_are_of_opcodes),
		cmocka_unit_test_setup_teardown(
			without_time_operations_are_those_of_the_run, desk_set_up, desk_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
