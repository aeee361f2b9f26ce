/* Address translation: what each miss adds to a load, which accesses are translated, and that
 * nothing is lost (Mei et al., NPC 2014, section 4.2 and table 3). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/base.h"
#include "tests/rig/chase.h"

#define HEAD \
	".version 7.0\n.target sm_70\n.address_size 32\n" \
	".visible .entry k(.param .u32 in, .param .u32 out, .param .u32 n)\n" \
	"{ .reg .b32 %r<16>; .reg .pred %p<3>;\n" \
	"ld.param.u32 %r1, [in]; ld.param.u32 %r2, [out]; ld.param.u32 %r3, [n];\n"

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
		double cycles = chase_load_cycles(
			p->settings, p->ring, p->step, p->ring == COLD ? 1 : p->ring / 16);

		if (fabs(cycles - p->cycles) > 0.01)
			fail_msg("pattern %s: %g cycles, not %g", p->what, cycles, p->cycles);
	}
}

/* A hit in both L1 and TLB takes what it takes without translation; other loads the inner link. */
static void a_tlb_larger_than_memory_costs_its_link_only(void **state)
{
	static const char plain[] = "chip.sms=2 chip.read_cycles=0";
	static const char free_of_charge[] =
		"chip.sms=2 chip.read_cycles=0 mmu.page_bytes=1G mmu.l2_cycles=0 "
		"mmu.walk_cycles=0 mmu.upper_cycles=0";
	static const struct {
		unsigned ring, step, n;
		double more;
	} cases[] = {{16, 128, 1, 0}, {640, 128, 40, 1}, {80, 4096, 1, 1}};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		double with =
			chase_load_cycles(free_of_charge, cases[i].ring, cases[i].step, cases[i].n);
		double without = chase_load_cycles(plain, cases[i].ring, cases[i].step, cases[i].n);

		assert_true(fabs(with - without - cases[i].more) < 0.01);
	}
}

/* ---- which accesses are translated */
#define COUNTED "chip.sms=1 mmu.page_bytes=4096 storage.partitioned.cache_bytes=64K "

/* %r1 points to 64 pages, %r4 is the lane. */
static const struct accesses {
	const char *what, *settings, *body;
	unsigned threads, lookups, misses, requests, walks;
} accesses[] = {
	{"a load", COUNTED, "ld.global.u32 %r5, [%r1];", 1, 1, 1, 1, 1},
	{"loads of one page, one after the other", COUNTED,
		"ld.global.u32 %r5, [%r1]; add.u32 %r6, %r1, %r5; ld.global.u32 %r5, [%r6+256];", 1,
		2, 1, 1, 1},
	{"loads of one page, before the first has come back", COUNTED,
		"ld.global.u32 %r5, [%r1]; ld.global.u32 %r6, [%r1+256];", 1, 2, 2, 2, 1},
	{"stores, of which the first brings the page", COUNTED,
		"st.global.u32 [%r1], %r4; st.global.u32 [%r1+256], %r4;", 1, 2, 1, 1, 1},
	{"an atomic", COUNTED, "atom.global.add.u32 %r5, [%r1], 1;", 1, 1, 1, 1, 1},
	{"a reduction", COUNTED, "red.global.add.u32 [%r1], 1;", 1, 1, 1, 1, 1},
	{"local memory", COUNTED, "st.local.u32 [l], %r4; ld.local.u32 %r5, [l];", 1, 2, 1, 1, 1},
	{"32 lines of one page", COUNTED,
		"shl.b32 %r5, %r4, 7; add.u32 %r5, %r1, %r5; ld.global.u32 %r6, [%r5];", 32, 32, 1,
		32, 1},
	{"lines of 32 pages", COUNTED,
		"shl.b32 %r5, %r4, 12; add.u32 %r5, %r1, %r5; ld.global.u32 %r6, [%r5];", 32, 32,
		32, 32, 32},
	{"lines of 32 pages, one walk at a time", COUNTED "mmu.walks=1",
		"shl.b32 %r5, %r4, 12; add.u32 %r5, %r1, %r5; ld.global.u32 %r6, [%r5];", 32, 32,
		32, 32, 32},
	{"lines of 32 pages, one packet at a time", COUNTED "mmu.requests=1",
		"shl.b32 %r5, %r4, 12; add.u32 %r5, %r1, %r5; ld.global.u32 %r6, [%r5];", 32, 32,
		32, 32, 32},
	{"loads without an L1", COUNTED "l1.keeps=none",
		"ld.global.u32 %r5, [%r1]; add.u32 %r6, %r1, %r5; ld.global.u32 %r5, [%r6];", 1, 2,
		1, 1, 1},
	{"a store and a load of its page", COUNTED,
		"st.global.u32 [%r1], %r4; ld.global.u32 %r5, [%r1+256];", 1, 2, 1, 1, 1},
};

