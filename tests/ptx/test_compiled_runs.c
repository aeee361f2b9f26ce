/* Compiled kernels executed without time: calls compute the right results, and both allocators give
 * the same memory for random divergent kernels. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/base.h"
#include "core/rng.h"
#include "core/text.h"
#include "ptx/exec/exec.h"

#define HEAD ".version 7.0\n.target sm_70\n.address_size 64\n"
#define MEMORY_BYTES 65536u

/* ---- a flat device memory. */

struct flat {
	unsigned char bytes[MEMORY_BYTES];
};

static int flat_find(const struct access *a, unsigned lane, uint64_t *at)
{
	*at = a->addr[lane] - GENERIC_GLOBAL_BASE;
	return *at + a->bytes > MEMORY_BYTES ? (int)lane + 1 : 0;
}

static int flat_load(void *ctx, const struct access *a, unsigned char *data)
{
	const struct flat *m = ctx;
	uint64_t at;

	for (unsigned lane = 0; lane < WARP_LANES; lane++) {
		if (!(a->mask >> lane & 1))
			continue;
		if (flat_find(a, lane, &at))
			return (int)lane + 1;
		memcpy(data + lane * a->bytes, m->bytes + at, a->bytes);
	}
	return 0;
}

static int flat_store(void *ctx, const struct access *a, const unsigned char *data)
{
	struct flat *m = ctx;
	uint64_t at;

	for (unsigned lane = 0; lane < WARP_LANES; lane++) {
		if (!(a->mask >> lane & 1))
			continue;
		if (flat_find(a, lane, &at))
			return (int)lane + 1;
		memcpy(m->bytes + at, data + lane * a->bytes, a->bytes);
	}
	return 0;
}

/* Compiles and runs the first kernel with one warp; its parameter is the memory's address. */
static void run(const char *text, const char *allocator, struct flat *memory)
{
	const struct compile_options options = {.allocator = allocator};
	const struct exec_memory ops = {.ctx = memory, .load = flat_load, .store = flat_store};
	const struct untimed_limits limits = {.warp_instructions = 1000000};
	uint64_t base = GENERIC_GLOBAL_BASE;
	struct untimed_counts counts = {0};
	struct fault fault = {0};
	struct err err = {0};
	struct arena arena = {0};
	struct module *m;
	struct grid grid = {
		.grid = {1, 1, 1}, .block = {32, 1, 1}, .params = (unsigned char *)&base};
	jmp_buf escape;
	char why[256] = "limit";

	arena.escape = &escape;
	if (setjmp(escape))
		fail_msg("no memory");
	m = module_compile("k.ptx", text, strlen(text), &options, &arena, &err);
	if (err.count)
		fail_msg("%s\n%s", err_text(&err), text);
	grid.program = m->kernels[0];
	if (untimed_run(&grid, 0, 1, lanes_select("baseline", &err), &ops, &limits, &counts, &fault,
		    &err)) {
		if (fault.kind != FAULT_NONE)
			fault_describe(&fault, grid.program, why, sizeof(why));
		fail_msg("%s %s\n%s", why, err_text(&err), text);
	}
	arena_free(&arena);
	err_clear(&err);
}

static int32_t word(const struct flat *m, unsigned index)
{
	int32_t v;

	memcpy(&v, m->bytes + 4 * (size_t)index, 4);
	return v;
}

static const char *const allocators[] = {"linear", "colour"};

#define KERNEL_BEGIN \
	".entry k(.param .u64 out)\n{\n.reg .pred %p<10>;\n.reg .b32 %r<40>;\n.reg .b64 " \
	"%rd<20>;\n" \
	"ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\n" \
	"add.u64 %rd2, %rd1, %rd2;\n"
#define KERNEL_END "st.global.u32 [%rd2], %r2;\nret;\n}\n"

/* Runs with both allocators; lane i must store expected(i). */
static void check_lanes(const char *text, int32_t (*expected)(int32_t))
{
	for (unsigned k = 0; k < ARRAY_LEN(allocators); k++) {
		static const struct flat empty;
		struct flat m = empty;

		run(text, allocators[k], &m);
		for (int32_t lane = 0; lane < 32; lane++)
			assert_int_equal(word(&m, (unsigned)lane), expected(lane));
	}
}

static int32_t difference(int32_t i)
{
	return 100 - i + (50 - 2 * i);
}

