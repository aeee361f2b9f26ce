/* Races for shared and global memory. */
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

/* Of global memory, in the order of a hash: a word that comes replaces another. */
#define ENTRIES_OF_WARP 128u
struct entry {
	uint64_t word; /* 1 + its number; 0: none */
	struct cell cell;
};

struct race_state {
	uint32_t ctaid[3];
	uint32_t nwarps, shift, ncells;
	uint32_t global_shift, nentries;
	uint32_t first;        /* no clock of the CTA is below it */
	uint32_t last;         /* nor above this */
	uint32_t *clock;       /* by warp, what it knows of each warp's clock; its own there, too */
	uint32_t *sync;        /* what the synchronizing accesses so far knew */
	uint32_t *barrier;     /* by barrier, what arrived there */
	bool passed[BARRIERS]; /* warps have been released: the next arrival is of another turn */
	struct cell *cells;
	struct entry *entries;
	struct moment *reads; /* by cell, or entry behind them, and warp: the last one */
};

/* ---- storage */
/* log2 of the smallest access to that memory. */
static uint32_t shift_of(const struct program *p, enum ptx_space space)
{
	uint32_t least = 8;

	for (uint32_t i = 0; i < p->ninstr; i++) {
		const struct instr *in = &p->code[i];
		bool moves = in->action == ACT_LOAD || in->action == ACT_STORE ||
			     in->action == ACT_ATOM || in->action == ACT_RED;

		if (moves && (in->space == space || in->space == SPACE_GENERIC) && !in->slot)
			least = (uint32_t)min_u64(
				least, ptx_type_bytes((enum ptx_type)in->mem_type));
	}
	return low_bit(least);
}

static struct race_state shape_of(const struct grid *grid)
{
	struct race_state s = {.nwarps = grid_cta_warps(grid),
		.shift = shift_of(grid->program, SPACE_SHARED),
		.global_shift = shift_of(grid->program, SPACE_GLOBAL)};

	s.ncells = (grid_own_shared_bytes(grid) >> s.shift) + 1;
	s.nentries = s.nwarps > 1 ? s.nwarps * ENTRIES_OF_WARP : 0;
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
	       s.nentries * sizeof(struct entry) +
	       ((size_t)s.ncells + s.nentries) * s.nwarps * sizeof(struct moment);
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
	s->cells = (struct cell *)(s->reads + ((size_t)s->ncells + s->nentries) * s->nwarps);
	s->entries = (struct entry *)(s->cells + s->ncells);
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
	const struct exec_memory *memory;
	struct moment now;
	uint32_t warp, shift;
	uint64_t at; /* the cell's address */
	uint8_t space;
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
		.space = t->space,
		.warps = {warp, t->warp},
		.ctaid = {s->ctaid[0], s->ctaid[1], s->ctaid[2]},
		.offset = t->at,
		.count = 1};

	add(t->races, &race);
}

static struct cell *entry_of(struct race_state *s, uint64_t word, struct moment **reads)
{
	uint32_t at = (uint32_t)((word * UINT64_C(0x9e3779b97f4a7c15)) >> 32) % s->nentries;
	struct entry *p = &s->entries[at];

	*reads = s->reads + ((size_t)s->ncells + at) * s->nwarps;
	if (p->word != word + 1) {
		*p = (struct entry){.word = word + 1};
		memset(*reads, 0, s->nwarps * sizeof(**reads));
	}
	return &p->cell;
}

/* The cell that is accessed, and its reads by warp. */
static struct cell *cell_of(const struct touch *t, struct moment **reads)
{
	struct race_state *s = t->s;
	uint64_t word = t->at >> t->shift;

	if (t->space != SPACE_SHARED)
		return entry_of(s, word, reads);
	*reads = s->reads + (size_t)word * s->nwarps;
	return &s->cells[word];
}

/* What memory holds there now. */
static uint64_t value_of(const struct touch *t)
{
	struct access a = {.space = t->space,
		.action = ACT_LOAD,
		.bytes = (uint8_t)(1u << t->shift),
		.vec = 1,
		.mask = 1,
		.addr = {t->at}};
	unsigned char lanes[WARP_LANES * sizeof(uint64_t)] = {0};
	uint64_t value = 0;

	if (t->space == SPACE_SHARED)
		memcpy(&value, t->w->cta->shared + t->at, a.bytes);
	else if (!t->memory->load(t->memory->ctx, &a, lanes))
		memcpy(&value, lanes, a.bytes);
	return value;
}

static void touch_cell(const struct touch *t)
{
	struct race_state *s = t->s;
	uint64_t value = t->writes ? value_of(t) : 0;
	struct moment *reads;
	struct cell *c = cell_of(t, &reads);

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

/* In which several warps may meet; read-only loads of global memory are left out. */
static uint32_t lanes_of(const struct race_state *s, const struct instr *in, const struct access *a)
{
	bool met = a->space == SPACE_SHARED ||
		   (a->space == SPACE_GLOBAL && s->nentries && a->cache_op != CACHE_NC);

	return met && !in->slot ? a->mask : 0;
}

void race_look(struct races *r, struct race_state *s, const struct warp *w, const struct instr *in,
	const struct access *a, const struct exec_memory *memory)
{
	bool atomic = a->action == ACT_ATOM || a->action == ACT_RED;
	bool sync = a->space != SPACE_NONE && (atomic || a->cache_op == CACHE_VOLATILE);
	uint32_t warp = w->first_tid / WARP_LANES;
	uint32_t shift = a->space == SPACE_SHARED ? s->shift : s->global_shift;
	struct touch t = {.races = r,
		.s = s,
		.w = w,
		.memory = memory,
		.now = {clocks(s, warp)[warp],
			(uint32_t)(in - w->program->code) | (sync ? SYNCHRONIZES : 0)},
		.warp = warp,
		.shift = shift,
		.space = a->space,
		.writes = a->action != ACT_LOAD};

	if (sync)
		join(clocks(s, warp), s->sync, s->nwarps);
	for (uint32_t left = lanes_of(s, in, a); left; left &= left - 1) {
		uint64_t from = a->addr[low_bit(left)];

		for (t.at = from >> shift << shift; t.at < from + a->bytes;
			t.at += UINT64_C(1) << shift)
			if (!is_sink(in, a, t.at - from))
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
	text_add(out, "kernel '%s': race for %s memory: ", r->program->source,
		ptx_space_name((enum ptx_space)r->space));
	positions_location(r->program, r->second, out);
	text_add(out, " of warp %u %s what ", r->warps[1], kinds[r->kind].did);
	positions_location(r->program, r->first, out);
	text_add(out, " of warp %u %s, no barrier between them (first at ", r->warps[0],
		kinds[r->kind].before);
	text_add(out, r->space == SPACE_SHARED ? "offset %llu" : "address 0x%llx",
		(unsigned long long)r->offset);
	text_add(out, ", CTA (%u,%u,%u); %llu time%s)", r->ctaid[0], r->ctaid[1], r->ctaid[2],
		(unsigned long long)r->count, text_s(r->count));
}
