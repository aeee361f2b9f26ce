/* Policies in a whole chip: the laws that all registered ones keep, whatever order, early wakes and
 * threads, and what CCWS and block CTA scheduling are for. */
#include "core/base.h"
#include "core/text.h"
#include "tests/rig/support_gpu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define HEAD ".version 7.0\n.target sm_70\n.address_size 32\n"

/* ---- laws */
/* Reads that meet in few lines and many, atomics, shared memory, a barrier, stores, the clock. */
static const char mixed[] = HEAD
	".visible .entry k(.param .u32 in, .param .u32 out)\n{\n.reg .pred %p<4>;\n"
	".reg .b32 %r<24>;\n.shared .align 4 .b8 sh[256];\n"
	"ld.param.u32 %r0, [in];\nld.param.u32 %r1, [out];\nmov.u32 %r2, %tid.x;\n"
	"mov.u32 %r3, %ctaid.x;\nmad.lo.u32 %r4, %r3, 64, %r2;\nshl.b32 %r5, %r4, 2;\n"
	"shl.b32 %r6, %r2, 2;\nmov.u32 %r7, sh;\nadd.u32 %r7, %r7, %r6;\nmov.u32 %r8, 0;\n"
	"mov.u32 %r9, 0;\nst.shared.u32 [%r7], %r4;\n"
	"L:\nmul.lo.u32 %r10, %r8, 1664;\nadd.u32 %r10, %r10, %r5;\nand.b32 %r10, %r10, 16380;\n"
	"add.u32 %r10, %r10, %r0;\nld.global.u32 %r11, [%r10];\nadd.u32 %r9, %r9, %r11;\n"
	"and.b32 %r12, %r5, 2044;\nadd.u32 %r12, %r12, %r0;\nld.global.u32 %r13, [%r12];\n"
	"xor.b32 %r9, %r9, %r13;\nadd.u32 %r8, %r8, 1;\nsetp.lt.u32 %p1, %r8, 5;\n@%p1 bra L;\n"
	"bar.sync 0;\nxor.b32 %r14, %r6, 132;\nmov.u32 %r15, sh;\nadd.u32 %r14, %r14, %r15;\n"
	"ld.shared.u32 %r16, [%r14];\nadd.u32 %r9, %r9, %r16;\n"
	"red.global.add.u32 [%r0+32768], %r9;\natom.global.max.u32 %r17, [%r0+32896], %r4;\n"
	"add.u32 %r18, %r1, %r5;\nst.global.u32 [%r18], %r9;\nst.global.u32 [%r18+65536], %r17;\n"
	"ld.global.u32 %r19, [%r18+32];\nmov.u32 %r20, %clock;\nadd.u32 %r20, %r20, %r19;\n"
	"st.global.u32 [%r18+131072], %r20;\nret;\n}\n";

enum { CTAS = 9 };

static struct text told(const char *settings, const struct chip_host *host)
{
	struct kit k = kit_new_host(settings, host);
	buffer_t in = kit_buffer(&k, "in", 40000), out = kit_buffer(&k, "out", 200000);
	module_t m = kit_module(&k, mixed);
	struct text t;

	for (unsigned i = 0; i < 2; i++)
		kit_launch_on(
			&k, m, "k", CTAS, 64, 2, (uint64_t[]){KIT_BUF(in), KIT_BUF(out)}, 0, i);
	kit_run(&k);
	t = kit_everything(&k);
	for (unsigned i = 0; i < CTAS * 64; i++)
		text_raw(&t, "%x\n", kit_u32(&k, out, i));
	kit_free(&k);
	return t;
}

