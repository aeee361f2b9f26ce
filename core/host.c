/* The host loop; the only file that uses libev, and one of two that read the wall clock. */
#include "core/host.h"

#include "core/mem.h"

#include <errno.h>
#include <ev.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define QUANTUM_S 0.002
#define PROGRESS_S 0.1
#define LOOP_FDS 4 /* at most, in a loop: epoll, wake-up (two), a timer */

struct host {
	struct sim *sim;
	const struct host_hooks *hooks;
	struct ev_loop *loop;
	ev_idle idle;
	ev_timer progress;
	ev_signal sigint, sigterm, sigusr1, sigusr2;
	struct sigaction before[4]; /* of those signals, before the loop */
	sigset_t mask;              /* of the thread, before the loop */
	ev_async doorbell;
	ev_io io[HOST_FDS], guest;
	uint64_t max_cycles, windows;
	enum run result;
	bool interrupted;
	int signum; /* that interrupted it; 0: none */
	struct host_stats stats;
};

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static const int signals[] = {SIGINT, SIGTERM, SIGUSR1, SIGUSR2};

/* Of the signals but the first `left_out`. */
static void change_mask(int how, unsigned left_out, sigset_t *before)
{
	sigset_t some;

	sigemptyset(&some);
	for (unsigned i = left_out; i < ARRAY_LEN(signals); i++)
		sigaddset(&some, signals[i]);
	pthread_sigmask(how, &some, before);
}

/* The next quantum's number of windows: at most doubled or halved. */
static uint64_t adapted(uint64_t windows, double took_s)
{
	if (took_s < QUANTUM_S / 2)
		return windows < UINT32_MAX ? windows * 2 : windows;
	if (took_s > QUANTUM_S * 2)
		return windows > 1 ? windows / 2 : 1;
	return (uint64_t)((double)windows * QUANTUM_S / took_s) + 1;
}

static void on_idle(struct ev_loop *loop, ev_idle *w, int events)
{
	struct host *h = w->data;
	double start = now_s();
	uint64_t windows = h->windows;

	(void)events;
	if (h->hooks->edge)
		windows = min_u64(windows, h->hooks->edge(h->hooks->ctx, h->sim));
	change_mask(SIG_BLOCK, 0, NULL); /* so that host_is_wanted sees them */
	h->result = sim_run(h->sim, windows, h->max_cycles);
	change_mask(SIG_UNBLOCK, h->hooks->own_signals ? 2 : 0, NULL);
	h->stats.quantum_s = now_s() - start;
	h->stats.busy_s += h->stats.quantum_s;
	h->stats.quanta++;
	if (windows == h->windows)
		h->windows = adapted(h->windows, h->stats.quantum_s);
	if (h->result != RUN_QUANTUM)
		ev_break(loop, EVBREAK_ALL);
}

static void serve(const struct host *h)
{
	if (h->hooks->guest)
		h->hooks->guest->serve(h->hooks->guest->ctx);
}

static void on_timer(struct ev_loop *loop, ev_timer *w, int events)
{
	struct host *h = w->data;

	(void)loop;
	(void)events;
	if (h->hooks->progress)
		h->hooks->progress(h->hooks->ctx, h->sim);
	serve(h);
}

static void on_guest(struct ev_loop *loop, ev_io *w, int events)
{
	(void)loop;
	(void)events;
	serve(w->data);
}

static void on_stop(struct host *h)
{
	h->interrupted = true;
	if (h->result == RUN_QUANTUM)
		sim_stop(h->sim);
}

/* Here no window runs. */
static void keep(struct host *h, int signum)
{
	if (h->hooks->keep && h->result == RUN_QUANTUM)
		h->hooks->keep(h->hooks->ctx, h->sim, signum);
}

static void on_keep(struct ev_loop *loop, ev_signal *w, int events)
{
	(void)loop;
	(void)events;
	keep(w->data, w->signum);
}

static void on_interrupt(struct ev_loop *loop, ev_signal *w, int events)
{
	struct host *h = w->data;

	(void)loop;
	(void)events;
	h->signum = w->signum;
	keep(h, w->signum);
	on_stop(h);
}

static void on_readable(struct ev_loop *loop, ev_io *w, int events)
{
	(void)events;
	ev_io_stop(loop, w);
	on_stop(w->data);
}

static void on_status(struct ev_loop *loop, ev_signal *w, int events)
{
	struct host *h = w->data;

	(void)loop;
	(void)events;
	if (h->hooks->status)
		h->hooks->status(h->hooks->ctx, h->sim);
}

/* A ring only wakes the loop: the next quantum sees the stop request. */
static void on_doorbell(struct ev_loop *loop, ev_async *w, int events)
{
	(void)loop;
	(void)w;
	(void)events;
}

static void ring(void *ctx)
{
	struct host *h = ctx;

	ev_async_send(h->loop, &h->doorbell);
}

static void start_signal(
	struct host *h, ev_signal *w, void (*fn)(struct ev_loop *, ev_signal *, int), int signum)
{
	ev_signal_init(w, fn, signum);
	w->data = h;
	ev_signal_start(h->loop, w);
}

