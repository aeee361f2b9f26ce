/* The texture cache: read-only tags of short lines for what the texture pipe fetches, beside the L1
 * (Mei et al., NPC 2014, table 4). */
#include "sm/state.h"

#define WHOLE 1 /* its lines are valid as a whole */

/* The granules of the cache's line that begins `offset` bytes into a line of LINE_BYTES. */
static uint8_t granules_at(const struct sm_tex *t, unsigned offset)
{
	unsigned n = (unsigned)t->p.line_bytes / GRANULE_BYTES;

	return (uint8_t)(((1u << n) - 1) << offset / GRANULE_BYTES);
}

static void check_geometry(const struct sm_tex *t, struct err *err)
{
	uint64_t line = t->p.line_bytes, set = t->p.set_bytes;

	if (line & (line - 1))
		err_add(err, ERR_INPUT, "tex.line_bytes = %llu: must be a power of two",
			(unsigned long long)line);
	if (set & (set - 1))
		err_add(err, ERR_INPUT, "tex.set_bytes = %llu: must be a power of two",
			(unsigned long long)set);
	if (t->p.bytes % (t->p.ways * line))
		err_add(err, ERR_INPUT,
			"tex.bytes = %llu: must be a multiple of %llu ways of %llu bytes",
			(unsigned long long)t->p.bytes, (unsigned long long)t->p.ways,
			(unsigned long long)line);
}

void texture_cache_init(
	struct sm *sm, struct config *settings, struct arena *arena, struct err *err)
{
	static const struct policy_scope place = {"replacement", "tex", "replacement", "tex"};
	struct sm_tex *t = &sm->tex;
	struct cache_config config = {.bytes = t->p.bytes,
		.ways = (unsigned)t->p.ways,
		.replacement = &t->replacement,
		.seed = sm->c.index,
		.interleave = 1,
		.block = 1,
		.line_bytes = (unsigned)t->p.line_bytes,
		.set_bytes = (unsigned)t->p.set_bytes};
	struct replace_cache ways = {config.ways, settings, arena};

	check_geometry(t, err);
	if (!replace_choose(&t->replacement, &place, t->p.replacement, &ways, err)) {
		component_policy(&sm->base, &t->replacement);
		t->cache = cache_new(&config, arena);
	}
	t->mshr = mshr_new((unsigned)t->p.mshrs, (unsigned)t->p.merges, arena);
}

/* Looks up one of the cache's lines for the operation, which waits for it on a miss: then *ask is
 * true if the line has to be requested. */
static enum tag_owner look_up(struct sm *sm, uint32_t op, const struct cache_access *a, bool *ask)
{
	struct sm_tex *t = &sm->tex;
	uint64_t line = a->line;
	int entry;

	*ask = false;
	if (!sm->tlb.lacks && cache_lookup(t->cache, WHOLE, a) >= 0) {
		t->s.l1tex__t_lines_tex_lookup_hit++;
		profile_found(sm, PROFILE_L1_HIT);
		return TAG_BUSY;
	}
	entry = mshr_find(t->mshr, line);
	if (entry >= 0) {
		if (!mshr_wait(t->mshr, entry, op))
			return TAG_MSHR;
		t->s.l1tex__t_lines_tex_lookup_merged++;
		profile_found(sm, PROFILE_L1_MERGED);
	} else {
		if (!mshr_has_space(t->mshr))
			return TAG_MSHR;
		if (!outbox_open(sm))
			return TAG_NETWORK;
		mshr_wait(t->mshr, mshr_open(t->mshr, line, WHOLE), op);
		*ask = true;
	}
	sm->ops[op].remaining++;
	return TAG_BUSY;
}

/* Lines of the cache that are done are removed from the access: after a stall it continues with the
 * others. All that are missing are requested together. */
enum tag_owner texture_cache_line(struct sm *sm, struct lsu_entry *e, uint64_t cycle)
{
	struct line_access *l = &e->lines[e->at];
	enum tag_owner done = TAG_BUSY;
	uint8_t missing = 0;

	for (unsigned at = 0; at < LINE_BYTES; at += (unsigned)sm->tex.p.line_bytes) {
		uint8_t granules = granules_at(&sm->tex, at);
		struct cache_access a;
		bool ask;

		if (!(l->granules & granules))
			continue;
		a = lsu_access(sm, e, l->line + at, cycle);
		done = look_up(sm, e->op, &a, &ask);
		if (done != TAG_BUSY)
			break;
		sm->tex.s.l1tex__t_lines_tex++;
		profile_texels(sm, e, l->granules & granules);
		sm->flows.fetches += packet_granule_bytes[l->granules & granules];
		l->granules &= (uint8_t)~granules;
		missing |= ask ? granules : 0;
	}
	if (missing)
		lsu_send(sm, e, PACKET_READ, missing, TAG_TEXELS);
	sm->flows.texels += packet_granule_bytes[missing];
	if (done == TAG_BUSY)
		lsu_line_done(sm, e->op, cycle + e->way->hit_cycles - 1, cycle);
	return done;
}

void texture_cache_reply(
	struct sm *sm, const struct packet *p, uint64_t cycle, mshr_wake_fn *wake, void *ctx)
{
	struct sm_tex *t = &sm->tex;

	for (unsigned at = 0; at < LINE_BYTES; at += (unsigned)t->p.line_bytes) {
		struct cache_access a = lsu_fill_access(p, p->line + at, cycle);
		struct victim none;

		if (!(p->granules & granules_at(t, at)))
			continue;
		cache_fill(t->cache, WHOLE, &a, &none);
		mshr_close(t->mshr, mshr_find(t->mshr, p->line + at), wake, ctx);
	}
}
