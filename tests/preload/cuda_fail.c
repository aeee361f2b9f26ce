/* How the stand-in fails. STANDIN_FAIL=n: call n, with STANDIN_CODE; STANDIN_LOST=n: call n and all
 * that follow; STANDIN_SIGNAL=n: at call n the process gets SIGTERM, with
 * STANDIN_INT SIGINT. STANDIN_FAIL_EACH=FILE: every call fails, each in a process of its own, which
 * goes on from there alone; it must end with ERR_HOST, one line that names the error, and no object
 * left. FILE gets what did not, and at last how many there were. */
#include "tests/preload/cuda_inside.h"

#include "core/err.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct {
	long calls, lost_at, fail_at, signal_at, judged, wrong;
	bool known, child;
	const char *each;
} f;

static long number(const char *name)
{
	const char *text = getenv(name);

	return text ? atol(text) : 0;
}

static void learn(void)
{
	if (f.known)
		return;
	f.known = true;
	f.fail_at = number("STANDIN_FAIL");
	f.lost_at = number("STANDIN_LOST");
	f.signal_at = number("STANDIN_SIGNAL");
	f.each = getenv("STANDIN_FAIL_EACH");
}

static void path_of(const char *end, char *path, size_t bytes)
{
	snprintf(path, bytes, "%s.%s", f.each, end);
}

/* In the child: what it says goes to files of its own. */
static void leave(void)
{
	char path[512];

	f.child = true;
	path_of("err", path, sizeof(path));
	if (!freopen(path, "w", stderr))
		abort();
	path_of("report", path, sizeof(path));
	setenv("STANDIN_REPORT", path, 1);
}

static void content(const char *end, char *text, size_t bytes)
{
	char path[512];
	FILE *file;
	size_t n = 0;

	path_of(end, path, sizeof(path));
	file = fopen(path, "r");
	if (file) {
		n = fread(text, 1, bytes - 1, file);
		fclose(file);
	}
	text[n] = '\0';
	unlink(path);
}

static void judge(pid_t child)
{
	char said[1024], counted[64];
	int status = -1, code;
	const char *end;
	FILE *file;

	if (waitpid(child, &status, 0) != child)
		abort();
	code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	content("err", said, sizeof(said));
	content("report", counted, sizeof(counted));
	f.judged++;
	end = strchr(said, '\n');
	if (code == ERR_HOST && end && !end[1] &&
		strstr(said, ": error 999 (CUDA_ERROR_UNKNOWN): unknown error") &&
		strstr(counted, " 0\n"))
		return;
	f.wrong++;
	file = fopen(f.each, "a");
	if (!file)
		abort();
	fprintf(file, "call %ld: exit %d, calls and objects left %s, says: %s\n", f.calls, code,
		counted, said);
	fclose(file);
}

int fails(void)
{
	pid_t child;

	learn();
	f.calls++;
	if (f.calls == f.signal_at)
		kill(getpid(), getenv("STANDIN_INT") ? SIGINT : SIGTERM);
	if (f.calls == f.fail_at || (f.lost_at && f.calls >= f.lost_at))
		return number("STANDIN_CODE") ? (int)number("STANDIN_CODE") : UNKNOWN;
	if (!f.each || f.child)
		return 0;
	fflush(NULL);
	child = fork();
	if (child < 0)
		abort();
	if (child) {
		judge(child);
		return 0;
	}
	leave();
	return UNKNOWN;
}

void fails_report(void)
{
	FILE *file = f.each && !f.child ? fopen(f.each, "a") : NULL;

	if (!file)
		return;
	fprintf(file, "%ld calls, %ld wrong\n", f.judged, f.wrong);
	fclose(file);
}
