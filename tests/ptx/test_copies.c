/* Copies to shared memory, barrier objects; faults and messages of these and of matrices. */
#include "tests/rig/matrix_rig.h"

/* ---- copies */
static void check_copy(unsigned bytes, unsigned read)
{
	struct text t = {0};

	for (unsigned i = 0; i < 32 * bytes; i++)
		device(A_AT)[i] = (unsigned char)(i + 1);
	memset(device(D_AT), 0xee, 32 * bytes);
	/* lane l copies piece 31 - l to piece l; the last 16 bytes of device memory's addresses are
	 * not read by lanes that read nothing */
	text_raw(&t,
		"sub.u32 %%r1, 31, %%r0;\nmul.wide.u32 %%rd1, %%r1, %u;\nadd.u64 %%rd1, %%rd1, %%rd0;\n"
		"mov.u32 %%r2, sh;\nmad.lo.u32 %%r3, %%r0, %u, %%r2;\nmov.u32 %%r4, %u;\n"
		"setp.eq.u32 %%p1, %%r0, 5;\n@%%p1 mov.u32 %%r4, 0;\n@%%p1 mov.u64 %%rd1, 64;\n"
		"cp.async.%s.shared.global [%%r3+16], [%%rd1], %u, %%r4;\ncp.async.commit_group;\n"
		"cp.async.wait_group 0;\nbar.warp.sync 0xffffffff;\n"
		"mul.wide.u32 %%rd2, %%r0, %u;\nadd.u64 %%rd2, %%rd2, %%rd0;\n",
		bytes, bytes, read, bytes == 16 ? "cg" : "ca", bytes, bytes);
	for (unsigned i = 0; i < bytes; i += 4)
		text_raw(&t, "ld.shared.b32 %%r5, [%%r3+%u];\nst.global.b32 [%%rd2+%u], %%r5;\n",
			16 + i, D_AT + i);
	run(&t);
	text_clear(&t);
	for (unsigned i = 0; i < 32 * bytes; i++) {
		unsigned lane = i / bytes, at = i % bytes;
		bool copied = at < (read < bytes ? read : bytes) && lane != 5;

		assert_int_equal(device(D_AT)[i],
			copied ? (unsigned char)((31 - lane) * bytes + at + 1) : 0);
	}
}

static void copies_fill_shared_memory_and_the_rest_with_zeros(void **state)
{
	(void)state;
	for (unsigned bytes = 4; bytes <= 16; bytes *= 2)
		for (unsigned read = 0; read <= bytes + 1; read++)
			check_copy(bytes, read);
}

/* ---- barrier objects */

/* After the warp's arrivals, `code`, what each lane finds in %r9. */
static uint32_t after(unsigned count, const char *code)
{
	struct text t = {0};

	text_raw(&t,
		"mul.wide.u32 %%rd1, %%r0, 4;\nadd.u64 %%rd1, %%rd1, %%rd0;\n"
		"setp.eq.u32 %%p1, %%r0, 0;\n@%%p1 mbarrier.init.shared.b64 [sh+8], %u;\n"
		"bar.warp.sync 0xffffffff;\nmov.u32 %%r8, sh;\nmov.u32 %%r9, 0;\n%s"
		"st.global.b32 [%%rd1], %%r9;\n",
		count, code);
	run(&t);
	text_clear(&t);
	for (unsigned lane = 1; lane < WARP_LANES; lane++)
		assert_int_equal(rig.words[lane], rig.words[0]);
	return rig.words[0];
}

#define ARRIVE "mbarrier.arrive.shared.b64 %rd3, [%r8+8];\n"
#define TEST "mbarrier.test_wait.shared.b64 %p2, [sh+8], %rd3;\nselp.u32 %r9, 1, 0, %p2;\n"
#define PARITY(n) \
	"mbarrier.try_wait.parity.shared.b64 %p2, [sh+8], " #n ", 1000;\n" \
	"selp.u32 %r9, 1, 0, %p2;\n"

static void a_phase_ends_with_its_last_arrival(void **state)
{
	(void)state;
	assert_int_equal(after(32, ARRIVE TEST), 1);
	assert_int_equal(after(33, ARRIVE TEST), 0);
	assert_int_equal(after(64, ARRIVE ARRIVE TEST), 1);
	assert_int_equal(after(32, PARITY(0)), 0);
	assert_int_equal(after(32, PARITY(1)), 1);
	assert_int_equal(after(32, ARRIVE PARITY(0)), 1);
	assert_int_equal(after(32, ARRIVE PARITY(1)), 0);
	assert_int_equal(after(32, ARRIVE ARRIVE PARITY(1)), 1);
}

