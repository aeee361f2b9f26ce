/* Which times mean what: states that need no geometry are made on purpose, on eight addresses, and
 * the times of one state are a range. Each path has three: touched before; touched in a script
 * before, which the caches of the SM do not outlive; never touched. A line nearby is touched first,
 * so that the page's translation is there. */
#include "runs/probe/inside.h"

#define PLACES 24
#define NEARBY 1024 /* bytes: another line of the same page */

static const char *const path_names[] = {
	[VERBS_CA] = "ld.ca", [VERBS_CG] = "ld.cg", [VERBS_NC] = "ld.nc", [VERBS_TEX] = "tex"};

/* Times that are compared are of a segment's first step: those after it follow other instructions,
 * and can be a cycle shorter. */

/* In several slices, sets, rows and pages. */
static uint32_t place(uint32_t i)
{
	return i * (8192 + 256) + i / 8 * (640 << 10);
}

void range_add(struct range *r, uint32_t cycles)
{
	if (!r->high || cycles < r->low)
		r->low = cycles;
	if (cycles > r->high)
		r->high = cycles;
}

uint32_t range_limit(struct range near, struct range far)
{
	return near.high && near.high + 2 <= far.low ? far.low - (far.low - near.high + 3) / 4 : 0;
}

/* The times of a state by address. */
struct times {
	uint32_t near[2 * PLACES], l2[PLACES], far[PLACES];
};

static void measure_place(struct prober *p, enum verbs_path path, uint32_t i, struct times *t)
{
	uint32_t at = place(i);

	plan_forget(p);
	plan_start(p);
	plan_add(p, at + NEARBY, path, VERBS_TOUCH);
	plan_add(p, at, path, VERBS_TIME);
	plan_run(p, 0);
	t->far[i] = p->results[0];
	plan_start(p);
	plan_add(p, at + NEARBY, path, VERBS_TOUCH);
	plan_add(p, at, path, VERBS_TIME);
	plan_run(p, 0);
	t->l2[i] = p->results[0];
	plan_start(p);
	for (unsigned k = 0; k < 5; k++)
		plan_add(p, at, path, k == 2 || k == 4 ? VERBS_TIME : VERBS_TOUCH);
	plan_run(p, 0);
	t->near[2 * i] = p->results[0];
	t->near[2 * i + 1] = p->results[1];
}

/* Code and parameters may evict a line between two scripts: what takes as long as all that was
 * never touched is left out, if it is a quarter at most. */
static void measure_path(struct prober *p, enum verbs_path path, struct path_times *r)
{
	struct times *t = arena_alloc(p->arena, 1, sizeof(*t));
	unsigned evicted = 0;

	for (uint32_t i = 0; i < PLACES; i++) {
		measure_place(p, path, i, t);
		range_add(&r->far, t->far[i]);
		range_add(&r->near, t->near[2 * i]);
		range_add(&r->near, t->near[2 * i + 1]);
	}
	for (uint32_t i = 0; i < PLACES; i++)
		evicted += t->l2[i] >= r->far.low;
	for (uint32_t i = 0; i < PLACES; i++)
		if (t->l2[i] < r->far.low || evicted > PLACES / 4)
			range_add(&r->l2, t->l2[i]);
}

static void measure_steps(struct prober *p)
{
	plan_start(p);
	for (unsigned i = 0; i < 4; i++)
		plan_add(p, 0, i % 2 ? VERBS_TWO_ADDITIONS : VERBS_ONE_ADDITION, VERBS_TIME);
	plan_run(p, 0);
	p->one = p->results[2];
	p->addition = p->results[3] - p->results[2];
}

/* After a load of the line, does ld.cg find it as near? */
static void measure_bypass(struct prober *p)
{
	plan_start(p);
	plan_add(p, 0, VERBS_CA, VERBS_TOUCH);
	plan_add(p, 0, VERBS_CA, VERBS_TOUCH);
	plan_add(p, 0, VERBS_CG, VERBS_TIME);
	plan_run(p, 0);
	p->bypass = p->results[0] > p->path[VERBS_CA].near.high + 1;
}

static void say_range(
	struct prober *p, const char *level, const char *item, struct range r, const char *how)
{
	uint32_t less = p->one - p->addition;
	uint32_t low = r.low - less, high = r.high - less;

	if (r.low < less)
		say_not(p, level, item, "an access takes no longer than an addition");
	else if (low == high)
		say(p, level, item, low, words(p, "%u cycles", low), how);
	else
		say(p, level, item, low, words(p, "%u to %u cycles", low, high), how);
}

static void say_path(struct prober *p, unsigned path)
{
	const struct path_times *t = &p->path[path];

	say_range(p, path_names[path], "latency, touched before", t->near,
		"24 addresses, each twice after it was touched, from load to use");
	say_range(p, path_names[path], "latency, touched in a launch before", t->l2,
		"24 addresses, the caches of the SM empty, the page's translation near");
	say_range(p, path_names[path], "latency, never touched", t->far,
		"24 addresses, all caches empty, the page's translation near");
}

void probe_latency(struct prober *p, bool tell)
{
	measure_steps(p);
	for (unsigned path = 0; path <= VERBS_TEX; path++)
		measure_path(p, path, &p->path[path]);
	measure_bypass(p);
	if (!tell)
		return;
	say(p, "addition", "latency", p->addition, words(p, "%u cycles", p->addition),
		"a step with two dependent additions less one with one");
	for (unsigned path = 0; path <= VERBS_TEX; path++)
		say_path(p, path);
	say(p, "ld.cg", "L1", p->bypass, p->bypass ? "does not look it up" : "as ld.ca",
		"ld.cg of a line that ld.ca touched right before");
}
