/* Clocks as a user meets them: what is refused, and rates and speedups that count time. */
#include "tests/rig/support_cli.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/base.h"
#include "core/mem.h"

static const struct {
	const char *arguments;
	int code;
	const char *file, *says;
} commands[] = {
	{"params chip.sm_mhz", 0, "out", "MHz"},
	{"topology --set chip.sm_mhz=1400 --set chip.l2_mhz=950", 0, "out",
		"clocks: SMs 1400.56 MHz (714 ps), L2 and networks 949.668 MHz (1053 ps)"},
	{"topology --set chip.sm_mhz=1400", 0, "out", "L2 and networks 1400.56 MHz (714 ps)"},
	{"topology --set chip.sm_mhz=0", 3, "err",
		"chip.sm_mhz = 0: must be a number, 10 .. 10000 MHz"},
	{"topology --set chip.sm_mhz=9.99", 3, "err", "10 .. 10000 MHz"},
	{"topology --set chip.sm_mhz=10001", 3, "err", "10 .. 10000 MHz"},
	{"topology --set chip.sm_mhz=nan", 3, "err", "10 .. 10000 MHz"},
	{"topology --set chip.l2_mhz=-1", 3, "err", "0 .. 10000 MHz"},
	{"topology --set chip.l2_mhz=5", 3, "err",
		"chip.l2_mhz = 5: must be 62.5 .. 10000 MHz where chip.sm_mhz = 1000, or 0: the "
		"SMs' clock"},
	{"topology --set chip.sm_mhz=10 --set chip.l2_mhz=161", 3, "err",
		"chip.l2_mhz = 161: must be 10 .. 160 MHz where chip.sm_mhz = 10,"},
	{"topology --set chip.sm_mhz=10 --set chip.l2_mhz=160 --set chip.window=1000 "
	 "--set chip.link_cycles=1000 --set chip.read_cycles=100000",
		0, "out", "(100000 ps)"},
	{"topology --set chip.l2_mhz=100 --set chip.read_cycles=380", 3, "err",
		"chip.read_cycles = 380: the path to DRAM and back alone takes 386 cycles; 0: the least"},
};

static void clocks_that_cannot_be_are_refused_with_their_bounds(void **state)
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

/* All variants have the clocks and an even share of the bandwidth. */
static void a_speedup_is_of_times(void **state)
{
	const struct desk *d = *state;
	json_t *j, *speedup;

	assert_int_equal(desk_run(d, "compare vectoradd --set vectoradd.n=16384 --against "
				     "chip.sm_mhz=2000 --against chip.bytes_per_ns=512 --json -"),
		0);
	j = desk_json(d, "out");
	speedup = json_object_get(json_array_get(json_object_get(j, "targets"), 0), "speedup");
	assert_true(fabs(json_number_value(json_object_get(speedup, "chip")) - 2) < 1e-9);
	assert_true(fabs(json_number_value(json_object_get(speedup, "share")) - 2) < 1e-9);
	json_decref(j);
}

static char *profiled(const struct desk *d, unsigned threads)
{
	char command[300];

	snprintf(command, sizeof(command),
		"profile bfs --threads %u --no-pin --quiet --set chip.sm_mhz=1400 --set "
		"chip.l2_mhz=950 --set chip.dram=banked --set dram.tck_ps=333 --json %%F/%u",
		threads, threads);
	if (desk_run(d, command))
		fail_msg("%s: %s", command, desk_content(d, "err"));
	snprintf(command, sizeof(command), "%u", threads);
	return desk_content(d, command);
}

static void a_profile_at_other_clocks_balances_for_any_number_of_threads(void **state)
{
	char *one = profiled(*state, 1), *two = profiled(*state, 2), *four = profiled(*state, 4);

	assert_string_equal(one, two);
	assert_string_equal(one, four);
	mem_free(one);
	mem_free(two);
	mem_free(four);
}

/* The same requests by two parties in half the time. */
static void rates_of_parties_are_of_times(void **state)
{
	static const char *const chips[] = {
		"", " --set chip.sm_mhz=2000 --set chip.bytes_per_ns=512"};
	const struct desk *d = *state;
	double rate[2];

	for (unsigned i = 0; i < 2; i++) {
		char command[200];
		json_t *j, *party;

		snprintf(command, sizeof(command),
			"compare vectoradd reduction --together --json -%s", chips[i]);
		if (desk_run(d, command))
			fail_msg("%s: %s", command, desk_content(d, "err"));
		j = desk_json(d, "out");
		party = json_array_get(json_object_get(j, "parties"), 0);
		rate[i] = json_number_value(json_object_get(
			json_object_get(party, "together"), "dram_bytes_read_per_ns"));
		json_decref(j);
	}
	assert_true(rate[0] > 0 && fabs(rate[1] / rate[0] - 2) < 1e-9);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, desk_set_up, desk_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(clocks_that_cannot_be_are_refused_with_their_bounds),
		TEST(a_speedup_is_of_times),
		TEST(a_profile_at_other_clocks_balances_for_any_number_of_threads),
		TEST(rates_of_parties_are_of_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
