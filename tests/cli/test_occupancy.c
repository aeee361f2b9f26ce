/* warpbeam occupancy: what it reports for each design is what a run on that design gets. */
#include "tests/rig/support_cli.h"

#include <stdio.h>
#include <string.h>

#include "core/base.h"
#include "core/file.h"
#include "core/mem.h"
#include "core/text.h"

static const struct {
	const char *name, *settings;
} designs[] = {
	{"partitioned", "--set chip.storage=partitioned"},
	{"fermi 96/32", "--set chip.storage=fermi --set storage.fermi.split=1"},
	{"fermi 32/96", "--set chip.storage=fermi --set storage.fermi.split=2"},
	{"unified 128", "--set chip.storage=unified --set storage.unified.bytes=128K"},
	{"unified 256", "--set chip.storage=unified --set storage.unified.bytes=256K"},
	{"unified 384", "--set chip.storage=unified --set storage.unified.bytes=384K"},
};

static json_t *find(json_t *list, const char *key, const char *name)
{
	json_t *j;
	size_t i;

	json_array_foreach(list, i, j)
	{
		if (!strcmp(json_text(j, key), name))
			return j;
	}
	fail_msg("there is no %s %s", key, name);
	return NULL;
}

static json_int_t whole(json_t *j, const char *key)
{
	json_t *v = json_object_get(j, key);

	assert_true(json_is_integer(v));
	return json_integer_value(v);
}

static void compare_launch(json_t *kernels, json_t *launch, const char *design)
{
	json_t *kernel = find(kernels, "kernel", json_text(launch, "kernel"));
	json_t *row = find(json_object_get(kernel, "designs"), "design", design);

	assert_int_equal(whole(row, "ctas_that_fit"), whole(launch, "ctas_per_sm"));
	assert_int_equal(whole(row, "sm_register_bytes"), whole(launch, "sm_register_bytes"));
	assert_int_equal(whole(row, "sm_shared_bytes"), whole(launch, "sm_shared_bytes"));
	assert_int_equal(whole(row, "sm_cache_bytes"), whole(launch, "sm_cache_bytes"));
	assert_int_equal(whole(kernel, "registers"), whole(launch, "registers"));
	assert_int_equal(whole(kernel, "shared_bytes"), whole(launch, "shared_bytes"));
}

static void each_design_is_what_a_run_is_given(void **state)
{
	static const char *const workloads[] = {"vectoradd --set vectoradd.n=4096",
		"scalarprod --set scalarprod.pairs=4", "matrixmul --set matrixmul.n=32",
		"bfs --set bfs.n=512"};
	char command[256];

	for (size_t i = 0; i < ARRAY_LEN(workloads); i++) {
		json_t *j;

		snprintf(command, sizeof(command), "occupancy %s --json %%F/j", workloads[i]);
		assert_int_equal(desk_run(*state, command), 0);
		j = desk_json(*state, "j");
		for (size_t k = 0; k < ARRAY_LEN(designs); k++) {
			json_t *run, *launches, *launch;
			size_t l;

			snprintf(command, sizeof(command), "run %s --quiet --json %%F/run %s",
				workloads[i], designs[k].settings);
			assert_int_equal(desk_run(*state, command), 0);
			run = desk_json(*state, "run");
			launches = json_object_get(run, "launches");
			assert_true(json_array_size(launches) > 0);
			json_array_foreach(launches, l, launch) compare_launch(
				json_object_get(j, "kernels"), launch, designs[k].name);
			json_decref(run);
		}
		json_decref(j);
	}
}

/* A run of needle on a chip of that compute capability has the CTAs that are reported for its
 * design. */
static void a_capability_counts_in_a_run_as_in_the_report(void **state)
{
	static const struct {
		const char *cc, *design, *more;
	} rows[] = {
		{"2.1", "fermi 48/16", "--set storage.fermi.split=1"},
		{"3.7", "fermi 80/48", "--set storage.fermi.split=3"},
		{"5.2", "partitioned", ""},
		{"7.5", "carveout", ""},
		{"8.6", "carveout", "--set storage.carveout.percent=0"},
		{"9.0", "unified 256",
			"--set chip.storage=unified --set storage.unified.bytes=256K"},
	};
	char command[256];

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		json_t *run, *launches, *launch, *j;
		size_t l;

		snprintf(command, sizeof(command),
			"occupancy needle --size full --set occupancy.cc=%s %s --json %%F/j",
			rows[i].cc, rows[i].more);
		assert_int_equal(desk_run(*state, command), 0);
		snprintf(command, sizeof(command),
			"run needle --set occupancy.cc=%s %s --quiet --json %%F/run", rows[i].cc,
			rows[i].more);
		assert_int_equal(desk_run(*state, command), 0);
		j = desk_json(*state, "j");
		run = desk_json(*state, "run");
		launches = json_object_get(run, "launches");
		assert_true(json_array_size(launches) > 0);
		json_array_foreach(launches, l, launch)
			compare_launch(json_object_get(j, "kernels"), launch, rows[i].design);
		json_decref(run);
		json_decref(j);
	}
}

