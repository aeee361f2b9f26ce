/* The register hierarchy over all workloads and random kernels: every read finds its value on all
 * paths, whatever the options; what an option may cost and gain; parameters; compile time. */
#include "tests/rig/divergence.h"
#include "tests/rig/levels_check.h"
#include "tests/rig/ptx_build.h"
#include "tests/rig/random_ptx.h"
#include "tests/rig/seeds.h"

#include <dirent.h>
#include <stdlib.h>

#define SEEDS 80u
#define TOGGLES 13u

/* The best design with one thing changed. */
static struct levels_options toggled(unsigned which)
{
	struct levels_options o = levels_best();
	bool *const off[] = {&o.partial_ranges, &o.read_operands, &o.forward_branches};
	bool *const on[] = {&o.one_level_writes, &o.lrf_dual_only, &o.keep_past_branches,
		&o.keep_past_waits, &o.oracle_entries, &o.any_slot};

	if (which < ARRAY_LEN(off))
		*off[which] = false;
	else if (which < ARRAY_LEN(off) + ARRAY_LEN(on))
		*on[which - ARRAY_LEN(off)] = true;
	else if (which == 9)
		o.partial_ranges = o.read_operands = o.forward_branches = false;
	else if (which == 10)
		o.keep_past_branches = o.keep_past_waits = o.oracle_entries = true;
	else if (which == 11)
		o = (struct levels_options){.kind = LEVELS_HARDWARE, .entries = 6, .lrf = 1};
	else
		o.price_entries = 1;
	return o;
}

/* Energy of all kernels, each instruction counted once. */
static double check_module(
	const char *text, const struct built *plain, const struct levels_options *o)
{
	struct text wrong = {0};
	struct built placed;
	double energy = 0;

	build_with(&placed, text, &(struct compile_options){.levels = o});
	assert_int_equal(placed.m->nkernels, plain->m->nkernels);
	for (uint32_t k = 0; k < placed.m->nkernels; k++) {
		levels_check(plain->m->kernels[k], placed.m->kernels[k], &wrong);
		energy += levels_energy(placed.m->kernels[k]);
	}
	if (wrong.len)
		fail_msg("entries %u, lrf %u: %s", o->entries, o->lrf, text_str(&wrong));
	drop(&placed);
	return energy;
}

/* ---- all workloads. */

typedef void module_fn(const char *name, const char *text, void *ctx);

static void read_module(const char *folder, const char *file, module_fn *visit, void *ctx)
{
	struct text path = {0}, text = {0};
	char part[4096];
	FILE *in;
	size_t n;

	text_raw(&path, "%s/%s", folder, file);
	in = fopen(text_str(&path), "r");
	assert_non_null(in);
	while ((n = fread(part, 1, sizeof(part), in)) > 0)
		text_bytes(&text, part, n);
	fclose(in);
	visit(file, text_str(&text), ctx);
	text_clear(&path);
	text_clear(&text);
}

static unsigned visit_folder(const char *folder, module_fn *visit, void *ctx)
{
	DIR *dir = opendir(folder);
	unsigned n = 0;

	for (struct dirent *e; dir && (e = readdir(dir));) {
		const char *dot = strrchr(e->d_name, '.');

		if (!dot || strcmp(dot, ".ptx"))
			continue;
		read_module(folder, e->d_name, visit, ctx);
		n++;
	}
	if (dir)
		closedir(dir);
	return n;
}

static void each_workload(module_fn *visit, void *ctx)
{
	DIR *dir = opendir(WARPBEAM_SRCDIR "/workloads");
	unsigned n = 0;

	assert_non_null(dir);
	for (struct dirent *e; (e = readdir(dir));) {
		struct text folder = {0};

		if (e->d_name[0] == '.')
			continue;
		text_raw(&folder, "%s/workloads/%s", WARPBEAM_SRCDIR, e->d_name);
		n += visit_folder(text_str(&folder), visit, ctx);
		text_clear(&folder);
	}
	closedir(dir);
	assert_true(n >= 30);
}

/* Each workload meets a third of the sizes, and of the options below. */
static void check_sizes(const char *name, const char *text, void *ctx)
{
	struct built plain;

	(void)name;
	(void)ctx;
	build(&plain, text);
	for (unsigned k = (unsigned)(strlen(text) % 3); k < 24; k += 3) {
		struct levels_options o = levels_best();

		o.entries = 1 + k % 8;
		o.lrf = (const unsigned[]){0, 1, 3}[k / 8];
		check_module(text, &plain, &o);
	}
	drop(&plain);
}

