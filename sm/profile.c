/* The SM's part of a profile. A cycle in which a scheduler was stalled on a long scoreboard is
 * attributed to the request whose result comes next for one of its warps, and divided among the
 * parts of the chip that this request passed, in proportion to the time it spent in each. */
#include "sm/state.h"

/* As profile_add: the tables are of one SM. */
static void add(struct sm *sm, const struct origin *o, enum profile_count what, unsigned granules)
{
	struct profile_tables *t = sm->profile->tables;
	uint64_t bytes = profile_bytes(granules);

	t->site[profile_site(t->map, o)].n[what] += bytes;
	t->buffer[o->buffer].n[what] += bytes;
}

/* ---- accesses */
void profile_note_entered(struct sm *sm, const struct lsu_entry *e, unsigned lane_bytes)
{
	sm->profile->lane_bytes[e - sm->queue] = (uint8_t)lane_bytes;
	sm->profile->entered++;
}

void profile_note_buffer(struct sm *sm, uint64_t line)
{
	struct profile_tables *t = sm->profile->tables;

	t->last = image_account_range(t->map->image, line);
}

static struct stall_row *stalls_of(const struct sm *sm, const struct origin *o)
{
	return &sm->profile->stalls->row[profile_site(sm->profile->tables->map, o)];
}

void profile_note_dropped(struct sm *sm, const struct lsu_entry *e)
{
	stalls_of(sm, &e->origin)->event[STALL_DROPPED]++;
}

/* The buffers that an instruction accesses. */
static void note_buffer(uint32_t *known, uint32_t buffer)
{
	if (*known != buffer)
		*known = *known == PROFILE_NO_BUFFER ? buffer : PROFILE_SEVERAL;
}

_Static_assert(ACT_STORE == ACT_LOAD + 1 && ACT_ATOM == ACT_STORE + 1 &&
		       PROFILE_STORED == PROFILE_LOADED + 1 && PROFILE_ATOMIC == PROFILE_LOADED + 2,
	"the same order");

void profile_note_line(struct sm *sm, const struct lsu_entry *e)
{
	struct sm_profile *f = sm->profile;
	struct profile_tables *t = f->tables;
	const struct line_access *l = &e->lines[e->at];
	unsigned what =
		PROFILE_LOADED + (e->action < ACT_ATOM ? (unsigned)e->action - ACT_LOAD : 2);
	unsigned lanes = l->lanes & (l->lanes - 1) ? count_bits(l->lanes) : l->lanes != 0;
	uint32_t site = profile_site(t->map, &e->origin), buffer = e->origin.buffer;
	uint64_t distinct = l->bytes, asked = (uint64_t)lanes * f->lane_bytes[sm->queue_head];
	uint64_t bytes = e->way->texels && sm->tex.p.bytes ? 0 : profile_bytes(l->granules);
	uint64_t *of_site = t->site[site].n, *of_buffer = t->buffer[buffer].n;

	note_buffer(&t->site_buffer[site], buffer);
	f->stalls->row[site].event[STALL_LINES]++;
	of_site[PROFILE_DISTINCT] += distinct;
	of_buffer[PROFILE_DISTINCT] += distinct;
	of_site[PROFILE_ASKED] += asked;
	of_buffer[PROFILE_ASKED] += asked;
	of_site[what] += bytes;
	of_buffer[what] += bytes;
	if (f->outcome != PROFILE_COUNT) {
		of_site[f->outcome] += bytes;
		of_buffer[f->outcome] += bytes;
		f->outcome = PROFILE_COUNT;
		f->now.origin.buffer = 0;
	}
}

void profile_note_texels(struct sm *sm, const struct lsu_entry *e, unsigned granules)
{
	add(sm, &e->origin, PROFILE_LOADED, granules);
	add(sm, &e->origin, sm->profile->found, granules);
	sm->profile->found = PROFILE_L1_MISSED;
}

void profile_note_hit(struct sm *sm, const struct lsu_entry *e, int way)
{
	const struct line_access *l = &e->lines[e->at];
	struct sm_profile *f = sm->profile;

	if (way >= 0)
		f->fates[way].used |= l->granules;
	f->now.origin.buffer = e->origin.buffer;
	f->outcome = PROFILE_L1_HIT;
}

/* Whether the SM missed the line before; where only sectors are filled, the first of those that are
 * asked for. Lines share entries where there are more: what is counted
 * is then a little more. */
static void note_again(struct sm *sm, const struct lsu_entry *e)
{
	const struct slot *slot = &sm->slot[sm->ops[e->op].warp];
	const struct line_access *l = &e->lines[e->at];
	uint64_t unit = sm->l1.p.whole_line ? LINE_BYTES : sm->l1.p.sector_bytes;
	uint64_t at = l->line + low_bit(l->granules) * GRANULE_BYTES / unit * unit;
	uint64_t hash = at * UINT64_C(0x9e3779b97f4a7c15) >> 32;
	uint16_t *seen = &sm->profile->seen[hash % PROFILE_SEEN];
	uint16_t launch = (uint16_t)(slot->warp.cta->grid->gridid % UINT16_MAX + 1);
	struct stall_row *row = stalls_of(sm, &e->origin);

	row->event[STALL_AGAIN] += *seen == launch;
	row->event[STALL_LATER] += *seen && *seen != launch;
	*seen = launch;
}

