/* The command, run as a user runs it, with its own folder for output. */
#ifndef TESTS_RIG_SUPPORT_CLI_H
#define TESTS_RIG_SUPPORT_CLI_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>
#include <sys/types.h>

struct desk {
	char folder[64]; /* for what a test writes */
	char scenarios[512];
	const char *program;
};

/* Set-up and tear-down of a test: the state is a struct desk. */
int desk_set_up(void **state);
int desk_tear_down(void **state);

/* Runs `warpbeam ARGUMENTS` in the shell; %F in them is the test's folder, %S the scenarios'.
 * Returns the exit code. stdout and stderr go to the files out and err of the folder. */
int desk_run(const struct desk *, const char *arguments);

/* A file of the folder; freed with mem_free. Fails the test when there is none. */
char *desk_content(const struct desk *, const char *name);
char *desk_bytes(const struct desk *, const char *name, size_t *bytes);
bool desk_has(const struct desk *, const char *name);

/* The file must contain the words. */
void assert_says(const struct desk *, const char *file, const char *words);

/* Starts the program in the folder, in the background; its files may grow to `most_bytes` (0: any
 * size). desk_finish waits for it: the exit code, or minus the signal that ended it. */
pid_t desk_start(const struct desk *, const char *arguments, unsigned long most_bytes);
int desk_finish(pid_t);

/* The file as JSON (json_decref); a whole metric, and a string, of such a file. */
json_t *desk_json(const struct desk *, const char *name);
json_int_t json_metric(json_t *report, const char *name);
const char *json_text(json_t *object, const char *key);

#endif