/* Kernels without registers; one says itself what its CTAs are. */
#define HEAD ".version 7.0\n.target sm_70\n.address_size 64\n"
static const char kernels[] = HEAD ".extern .shared .b8 dynamic[];\n"
				   ".visible .entry plain()\n{\n\tret;\n}\n"
				   ".visible .entry wants() .reqntid 64, 2\n{\n\tret;\n}\n";

static void write_words(const struct desk *p, const char *name, const char *words)
{
	struct err err = {0};
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", p->folder, name);
	assert_int_equal(file_write(NULL, path, words, strlen(words), &err), 0);
}

/* The limits in each design, by options; CSV fields design, fit, CTAs, threads, limits. */
static const struct {
	const char *options, *says;
} limits[] = {
	{"--block 64", "plain,64,0,0,0,,partitioned,16,16,1024,warp_slots,"},
	{"--block 64 --set sm.ctas=8", "partitioned,8,8,512,cta_slots,"},
	{"--block 32", "partitioned,32,32,1024,warp_slots cta_slots,"},
	{"--block 33", "plain,33,0,0,0,,partitioned,16,16,528,warp_slots,"},
	{"--block 64 --shared 16384", "partitioned,4,4,256,shared,262144,65536,65536,0,65536"},
	{"--block 64 --shared 16384", "fermi 96/32,6,6,384,shared,262144,98304,32768,0,98304"},
	{"--block 64 --shared 16384", "fermi 32/96,2,2,128,shared,262144,32768,98304,0,32768"},
	{"--block 64 --shared 16384", "unified 128,8,8,512,shared,0,131072,0,0,131072"},
	{"--block 64 --shared 16384", "unified 384,16,16,1024,warp_slots,0,262144,131072,0,262144"},
	{"--block 64 --shared 65537", "partitioned,0,0,0,shared,0,0,0,0,0"},
	{"--block 64 --shared 65537", "unified 128,1,1,64,shared,0,65537,65024,0,65537"},
	{"--block 8,4,2", "plain,8x4x2,0,0,0,,partitioned,16,16,1024,warp_slots,"},
	{"--block 32", "wants,64x2,0,0,0,,partitioned,8,8,1024,warp_slots,"},
	{"--block 64 --set storage.fermi.splits=48/16 --shared 16384",
		"fermi 48/16,3,3,192,shared,262144,49152,16384,0,49152"},
};

/* CTAs of one warp with 5000 bytes of shared memory, by the product's units, limits and capacity:
 * 5120 bytes of 48 KB, of 64, of 96; 6144 of 164 and 228. */
static void a_machine_counts_as_its_product(void **state)
{
	static const struct {
		const char *chip, *says;
	} rows[] = {
		{"gtx480", "fermi 48/16,8,8,256,cta_slots,"},
		{"gtx560ti", "fermi 48/16,8,8,256,cta_slots,"},
		{"c2075", "fermi 48/16,8,8,256,cta_slots,"},
		{"gtx680", "fermi 48/16,9,9,288,shared,"},
		{"gtx780", "fermi 48/16,9,9,288,shared,"},
		{"p100", "partitioned,12,12,384,shared,"},
		{"v100", "carveout,19,19,608,shared,"},
		{"t4", "carveout,12,12,384,shared,"},
		{"a100", "carveout,27,27,864,shared,"},
		{"h100", "carveout,32,32,1024,cta_slots,"},
	};
	char command[160];

	write_words(*state, "k.ptx", kernels);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		snprintf(command, sizeof(command),
			"occupancy %%F/k.ptx --block 32 --shared 5000 --chip %s --csv -",
			rows[i].chip);
		assert_int_equal(desk_run(*state, command), 0);
		assert_says(*state, "out", rows[i].says);
	}
}

