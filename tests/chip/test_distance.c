/* The distances between SMs and slices: what loads measure is what the description says. */
#include "tests/rig/support_gpu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_SLICES = 96, MOST_SMS = 132, BLOCK = 256 };

/* On one SM: reads each slice's line twice, and stores the cycles from either load's issue to its
 * dependant's, and two. */
static const char probe[] =
	".version 7.0\n.target sm_70\n.address_size 32\n"
	".visible .entry probe(.param .u32 in, .param .u32 out, .param .u32 n, .param .u32 sm)\n"
	"{ .reg .b32 %r<16>; .reg .pred %p<3>;\n"
	"ld.param.u32 %r1, [in]; ld.param.u32 %r2, [out]; ld.param.u32 %r3, [n];\n"
	"ld.param.u32 %r4, [sm]; mov.u32 %r5, %smid;\n"
	"setp.ne.u32 %p1, %r4, %r5; @%p1 bra END;\n"
	"LOOP: mov.u32 %r12, %clock;\n"
	"ld.global.u32 %r6, [%r1];\n"
	"add.u32 %r6, %r6, 1;\n"
	"mov.u32 %r7, %clock;\n"
	"sub.u32 %r12, %r7, %r12;\n"
	"mov.u32 %r7, %clock;\n"
	"ld.global.u32 %r8, [%r1];\n"
	"add.u32 %r9, %r8, 1;\n"
	"mov.u32 %r10, %clock;\n"
	"sub.u32 %r11, %r10, %r7;\n"
	"st.global.v2.u32 [%r2], {%r12, %r11};\n"
	"ld.global.u32 %r8, [%r1]; add.u32 %r8, %r8, 1;\n" /* until the store has arrived */
	"add.u32 %r1, %r1, 256; add.u32 %r2, %r2, 8; sub.u32 %r3, %r3, 1;\n"
	"setp.ne.u32 %p2, %r3, 0; @%p2 bra LOOP;\n"
	"END: ret; }\n";

struct measured {
	unsigned sms, slices;
	double sum;
	uint32_t least, most;
	uint16_t cycles[MOST_SMS][MOST_SLICES], miss[MOST_SMS][MOST_SLICES];
};

/* Misses and hits in the L2 of every `step`-th SM on all slices; without an L1. */
static void measure(
	const char *settings, unsigned sms, unsigned slices, unsigned step, struct measured *m)
{
	unsigned n = 0;

	*m = (struct measured){.sms = sms, .slices = slices, .least = UINT32_MAX};
	for (unsigned sm = 0; sm < sms; sm += step) {
		char all[512];
		struct kit k;
		buffer_t in, out;

		snprintf(all, sizeof(all), "%s chip.sms=%u storage.partitioned.cache_bytes=0",
			settings, sms);
		k = kit_new(all);
		in = kit_buffer(&k, "in", slices * BLOCK);
		out = kit_buffer(&k, "out", slices * 8);
		kit_launch(&k, kit_module(&k, probe), "probe", sms, 1, 4,
			(uint64_t[]){KIT_BUF(in), KIT_BUF(out), slices, sm});
		kit_run(&k);
		for (unsigned s = 0; s < slices; s++, n++) {
			uint32_t cycles = kit_u32(&k, out, 2 * s + 1) - 2;
			uint64_t slice = (gpu_buffer_address(k.gpu, in) / BLOCK + s) % slices;

			m->miss[sm][slice] = (uint16_t)(kit_u32(&k, out, 2 * s) - 2);
			m->cycles[sm][slice] = (uint16_t)cycles;
			m->least = cycles < m->least ? cycles : m->least;
			m->most = cycles > m->most ? cycles : m->most;
			m->sum += cycles;
		}
		kit_free(&k);
	}
	m->sum /= n;
}

#define V100 \
	"chip.channels=32 chip.slices=1 chip.l2_cycles=175 chip.spread_cycles=73 " \
	"chip.read_cycles=375 l1.whole_line=false l2.fill_line=false l2.sector_bytes=32 "

