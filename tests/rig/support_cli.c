/* The command, run as a user runs it. */
#include "tests/rig/support_cli.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/file.h"
#include "core/mem.h"
#include "core/text.h"
#include "tests/rig/schema.h"

int desk_set_up(void **state)
{
	struct desk *p = mem_alloc(1, sizeof(*p));
	const char *source = getenv("srcdir"), *program = getenv("WARPBEAM");

	assert_non_null(p);
	snprintf(p->folder, sizeof(p->folder), "/tmp/warpbeam-cli-XXXXXX");
	assert_non_null(mkdtemp(p->folder));
	snprintf(p->scenarios, sizeof(p->scenarios), "%s/tests/scenarios", source ? source : ".");
	p->program = program ? program : "./warpbeam";
	setenv("COLUMNS", "1000", 1); /* tables are quoted as they are */
	*state = p;
	return 0;
}

int desk_tear_down(void **state)
{
	struct desk *p = *state;
	char command[128];

	snprintf(command, sizeof(command), "rm -r %s", p->folder);
	assert_int_equal(system(command), 0);
	mem_free(p);
	return 0;
}

/* The word behind the option, with the folder in it; false: there is none, or it is no file. */
static bool file_behind(const struct desk *p, const char *arguments, char *path, size_t size)
{
	const char *at = strstr(arguments, "--json %F/"), *program = strstr(arguments, " -- ");
	size_t n;

	if (!at || (program && program < at))
		return false;
	at += strlen("--json %F");
	n = strcspn(at, " ;&|");
	snprintf(path, size, "%s%.*s", p->folder, (int)n, at);
	return !access(path, R_OK);
}

/* What a command has written as JSON is what its schema says. */
static void check_schema(const struct desk *p, const char *arguments)
{
	char path[256], command[32];
	struct text wrong = {0};

	snprintf(command, sizeof(command), "%.*s", (int)strcspn(arguments, " "), arguments);
	if (!file_behind(p, arguments, path, sizeof(path)))
		return;
	if (!schema_holds_of(!strcmp(command, "cuda") ? "run" : command, path, &wrong))
		fail_msg("warpbeam %s: its JSON is not of schema/%s*: %s", arguments, command,
			text_str(&wrong));
	text_clear(&wrong);
}

int desk_run(const struct desk *p, const char *arguments)
{
	struct text command = {0};
	int status;

	text_raw(&command, "{ '%s' ", p->program);
	for (const char *c = arguments; *c; c++) {
		bool known = c[0] == '%' && (c[1] == 'F' || c[1] == 'S');

		if (known)
			text_raw(&command, "%s", *++c == 'F' ? p->folder : p->scenarios);
		else
			text_bytes(&command, c, 1);
	}
	text_raw(&command, "; } >%s/out 2>%s/err", p->folder, p->folder);
	status = system(text_str(&command));
	text_clear(&command);
	assert_true(WIFEXITED(status));
	if (!WEXITSTATUS(status))
		check_schema(p, arguments);
	return WEXITSTATUS(status);
}

char *desk_bytes(const struct desk *p, const char *name, size_t *bytes)
{
	char path[128];
	struct err err = {0};
	char *text;

	snprintf(path, sizeof(path), "%s/%s", p->folder, name);
	text = file_read(NULL, path, bytes, ERR_INPUT, &err);
	assert_string_equal(err_text(&err), "");
	return text;
}

char *desk_content(const struct desk *p, const char *name)
{
	size_t n;

	return desk_bytes(p, name, &n);
}

bool desk_has(const struct desk *p, const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", p->folder, name);
	return !access(path, F_OK);
}

void assert_says(const struct desk *p, const char *file, const char *words)
{
	char *text = desk_content(p, file);

	if (!strstr(text, words))
		print_error("'%s' is not in:\n%s\n", words, text);
	assert_non_null(strstr(text, words));
	mem_free(text);
}

json_t *desk_json(const struct desk *p, const char *name)
{
	char *text = desk_content(p, name);
	json_error_t wrong;
	json_t *j = json_loads(text, JSON_REJECT_DUPLICATES, &wrong);

	mem_free(text);
	assert_non_null(j);
	return j;
}

json_int_t json_metric(json_t *j, const char *name)
{
	json_t *value =
		json_object_get(json_object_get(json_object_get(j, "metrics"), name), "value");

	assert_true(json_is_integer(value));
	return json_integer_value(value);
}

const char *json_text(json_t *j, const char *key)
{
	const char *s = json_string_value(json_object_get(j, key));

	assert_non_null(s);
	return s;
}

pid_t desk_start(const struct desk *p, const char *arguments, unsigned long most_bytes)
{
	struct rlimit limit = {most_bytes, most_bytes};
	struct text command = {0};
	char *program = realpath(p->program, NULL); /* seen from the folder */
	pid_t pid;

	assert_non_null(program);
	text_raw(&command, "cd '%s' && exec '%s' %s >out 2>err", p->folder, program, arguments);
	free(program);
	signal(SIGUSR1, SIG_IGN); /* in the child from the start, as in the program once it runs */
	pid = fork();
	assert_true(pid >= 0);
	if (pid) {
		text_clear(&command);
		return pid;
	}
	signal(SIGINT, SIG_DFL); /* a shell's background job ignores it */
	if (most_bytes)
		setrlimit(RLIMIT_FSIZE, &limit);
	execl("/bin/sh", "sh", "-c", text_str(&command), (char *)NULL);
	_exit(99);
}

int desk_finish(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}
