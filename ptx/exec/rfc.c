/* The hardware-managed register file cache and last result file, with tags (Gebhart's dissertation,
 * chapter 5 and section 6.5.2).
 *
 * The value of a dirty entry is only there: its MRF plane is stale. Valid and dirty bits are per
 * lane, since a write under a partial mask leaves the other lanes unchanged; a source is gathered
 * from the levels that hold its lanes. Operands whose words are not adjacent are copied to planes
 * after the entries, and results are written there first: the entry to replace is chosen after the
 * instruction has executed.
 *
 * Results are allocated in the LRF, if there is one; a value evicted from it moves to the RFC, and
 * a value evicted from there to the MRF, unless it is dead. The LRF is not connected to the
 * datapath that the lanes of a cluster share: results of that datapath are allocated in the RFC,
 * and an LRF value that it reads moves to the RFC first. So do 64-bit results, of which the LRF
 * could hold only half. */
#include "ptx/exec/private.h"
#include "ptx/levels/strand.h"

#include <string.h>

#define LRF LEVELS_MAX_RFC /* its entry */
#define NO_ENTRY UINT32_MAX
#define STATE_PLANES 2u

struct entry {
	uint16_t reg;
	uint32_t valid, dirty; /* lanes; valid 0: unused */
};

/* Stored in the planes after those of the entries. */
struct rfc {
	struct entry entry[LEVELS_MAX_RFC + 1];
	uint8_t order[LEVELS_MAX_RFC]; /* replacement order: the next victim first */
};
_Static_assert(sizeof(struct rfc) <= STATE_PLANES * WARP_LANES * sizeof(uint32_t), "too large");
_Static_assert(LEVELS_RFC_PLANES == STATE_PLANES + (INSTR_SRCS + INSTR_DSTS) * 2, "planes differ");

/* The processing of one instruction. */
struct use {
	struct issue *is;
	const struct level_note *note;
	const struct levels_options *o;
	unsigned entries; /* of the RFC */
	struct rfc *rfc;
	const struct instr *original;
	struct instr patched;
	bool bypasses;   /* results are written to the MRF */
	uint32_t lanes;  /* lanes that read */
	uint32_t active; /* active lanes, regardless of the guard */
	uint64_t reads[LEVEL_COUNT];
	uint16_t banks; /* of the MRF reads */
};

static uint32_t state_plane(const struct program *p)
{
	return p->regs + p->levels->upper + p->levels->lrf;
}

static struct rfc *rfc_of(const struct warp *w)
{
	return (struct rfc *)(void *)(w->regs + (size_t)state_plane(w->program) * WARP_LANES);
}

static uint32_t entry_plane(const struct warp *w, uint32_t e)
{
	const struct program *p = w->program;

	return p->regs + (e == LRF ? p->levels->upper : e);
}

static uint32_t find(const struct rfc *c, unsigned entries, uint32_t reg)
{
	for (uint32_t e = 0; e < entries; e++)
		if (c->entry[e].reg == reg && c->entry[e].valid)
			return e;
	return NO_ENTRY;
}

static bool in_lrf(const struct rfc *c, uint32_t reg)
{
	return c->entry[LRF].reg == reg && c->entry[LRF].valid;
}

void rfc_start(struct warp *w)
{
	struct rfc *c = rfc_of(w);

	memset(c, 0, sizeof(*c));
	for (unsigned e = 0; e < LEVELS_MAX_RFC; e++)
		c->order[e] = (uint8_t)e;
}

/* ---- evictions */

/* Writes the entry back to the MRF and invalidates it. Lanes that have exited are not written. */
static void write_back(const struct warp *w, struct rfc *c, uint32_t e)
{
	struct entry *it = &c->entry[e];
	struct level_traffic *t = w->traffic;

	it->dirty &= ~w->exited;
	if (it->dirty) {
		exec_copy_plane(w, entry_plane(w, e), it->reg, it->dirty);
		t->lrf_reads += e == LRF;
		t->orf_reads += e != LRF;
		t->mrf_writes++;
		t->writebacks++;
	}
	it->valid = it->dirty = 0;
}

