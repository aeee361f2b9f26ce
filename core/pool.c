/* A pool of child processes. */
#include "core/pool.h"

#include "core/base.h"
#include "core/mem.h"

#include <errno.h>
#include <ev.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#endif

#define GRACE_S 2. /* from SIGTERM to SIGKILL */

struct pool;

struct job {
	struct pool *pool;
	struct pool_result *result;
	ev_child end;
	ev_io words;
	ev_timer limit;
	unsigned slot;      /* among those that run at the same time */
	bool ended, silent; /* the process has exited; its end of the pipe is closed */
};

struct pool {
	struct ev_loop *loop;
	struct job *jobs;
	bool *taken; /* by slot */
	unsigned njobs, at_once, started, done;
	ev_signal sigint, sigterm, sigusr1;
	struct sigaction before[3]; /* of those signals, before the pool */
	ev_timer second, grace, tenth;
	ev_io guest;
	pool_fn *fn;
	void *ctx;
	const struct pool_hooks *hooks;
	bool interrupted, stopped;
	struct err *err;
};

static void start_jobs(struct pool *);

static void signal_jobs(const struct pool *p, int signum)
{
	for (unsigned i = 0; i < p->started; i++)
		if (p->jobs[i].end.pid && !p->jobs[i].ended)
			kill(p->jobs[i].end.pid, signum);
}

static void end_jobs(const struct pool *p)
{
	signal_jobs(p, SIGTERM);
}

static void finish_job(struct pool *p)
{
	p->done++;
	if (p->hooks->progress)
		p->hooks->progress(p->hooks->ctx, p->done, p->njobs);
}

/* A job is done when its process has exited and all its output has been read. */
static void settle(struct job *j)
{
	struct pool *p = j->pool;
	const struct pool_hooks *h = p->hooks;

	if (!j->ended || !j->silent)
		return;
	p->taken[j->slot] = false;
	if (h->ended && h->ended(h->ctx, (unsigned)(j - p->jobs), j->result) && !p->stopped) {
		p->stopped = true;
		end_jobs(p);
	}
	finish_job(p);
	start_jobs(p);
}

static void on_end(struct ev_loop *loop, ev_child *w, int events)
{
	struct job *j = w->data;

	(void)events;
	ev_child_stop(loop, w);
	ev_timer_stop(loop, &j->limit);
	j->result->status = w->rstatus;
	j->ended = true;
	settle(j);
}

static void on_words(struct ev_loop *loop, ev_io *w, int events)
{
	struct job *j = w->data;
	char bytes[65536];
	ssize_t n = read(w->fd, bytes, sizeof(bytes));

	(void)events;
	if (n > 0)
		text_bytes(&j->result->bytes, bytes, (size_t)n);
	if (n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN)))
		return;
	ev_io_stop(loop, w);
	close(w->fd);
	j->silent = true;
	settle(j);
}

/* The job exceeded the time limit, or did not exit on SIGTERM. */
static void on_limit(struct ev_loop *loop, ev_timer *w, int events)
{
	struct job *j = w->data;

	(void)events;
	kill(j->end.pid, j->result->late ? SIGKILL : SIGTERM);
	j->result->late = true;
	w->repeat = GRACE_S;
	ev_timer_again(loop, w);
}

static const int signals[] = {SIGINT, SIGTERM, SIGUSR1};

/* Restores the signals' actions: the pool's event loop leaves them at the default. */
static void restore_signals(const struct pool *p)
{
	for (unsigned i = 0; i < ARRAY_LEN(signals); i++)
		sigaction(signals[i], &p->before[i], NULL);
}

/* What the child must not share with the pool: a signal has one loop. */
static void leave_pool(struct pool *p, const struct job *j)
{
	ev_signal_stop(p->loop, &p->sigint);
	ev_signal_stop(p->loop, &p->sigterm);
	ev_signal_stop(p->loop, &p->sigusr1);
	restore_signals(p);
	ev_loop_destroy(p->loop);
#ifdef __linux__
	prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
	pin_bind(p->hooks->pin, j->slot);
}

static int start_job(struct pool *p, struct job *j)
{
	int pipes[2];
	pid_t pid;

	while (p->taken[j->slot])
		j->slot++;
	if (pipe(pipes))
		return err_add(
			p->err, ERR_HOST, "cannot create a pipe for a run: %s", strerror(errno));
	pid = fork();
	if (pid < 0) {
		close(pipes[0]);
		close(pipes[1]);
		return err_add(
			p->err, ERR_HOST, "cannot start a process for a run: %s", strerror(errno));
	}
	if (!pid) {
		close(pipes[0]);
		leave_pool(p, j);
		p->fn(p->ctx, (unsigned)(j - p->jobs), pipes[1]);
		BUG_ON(true);
	}
	close(pipes[1]);
	p->taken[j->slot] = true;
	ev_child_init(&j->end, on_end, pid, 0);
	ev_io_init(&j->words, on_words, pipes[0], EV_READ);
	ev_timer_init(&j->limit, on_limit, p->hooks->timeout_s, 0);
	j->end.data = j->words.data = j->limit.data = j;
	if (p->hooks->timeout_s > 0)
		ev_timer_start(p->loop, &j->limit);
	ev_child_start(p->loop, &j->end);
	ev_io_start(p->loop, &j->words);
	return 0;
}

