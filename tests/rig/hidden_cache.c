/* A cache of a hidden machine: any index, any replacement, sectors, slices, unequal sets. */
#include "tests/rig/hidden.h"

#include <string.h>

#include "core/mem.h"

void hidden_cache_start(struct hidden_cache *c)
{
	uint32_t sets = c->sets * (c->slices ? c->slices : 1);

	c->seen = mem_alloc(sets, sizeof(*c->seen));
	c->next = mem_alloc(sets, sizeof(*c->next));
	c->tree = mem_alloc(sets, sizeof(*c->tree));
	c->way = mem_alloc((size_t)sets * c->ways, sizeof(*c->way));
	hidden_cache_empty(c);
}

void hidden_cache_stop(struct hidden_cache *c)
{
	mem_free(c->seen);
	mem_free(c->next);
	mem_free(c->tree);
	mem_free(c->way);
}

void hidden_cache_empty(struct hidden_cache *c)
{
	c->epoch++;
	memset(c->victim, 0xff, sizeof(c->victim));
}

/* Numbers of a slice's lines, without gaps. */
static uint64_t own_number(const struct hidden_cache *c, uint64_t line, uint32_t *slice)
{
	uint64_t block = c->slices > 1 ? line / c->block : 0, row;

	*slice = 0;
	if (c->slices < 2)
		return line;
	row = block / c->slices;
	*slice = (uint32_t)(block % c->slices);
	if (c->slice_hash)
		*slice ^= (uint32_t)(row ^ row >> 4) % c->slices;
	return row * c->block + line % c->block;
}

static uint32_t set_of(const struct hidden_cache *c, uint64_t line, uint32_t way)
{
	uint32_t slice;
	uint64_t n = own_number(c, line, &slice);
	uint32_t first = slice * c->sets;

	if (c->map)
		return c->map[n % c->mapped];
	switch (c->index) {
	case HIDDEN_SHIFTED:
		return first + (uint32_t)(n >> c->shift) % c->sets;
	case HIDDEN_XOR:
		return first + (uint32_t)(n ^ n / c->sets) % c->sets;
	case HIDDEN_FOLDED:
		return first + (uint32_t)(n ^ n >> c->shift ^ n >> (c->shift + 4)) % c->sets;
	case HIDDEN_SKEWED:
		return first + (uint32_t)((n * (2 * way + 1)) ^ (n >> (3 + way))) % c->sets;
	default:
		return first + (uint32_t)(n % c->sets);
	}
}

uint32_t hidden_cache_set(const struct hidden_cache *c, uint64_t address)
{
	return set_of(c, address / c->line, 0);
}

uint64_t hidden_cache_units(const struct hidden_cache *c)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < c->sets; i++)
		sum += c->set_ways ? c->set_ways[i] : c->ways;
	return sum * (c->slices ? c->slices : 1);
}

static struct hidden_way *way_at(struct hidden_cache *c, uint64_t line, uint32_t way)
{
	uint32_t set = set_of(c, line, c->index == HIDDEN_SKEWED ? way : 0);

	if (c->seen[set] != c->epoch) {
		memset(&c->way[(size_t)set * c->ways], 0, c->ways * sizeof(*c->way));
		c->seen[set] = c->epoch;
		c->next[set] = c->tree[set] = 0;
	}
	return &c->way[(size_t)set * c->ways + way];
}

static uint32_t weighted_way(struct hidden_cache *c, uint32_t ways)
{
	uint32_t sum = 0, pick, way = 0;

	for (uint32_t i = 0; i < ways; i++)
		sum += c->weight[i];
	for (pick = rng_below(&c->rng, sum); pick >= c->weight[way]; way++)
		pick -= c->weight[way];
	return way;
}

/* Each node of the tree points away from what was used last. */
static uint32_t tree_way(const struct hidden_cache *c, uint32_t set)
{
	uint32_t node = 1;

	while (node < c->ways)
		node = 2 * node + (c->tree[set] >> node & 1);
	return node - c->ways;
}

static void tree_use(struct hidden_cache *c, uint32_t set, uint32_t way)
{
	for (uint32_t node = (way + c->ways) / 2, from = way + c->ways; node;
		from = node, node /= 2)
		if (from & 1)
			c->tree[set] &= ~(1u << node);
		else
			c->tree[set] |= 1u << node;
}

static uint32_t victim_way(struct hidden_cache *c, uint64_t line, uint32_t ways)
{
	uint32_t way = 0, set = set_of(c, line, 0);

	switch (c->policy) {
	case HIDDEN_RANDOM:
		return rng_below(&c->rng, ways);
	case HIDDEN_WEIGHTED:
		return weighted_way(c, ways);
	case HIDDEN_LISTED:
		return c->order[c->next[set]++ % c->period];
	case HIDDEN_TREE:
		return tree_way(c, set);
	default:
		break;
	}
	for (uint32_t i = 1; i < ways; i++)
		if (way_at(c, line, i)->since < way_at(c, line, way)->since)
			way = i;
	return way;
}

static void use(
	struct hidden_cache *c, struct hidden_way *w, uint64_t line, uint32_t way, bool fill)
{
	if (fill || c->policy != HIDDEN_FIFO)
		w->since = ++c->clock;
	if (c->policy == HIDDEN_TREE)
		tree_use(c, set_of(c, line, 0), way);
}

static bool in_victims(const struct hidden_cache *c, uint64_t line)
{
	for (uint32_t i = 0; i < c->victims; i++)
		if (c->victim[i] == line)
			return true;
	return false;
}

static void fill(struct hidden_cache *c, uint64_t line, uint32_t sector)
{
	uint32_t ways = c->set_ways ? c->set_ways[set_of(c, line, 0)] : c->ways, way = 0;
	struct hidden_way *w;

	while (way < ways && way_at(c, line, way)->sectors)
		way++;
	if (way == ways)
		way = victim_way(c, line, ways);
	w = way_at(c, line, way);
	if (c->victims && w->sectors)
		c->victim[c->last_victim++ % c->victims] = w->number;
	*w = (struct hidden_way){line, 0, sector};
	use(c, w, line, way, true);
}

static bool look_up(struct hidden_cache *c, uint64_t line, uint32_t sector)
{
	uint32_t ways = c->set_ways ? c->set_ways[set_of(c, line, 0)] : c->ways;

	for (uint32_t way = 0; way < ways; way++) {
		struct hidden_way *w = way_at(c, line, way);
		bool hit = w->sectors & sector;

		if (!w->sectors || w->number != line)
			continue;
		w->sectors |= sector;
		use(c, w, line, way, false);
		return hit;
	}
	if (in_victims(c, line))
		return true;
	fill(c, line, sector);
	return false;
}

bool hidden_cache_access(struct hidden_cache *c, uint64_t address)
{
	uint64_t line = address / c->line;
	bool hit = look_up(c, line, 1u << address % c->line / c->fill);

	if (!hit && c->prefetches)
		look_up(c, line + 1, ~0u);
	return hit;
}
