/* DRAM with banks as users meet it: every device by its name alone gives ordinary kernels what such
 * devices give; shares stay shares; the options of replays are checked by mode. */
#include "tests/rig/support_cli.h"

#include <stdio.h>
#include <string.h>

#include "core/base.h"
#include "core/mem.h"

#define HEAD ".version 6.0\n.target sm_50\n.address_size 64\n"
#define INDEX \
	"	mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n" \
	"	mad.lo.u32 %r4, %r1, %r2, %r3;\n	ld.param.u64 %a1, [src];\n"

/* Each warp reads four lines at random, then adds them. */
#define RANDOM_LINE(k, offset) \
	"	add.u32 %r9, %r5, " offset "; mad.lo.u32 %r9, %r9, 0x9e3779b1, 0x7f4a7c15;\n" \
	"	shr.u32 %r7, %r9, 15; xor.b32 %r9, %r9, %r7; mul.lo.u32 %r9, %r9, 0x85ebca6b;\n" \
	"	shr.u32 %r7, %r9, 13; xor.b32 %r9, %r9, %r7; mul.lo.u32 %r9, %r9, 0xc2b2ae35;\n" \
	"	shr.u32 %r7, %r9, 16; xor.b32 %r9, %r9, %r7; and.b32 %r9, %r9, 524287;\n" \
	"	shl.b32 %r9, %r9, 5; or.b32 %r9, %r9, %r6; mul.wide.u32 %a2, %r9, 4;\n" \
	"	add.u64 %a3, %a1, %a2; ld.global.u32 %v" k ", [%a3];\n"

/* Four loads a round, each a stride of the whole grid on. */
#define STRIDE(k) "	ld.global.u32 %v" k ", [%a3]; add.u64 %a3, %a3, %a4;\n"

static const char kernels[] = HEAD
	".visible .entry stride(.param .u64 src, .param .u64 dst, .param .u32 n)\n{\n"
	"	.reg .u32 %r<12>; .reg .u32 %v<8>; .reg .u64 %a<8>; .reg .pred %p;\n" INDEX
	"	mul.wide.u32 %a2, %r4, 4; add.u64 %a3, %a1, %a2;\n"
	"	mov.u32 %r6, %nctaid.x; mul.lo.u32 %r6, %r6, %r2; mul.wide.u32 %a4, %r6, 4;\n"
	"	ld.param.u32 %r7, [n]; mov.u32 %v4, 0;\n"
	"LOOP:\n" STRIDE("0") STRIDE("1") STRIDE("2") STRIDE(
		"3") "	add.u32 %v4, %v4, %v0; add.u32 %v4, %v4, %v1; add.u32 %v4, %v4, %v2;\n"
		     "	add.u32 %v4, %v4, %v3; shl.b32 %r8, %r6, 2; add.u32 %r4, %r4, %r8;\n"
		     "	setp.lt.u32 %p, %r4, %r7;\n	@%p bra LOOP;\n"
		     "	setp.eq.u32 %p, %v4, 77; ld.param.u64 %a5, [dst];\n"
		     "	@%p st.global.u32 [%a5], %v4;\n	ret;\n}\n"
		     ".visible .entry random(.param .u64 src, .param .u64 dst)\n{\n"
		     "	.reg .u32 %r<12>; .reg .u32 %v<8>; .reg .u64 %a<8>; .reg .pred %p;\n" INDEX
		     "	and.b32 %r6, %r4, 31; shr.u32 %r5, %r4, 5;\n" RANDOM_LINE(
			     "0", "0") RANDOM_LINE("1", "262144") RANDOM_LINE("2",
			     "524288") RANDOM_LINE("3",
			     "786432") "	add.u32 %v0, %v0, %v1; add.u32 %v0, %v0, %v2; "
				       "add.u32 %v0, %v0, %v3;\n"
				       "	setp.eq.u32 %p, %v0, 77; ld.param.u64 %a4, [dst];\n"
				       "	@%p st.global.u32 [%a4], %v0;\n	ret;\n}\n"
				       ".visible .entry copy(.param .u64 src, .param .u64 dst)\n{\n"
				       "	.reg .u32 %r<12>; .reg .u32 %v<8>; .reg .u64 "
				       "%a<8>;\n" INDEX
				       "	mul.wide.u32 %a2, %r4, 16; add.u64 %a3, %a1, %a2;\n"
				       "	ld.global.v4.u32 {%v0,%v1,%v2,%v3}, [%a3];\n"
				       "	ld.param.u64 %a4, [dst]; add.u64 %a5, %a4, %a2;\n"
				       "	st.global.v4.u32 [%a5], {%v0,%v1,%v2,%v3};\n	"
				       "ret;\n}\n"
				       ".visible .entry store(.param .u64 src)\n{\n"
				       "	.reg .u32 %r<12>; .reg .u64 %a<8>;\n" INDEX
				       "	mul.wide.u32 %a2, %r4, 16; add.u64 %a3, %a1, %a2;\n"
				       "	st.global.v4.u32 [%a3], {%r4,%r4,%r4,%r4};\n	"
				       "ret;\n}\n";