static void start_watchers(struct host *h)
{
	change_mask(SIG_BLOCK, 0, &h->mask);
	for (unsigned i = 0; i < ARRAY_LEN(signals); i++)
		sigaction(signals[i], NULL, &h->before[i]);
	ev_idle_init(&h->idle, on_idle);
	ev_timer_init(&h->progress, on_timer, PROGRESS_S, PROGRESS_S);
	ev_async_init(&h->doorbell, on_doorbell);
	h->idle.data = h->progress.data = h->doorbell.data = h;
	ev_idle_start(h->loop, &h->idle);
	ev_timer_start(h->loop, &h->progress);
	ev_async_start(h->loop, &h->doorbell);
	BUG_ON(h->hooks->nfds > HOST_FDS);
	for (unsigned i = 0; i < h->hooks->nfds; i++) {
		ev_io_init(&h->io[i], on_readable, h->hooks->fds[i], EV_READ);
		h->io[i].data = h;
		ev_io_start(h->loop, &h->io[i]);
	}
	if (h->hooks->guest) {
		ev_io_init(&h->guest, on_guest, h->hooks->guest->fd, EV_READ);
		h->guest.data = h;
		ev_io_start(h->loop, &h->guest);
	}
	start_signal(h, &h->sigint, on_interrupt, SIGINT);
	start_signal(h, &h->sigterm, on_interrupt, SIGTERM);
	start_signal(h, &h->sigusr1, on_status, SIGUSR1);
	if (h->hooks->keep)
		start_signal(h, &h->sigusr2, on_keep, SIGUSR2);
	change_mask(SIG_UNBLOCK, h->hooks->own_signals ? 2 : 0, NULL);
}

/* Between libev's actions and those before none is the default, which would end the process. */
static void stop_watchers(struct host *h)
{
	change_mask(SIG_BLOCK, 0, NULL);
	if (h->hooks->keep)
		ev_signal_stop(h->loop, &h->sigusr2);
	ev_signal_stop(h->loop, &h->sigusr1);
	ev_signal_stop(h->loop, &h->sigterm);
	ev_signal_stop(h->loop, &h->sigint);
	for (unsigned i = 0; i < h->hooks->nfds; i++)
		ev_io_stop(h->loop, &h->io[i]);
	if (h->hooks->guest)
		ev_io_stop(h->loop, &h->guest);
	ev_async_stop(h->loop, &h->doorbell);
	ev_timer_stop(h->loop, &h->progress);
	ev_idle_stop(h->loop, &h->idle);
	for (unsigned i = 0; i < ARRAY_LEN(signals); i++)
		sigaction(signals[i], &h->before[i], NULL);
	if (h->signum && h->result != RUN_STOPPED && sigismember(&h->mask, h->signum))
		raise(h->signum);
	pthread_sigmask(SIG_SETMASK, &h->mask, NULL);
}

/* A signal that came in the last quantum is seen, too. */
static void run_loop(struct host *h)
{
	ev_run(h->loop, 0);
	ev_idle_stop(h->loop, &h->idle);
	ev_run(h->loop, EVRUN_NOWAIT);
}

bool host_is_wanted(const struct host_hooks *hooks)
{
	sigset_t pending;

	sigpending(&pending);
	if (hooks && (sigismember(&pending, SIGINT) || sigismember(&pending, SIGTERM)))
		return false;
	for (unsigned i = 0; hooks && i < hooks->nfds; i++) {
		struct pollfd fd = {hooks->fds[i], POLLIN, 0};

		if (poll(&fd, 1, 0) > 0)
			return false;
	}
	return true;
}

bool host_is_asked(void)
{
	sigset_t pending, one;
	int signum;

	sigpending(&pending);
	if (!sigismember(&pending, SIGUSR1))
		return false;
	sigemptyset(&one);
	sigaddset(&one, SIGUSR1);
	return !sigwait(&one, &signum);
}

int host_admit_loop(host_broken_fn *broken, struct err *err)
{
	int fds[LOOP_FDS], n = 0, error;

	ev_set_allocator(mem_reserved);
	ev_set_syserr_cb(broken);
	while (n < LOOP_FDS && (fds[n] = dup(STDERR_FILENO)) >= 0)
		n++;
	error = n < LOOP_FDS ? errno : 0;
	while (n > 0)
		close(fds[--n]);
	return error ? err_add(err, ERR_HOST, "no file descriptors for an event loop: %s",
			       strerror(error))
		     : 0;
}

int host_run(struct sim *sim, uint64_t max_cycles, const struct host_hooks *hooks, enum run *result,
	bool *interrupted, struct host_stats *stats, struct err *err)
{
	static const struct host_hooks none;
	struct host h = {.sim = sim,
		.hooks = hooks ? hooks : &none,
		.max_cycles = max_cycles,
		.windows = 1,
		.result = RUN_QUANTUM};
	struct sim_bell bell = {ring, &h};
	double start = now_s();

	if (host_admit_loop(h.hooks->broken, err))
		return -1;
	h.loop = ev_loop_new(EVFLAG_AUTO);
	if (!h.loop)
		return err_add(err, ERR_HOST, "cannot create an event loop (libev)");
	start_watchers(&h);
	sim_on_stop(sim, &bell);
	run_loop(&h);
	sim_on_stop(sim, NULL);
	stop_watchers(&h);
	ev_loop_destroy(h.loop);
	h.stats.wall_s = now_s() - start;
	*result = h.result;
	*interrupted = h.interrupted && h.result == RUN_STOPPED;
	if (stats)
		*stats = h.stats;
	return 0;
}
