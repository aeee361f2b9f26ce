/* The tag array of a cache: flat arrays over set * ways + way. */
#include "mem/cache.h"

#include "core/base.h"

#include <limits.h>
#include <string.h>

#define NO_LINE UINT64_MAX /* the tag of an empty way: no line's address is odd */

__extension__ typedef unsigned __int128 uint128;

/* Division by a constant d without dividing, exact for 32-bit dividends (Lemire et al., Faster
 * remainder by direct computation, 2019): inverse = ceil(2^64 / d), 0 for d = 1. */
struct divisor {
	uint64_t inverse, d;
};

struct cache {
	const struct replace_ops *ops;
	uint64_t *tags;
	uint8_t *valid, *dirty; /* granules */
	uint32_t *order;
	struct origin *owners; /* of dirty lines */
	unsigned ways, line_bytes, set_shift;
	uint64_t sets, most_bytes;
	struct divisor block, period, by_sets; /* period: interleave * block lines */
	struct rng rng;
	uint64_t (*place)(uint64_t, uint64_t); /* of a hash; NULL: the remainder */
	bool writes_touch;
	struct cache_books books;
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

/* The line's number among those that come here. */
static inline uint64_t own_number(const struct cache *c, uint64_t line)
{
	uint64_t n = line >> c->set_shift;

	return quotient(n, c->period) * c->block.d + remainder_of(n, c->block);
}

/* Apart from the common way, whose registers a call would cost. */
static __attribute__((noinline)) uint64_t hashed_set(const struct cache *c, uint64_t line)
{
	return c->place(own_number(c, line), c->by_sets.d);
}

static inline uint64_t set_of(const struct cache *c, uint64_t line)
{
	if (__builtin_expect(c->place != NULL, 0))
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

/* Whole sets only; less than one is no cache. */
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
	c->ways = config->ways;
	c->line_bytes = config->line_bytes ? config->line_bytes : LINE_BYTES;
	c->set_shift = low_bit(config->set_bytes ? config->set_bytes : LINE_BYTES);
	c->most_bytes = config->bytes;
	c->block = divisor_of(config->block);
	c->period = divisor_of((uint64_t)config->interleave * config->block);
	c->rng = rng_new(config->seed, 0);
	if (config->hash)
		c->place = ((const struct hash_ops *)config->hash->ops)->place;
	c->writes_touch = !config->writes_keep_the_order;
	take_capacity(c, config->bytes);
	lines = (size_t)c->sets * c->ways;
	BUG_ON(lines > INT_MAX);
	c->tags = arena_alloc(arena, lines, sizeof(*c->tags));
	c->valid = arena_alloc(arena, lines, sizeof(*c->valid));
	c->dirty = arena_alloc(arena, lines, sizeof(*c->dirty));
	c->order = arena_alloc(arena, lines, sizeof(*c->order));
	c->owners = arena_alloc(arena, lines, sizeof(*c->owners));
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

/* The line's way in the set that starts at `set`, or ways when it is not there. */
static inline unsigned find_way(const struct cache *c, size_t set, uint64_t line)
{
	unsigned way = 0;

	while (way < c->ways && c->tags[set + way] != line)
		way++;
	return way;
}

static inline void touch(struct cache *c, size_t set, unsigned way)
{
	c->ops->touched(c->order + set, c->ways, way);
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

int cache_lookup(struct cache *c, uint64_t line, uint8_t granules)
{
	size_t set;
	unsigned way;

	if (c->sets == 0)
		return -1;
	set = first_of_set(c, line);
	way = find_way(c, set, line);
	if (way == c->ways || (c->valid[set + way] & granules) != granules)
		return -1;
	touch(c, set, way);
	return (int)(set + way);
}

uint8_t cache_find(struct cache *c, uint64_t line, uint8_t granules)
{
	size_t set;
	unsigned way;

	if (c->sets == 0)
		return 0;
	set = first_of_set(c, line);
	way = find_way(c, set, line);
	if (way == c->ways)
		return 0;
	if ((c->valid[set + way] & granules) == granules)
		touch(c, set, way);
	return c->valid[set + way];
}

static void empty_way(struct cache *c, size_t i)
{
	c->tags[i] = NO_LINE;
	c->valid[i] = c->dirty[i] = 0;
}

static struct victim victim_at(const struct cache *c, size_t i)
{
	return (struct victim){.line = c->tags[i], .dirty = c->dirty[i], .owner = c->owners[i]};
}

/* A way for a line that is not there: an empty one, else the policy's victim. */
static size_t allocate(
	struct cache *c, size_t set, uint64_t line, struct victim *victim, bool *evicted)
{
	unsigned way = find_way(c, set, NO_LINE);

	if (way == c->ways) {
		way = c->ops->victim(c->order + set, c->ways, &c->rng);
		*victim = victim_at(c, set + way);
		*evicted = victim->dirty != 0;
		c->books.evicted += packet_granule_bytes[victim->dirty];
	}
	empty_way(c, set + way);
	c->tags[set + way] = line;
	c->ops->filled(c->order + set, c->ways, way, &c->rng);
	return set + way;
}

/* The line's place after it was touched or allocated. */
static size_t take(
	struct cache *c, uint64_t line, bool touches, struct victim *victim, bool *evicted)
{
	size_t set = first_of_set(c, line);
	unsigned way = find_way(c, set, line);

	*evicted = false;
	if (way == c->ways)
		return allocate(c, set, line, victim, evicted);
	if (touches)
		touch(c, set, way);
	return set + way;
}

static bool make_valid(
	struct cache *c, uint64_t line, uint8_t granules, bool touches, struct victim *victim)
{
	bool evicted;
	size_t i;

	if (c->sets == 0)
		return false;
	i = take(c, line, touches, victim, &evicted);
	c->valid[i] |= granules;
	return evicted;
}

bool cache_fill(struct cache *c, uint64_t line, uint8_t granules, struct victim *victim)
{
	return make_valid(c, line, granules, true, victim);
}

bool cache_update(struct cache *c, uint64_t line, uint8_t granules, struct victim *victim)
{
	return make_valid(c, line, granules, c->writes_touch, victim);
}

bool cache_write(struct cache *c, uint64_t line, uint8_t granules, const struct origin *owner,
	struct victim *victim)
{
	unsigned again;
	bool evicted;
	size_t i;

	if (c->sets == 0)
		return false;
	i = take(c, line, c->writes_touch, victim, &evicted);
	again = c->dirty[i] & granules;
	c->books.rewritten += packet_granule_bytes[again];
	c->books.dirtied += packet_granule_bytes[granules ^ again];
	c->valid[i] |= granules;
	c->dirty[i] |= granules;
	c->owners[i] = *owner;
	return evicted;
}

struct cache_books cache_books(const struct cache *c)
{
	return c->books;
}

uint64_t cache_dirty(const struct cache *c)
{
	size_t lines = (size_t)c->sets * c->ways;
	uint64_t dirty = 0;

	for (size_t i = 0; i < lines; i++)
		dirty += packet_granule_bytes[c->dirty[i]];
	return dirty;
}

void cache_invalidate(struct cache *c, uint64_t line)
{
	int h = cache_probe(c, line, 0);

	if (h < 0)
		return;
	c->books.dropped += packet_granule_bytes[c->dirty[h]];
	empty_way(c, (size_t)h);
}

void cache_invalidate_all(struct cache *c)
{
	size_t lines = (size_t)c->sets * c->ways;

	for (size_t i = 0; i < lines; i++)
		c->tags[i] = NO_LINE;
	if (lines == 0)
		return;
	c->books.dropped = c->books.dirtied - c->books.evicted - c->books.flushed;
	memset(c->valid, 0, lines * sizeof(*c->valid));
	memset(c->dirty, 0, lines * sizeof(*c->dirty));
	memset(c->order, 0, lines * sizeof(*c->order));
}

void cache_flush(struct cache *c, cache_flush_fn *visit, void *ctx)
{
	size_t lines = (size_t)c->sets * c->ways;

	for (size_t i = 0; i < lines; i++) {
		struct victim v = victim_at(c, i);

		if (!v.dirty)
			continue;
		c->dirty[i] = 0;
		c->books.flushed += packet_granule_bytes[v.dirty];
		visit(ctx, &v);
	}
}
