/* warpbeam probe: what it prints, recordings, and what it refuses. */
#include "tests/rig/support_cli.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/base.h"
#include "core/mem.h"

#define SMALL "--set chip.sms=1 --set chip.channels=1 --set chip.slices=1 "
#define SHARED "probe " SMALL "--only shared "

static const struct {
	const char *arguments;
	int code;
	const char *file, *says;
} commands[] = {
	{"probe --only shared,l3", 2, "err", "--only: no part 'l3'; there are latency, l1, tex"},
	{"probe --only shared,", 2, "err", "--only: no part ''"},
	{"probe --replay a --record b", 2, "err", "--record records a chip"},
	{"probe --replay a --set chip.sms=2", 2, "err", "for --compare only"},
	{"probe --replay none/none", 3, "err", "none/none"},
	{"probe x", 2, "err", "one argument too many: 'x'"},
	{"probe --set chip.smms=3", 3, "err", "did you mean 'chip.sms'?"},
	{"probe " SMALL "--only latency --max-cycles 1000", 8, "out", "in part"},
	{SHARED "--emit none/none", 9, "err", "cannot make the folder"},
	{SHARED, 0, "out", "banks                            32"},
	{SHARED "--threads 2 --json -", 0, "out", "\"item\": \"banks\""},
	{SHARED "--svg -", 0, "out", "</svg>"},
	{"probe " SMALL "--only tlb --compare", 0, "out", "none"},
	{"probe " SMALL "--only tex,latency", 0, "out",
		"there is none, or none that is faster\n"
		"  sets                             not determined, as above\n"},
};

static void what_cannot_be_probed_is_refused(void **state)
{
	const struct desk *d = *state;

	for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
		int code = desk_run(d, commands[i].arguments);

		if (code != commands[i].code)
			fail_msg("%s: exit code %d: %s", commands[i].arguments, code,
				desk_content(d, "err"));
		assert_says(d, commands[i].file, commands[i].says);
	}
}

/* What is below the first line, which names the machine. */
static char *found(const struct desk *d)
{
	char *all = desk_content(d, "out"), *rest = mem_strdup(strchr(all, '\n'));

	mem_free(all);
	return rest;
}

static void a_recording_gives_the_report_of_the_chip(void **state)
{
	const struct desk *d = *state;
	char *live, *replayed;

	assert_int_equal(desk_run(d, SHARED "--record %F/r.txt --emit %F/hardware"), 0);
	live = found(d);
	assert_int_equal(desk_run(d, "probe --only shared --replay %F/r.txt"), 0);
	replayed = found(d);
	assert_string_equal(replayed, live);
	mem_free(live);
	mem_free(replayed);
	assert_says(d, "hardware/probe.cu", "int main(");
	assert_says(d, "hardware/scripts.txt", "\nforget =\n");
}

/* Fetches that go through the L1 are set beside no parameter of a texture cache. */
static void a_texture_cache_that_is_not_there_is_not_compared(void **state)
{
	const struct desk *d = *state;
	char *all;

	assert_int_equal(desk_run(d, "probe --chip v100 --set chip.sms=1 --only tex --compare"), 0);
	all = desk_content(d, "out");
	assert_non_null(strstr(all, "texture cache"));
	assert_null(strstr(all, "tex."));
	mem_free(all);
}

#define PICTURED \
	"probe --set chip.sms=1 --set storage.partitioned.cache_bytes=4K --set l1.set_hash=modulo " \
	"--set l1.ways=4 --only l1 "

/* 8 sets of 4 ways: 32 lines fit, the 33rd is in set 0. */
static void pictures_have_stairs_maps_and_occupancy(void **state)
{
	static const char *const stairs[] = {"latency of a second pass</text>", ">footprint</text>",
		">cycles, mean</text>", ">stride 128 bytes</text>", ">128 KB</text>"};
	static const char *const sets[] = {">L1: misses</text>",
		">L1: sets of contiguous units</text>", ">L1: occupancy of 8 of 8 sets</text>",
		">the first 33 units</text>", ">L1: 4 KB</text>"};
	const struct desk *d = *state;

	assert_int_equal(desk_run(d, PICTURED "--svg %F/one.svg --json %F/p.json --html %F/h"), 0);
	for (size_t i = 0; i < ARRAY_LEN(sets); i++)
		assert_says(d, "one.svg", sets[i]);
	assert_says(d, "h", "</svg>");
	assert_says(d, "p.json", "\"set_of_unit\": [");
	assert_int_equal(desk_run(d, "probe " SMALL "--only stairs --svg %F/two.svg"), 0);
	for (size_t i = 0; i < ARRAY_LEN(stairs); i++)
		assert_says(d, "two.svg", stairs[i]);
}

