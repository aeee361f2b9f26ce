/* warpbeam chip: a machine's data sheet, or the difference of two. */
#include "cli/chip.h"

#include "cli/command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading a machine */
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

static int read_sheet(const struct options *o, const struct string_list *names, struct sheet *s,
	struct arena *arena, struct err *err)
{
	struct session *probe = session_within(arena);
	struct run_options run = o->run;

	run.chips = *names;
	*s = (struct sheet){.name = names->at[names->n - 1], .arena = arena};
	if (session_open(probe, &run, NULL, err) || config_finish(probe->config, err))
		return -1;
	s->machine = session_machine(probe, err);
	if (!s->machine)
		return -1;
	s->config = probe->config;
	config_echo(probe->config, add_row, s);
	sheet_figures(s);
	return 0;
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

/* ---- the command */
struct writing {
	const struct sheet *a, *b; /* b: NULL, or the one that it is compared with */
};

static int write_json(void *ctx, struct text *out)
{
	const struct writing *w = ctx;

	return json_print(w->b ? sheet_diff_json(w->a, w->b) : sheet_json(w->a), out);
}

static void write_svg(void *ctx, struct text *out)
{
	const struct writing *w = ctx;

	sheet_svg(w->a, out);
}

static void write_text(void *ctx, struct text *out)
{
	const struct writing *w = ctx;

	if (w->b)
		sheet_diff_text(w->a, w->b, out);
	else
		sheet_text(w->a, out);
}

static int admit(const struct options *o, struct err *err)
{
	if (o->diff && o->operands.n != 2)
		return err_add(err, ERR_USAGE, "chip --diff needs two machines, MACHINE|FILE.yaml");
	if (o->diff && o->svg)
		return err_add(
			err, ERR_USAGE, "--svg draws one machine: it does not go with --diff");
	return options_one_to_stdout(o, err);
}

int command_chip(const struct options *o, struct session *s, struct err *err)
{
	struct sheet *sheets = arena_alloc(&s->arena, 2, sizeof(*sheets));
	struct writing w = {&sheets[0], o->diff ? &sheets[1] : NULL};
	struct output_texts texts = {
		.ctx = &w, .json = write_json, .svg = write_svg, .text = write_text};
	struct string_list one = {.n = 1};

	if (admit(o, err))
		return -1;
	if (!o->diff)
		return read_sheet(o, &o->operands, &sheets[0], &s->arena, err)
			       ? -1
			       : options_write(o, &texts, &s->out, err);
	for (unsigned i = 0; i < 2; i++) {
		one.at = &o->operands.at[i];
		if (read_sheet(o, &one, &sheets[i], &s->arena, err))
			return -1;
	}
	return options_write(o, &texts, &s->out, err);
}
