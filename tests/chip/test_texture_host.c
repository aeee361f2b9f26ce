/* Textures as the host makes and binds them, and their time in the SM. */
#include "tests/rig/support_gpu.h"

#include "core/base.h"
#include "core/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define ONE_SM "chip.sms=1"
#define HEAD(bits) ".version 3.2\n.target sm_35\n.address_size " #bits "\n"

#define TEX(operand) "tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [" operand ", {%f1, %f2}];\n"

/* Kernels that fetch texel (tid, 1) as %f3 and store it. */
static const struct {
	const char *name, *params, *fetch;
} kernels[] = {
	{"by_name", "", TEX("image")},
	{"by_address", "", "mov.u64 %rd1, image;\n" TEX("%rd1")},
	{"by_value", ", .param .u64 t", "ld.param.u64 %rd1, [t];\n" TEX("%rd1")},
	{"by_param", ", .param .texref t", TEX("t")},
	{"by_old_name", "", TEX("old")},
	{"by_sampler", "", TEX("image, near")},
	{"by_given", "", TEX("image, given")},
	{"by_surface", "", "suld.b.2d.b32.trap %f3, [plane, {%r3, 1}];\n"},
};

static const char declarations[] =
	".global .texref image;\n.visible .global .surfref plane;\n.tex .u32 old;\n"
	".global .samplerref near = { addr_mode_0 = clamp_to_edge, filter_mode = nearest };\n"
	".global .samplerref given;\n.entry none(.param .u32 out)\n{\nret;\n}\n";

static struct text module_text(void)
{
	struct text t = {0};

	text_raw(&t, "%s%s", HEAD(32), declarations);
	for (unsigned i = 0; i < ARRAY_LEN(kernels); i++) {
		text_raw(&t, ".entry %s(.param .u32 out%s)\n{\n.reg .b32 %%r<8>; .reg .b64 ",
			kernels[i].name, kernels[i].params);
		text_raw(&t, "%%rd<4>; .reg .f32 %%f<8>;\nld.param.u32 %%r1, [out]; mov.u32 "
			     "%%r2, %%tid.x; shl.b32 %%r3, %%r2, 2; add.u32 %%r1, %%r1, %%r3;\n");
		text_raw(&t,
			"cvt.rn.f32.u32 %%f1, %%r2; add.f32 %%f1, %%f1, 0.5; mov.f32 %%f2, "
			"1.5;\n%sst.global.f32 [%%r1], %%f3; ret;\n}\n",
			kernels[i].fetch);
	}
	return t;
}

#define SIDE 8u

/* A GPU with a texture of 8 x 8 floats, 10 * y + x, and a buffer for results. */
struct bench {
	struct kit k;
	module_t m;
	buffer_t texels, out;
	texture_t t;
};

static struct texture_desc plain(const struct bench *b)
{
	return (struct texture_desc){.buffer = b->texels,
		.type = TEXEL_F32,
		.channels = 1,
		.width = SIDE,
		.height = SIDE};
}

/* With that PTX; NULL: with the kernels above. */
static struct bench bench_new(const char *settings, const char *ptx)
{
	struct bench b = {.k = kit_new(settings)};
	struct text own = module_text();
	struct texture_desc d;
	float x[SIDE * SIDE];

	b.texels = kit_buffer(&b.k, "texels", 1u << 20);
	b.out = kit_buffer(&b.k, "out", 1u << 16);
	for (unsigned i = 0; i < SIDE * SIDE; i++)
		x[i] = (float)(10 * (i / SIDE) + i % SIDE);
	gpu_write(b.k.gpu, b.texels, 0, x, sizeof(x));
	b.m = kit_module(&b.k, ptx ? ptx : text_str(&own));
	text_clear(&own);
	d = plain(&b);
	b.t = gpu_texture(b.k.gpu, "t", &d, &b.k.err);
	assert_true(b.t != 0);
	return b;
}

static int launch(struct bench *b, const char *kernel, unsigned threads, bool with_texture)
{
	struct launch_arg args[2] = {ARG_BUF(b->out), ARG_TEX(b->t)};
	struct launch l = {.module = b->m,
		.kernel = kernel,
		.grid = {1, 1, 1},
		.block = {threads, 1, 1},
		.args = args,
		.nargs = with_texture ? 2 : 1};

	return gpu_launch(b->k.gpu, &l, &b->k.err);
}

