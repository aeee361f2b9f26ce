/* Processes that a program started and left behind. */
#define _GNU_SOURCE
#include "runs/cuda/inside.h"

#ifdef HAVE_CUDA

#include <ctype.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE_MS 200u /* from SIGTERM to SIGKILL */
#define LONGEST_MS 2000u

/* Whose child the process of that number is: "PID (NAME) STATE PARENT ..". 0: unknown. */
static pid_t parent_of(const char *pid)
{
	char path[64], line[512];
	const char *end;
	size_t n;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
	f = fopen(path, "re");
	if (!f)
		return 0;
	n = fread(line, 1, sizeof(line) - 1, f);
	fclose(f);
	line[n] = '\0';
	end = strrchr(line, ')'); /* a name may have some itself */
	return end && strlen(end) > 4 ? (pid_t)strtol(end + 4, NULL, 10) : 0;
}

/* Signals the children of this process, or reaps them; how many there still were. Signal 0: only
 * looks for them. */
static unsigned signal_children(int signal, bool reap)
{
	DIR *all = opendir("/proc");
	struct dirent *e;
	unsigned n = 0;

	while (all && (e = readdir(all))) {
		pid_t pid = isdigit((unsigned char)*e->d_name) ? (pid_t)atoi(e->d_name) : 0;

		if (pid <= 0 || parent_of(e->d_name) != getpid())
			continue;
		if (reap && waitpid(pid, NULL, WNOHANG) == pid)
			continue;
		kill(pid, signal);
		n++;
	}
	if (all)
		closedir(all);
	return n;
}

bool cuda_adopt_orphans(void)
{
	return !signal_children(0, false) && !prctl(PR_SET_CHILD_SUBREAPER, 1);
}

unsigned cuda_end_orphans(void)
{
	const struct timespec nap = {.tv_nsec = 1000000};
	unsigned found = signal_children(SIGTERM, true), most = found;

	/* their children are this process's next */
	for (unsigned ms = 0; found && ms < LONGEST_MS; ms++) {
		nanosleep(&nap, NULL);
		found = signal_children(ms < PATIENCE_MS ? 0 : SIGKILL, true);
		most = found > most ? found : most;
	}
	return most;
}

#endif
