/* Block CTA scheduling (Lee et al., HPCA 2014, section 5): neighbouring CTAs, which often share
 * lines, go to one SM together, when it has space for the whole block. */
#include "chip/policy.h"

#include "core/state.h"

#define PARAMS(P, T) \
	P(T, UINT, block, 2, 1, 1024, "CTAs", \
		"CTAs of a block; fewer if an SM can never hold that many.")

#define STATS(S, T) S(T, COUNT, blocks, "blocks", "Blocks of CTAs started, the last ones included.")

struct bcs {
	struct {
		PARAMS(PARAM_FIELD, bcs)
	} p;
	struct {
		STATS(STAT_FIELD, bcs)
	} s;
};

TABLES(bcs, PARAMS, STATS);

/* A block's CTAs that its SM has not taken yet. */
struct rest {
	uint64_t next, end;
};

struct bcs_launch {
	uint64_t next; /* the first CTA of the next block */
	struct rest sm[];
};

/* The end of the block that begins with the launch's next CTA. */
static uint64_t end_of(
	const struct bcs *b, const struct dispatch_view *v, uint64_t first, uint64_t most)
{
	uint64_t size = min_u64(b->p.block, max_u64(most, 1));

	return min_u64(first + size, v->ctas);
}

static uint64_t next(const void *self, const void *launch, const struct dispatch_view *v)
{
	const struct bcs_launch *l = launch;
	const struct rest *rest = &l->sm[v->position];
	struct dispatch_load load;

	if (rest->next < rest->end)
		return rest->next;
	if (l->next == v->ctas)
		return NO_CTA;
	load = dispatch_look(v, v->position);
	return load.room >= end_of(self, v, l->next, load.most) - l->next ? l->next : NO_CTA;
}

static void started(void *self, void *launch, const struct dispatch_view *v, uint64_t cta)
{
	struct bcs *b = self;
	struct bcs_launch *l = launch;
	struct rest *rest = &l->sm[v->position];

	if (rest->next < rest->end) {
		rest->next++;
		return;
	}
	*rest = (struct rest){cta + 1, end_of(b, v, cta, dispatch_look(v, v->position).most)};
	l->next = rest->end;
	b->s.blocks++;
}

static void state(void *self, struct state *s)
{
	struct bcs *b = self;

	STATE(s, b->s);
}

static const struct dispatch_ops ops = {.launch_size = sizeof(struct bcs_launch),
	.sm_size = sizeof(struct rest),
	.next = next,
	.started = started};

const struct plugin dispatch_bcs = {
	.kind = "dispatch",
	.name = "bcs",
	.text = "Blocks of neighbouring CTAs go to one SM together.",
	.size = sizeof(struct bcs),
	.params = bcs_params,
	.nparams = ARRAY_LEN(bcs_params),
	.stats = bcs_stats,
	.nstats = ARRAY_LEN(bcs_stats),
	.ops = &ops,
	.state = state,
};