static float out_f32(struct bench *b, unsigned i)
{
	float x;

	gpu_read(b->k.gpu, b->out, 4 * i, &x, sizeof(x));
	return x;
}

static void bind_all(struct bench *b)
{
	static const char *const names[] = {"image", "old", "plane"};
	texture_t s = gpu_sampler(b->k.gpu, "s",
		&(struct sampler_desc){.mode = {ADDRESS_BORDER, ADDRESS_BORDER}}, &b->k.err);

	for (unsigned i = 0; i < ARRAY_LEN(names); i++)
		assert_int_equal(gpu_bind(b->k.gpu, b->m, names[i], b->t, &b->k.err), 0);
	assert_int_equal(gpu_bind(b->k.gpu, b->m, "given", s, &b->k.err), 0);
}

static void a_texture_is_reached_by_name_handle_and_parameter(void **state)
{
	static const struct {
		const char *kernel;
		bool with_texture;
		float ninth;
	} rows[] = {{"by_name", false, 17}, {"by_address", false, 17}, {"by_value", true, 17},
		{"by_param", true, 17}, {"by_old_name", false, 17}, {"by_sampler", false, 17},
		{"by_given", false, 0}};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(rows); i++) {
		struct bench b = bench_new(ONE_SM, NULL);

		bind_all(&b);
		assert_int_equal(launch(&b, rows[i].kernel, 9, rows[i].with_texture), 0);
		kit_run(&b.k);
		for (unsigned t = 0; t < 8; t++)
			assert_true(out_f32(&b, t) == (float)(10 + t));
		assert_true(out_f32(&b, 8) == rows[i].ninth);
		kit_free(&b.k);
	}
}

static void a_surface_is_loaded_by_bytes(void **state)
{
	struct bench b = bench_new(ONE_SM, NULL);

	(void)state;
	bind_all(&b);
	assert_int_equal(launch(&b, "by_surface", 8, false), 0);
	kit_run(&b.k);
	for (unsigned t = 0; t < 8; t++)
		assert_true(out_f32(&b, t) == (float)(10 + t));
	assert_true(kit_metric(&b.k, "smsp__inst_executed_op_surface.sum") == 1);
	assert_true(kit_metric(&b.k, "smsp__inst_executed_pipe_tex.sum") == 0);
	kit_free(&b.k);
}

static void expect_told(struct bench *b, const char *what)
{
	if (b->k.err.count != 1 || !strstr(err_text(&b->k.err), what))
		fail_msg("expected: %s\nfound: %s", what, err_text(&b->k.err));
	err_clear(&b->k.err);
}

static void what_cannot_be_bound_is_reported(void **state)
{
	struct bench b = bench_new(ONE_SM, NULL);

	(void)state;
	assert_int_equal(launch(&b, "by_name", 8, false), -1);
	expect_told(&b, "kernel 'by_name': nothing is bound to its texture reference 'image'");
	assert_int_equal(launch(&b, "none", 8, false), 0);
	assert_int_equal(gpu_bind(b.k.gpu, b.m, "image", b.t, &b.k.err), -1);
	expect_told(
		&b, "reference image cannot be bound while a launch of the module is under way");
	kit_run(&b.k);
	assert_int_equal(gpu_bind(b.k.gpu, b.m, "image", b.t, &b.k.err), 0);
	assert_int_equal(gpu_bind(b.k.gpu, b.m, "near", b.t, &b.k.err), -1);
	expect_told(&b, "reference near is a sampler: a texture cannot be bound");
	assert_int_equal(gpu_bind(b.k.gpu, b.m, "imag", b.t, &b.k.err), -1);
	expect_told(&b, "there is no texture, sampler or surface reference imag; there are: image, "
			"plane, old, near, given");
	assert_int_equal(launch(&b, "by_name", 8, false), 0);
	kit_run(&b.k);
	kit_free(&b.k);
}

/* One change to a good description, and its message. */
static void refused(struct bench *b, const struct texture_desc *d, const char *what)
{
	assert_int_equal(gpu_texture(b->k.gpu, "t", d, &b->k.err), 0);
	expect_told(b, what);
}

