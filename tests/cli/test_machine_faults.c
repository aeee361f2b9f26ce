/* Descriptions that contradict themselves: all faults of a file at once, each with its line, the
 * rule that is broken, and a value that would do. */
#include "tests/rig/support_cli.h"

#include <stdio.h>
#include <string.h>

#include "core/base.h"
#include "core/mem.h"

#define FAULTS 6u

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

/* A file, and all that is said of it, in any order. */
static const struct wrong {
	const char *text, *said[FAULTS];
} wrongs[] = {
	/* values out of range, and parameters that no part has */
	{"chip.sms: 0\nchip.smss: 4\nl1.wayss: 3\nsm.warps: 100\n",
		{"bad.yaml:1:1: chip.sms = 0: must be 1 .. 256 SMs",
			"bad.yaml:2:1: unknown parameter 'chip.smss'; did you mean 'chip.sms'?",
			"bad.yaml:3:1: unknown parameter 'l1.wayss'; did you mean 'l1.ways'?",
			"bad.yaml:4:1: sm.warps = 100: must be 1 .. 64 warps"}},
	/* clocks */
	{"chip.sm_mhz: 0\nl2.wayss: 8\n",
		{"bad.yaml:1:1: chip.sm_mhz = 0: must be a number, 10 .. 10000 MHz",
			"bad.yaml:2:1: unknown parameter 'l2.wayss'; did you mean 'l2.ways'?"}},
	{"chip.l2_mhz: 5\nl1.ways: 0\n",
		{"bad.yaml:1:1: chip.l2_mhz = 5: must be 62.5 .. 10000 MHz where chip.sm_mhz = "
		 "1000, or 0: the SMs' clock",
			"bad.yaml:2:1: l1.ways = 0: must be 1 .. 256 ways"}},
	/* a bandwidth that the device cannot give: where the user's file says it */
	{"base: gtx480\nchip.bytes_per_ns: 500\nl1.ways: 0\n",
		{"bad.yaml:2:1: dram.device = gtx480 gives 14.7874 B/ns a channel: "
		 "chip.bytes_per_ns = 500 must be 177.449 with chip.channels = 12; or leave both "
		 "out, which is 6 channels and 88.7246 B/ns",
			"bad.yaml:3:1: l1.ways = 0: must be 1 .. 256 ways"}},
	{"base: gtx680\ndram.device: hbm3\n",
		{"bad.yaml:2:1: dram.device = hbm3 gives 25.6 B/ns a channel: chip.bytes_per_ns"}},
	/* timings, without what follows from them */
	{"base: gtx480\ndram.rc: 1\ndram.useful_bytes: 128\n",
		{"dram.device = gtx480: timings contradict each other: tRAS + tRP <= tRC, but 40 > "
		 "1 CK",
			"dram.device = gtx480: timings contradict each other: tRCDRD + tRTP <= "
			"tRC, but 14 > 1 CK",
			"dram.device = gtx480: timings contradict each other: tRRD_L <= tRC, but 6 "
			"> 1 CK",
			"bad.yaml:3:1: dram.useful_bytes = 128: must be a power of two from 16 to "
			"a burst's 64"}},
	/* latencies that the path does not allow, once */
	{"chip.l2_cycles: 10\nchip.read_cycles: 20\n",
		{"bad.yaml:1:1: chip.l2_cycles = 10: must be at least 89, which the path to a "
		 "slice and back takes",
			"bad.yaml:2:1: chip.read_cycles = 20: the path to DRAM and back alone "
			"takes 111 cycles; 0: the least"}},
	{"chip.l2_cycles: 300\nchip.read_cycles: 200\n",
		{"bad.yaml:2:1: chip.read_cycles = 200: the path to DRAM and back alone takes 302 "
		 "cycles; 0: the least"}},
	{"chip.read_cycles: 112\n",
		{"bad.yaml:1:1: a latency of 1 cycle is shorter than a line's 3.000 ns on the bus: "
		 "chip.read_cycles must leave it 3"}},
	/* capacities */
	{"base: v100\nstorage.carveout.capacities: \"0,8,200\"\n",
		{"bad.yaml:2:1: storage.carveout.capacities = '0,8,200': 200 KB is more than "
		 "storage.carveout.bytes = 131072 holds: at most 128 KB"}},
	{"l2.bytes: 1000\nstorage.partitioned.cache_bytes: 10000\n",
		{"bad.yaml:1:1: l2.bytes = 1000: must be a multiple of 8 ways of 128 bytes",
			"bad.yaml:2:1: storage.partitioned.cache_bytes = 10000: 32 banks of 4 "
			"bytes need a multiple of 128"}},
	/* sectors larger than lines */
	{"l2.sector_bytes: 256\nl1.sector_bytes: 24\n",
		{"bad.yaml:1:1: l2.sector_bytes = 256: must be 16 .. 128 bytes",
			"bad.yaml:2:1: l1.sector_bytes = 24: must be a power of two from 16 to a "
			"line of 128 bytes"}},
	/* caches of constants and instructions */
	{"const: {mode: real, l1_line_bytes: 256, l15_line_bytes: 64, l15_cycles: 5}\n"
	 "icache: {mode: real, line_bytes: 100, instruction_bytes: 5}\n",
		{"bad.yaml:1:61: const.l15_cycles = 5: must be at least const.l1_cycles = 27",
			"bad.yaml:1:41: const.l15_line_bytes = 64: must be at least "
			"const.l1_line_bytes = 256",
			"bad.yaml:2:39: icache.instruction_bytes = 5: must be a power of two, 4, 8 "
			"or 16",
			"bad.yaml:2:22: icache.line_bytes = 100: must be a power of two"}},
	/* pipes: the file sets the other class; one fault of each pipe */
	{"pipe.int_shared: 3\npipe.f32_shared: 1\npipe.shift_lanes: 0.001\n",
		{"bad.yaml:1:1: pipe.int64_shared = 0: it is on the pipe alu with pipe.int_shared = "
		 "3; both must be 0, or none",
			"bad.yaml:2:1: pipe.f32_shared = 1: it is on the pipe fma with "
			"pipe.mul_shared = 0; both must be 0, or none",
			"bad.yaml:3:1: pipe.shift_lanes = 0.001: must be at least 0.01, 3200 "
			"cycles for a warp, or 0"}},
	/* a compute capability that there is none of, and others */
	{"occupancy.cc: 7.3\nl1.ways: 0\nchip.smss: 2\n",
		{"bad.yaml:1:1: occupancy.cc = 7.3: must be one of 2.0, 2.1, 3.0",
			"bad.yaml:2:1: l1.ways = 0: must be 1 .. 256 ways",
			"bad.yaml:3:1: unknown parameter 'chip.smss'; did you mean 'chip.sms'?"}},
	/* a compute capability beside limits that a base set for another one */
	{"base: v100\noccupancy.cc: 2.0\n",
		{"bad.yaml:2:1: occupancy.cc = 2.0: gives sm.warps = 48, but machines/v100.yaml:",
			"bad.yaml:2:1: occupancy.cc = 2.0: gives sm.ctas = 8, but machines/v100.yaml:"}},
	/* limits above what there is */
	{"base: v100\noccupancy.threads: 4096\noccupancy.cta_registers: 100000\n"
	 "occupancy.cta_shared: 200K\nl1.hit_cycles: 400\n",
		{"bad.yaml:2:1: occupancy.threads = 4096: must be at most 2048, which sm.warps = "
		 "64 hold",
			"bad.yaml:3:1: occupancy.cta_registers = 100000: must be at most the 65536 "
			"registers of an SM",
			"bad.yaml:4:1: occupancy.cta_shared = 204800: must be at most the 98304 "
			"bytes of an SM's shared memory",
			"bad.yaml:5:1: l1.hit_cycles = 400: must be at most chip.l2_cycles = 175"}},
	/* faults of sources hide none of values */
	{"sources: {a: [1], b: text}\nchip.sms: [0, \"a: x\"]\nl1.ways: [0, \"c: x\"]\n",
		{"bad.yaml:1:14: a citation must be a word", "bad.yaml:2:1: chip.sms = 0: must be",
			"bad.yaml:3:14: there is no source 'c'",
			"bad.yaml:3:1: l1.ways = 0: must be"}},
	{"sources: 7\nchip.sms: [0, \"a: x\"]\n", {"bad.yaml:1:10: sources must be a mapping",
							  "bad.yaml:2:1: chip.sms = 0: must be"}},
	{"sources: {a: [1]}\nchip.sms: [4, \"c: x\"]\n",
		{"bad.yaml:1:14: a citation must be a word",
			"bad.yaml:2:15: there is no source 'c'"}},
	/* bases */
	{"base: bad.yaml\n", {"bad.yaml is its own base"}},
	{"base: [m12]\n", {"bad.yaml:1:7: base (a machine, or a file) must be a word"}},
	{"base: nosuch\n", {"bad.yaml:1:7: chip = nosuch: there is no such machine; there are: "}},
};

