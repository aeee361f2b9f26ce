/* The schemas of schema/: each command's JSON is what they say, in every test that writes it
 * (tests/rig/support_cli.c), and nothing more; here each has a run of its own. */
#include "tests/rig/schema.h"
#include "tests/rig/support_cli.h"

#include <glob.h>
#include <string.h>

/* A schema and a command that writes what it describes. NULL: other tests do, with a stand-in for
 * what the command needs. */
static const struct {
	const char *schema, *run;
} cases[] = {
	{"run", "run vectoradd --quiet --json %F/j --set vectoradd.n=4096"},
	{"exec", "exec vectoradd --quiet --json %F/j --set vectoradd.n=4096"},
	{"check", "check %S/arms.ptx --quiet --json %F/j"},
	{"explain", "explain vectoradd --json %F/j"},
	{"compare", "compare %S/arms.yaml --quiet --json %F/j"},
	{"compare-together",
		"compare vectoradd vectoradd --together --set vectoradd.n=4096 --quiet --json %F/j"},
	{"compare-hardware", NULL},
	{"reproduce", "reproduce table4.5 --quiet --json %F/j"},
	{"reproduce-why", NULL},
	{"reproduce-cases", NULL},
	{"sweep", "sweep %S/add.yaml --quiet --over l1.mshrs=8,9 --out %F/q --json %F/j"},
	{"sweep-plan", "sweep %S/add.yaml --quiet --over l1.mshrs=8,9 --plan %F/j --shards 2"},
	{"recording", NULL},
	{"occupancy", "occupancy vectoradd --quiet --json %F/j"},
	{"tune", "tune %S/add.yaml --quiet --json %F/j"},
	{"profile", "profile vectoradd --quiet --json %F/j --set vectoradd.n=4096"},
	{"diff", "diff %F/run %F/run --quiet --json %F/j"},
	{"hardware", NULL},
	{"replay-dram", "replay dram %F/trace --quiet --json %F/j"},
	{"replay-cache", "replay cache %F/cache --quiet --json %F/j"},
	{"replay-noc", "replay noc uniform:2x2 --loads 0.1 --quiet --json %F/j"},
	{"list", "list --json %F/j"},
	{"list-machines", "list --machines --json %F/j"},
	{"chip", "chip m12 --json %F/j"},
	{"chip-diff", "chip --diff m12 dis40 --json %F/j"},
	{"probe", "probe --set chip.sms=1 --only shared --quiet --json %F/j"},
	{"live", NULL},
};

#define CASES (sizeof(cases) / sizeof(*cases))

static json_t *schema_of(const char *name)
{
	char file[64];
	json_t *j;

	snprintf(file, sizeof(file), "%s.schema.json", name);
	j = schema_load(file);
	if (!j)
		fail_msg("no schema/%s", file);
	return j;
}

static void prepare(const struct desk *d)
{
	assert_int_equal(
		desk_run(d, "run %S/add.yaml --quiet --json %F/run && "
			    "printf 'R 0x0\\nW 0x1000\\n' >%F/trace && printf '0 0\\n' >%F/cache"),
		0);
}

static void each_is_of_what_its_command_writes(void **state)
{
	const struct desk *d = *state;

	prepare(d);
	for (size_t i = 0; i < CASES; i++) {
		json_t *schema = schema_of(cases[i].schema), *j;
		struct text wrong = {0};

		if (!cases[i].run) {
			json_decref(schema);
			continue;
		}
		if (desk_run(d, cases[i].run))
			fail_msg("warpbeam %s: %s", cases[i].run, desk_content(d, "err"));
		j = desk_json(d, "j");
		if (!schema_holds(schema, j, &wrong))
			fail_msg("%s: %s", cases[i].schema, text_str(&wrong));
		text_clear(&wrong);
		json_decref(j);
		json_decref(schema);
	}
}

static void the_folder_has_no_others(void **state)
{
	glob_t found = {0};

	(void)state;
	assert_int_equal(glob(WARPBEAM_SRCDIR "/schema/*", 0, NULL, &found), 0);
	assert_int_equal(found.gl_pathc, CASES);
	globfree(&found);
}

/* The nth object in the order of a walk, from 0 on; NULL: there are fewer. */
static json_t *nth_object(json_t *v, size_t *n)
{
	json_t *member, *found = NULL;
	const char *key;
	size_t i;

	if (json_is_object(v) && !(*n)--)
		return v;
	json_object_foreach(v, key, member)
	{
		if (!found)
			found = nth_object(member, n);
	}
	json_array_foreach(v, i, member)
	{
		if (!found)
			found = nth_object(member, n);
	}
	return found;
}

static void a_field_that_is_added_without_it_is_noticed(void **state)
{
	json_t *schema = schema_of("run"), *j, *at;
	size_t objects = 0;

	prepare(*state);
	j = desk_json(*state, "run");
	for (;; objects += 7) {
		size_t n = objects;
		struct text wrong = {0};

		at = nth_object(j, &n);
		if (!at)
			break;
		json_object_set_new(at, "added", json_true());
		assert_false(schema_holds(schema, j, &wrong));
		text_clear(&wrong);
		json_object_del(at, "added");
	}
	assert_true(objects > 20);
	json_decref(j);
	json_decref(schema);
}

static void what_is_missing_or_of_another_type_is_noticed(void **state)
{
	static const char *const lacks[] = {"metrics", "launches", "complete"};
	json_t *schema = schema_of("run"), *j;
	struct text wrong = {0};

	prepare(*state);
	j = desk_json(*state, "run");
	json_object_set_new(j, "check", json_string("perhaps"));
	assert_false(schema_holds(schema, j, &wrong));
	assert_string_equal(text_str(&wrong), "/check: is not one of the enum");
	json_object_set_new(j, "check", json_integer(1));
	assert_false(schema_holds(schema, j, &wrong));
	assert_string_equal(text_str(&wrong), "/check: is of another type");
	for (size_t i = 0; i < 3; i++) {
		json_object_del(j, lacks[i]);
		assert_false(schema_holds(schema, j, &wrong));
		assert_non_null(strstr(text_str(&wrong), lacks[i]));
	}
	text_clear(&wrong);
	json_decref(j);
	json_decref(schema);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, desk_set_up, desk_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_is_of_what_its_command_writes),
		TEST(the_folder_has_no_others),
		TEST(a_field_that_is_added_without_it_is_noticed),
		TEST(what_is_missing_or_of_another_type_is_noticed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
