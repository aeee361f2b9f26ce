/* Errors that a user can cause go into a `struct err`: messages for people, and a code for scripts.
 */
#ifndef CORE_ERR_H
#define CORE_ERR_H

#include <stddef.h>

/* Exit codes of the command, documented in the man page and stable. */
enum err_code {
	ERR_NONE = 0,
	ERR_CHECK = 1, /* the run finished, its results are wrong */
	ERR_USAGE = 2, /* command line */
	ERR_INPUT = 3, /* an input file of the user: scenario, data, PTX text, parameter value */
	ERR_UNSUPPORTED = 4, /* correct PTX that this version does not execute */
	ERR_RESOURCE = 5,    /* a CTA that can never fit, too many registers, host memory */
	ERR_FAULT =
		6, /* the kernel did something illegal: bad address, barrier that cannot complete */
	ERR_DEADLOCK = 7,     /* unfinished work and no progress possible */
	ERR_LIMIT = 8,        /* --max-cycles reached */
	ERR_HOST = 9,         /* the host failed: cannot write a file, no thread */
	ERR_INTERRUPTED = 10, /* SIGINT or SIGTERM: a valid partial report was written */
	ERR_BUG = 11 /* the run's own counters contradict each other: a bug in the program */
};

#define ERR_LINES 1000u /* messages that are kept; the rest is only counted */

/* A zeroed struct is a valid empty one. Counts any number of messages, one line each; the first
 * ERR_LINES are kept, followed by "and N more". */
struct err {
	enum err_code code; /* of the first message */
	unsigned count;
	char *text; /* all messages, each ended by '\n'; NULL when there is none */
	size_t len, cap;
	unsigned lines;  /* messages in the text */
	unsigned more;   /* messages that are only counted */
	size_t more_len; /* bytes of the line "and N more", the text's last */
};

/* Adds one message, printf-like, without a trailing newline; a duplicate is not added, so that
 * identical parts report once. Text from %s is escaped (core/text.h), so it cannot begin a line; of
 * a very long message the first 4 KB are kept. A NULL err is ignored. Returns -1, so that `return
 * err_add(...)` reads well. */
int err_add(struct err *, enum err_code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Adds a message for each line that is not empty. */
void err_lines(struct err *, enum err_code, const char *lines);

/* Counts `n` more messages, of the same kind as those that are kept, without text. */
void err_more(struct err *, unsigned n);

/* The messages, never NULL. */
const char *err_text(const struct err *);

/* Appends the messages of `from` to those of `to`; `from` is empty then. */
void err_move(struct err *to, struct err *from);

/* Frees the text and empties the struct; accepts NULL. */
void err_clear(struct err *);

/* The name in `names` (n of them) nearest to `wrong` by edit distance, or NULL when none is near:
 * for "did you mean". */
const char *err_nearest(const char *wrong, const char *const *names, size_t n);

#endif
