/* A comparison for programs: JSON and CSV. */
#include "cli/compare/compare.h"

#include "draw/csv.h"
#include "runs/json.h"
#include "runs/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SCHEMA 1

static const enum variant_id shortcuts[] = {VARIANT_WHOLE, VARIANT_SHARE};

/* Size, seed and address size are those of workloads; a scenario determines them, and its chip,
 * too. */
json_t *compare_head(const struct options *o)
{
	json_t *j = json_object(), *command = json_object(), *targets = json_array();

	for (unsigned i = 0; i < o->operands.n; i++)
		json_append(targets, json_name(o->operands.at[i]));
	json_add(command, "compare", targets);
	json_add(command, "together", json_boolean(o->together));
	json_add(command, "chip", json_name(compare_chip(o)));
	if (compare_count(o, WORK_WORKLOAD)) {
		json_add(command, "size", json_string(o->run.size ? "full" : "small"));
		json_add(command, "seed", json_whole(o->run.seed));
		json_add(command, "address_bits", json_whole(o->run.wide ? 64 : 32));
	}
	if (o->level)
		json_add(command, "concurrency", json_name(o->level));
	json_add(j, "schema", json_integer(SCHEMA));
	json_add(j, "program", json_program());
	json_add(j, "command", command);
	return j;
}

json_t *compare_part(const json_t *report, const char *name)
{
	json_t *part = json_object_get(report, name);

	return part ? json_incref(part) : json_null();
}

/* ---- JSON */
/* "path=value" */
static void json_setting(json_t *j, const char *set)
{
	const char *value = strchr(set, '=');
	char path[64];

	snprintf(path, sizeof(path), "%.*s", (int)(value - set), set);
	json_add(j, path, json_string(value + 1));
}

/* The parameters in which a run differs from the chip's. */
static json_t *settings(const struct subject *s, enum variant_id id)
{
	json_t *j = json_object();
	unsigned i;

	for (i = 0; variants[id].servers && s->servers[i]; i++)
		json_setting(j, s->servers[i]);
	for (i = 0; variants[id].own_slice && s->middle[i]; i++)
		json_setting(j, s->middle[i]);
	for (const struct knob *k = variants[id].knobs; k->kind != KNOB_END; k++) {
		if (k->kind == KNOB_VALUE)
			json_add(j, k->path, json_string(k->value));
		else if (k->kind == KNOB_SMS)
			json_add(j, k->path, json_whole(s->sms));
		else if (k->kind == KNOB_TCK)
			json_add(j, k->path, json_whole(s->tck_ps));
		else
			json_add(j, k->path, json_number(s->share_bytes_per_ns));
	}
	return j;
}

static json_t *figures(const struct outcome *o)
{
	json_t *j = json_object();

	for (unsigned i = 0; i < FIGURES; i++) {
		json_t *f = json_object();

		json_add(f, "value", json_number(o->figure[i]));
		json_add(f, "unit", json_string(figure_defs[i].unit));
		json_add(j, figure_defs[i].name, f);
	}
	return j;
}

static json_t *stalls(const struct outcome *o)
{
	json_t *j = json_object();

	for (unsigned i = 0; i < STALLS; i++)
		json_add(j, stall_defs[i].name, json_number(o->stall[i]));
	return j;
}

static json_t *errors(const struct subject *s, enum variant_id id)
{
	json_t *j = json_object();

	for (unsigned i = 0; i < FIGURES; i++)
		if (figure_defs[i].judged)
			json_add(j, figure_defs[i].name,
				json_number(error_pct(s->outcome[id].figure[i],
					s->outcome[VARIANT_CHIP].figure[i])));
	return j;
}

static json_t *run(const struct subject *s, enum variant_id id)
{
	const struct outcome *o = &s->outcome[id];
	json_t *j = json_object();

	json_add(j, "text", json_string(variants[id].text));
	json_add(j, "stopped", json_boolean(o->stopped));
	json_add(j, "settings", settings(s, id));
	json_add(j, "figures", figures(o));
	json_add(j, "stalls_pct", stalls(o));
	if (variants[id].shortcut)
		json_add(j, "errors_pct", errors(s, id));
	json_add(j, "metrics", compare_part(o->report, "metrics"));
	return j;
}

static json_t *rung_name(int rung)
{
	return rung < 0 ? json_null() : json_string(rungs[rung].name);
}

