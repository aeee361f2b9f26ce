/* What a pool of runs does now. */
#include "runs/served.h"

#include "runs/pace.h"
#include "runs/trial.h"

struct watched {
	struct served *served;
	struct pool_hooks own;
};

static void turn(struct served *l, unsigned job, enum served_state state)
{
	struct served_job *j = &l->jobs[job];

	l->count[j->state]--;
	l->count[state]++;
	j->state = state;
}

static bool wanted(void *ctx, unsigned job)
{
	const struct watched *w = ctx;
	struct served_job *j = &w->served->jobs[job];

	if (w->own.wanted && !w->own.wanted(w->own.ctx, job)) {
		turn(w->served, job, SERVED_KNOWN);
		return false;
	}
	turn(w->served, job, SERVED_RUNS);
	j->start_s = pace_now_s();
	return true;
}

static int ended(void *ctx, unsigned job, struct pool_result *result)
{
	const struct watched *w = ctx;
	struct served_job *j = &w->served->jobs[job];

	turn(w->served, job, trial_succeeded(result) ? SERVED_DONE : SERVED_FAILED);
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

void served_pool(struct served *l, struct pool_hooks *hooks, unsigned n, const char *const *names,
	struct arena *arena)
{
	struct watched *w = arena_alloc(arena, 1, sizeof(*w));

	*w = (struct watched){l, *hooks};
	l->jobs = arena_alloc(arena, n, sizeof(*l->jobs));
	l->njobs = n;
	for (unsigned i = 0; i < SERVED_STATES; i++)
		l->count[i] = 0;
	l->count[SERVED_WAITS] = n;
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
