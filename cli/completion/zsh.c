/* Completion in zsh: _arguments of each command. */
#include "cli/completion/completion.h"

static void zsh_choice(const struct choice *choice, const char *also, struct text *out)
{
	static const char *const how[] = {[SOURCE_FILES] = "_files",
		[SOURCE_FOLDERS] = "_files -/",
		[SOURCE_SETTINGS] = "_warpbeam_settings"};
	const char *call = how[choice->source];

	if (choice->words.len && call) {
		text_add(out, " _warpbeam_or \"%s\" ", call);
		text_bytes(out, text_str(&choice->words), choice->words.len);
	} else if (choice->words.len) {
		text_add(out, "(");
		text_bytes(out, text_str(&choice->words), choice->words.len);
		text_add(out, ")");
	} else {
		text_add(out, "%s", call ? call : also);
	}
}

static void zsh_option(const struct completion *c, const struct option *o, struct text *out)
{
	struct choice choice = choice_of_option(c, o);
	bool many = o->kind == LIST || o->kind == OUTPUTS;

	text_add(out, " \\\n\t\t\t'%s--%s[", many ? "*" : "", o->name);
	for (const char *s = o->text; *s; s++)
		text_add(out,
			*s == '\''                             ? "'\\''"
			: *s == '[' || *s == ']' || *s == '\\' ? "\\%c"
							       : "%c",
			*s);
	text_add(out, "]");
	if (o->argument) {
		text_add(out, ":");
		completion_quote(o->argument, ":", "\\", out);
		text_add(out, ":");
		zsh_choice(&choice, " ", out);
	}
	text_add(out, "'");
	text_clear(&choice.words);
}

static void zsh_command(const struct completion *c, const struct command *command, struct text *out)
{
	struct choice choice = choice_of_operand(c, command);

	text_add(out, "\t%s)\n\t\t_arguments -S", command->name);
	for (unsigned i = 0; i < OPTION_COUNT; i++)
		if (option_rows[i].commands & command->bit)
			zsh_option(c, &option_rows[i], out);
	if (*command->arguments) {
		text_add(out, " \\\n\t\t\t'*:");
		completion_quote(command->arguments, ":", "\\", out);
		text_add(out, ":");
		zsh_choice(&choice, " ", out);
		text_add(out, "'");
	}
	text_add(out, "\n\t\t;;\n");
	text_clear(&choice.words);
}

void completion_zsh(const struct completion *c, struct text *out)
{
	text_add(out,
		"# Completion of warpbeam's command line in zsh, as printed by: warpbeam completion zsh\n"
		"_warpbeam_settings()\n{\n"
		"\tlocal end==\n\tlocal -a paths\n\n"
		"\tpaths=(${${(f)\"$(warpbeam params --wide $PREFIX 2>/dev/null)\"}%%%% *})\n"
		"\t[[ $words[1] = params ]] && end=\n\tcompadd \"$@\" -S \"$end\" -a paths\n}\n"
		"_warpbeam_or()\n{\n\tcompadd -- ${@:2}\n\t${=1}\n}\n");
	text_add(out, "_warpbeam()\n{\n\tlocal -a commands\n\n\tcommands=(\n");
	for (const struct command *command = command_rows; command->name; command++) {
		text_add(out, "\t\t'%s:", command->name);
		for (const char *s = command->text; *s; s++)
			text_add(out, *s == '\'' ? "'\\''" : *s == ':' ? "\\:" : "%c", *s);
		text_add(out, "'\n");
	}
	text_add(out, "\t)\n"
		      "\tif (( CURRENT == 2 )); then\n\t\t_describe command commands\n\t\treturn\n"
		      "\tfi\n"
		      "\tshift words\n\t(( CURRENT-- ))\n"
		      "\tcase $words[1] in\n");
	for (const struct command *command = command_rows; command->name; command++)
		zsh_command(c, command, out);
	text_add(out, "\tesac\n}\ncompdef _warpbeam warpbeam\n");
}
