/* Reports of untimed runs: text, CSV and JSON. */
#include "cli/exec_report.h"

#include "cli/families.h"
#include "draw/number.h"
#include "ptx/exec/positions.h"
#include "ptx/exec/races.h"
#include "runs/json.h"
#include "runs/kernels/roofline.h"

#include <inttypes.h>
#include <stdio.h>

#define FORMS 20    /* lines of the table of forms */
#define LAUNCHES 12 /* lines of the table of launches */

static const char *const unit_names[UNIT_COUNT] = {
	[UNIT_ALU] = "ALU",
	[UNIT_SFU] = "SFU",
	[UNIT_TENSOR] = "tensor",
	[UNIT_MEMORY] = "memory",
	[UNIT_TEXTURE] = "texture",
	[UNIT_CONTROL] = "control",
	[UNIT_BARRIER] = "barrier",
	[UNIT_FENCE] = "fence",
};

/* ---- plain counts: one list for all formats */
struct figure {
	const char *group, *name, *unit;
	uint64_t value;
};

#define MAX_FIGURES (32 + PRECISION_COUNT + UNIT_COUNT + CLASS_COUNT + FAMILIES)

static void add_figure(struct figure *list, unsigned *n, const char *group, const char *name,
	const char *unit, uint64_t value)
{
	list[(*n)++] = (struct figure){group, name, unit, value};
}

static void add_families(
	struct figure *list, unsigned *n, const struct profile *p, struct arena *arena)
{
	uint64_t counts[FAMILIES] = {0};
	unsigned nforms;
	const struct profile_form *forms = profile_forms(p, arena, &nforms);

	for (unsigned i = 0; i < nforms; i++)
		counts[family_of(forms[i].spelling)] += forms[i].warp_instructions;
	for (unsigned f = 0; f < FAMILIES; f++)
		if (counts[f])
			add_figure(
				list, n, "families", family_key(f), "warp instructions", counts[f]);
}

static void add_level(
	struct figure *list, unsigned *n, const char *name, const char *unit, uint64_t value)
{
	if (value)
		add_figure(list, n, "register_levels", name, unit, value);
}

static void add_levels(struct figure *list, unsigned *n, const struct level_traffic *t)
{
#define LEVEL_FIGURE(S, T, name, unit, text) add_level(list, n, #name, unit, t->name);
	LEVEL_TRAFFIC(LEVEL_FIGURE, 0, 0)
}

static void add_units(struct figure *list, unsigned *n, const uint64_t by_class[CLASS_COUNT])
{
	uint64_t by_unit[UNIT_COUNT] = {0};

	for (unsigned c = 0; c < CLASS_COUNT; c++)
		by_unit[op_class_unit((enum op_class)c)] += by_class[c];
	for (unsigned u = 0; u < UNIT_COUNT; u++)
		if (by_unit[u])
			add_figure(
				list, n, "units", unit_names[u], "warp instructions", by_unit[u]);
	for (unsigned c = 0; c < CLASS_ARITHMETIC; c++)
		if (by_class[c])
			add_figure(list, n, "classes", op_class_name((enum op_class)c),
				"warp instructions", by_class[c]);
}

static struct work_sum work_of(const struct untimed_counts *c)
{
	struct work_sum sum = {{0}, 0};

	for (unsigned kind = 0; kind < WORK_KINDS; kind++)
		work_add(&sum, kind, c->by_work[kind]);
	return sum;
}

static void add_operations(struct figure *list, unsigned *n, const struct work_sum *sum)
{
	for (unsigned p = 0; p < PRECISION_COUNT; p++)
		add_figure(list, n, "operations", roofline_precisions[p], "operations",
			sum->operations[p]);
}

static unsigned list_figures(
	const struct exec_report *r, struct arena *arena, struct figure list[MAX_FIGURES])
{
	const struct untimed_counts *c = r->counts;
	struct work_sum sum = work_of(c);
	struct profile_registers regs;
	unsigned n = 0;

	add_figure(
		list, &n, "work", "warp_instructions", "warp instructions", c->warp_instructions);
	add_figure(list, &n, "work", "thread_instructions", "thread instructions",
		c->thread_instructions);
	add_figure(list, &n, "work", "ctas", "CTAs", c->ctas);
	add_figure(list, &n, "work", "shared_bytes", "bytes", sum.shared_bytes);
	add_operations(list, &n, &sum);
	add_units(list, &n, c->by_class);
	add_levels(list, &n, &c->registers);
	if (!r->profile)
		return n;
	add_families(list, &n, r->profile, arena);
	add_figure(list, &n, "branches", "executed", "warp instructions", r->profile->branches);
	add_figure(list, &n, "branches", "taken_by_a_lane", "warp instructions", r->profile->taken);
	add_figure(list, &n, "branches", "divergent", "warp instructions", r->profile->divergent);
	regs = profile_registers(r->profile);
	add_figure(list, &n, "registers", "read", "warp registers", regs.read);
	add_figure(list, &n, "registers", "written", "warp registers", regs.written);
	add_figure(list, &n, "registers", "predicates_read", "warp predicates", regs.preds_read);
	add_figure(
		list, &n, "registers", "predicates_written", "warp predicates", regs.preds_written);
	return n;
}

