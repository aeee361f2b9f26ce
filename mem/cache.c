/* The tag array of a cache: flat arrays over set * ways + way. */
#include "mem/cache.h"

#include "core/state.h"

#include <limits.h>
#include <string.h>

#define NO_LINE CACHE_NO_LINE /* the tag of an empty way: no line's address is odd */

__extension__ typedef unsigned __int128 uint128;

/* Division by a constant d without dividing, exact for 32-bit dividends (Lemire et al., Faster
 * remainder by direct computation, 2019): inverse = ceil(2^64 / d), 0 for d = 1. */
struct divisor {
	uint64_t inverse, d;
};

struct cache {
	const struct replace_ops *ops;
	void *policy; /* the policies' state */
	uint64_t *tags;
	uint8_t *valid, *dirty; /* granules */
	bool *reserved;         /* NULL: none ever is */
	struct origin *owners;  /* of dirty lines */
	unsigned ways, line_bytes, set_shift;
	uint64_t sets, most_bytes;
	struct divisor block, period, by_sets; /* period: interleave * block lines */
	struct rng rng;
	uint64_t (*map)(const void *, uint64_t, uint64_t); /* of a hash; NULL: the remainder */
	const void *hash;
	bool writes_touch;
	struct cache_writes counts;
};

static struct divisor divisor_of(uint64_t d)
{
	return (struct divisor){.inverse = d == 1 ? 0 : UINT64_MAX / d + 1, .d = d};
}

static inline uint64_t quotient(uint64_t n, struct divisor by)
{
	if (by.d == 1)
		return n;
	if (n > UINT32_MAX || by.d > UINT32_MAX)
		return n / by.d;
	return (uint64_t)((uint128)by.inverse * n >> 64);
}

static inline uint64_t remainder_of(uint64_t n, struct divisor by)
{
	if (n > UINT32_MAX || by.d > UINT32_MAX)
		return n % by.d;
	return (uint64_t)((uint128)(by.inverse * n) * by.d >> 64);
}

/* The line's number among those that map to this cache. */
static inline uint64_t own_number(const struct cache *c, uint64_t line)
{
	uint64_t n = line >> c->set_shift;

	return quotient(n, c->period) * c->block.d + remainder_of(n, c->block);
}

/* Out of line: the call would cost the common path registers. */
static __attribute__((noinline)) uint64_t hashed_set(const struct cache *c, uint64_t line)
{
	return c->map(c->hash, own_number(c, line), c->by_sets.d);
}

static inline uint64_t set_of(const struct cache *c, uint64_t line)
{
	if (__builtin_expect(c->map != NULL, 0))
		return hashed_set(c, line);
	return remainder_of(own_number(c, line), c->by_sets);
}

static inline size_t first_of_set(const struct cache *c, uint64_t line)
{
	return set_of(c, line) * c->ways;
}

uint64_t cache_set(const struct cache *c, uint64_t line)
{
	return set_of(c, line);
}

/* Whole sets only; less than one set is no cache. */
static void take_capacity(struct cache *c, uint64_t bytes)
{
	c->sets = bytes / ((uint64_t)c->line_bytes * c->ways);
	if (c->sets)
		c->by_sets = divisor_of(c->sets);
}

struct cache *cache_new(const struct cache_config *config, struct arena *arena)
{
	struct cache *c = arena_alloc(arena, 1, sizeof(*c));
	size_t lines;

