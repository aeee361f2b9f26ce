/* Runs without limits of the program (sm/ideal.h): results stay right, all counters balance, and
 * packed lines are those that other accesses leave. */
#include "sm/ideal.h"
#include "tests/rig/support_cli.h"

#include <string.h>

static void results_stay_right(void **state)
{
	static const char *const runs[] = {"bfs --set bfs.n=2000", "needle --set needle.n=128",
		"histogram --set chip.sms=4", "matrixmul", "mergesort --set mergesort.n=2048"};
	static const char all[] =
		" --set ideal.coalescing=true --set ideal.divergence=true --set ideal.atomics=true "
		"--set ideal.local=true "
		"--set ideal.shared_atomics=true --set ideal.kept=true --set gpu.all_regs=true "
		"--set chip.slice_hash=scatter --set l2.set_hash=scatter";
	static const char *const more[] = {"run %s%s --quiet", "run %s%s --quiet --chip v100",
		"profile %s%s --quiet --set ideal.loads=true",
		"run %s%s --quiet --set ideal.narrow=true --set ideal.blocks=true",
		"run %s%s --quiet --set ideal.chains=4 --set ideal.warp_sums=true"};

	for (unsigned i = 0; i < ARRAY_LEN(runs); i++)
		for (unsigned k = 0; k < ARRAY_LEN(more); k++) {
			char command[600];

			snprintf(command, sizeof(command), more[k], runs[i], all);
			if (desk_run(*state, command))
				fail_msg("warpbeam %s: %s", command, desk_content(*state, "err"));
		}
}

static struct access access_of(uint64_t base, uint64_t step, unsigned bytes)
{
	struct access a = {.space = SPACE_GLOBAL,
		.action = ACT_STORE,
		.bytes = (uint8_t)bytes,
		.mask = UINT32_MAX};

	for (unsigned i = 0; i < WARP_LANES; i++)
		a.addr[i] = base + i * step;
	return a;
}

/* Packs the accesses of `steps` warps, each `bytes` further; every line is taken whole, once. */
static void take_each_line(uint64_t step, unsigned bytes, unsigned steps)
{
	static struct line_access lines[COALESCE_MAX];
	unsigned taken[WARP_LANES] = {0}, need = WARP_LANES * bytes / LINE_BYTES;

	for (unsigned k = 0; k < steps; k++) {
		struct access a = access_of((uint64_t)k * bytes, step, bytes);
		unsigned n = ideal_pack(&a, lines, coalesce(&a, lines));

		assert_int_equal(n, need);
		for (unsigned i = 0; i < n; i++) {
			assert_int_equal(lines[i].granules, 0xff);
			assert_int_equal(lines[i].bytes, LINE_BYTES);
			taken[lines[i].line / step * step == lines[i].line || step < LINE_BYTES
					? lines[i].line / (step < LINE_BYTES ? LINE_BYTES : step)
					: 0]++;
		}
	}
	for (unsigned i = 0; i < steps * need; i++)
		assert_int_equal(taken[i], 1);
}

static void packed_accesses_take_each_line_once(void **state)
{
	(void)state;
	take_each_line(1024, 4, 32); /* the columns of a matrix, */
	take_each_line(4096, 8, 16);
	take_each_line(8, 4, 2); /* the members of structures of two and of eight words */
	take_each_line(32, 4, 8);
}

static void coalesced_accesses_stay_as_they_are(void **state)
{
	struct line_access lines[COALESCE_MAX];
	struct access a = access_of(4096, 4, 4);

	(void)state;
	assert_int_equal(ideal_pack(&a, lines, coalesce(&a, lines)), 1);
	assert_int_equal(lines[0].line, 4096);
	assert_int_equal(lines[0].lanes, UINT32_MAX);
	a = access_of(4096 + 64, 4, 4);
	assert_int_equal(ideal_pack(&a, lines, coalesce(&a, lines)), 1);
	a.mask = 0x11;
	a.addr[4] = 65536;
	assert_int_equal(ideal_pack(&a, lines, coalesce(&a, lines)), 1);
	assert_int_equal(lines[0].bytes, 8);
	assert_int_equal(lines[0].granules, 1);
	assert_int_equal(lines[0].lanes, 0x11);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(results_stay_right, desk_set_up, desk_tear_down),
		cmocka_unit_test(packed_accesses_take_each_line_once),
		cmocka_unit_test(coalesced_accesses_stay_as_they_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
