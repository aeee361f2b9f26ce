/* Read-only caches in two levels, their misses, and the warps that wait for them. */
#include "sm/fetch.h"

#include "sm/state.h"

#define WHOLE 1 /* lines are valid as a whole */
#define NEVER (UINT64_MAX / 8)

/* ---- making */
static void check(const struct fetch_shape *s, struct err *err)
{
	if (s->line_bytes & (s->line_bytes - 1))
		err_add(err, ERR_INPUT, "%s_line_bytes = %llu: must be a power of two", s->name,
			(unsigned long long)s->line_bytes);
	if (s->bytes % (s->ways * s->line_bytes))
		err_add(err, ERR_INPUT,
			"%s_bytes = %llu: must be a multiple of %llu way%s of %llu bytes", s->name,
			(unsigned long long)s->bytes, (unsigned long long)s->ways, text_s(s->ways),
			(unsigned long long)s->line_bytes);
}

static void make(struct fetch_cache *c, const struct fetch_shape *shape, struct arena *arena)
{
	static const struct policy_scope scope = {"replacement", "fetch", "replacement", "fetch"};
	struct cache_config config = {.bytes = shape->bytes,
		.ways = (unsigned)shape->ways,
		.replacement = &c->lru,
		.interleave = 1,
		.block = 1,
		.line_bytes = (unsigned)shape->line_bytes,
		.set_bytes = (unsigned)shape->line_bytes};

	BUG_ON(policy_choose(&c->lru, &scope, "lru", NULL, arena, NULL));
	c->cache = cache_new(&config, arena);
	c->line_bytes = shape->line_bytes;
}

void fetcher_init(struct sm *sm, struct fetcher *f, const struct fetch_shapes *shapes,
	struct arena *arena, struct err *err)
{
	const struct fetch_shape *near = &shapes->near, *far = &shapes->far;
	unsigned faults = err->count;

	check(near, err);
	check(far, err);
	if (far->line_bytes < near->line_bytes)
		err_add(err, ERR_INPUT,
			"%s_line_bytes = %llu: must be at least %s_line_bytes = %llu", far->name,
			(unsigned long long)far->line_bytes, near->name,
			(unsigned long long)near->line_bytes);
	if (err->count != faults)
		return;
	f->nears = shapes->nears;
	for (unsigned i = 0; i < shapes->nears; i++)
		make(&f->near[i], near, arena);
	make(&f->far, far, arena);
	sm->outbox.others += 2 * FETCH_LINES;
}

/* ---- lookups */
static uint64_t line_of(const struct fetch_cache *c, uint64_t address)
{
	return address & ~(c->line_bytes - 1);
}

static bool look_in(struct fetch_cache *c, uint64_t address, uint64_t cycle)
{
	struct cache_access a = {.line = line_of(c, address), .cycle = cycle};

	return cache_lookup(c->cache, WHOLE, &a) >= 0;
}

static void fill(struct fetch_cache *c, uint64_t address, uint64_t cycle)
{
	struct cache_access a = {.line = line_of(c, address), .cycle = cycle, .fill = true};
	struct victim none;

	cache_fill(c->cache, WHOLE, &a, &none);
}

void fetch_fill_near(struct fetcher *f, unsigned near, uint64_t address, uint64_t cycle)
{
	fill(&f->near[near], address, cycle);
}

bool fetch_near_has(struct fetcher *f, unsigned near, uint64_t address, uint64_t cycle)
{
	return look_in(&f->near[near], address, cycle);
}

bool fetch_far_has(struct fetcher *f, uint64_t address, uint64_t cycle)
{
	return look_in(&f->far, address, cycle);
}

enum fetched fetch_look_up(struct fetcher *f, unsigned near, uint64_t address, uint64_t cycle)
{
	if (fetch_near_has(f, near, address, cycle))
		return FETCHED_NEAR;
	if (!fetch_far_has(f, address, cycle))
		return FETCHED_NOT;
	fetch_fill_near(f, near, address, cycle);
	return FETCHED_FAR;
}

/* ---- misses */
/* The line that is on its way, or an unused entry of those from `first` to `end`, or NULL. */
static struct fetch_line *entry_of(struct fetcher *f, uint64_t line, unsigned first, unsigned end)
{
	struct fetch_line *unused = NULL;

	for (unsigned i = 0; i < FETCH_OUT; i++) {
		struct fetch_line *l = &f->out[i];

		if (l->packets && l->line == line)
			return l;
		if (!l->packets && !unused && i >= first && i < end)
			unused = l;
	}
	return unused;
}