static void workloads_read_what_they_would_with_all_sizes(void **state)
{
	(void)state;
	each_workload(check_sizes, NULL);
}

static void check_toggles(const char *name, const char *text, void *ctx)
{
	struct built plain;

	(void)name;
	(void)ctx;
	build(&plain, text);
	for (unsigned k = (unsigned)(strlen(text) % 3); k < TOGGLES; k += 3) {
		struct levels_options o = toggled(k);

		check_module(text, &plain, &o);
	}
	drop(&plain);
}

static void workloads_read_what_they_would_with_all_options(void **state)
{
	(void)state;
	each_workload(check_toggles, NULL);
}

/* ---- random kernels. */

static void check_random(unsigned seed, const char *text)
{
	struct levels_options o = toggled(seed % TOGGLES);
	struct built plain;

	if (o.kind == LEVELS_SOFTWARE) {
		o.entries = 1 + seed / TOGGLES % 8;
		o.lrf = o.lrf_dual_only ? 3 : (const unsigned[]){3, 1, 0}[seed % 3];
	}
	build(&plain, text);
	check_module(text, &plain, &o);
	drop(&plain);
}

static void divergent_kernels_read_the_same_values(void **state)
{
	static struct random_kernel k;

	(void)state;
	for (unsigned seed = 0; seed < seeds(SEEDS); seed++) {
		struct text text = {0};

		divergence_make(&k, seed);
		divergence_write(&k, &text);
		check_random(seed, text_str(&text));
		text_clear(&text);
	}
}

static void kernels_of_pairs_and_guards_read_what_they_would(void **state)
{
	(void)state;
	for (unsigned seed = 0; seed < 2 * seeds(SEEDS); seed++) {
		struct text text = {0};

		random_ptx(seed, seed % 2, &text);
		check_random(seed, text_str(&text));
		text_clear(&text);
	}
}

/* ---- energy. */

struct sums {
	struct levels_options options[11];
	double energy[11];
	unsigned n;
};

static void add_energies(const char *name, const char *text, void *ctx)
{
	struct sums *s = ctx;
	struct built plain;

	(void)name;
	build(&plain, text);
	for (unsigned k = 0; k < s->n; k++)
		s->energy[k] += check_module(text, &plain, &s->options[k]);
	drop(&plain);
}

/* Each step of the additive figure, each level and each limit saves energy; each restriction costs
 * some. */
static void what_is_added_saves_and_what_is_forbidden_costs(void **state)
{
	enum { NONE, BASE, FORWARD, READ, PARTIAL, LRF1, LRF3, ONE, DUAL, ORACLE, ANY };
	static struct sums s;
	double *e = s.energy;

	(void)state;
	s.n = ARRAY_LEN(s.options);
	for (unsigned k = 0; k < s.n; k++)
		s.options[k] = levels_best();
	s.options[NONE].kind = LEVELS_NONE;
	for (unsigned k = BASE; k <= PARTIAL; k++) {
		s.options[k].lrf = 0;
		s.options[k].forward_branches = k >= FORWARD;
		s.options[k].read_operands = k >= READ;
		s.options[k].partial_ranges = k >= PARTIAL;
	}
	s.options[LRF1].lrf = 1;
	s.options[ONE].one_level_writes = true;
	s.options[DUAL].lrf_dual_only = true;
	s.options[ORACLE].oracle_entries = true;
	s.options[ANY].any_slot = true;
	each_workload(add_energies, &s);
	for (unsigned k = FORWARD; k <= LRF3; k++)
		assert_true(e[k] < e[k - 1]);
	assert_true(e[BASE] < 0.7 * e[NONE]);
	assert_true(e[LRF3] < 0.6 * e[NONE]);
	assert_true(e[DUAL] > e[LRF3]);
	assert_true(e[ONE] > e[DUAL]);
	assert_true(e[ORACLE] < e[LRF3]);
	assert_true(e[ANY] < e[LRF3]);
}

/* ---- the checker can fail. */