/* Settings that choose the policy wherever one of its kind is asked for; NULL: no policy. */
static const char *const *choices_of(const char *kind)
{
	static const struct {
		const char *kind, *settings[4];
	} rows[] = {
		{"warp scheduler", {"sm.scheduler"}},
		{"replacement", {"l1.replacement", "l2.replacement", "tex.replacement"}},
		{"write policy", {"l2.write_policy"}},
		{"hash", {"chip.slice_hash", "l1.set_hash", "l2.set_hash"}},
		{"arbiter", {"noc.request.arbiter", "noc.reply.arbiter"}},
		{"allocator", {"chip.network=router noc.request.vc_allocator",
				      "noc.reply.switch_allocator"}},
		{"dispatch", {"chip.dispatch"}},
		{"storage", {"chip.storage"}},
		{"dram scheduler", {"chip.dram=banked dram.queue=6 dram.scheduler"}},
		{"dram writes", {"chip.dram=banked dram.queue=6 dram.writes"}},
		{"dram hash", {"chip.dram=banked dram.queue=6 dram.hash"}},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (!strcmp(rows[i].kind, kind))
			return rows[i].settings;
	return NULL;
}

static void check_laws(const char *settings)
{
	static const struct chip_host hosts[] = {{.threads = 4, .shuffle = true},
		{.threads = 2, .early_wakes = true, .seed = 5},
		{.threads = 1, .hostile = true, .shuffle = true, .early_wakes = true, .seed = 9}};
	struct text plain = told(settings, &(struct chip_host){.threads = 1});

	for (unsigned i = 0; i < ARRAY_LEN(hosts); i++) {
		struct text other = told(settings, &hosts[i]);

		if (strcmp(text_str(&plain), text_str(&other)) != 0)
			fail_msg("%s, host %u: not the same", settings, i);
		text_clear(&other);
	}
	text_clear(&plain);
}

static void no_order_wake_or_thread_is_seen_by_any_policy(void **state)
{
	unsigned checked = 0;

	(void)state;
	for (size_t i = 0; plugins[i]; i++) {
		const char *const *choices = choices_of(plugins[i]->kind);
		struct text settings = {0};

		if (!choices)
			continue;
		text_add(&settings, "chip.sms=3 l2.bytes=4K sm.schedulers=2 l1.mshrs=4");
		if (strcmp(plugins[i]->kind, "storage") != 0)
			text_add(&settings, " storage.partitioned.cache_bytes=1K");
		for (; *choices; choices++)
			text_add(&settings, " %s=%s", *choices, plugins[i]->name);
		check_laws(text_str(&settings));
		text_clear(&settings);
		checked++;
	}
	assert_true(checked >= 36);
}

/* ---- cache-conscious scheduling: warps of one CTA each that go round `lines` lines of their own
 */
static const char rounds[] =
	HEAD ".visible .entry k(.param .u32 in, .param .u32 out, .param .u32 lines)\n{\n"
	     ".reg .pred %p<4>;\n.reg .b32 %r<20>;\nld.param.u32 %r1, [in];\n"
	     "ld.param.u32 %r2, [out];\nld.param.u32 %r3, [lines];\nmov.u32 %r5, %ctaid.x;\n"
	     "mov.u32 %r6, %tid.x;\nmul.lo.u32 %r7, %r5, %r3;\nshl.b32 %r7, %r7, 7;\n"
	     "shl.b32 %r8, %r6, 2;\nadd.u32 %r7, %r7, %r8;\nadd.u32 %r7, %r7, %r1;\n"
	     "mov.u32 %r9, 0;\nmov.u32 %r10, 0;\n"
	     "ROUND:\nmov.u32 %r11, 0;\nmov.u32 %r12, %r7;\n"
	     "LINE:\nld.global.u32 %r13, [%r12];\nadd.u32 %r10, %r10, %r13;\n"
	     "add.u32 %r12, %r12, 128;\nadd.u32 %r11, %r11, 1;\nsetp.lt.u32 %p1, %r11, %r3;\n"
	     "@%p1 bra LINE;\nadd.u32 %r9, %r9, 1;\nsetp.lt.u32 %p2, %r9, 24;\n"
	     "@%p2 bra ROUND;\nmad.lo.u32 %r14, %r5, 32, %r6;\nshl.b32 %r14, %r14, 2;\n"
	     "add.u32 %r14, %r14, %r2;\nst.global.u32 [%r14], %r10;\nret;\n}\n";

static double cycles_of(const char *scheduler, unsigned warps, unsigned lines)
{
	char settings[256];
	struct kit k;
	buffer_t in, out;
	double cycles;

	snprintf(settings, sizeof(settings),
		"chip.sms=1 chip.channels=1 chip.slices=1 chip.bytes_per_ns=16 l2.bytes=0 "
		"storage.partitioned.cache_bytes=16K sm.scheduler=%s sm.warps=%u",
		scheduler, warps);
	k = kit_new(settings);
	in = kit_buffer(&k, "in", 1 << 17);
	out = kit_buffer(&k, "out", 1 << 13);
	kit_launch(&k, kit_module(&k, rounds), "k", 64, 32, 3,
		(uint64_t[]){KIT_BUF(in), KIT_BUF(out), lines});
	kit_run(&k);
	cycles = kit_metric(&k, "gpc__cycles_elapsed.max");
	kit_free(&k);
	return cycles;
}

static void ccws_comes_near_the_best_static_limit_of_warps(void **state)
{
	double best = 1e12, all = cycles_of("greedy", 32, 8), ccws = cycles_of("ccws", 32, 8);

	(void)state;
	for (unsigned warps = 12; warps <= 24; warps += 4) {
		double cycles = cycles_of("greedy", warps, 8);

		best = cycles < best ? cycles : best;
	}
	if (ccws > 1.1 * best || ccws > 0.8 * all)
		fail_msg("%.0f cycles, at best %.0f, of all warps %.0f", ccws, best, all);
}

static void ccws_lets_all_warps_load_where_they_lose_nothing(void **state)
{
	(void)state;
	assert_true(cycles_of("ccws", 32, 4) == cycles_of("greedy", 32, 4));
}

/* ---- signature-based hit prediction: one PTX line reads the same 64 lines twice in a row, again
 * and again, another a stream in between, all through the L2 */
static const char streaming[] =
	HEAD ".visible .entry k(.param .u32 in, .param .u32 out)\n{\n.reg .pred %p<4>;\n"
	     ".reg .b32 %r<20>;\nld.param.u32 %r1, [in];\nld.param.u32 %r2, [out];\n"
	     "mov.u32 %r3, %tid.x;\nshl.b32 %r3, %r3, 2;\nadd.u32 %r4, %r1, %r3;\n"
	     "add.u32 %r5, %r4, 8192;\nmov.u32 %r6, 0;\nmov.u32 %r10, 0;\n"
	     "ROUND:\nmov.u32 %r7, 0;\n"
	     "HOT:\nand.b32 %r8, %r7, 63;\nshl.b32 %r8, %r8, 7;\nadd.u32 %r8, %r8, %r4;\n"
	     "ld.global.u32 %r9, [%r8];\nadd.u32 %r10, %r10, %r9;\nadd.u32 %r7, %r7, 1;\n"
	     "setp.lt.u32 %p1, %r7, 128;\n@%p1 bra HOT;\nmov.u32 %r7, 0;\n"
	     "COLD:\nld.global.u32 %r9, [%r5];\nadd.u32 %r10, %r10, %r9;\n"
	     "add.u32 %r5, %r5, 128;\nadd.u32 %r7, %r7, 1;\nsetp.lt.u32 %p1, %r7, 256;\n"
	     "@%p1 bra COLD;\nadd.u32 %r6, %r6, 1;\nsetp.lt.u32 %p2, %r6, 10;\n"
	     "@%p2 bra ROUND;\nadd.u32 %r2, %r2, %r3;\nst.global.u32 [%r2], %r10;\nret;\n}\n";

/* Sectors found in the L2. */
static double found_with(const char *replacement)
{
	char settings[256];
	struct kit k;
	double found;

	snprintf(settings, sizeof(settings),
		"chip.sms=1 chip.channels=1 chip.slices=1 storage.partitioned.cache_bytes=0 "
		"l2.bytes=16K l2.ways=8 l2.replacement=%s",
		replacement);
	k = kit_new(settings);
	kit_launch(&k, kit_module(&k, streaming), "k", 1, 32, 2,
		(uint64_t[]){KIT_BUF(kit_buffer(&k, "in", 1 << 19)),
			KIT_BUF(kit_buffer(&k, "out", 128))});
	kit_run(&k);
	found = kit_metric(&k, "lts__t_sectors_op_read_lookup_hit.sum");
	kit_free(&k);
	return found;
}

static void an_l2_learns_with_ship_which_ptx_line_streams(void **state)
{
	/* 4 sectors a line: with lru what is read twice hits once a round, with ship nearly twice
	 */
	(void)state;
	assert_true(found_with("lru") == 10 * 64 * 4);
	assert_true(found_with("ship") > 18 * 64 * 4);
}

/* ---- blocks of CTAs */
static const char where[] = HEAD
	".visible .entry k(.param .u32 out)\n{\n.reg .b32 %r<8>;\n.shared .align 4 .b8 s[1024];\n"
	"ld.param.u32 %r1, [out];\nmov.u32 %r2, %ctaid.x;\nshl.b32 %r2, %r2, 2;\n"
	"add.u32 %r1, %r1, %r2;\nmov.u32 %r3, %smid;\nadd.u32 %r3, %r3, 1;\n"
	"st.shared.u32 [s], %r3;\natom.global.add.u32 %r4, [%r1], %r3;\nret;\n}\n";

static void neighbours_go_to_one_sm_by_blocks(void **state)
{
	static const struct {
		const char *settings;
		unsigned block;
	} cases[] = {{"chip.sms=4", 2}, {"chip.sms=3 chip.bcs.block=4 sm.ctas=7", 4},
		{"chip.sms=5 sm.ctas=1", 1}, {"chip.sms=4 sm.ctas=3", 2},
		{"chip.sms=2 storage.partitioned.shared_bytes=4K", 2}};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		enum { ALL = 45 };
		struct text settings = {0};
		struct kit k;
		buffer_t out;

		text_add(&settings, "%s chip.dispatch=bcs", cases[i].settings);
		k = kit_new(text_str(&settings));
		out = kit_buffer(&k, "out", ALL * 4);
		kit_launch(&k, kit_module(&k, where), "k", ALL, 32, 1, (uint64_t[]){KIT_BUF(out)});
		kit_run(&k);
		for (unsigned cta = 0; cta < ALL; cta++) {
			unsigned first = cta - cta % cases[i].block;

			assert_true(kit_u32(&k, out, cta) > 0);
			assert_int_equal(kit_u32(&k, out, cta), kit_u32(&k, out, first));
		}
		assert_true(kit_metric(&k, "chip__bcs_blocks.sum") ==
			    (double)div_up(ALL, cases[i].block));
		kit_free(&k);
		text_clear(&settings);
	}
}

