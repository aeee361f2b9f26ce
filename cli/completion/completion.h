/* What a shell completes: words and their sources, from the tables of commands and options. */
#ifndef CLI_COMPLETION_H
#define CLI_COMPLETION_H

#include "cli/command.h"
#include "cli/option_rows.h"
#include "core/text.h"

/* What a value or an operand may be, besides a list of words. */
enum choice_source {
	SOURCE_NONE, /* only the words */
	SOURCE_FILES,
	SOURCE_FOLDERS,
	SOURCE_SETTINGS /* paths of parameters, as warpbeam params lists them */
};

/* `words` have blanks between them; the caller clears them. */
struct choice {
	enum choice_source source;
	struct text words;
};

/* The names that the program knows, with blanks between them. */
struct completion {
	struct text workloads, machines, tables;
};

/* What may follow the option, which has an argument. */
struct choice choice_of_option(const struct completion *, const struct option *);

/* What may be an operand of the command. */
struct choice choice_of_operand(const struct completion *, const struct command *);

/* The text, each of the characters after the prefix. */
void completion_quote(const char *, const char *characters, const char *prefix, struct text *);

/* Scripts for shells. */
typedef void completion_fn(const struct completion *, struct text *);
completion_fn completion_bash, completion_fish, completion_zsh;

#endif
