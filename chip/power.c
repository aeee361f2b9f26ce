/* Power over time: energies of growing counts at the edges of windows, whose differences are the
 * intervals'. */
#include "chip/power.h"

#include "chip/tally.h"
#include "core/state.h"

#include <math.h>

#define FIRST_WINDOWS 4u            /* of an interval, at first */
#define EXACT_FJ 9007199254740992.0 /* 2^53: sums of less have no rounding */

/* Everything from the run's beginning to a cycle. */
struct power_sample {
	uint64_t cycle;
	struct energy_sum sum;
};

struct power {
	struct tally now; /* scratch */
	/* What a warm-up had counted: it is left out. */
	uint64_t before[TALLY_ROWS], before_cycles, before_unused;
	struct power_sample sample[POWER_INTERVALS + 1]; /* the first is of nothing */
	unsigned n;
	uint64_t step, next; /* cycles of an interval; when the present one ends */
};

int chip_power(struct gpu *g, struct err *err)
{
	struct chip *c = g->chip;

	if (!c)
		return 0;
	c->power = mem_alloc(1, sizeof(*c->power));
	if (!c->power)
		return err_add(err, ERR_RESOURCE, "no host memory for power over time");
	c->power->n = 1;
	c->power->step = c->power->next = FIRST_WINDOWS * c->p.window;
	return 0;
}

void power_free(struct chip *c)
{
	mem_free(c->power);
}

/* ---- counts */
static void count_all(const struct chip *c, struct tally *t, uint64_t cycle)
{
	const struct epochs *e = &c->epochs;
	bool runs = c->dispatcher->s.chip__ctas < c->queued_ctas;

	if (t->n != e->rows->n) /* names and units stay */
		*t = *e->rows;
	for (unsigned i = 0; i < t->n; i++)
		t->row[i].sum = 0;
	for (uint32_t i = 0; i < e->nspans; i++)
		for (uint32_t k = 0; k < e->span[i].n; k++)
			t->row[e->span[i].row + k].sum += e->span[i].at[k];
	t->energy_cycles = runs ? cycle : c->last_end;
	t->unused_byte_cycles = dispatcher_unused(c->dispatcher, t->energy_cycles);
}

static void close_sms(struct chip *c, uint64_t cycle)
{
	for (unsigned i = 0; i < c->p.sms; i++)
		sm_close(c->sm[i], cycle);
}

/* Traffic after the end of all launches belongs to their last interval. */
static void push(struct power *p, uint64_t cycle, const struct energy_sum *sum)
{
	unsigned kept = 0;

	if (p->n > 1 && p->sample[p->n - 1].cycle == cycle)
		p->n--;
	if (p->n > POWER_INTERVALS) {
		for (unsigned i = 0; i < p->n; i += 2)
			p->sample[kept++] = p->sample[i];
		p->n = kept;
		p->step *= 2;
	}
	p->sample[p->n++] = (struct power_sample){cycle, *sum};
}

void power_edge(struct chip *c, uint64_t cycle)
{
	struct power *p = c->power;
	struct energy_sum sum;

	if (!p)
		return;
	edge_request(&c->dispatcher->base);
	if (cycle < p->next)
		return;
	close_sms(c, cycle);
	count_all(c, &p->now, cycle);
	for (unsigned i = 0; i < p->now.n; i++)
		p->now.row[i].sum -= p->before[i];
	p->now.energy_cycles -= min_u64(p->before_cycles, p->now.energy_cycles);
	p->now.unused_byte_cycles -= min_u64(p->before_unused, p->now.unused_byte_cycles);
	energy_of_tally(c->gpu, &p->now, &sum);
	push(p, p->now.energy_cycles, &sum);
	p->next = (cycle / p->step + 1) * p->step;
}

void power_warm(struct chip *c, uint64_t cycle)
{
	struct power *p = c->power;

	if (!p)
		return;
	count_all(c, &p->now, cycle);
	for (unsigned i = 0; i < p->now.n; i++)
		p->before[i] = p->now.row[i].sum;
	p->before_cycles = cycle;
	p->before_unused = dispatcher_unused(c->dispatcher, cycle);
	p->n = 1;
}

/* ---- the end */
#define CHECK_PART(name, text) BUG_ON(all->name##_fj != sum.name##_fj);
#define EXACT_PART(name, text) exact &= p->sample[i].sum.name##_fj < EXACT_FJ;

