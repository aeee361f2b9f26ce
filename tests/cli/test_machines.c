/* Machines: those that are compiled in, files that change them, and what is wrong with a file. */
#include "tests/rig/support_cli.h"

#include <stdio.h>
#include <string.h>

#include "core/base.h"
#include "core/mem.h"
#include "runs/description.h"
#include "runs/session.h"

#define ROWS 1024

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

static void refused(const struct desk *d, const char *arguments, const char *words)
{
	assert_int_equal(desk_run(d, arguments), 3);
	assert_says(d, "err", words);
}

/* ---- those that are compiled in */
struct bench {
	struct arena arena;
	struct source source;
	jmp_buf escape;
	struct err err;
};

static void bench_open(struct bench *b)
{
	*b = (struct bench){0};
	b->arena.escape = &b->escape;
	b->source = (struct source){.arena = &b->arena, .directory = "."};
}

static void bench_close(struct bench *b)
{
	assert_string_equal(err_text(&b->err), "");
	err_clear(&b->err);
	arena_free(&b->arena);
}

static bool is_number(const struct param_def *def)
{
	return def->type == PARAM_UINT || def->type == PARAM_REAL;
}

struct checking {
	const struct description *machine;
	unsigned numbers;
};

static void check_source(
	void *ctx, const char *path, const char *value, const struct param_def *def, bool given)
{
	struct checking *c = ctx;
	const struct described_value *v = description_value(c->machine, path);

	(void)value;
	(void)given;
	if (!v || !is_number(def))
		return;
	c->numbers++;
	if (!v->source || !*v->words)
		fail_msg("%s: %s = %s has no source, or not where in it", v->place, path, v->value);
}

/* A product's loads obey PTX's cache operators. */
static void check_operators(const struct checking *c)
{
	const struct described_value *v = description_value(c->machine, "l1.operators");

	if (!strncmp(c->machine->title, "NVIDIA ", 7) && (!v || strcmp(v->value, "true") != 0))
		fail_msg("%s: l1.operators is not set", c->machine->title);
}

static void every_number_of_a_machine_has_a_source(void **state)
{
	struct bench b;

	(void)state;
	bench_open(&b);
	if (setjmp(b.escape))
		fail_msg("no host memory");
	for (const struct machine_text *m = machine_texts; m->name; m++) {
		const char *names[] = {m->name};
		struct run_options o = {.chips = {names, 1}, .threads = 1};
		struct session *s = session_within(&b.arena);
		struct checking c = {0};

		if (session_open(s, &o, NULL, &b.err) || config_finish(s->config, &b.err))
			fail_msg("%s: %s", m->name, err_text(&b.err));
		c.machine = s->source.machine;
		assert_non_null(c.machine->title);
		assert_non_null(c.machine->about);
		assert_non_null(c.machine->validated);
		config_echo(s->config, check_source, &c);
		check_operators(&c);
		if (c.numbers < 6)
			fail_msg("%s: %u numbers", m->name, c.numbers);
		session_close(s);
	}
	bench_close(&b);
}

struct echo {
	char *row[ROWS];
	unsigned n;
	struct arena *arena;
};

static void keep(
	void *ctx, const char *path, const char *value, const struct param_def *def, bool given)
{
	struct echo *e = ctx;
	char text[400];

	(void)def;
	(void)given;
	assert_true(e->n < ROWS);
	snprintf(text, sizeof(text), "%s = %s", path, value);
	e->row[e->n++] = arena_strdup(e->arena, text);
}

static void echo(struct bench *b, const struct run_options *o, struct echo *e)
{
	struct session *s = session_within(&b->arena);

	if (session_open(s, o, NULL, &b->err) || config_finish(s->config, &b->err))
		fail_msg("%s", err_text(&b->err));
	e->arena = &b->arena;
	config_echo(s->config, keep, e);
	session_close(s);
}