static void a_wrong_description_gets_one_message(void **state)
{
	struct bench b = bench_new(ONE_SM, NULL);
	const struct texture_desc good = plain(&b);
	struct texture_desc d = good;

	(void)state;
	d.channels = 3;
	refused(&b, &d, "texture 't': texels of 3 channels, there can be 1, 2 or 4");
	d = good;
	d.as_float = true;
	refused(&b, &d, "only integers of 8 and 16 bits are read as normalised floats");
	d.as_float = false;
	d.srgb = true;
	refused(&b, &d, "only texels of u8 that are read as normalised floats are sRGB");
	d.srgb = false;
	d.as_float = true;
	d = good;
	d.type = TEXEL_U8;
	d.linear = true;
	refused(&b, &d, "linear filtering needs floats");
	d = good;
	d.mode[1] = ADDRESS_WRAP;
	refused(&b, &d, "address modes wrap and mirror need normalised coordinates");
	d = good;
	d.buffer = 0;
	refused(&b, &d, "it has no buffer");
	d = good;
	d.row_bytes = 30;
	refused(&b, &d, "must be multiples of a texel's 4 bytes");
	d.row_bytes = 28;
	refused(&b, &d, "rows of 32 bytes every 28, slices every 224 bytes: they overlap");
	d = good;
	d.height = (1u << 15) + 1;
	refused(&b, &d,
		"8 x 32769 x 1 texels of 4 bytes do not fit into buffer 'texels' of 1048576");
	d.height = 1u << 15;
	assert_true(gpu_texture(b.k.gpu, "t", &d, &b.k.err) != 0);
	d.offset = 4;
	refused(&b, &d, "do not fit");
	d = good;
	d.width = UINT32_MAX;
	refused(&b, &d, "a side can have at most 134217728");
	kit_free(&b.k);
}

/* ---- time. */

#define TIMED(instr) \
	HEAD(32) \
	".global .texref image;\n.entry k(.param .u32 out)\n{\n" \
	".reg .b32 %r<40>; .reg .f32 %f<40>; .reg .pred %p;\n" \
	"ld.param.u32 %r1, [out]; mov.u32 %r2, %tid.x; shl.b32 %r3, %r2, 2;\n" \
	"add.u32 %r1, %r1, %r3; cvt.rn.f32.u32 %f1, %r2; mov.f32 %f2, 0f3F800000;\n" \
	"mov.u32 %r20, 0; mov.u32 %r21, 0;\n" \
	"setp.eq.f32 %p, %f1, 0fBF800000; @%p bra END; setp.eq.f32 %p, %f2, %f1; mov.u32 " \
	"%r6, %clock;\n" instr \
	"mov.u32 %r7, %clock; sub.u32 %r8, %r7, %r6; st.global.u32 [%r1], %r8;\n" \
	"st.global.u32 [%r1+4096], %r20; st.global.u32 [%r1+8192], %r21;\nEND: ret;\n}\n"
#define TEX_TO(r) "tex.2d.v4.u32.f32 {%r" #r ", _, _, _}, [image, {%f1, %f2}];\n"
#define USE(r) "add.u32 %r" #r ", %r" #r ", 1;\n"

static struct bench timed(const char *settings, const char *ptx, unsigned threads, bool linear)
{
	struct bench b = bench_new(settings, ptx);
	struct texture_desc d = plain(&b);

	d.width = 256;
	d.height = 512;
	d.linear = linear;
	d.mode[0] = d.mode[1] = ADDRESS_BORDER;
	b.t = gpu_texture(b.k.gpu, "t", &d, &b.k.err);
	assert_int_equal(gpu_bind(b.k.gpu, b.m, "image", b.t, &b.k.err), 0);
	assert_int_equal(launch(&b, "k", threads, false), 0);
	kit_run(&b.k);
	return b;
}

static uint32_t timed_cycles(const char *settings, const char *ptx, unsigned threads, bool linear)
{
	struct bench b = timed(settings, ptx, threads, linear);
	uint32_t cycles = kit_u32(&b.k, b.out, 0);

	kit_free(&b.k);
	return cycles;
}

