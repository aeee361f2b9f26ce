/* Allocates the values of a strand to levels (Gebhart's dissertation, section 6.4): greedily by
 * energy saved per issue slot of occupancy; first the LRF, then the ORF. */
#include "ptx/levels/private.h"

#include <stdlib.h>
#include <string.h>

#define PLANES (LEVELS_MAX_ORF + LEVELS_SLOTS) /* ORF first */

struct placement {
	struct levels_work *w;
	struct values *v;
	uint64_t *taken[PLANES]; /* by plane: one bit for each instruction that finds it occupied */
	uint32_t words;          /* length of each */
	struct web **queue;
	uint32_t queue_cap;
	uint32_t *met, met_cap; /* nodes that the last search visited */
	uint32_t nmet, stamp;
	unsigned entries; /* of the ORF being filled */
};

/* A candidate allocation of a web. */
struct offer {
	double saves;
	uint32_t made;        /* where it is defined first */
	uint32_t first, last; /* instructions during which it occupies the entry */
	bool dual;            /* a result is also written to the MRF */
	bool deposits;        /* a value is copied from the MRF */
	bool foreign;         /* written or read by the shared datapath */
};

struct placement *placement_new(struct levels_work *w)
{
	struct placement *p = arena_alloc(w->work, 1, sizeof(*p));
	uint32_t longest = 0;
	uint32_t *length = arena_alloc(w->work, w->strands.n + 1, sizeof(*length));

	p->w = w;
	for (uint32_t i = 0; i < w->p->ninstr; i++) {
		uint32_t n = ++length[w->strands.strand[i]];

		longest = n > longest ? n : longest;
	}
	p->words = longest / 64 + 1;
	for (unsigned k = 0; k < PLANES; k++)
		p->taken[k] = arena_alloc(w->work, p->words, sizeof(**p->taken));
	return p;
}

/* ---- occupancy of the planes. */

static void occupy(uint64_t *bits, uint32_t first, uint32_t last)
{
	for (uint32_t k = first / 64; k <= last / 64; k++) {
		uint64_t set = UINT64_MAX;

		if (k == first / 64)
			set &= UINT64_MAX << first % 64;
		if (k == last / 64)
			set &= UINT64_MAX >> (63 - last % 64);
		bits[k] |= set;
	}
}

/* The first occupied instruction of first .. last, or last + 1. */
static uint32_t first_taken(const uint64_t *bits, uint32_t first, uint32_t last)
{
	for (uint32_t k = first / 64; k <= last / 64; k++) {
		uint64_t set = bits[k];

		if (k == first / 64)
			set &= UINT64_MAX << first % 64;
		if (!set)
			continue;
		k = k * 64 + low_bit(set);
		return k <= last ? k : last + 1;
	}
	return last + 1;
}

/* The first of planes from .. from + n - 1 that has `width` adjacent unused ones. If there is none,
 * returns `PLANES`, and *free is the length of the longest run of instructions from `first` on that
 * would fit, plus one. */
static unsigned find_plane(const struct placement *p, unsigned from, unsigned n, unsigned width,
	const struct offer *o, uint32_t *free)
{
	*free = o->first;
	for (unsigned k = from; k + width <= from + n; k++) {
		uint32_t end = o->last + 1;

		for (unsigned w = 0; w < width; w++) {
			uint32_t taken = first_taken(p->taken[k + w], o->first, o->last);

			end = taken < end ? taken : end;
		}
		if (end > o->last)
			return k;
		*free = end > *free ? end : *free;
	}
	return PLANES;
}

/* ---- energy. */

struct level_price {
	double read[2], write[2]; /* [1]: from and to the shared datapath */
};

static struct level_price price_of(const struct placement *p, enum level level)
{
	const struct level_energy *e = &p->w->options->energy;
	unsigned n = p->w->options->price_entries ? p->w->options->price_entries : p->entries;

	if (level == LEVEL_LRF)
		return (struct level_price){
			{e->lrf_read, e->lrf_read}, {e->lrf_write, e->lrf_write}};
	return (struct level_price){
		{e->orf_read[n][0], e->orf_read[n][1]}, {e->orf_write[n][0], e->orf_write[n][1]}};
}

static bool is_shared(const struct placement *p, uint32_t pos)
{
	return unit_is_shared(p->w->code[p->v->order[pos]].unit);
}

