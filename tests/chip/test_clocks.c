/* Clocks of SMs, L2 and DRAM: what is counted in whose cycles, and time that is true for any. */
#include "core/base.h"
#include "tests/rig/support_gpu.h"
#include "tests/rig/trace_rig.h"
#include "tests/rig/vcd_reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define HEAD ".version 5.0\n.target sm_35\n.address_size 32\n"
#define AWKWARD "chip.sm_mhz=1400 chip.l2_mhz=950 " /* 714 and 1053 ps */

/* n loads, `step` apart, each after a pause: the clock before and after each, and the timer. */
static const char probe[] = HEAD
	".visible .entry probe(.param .u32 in, .param .u32 out, .param .u32 n, .param .u32 step)\n"
	"{ .reg .b32 %r<16>; .reg .b64 %t<4>; .reg .pred %p<2>;\n"
	"ld.param.u32 %r1, [in]; ld.param.u32 %r2, [out]; ld.param.u32 %r9, [n];\n"
	"ld.param.u32 %r11, [step];\n"
	"ld.global.u32 %r4, [%r1]; add.u32 %r5, %r4, 1;\n"
	"LOOP: and.b32 %r10, %r9, 31; add.u32 %r10, %r10, 40;\n"
	"WAIT: sub.u32 %r10, %r10, 1; setp.ne.u32 %p1, %r10, 0; @%p1 bra WAIT;\n"
	"mov.u32 %r3, %clock;\n"
	"ld.global.u32 %r4, [%r1];\n"
	"add.u32 %r5, %r4, 1;\n"
	"mov.u32 %r6, %clock;\n"
	"mov.u64 %t1, %globaltimer;\n"
	"st.global.u32 [%r2], %r3; st.global.u32 [%r2+4], %r6;\n"
	"st.global.u64 [%r2+8], %t1;\n"
	"add.u32 %r1, %r1, %r11; add.u32 %r2, %r2, 16; sub.u32 %r9, %r9, 1;\n"
	"setp.ne.u32 %p1, %r9, 0; @%p1 bra LOOP;\n"
	"ret; }\n";

/* Every thread sums `n` elements of 16 bytes, `step` apart. */
static const char stream[] = HEAD
	".visible .entry stream(.param .u32 in, .param .u32 out, .param .u32 n, .param .u32 step)\n"
	"{ .reg .b32 %r<12>; .reg .f32 %f<8>; .reg .pred %p<2>;\n"
	"mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"
	"mad.lo.u32 %r4, %r1, %r2, %r3; shl.b32 %r5, %r4, 4;\n"
	"ld.param.u32 %r6, [in]; add.u32 %r6, %r6, %r5;\n"
	"ld.param.u32 %r7, [n]; ld.param.u32 %r8, [step];\n"
	"mov.f32 %f5, 0f00000000;\n"
	"LOOP: ld.global.v4.f32 {%f1,%f2,%f3,%f4}, [%r6];\n"
	"add.f32 %f5, %f5, %f1; add.f32 %f5, %f5, %f4;\n"
	"add.u32 %r6, %r6, %r8; sub.u32 %r7, %r7, 1;\n"
	"setp.ne.u32 %p1, %r7, 0; @%p1 bra LOOP;\n"
	"shl.b32 %r9, %r4, 2; ld.param.u32 %r10, [out]; add.u32 %r10, %r10, %r9;\n"
	"st.global.f32 [%r10], %f5;\n"
	"and.b32 %r9, %r4, 63; shl.b32 %r9, %r9, 2; ld.param.u32 %r10, [out];\n"
	"add.u32 %r10, %r10, %r9; setp.eq.u32 %p1, %r3, 0;\n"
	"@%p1 red.global.add.u32 [%r10], 1;\n"
	"ret; }\n";

/* ---- one load at a time */
#define PROBES 200u

struct seen {
	uint32_t from, to;
	uint64_t timer;
};

