/* What a pool of runs does now. */
#include "runs/live.h"

#include "runs/pace.h"
#include "runs/trial.h"

struct watched {
	struct live *live;
	struct pool_hooks own;
};

static void turn(struct live *l, unsigned job, enum live_state state)
{
	struct live_job *j = &l->jobs[job];

	l->count[j->state]--;
	l->count[state]++;
	j->state = state;
}

static bool wanted(void *ctx, unsigned job)
{
	const struct watched *w = ctx;
	struct live_job *j = &w->live->jobs[job];

	if (w->own.wanted && !w->own.wanted(w->own.ctx, job)) {
		turn(w->live, job, LIVE_KNOWN);
		return false;
	}
	turn(w->live, job, LIVE_RUNS);
	j->start_s = pace_now_s();
	return true;
}

static int ended(void *ctx, unsigned job, struct pool_result *result)
{
	const struct watched *w = ctx;
	struct live_job *j = &w->live->jobs[job];

	turn(w->live, job, trial_succeeded(result) ? LIVE_DONE : LIVE_FAILED);
	j->took_s = pace_now_s() - j->start_s;
	return w->own.ended ? w->own.ended(w->own.ctx, job, result) : 0;
}

static void progress(void *ctx, unsigned done, unsigned jobs)
{
	const struct watched *w = ctx;

	if (w->own.progress)
		w->own.progress(w->own.ctx, done, jobs);
}

static void tick(void *ctx)
{
	const struct watched *w = ctx;

	w->own.tick(w->own.ctx);
}

static void status(void *ctx)
{
	const struct watched *w = ctx;

	if (w->own.status)
		w->own.status(w->own.ctx);
}

void live_pool(struct live *l, struct pool_hooks *hooks, unsigned n, const char *const *names,
	struct arena *arena)
{
	struct watched *w = arena_alloc(arena, 1, sizeof(*w));

	*w = (struct watched){l, *hooks};
	l->jobs = arena_alloc(arena, n, sizeof(*l->jobs));
	l->njobs = n;
	for (unsigned i = 0; i < LIVE_STATES; i++)
		l->count[i] = 0;
	l->count[LIVE_WAITS] = n;
	for (unsigned i = 0; i < n && names; i++)
		l->jobs[i].name = names[i];
	hooks->ctx = w;
	hooks->wanted = wanted;
	hooks->ended = ended;
	hooks->progress = progress;
	hooks->tick = hooks->tick ? tick : NULL;
	hooks->status = status;
	hooks->guest = &l->guest;
}
