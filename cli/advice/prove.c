/* Proofs of advice: the run again without the one limit, in a process of its own. Without imbalance
 * it needs no run: the SMs' mean is known. */
#include "cli/advice/inside.h"

#include "cli/command.h"
#include "core/base.h"
#include "draw/number.h"
#include "runs/points.h"
#include "runs/settings.h"
#include "runs/trial.h"
#include "runs/work.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define MOST_SETTINGS 32u
/* Times the cycles with the limit: without it, warps may wait for each other for ever. */
#define MOST_CYCLES 16
#define CYCLES "gpc__cycles_elapsed.max"
#define MOST_SCHEDULERS 4 /* of an SM */

struct proof {
	struct facts f;
	struct arena *arena;
	struct run_options o;
	const char **scenarios;
	struct party party;
};

static void look_up(struct proof *p, const char *path, size_t n, struct setting *s)
{
	*s = (struct setting){.path = arena_strndup(p->arena, path, n)};
	settings_look_up(p->f.traffic->report->config, s);
}

/* The value of chip/limits.h: "other", "other/4", "other|another". */
static void value_of(struct proof *p, const char *words, struct setting *s)
{
	size_t n = strcspn(words, "/|");
	uint64_t v, by;

	look_up(p, words, n, s);
	if (words[n] == '|' && !strcmp(s->value, "0"))
		look_up(p, words + n + 1, strlen(words + n + 1), s);
	if (words[n] == '/' && number_whole(s->value, &v) && number_whole(words + n + 1, &by) && v)
		snprintf(s->value, sizeof(s->value), "%" PRIu64, max_u64(1, v / by));
}

/* "path=@words" as "path=value". */
static const char *resolved(struct proof *p, const char *setting)
{
	const char *at = strstr(setting, "=@");
	struct setting s = {0};
	size_t room = strlen(setting) + sizeof(s.value);
	char *out;

	if (!at)
		return setting;
	value_of(p, at + 2, &s);
	out = arena_alloc(p->arena, room, 1);
	snprintf(out, room, "%.*s=%s", (int)(at - setting), setting, s.value);
	return out;
}

static void add_settings(struct proof *p, const char *settings, struct layer *l, const char **set)
{
	char *rest = NULL, *text = settings ? arena_strdup(p->arena, settings) : NULL;

	for (char *at = text ? strtok_r(text, " ", &rest) : NULL; at;
		at = strtok_r(NULL, " ", &rest)) {
		BUG_ON(l->nset == MOST_SETTINGS);
		set[l->nset++] = resolved(p, at);
	}
}

static void remove_limit(
	struct proof *p, const struct limit *limit, struct layer *l, const char **set)
{
	const struct {
		const char *storage, *set;
	} of[] = {{"partitioned", limit->partitioned}, {"unified", limit->unified},
		{"fermi", limit->fermi}, {"carveout", limit->carveout}};

	add_settings(p, limit->set, l, set);
	for (unsigned i = 0; i < ARRAY_LEN(of); i++)
		if (p->f.storage && !strcmp(p->f.storage, of[i].storage))
			add_settings(p, of[i].set, l, set);
}

/* Fewer CTAs than SMs: spread over all of them, warps would share a scheduler with as many fewer.
 * Schedulers that an SM has then, at most; as many as it has: it is not so, or cannot be had. */
static unsigned spread(const struct facts *f)
{
	double sms = f->launch.sms, ctas = (double)f->launch.ctas;
	double n = ctas < sms ? floor(f->schedulers * sms / ctas) : 0;

	return (unsigned)fmax(f->schedulers, fmin(n, MOST_SCHEDULERS));
}

static bool runs(const struct proof *p, const struct advice *a)
{
	return !a->limit->balances || (a->by_number && spread(&p->f) > p->f.schedulers);
}

/* The time of a run without imbalance is known, except what a warp takes that is nearly alone. */
static void remove_imbalance(struct proof *p, struct layer *l, const char **set)
{
	char *schedulers = arena_alloc(p->arena, 32, 1);

	snprintf(schedulers, 32, "sm.schedulers=%u", spread(&p->f));
	add_settings(p, schedulers, l, set);
}

static struct trial trial_of(struct proof *p, const char *name, const struct layer *l)
{
	return (struct trial){.name = name,
		.machine = {p->scenarios, p->scenarios ? 1 : 0, l, 1},
		.parties = &p->party,
		.nparties = 1,
		.may_stop = true};
}

static struct layer *layer_of(struct proof *p, const char ***set)
{
	struct layer *l = arena_alloc(p->arena, 1, sizeof(*l));

	*set = arena_alloc(p->arena, MOST_SETTINGS, sizeof(**set));
	*l = (struct layer){.origin = "--prove", .set = *set};
	return l;
}

static struct trial trial_without(struct proof *p, const struct advice *a)
{
	const char **set;
	struct layer *l = layer_of(p, &set);
	char limit[64], *name = arena_alloc(p->arena, sizeof(limit) + 16, 1);

