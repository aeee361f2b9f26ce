/* A pool of child processes. */
#include "core/pool.h"

#include "core/base.h"
#include "core/mem.h"

#include <errno.h>
#include <ev.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

struct pool;

struct job {
	struct pool *pool;
	struct pool_answer *answer;
	ev_child end;
	ev_io words;
	bool ended, silent; /* the process is gone; its end of the pipe is closed */
};

struct pool {
	struct ev_loop *loop;
	struct job *jobs;
	unsigned njobs, at_once, started, done;
	ev_signal sigint, sigterm;
	pool_fn *fn;
	void *ctx;
	const struct pool_hooks *hooks;
	bool interrupted;
	struct err *err;
};

static void start_jobs(struct pool *);

/* A job is done when its process has ended and all it said has been read. */
static void settle(struct job *j)
{
	struct pool *p = j->pool;

	if (!j->ended || !j->silent)
		return;
	p->done++;
	if (p->hooks && p->hooks->progress)
		p->hooks->progress(p->hooks->ctx, p->done, p->njobs);
	start_jobs(p);
}

static void on_end(struct ev_loop *loop, ev_child *w, int events)
{
	struct job *j = w->data;

	(void)events;
	ev_child_stop(loop, w);
	j->answer->status = w->rstatus;
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
		text_bytes(&j->answer->bytes, bytes, (size_t)n);
	if (n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN)))
		return;
	ev_io_stop(loop, w);
	close(w->fd);
	j->silent = true;
	settle(j);
}

/* What the child must not share with the pool: a signal has one loop. */
static void leave_pool(struct pool *p)
{
	ev_signal_stop(p->loop, &p->sigint);
	ev_signal_stop(p->loop, &p->sigterm);
	ev_loop_destroy(p->loop);
}

static int start_job(struct pool *p, struct job *j)
{
	int pipes[2];
	pid_t pid;

	if (pipe(pipes))
		return err_add(p->err, ERR_HOST, "no pipe for a run: %s", strerror(errno));
	pid = fork();
	if (pid < 0) {
		close(pipes[0]);
		close(pipes[1]);
		return err_add(p->err, ERR_HOST, "no process for a run: %s", strerror(errno));
	}
	if (!pid) {
		close(pipes[0]);
		leave_pool(p);
		p->fn(p->ctx, (unsigned)(j - p->jobs), pipes[1]);
		BUG_ON(true);
	}
	close(pipes[1]);
	ev_child_init(&j->end, on_end, pid, 0);
	ev_io_init(&j->words, on_words, pipes[0], EV_READ);
	j->end.data = j->words.data = j;
	ev_child_start(p->loop, &j->end);
	ev_io_start(p->loop, &j->words);
	return 0;
}

/* Fills the free places; the loop ends when nothing runs any more. */
static void start_jobs(struct pool *p)
{
	bool failed = p->interrupted || p->err->count;

	while (!failed && p->started < p->njobs && p->started - p->done < p->at_once) {
		failed = start_job(p, &p->jobs[p->started]) != 0;
		p->started += !failed;
	}
	if (p->started == p->done)
		ev_break(p->loop, EVBREAK_ALL);
}

static void on_interrupt(struct ev_loop *loop, ev_signal *w, int events)
{
	struct pool *p = w->data;

	(void)loop;
	(void)events;
	p->interrupted = true;
	for (unsigned i = 0; i < p->started; i++)
		if (!p->jobs[i].ended)
			kill(p->jobs[i].end.pid, SIGTERM);
}

static void start_signals(struct pool *p)
{
	ev_signal_init(&p->sigint, on_interrupt, SIGINT);
	ev_signal_init(&p->sigterm, on_interrupt, SIGTERM);
	p->sigint.data = p->sigterm.data = p;
	ev_signal_start(p->loop, &p->sigint);
	ev_signal_start(p->loop, &p->sigterm);
}

static void stop_signals(struct pool *p)
{
	ev_signal_stop(p->loop, &p->sigterm);
	ev_signal_stop(p->loop, &p->sigint);
}

int pool_run(unsigned jobs, unsigned at_once, pool_fn *fn, void *ctx,
	const struct pool_hooks *hooks, struct pool_answer *answers, struct err *err)
{
	struct err wrong = {0};
	struct pool p = {.njobs = jobs,
		.at_once = at_once,
		.fn = fn,
		.ctx = ctx,
		.hooks = hooks,
		.err = &wrong};

	p.jobs = mem_alloc(jobs + 1, sizeof(*p.jobs));
	if (!p.jobs)
		return err_add(err, ERR_RESOURCE, "no host memory for %u runs", jobs);
	p.loop = ev_default_loop(EVFLAG_AUTO);
	if (!p.loop) {
		mem_free(p.jobs);
		return err_add(err, ERR_HOST, "cannot make an event loop (libev)");
	}
	for (unsigned i = 0; i < jobs; i++)
		p.jobs[i] = (struct job){.pool = &p, .answer = &answers[i]};
	start_signals(&p);
	start_jobs(&p);
	if (p.started > p.done)
		ev_run(p.loop, 0);
	stop_signals(&p);
	ev_loop_destroy(p.loop);
	mem_free(p.jobs);
	if (p.interrupted)
		err_add(&wrong, ERR_INTERRUPTED, "interrupted: the runs were ended");
	err_move(err, &wrong);
	return p.done == jobs && !p.interrupted ? 0 : -1;
}
