/* warpbeam chip: a machine's data sheet, or the difference of two. */
#include "cli/chip.h"

#include "cli/command.h"

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
	sheet_read(s, probe->config);
	return 0;
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