static void probe_loads(const char *settings, unsigned step, struct seen *seen)
{
	struct kit k = kit_new(settings);
	buffer_t in = kit_buffer(&k, "in", PROBES * step + 128),
		 out = kit_buffer(&k, "out", PROBES * 16);

	kit_launch(&k, kit_module(&k, probe), "probe", 1, 1, 4,
		(uint64_t[]){KIT_BUF(in), KIT_BUF(out), PROBES, step});
	kit_run(&k);
	for (unsigned i = 0; i < PROBES; i++)
		seen[i] = (struct seen){kit_u32(&k, out, 4 * i), kit_u32(&k, out, 4 * i + 1),
			kit_u32(&k, out, 4 * i + 2) | (uint64_t)kit_u32(&k, out, 4 * i + 3) << 32};
	kit_free(&k);
}

/* A load issued in cycle t of the SMs that hits in the L2: a cycle to the tags, four links of 20 SM
 * cycles, two cycles of the L2's clock in each network and 20 in the slice, and a flit of data
 * behind the reply's first. */
static uint64_t hit_is_back(uint64_t t, uint64_t sm_ps, uint64_t l2_ps)
{
	uint64_t link = 20 * sm_ps, cycle;

	cycle = div_up((t + 1) * sm_ps + link, l2_ps) + 2;
	cycle = div_up(cycle * l2_ps + link, l2_ps) + 20;
	cycle = div_up(cycle * l2_ps + link, l2_ps) + 2;
	return div_up(cycle * l2_ps + link, sm_ps) + div_up(l2_ps, sm_ps);
}

static void an_l2_hit_takes_the_edges_of_both_clocks(void **state)
{
	static const struct {
		const char *settings;
		unsigned sm_ps, l2_ps;
	} cases[] = {
		{"", 1000, 1000},
		{"chip.sm_mhz=1400", 714, 714},
		{AWKWARD, 714, 1053},
		{"chip.l2_mhz=500", 1000, 2000},
		{"chip.l2_mhz=1607", 1000, 622},
		{"chip.sm_mhz=700 chip.l2_mhz=3000", 1429, 333},
	};

	(void)state;
	for (unsigned c = 0; c < ARRAY_LEN(cases); c++) {
		struct seen seen[PROBES];
		char settings[200];

		snprintf(settings, sizeof(settings), "storage.partitioned.cache_bytes=0 %s",
			cases[c].settings);
		probe_loads(settings, 0, seen);
		for (unsigned i = 0; i < PROBES; i++) {
			uint64_t issued = seen[i].from + 1;

			assert_int_equal(seen[i].to - 1,
				hit_is_back(issued, cases[c].sm_ps, cases[c].l2_ps));
		}
	}
}

static void the_global_timer_is_nanoseconds(void **state)
{
	struct seen seen[PROBES];

	(void)state;
	probe_loads(AWKWARD, 0, seen);
	for (unsigned i = 0; i < PROBES; i++)
		assert_int_equal(seen[i].timer, (seen[i].to + 1) * 714 / 1000);
}

/* In the mean of the clocks' offsets; a cycle of the L2's is not divided. */
static void a_dram_read_takes_its_cycles_in_the_mean(void **state)
{
	static const struct {
		const char *settings;
		double sm_ps, l2_ps;
	} cases[] = {{"chip.sm_mhz=1400", 714, 714}, {AWKWARD, 714, 1053},
		{AWKWARD "chip.network=router", 714, 1053},
		{AWKWARD "chip.network=voq l2.bytes=0", 714, 1053},
		{AWKWARD "chip.network=ideal chip.read_cycles=700", 714, 1053},
		{"chip.l2_mhz=1607", 1000, 622}};

	(void)state;
	for (unsigned c = 0; c < ARRAY_LEN(cases); c++) {
		double wanted = strstr(cases[c].settings, "=700") ? 700 : 400, sum = 0;
		struct seen seen[PROBES];

		probe_loads(cases[c].settings, 128 * 12, seen);
		for (unsigned i = 1; i < PROBES; i++)
			sum += seen[i].to - seen[i].from - 2;
		sum /= PROBES - 1;
		if (fabs(sum - wanted) > 0.5 * cases[c].l2_ps / cases[c].sm_ps + 0.2)
			fail_msg("%s: %.3f cycles", cases[c].settings, sum);
	}
}

