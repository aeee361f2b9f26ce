/* The registry of limits (chip/limits.h): each is removed by its settings on every design of
 * storage, and where it is tight its own observable moves. */
#include "chip/limits.h"
#include "core/base.h"
#include "tests/rig/support_cli.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void add_settings(char *command, size_t room, const char *set)
{
	char words[1024], *rest = NULL;

	snprintf(words, sizeof(words), "%s", set ? set : "");
	for (char *at = strtok_r(words, " ", &rest); at; at = strtok_r(NULL, " ", &rest)) {
		size_t n = strlen(command);
		char *other = strstr(at, "=@"); /* of m12: its pipes are at their defaults */

		if (other && (strstr(other, "_pipe") || strstr(other, "_shared")))
			continue;
		if (other)
			strcpy(other + 1, strstr(other, "alu_cycles/4") ? "2"
					  : strstr(other, "alu_cycles") ? "8"
									: "0");
		snprintf(command + n, room - n, " --set %s", at);
	}
}

/* Runs the workload under the settings, then under those of the limit as well. */
static void run(const struct desk *d, const char *workload, const char *set, const char *more,
	const char *storage)
{
	char command[1536];

	snprintf(command, sizeof(command), "run %s --quiet --json %%F/r.json", workload);
	add_settings(command, sizeof(command), set);
	add_settings(command, sizeof(command), more);
	add_settings(command, sizeof(command), storage);
	if (desk_run(d, command))
		fail_msg("warpbeam %s: %s", command, desk_content(d, "err"));
}

static double metric(json_t *metrics, const char *name)
{
	json_t *v = json_object_get(json_object_get(metrics, name), "value");

	if (!json_is_number(v))
		fail_msg("there is no metric %s", name);
	return json_number_value(v);
}

static double observed(const struct desk *d, const struct limit *l)
{
	json_t *j = desk_json(d, "r.json"), *metrics = json_object_get(j, "metrics");
	double v = metric(metrics, l->metric);

	if (l->by)
		v /= metric(metrics, l->by);
	json_decref(j);
	return v;
}

static void each_can_be_removed_on_each_design(void **state)
{
	static const char *const designs[] = {"chip.storage=partitioned",
		"chip.storage=unified chip.sm_mhz=1400 chip.l2_mhz=500", "chip.storage=fermi",
		"chip.storage=carveout chip.dram=banked chip.network=voq"};

	for (unsigned k = 0; k < limits_of_machine(); k++)
		for (unsigned s = 0; s < ARRAY_LEN(designs); s++) {
			const struct limit *l = &limits[k];
			const char *more[] = {l->partitioned, l->unified, l->fermi, l->carveout};

			run(*state, "vectoradd --set vectoradd.n=4096 --set chip.sms=4", designs[s],
				l->set, more[s]);
			observed(*state, l);
		}
}

/* Products have pipes, banks of DRAM, networks with settings, and designs of their own. */
static void each_can_be_removed_on_products(void **state)
{
	for (unsigned k = 0; k < limits_of_machine(); k++) {
		const struct limit *l = &limits[k];
		const struct {
			const char *run, *more;
		} of[] = {{"vectoradd --set vectoradd.n=4096 --chip gtx480", l->fermi},
			{"vectoradd --set vectoradd.n=4096 --chip m60", l->partitioned},
			{"vectoradd --set vectoradd.n=4096 --chip v100", l->carveout}};

		for (unsigned i = 0; i < ARRAY_LEN(of); i++)
			run(*state, of[i].run, "", l->set, of[i].more);
	}
}

