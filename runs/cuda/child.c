/* The program's process: started with a socket and a window, and ended with this one. */
#define _GNU_SOURCE
#include "runs/cuda/inside.h"

#ifdef HAVE_CUDA

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE_MS 2000 /* from SIGTERM to SIGKILL */
#define NOT_FOUND 127    /* the loader's status, and a shell's, for what was not found */

/* What the program is given. */
struct start {
	int socket, window, report;
	bool silent, preload;
	const char *library;
	const char **argv;
	const sigset_t *signals;
};

/* A list of the loader's, with a folder first or a file last. */
static void extend(const char *variable, const char *first, const char *file)
{
	const char *before = getenv(variable);
	bool some = before && *before;
	char *list;

	before = some ? before : "";
	if ((*file ? asprintf(&list, "%s%s%s%s", before, some ? ":" : "", first, file)
		   : asprintf(&list, "%s%s%s", first, some ? ":" : "", before)) > 0)
		setenv(variable, list, 1);
}

static void set_environment(const struct start *s)
{
	char told[32];

	snprintf(told, sizeof(told), "%d,%d", s->socket, s->window);
	setenv(WIRE_VARIABLE, told, 1);
	extend("LD_LIBRARY_PATH", s->library, "");
	if (s->preload) /* before libnvrtc.so: cuda/libcuda/nvrtc.c */
		extend("LD_PRELOAD", s->library, "/libcuda.so.1");
}

/* In the new process. */
static void become(const struct start *s, pid_t parent)
{
	static const int restored[] = {SIGPIPE, SIGUSR1, SIGINT, SIGTERM, SIGXFSZ};
	int wrong;
	ssize_t n;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	for (size_t i = 0; i < ARRAY_LEN(restored); i++)
		signal(restored[i], SIG_DFL);
	sigprocmask(SIG_SETMASK, s->signals, NULL);
	fcntl(s->socket, F_SETFD, 0);
	fcntl(s->window, F_SETFD, 0);
	if (s->silent && (!freopen("/dev/null", "r", stdin) || !freopen("/dev/null", "w", stdout)))
		_exit(1);
	set_environment(s);
	personality(ADDR_NO_RANDOMIZE); /* else hashes of its pointers differ from run to run */
	execvp(s->argv[0], (char *const *)(uintptr_t)s->argv);
	wrong = errno;
	n = write(s->report, &wrong, sizeof(wrong));
	(void)n;
	_exit(NOT_FOUND);
}

static bool is_source(const char *name)
{
	size_t n = strlen(name);

	return n > 3 && !strcmp(name + n - 3, ".cu");
}

/* Whether execvp succeeded: it closes the pipe. */
static int started(int report, const char *name, struct err *err)
{
	int wrong;
	ssize_t n;

	do
		n = read(report, &wrong, sizeof(wrong));
	while (n < 0 && errno == EINTR);
	if (n != sizeof(wrong))
		return 0;
	return err_add(err, ERR_USAGE, "%s: cannot be started: %s%s", name, strerror(wrong),
		is_source(name) ? "; it is source: compile it (nvcc -cudart shared), and name the "
				  "program"
				: "");
}

static int fork_program(struct cuda_server *v, int theirs, const sigset_t *before, struct err *err)
{
	struct start s = {.socket = theirs,
		.window = v->window_fd,
		.library = v->run.library,
		.argv = v->run.argv,
		.silent = v->run.silent,
		.preload = cuda_program(v->run.argv[0]).cubins,
		.signals = before};
	pid_t self = getpid();
	int pipes[2], bad;

	v->adopts = cuda_adopt_orphans();
	if (pipe2(pipes, O_CLOEXEC))
		return err_add(err, ERR_HOST, "no pipe for a program: %s", strerror(errno));
	s.report = pipes[1];
	v->pid = fork();
	if (!v->pid)
		become(&s, self);
	close(pipes[1]);
	bad = v->pid < 0 ? err_add(err, ERR_HOST, "cannot start a process: %s", strerror(errno))
			 : started(pipes[0], v->run.argv[0], err);
	close(pipes[0]);
#ifdef SYS_pidfd_open
	if (!bad)
		v->process = (int)syscall(SYS_pidfd_open, v->pid, 0);
#endif
	return bad;
}