/* Runs the body in `launches` launches. */
static struct kit ran(const char *settings, const char *body, unsigned threads, unsigned launches)
{
	struct kit k = kit_new(settings);
	buffer_t in = kit_buffer(&k, "in", 64 * 4096), out = kit_buffer(&k, "out", 8);
	struct text ptx = {0};
	module_t m;

	text_raw(&ptx, "%s.local .align 4 .b8 l[8];\nmov.u32 %%r4, %%tid.x;\n%s\nret; }\n", HEAD,
		body);
	m = kit_module(&k, text_str(&ptx));
	text_clear(&ptx);
	for (unsigned i = 0; i < launches; i++)
		kit_launch(&k, m, "k", 1, threads, 3, (uint64_t[]){KIT_BUF(in), KIT_BUF(out), 0});
	kit_run(&k);
	return k;
}

static void expect(struct kit *k, const char *what, const char *name, double value)
{
	double is = kit_metric(k, name);

	if (is != value)
		fail_msg("%s: %s is %g, not %g", what, name, is, value);
}

static void each_line_of_memory_is_looked_up_once(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(accesses); i++) {
		const struct accesses *a = &accesses[i];
		struct kit k = ran(a->settings, a->body, a->threads, 1);

		expect(&k, a->what, "mmu__l1_lookups.sum", a->lookups);
		expect(&k, a->what, "mmu__l1_misses.sum", a->misses);
		expect(&k, a->what, "mmu__l1_requests.sum", a->requests);
		expect(&k, a->what, "mmu__l2_lookups.sum", a->requests);
		expect(&k, a->what, "mmu__walks.sum", a->walks);
		expect(&k, a->what, "mmu__l2_merged.sum", a->requests - a->walks);
		kit_free(&k);
	}
}

static void without_its_page_a_line_is_not_looked_up_in_the_l1(void **state)
{
	static const char body[] = "ld.global.u32 %r5, [%r1]; add.u32 %r6, %r1, %r5;\n"
				   "ld.global.u32 %r5, [%r6+4096]; add.u32 %r6, %r1, %r5;\n"
				   "ld.global.u32 %r5, [%r6];";
	static const char *const settings[] = {COUNTED "mmu.l1_entries=1 ",
		COUNTED "mmu.l1_entries=1 l1.whole_line=false l1.sector_bytes=32 ",
		COUNTED "mmu.l1_entries=1 l1.reserve=true "};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(settings); i++) {
		struct kit k = ran(settings[i], body, 1, 1);

		expect(&k, "one entry", "l1tex__t_lines_load_lookup_hit.sum", 0);
		expect(&k, "one entry", "mmu__l1_misses.sum", 3);
		expect(&k, "one entry", "mmu__walks.sum", 2);
		kit_free(&k);
	}
	{
		struct kit k = ran(COUNTED "mmu.l1_entries=2", body, 1, 1);

		expect(&k, "two entries", "l1tex__t_lines_load_lookup_hit.sum", 1);
		kit_free(&k);
	}
}

static void a_newer_launch_finds_empty_tlbs(void **state)
{
	static const char body[] = "ld.global.u32 %r5, [%r1];";
	struct kit k = ran(COUNTED "mmu.window_bytes=4096", body, 1, 3);

	(void)state;
	expect(&k, "invalidated", "mmu__l1_misses.sum", 3);
	expect(&k, "invalidated", "mmu__walks.sum", 3);
	expect(&k, "invalidated", "mmu__switches.sum", 0);
	kit_free(&k);
	k = ran(COUNTED "sm.invalidate_l1=false", body, 1, 3);
	expect(&k, "kept", "mmu__l1_misses.sum", 1);
	expect(&k, "kept", "mmu__l2_lookups.sum", 1);
	kit_free(&k);
}

/* Two SMs want one page: the later one waits for the other's walk, the earlier one's L2 TLB serves
 * a third. */