static void arrivals_are_counted(void **state)
{
	static const char three[] =
		"mov.u32 %r10, 3;\nmbarrier.arrive.release.cta.shared::cta.b64 %rd3, "
		"[%r8+8], %r10;\n";
	static const char drop[] = "mbarrier.arrive_drop.shared.b64 _, [%r8+8];\n";
	static const char lacks[] = "mbarrier.arrive.noComplete.shared.b64 %rd3, [%r8+8], 0;\n"
				    "mbarrier.pending_count.b64 %r9, %rd3;\n";
	char code[512];
	(void)state;

	snprintf(code, sizeof(code), "%s%s", three, TEST);
	assert_int_equal(after(96, code), 1);
	assert_int_equal(after(97, code), 0);
	snprintf(code, sizeof(code), "%s%s", three, lacks);
	assert_int_equal(after(100, code), 4);
	/* 40 less 32: the next phase expects 8 */
	snprintf(code, sizeof(code),
		"%s@%%p1 mbarrier.arrive.shared.b64 %%rd3, [%%r8+8], 8;\nbar.warp.sync "
		"0xffffffff;\n%s",
		drop, lacks);
	assert_int_equal(after(40, code), 8);
	assert_int_equal(
		after(32, ARRIVE "cp.async.mbarrier.arrive.noinc.shared.b64 [sh+8];\n" PARITY(1)),
		1);
	assert_int_equal(
		after(32, ARRIVE "cp.async.mbarrier.arrive.shared.b64 [sh+8];\n" PARITY(1)), 0);
}

/* ---- faults and errors */
static void expect_fault(const char *body, const char *says)
{
	assert_int_equal(try_kernel(body), -1);
	if (!strstr(rig.what, says))
		fail_msg("'%s' does not say '%s'", rig.what, says);
}

static void wrong_addresses_are_faults(void **state)
{
	(void)state;
	expect_fault(
		"mov.u32 %r1, sh;\nmov.u64 %rd1, %rd0;\ncp.async.ca.shared.global [%r1+2], [%rd1], 4;\n",
		"misaligned");
	expect_fault("mov.u32 %r1, 4096;\ncp.async.cg.shared.global [%r1], [%rd0], 16;\n",
		"out-of-bounds");
	expect_fault("cp.async.cg.shared.global [sh], [%rd0+65536], 16;\n", "out-of-bounds");
	expect_fault("cp.async.cg.shared.global [sh], [%rd0+8], 16;\n", "misaligned");
	expect_fault("mov.u32 %r1, 8;\nldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [%r1];\n",
		"misaligned");
	expect_fault(
		"mov.u32 %r1, 4096;\nldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r2, %r3, %r4, %r5}, "
		"[%r1];\n",
		"out-of-bounds");
	/* a generic address of global memory */
	expect_fault("ldmatrix.sync.aligned.m8n8.x1.b16 {%r2}, [%rd0];\n", "global");
}

static void expect_error(const char *statement, const char *says)
{
	static const char head[] =
		".version 8.3\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
		".reg .b32 %r<16>;\n.reg .f32 %f<16>;\n.reg .b64 %rd<4>;\n";
	struct compile_options options = {0};
	struct text t = {0};
	struct arena arena = {0};
	struct err err = {0};
	jmp_buf no_memory;

	if (setjmp(no_memory))
		fail();
	arena.escape = &no_memory;
	text_raw(&t, "%s%s\nret;\n}\n", head, statement);
	module_compile("k.ptx", text_str(&t), strlen(text_str(&t)), &options, &arena, &err);
	if (!strstr(err_text(&err), says))
		fail_msg("%s: '%s' does not say '%s'", statement, err_text(&err), says);
	arena_free(&arena);
	text_clear(&t);
	err_clear(&err);
}

static void wrong_operands_are_named(void **state)
{
	(void)state;
	expect_error(
		"cp.async.ca.shared.global [%r1], [%rd1], 5;", "must be the number 4, 8 or 16");
	expect_error("cp.async.cg.shared.global [%r1], [%rd1], 8;", "must be the number 16");
	expect_error(
		"cp.async.ca.shared.global [%r1], [%rd1];", "takes 3 to 4 operands, 2 are given");
	expect_error("cp.async.wait_group %r1;", "0 to 1000");
	expect_error("cp.async.wait_all 1;", "takes no operands");
	expect_error(
		"ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r1}, [%r2];", "2 elements in braces");
	expect_error("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%rd1}, [%r2];",
		"%rd1 is a .b64 register");
	expect_error(
		"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1,%f2,%f3}, {%r1,%r2}, {%r3}, "
		"{%f1,%f2,%f3,%f4};",
		"4 elements in braces");
	expect_error("mma.sync.aligned.m16n8k8.row.row.f32.f16.f16.f32 {%f1}, {%r1}, {%r3}, {%f1};",
		"not supported");
	expect_error("wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r1, %r2}, [%rd1], 16;",
		"8 elements in braces");
	expect_error("wmma.store.d.sync.aligned.row.m16n16k16.global.f16 [%rd1];",
		"takes 2 to 3 operands, 1 is given");
	expect_error("wmma.load.a.sync.aligned.col.m8n8k32.global.s4 {%r1}, [%rd1], 32;",
		"not supported");
	expect_error("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f16 {%f1}, {%r1}, {%r1}, {%r2};",
		"not supported");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(copies_fill_shared_memory_and_the_rest_with_zeros),
		cmocka_unit_test(a_phase_ends_with_its_last_arrival),
		cmocka_unit_test(arrivals_are_counted),
		cmocka_unit_test(wrong_addresses_are_faults),
		cmocka_unit_test(wrong_operands_are_named),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