/* Reads from another location, one at a time. */
static unsigned count_unnoticed(const struct program *plain, struct program *placed)
{
	struct instr *code = (struct instr *)placed->code;
	unsigned unnoticed = 0;

	for (uint32_t i = 0; i < placed->ninstr; i++)
		for (unsigned k = 0; k < code[i].nsrc; k++) {
			struct operand *o = &code[i].src[k];
			uint16_t was = o->index;
			struct text wrong = {0};

			if (o->kind != OPND_REG || level_of(placed, was) == LEVEL_MRF)
				continue;
			o->index = (uint16_t)(placed->regs + (was - placed->regs + 1) % 3);
			levels_check(plain, placed, &wrong);
			unnoticed += wrong.len == 0;
			o->index = was;
			text_clear(&wrong);
		}
	return unnoticed;
}

/* Strands that no longer begin. */
static unsigned count_joined(const struct program *plain, struct program *placed, bool waits)
{
	struct level_note *notes = (struct level_note *)placed->levels->notes;
	unsigned noticed = 0;

	for (uint32_t i = 1; i < placed->ninstr; i++) {
		uint8_t was = notes[i].strand;
		struct text wrong = {0};

		notes[i].strand = waits ? STRAND_WAITS : STRAND_BEGINS;
		levels_check(plain, placed, &wrong);
		noticed += wrong.len > 0;
		notes[i].strand = was;
		text_clear(&wrong);
	}
	return noticed;
}

static void the_checker_detects_wrong_locations(void **state)
{
	static struct random_kernel k;
	struct levels_options o = levels_best();
	struct text text = {0};
	struct built plain, placed;

	(void)state;
	o.lrf = 0;
	divergence_make(&k, 11);
	divergence_write(&k, &text);
	build(&plain, text_str(&text));
	build_with(&placed, text_str(&text), &(struct compile_options){.levels = &o});
	assert_int_equal(count_unnoticed(plain.k, (struct program *)placed.k), 0);
	assert_true(count_joined(plain.k, (struct program *)placed.k, false) > 10);
	assert_true(count_joined(plain.k, (struct program *)placed.k, true) > 10);
	drop(&plain);
	drop(&placed);
	text_clear(&text);
}

/* ---- parameters. */

static void read_settings(const char *const *set, struct levels_options *o, struct err *err)
{
	struct config *config = config_new();

	for (; *set; set++)
		assert_int_equal(config_set_text(config, *set, "test", err), 0);
	levels_read(o, config, err);
	config_finish(config, err);
	config_free(config);
}

static void parameters_say_what_is_wanted(void **state)
{
	const char *const none[] = {NULL};
	const char *const some[] = {"rf.hierarchy=software", "rf.entries=5", "rf.lrf=3",
		"rf.partial_ranges=false", "rf.price_entries=2", NULL};
	struct levels_options o = {0};
	struct err err = {0};

	(void)state;
	read_settings(none, &o, &err);
	assert_int_equal(o.kind, LEVELS_SOFTWARE);
	assert_int_equal(o.entries, 4);
	assert_int_equal(o.lrf, 1);
	assert_true(o.partial_ranges && o.read_operands && o.forward_branches);
	assert_true(o.liveness && o.bypass && o.flush && !o.lru && !o.reads_allocate);
	read_settings(some, &o, &err);
	assert_int_equal(err.count, 0);
	assert_int_equal(o.kind, LEVELS_SOFTWARE);
	assert_int_equal(o.entries, 5);
	assert_int_equal(o.lrf, 3);
	assert_int_equal(o.price_entries, 2);
	assert_true(!o.partial_ranges && o.read_operands);
}

static void refused(const char *const *set, const char *message)
{
	struct levels_options o = {0};
	struct err err = {0};

	read_settings(set, &o, &err);
	assert_int_equal(err.count, 1);
	if (!strstr(err_text(&err), message))
		fail_msg("%s\ninstead of: %s", err_text(&err), message);
	err_clear(&err);
}

#define REFUSED(message, ...) refused((const char *const[]){__VA_ARGS__, NULL}, message)

