/* Figures derived from the statistics, each computed again from the counts of the parts. */
#include "tests/rig/support_gpu.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Each thread loads a word, odd ones of shared memory; even ones then copy `base` + 2 * CTA words,
 * lines apart. */
static const char uneven[] =
	".version 7.0\n.target sm_70\n.address_size 32\n"
	".visible .entry uneven(.param .u32 in, .param .u32 out, .param .u32 base)\n{\n"
	".reg .u32 %r<14>; .reg .pred %p<3>; .shared .align 4 .b8 s[256];\n"
	"ld.param.u32 %r1, [in]; ld.param.u32 %r2, [out]; ld.param.u32 %r3, [base];\n"
	"mov.u32 %r4, %tid.x; mov.u32 %r5, %ctaid.x; shl.b32 %r6, %r5, 1; add.u32 %r3, %r3, %r6;\n"
	"mad.lo.u32 %r7, %r5, 8192, %r4; shl.b32 %r7, %r7, 2; add.u32 %r1, %r1, %r7;\n"
	"add.u32 %r2, %r2, %r7; and.b32 %r8, %r4, 1; setp.ne.u32 %p1, %r8, 0;\n"
	"cvta.shared.u32 %r11, s; cvta.global.u32 %r12, %r1; selp.u32 %r13, %r11, %r12, %p1;\n"
	"ld.u32 %r13, [%r13]; @%p1 bra END;\n"
	"L: ld.global.u32 %r9, [%r1]; ld.global.u32 %r10, [%r1]; st.global.u32 [%r2], %r9;\n"
	"add.u32 %r1, %r1, 512; add.u32 %r2, %r2, 512; sub.u32 %r3, %r3, 1;\n"
	"setp.ne.u32 %p2, %r3, 0; @%p2 bra L;\n"
	"END: ret; }\n";

static struct kit run(const char *settings, unsigned ctas)
{
	struct kit k = kit_new(settings);
	buffer_t in = kit_buffer(&k, "in", 1 << 18), out = kit_buffer(&k, "out", 1 << 18);

	kit_launch(&k, kit_module(&k, uneven), "uneven", ctas, 64, 3,
		(uint64_t[]){KIT_BUF(in), KIT_BUF(out), 10});
	kit_run(&k);
	return k;
}

/* One statistic of all parts. */
struct spread {
	const char *name;
	double sum, most;
};

static void note(void *ctx, const char *part, const struct metric *m)
{
	struct spread *s = ctx;
	double v = m->is_real ? m->real : (double)m->count;

	(void)part;
	if (strcmp(m->name, s->name) != 0)
		return;
	s->sum += v;
	s->most = fmax(s->most, v);
}

static struct spread spread_of(const struct kit *k, const char *name)
{
	struct spread s = {.name = name};

	chip_part_metrics(k->gpu, note, &s);
	return s;
}

static void is_about(double a, double b)
{
	if (fabs(a - b) > 1e-9 * fabs(b))
		fail_msg("%.12g is not %.12g", a, b);
}

/* CTAs on three of four SMs. */
static void rates_are_per_sm_and_of_its_active_cycles(void **state)
{
	struct kit k = run("chip.sms=4 sm.warps=16", 3);
	double cycles = kit_metric(&k, "gpc__cycles_elapsed.max");
	double active = spread_of(&k, "sm__cycles_active.sum").sum;
	double executed = spread_of(&k, "smsp__inst_executed.sum").sum;

	(void)state;
	is_about(kit_metric(&k, "sm__inst_executed.avg.per_cycle_elapsed"), executed / cycles / 4);
	is_about(kit_metric(&k, "sm__inst_executed.sum.per_cycle_elapsed"), executed / cycles);
	is_about(kit_metric(&k, "sm__warps_active.avg.pct_of_peak_sustained_active"),
		100 * spread_of(&k, "sm__warps_active.sum").sum / 16 / active);
	is_about(kit_metric(&k, "sm__cycles_active.avg.pct_of_peak_sustained_elapsed"),
		100 * active / cycles / 4);
	is_about(kit_metric(&k, "rf__mrf_reads.avg.per_cycle_active"),
		spread_of(&k, "rf__mrf_reads.sum").sum / active);
	assert_true(active < 4 * cycles);
	kit_free(&k);
}

