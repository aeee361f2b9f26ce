/* Runs without limits of the program (sm/ideal.h): results stay right, all counters balance, and
 * packed lines are those that other accesses leave. */
#include "sm/ideal.h"

#include "core/file.h"
#include "core/text.h"
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

/* The first lane of each warp walks 64 loads, one after the other. */
static const char walk_ptx[] = ".version 7.0\n"
			       ".target sm_70\n"
			       ".address_size 64\n"
			       ".visible .entry walk(.param .u64 p)\n"
			       "{\n"
			       ".reg .b64 %rd<4>;\n"
			       ".reg .b32 %r<4>;\n"
			       ".reg .pred %q<3>;\n"
			       "ld.param.u64 %rd1, [p];\n"
			       "mov.u32 %r1, %laneid;\n"
			       "setp.ne.u32 %q1, %r1, 0;\n"
			       "mov.u32 %r2, 0;\n"
			       "@%q1 bra END;\n"
			       "NEXT:\n"
			       "ld.global.u64 %rd2, [%rd1];\n"
			       "add.s64 %rd1, %rd1, %rd2;\n"
			       "add.s32 %r2, %r2, 1;\n"
			       "setp.lt.u32 %q2, %r2, 64;\n"
			       "@%q2 bra NEXT;\n"
			       "st.global.u64 [%rd1+8], %rd1;\n"
			       "END:\n"
			       "ret;\n"
			       "}\n";
static const char walk_yaml[] =
	"buffers:\n"
	"  p: { type: u32, count: 64 }\n"
	"launches:\n"
	"  - { module: walk.ptx, kernel: walk, grid: 1, block: 64, args: [{ buffer: p }] }\n";

static void write_file(const struct desk *d, const char *name, const char *content)
{
	struct text path = {0};
	struct err err = {0};

	text_add(&path, "%s/%s", d->folder, name);
	assert_int_equal(file_write(NULL, text_str(&path), content, strlen(content), &err), 0);
	text_clear(&path);
}

/* Lanes of as many warps share its instructions, not the time of its loads; and a CTA's longest
 * lane is none of them. */
static void a_packed_lane_waits_for_its_loads(void **state)
{
	json_t *j;
	json_int_t cycles, other;

	write_file(*state, "walk.ptx", walk_ptx);
	write_file(*state, "walk.yaml", walk_yaml);
	assert_int_equal(desk_run(*state, "run %F/walk.yaml --set ideal.divergence=true --quiet "
					  "--json %F/r.json"),
		0);
	j = desk_json(*state, "r.json");
	cycles = json_metric(j, "gpc__cycles_elapsed.max");
	other = json_metric(j, "sm__warps_active.sum") - cycles;
	assert_true(cycles >= 64 * 50);
	assert_true(other >= 64 * 20); /* l1.hit_cycles */
	assert_true(other < 64 * 40);
	json_decref(j);
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
		cmocka_unit_test_setup_teardown(
			a_packed_lane_waits_for_its_loads, desk_set_up, desk_tear_down),
		cmocka_unit_test(packed_accesses_take_each_line_once),
		cmocka_unit_test(coalesced_accesses_stay_as_they_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
