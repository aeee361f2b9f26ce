/* Scripts out of single accesses, and the test that every other rests on: whether units stay. From
 * empty caches they are touched once, then again. No access of the second pass misses exactly if no
 * set holds more of them than it has ways: free ways are filled first, and an overfull set lacks a
 * unit after the first pass, whatever was evicted. It assumes nothing of index or replacement. */
#include "runs/probe/inside.h"

#include <string.h>

void plan_start(struct prober *p)
{
	p->script.n = 0;
}

/* Whether the access continues the segment. */
static bool continues(
	struct verbs_segment *s, uint32_t address, enum verbs_path path, enum verbs_act act)
{
	if (s->path != path || s->act != act)
		return false;
	if (s->count == 1)
		s->stride = (int32_t)(address - s->first);
	return address == s->first + (uint32_t)s->stride * s->count;
}

void plan_add(struct prober *p, uint32_t address, enum verbs_path path, enum verbs_act act)
{
	struct verbs_segment *last = p->script.n ? &p->script.at[p->script.n - 1] : NULL;

	if (last && continues(last, address, path, act)) {
		last->count++;
		return;
	}
	if (p->script.n == VERBS_SEGMENTS) {
		p->overflow = true;
		return;
	}
	p->script.at[p->script.n++] = (struct verbs_segment){
		.first = address, .count = 1, .path = (uint8_t)path, .act = (uint8_t)act};
}

void plan_run(struct prober *p, uint32_t limit)
{
	p->script.limit = limit;
	p->nresults = verbs_results(&p->script);
	if (p->nresults > VERBS_RESULTS)
		p->overflow = true;
	memset(p->results, 0, sizeof(p->results));
	if (p->bad || p->overflow || !p->script.n)
		return;
	for (uint32_t i = 0; i < p->script.n; i++)
		p->r->accesses += p->script.at[i].count;
	p->r->scripts++;
	if (p->v->script(p->v->ctx, &p->script, p->results, p->err)) {
		memset(p->results, 0, sizeof(p->results));
		p->bad = true;
	}
}

void plan_forget(struct prober *p)
{
	if (!p->bad && p->v->forget(p->v->ctx, p->err))
		p->bad = true;
}

uint32_t level_address(const struct level *l, uint32_t unit)
{
	return l->origin + unit * l->unit + (uint32_t)((uint64_t)unit * l->skew % l->unit);
}

static void begin(struct prober *p, const struct level *l)
{
	p->overflow = false;
	if (l->forget)
		plan_forget(p);
	plan_start(p);
}

static void fill_in(struct prober *p, const struct level *l)
{
	for (uint32_t i = 0; i < l->fillers; i++)
		plan_add(p, level_address(l, l->filler[i]), l->path, VERBS_TOUCH);
}

static void next_pass(struct prober *p, const struct level *l)
{
	fill_in(p, l);
	if (!l->apart || l->again != l->path)
		return;
	plan_run(p, l->limit);
	plan_start(p);
}

/* Segments are in lines of a shared level, too: their number is the same for all lists. */
static void pad(struct prober *p, const struct level *l)
{
	const struct verbs_segment *last = &p->script.at[p->script.n - 1];

	if (!l->shared || !p->script.n)
		return;
	for (uint32_t i = p->script.n; i < VERBS_SEGMENTS; i++)
		p->script.at[p->script.n++] =
			(struct verbs_segment){last->first, 0, 1, last->path, VERBS_TOUCH};
}

static uint32_t end(struct prober *p, const struct level *l)
{
	uint32_t missed = 0;

	pad(p, l);
	plan_run(p, l->limit);
	for (uint32_t i = 0; i < p->nresults; i++)
		missed += p->results[i];
	return missed;
}

uint32_t level_misses(struct prober *p, const struct level *l, const uint32_t *units, uint32_t n)
{
	begin(p, l);
	for (uint32_t i = 0; i < n; i++)
		plan_add(p, level_address(l, units[i]), l->path, VERBS_TOUCH);
	next_pass(p, l);
	for (uint32_t i = 0; i < n; i++)
		plan_add(p, level_address(l, units[i]), l->again, VERBS_COUNT);
	return end(p, l);
}

bool level_stays_once(
	struct prober *p, const struct level *l, const uint32_t *units, uint32_t n, unsigned tries)
{
	for (unsigned i = 0; i < tries; i++)
		if (!level_misses(p, l, units, n))
			return true;
	return false;
}

bool level_stays(struct prober *p, const struct level *l, const uint32_t *units, uint32_t n)
{
	return level_stays_once(p, l, units, n, l->shared ? 2 : 1);
}

uint32_t level_misses_of(
	struct prober *p, const struct level *l, uint32_t first, uint32_t step, uint32_t n)
{
	begin(p, l);
	for (uint32_t i = 0; i < n; i++)
		plan_add(p, level_address(l, first + i * step), l->path, VERBS_TOUCH);
	next_pass(p, l);
	for (uint32_t i = 0; i < n; i++)
		plan_add(p, level_address(l, first + i * step), l->again, VERBS_COUNT);
	return end(p, l);
}

/* The accesses from `from` on that one script can hold; of a level apart no unit twice. */
static uint32_t piece(const struct level *l, const uint32_t *units, uint32_t from, uint32_t n)
{
	uint32_t end = from;

	if (!l->apart)
		return n;
	for (; end < n; end++)
		for (uint32_t i = from; i < end; i++)
			if (units[i] == units[end])
				return end;
	return end;
}

/* Fillers are needed only before what was touched before. */
static bool is_new(const uint32_t *units, uint32_t at)
{
	for (uint32_t i = 0; i < at; i++)
		if (units[i] == units[at])
			return false;
	return true;
}

void level_sequence(
	struct prober *p, const struct level *l, const uint32_t *units, uint32_t n, bool *hit)
{
	begin(p, l);
	for (uint32_t at = 0; at < n;) {
		uint32_t to = piece(l, units, at, n);

		plan_start(p);
		for (uint32_t i = at; i < to; i++) {
			if (l->fillers && !is_new(units, i))
				fill_in(p, l);
			plan_add(p, level_address(l, units[i]), l->path, VERBS_TIME);
		}
		plan_run(p, l->limit);
		for (uint32_t i = at; i < to; i++)
			hit[i] = p->results[i - at] <= l->limit;
		at = to;
	}
}