static void sms_share_the_l2_tlb_and_its_walks(void **state)
{
	struct kit k = kit_new("chip.sms=4 mmu.page_bytes=1M chip.dispatch=static");
	buffer_t in = kit_buffer(&k, "in", 4096), out = kit_buffer(&k, "out", 8);
	struct text ptx = {0};

	(void)state;
	text_raw(&ptx, "%sld.global.u32 %%r5, [%%r1];\nret; }\n", HEAD);
	kit_launch(&k, kit_module(&k, text_str(&ptx)), "k", 4, 1, 3,
		(uint64_t[]){KIT_BUF(in), KIT_BUF(out), 0});
	text_clear(&ptx);
	kit_run(&k);
	expect(&k, "four SMs", "mmu__l1_misses.sum", 4);
	expect(&k, "four SMs", "mmu__walks.sum", 1);
	expect(&k, "four SMs", "mmu__l2_merged.sum", 3);
	expect(&k, "four SMs", "mmu__requests_waiting.max", 4);
	kit_free(&k);
}

static void full_tables_stall_ports_and_lose_nothing(void **state)
{
	(void)state;
	/* one walk at a time; one packet */
	for (unsigned i = 9; i < 11; i++) {
		struct kit k = ran(accesses[i].settings, accesses[i].body, 32, 1);

		expect(&k, accesses[i].what, "mmu__walks_in_flight.max", 1);
		expect(&k, accesses[i].what, "mmu__requests_waiting.max", 1);
		/* 32 walks one after the other, each at least 84 + 27 cycles; the first waits for
		 * none */
		assert_true(kit_metric(&k, "mmu__stall_cycles.sum") >= 31 * (84 + 27));
		kit_free(&k);
	}
	{
		struct kit k = ran(accesses[8].settings, accesses[8].body, 32, 1);

		expect(&k, "many walks", "mmu__stall_cycles.sum", 0);
		kit_free(&k);
	}
}

/* ---- order */
#define ADD8 \
	"add.u32 %r9, %r9, 1; add.u32 %r9, %r9, 1; add.u32 %r9, %r9, 1; add.u32 %r9, %r9, 1; " \
	"add.u32 %r9, %r9, 1; add.u32 %r9, %r9, 1; add.u32 %r9, %r9, 1; add.u32 %r9, %r9, 1;\n"

/* Cycles of a load whose page is walked; the L2 TLB gets to know another page before. */
static uint32_t walked_beside(const char *other)
{
	struct text body = {0};
	uint32_t cycles;
	struct kit k;

	text_raw(&body,
		"mov.u32 %%r9, 0; ld.global.u32 %%r5, [%%r1]; add.u32 %%r6, %%r1, %%r5;\n"
		"ld.global.u32 %%r5, [%%r6+8192]; add.u32 %%r6, %%r1, %%r5;\n"
		"mov.u32 %%r7, %%clock; ld.global.u32 %%r8, [%%r6+4096];\n%s%s\n"
		"add.u32 %%r10, %%r8, %%r9; mov.u32 %%r11, %%clock;\n"
		"sub.u32 %%r11, %%r11, %%r7; st.global.u32 [%%r2], %%r11;",
		ADD8 ADD8 ADD8 ADD8 ADD8 ADD8 ADD8, other);
	k = ran(COUNTED "mmu.l1_entries=1 mmu.l2_cycles=200 mmu.upper_cycles=0", text_str(&body), 1,
		1);
	text_clear(&body);
	cycles = kit_u32(&k, 2, 0);
	kit_free(&k);
	return cycles;
}

/* A walk ends while a packet that came later, whose page the L2 TLB has, still waits for it. */
static void packets_leave_when_their_own_translation_is_known(void **state)
{
	uint32_t alone = walked_beside("");

	(void)state;
	assert_in_range(alone, 400 + 200 + 84 + 280, 400 + 200 + 84 + 320);
	assert_int_equal(walked_beside("st.global.u32 [%r6+128], %r9;"), alone);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_miss_adds_what_its_parameter_says),
		cmocka_unit_test(a_tlb_larger_than_memory_costs_its_link_only),
		cmocka_unit_test(each_line_of_memory_is_looked_up_once),
		cmocka_unit_test(without_its_page_a_line_is_not_looked_up_in_the_l1),
		cmocka_unit_test(a_newer_launch_finds_empty_tlbs),
		cmocka_unit_test(sms_share_the_l2_tlb_and_its_walks),
		cmocka_unit_test(full_tables_stall_ports_and_lose_nothing),
		cmocka_unit_test(packets_leave_when_their_own_translation_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