static void the_least_latency_is_what_the_path_allows(void **state)
{
	struct seen least[PROBES], more[PROBES];

	(void)state;
	probe_loads("chip.read_cycles=0", 128 * 12, least);
	/* the path's 111 cycles, and a line of 128 B at 256 / 6 B/ns */
	assert_int_equal(least[5].to - least[5].from, 111 + 3 + 2);
	probe_loads("chip.read_cycles=0 chip.dram=banked", 128 * 12, least);
	probe_loads("chip.read_cycles=150 chip.dram=banked", 128 * 12, more);
	assert_true(least[5].to - least[5].from < more[5].to - more[5].from);
	probe_loads(AWKWARD "chip.read_cycles=0", 128 * 12, least);
}

/* ---- many loads */
enum { READ, TIME = 0 };
static const char *const counted[] = {[READ] = "dram__bytes_read.sum",
	"gpc__cycles_elapsed.max",
	"chip__cycles_simulated.max",
	"smsp__inst_executed.sum",
	"sched__cycles_long_scoreboard.sum",
	"sched__cycles_lg_throttle.sum",
	"sched__cycles_wait.sum",
	"noc_request__wait_cycles.sum",
	"noc_reply__wait_cycles.sum",
	"lts__stall_cycles.sum",
	"lts__dram_reads.sum",
	"dram__bytes_write.sum"};
static const char *const timed[] = {
	[TIME] = "gpu__time_duration.sum", "dram__busy_ps.sum", "energy__core_leakage.sum"};
static const char *const rates[] = {"dram__bytes.sum.per_ns", "sm__cycles_elapsed.avg.per_second",
	"lts__cycles_elapsed.avg.per_second"};

struct measured {
	double counted[ARRAY_LEN(counted)], timed[ARRAY_LEN(timed)], rates[ARRAY_LEN(rates)];
};

static struct kit stream_kit(
	const char *settings, const struct chip_host *host, unsigned ctas, unsigned n)
{
	struct kit k = kit_new_host(settings, host);
	uint64_t threads = (uint64_t)ctas * 256;
	buffer_t in = kit_buffer(&k, "in", threads * 16 * n),
		 out = kit_buffer(&k, "out", threads * 4);

	kit_launch(&k, kit_module(&k, stream), "stream", ctas, 256, 4,
		(uint64_t[]){KIT_BUF(in), KIT_BUF(out), n, (uint32_t)threads * 16});
	kit_run(&k);
	return k;
}

static struct measured measure(const char *settings, unsigned ctas, unsigned n)
{
	struct kit k = stream_kit(settings, &(struct chip_host){.threads = 1}, ctas, n);
	struct measured m;

	for (unsigned i = 0; i < ARRAY_LEN(counted); i++)
		m.counted[i] = kit_metric(&k, counted[i]);
	for (unsigned i = 0; i < ARRAY_LEN(timed); i++)
		m.timed[i] = kit_metric(&k, timed[i]);
	for (unsigned i = 0; i < ARRAY_LEN(rates); i++)
		m.rates[i] = kit_metric(&k, rates[i]);
	kit_free(&k);
	return m;
}

