/* The order in which things are found out. */
#include "runs/probe/inside.h"

static bool is_apart(struct range near, struct range far)
{
	return range_limit(near, far) != 0;
}

/* A cache of one SM that a path looks up: all of it, or cyclic passes alone. */
static void probe_near(struct prober *p, enum verbs_path path, const char *name, bool passes)
{
	const struct path_times *t = &p->path[path];
	struct level l = {.name = name,
		.path = path,
		.limit = range_limit(t->near, t->l2),
		.units = UINT32_C(2) << 20};

	if (t->near.high + 1 >= t->l2.low && t->l2.high + 1 >= t->near.low)
		say(p, name, "capacity", 0, "none",
			words(p,
				"what was touched before takes %u to %u cycles, what a launch before "
				"touched %u to %u",
				t->near.low, t->near.high, t->l2.low, t->l2.high));
	else if (!l.limit)
		say_not(p, name, "capacity", "the times of hits and misses overlap");
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
		.apart = !none && !p->bypass,
		.forget = true,
		.limit = range_limit(t->l2, t->far)};

	if (!l.limit)
		say_not(p, "L2", "capacity",
			words(p,
				"what a launch before touched takes %u to %u cycles, what none touched %u to %u",
				t->l2.low, t->l2.high, t->far.low, t->far.high));
	else
		probe_cache(p, &l, true);
}

int probe_all(const struct verbs *v, unsigned parts, struct arena *arena, struct probe_report *r,
	struct err *err)
{
	struct prober *p = arena_alloc(arena, 1, sizeof(*p));

	*r = (struct probe_report){.at = arena_alloc(arena, PROBE_FINDINGS, sizeof(*r->at)),
		.dots = arena_alloc(arena, PROBE_DOTS, sizeof(*r->dots))};
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
	return p->bad ? -1 : 0;
}