int cuda_share(uint64_t bytes, int *fd, void **pages)
{
	*fd = memfd_create("warpbeam", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (*fd < 0)
		return -1;
	/* else a program could shorten it under our reads */
	*pages = ftruncate(*fd, (off_t)bytes) || fcntl(*fd, F_ADD_SEALS, F_SEAL_SHRINK)
			 ? MAP_FAILED
			 : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
	if (*pages != MAP_FAILED)
		return 0;
	*pages = NULL;
	close(*fd);
	*fd = -1;
	return -1;
}

void cuda_unshare(void *pages, uint64_t bytes)
{
	munmap(pages, bytes);
}

static int open_window(struct cuda_server *v, struct err *err)
{
	void *pages;

	if (cuda_share(WIRE_WINDOW_BYTES, &v->window_fd, &pages))
		return err_add(
			err, ERR_HOST, "no memory to share with a program: %s", strerror(errno));
	v->window = pages;
	return 0;
}

/* Signals wait for cuda_interrupted from here on. */
static int hold_signals(struct cuda_server *v, sigset_t *before)
{
	sigset_t held;

	sigemptyset(&held);
	sigaddset(&held, SIGINT);
	sigaddset(&held, SIGTERM);
	sigprocmask(SIG_BLOCK, &held, before);
	v->signals = signalfd(-1, &held, SFD_CLOEXEC | SFD_NONBLOCK);
	return v->signals < 0 ? -1 : 0;
}

int cuda_start_alone(struct cuda_server *v, struct err *err)
{
	sigset_t before;

	if (hold_signals(v, &before))
		return err_add(err, ERR_HOST, "no descriptor for signals: %s", strerror(errno));
	return open_window(v, err);
}

int cuda_start(struct cuda_server *v, struct err *err)
{
	sigset_t before;
	int pair[2], bad;

	if (hold_signals(v, &before) || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return err_add(err, ERR_HOST, "no socket for a program: %s", strerror(errno));
	v->socket = pair[0];
	bad = open_window(v, err) || fork_program(v, pair[1], &before, err);
	close(pair[1]);
	return bad ? -1 : 0;
}

/* Its status; false: it still runs after that number of milliseconds (negative: any number). */
static bool ended(struct cuda_server *v, int ms, int *status)
{
	struct timespec nap = {.tv_nsec = 1000000};

	for (;;) {
		pid_t which = waitpid(v->pid, status, ms < 0 ? 0 : WNOHANG);

		if (which == v->pid || (which < 0 && errno != EINTR))
			return true;
		if (ms >= 0 && ms-- == 0)
			return false;
		if (ms >= 0)
			nanosleep(&nap, NULL);
	}
}

bool cuda_was_loaded(const struct cuda_server *v)
{
	siginfo_t end = {0};

	if (v->pid <= 0)
		return true;
	while (waitid(P_PID, (id_t)v->pid, &end, WEXITED | WNOWAIT) && errno == EINTR)
		;
	return end.si_code != CLD_EXITED || end.si_status != NOT_FOUND;
}

static void report_end(struct cuda_server *v, int status)
{
	const char *name = v->run.argv[0];

	if (WIFSIGNALED(status))
		err_add(v->err, ERR_CHECK, "%s: the program was ended by signal %d (%s)", name,
			WTERMSIG(status), strsignal(WTERMSIG(status)));
	else if (WEXITSTATUS(status))
		err_add(v->err, ERR_CHECK, "%s: the program ended with status %d", name,
			WEXITSTATUS(status));
}

static void close_once(int *fd)
{
	if (*fd > 0)
		close(*fd);
	*fd = -1;
}

/* What it started ends with it. */
static void end_orphans(const struct cuda_server *v)
{
	unsigned n = cuda_end_orphans();

	if (n)
		output_note("%s left %u process%s, which %s ended with it", v->run.argv[0], n,
			n == 1 ? "" : "es", n == 1 ? "was" : "were");
}

void cuda_finish(struct cuda_server *v, bool force)
{
	int status = 0;

	close_once(&v->socket);
	if (v->pid > 0 && force) {
		kill(v->pid, SIGTERM);
		if (!ended(v, PATIENCE_MS, &status)) {
			kill(v->pid, SIGKILL);
			ended(v, -1, &status);
		}
	} else if (v->pid > 0) {
		ended(v, -1, &status);
		report_end(v, status);
		if (v->greeted)
			cuda_record_close(v, status, v->err);
	} else if (v->tape && !force) {
		report_end(v, cuda_tape_status(v));
	}
	v->pid = 0;
	if (v->adopts)
		end_orphans(v);
	v->adopts = false;
	if (v->window)
		munmap(v->window, WIRE_WINDOW_BYTES);
	v->window = NULL;
	close_once(&v->window_fd);
	close_once(&v->signals);
	close_once(&v->process);
}

#endif
