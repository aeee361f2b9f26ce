/* Unusual PTX of old and new compilers: it compiles and computes what it should. */
#include "tests/rig/exec_rig.h"

static struct rig rig; /* too large for a stack; used by the main thread only */

static int run_text(const char *text)
{
	memset(rig.words, 0, sizeof(rig.words));
	return rig_run(&rig, text, 1, WARP_LANES);
}

static void run(const char *text)
{
	if (run_text(text) != 0)
		fail_msg("%s", rig.what);
}

/* `body` computes %r9, which each lane stores. */
#define STORED(functions, declarations, body) \
	RIG_KERNEL_WITH(functions, declarations, body "st.global.u32 [%rd1], %r9;\nret;\n")

static void expect_all(const char *text, uint32_t value)
{
	run(text);
	for (unsigned lane = 0; lane < WARP_LANES; lane++)
		assert_int_equal(rig.words[lane], value);
}

static void whole_vector_registers_are_operands(void **state)
{
	(void)state;
	expect_all(STORED("", ".reg .v4 .u32 v, w;\n.reg .v2 .u32 u;\n",
			   "mov.v4.u32 v, {1, 2, 3, 4};\nst.global.v4.u32 [%rd0+1024], v;\n"
			   "ld.global.v4.u32 w, [%rd0+1024];\nmov.v2.u32 u, {w.y, w.w};\n"
			   "mov.b64 %rd5, u;\ncvt.u32.u64 %r9, %rd5;\nshr.u64 %rd5, %rd5, 32;\n"
			   "cvt.u32.u64 %r8, %rd5;\nmad.lo.u32 %r9, %r9, 10, %r8;\n"),
		24);
}

static void moves_of_vectors_go_element_by_element(void **state)
{
	(void)state;
	expect_all(
		STORED("", ".reg .u16 a, b, c, d;\n.reg .v4 .u16 q;\n",
			"mov.v4.u16 {a, b, c, d}, {1, 2, 3, 4};\nmov.v4.u16 {a, b, c, d}, {d, c, "
			"b, a};\n"
			"mov.v4.u16 q, {a, b, c, d};\nmov.b64 %rd5, q;\nmov.b64 {%r8, %r9}, %rd5;\n"
			"xor.b32 %r9, %r9, %r8;\n"),
		0x00030004 ^ 0x00010002);
}

static void a_number_is_added_to_a_register_that_is_moved(void **state)
{
	(void)state;
	expect_all(STORED("", "", "mov.u32 %r8, 40;\nmov.u32 %r9, %r8 + 2;\n"), 42);
}

static void a_number_is_added_to_a_register_that_is_read(void **state)
{
	(void)state;
	expect_all(STORED("", "", "mov.u32 %r8, 40;\nadd.u32 %r9, %r8 + 3, %r8 + -1;\n"), 82);
	expect_all(STORED("", ".reg .pred p;\n",
			   "mov.u32 %r8, 40;\nsetp.eq.u32 p, %r8 + (1 + 1), 42;\n"
			   "selp.u32 %r9, %r8 + 1, %r8 + 2, p;\n"),
		41);
	/* of a wider register, the low part; of a byte, no carry out of it */
	expect_all(STORED("", "",
			   "mov.u64 %rd5, 0x7ffffffff;\nst.global.u32 [%rd0+1024], %rd5 + 8;\n"
			   "mov.u32 %r8, 1;\nst.global.u8 [%rd0+1024], %r8 + 255;\n"
			   "ld.global.u32 %r9, [%rd0+1024];\n"),
		0);
	expect_all(STORED("", "",
			   "mov.u64 %rd5, 12;\nst.global.u64 [%rd0+1024], %rd5 + 1;\n"
			   "ld.global.u32 %r9, [%rd0+1024];\n"),
		13);
}

