/* Attribution of an L2 slice's traffic: last writers of dirty sectors, the used part of fetched
 * lines, and when requests arrive, miss and are replied to. */
#include "mem/slice_profile.h"

#include "core/state.h"
#include "mem/slice_state.h"

/* A way of the cache: what has happened to the line in it. */
struct fate {
	uint64_t line; /* UINT64_MAX: none yet */
	struct sector_owners writers;
	struct origin filler;
	uint8_t filled, used, dirty; /* granules */
};

struct slice_profile {
	struct profile_tables *tables;
	struct fate *fates;            /* by the cache's way handle */
	int last;                      /* the way looked up last, or -1 */
	struct sector_owners *leaving; /* ring of writes that DRAM has not yet accepted */
	uint32_t nleaving, mask;
	struct sector_owners staged; /* of the line that is being evicted */
	uint8_t staged_granules;
};

static void add(struct slice *s, const struct origin *o, enum profile_count what, unsigned granules)
{
	if (granules)
		profile_add(s->profile->tables, o, what, profile_bytes(granules));
}

static struct profile_trip *trip_of(const struct slice *s, const struct packet *p)
{
	struct profile_trip *trips = s->profile->tables->map->trips[p->origin.sm];

	return p->origin.trip ? &trips[p->origin.trip] : NULL;
}

/* The SMs' cycle in which that cycle of the slice begins. */
static uint64_t sm_cycle(const struct slice *s, uint64_t cycle)
{
	return cycle * s->base.period_ps / s->profile->tables->map->cycle_ps;
}

/* Fetched granules that were evicted can no longer be used. */
static void close_fill(struct slice *s, struct fate *at)
{
	add(s, &at->filler, PROFILE_L2_USED, at->filled & at->used);
	at->filled = at->used = 0;
}

/* The state of the line, which is in that way; the previous line of the way has been evicted. */
static struct fate *fate_in(struct slice *s, uint64_t line, int way)
{
	struct fate *at = &s->profile->fates[way];

	if (at->line == line)
		return at;
	close_fill(s, at);
	s->profile->staged = at->writers;
	s->profile->staged_granules = at->dirty;
	at->dirty = 0;
	at->line = line;
	return at;
}

/* The same; NULL when the line is not present. */
static struct fate *fate_of(struct slice *s, uint64_t line)
{
	int way = cache_probe_way(s->cache, line, s->profile->last);

	s->profile->last = way;
	return way < 0 ? NULL : fate_in(s, line, way);
}

void slice_profile_note_taken(struct slice *s, const struct packet *p, uint64_t cycle)
{
	static const enum profile_count what[] = {[PACKET_READ] = PROFILE_TAKEN_READ,
		[PACKET_WRITE] = PROFILE_TAKEN_WRITE,
		[PACKET_ATOMIC] = PROFILE_TAKEN_ATOMIC};
	struct profile_trip *trip = trip_of(s, p);

	add(s, &p->origin, what[p->kind], p->granules);
	if (trip)
		trip->taken = sm_cycle(s, cycle);
}

void slice_profile_note_looked_up(
	struct slice *s, const struct packet *p, unsigned valid, uint64_t cycle)
{
	struct profile_trip *trip = trip_of(s, p);
	unsigned missing = p->granules & ~valid;

	add(s, &p->origin, PROFILE_L2_HIT, p->granules & valid);
	add(s, &p->origin, PROFILE_L2_MISSED, missing);
	if (trip && missing)
		trip->missed = sm_cycle(s, cycle);
}

/* Atomics without a cache, or written through it, are written together; the last one that wrote a
 * sector is its writer. */
static void stage_atomic(struct slice *s, const struct packet *p)
{
	struct slice_profile *f = s->profile;

	add(s, &p->origin, PROFILE_REWRITTEN, p->granules & f->staged_granules);
	sector_owners_note(&f->staged, p->granules, &p->origin);
	f->staged_granules |= p->granules;
}

void slice_profile_note_served(struct slice *s, const struct packet *p, uint64_t cycle)
{
	struct profile_trip *trip = p->sm == SLICE_ITSELF ? NULL : trip_of(s, p);
	struct fate *at;

	if (trip)
		trip->found = trip->replied = sm_cycle(s, cycle);
	if (s->pass) {
		if (p->kind == PACKET_ATOMIC)
			stage_atomic(s, p);
		return;
	}
	at = fate_of(s, p->line);
	if (at)
		at->used |= p->granules;
	if (p->kind == PACKET_ATOMIC && s->acts[1] & WRITE_MEMORY)
		stage_atomic(s, p);
}

void slice_profile_note_executed(struct slice *s, const struct packet *p, uint64_t cycle)
{
	struct profile_trip *trip = trip_of(s, p);

	if (trip)
		trip->replied = sm_cycle(s, cycle);
}