static void twice_all_clocks_take_the_same_cycles_and_half_the_time(void **state)
{
	static const char *const cases[][2] = {
		{"chip.sm_mhz=1000", "chip.sm_mhz=2000 chip.bytes_per_ns=512"},
		{"chip.l2_mhz=800", "chip.sm_mhz=2000 chip.l2_mhz=1600 chip.bytes_per_ns=512"},
		{"chip.dram=banked", "chip.sm_mhz=2000 chip.dram=banked dram.tck_ps=375"},
		{"chip.network=mesh l2.bytes=4K",
			"chip.sm_mhz=2000 chip.network=mesh l2.bytes=4K chip.bytes_per_ns=512"},
	};

	(void)state;
	for (unsigned c = 0; c < ARRAY_LEN(cases); c++) {
		struct measured once = measure(cases[c][0], 96, 6);
		struct measured twice = measure(cases[c][1], 96, 6);

		for (unsigned i = 0; i < ARRAY_LEN(counted); i++)
			if (once.counted[i] != twice.counted[i])
				fail_msg("%s: %s: %.0f, %.0f", cases[c][1], counted[i],
					once.counted[i], twice.counted[i]);
		for (unsigned i = 0; i < ARRAY_LEN(timed); i++)
			assert_true(fabs(once.timed[i] / twice.timed[i] - 2) < 1e-3);
		for (unsigned i = 0; i < ARRAY_LEN(rates); i++)
			assert_true(fabs(twice.rates[i] / once.rates[i] - 2) < 1e-9);
	}
}

/* DRAM is the limit at each of these clocks of the SMs, the reply network's twelve inputs of 32 B a
 * cycle, a fifth of them headers, below 833 MHz. */
static void bandwidth_is_dram_s_or_the_networks_and_never_the_sms(void **state)
{
	static const struct {
		const char *settings;
		double bytes_per_ns;
	} cases[] = {
		{"chip.sm_mhz=700 chip.l2_mhz=500 chip.network=voq", 12 * 32 * 0.8 * 0.5},
		{"chip.sm_mhz=700 chip.l2_mhz=1000", 256},
		{"chip.sm_mhz=1000", 256},
		{"chip.sm_mhz=2000 chip.l2_mhz=1000", 256},
		{"chip.sm_mhz=2000 chip.l2_mhz=500 chip.network=voq", 12 * 32 * 0.8 * 0.5},
	};
	double least = INFINITY, most = 0;

	(void)state;
	for (unsigned c = 0; c < ARRAY_LEN(cases); c++) {
		struct measured m = measure(cases[c].settings, 1024, 6);
		double rate = m.counted[READ] / m.timed[TIME];

		if (cases[c].bytes_per_ns == 256) {
			least = fmin(least, rate);
			most = fmax(most, rate);
		}
		if (rate > cases[c].bytes_per_ns || rate < 0.93 * cases[c].bytes_per_ns)
			fail_msg("%s: %.2f B/ns of %.2f", cases[c].settings, rate,
				cases[c].bytes_per_ns);
	}
	assert_true(most < 1.01 * least);
}

/* All cycles of all schedulers have one owner, and power is energy over time. */
static void cycles_and_energy_add_up_at_any_clock(void **state)
{
	struct kit k = stream_kit(AWKWARD, &(struct chip_host){.threads = 1}, 96, 4);
	static const char *const reasons[] = {"selected", "idle", "wait", "short_scoreboard",
		"long_scoreboard", "barrier", "membar", "lg_throttle", "mio_throttle",
		"math_pipe_throttle", "tex_throttle", "not_selected", "drain"};
	double cycles = kit_metric(&k, "gpc__cycles_elapsed.max"), sum = 0, all, power;

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(reasons); i++) {
		char name[64];

		snprintf(name, sizeof(name), "sched__cycles_%s.sum", reasons[i]);
		sum += kit_metric(&k, name);
	}
	assert_true(sum == 32 * kit_metric(&k, "chip__cycles_simulated.max"));
	assert_true(kit_metric(&k, "gpu__time_duration.sum") == cycles * 714 / 1000);
	assert_true(fabs(kit_metric(&k, "sm__cycles_elapsed.avg.per_second") - 1400.560224) < 1e-5);
	assert_true(fabs(kit_metric(&k, "lts__cycles_elapsed.avg.per_second") - 949.667616) < 1e-5);
	all = kit_metric(&k, "energy__total.sum");
	power = kit_metric(&k, "energy__power.avg");
	assert_true(fabs(power * floor(cycles * 714 / 1000) / all - 1) < 1e-6);
	kit_free(&k);
}

