/* What leaves the program: stdout, stderr, files; its version and exit codes. Beside cli/ nothing
 * else prints. */
#ifndef RUNS_OUTPUT_H
#define RUNS_OUTPUT_H

#include "core/err.h"
#include "core/files.h"
#include "core/text.h"

struct exit_code {
	const char *name, *text;
};
#define EXIT_CODES 12
/* Indexed by enum err_code. */
extern const struct exit_code exit_codes[EXIT_CODES];

/* Program version and build, "0.1.0" and "v0.1.0-3-gabcdef". */
const char *program_version(void);
const char *program_build(void);

/* Writes text to stdout. 0 or -1 (ERR_HOST; without a message when its reader has closed it). */
int output_text(const struct text *, struct err *);
/* As output_text, the tables (draw/fit.h) fitted to the terminal, which COLUMNS overrides, or to
 * 100 columns where there is none, unless they are to be uncut. */
int output_report(const struct text *, bool uncut, struct err *);

/* Ends the process by ERR_HOST: the event loop cannot continue, and cannot be left otherwise. */
void output_broken(const char *what);

/* A line on stderr that is no error, with the prefix "warpbeam: "; the arguments of %s are
 * escaped. */
void output_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The text to a file, all of it or nothing; "-" is stdout. */
int output_file(struct files *, const char *path, const struct text *, struct err *);

/* Notes one file of results that will be written, and SQLite's journal beside it, among the files.
 * 0 or -1. */
int output_database(struct files *, const char *what, const char *path, struct err *);

/* A line on the terminal that stays until the next one, or until output_wipe. */
void output_live(const struct text *);
void output_wipe(void);

/* Writes the requested files (NULL: not requested, "-": stdout), and the text unless it is quiet or
 * a file went to stdout. The texts are made by the caller's functions. 0 or -1. */
struct output_files {
	const char *json, *csv, *svg;
	bool quiet, uncut;
	struct files *files;
};
struct output_texts {
	void *ctx;
	int (*json)(void *ctx, struct text *);
	void (*csv)(void *ctx, struct text *), (*svg)(void *ctx, struct text *);
	void (*text)(void *ctx, struct text *);
};
int output_results(
	const struct output_files *, const struct output_texts *, struct text *, struct err *);

#endif