static json_t *ladder(const struct subject *s)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < nrungs; i++) {
		json_t *j = json_object();

		json_add(j, "rung", json_string(rungs[i].name));
		json_add(j, "text", json_string(rung_text(s, i)));
		json_add(j, "run", json_string(variants[rung_variant(s, i)].name));
		json_add(j, "stopped", json_boolean(rung_stopped(s, i)));
		json_add(j, "from", rung_name(rung_before(s, i)));
		json_add(j, "figure", json_string(figure_defs[rungs[i].cycles].name));
		json_add(j, "cycles", json_number(rung_figure(s, i, FIGURE_CHIP_CYCLES)));
		json_add(j, "dram_bytes", json_number(rung_figure(s, i, FIGURE_BYTES)));
		json_add(j, "cycles_change_pct",
			json_number(rung_change_pct(s, i, FIGURE_CHIP_CYCLES)));
		json_add(j, "dram_bytes_change_pct",
			json_number(rung_change_pct(s, i, FIGURE_BYTES)));
		json_append(list, j);
	}
	return list;
}

static json_t *subject(const struct subject *s)
{
	const json_t *report = s->outcome[VARIANT_CHIP].report;
	json_t *j = json_object(), *runs = json_object();

	json_add(j, "target", json_name(s->target));
	if (s->scenario)
		json_add(j, "scenario", json_name(s->scenario));
	json_add(j, "chip", compare_part(json_object_get(report, "command"), "chip"));
	json_add(j, "machine", compare_part(report, "machine"));
	json_add(j, "sms", json_whole(s->sms));
	json_add(j, "bytes_per_ns", json_number(s->bytes_per_ns));
	json_add(j, "share_bytes_per_ns", json_number(s->share_bytes_per_ns));
	json_add(j, "inputs", compare_part(report, "inputs"));
	json_add(j, "configuration", compare_part(report, "configuration"));
	for (unsigned v = 0; v < VARIANTS; v++)
		if (s->outcome[v].report || s->outcome[v].stopped)
			json_add(runs, variants[v].name, run(s, v));
	json_add(j, "runs", runs);
	return j;
}

static json_t *speedups(const struct comparison *c, unsigned i)
{
	double truth = compare_speedup(c, i, VARIANT_CHIP);
	json_t *j = json_object(), *wrong = json_object();

	json_add(j, "chip", json_number(truth));
	for (unsigned k = 0; k < ARRAY_LEN(shortcuts); k++) {
		double v = compare_speedup(c, i, shortcuts[k]);

		json_add(j, variants[shortcuts[k]].name, json_number(v));
		json_add(wrong, variants[shortcuts[k]].name, json_number(error_pct(v, truth)));
	}
	json_add(j, "errors_pct", wrong);
	return j;
}

static json_t *means(const double *v, unsigned n)
{
	struct means m = means_of(v, n);
	json_t *j = json_object();

	json_add(j, "arithmetic", json_number(m.arithmetic));
	json_add(j, "geometric", json_number(m.geometric));
	json_add(j, "harmonic", json_number(m.harmonic));
	json_add(j, "n", json_whole(m.n));
	return j;
}

/* Over the targets: a run's figure in ratio to the chip's. */
static json_t *ratio_means(const struct comparison *c, enum variant_id id, enum figure_id figure)
{
	double v[COMPARE_TARGETS];

	for (unsigned i = 0; i < c->n; i++) {
		const struct outcome *o = c->base[i].outcome;

		v[i] = NAN;
		if (o[id].report)
			v[i] = 1 + error_pct(o[id].figure[figure], o[VARIANT_CHIP].figure[figure]) /
					   100;
	}
	return means(v, c->n);
}

static json_t *all_means(const struct comparison *c)
{
	json_t *j = json_object();
	double v[COMPARE_TARGETS];

	for (unsigned id = 0; id < VARIANTS; id++) {
		json_t *of;

		if (id == VARIANT_CHIP)
			continue;
		of = json_object();
		json_add(of, "cycles_ratio", ratio_means(c, id, FIGURE_CHIP_CYCLES));
		json_add(of, "dram_bytes_ratio", ratio_means(c, id, FIGURE_BYTES));
		json_add(j, variants[id].name, of);
	}
	for (unsigned i = 0; i < c->n; i++)
		v[i] = c->base[i].outcome[VARIANT_CHIP].figure[FIGURE_IPC];
	json_add(j, "ipc_per_sm", means(v, c->n));
	for (unsigned k = 0; k < VARIANTS && c->against; k++) {
		char name[40];

		if (k != VARIANT_CHIP && !variants[k].shortcut)
			continue;
		for (unsigned i = 0; i < c->n; i++)
			v[i] = compare_speedup(c, i, k);
		snprintf(name, sizeof(name), "speedup_%s", variants[k].name);
		json_add(j, name, means(v, c->n));
	}
	return j;
}