void profile_note_missed(struct sm *sm, const struct lsu_entry *e, int entry, bool merged)
{
	const struct line_access *l = &e->lines[e->at];
	uint8_t *touched = &sm->profile->touched[entry];

	*touched = (uint8_t)((merged ? *touched : 0) | l->granules);
	if (!merged && !e->way->local)
		note_again(sm, e);
	sm->profile->outcome = merged ? PROFILE_L1_MERGED : PROFILE_L1_MISSED;
}

void profile_note_passed(struct sm *sm)
{
	sm->profile->outcome = PROFILE_L1_MISSED;
}

/* ---- requests and replies */
/* The index of the record of the request's times; 0 when too many are in flight. */
static uint16_t new_trip(struct sm_profile *f, uint64_t cycle)
{
	uint32_t trip = f->free_trip;

	if (trip)
		f->free_trip = f->trips[trip].next_free;
	else if (f->used_trips + 1 < PROFILE_TRIPS)
		trip = ++f->used_trips;
	if (trip)
		f->trips[trip] = (struct profile_trip){.sent = cycle};
	return (uint16_t)trip;
}

void profile_note_sent(struct sm *sm, struct packet *p, uint64_t cycle)
{
	static const enum profile_count what[] = {[PACKET_READ] = PROFILE_SENT_READ,
		[PACKET_WRITE] = PROFILE_SENT_WRITE,
		[PACKET_ATOMIC] = PROFILE_SENT_ATOMIC};
	struct sm_profile *f = sm->profile;

	p->origin.trip = p->kind == PACKET_WRITE ? 0 : new_trip(f, cycle);
	add(sm, &p->origin, what[p->kind], p->granules);
}

void profile_note_reply(struct sm *sm, const struct packet *p, uint64_t cycle)
{
	struct sm_profile *f = sm->profile;
	uint32_t trip = p->origin.trip;

	if (p->kind == PACKET_WRITE_ACK)
		return;
	f->now = (struct came_back){.followed = trip != 0,
		.trip = f->trips[trip],
		.arrived = cycle,
		.origin.buffer = p->origin.buffer};
	add(sm, &p->origin, PROFILE_RETURNED, p->granules);
	if (!trip)
		return;
	f->trips[trip].next_free = f->free_trip;
	f->free_trip = trip;
}

void profile_note_replied(struct sm *sm)
{
	sm->profile->now.followed = false;
	sm->profile->now.origin.buffer = 0;
}

/* A filled granule that was evicted will not be used any more. */
static void close_fill(struct sm *sm, struct l1_fate *at)
{
	if (at->filled)
		add(sm, &at->filler, PROFILE_L1_USED, at->filled & at->used);
	at->filled = at->used = 0;
}

void profile_note_filled(struct sm *sm, const struct packet *p, int way)
{
	struct l1_fate *at;

	if (way < 0)
		return;
	at = &sm->profile->fates[way];
	close_fill(sm, at);
	*at = (struct l1_fate){.line = p->line,
		.filler = p->origin,
		.filled = p->granules,
		.used = sm->profile->touched[p->tag]};
	add(sm, &p->origin, PROFILE_L1_FILLED, p->granules);
}

/* ---- stalls */
#define PARTS 65536u /* of a cycle */

/* Divides the cycles in proportion to the times; what rounding leaves of a cycle in one part of the
 * chip is added with the next. */
static void share_out(struct sm_profile *f, uint64_t cycles, const uint64_t *times, uint64_t *out)
{
	uint64_t all = 0, given = 0;
	unsigned most = 0;

	for (unsigned k = 0; k < TRIP_PLACES; k++)
		all += times[k];
	for (unsigned k = 0; k < TRIP_PLACES; k++) {
		uint64_t parts = cycles * times[k] * PARTS / all + f->kept[k];

		out[k] = min_u64(parts / PARTS, cycles - given);
		f->kept[k] = parts - out[k] * PARTS;
		given += out[k];
		most = f->kept[k] > f->kept[most] ? k : most;
	}
	out[most] += cycles - given;
	f->kept[most] -= min_u64(f->kept[most], (cycles - given) * PARTS);
}

