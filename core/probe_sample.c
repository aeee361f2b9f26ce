/* Sampling: after every step of a component, finding the signals that changed. */
#include "core/probe_inside.h"

static void push(struct probe *p, struct record r)
{
	BUG_ON(p->nrecords == p->cap);
	p->records[p->nrecords++] = r;
}

static void push_sum(struct probe *p, struct watched *w, uint64_t sum)
{
	BUG_ON(p->nsums == p->sums_cap);
	p->sums[p->nsums++] = (struct record){p->start, sum, w->id, w->what};
	w->reported = sum;
	w->reported_any = true;
}

/* ---- intervals */
/* True while the next interval's sum may differ from this one's. */
static bool end_interval(struct probe *p, struct watched *w)
{
	tick_t end = probe_interval_end(p);
	uint64_t steady = 0;

	if (!w->moving)
		return false;
	if (w->def->kind == SIGNAL_LEVEL) {
		steady = w->value * p->all->every;
		w->sum += w->value * (end - max_u64(w->since, p->start));
	}
	w->since = end;
	if (!w->reported_any || w->sum != w->reported)
		push_sum(p, w, w->sum);
	w->moving = w->sum != steady;
	w->sum = 0;
	return w->moving;
}

void probe_roll(struct probe *p, tick_t at)
{
	bool moving = true;

	while (at >= probe_interval_end(p)) {
		if (!moving) {
			p->start += (at - p->start) / p->all->every * p->all->every;
			return;
		}
		moving = false;
		for (unsigned i = 0; i < p->nwatched; i++)
			moving |= end_interval(p, &p->watched[i]);
		p->start = probe_interval_end(p);
	}
}

void probe_roll_last(struct probe *p, tick_t at)
{
	for (unsigned i = 0; i < p->nwatched && at > p->start; i++) {
		struct watched *w = &p->watched[i];

		if (!w->means)
			continue;
		if (w->def->kind == SIGNAL_LEVEL)
			w->sum += w->value * (at - max_u64(w->since, p->start));
		push_sum(p, w, w->sum);
	}
}

/* ---- one signal */
static void change(struct probe *p, struct watched *w, tick_t at, uint64_t value)
{
	if (w->means) {
		if (w->def->kind == SIGNAL_LEVEL)
			w->sum += w->value * (at - max_u64(w->since, p->start));
		else
			w->sum += value - w->value;
		w->since = at;
		w->moving = true;
	}
	w->value = value;
	if (w->values)
		push(p, (struct record){at, value, w->id, w->what});
}

static inline void compare(struct probe *p, struct watched *w, tick_t at, uint64_t value)
{
	if (value != w->value)
		change(p, w, at, value);
}

static void changed(struct probe *p, unsigned i, tick_t at, uint64_t raw)
{
	struct watched *w = &p->watched[i];

	p->cells[i].raw = raw;
	compare(p, w, at, w->def->ones ? count_bits(raw) : raw);
}

/* The counters of a link's ends wrap around; their growth does not. */
static void changed32(struct probe *p, unsigned i, tick_t at, uint32_t raw)
{
	struct watched *w = &p->watched[p->ncells + i];
	uint32_t growth = raw - p->cells32[i].raw;

	p->cells32[i].raw = raw;
	change(p, w, at, w->what == RECORD_VALUE ? raw : w->value + growth);
}

/* ---- all signals of a component */
static inline struct watched *first_computed(const struct probe *p)
{
	return p->watched + p->ncells + p->ncells32;
}

static void sample(struct probe *p, uint64_t cycle, tick_t at)
{
	if (p->means && at >= probe_interval_end(p))
		probe_roll(p, at);
	for (unsigned i = 0; i < p->ncells; i++)
		if (*p->cells[i].at != p->cells[i].raw)
			changed(p, i, at, *p->cells[i].at);
	for (unsigned i = 0; i < p->ncells32; i++)
		if (*p->cells32[i].at != p->cells32[i].raw)
			changed32(p, i, at, *p->cells32[i].at);
	for (struct watched *w = first_computed(p); w < p->watched + p->nwatched; w++)
		compare(p, w, at, w->def->get(p->component, w->def->arg, cycle));
	p->sampled = cycle;
}