/* Sends the packet for the part of the line that begins `from`. */
static void send(struct sm *sm, struct fetcher *f, struct packet *p, uint64_t from)
{
	uint64_t bytes = min_u64(f->far.line_bytes, LINE_BYTES);
	unsigned granules = (1u << bytes / GRANULE_BYTES) - 1;

	p->line = from & ~(uint64_t)(LINE_BYTES - 1);
	p->granules = (uint8_t)(granules << (from - p->line) / GRANULE_BYTES);
	sm_route(&sm->c, p);
	p->origin.buffer = image_account(sm->c.image, p->line);
	f->asked += bytes;
	sm->flows.fetched += bytes;
	profile_sent(sm, p, sim_now(&sm->base) / sm->base.period_ps);
	outbox_add(sm, p);
}

/* Asks for the line of an unused entry. */
static void ask(struct sm *sm, struct fetcher *f, struct fetch_line *l, unsigned w, uint32_t instr)
{
	struct packet p = {.origin = {.instr = instr,
				   .launch = sm->slot[w].warp.cta->grid->launch,
				   .sm = (uint16_t)sm->c.index},
		.tag = TAG_FETCH | f->tag | (uint32_t)(l - f->out),
		.sm = (uint16_t)sm->c.index,
		.kind = PACKET_READ,
		.warp = (uint8_t)w,
		.ptx_line = UINT16_MAX};

	for (uint64_t at = 0; at < f->far.line_bytes; at += LINE_BYTES) {
		send(sm, f, &p, l->line + at);
		l->packets++;
	}
}

void fetch_request(struct sm *sm, struct fetcher *f, unsigned w, uint32_t instr, uint64_t address)
{
	uint64_t line = line_of(&f->far, address);
	struct fetch_line *l = entry_of(f, line, 0, FETCH_LINES);

	BUG_ON(!l);
	if (!l->packets) {
		*l = (struct fetch_line){.line = line};
		ask(sm, f, l, w, instr);
	}
	l->warps |= UINT64_C(1) << w;
}

bool fetch_ahead(struct sm *sm, struct fetcher *f, unsigned w, uint32_t instr, uint64_t address)
{
	uint64_t line = line_of(&f->far, address);
	struct fetch_line *l = entry_of(f, line, FETCH_LINES, FETCH_OUT);

	if (l && !l->packets) {
		*l = (struct fetch_line){.line = line};
		ask(sm, f, l, w, instr);
	}
	return l;
}

void fetch_arrived(struct sm *sm, const struct packet *p, uint64_t ready, uint64_t cycle)
{
	bool code = p->tag & TAG_FETCH_CODE;
	struct fetcher *f = code ? &sm->icache.fetch : &sm->constants.fetch;
	struct fetch_line *l = &f->out[p->tag % FETCH_OUT];

	f->arrived += packet_granule_bytes[p->granules];
	if (--l->packets)
		return;
	fill(&f->far, l->line, cycle);
	if (code)
		icache_arrived(sm, l->line, l->warps, ready, cycle);
	else
		constants_arrived(sm, l->warps, ready, cycle);
}

/* ---- warps that wait */
static uint8_t reason_of(unsigned what)
{
	return what & FETCH_WAITS_CODE ? REASON_NO_INSTRUCTION : REASON_IMC_MISS;
}

uint64_t fetch_from(const struct sm *sm, unsigned w)
{
	return sm->waits.what[w] ? sm->waits.from[w] : sm->slot[w].issue_at;
}

void fetch_hold(struct sm *sm, unsigned w, unsigned what)
{
	struct fetch_waits *f = &sm->waits;

	if (!f->what[w])
		f->from[w] = sm->slot[w].issue_at;
	f->what[w] |= (uint8_t)what;
	sm->slot[w].issue_at = NEVER;
	sm->slot[w].hold = reason_of(f->what[w]);
}

void fetch_delay(struct sm *sm, unsigned w, unsigned what, uint64_t until)
{
	struct fetch_waits *f = &sm->waits;
	uint64_t *at = f->what[w] ? &f->from[w] : &sm->slot[w].issue_at;

	if (*at >= until)
		return;
	*at = until;
	if (!f->what[w])
		sm->slot[w].hold = reason_of(what);
}

void fetch_release(struct sm *sm, unsigned w, unsigned what, uint64_t until)
{
	struct fetch_waits *f = &sm->waits;

	f->what[w] &= (uint8_t)~what;
	f->from[w] = max_u64(f->from[w], until);
	sm->slot[w].hold = reason_of(f->what[w] ? f->what[w] : what);
	if (!f->what[w])
		sm->slot[w].issue_at = f->from[w];
}
