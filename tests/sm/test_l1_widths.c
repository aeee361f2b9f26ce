/* Latencies of hits and of shared memory by the bits that a lane accesses. */
#include "tests/rig/support_sm.h"

#include "core/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define WIDTHS_SET \
	" l1.hit_cycles=29 l1.hit_cycles_64=31 l1.hit_cycles_128=35 sm.shared_cycles=24 " \
	"sm.shared_cycles_64=25 sm.shared_cycles_128=27"

/* Cycles between the clocks around one load and its use, by one thread; the line is in the L1. */
static unsigned latency(const char *settings, const char *load)
{
	const char *from = strstr(load, "shared") ? "buf" : "%r1";
	struct text t = {0};
	unsigned cycles;

	text_raw(&t,
		"ld.global.u32 %%r9, [%%r1]; add.u32 %%r9, %%r9, 1;\n"
		"setp.eq.u32 %%p1, %%r9, 77; @%%p1 bra END;\n%s"
		"%s, [%s]; add.u32 %%r10, %%r10, 1;\n%s"
		"st.global.u32 [%%r2+4096], %%r10;\n",
		CLOCK_START, load, from, CLOCK_STOP);
	cycles = probe_cycles(
		&(struct probe){.settings = settings, .body = text_str(&t), .threads = 1});
	text_clear(&t);
	return cycles - 2;
}

static const struct {
	const char *load;
	unsigned unset, set;
} rows[] = {
	{"ld.global.u8 %r10", 20, 29},
	{"ld.global.u32 %r10", 20, 29},
	{"ld.global.v2.u32 {%r10,%r11}", 20, 31},
	{"ld.global.v4.u16 {%r10,%r11,%r12,%r13}", 20, 31},
	{"ld.global.v4.u32 {%r10,%r11,%r12,%r13}", 20, 35},
	{"ld.shared.u32 %r10", 20, 24},
	{"ld.shared.v2.u32 {%r10,%r11}", 20, 25},
	{"ld.shared.v4.u32 {%r10,%r11,%r12,%r13}", 20, 27},
};

static void a_wider_load_takes_its_own_cycles(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(rows); i++) {
		unsigned unset = latency(ONE_SM, rows[i].load);
		unsigned set = latency(ONE_SM WIDTHS_SET, rows[i].load);

		if (unset != rows[i].unset || set != rows[i].set)
			fail_msg("%s: %u and %u", rows[i].load, unset, set);
	}
}

/* The same in an arbiter that moves banks cycle by cycle, and in the texture cache. */
static void so_it_does_on_every_way(void **state)
{
	(void)state;
	assert_int_equal(latency(ONE_SM " chip.storage=fermi sm.bank_conflicts=cycle" WIDTHS_SET,
				 "ld.global.v2.u32 {%r10,%r11}"),
		latency(ONE_SM " chip.storage=fermi sm.bank_conflicts=cycle l1.hit_cycles=29",
			"ld.global.u32 %r10") +
			2);
	assert_int_equal(latency(ONE_SM " chip.storage=fermi sm.bank_conflicts=cycle" WIDTHS_SET,
				 "ld.shared.v4.u32 {%r10,%r11,%r12,%r13}"),
		latency(ONE_SM " chip.storage=fermi sm.bank_conflicts=cycle sm.shared_cycles=27",
			"ld.shared.v4.u32 {%r10,%r11,%r12,%r13}"));
}

static void cycles_of_read_only_hits(void **state)
{
	static const char body[] =
		"ld.global.nc.u32 %r9, [%r1]; add.u32 %r9, %r9, 1;\n"
		"setp.eq.u32 %p1, %r9, 77; @%p1 bra END;\n" CLOCK_START
		"ld.global.nc.u32 %r10, [%r1]; add.u32 %r10, %r10, 1;\n" CLOCK_STOP
		"st.global.u32 [%r2+4096], %r10;\n";
	static const char nc[] = ONE_SM " l1.operators=true l1.read_only=tex";
	static const char own[] =
		ONE_SM " l1.operators=true l1.read_only=tex l1.read_only_cycles=110";

	(void)state;
	assert_int_equal(probe_cycles(&(struct probe){nc, body, 1, 1}), 2 + 20);
	assert_int_equal(probe_cycles(&(struct probe){own, body, 1, 1}), 2 + 110);
}

static void a_hit_takes_two_cycles_at_least(void **state)
{
	(void)state;
	kit_refused("l1.hit_cycles_64=1", "l1.hit_cycles_64 = 1: the tags alone take a cycle");
	kit_refused("l1.hit_cycles_128=1", "must be at least 2, or 0 for l1.hit_cycles");
	kit_refused("sm.bank_conflicts=cycle sm.shared_cycles_128=1",
		"sm.shared_cycles_128 = 1: with sm.bank_conflicts = cycle at least 2");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_wider_load_takes_its_own_cycles),
		cmocka_unit_test(so_it_does_on_every_way),
		cmocka_unit_test(cycles_of_read_only_hits),
		cmocka_unit_test(a_hit_takes_two_cycles_at_least),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