/* Makes the entry the last in the replacement order. */
static void renew(struct rfc *c, unsigned entries, uint32_t e)
{
	unsigned k = 0;

	while (c->order[k] != e)
		k++;
	memmove(&c->order[k], &c->order[k + 1], entries - 1 - k);
	c->order[entries - 1] = (uint8_t)e;
}

/* The register's entry in the RFC, allocated if necessary. */
static uint32_t take_entry(const struct use *u, uint32_t reg)
{
	struct rfc *c = u->rfc;
	uint32_t e = find(c, u->entries, reg);

	if (e != NO_ENTRY) {
		if (u->o->lru)
			renew(c, u->entries, e);
		return e;
	}
	for (e = 0; e < u->entries && c->entry[e].valid;)
		e++;
	if (e == u->entries) {
		e = c->order[0];
		write_back(u->is->warp, c, e);
	}
	renew(c, u->entries, e);
	c->entry[e].reg = (uint16_t)reg;
	return e;
}

/* Evicts the LRF's value to the RFC, unless it is dead. */
static void fall(const struct use *u)
{
	const struct warp *w = u->is->warp;
	struct entry *from = &u->rfc->entry[LRF], *to;
	uint32_t lanes = from->dirty & ~w->exited, e;

	from->valid = from->dirty = 0;
	if (!lanes)
		return;
	e = take_entry(u, from->reg);
	to = &u->rfc->entry[e];
	exec_copy_plane(w, entry_plane(w, LRF), entry_plane(w, e), lanes);
	to->valid |= lanes;
	to->dirty |= lanes;
	w->traffic->lrf_reads++;
	w->traffic->orf_writes++;
	w->traffic->lrf_falls++;
}

void rfc_flush(struct warp *w)
{
	const struct program_levels *l = w->program->levels;
	struct rfc *c = rfc_of(w);

	if (!l->options.flush)
		return;
	for (uint32_t e = 0; e < l->upper; e++)
		write_back(w, c, e);
	if (l->lrf)
		write_back(w, c, LRF);
	exec_poison(w);
}

/* ---- sources */

/* A plane that holds some lanes of a register. */
struct part {
	uint32_t plane, lanes;
};

static void add_part(struct part *parts, unsigned *n, uint32_t plane, uint32_t *left, uint32_t has)
{
	if (!(*left & has))
		return;
	parts[(*n)++] = (struct part){plane, *left & has};
	*left &= ~has;
}

/* Whether an earlier source than s is the same register. */
static bool named_before(const struct use *u, unsigned s, uint32_t reg)
{
	const struct operand *src = u->original->src;

	for (unsigned k = 0; k < s; k++)
		if (src[k].kind == OPND_REG && reg - src[k].index < src[k].words)
			return true;
	return false;
}

/* The levels that hold the lanes of register reg, source s: up to three, each of which is read. */
static unsigned locate(struct use *u, unsigned s, uint32_t reg, struct part parts[LEVEL_COUNT])
{
	const struct rfc *c = u->rfc;
	uint32_t left = u->lanes, e = find(c, u->entries, reg);
	unsigned n = 0, before;

	if (in_lrf(c, reg))
		add_part(parts, &n, entry_plane(u->is->warp, LRF), &left, c->entry[LRF].valid);
	before = n;
	u->reads[LEVEL_LRF] += n;
	if (e != NO_ENTRY)
		add_part(parts, &n, entry_plane(u->is->warp, e), &left, c->entry[e].valid);
	u->reads[LEVEL_ORF] += n - before;
	before = n;
	add_part(parts, &n, reg, &left, FULL_MASK);
	u->reads[LEVEL_MRF] += n - before;
	if (n > before && !named_before(u, s, reg))
		u->banks = level_bank_read(u->banks, reg);
	return n;
}

/* Staging planes: first those of sources, then those of results. */
static uint32_t way_plane(const struct use *u, unsigned operand)
{
	return state_plane(u->is->warp->program) + STATE_PLANES + 2 * operand;
}