static void before(struct probe *p, uint64_t cycle)
{
	struct watched *w = first_computed(p);

	for (unsigned i = 0; i < p->nbefore; i++)
		w[i].def->before(p->component, w[i].def->arg, cycle);
}

/* The cycles after a step, when the component is not stepped in the next one. */
static void sample_after(struct probe *p, tick_t at)
{
	tick_t behind = at + p->component->period_ps;

	if (behind >= p->all->to)
		return;
	for (struct watched *w = first_computed(p); w < p->watched + p->nwatched; w++) {
		uint64_t value;

		if (!w->def->settled)
			continue;
		value = w->def->settled(p->component, w->def->arg);
		if (value == w->value)
			continue;
		if (p->means && behind >= probe_interval_end(p))
			probe_roll(p, behind);
		change(p, w, behind, value);
	}
}

/* The first value counts as a change, but not as growth. */
static void begin(struct probe *p, struct watched *w, uint64_t value)
{
	w->value = value;
	w->since = p->all->from;
	w->moving = w->means;
	if (w->values)
		push(p, (struct record){p->all->from, value, w->id, w->what});
}

void probe_base(struct probe *p)
{
	struct component *c = p->component;
	struct watched *w = p->watched;

	p->based = true;
	p->start = p->all->from;
	p->sampled = div_up(p->all->from, c->period_ps);
	if (p->lazy)
		p->ops->advance(c, p->sampled);
	before(p, p->sampled);
	for (unsigned i = 0; i < p->ncells; i++, w++) {
		p->cells[i].raw = *p->cells[i].at;
		begin(p, w, w->def->ones ? count_bits(p->cells[i].raw) : p->cells[i].raw);
	}
	for (unsigned i = 0; i < p->ncells32; i++, w++) {
		p->cells32[i].raw = *p->cells32[i].at;
		begin(p, w, p->cells32[i].raw);
	}
	for (; w < p->watched + p->nwatched; w++) {
		uint64_t value = w->def->get(c, w->def->arg, p->sampled);

		begin(p, w, w->def->settled ? w->def->settled(c, w->def->arg) : value);
	}
}

void probe_catch_up(struct probe *p, tick_t end)
{
	struct component *c = p->component;
	uint64_t last = div_up(min_u64(end, p->all->to), c->period_ps);

	if (!p->lazy || p->closed)
		return;
	for (;;) {
		uint64_t cycle = p->ops->next(c, p->sampled);

		if (cycle >= last)
			return;
		p->ops->advance(c, cycle);
		sample(p, cycle, cycle * c->period_ps);
	}
}

/* A step outside the observed interval. The first one after it samples what changed before its end.
 */
static enum step step_unobserved(struct probe *p, uint64_t cycle, tick_t now)
{
	if (now >= p->all->to && p->based) {
		probe_catch_up(p, now);
		p->closed = true;
	}
	return p->step(p->component, cycle);
}

enum step probe_step(struct component *c, uint64_t cycle)
{
	struct probe *p = c->probe;
	tick_t now = sim_now(c);
	enum step result;

	if (now < p->all->from || now >= p->all->to)
		return step_unobserved(p, cycle, now);
	if (!p->based)
		probe_base(p);
	probe_catch_up(p, now);
	before(p, cycle);
	result = p->step(c, cycle);
	sample(p, cycle, now);
	if (result == STEP_SLEEP)
		sample_after(p, now);
	if (p->nrecords || p->nsums || (p->lazy && p->ops->next(c, cycle) != UINT64_MAX))
		edge_request(c);
	return result;
}

void probe_note(struct probe *p, struct probe_event e)
{
	push(p, (struct record){sim_now(p->component), e.b, e.a, RECORD_EVENT + (uint32_t)e.code});
	edge_request(p->component);
}
