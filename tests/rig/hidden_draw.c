/* Hidden machines by seed. */
#include "tests/rig/hidden.h"

#define KB 1024u

static uint32_t between(struct rng *r, uint32_t low, uint32_t high)
{
	return low + rng_below(r, high - low + 1);
}

static void draw_policy(struct hidden_cache *c, struct rng *r)
{
	c->rng = rng_new(rng_u64(r), 1);
	c->policy = (enum hidden_policy)rng_below(r, HIDDEN_POLICIES);
	if ((c->policy == HIDDEN_WEIGHTED || c->policy == HIDDEN_LISTED) &&
		(c->ways < 3 || c->ways > 6))
		c->policy = HIDDEN_LRU;
	if (c->policy == HIDDEN_TREE && (c->ways < 4 || c->ways > 16 || c->ways & (c->ways - 1)))
		c->policy = HIDDEN_FIFO;
	if (c->policy == HIDDEN_RANDOM && c->ways > 16)
		c->policy = HIDDEN_LRU;
	for (uint32_t i = 0; i < 16; i++)
		c->weight[i] = 1;
	c->weight[rng_below(r, c->ways < 16 ? c->ways : 16)] = 3;
	c->period = c->ways < 16 ? c->ways + 1 : 2;
	for (uint32_t i = 0; i < c->period; i++)
		c->order[i] = i < c->ways ? (i * 2 + 1) % (c->ways | 1) % c->ways : 0;
}

static void draw_index(struct hidden_cache *c, struct rng *r)
{
	c->index = (enum hidden_index)rng_below(r, HIDDEN_INDICES);
	c->shift = c->index == HIDDEN_FOLDED ? 3 + rng_below(r, 3) : 1 + rng_below(r, 3);
}

/* 2 to 48 KB, 1 to 16 ways. */
static void draw_l1(struct hidden_cache *c, struct rng *r)
{
	*c = (struct hidden_cache){.present = rng_below(r, 12) != 0, .line = 128, .block = 1};
	c->fill = 32u << rng_below(r, 3);
	draw_index(c, r);
	do {
		c->ways = between(r, 1, 16);
		c->sets = c->index < HIDDEN_XOR ? between(r, 1, 96) : 4u << rng_below(r, 5);
	} while (c->sets * c->ways < 16 || c->sets * c->ways > 384);
	draw_policy(c, r);
}

static void draw_tex(struct hidden_cache *c, struct rng *r)
{
	static const uint32_t ways[] = {2, 4, 8, 16, 24, 48, 96};

	*c = (struct hidden_cache){.present = rng_below(r, 8) != 0, .block = 1};
	c->fill = c->line = 32u << rng_below(r, 3);
	draw_index(c, r);
	do {
		c->ways = ways[rng_below(r, 7)];
		c->sets = c->index < HIDDEN_XOR ? between(r, 1, 24) : 1u << between(r, 1, 5);
	} while (c->sets * c->ways * c->line < 2 * KB || c->sets * c->ways * c->line > 48 * KB);
	draw_policy(c, r);
}

static void draw_l2(struct hidden_cache *c, struct rng *r)
{
	static const uint32_t slices[] = {1, 2, 4, 6, 8, 12}, ways[] = {4, 6, 8, 12, 16};
	uint32_t bytes;

	*c = (struct hidden_cache){.present = true, .slices = slices[rng_below(r, 6)]};
	c->line = 32u << rng_below(r, 3);
	c->fill = c->line == 128 ? 32u << rng_below(r, 3) : c->line;
	c->block = 256 / c->line;
	c->slice_hash = !(c->slices & (c->slices - 1)) && rng_below(r, 2);
	c->index = rng_below(r, 3) ? HIDDEN_MODULO : HIDDEN_XOR;
	do {
		c->ways = ways[rng_below(r, 5)];
		c->sets = c->index ? 16u << rng_below(r, 6) : 8 * between(r, 2, 64);
		bytes = c->slices * c->sets * c->ways * c->line;
	} while (bytes > 1536 * KB || bytes < 128 * KB);
	if (c->slices & (c->slices - 1))
		c->index = HIDDEN_MODULO;
	draw_policy(c, r);
}

