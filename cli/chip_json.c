/* A machine's data sheet as JSON, and what two differ in. */
#include "cli/chip.h"

#include <math.h>
#include <string.h>

static json_t *figures_json(const struct sheet *s)
{
	json_t *all = json_object();

	for (unsigned i = 0; i < s->nfigures; i++) {
		json_t *j = json_object();

		json_add(j, "value", json_number(s->figures[i].value));
		json_add(j, "unit", json_string(s->figures[i].unit));
		json_add(j, "text", json_string(s->figures[i].label));
		json_add(all, s->figures[i].name, j);
	}
	return all;
}

static json_t *row_json(const struct sheet_row *r)
{
	const struct described_value *v = r->described;
	json_t *j = json_object();

	json_add(j, "path", json_name(r->path));
	json_add(j, "value", json_name(r->value));
	json_add(j, "unit", json_string(r->unit));
	json_add(j, "origin", json_name(r->origin));
	json_add(j, "source", json_name(v ? v->source : NULL));
	json_add(j, "words", json_name(v && v->source ? v->words : NULL));
	return j;
}

static json_t *rows_json(const struct sheet *s)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < s->nrows; i++)
		json_append(list, row_json(&s->rows[i]));
	return list;
}

static json_t *sources_json(const struct sheet *s)
{
	json_t *list = json_array();

	for (const struct description *d = s->machine; d; d = d->base)
		for (unsigned i = 0; i < d->nsources; i++) {
			json_t *j = json_object();

			json_add(j, "key", json_name(d->sources[i].key));
			json_add(j, "file", json_name(d->file));
			json_add(j, "citation", json_name(d->sources[i].citation));
			json_append(list, j);
		}
	return list;
}

json_t *sheet_json(const struct sheet *s)
{
	json_t *j = json_object();

	json_add(j, "program", json_program());
	json_add(j, "machine", description_json(s->machine));
	json_add(j, "figures", figures_json(s));
	json_add(j, "parameters", rows_json(s));
	json_add(j, "sources", sources_json(s));
	return j;
}

/* ---- two machines */
static json_t *differing(const char *name, json_t *a, json_t *b)
{
	json_t *j = json_object();

	json_add(j, "name", json_name(name));
	json_add(j, "a", a);
	json_add(j, "b", b);
	return j;
}

static json_t *word(const struct sheet_row *r)
{
	return json_name(r ? r->value : NULL);
}

static void add_rows(const struct sheet *a, const struct sheet *b, json_t *list)
{
	for (unsigned i = 0; i < a->nrows; i++) {
		const struct sheet_row *x = &a->rows[i], *y = sheet_row(b, x->path);

		if (!y || strcmp(x->value, y->value))
			json_append(list, differing(x->path, word(x), word(y)));
	}
	for (unsigned i = 0; i < b->nrows; i++)
		if (!sheet_row(a, b->rows[i].path))
			json_append(
				list, differing(b->rows[i].path, json_null(), word(&b->rows[i])));
}

json_t *sheet_diff_json(const struct sheet *a, const struct sheet *b)
{
	json_t *j = json_object(), *rows = json_array(), *derived = json_array();

	add_rows(a, b, rows);
	for (unsigned i = 0; i < a->nfigures; i++) {
		const struct sheet_figure *f = &a->figures[i];
		double other = sheet_figure(b, f->name);

		if (f->value != other && !(isnan(f->value) && isnan(other)))
			json_append(derived,
				differing(f->name, json_number(f->value), json_number(other)));
	}
	json_add(j, "program", json_program());
	json_add(j, "a", description_json(a->machine));
	json_add(j, "b", description_json(b->machine));
	json_add(j, "figures", derived);
	json_add(j, "parameters", rows);
	return j;
}