static void place_source(struct use *u, unsigned s)
{
	struct operand *o = &u->patched.src[s];
	struct part parts[2][LEVEL_COUNT] = {0};
	unsigned n[2] = {1, 1};

	for (unsigned k = 0; k < o->words; k++)
		n[k] = locate(u, s, o->index + k, parts[k]);
	if (n[0] == 1 && n[1] == 1 &&
		(o->words == 1 || parts[0][0].plane + 1 == parts[1][0].plane)) {
		o->index = (uint16_t)parts[0][0].plane;
		return;
	}
	for (unsigned k = 0; k < o->words; k++)
		for (unsigned i = 0; i < n[k]; i++)
			exec_copy_plane(u->is->warp, parts[k][i].plane, way_plane(u, s) + k,
				parts[k][i].lanes);
	o->index = (uint16_t)way_plane(u, s);
}

/* Makes a register visible: the shared datapath cannot read the LRF, and barriers, which read their
 * operands when other warps arrive, cannot read the upper levels. */
static void show(const struct use *u, uint32_t reg)
{
	const struct warp *w = u->is->warp;
	bool barrier = u->original->unit == UNIT_BARRIER;
	uint32_t e = barrier ? find(u->rfc, u->entries, reg) : NO_ENTRY;

	if (e != NO_ENTRY)
		write_back(w, u->rfc, e);
	if (barrier && in_lrf(u->rfc, reg))
		write_back(w, u->rfc, LRF);
	else if (u->note->shared && in_lrf(u->rfc, reg))
		fall(u);
}

static void show_sources(const struct use *u)
{
	const struct instr *in = u->original;

	for (unsigned s = 0; s < in->nsrc; s++)
		for (unsigned k = 0; in->src[s].kind == OPND_REG && k < in->src[s].words; k++)
			show(u, in->src[s].index + k);
}

/* Results written to the MRF: long-latency results, if they bypass, and results that arrive after
 * the instruction has executed, whatever the options are. */
static bool goes_past(const struct use *u)
{
	const struct instr *in = u->original;

	return in->action == ACT_ATOM || in->unit == UNIT_BARRIER ||
	       (u->o->bypass && is_long_latency(in));
}

static void place_operands(struct use *u)
{
	struct instr *in = &u->patched;

	for (unsigned s = 0; s < in->nsrc; s++)
		if (in->src[s].kind == OPND_REG)
			place_source(u, s);
	for (unsigned d = 0; d < in->ndst && !u->bypasses; d++)
		if (in->dst[d].kind == OPND_REG)
			in->dst[d].index = (uint16_t)way_plane(u, INSTR_SRCS + d);
}

/* ---- after execution */

static bool is_result(const struct instr *in, uint32_t reg)
{
	for (unsigned d = 0; d < in->ndst; d++)
		if (in->dst[d].kind == OPND_REG && reg - in->dst[d].index < in->dst[d].words)
			return true;
	return false;
}

/* After a read: the entry is used, allocated, or dead. */
static void after_read(const struct use *u, uint32_t reg, bool last)
{
	const struct warp *w = u->is->warp;
	struct rfc *c = u->rfc;
	uint32_t e = find(c, u->entries, reg);

	if (last && in_lrf(c, reg))
		c->entry[LRF].dirty &= ~u->active;
	if (e != NO_ENTRY) {
		if (last)
			c->entry[e].dirty &= ~u->active;
		if (u->o->lru)
			renew(c, u->entries, e);
		return;
	}
	if (!u->o->reads_allocate || last || in_lrf(c, reg) || is_result(u->original, reg))
		return;
	e = take_entry(u, reg);
	exec_copy_plane(w, reg, entry_plane(w, e), FULL_MASK);
	c->entry[e].valid = FULL_MASK;
	w->traffic->orf_writes++;
	w->traffic->deposits++;
}

static void after_reads(const struct use *u)
{
	const struct instr *in = u->original;

	for (unsigned s = 0; s < in->nsrc; s++) {
		bool last = u->o->liveness && in->unit != UNIT_CONTROL &&
			    (u->note->last_reads >> s & 1);

		for (unsigned k = 0; in->src[s].kind == OPND_REG && k < in->src[s].words; k++)
			after_read(u, in->src[s].index + k, last);
	}
}

static void forget(struct entry *e, uint32_t lanes)
{
	e->valid &= ~lanes;
	e->dirty &= ~lanes;
}

/* Invalidates the lanes in all entries except `but`: their values are now in the MRF or in that
 * entry. */
