/* Surface accesses and queries on the executor alone. */
#include "tests/rig/texture_rig.h"

static struct rig r;

/* ---- queries. */

static void expect_words(const uint32_t *want)
{
	for (unsigned k = 0; k < 4; k++)
		assert_int_equal(result(&r, 0, k), want[k]);
}

static void queries_return_what_a_texture_is(void **state)
{
	static const uint32_t sizes[] = {7, 5, 3, 1}, others[] = {0x10d2, 0x10b5, 1, 1};
	struct texture t[2] = {at_start(TEXEL_U8, 4, 7, 5, 3), {.kind = OBJECT_SAMPLER}};

	(void)state;
	t[0].as_float = true;
	t[0].sampler.normalised = true;
	t[1].sampler = (struct sampler){.mode = {ADDRESS_MIRROR}, .linear = true};
	assert_int_equal(run_threads(&r,
				 "txq.width.b32 %r10, [%rd3]; txq.height.b32 %r11, [%rd3];\n"
				 "txq.depth.b32 %r12, [%rd3]; txq.filter_mode.b32 %r13, "
				 "[%rd4];",
				 t, 2, 1),
		0);
	expect_words(sizes);
	assert_int_equal(run_threads(&r,
				 "txq.channel_data_type.b32 %r10, [%rd3];\n"
				 "suq.channel_order.b32 %r11, [%rd3];\n"
				 "txq.normalized_coords.b32 %r12, [%rd3];\n"
				 "txq.addr_mode_0.b32 %r13, [%rd4];",
				 t, 2, 1),
		0);
	expect_words(others);
}

/* ---- surfaces. */

static void surface_loads_and_stores_go_by_bytes_and_rows(void **state)
{
	struct texture t = at_start(TEXEL_U8, 4, 8, 4, 1);

	(void)state;
	t.row_bytes = 64;
	memset(r.words, 0, 512);
	r.words[16 * 2 + 3] = 0x11223344;
	for (unsigned i = 0; i < 2; i++) {
		r.words[COORDS / 4 + 4 * i] = 12 + 4 * i;
		r.words[COORDS / 4 + 4 * i + 1] = 2;
	}
	assert_int_equal(
		run_threads(&r,
			"suld.b.2d.b32.trap %r10, [%rd3, {%r4, %r5}];\n"
			".reg .b16 %h<4>; suld.b.2d.v4.b8.trap {%h0, %h1, %h2, %h3}, [%rd3, "
			"{%r4, %r5}];\n"
			"cvt.u32.u16 %r11, %h1; mov.b32 %r12, {%h0, %h3}; mov.u32 %r13, 1;\n"
			"add.u32 %r5, %r5, 1; sust.b.2d.v2.b16.trap [%rd3, {%r4, %r5}], {%h2, "
			"%h3};",
			&t, 1, 2),
		0);
	assert_int_equal(result(&r, 0, 0), 0x11223344);
	assert_int_equal(result(&r, 0, 1), 0x33);
	assert_int_equal(result(&r, 0, 2), 0x00110044);
	assert_int_equal(result(&r, 1, 0), 0);
	assert_int_equal(r.words[16 * 3 + 3], 0x00110022);
}

static void outside_a_surface_traps_clamps_or_is_zero(void **state)
{
	struct texture t = at_start(TEXEL_U32, 1, 4, 2, 1);

	(void)state;
	for (unsigned i = 0; i < 8; i++)
		r.words[i] = 100 + i;
	r.words[8] = 77;
	r.words[COORDS / 4] = 16;
	r.words[COORDS / 4 + 1] = 5;
	assert_int_equal(run_threads(&r,
				 "suld.b.2d.b32.clamp %r10, [%rd3, {%r4, %r5}];\n"
				 "suld.b.2d.b32.zero %r11, [%rd3, {%r4, %r5}];\n"
				 "sust.b.2d.b32.zero [%rd3, {%r4, %r5}], %r4;\n"
				 "mov.u32 %r6, 500; sust.b.2d.b32.clamp [%rd3, {%r4, %r5}], %r6;\n"
				 "mov.u32 %r12, 0; mov.u32 %r13, 0;",
				 &t, 1, 1),
		0);
	assert_int_equal(result(&r, 0, 0), 107);
	assert_int_equal(result(&r, 0, 1), 0);
	assert_int_equal(r.words[7], 500);
	assert_int_equal(r.words[8], 77);
	assert_int_equal(
		run_threads(&r, "suld.b.2d.b32.trap %r10, [%rd3, {%r4, %r5}];", &t, 1, 1), -1);
	assert_int_equal(r.fault.kind, FAULT_OUTSIDE_SURFACE);
	assert_non_null(strstr(r.what, "4-byte access outside a surface, byte 16 of row 5"));
	r.words[COORDS / 4] = 2;
	r.words[COORDS / 4 + 1] = 0;
	assert_int_equal(
		run_threads(&r, "suld.b.2d.b32.trap %r10, [%rd3, {%r4, %r5}];", &t, 1, 1), -1);
	assert_int_equal(r.fault.kind, FAULT_MISALIGNED);
}

static void reductions_on_surfaces_add_up(void **state)
{
	struct texture t = at_start(TEXEL_S32, 1, 4, 1, 2);

	(void)state;
	memset(r.words, 0, 64);
	r.words[5] = 3;
	for (unsigned i = 0; i < THREADS; i++) {
		r.words[COORDS / 4 + 4 * i] = 4;
		r.words[COORDS / 4 + 4 * i + 1] = 1;
		r.words[COORDS / 4 + 4 * i + 3] = 1;
	}
	assert_int_equal(
		run_threads(&r,
			"sured.b.add.a1d.u32.trap [%rd3, {%r7, %r4}], %r0;\n"
			"sub.u32 %r8, 0, %r0; sured.p.min.1d.b32.trap [%rd3, {%r5}], %r8;\n"
			"sured.b.max.3d.s32.zero [%rd3, {%r4, %r4, %r7, %r7}], %r0;\n"
			"mov.u32 %r10, 0; mov.u32 %r11, 0; mov.u32 %r12, 0; mov.u32 %r13, 0;",
			&t, 1, THREADS),
		0);
	assert_int_equal(r.words[5], 3 + 63 * 64 / 2);
	assert_int_equal(r.words[1], (uint32_t)-63);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(queries_return_what_a_texture_is),
		cmocka_unit_test(surface_loads_and_stores_go_by_bytes_and_rows),
		cmocka_unit_test(outside_a_surface_traps_clamps_or_is_zero),
		cmocka_unit_test(reductions_on_surfaces_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
