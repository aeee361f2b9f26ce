/* The texture cache: hits, misses, evictions, and what is independent of it. */
#include "tests/rig/support_gpu.h"

#include "core/base.h"
#include "core/mem.h"
#include "core/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define ONE_SM "chip.sms=1"
#define NO_L2 " l2.bytes=0"
#define TEXELS 65536u /* words, each its own index */

/* Kernels of (out, n, step, passes): each thread adds up texels 0, step, 2 step ... below n, as
 * often as there are passes; thread t begins at texel t, and its sum goes to out[thread]. */
#define SCAN(name, fetch) \
	".entry " name "(.param .u32 out, .param .u32 n, .param .u32 step, .param .u32 passes)\n{" \
	"\n.reg .b32 %r<20>; .reg .pred %p<2>;\n" \
	"ld.param.u32 %r1, [out]; ld.param.u32 %r2, [n]; ld.param.u32 %r3, [step];\n" \
	"ld.param.u32 %r4, [passes]; mov.u32 %r5, %tid.x; mov.u32 %r6, %ctaid.x;\n" \
	"mov.u32 %r7, %ntid.x; mad.lo.u32 %r8, %r6, %r7, %r5; mov.u32 %r9, 0;\n" \
	"AGAIN: mov.u32 %r10, %r5;\nNEXT: shl.b32 %r11, %r10, 2; " fetch "add.u32 %r9, %r9, " \
	"%r12;\n" \
	"add.u32 %r10, %r10, %r3; setp.lt.u32 %p0, %r10, %r2; @%p0 bra NEXT;\n" \
	"sub.u32 %r4, %r4, 1; setp.ne.u32 %p1, %r4, 0; @%p1 bra AGAIN;\n" \
	"shl.b32 %r8, %r8, 2; add.u32 %r1, %r1, %r8; st.global.u32 [%r1], %r9; ret;\n}\n"
static const char module[] =
	".version 3.2\n.target sm_35\n.address_size 32\n.global .texref image;\n"
	".visible .global .surfref plane;\n" SCAN(
		"scan", "tex.1d.v4.u32.s32 {%r12, _, _, _}, [image, {%r10}];\n")
		SCAN("scan_surface", "suld.b.1d.b32.trap %r12, [plane, {%r11}];\n")
			SCAN("scan_both", "add.u32 %r13, %r1, 131072; add.u32 %r13, %r13, %r11;\n"
					  "ld.global.u32 %r14, [%r13];\n"
					  "tex.1d.v4.u32.s32 {%r12, _, _, _}, [image, {%r10}];\n"
					  "add.u32 %r12, %r12, %r14;\n")
				SCAN("count_up", "suld.b.1d.b32.trap %r12, [plane, {%r11}];\n"
						 "add.u32 %r13, %r12, 1;\n"
						 "sust.b.1d.b32.trap [plane, {%r11}], %r13;\n");

/* A buffer: results in its first half, texels in the second. */
struct bench {
	struct kit k;
	module_t m;
	buffer_t words;
};

static struct bench bench_new(const char *settings, unsigned threads)
{
	struct bench b = {.k = kit_new_host(settings, &(struct chip_host){.threads = threads})};
	struct texture_desc d = {.type = TEXEL_U32, .channels = 1, .width = TEXELS / 2};
	static uint32_t x[TEXELS / 2];
	texture_t t;

	b.words = kit_buffer(&b.k, "words", TEXELS * sizeof(*x));
	for (uint32_t i = 0; i < ARRAY_LEN(x); i++)
		x[i] = i;
	gpu_write(b.k.gpu, b.words, sizeof(x), x, sizeof(x));
	b.m = kit_module(&b.k, module);
	d.buffer = b.words;
	d.offset = sizeof(x);
	t = gpu_texture(b.k.gpu, "t", &d, &b.k.err);
	assert_int_equal(gpu_bind(b.k.gpu, b.m, "image", t, &b.k.err), 0);
	assert_int_equal(gpu_bind(b.k.gpu, b.m, "plane", t, &b.k.err), 0);
	return b;
}

struct scan {
	const char *kernel;
	unsigned ctas, threads;
	uint32_t n, step, passes;
};

static void queue(struct bench *b, struct scan s)
{
	kit_launch(&b->k, b->m, s.kernel, s.ctas, s.threads, 4,
		(uint64_t[]){KIT_BUF(b->words), s.n, s.step, s.passes});
}

static struct bench run(const char *settings, struct scan s)
{
	struct bench b = bench_new(settings, 1);