/* ---- candidates. */

static void force(struct placement *p, uint32_t k)
{
	struct values *v = p->v;
	uint32_t depth = 0;

	v->stack[depth++] = k;
	while (depth) {
		uint32_t at = v->stack[--depth];
		struct node *node = &v->nodes[at];

		if (node->forced == p->stamp)
			continue;
		node->forced = p->stamp;
		for (uint32_t o = 0; o < node->nops; o++)
			v->stack[depth++] = v->ops[node->ops + o];
	}
}

static void meet(struct placement *p, uint32_t k)
{
	struct values *v = p->v;
	uint32_t depth = 0;

	v->stack[depth++] = k;
	while (depth) {
		uint32_t at = v->stack[--depth];
		struct node *node = &v->nodes[at];

		if (node->seen == p->stamp)
			continue;
		node->seen = p->stamp;
		p->met[p->nmet++] = at;
		for (uint32_t o = 0; o < node->nops; o++)
			v->stack[depth++] = v->ops[node->ops + o];
		if (node->mate)
			v->stack[depth++] = node->mate;
	}
}

static bool in_mrf(const struct placement *p, const struct node *node)
{
	return node->mrf || node->forced == p->stamp;
}

/* Extends the occupancy: a result is available after the instruction that defines it, a deposit
 * after the instruction that reads it, and a loop-carried value throughout the loop. */
static void extend(struct offer *o, const struct node *node)
{
	uint32_t first = node->pos + (node->kind == NODE_DEF);

	if (node->kind == NODE_PHI && !node->latest)
		return;
	o->made = node->pos < o->made ? node->pos : o->made;
	o->first = first < o->first ? first : o->first;
	o->last = node->latest > o->last ? node->latest : o->last;
}

static void weigh_node(struct placement *p, struct offer *o, const struct level_price *price,
	const struct node *node)
{
	const struct level_energy *e = &p->w->options->energy;
	bool shared;

	extend(o, node);
	if (node->kind == NODE_PHI)
		return;
	shared = is_shared(p, node->pos);
	o->saves -= price->write[shared];
	if (node->kind == NODE_DEPOSIT) {
		o->deposits = true;
		return;
	}
	o->foreign |= p->w->code[p->v->order[node->pos]].unit != UNIT_ALU;
	if (in_mrf(p, node))
		o->dual = true;
	else
		o->saves += e->mrf_write;
}

static void weigh_read(struct placement *p, struct offer *o, const struct level_price *price,
	const struct read *read)
{
	bool shared = is_shared(p, read->pos);

	o->saves += read->words * (p->w->options->energy.mrf_read - price->read[shared]);
	o->foreign |= p->w->code[p->v->order[read->pos]].unit != UNIT_ALU;
	o->last = read->pos > o->last ? read->pos : o->last;
}

/* Serves the first `kept` reads of the web from an upper level, the others from the MRF. */
static struct offer look_at(
	struct placement *p, const struct web *web, uint32_t kept, enum level level)
{
	const struct values *v = p->v;
	const uint32_t *reads = v->web_reads + web->reads;
	struct level_price price = price_of(p, level);
	struct offer o = {.made = UINT32_MAX, .first = UINT32_MAX};

	p->stamp++;
	p->nmet = 0;
	for (uint32_t k = kept; k < web->nreads; k++)
		for (unsigned w = 0; w < v->reads[reads[k]].words; w++)
			force(p, v->reads[reads[k]].node[w]);
	for (uint32_t k = 0; k < kept; k++) {
		weigh_read(p, &o, &price, &v->reads[reads[k]]);
		for (unsigned w = 0; w < v->reads[reads[k]].words; w++)
			meet(p, v->reads[reads[k]].node[w]);
	}
	for (uint32_t k = 0; k < p->nmet; k++)
		weigh_node(p, &o, &price, &v->nodes[p->met[k]]);
	return o;
}

static double priority_of(const struct offer *o)
{
	return o->last > o->made ? o->saves / (o->last - o->made) : o->saves;
}

static bool may_be_dual(const struct placement *p, enum level level)
{
	const struct levels_options *o = p->w->options;

	return !o->one_level_writes && !(o->lrf_dual_only && level == LEVEL_ORF);
}