/* ---- memory: every space and act that occurred */
typedef void memory_fn(
	void *ctx, const char *space, const char *act, const struct profile_memory *);

static void each_memory(const struct profile *p, memory_fn *visit, void *ctx)
{
	for (unsigned s = 0; s < SPACE_COUNT; s++)
		for (unsigned a = 0; a < PROFILE_ACTS; a++)
			if (p->memory[s][a].accesses)
				visit(ctx, ptx_space_name((enum ptx_space)s),
					profile_act_name((enum profile_act)a), &p->memory[s][a]);
}

static double lines_per_access(const struct profile_memory *m)
{
	return (double)m->lines / (double)m->accesses;
}

/* ---- text */
static void memory_line(
	void *ctx, const char *space, const char *act, const struct profile_memory *m)
{
	char accesses[32], lanes[32], bytes[32], lines[32] = "-", each[32] = "-";

	if (m->lines) {
		number_grouped(m->lines, lines);
		snprintf(each, sizeof(each), "%.3f", lines_per_access(m));
	}
	text_add(ctx, "%-8s\t%-8s\t%16s\t%18s\t%18s\t%14s\t%12s\n", space, act,
		number_grouped(m->accesses, accesses), number_grouped(m->lanes, lanes),
		number_bytes((double)m->bytes, bytes), lines, each);
}

static void form_lines(const struct exec_report *r, struct arena *arena, struct text *out)
{
	unsigned n;
	const struct profile_form *forms = profile_forms(r->profile, arena, &n);

	text_add(out, "\n\v%-36s\t%18s\t%7s\t%20s\n", "form", "warp instr.", "share",
		"thread instr.");
	for (unsigned i = 0; i < n && i < FORMS; i++) {
		char warps[32], threads[32];

		text_add(out, "%-36s\t%18s\t%6.2f%%\t%20s\n", forms[i].spelling,
			number_grouped(forms[i].warp_instructions, warps),
			100.0 * (double)forms[i].warp_instructions /
				(double)r->counts->warp_instructions,
			number_grouped(forms[i].thread_instructions, threads));
	}
	if (n > FORMS)
		text_add(out, "and %u more form%s (--json and --csv have all)\n", n - FORMS,
			text_s(n - FORMS));
}

static void launch_line(const struct gpu *g, unsigned i, struct text *out)
{
	struct launch_report l;
	char number[PRECISION_COUNT + 1][32];

	chip_launch_report(g, i, &l);
	text_add(out, "%6u\t%-24s\t%16s", i, l.kernel,
		number_grouped(l.untimed_instructions, number[PRECISION_COUNT]));
	for (unsigned p = 0; p < PRECISION_COUNT; p++)
		text_add(out, "\t%16s",
			l.works ? number_grouped(l.work.operations[p], number[p]) : "");
	text_add(out, "\n");
}

/* What each launch computed. */
static void launch_lines(const struct gpu *g, struct text *out)
{
	unsigned n = chip_launches(g);

	text_add(out, "\n\v%6s\t%-24s\t%16s", "launch", "kernel", "warp instr.");
	for (unsigned p = 0; p < PRECISION_COUNT; p++)
		text_add(out, "\t%5s operations", roofline_precisions[p]);
	text_add(out, "\n");
	for (unsigned i = 0; i < n && i < LAUNCHES; i++)
		launch_line(g, i, out);
	if (n > LAUNCHES)
		text_add(out, "and %u more launch%s (--json and --csv have all)\n", n - LAUNCHES,
			n - LAUNCHES == 1 ? "" : "es");
}

static void label_of(const char *name, char *out, size_t n)
{
	snprintf(out, n, "%s", name);
	for (; *out; out++)
		if (*out == '_')
			*out = ' ';
}