static void modifiers_may_be_in_any_order(void **state)
{
	(void)state;
	expect_all(
		STORED("", "",
			"mov.f32 %f1, 0f40c00000;\nmov.f32 %f2, 0f40000000;\n"
			"div.ftz.rn.f32 %f3, %f1, %f2;\nadd.sat.ftz.rn.f32 %f4, %f1, %f2;\n"
			"fma.ftz.rn.f32 %f3, %f3, %f2, %f4;\nsetp.and.ftz.lt.f32 %p1, %f4, %f3, "
			"%p1;\n"
			"set.and.lt.u32.f32 %r8, %f4, %f3, !%p1;\ncvt.ftz.rzi.u32.f32 %r9, %f3;\n"
			"shfl.idx.sync.b32 %r9, %r9, 0, 31, -1;\nvote.ballot.sync.b32 %r7, %p1, "
			"-1;\n"),
		7);
}

static void cache_policies_change_no_value(void **state)
{
	(void)state;
	expect_all(
		STORED("", ".reg .b64 c, d, e;\n.shared .b32 s[64];\n",
			"createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 c, 0.5;\n"
			"createpolicy.range.L2::evict_first.b64 d, [%rd0+8], 4, 512;\n"
			"createpolicy.cvt.L2.b64 e, 7;\ncreatepolicy.fractional.L2::evict_first.b64 "
			"e;\nst.global.L2::cache_hint.u32 [%rd0+1024], 40, c;\n"
			"cp.async.ca.shared.global.L2::cache_hint [s], [%rd0+1024], 4, d;\n"
			"cp.async.wait_all;\nld.shared.u32 %r8, [s];\n"
			"red.global.L2::cache_hint.max.u32 [%rd0+1024], 41, d;\n"
			"ld.global.nc.L2::cache_hint.L2::128B.u32 %r9, [%rd0+1024], e;\n"
			"add.u32 %r9, %r9, %r8;\n"),
		81);
}

static void old_text_says_the_size_of_addresses_by_its_registers(void **state)
{
	(void)state;
	expect_all(".version 2.2\n.target sm_20\n"
		   ".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a)\n"
		   ".entry k(.param .u64 out)\n{\n.reg .u64 %rd<3>;\n.reg .u32 %r<2>;\n"
		   "ld.param.u64 %rd0, [out];\nmov.u32 %r0, %tid.x;\nmul.wide.u32 %rd1, %r0, 4;\n"
		   "add.u64 %rd1, %rd0, %rd1;\nst.global.u32 [%rd1], 5;\nexit;\n}\n",
		5);
}

static void local_variables_of_a_module_are_each_threads_own(void **state)
{
	(void)state;
	run(STORED(
		".local .align 8 .b8 before[24];\n.local .u32 mine[4];\n"
		".func put(.param .u32 v) { .reg .u32 a; .local .u32 other; ld.param.u32 a, [v];\n"
		"st.local.u32 [other], 99; st.local.u32 [mine+8], a; ret; }\n",
		".local .u32 frame;\n",
		"st.local.u32 [frame], 7;\nst.local.u64 [before+16], 1;\n"
		"{ .param .u32 v; st.param.u32 [v], %r0; call put, (v); }\n"
		"ld.local.u32 %r9, [mine+8];\nld.local.u32 %r8, [frame];\n"
		"mad.lo.u32 %r9, %r9, 10, %r8;\n"));
	for (unsigned lane = 0; lane < WARP_LANES; lane++)
		assert_int_equal(rig.words[lane], 10 * lane + 7);
}

static void a_cluster_of_one_cta_is_none(void **state)
{
	(void)state;
	expect_all(
		".version 8.0\n.target sm_90\n.address_size 64\n"
		".visible .entry k(.param .u64 out) .explicitcluster .reqnctapercluster 1, 1, 1\n"
		"{\n.reg .pred p;\n.reg .u32 r<9>;\n.reg .u64 a<3>;\n"
		"griddepcontrol.wait;\ngriddepcontrol.launch_dependents;\n"
		"mov.u32 r1, %cluster_nctarank;\nmov.u32 r2, %cluster_ctarank;\n"
		"mov.u32 r3, %nclusterid.x;\nmov.pred p, %is_explicit_cluster;\n"
		"mov.u32 r4, %envreg7;\nselp.u32 r5, 10, 0, p;\nadd.u32 r5, r5, r1;\n"
		"add.u32 r5, r5, r2;\nadd.u32 r5, r5, r3;\nadd.u32 r5, r5, r4;\n"
		"ld.param.u64 a1, [out];\nmov.u32 r6, %tid.x;\nmul.wide.u32 a2, r6, 4;\n"
		"add.u64 a1, a1, a2;\nst.global.u32 [a1], r5;\nret;\n}\n",
		12);
}