static void the_default_machine_describes_the_defaults(void **state)
{
	const struct description *d;
	struct run_options none = {.threads = 1}, all = none;
	struct echo defaults = {.n = 0}, described = {.n = 0};
	struct bench b;

	(void)state;
	bench_open(&b);
	if (setjmp(b.escape))
		fail_msg("no host memory");
	d = description_read(DESCRIPTION_DEFAULT, &b.source, &b.err);
	assert_non_null(d);
	all.set.at = arena_alloc(&b.arena, d->nvalues, sizeof(char *));
	for (unsigned i = 0; i < d->nvalues; i++) {
		char text[300];

		snprintf(text, sizeof(text), "%s=%s", d->values[i].path, d->values[i].value);
		all.set.at[all.set.n++] = arena_strdup(&b.arena, text);
	}
	assert_true(all.set.n > 20);
	echo(&b, &none, &defaults);
	echo(&b, &all, &described);
	assert_int_equal(defaults.n, described.n);
	for (unsigned i = 0; i < defaults.n; i++)
		assert_string_equal(defaults.row[i], described.row[i]);
	bench_close(&b);
}

static void every_machine_runs_to_the_right_results(void **state)
{
	static const char *const workloads[] = {
		"vectoradd --set vectoradd.n=8192", "needle --set needle.n=64"};
	const struct desk *d = *state;
	char arguments[100];

	for (const struct machine_text *m = machine_texts; m->name; m++)
		for (size_t i = 0; i < ARRAY_LEN(workloads); i++) {
			snprintf(arguments, sizeof(arguments), "run %s --quiet --chip %s",
				workloads[i], m->name);
			if (desk_run(d, arguments))
				fail_msg("%s: %s", arguments, desk_content(d, "err"));
		}
}

static void machines_are_listed(void **state)
{
	const struct desk *d = *state;
	json_t *j, *m;

	assert_int_equal(desk_run(d, "list --machines"), 0);
	assert_says(d, "out", "dis40: Gebhart's dissertation, chapters 5 and 6\n");
	assert_says(d, "out", "  base: m12\n");
	assert_says(d, "out", "  validated against: the tables and figures of that paper");
	assert_int_equal(desk_run(d, "list --machines --json %F/m.json"), 0);
	j = desk_json(d, "m.json");
	m = json_array_get(json_object_get(j, "machines"), 0);
	assert_non_null(json_object_get(m, "sources"));
	assert_true(json_array_size(json_object_get(m, "settings")) > 5);
	json_decref(j);
	assert_int_equal(desk_run(d, "list --machines --plugins"), 2);
}

/* ---- files */
static void later_chips_override_and_say_so(void **state)
{
	const struct desk *d = *state;
	json_t *j, *list, *row = NULL;
	size_t i;
	char *out;

	write_file(d, "a.yaml", "base: dis40\nsm.warps: 16\nl1.ways: 8\n");
	write_file(d, "b.yaml", "sm.warps: 24\nchip.sms: 3\nl1.ways: 8\n");
	assert_int_equal(
		desk_run(d, "run vectoradd --chip %F/a.yaml --chip %F/b.yaml --json %F/j"), 0);
	assert_says(d, "err",
		"note: --chip: later chips override 2 values of earlier ones: sm.warps = 24 (");
	assert_says(d, "err", "/a.yaml:2:1: 16), chip.sms = 3 (machines/dis40.yaml:");
	j = desk_json(d, "j");
	list = json_object_get(j, "configuration");
	json_array_foreach(list, i, row) if (!strcmp(json_text(row, "path"), "chip.sms")) break;
	assert_int_equal(json_integer_value(json_object_get(row, "value")), 3);
	assert_non_null(strstr(json_text(row, "origin"), "/b.yaml:2:1"));
	row = json_array_get(json_object_get(row, "overrides"), 0);
	assert_string_equal(json_text(row, "value"), "16");
	assert_non_null(strstr(json_text(row, "origin"), "machines/dis40.yaml:"));
	json_decref(j);
	assert_int_equal(
		desk_run(d, "run vectoradd --quiet --chip %F/a.yaml --chip %F/b.yaml; cat %F/err"),
		0);
	out = desk_content(d, "out");
	assert_string_equal(out, "");
	mem_free(out);
}

