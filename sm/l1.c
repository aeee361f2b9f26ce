/* The L1's making: its geometry, and which accesses it serves. */
#include "sm/l1.h"

#include "sm/state.h"

/* The route by cache operator, if l1.keeps is all: of global memory, and of local memory. A Kepler
 * keeps local memory only, whatever the operator. */
static const struct {
	uint8_t global, local;
} kept[] = {
	[CACHE_DEFAULT] = {L1_LOOKED_UP, L1_LOOKED_UP},
	[CACHE_ALL] = {L1_LOOKED_UP, L1_LOOKED_UP},
	[CACHE_GLOBAL] = {L1_PASSED, L1_PASSED},
	[CACHE_STREAM] = {L1_LOOKED_UP, L1_LOOKED_UP},
	[CACHE_VOLATILE] = {L1_DROPPED, L1_DROPPED},
	[CACHE_NC] = {L1_LOOKED_UP, L1_LOOKED_UP},
	[CACHE_WT] = {L1_PASSED, L1_PASSED},
};
_Static_assert(ARRAY_LEN(kept) == L1_OPERATORS, "a row for each cache operator");

static enum l1_route route_of(const struct sm_l1 *l, bool local, unsigned op)
{
	enum l1_keeps keeps = (enum l1_keeps)l->p.keeps;

	if (!l->p.operators)
		op = CACHE_DEFAULT;
	if (op == CACHE_NC && !local && l->p.read_only == L1_READ_ONLY_TEXTURE)
		return L1_TEXTURE;
	if (!l->bytes || keeps == L1_KEEPS_NONE || (keeps == L1_KEEPS_LOCAL && !local))
		return L1_PASSED;
	return (enum l1_route)(local ? kept[op].local : kept[op].global);
}

static uint16_t hit_cycles(const struct sm_l1 *l, enum width width, bool texture)
{
	const uint64_t own[WIDTHS] = {0, l->p.hit_cycles_64, l->p.hit_cycles_128};

	if (texture && l->p.read_only_cycles)
		return (uint16_t)l->p.read_only_cycles;
	return (uint16_t)(own[width] ? own[width] : l->p.hit_cycles);
}

void l1_resized(struct sm *sm, uint64_t bytes)
{
	struct sm_l1 *l = &sm->l1;

	l->bytes = bytes;
	for (unsigned i = 0; i < 2 * L1_OPERATORS * WIDTHS; i++) {
		bool local = i >= L1_OPERATORS * WIDTHS;
		unsigned op = i / WIDTHS % L1_OPERATORS;
		enum width width = (enum width)(i % WIDTHS);
		enum l1_route route = route_of(l, local, op);

		l->ways[local][op][width] =
			(struct l1_way){.hit_cycles = hit_cycles(l, width, route == L1_TEXTURE),
				.route = (uint8_t)route,
				.texels = route == L1_TEXTURE,
				.local = local};
	}
	l->texel_way = l->ways[0][CACHE_DEFAULT][WIDTH_32];
	l->texel_way.texels = true;
	if (sm->tex.p.bytes)
		l->texel_way.hit_cycles = 1;
	l->one_way = !l->p.operators && !l->p.hit_cycles_64 && !l->p.hit_cycles_128 &&
		     l->p.keeps != L1_KEEPS_LOCAL && l->p.write != L1_WRITES_EVICT;
}

uint8_t l1_sectors(const struct sm_l1 *l, uint8_t granules)
{
	unsigned n = (unsigned)l->p.sector_bytes / GRANULE_BYTES, sectors = 0;

	for (unsigned first = 0; first < 8; first += n) {
		unsigned sector = ((1u << n) - 1) << first;

		sectors |= granules & sector ? sector : 0;
	}
	return (uint8_t)sectors;
}

static void check_latency(const char *name, uint64_t cycles, struct err *err)
{
	if (cycles == 1)
		err_add(err, ERR_INPUT,
			"l1.%s = 1: the tags alone take a cycle; must be at least 2, or 0 for "
			"l1.hit_cycles",
			name);
}