/* Of each block of two the first CTA stays for 500 cycles: an SM of two slots takes the next block
 * when both are empty. */
static void a_block_waits_for_space_for_all_of_it(void **state)
{
	static const char stays[] =
		HEAD ".visible .entry k(.param .u32 out)\n{\n.reg .b32 %r<8>;\n.reg .pred %p<3>;\n"
		     "mov.u32 %r1, %clock;\nld.param.u32 %r2, [out];\nmov.u32 %r3, %ctaid.x;\n"
		     "shl.b32 %r4, %r3, 2;\nadd.u32 %r2, %r2, %r4;\nst.global.u32 [%r2], %r1;\n"
		     "and.b32 %r5, %r3, 1;\nsetp.ne.u32 %p1, %r5, 0;\n@%p1 bra END;\n"
		     "L: mov.u32 %r6, %clock;\nsub.u32 %r7, %r6, %r1;\nsetp.lt.u32 %p2, %r7, 500;\n"
		     "@%p2 bra L;\nEND: ret;\n}\n";
	struct kit k = kit_new("chip.sms=1 sm.ctas=2 chip.dispatch=bcs");
	buffer_t out = kit_buffer(&k, "out", 32);

	(void)state;
	kit_launch(&k, kit_module(&k, stays), "k", 8, 32, 1, (uint64_t[]){KIT_BUF(out)});
	kit_run(&k);
	for (unsigned cta = 2; cta < 8; cta++)
		assert_true(kit_u32(&k, out, cta) >= kit_u32(&k, out, (cta & 6) - 2) + 500);
	kit_free(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_order_wake_or_thread_is_seen_by_any_policy),
		cmocka_unit_test(ccws_comes_near_the_best_static_limit_of_warps),
		cmocka_unit_test(ccws_lets_all_warps_load_where_they_lose_nothing),
		cmocka_unit_test(an_l2_learns_with_ship_which_ptx_line_streams),
		cmocka_unit_test(neighbours_go_to_one_sm_by_blocks),
		cmocka_unit_test(a_block_waits_for_space_for_all_of_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