/* Where each is tight. */
static const struct {
	const char *limit, *workload, *tight;
} cases[] = {
	{"mshrs", "vectoradd", "l1.mshrs=1"},
	{"lsu_queue", "vectoradd", "sm.lsu_queue=1"},
	{"conflicts", "needle --set needle.n=128", ""},
	{"register_conflicts", "dgemm", "sm.bank_conflicts=penalty gpu.spread_banks=false"},
	{"conflict_issue", "needle --set needle.n=128", ""},
	{"network", "vectoradd", ""},
	{"l2_capacity", "bfs", "l2.bytes=4K"},
	{"dram_bandwidth", "vectoradd", "chip.bytes_per_ns=8"},
	{"dram_latency", "pointerchase", ""},
	{"cache_capacity", "matrixmul", "storage.partitioned.cache_bytes=512"},
	{"cache_ways", "bfs", "l1.ways=1"},
	{"cache_kept", "bfs", ""},
	{"whole_lines", "bfs", "l2.bytes=4K storage.partitioned.cache_bytes=4K"},
	{"registers", "dgemm", "chip.sms=1 storage.partitioned.register_bytes=64K"},
	{"shared_memory", "matrixmul", "chip.sms=1 storage.partitioned.shared_bytes=4K"},
	{"slots", "vectoradd", "chip.sms=1 sm.warps=8"},
	{"active_warps", "nbody", "chip.sms=1 sm.two_level.active_warps=1"},
	{"issue", "nbody", "chip.sms=1"},
	{"alu_latency", "needle --set needle.n=128", ""},
	{"shared_latency", "needle --set needle.n=128", ""},
	{"sfu", "nbody", "chip.sms=1 sm.sfu_lanes=1"},
	{"texture", "bicubictexture", "sm.texture_lanes=1"},
	{"strand_waits", "vectoradd", ""},
	{"strands", "scalarprod", ""},
	{"coalescing", "%S/../advice/store_faulty.yaml", ""},
	{"divergence", "%S/../advice/branch_faulty.yaml", ""},
	{"blocks", "%S/../advice/blocks_faulty.yaml", ""},
	{"local", "%S/../advice/local_faulty.yaml", ""},
	{"narrow", "%S/../advice/bytes_faulty.yaml", ""},
	{"warp_balance", "%S/../advice/warps_faulty.yaml", ""},
	{"load_waits", "%S/../advice/chase_faulty.yaml", ""},
	{"load_latency", "pointerchase", ""},
	{"atomics", "%S/../advice/atomics_faulty.yaml", ""},
	{"dependence", "%S/../advice/first/dependency.yaml", ""},
	{"spills", "%S/../advice/spills_faulty.yaml", ""},
	{"camping", "%S/../advice/camping_faulty.yaml", ""},
	{"sharing", "%S/../advice/sharing_faulty.yaml", ""},
	{"barriers", "%S/../advice/first/barriers.yaml", ""},
	{"divisions", "%S/../advice/divisions_faulty.yaml", ""},
	{"specials", "%S/../advice/sines_faulty.yaml", ""},
	{"double", "%S/../advice/double_faulty.yaml", ""},
	{"constants", "%S/../advice/constants_faulty.yaml", ""},
	{"instructions", "vectoradd", "icache.mode=real"},
	{"balance", "vectoradd", ""},
};

static void where_it_is_tight_its_observable_moves(void **state)
{
	assert_int_equal(ARRAY_LEN(cases), limits_count);
	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		const struct limit *l = &limits[i];
		double before, after;

		assert_string_equal(cases[i].limit, l->name);
		run(*state, cases[i].workload, cases[i].tight, NULL, NULL);
		before = observed(*state, l);
		run(*state, cases[i].workload, cases[i].tight, l->set, l->partitioned);
		after = observed(*state, l);
		if (!l->balances && !limit_moved(l, before, after))
			fail_msg("%s: %s is %g, then %g", l->name, l->metric, before, after);
	}
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, desk_set_up, desk_tear_down)

/* By more than a tenth, in its own direction; what was zero may move by anything. */
static void an_observable_moves_by_more_than_a_tenth(void **state)
{
	static const struct limit falls = {.rises = false}, rises = {.rises = true};

	(void)state;
	assert_true(limit_moved(&falls, 100, 89));
	assert_false(limit_moved(&falls, 100, 90));
	assert_false(limit_moved(&falls, 100, 120));
	assert_true(limit_moved(&rises, 100, 111));
	assert_false(limit_moved(&rises, 100, 110));
	assert_false(limit_moved(&rises, 100, 80));
	assert_true(limit_moved(&rises, 0, 0.1));
	assert_false(limit_moved(&falls, 0, 0));
	assert_false(limit_moved(&falls, NAN, 1));
	assert_false(limit_moved(&rises, 1, NAN));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_observable_moves_by_more_than_a_tenth),
		TEST(each_can_be_removed_on_each_design),
		TEST(each_can_be_removed_on_products),
		TEST(where_it_is_tight_its_observable_moves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
