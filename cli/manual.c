/* The tables of commands, options and exit codes as documents: roff for doc/warpbeam.1, Markdown
 * for the guide. An option of one command is described with the command, those of several in a
 * section of their own, which names the commands. */
#include "cli/manual.h"

#include "cli/command.h"
#include "cli/option_rows.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- roff */
/* Columns of a line of text. */
#define COLUMNS 88

/* Hyphens are minus signs, which can be searched for and copied. */
static void add_plain(const char *s, size_t n, struct text *out)
{
	for (size_t i = 0; i < n; i++)
		text_add(out, s[i] == '-' ? "\\-" : s[i] == '\\' ? "\\e" : "%c", s[i]);
}

/* A word; options in bold. */
static void add_word(const char *s, size_t n, struct text *out)
{
	size_t option = 0;

	if (!strncmp(s, "--", 2))
		for (option = 2;
			option < n && (isalnum((unsigned char)s[option]) || s[option] == '-');)
			option++;
	if (option > 2)
		text_add(out, "\\fB");
	else
		option = 0;
	add_plain(s, option, out);
	if (option)
		text_add(out, "\\fR");
	add_plain(s + option, n - option, out);
}

/* Sentences, in lines of at most COLUMNS. No line begins like a request. */
static void add_text(const char *s, struct text *out)
{
	size_t column = 0;

	while (*s) {
		size_t n = strcspn(s, " ");

		if (column && column + 1 + n > COLUMNS) {
			text_add(out, "\n");
			column = 0;
		}
		text_add(out, column ? " " : *s == '.' || *s == '\'' ? "\\&" : "");
		add_word(s, n, out);
		column += n + (column > 0);
		s += n;
		s += strspn(s, " ");
	}
	text_add(out, "\n");
}

/* The head of an entry: a name in bold and an argument in italics. */
static void add_head(const char *before, const char *name, const char *argument, struct text *out)
{
	text_add(out, ".TP\n\\fB");
	add_plain(before, strlen(before), out);
	add_plain(name, strlen(name), out);
	text_add(out, "\\fR");
	if (argument && *argument) {
		text_add(out, " \\fI");
		add_plain(argument, strlen(argument), out);
		text_add(out, "\\fR");
	}
}

static void add_texts(const char *text, const char *more, struct text *out)
{
	add_text(text, out);
	if (more)
		add_text(more, out);
}

static void add_option(const struct option *o, const char *commands_of_it, struct text *out)
{
	add_head("--", o->name, o->argument, out);
	text_add(out, "%s\n", commands_of_it);
	add_texts(o->text, o->more, out);
	if (o->kind == NUMBER && o->high < UINT32_MAX)
		text_add(out, "%llu to %llu.\n", (unsigned long long)o->low,
			(unsigned long long)o->high);
}

static bool of_one_command(const struct option *o)
{
	return !(o->commands & (o->commands - 1));
}

static int by_name(const void *a, const void *b)
{
	const struct option *const *x = a, *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

/* The options that only this command takes, indented below it. */
static void add_own_options(
	enum command_bit bit, const struct option *const *sorted, struct text *out)
{
	bool any = false;

	for (unsigned i = 0; i < OPTION_COUNT; i++) {
		if (!of_one_command(sorted[i]) || !(sorted[i]->commands & bit))
			continue;
		text_add(out, any ? "" : ".RS\n");
		any = true;
		add_option(sorted[i], "", out);
	}
	text_add(out, any ? ".RE\n" : "");
}

static void add_commands(const struct option *const *sorted, struct text *out)
{
	text_add(out, ".SH COMMANDS\n");
	for (const struct command *c = command_rows; c->name; c++) {
		if (c->bit == COMMAND_REPLAY)
			continue;
		add_head("", c->name, c->arguments, out);
		text_add(out, "\n");
		add_texts(c->text, c->more, out);
		add_own_options(c->bit, sorted, out);
	}
	for (const struct replay_kind *k = replay_kinds; k->name; k++) {
		add_head("replay ", k->name, k->argument, out);
		text_add(out, "\n");
		add_texts(k->text, k->more, out);
		add_own_options(k->bit, sorted, out);
	}
}

/* " (run, exec)". */
static void name_commands(unsigned bits, struct text *out)
{
	const char *before = " (";

	for (const struct command *c = command_rows; c->name; c++) {
		if (!(c->bit & bits))
			continue;
		text_add(out, "%s%s", before, c->name);
		if (c->bit == COMMAND_REPLAY && (bits & COMMAND_REPLAY) == COMMAND_REPLAY_NOC)
			text_add(out, " noc");
		before = ", ";
	}
	text_add(out, ")");
}

static void add_shared_options(const struct option *const *sorted, struct text *out)
{
	text_add(out, ".SH OPTIONS\n"
		      "These are options of several commands; those of one are described with it.\n"
		      "A value is the next word or follows an equals sign.\n"
		      "A lone \\fB\\-\\-\\fR ends the options.\n");
	for (unsigned i = 0; i < OPTION_COUNT; i++) {
		struct text names = {0};

		if (of_one_command(sorted[i]))
			continue;
		if (~sorted[i]->commands)
			name_commands(sorted[i]->commands, &names);
		add_option(sorted[i], text_str(&names), out);
		out->failed |= names.failed;
		text_clear(&names);
	}
}

static void add_exit_codes(struct text *out)
{
	text_add(out, ".SH EXIT STATUS\n");
	for (unsigned i = 0; i < EXIT_CODES; i++) {
		text_add(out, ".IP %u\n", i);
		add_text(exit_codes[i].text, out);
	}
}

void manual_roff(struct text *out)
{
	const struct option *sorted[OPTION_COUNT];

	for (unsigned i = 0; i < OPTION_COUNT; i++)
		sorted[i] = &option_rows[i];
	qsort(sorted, OPTION_COUNT, sizeof(sorted[0]), by_name);
	add_commands(sorted, out);
	add_shared_options(sorted, out);
	add_exit_codes(out);
}

/* ---- Markdown */
/* Bars would end the column. */
static void add_cell(const char *s, struct text *out)
{
	for (; *s; s++)
		text_add(out, *s == '|' ? "\\|" : "%c", *s);
}

static void add_row(const char *name, const char *argument, const char *text, const char *section,
	struct text *out)
{
	text_add(out, "| `%s%s", name, *argument ? " " : "");
	add_cell(argument, out);
	text_add(out, "` | ");
	add_cell(text, out);
	text_add(out, " | %s |\n", section);
}

void manual_markdown(struct text *out)
{
	text_add(out, "| command | what it does | section |\n|---|---|---|\n");
	for (const struct command *c = command_rows; c->name; c++)
		if (c->bit != COMMAND_REPLAY)
			add_row(c->name, c->arguments, c->text, c->section, out);
	for (const struct replay_kind *k = replay_kinds; k->name; k++) {
		char name[32];

		snprintf(name, sizeof(name), "replay %s", k->name);
		add_row(name, k->argument, k->text, k->section, out);
	}
	text_add(out, "\n| code | name | meaning |\n|---|---|---|\n");
	for (unsigned i = 0; i < EXIT_CODES; i++)
		text_add(out, "| %u | %s | %s |\n", i, exit_codes[i].name, exit_codes[i].text);
	text_add(out, "\n");
}
