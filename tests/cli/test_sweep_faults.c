/* Plans, parts and shards that are wrong: a line for each, and nothing is written. */
#include "tests/rig/rows.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base.h"
#include "core/file.h"
#include "core/mem.h"
#include "core/text.h"
#include "runs/keys.h"

#ifdef HAVE_SQLITE

#define SHARD(i) "sweep --quiet --plan %F/plan.json --shard " i

/* ---- what is wrong */
static const struct {
	const char *arguments;
	int code;
	const char *says;
} wrong[] = {
	{"vectoradd --plan %F/x", 2, "--plan needs --shards N"},
	{"vectoradd --plan %F/x --shards 0", 2, "must be a whole number, 1 .."},
	{"--plan %F/x --shards 2", 2, "sweep needs WORKLOAD|FILE.yaml"},
	{"vectoradd --plan %F/x --shards 2 --out %F/y", 2, "--out does not go with --plan"},
	{"vectoradd --shards 2 --out %F/x", 2, "--shards goes with --plan or --slurm"},
	{"vectoradd --plan %F/no/x --shards 2", 9, "cannot write: No such file"},
	{"vectoradd --plan %F/x --shards 2 --costs %F/no", 3, "no: cannot be read: No such file"},
	{"vectoradd --plan %F/x --shards 2 --costs %F/words", 3, "is not an SQLite file"},
	{"vectoradd --plan %F/x --shards 2 --costs %F/empty", 3, "is no file of results"},
	{"--shard 1/2", 2, "--shard needs --plan FILE"},
	{"--shard 1/2 --plan %F/no", 3, "no: No such file or directory"},
	{"--shard 1/2 --plan %F", 3, "is a folder"},
	{"--shard 1/2 --plan %F/words", 3, "words: is no plan of warpbeam sweep"},
	{"--shard 1/2 --plan %F/cut", 3, "cut: is no plan of warpbeam sweep, or was cut off"},
	{"--shard 1/2 --plan %F/altered", 3, "its hash is not that of its content"},
	{"--shard 1/2 --plan %F/version", 3, "is a plan of another version"},
	{"--shard 1/2 --plan %F/build", 3, "build: is a plan of build v0-other, and this"},
	{"--shard 0/2 --plan %F/plan.json", 2, "--shard 0/2: must be 1/2 .. 2/2"},
	{"--shard 3/2 --plan %F/plan.json", 2, "--shard 3/2: must be 1/2 .. 2/2"},
	{"--shard 1/3 --plan %F/plan.json", 2, "--shard 1/3: %F/plan.json has 2 shards"},
	{"--shard 1 --plan %F/plan.json", 2, "--shard 1: must have the form I/N, as 3/8"},
	{"--shard 1/2 --plan %F/plan.json --over a=1", 2, "--over does not go with --shard"},
	{"vectoradd --shard 1/2 --plan %F/plan.json", 2, "'vectoradd': --shard has its targets"},
	{"--shard 1/2 --plan %F/plan.json --out %F/no/x", 9, "cannot write: No such file"},
	{"--shard 2/2 --plan %F/plan.json --out %F/one", 3, "one.r0.sqlite: is a part of another"},
	{"--merge %F/x", 2, "needs the part files that sweep --shard has made"},
	{"--merge %F/x %F/no", 3, "no: cannot be read: No such file"},
	{"--merge %F/x %F", 3, "is no file of results, but a folder"},
	{"--merge %F/x %F/words", 3, "words: is not an SQLite file"},
	{"--merge %F/x %F/empty", 3, "empty: is no file of results: it is empty"},
	{"--merge %F/x %F/half", 3, "half: is damaged"},
	{"--merge %F/x %F/whole.sqlite", 3, "but no part that sweep --shard made"},
	{"--merge %F/x %F/one.r0.sqlite %F/two.r0.sqlite", 3, "is a part of another plan than"},
	{"--merge %F/x %F/other", 3, "has 1 point of another build than the plan's"},
	{"--merge %F/x %F/more", 3, "has 3 points, of which only 2 are of its shard, 1 of 2"},
	{"--merge %F/words %F/one.r0.sqlite", 3, "words: is not an SQLite file"},
	{"--merge %F/no/x %F/one.r0.sqlite", 9, "cannot write: No such file"},
	{"--merge %F/one.r0.sqlite %F/one.r0.sqlite", 2, "this file is read"},
	{"--merge %F/x %F/one.r0.sqlite --seed 2", 2, "--seed does not go with --merge"},
	{"--merge %F/x --shard 1/2 --plan %F/plan.json", 2, "only one can be given"},
};

