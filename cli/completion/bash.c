/* Completion in bash: one function, whose cases are the commands and the options. */
#include "cli/completion/completion.h"

/* A variable's value: what completes a word is compgen's. */
static void bash_choice(const struct choice *choice, struct text *out)
{
	static const char *const how[] = {[SOURCE_FILES] = " files=1",
		[SOURCE_FOLDERS] = " folders=1",
		[SOURCE_SETTINGS] = " settings=1"};

	text_add(out, "words='");
	text_bytes(out, text_str(&choice->words), choice->words.len);
	text_add(out, "'%s", how[choice->source] ? how[choice->source] : "");
}

static void bash_options(const struct completion *c, struct text *out)
{
	text_add(out, "\tcase $before in\n");
	for (unsigned i = 0; i < OPTION_COUNT; i++) {
		const struct option *o = &option_rows[i];
		struct choice choice = choice_of_option(c, o);

		if (!o->argument)
			continue;
		text_add(out, "\t--%s) ", o->name);
		bash_choice(&choice, out);
		text_add(out, " ;;\n");
		text_clear(&choice.words);
	}
	text_add(out, "\t*) operand=1 ;;\n\tesac\n");
}

static void bash_commands(const struct completion *c, struct text *out)
{
	text_add(out, "\tcase $command in\n");
	for (const struct command *command = command_rows; command->name; command++) {
		struct choice choice = choice_of_operand(c, command);

		text_add(out, "\t%s)\n\t\t", command->name);
		bash_choice(&choice, out);
		text_add(out, "\n\t\toptions='");
		for (unsigned i = 0; i < OPTION_COUNT; i++)
			if (option_rows[i].commands & command->bit)
				text_add(out, " --%s", option_rows[i].name);
		text_add(out, "'\n\t\t;;\n");
		text_clear(&choice.words);
	}
	text_add(out, "\tesac\n");
}

void completion_bash(const struct completion *c, struct text *out)
{
	text_add(out,
		"# Completion of warpbeam's command line in bash, as printed by: warpbeam completion bash\n"
		"_warpbeam()\n{\n"
		"\tlocal word=$2 before=$3 command=${COMP_WORDS[1]}\n"
		"\tlocal words= options= files= folders= settings= operand= i\n\n"
		"\tCOMPREPLY=()\n"
		"\tif [ \"$COMP_CWORD\" -eq 1 ]; then\n\t\tCOMPREPLY=($(compgen -W '");
	for (const struct command *command = command_rows; command->name; command++)
		text_add(out, "%s ", command->name);
	text_add(out, "--help --version' -- \"$word\"))\n\t\treturn\n\tfi\n"
		      "\tfor ((i = 2; i < COMP_CWORD; i++)); do\n"
		      "\t\tif [ \"${COMP_WORDS[i]}\" = -- ]; then # a program and its arguments\n"
		      "\t\t\tcompopt -o default\n\t\t\treturn\n\t\tfi\n\tdone\n");
	bash_options(c, out);
	text_add(out, "\tif [ \"$operand\" ]; then\n");
	bash_commands(c, out);
	text_add(out,
		"\t\tcase $word in -*) words=$options files= folders= settings= ;; esac\n"
		"\tfi\n"
		"\tCOMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
		"\tif [ \"$settings\" ]; then\n"
		"\t\tcompopt -o nospace\n"
		"\t\tCOMPREPLY+=($(warpbeam params --wide \"$word\" 2>/dev/null | sed 's/ .*//'))\n"
		"\t\t[ \"$command\" = params ] || COMPREPLY=(\"${COMPREPLY[@]/%%/=}\")\n"
		"\telif [ \"$files\" ]; then\n"
		"\t\tcompopt -o filenames\n"
		"\t\tmapfile -t -O \"${#COMPREPLY[@]}\" COMPREPLY < <(compgen -f -- \"$word\")\n"
		"\telif [ \"$folders\" ]; then\n"
		"\t\tcompopt -o filenames\n"
		"\t\tmapfile -t -O \"${#COMPREPLY[@]}\" COMPREPLY < <(compgen -d -- \"$word\")\n"
		"\tfi\n}\n"
		"complete -F _warpbeam warpbeam\n");
}