	queue(&b, s);
	kit_run(&b.k);
	return b;
}

static void expect(struct bench *b, const char *name, double value)
{
	double ours = kit_metric(&b->k, name);

	if (ours != value)
		fail_msg("%s is %g instead of %g", name, ours, value);
}

/* One thread reads one texel of each line of 32 bytes, twice. */
static struct bench twice(const char *settings, unsigned lines)
{
	return run(settings, (struct scan){"scan", 1, 1, 8 * lines, 8, 2});
}

static void what_fits_hits_the_second_time(void **state)
{
	struct bench b = twice(ONE_SM NO_L2, 384);

	(void)state;
	expect(&b, "l1tex__t_lines_tex.sum", 2 * 384);
	expect(&b, "l1tex__t_lines_tex_lookup_hit.sum", 384);
	expect(&b, "l1tex__t_line_tex_hit_rate.pct", 50);
	expect(&b, "dram__bytes_read.sum", 384 * 32);
	assert_int_equal(kit_u32(&b.k, b.words, 0), 2 * 8 * 383 * 384 / 2);
	kit_free(&b.k);
}

/* The 385th line maps to the first set, whose 97 lines evict each other. */
static void one_line_too_many_costs_its_whole_set(void **state)
{
	struct bench b = twice(ONE_SM NO_L2, 385);

	(void)state;
	expect(&b, "l1tex__t_lines_tex_lookup_hit.sum", 385 - 97);
	kit_free(&b.k);
	b = twice(ONE_SM NO_L2 " tex.replacement=fifo tex.bytes=24K", 2 * 384);
	expect(&b, "l1tex__t_lines_tex_lookup_hit.sum", 2 * 384);
	kit_free(&b.k);
}

/* With sets of consecutive lines, those 128 bytes apart use all four sets; with sets of 128 bytes
 * those 512 bytes apart use one. */
static void sets_are_chosen_by_128_bytes(void **state)
{
	static const struct {
		const char *settings;
		unsigned step, hits; /* of 2 * 96 lines read twice */
	} rows[] = {
		{ONE_SM, 32, 2 * 96},
		{ONE_SM, 128, 0},
		{ONE_SM " tex.set_bytes=32", 32, 0},
		{ONE_SM " tex.set_bytes=512", 128, 2 * 96},
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(rows); i++) {
		struct bench b = run(rows[i].settings,
			(struct scan){"scan", 1, 1, 192 * rows[i].step, rows[i].step, 2});

		expect(&b, "l1tex__t_lines_tex_lookup_hit.sum", rows[i].hits);
		kit_free(&b.k);
	}
}

static void lines_can_have_other_lengths(void **state)
{
	static const struct {
		const char *settings;
		unsigned lines, bytes;
	} rows[] = {
		{ONE_SM NO_L2 " tex.line_bytes=16", 256, 16 * 256},
		{ONE_SM NO_L2, 128, 16 * 256},
		{ONE_SM NO_L2 " tex.line_bytes=128", 32, 16 * 256},
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(rows); i++) {
		struct bench b = run(rows[i].settings, (struct scan){"scan", 1, 32, 1024, 32, 1});

		expect(&b, "l1tex__t_lines_tex.sum", rows[i].lines);
		expect(&b, "l1tex__t_lines_tex_lookup_hit.sum", 0);
		expect(&b, "dram__bytes_read.sum", rows[i].bytes);
		kit_free(&b.k);
	}
}

static void fetches_of_one_line_go_to_memory_once(void **state)
{
	struct bench b = run(ONE_SM NO_L2, (struct scan){"scan", 4, 32, 32, 32, 1});

	(void)state;
	expect(&b, "l1tex__t_lines_tex.sum", 4 * 4);
	expect(&b, "l1tex__t_lines_tex_lookup_merged.sum", 3 * 4);
	expect(&b, "dram__bytes_read.sum", 128);
	kit_free(&b.k);
}

static void the_l1_and_the_texture_cache_leave_each_other_alone(void **state)
{
	struct bench b = run(ONE_SM NO_L2, (struct scan){"scan_both", 1, 1, 32 * 16, 8, 1});

	(void)state;
	expect(&b, "l1tex__t_lines_tex.sum", 64);
	expect(&b, "l1tex__t_lines_tex_lookup_hit.sum", 0);
	expect(&b, "l1tex__t_lines_load.sum", 64);
	expect(&b, "l1tex__t_lines_load_lookup_hit.sum", 48);
	expect(&b, "dram__bytes_read.sum", 64 * 32 + 16 * 128);
	kit_free(&b.k);
	b = run(ONE_SM, (struct scan){"scan_surface", 1, 1, 32 * 16, 8, 1});
	expect(&b, "l1tex__t_lines_tex.sum", 0);
	expect(&b, "l1tex__t_lines_load.sum", 64);
	kit_free(&b.k);
}