static void arguments_arrive_in_order_and_results_come_back(void **state)
{
	(void)state;
	check_lanes(HEAD
		".func (.param .b32 z) minus(.param .b32 a, .param .b32 b)\n{\n.reg .b32 %r<4>;\n"
		"ld.param.u32 %r2, [b];\nld.param.u32 %r1, [a];\nsub.u32 %r3, %r1, %r2;\n"
		"st.param.b32 [z], %r3;\nret;\n}\n" KERNEL_BEGIN "shl.b32 %r3, %r1, 1;\n"
		"{\n.param .b32 p0;\n.param .b32 p1;\n.param .b32 z;\nst.param.b32 [p0], 100;\n"
		"st.param.b32 [p1], %r1;\ncall.uni (z), minus, (p0, p1);\nld.param.b32 %r4, "
		"[z];\n}\n"
		"{\n.param .b32 p0;\n.param .b32 p1;\n.param .b32 z;\nst.param.b32 [p0], 50;\n"
		"st.param.b32 [p1], %r3;\ncall.uni (z), minus, (p0, p1);\nld.param.b32 %r5, "
		"[z];\n}\n"
		"add.u32 %r2, %r4, %r5;\n" KERNEL_END,
		difference);
}

static int32_t nested(int32_t i)
{
	return i < 10 ? 3 * i + 1 : 7 * i;
}

static void lanes_return_from_nested_calls_at_their_own_time(void **state)
{
	(void)state;
	check_lanes(HEAD ".func (.reg .u32 z) times(.reg .u32 a, .reg .u32 b)\n{\nmul.lo.u32 z, a, "
			 "b;\nret;\n}\n"
			 ".func (.reg .u32 z) pick(.reg .u32 a)\n{\n.reg .pred %p;\n"
			 "setp.lt.u32 %p, a, 10;\n@%p bra LOW;\ncall (z), times, (a, 7);\nret;\n"
			 "LOW:\ncall (z), times, (a, 3);\nadd.u32 z, z, 1;\n}\n" KERNEL_BEGIN
			 "call (%r2), pick, (%r1);\n" KERNEL_END,
		nested);
}

static int32_t by_memory(int32_t i)
{
	return i % 2 ? i + 5 : 2 * i;
}

#define SWAP \
	".func (.param .align 4 .b8 z[8]) swap(.param .align 4 .b8 a[8], .param .b32 i)\n{\n" \
	".reg .b32 %r<9>;\n.reg .b64 %rd<9>;\nmov.u64 %rd1, a;\nld.param.u32 %r1, [i];\n" \
	"mul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd1, %rd1, %rd2;\nld.param.u32 %r2, [%rd1];\n" \
	"st.param.u32 [z], 99;\nst.param.u32 [z+4], %r2;\nret;\n}\n"
#define CALL_SWAP \
	"{\n.param .align 4 .b8 p[8];\n.param .b32 q;\n.param .align 4 .b8 z[8];\n" \
	"st.param.b32 [p], %r3;\nst.param.b32 [p+4], %r4;\nst.param.b32 [q], %r5;\n" \
	"call (z), swap, (p, q);\nld.param.b32 %r2, [z+4];\n}\n"

static void a_structure_goes_through_stack_frames(void **state)
{
	(void)state;
	check_lanes(HEAD SWAP KERNEL_BEGIN
		"add.u32 %r3, %r1, 5;\nadd.u32 %r4, %r1, %r1;\n"
		"and.b32 %r5, %r1, 1;\nxor.b32 %r5, %r5, 1;\n" CALL_SWAP KERNEL_END,
		by_memory);
}

static int32_t guarded(int32_t i)
{
	return i < 16 ? 11 * i : -1;
}

static void a_guarded_call_leaves_the_other_lanes_alone(void **state)
{
	(void)state;
	check_lanes(HEAD ".func (.reg .u32 z) times(.reg .u32 a, .reg .u32 b)\n{\nmul.lo.u32 z, a, "
			 "b;\nret;\n}\n" KERNEL_BEGIN
			 "mov.u32 %r2, -1;\nsetp.lt.u32 %p1, %r1, 16;\n"
			 "@%p1 call (%r2), times, (%r1, 11);\n" KERNEL_END,
		guarded);
}