static void the_default_machine_overrides_another_one(void **state)
{
	const struct desk *d = *state;

	assert_int_equal(desk_run(d, "params --chip dis40 --chip m12 chip.sms"), 0);
	assert_says(d, "out", "chip.sms                             32 ");
	assert_int_equal(desk_run(d, "params --chip m12 chip.sms"), 0);
	assert_says(d, "out", "Streaming multiprocessors.\n");
}

static void all_faults_of_a_file_are_told_with_their_places(void **state)
{
	const struct desk *d = *state;

	write_file(d, "c.yaml",
		"base: nothing\nsources: {jia18: \"Jia, 2018\", assumed: x, \"a b\": y}\n"
		"chip.sms: [4, jia19 table 3.1]\nsm:\n  warps: [8]\n  ctas: [8, assumed]\n"
		"l1.ways: [[4], jia18]\nl2.ways: [4, jia18, table 3, line 2]\n");
	refused(d, "params --chip %F/c.yaml",
		"c.yaml:1:7: chip = nothing: there is no such machine");
	assert_says(d, "err", "c.yaml:2:31: 'assumed' cannot be the key of a source");
	assert_says(d, "err", "c.yaml:2:43: the key of a source is a word");
	assert_says(d, "err", "c.yaml:3:15: there is no source 'jia19'; did you mean 'jia18'?");
	assert_says(d, "err", "c.yaml:5:10: 'sm.warps' needs a value, or [value, source]");
	assert_says(d, "err", "c.yaml:6:13: assumed needs the reason");
	assert_says(d, "err", "c.yaml:7:10: 'l1.ways' needs a value, or [value, source]");
	assert_int_equal(desk_run(d, "params --chip %F/c.yaml; grep -c . %F/err"), 0);
	assert_says(d, "out", "7\n");
}

static void values_that_contradict_are_told_with_their_place(void **state)
{
	const struct desk *d = *state;

	write_file(d, "c.yaml", "chip.interleave_bytes: 200\n");
	refused(d, "params --chip %F/c.yaml",
		"c.yaml:1:1: chip.interleave_bytes = 200: must be a multiple of 128");
	refused(d, "params --chip %F/c.yaml --set chip.interleave_bytes=300",
		"warpbeam: chip.interleave_bytes = 300: must be");
}

static void what_a_replaced_part_was_told_is_no_fault(void **state)
{
	const struct desk *d = *state;

	write_file(d, "c.yaml", "chip.dram: banked\ndram.refresh: false\n");
	assert_int_equal(desk_run(d, "topology --chip %F/c.yaml"), 0);
	assert_int_equal(desk_run(d, "topology --chip %F/c.yaml --set chip.dram=bandwidth"), 0);
	assert_int_equal(desk_run(d, "topology --chip dis40 --set chip.storage=unified"), 0);
	assert_int_equal(desk_run(d, "topology --chip v100 --set chip.network=ideal"), 0);
	assert_int_equal(desk_run(d, "topology --chip v100 --set chip.network=mesh"), 0);
	refused(d, "topology --chip v100 --set chip.network=ideal --set noc.reply.sm_bytes=64",
		"unknown parameter 'noc.reply.sm_bytes': the network 'crossbar' is not used here");
	refused(d, "topology --chip v100 --set noc.reply.vcs=2",
		"unknown parameter 'noc.reply.vcs': the network 'mesh' is not used here");
	write_file(d, "c.yaml", "chip.dram: bandwidth\ndram.refresh: false\n");
	refused(d, "topology --chip %F/c.yaml",
		"c.yaml:2:1: unknown parameter 'dram.refresh': the dram 'banked' is not used here");
	refused(d, "topology --set dram.refresh=false --set chip.dram=bandwidth",
		"is not used here");
}

/* ---- data sheets */
/* A machine whose figures are round: 10 SMs of two schedulers at the default clock. */
static const char sheet[] =
	"machine: ten SMs\nabout: For this test.\nvalidated: nothing\n"
	"sources: {atlas: \"An Atlas, 2020\"}\n"
	"chip: {sms: [10, \"atlas: page 1\"], channels: 4, slices: 2, bytes_per_ns: 80}\n"
	"sm: {schedulers: 2, warps: [48, \"assumed: as others\"]}\nl2.bytes: 128K\n";

