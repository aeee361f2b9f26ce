/* The table of a sweep's points: text for people, CSV and JSON for programs. */
#include "cli/sweep/sweep.h"

#include "cli/compare/compare.h"
#include "cli/html/results.h"
#include "draw/csv.h"
#include "draw/html.h"
#include "draw/number.h"
#include "draw/svg.h"
#include "runs/json.h"
#include "runs/report.h"
#include "runs/work.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define SCHEMA 1

struct table {
	const struct sweep *s;
	struct arena *arena;
	struct result_value *values;       /* by point and metric */
	const struct description *machine; /* NULL: scenarios have their own */
};

/* The point that ran for this one. */
static const struct sweep_point *runner(const struct sweep_point *p)
{
	return p->twin ? p->twin : p;
}

static const char *state_name(const struct sweep_point *p)
{
	if (runner(p)->state == POINT_DONE)
		return "done";
	if (runner(p)->state == POINT_TO_RUN)
		return "missing";
	return runner(p)->err.code == ERR_LIMIT ? "limit" : "failed";
}

static const struct result_value *value(const struct table *t, unsigned point, unsigned metric)
{
	return &t->values[(size_t)point * t->s->nmetrics + metric];
}

static int read_values(struct table *t, struct err *err)
{
	const struct sweep *s = t->s;

	t->values = arena_alloc(t->arena, (size_t)s->n * s->nmetrics, sizeof(*t->values));
	for (unsigned i = 0; i < s->n; i++) {
		const struct sweep_point *p = runner(&s->points[i]);

		for (unsigned k = 0; k < s->nmetrics && p->state == POINT_DONE; k++)
			if (results_metric(s->results, p->key, s->metrics[k],
				    &t->values[(size_t)i * s->nmetrics + k], err))
				return -1;
	}
	return 0;
}

/* ---- text */
#define COLUMNS 64

static const char *number_text(const struct result_value *v, char *out)
{
	if (!v->there)
		return "-";
	if (v->is_real)
		return compare_number(v->real, 3, out);
	return number_grouped((uint64_t)v->count, out);
}

/* The cell of a row, the heads being row 0. */
static const char *cell(const struct table *t, unsigned row, unsigned column, char *out)
{
	const struct sweep *s = t->s;
	const struct sweep_point *p = row ? &s->points[row - 1] : NULL;

	if (!column)
		return p ? p->target : "point";
	if (column <= s->naxes)
		return p ? p->values[column - 1] : s->axes[column - 1].path;
	column -= s->naxes + 1;
	if (column == s->nmetrics)
		return p ? state_name(p) : "status";
	return p ? number_text(value(t, row - 1, column), out) : s->metrics[column];
}

static void table_lines(const struct table *t, struct text *out)
{
	unsigned columns = (unsigned)min_u64(t->s->naxes + t->s->nmetrics + 2, COLUMNS);
	int width[COLUMNS] = {0};
	char number[32];

	for (unsigned row = 0; row <= t->s->n; row++)
		for (unsigned c = 0; c < columns; c++)
			width[c] =
				(int)max_u64((unsigned)width[c], strlen(cell(t, row, c, number)));
	for (unsigned row = 0; row <= t->s->n; row++) {
		for (unsigned c = 0; c + 1 < columns; c++)
			text_add(out,
				c     ? " \t%*s"
				: row ? "%-*s"
				      : "\v%-*s",
				width[c], cell(t, row, c, number));
		text_add(out, " \t%s\n", cell(t, row, columns - 1, number));
	}
}

static const char *machine_title(const struct table *t, struct text *title)
{
	description_title(t->machine, title);
	return text_str(title);
}

static void write_text(void *ctx, struct text *out)
{
	const struct table *t = ctx;
	const struct sweep *s = t->s;
	struct text title = {0};
	unsigned done = 0, before = 0, missing = 0;

	table_lines(t, out);
	if (t->machine)
		text_add(out, "\nmachine: %s\nvalidated against: %s\n", machine_title(t, &title),
			description_validated(t->machine));
	text_clear(&title);
	for (unsigned i = 0; i < s->n; i++) {
		done += runner(&s->points[i])->state == POINT_DONE;
		before += runner(&s->points[i])->before;
		missing += runner(&s->points[i])->state == POINT_TO_RUN;
	}
	text_add(out, "\n%u point%s: %u done, %u of them before; %u failed", s->n, text_s(s->n),
		done, before, s->n - done - missing);
	if (missing)
		text_add(out, ", %u missing", missing);
	text_add(out, ". All metrics are in %s.\n", s->o->out);
}