static void check(const struct sm *sm, struct err *err)
{
	const struct sm_l1 *l = &sm->l1;

	check_latency("hit_cycles_64", l->p.hit_cycles_64, err);
	check_latency("hit_cycles_128", l->p.hit_cycles_128, err);
	check_latency("read_only_cycles", l->p.read_only_cycles, err);

	if (l->p.set_bytes & (l->p.set_bytes - 1))
		err_add(err, ERR_INPUT,
			"l1.set_bytes = %llu: must be a power of two from a line of %u bytes on",
			(unsigned long long)l->p.set_bytes, LINE_BYTES);
	if (sm->c.max_cache_bytes && sm->c.max_cache_bytes < l->p.ways * LINE_BYTES)
		err_add(err, ERR_INPUT,
			"l1.ways = %llu: a set has %llu bytes, the cache at most %llu; must be at most "
			"%llu",
			(unsigned long long)l->p.ways, (unsigned long long)l->p.ways * LINE_BYTES,
			(unsigned long long)sm->c.max_cache_bytes,
			(unsigned long long)max_u64(sm->c.max_cache_bytes / LINE_BYTES, 1));
	if (l->p.sector_bytes & (l->p.sector_bytes - 1))
		err_add(err, ERR_INPUT,
			"l1.sector_bytes = %llu: must be a power of two from %u to a line of %u bytes",
			(unsigned long long)l->p.sector_bytes, GRANULE_BYTES, LINE_BYTES);
	if (l->p.read_only == L1_READ_ONLY_TEXTURE && !sm->tex.p.bytes)
		err_add(err, ERR_INPUT,
			"l1.read_only = tex: tex.bytes = 0, so there is no texture cache; must be l1");
	if (l->p.read_only == L1_READ_ONLY_TEXTURE && !l->p.operators)
		err_add(err, ERR_INPUT,
			"l1.read_only = tex: without l1.operators no load is read-only; must be l1, or "
			"l1.operators = true");
}

static void make_cache(struct sm *sm, struct config *settings, struct arena *arena, struct err *err)
{
	static const struct policy_scope replacement = {
		"replacement", "l1", "replacement", "l1tex"};
	static const struct policy_scope hash = {"hash", "l1", "set_hash", "l1tex"};
	struct sm_l1 *l = &sm->l1;
	struct cache_config cache = {.bytes = sm->c.max_cache_bytes,
		.ways = (unsigned)l->p.ways,
		.replacement = &l->replacement,
		.seed = sm->c.index,
		.interleave = 1,
		.block = 1,
		.set_bytes = (unsigned)l->p.set_bytes,
		.hash = &l->set_hash,
		.reserves = l->p.reserve};
	struct replace_cache ways = {cache.ways, settings, arena};
	int bad = policy_choose(&l->set_hash, &hash, l->p.set_hash, settings, arena, err);

	bad |= replace_choose(&l->replacement, &replacement, l->p.replacement, &ways, err);
	if (bad)
		return;
	component_policy(&sm->base, &l->replacement);
	l->cache = cache_new(&cache, arena);
}

void l1_init(struct sm *sm, struct config *settings, struct arena *arena, struct err *err)
{
	struct sm_l1 *l = &sm->l1;

	check(sm, err);
	make_cache(sm, settings, arena, err);
	l->fillers = arena_alloc(arena, sm->c.max_cache_bytes / LINE_BYTES + 1, 1);
	l1_resized(sm, sm->c.max_cache_bytes);
	l->mshr = mshr_new((unsigned)l->p.mshrs, (unsigned)l->p.merges, arena);
}

void l1_tell_evicted(struct sm *sm, int way, const struct victim *v, uint64_t cycle)
{
	if (sm->choose->l1 && v->line != CACHE_NO_LINE)
		sm->choose->l1(
			sm->policy.self, SCHED_L1_EVICTED, sm->l1.fillers[way], v->line, cycle);
}
