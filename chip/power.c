/* Power over time: energies of growing counts at the edges of windows, whose differences are the
 * intervals'. */
#include "chip/power.h"

#include "chip/tally.h"
#include "core/state.h"

#include <string.h>

#define FIRST_WINDOWS 4u            /* of an interval, at first */
#define EXACT_FJ 9007199254740992.0 /* 2^53: sums of less have no rounding */

/* Everything from the run's beginning to a cycle. */
struct power_sample {
	uint64_t cycle;
	struct energy_stats stats;
	struct energy_sum sum; /* known at the end: most samples are left out before */
};

struct power {
	/* where parts count what energy is computed from, statistic by statistic; where each ends
	 */
	const uint64_t **position;
	unsigned end[ENERGY_STAT_COUNT];
	struct energy_stats before; /* what a warm-up had counted: it is left out */
	struct power_sample sample[POWER_INTERVALS + 1]; /* the first is of nothing */
	unsigned n;
	uint64_t step, next; /* cycles of an interval; when the present one ends */
};

static int no_memory(struct err *err)
{
	return err_add(err, ERR_RESOURCE, "no host memory for power over time");
}

int chip_power(struct gpu *g, struct err *err)
{
	struct chip *c = g->chip;

	if (!c)
		return 0;
	c->power = mem_alloc(1, sizeof(*c->power));
	if (!c->power)
		return no_memory(err);
	c->power->n = 1;
	c->power->step = c->power->next = FIRST_WINDOWS * c->p.window;
	return 0;
}

void power_free(struct chip *c)
{
	if (c->power)
		mem_free(c->power->position);
	mem_free(c->power);
}

/* ---- where it is counted */
#define NO_STAT ENERGY_STAT_COUNT

/* By row. */
static void find_stats(const struct tally *rows, enum energy_stat *of)
{
	enum energy_stat next = 0;

	for (unsigned i = 0; i < rows->n; i++) {
		bool is = next != NO_STAT && !strcmp(rows->row[i].name, energy_stat_name(next));

		of[i] = is ? next++ : NO_STAT;
	}
	BUG_ON(next != NO_STAT);
}

/* Once: the end of an interval then adds numbers up and searches for no names. With sim_edge_at,
 * instead of a request in each window, that is 31 % of needle's host instructions, 7 % of bfs's. */
static bool find_positions(struct power *p, const struct epochs *e)
{
	unsigned at[ENERGY_STAT_COUNT], n = 0;
	enum energy_stat of[TALLY_ROWS];

	find_stats(e->rows, of);
	for (unsigned i = 0; i < e->rows->n; i++) {
		if (of[i] == NO_STAT)
			continue;
		at[of[i]] = n;
		n += e->rows->row[i].parts;
		p->end[of[i]] = n;
	}
	p->position = mem_alloc(n, sizeof(*p->position));
	for (uint32_t i = 0; p->position && i < e->nspans; i++) {
		const struct epoch_span *s = &e->span[i];

		for (uint32_t k = 0; k < s->n; k++)
			if (of[s->row + k] != NO_STAT)
				p->position[at[of[s->row + k]]++] = s->at + k;
	}
	for (unsigned i = 0; i < ENERGY_STAT_COUNT && p->position; i++)
		BUG_ON(at[i] != p->end[i]);
	return p->position;
}

int power_start(struct chip *c, struct err *err)
{
	struct power *p = c->power;

	if (!p)
		return 0;
	if (!p->position && !find_positions(p, &c->epochs))
		return no_memory(err);
	sim_edge_at(c->sim, p->next * c->sm_ps);
	return 0;
}

/* ---- counts */
static void count_all(const struct chip *c, struct energy_stats *now, uint64_t cycles)
{
	const struct power *p = c->power;

	*now = (struct energy_stats){.cycles = cycles};
	now->unused_byte_cycles = dispatcher_unused(c->dispatcher, now->cycles);
	for (unsigned i = 0; i < c->p.sms; i++)
		sm_close_registers(c->sm[i]);
	for (unsigned k = 0, i = 0; k < ENERGY_STAT_COUNT; k++) {
		uint64_t sum = 0;

#pragma GCC unroll 8
		for (; i < p->end[k]; i++)
			sum += *p->position[i];
		now->sum[k] = sum;
	}
}

/* Without what a warm-up had counted. */
static void leave_out(struct energy_stats *now, const struct energy_stats *before)
{
	for (unsigned i = 0; i < ENERGY_STAT_COUNT; i++)
		now->sum[i] -= before->sum[i];
	now->cycles -= min_u64(before->cycles, now->cycles);
	now->unused_byte_cycles -= min_u64(before->unused_byte_cycles, now->unused_byte_cycles);
}

/* Traffic after the end of all launches belongs to their last interval. */
static void push(struct power *p, const struct energy_stats *stats)
{
	unsigned kept = 0;

	if (p->n > 1 && p->sample[p->n - 1].cycle == stats->cycles)
		p->n--;
	if (p->n > POWER_INTERVALS) {
		for (unsigned i = 0; i < p->n; i += 2)
			p->sample[kept++] = p->sample[i];
		p->n = kept;
		p->step *= 2;
	}
	p->sample[p->n].cycle = stats->cycles;
	p->sample[p->n++].stats = *stats;
}

void power_edge(struct chip *c, uint64_t cycle)
{
	struct power *p = c->power;
	bool runs = c->dispatcher->s.chip__ctas < c->queued_ctas;
	struct energy_stats now;

	if (!p || cycle < p->next)
		return;
	count_all(c, &now, runs ? cycle : c->last_end);
	leave_out(&now, &p->before);
	push(p, &now);
	p->next = (cycle / p->step + 1) * p->step;
	sim_edge_at(c->sim, p->next * c->sm_ps);
}

void power_warm(struct chip *c, uint64_t cycle)
{
	struct power *p = c->power;

	if (!p)
		return;
	count_all(c, &p->before, cycle);
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
	const struct chip_progress done = chip_progress(c->gpu);
	struct power *p = c->power;
	struct energy_stats all;
	struct energy_sum sum;

	if (!p || !p->position)
		return;
	count_all(c, &all, done.end_cycle ? done.end_cycle : done.cycle);
	leave_out(&all, &p->before);
	energy_of_stats(c->gpu, &all, &sum);
	while (p->n > 1 && p->sample[p->n - 1].cycle + p->step / 2 > all.cycles)
		p->n--;
	if (all.cycles || sum.total_fj > 0)
		push(p, &all);
	for (unsigned i = 1; i < p->n; i++)
		energy_of_stats(c->gpu, &p->sample[i].stats, &p->sample[i].sum);
	check(p, &sum);
}

/* ---- checkpoints */
/* What was loaded are intervals. */
static bool is_sound(const struct power *p)
{
	bool sound = p->step > 0;

	for (unsigned i = 1; i < p->n; i++)
		sound &= p->sample[i].cycle > p->sample[i - 1].cycle;
	return sound;
}

void power_state(struct state *s, struct chip *c)
{
	struct power *p = c->power;

	state_part(s, "power over time");
	state_same(s, p != NULL, "counts of power");
	if (!p || s->failed)
		return;
	STATE(s, p->before);
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
	struct power_interval of = {.cycle = p->before.cycles + from->cycle,
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