static void what_limits_threads_is_named(void **state)
{
	write_words(*state, "k.ptx", kernels);
	for (size_t i = 0; i < ARRAY_LEN(limits); i++) {
		char command[256];

		snprintf(command, sizeof(command), "occupancy %%F/k.ptx --csv - %s",
			limits[i].options);
		assert_int_equal(desk_run(*state, command), 0);
		assert_says(*state, "out", limits[i].says);
	}
}

static void registers_and_shared_memory_limit_alone_or_together(void **state)
{
	json_t *j, *kernel;
	char command[160], says[80];
	json_int_t regs;

	assert_int_equal(desk_run(*state, "occupancy matrixmul --set chip.sms=1 --json %F/j"), 0);
	j = desk_json(*state, "j");
	kernel = json_array_get(json_object_get(j, "kernels"), 0);
	regs = whole(kernel, "registers") * 4 * 256; /* bytes of a CTA of 16 x 16 threads */
	assert_int_equal(whole(kernel, "shared_bytes"), 2048);
	snprintf(command, sizeof(command),
		"occupancy matrixmul --set chip.sms=1 --csv - --set "
		"storage.partitioned.register_bytes=%lld",
		(long long)(regs * 3 + 512));
	assert_int_equal(desk_run(*state, command), 0);
	assert_says(*state, "out", "partitioned,3,3,768,registers,");
	/* Two limits at once. */
	snprintf(command, sizeof(command),
		"occupancy matrixmul --set chip.sms=1 --csv - --set "
		"storage.partitioned.shared_bytes=%d --set sm.warps=64 --set sm.ctas=3",
		2048 * 3);
	snprintf(says, sizeof(says), "partitioned,3,3,768,shared cta_slots,262144,6144,65536,%lld,",
		(long long)(3 * regs));
	assert_int_equal(desk_run(*state, command), 0);
	assert_says(*state, "out", says);
	json_decref(j);
	assert_int_equal(desk_run(*state, "occupancy needle --set chip.sms=1 --csv -"), 0);
	assert_says(*state, "out", "unified 128,12,8,256,grid,");
	assert_says(*state, "out", "partitioned,7,7,224,shared,");
	assert_int_equal(
		desk_run(*state, "occupancy needle --set chip.sms=1 --size full --csv -"), 0);
	assert_says(*state, "out", "unified 128,12,12,384,storage,");
}

/* With 64 KB of shared memory and 32 warp slots; a kernel without registers may have any. */
static void what_is_allowed_for_a_number_of_ctas_is_reported(void **state)
{
	static const struct {
		const char *options, *says;
	} rows[] = {
		{"--block 64 --for 8", "partitioned,16,16,1024,warp_slots,262144,65536,65536,0,0,"
				       "8,128,8192"},
		{"--block 64 --for 16", ",16,64,4096"},
		{"--block 64 --for 17", ",17,,"},
		{"--block 64 --for 5", ",5,204,13107"},
		{"--block 64 --for 5 --shared 16384", ",5,,13107"},
		{"--block 64 --for 8 --set occupancy.shared_reserved=1024", ",8,128,7168"},
		{"--block 64 --for 5 --set occupancy.register_unit=256 --set "
		 "occupancy.register_files=4",
			",5,168,13107"},
	};
	char command[256];

	write_words(*state, "k.ptx", kernels);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		snprintf(command, sizeof(command), "occupancy %%F/k.ptx --csv - %s",
			rows[i].options);
		assert_int_equal(desk_run(*state, command), 0);
		assert_says(*state, "out", rows[i].says);
	}
	assert_says(*state, "out", "for_ctas,registers_allowed,shared_bytes_allowed\n");
	assert_int_equal(desk_run(*state, "occupancy %F/k.ptx --block 64 --for 17"), 0);
	assert_says(*state, "out", "for 17 CTAs   registers shared bytes");
	assert_says(*state, "out", "partitioned       none         none");
	assert_int_equal(
		desk_run(*state, "occupancy %F/k.ptx --block 64 --for 8 --quiet --json %F/j"), 0);
	assert_says(*state, "j", "\"registers_allowed\": 128");
	assert_says(*state, "j", "\"for_ctas\": 8");
}

/* The unified design of the settings, if it is not among the others. */
static void a_capacity_of_ones_own_is_one_more_row(void **state)
{
	assert_int_equal(
		desk_run(*state, "occupancy needle --set storage.unified.bytes=200K --csv -"), 0);
	assert_says(*state, "out", "unified 200,19,");
	assert_says(*state, "out", "unified 512,32,");
	assert_int_equal(
		desk_run(*state, "occupancy needle --set storage.unified.bytes=300K --csv -"), 0);
	assert_says(*state, "out", "unified 300,28,");
	assert_int_equal(
		desk_run(*state, "occupancy needle --set storage.unified.bytes=393728 --csv -"), 0);
	assert_says(*state, "out", "unified 384.5,32,");
}