void exec_text(const struct exec_report *r, struct arena *arena, struct text *out)
{
	struct figure figures[MAX_FIGURES];
	unsigned n = list_figures(r, arena, figures);
	const char *group = "";

	report_header(&r->run, out);
	for (unsigned i = 0; i < n; i++) {
		char number[32], label[40];
		bool same = figures[i].group == group;

		group = figures[i].group;
		label_of(figures[i].name, label, sizeof(label));
		text_add(out, "%-10s \t%-33s\t%18s\t%s\n", same ? "" : group, label,
			number_grouped(figures[i].value, number), figures[i].unit);
	}
	if (r->run.host)
		report_host(r->run.host, out);
	if (chip_launches(r->run.gpu) > 1)
		launch_lines(r->run.gpu, out);
	if (r->profile) {
		text_add(out, "\n\v%-8s\t%-8s\t%16s\t%18s\t%18s\t%14s\t%12s\n", "space", "",
			"accesses", "lanes", "bytes", "128-byte lines", "lines/access");
		each_memory(r->profile, memory_line, out);
		form_lines(r, arena, out);
	}
	if (r->registers)
		usage_text(r->registers, out);
	text_add(out, "\ncheck: %s\n",
		r->run.verdict == VERDICT_FAILED ? "FAILED" : verdict_name(r->run.verdict));
}

/* ---- CSV */
static void memory_csv(
	void *ctx, const char *space, const char *act, const struct profile_memory *m)
{
	text_add(ctx, "memory,%s.%s.accesses,%" PRIu64 ",warp accesses\n", space, act, m->accesses);
	text_add(ctx, "memory,%s.%s.lanes,%" PRIu64 ",thread accesses\n", space, act, m->lanes);
	text_add(ctx, "memory,%s.%s.bytes,%" PRIu64 ",bytes\n", space, act, m->bytes);
	if (m->lines)
		text_add(ctx, "memory,%s.%s.lines,%" PRIu64 ",lines\n", space, act, m->lines);
}

static void forms_csv(const struct exec_report *r, struct arena *arena, struct text *out)
{
	unsigned n;
	const struct profile_form *forms = profile_forms(r->profile, arena, &n);

	for (unsigned i = 0; i < n; i++) {
		text_add(out, "form,%s.warps,%" PRIu64 ",warp instructions\n", forms[i].spelling,
			forms[i].warp_instructions);
		text_add(out, "form,%s.threads,%" PRIu64 ",thread instructions\n",
			forms[i].spelling, forms[i].thread_instructions);
	}
}

static void launch_csv(const struct gpu *g, unsigned i, struct text *out)
{
	struct launch_report l;

	chip_launch_report(g, i, &l);
	text_add(out, "launch.%u,warp_instructions,%" PRIu64 ",warp instructions\n", i,
		l.untimed_instructions);
	if (!l.works)
		return;
	text_add(out, "launch.%u,thread_instructions,%" PRIu64 ",thread instructions\n", i,
		l.thread_instructions);
	text_add(out, "launch.%u,shared_bytes,%" PRIu64 ",bytes\n", i, l.work.shared_bytes);
	for (unsigned p = 0; p < PRECISION_COUNT; p++)
		text_add(out, "launch.%u,operations.%s,%" PRIu64 ",operations\n", i,
			roofline_precisions[p], l.work.operations[p]);
}

void exec_csv(const struct exec_report *r, struct arena *arena, struct text *out)
{
	struct figure figures[MAX_FIGURES];
	unsigned n = list_figures(r, arena, figures);

	text_add(out, "part,metric,value,unit\nrun,complete,%d,\nrun,check,%s,\n", r->run.complete,
		verdict_name(r->run.verdict));
	for (unsigned i = 0; i < n; i++)
		text_add(out, "%s,%s,%" PRIu64 ",%s\n", figures[i].group, figures[i].name,
			figures[i].value, figures[i].unit);
	for (unsigned i = 0; i < chip_launches(r->run.gpu); i++)
		launch_csv(r->run.gpu, i, out);
	if (r->registers)
		usage_csv(r->registers, out);
	if (!r->profile)
		return;
	each_memory(r->profile, memory_csv, out);
	forms_csv(r, arena, out);
}

/* ---- JSON */
static void memory_json(
	void *ctx, const char *space, const char *act, const struct profile_memory *m)
{
	json_t *j = json_object(), *s = json_object_get(ctx, space);

	if (!s) {
		json_add(ctx, space, json_object());
		s = json_object_get(ctx, space);
	}
	json_add(j, "accesses", json_whole(m->accesses));
	json_add(j, "lanes", json_whole(m->lanes));
	json_add(j, "bytes", json_whole(m->bytes));
	if (m->lines) {
		json_add(j, "lines", json_whole(m->lines));
		json_add(j, "lines_per_access", json_number(lines_per_access(m)));
	}
	json_add(s, act, j);
}

