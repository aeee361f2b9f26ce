/* Completion in fish: a line for each command and option. */
#include "cli/completion/completion.h"

static void add_text(const char *s, struct text *out)
{
	text_add(out, " -d '");
	completion_quote(s, "'\\", "\\", out);
	text_add(out, "'");
}

/* Files are offered only where they may be. */
static void add_choice(const struct choice *choice, struct text *out)
{
	static const char *const how[] = {[SOURCE_FOLDERS] = "(__fish_complete_directories)",
		[SOURCE_SETTINGS] =
			"(warpbeam params --wide (commandline -ct) 2>/dev/null | string replace -r ' .*' '')"};
	const char *call = how[choice->source];

	text_add(out, choice->source == SOURCE_FILES ? " -F" : " -f");
	if (choice->words.len || call) {
		text_add(out, " -a \"");
		text_bytes(out, text_str(&choice->words), choice->words.len);
		text_add(out, "%s%s\"", choice->words.len && call ? " " : "", call ? call : "");
	}
}

static void add_command(const struct completion *c, const struct command *command, struct text *out)
{
	struct choice choice = choice_of_operand(c, command);

	text_add(out, "complete -c warpbeam -n __fish_use_subcommand -f -a %s", command->name);
	add_text(command->text, out);
	text_add(out, "\ncomplete -c warpbeam -n '__fish_seen_subcommand_from %s'", command->name);
	add_choice(&choice, out);
	text_add(out, "\n");
	text_clear(&choice.words);
}

static void add_option(const struct completion *c, const struct option *o, struct text *out)
{
	struct choice choice = choice_of_option(c, o);

	text_add(out, "complete -c warpbeam -n '__fish_seen_subcommand_from");
	for (const struct command *command = command_rows; command->name; command++)
		if (o->commands & command->bit)
			text_add(out, " %s", command->name);
	text_add(out, "' -l %s%s", o->name, o->argument ? " -r" : "");
	if (o->argument)
		add_choice(&choice, out);
	add_text(o->text, out);
	text_add(out, "\n");
	text_clear(&choice.words);
}

void completion_fish(const struct completion *c, struct text *out)
{
	text_add(out,
		"# Completion of warpbeam's command line in fish, as printed by: warpbeam completion fish\n");
	for (const struct command *command = command_rows; command->name; command++)
		add_command(c, command, out);
	for (unsigned i = 0; i < OPTION_COUNT; i++)
		add_option(c, &option_rows[i], out);
}