static void write_file(const struct desk *d, const char *name, const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", d->folder, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void write_kernels(const struct desk *d)
{
	write_file(d, "k.ptx", kernels);
	write_file(d, "stride.yaml",
		"buffers:\n  a: { bytes: 3145728 }\n  b: { bytes: 4096 }\nlaunches:\n"
		"  - { module: k.ptx, kernel: stride, grid: 128, block: 256,\n"
		"      args: [{buffer: a}, {buffer: b}, {u32: 786432}] }\n");
	write_file(d, "random.yaml",
		"buffers:\n  a: { bytes: 67108864 }\n  b: { bytes: 4096 }\nlaunches:\n"
		"  - { module: k.ptx, kernel: random, grid: 512, block: 256,\n"
		"      args: [{buffer: a}, {buffer: b}] }\n");
	write_file(d, "copy.yaml",
		"buffers:\n  a: { bytes: 2097152 }\n  b: { bytes: 2097152 }\nlaunches:\n"
		"  - { module: k.ptx, kernel: copy, grid: 512, block: 256,\n"
		"      args: [{buffer: a}, {buffer: b}] }\n");
	write_file(d, "store.yaml",
		"buffers:\n  a: { bytes: 131072 }\nlaunches:\n"
		"  - { module: k.ptx, kernel: store, grid: 32, block: 256,\n"
		"      args: [{buffer: a}] }\n");
}

static double share_of_peak(const struct desk *d, const char *arguments)
{
	json_t *j, *metric;
	double share;

	if (desk_run(d, arguments))
		fail_msg("%s: does not run", arguments);
	j = desk_json(d, "j");
	metric = json_object_get(json_object_get(j, "metrics"),
		"dram__throughput.avg.pct_of_peak_sustained_elapsed");
	share = json_number_value(json_object_get(metric, "value"));
	json_decref(j);
	return share;
}

/* Maps and line positions that fit no device gave the strided read 41 % of the peak and random
 * lines 29; a GTX 480 was measured at 83 to 93 in long reads. These are short: 5 % and more are the
 * way to the first and from the last byte. */
static void the_default_memory_gives_kernels_what_devices_give(void **state)
{
	static const struct {
		const char *kernel, *device;
		double least;
	} cases[] = {{"stride", "m12", 65}, {"stride", "hbm2", 65}, {"copy", "m12", 75},
		{"copy", "hbm2", 75}, {"random", "m12", 50}, {"random", "hbm2", 60},
		{"random", "gddr5_6000", 35}};
	const struct desk *d = *state;
	char arguments[200];

	write_kernels(d);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		double share;

		snprintf(arguments, sizeof(arguments),
			"run %%F/%s.yaml --set chip.dram=banked --set dram.device=%s --json %%F/j",
			cases[i].kernel, cases[i].device);
		share = share_of_peak(d, arguments);
		if (share < cases[i].least || share > 100)
			fail_msg("%s on %s: %.1f %%", cases[i].kernel, cases[i].device, share);
	}
}

static void a_device_brings_its_bandwidth_and_its_channels(void **state)
{
	static const struct {
		const char *settings, *channels, *bytes_per_ns;
	} cases[] = {{"dram.device=m12", "6", "256"}, {"dram.device=gtx480", "6", "177.449"},
		{"dram.device=gddr5_6000", "6", "287.856"},
		{"dram.device=gddr5_6000_4gb", "6", "287.856"},
		{"dram.device=gddr6_14000", "16", "449.123"}, {"dram.device=hbm2", "16", "256"},
		{"dram.device=hbm2e", "80", "2048"}, {"dram.device=hbm3_5200", "160", "3350.79"},
		{"dram.device=hbm2 --set chip.channels=4", "4", "64"},
		{"dram.device=hbm2 --set chip.bytes_per_ns=128", "8", "128"},
		{"dram.device=m12 --set dram.tck_ps=1500", "6", "128"}};
	const struct desk *d = *state;
	char arguments[200], says[80];

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		snprintf(arguments, sizeof(arguments),
			"params chip --set chip.dram=banked --set %s", cases[i].settings);
		assert_int_equal(desk_run(d, arguments), 0);
		snprintf(says, sizeof(says), "%-36s %-12s", "chip.channels", cases[i].channels);
		assert_says(d, "out", says);
		snprintf(says, sizeof(says), "%-36s %-12s", "chip.bytes_per_ns",
			cases[i].bytes_per_ns);
		assert_says(d, "out", says);
	}
	assert_int_equal(desk_run(d, "params chip --set chip.dram=banked --set dram.device=hbm2 "
				     "--set chip.channels=6 --set chip.bytes_per_ns=256"),
		3);
	assert_says(d, "err", "chip.bytes_per_ns = 256 must be 96 with chip.channels = 6");
}