static double figure(const json_t *j, const char *name)
{
	const json_t *f = json_object_get(json_object_get(j, "figures"), name);

	return json_number_value(json_object_get(f, "value"));
}

static void a_data_sheet_has_sources_and_peaks(void **state)
{
	const struct desk *d = *state;
	json_t *j;

	write_file(d, "c.yaml", sheet);
	assert_int_equal(
		desk_run(d, "chip %F/c.yaml --set l1.ways=8 --json %F/j --svg %F/s.svg"), 0);
	assert_says(d, "out", "c.yaml: ten SMs\nFor this test.\nvalidated against: nothing\n");
	assert_says(d, "out", "atlas: page 1\n");
	assert_says(d, "out", "assumed: as others\n");
	assert_says(d, "out", "c.yaml): An Atlas, 2020\n");
	assert_says(d, "out", "set in --set, without a source\n");
	assert_says(d, "out", "8 parameters described, of which 1 assumed;");
	j = desk_json(d, "j");
	assert_true(figure(j, "f32") == 2 * 2 * 32 * 10);
	assert_true(figure(j, "threads") == 48 * 32 * 10);
	assert_true(figure(j, "l2_kb") == 8 * 128);
	assert_true(figure(j, "l2_gb_s") == 8 * 32);
	assert_true(figure(j, "dram_gb_s") == 80);
	assert_true(figure(j, "shared_gb_s") == 10 * 128);
	json_decref(j);
	assert_says(d, "s.svg", "SM x 10");
	assert_says(d, "s.svg", "80 GB/s of DRAM; L2 of 1,024 KB");
	assert_int_equal(desk_run(d, "chip m12"), 0);
	assert_says(d, "out", "paper: table 2\n");
}

static void two_machines_differ_in_what_is_told(void **state)
{
	const struct desk *d = *state;
	json_t *j;

	assert_int_equal(desk_run(d, "chip --diff m12 dis40 --json %F/j"), 0);
	assert_says(d, "out",
		"chip.sms                                               32                   16  SMs\n");
	assert_says(d, "out",
		"f32, multiply-add                                   2,048                1,024  GFLOPS\n");
	j = desk_json(d, "j");
	assert_int_equal(json_array_size(json_object_get(j, "parameters")), 4);
	json_decref(j);
	assert_int_equal(desk_run(d, "chip --diff m12"), 2);
	assert_int_equal(desk_run(d, "chip --diff m12 m12; wc -l <%F/out"), 0);
	assert_int_equal(desk_run(d, "chip --diff m12 dis40 --svg %F/s.svg"), 2);
	refused(d, "chip m13", "there is no such machine; did you mean 'm12'?");
}

/* The parameters that report j names as changed. */
static size_t changed(const struct desk *d)
{
	json_t *j = desk_json(d, "j");
	size_t n = json_array_size(json_object_get(json_object_get(j, "machine"), "changed"));

	json_decref(j);
	return n;
}

static void a_machine_of_two_sides_says_what_passes_between_them(void **state)
{
	const struct desk *d = *state;
	char *out;

	assert_int_equal(desk_run(d, "run vectoradd --chip a100 --html %F/page"), 0);
	assert_says(d, "out", "other side -> L2 ");
	assert_says(d, "page", "sectors of copies");
	assert_int_equal(desk_run(d, "run vectoradd --chip a100 --set chip.side_copies=false"), 0);
	out = desk_content(d, "out");
	assert_null(strstr(out, "other side"));
	mem_free(out);
}

