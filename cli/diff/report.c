/* What changed, as text and JSON. */
#include "cli/diff/diff.h"

#include "draw/number.h"
#include "runs/json.h"
#include "runs/output.h"
#include "runs/report.h"

#include <math.h>
#include <string.h>

static const json_t *setting(const json_t *report, const char *path)
{
	const json_t *list = json_object_get(report, "configuration");

	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *row = json_array_get(list, i);
		const char *name = json_string_value(json_object_get(row, "path"));

		if (name && !strcmp(name, path))
			return json_object_get(row, "value");
	}
	return NULL;
}

#define SHOWN 128u

static const char *shown(const json_t *v, char out[SHOWN])
{
	size_t n = json_dumpb(v, out, SHOWN - 1, JSON_ENCODE_ANY);

	out[n < SHOWN ? n : 0] = 0;
	return out;
}

/* Calls `found` for each setting that both have and that differs. */
static void settings(const struct diff *d,
	void (*found)(void *ctx, const char *path, const json_t *a, const json_t *b), void *ctx)
{
	const json_t *list = json_object_get(d->report[0], "configuration");

	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *row = json_array_get(list, i);
		const char *path = json_string_value(json_object_get(row, "path"));
		const json_t *a = json_object_get(row, "value"), *b;

		b = path ? setting(d->report[1], path) : NULL;
		if (b && !json_equal(a, b))
			found(ctx, path, a, b);
	}
}

static void setting_line(void *ctx, const char *path, const json_t *a, const json_t *b)
{
	char before[SHOWN], after[SHOWN];

	text_add(ctx, "setting %s: %s, then %s\n", path, shown(a, before), shown(b, after));
}

static void number(double v, struct text *out)
{
	char digits[32];

	if (v >= 0 && v < 1e15 && v == floor(v))
		number_grouped((uint64_t)v, digits);
	else if (!isnan(v))
		report_real(v, digits);
	text_add(out, "\t%16s", isnan(v) ? "-" : digits);
}

static void table(const struct diff *d, const struct diff_table *t, struct text *out)
{
	text_add(out, "\n\v%-66s\t%16s\t%16s\t%8s\n", t->name, "before", "after", "weight");
	for (unsigned i = 0; i < t->n && i < d->top; i++) {
		const struct diff_row *r = &t->row[i];
		struct text name = {0};

		text_add(&name, "%s%s%s", r->item ? r->item : "", r->item ? " " : "", r->count);
		text_add(out, "%-66s", text_str(&name));
		out->failed |= name.failed;
		text_clear(&name);
		number(r->before, out);
		number(r->after, out);
		text_add(out, "\t%7.1f%%\n", 100 * r->weight);
	}
	if (t->n > d->top)
		text_add(out, "  %u more (--top %u shows all)\n", t->n - d->top, t->n);
	if (!t->n)
		text_add(out, "  no change\n");
}

static const char *build_of(const json_t *report)
{
	const char *build =
		json_string_value(json_object_get(json_object_get(report, "program"), "build"));

	return build ? build : "?";
}

static void time_line(const struct diff *d, struct text *out)
{
	char before[32], after[32];

	if (!(d->cycles[0] > 0 && d->cycles[1] > 0))
		return;
	number_grouped((uint64_t)d->cycles[0], before);
	number_grouped((uint64_t)d->cycles[1], after);
	text_add(out, "cycles: %s, then %s: %.2fx as fast\n", before, after,
		d->cycles[0] / d->cycles[1]);
}

void diff_head(const struct diff *d, struct text *out)
{
	const char *a = build_of(d->report[0]), *b = build_of(d->report[1]);

	text_add(out, "warpbeam %s (%s): from %s to %s\n", program_version(), program_build(),
		d->path[0], d->path[1]);
	if (strcmp(a, b) != 0)
		text_add(out, "by different builds: %s, then %s\n", a, b);
	settings(d, setting_line, out);
	time_line(d, out);
}

void diff_text(void *ctx, struct text *out)
{
	const struct diff *d = ctx;

	diff_head(d, out);
	for (unsigned i = 0; i < d->ntables; i++)
		table(d, &d->table[i], out);
}

static void setting_json(void *ctx, const char *path, const json_t *a, const json_t *b)
{
	json_t *j = json_object();

	json_add(j, "path", json_name(path));
	json_add(j, "before", json_deep_copy(a));
	json_add(j, "after", json_deep_copy(b));
	json_append(ctx, j);
}

static json_t *table_json(const struct diff_table *t)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < t->n; i++) {
		const struct diff_row *r = &t->row[i];
		json_t *j = json_object();

		json_add(j, "item", json_name(r->item));
		json_add(j, "count", json_name(r->count));
		json_add(j, "before", json_number(r->before));
		json_add(j, "after", json_number(r->after));
		json_add(j, "weight", json_number(r->weight));
		json_append(list, j);
	}
	return list;
}

int diff_json(void *ctx, struct text *out)
{
	const struct diff *d = ctx;
	json_t *j = json_object(), *set = json_array(), *tables = json_object();

	settings(d, setting_json, set);
	for (unsigned i = 0; i < d->ntables; i++)
		json_add(tables, d->table[i].name, table_json(&d->table[i]));
	json_add(j, "schema", json_integer(1));
	json_add(j, "program", json_program());
	json_add(j, "before", json_name(d->path[0]));
	json_add(j, "after", json_name(d->path[1]));
	json_add(j, "build_before", json_name(build_of(d->report[0])));
	json_add(j, "build_after", json_name(build_of(d->report[1])));
	json_add(j, "settings", set);
	json_add(j, "tables", tables);
	return json_print(j, out);
}
