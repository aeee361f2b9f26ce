/* warpbeam compare --together: targets on one chip at the same time, each also alone on its SMs.
 * The measures of a mix are those of Eyerman and Eeckhout, IEEE Micro 2008. */
#include "cli/compare/together.h"

#include "cli/html/results.h"
#include "draw/number.h"
#include "runs/work.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- the parties */
/* The k-th --sms of a name belongs to the k-th target of that name. */
static struct together_party *owner(const struct together *t, const char *name, size_t n)
{
	for (unsigned i = 0; i < t->n; i++) {
		struct together_party *p = &t->parties[i];

		if (!p->sms && strlen(p->party.target) == n && !memcmp(p->party.target, name, n))
			return p;
	}
	return NULL;
}

static int give_sms(struct together *t, const char *text, struct err *err)
{
	const char *sign = strrchr(text, '=');
	struct together_party *p;

	if (!sign || sign == text || !sign[1])
		return err_add(err, ERR_USAGE, "--sms %s: must have the form TARGET=0-15", text);
	p = owner(t, text, (size_t)(sign - text));
	if (!p)
		return err_add(err, ERR_USAGE,
			"--sms %s: there is no target '%.*s', or it has its SMs already", text,
			(int)(sign - text), text);
	p->sms = sign + 1;
	if (!number_ranges(p->sms, GPU_MAX_SMS, p->party.place.sms))
		return err_add(err, ERR_USAGE,
			"--sms %s: must be a list such as 0-15 or 0-3,8, below %u", text,
			GPU_MAX_SMS);
	return 0;
}

static const char *label_of(const struct options *o, unsigned i, struct arena *arena)
{
	const char *name = o->operands.at[i];
	unsigned nth = 1;
	char *out;

	for (unsigned k = 0; k < i; k++)
		nth += !strcmp(o->operands.at[k], name);
	if (nth == 1)
		return name;
	out = arena_alloc(arena, strlen(name) + 16, 1);
	snprintf(out, strlen(name) + 16, "%s %u", name, nth);
	return out;
}

static int make_parties(
	struct together *t, const struct options *o, struct arena *arena, struct err *err)
{
	t->o = o;
	t->n = o->operands.n;
	t->parties = arena_alloc(arena, t->n, sizeof(*t->parties));
	for (unsigned i = 0; i < t->n; i++) {
		t->parties[i].party.target = o->operands.at[i];
		t->parties[i].party.place.stream = i * PARTY_STREAMS;
		t->parties[i].label = label_of(o, i, arena);
	}
	for (unsigned i = 0; i < o->sms.n; i++)
		if (give_sms(t, o->sms.at[i], err))
			return -1;
	return 0;
}

/* ---- the trials: all together, then each alone */
static struct trial make_trial(const struct together *t, const char *name,
	const struct together_party *parties, unsigned n, struct arena *arena)
{
	struct party *all = arena_alloc(arena, t->n, sizeof(*all));
	const char **scenarios = arena_alloc(arena, t->n, sizeof(*scenarios));
	struct trial trial = {
		.name = name, .parties = all, .nparties = n, .streams = true, .may_stop = true};

	trial.machine.scenarios = scenarios;
	for (unsigned i = 0; i < n; i++) {
		all[i] = parties[i].party;
		if (work_is_scenario(all[i].target))
			scenarios[trial.machine.nscenarios++] = all[i].target;
	}
	return trial;
}

static struct trial *make_trials(const struct together *t, struct arena *arena)
{
	struct trial *trials = arena_alloc(arena, t->n + 1, sizeof(*trials));

	trials[0] = make_trial(t, "together", t->parties, t->n, arena);
	for (unsigned i = 0; i < t->n; i++) {
		const char *label = t->parties[i].label;
		char *name = arena_alloc(arena, strlen(label) + 16, 1);

		snprintf(name, strlen(label) + 16, "%s, alone", label);
		trials[1 + i] = make_trial(t, name, &t->parties[i], 1, arena);
	}
	return trials;
}

static void note_sms(
	void *ctx, const char *path, const char *value, const struct param_def *def, bool given)
{
	(void)def;
	(void)given;
	if (!strcmp(path, "chip.sms"))
		number_whole(value, ctx);
}

