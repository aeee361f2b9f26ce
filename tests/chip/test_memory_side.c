/* The memory's side of large chips: many channels, and results that no host choice changes whatever
 * networks and slices are set to. */
#include "tests/rig/support_gpu.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Every thread sums `n` elements of 16 bytes, `step` apart, adds them to one of eight words, and
 * stores the sum. */
static const char stream[] =
	".version 5.0\n.target sm_35\n.address_size 32\n"
	".visible .entry stream(.param .u32 in, .param .u32 out, .param .u32 n, .param .u32 step)\n"
	"{ .reg .b32 %r<16>; .reg .pred %p<2>;\n"
	"mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"
	"mad.lo.u32 %r4, %r1, %r2, %r3; shl.b32 %r5, %r4, 4;\n"
	"ld.param.u32 %r6, [in]; add.u32 %r6, %r6, %r5;\n"
	"ld.param.u32 %r7, [n]; ld.param.u32 %r8, [step]; mov.u32 %r15, 0;\n"
	"LOOP: ld.global.v4.u32 {%r11,%r12,%r13,%r14}, [%r6];\n"
	"add.u32 %r15, %r15, %r11; add.u32 %r15, %r15, %r14;\n"
	"add.u32 %r6, %r6, %r8; sub.u32 %r7, %r7, 1;\n"
	"setp.ne.u32 %p1, %r7, 0; @%p1 bra LOOP;\n"
	"shl.b32 %r9, %r4, 2; ld.param.u32 %r10, [out]; add.u32 %r9, %r10, %r9;\n"
	"and.b32 %r5, %r4, 28; add.u32 %r10, %r10, %r5; red.global.add.u32 [%r10], %r15;\n"
	"st.global.u32 [%r9+64], %r15;\n"
	"ret; }\n";

static struct kit stream_new(
	const char *settings, const struct chip_host *host, unsigned ctas, unsigned n)
{
	struct kit k = kit_new_host(settings, host);
	uint64_t threads = (uint64_t)ctas * 256;
	buffer_t in = kit_buffer(&k, "in", threads * 16 * n),
		 out = kit_buffer(&k, "out", threads * 4 + 64);

	kit_launch(&k, kit_module(&k, stream), "stream", ctas, 256, 4,
		(uint64_t[]){KIT_BUF(in), KIT_BUF(out), n, (uint32_t)threads * 16});
	kit_run(&k);
	return k;
}

/* 96 channels of HBM3 with a slice each, and all that one device of 160 has. */
static void channels_beyond_64_give_their_devices_bandwidth(void **state)
{
	static const struct {
		const char *settings;
		double channels, bytes_per_ns;
	} cases[] = {
		{"chip.sms=96 chip.channels=96 chip.slices=1 chip.bytes_per_ns=2011", 96, 2011},
		{"chip.sms=96 chip.channels=96 chip.slices=1 chip.dram=banked "
		 "dram.device=hbm3_5200",
			96, 2010.5},
		{"chip.sms=132 chip.slices=1 chip.dram=banked dram.device=hbm3_5200", 160, 3350.8},
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		double bytes = 384.0 * 256 * 16 * 12, share, rate;
		char settings[400];
		struct kit k;

		snprintf(settings, sizeof(settings),
			"%s chip.network=ideal l1.mshrs=1024 l1.merges=4096 sm.lsu_ops=1024 l2.atomics_per_cycle=32 "
			"l2.atomic_address_cycles=0",
			cases[i].settings);
		k = stream_new(settings, &(struct chip_host){.threads = 1}, 384, 12);
		share = kit_metric(&k, "dram__throughput.avg.pct_of_peak_sustained_elapsed");
		rate = kit_metric(&k, "dram__bytes.sum.per_ns");
		assert_true(fabs(kit_metric(&k, "dram__bytes_read.sum") / bytes - 1) < 1e-4);
		assert_true(fabs(rate / share * 100 / cases[i].bytes_per_ns - 1) < 0.001);
		print_message("%g %g\n", rate, share);
		assert_true(share > 50);
		assert_true(kit_metric(&k, "dram__bytes.imbalance") < 1.1);
		kit_free(&k);
	}
}

static struct text everything(const char *settings, const struct chip_host *host)
{
	struct kit k = stream_new(settings, host, 24, 4);
	struct text t = kit_everything(&k);

	kit_free(&k);
	return t;
}

#define SMALL "chip.sms=12 chip.channels=4 chip.slices=2 l2.bytes=8192 "

static void no_host_choice_changes_a_number(void **state)
{
	static const char *const settings[] = {
		SMALL "chip.spread_cycles=73",
		SMALL "chip.spread_cycles=40 chip.sides=2 chip.side_cycles=149 chip.network=voq",
		SMALL "chip.sides=3 chip.side_cycles=61 chip.network=ideal chip.link_queue=1",
		SMALL "chip.sides=2 chip.side_cycles=30 chip.spread_cycles=30 chip.network=router",
		SMALL "chip.sides=2 chip.side_cycles=130 chip.side_copies=true chip.l2_mhz=810",
		SMALL
		"noc.request.tpc_bytes=48 noc.request.gpc_sms=6 noc.request.gpc_bytes=70 "
		"noc.reply.sm_bytes=64 noc.reply.slice_bytes=64 noc.reply.header_apart=1 "
		"noc.reply.gpc_sms=4 noc.reply.gpc_bytes=100 l2.fill_line=0 l2.fetch_bytes=64",
		SMALL "chip.network=voq noc.request.tpc_bytes=20 noc.reply.tpc_sms=3 "
		      "noc.reply.tpc_bytes=33 noc.reply.gpc_sms=6 noc.reply.gpc_bytes=61 "
		      "chip.spread_cycles=31 dram.min_bytes=64 dram.useful_bytes=32",
		SMALL "chip.dram=banked dram.useful_bytes=32 l2.sector_bytes=32 l2.fill_line=0 "
		      "l1.whole_line=false l2.atomic_address_cycles=1.3 l2.atomics_per_cycle=0.5",
		"chip.sms=9 chip.channels=70 chip.slices=1 chip.spread_cycles=50 chip.network=mesh",
	};
	static const struct chip_host hosts[] = {{.threads = 2}, {.threads = 4},
		{.threads = 1, .shuffle = true, .seed = 3},
		{.threads = 1, .early_wakes = true, .seed = 4},
		{.threads = 1, .hostile = true, .seed = 5},
		{.threads = 2, .shuffle = true, .early_wakes = true, .seed = 6}};

	(void)state;
	for (unsigned s = 0; s < ARRAY_LEN(settings); s++) {
		struct text plain = everything(settings[s], &(struct chip_host){.threads = 1});

		for (unsigned i = 0; i < ARRAY_LEN(hosts); i++) {
			struct text other = everything(settings[s], &hosts[i]);

			assert_string_equal(text_str(&plain), text_str(&other));
			text_clear(&other);
		}
		text_clear(&plain);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(channels_beyond_64_give_their_devices_bandwidth),
		cmocka_unit_test(no_host_choice_changes_a_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
