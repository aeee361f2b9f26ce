/* The stand-in for a GPU's driver, compiled and used. */
#include "tests/rig/standin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/file.h"
#include "core/mem.h"

#ifdef __APPLE__
#define UNDEFINED "-undefined dynamic_lookup"
#else
#define UNDEFINED ""
#endif

void desk_put(const struct desk *d, const char *name, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", d->folder, name);
	assert_int_equal(file_write(NULL, path, text, strlen(text), NULL), 0);
}

void standin_compile(const struct desk *d, const char *from, const char *more, const char *to)
{
	const char *compiler = getenv("CC"), *source = getenv("srcdir");
	char command[1024];

	snprintf(command, sizeof(command),
		"%s -std=gnu11 -shared -fPIC -O0 " UNDEFINED
		"%s -include config.h -I. -I%s -o %s/%s %s/tests/preload/%s*.c",
		compiler ? compiler : "cc", more, source ? source : ".", d->folder, to,
		source ? source : ".", from);
	assert_int_equal(system(command), 0);
}

int standin_set_up(void **state)
{
	struct desk *d;
	const char *source = getenv("srcdir");
	char path[512];

	desk_set_up(state);
	d = *state;
	standin_compile(d, "cuda", "", "libcuda.so.1");
	d->program = "tests/preload/warpbeam";
	snprintf(path, sizeof(path), "%s/libcuda.so.1", d->folder);
	setenv("WARPBEAM_DRIVER", path, 1);
	snprintf(path, sizeof(path), "%s/report", d->folder);
	setenv("STANDIN_REPORT", path, 1);
	setenv("WARPBEAM_DATADIR", source ? source : ".", 1);
	return 0;
}

void standin_counted(const struct desk *d, long *calls, long *live)
{
	char *text = desk_content(d, "report"), *rest;

	*calls = strtol(text, &rest, 10);
	*live = strtol(rest, NULL, 10);
	mem_free(text);
}

void assert_nothing_left(const struct desk *d)
{
	long calls, live;

	standin_counted(d, &calls, &live);
	assert_true(calls > 0);
	assert_int_equal(live, 0);
}

void assert_each_call_fails_well(const struct desk *d, const char *arguments, long least)
{
	char path[128], *text, *end;

	snprintf(path, sizeof(path), "%s/each", d->folder);
	remove(path);
	setenv("STANDIN_FAIL_EACH", path, 1);
	assert_int_equal(desk_run(d, arguments), 0);
	unsetenv("STANDIN_FAIL_EACH");
	text = desk_content(d, "each");
	if (strtol(text, &end, 10) < least || strcmp(end, " calls, 0 wrong\n") != 0)
		fail_msg("%.1000s", text);
	mem_free(text);
}

void assert_one_line(const struct desk *d, const char *words)
{
	char *text = desk_content(d, "err"), *end = strchr(text, '\n');

	assert_non_null(strstr(text, words));
	assert_true(end && !end[1]);
	mem_free(text);
}
