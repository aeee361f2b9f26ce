/* Races for shared memory. */
#include "ptx/exec/races.h"

#include "ptx/exec/barrier.h"
#include "ptx/exec/positions.h"

#include <string.h>

#define NEW_CLOCKS (UINT32_MAX / 2) /* at a CTA's start: above it, they begin at 0 again */

/* An access: the warp's clock then, and the instruction. */
#define SYNCHRONIZES (UINT32_C(1) << 31)
struct moment {
	uint32_t clock;
	uint32_t instr; /* | SYNCHRONIZES */
};

/* The last write to the smallest bytes that the program accesses, and what it left. */
struct cell {
	struct moment write;
	uint32_t warp;
	uint64_t value;
};

struct race_state {
	uint32_t ctaid[3];
	uint32_t nwarps, shift, ncells;
	uint32_t first;        /* no clock of the CTA is below it */
	uint32_t last;         /* nor above this */
	uint32_t *clock;       /* by warp, what it knows of each warp's clock; its own there, too */
	uint32_t *sync;        /* what the synchronizing accesses so far knew */
	uint32_t *barrier;     /* by barrier, what arrived there */
	bool passed[BARRIERS]; /* warps have been released: the next arrival is of another turn */
	struct cell *cells;
	struct moment *reads; /* by cell and warp, the last one */
};

/* ---- storage */
static bool is_shared(const struct instr *in)
{
	return in->space == SPACE_SHARED || in->space == SPACE_GENERIC;
}

/* log2 of the smallest access to shared memory. */
static uint32_t shift_of(const struct program *p)
{
	uint32_t least = 8;

	for (uint32_t i = 0; i < p->ninstr; i++) {
		const struct instr *in = &p->code[i];
		bool moves = in->action == ACT_LOAD || in->action == ACT_STORE ||
			     in->action == ACT_ATOM || in->action == ACT_RED;

		if (moves && is_shared(in) && !in->slot)
			least = (uint32_t)min_u64(
				least, ptx_type_bytes((enum ptx_type)in->mem_type));
	}
	return low_bit(least);
}

static struct race_state shape_of(const struct grid *grid)
{
	struct race_state s = {.nwarps = grid_cta_warps(grid), .shift = shift_of(grid->program)};

	s.ncells = (grid_own_shared_bytes(grid) >> s.shift) + 1;
	return s;
}

/* Words of clocks, an even number. */
static size_t clocks_of(const struct race_state *s)
{
	return ((size_t)s->nwarps * (s->nwarps + 1 + BARRIERS) + 1) / 2 * 2;
}

size_t race_state_bytes(const struct grid *grid)
{
	struct race_state s = shape_of(grid);

	return sizeof(s) + clocks_of(&s) * sizeof(uint32_t) + s.ncells * sizeof(struct cell) +
	       (size_t)s.ncells * s.nwarps * sizeof(struct moment);
}

/* All that earlier CTAs in this memory did is known to all warps, so nothing needs clearing. */
struct race_state *race_state_begin(void *memory, const struct cta *cta)
{
	struct race_state *s = memory, shape = shape_of(cta->grid);
	size_t clocks = clocks_of(&shape);
	uint32_t last = s->last + 1;

	if (last > NEW_CLOCKS) {
		memset(memory, 0, race_state_bytes(cta->grid));
		last = 1;
	}
	*s = shape;
	memcpy(s->ctaid, cta->id, sizeof(s->ctaid));
	s->clock = (uint32_t *)(s + 1);
	s->sync = s->clock + (size_t)s->nwarps * s->nwarps;
	s->barrier = s->sync + s->nwarps;
	s->reads = (struct moment *)(s->clock + clocks);
	s->cells = (struct cell *)(s->reads + (size_t)s->ncells * s->nwarps);
	s->first = s->last = last;
	for (size_t i = 0; i < clocks; i++)
		s->clock[i] = last - 1;
	for (uint32_t w = 0; w < s->nwarps; w++)
		s->clock[(size_t)w * s->nwarps + w] = last;
	return s;
}

/* ---- clocks */
static uint32_t *clocks(struct race_state *s, uint32_t warp)
{
	return s->clock + (size_t)warp * s->nwarps;
}

static void join(uint32_t *into, const uint32_t *from, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		into[i] = from[i] > into[i] ? from[i] : into[i];
}

/* What the warp knows is passed on; what it does from now on is not. */
static void pass_on(struct race_state *s, uint32_t warp, uint32_t *to)
{
	uint32_t *own = clocks(s, warp);

	join(to, own, s->nwarps);
	own[warp]++;
	if (own[warp] > s->last)
		s->last = own[warp];
}

void race_arrive(struct race_state *s, uint32_t index, uint32_t id)
{
	uint32_t *at = s->barrier + (size_t)id * s->nwarps;

	if (s->passed[id])
		memset(at, 0, s->nwarps * sizeof(*at));
	s->passed[id] = false;
	pass_on(s, index, at);
}

void race_release(struct race_state *s, uint32_t id, uint64_t warps)
{
	s->passed[id] = true;
	for (; warps; warps &= warps - 1)
		join(clocks(s, low_bit(warps)), s->barrier + (size_t)id * s->nwarps, s->nwarps);
}