static void reports_name_the_machine(void **state)
{
	static const char *const commands[] = {"run vectoradd", "profile vectoradd",
		"compare vectoradd", "occupancy vectoradd", "tune vectoradd",
		"sweep vectoradd --over chip.sms=2 --out %F/o.sqlite"};
	const struct desk *d = *state;
	char arguments[200];

	write_file(d, "c.yaml", sheet);
	for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
		snprintf(arguments, sizeof(arguments), "%s --chip %%F/c.yaml --json %%F/j",
			commands[i]);
		assert_int_equal(desk_run(d, arguments), 0);
		assert_says(d, "out", "machine: ten SMs\nvalidated against: nothing");
		assert_says(d, "j", "\"title\": \"ten SMs\"");
	}
	assert_int_equal(
		desk_run(d, "profile vectoradd --quiet --html %F/page --chip %F/c.yaml"), 0);
	assert_says(d, "page", "machine: ten SMs");
	assert_int_equal(desk_run(d, "explain vectoradd --html %F/code --chip %F/c.yaml"), 0);
	assert_says(d, "code", "machine: ten SMs");
	assert_says(d, "out", "machine: ten SMs\nvalidated against: nothing\n\nkernel vectoradd");
	assert_int_equal(desk_run(d, "run vectoradd --csv %F/csv --chip %F/c.yaml"), 0);
	assert_says(d, "csv", "run,machine,ten SMs,\nrun,validated,nothing,\n");
	assert_int_equal(
		desk_run(d,
			"run vectoradd --set chip.sms=4 --set l1.mshrs=9 --set vectoradd.n=64 --json %F/j"),
		0);
	assert_says(d, "out", "no product; changed here: chip.sms, l1.mshrs\n");
	assert_int_equal(changed(d), 2);
	assert_int_equal(desk_run(d, "run vectoradd --chip v100 --quiet --json %F/j"), 0);
	assert_int_equal(changed(d), 0); /* its l2.hit_cycles follows from chip.l2_cycles */
}

/* Of the machine that a figure or --against names, too; what is set beside it is on top. */
static void settings_are_over_every_machine(void **state)
{
	static const char *given[] = {"chip.network=mesh", "chip.sms=5"};
	static const char *const beside[] = {"chip.sms=7"};
	const struct layer layer = {.origin = "test", .chip = "k80", .set = beside, .nset = 1};
	const struct machine m = {.layers = &layer, .nlayers = 1};
	struct run_options o = {.set = {given, 2}, .threads = 1};
	struct session s = {0};
	struct err err = {0};
	const char *value, *origin;
	jmp_buf escape;

	(void)state;
	s.arena.escape = &escape;
	assert_int_equal(session_settings(&s, &o, &m, &err), 0);
	assert_true(config_setting(s.config, "chip.network", 0, &value, &origin));
	assert_string_equal(value, "mesh");
	assert_true(config_setting(s.config, "chip.sms", 0, &value, &origin));
	assert_string_equal(value, "7");
	assert_true(config_setting(s.config, "chip.sm_mhz", 0, &value, &origin));
	assert_string_equal(value, "875");
	session_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_number_of_a_machine_has_a_source),
		cmocka_unit_test(the_default_machine_describes_the_defaults),
		cmocka_unit_test(settings_are_over_every_machine),
		cmocka_unit_test_setup_teardown(
			every_machine_runs_to_the_right_results, desk_set_up, desk_tear_down),
		cmocka_unit_test_setup_teardown(machines_are_listed, desk_set_up, desk_tear_down),
		cmocka_unit_test_setup_teardown(
			later_chips_override_and_say_so, desk_set_up, desk_tear_down),
		cmocka_unit_test_setup_teardown(
			the_default_machine_overrides_another_one, desk_set_up, desk_tear_down),
		cmocka_unit_test_setup_teardown(all_faults_of_a_file_are_told_with_their_places,
			desk_set_up, desk_tear_down),
		cmocka_unit_test_setup_teardown(values_that_contradict_are_told_with_their_place,
			desk_set_up, desk_tear_down),
		cmocka_unit_test_setup_teardown(
			what_a_replaced_part_was_told_is_no_fault, desk_set_up, desk_tear_down),
		cmocka_unit_test_setup_teardown(
			a_data_sheet_has_sources_and_peaks, desk_set_up, desk_tear_down),
		cmocka_unit_test_setup_teardown(
			two_machines_differ_in_what_is_told, desk_set_up, desk_tear_down),
		cmocka_unit_test_setup_teardown(
			a_machine_of_two_sides_says_what_passes_between_them, desk_set_up,
			desk_tear_down),
		cmocka_unit_test_setup_teardown(
			reports_name_the_machine, desk_set_up, desk_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
