/* Looking: after every step of a component, what is not what it was. */
#include "core/probe_inside.h"

static void push(struct probe *p, struct record r)
{
	BUG_ON(p->nrecords == p->room);
	p->records[p->nrecords++] = r;
}

static void push_sum(struct probe *p, struct watched *w, uint64_t sum)
{
	BUG_ON(p->nsums == p->sums_room);
	p->sums[p->nsums++] = (struct record){p->start, sum, w->id, w->what};
	w->told = sum;
	w->told_any = true;
}

/* ---- intervals */
/* True while the next interval's sum may be another one than this one's. */
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
	if (!w->told_any || w->sum != w->told)
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

static void saw(struct probe *p, unsigned i, tick_t at, uint64_t raw)
{
	struct watched *w = &p->watched[i];

	p->eyes[i].raw = raw;
	compare(p, w, at, w->def->ones ? count_bits(raw) : raw);
}

/* Of a link's ends the numbers run around; what they have grown by does not. */
static void saw32(struct probe *p, unsigned i, tick_t at, uint32_t raw)
{
	struct watched *w = &p->watched[p->neyes + i];
	uint32_t growth = raw - p->eyes32[i].raw;

	p->eyes32[i].raw = raw;
	change(p, w, at, w->what == RECORD_VALUE ? raw : w->value + growth);
}

/* ---- all of a component's */
static inline struct watched *first_computed(const struct probe *p)
{
	return p->watched + p->neyes + p->neyes32;
}

static void look(struct probe *p, uint64_t cycle, tick_t at)
{
	if (p->means && at >= probe_interval_end(p))
		probe_roll(p, at);
	for (unsigned i = 0; i < p->neyes; i++)
		if (*p->eyes[i].at != p->eyes[i].raw)
			saw(p, i, at, *p->eyes[i].at);
	for (unsigned i = 0; i < p->neyes32; i++)
		if (*p->eyes32[i].at != p->eyes32[i].raw)
			saw32(p, i, at, *p->eyes32[i].at);
	for (struct watched *w = first_computed(p); w < p->watched + p->nwatched; w++)
		compare(p, w, at, w->def->get(p->component, w->def->arg, cycle));
	p->looked = cycle;
}

static void before(struct probe *p, uint64_t cycle)
{
	struct watched *w = first_computed(p);

	for (unsigned i = 0; i < p->nbefore; i++)
		w[i].def->before(p->component, w[i].def->arg, cycle);
}

/* The cycles behind, when the component is not stepped in the very next one. */
static void look_behind(struct probe *p, tick_t at)
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
	p->looked = div_up(p->all->from, c->period_ps);
	if (p->lazy)
		p->ops->advance(c, p->looked);
	before(p, p->looked);
	for (unsigned i = 0; i < p->neyes; i++, w++) {
		p->eyes[i].raw = *p->eyes[i].at;
		begin(p, w, w->def->ones ? count_bits(p->eyes[i].raw) : p->eyes[i].raw);
	}
	for (unsigned i = 0; i < p->neyes32; i++, w++) {
		p->eyes32[i].raw = *p->eyes32[i].at;
		begin(p, w, p->eyes32[i].raw);
	}
	for (; w < p->watched + p->nwatched; w++) {
		uint64_t value = w->def->get(c, w->def->arg, p->looked);

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
		uint64_t cycle = p->ops->next(c, p->looked);

		if (cycle >= last)
			return;
		p->ops->advance(c, cycle);
		look(p, cycle, cycle * c->period_ps);
	}
}

/* A step that nobody looks at. After the first one behind the end, what was before it is gone. */
static enum step step_unseen(struct probe *p, uint64_t cycle, tick_t now)
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
	enum step answer;

	if (now < p->all->from || now >= p->all->to)
		return step_unseen(p, cycle, now);
	if (!p->based)
		probe_base(p);
	probe_catch_up(p, now);
	before(p, cycle);
	answer = p->step(c, cycle);
	look(p, cycle, now);
	if (answer == STEP_SLEEP)
		look_behind(p, now);
	if (p->nrecords || p->nsums || (p->lazy && p->ops->next(c, cycle) != UINT64_MAX))
		edge_request(c);
	return answer;
}

void probe_note(struct probe *p, struct probe_event e)
{
	push(p, (struct record){sim_now(p->component), e.b, e.a, RECORD_EVENT + (uint32_t)e.code});
	edge_request(p->component);
}