	BUG_ON(config->ways == 0 || config->ways > CACHE_WAYS || !config->interleave ||
		!config->block);
	c->ops = config->replacement->ops;
	c->policy = config->replacement->self;
	c->ways = config->ways;
	c->line_bytes = config->line_bytes ? config->line_bytes : LINE_BYTES;
	c->set_shift = low_bit(config->set_bytes ? config->set_bytes : LINE_BYTES);
	c->most_bytes = config->bytes;
	c->block = divisor_of(config->block);
	c->period = divisor_of((uint64_t)config->interleave * config->block);
	c->rng = rng_new(config->seed, 0);
	if (config->hash && config->hash->ops) {
		c->map = ((const struct hash_ops *)config->hash->ops)->map;
		c->hash = config->hash->self;
	}
	c->writes_touch = !config->writes_keep_the_order;
	take_capacity(c, config->bytes);
	lines = (size_t)c->sets * c->ways;
	BUG_ON(lines > INT_MAX);
	c->tags = arena_alloc(arena, lines, sizeof(*c->tags));
	c->valid = arena_alloc(arena, lines, sizeof(*c->valid));
	c->dirty = arena_alloc(arena, lines, sizeof(*c->dirty));
	c->owners = arena_alloc(arena, lines, sizeof(*c->owners));
	if (config->reserves)
		c->reserved = arena_alloc(arena, lines, sizeof(*c->reserved));
	if (c->ops && c->ops->init)
		c->ops->init(c->policy, c->sets, c->ways, arena);
	cache_invalidate_all(c);
	return c;
}

void cache_resize(struct cache *c, uint64_t bytes)
{
	size_t lines = (size_t)c->sets * c->ways;

	BUG_ON(bytes > c->most_bytes);
	for (size_t i = 0; i < lines; i++)
		BUG_ON(c->dirty[i]);
	take_capacity(c, bytes);
	cache_invalidate_all(c);
}

/* The line's way in the set that starts at `set`, or ways when it is not present. */
static inline unsigned find_way(const struct cache *c, size_t set, uint64_t line)
{
	unsigned way = 0;

	while (way < c->ways && c->tags[set + way] != line)
		way++;
	return way;
}

static inline void use(struct cache *c, uint64_t set, unsigned way, const struct cache_access *a)
{
	if (c->ops->used)
		c->ops->used(c->policy, set, way, a);
}

int cache_probe(const struct cache *c, uint64_t line, uint8_t granules)
{
	size_t set;
	unsigned way;

	if (c->sets == 0)
		return -1;
	set = first_of_set(c, line);
	way = find_way(c, set, line);
	return way < c->ways && (c->valid[set + way] & granules) == granules ? (int)(set + way)
									     : -1;
}

int cache_probe_way(const struct cache *c, uint64_t line, int way)
{
	if (way >= 0 && (size_t)way < (size_t)c->sets * c->ways && c->tags[way] == line)
		return way;
	return cache_probe(c, line, 0);
}

uint8_t cache_valid(const struct cache *c, uint64_t line)
{
	int h = cache_probe(c, line, 0);

	return h < 0 ? 0 : c->valid[h];
}

int cache_lookup(struct cache *c, uint8_t granules, const struct cache_access *a)
{
	uint64_t set;
	size_t first;
	unsigned way;

	if (c->sets == 0)
		return -1;
	set = set_of(c, a->line);
	first = set * c->ways;
	way = find_way(c, first, a->line);
	if (way == c->ways || (c->valid[first + way] & granules) != granules)
		return -1;
	use(c, set, way, a);
	return (int)(first + way);
}

uint8_t cache_find(struct cache *c, uint8_t granules, const struct cache_access *a)
{
	uint64_t set;
	size_t first;
	unsigned way;

	if (c->sets == 0)
		return 0;
	set = set_of(c, a->line);
	first = set * c->ways;
	way = find_way(c, first, a->line);
	if (way == c->ways)
		return 0;
	if ((c->valid[first + way] & granules) == granules)
		use(c, set, way, a);
	return c->valid[first + way];
}

static void empty_way(struct cache *c, size_t i)
{
	c->tags[i] = NO_LINE;
	c->valid[i] = c->dirty[i] = 0;
	if (c->reserved)
		c->reserved[i] = false;
}

static struct victim victim_at(const struct cache *c, size_t i)
{
	return (struct victim){.line = c->tags[i], .dirty = c->dirty[i], .owner = c->owners[i]};
}

