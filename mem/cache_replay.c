/* Accesses through a tag array in sequence. */
#include "mem/cache_replay.h"

#include "core/base.h"
#include "mem/write.h"

#include <inttypes.h>

static const struct param_def params[] = {CACHE_REPLAY_PARAMS(PARAM_ROW, cache_replay)};

const struct param_table cache_replay_params = {"cache", params, ARRAY_LEN(params)};

static int check_power(const char *name, uint64_t v, struct err *err)
{
	if (v & (v - 1))
		return err_add(
			err, ERR_INPUT, "cache.%s = %" PRIu64 ": must be a power of two", name, v);
	return 0;
}

static int check_sizes(const struct cache_replay *r, struct err *err)
{
	uint64_t set = r->p.ways * r->p.line_bytes;
	int bad = check_power("line_bytes", r->p.line_bytes, err) |
		  check_power("sectors", r->p.sectors, err) |
		  check_power("access_bytes", r->p.access_bytes, err);

	if (bad)
		return -1;
	if (r->p.bytes % set)
		bad = err_add(err, ERR_INPUT,
			"cache.bytes = %" PRIu64 ": must be a multiple of cache.ways = %" PRIu64
			" lines of %" PRIu64 " bytes",
			r->p.bytes, r->p.ways, r->p.line_bytes);
	if (r->p.sectors > r->p.line_bytes)
		bad = err_add(err, ERR_INPUT,
			"cache.sectors = %" PRIu64 ": a line has %" PRIu64 " bytes", r->p.sectors,
			r->p.line_bytes);
	else if (r->p.access_bytes > r->p.line_bytes / r->p.sectors)
		bad = err_add(err, ERR_INPUT,
			"cache.access_bytes = %" PRIu64 ": must fit in one sector of %" PRIu64
			" bytes",
			r->p.access_bytes, r->p.line_bytes / r->p.sectors);
	return bad;
}

static int choose_policies(
	struct cache_replay *r, struct config *config, struct arena *arena, struct err *err)
{
	static const struct policy_scope replacement = {
		"replacement", "cache", "replacement", "cache"};
	static const struct policy_scope write = {"write policy", "cache", "write_policy", "cache"};
	static const struct policy_scope hash = {"hash", "cache", "set_hash", "cache"};

	struct replace_cache ways = {(unsigned)r->p.ways, config, arena};

	return replace_choose(&r->replacement, &replacement, r->p.replacement, &ways, err) |
	       policy_choose(&r->write, &write, r->p.write_policy, config, arena, err) |
	       policy_choose(&r->hash, &hash, r->p.set_hash, config, arena, err);
}

int cache_replay_init(struct cache_replay *r, struct config *config, uint64_t seed,
	struct arena *arena, struct err *err)
{
	struct cache_config cache = {.bytes = r->p.bytes,
		.ways = (unsigned)r->p.ways,
		.replacement = &r->replacement,
		.seed = seed,
		.interleave = 1,
		.block = 1,
		.line_bytes = (unsigned)r->p.line_bytes,
		.set_bytes = (unsigned)r->p.line_bytes,
		.hash = &r->hash,
		.writes_keep_the_order = !r->p.write_touches};
	const struct write_ops *write;

	if (check_sizes(r, err) | choose_policies(r, config, arena, err))
		return -1;
	write = r->write.ops;
	for (unsigned present = 0; present < 2; present++)
		r->acts[present] =
			(uint8_t)write->choose(r->write.self, present, r->p.write_allocate);
	r->sector_bytes = (unsigned)(r->p.line_bytes / r->p.sectors);
	r->cache = cache_new(&cache, arena);
	return 0;
}

/* The location of an access: its line, and its sector as one of the line's granules. Its time is
 * its number. */
struct location {
	struct cache_access access;
	uint8_t sector;
};

static struct location location_of(
	const struct cache_replay *r, uint64_t address, enum packet_kind kind)
{
	uint64_t line = address & ~(r->p.line_bytes - 1);

	return (struct location){
		.access = {.line = line, .cycle = r->s.reads + r->s.writes, .kind = (uint8_t)kind},
		.sector = (uint8_t)(1u << (address - line) / r->sector_bytes)};
}

static void write_back(struct cache_replay *r, const struct victim *v)
{
	r->s.bytes_to_memory += count_bits(v->dirty) * r->sector_bytes;
}

static void give_up(struct cache_replay *r, bool dirty, const struct victim *v)
{
	if (!dirty)
		return;
	r->s.lines_given_up++;
	write_back(r, v);
}

void cache_replay_read(struct cache_replay *r, uint64_t address)
{
	struct location at = location_of(r, address, PACKET_READ);
	struct victim v;

	r->s.reads++;
	if (cache_lookup(r->cache, at.sector, &at.access) >= 0)
		return;
	at.access.fill = true;
	r->s.read_misses++;
	r->s.bytes_from_memory += r->sector_bytes;
	give_up(r, cache_fill(r->cache, at.sector, &at.access, &v), &v);
}

void cache_replay_write(struct cache_replay *r, uint64_t address)
{
	static const struct origin nobody = {0};
	struct location at = location_of(r, address, PACKET_WRITE);
	bool missed = cache_probe(r->cache, at.access.line, at.sector) < 0;
	unsigned acts = r->acts[cache_probe(r->cache, at.access.line, 0) >= 0];
	struct victim v;

	r->s.writes++;
	r->s.write_misses += missed;
	if (missed && acts & (WRITE_DIRTY | WRITE_CLEAN) && r->p.write_fetches)
		r->s.bytes_from_memory += r->sector_bytes;
	if (acts & WRITE_DIRTY)
		give_up(r, cache_write(r->cache, at.sector, &at.access, &nobody, &v), &v);
	else if (acts & WRITE_CLEAN)
		give_up(r, cache_update(r->cache, at.sector, &at.access, &v), &v);
	if (acts & WRITE_MEMORY)
		r->s.bytes_to_memory += r->p.access_bytes;
}

static void flush_line(void *ctx, const struct victim *v)
{
	struct cache_replay *r = ctx;

	r->s.lines_flushed++;
	write_back(r, v);
}

void cache_replay_flush(struct cache_replay *r)
{
	cache_flush(r->cache, flush_line, r);
}