/* As many lines, and each of the words in one. */
static void says_all(const struct desk *d, const char *const *words)
{
	char *text = desk_content(d, "err");
	unsigned n = 0, lines = 0;

	for (; n < FAULTS && words[n]; n++)
		assert_says(d, "err", words[n]);
	for (const char *c = text; *c; c++)
		lines += *c == '\n';
	if (lines != n)
		fail_msg("not %u faults: %s", n, text);
	mem_free(text);
}

/* Nothing was run: there is no report. */
static void says_nothing(const struct desk *d)
{
	char *text = desk_content(d, "out");

	assert_string_equal(text, "");
	mem_free(text);
}

static void all_faults_of_a_description_are_told_at_once(void **state)
{
	const struct desk *d = *state;

	for (size_t i = 0; i < ARRAY_LEN(wrongs); i++) {
		const struct wrong *w = &wrongs[i];

		write_file(d, "bad.yaml", w->text);
		if (desk_run(d, "chip %F/bad.yaml") != 3)
			fail_msg("not refused: %s", w->text);
		says_all(d, w->said);
		assert_int_equal(desk_run(d, "run vectoradd --chip %F/bad.yaml"), 3);
		says_nothing(d);
	}
}

/* Writes all that the data sheet of the default machine says into a description. */
static void write_sheet(const struct desk *d)
{
	char *text, *all, *rest, path[128];
	FILE *f;

	assert_int_equal(desk_run(d, "chip m12"), 0);
	all = desk_content(d, "out");
	snprintf(path, sizeof(path), "%s/all.yaml", d->folder);
	f = fopen(path, "w");
	assert_non_null(f);
	for (text = all; (rest = strchr(text, '\n')); text = rest + 1) {
		char name[64], value[64];

		*rest = '\0';
		if (sscanf(text, "  %63[a-z0-9_.] %63[a-z0-9_.]", name, value) == 2 &&
			strchr(name, '.'))
			fprintf(f, "%s: %s\n", name, value);
	}
	fclose(f);
	mem_free(all);
}

/* Whatever else is wrong. */
static void right_settings_are_not_called_unknown_beside_wrong_ones(void **state)
{
	static const char *const faults[] = {"chip.sms=0", "chip.l2_mhz=5", "l2.bytes=1000",
		"l1.sector_bytes=24", "chip.read_cycles=20", "chip.network=nosuch",
		"chip.dram=nosuch", "chip.storage=nosuch", "occupancy.cc=7.3",
		"sm.scheduler=nosuch", "chip.interleave_bytes=200"};
	const struct desk *d = *state;
	char arguments[100];

	write_sheet(d);
	assert_int_equal(desk_run(d, "topology --chip %F/all.yaml"), 0);
	for (size_t i = 0; i < ARRAY_LEN(faults); i++) {
		snprintf(arguments, sizeof(arguments),
			"topology --chip %%F/all.yaml --set %s; grep -c unknown %%F/err",
			faults[i]);
		if (desk_run(d, arguments) != 1)
			fail_msg("%s", faults[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			all_faults_of_a_description_are_told_at_once, desk_set_up, desk_tear_down),
		cmocka_unit_test_setup_teardown(
			right_settings_are_not_called_unknown_beside_wrong_ones, desk_set_up,
			desk_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