#define NO_WAY SIZE_MAX

/* The policy's victim or, where ways are reserved, the next one that is not; c->ways: none. */
static unsigned choose_victim(struct cache *c, uint64_t set, const struct cache_access *a)
{
	unsigned way = c->ops->victim(c->policy, set, a, &c->rng), n = 0;
	const bool *reserved;

	if (!c->reserved)
		return way;
	reserved = c->reserved + set * c->ways;
	while (n < c->ways && reserved[(way + n) % c->ways])
		n++;
	return n < c->ways ? (way + n) % c->ways : c->ways;
}

/* A way for a line that is not present: an empty one, else a victim; NO_WAY: none, no effect. */
static size_t allocate(struct cache *c, uint64_t set, const struct cache_access *a,
	struct victim *victim, bool *evicted)
{
	size_t first = set * c->ways;
	unsigned way = find_way(c, first, NO_LINE);

	if (way == c->ways) {
		way = choose_victim(c, set, a);
		if (way == c->ways)
			return NO_WAY;
		*victim = victim_at(c, first + way);
		*evicted = victim->dirty != 0;
		c->counts.evicted += packet_granule_bytes[victim->dirty];
		if (c->ops->evicted)
			c->ops->evicted(c->policy, set, way, victim->line);
	}
	empty_way(c, first + way);
	c->tags[first + way] = a->line;
	if (c->ops->filled)
		c->ops->filled(c->policy, set, way, a, &c->rng);
	return first + way;
}

/* The line's handle after it was used or allocated; NO_WAY: all ways are reserved. */
static size_t take(struct cache *c, const struct cache_access *a, bool uses, struct victim *victim,
	bool *evicted)
{
	uint64_t set = set_of(c, a->line);
	size_t first = set * c->ways;
	unsigned way = find_way(c, first, a->line);

	*evicted = false;
	if (way == c->ways)
		return allocate(c, set, a, victim, evicted);
	if (uses)
		use(c, set, way, a);
	return first + way;
}

static bool make_valid(struct cache *c, uint8_t granules, const struct cache_access *a, bool uses,
	struct victim *victim)
{
	bool evicted;
	size_t i;

	victim->line = CACHE_NO_LINE;
	victim->way = -1;
	if (c->sets == 0)
		return false;
	i = take(c, a, uses, victim, &evicted);
	if (i == NO_WAY)
		return false;
	victim->way = (int)i;
	c->valid[i] |= granules;
	return evicted;
}

int cache_reserve(struct cache *c, const struct cache_access *a, struct victim *victim)
{
	bool evicted;
	size_t i;

	victim->line = CACHE_NO_LINE;
	if (c->sets == 0)
		return 0;
	i = take(c, a, false, victim, &evicted);
	if (i == NO_WAY)
		return -1;
	c->reserved[i] = true;
	return (int)i;
}

void cache_release(struct cache *c, uint64_t line)
{
	int h = cache_probe(c, line, 0);

	if (h >= 0)
		c->reserved[h] = false;
}

bool cache_fill(
	struct cache *c, uint8_t granules, const struct cache_access *a, struct victim *victim)
{
	return make_valid(c, granules, a, true, victim);
}

bool cache_update(
	struct cache *c, uint8_t granules, const struct cache_access *a, struct victim *victim)
{
	return make_valid(c, granules, a, c->writes_touch, victim);
}

bool cache_write(struct cache *c, uint8_t granules, const struct cache_access *a,
	const struct origin *owner, struct victim *victim)
{
	unsigned again;
	bool evicted;
	size_t i;

	victim->line = CACHE_NO_LINE;
	victim->way = -1;
	if (c->sets == 0)
		return false;
	i = take(c, a, c->writes_touch, victim, &evicted);
	BUG_ON(i == NO_WAY);
	victim->way = (int)i;
	again = c->dirty[i] & granules;
	c->counts.rewritten += packet_granule_bytes[again];
	c->counts.dirtied += packet_granule_bytes[granules ^ again];
	c->valid[i] |= granules;
	c->dirty[i] |= granules;
	c->owners[i] = *owner;
	return evicted;
}