static void check(const struct power *p, const struct energy_sum *all)
{
	struct energy_sum sum = {0};
	bool exact = true;

	for (unsigned i = 1; i < p->n; i++) {
		struct energy_sum one = energy_less(&p->sample[i].sum, &p->sample[i - 1].sum);

		energy_add(&sum, &one);
		exact &= p->sample[i].sum.total_fj < EXACT_FJ;
		ENERGY_PARTS(EXACT_PART)
	}
	if (!exact)
		return;
	ENERGY_PARTS(CHECK_PART)
	BUG_ON(all->total_fj != sum.total_fj);
}

void power_close(struct chip *c)
{
	struct power *p = c->power;
	struct energy_sum sum;

	if (!p || !c->epochs.rows)
		return;
	chip_tally(c->gpu, &p->now);
	warmup_subtract(c, &p->now);
	energy_of_tally(c->gpu, &p->now, &sum);
	while (p->n > 1 && p->sample[p->n - 1].cycle + p->step / 2 > p->now.energy_cycles)
		p->n--;
	if (p->now.energy_cycles || sum.total_fj > 0)
		push(p, p->now.energy_cycles, &sum);
	check(p, &sum);
}

/* ---- checkpoints */
#define WHOLE_PART(name, text) whole &= is_whole(p->sample[i].sum.name##_fj);

static bool is_whole(double fj)
{
	return isfinite(fj) && fj >= 0 && fj == floor(fj);
}

/* What was loaded can be added up. */
static bool is_sound(const struct power *p)
{
	bool whole = p->step > 0;

	for (unsigned i = 0; i < p->n; i++) {
		ENERGY_PARTS(WHOLE_PART)
		whole &= is_whole(p->sample[i].sum.total_fj);
		whole &= !i || p->sample[i].cycle > p->sample[i - 1].cycle;
	}
	return whole;
}

void power_state(struct state *s, struct chip *c)
{
	struct power *p = c->power;

	state_part(s, "power over time");
	state_same(s, p != NULL, "counts of power");
	if (!p || s->failed)
		return;
	STATE(s, p->before);
	STATE(s, p->before_cycles);
	STATE(s, p->before_unused);
	STATE(s, p->step);
	STATE(s, p->next);
	STATE(s, p->n);
	if (!state_most(s, p->n, POWER_INTERVALS + 1) || !p->n) {
		p->n = 1;
		state_fail(s, "the checkpoint's power has no intervals");
		return;
	}
	state_bytes(s, p->sample, p->n * sizeof(*p->sample));
	state_scratch(s, p->sample + p->n, (POWER_INTERVALS + 1 - p->n) * sizeof(*p->sample));
	state_scratch(s, &p->now, sizeof(p->now));
	if (s->loads && !is_sound(p)) {
		p->n = 1;
		p->step = max_u64(p->step, 1);
		state_fail(s, "the checkpoint's power is no sum");
	}
}

/* ---- what it was */
unsigned chip_power_intervals(const struct gpu *g)
{
	return g->chip && g->chip->power ? g->chip->power->n - 1 : 0;
}

static double watts(const struct chip *c, double fj, uint64_t cycles)
{
	return cycles ? fj / ((double)cycles * c->sm_ps * 1000) : 0;
}

struct power_interval chip_power_interval(const struct gpu *g, unsigned i)
{
	const struct power *p = g->chip->power;
	const struct power_sample *from = &p->sample[i], *to = from + 1;
	struct power_interval of = {.cycle = p->before_cycles + from->cycle,
		.cycles = to->cycle - from->cycle,
		.energy = energy_less(&to->sum, &from->sum)};

	of.watts = watts(g->chip, of.energy.total_fj, of.cycles);
	return of;
}

struct power_summary chip_power_summary(const struct gpu *g)
{
	struct power_summary s = {0};
	unsigned n = chip_power_intervals(g);

	for (unsigned i = 0; i < n; i++) {
		struct power_interval one = chip_power_interval(g, i);

		if (one.watts > s.peak_w)
			s = (struct power_summary){.peak_w = one.watts, .peak = i};
	}
	if (n)
		s.mean_w = watts(g->chip, g->chip->power->sample[n].sum.total_fj,
			g->chip->power->sample[n].cycle);
	return s;
}