/* ---- random kernels that terminate: loops count down, jumps go forward. */

struct writer {
	struct rng rng;
	struct text text;
	unsigned labels, depth, statements;
};

static unsigned pick(struct writer *w, unsigned n)
{
	return rng_below(&w->rng, n);
}

static void random_plain(struct writer *w)
{
	unsigned a = 2 + pick(w, 18), b = 1 + pick(w, 19), c = 1 + pick(w, 19), x = 3 + pick(w, 9);
	unsigned y = 3 + pick(w, 9), p = pick(w, 6);
	struct text *t = &w->text;

	if (pick(w, 4) == 0)
		text_raw(t, "@%s%%p%u ", pick(w, 2) ? "!" : "", pick(w, 6));
	switch (pick(w, 10)) {
	case 0:
		text_raw(t, "mov.u32 %%r%u, %%r%u;\n", a, b);
		break;
	case 1:
		text_raw(t, "mov.u64 %%rd%u, %%rd%u;\n", x, y);
		break;
	case 2:
		text_raw(t, "mad.wide.u32 %%rd%u, %%r%u, %%r%u, %%rd%u;\n", x, b, c, y);
		break;
	case 3:
		text_raw(t, "cvt.u32.u64 %%r%u, %%rd%u;\n", a, x);
		break;
	case 4:
		text_raw(t, "mov.b64 %%rd%u, {%%r%u, %%r%u};\n", x, b, c);
		break;
	case 5:
		text_raw(t, "mov.b64 {%%r%u, %%r%u}, %%rd%u;\n", a, 2 + (a - 1) % 18, x);
		break;
	case 6:
		text_raw(t, "setp.lt.s32 %%p%u|%%p%u, %%r%u, %%r%u;\n", p % 3, 3 + p / 2, b, c);
		break;
	case 7:
		text_raw(t, "selp.b64 %%rd%u, %%rd%u, %%rd%u, %%p%u;\n", x, y, 3 + b % 9, p);
		break;
	case 8:
		text_raw(t, "vote.sync.ballot.b32 %%r%u, !%%p%u, -1;\n", a, p);
		break;
	default:
		text_raw(t, "mad.lo.u32 %%r%u, %%r%u, %%r%u, %%r%u;\n", a, b, c, a);
		break;
	}
}

static void random_block(struct writer *w);

static void random_shape(struct writer *w)
{
	unsigned label = w->labels, counter = 30 + w->depth;

	w->labels += 2;
	switch (pick(w, 3)) {
	case 0:
		text_raw(&w->text, "@%%p%u bra L%u;\n", pick(w, 6), label);
		random_block(w);
		text_raw(&w->text, "bra L%u;\nL%u:\n", label + 1, label);
		random_block(w);
		text_raw(&w->text, "L%u:\n", label + 1);
		break;
	case 1: /* each lane has its own trip count */
		text_raw(&w->text, "and.b32 %%r%u, %%r%u, 3;\nL%u:\n", counter, 1 + pick(w, 19),
			label);
		random_block(w);
		text_raw(&w->text,
			"setp.gt.s32 %%p9, %%r%u, 0;\nsub.s32 %%r%u, %%r%u, 1;\n@%%p9 bra L%u;\n",
			counter, counter, counter, label);
		break;
	default: /* a jump over part of an arm */
		text_raw(&w->text, "@%%p%u bra L%u;\n", pick(w, 6), label);
		random_plain(w);
		text_raw(&w->text, "@%%p%u bra L%u;\n", pick(w, 6), label + 1);
		random_block(w);
		text_raw(&w->text, "L%u:\n", label);
		random_plain(w);
		text_raw(&w->text, "L%u:\n", label + 1);
		break;
	}
}

static void random_block(struct writer *w)
{
	unsigned n = 1 + pick(w, 6);

	w->depth++;
	for (unsigned k = 0; k < n && w->statements < 150; k++) {
		w->statements++;
		if (w->depth < 5 && pick(w, 4) == 0)
			random_shape(w);
		else
			random_plain(w);
	}
	w->depth--;
}

