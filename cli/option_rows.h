/* The table of options, for those that read the command line and those that print help. */
#ifndef CLI_OPTION_ROWS_H
#define CLI_OPTION_ROWS_H

#include "cli/options.h"

/* How an option's value is read. OUTPUT is a file to write, as is what follows the = of each of
 * OUTPUTS; DATABASE is one that SQLite writes. */
enum option_kind { FLAG, NUMBER, WORD, STRING, LIST, OUTPUT, OUTPUTS, DATABASE };

/* One option. NUMBER has bounds; WORD's value is the index of the word. */
struct option {
	const char *name, *argument, *text;
	enum option_kind kind;
	unsigned commands; /* enum command_bit */
	size_t offset;     /* in struct options */
	uint64_t low, high;
	const char *words[3];
	const char *more; /* what the manual page adds to the text; NULL: nothing */
	bool optional;    /* a NUMBER may be left out: what follows then begins with no digit */
};

/* Indexed by enum option_id. */
extern const struct option option_rows[OPTION_COUNT];

#endif
