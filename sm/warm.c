/* Accesses without time pass the tags of L1 and texture cache, so that the L2 is asked for what
 * they lack, in about the order of a timed run. Nothing is counted, and schedulers get no
 * event. */
#include "sm/state.h"

#define WHOLE 1 /* lines of the texture cache are valid as a whole */

/* An access on its way through the tags. */
struct passage {
	struct sm *sm;
	const struct sm_warmth *w;
	struct packet p;
};

static struct cache_access access_of(const struct passage *g, uint64_t line, unsigned kind)
{
	return (struct cache_access){.line = line,
		.cycle = g->w->cycle,
		.sm = g->p.origin.sm,
		.launch = g->p.origin.launch,
		.ptx_line = g->p.ptx_line,
		.warp = g->p.warp,
		.kind = (uint8_t)kind};
}

static void ask(struct passage *g, uint64_t line, enum packet_kind kind, unsigned granules)
{
	g->p.line = line;
	g->p.kind = (uint8_t)kind;
	g->p.granules = (uint8_t)granules;
	sm_route(&g->sm->c, &g->p);
	g->w->sink(g->w->ctx, &g->p);
}

static void load(struct passage *g, const struct l1_way *way, const struct line_access *l)
{
	struct sm_l1 *l1 = &g->sm->l1;
	struct cache_access a = access_of(g, l->line, PACKET_READ);
	struct victim none;
	uint8_t sent;

	if (way->route != L1_LOOKED_UP) {
		if (way->route == L1_DROPPED)
			cache_invalidate(l1->cache, l->line);
		ask(g, l->line, PACKET_READ, l1_sectors(l1, l->granules));
		return;
	}
	if (cache_lookup(l1->cache, l->granules, &a) >= 0)
		return;
	sent = l1->p.whole_line
		       ? 0xff
		       : l1_sectors(l1, (uint8_t)(l->granules & ~cache_valid(l1->cache, l->line)));
	ask(g, l->line, PACKET_READ, sent);
	a.fill = true;
	cache_fill(l1->cache, sent, &a, &none);
}

static void store(struct passage *g, const struct l1_way *way, const struct line_access *l)
{
	struct sm_l1 *l1 = &g->sm->l1;
	struct cache_access a = access_of(g, l->line, PACKET_WRITE);
	struct victim none;

	if (l1->bytes && l1->p.write == L1_WRITES_EVICT && !way->local)
		cache_invalidate(l1->cache, l->line);
	else if (l1->bytes && l1->p.write == L1_WRITES_ALLOCATE && way->route == L1_LOOKED_UP &&
		 l->bytes == packet_granule_bytes[l->granules])
		cache_update(l1->cache, l->granules, &a, &none);
	ask(g, l->line, PACKET_WRITE, l->granules);
}

/* Lines of the texture cache are parts of the line. */
static void fetch(struct passage *g, const struct line_access *l)
{
	struct sm_tex *t = &g->sm->tex;
	unsigned n = (unsigned)t->p.line_bytes / GRANULE_BYTES, missing = 0;
	struct victim none;

	for (unsigned at = 0; at < LINE_BYTES / GRANULE_BYTES; at += n) {
		unsigned granules = ((1u << n) - 1) << at;
		struct cache_access a = access_of(g, l->line + at * GRANULE_BYTES, PACKET_READ);

		if (!(l->granules & granules) || cache_lookup(t->cache, WHOLE, &a) >= 0)
			continue;
		a.fill = true;
		cache_fill(t->cache, WHOLE, &a, &none);
		missing |= granules;
	}
	if (missing)
		ask(g, l->line, PACKET_READ, missing);
}

static void pass(
	struct passage *g, const struct l1_way *way, unsigned action, const struct line_access *l)
{
	if (way->texels && g->sm->tex.p.bytes) {
		fetch(g, l);
	} else if (action == ACT_LOAD) {
		load(g, way, l);
	} else if (action == ACT_STORE) {
		store(g, way, l);
	} else {
		cache_invalidate(g->sm->l1.cache, l->line);
		ask(g, l->line, PACKET_ATOMIC, l->granules);
	}
}

static void pass_texels(struct passage *g)
{
	const struct texels *t = g->w->texels;
	struct line_access lines[COALESCE_MAX];
	unsigned half = 4;

	for (unsigned first = 0; t->lanes && first < t->corners; first += half) {
		unsigned most = t->corners - first < half ? t->corners - first : half;
		unsigned n = coalesce_texels(t, first, most, lines);

		for (unsigned i = 0; i < n; i++)
			pass(g, &g->sm->l1.texel_way, ACT_LOAD, &lines[i]);
	}
}

void sm_warm(struct component *c, const struct sm_warmth *w, const struct instr *in,
	const struct access *a)
{
	struct sm *sm = CONTAINER_OF(c, struct sm, base);
	uint32_t line = w->grid->program->lines[in->line].ptx_line;
	struct passage g = {.sm = sm,
		.w = w,
		.p = {.origin = {.instr = (uint32_t)(in - w->grid->program->code),
			      .launch = w->grid->launch,
			      .sm = (uint16_t)sm->c.index},
			.warp = w->warp,
			.ptx_line = (uint16_t)min_u64(line, UINT16_MAX)}};
	bool local = a->space == SPACE_LOCAL;
	const struct l1_way *way;
	struct line_access lines[COALESCE_MAX];
	unsigned n;

	if (w->texels) {
		pass_texels(&g);
		return;
	}
	way = l1_way(&sm->l1, local, a->cache_op, a->bytes);
	n = coalesce(a, lines);
	if (n)
		g.p.origin.buffer =
			image_account(sm->c.image, lines[0].line + (local ? w->local_base : 0));
	for (unsigned i = 0; i < n; i++) {
		lines[i].line += local ? w->local_base : 0;
		pass(&g, way, a->action, &lines[i]);
	}
}