static void a_lone_fetch_takes_400_cycles_from_issue_to_use(void **state)
{
	static const char cold[] = TIMED(TEX_TO(20) USE(20));
	static const char warm[] = TIMED(TEX_TO(20) USE(20) TEX_TO(21) USE(21));

	(void)state;
	assert_int_equal(timed_cycles(ONE_SM, cold, 1, false), 2 + 400);
	assert_int_equal(timed_cycles(ONE_SM, cold, 32, false), 2 + 400);
	/* without the pipe's own latency a line of 32 bytes comes three flits earlier than 128 */
	assert_int_equal(timed_cycles(ONE_SM " sm.texture_cycles=20", cold, 32, false), 2 + 400);
	assert_int_equal(timed_cycles(ONE_SM " sm.texture_cycles=20", cold, 1, false), 2 + 397);
	/* the pipe's own latency is that long when the texels are near */
	assert_int_equal(timed_cycles(ONE_SM, warm, 1, false), 2 + 2 * 400 + 1);
	assert_int_equal(
		timed_cycles(ONE_SM " sm.texture_cycles=110", warm, 1, false), 2 + 397 + 110 + 1);
	assert_int_equal(
		timed_cycles(ONE_SM " sm.texture_cycles=10", warm, 1, false), 2 + 397 + 10 + 1);
	assert_int_equal(timed_cycles(ONE_SM " sm.texture_cycles=10 tex.bytes=0", warm, 1, false),
		2 + 400 + 20 + 1);
}

static void four_lanes_enter_the_pipe_each_cycle(void **state)
{
	static const char two[] = TIMED(TEX_TO(20) TEX_TO(21));

	(void)state;
	assert_int_equal(timed_cycles(ONE_SM, two, 32, false), 2 + 8);
	assert_int_equal(timed_cycles(ONE_SM, two, 12, false), 2 + 3);
	assert_int_equal(timed_cycles(ONE_SM, two, 1, false), 2 + 1);
	assert_int_equal(timed_cycles(ONE_SM " sm.texture_lanes=32", two, 32, false), 2 + 1);
}

static void texels_and_sectors_are_counted(void **state)
{
	static const char one[] = TIMED(TEX_TO(20) USE(20));
	struct bench b = timed(ONE_SM, one, 32, false);

	(void)state;
	assert_true(kit_metric(&b.k, "smsp__inst_executed_pipe_tex.sum") == 1);
	assert_true(kit_metric(&b.k, "l1tex__t_texels_pipe_tex.sum") == 32);
	assert_true(kit_metric(&b.k, "l1tex__t_sectors_pipe_tex_mem_texture.sum") == 4);
	assert_true(kit_metric(&b.k, "l1tex__t_lines_tex.sum") == 4);
	kit_free(&b.k);
}

/* As above, with floats: two rows of 32 texels, of the first column only the right ones. */
static void a_filtered_fetch_reads_four_texels_a_lane(void **state)
{
	static const char one[] = TIMED(
		"tex.2d.v4.f32.f32 {%f9, _, _, _}, [image, {%f1, %f2}]; mov.b32 %r20, %f9;\n");
	struct bench b = timed(ONE_SM, one, 32, true);

	(void)state;
	assert_true(kit_metric(&b.k, "l1tex__t_texels_pipe_tex.sum") == 4 * 32 - 2);
	assert_true(kit_metric(&b.k, "l1tex__t_sectors_pipe_tex_mem_texture.sum") == 8);
	assert_true(kit_metric(&b.k, "l1tex__t_lines_tex.sum") == 8);
	kit_free(&b.k);
}

static void a_fetch_from_the_border_alone_takes_the_pipes_time(void **state)
{
	static const char outside[] = TIMED("sub.f32 %f2, %f2, 0f42C80000;\n" TEX_TO(20) USE(20));
	struct bench b = timed(ONE_SM, outside, 32, false);

	(void)state;
	assert_int_equal(kit_u32(&b.k, b.out, 0), 2 + 8 + 400);
	assert_true(kit_metric(&b.k, "l1tex__t_lines_tex.sum") == 0);
	kit_free(&b.k);
}

