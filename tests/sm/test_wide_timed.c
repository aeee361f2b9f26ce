/* 128-bit and vector atomics, and accesses of 256 bits, of a whole chip in time. */
#include "chip/profile/profile.h"
#include "core/base.h"
#include "tests/rig/lanes_reference_more.h"
#include "tests/rig/support_gpu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#define TIMED(body) \
	".version 8.3\n.target sm_90\n.address_size 64\n" \
	".const .align 16 .b64 c[2] = {0x1122334455667788, 0x99aabbccddeeff00};\n" \
	".visible .entry k(.param .u64 in, .param .u64 out)\n{\n.reg .pred %p<4>;\n" \
	".reg .b128 %q<8>;\n.reg .b64 %d<16>;\n.reg .b32 %r<16>;\n.reg .f32 %f<16>;\n" \
	".reg .b16 %h<24>;\nld.param.u64 %d8, [in];\nld.param.u64 %d9, [out];\n" \
	"mov.u32 %r0, %tid.x;\nmov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\n" \
	"mad.lo.u32 %r3, %r1, %r2, %r0;\nmul.wide.u32 %d10, %r3, 16;\n" \
	"add.u64 %d10, %d10, %d9;\n" body "ret;\n}\n"

enum { CTAS = 12, THREADS = 96, ALL = CTAS * THREADS };

struct timed {
	struct kit k;
	buffer_t in, out;
};

static struct timed timed_run(const char *settings, const char *ptx)
{
	struct timed t = {.k = kit_new(settings)};
	module_t m = kit_module(&t.k, ptx);

	t.in = kit_buffer(&t.k, "in", 4096);
	t.out = kit_buffer(&t.k, "out", 16 * ALL);
	kit_launch(&t.k, m, "k", CTAS, THREADS, 2, (uint64_t[]){KIT_BUF(t.in), KIT_BUF(t.out)});
	kit_run(&t.k);
	return t;
}

static const char *const settings[] = {
	"chip.sms=4", "chip.sms=4 l2.bytes=0", "chip.sms=2 sm.store_log=64", "chip.sms=1"};

/* A counter of 128 bits, by compare and swap: one more in the low half, three in the high one. */
static void all_sms_count_in_128_bits(void **state)
{
	static const char ptx[] =
		TIMED("ld.volatile.global.b128 %q0, [%d8];\nL: mov.b128 {%d0, %d1}, %q0;\n"
		      "add.u64 %d2, %d0, 1;\nadd.u64 %d3, %d1, 3;\nmov.b128 %q1, {%d2, %d3};\n"
		      "atom.global.cas.b128 %q2, [%d8], %q0, %q1;\nmov.b128 {%d4, %d5}, %q2;\n"
		      "setp.ne.u64 %p1, %d4, %d0;\nsetp.ne.or.u64 %p1, %d5, %d1, %p1;\n"
		      "mov.b128 %q0, %q2;\n@%p1 bra L;\nst.global.b128 [%d10], %q0;\n");
	(void)state;

	for (unsigned s = 0; s < ARRAY_LEN(settings); s++) {
		struct timed t = timed_run(settings[s], ptx);
		uint64_t old[2 * ALL], sum = 0;

		assert_int_equal(kit_u32(&t.k, t.in, 0), ALL);
		assert_int_equal(kit_u32(&t.k, t.in, 2), 3 * ALL);
		gpu_read(t.k.gpu, t.out, 0, old, sizeof(old));
		for (unsigned i = 0; i < ALL; i++) {
			assert_true(old[2 * i] < ALL && old[2 * i + 1] == 3 * old[2 * i]);
			sum += old[2 * i];
		}
		assert_true(sum == (uint64_t)ALL * (ALL - 1) / 2);
		kit_free(&t.k);
	}
}