	remove_limit(p, a->limit, l, set);
	if (a->limit->balances)
		remove_imbalance(p, l, set);
	if (a->also)
		remove_limit(p, a->also, l, set);
	snprintf(name, sizeof(limit) + 16, "without %s", advice_limits(a, limit));
	return trial_of(p, name, l);
}

static struct trial trial_fixed(struct proof *p, const struct limit_fix *m)
{
	const char **set;
	struct layer *l = layer_of(p, &set);

	add_settings(p, m->set, l, set);
	return trial_of(p, m->text, l);
}

static double observed(const struct limit *l, const json_t *report)
{
	double v = point_metric(report, l->metric);

	return l->by ? v / point_metric(report, l->by) : v;
}

static double observed_before(const struct limit *l, const struct facts *f)
{
	double v = facts_metric(f, l->metric);

	return l->by ? v / facts_metric(f, l->by) : v;
}

static bool has_moved(const struct limit *l, const struct proof *p, const struct trial *t)
{
	return limit_moved(l, observed_before(l, &p->f), observed(l, t->report));
}

static void note(struct advice *a, const struct proof *p, const struct trial *t)
{
	a->stopped = t->stopped ? p->o.max_cycles : 0;
	if (!t->report)
		return;
	a->proved = point_metric(t->report, CYCLES);
	a->moved = has_moved(a->limit, p, t) && (!a->also || has_moved(a->also, p, t));
}

/* As the run with it, and with an end. */
static struct run_options options_of(const struct options *o, const struct facts *f)
{
	struct run_options r = o->run;
	uint64_t most = MOST_CYCLES * (uint64_t)f->cycles;

	r.roll = NULL; /* the run with it has its page */
	if (!r.max_cycles || most < r.max_cycles)
		r.max_cycles = most;
	return r;
}

/* A run that fails leaves the others. */
static int run_apart(struct proof *p, struct trial *trials, unsigned n, struct err *err)
{
	for (unsigned i = 0; i < n; i++) {
		struct err wrong = {0};
		bool bad = trials_run(&p->o, &trials[i], 1, &wrong);

		if (bad && wrong.code == ERR_INTERRUPTED) {
			err_move(err, &wrong);
			return -1;
		}
		err_clear(&wrong);
	}
	return 0;
}

static int run_all(struct proof *p, struct trial *trials, unsigned n, struct err *err)
{
	struct err wrong = {0};
	int bad = n ? trials_run(&p->o, trials, n, &wrong) : 0;

	if (wrong.code == ERR_INTERRUPTED) {
		err_move(err, &wrong);
		return -1;
	}
	err_clear(&wrong); /* of runs that were stopped, too */
	if (!bad)
		return 0;
	trials_free(trials, n);
	for (unsigned i = 0; i < n; i++)
		trials[i].report = NULL;
	return run_apart(p, trials, n, err);
}

/* `proved`: what the warps take anyway, if that was run. */
static void balance(struct advice *a, const struct facts *f)
{
	a->proved = fmin(f->cycles, fmax(a->balanced, a->proved)); /* NAN: was not */
	a->moved = a->proved < f->cycles;
}

/* ---- all of them */
static unsigned fixes_of(const struct advice *a)
{
	unsigned n = 0;

	while (n < LIMIT_FIXES && a->limit->fixes[n].text)
		n++;
	return n;
}

static unsigned plan(struct proof *p, const struct advices *all, struct trial *trials)
{
	unsigned n = 0;

	for (unsigned i = 0; i < all->n; i++) {
		const struct advice *a = &all->at[i];

		if (runs(p, a))
			trials[n++] = trial_without(p, a);
		for (unsigned k = 0; k < fixes_of(a); k++)
			trials[n++] = trial_fixed(p, &a->limit->fixes[k]);
	}
	return n;
}

static void note_all(struct advices *all, const struct proof *p, const struct trial *t)
{
	for (unsigned i = 0; i < all->n; i++) {
		struct advice *a = &all->at[i];

		if (runs(p, a))
			note(a, p, t++);
		for (unsigned k = 0; k < fixes_of(a); k++, t++)
			a->fixed[k] = t->report ? point_metric(t->report, CYCLES) : (double)NAN;
		if (a->limit->balances)
			balance(a, &p->f);
	}
	advice_sort(all);
}

int advice_prove(
	struct advices *all, const struct traffic *t, const struct options *o, struct err *err)
{
	struct proof p = {.arena = t->arena};
	struct trial *trials =
		arena_alloc(t->arena, all->n * (1 + LIMIT_FIXES) + 1, sizeof(*trials));
	unsigned n;
	int bad;

	facts_gather(&p.f, t);
	p.o = options_of(o, &p.f);
	p.party.target = o->operands.at[0];
	if (work_is_scenario(p.party.target))
		p.scenarios = &p.party.target;
	n = plan(&p, all, trials);
	bad = run_all(&p, trials, n, err);
	if (!bad)
		note_all(all, &p, trials);
	trials_free(trials, n);
	return bad;
}