static void blame(struct sm *sm, const struct came_back *b, uint64_t cycles)
{
	static const enum profile_count what[TRIP_PLACES] = {
		PROFILE_STALL_NOC, PROFILE_STALL_L2, PROFILE_STALL_DRAM, PROFILE_STALL_TRANSLATION};
	const struct profile_trip *t = &b->trip;
	uint32_t site = profile_site(sm->profile->tables->map, &b->origin);
	uint64_t missed = t->missed ? t->missed : t->found, shares[TRIP_PLACES];
	uint64_t networks = t->taken - t->sent + b->arrived - t->replied;
	uint64_t translated = min_u64(t->translated, networks);
	const uint64_t times[TRIP_PLACES] = {networks - translated,
		missed - t->taken + t->replied - t->found, t->found - missed, translated};

	stalls_add_long(sm->profile, site, cycles);
	if (!b->followed) {
		profile_add(sm->profile->tables, &b->origin, PROFILE_STALL_SM, cycles);
		return;
	}
	share_out(sm->profile, cycles, times, shares);
	for (unsigned k = 0; k < TRIP_PLACES; k++)
		if (shares[k])
			profile_add(sm->profile->tables, &b->origin, what[k], shares[k]);
}

/* Stalled cycles of the scheduler before this one that have not been attributed. */
static uint64_t new_stalls(const struct sm *sm, unsigned i, uint64_t cycle)
{
	const struct stall *s = &sm->sched[i].stall;
	uint64_t stalled = s->cycles[REASON_LONG_SCOREBOARD];

	if (s->reason == REASON_LONG_SCOREBOARD && cycle > s->since)
		stalled += cycle - s->since;
	return stalled - sm->profile->blamed[i];
}

/* Those up to its result are attributed to what came back last. Returns how many are left. */
static uint64_t blame_last(struct sm *sm, unsigned i, uint64_t stalled)
{
	struct came_back *last = &sm->profile->last[i];
	uint64_t until = min_u64(stalled, last->left);

	if (until)
		blame(sm, last, until);
	last->left = 0;
	sm->profile->blamed[i] += stalled;
	return stalled - until;
}

void profile_note_completed(struct sm *sm, const struct op *op, uint64_t cycle)
{
	unsigned i = sm->sched_of[op->warp];
	const struct came_back *now = &sm->profile->now;
	struct came_back *last = &sm->profile->last[i];
	const struct warp *warp = &sm->slot[op->warp].warp;
	uint64_t stalled = blame_last(sm, i, new_stalls(sm, i, cycle));

	last->followed = now->followed;
	if (now->followed) {
		last->trip = now->trip;
		last->arrived = now->arrived;
	}
	last->origin = (struct origin){.instr = (uint32_t)(op->instr - warp->program->code),
		.launch = warp->cta->grid->launch,
		.buffer = now->origin.buffer,
		.sm = (uint16_t)sm->c.index};
	last->left = op->ready > cycle ? op->ready - cycle : 0;
	if (stalled)
		blame(sm, last, stalled);
}

/* ---- its life */
struct profile_trip *sm_profile_start(struct component *c, struct profile_tables *tables,
	struct stall_table *stalls, struct arena *arena)
{
	struct sm *sm = CONTAINER_OF(c, struct sm, base);
	uint64_t lines = sm->c.max_cache_bytes / LINE_BYTES;
	struct sm_profile *f = arena_alloc(arena, 1, sizeof(*f));

	f->tables = tables;
	f->trips = arena_alloc(arena, PROFILE_TRIPS, sizeof(*f->trips));
	f->lane_bytes = arena_alloc(arena, sm->p.lsu_queue, 1);
	f->fates = arena_alloc(arena, lines + 1, sizeof(*f->fates));
	f->touched = arena_alloc(arena, sm->l1.p.mshrs, 1);
	f->seen = arena_alloc(arena, PROFILE_SEEN, sizeof(*f->seen));
	f->found = PROFILE_L1_MISSED;
	f->outcome = PROFILE_COUNT;
	for (uint64_t i = 0; i < lines; i++)
		f->fates[i].line = UINT64_MAX;
	sm->profile = f;
	stalls_init(sm, stalls, arena);
	return f->trips;
}

void sm_profile_program(struct component *c, const struct program *program, uint32_t first_site)
{
	stalls_add_issued(CONTAINER_OF(c, struct sm, base), program, first_site);
}

uint64_t sm_profile_end(struct component *c, uint64_t cycle)
{
	struct sm *sm = CONTAINER_OF(c, struct sm, base);
	struct sm_profile *f = sm->profile;
	uint64_t lines = sm->c.max_cache_bytes / LINE_BYTES;

	stalls_end(sm, cycle);
	for (unsigned i = 0; i < sm->p.schedulers; i++) {
		uint64_t left = blame_last(sm, i, new_stalls(sm, i, cycle));

		if (left) /* else nothing has run, perhaps: there may be no instruction */
			stalls_add_long(f, f->last_long[i], left);
		f->unblamed += left;
	}
	for (uint64_t i = 0; i < lines; i++)
		close_fill(sm, &f->fates[i]);
	return f->unblamed;
}