/* ---- CSV */
static void csv_value(const struct result_value *v, struct text *out)
{
	char number[32] = "";

	if (v->there && v->is_real)
		report_real(v->real, number);
	else if (v->there)
		snprintf(number, sizeof(number), "%" PRId64, v->count);
	text_add(out, ",%s", number);
}

static void write_csv(void *ctx, struct text *out)
{
	const struct table *t = ctx;
	const struct sweep *s = t->s;

	text_add(out, "target");
	for (unsigned k = 0; k < s->naxes; k++)
		text_add(out, ",%s", s->axes[k].path);
	for (unsigned k = 0; k < s->nmetrics; k++)
		text_add(out, ",%s", s->metrics[k]);
	text_add(out, ",status\n");
	for (unsigned i = 0; i < s->n; i++) {
		csv_words(s->points[i].target, out);
		for (unsigned k = 0; k < s->naxes; k++) {
			text_add(out, ",");
			csv_words(s->points[i].values[k], out);
		}
		for (unsigned k = 0; k < s->nmetrics; k++)
			csv_value(value(t, i, k), out);
		text_add(out, ",%s\n", state_name(&s->points[i]));
	}
}

/* ---- JSON */
static json_t *value_json(const struct result_value *v)
{
	json_t *j = json_object();

	if (!v->there)
		json_add(j, "value", json_null());
	else if (v->is_real)
		json_add(j, "value", json_number(v->real));
	else
		json_add(j, "value", json_whole((uint64_t)v->count));
	json_add(j, "unit", json_string(v->unit));
	return j;
}

static json_t *error_json(const struct err *err)
{
	json_t *j;

	if (!err->code)
		return json_null();
	j = json_object();
	json_add(j, "code", json_whole(err->code));
	json_add(j, "name", json_string(exit_codes[err->code].name));
	json_add(j, "message", json_words(err_text(err), err->len - 1));
	return j;
}

static json_t *point_json(const struct table *t, unsigned i)
{
	const struct sweep *s = t->s;
	const struct sweep_point *p = &s->points[i];
	json_t *j = json_object(), *settings = json_object(), *metrics = json_object();

	for (unsigned k = 0; k < s->naxes; k++)
		json_add(settings, s->axes[k].path, json_name(p->values[k]));
	for (unsigned k = 0; k < s->nmetrics; k++)
		json_add(metrics, s->metrics[k], value_json(value(t, i, k)));
	json_add(j, "target", json_name(p->target));
	json_add(j, "settings", settings);
	json_add(j, "point", json_string(runner(p)->key));
	json_add(j, "status", json_string(state_name(p)));
	json_add(j, "error", error_json(&runner(p)->err));
	json_add(j, "metrics", metrics);
	return j;
}

static int write_json(void *ctx, struct text *out)
{
	const struct table *t = ctx;
	json_t *j = json_object(), *list = json_array();

	for (unsigned i = 0; i < t->s->n; i++)
		json_append(list, point_json(t, i));
	json_add(j, "schema", json_integer(SCHEMA));
	json_add(j, "program", json_program());
	if (t->machine)
		json_add(j, "machine", description_json(t->machine));
	json_add(j, "points", list);
	return json_print(j, out);
}

/* ---- curves of a page */
#define CURVES 8u

/* The last axis has rising numbers, and its lines are few. */
static bool has_curves(const struct sweep *s)
{
	const struct sweep_axis *x = s->naxes ? &s->axes[s->naxes - 1] : NULL;
	double before = 0, v;

	if (!x || x->n < 2 || s->n % x->n || s->n / x->n > CURVES)
		return false;
	for (unsigned i = 0; i < x->n; i++) {
		if (!number_real(x->values[i], &v) || (i && v <= before))
			return false;
		before = v;
	}
	return true;
}