/* ---- accesses */
static void add(struct races *r, const struct race *race)
{
	unsigned i = 0;

	while (i < r->n && (r->at[i].program != race->program || r->at[i].first != race->first ||
				   r->at[i].second != race->second || r->at[i].kind != race->kind))
		i++;
	if (i < r->n)
		r->at[i].count++;
	else if (r->n < RACES)
		r->at[r->n++] = *race;
	else
		r->others++;
}

/* An access of one warp to one cell. */
struct touch {
	struct races *races;
	struct race_state *s;
	const struct warp *w;
	struct moment now;
	uint32_t warp, cell;
	bool writes;
};

/* Whether this access was not known when the other one was made. */
static bool is_unordered(const struct touch *t, uint32_t warp, const struct moment *m)
{
	return warp != t->warp && m->clock > clocks(t->s, t->warp)[warp] &&
	       !(m->instr & t->now.instr & SYNCHRONIZES);
}

static void report(
	const struct touch *t, enum race_kind kind, uint32_t warp, const struct moment *m)
{
	const struct race_state *s = t->s;
	struct race race = {.program = t->w->program,
		.first = m->instr & ~SYNCHRONIZES,
		.second = t->now.instr & ~SYNCHRONIZES,
		.kind = (uint8_t)kind,
		.warps = {warp, t->warp},
		.ctaid = {s->ctaid[0], s->ctaid[1], s->ctaid[2]},
		.offset = (uint64_t)t->cell << s->shift,
		.count = 1};

	add(t->races, &race);
}

static void touch_cell(const struct touch *t)
{
	struct race_state *s = t->s;
	struct cell *c = &s->cells[t->cell];
	struct moment *reads = s->reads + (size_t)t->cell * s->nwarps;
	uint64_t value = 0;

	if (t->writes)
		memcpy(&value, t->w->cta->shared + ((size_t)t->cell << s->shift),
			(size_t)1 << s->shift);
	if (t->writes && c->write.clock >= s->first && c->value == value)
		return;
	if (is_unordered(t, c->warp, &c->write))
		report(t, t->writes ? RACE_WRITE_AFTER_WRITE : RACE_READ_AFTER_WRITE, c->warp,
			&c->write);
	if (!t->writes) {
		reads[t->warp] = t->now;
		return;
	}
	for (uint32_t w = 0; w < s->nwarps; w++)
		if (is_unordered(t, w, &reads[w]))
			report(t, RACE_WRITE_AFTER_READ, w, &reads[w]);
	c->write = t->now;
	c->warp = t->warp;
	c->value = value;
}

/* Whether that byte of a vector goes nowhere: the compiler added it (gpu.merge_shared). */
static bool is_sink(const struct instr *in, const struct access *a, uint64_t byte)
{
	uint64_t element = byte * in->vec / a->bytes;

	return a->action == ACT_LOAD && in->vec > 1 && element < in->ndst &&
	       in->dst[element].kind == OPND_NONE;
}

void race_look(struct races *r, struct race_state *s, const struct warp *w, const struct instr *in,
	const struct access *a)
{
	bool atomic = a->action == ACT_ATOM || a->action == ACT_RED;
	bool sync = a->space != SPACE_NONE && (atomic || a->cache_op == CACHE_VOLATILE);
	uint32_t warp = w->first_tid / WARP_LANES;
	struct touch t = {.races = r,
		.s = s,
		.w = w,
		.now = {clocks(s, warp)[warp],
			(uint32_t)(in - w->program->code) | (sync ? SYNCHRONIZES : 0)},
		.warp = warp,
		.writes = a->action != ACT_LOAD};

	if (sync)
		join(clocks(s, warp), s->sync, s->nwarps);
	for (uint32_t left = a->space == SPACE_SHARED && !in->slot ? a->mask : 0; left;
		left &= left - 1) {
		uint64_t from = a->addr[low_bit(left)], to = from + a->bytes - 1;

		for (t.cell = (uint32_t)(from >> s->shift); t.cell <= to >> s->shift; t.cell++)
			if (!is_sink(in, a, (t.cell << s->shift) - from))
				touch_cell(&t);
	}
	if (sync)
		pass_on(s, warp, s->sync);
}

/* ---- text */
static const struct {
	const char *name, *did, *before;
} kinds[] = {
	[RACE_READ_AFTER_WRITE] = {"read after write", "reads", "wrote"},
	[RACE_WRITE_AFTER_READ] = {"write after read", "writes", "read"},
	[RACE_WRITE_AFTER_WRITE] = {"write after write", "writes", "wrote"},
};

const char *race_kind_name(enum race_kind k)
{
	return kinds[k].name;
}

void race_describe(const struct race *r, struct text *out)
{
	text_add(out, "kernel '%s': race for shared memory: ", r->program->source);
	positions_location(r->program, r->second, out);
	text_add(out, " of warp %u %s what ", r->warps[1], kinds[r->kind].did);
	positions_location(r->program, r->first, out);
	text_add(out,
		" of warp %u %s, no barrier between them (first at offset %llu, CTA "
		"(%u,%u,%u); %llu time%s)",
		r->warps[0], kinds[r->kind].before, (unsigned long long)r->offset, r->ctaid[0],
		r->ctaid[1], r->ctaid[2], (unsigned long long)r->count, text_s(r->count));
}