/* Vectors at one address for all SMs, and constants to an address of each thread. */
static void all_sms_add_vectors(void **state)
{
	static const char ptx[] = TIMED(
		"mov.f32 %f0, 1.0;\nmov.f32 %f1, 2.0;\nmov.f32 %f2, -1.0;\ncvt.rn.f32.u32 %f3, "
		"%r0;\n"
		"red.global.add.v4.f32 [%d8], {%f0, %f1, %f2, %f3};\n"
		"atom.global.add.v2.f32 {%f4, %f5}, [%d8+16], {%f0, %f2};\n"
		"cvt.rn.f16.u32 %h0, %r0;\nneg.f16 %h1, %h0;\n"
		"atom.global.max.noftz.v8.f16 {%h2, %h3, %h4, %h5, %h6, %h7, %h8, %h9}, [%d8+32], "
		"{%h0, %h1, %h0, %h1, %h0, %h1, %h0, %h1};\n"
		"ld.const.b128 %q0, [c];\nmov.b128 {%d0, %d1}, %q0;\nmov.b32 %r4, %f4;\n"
		"cvt.u64.u32 %d1, %r4;\nmov.b128 %q0, {%d0, %d1};\nst.global.b128 [%d10], %q0;\n");
	(void)state;

	for (unsigned s = 0; s < ARRAY_LEN(settings); s++) {
		struct timed t = timed_run(settings[s], ptx);
		uint64_t out[2 * ALL];
		float sum[6], total = 0;
		uint16_t most[8];

		gpu_read(t.k.gpu, t.in, 0, sum, sizeof(sum));
		assert_true(sum[0] == ALL && sum[1] == 2 * ALL && sum[2] == -ALL);
		assert_true(sum[3] == CTAS * THREADS * (THREADS - 1) / 2);
		assert_true(sum[4] == ALL && sum[5] == -ALL);
		gpu_read(t.k.gpu, t.in, 32, most, sizeof(most));
		for (unsigned i = 0; i < 8; i++) /* 95 and zero */
			assert_int_equal(most[i], i % 2 ? 0 : 0x55f0);
		gpu_read(t.k.gpu, t.out, 0, out, sizeof(out));
		for (unsigned i = 0; i < ALL; i++) {
			assert_true(out[2 * i] == UINT64_C(0x1122334455667788));
			total += f32_of(out[2 * i + 1]);
		}
		assert_true(total == ALL * (ALL - 1) / 2.0f); /* each value once */
		kit_free(&t.k);
	}
}

/* A warp's 32 times 16 bytes are four lines of one request. */
static void each_access_is_one_request_of_its_bytes(void **state)
{
	static const char none[] = TIMED("");
	static const char *const one[] = {TIMED("ld.global.b128 %q0, [%d10];\n"),
		TIMED("st.global.b128 [%d10], %q0;\n"),
		TIMED("atom.global.exch.b128 %q0, [%d10], %q1;\n"),
		TIMED("red.global.add.v4.f32 [%d10], {%f0, %f1, %f2, %f3};\n"),
		TIMED("atom.global.min.noftz.v8.bf16 {%h0, %h1, %h2, %h3, %h4, %h5, %h6, %h7}, "
		      "[%d10], {%h8, %h9, %h10, %h11, %h12, %h13, %h14, %h15};\n")};
	static const char *const metrics[] = {"l1tex__t_requests.sum",
		"l1tex__t_bytes_requested.sum", "smsp__inst_executed_op_global.sum"};
	const double expected[] = {ALL / 32, 16 * ALL, ALL / 32};
	struct timed nothing = timed_run("chip.sms=4", none);
	(void)state;

	for (unsigned i = 0; i < ARRAY_LEN(one); i++) {
		struct timed t = timed_run("chip.sms=4", one[i]);

		for (unsigned m = 0; m < ARRAY_LEN(metrics); m++)
			assert_true(
				kit_metric(&t.k, metrics[m]) - kit_metric(&nothing.k, metrics[m]) ==
				expected[m]);
		kit_free(&t.k);
	}
	kit_free(&nothing.k);
}

/* ---- 256 bits a lane. */
#define EIGHT "{%r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11}"
#define FOUR "{%d0, %d1, %d2, %d3}"
#define CELLS "mul.wide.u32 %d11, %r3, 32;\nadd.u64 %d12, %d11, %d8;\nadd.u64 %d10, %d11, %d9;\n"

/* Runs it on numbered words; the cell of each thread is to hold its own, in `order` (octal). */
static void check_cells(const char *with, bool profiled, const char *ptx, uint32_t order)
{
	struct kit k = kit_new(with);
	buffer_t in, out;

	assert_int_equal(profiled ? chip_profile(k.gpu, &k.err) : 0, 0);
	in = kit_buffer(&k, "in", 32 * ALL);
	out = kit_buffer(&k, "out", 32 * ALL);
	for (uint32_t i = 0; i < 8 * ALL; i++)
		gpu_write(k.gpu, in, 4 * (uint64_t)i, &i, 4);
	kit_launch(&k, kit_module(&k, ptx), "k", CTAS, THREADS, 2,
		(uint64_t[]){KIT_BUF(in), KIT_BUF(out)});
	kit_run(&k);
	for (unsigned i = 0; i < 8 * ALL; i++)
		assert_int_equal(
			kit_u32(&k, out, i), i / 8 * 8 + (order >> (21 - 3 * (i % 8)) & 7));
	kit_free(&k);
}

