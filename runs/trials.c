/* Trials in a pool of processes: run, watched, and what each came to. */
#include "runs/trial.h"

#include "runs/live.h"
#include "runs/output.h"
#include "runs/roll.h"
#include "runs/served.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>

struct pool_work {
	const struct run_options *o;
	const struct trial *trials;
	unsigned n, done;
	struct live live;
};

static void child(void *ctx, unsigned job, int out)
{
	const struct pool_work *w = ctx;

	trial_child(&w->trials[job], w->o, out);
}

static void status(void *ctx)
{
	const struct pool_work *w = ctx;

	output_note("runs: %u of %u done", w->done, w->n);
}

static void tick(void *ctx)
{
	struct pool_work *w = ctx;
	struct text line = {0};

	if (!live_is_due(&w->live))
		return;
	text_add(&line, "runs: %u of %u done", w->done, w->n);
	live_tell(&w->live, &line);
	text_clear(&line);
}

static void progress(void *ctx, unsigned done, unsigned jobs)
{
	struct pool_work *w = ctx;

	(void)jobs;
	w->done = done;
	tick(w);
}

unsigned trial_jobs(const struct run_options *o, unsigned n)
{
	unsigned jobs = o->jobs ? (unsigned)o->jobs : pin_cores();

	return jobs < n ? jobs : n;
}

bool trial_was_interrupted(const struct err *err, int status)
{
	if (err->code == ERR_LIMIT)
		return false;
	return err->code == ERR_INTERRUPTED ||
	       (WIFEXITED(status) && WEXITSTATUS(status) == ERR_INTERRUPTED) ||
	       (WIFSIGNALED(status) && (WTERMSIG(status) == SIGTERM || WTERMSIG(status) == SIGINT));
}

int trials_watch(const struct trial_crowd *crowd, const struct run_options *o, struct arena *arena,
	struct err *err)
{
	struct pool_result *answers = arena_alloc(arena, crowd->n, sizeof(*answers));
	bool binds = !o->no_pin && crowd->jobs > 1 && o->threads == 1;
	struct pin *pin = binds ? pin_new(arena, crowd->jobs) : NULL;
	struct pool_hooks hooks = crowd->hooks;
	int bad;

	hooks.broken = output_broken;
	hooks.timeout_s = (double)o->timeout;
	hooks.pin = pin;
	if (o->served)
		served_pool(o->served, &hooks, crowd->n, crowd->names, arena);
	bad = pool_run(crowd->n, crowd->jobs, crowd->child, crowd->hooks.ctx, &hooks, answers, err);
	pin_free(pin);
	return bad;
}

/* `err`: its messages, each behind its name. */
static const char *end_of(
	const struct trial *t, const struct pool_result *answer, const struct err *err)
{
	if (!answer->status && !answer->bytes.len)
		return "not begun";
	if (trial_was_interrupted(err, answer->status))
		return "stopped";
	return err->count ? err_text(err) + strlen(t->name) + strlen(": ") : "";
}

/* A limit ends one trial, not those after it. */
static int read_answer(
	struct trial *t, const struct pool_result *answer, struct roll *roll, struct err *err)
{
	struct err wrong = {0};

	t->report = trial_answer(t->name, answer, &wrong);
	t->stopped = !t->report && wrong.code == ERR_LIMIT && t->may_stop;
	roll_note(roll, t->name, "", t->report, end_of(t, answer, &wrong));
	err_move(err, &wrong);
	return t->report || t->stopped ? 0 : -1;
}

/* Of those behind the first that failed only what they came to: the messages are the first's. */
static int read_answers(struct trial *trials, const struct pool_result *answers, unsigned n,
	bool bad, struct roll *roll, struct err *err)
{
	struct err unsaid = {0};
	bool stopped = bad;

	for (unsigned i = 0; i < n && (!bad || roll); i++) {
		bad |= read_answer(&trials[i], &answers[i], roll, bad ? &unsaid : err) != 0;
		err_clear(&unsaid);
	}
	if (bad)
		roll_cut(roll);
	return bad || stopped ? -1 : 0;
}

int trials_run(const struct run_options *options, struct trial *trials, unsigned n, struct err *err)
{
	struct run_options o = *options;
	struct pool_work work = {.o = &o, .trials = trials, .n = n, .live = live_new(o.quiet)};
	struct pool_hooks hooks = {.broken = output_broken,
		.ctx = &work,
		.progress = progress,
		.tick = tick,
		.status = status,
		.timeout_s = (double)o.timeout};
	struct pool_result *answers = mem_alloc(n, sizeof(*answers));
	unsigned jobs = trial_jobs(&o, n);
	int bad;

	o.no_pin |= jobs > 1;
	if (!answers)
		return err_add(err, ERR_RESOURCE, "no host memory for %u run%s", n, text_s(n));
	bad = pool_run(n, jobs, child, &work, &hooks, answers, err);
	live_wipe(&work.live);
	bad = read_answers(trials, answers, n, bad, o.roll, err);
	for (unsigned i = 0; i < n; i++)
		text_clear(&answers[i].bytes);
	mem_free(answers);
	return bad;
}

void trials_free(struct trial *trials, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		json_decref(trials[i].report);
}
