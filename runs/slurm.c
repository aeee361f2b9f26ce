/* Slurm's commands, and what they print. */
#include "runs/slurm.h"

#include "core/text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- running a command */
/* What it is given, and what it prints. */
struct talk {
	const char *input; /* NULL: nothing */
	struct text out, told;
};

enum { IN, OUT, TOLD, STREAMS };

static void close_all(int ends[STREAMS][2])
{
	for (int i = 0; i < STREAMS; i++)
		for (int k = 0; k < 2; k++)
			if (ends[i][k] >= 0)
				close(ends[i][k]);
}

static int make_pipes(int ends[STREAMS][2])
{
	memset(ends, -1, sizeof(int[STREAMS][2]));
	for (int i = 0; i < STREAMS; i++)
		if (pipe(ends[i]))
			return -1;
	return 0;
}

/* In the new process. */
static void become(const char *const *argv, int ends[STREAMS][2])
{
	static const int restored[] = {SIGPIPE, SIGUSR1, SIGINT, SIGTERM, SIGXFSZ};
	static const char failed[] = "it cannot be started";
	ssize_t n;

	for (unsigned i = 0; i < sizeof(restored) / sizeof(*restored); i++)
		signal(restored[i], SIG_DFL);
	dup2(ends[IN][0], STDIN_FILENO);
	dup2(ends[OUT][1], STDOUT_FILENO);
	dup2(ends[TOLD][1], STDERR_FILENO);
	close_all(ends);
	execvp(argv[0], (char *const *)(uintptr_t)argv);
	n = write(STDERR_FILENO, failed, sizeof(failed) - 1);
	(void)n;
	_exit(127);
}

static void give(int fd, const char *input)
{
	size_t n = input ? strlen(input) : 0;

	while (n) {
		ssize_t done = write(fd, input, n);

		if (done < 0 && errno != EINTR)
			return;
		input += done > 0 ? done : 0;
		n -= done > 0 ? (size_t)done : 0;
	}
}

static void take(int fd, struct text *out)
{
	char bytes[4096];
	ssize_t n;

	do {
		n = read(fd, bytes, sizeof(bytes));
		if (n > 0)
			text_bytes(out, bytes, (size_t)n);
	} while (n > 0 || (n < 0 && errno == EINTR));
}

static int end_of(pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return status;
}

/* Success only if the command's exit status is 0. */
static int run(const char *const *argv, struct talk *t, struct err *err)
{
	int ends[STREAMS][2], status;
	pid_t pid = -1;

	if (!make_pipes(ends))
		pid = fork();
	if (pid < 0) {
		close_all(ends);
		return err_add(
			err, ERR_HOST, "%s: cannot be started: %s", argv[0], strerror(errno));
	}
	if (!pid)
		become(argv, ends);
	close(ends[IN][0]);
	close(ends[OUT][1]);
	close(ends[TOLD][1]);
	give(ends[IN][1], t->input);
	close(ends[IN][1]);
	take(ends[OUT][0], &t->out);
	take(ends[TOLD][0], &t->told);
	close(ends[OUT][0]);
	close(ends[TOLD][0]);
	status = end_of(pid);
	if (t->out.failed || t->told.failed)
		return err_add(err, ERR_RESOURCE, "%s: no host memory for its output", argv[0]);
	if (!status)
		return 0;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		return err_add(err, ERR_HOST,
			"%s: is not on the PATH: --slurm needs Slurm's commands", argv[0]);
	return err_add(err, ERR_HOST, "%s: %.*s", argv[0], (int)strcspn(text_str(&t->told), "\n"),
		text_str(&t->told));
}

static void forget(struct talk *t)
{
	text_clear(&t->out);
	text_clear(&t->told);
}

/* ---- the three commands */
int slurm_limit(unsigned *tasks, struct err *err)
{
	static const char *const argv[] = {"scontrol", "show", "config", NULL};
	static const char name[] = "MaxArraySize";
	struct talk t = {0};
	const char *at;
	int bad = run(argv, &t, err);

	*tasks = 0;
	at = strstr(text_str(&t.out), name);
	if (!bad && at)
		*tasks = (unsigned)strtoul(at + strcspn(at, "0123456789\n"), NULL, 10);
	if (!bad && !*tasks)
		bad = err_add(err, ERR_HOST,
			"scontrol show config: MaxArraySize allows no array of tasks");
	forget(&t);
	return bad;
}

int slurm_submit(const struct slurm_job *j, uint64_t *id, struct err *err)
{
	char array[40], notice[40], cpus[40];
	const char *argv[24] = {"sbatch", "--parsable", "--requeue", "--open-mode=append",
		"--job-name", j->name, "--output", j->log};
	struct talk t = {.input = j->script};
	unsigned n = 8;
	int bad;

	snprintf(array, sizeof(array), "--array=0-%u", j->tasks - 1);
	snprintf(notice, sizeof(notice), "--signal=B:TERM@%u", j->notice_s);
	snprintf(cpus, sizeof(cpus), "--cpus-per-task=%u", j->cpus);
	argv[n++] = array;
	argv[n++] = notice;
	if (j->cpus)
		argv[n++] = cpus;
	if (j->partition) {
		argv[n++] = "--partition";
		argv[n++] = j->partition;
	}
	if (j->time) {
		argv[n++] = "--time";
		argv[n++] = j->time;
	}
	bad = run(argv, &t, err);
	*id = strtoull(text_str(&t.out), NULL, 10);
	if (!bad && !*id)
		bad = err_add(err, ERR_HOST, "sbatch: has not printed the job's number");
	forget(&t);
	return bad;
}

int slurm_tasks(const char *name, unsigned *running, unsigned *waiting, struct err *err)
{
	const char *const argv[] = {"squeue", "-h", "-r", "-o", "%T", "-n", name, NULL};
	struct talk t = {0};
	int bad = run(argv, &t, err);
	const char *line = text_str(&t.out);

	*running = *waiting = 0;
	for (size_t n; !bad && *line; line += n + (line[n] == '\n')) {
		n = strcspn(line, "\n");
		if (n == strlen("RUNNING") && !strncmp(line, "RUNNING", n))
			++*running;
		else
			++*waiting;
	}
	forget(&t);
	return bad;
}
