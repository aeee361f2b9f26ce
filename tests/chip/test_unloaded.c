/* The unloaded latency of each level, by a pointer chase: what a description says is what a single
 * load measures. */
#include "tests/rig/chase.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct described {
	const char *settings;
	double l1, l2, dram;
};

#define SECTORS "l1.whole_line=false l1.sector_bytes=32 l2.fill_line=false l2.sector_bytes=32 "

static const struct described described[] = {
	{"", 20, 109, 400}, {"chip.network=voq", 20, 109, 400},
	{"chip.network=ideal l1.hit_cycles=33", 33, 109, 400},
	{"chip.l2_cycles=212 chip.read_cycles=375", 20, 212, 375},
	{"chip.l2_cycles=212 chip.read_cycles=375 l1.pass_cycles=7", 20, 219, 382},
	{"l1.pass_cycles=7 l1.keeps=none", 109 - 3, 109 - 3, 400 - 3}, /* a flit, not four */
	/* 96 bytes more than 32 of 64 B/ns / 6 */
	{"chip.bytes_per_ns=64 dram.first_bytes=32", 20, 109, 409},
	{"chip.bytes_per_ns=64 dram.first_bytes=128", 20, 109, 400},
	{"chip.l2_cycles=212 chip.read_cycles=375 l1.hit_cycles=28 " SECTORS, 28, 212, 375},
	{"chip.l2_cycles=205 chip.read_cycles=541 chip.network=router " SECTORS, 20, 205, 541},
	{"chip.l2_cycles=200 chip.read_cycles=475 noc.reply.header_apart=1 noc.reply.sm_bytes=64 "
	 "noc.reply.slice_bytes=64 " SECTORS,
		20, 200, 475},
	{"chip.l2_cycles=200 chip.read_cycles=475 noc.reply.header_apart=1 noc.reply.sm_bytes=64",
		20, 200, 475},
	{"chip.l2_cycles=188 chip.read_cycles=300 chip.dram=banked dram.device=gddr6_14000 "
	 "dram.closed_page=1 dram.refresh=0 " SECTORS,
		20, 188, 300 + 27 * 0.57}, /* a closed bank: tRCD, 27 clocks of 0.57 cycles */
};

static void expect(const char *settings, const char *level, double cycles, double says)
{
	double within = says == floor(says) ? 0.01 : 0.5; /* in whole cycles and clocks */

	if (fabs(cycles - says) > within)
		fail_msg("%s: %s takes %g cycles, not %g", settings, level, cycles, says);
}

static void each_level_takes_what_its_description_says(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(described); i++) {
		const struct described *d = &described[i];

		expect(d->settings, "an L1 hit", chase_load_cycles(d->settings, 16, 128, 1), d->l1);
		/* five lines for each set of four ways: none stays in the L1, all do in the L2 */
		expect(d->settings, "an L2 hit", chase_load_cycles(d->settings, 640, 128, 40),
			d->l2);
		expect(d->settings, "DRAM", chase_load_cycles(d->settings, 80, 4096, 1), d->dram);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_level_takes_what_its_description_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
