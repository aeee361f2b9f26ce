/* warpbeam completion: what a shell completes, from the tables of commands and options. */
#include "cli/completion/completion.h"

#include "papers/papers.h"
#include "runs/description.h"

#include <string.h>

static const struct {
	const char *name;
	completion_fn *write;
} shells[] = {{"bash", completion_bash}, {"fish", completion_fish}, {"zsh", completion_zsh}};

static void add_words(struct text *to, const struct text *words)
{
	text_add(to, to->len && words->len ? " " : "");
	text_bytes(to, text_str(words), words->len);
	to->failed |= words->failed;
}

static void add_word(struct text *to, const char *word)
{
	text_add(to, "%s%s", to->len ? " " : "", word);
}

static void learn(struct completion *c, struct arena *arena)
{
	unsigned n;
	const struct paper_list *lists = papers_listed(&n, arena);

	for (size_t i = 0; plugins[i]; i++)
		if (!strcmp(plugins[i]->kind, "workload"))
			add_word(&c->workloads, plugins[i]->name);
	for (const struct machine_text *m = machine_texts; m->name; m++)
		add_word(&c->machines, m->name);
	for (unsigned p = 0; p < n; p++) {
		for (unsigned i = 0; i < lists[p].n; i++)
			add_word(&c->tables, lists[p].targets[i]->name);
		add_word(&c->tables, lists[p].paper->name);
	}
}

static void forget(struct completion *c)
{
	text_clear(&c->workloads);
	text_clear(&c->machines);
	text_clear(&c->tables);
}

/* From an option's or a command's name for it, as --help prints it. */
static struct choice choice_of(const struct completion *c, const char *name)
{
	struct choice choice = {0};

	if (strstr(name, "FILE") || strstr(name, "PROGRAM") || strstr(name, "TRACE") ||
		strstr(name, "RECORDING"))
		choice.source = SOURCE_FILES;
	else if (strstr(name, "DIR") || strstr(name, "FOLDER"))
		choice.source = SOURCE_FOLDERS;
	else if (strstr(name, "PATH") || strstr(name, "PREFIX"))
		choice.source = SOURCE_SETTINGS;
	if (strstr(name, "WORKLOAD"))
		add_words(&choice.words, &c->workloads);
	if (strstr(name, "MACHINE"))
		add_words(&choice.words, &c->machines);
	if (strstr(name, "TABLE"))
		add_words(&choice.words, &c->tables);
	return choice;
}

struct choice choice_of_option(const struct completion *c, const struct option *o)
{
	struct choice choice = {0};

	if (o->kind == WORD)
		for (unsigned i = 0; i < ARRAY_LEN(o->words) && o->words[i]; i++)
			add_word(&choice.words, o->words[i]);
	else if (o->argument)
		choice = choice_of(c, o->argument);
	return choice;
}

struct choice choice_of_operand(const struct completion *c, const struct command *command)
{
	struct choice choice = choice_of(c, command->arguments);

	for (const struct replay_kind *k = replay_kinds; k->name && command->bit == COMMAND_REPLAY;
		k++)
		add_word(&choice.words, k->name);
	for (unsigned i = 0; i < ARRAY_LEN(shells) && command->bit == COMMAND_COMPLETION; i++)
		add_word(&choice.words, shells[i].name);
	return choice;
}

void completion_quote(const char *s, const char *characters, const char *prefix, struct text *out)
{
	for (; *s; s++)
		text_add(out, "%s%c", strchr(characters, *s) ? prefix : "", *s);
}

int command_completion(const struct options *o, struct session *s, struct err *err)
{
	const char *name = o->operands.at[0];
	struct completion c = {0};
	unsigned shell = 0;

	while (shell < ARRAY_LEN(shells) && strcmp(shells[shell].name, name) != 0)
		shell++;
	if (shell == ARRAY_LEN(shells))
		return err_add(err, ERR_USAGE,
			"completion: there is no '%s'; there are bash, fish, zsh", name);
	learn(&c, &s->arena);
	shells[shell].write(&c, &s->out);
	s->out.failed |= c.workloads.failed || c.machines.failed || c.tables.failed;
	forget(&c);
	return output_text(&s->out, err);
}