static void without_it_texels_go_through_the_l1(void **state)
{
	struct bench b = twice(ONE_SM NO_L2 " tex.bytes=0", 400);

	(void)state;
	expect(&b, "l1tex__t_lines_tex.sum", 0);
	expect(&b, "l1tex__t_lines_load.sum", 800);
	expect(&b, "l1tex__t_lines_load_lookup_hit.sum", 700);
	kit_free(&b.k);
}

static void a_new_launch_finds_it_empty_unless_configured_otherwise(void **state)
{
	(void)state;
	for (unsigned keep = 0; keep < 2; keep++) {
		struct bench b = bench_new(keep ? ONE_SM " sm.invalidate_l1=false" : ONE_SM, 1);

		for (unsigned i = 0; i < 2; i++)
			queue(&b, (struct scan){"scan", 1, 1, 8 * 100, 8, 1});
		kit_run(&b.k);
		expect(&b, "l1tex__t_lines_tex_lookup_hit.sum", keep ? 100 : 0);
		kit_free(&b.k);
	}
}

/* Tags alone are cached: even a line that stays in the cache has the new values. */
static void a_fetch_sees_what_a_launch_before_stored(void **state)
{
	static const char *const settings[] = {ONE_SM, ONE_SM " sm.invalidate_l1=false"};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(settings); i++) {
		struct bench b = bench_new(settings[i], 1);

		queue(&b, (struct scan){"scan", 1, 32, 1024, 32, 1});
		queue(&b, (struct scan){"count_up", 1, 32, 1024, 32, 1});
		queue(&b, (struct scan){"scan", 1, 32, 1024, 32, 1});
		kit_run(&b.k);
		for (uint32_t t = 0; t < 32; t++)
			assert_int_equal(kit_u32(&b.k, b.words, t), 32 * t + 32 * 31 * 32 / 2 + 32);
		kit_free(&b.k);
	}
}

static char *everything(const char *settings, unsigned threads)
{
	struct bench b = bench_new(settings, threads);
	struct text all;
	char *copy;
	size_t n;

	queue(&b, (struct scan){"scan", 12, 96, 6000, 7, 2});
	queue(&b, (struct scan){"scan_both", 12, 64, 3000, 13, 1});
	kit_run(&b.k);
	for (uint32_t i = 0; i < 12 * 64; i++) {
		uint32_t sum = 0;

		for (uint32_t at = i % 64; at < 3000; at += 13)
			sum += 2 * at;
		assert_int_equal(kit_u32(&b.k, b.words, i), sum);
	}
	all = kit_everything(&b.k);
	n = strlen(text_str(&all)) + 1;
	copy = mem_grow(NULL, 0, n, 1);
	assert_non_null(copy);
	memcpy(copy, text_str(&all), n);
	text_clear(&all);
	kit_free(&b.k);
	return copy;
}

static void smallest_queues_and_two_threads_give_the_same(void **state)
{
	static const char *const settings[] = {
		"chip.sms=4",
		"chip.sms=4 tex.mshrs=1 tex.merges=1 sm.lsu_queue=1 sm.lsu_ops=2",
		"chip.sms=4 tex.mshrs=3 tex.merges=5 tex.bytes=128 tex.ways=1",
		"chip.network=ideal tex.line_bytes=128 l1.mshrs=1 tex.replacement=random",
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(settings); i++) {
		char *one = everything(settings[i], 1), *two = everything(settings[i], 2);

		assert_string_equal(one, two);
		mem_free(one);
		mem_free(two);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_fits_hits_the_second_time),
		cmocka_unit_test(one_line_too_many_costs_its_whole_set),
		cmocka_unit_test(sets_are_chosen_by_128_bytes),
		cmocka_unit_test(lines_can_have_other_lengths),
		cmocka_unit_test(fetches_of_one_line_go_to_memory_once),
		cmocka_unit_test(the_l1_and_the_texture_cache_leave_each_other_alone),
		cmocka_unit_test(without_it_texels_go_through_the_l1),
		cmocka_unit_test(a_new_launch_finds_it_empty_unless_configured_otherwise),
		cmocka_unit_test(a_fetch_sees_what_a_launch_before_stored),
		cmocka_unit_test(smallest_queues_and_two_threads_give_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