/* Global, shared and local memory, words of a lane and of divergent lanes. */
static void lanes_move_256_bits_in_every_storage(void **state)
{
	static const char ptx[] = TIMED(CELLS
		".shared .align 32 .b8 sh[3072];\n.local .align 32 .b8 lo[64];\n"
		".reg .b64 %l<4>;\nld.global.v8.b32 " EIGHT ", [%d12];\n"
		"mov.u64 %l0, sh;\nmul.wide.u32 %l1, %r0, 32;\nadd.u64 %l0, %l0, %l1;\n"
		"mov.u64 %l1, lo;\nand.b32 %r12, %r0, 1;\nmul.wide.u32 %l2, %r12, 32;\n"
		"add.u64 %l1, %l1, %l2;\nmov.b64 %d0, {%r4, %r5};\nmov.b64 %d1, {%r6, %r7};\n"
		"mov.b64 %d2, {%r8, %r9};\nmov.b64 %d3, {%r10, %r11};\n"
		"st.local.v4.b64 [%l1], " FOUR ";\nld.local.v4.b64 " FOUR ", [%l1];\n"
		"st.shared.v4.b64 [%l0], " FOUR ";\nld.shared.v4.b64 " FOUR ", [%l0];\n"
		"setp.eq.u32 %p1, %r12, 0;\n@%p1 st.global.v4.b64 [%d10], {%d3, %d2, %d1, %d0};\n"
		"@!%p1 st.v4.b64 [%d10], {%d3, %d2, %d1, %d0};\n"
		"ld.global.v8.f32 {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, [%d10];\n"
		"st.v8.f32 [%d10], {%f1, %f0, %f3, %f2, %f5, %f4, %f7, %f6};\n");
	static const char *const storage[] = {"chip.sms=4",
		"chip.sms=2 storage.partitioned.cache_bytes=0", "chip.sms=2 sm.store_log=64",
		"chip.sms=2 chip.storage=fermi", "chip.sms=2 chip.storage=unified",
		"chip.sms=2 chip.storage=unified storage.unified.combine=true",
		"chip.sms=2 chip.storage=unified storage.unified.one_port=true"};
	static const char *const prices[] = {"memory", "penalty", "cycle", "delay"};
	char with[256];

	(void)state;
	for (unsigned s = 0; s < ARRAY_LEN(storage); s++)
		for (unsigned p = 0; p < ARRAY_LEN(prices); p++) {
			snprintf(with, sizeof(with), "%s sm.bank_conflicts=%s", storage[s],
				prices[p]);
			check_cells(with, p == 2, ptx, 076543210);
		}
	check_cells("chip.sms=4 rf.hierarchy=software", false, ptx, 076543210);
	check_cells("chip.sms=4 rf.hierarchy=hardware", true, ptx, 076543210);
}

/* A warp's lanes fill eight lines, one a cycle of the tags; divergent lanes need a line of local
 * memory for each word of each. */
static void a_warp_of_256_bits_takes_a_cycle_of_the_tags_for_each_line(void **state)
{
	static const char none[] = TIMED(".local .align 32 .b8 lo[1024];\n");
	static const struct {
		const char *ptx;
		unsigned lines;
	} rows[] = {
		{TIMED(".local .align 32 .b8 lo[1024];\nld.global.v8.b32 " EIGHT ", [%d9];\n"), 1},
		{TIMED(".local .align 32 .b8 lo[1024];\n" CELLS "ld.global.v8.b32 " EIGHT
		       ", [%d10];\n"),
			8},
		{TIMED(".local .align 32 .b8 lo[1024];\nst.local.v4.b64 [lo], " FOUR ";\n"), 8},
		{TIMED(".local .align 32 .b8 lo[1024];\nmul.wide.u32 %d11, %r0, 32;\n"
		       "mov.u64 %d12, lo;\nadd.u64 %d11, %d11, %d12;\n"
		       "st.local.v4.b64 [%d11], " FOUR ";\n"),
			256}};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(rows); i++) {
		struct kit k[2] = {kit_new("chip.sms=1"), kit_new("chip.sms=1")};
		const char *const ptx[] = {none, rows[i].ptx};
		double busy[2];

		for (unsigned n = 0; n < 2; n++) {
			buffer_t b = kit_buffer(&k[n], "b", 4096);

			kit_launch(&k[n], kit_module(&k[n], ptx[n]), "k", 1, 32, 2,
				(uint64_t[]){KIT_BUF(b), KIT_BUF(b)});
			kit_run(&k[n]);
			busy[n] = kit_metric(&k[n], "l1tex__cycles_tag_busy.sum");
			kit_free(&k[n]);
		}
		assert_true(busy[1] - busy[0] == rows[i].lines);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_sms_count_in_128_bits),
		cmocka_unit_test(all_sms_add_vectors),
		cmocka_unit_test(each_access_is_one_request_of_its_bytes),
		cmocka_unit_test(lanes_move_256_bits_in_every_storage),
		cmocka_unit_test(a_warp_of_256_bits_takes_a_cycle_of_the_tags_for_each_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