/* ---- interruptions */
static void remove_file(const struct desk *d, const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", d->folder, name);
	unlink(path);
}

/* What was found until then is written, whole, and so is the recording. */
static void an_interrupted_probe_is_partial(const struct desk *d, int signal)
{
	useconds_t wait_us = 60000;
	json_t *j;
	int code;

	remove_file(d, "p.json");
	do { /* earlier, the machine was not yet there; later, all was done */
		pid_t pid = desk_start(d,
			"probe --chip gtx780 --set chip.sms=1 --only l1,tex --record r.txt --json p.json",
			0);

		usleep(wait_us);
		kill(pid, signal);
		code = desk_finish(pid);
		if (code && code != 10 && code != -signal)
			fail_msg("%d: %s", code, desk_content(d, "err"));
		if (!code)
			remove_file(d, "p.json");
		wait_us = code ? wait_us + wait_us / 2 : wait_us - wait_us / 5;
	} while (!desk_has(d, "p.json"));
	assert_int_equal(code, 10);
	assert_true(desk_has(d, "r.txt"));
	j = desk_json(d, "p.json");
	assert_false(json_is_true(json_object_get(j, "complete")));
	json_decref(j);
	assert_says(d, "out", "in part");
	assert_says(d, "err", "interrupted");
	assert_int_equal(desk_run(d, "probe --only l1,tex --replay %F/r.txt"), 3);
	assert_says(d, "err", "the recording ends; the probe's next act is");
}

static void signals_leave_nothing_half_written(void **state)
{
	an_interrupted_probe_is_partial(*state, SIGINT);
	an_interrupted_probe_is_partial(*state, SIGTERM);
}

static void write_recording(const struct desk *d, const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/r.txt", d->folder);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static const struct {
	const char *text, *says;
} recordings[] = {
	{"", "1: no recording of a probe"},
	{"warpbeam probe recording 1\n", "2: the recording ends; the probe's next act is 'buffer"},
	{"warpbeam probe recording 1\nforget =\n",
		"2: the recording has 'forget =', the probe's next act is 'buffer"},
	{"warpbeam probe recording 1\nbuffer 1140850688 = 1\n", "2: the act has 0 results"},
	{"warpbeam probe recording 1\nbuffer 1140850688 =\n"
	 "script 0 0:0:1:4:1 0:0:1:5:1 0:0:1:4:1 0:0:1:5:1 = 1 2 3 x\n",
		"3: result 4 of 4 is no number"},
	{"warpbeam probe recording 1\nbuffer 1140850688 =\n"
	 "script 0 0:0:1:4:1 0:0:1:5:1 0:0:1:4:1 0:0:1:5:1 = 1 2 3 99999999999\n",
		"3: result 4 of 4 is no number below 2^32"},
};

static void a_recording_of_other_scripts_is_refused_with_its_line(void **state)
{
	const struct desk *d = *state;

	for (size_t i = 0; i < ARRAY_LEN(recordings); i++) {
		write_recording(d, recordings[i].text);
		assert_int_equal(desk_run(d, "probe --only shared --replay %F/r.txt"), 3);
		assert_says(d, "err", recordings[i].says);
	}
}

static void a_recording_of_more_than_is_asked_for_is_refused(void **state)
{
	const struct desk *d = *state;

	assert_int_equal(desk_run(d, "probe " SMALL "--only latency,shared --record %F/r.txt"), 0);
	assert_int_equal(desk_run(d, "probe --only latency --replay %F/r.txt"), 3);
	assert_says(d, "err", "the recording goes on with 'stride 0 1");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, desk_set_up, desk_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_cannot_be_probed_is_refused),
		TEST(a_recording_gives_the_report_of_the_chip),
		TEST(a_texture_cache_that_is_not_there_is_not_compared),
		TEST(pictures_have_stairs_maps_and_occupancy),
		TEST(signals_leave_nothing_half_written),
		TEST(a_recording_of_other_scripts_is_refused_with_its_line),
		TEST(a_recording_of_more_than_is_asked_for_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