/* Where pages are in a list of sets, the first of which has more ways: page modulo all entries;
 * those that are equal for all sets are spread, the rest is the first set's. */
static void wrap(struct hidden_cache *c, uint32_t *ways, uint32_t *map)
{
	uint32_t each = ways[c->sets - 1];

	c->mapped = ways[0] + each * (c->sets - 1);
	for (uint32_t i = 0; i < c->mapped; i++)
		map[i] = i < each * c->sets ? i % c->sets : 0;
	c->map = map;
}

static void draw_tlbs(struct hidden *h, struct rng *r)
{
	struct hidden_cache *a = &h->tlb1, *b = &h->tlb2;
	uint32_t more, *ways = h->tlb_ways;

	h->page = rng_below(r, 8) ? 64 * KB << rng_below(r, 6) : 0;
	*a = *b = (struct hidden_cache){.present = h->page != 0, .line = h->page, .fill = h->page};
	a->sets = 1;
	a->ways = between(r, 4, 24);
	a->policy = (enum hidden_policy)rng_below(r, 2);
	b->sets = between(r, 2, 8);
	b->ways = between(r, 4, 16);
	b->policy = (enum hidden_policy)rng_below(r, 2);
	more = rng_below(r, 2) ? between(r, 1, 12) : 0;
	while (b->sets * b->ways < 2 * a->sets * a->ways)
		b->sets++;
	for (uint32_t i = 0; i < b->sets; i++)
		ways[i] = b->ways + (i ? 0 : more);
	b->ways += more;
	b->set_ways = ways;
	wrap(b, ways, h->tlb_map);
	h->tlb2_cycles = between(r, 5, 60);
	h->upper = between(r, 0, 300);
	h->window = h->page && rng_below(r, 2) ? 128u << (20 + rng_below(r, 3)) : 0;
	while (h->window && h->window / h->page < 4 * b->mapped)
		h->window = h->window < UINT32_C(512) << 20 ? 2 * h->window : 0;
	h->window_cycles = between(r, 20, 300);
}

void hidden_draw(struct hidden *h, uint64_t seed)
{
	struct rng r = rng_new(seed, 7);

	*h = (struct hidden){.step = 14, .addition = between(&r, 4, 24)};
	draw_l1(&h->l1, &r);
	draw_tex(&h->tex, &r);
	draw_l2(&h->l2, &r);
	draw_tlbs(h, &r);
	h->near = between(&r, 20, 120);
	h->second = h->near + between(&r, 10, 300);
	h->far = h->second + between(&r, 30, 500);
	h->near_tex = between(&r, 20, h->second - 6);
	h->pass = between(&r, 0, 20);
	h->pass_tex = between(&r, 0, 100);
	if (h->tlb2_cycles > (h->far - h->second) / 3)
		h->tlb2_cycles = (h->far - h->second) / 3;
	h->walk = between(&r, 8, (h->far - h->second) / 2);
	h->cg_is_ca = rng_below(&r, 4) == 0;
	if (h->cg_is_ca &&
		h->l1.fill > h->l2.fill) /* else the L1's misses would be the L2's fill */
		h->l1.fill = h->l2.fill;
	h->needs_tlb = h->cg_is_ca || rng_below(&r, 2);
	h->nc_is_tex = rng_below(&r, 2);
	h->code = between(&r, 0, 40);
	h->banks = 16u << rng_below(&r, 2);
	h->bank_bytes = rng_below(&r, 2) ? 8 : 4;
	h->bank_mode = rng_below(&r, 2) ? 8 : 4;
	h->shared = between(&r, 18, 60);
	h->shared_pass = between(&r, 32, 32 * 40);
}
