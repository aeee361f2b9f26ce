/* Address translation: what each miss adds to a load, which accesses are translated, and that
 * nothing is lost (Mei et al., NPC 2014, section 4.2 and table 3). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "chip/inside.h"
#include "noc/mmu_state.h"
#include "sm/state.h"
#include "tests/rig/support_gpu.h"

#define FOUR \
	"ld.global.u32 %r1, [%r1]; ld.global.u32 %r1, [%r1]; " \
	"ld.global.u32 %r1, [%r1]; ld.global.u32 %r1, [%r1];\n"
#define SIXTEEN FOUR FOUR FOUR FOUR
#define HEAD \
	".version 7.0\n.target sm_70\n.address_size 32\n" \
	".visible .entry k(.param .u32 in, .param .u32 out, .param .u32 n)\n" \
	"{ .reg .b32 %r<16>; .reg .pred %p<3>;\n" \
	"ld.param.u32 %r1, [in]; ld.param.u32 %r2, [out]; ld.param.u32 %r3, [n];\n"

/* Follows pointers 16 n times, and as often again for time. */
static const char chase[] =
	HEAD "mov.u32 %r4, %r3;\n"
	     "WARM: sub.u32 %r4, %r4, 1; setp.ne.u32 %p1, %r4, 0;\n" SIXTEEN "@%p1 bra WARM;\n"
	     "add.u32 %r5, %r1, 0; mov.u32 %r6, %clock;\n"
	     "TIME: sub.u32 %r3, %r3, 1; setp.ne.u32 %p2, %r3, 0;\n" SIXTEEN "@%p2 bra TIME;\n"
	     "add.u32 %r5, %r1, 0; mov.u32 %r7, %clock;\n"
	     "sub.u32 %r8, %r7, %r6; st.global.v2.u32 [%r2], {%r8, %r5};\n"
	     "ret; }\n";

/* Cycles of 16 n loads after as many, on a ring of `ring` words that are `step` bytes apart. */
static uint32_t timed(const char *settings, unsigned ring, unsigned step, unsigned n)
{
	struct kit k = kit_new(settings);
	buffer_t in = kit_buffer(&k, "in", (uint64_t)ring * step), out = kit_buffer(&k, "out", 8);
	uint64_t base = gpu_buffer_address(k.gpu, in);
	uint32_t cycles;

	for (unsigned i = 0; i < ring; i++) {
		uint32_t to = (uint32_t)(base + (uint64_t)(i + 1) % ring * step);

		gpu_write(k.gpu, in, (uint64_t)i * step, &to, 4);
	}
	kit_launch(&k, kit_module(&k, chase), "k", 1, 1, 3,
		(uint64_t[]){KIT_BUF(in), KIT_BUF(out), n});
	kit_run(&k);
	cycles = kit_u32(&k, out, 0);
	kit_free(&k);
	return cycles;
}

/* Cycles of a load: the difference between two lengths of the chase. */
static double load_cycles(const char *settings, unsigned ring, unsigned step, unsigned n)
{
	uint32_t more = timed(settings, ring, step, 2 * n), less = timed(settings, ring, step, n);

	return (more - less) / 16.0 / n;
}

/* ---- what a miss costs */
#define LOADS "chip.sms=2 chip.l2_cycles=230 chip.read_cycles=371 l1.keeps=none "
#define NARROW "l1.sector_bytes=32 l2.fill_line=false l2.sector_bytes=32 l2.fetch_bytes=32 "
#define WALKS \
	"mmu.page_bytes=4096 mmu.l2_cycles=6 mmu.walk_cycles=53 mmu.upper_cycles=163 " \
	"mmu.switch_cycles=266 "
#define KEPLER LOADS NARROW WALKS

#define COLD 80u /* a ring of which no load is repeated */

static const struct pattern {
	const char *what, *settings;
	unsigned ring, step;
	double cycles;
} patterns[] = {
	{"1: the page is in the L1 TLB", KEPLER, 16, 128, 230},
	{"1: so are sixteen", KEPLER, 16, 4096 + 128, 230},
	{"2: in the L2 TLB", KEPLER "mmu.l1_entries=1", 16, 4096 + 128, 236},
	{"3: its entry in the L2", KEPLER "mmu.l1_entries=1 mmu.l2_sets=1", 16, 4096 + 128, 289},
	{"4: the data in DRAM", KEPLER "mmu.page_bytes=1G", COLD, 4096, 371},
	{"5: its entry in DRAM as well", KEPLER "mmu.l1_entries=1 mmu.l2_sets=1", COLD, 4096, 734},
	{"6: in another window", KEPLER "mmu.l1_entries=1 mmu.l2_sets=1 mmu.window_bytes=4096",
		COLD, 4096, 1000},
	{"2, with an L1 that has the line",
		"l1.hit_cycles=30 chip.l2_cycles=200 " WALKS "mmu.l1_entries=1", 16, 4096 + 128,
		206},
	{"walks take no time",
		LOADS "mmu.page_bytes=4096 mmu.l1_entries=1 mmu.l2_sets=1 "
		      "mmu.walk_cycles=0 mmu.l2_cycles=5",
		16, 4096 + 128, 235},
	{"3, with windows of 30 cycles and another clock",
		LOADS NARROW WALKS "mmu.l1_entries=1 mmu.l2_sets=1 chip.window=30 "
				   "chip.link_cycles=30 chip.l2_mhz=500 mmu.walk_cycles=90",
		16, 4096 + 128, 230 + 6 + 90},
	{"3, in a mesh with sides",
		KEPLER "mmu.l1_entries=1 mmu.l2_sets=1 chip.network=ideal "
		       "chip.sides=2 chip.side_cycles=50 chip.channels=1",
		16, 4096 + 128, 289},
};

static void each_miss_adds_what_its_parameter_says(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(patterns); i++) {
		const struct pattern *p = &patterns[i];
		double cycles = load_cycles(
			p->settings, p->ring, p->step, p->ring == COLD ? 1 : p->ring / 16);

		if (fabs(cycles - p->cycles) > 0.01)
			fail_msg("pattern %s: %g cycles, not %g", p->what, cycles, p->cycles);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_miss_adds_what_its_parameter_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