static int check_sms(const struct together *t, uint64_t sms, struct err *err)
{
	for (unsigned i = 0; i < t->n; i++) {
		const uint64_t *map = t->parties[i].party.place.sms;

		for (unsigned k = (unsigned)sms; k < GPU_MAX_SMS; k++)
			if (map[k / 64] >> (k % 64) & 1)
				return err_add(err, ERR_INPUT,
					"--sms %s=%s: the chip has SMs 0 .. %u",
					t->parties[i].party.target, t->parties[i].sms,
					(unsigned)sms - 1);
	}
	return 0;
}

/* Checks the chip that they share, before anything runs. */
static int look_at(
	const struct together *t, const struct trial *trial, struct session *s, struct err *err)
{
	struct work *works = arena_alloc(&s->arena, t->n, sizeof(*works));
	uint64_t sms = 0;

	if (trial_open(trial, &t->o->run, s, works, err))
		return -1;
	for (unsigned i = 0; i < s->nscenarios; i++)
		if (scenario_sets_machine(s->scenarios[i]))
			return err_add(err, ERR_INPUT,
				"%s has a chip or settings of its own: with --together all share "
				"the chip of --chip and --set",
				trial->machine.scenarios[i]);
	config_echo(s->config, note_sms, &sms);
	return check_sms(t, sms, err);
}

/* ---- results */
static double field(const json_t *launch, const char *name)
{
	return json_number_value(json_object_get(launch, name));
}

static struct party_figures figures_of(const struct trial *t, const struct party *p)
{
	static const struct party_figures none = {NAN, NAN, NAN, NAN, NAN, NAN, true};
	const json_t *report = t->report;
	const json_t *launches = json_object_get(report, "launches"), *l;
	double sectors = 0, hits = 0;
	struct party_figures f = {0};
	size_t i;

	if (t->stopped)
		return none;
	json_array_foreach(launches, i, l)
	{
		if ((unsigned)field(l, "stream") / PARTY_STREAMS != p->place.stream / PARTY_STREAMS)
			continue;
		f.cycles = fmax(f.cycles, field(l, "end_cycle"));
		f.read_bytes += field(l, "dram_read_bytes");
		f.written_bytes += field(l, "dram_write_bytes") + field(l, "flushed_bytes");
		f.instructions += field(l, "warp_instructions");
		sectors += field(l, "l2_sectors_read");
		hits += field(l, "l2_sectors_hit");
	}
	f.read_bytes_per_ns =
		f.cycles > 0 ? f.read_bytes / (f.cycles * report_cycle_ns(report)) : NAN;
	f.l2_hit_pct = sectors > 0 ? 100 * hits / sectors : NAN;
	return f;
}

double together_slowdown(const struct together_party *p)
{
	return p->alone.cycles > 0 ? p->shared.cycles / p->alone.cycles : NAN;
}

struct together_summary together_summary(const struct together *t)
{
	double least = INFINITY, most = 0;
	struct together_summary s = {0};

	for (unsigned i = 0; i < t->n; i++) {
		double slowdown = together_slowdown(&t->parties[i]);

		s.throughput += 1 / slowdown;
		s.turnaround += slowdown / t->n;
		least = fmin(least, slowdown);
		most = fmax(most, slowdown);
	}
	s.fairness = isnan(s.turnaround) ? NAN : least / most;
	return s;
}

/* ---- the command */
static int write_json(void *ctx, struct text *out)
{
	return together_json(ctx, out);
}

static void write_csv(void *ctx, struct text *out)
{
	together_csv(ctx, out);
}

static void write_text(void *ctx, struct text *out)
{
	together_text(ctx, out);
}

int compare_together(const struct options *o, struct session *s, struct err *err)
{
	struct together t = {0};
	struct output_texts outputs = {&t, write_json, write_csv, NULL, write_text};
	struct session *probe = session_within(&s->arena);
	struct trial *trials;
	int bad;

	if (compare_admit(o, err) || make_parties(&t, o, &s->arena, err))
		return -1;
	trials = make_trials(&t, &s->arena);
	bad = look_at(&t, &trials[0], probe, err);
	session_close(probe);
	if (bad)
		return -1;
	bad = trials_run(&o->run, trials, t.n + 1, err);
	if (!bad) {
		t.report = trials[0].report;
		for (unsigned i = 0; i < t.n; i++) {
			struct together_party *p = &t.parties[i];

			p->shared = figures_of(&trials[0], &p->party);
			p->alone = figures_of(&trials[1 + i], &p->party);
		}
		bad = page_results(o, ": compare", &outputs, NULL, &s->arena, err) ||
		      options_write(o, &outputs, &s->out, err);
	}
	trials_free(trials, t.n + 1);
	return bad;
}