/* ---- waves */
/* Time is in picoseconds; what a part does changes at edges of its clock. */
static void waves_have_the_edges_of_their_clocks(void **state)
{
	struct trace_request r = {.vcd = "", .vcd_filter = {.patterns = "sm.*.*,noc.*.*,l2.*.*.*"}};
	struct traced run = trace_run(TRACE_CHIP AWKWARD, &(struct chip_host){.threads = 1}, &r);
	struct vcd_file f = read_vcd(run.vcd);
	uint64_t warps = 0, edges[2] = {0};

	(void)state;
	assert_int_equal(f.unit_ps, 1);
	assert_int_equal(f.end, chip_progress(run.kit.gpu).cycle * 714);
	for (unsigned i = 0; i < f.nchanges; i++) {
		const char *name = f.vars[f.changes[i].var].name;
		bool link = strstr(name, "in_") || strstr(name, "reply") || strstr(name, "cta") ||
			    strstr(name, "request") || strstr(name, "dram_in");
		bool sm = !strncmp(name, "sm_", 3);

		if (link) /* changes at the edges of its two ends */
			assert_true(!(f.changes[i].at % 714 && f.changes[i].at % 1053));
		else
			assert_int_equal(f.changes[i].at % (sm ? 714 : 1053), 0);
		edges[sm]++;
	}
	assert_true(edges[0] > 100 && edges[1] > 100);
	for (unsigned i = 0; i < 4; i++) {
		char name[64];

		snprintf(name, sizeof(name), "sm_%u.warps_resident", i);
		warps += vcd_integral(&f, vcd_var_named(&f, name));
	}
	assert_true(warps == 714 * (uint64_t)kit_metric(&run.kit, "sm__warps_active.sum"));
	read_vcd_free(&f);
	trace_run_free(&run);
}

/* ---- no host choice shows */
static void no_host_choice_changes_a_number_at_awkward_clocks(void **state)
{
	static const struct chip_host hosts[] = {{.threads = 2}, {.threads = 4},
		{.threads = 1, .shuffle = true, .seed = 3},
		{.threads = 1, .early_wakes = true, .seed = 4},
		{.threads = 1, .hostile = true, .seed = 5},
		{.threads = 2, .shuffle = true, .early_wakes = true, .hostile = true, .seed = 6}};
	static const char *const chips[] = {"chip.network=crossbar", "chip.network=ideal",
		"chip.network=voq", "chip.network=router", "chip.network=mesh chip.window=1",
		"chip.window=7 chip.link_queue=1 l2.bytes=0"};

	(void)state;
	for (unsigned c = 0; c < ARRAY_LEN(chips); c++) {
		char settings[200];
		struct kit k;
		struct text plain;

		snprintf(settings, sizeof(settings),
			AWKWARD "chip.sms=4 chip.dram=banked dram.tck_ps=333 %s", chips[c]);
		k = stream_kit(settings, &(struct chip_host){.threads = 1}, 16, 3);
		plain = kit_everything(&k);
		kit_free(&k);
		for (unsigned i = 0; i < ARRAY_LEN(hosts); i++) {
			struct text other;

			k = stream_kit(settings, &hosts[i], 16, 3);
			other = kit_everything(&k);
			assert_string_equal(text_str(&plain), text_str(&other));
			text_clear(&other);
			kit_free(&k);
		}
		text_clear(&plain);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_l2_hit_takes_the_edges_of_both_clocks),
		cmocka_unit_test(the_global_timer_is_nanoseconds),
		cmocka_unit_test(a_dram_read_takes_its_cycles_in_the_mean),
		cmocka_unit_test(the_least_latency_is_what_the_path_allows),
		cmocka_unit_test(twice_all_clocks_take_the_same_cycles_and_half_the_time),
		cmocka_unit_test(bandwidth_is_dram_s_or_the_networks_and_never_the_sms),
		cmocka_unit_test(cycles_and_energy_add_up_at_any_clock),
		cmocka_unit_test(waves_have_the_edges_of_their_clocks),
		cmocka_unit_test(no_host_choice_changes_a_number_at_awkward_clocks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