/* V100: 175 to 248 by SM and slice, the mean 212. */
static void latencies_are_spread_evenly_from_least_to_most(void **state)
{
	static const char *const networks[] = {"crossbar", "voq", "ideal", "router"};
	static struct measured m;

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(networks); i++) {
		char settings[400];

		snprintf(settings, sizeof(settings), V100 "chip.network=%s", networks[i]);
		measure(settings, 80, 32, i ? 16 : 4, &m);
		assert_in_range(m.least, 175, 176);
		assert_in_range(m.most, 247, 248);
		assert_true(m.sum > 210 && m.sum < 213);
	}
}

/* The latency is the distance around the ring: SM 0 is beside slice 0 and the last one, and
 * opposite the middle. */
static void slices_beside_an_sm_are_near_and_opposite_ones_far(void **state)
{
	static struct measured m;

	(void)state;
	measure(V100, 64, 32, 63, &m);
	assert_int_equal(m.cycles[0][0], 176); /* half a slice's share away: 73 / 64 */
	assert_int_equal(m.cycles[0][31], m.cycles[63][0]);
	assert_int_equal(m.cycles[63][31], 176);
	assert_int_equal(m.cycles[0][16], 247);
	for (unsigned s = 1; s < 16; s++)
		assert_true(m.cycles[0][s] > m.cycles[0][s - 1]);
}

/* A100: 208 near, 357 far. H100: 258 and 414. */
static void the_other_side_is_as_far_as_it_says(void **state)
{
	static const struct {
		const char *settings;
		unsigned sms, slices, near, far;
	} cases[] = {
		{"chip.channels=80 chip.slices=1 chip.bytes_per_ns=1555 chip.sides=2 "
		 "chip.l2_cycles=208 chip.side_cycles=149 chip.read_cycles=475",
			108, 80, 208, 357},
		{"chip.channels=48 chip.slices=2 chip.bytes_per_ns=3350 chip.sides=2 "
		 "chip.l2_cycles=258 chip.side_cycles=156 chip.read_cycles=700",
			132, 96, 258, 414},
	};
	static struct measured m;

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		unsigned sms = cases[i].sms, channels = cases[i].slices / (1 + i);

		measure(cases[i].settings, sms, cases[i].slices, sms / 4, &m);
		for (unsigned sm = 0; sm < sms; sm += sms / 4)
			for (unsigned s = 0; s < cases[i].slices; s++) {
				bool here = (sm < sms / 2) == (s % channels < channels / 2);

				assert_int_equal(
					m.cycles[sm][s], here ? cases[i].near : cases[i].far);
			}
	}
}

static void latencies_that_the_path_cannot_give_are_refused(void **state)
{
	static const struct {
		const char *settings, *says;
	} cases[] = {
		{"chip.l2_cycles=50",
			"chip.l2_cycles = 50: must be at least 89, which the path to"},
		{"chip.read_cycles=110", "chip.read_cycles = 110: the path to DRAM and back"},
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(cases); i++)
		kit_refused(cases[i].settings, cases[i].says);
}

/* A closed bank is later than the row hit described: by tRCD, 15.9 cycles, in whole clocks. */
static void expect_miss(const struct measured *m, unsigned sm, unsigned s, bool closed)
{
	int more = m->miss[sm][s] - m->cycles[sm][s] - (375 - 175);

	if (closed ? more < 15 || more > 17 : more != 0)
		fail_msg("SM %u, slice %u: a miss takes %u, a hit %u", sm, s, m->miss[sm][s],
			m->cycles[sm][s]);
}

static void a_miss_is_later_by_the_same_distance(void **state)
{
	static const char *const settings[] = {V100, V100 "chip.network=router",
		V100 "chip.dram=banked dram.device=hbm2 dram.tck_ps=1138 dram.refresh=false"};
	static struct measured m;

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(settings); i++) {
		measure(settings[i], 80, 32, 40, &m);
		for (unsigned sm = 0; sm < 80; sm += 40)
			for (unsigned s = 0; s < 32; s++)
				expect_miss(&m, sm, s, i == 2);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(latencies_are_spread_evenly_from_least_to_most),
		cmocka_unit_test(slices_beside_an_sm_are_near_and_opposite_ones_far),
		cmocka_unit_test(the_other_side_is_as_far_as_it_says),
		cmocka_unit_test(latencies_that_the_path_cannot_give_are_refused),
		cmocka_unit_test(a_miss_is_later_by_the_same_distance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