/* The mixed load is issued twice and executed once. */
static void lanes_are_those_of_executed_instructions(void **state)
{
	struct kit k = run("chip.sms=1", 1);
	double executed = spread_of(&k, "smsp__inst_executed.sum").sum;

	(void)state;
	assert_true(spread_of(&k, "smsp__inst_issued.sum").sum == executed + 2);
	is_about(kit_metric(&k, "smsp__thread_inst_executed_per_inst_executed.ratio"),
		spread_of(&k, "smsp__thread_inst_executed.sum").sum / executed);
	kit_free(&k);
}

/* The last CTA has the most to do; its SM's share is against the mean of all four. */
static void imbalance_is_the_busiest_part_against_the_mean(void **state)
{
	struct kit k = run("chip.sms=4", 3);
	struct spread executed = spread_of(&k, "smsp__inst_executed.sum");

	(void)state;
	assert_true(executed.most > executed.sum / 3);
	is_about(kit_metric(&k, "sm__inst_executed.imbalance"), executed.most * 4 / executed.sum);
	kit_free(&k);
}

static void hit_rates_are_of_lookups_and_dram_moves_both_ways(void **state)
{
	struct kit k = run("chip.sms=4 l2.bytes=0", 3);
	double reads = spread_of(&k, "dram__bytes_read.sum").sum;
	double writes = spread_of(&k, "dram__bytes_write.sum").sum;
	double hits = spread_of(&k, "l1tex__t_lines_load_lookup_hit.sum").sum;

	(void)state;
	assert_true(reads > 0 && writes > 0 && hits > 0);
	assert_true(kit_metric(&k, "dram__bytes.sum") == reads + writes);
	is_about(kit_metric(&k, "l1tex__t_line_load_hit_rate.pct"),
		100 * hits / spread_of(&k, "l1tex__t_lines_load.sum").sum);
	is_about(
		kit_metric(&k, "dram__bytes.sum.per_ns") * kit_metric(&k, "gpu__time_duration.sum"),
		reads + writes);
	kit_free(&k);
}

/* The window's reads are a maximum: of the SMs, not their sum. */
static void a_total_of_maxima_is_the_largest(void **state)
{
	struct kit k = run("chip.sms=4", 3);
	struct spread window = spread_of(&k, "rf__mrf_reads_window.max");

	(void)state;
	assert_true(window.most < window.sum);
	assert_true(kit_metric(&k, "rf__mrf_reads_window.max") == window.most);
	is_about(kit_metric(&k, "rf__mrf_reads.max.per_cycle_active"), window.most / 256);
	kit_free(&k);
}

/* The second launch finds in the L2 what the first one read; the L1s are emptied between them. */
static void a_launch_has_the_l2_hits_of_its_own_reads(void **state)
{
	struct kit k = kit_new("chip.sms=4");
	module_t m = kit_module(&k, uneven);
	buffer_t in = kit_buffer(&k, "in", 1 << 18), out = kit_buffer(&k, "out", 1 << 18);
	struct launch_report l[2];

	(void)state;
	for (unsigned i = 0; i < 2; i++)
		kit_launch(&k, m, "uneven", 3, 64, 3, (uint64_t[]){KIT_BUF(in), KIT_BUF(out), 10});
	kit_run(&k);
	for (unsigned i = 0; i < 2; i++)
		chip_launch_report(k.gpu, i, &l[i]);
	assert_int_equal(l[0].l2_hits, 0);
	assert_int_not_equal(l[1].l2_sectors, 0);
	assert_int_equal(l[1].l2_hits, l[1].l2_sectors);
	kit_free(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rates_are_per_sm_and_of_its_active_cycles),
		cmocka_unit_test(lanes_are_those_of_executed_instructions),
		cmocka_unit_test(imbalance_is_the_busiest_part_against_the_mean),
		cmocka_unit_test(a_total_of_maxima_is_the_largest),
		cmocka_unit_test(a_launch_has_the_l2_hits_of_its_own_reads),
		cmocka_unit_test(hit_rates_are_of_lookups_and_dram_moves_both_ways),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