static void contradictions_are_refused(void **state)
{
	(void)state;
	REFUSED("rf.hierarchy = soft: must be none, software or hardware", "rf.hierarchy=soft");
	REFUSED("rf.entries: an operand register file (rf.hierarchy=software) has at most 8 "
		"entries",
		"rf.hierarchy=software", "rf.entries=9");
	REFUSED("rf.entries", "rf.entries=14");
	REFUSED("use 0, 1, or 3", "rf.lrf=2");
	REFUSED("has no upper level; use rf.hierarchy=none", "rf.hierarchy=software",
		"rf.entries=0", "rf.lrf=0");
	REFUSED("needs 1 to 13 entries, not 0", "rf.hierarchy=hardware", "rf.entries=0");
	REFUSED("a hardware-managed hierarchy has no operand slots", "rf.hierarchy=hardware",
		"rf.lrf=3");
	REFUSED("rf.lrf_dual_only has no effect", "rf.hierarchy=software", "rf.lrf=1",
		"rf.one_level_writes=true", "rf.lrf_dual_only=true");
	REFUSED("there is no last result file", "rf.lrf=0", "rf.lrf_dual_only=true");
	REFUSED("all sizes cost the same", "rf.hierarchy=software", "rf.oracle_entries=true",
		"rf.price_entries=3");
	REFUSED("only rf.lrf=3 has", "rf.lrf=1", "rf.any_slot=true");
	REFUSED("only rf.hierarchy=software can choose", "rf.hierarchy=hardware",
		"rf.oracle_entries=true");
}

/* ---- time. */

/* 10,000 instructions of one shape: straight-line code, branches around one instruction each, one
 * value that all read, guarded writes of one register, nested loops. */
static void write_long(unsigned shape, struct text *t)
{
	text_raw(t, "%s.entry k(.param .u64 out)\n{\n%sld.param.u32 %%r0, [out];\n", HEAD, REGS);
	text_raw(t, "setp.eq.u32 %%p1, %%r0, 3;\n");
	for (unsigned i = 0; shape == 4 && i < 3300; i++)
		text_raw(t, "T%u:\nadd.u32 %%r%u, %%r0, %%r%u;\n", i, i % 30, i % 7);
	for (unsigned i = 0; i < (shape == 1 || shape == 4 ? 3300u : 10000u); i++) {
		unsigned a = i * 7 % 30, b = i * 11 % 30, d = i * 13 % 30;

		if (shape == 0)
			text_raw(t, "mad.lo.u32 %%r%u, %%r%u, %%r%u, %%r%u;\n", d, a, b, a);
		else if (shape == 1)
			text_raw(t,
				"@%%p1 bra L%u;\nadd.u32 %%r%u, %%r%u, %%r%u;\nL%u:\n"
				"add.u32 %%r%u, %%r%u, 1;\n",
				i, d, a, b, i, a, d);
		else if (shape == 2)
			text_raw(t, "add.u32 %%r%u, %%r39, %%r%u;\n", d, a);
		else if (shape == 3)
			text_raw(t, "@%%p1 add.u32 %%r1, %%r1, %%r%u;\n", b);
		else
			text_raw(t, "add.u32 %%r%u, %%r%u, %%r%u;\n@%%p1 bra T%u;\n", d, a, b,
				3299 - i);
	}
	text_raw(t, "st.shared.u32 [%%r0], %%r1;\n}\n");
}

static void ten_thousand_instructions_are_compiled_and_levelled(void **state)
{
	(void)state;
	for (unsigned k = 0; k < 10; k++) {
		struct levels_options o = levels_best();
		struct text text = {0};
		struct built b;

		o.keep_past_branches = k >= 5;
		write_long(k % 5, &text);
		build_with(&b, text_str(&text), &(struct compile_options){.levels = &o});
		assert_non_null(b.k);
		assert_true(b.k->ninstr >= 9900);
		drop(&b);
		text_clear(&text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(workloads_read_what_they_would_with_all_sizes),
		cmocka_unit_test(workloads_read_what_they_would_with_all_options),
		cmocka_unit_test(divergent_kernels_read_the_same_values),
		cmocka_unit_test(kernels_of_pairs_and_guards_read_what_they_would),
		cmocka_unit_test(what_is_added_saves_and_what_is_forbidden_costs),
		cmocka_unit_test(the_checker_detects_wrong_locations),
		cmocka_unit_test(parameters_say_what_is_wanted),
		cmocka_unit_test(contradictions_are_refused),
		cmocka_unit_test(ten_thousand_instructions_are_compiled_and_levelled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