static void forget_others(const struct use *u, uint32_t reg, uint32_t but, uint32_t lanes)
{
	uint32_t e = find(u->rfc, u->entries, reg);

	if (in_lrf(u->rfc, reg) && but != LRF)
		forget(&u->rfc->entry[LRF], lanes);
	if (e != NO_ENTRY && e != but)
		forget(&u->rfc->entry[e], lanes);
}

static void keep(const struct use *u, uint32_t reg, uint32_t from, uint32_t e)
{
	struct entry *it = &u->rfc->entry[e];
	uint32_t lanes = u->is->mask;

	exec_copy_plane(u->is->warp, from, entry_plane(u->is->warp, e), lanes);
	it->reg = (uint16_t)reg;
	it->valid |= lanes;
	it->dirty |= lanes;
	forget_others(u, reg, e, lanes);
}

static bool goes_to_lrf(const struct use *u, const struct operand *o)
{
	return u->o->lrf && !u->note->shared && o->words == 1;
}

static void count_write(const struct use *u, const struct operand *o)
{
	struct level_traffic *t = u->is->warp->traffic;

	if (u->is->access->more)
		return;
	if (u->bypasses)
		t->mrf_writes += o->words;
	else if (goes_to_lrf(u, o))
		t->lrf_writes += o->words;
	else if (u->note->shared)
		t->orf_shared_writes += o->words;
	else
		t->orf_writes += o->words;
}

/* Lanes written in the MRF; called before any other eviction. */
static void after_bypass(const struct use *u, const struct operand *o)
{
	for (unsigned k = 0; o->kind == OPND_REG && k < o->words; k++)
		forget_others(u, o->index + k, NO_ENTRY, u->is->mask);
}

static void after_write(const struct use *u, const struct operand *o, uint32_t from)
{
	for (unsigned k = 0; u->is->mask && k < o->words; k++) {
		uint32_t reg = o->index + k;

		if (!goes_to_lrf(u, o)) {
			keep(u, reg, from + k, take_entry(u, reg));
			continue;
		}
		if (!in_lrf(u->rfc, reg))
			fall(u);
		keep(u, reg, from + k, LRF);
	}
}

static void after_writes(const struct use *u)
{
	const struct instr *in = u->original;

	for (unsigned d = 0; d < in->ndst; d++) {
		if (in->dst[d].kind != OPND_REG)
			continue;
		count_write(u, &in->dst[d]);
		if (!u->bypasses)
			after_write(u, &in->dst[d], way_plane(u, INSTR_SRCS + d));
	}
}

static void count_reads(const struct use *u)
{
	struct level_traffic *t = u->is->warp->traffic;

	t->mrf_reads += u->reads[LEVEL_MRF];
	t->lrf_reads += u->reads[LEVEL_LRF];
	*(u->note->shared ? &t->orf_shared_reads : &t->orf_reads) += u->reads[LEVEL_ORF];
}

/* Shuffles and similar instructions read all lanes: their operands select the participants. If the
 * guard is false in all lanes, the reads are counted anyway. */
enum exec_result rfc_issue(struct issue *is, const struct level_note *note)
{
	struct use u = {.is = is,
		.note = note,
		.o = &is->warp->program->levels->options,
		.entries = is->warp->program->levels->upper,
		.rfc = rfc_of(is->warp),
		.original = is->instr,
		.patched = *is->instr,
		.active = is->top->mask};
	enum exec_result result;

	u.bypasses = goes_past(&u);
	u.lanes = is->instr->action == ACT_WARP ? FULL_MASK : is->mask ? is->mask : u.active;
	if (note->shared || is->instr->unit == UNIT_BARRIER)
		show_sources(&u);
	place_operands(&u);
	is->instr = &u.patched;
	result = exec_run(is);
	is->instr = u.original;
	if (result != EXEC_OK)
		return result;
	for (unsigned d = 0; u.bypasses && d < u.original->ndst; d++)
		after_bypass(&u, &u.original->dst[d]);
	is->warp->mrf_banks = u.banks;
	if (!is->access->more) {
		count_reads(&u);
		after_reads(&u);
	}
	after_writes(&u);
	return EXEC_OK;
}