static void random_kernel(struct writer *w)
{
	text_raw(&w->text, "%s%s", HEAD, KERNEL_BEGIN);
	for (unsigned k = 2; k < 20; k++)
		text_raw(&w->text, "mad.lo.u32 %%r%u, %%r1, %u, %u;\n", k, 2654435761u * k,
			40503u * k);
	for (unsigned k = 3; k < 12; k++)
		text_raw(&w->text, "mul.wide.u32 %%rd%u, %%r%u, %%r%u;\n", k, k, k + 5);
	for (unsigned k = 0; k < 6; k++)
		text_raw(&w->text, "setp.lt.s32 %%p%u, %%r%u, %%r%u;\n", k, k + 2, k + 7);
	for (unsigned k = 0; k < 3; k++)
		random_block(w);
	for (unsigned k = 2; k < 20; k++)
		text_raw(&w->text, "st.global.u32 [%%rd2+%u], %%r%u;\n", 128 * k, k);
	for (unsigned k = 3; k < 12; k++)
		text_raw(&w->text, "cvt.u32.u64 %%r2, %%rd%u;\nst.global.u32 [%%rd2+%u], %%r2;\n",
			k, 128 * (k + 20));
	text_raw(&w->text, "%s", KERNEL_END);
}

static void allocators_give_the_same_memory(void **state)
{
	static struct flat memory[2];

	(void)state;
	for (unsigned seed = 0; seed < 150; seed++) {
		struct writer w = {.rng = rng_new(seed, 1)};

		random_kernel(&w);
		for (unsigned k = 0; k < 2; k++) {
			memset(&memory[k], 0, sizeof(memory[k]));
			run(text_str(&w.text), allocators[k], &memory[k]);
		}
		if (memcmp(&memory[0], &memory[1], sizeof(memory[0])) != 0)
			fail_msg("memories differ after\n%s", text_str(&w.text));
		text_clear(&w.text);
	}
}

/* 5, -1/4 and 464 through formats of 4 and 8 bits, and as two floats at once. */
static void narrow_formats_and_pairs_go_through_registers(void **state)
{
	static const char text[] = HEAD KERNEL_BEGIN
		".reg .b8 %b1; .reg .b16 %h<9>; .reg .f16 %x; .reg .f16x2 %xx; .reg .f32 %f<9>;\n"
		"mov.f32 %f1, 5.0; mov.f32 %f2, -0.25; mov.f32 %f3, 464.0;\n"
		"cvt.rn.satfinite.e2m1x2.f32 %b1, %f1, %f2; cvt.u16.u8 %h1, %b1;\n"
		"st.global.u16 [%rd1], %h1;\n"
		"cvt.rn.f16x2.e2m1x2 %r2, %b1; st.global.u32 [%rd1+4], %r2;\n"
		"cvt.rn.satfinite.e4m3x2.f32 %h2, %f3, %f1; st.global.b16 [%rd1+8], %h2;\n"
		"cvt.rn.f16x2.e4m3x2 %xx, %h2; cvt.rn.relu.satfinite.e5m2x2.f16x2 %h3, %xx;\n"
		"st.global.b16 [%rd1+10], %h3;\n"
		"cvt.rn.f16.f32 %x, %f1; add.rn.f32.f16 %f4, %x, %f2; st.global.f32 [%rd1+12], "
		"%f4;\n"
		"mov.b64 %rd3, {%f1, %f2}; fma.rn.f32x2 %rd4, %rd3, %rd3, %rd3;\n"
		"add.rz.ftz.f32x2 %rd4, %rd4, %rd3; st.global.b64 [%rd1+16], %rd4;\nret;\n}\n";
	static const uint32_t expected[] = {
		0x68, 0x44008000, 0x5f457e4a, 0x40980000, 0x420c0000, 0xbee00000};

	(void)state;
	for (unsigned k = 0; k < ARRAY_LEN(allocators); k++) {
		static const struct flat empty;
		struct flat m = empty;

		run(text, allocators[k], &m);
		for (unsigned i = 0; i < ARRAY_LEN(expected); i++)
			assert_int_equal((uint32_t)word(&m, i), expected[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arguments_arrive_in_order_and_results_come_back),
		cmocka_unit_test(lanes_return_from_nested_calls_at_their_own_time),
		cmocka_unit_test(a_structure_goes_through_stack_frames),
		cmocka_unit_test(a_guarded_call_leaves_the_other_lanes_alone),
		cmocka_unit_test(allocators_give_the_same_memory),
		cmocka_unit_test(narrow_formats_and_pairs_go_through_registers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
