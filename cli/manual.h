/* The tables of commands, options and exit codes as documents. */
#ifndef CLI_MANUAL_H
#define CLI_MANUAL_H

#include "core/text.h"

/* The sections COMMANDS, OPTIONS and EXIT STATUS of the manual page, in roff (man macros). */
void manual_roff(struct text *);

/* Two tables in Markdown, each with an empty line behind it: commands, exit codes. */
void manual_markdown(struct text *);

#endif