static json_t *forms_json(const struct exec_report *r, struct arena *arena)
{
	unsigned n;
	const struct profile_form *forms = profile_forms(r->profile, arena, &n);
	json_t *list = json_array();

	for (unsigned i = 0; i < n; i++) {
		json_t *j = json_object();

		json_add(j, "form", json_name(forms[i].spelling));
		json_add(j, "warp_instructions", json_whole(forms[i].warp_instructions));
		json_add(j, "thread_instructions", json_whole(forms[i].thread_instructions));
		json_append(list, j);
	}
	return list;
}

static json_t *operations_json(const struct work_sum *w)
{
	json_t *j = json_object();

	for (unsigned p = 0; p < PRECISION_COUNT; p++)
		json_add(j, roofline_precisions[p], json_whole(w->operations[p]));
	return j;
}

static json_t *launch_json(const struct report *r, unsigned i)
{
	json_t *j = json_object();
	struct launch_report l;

	chip_launch_report(r->gpu, i, &l);
	json_add(j, "kernel", json_name(l.kernel));
	json_add(j, "file", json_name(report_path(r, l.file)));
	json_add(j, "grid", json_dims(l.grid));
	json_add(j, "block", json_dims(l.block));
	json_add(j, "ctas", json_whole(l.ctas));
	json_add(j, "warp_instructions", json_whole(l.untimed_instructions));
	json_add(j, "thread_instructions",
		l.works ? json_whole(l.thread_instructions) : json_null());
	json_add(j, "operations", l.works ? operations_json(&l.work) : json_null());
	json_add(j, "shared_bytes", l.works ? json_whole(l.work.shared_bytes) : json_null());
	json_add(j, "complete", json_boolean(l.complete));
	return j;
}

static json_t *launches_json(const struct report *r)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < chip_launches(r->gpu); i++)
		json_append(list, launch_json(r, i));
	return list;
}

static json_t *place_json(const struct race *r, uint32_t instr, uint32_t warp)
{
	json_t *j = json_object();
	struct text at = {0};

	positions_location(r->program, instr, &at);
	json_add(j, "at", json_name(text_str(&at)));
	json_add(j, "warp", json_whole(warp));
	text_clear(&at);
	return j;
}

static json_t *races_json(const struct races *races)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < races->n; i++) {
		const struct race *r = &races->at[i];
		json_t *j = json_object();

		json_add(j, "kernel", json_name(r->program->source));
		json_add(j, "kind", json_name(race_kind_name((enum race_kind)r->kind)));
		json_add(j, "first", place_json(r, r->first, r->warps[0]));
		json_add(j, "second", place_json(r, r->second, r->warps[1]));
		json_add(j, "memory", json_string(ptx_space_name((enum ptx_space)r->space)));
		json_add(j, "offset", json_whole(r->offset));
		json_add(j, "cta", json_dims(r->ctaid));
		json_add(j, "count", json_whole(r->count));
		json_append(list, j);
	}
	return list;
}

int exec_json(const struct exec_report *r, struct arena *arena, struct text *out)
{
	json_t *j = report_json_head(&r->run), *counts = json_object(), *memory;
	struct figure figures[MAX_FIGURES];
	unsigned n = list_figures(r, arena, figures);

	for (unsigned i = 0; i < n; i++) {
		if (!json_object_get(counts, figures[i].group))
			json_add(counts, figures[i].group, json_object());
		json_add(json_object_get(counts, figures[i].group), figures[i].name,
			json_whole(figures[i].value));
	}
	json_add(j, "counts", counts);
	json_add(j, "launches", launches_json(&r->run));
	if (r->profile) {
		memory = json_object();
		each_memory(r->profile, memory_json, memory);
		json_add(j, "memory", memory);
		json_add(j, "forms", forms_json(r, arena));
	}
	if (r->registers)
		json_add(j, "registers", usage_json(r->registers));
	if (gpu_races(r->run.gpu)) {
		json_add(j, "races", races_json(gpu_races(r->run.gpu)));
		json_add(j, "races_unlisted", json_whole(gpu_races(r->run.gpu)->others));
	}
	if (r->run.host)
		json_add(j, "host", report_json_host(r->run.host));
	return json_print(j, out);
}
