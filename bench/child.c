/* Runs other programs and measures their cost. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/bench.h"

#define ARGUMENTS 32

struct child child_run(const char *const *argv, const char *output)
{
	struct child c = {.status = -1};
	struct rusage usage;
	pid_t pid = fork();

	if (pid == 0) {
		int out = open(output ? output : "/dev/null", O_WRONLY | O_CREAT | O_TRUNC, 0644);

		if (out >= 0) {
			dup2(out, STDOUT_FILENO);
			dup2(out, STDERR_FILENO);
		}
		execvp(argv[0], (char *const *)argv);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &c.status, 0, &usage) < 0)
		return c;
	c.user_s = (double)usage.ru_utime.tv_sec + (double)usage.ru_utime.tv_usec * 1e-6;
	c.system_s = (double)usage.ru_stime.tv_sec + (double)usage.ru_stime.tv_usec * 1e-6;
	c.peak_mb = (double)usage.ru_maxrss / 1024;
	return c;
}

/* The number after `word` in the file; 0: there is none. */
static uint64_t number_in(const char *path, const char *word)
{
	FILE *f = fopen(path, "r");
	uint64_t number = 0;
	char line[512];

	while (f && fgets(line, sizeof(line), f)) {
		const char *at = strstr(line, word);

		if (!at)
			continue;
		for (at += strlen(word); *at == ' ' || *at == ':'; at++)
			;
		number = strtoull(at, NULL, 10);
	}
	if (f)
		fclose(f);
	return number;
}

struct child child_count(const struct bench *b, const char *const *argv)
{
	const char *all[ARGUMENTS] = {
		"valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"};
	char log[512];
	struct child c;

	for (unsigned i = 0; argv[i] && i < ARGUMENTS - 4; i++)
		all[3 + i] = argv[i];
	snprintf(log, sizeof(log), "%s/count.log", b->scratch);
	c = child_run(all, log);
	c.counted = c.status ? 0 : number_in(log, "Collected");
	return c;
}