/* Eight corners whose lines overflow one entry of the queue, with a queue of one. */
static void a_volumes_eight_texels_fit_the_smallest_queue(void **state)
{
	static const char ptx[] = HEAD(
		32) ".global .texref image;\n.entry k(.param .u32 out)\n{\n"
		    ".reg .b32 %r<9>; .reg .f32 %f<9>;\n"
		    "ld.param.u32 %r1, [out]; mov.u32 %r2, %tid.x; shl.b32 %r3, %r2, 2;\n"
		    "add.u32 %r1, %r1, %r3; cvt.rn.f32.u32 %f1, %r2; mul.f32 %f1, %f1, "
		    "0f40C00000;\n"
		    "add.f32 %f1, %f1, 0f40000000; and.b32 %r4, %r2, 15; add.u32 %r4, %r4, 1;\n"
		    "cvt.rn.f32.u32 %f2, %r4; add.f32 %f3, %f2, 0f3F800000;\n"
		    "tex.3d.v4.f32.f32 {%f4, _, _, _}, [image, {%f1, %f2, %f3, %f3}];\n"
		    "tex.3d.v4.f32.f32 {%f5, _, _, _}, [image, {%f2, %f3, %f1, %f3}];\n"
		    "st.global.f32 [%r1], %f4; st.global.f32 [%r1+4096], %f5; ret;\n}\n";
	static const char *const settings[] = {ONE_SM, ONE_SM " sm.lsu_queue=1",
		ONE_SM " sm.lsu_queue=2 sm.lsu_ops=2 tex.mshrs=2"};
	static float x[64 * 64 * 64];

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(x); i++)
		x[i] = (float)(i % 64 + 100 * (i / 64 % 64) + 10000 * (i / 4096));
	for (unsigned s = 0; s < ARRAY_LEN(settings); s++) {
		struct bench b = bench_new(settings[s], ptx);
		struct texture_desc d = plain(&b);

		gpu_write(b.k.gpu, b.texels, 0, x, sizeof(x));
		d.width = d.height = d.depth = 64;
		d.linear = true;
		b.t = gpu_texture(b.k.gpu, "t", &d, &b.k.err);
		assert_int_equal(gpu_bind(b.k.gpu, b.m, "image", b.t, &b.k.err), 0);
		assert_int_equal(launch(&b, "k", 64, false), 0);
		kit_run(&b.k);
		for (unsigned i = 0; i < 8; i++) {
			float fx = (float)(6 * i + 2), fy = (float)(i + 1), fz = fy + 1;

			assert_true(out_f32(&b, i) ==
				    fx - 0.5f + 100 * (fy - 0.5f) + 10000 * (fz - 0.5f));
			assert_true(out_f32(&b, 1024 + i) ==
				    fy - 0.5f + 100 * (fz - 0.5f) + 10000 * (fx - 0.5f));
		}
		assert_true(kit_metric(&b.k, "l1tex__t_texels_pipe_tex.sum") > 2 * 64 * 8 * 0.8);
		kit_free(&b.k);
	}
}

static void a_busy_pipe_owns_the_cycles(void **state)
{
	static const char many[] = TIMED(TEX_TO(20) TEX_TO(21) TEX_TO(22) TEX_TO(23) TEX_TO(24));
	struct bench b = timed(ONE_SM, many, 256, false);

	(void)state;
	assert_in_range((unsigned)kit_metric(&b.k, "sched__cycles_tex_throttle.sum"), 100, 280);
	kit_free(&b.k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_texture_is_reached_by_name_handle_and_parameter),
		cmocka_unit_test(a_surface_is_loaded_by_bytes),
		cmocka_unit_test(what_cannot_be_bound_is_reported),
		cmocka_unit_test(a_wrong_description_gets_one_message),
		cmocka_unit_test(a_lone_fetch_takes_400_cycles_from_issue_to_use),
		cmocka_unit_test(four_lanes_enter_the_pipe_each_cycle),
		cmocka_unit_test(texels_and_sectors_are_counted),
		cmocka_unit_test(a_filtered_fetch_reads_four_texels_a_lane),
		cmocka_unit_test(a_fetch_from_the_border_alone_takes_the_pipes_time),
		cmocka_unit_test(a_volumes_eight_texels_fit_the_smallest_queue),
		cmocka_unit_test(a_busy_pipe_owns_the_cycles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