void slice_profile_note_filled(struct slice *s, const struct packet *p, int way)
{
	struct fate *at = way < 0 ? NULL : fate_in(s, p->line, way);

	s->profile->last = way;
	if (!p->copy) /* else its own slice has counted it */
		add(s, &p->origin, PROFILE_L2_FILLED, p->granules);
	if (s->pass)
		add(s, &p->origin, PROFILE_L2_USED, p->granules);
	if (!at)
		return;
	if (at->filled)
		close_fill(s, at);
	at->filled = p->copy ? 0 : p->granules;
	at->filler = p->origin;
}

void slice_profile_note_written(struct slice *s, const struct packet *p, int way, bool dirty)
{
	struct fate *at = fate_in(s, p->line, way);

	at->filled &= (uint8_t)(at->used | ~p->granules); /* overwritten before any use */
	if (!dirty)
		return;
	add(s, &p->origin, PROFILE_REWRITTEN, p->granules & at->dirty);
	at->dirty |= p->granules;
	sector_owners_note(&at->writers, p->granules, &p->origin);
}

/* Clean granules that move with a dirty part of their sector are attributed to that part's writer.
 * Returns all that moves. */
static unsigned share_sectors(const struct slice *s, struct sector_owners *o, unsigned dirty)
{
	unsigned whole = s->whole[dirty],
		 together = (unsigned)s->p.sector_bytes / (2 * GRANULE_BYTES);

	for (unsigned k = 0; k < SECTORS; k++) {
		unsigned writer = together ? k / together * together : k;

		if (!(whole >> 2 * k & 3) || dirty >> 2 * k & 3)
			continue;
		while (!(dirty >> 2 * writer & 3))
			writer++;
		o->of[k] = o->of[writer];
	}
	return whole;
}

/* Each sector is attributed to its writer. */
static void count_leaving(
	struct slice *s, struct sector_owners *o, unsigned dirty, enum profile_count what)
{
	unsigned whole = share_sectors(s, o, dirty);

	for (unsigned k = 0; k < SECTORS; k++) {
		add(s, &o->of[k], what, whole & 3u << 2 * k);
		add(s, &o->of[k], PROFILE_PADDED, whole & ~dirty & 3u << 2 * k);
	}
}

uint32_t slice_profile_leaves(struct slice *s, const struct victim *v)
{
	struct slice_profile *f = s->profile;
	uint32_t at = f->nleaving++ & f->mask;

	BUG_ON(f->staged_granules != v->dirty);
	count_leaving(s, &f->staged, v->dirty, PROFILE_WRITTEN_BACK);
	f->leaving[at] = f->staged;
	f->staged_granules = 0;
	return at;
}

void slice_profile_note_passed(struct slice *s, const struct packet *p, unsigned granules)
{
	add(s, &p->origin, PROFILE_WRITTEN_BACK, granules);
	add(s, &p->origin, PROFILE_PADDED, granules & ~(unsigned)p->granules);
}

void slice_profile_note_flushed(struct slice *s, const struct victim *v)
{
	struct fate *at = fate_of(s, v->line);

	BUG_ON(!at || at->dirty != v->dirty);
	count_leaving(s, &at->writers, v->dirty, PROFILE_FLUSHED);
	at->dirty = 0;
}

void slice_profile_end(struct component *c)
{
	struct slice *s = CONTAINER_OF(c, struct slice, base);
	uint64_t lines = s->p.bytes / LINE_BYTES;

	for (uint64_t i = 0; i < lines; i++)
		close_fill(s, &s->profile->fates[i]);
}

const struct sector_owners *slice_profile_owners(const struct component *c, const struct packet *p)
{
	const struct slice_profile *f = CONTAINER_OF(c, const struct slice, base)->profile;

	if (p->sm != SLICE_ITSELF)
		return NULL;
	return &f->leaving[p->tag & f->mask];
}

void slice_profile_start(struct component *c, struct profile_tables *tables, struct arena *arena)
{
	struct slice *s = CONTAINER_OF(c, struct slice, base);
	struct slice_profile *f = arena_alloc(arena, 1, sizeof(*f));
	uint64_t lines = s->p.bytes / LINE_BYTES;
	uint32_t size = 1;

	/* as many as the queue to DRAM and its link can hold */
	while (size < 2 * (s->dram.mask + 1) + 64)
		size *= 2;
	f->tables = tables;
	f->mask = size - 1;
	f->leaving = arena_alloc(arena, size, sizeof(*f->leaving));
	f->fates = arena_alloc(arena, lines + 1, sizeof(*f->fates));
	for (uint64_t i = 0; i < lines; i++)
		f->fates[i].line = UINT64_MAX;
	s->profile = f;
}

static const struct state_field kept[] = {
	STATE_KEPT(slice_profile, tables),
	STATE_KEPT(slice_profile, fates),
	STATE_KEPT(slice_profile, leaving),
	STATE_KEPT(slice_profile, mask),
};

void slice_profile_state(struct state *st, struct slice *s)
{
	struct slice_profile *f = s->profile;

	STATE_STRUCT(st, f, kept);
	state_sparse(st, f->fates, (s->p.bytes / LINE_BYTES + 1) * sizeof(*f->fates));
	state_bytes(st, f->leaving, (f->mask + (size_t)1) * sizeof(*f->leaving));
}