static void a_kernel_may_fit_nowhere(void **state)
{
	write_words(*state, "k.ptx", kernels);
	assert_int_equal(
		desk_run(*state, "occupancy %F/k.ptx --block 64 --shared 400000 --wide"), 0);
	assert_says(*state, "out", "partitioned     0    0       0                  no CTA fits:");
}

static void the_picture_is_svg(void **state)
{
	assert_int_equal(desk_run(*state, "occupancy needle --svg %F/x.svg"), 0);
	assert_says(*state, "x.svg", "<svg xmlns=");
	assert_says(*state, "x.svg", ">unified 384<");
	assert_says(*state, "x.svg", "32 threads: the grid");
	assert_says(*state, "x.svg", "</svg>\n");
	assert_says(*state, "out", "needle_upper_32: CTAs of 32 threads");
}

static const struct {
	const char *arguments;
	int code;
	const char *says;
} wrong[] = {
	{"needl", 2, "did you mean 'needle'?"},
	{"needle --block 32", 2,
		"--block and --shared go with a file of PTX or a compiled program"},
	{"%F/k.ptx", 2, "the threads of a CTA are unknown"},
	{"%F/k.ptx --block 0", 2, "one to three whole numbers"},
	{"%F/k.ptx --block 32,", 2, "one to three whole numbers"},
	{"%F/k.ptx --block 1,2,3,4", 2, "one to three whole numbers"},
	{"%F/k.ptx --block 64,32", 2, "1024 threads at most"},
	{"%F/k.ptx --block 99999999999999999999", 2, "one to three whole numbers"},
	{"%F/no.ptx --block 32", 3, "no.ptx"},
	{"%F/empty.ptx --block 32", 3, "empty.ptx has no kernel"},
	{"%F/k.ptx --block 32 --set storage.unified.cache=1", 3, "unknown parameter"},
	{"%F/k.ptx --block 32 --set storage.fermi.splits=7", 3, "a list of at most"},
	{"needle --svg - --csv -", 2, "only one of"},
	{"needle --set storage.unified.bytes=100001", 3, "need a multiple of 512"},
	{"needle --set storage.fermi.split=9", 3, "storage.fermi.split"},
	{"needle --for 0", 2, "--for"},
	{"needle --set occupancy.cc=4.0", 3, "occupancy.cc = 4.0: must be one of 2.0, 2.1,"},
	{"needle --set occupancy.shared_unit=3", 3, "occupancy.shared_unit = 3: a unit must be"},
	{"needle --set occupancy.cc=7.0 --set storage.carveout.bytes=64K", 3,
		"96 KB is more than storage.carveout.bytes = 65536 holds: at most 64 KB"},
};

static void wrong_options_are_reported(void **state)
{
	write_words(*state, "k.ptx", kernels);
	write_words(*state, "empty.ptx", HEAD);
	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		char command[256];
		int code;

		snprintf(command, sizeof(command), "occupancy %s", wrong[i].arguments);
		code = desk_run(*state, command);
		if (code != wrong[i].code)
			print_error("%s: exit code %d\n", command, code);
		assert_int_equal(code, wrong[i].code);
		assert_says(*state, "err", wrong[i].says);
		assert_says(*state, "out", "");
	}
}

static void a_scenarios_launches_are_known(void **state)
{
	assert_int_equal(desk_run(*state, "occupancy %S/half.yaml --csv -"), 0);
	assert_says(*state, "out", "count,1,");
}

#define COMMAND_TEST(f) cmocka_unit_test_setup_teardown(f, desk_set_up, desk_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		COMMAND_TEST(each_design_is_what_a_run_is_given),
		COMMAND_TEST(a_capability_counts_in_a_run_as_in_the_report),
		COMMAND_TEST(a_machine_counts_as_its_product),
		COMMAND_TEST(what_limits_threads_is_named),
		COMMAND_TEST(registers_and_shared_memory_limit_alone_or_together),
		COMMAND_TEST(what_is_allowed_for_a_number_of_ctas_is_reported),
		COMMAND_TEST(a_capacity_of_ones_own_is_one_more_row),
		COMMAND_TEST(a_kernel_may_fit_nowhere),
		COMMAND_TEST(the_picture_is_svg),
		COMMAND_TEST(wrong_options_are_reported),
		COMMAND_TEST(a_scenarios_launches_are_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