int compare_json(const struct comparison *c, struct text *out)
{
	json_t *j = compare_head(c->o), *list = json_array();

	if (c->against)
		json_add(json_object_get(j, "command"), "against", json_name(c->against_name));
	for (unsigned i = 0; i < c->n; i++) {
		json_t *one = subject(&c->base[i]);

		json_add(one, "ladder", ladder(&c->base[i]));
		if (c->against) {
			json_add(one, "against", subject(&c->against[i]));
			json_add(one, "speedup", speedups(c, i));
		}
		json_append(list, one);
	}
	json_add(j, "targets", list);
	json_add(j, "means", all_means(c));
	return json_print(j, out);
}

/* ---- CSV */
struct csv {
	struct text *out;
	const char *target, *configuration, *run;
};

static void csv_line(const struct csv *c, const char *figure, double v, const char *unit)
{
	char number[32] = "";

	if (!isnan(v))
		report_real(v, number);
	csv_words(c->target, c->out);
	text_add(c->out, ",%s,%s,%s,%s,%s\n", c->configuration, c->run, figure, number, unit);
}

static void csv_run(const struct subject *s, enum variant_id id, struct csv c)
{
	const struct outcome *o = &s->outcome[id];
	char name[64];

	c.run = variants[id].name;
	if (o->stopped) {
		csv_words(c.target, c.out);
		text_add(c.out, ",%s,%s,status,limit,\n", c.configuration, c.run);
	}
	for (unsigned i = 0; i < FIGURES; i++)
		csv_line(&c, figure_defs[i].name, o->figure[i], figure_defs[i].unit);
	for (unsigned i = 0; i < STALLS; i++) {
		snprintf(name, sizeof(name), "stall_%s", stall_defs[i].name);
		csv_line(&c, name, o->stall[i], "%");
	}
	for (unsigned i = 0; i < FIGURES && variants[id].shortcut; i++) {
		if (!figure_defs[i].judged)
			continue;
		snprintf(name, sizeof(name), "%s_error", figure_defs[i].name);
		csv_line(
			&c, name, error_pct(o->figure[i], s->outcome[VARIANT_CHIP].figure[i]), "%");
	}
}

static void csv_subject(const struct subject *s, const char *configuration, struct text *out)
{
	struct csv c = {out, s->target, configuration, ""};

	for (unsigned v = 0; v < VARIANTS; v++)
		if (s->outcome[v].report || s->outcome[v].stopped)
			csv_run(s, v, c);
}

static void csv_ladder(const struct subject *s, struct text *out)
{
	for (unsigned i = 0; i < nrungs; i++) {
		struct csv c = {out, s->target, "base", rungs[i].name};

		csv_line(&c, "ladder_cycles", rung_figure(s, i, FIGURE_CHIP_CYCLES), "cycles");
		csv_line(
			&c, "ladder_cycles_change", rung_change_pct(s, i, FIGURE_CHIP_CYCLES), "%");
		csv_line(&c, "ladder_dram_bytes_change", rung_change_pct(s, i, FIGURE_BYTES), "%");
	}
}

void compare_csv(const struct comparison *c, struct text *out)
{
	text_add(out, "target,configuration,run,figure,value,unit\n");
	for (unsigned i = 0; i < c->n; i++) {
		csv_subject(&c->base[i], "base", out);
		csv_ladder(&c->base[i], out);
		if (!c->against)
			continue;
		csv_subject(&c->against[i], "against", out);
		for (unsigned v = 0; v < VARIANTS; v++) {
			struct csv line = {out, c->base[i].target, "against", variants[v].name};

			if (c->against[i].outcome[v].report || c->against[i].outcome[v].stopped)
				csv_line(&line, "speedup", compare_speedup(c, i, v), "ratio");
		}
	}
}