/* Starts jobs in the free slots; the loop ends when no job is left. */
static void start_jobs(struct pool *p)
{
	const struct pool_hooks *h = p->hooks;
	bool failed = p->interrupted || p->stopped || p->err->count;

	while (!failed && p->started < p->njobs && p->started - p->done < p->at_once) {
		if (h->wanted && !h->wanted(h->ctx, p->started)) {
			p->started++;
			finish_job(p);
			continue;
		}
		failed = start_job(p, &p->jobs[p->started]) != 0;
		p->started += !failed;
	}
	if (p->started == p->done)
		ev_break(p->loop, EVBREAK_ALL);
}

static void on_interrupt(struct ev_loop *loop, ev_signal *w, int events)
{
	struct pool *p = w->data;
	bool notice = w->signum == SIGTERM && !p->interrupted && p->hooks->grace_s > 0;

	(void)events;
	p->interrupted = true;
	if (notice)
		ev_timer_start(loop, &p->grace);
	else
		end_jobs(p);
}

static void on_grace(struct ev_loop *loop, ev_timer *w, int events)
{
	(void)loop;
	(void)events;
	end_jobs(w->data);
}

static void on_status(struct ev_loop *loop, ev_signal *w, int events)
{
	struct pool *p = w->data;

	(void)loop;
	(void)events;
	if (p->hooks->status)
		p->hooks->status(p->hooks->ctx);
	signal_jobs(p, SIGUSR1);
}

static void on_second(struct ev_loop *loop, ev_timer *w, int events)
{
	struct pool *p = w->data;

	(void)loop;
	(void)events;
	p->hooks->tick(p->hooks->ctx);
}

static void serve(const struct pool *p)
{
	p->hooks->guest->serve(p->hooks->guest->ctx);
}

static void on_tenth(struct ev_loop *loop, ev_timer *w, int events)
{
	(void)loop;
	(void)events;
	serve(w->data);
}

static void on_guest(struct ev_loop *loop, ev_io *w, int events)
{
	(void)loop;
	(void)events;
	serve(w->data);
}

static void start_guest(struct pool *p)
{
	ev_timer_init(&p->tenth, on_tenth, 0.1, 0.1);
	ev_io_init(&p->guest, on_guest, p->hooks->guest->fd, EV_READ);
	p->tenth.data = p->guest.data = p;
	ev_timer_start(p->loop, &p->tenth);
	ev_io_start(p->loop, &p->guest);
}

static void start_watchers(struct pool *p)
{
	for (unsigned i = 0; i < ARRAY_LEN(signals); i++)
		sigaction(signals[i], NULL, &p->before[i]);
	ev_signal_init(&p->sigusr1, on_status, SIGUSR1);
	p->sigusr1.data = p;
	ev_signal_start(p->loop, &p->sigusr1);
	ev_signal_init(&p->sigint, on_interrupt, SIGINT);
	ev_signal_init(&p->sigterm, on_interrupt, SIGTERM);
	p->sigint.data = p->sigterm.data = p;
	ev_signal_start(p->loop, &p->sigint);
	ev_signal_start(p->loop, &p->sigterm);
	ev_timer_init(&p->grace, on_grace, p->hooks->grace_s, 0);
	p->grace.data = p;
	ev_timer_init(&p->second, on_second, 1, 1);
	p->second.data = p;
	if (p->hooks->tick)
		ev_timer_start(p->loop, &p->second);
	if (p->hooks->guest)
		start_guest(p);
}

static void stop_watchers(struct pool *p)
{
	ev_timer_stop(p->loop, &p->grace);
	ev_timer_stop(p->loop, &p->second);
	if (p->hooks->guest) {
		ev_timer_stop(p->loop, &p->tenth);
		ev_io_stop(p->loop, &p->guest);
	}
	ev_signal_stop(p->loop, &p->sigusr1);
	ev_signal_stop(p->loop, &p->sigterm);
	ev_signal_stop(p->loop, &p->sigint);
	restore_signals(p);
}

static void run(struct pool *p)
{
	start_watchers(p);
	start_jobs(p);
	if (p->started > p->done)
		ev_run(p->loop, 0);
	stop_watchers(p);
}

static int take_memory(struct pool *p, struct pool_result *results, struct err *err)
{
	p->jobs = mem_alloc(p->njobs + 1, sizeof(*p->jobs));
	p->taken = mem_alloc(p->at_once + 1, sizeof(*p->taken));
	if (!p->jobs || !p->taken)
		return err_add(err, ERR_RESOURCE, "no host memory for %u run%s", p->njobs,
			text_s(p->njobs));
	for (unsigned i = 0; i < p->njobs; i++)
		p->jobs[i] = (struct job){.pool = p, .result = &results[i]};
	if (host_admit_loop(p->hooks->broken, err))
		return -1;
	p->loop = ev_default_loop(EVFLAG_AUTO);
	return p->loop ? 0 : err_add(err, ERR_HOST, "cannot create an event loop (libev)");
}

int pool_run(unsigned jobs, unsigned at_once, pool_fn *fn, void *ctx,
	const struct pool_hooks *hooks, struct pool_result *results, struct err *err)
{
	static const struct pool_hooks none;
	struct err wrong = {0};
	struct pool p = {.njobs = jobs,
		.at_once = at_once,
		.fn = fn,
		.ctx = ctx,
		.hooks = hooks ? hooks : &none,
		.err = &wrong};

	if (!take_memory(&p, results, &wrong)) {
		run(&p);
		ev_loop_destroy(p.loop);
	}
	mem_free(p.taken);
	mem_free(p.jobs);
	if (p.interrupted)
		err_add(&wrong, ERR_INTERRUPTED, "interrupted: the runs were ended");
	err_move(err, &wrong);
	return p.loop && p.done == jobs && !p.interrupted && !p.stopped ? 0 : -1;
}