/* "needle, chip.sms=4", without the last axis. */
static const char *curve_name(const struct table *t, unsigned point)
{
	const struct sweep_point *p = &t->s->points[point];
	struct text name = {0};
	const char *words;

	text_add(&name, "%s", p->target);
	for (unsigned k = 0; k + 1 < t->s->naxes; k++)
		text_add(&name, ", %s=%s", t->s->axes[k].path, p->values[k]);
	words = arena_strdup(t->arena, text_str(&name));
	text_clear(&name);
	return words;
}

static void curves_of(const struct table *t, unsigned metric, struct text *out)
{
	const struct sweep_axis *x = &t->s->axes[t->s->naxes - 1];
	unsigned lines = t->s->n / x->n;
	struct html_column column[CURVES + 1] = {{x->path, false}};

	for (unsigned c = 0; c < lines; c++)
		column[c + 1].name = curve_name(t, c * x->n);
	html_chart(out, t->s->metrics[metric], "", column, lines + 1);
	for (unsigned i = 0; i < x->n; i++) {
		html_row(out);
		html_words(out, x->values[i]);
		for (unsigned c = 0; c < lines; c++) {
			const struct result_value *v = value(t, c * x->n + i, metric);

			html_real(out,
				!v->there    ? NAN
				: v->is_real ? v->real
					     : (double)v->count,
				v->is_real ? 4 : 0, "");
		}
		html_row_end(out);
	}
	html_chart_end(out);
}

/* Which points have no values, and why. */
static void add_notices(const struct sweep *s, struct text *out)
{
	unsigned missing = 0;

	for (unsigned i = 0; i < s->n; i++)
		missing += runner(&s->points[i])->state == POINT_TO_RUN;
	if (missing) {
		text_add(out, "<p class=\"notice\">");
		html_add(out, "The sweep was stopped: %u of %u points are missing.", missing, s->n);
		text_add(out, "</p>\n");
	}
	for (unsigned i = 0; i < s->n; i++) {
		const char *line = err_text(&s->points[i].err);

		for (size_t n; *line; line += n + (line[n] == '\n')) {
			n = strcspn(line, "\n");
			text_add(out, "<p class=\"notice\">");
			html_add(out, "%s: %.*s", s->points[i].name, (int)n, line);
			text_add(out, "</p>\n");
		}
	}
}

static bool add_curves(void *ctx, struct text *out)
{
	const struct table *t = ctx;

	add_notices(t->s, out);
	for (unsigned k = 0; k < t->s->nmetrics && has_curves(t->s); k++) {
		text_add(out, "<h2>");
		svg_escaped(t->s->metrics[k], out);
		text_add(out, "</h2>\n");
		curves_of(t, k, out);
	}
	return has_curves(t->s);
}

/* Scenarios name chips of their own, which those of the command line replace. */
static int find_machine(struct table *t, struct err *err)
{
	const struct options *o = t->s->o;
	struct session *s = session_within(t->arena);
	struct machine none = {0};

	for (unsigned i = 0; i < o->operands.n && !o->run.chips.n; i++)
		if (work_is_scenario(o->operands.at[i]))
			return 0;
	if (session_settings(s, &o->run, &none, err))
		return -1;
	t->machine = session_machine(s, err);
	return t->machine ? 0 : -1;
}

static int write_page(struct table *t, const struct output_texts *outputs, struct err *err)
{
	if (read_values(t, err) || find_machine(t, err))
		return -1;
	return page_results(t->s->o, ": sweep", outputs, add_curves, t->arena, err);
}

int sweep_page(const struct sweep *s, struct arena *arena, struct err *err)
{
	struct table t = {.s = s, .arena = arena};
	struct output_texts outputs = {&t, write_json, write_csv, NULL, write_text};

	return s->o->html ? write_page(&t, &outputs, err) : 0;
}

int sweep_write(const struct sweep *s, struct arena *arena, struct text *out, struct err *err)
{
	struct table t = {.s = s, .arena = arena};
	struct output_texts outputs = {&t, write_json, write_csv, NULL, write_text};

	return write_page(&t, &outputs, err) ? -1 : options_write(s->o, &outputs, out, err);
}