static void a_failed_assertion_is_reported_with_its_location(void **state)
{
	(void)state;
	assert_int_equal(
		run_text(RIG_KERNEL_WITH(
			".extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, "
			".param .b64 d, .param .b64 e);\n"
			".global .b8 what[6] = {120, 32, 62, 32, 48, 0};\n"
			".global .b8 where[5] = {97, 46, 99, 117, 0};\n.global .b8 who[2] = {107, "
			"0};\n",
			"",
			"setp.ne.u32 %p1, %r0, 3;\n@%p1 bra OUT;\nmov.u64 %rd4, what;\nmov.u64 "
			"%rd5, "
			"where;\nmov.u64 %rd6, who;\n{ .param .b64 a; .param .b64 b; .param .b32 "
			"c; "
			".param .b64 d; .param .b64 e;\nst.param.b64 [a+0], %rd4; st.param.b64 "
			"[b+0], %rd5; "
			"st.param.b32 [c+0], 12; st.param.b64 [d+0], %rd6; st.param.b64 [e+0], 1;\n"
			"call.uni __assertfail, (a, b, c, d, e); }\nOUT:\nret;\n")),
		-1);
	assert_int_equal(rig.fault.kind, FAULT_ASSERT);
	assert_non_null(strstr(rig.what, "failed"));
	assert_non_null(strstr(rig.what, ":12"));
	assert_non_null(strstr(rig.what, "thread (3,0,0) of CTA (0,0,0)"));
}

/* An unsupported texture reference fails the kernels that use it. */
static void a_texture_that_is_not_supported_fails_its_kernel_only(void **state)
{
	static const char text[] =
		".version 2.0\n.target sm_20\n.address_size 64\n.global .texref many[4];\n"
		".global .texref set = { filter_mode = linear };\n.global .texref t;\n"
		".entry a() { ret; }\n"
		".entry b() { .reg .f32 f<4>; tex.1d.v4.f32.f32 {f0, f1, f2, f3}, [set, {f0}]; }\n"
		".entry c() { .reg .v4 .f32 f;\n tex.2d.v4.f32.f32 f, [t, {f.x, f.y, f.z, f.w}]; "
		"}\n";
	struct err err = {0};
	struct module *m;
	jmp_buf escape;

	(void)state;
	rig.arena.escape = &escape;
	if (setjmp(escape))
		fail_msg("no memory");
	m = module_compile("k.ptx", text, sizeof(text) - 1, NULL, &rig.arena, &err);
	assert_non_null(m);
	assert_int_equal(m->nkernels, 2);
	assert_int_equal(err.count, 3); /* both declarations, and the kernel */
	assert_int_equal(err.code, ERR_UNSUPPORTED);
	assert_non_null(strstr(err_text(&err), "k.ptx:8:"));
	err_clear(&err);
	arena_free(&rig.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_vector_registers_are_operands),
		cmocka_unit_test(moves_of_vectors_go_element_by_element),
		cmocka_unit_test(a_number_is_added_to_a_register_that_is_moved),
		cmocka_unit_test(a_number_is_added_to_a_register_that_is_read),
		cmocka_unit_test(modifiers_may_be_in_any_order),
		cmocka_unit_test(cache_policies_change_no_value),
		cmocka_unit_test(old_text_says_the_size_of_addresses_by_its_registers),
		cmocka_unit_test(local_variables_of_a_module_are_each_threads_own),
		cmocka_unit_test(a_cluster_of_one_cta_is_none),
		cmocka_unit_test(a_failed_assertion_is_reported_with_its_location),
		cmocka_unit_test(a_texture_that_is_not_supported_fails_its_kernel_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
