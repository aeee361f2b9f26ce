/* The order in which things are found out. */
#include "runs/probe/inside.h"

static bool is_apart(struct range near, struct range far)
{
	return range_limit(near, far) != 0;
}

static bool overlap(struct range a, struct range b)
{
	return a.high + 1 >= b.low && b.high + 1 >= a.low;
}

#define STEPS_MOST 100u
#define TRIALS 8u

/* Unit 0 of a set of the L2 is touched before and after each of `steps` others. */
static bool is_lost(struct prober *p, const struct level *l2, uint32_t steps)
{
	uint32_t first = level_address(l2, l2->base[0]);

	p->overflow = false;
	plan_forget(p);
	plan_start(p);
	plan_add(p, first, l2->path, VERBS_TOUCH);
	for (uint32_t i = 0; i < steps; i++) {
		plan_add(p, level_address(l2, l2->base[1 + i % l2->ways]), l2->path, VERBS_TOUCH);
		plan_add(p, first, l2->path, VERBS_TOUCH);
	}
	plan_run(p, 0);
	plan_start(p);
	plan_add(p, first, l2->path, VERBS_TIME);
	plan_run(p, 0);
	return p->results[0] > l2->limit;
}

/* Hits of a cache may take as long as hits of the L2. Then the L2 loses what the cache has, though
 * it is used all the time. */
static void say_whether_none(struct prober *p, struct level *l)
{
	const struct path_times *t = &p->path[l->path];
	struct level l2 = {.name = "L2",
		.path = l->path,
		.again = l->path,
		.apart = true,
		.forget = true,
		.shared = true,
		.limit = range_limit(t->l2, t->far)};
	const char *times = words(p,
		"what was touched before takes %u to %u cycles, what a launch before touched %u to "
		"%u",
		t->near.low, t->near.high, t->l2.low, t->l2.high);
	bool lost = false;

	if (!l2.limit || !sets_any(p, &l2)) {
		say_none(p, l, words(p, "%s: there is none, or none that is faster", times));
		return;
	}
	for (uint32_t i = 0; i < TRIALS; i++)
		lost |= is_lost(
			p, &l2, (uint32_t)min_u64(l2.ways + i * (l2.ways + 1) / 4, STEPS_MOST));
	if (lost)
		say_none(p, l, words(p, "%s, though it has something: hits are no faster", times));
	else
		say(p, l->name, "capacity", 0, "none",
			words(p, "%s, and the L2 keeps what is touched all the time", times));
}

/* A cache of one SM that a path looks up: all of it, or cyclic passes alone. */
static void probe_near(struct prober *p, enum verbs_path path, const char *name, bool passes)
{
	const struct path_times *t = &p->path[path];
	struct level l = {.name = name,
		.path = path,
		.again = path,
		.limit = range_limit(t->near, t->l2),
		.units = UINT32_C(2) << 20};

	if (overlap(t->near, t->l2))
		say_whether_none(p, &l);
	else if (!l.limit)
		say_none(p, &l, "the times of hits and misses overlap");
	else if (probe_cache(p, &l, !passes) && passes)
		probe_passes(p, &l);
}

/* The level beyond the SMs. Where loads look up no nearer cache, both passes are one script. */
static void probe_far(struct prober *p)
{
	bool none = !is_apart(p->path[VERBS_CA].near, p->path[VERBS_CA].l2);
	enum verbs_path path = p->bypass ? VERBS_CG : VERBS_CA;
	const struct path_times *t = &p->path[path];
	struct level l = {.name = "L2",
		.path = path,
		.again = path,
		.apart = !none && !p->bypass,
		.forget = true,
		.shared = true,
		.limit = range_limit(t->l2, t->far)};

	if (!l.limit)
		say_none(p, &l,
			words(p,
				"what a launch before touched takes %u to %u cycles, what none touched %u to %u",
				t->l2.low, t->l2.high, t->far.low, t->far.high));
	else
		probe_cache(p, &l, true);
}

#define GEOMETRY "capacity", "sets", "ways", "index", "replacement", NULL

/* Each thing that was looked for is known or has a reason why it is not. */
static void say_all_rests(struct prober *p, unsigned parts)
{
	static const char *const cache[] = {"fill", "line", GEOMETRY};
	static const char *const tlb[] = {"page", GEOMETRY}, *const window[] = {"window", NULL};
	static const char *const misses[] = {"L1 TLB hit", "L1 TLB miss", "L2 TLB miss", NULL};
	static const struct {
		unsigned part;
		const char *level, *const *items, *why;
	} rests[] = {{PROBE_L1, "L1", cache, "no miss of it was found"},
		{PROBE_TEX, "texture cache", cache, "no miss of it was found"},
		{PROBE_L2, "L2", cache, "no miss of it was found"},
		{PROBE_TLB, "L1 TLB", tlb, "no miss of it was found"},
		{PROBE_TLB, "page table", window, "no page border was found"},
		{PROBE_TLB, "L2 TLB", tlb + 1,
			"it is measured beside pages that displace all of the L1 TLB, which is "
			"not determined, or no access misses it"},
		{PROBE_TLB, "translation", misses,
			"no number of pages, up to 500, whose data are near makes one slower"}};
	const struct finding *tlbs = probe_find(p->r, "L1 TLB", "capacity");
	bool absent = tlbs && tlbs->known && tlbs->number == 0;

	for (unsigned i = 0; i < ARRAY_LEN(rests); i++)
		if (parts & rests[i].part && !(absent && rests[i].part == PROBE_TLB))
			say_rest(p, rests[i].level, rests[i].items, rests[i].why);
}

int probe_all(const struct verbs *v, unsigned parts, struct arena *arena, struct probe_report *r,
	struct err *err)
{
	struct prober *p = arena_alloc(arena, 1, sizeof(*p));

	*r = (struct probe_report){.at = arena_alloc(arena, PROBE_FINDINGS, sizeof(*r->at)),
		.dots = arena_alloc(arena, PROBE_DOTS, sizeof(*r->dots)),
		.stairs = arena_alloc(arena, PROBE_STAIRS_MOST, sizeof(*r->stairs))};
	*p = (struct prober){.v = v, .arena = arena, .err = err, .r = r, .rng = rng_new(1, 0)};
	if (v->buffer(v->ctx, PROBE_BUFFER, err))
		return -1;
	p->pages = parts & PROBE_TLB_PASSES;
	probe_latency(p, parts & PROBE_LATENCY);
	if (parts & PROBE_L1)
		probe_near(p, VERBS_CA, "L1", false);
	if (parts & PROBE_L1_PASSES)
		probe_near(p, VERBS_CA, "L1", true);
	if (parts & PROBE_TEX)
		probe_near(p, VERBS_TEX, "texture cache", false);
	if (parts & PROBE_TEX_PASSES)
		probe_near(p, VERBS_TEX, "texture cache", true);
	if (parts & PROBE_L2)
		probe_far(p);
	if (parts & (PROBE_TLB | PROBE_PATTERNS | PROBE_TLB_PASSES))
		probe_tlbs(p);
	if (parts & PROBE_PATTERNS)
		probe_patterns(p);
	if (parts & PROBE_SHARED)
		probe_shared(p);
	if (parts & PROBE_STAIRS)
		probe_stairs(p);
	say_all_rests(p, parts);
	say_by_level(p);
	return p->bad ? -1 : 0;
}