/* Stores go on after the last launch: they take the time that they take. */
static void no_share_of_the_peak_is_above_all_of_it(void **state)
{
	static const char *const settings[] = {
		"l2.bytes=0", "l2.write_policy=through", "l2.bytes=0 --set chip.dram=banked"};
	const struct desk *d = *state;
	char arguments[200];

	write_kernels(d);
	for (size_t i = 0; i < ARRAY_LEN(settings); i++) {
		snprintf(arguments, sizeof(arguments), "run %%F/store.yaml --set %s --json %%F/j",
			settings[i]);
		assert_in_range((uint64_t)share_of_peak(d, arguments), 1, 100);
	}
}

/* Words that are written alone: each moves a whole burst, at the end as before. */
static void what_is_flushed_is_reported_in_bursts(void **state)
{
	static const struct {
		const char *settings;
		unsigned bytes;
	} cases[] = {{"dram.min_bytes=16", 98304}, {"dram.min_bytes=64", 393216},
		{"chip.dram=banked", 393216}};
	const struct desk *d = *state;
	char arguments[200];

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		json_t *j, *total;

		snprintf(arguments, sizeof(arguments), "profile sto --set %s --quiet --json %%F/j",
			cases[i].settings);
		assert_int_equal(desk_run(d, arguments), 0);
		j = desk_json(d, "j");
		total = json_array_get(json_object_get(json_object_get(j, "profile"), "total"), 0);
		assert_int_equal(
			json_integer_value(json_object_get(total, "flushed")), cases[i].bytes);
		json_decref(j);
	}
}

static void what_a_profile_does_not_count_is_null(void **state)
{
	static const struct {
		const char *settings;
		bool rows;
	} cases[] = {{"chip.dram=bandwidth", false}, {"chip.dram=banked", true}};
	const struct desk *d = *state;
	char arguments[200];

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		json_t *j, *profile, *channel, *kernel;

		snprintf(arguments, sizeof(arguments),
			"profile vectoradd --set %s --quiet --json %%F/j", cases[i].settings);
		assert_int_equal(desk_run(d, arguments), 0);
		j = desk_json(d, "j");
		profile = json_object_get(j, "profile");
		channel = json_array_get(json_object_get(profile, "channels"), 0);
		kernel = json_array_get(json_object_get(profile, "kernels"), 0);
		assert_true(json_is_null(json_object_get(channel, "l1_hit")));
		assert_true(json_is_null(json_object_get(channel, "stall_dram")));
		assert_true(json_is_integer(json_object_get(channel, "dram_read")));
		assert_true(json_is_integer(json_object_get(kernel, "l1_hit")));
		assert_true(json_is_integer(json_object_get(kernel, "row_hit")) == cases[i].rows);
		assert_true(json_is_null(json_object_get(kernel, "row_hit")) == !cases[i].rows);
		json_decref(j);
	}
}

static void each_replay_reports_its_own_options(void **state)
{
	static const struct {
		const char *kind, *own, *other;
	} kinds[] = {{"dram", "--inject", "--ways"}, {"cache", "--ways", "--loads"},
		{"noc", "--loads", "--device"}};
	const struct desk *d = *state;
	char arguments[80];

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		char *out;

		snprintf(arguments, sizeof(arguments), "replay %s --help", kinds[i].kind);
		assert_int_equal(desk_run(d, arguments), 0);
		snprintf(arguments, sizeof(arguments), "usage: warpbeam replay %s", kinds[i].kind);
		assert_says(d, "out", arguments);
		assert_says(d, "out", kinds[i].own);
		assert_says(d, "out", "--set");
		out = desk_content(d, "out");
		assert_null(strstr(out, kinds[i].other));
		mem_free(out);
	}
	assert_int_equal(desk_run(d, "replay --help"), 0);
	assert_says(d, "out", "warpbeam replay noc --help");
	assert_int_equal(desk_run(d, "replay dram t --ways 4"), 2);
	assert_says(d, "err", "--ways: only replay cache takes it");
}

static void params_knows_what_replays_take(void **state)
{
	const struct desk *d = *state;

	assert_int_equal(desk_run(d, "params cache"), 0);
	assert_says(d, "out", "cache.write_allocate");
	assert_int_equal(desk_run(d, "params traffic --set traffic.hot_share=0.25"), 0);
	assert_says(d, "out", "traffic.hot_share                    0.25");
	assert_int_equal(desk_run(d, "params dram"), 0);
	assert_says(d, "out", "dram.writes                          drain        drain, mixed");
	assert_says(
		d, "out", "dram.queue                           64           1 .. 4096 requests");
	assert_int_equal(desk_run(d, "params dram --set chip.dram=banked"), 0);
	assert_says(
		d, "out", "dram.queue                           64           1 .. 4096 requests");
	assert_int_equal(desk_run(d, "params noc"), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, desk_set_up, desk_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(the_default_memory_gives_kernels_what_devices_give),
		TEST(a_device_brings_its_bandwidth_and_its_channels),
		TEST(no_share_of_the_peak_is_above_all_of_it),
		TEST(what_is_flushed_is_reported_in_bursts),
		TEST(what_a_profile_does_not_count_is_null),
		TEST(each_replay_reports_its_own_options),
		TEST(params_knows_what_replays_take),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