static bool pays(const struct placement *p, const struct offer *o, enum level level)
{
	return o->saves > 0 && (!o->dual || may_be_dual(p, level));
}

/* ---- the priority queue. */

static int by_priority(const void *a, const void *b)
{
	const struct web *x = *(struct web *const *)a, *y = *(struct web *const *)b;

	if (x->priority != y->priority)
		return x->priority > y->priority ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* The operand slot that all reads of the web use, or LEVELS_SLOTS. */
static unsigned slot_of(const struct values *v, const struct web *web)
{
	const uint32_t *reads = v->web_reads + web->reads;
	unsigned slot = v->reads[reads[0]].src;

	for (uint32_t k = 1; k < web->nreads; k++)
		if (v->reads[reads[k]].src != slot)
			return LEVELS_SLOTS;
	return slot < LEVELS_SLOTS ? slot : LEVELS_SLOTS;
}

/* Whether each operand slot has its own LRF. */
static bool by_slot(const struct placement *p)
{
	return p->w->options->lrf > 1 && !p->w->options->any_slot;
}

static bool fits_level(
	const struct placement *p, const struct web *web, const struct offer *o, enum level level)
{
	unsigned width = web->hi - web->lo + 1u;

	if (level == LEVEL_ORF)
		return width <= 2 && width <= p->entries;
	if (width != 1 || o->foreign || o->deposits)
		return false;
	return !by_slot(p) || slot_of(p->v, web) < LEVELS_SLOTS;
}

static uint32_t fill_queue(struct placement *p, enum level level)
{
	struct values *v = p->v;
	uint32_t n = 0;

	for (uint32_t k = 0; k < v->nwebs; k++) {
		struct web *web = &v->webs[k];
		struct offer o;

		if (web->plane)
			continue;
		o = look_at(p, web, web->nreads, level);
		web->priority = priority_of(&o);
		if (fits_level(p, web, &o, level) && pays(p, &o, level))
			p->queue[n++] = web;
	}
	if (n)
		qsort(p->queue, n, sizeof(*p->queue), by_priority);
	return n;
}

static void settle(struct placement *p, struct web *web, unsigned plane, const struct offer *o)
{
	for (unsigned w = 0; w <= (unsigned)(web->hi - web->lo); w++)
		occupy(p->taken[plane + w], o->first, o->last);
	web->plane = p->w->p->regs + plane;
}

/* ---- the LRF. */

static void fill_lrf(struct placement *p)
{
	uint32_t n = fill_queue(p, LEVEL_LRF), free;

	for (uint32_t k = 0; k < n; k++) {
		struct web *web = p->queue[k];
		struct offer o = look_at(p, web, web->nreads, LEVEL_LRF);
		unsigned plane = by_slot(p) ? find_plane(p, LEVELS_MAX_ORF + slot_of(p->v, web), 1,
						      1, &o, &free)
					    : find_plane(p, LEVELS_MAX_ORF, p->w->options->lrf, 1,
						      &o, &free);

		if (plane == PLANES)
			continue;
		web->kept = web->nreads;
		settle(p, web, plane, &o);
	}
}

/* ---- the ORF. */

/* Drops reads from the end until an entry can serve the rest; at least one. */
static uint32_t shorten(
	const struct placement *p, const struct web *web, uint32_t kept, uint32_t free)
{
	const uint32_t *reads = p->v->web_reads + web->reads;

	for (kept--; kept > 0 && p->v->reads[reads[kept - 1]].pos >= free;)
		kept--;
	return kept;
}

/* Returns the energy saved. */
static double place_web(struct placement *p, struct web *web)
{
	uint32_t kept = web->nreads, free;

	while (kept > 0) {
		struct offer o = look_at(p, web, kept, LEVEL_ORF);
		unsigned plane;

		if (!pays(p, &o, LEVEL_ORF))
			return 0;
		plane = find_plane(p, 0, p->entries, web->hi - web->lo + 1u, &o, &free);
		if (plane != PLANES) {
			web->kept = kept;
			settle(p, web, plane, &o);
			return o.saves;
		}
		if (!p->w->options->partial_ranges)
			return 0;
		kept = shorten(p, web, kept, free);
	}
	return 0;
}

static void empty_orf(struct placement *p)
{
	struct values *v = p->v;

	for (unsigned k = 0; k < LEVELS_MAX_ORF; k++)
		memset(p->taken[k], 0, (v->n / 64 + 1) * sizeof(**p->taken));
	for (uint32_t k = 0; k < v->nwebs; k++)
		if (v->webs[k].plane && v->webs[k].plane < p->w->p->regs + LEVELS_MAX_ORF)
			v->webs[k].plane = 0;
}

static double fill_orf(struct placement *p, unsigned entries)
{
	double saved = 0;
	uint32_t n;

	p->entries = entries;
	empty_orf(p);
	n = entries ? fill_queue(p, LEVEL_ORF) : 0;
	for (uint32_t k = 0; k < n; k++)
		saved += place_web(p, p->queue[k]);
	return saved;
}

/* The size with the lowest energy for this strand; of ties the smallest. */
static unsigned ask_oracle(struct placement *p)
{
	unsigned best = 1;
	double most = 0;

	for (unsigned n = 1; n <= LEVELS_MAX_ORF; n++) {
		double saved = fill_orf(p, n);

		if (saved <= most)
			continue;
		most = saved;
		best = n;
	}
	return best;
}

/* ---- rewriting. */

static uint16_t plane_of(const struct placement *p, const struct web *web, uint32_t reg)
{
	uint32_t plane = web->plane + reg - web->lo, lrf = p->w->p->regs + LEVELS_MAX_ORF;

	/* LRF planes follow those of the ORF, whatever its size */
	if (web->plane >= lrf)
		plane = p->w->p->regs + (plane - lrf) +
			(p->w->options->oracle_entries ? LEVELS_MAX_ORF : p->w->options->entries);
	return (uint16_t)plane;
}

static void add_copy(struct placement *p, uint32_t instr, struct level_copy copy)
{
	struct levels_work *w = p->w;

	w->copies =
		levels_grow(w->work, w->copies, w->ncopies + 1, &w->copies_cap, sizeof(*w->copies));
	w->copies[w->ncopies++] = (struct made_copy){instr, copy};
	w->notes[instr].ncopies++;
}

static void rewrite_node(struct placement *p, const struct web *web, const struct node *node)
{
	uint32_t instr = p->v->order[node->pos];
	uint16_t plane = plane_of(p, web, node->reg);

	if (node->kind == NODE_DEPOSIT)
		add_copy(p, instr, (struct level_copy){node->reg, plane, true});
	if (node->kind != NODE_DEF)
		return;
	if (in_mrf(p, node))
		add_copy(p, instr, (struct level_copy){plane, node->reg, false});
	if (!node->mate || p->v->nodes[node->mate].reg > node->reg)
		p->w->code[instr].dst[node->dst].index = plane;
}

static void rewrite_web(struct placement *p, const struct web *web)
{
	const struct values *v = p->v;

	look_at(p, web, web->kept, LEVEL_ORF);
	for (uint32_t k = 0; k < web->kept; k++) {
		const struct read *read = &v->reads[v->web_reads[web->reads + k]];

		p->w->code[v->order[read->pos]].src[read->src].index =
			plane_of(p, web, v->nodes[read->node[0]].reg);
	}
	for (uint32_t k = 0; k < p->nmet; k++)
		rewrite_node(p, web, &v->nodes[p->met[k]]);
}

static void start_strand(struct placement *p, struct values *v)
{
	struct arena *work = p->w->work;

	p->v = v;
	p->stamp = 0; /* the nodes are new */
	p->entries = p->w->options->entries;
	p->queue = levels_grow(work, p->queue, v->nwebs, &p->queue_cap, sizeof(*p->queue));
	p->met = levels_grow(work, p->met, v->nnodes, &p->met_cap, sizeof(*p->met));
	for (unsigned k = LEVELS_MAX_ORF; k < PLANES; k++)
		memset(p->taken[k], 0, (v->n / 64 + 1) * sizeof(**p->taken));
}

unsigned placement_choose(struct placement *p, struct values *v)
{
	unsigned entries = p->w->options->entries;

	start_strand(p, v);
	if (p->w->options->lrf)
		fill_lrf(p);
	if (p->w->options->oracle_entries)
		entries = ask_oracle(p);
	fill_orf(p, entries);
	for (uint32_t k = 0; k < v->nwebs; k++)
		if (v->webs[k].plane)
			rewrite_web(p, &v->webs[k]);
	return entries;
}
