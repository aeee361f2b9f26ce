/* The page's table of all parameters, with the chips that papers' machines are made from. */
#include "papers/page.h"

#include "core/base.h"
#include "draw/html.h"
#include "draw/svg.h"
#include "runs/description.h"
#include "runs/params.h"

#include <string.h>

/* A chip besides the default one whose values are shown also. */
#define OTHER_CHIP "dis40"

struct setting {
	const char *path, *value, *other;
	const struct param_def *def;
	bool given;
};

struct settings {
	struct setting *at;
	unsigned n, room, seen;
	struct text machines; /* titles, and what they were validated against */
	struct arena *arena;
};

static void add(
	void *ctx, const char *path, const char *value, const struct param_def *def, bool given)
{
	struct settings *s = ctx;

	if (s->n == s->room) {
		struct setting *more = arena_alloc(s->arena, 2 * s->room + 64, sizeof(*more));

		if (s->n)
			memcpy(more, s->at, s->n * sizeof(*more));
		s->at = more;
		s->room = 2 * s->room + 64;
	}
	s->at[s->n++] = (struct setting){
		arena_strdup(s->arena, path), arena_strdup(s->arena, value), NULL, def, given};
}

/* Both are sorted by path. */
static void add_other(
	void *ctx, const char *path, const char *value, const struct param_def *def, bool given)
{
	struct settings *s = ctx;

	(void)def, (void)given;
	while (s->seen < s->n && strcmp(s->at[s->seen].path, path) < 0)
		s->seen++;
	if (s->seen < s->n && !strcmp(s->at[s->seen].path, path))
		s->at[s->seen].other = arena_strdup(s->arena, value);
}

static void add_machine(const struct description *d, struct text *out)
{
	struct text title = {0};

	description_title(d, &title);
	html_add(out, "<p>%s: %s; ", d->name, text_str(&title));
	html_add(out, "validated against: %s</p>\n", description_validated(d));
	out->failed |= title.failed;
	text_clear(&title);
}

static int read_chip(const struct run_options *options, const char *chip, config_visit_fn *visit,
	struct settings *s, struct err *err)
{
	struct session *probe = session_within(s->arena);
	struct run_options o = *options;
	const struct description *machine;
	int bad;

	o.chip = chip;
	o.chips = (struct string_list){&chip, chip ? 1 : 0};
	bad = session_open(probe, &o, NULL, err) || params_load_parts(probe, err) ||
	      config_finish(probe->config, err);
	if (!bad)
		config_echo(probe->config, visit, s);
	machine = bad ? NULL : session_machine(probe, err);
	if (machine)
		add_machine(machine, &s->machines);
	session_close(probe);
	return machine ? 0 : -1;
}

static void row(const struct setting *s, struct text *out)
{
	bool plain = s->def->type == PARAM_NAME || s->def->type == PARAM_CHOICE;

	html_row(out);
	html_code(out, s->path);
	text_add(out, "<td class=\"w\">");
	svg_escaped(s->value, out);
	text_add(out, "%s</td><td class=\"w\">", s->given ? " (set)" : "");
	if (s->other && strcmp(s->other, s->value))
		svg_escaped(s->other, out);
	text_add(out, "</td>");
	html_words(out, plain ? "" : s->def->unit);
	html_long(out, s->def->text);
	html_row_end(out);
}

int page_settings(
	const struct run_options *o, struct session *session, struct text *out, struct err *err)
{
	static const struct html_column columns[] = {{"parameter", true}, {"m12", true},
		{OTHER_CHIP, true}, {"unit", true}, {"meaning", true}};
	struct settings s = {.arena = &session->arena};

	if (read_chip(o, NULL, add, &s, err) || read_chip(o, OTHER_CHIP, add_other, &s, err)) {
		text_clear(&s.machines);
		return -1;
	}
	text_add(out,
		"<h2 id=\"parameters\">All parameters</h2>\n<p>The values from which every run starts: the "
		"chip m12, and " OTHER_CHIP
		" (tables and figures of the dissertation up to chapter 6) "
		"where it differs. What a table changes for its runs is in "
		"<code>doc/reproduce.md</code>, and for each run in the file of results.</p>\n");
	text_bytes(out, text_str(&s.machines), s.machines.len);
	out->failed |= s.machines.failed;
	text_clear(&s.machines);
	html_table(out, "All parameters", columns, ARRAY_LEN(columns));
	for (unsigned i = 0; i < s.n; i++)
		row(&s.at[i], out);
	html_table_end(out);
	return 0;
}