/* Files that are nearly right. */
static void make_files(const struct desk *p)
{
	static const char *const lines[] = {
		"sweep %S/half.yaml --over chip.sms=1..4 --plan %F/plan.json --shards 2",
		"sweep %S/half.yaml --over chip.sms=1..3 --plan %F/plan2.json --shards 2",
		"sweep --plan %F/plan.json --shard 1/2 --out %F/one.sqlite",
		"sweep --plan %F/plan2.json --shard 1/2 --out %F/two.sqlite",
		"sweep %S/half.yaml --over chip.sms=1 --out %F/whole.sqlite",
		"--version; cd %F; cp one.r0.sqlite other; cp one.r0.sqlite more",
		"--version; cd %F; head -c 300 plan.json >cut; : >empty",
		"--version; cd %F; head -c 30000 one.r0.sqlite >half",
		"--version; cd %F; sed 's/chip.sms=1/chip.sms=2/' plan.json >altered",
		"--version; cd %F; sed 's/\"version\":1/\"version\":2/' plan.json >version",
		"--version; printf 'these are words, %0200d' 0 >%F/words",
	};

	for (size_t i = 0; i < ARRAY_LEN(lines); i++)
		assert_int_equal(desk_run(p, lines[i]), 0);
	rows_change(p, "other",
		"UPDATE points SET build = 'x' WHERE point = (SELECT max(point) "
		"FROM points)");
	rows_change(p, "more",
		"INSERT INTO points SELECT 'x' || point, target, size, seed, "
		"address_bits, build, status FROM points LIMIT 1");
}

/* The plan of another build: its hash is of the rest, on one line, and of the same made again. */
static void make_foreign(const struct desk *p)
{
	json_t *plan = desk_json(p, "plan.json");
	struct text words = {0};
	char key[KEY_ROOM], path[128], *line;
	struct err err = {0};

	json_object_del(plan, "hash");
	json_object_set_new(plan, "program", json_string("v0-other"));
	line = json_dumps(plan, JSON_COMPACT);
	text_raw(&words, "%s", line);
	free(line);
	assert_int_equal(key_make(&words, key, &err), 0);
	json_object_set_new(plan, "hash", json_string(key));
	snprintf(path, sizeof(path), "%s/build", p->folder);
	assert_int_equal(json_dump_file(plan, path, 0), 0);
	json_decref(plan);
	text_clear(&words);
}

static void each_fault_has_a_line_of_its_own(void **state)
{
	struct desk *p = *state;

	make_files(p);
	make_foreign(p);
	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		struct text line = {0}, says = {0};
		char *told;
		int code;

		text_raw(&line, "sweep %s", wrong[i].arguments);
		for (const char *c = wrong[i].says; *c; c++)
			if (c[0] == '%' && c[1] == 'F')
				text_raw(&says, "%s", (c++, p->folder));
			else
				text_bytes(&says, c, 1);
		code = desk_run(p, text_str(&line));
		if (code != wrong[i].code)
			print_error("%s: exit code %d\n", text_str(&line), code);
		assert_int_equal(code, wrong[i].code);
		assert_says(p, "err", text_str(&says));
		told = desk_content(p, "err");
		assert_null(strstr(strchr(told, '\n') + 1, "\n")); /* one line */
		mem_free(told);
		assert_false(desk_has(p, "x"));
		text_clear(&line);
		text_clear(&says);
	}
	assert_says(p, "words", "these are words");
}

static void changed_inputs_are_no_points_of_the_plan(void **state)
{
	struct desk *p = *state;

	assert_int_equal(
		desk_run(p, "--version; cp %S/*.yaml %S/*.ptx %F; cp %S/*.bin %F; true"), 0);
	assert_int_equal(desk_run(p, "sweep %F/half.yaml --over chip.sms=1,2 --quiet --plan "
				     "%F/plan.json --shards 1"),
		0);
	assert_int_equal(desk_run(p, "--version; echo '# changed' >>%F/half.yaml"), 0);
	assert_int_equal(desk_run(p, SHARD("1/1")), 3);
	assert_says(p, "err", "chip.sms=1': its inputs are not those of the plan");
	assert_false(desk_has(p, "plan.1-of-1.r0.sqlite"));
}

#define COMMAND_TEST(f) cmocka_unit_test_setup_teardown(f, desk_set_up, desk_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		COMMAND_TEST(each_fault_has_a_line_of_its_own),
		COMMAND_TEST(changed_inputs_are_no_points_of_the_plan),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
	return 0;
}

#endif
