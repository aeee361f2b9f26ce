/* Reading a machine's parameters, and finding them. */
#include "runs/sheet/sheet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void make_room(struct sheet *s)
{
	struct sheet_row *more;

	if (s->nrows < s->room)
		return;
	more = arena_alloc(s->arena, 2 * s->room + 256, sizeof(*more));
	if (s->nrows)
		memcpy(more, s->rows, s->nrows * sizeof(*more));
	s->rows = more;
	s->room = 2 * s->room + 256;
}

static void add_row(
	void *ctx, const char *path, const char *value, const struct param_def *def, bool given)
{
	struct sheet *s = ctx;
	const struct described_value *v = NULL;
	const char *set, *origin = NULL;
	bool has_unit = def->type == PARAM_UINT || def->type == PARAM_REAL;

	if (given)
		config_setting(s->config, path, 0, &set, &origin);
	for (const struct description *d = s->machine; d && !v; d = d->before)
		v = description_value(d, path);
	if (v && origin && strcmp(v->place, origin))
		v = NULL;
	make_room(s);
	s->rows[s->nrows++] = (struct sheet_row){.path = arena_strdup(s->arena, path),
		.value = arena_strdup(s->arena, value),
		.unit = has_unit ? def->unit : "",
		.text = def->text,
		.origin = origin ? arena_strdup(s->arena, origin) : NULL,
		.described = v};
}

void sheet_read(struct sheet *s, const struct config *config)
{
	s->config = config;
	config_echo(config, add_row, s);
	sheet_figures(s);
}

/* ---- looking up */
const struct sheet_row *sheet_row(const struct sheet *s, const char *path)
{
	for (unsigned i = 0; i < s->nrows; i++)
		if (!strcmp(s->rows[i].path, path))
			return &s->rows[i];
	return NULL;
}

double sheet_number(const struct sheet *s, const char *path)
{
	const struct sheet_row *row = sheet_row(s, path);

	return row ? strtod(row->value, NULL) : NAN;
}

const char *sheet_word(const struct sheet *s, const char *path)
{
	const struct sheet_row *row = sheet_row(s, path);

	return row ? row->value : "";
}