struct cache_writes cache_writes(const struct cache *c)
{
	return c->counts;
}

uint64_t cache_dirty(const struct cache *c)
{
	size_t lines = (size_t)c->sets * c->ways;
	uint64_t dirty = 0;

	for (size_t i = 0; i < lines; i++)
		dirty += packet_granule_bytes[c->dirty[i]];
	return dirty;
}

bool cache_invalidate(struct cache *c, uint64_t line)
{
	int h = cache_probe(c, line, 0);

	if (h < 0)
		return false;
	c->counts.dropped += packet_granule_bytes[c->dirty[h]];
	empty_way(c, (size_t)h);
	return true;
}

void cache_invalidate_all(struct cache *c)
{
	size_t lines = (size_t)c->sets * c->ways;

	for (size_t i = 0; i < lines; i++)
		c->tags[i] = NO_LINE;
	if (lines == 0)
		return;
	c->counts.dropped = c->counts.dirtied - c->counts.evicted - c->counts.flushed;
	memset(c->valid, 0, lines * sizeof(*c->valid));
	memset(c->dirty, 0, lines * sizeof(*c->dirty));
	if (c->reserved)
		memset(c->reserved, 0, lines * sizeof(*c->reserved));
	if (c->ops && c->ops->emptied)
		c->ops->emptied(c->policy, c->sets);
}

void cache_each_owner(struct cache *c, cache_owner_fn *visit, void *ctx)
{
	size_t lines = (size_t)c->sets * c->ways;

	for (size_t i = 0; i < lines; i++)
		if (c->dirty[i])
			visit(ctx, &c->owners[i]);
}

void cache_flush(struct cache *c, cache_flush_fn *visit, void *ctx)
{
	size_t lines = (size_t)c->sets * c->ways;

	for (size_t i = 0; i < lines; i++) {
		struct victim v = victim_at(c, i);

		if (!v.dirty)
			continue;
		c->dirty[i] = 0;
		c->counts.flushed += packet_granule_bytes[v.dirty];
		visit(ctx, &v);
	}
}

static const struct state_field cache_kept[] = {
	STATE_KEPT(cache, ops),
	STATE_KEPT(cache, policy),
	STATE_KEPT(cache, tags),
	STATE_KEPT(cache, valid),
	STATE_KEPT(cache, dirty),
	STATE_KEPT(cache, reserved),
	STATE_KEPT(cache, owners),
	STATE_KEPT(cache, ways),
	STATE_KEPT(cache, line_bytes),
	STATE_KEPT(cache, set_shift),
	STATE_KEPT(cache, sets),
	STATE_KEPT(cache, most_bytes),
	STATE_KEPT(cache, block),
	STATE_KEPT(cache, period),
	STATE_KEPT(cache, by_sets),
	STATE_KEPT(cache, map),
	STATE_KEPT(cache, hash),
};

void cache_state(struct state *s, struct cache *c)
{
	uint64_t most = c->most_bytes / ((uint64_t)c->line_bytes * c->ways), sets = c->sets;
	size_t lines = (size_t)most * c->ways;

	STATE_STRUCT(s, c, cache_kept);
	STATE(s, sets);
	if (!state_most(s, sets, most))
		return;
	if (s->loads)
		take_capacity(c, sets * c->line_bytes * c->ways);
	state_bytes(s, c->tags, lines * sizeof(*c->tags));
	state_bytes(s, c->valid, lines * sizeof(*c->valid));
	state_bytes(s, c->dirty, lines * sizeof(*c->dirty));
	state_bytes(s, c->owners, lines * sizeof(*c->owners));
	if (c->reserved)
		state_bytes(s, c->reserved, lines * sizeof(*c->reserved));
}
