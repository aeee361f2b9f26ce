/* Spill code: loads and stores around the instructions that need a spilled register. Within a block
 * a reloaded value stays in a register as long as one is free, and the value with the furthest next
 * use is evicted first (Belady, "A study of replacement algorithms", 1966). A block with a single
 * predecessor starts with what that one leaves in registers. */
#include "ptx/alloc/spill.h"

#include "ptx/ir/rebuild.h"

#include <string.h>

/* A spilled register whose value is currently in another register. */
struct resident {
	uint32_t vreg, temp;
	uint32_t at; /* the last instruction that needed it, + 1 */
};

struct leaving {
	struct resident *list;
	uint32_t n;
};

struct rewrite {
	const struct spill_plan *p;
	struct rebuild to;
	uint32_t *slot;                 /* by virtual register of p->f: its slot + 1 */
	uint32_t *use_first, *use_list; /* instructions that use each register, ascending */
	uint32_t *cursor;               /* by virtual register, into use_list */
	struct resident *here;
	uint32_t nhere, words;
	struct leaving *leaving; /* by block */
	uint32_t *only_pred;     /* by block, NO_BLOCK: none or several */
	uint32_t i;              /* current instruction */
};

/* ---- instructions that the compiler inserts. */

static struct ir_instr blank(const struct rewrite *w)
{
	const struct ir_instr *at = &w->p->f->code[w->i];

	return (struct ir_instr){.action = ACT_LANES,
		.unit = UNIT_ALU,
		.guard = NO_VREG,
		.pos = at->pos,
		.loc = at->loc};
}

static struct ir_value reg(const struct rewrite *w, uint32_t v)
{
	return (struct ir_value){
		.kind = IR_REG, .words = w->to.out.words[v] & (uint8_t)~IR_SLOT, .index = v};
}

static struct ir_instr slot_access(const struct rewrite *w, uint32_t slot, bool load)
{
	struct ir_instr i = blank(w);

	i.action = load ? ACT_LOAD : ACT_STORE;
	i.shape = load ? IR_FILL : IR_SPILL;
	i.unit = UNIT_MEMORY;
	i.space = SPACE_LOCAL;
	i.mem_type = w->to.out.words[slot] == (IR_SLOT | 2) ? T_B64 : T_B32;
	if (i.mem_type == T_B64)
		i.opcode = load ? "ld.local.b64" : "st.local.b64";
	else
		i.opcode = load ? "ld.local.b32" : "st.local.b32";
	i.vec = 1;
	i.address_words = (uint8_t)(w->p->m->ast->address_bits / 32);
	i.ndst = i.nsrc = 1;
	return i;
}

static uint32_t slot_of(struct rewrite *w, uint32_t v)
{
	uint8_t words = w->p->f->words[v];

	if (!w->slot[v])
		w->slot[v] = rebuild_vreg(&w->to, (uint8_t)(IR_SLOT | (words ? words : 1)), v) + 1;
	return w->slot[v] - 1;
}

static void emit_load(struct rewrite *w, uint32_t v, uint32_t temp)
{
	uint32_t slot = slot_of(w, v), word;
	struct ir_instr i = slot_access(w, slot, true), test = blank(w);

	i.src[0] = reg(w, slot);
	if (w->p->f->words[v]) {
		i.dst[0] = reg(w, temp);
		rebuild_emit(&w->to, &i);
		return;
	}
	word = rebuild_vreg(&w->to, 1, v);
	i.dst[0] = reg(w, word);
	rebuild_emit(&w->to, &i);
	test.op = w->p->m->setp_op;
	test.op_class = CLASS_COMPARE;
	test.opcode = "setp.ne.u32";
	test.shape = IR_OWN;
	test.ndst = test.nsrc = 2;
	test.dst[0] = reg(w, temp);
	test.src[0] = reg(w, word);
	test.src[1] = (struct ir_value){.kind = IR_CONST, .words = 1};
	rebuild_emit(&w->to, &test);
}

/* `guard`: store only where the current instruction executes; its guard is now in this register. */
static void emit_store(struct rewrite *w, uint32_t v, uint32_t temp, uint32_t guard)
{
	uint32_t slot = slot_of(w, v), word;
	struct ir_instr i = slot_access(w, slot, false), select = blank(w);

	i.dst[0] = reg(w, slot);
	i.guard = guard;
	i.guard_negated = guard != NO_VREG && w->p->f->code[w->i].guard_negated;
	i.src[0] = reg(w, temp);
	if (w->p->f->words[v] == 0) {
		word = rebuild_vreg(&w->to, 1, v);
		select.op = w->p->m->selp_op;
		select.opcode = "selp.b32";
		select.shape = IR_OWN;
		select.ndst = 1;
		select.nsrc = 3;
		select.dst[0] = i.src[0] = reg(w, word);
		select.src[0] = (struct ir_value){.kind = IR_CONST, .words = 1, .bits = 1};
		select.src[1] = (struct ir_value){.kind = IR_CONST, .words = 1};
		select.src[2] = reg(w, temp);
		rebuild_emit(&w->to, &select);
	}
	rebuild_emit(&w->to, &i);
}

/* Emits an instruction of the function again, at the current position. */
static void emit_clone(struct rewrite *w, uint32_t def, uint32_t temp, uint32_t source)
{
	struct ir_instr i = w->p->f->code[def], at = blank(w);

	i.shape = IR_OWN;
	i.pos = at.pos;
	i.loc = at.loc;
	i.fresh = 0;
	i.dst[0] = reg(w, temp);
	for (unsigned s = 0; s < i.nsrc; s++)
		if (i.src[s].kind == IR_REG)
			i.src[s].index = source;
	rebuild_emit(&w->to, &i);
}

static void rematerialise(struct rewrite *w, uint32_t v, uint32_t temp)
{
	const struct remat *r = &w->p->again[v];
	uint32_t leaf = NO_VREG;

	if (r->leaf != NO_VREG) {
		leaf = rebuild_vreg(&w->to, w->p->f->code[r->leaf].dst[0].words, v);
		emit_clone(w, r->leaf, leaf, NO_VREG);
	}
	emit_clone(w, r->def, temp, leaf);
}

/* ---- values in registers. */

static struct resident *find(const struct rewrite *w, uint32_t v)
{
	for (uint32_t k = 0; k < w->nhere; k++)
		if (w->here[k].vreg == v)
			return &w->here[k];
	return NULL;
}

static void forget(struct rewrite *w, struct resident *r)
{
	w->words -= ir_reg_words(w->to.out.words[r->temp]);
	*r = w->here[--w->nhere];
}

static void remember(struct rewrite *w, uint32_t v, uint32_t temp)
{
	w->here[w->nhere++] = (struct resident){v, temp, w->i + 1};
	w->words += ir_reg_words(w->to.out.words[temp]);
}

/* The next instruction that uses v, in text order. */
static uint32_t next_use(struct rewrite *w, uint32_t v)
{
	uint32_t end = w->use_first[v + 1];

	while (w->cursor[v] < end && w->use_list[w->cursor[v]] <= w->i)
		w->cursor[v]++;
	return w->cursor[v] < end ? w->use_list[w->cursor[v]] : UINT32_MAX;
}

/* Evicts the values with the furthest next use until the rest fits, except operands of this
 * instruction. */
static void evict_excess(struct rewrite *w, uint32_t taken)
{
	while (taken + w->words > w->p->capacity[w->i]) {
		struct resident *last = NULL;
		uint32_t farthest = 0;

		for (uint32_t k = 0; k < w->nhere; k++) {
			uint32_t next = next_use(w, w->here[k].vreg);

			if (w->here[k].at == w->i + 1 || (last && next <= farthest))
				continue;
			last = &w->here[k];
			farthest = next;
		}
		if (!last)
			break;
		forget(w, last);
	}
}

/* Drops what must not stay: predicates, and what is reloaded at each use. */
static void forget_strict(struct rewrite *w)
{
	for (uint32_t k = w->nhere; k-- > 0;) {
		uint32_t v = w->here[k].vreg;

		if (w->p->strict[v] || w->p->f->words[v] == 0)
			forget(w, &w->here[k]);
	}
}

static uint32_t fetch(struct rewrite *w, uint32_t v)
{
	struct resident *r = find(w, v);
	uint32_t temp;

	if (r) {
		r->at = w->i + 1;
		return r->temp;
	}
	temp = rebuild_vreg(&w->to, w->p->f->words[v], v);
	if (w->p->how[v] == SPILL_REMAT)
		rematerialise(w, v, temp);
	else
		emit_load(w, v, temp);
	remember(w, v, temp);
	return temp;
}

/* ---- one instruction. */

/* How a spilled result is written. */
struct result {
	uint32_t vreg, temp;
	bool whole; /* all lanes of temp hold the value afterwards */
};

static bool is_spilled(const struct rewrite *w, const struct ir_value *v)
{
	return v->kind == IR_REG && w->p->how[v->index];
}

/* A guarded result keeps the old value in the other lanes. If the old value is only in the slot,
 * storing the new lanes is enough, unless the guard itself is overwritten. */
static void fetch_kept(struct rewrite *w, const struct ir_instr *in)
{
	for (unsigned d = 0; d < in->ndst; d++)
		if (is_spilled(w, &in->dst[d]) && !ir_kills(in, d) &&
			(find(w, in->dst[d].index) || ir_writes(in, in->guard)))
			fetch(w, in->dst[d].index);
}

static struct result aim(struct rewrite *w, const struct ir_instr *in, unsigned d)
{
	uint32_t v = in->dst[d].index;
	struct resident *old = find(w, v);
	bool keeps = !ir_kills(in, d);

	if (keeps && old)
		return (struct result){v, old->temp, true};
	if (old)
		forget(w, old);
	return (struct result){v, rebuild_vreg(&w->to, w->p->f->words[v], v), !keeps};
}

static void fetch_sources(struct rewrite *w, struct ir_instr *i)
{
	for (unsigned s = 0; s < i->nsrc; s++)
		if (is_spilled(w, &i->src[s]))
			i->src[s].index = fetch(w, i->src[s].index);
	if (i->guard != NO_VREG && w->p->how[i->guard])
		i->guard = fetch(w, i->guard);
}

static unsigned aim_results(
	struct rewrite *w, const struct ir_instr *in, struct ir_instr *i, struct result *r)
{
	unsigned n = 0;

	for (unsigned d = 0; d < in->ndst; d++) {
		if (!is_spilled(w, &in->dst[d]))
			continue;
		r[n] = aim(w, in, d);
		i->dst[d].index = r[n].temp;
		if (!ir_kills(in, d) && !r[n].whole)
			i->fresh |= (uint8_t)(1u << d);
		n++;
	}
	return n;
}

static void store_results(struct rewrite *w, const struct ir_instr *in, const struct ir_instr *i,
	struct result *r, unsigned n)
{
	bool guarded = in->guard != NO_VREG && !ir_writes(in, in->guard);

	for (unsigned k = 0; k < n; k++)
		if (r[k].whole && !find(w, r[k].vreg))
			remember(w, r[k].vreg, r[k].temp);
	evict_excess(w, w->p->after[w->i]);
	for (unsigned k = 0; k < n; k++)
		emit_store(w, r[k].vreg, r[k].temp, guarded ? i->guard : NO_VREG);
}

/* A definition that is rematerialised at every use is dropped. */
static bool is_needless(const struct rewrite *w, const struct ir_instr *i)
{
	return i->ndst == 1 && i->dst[0].kind == IR_REG &&
	       w->p->how[i->dst[0].index] == SPILL_REMAT;
}

static void return_results(struct rewrite *w, const struct ir_instr *in)
{
	if (in->action != ACT_RET)
		return;
	for (uint32_t k = 0; k < w->p->f->nout; k++)
		if (w->p->how[w->p->f->out[k]])
			emit_load(w, w->p->f->out[k], w->p->f->out[k]);
}

static void rewrite_instr(struct rewrite *w, const struct ir_instr *in)
{
	struct ir_instr i = *in;
	struct result results[INSTR_DSTS];
	unsigned n;

	if (is_needless(w, in)) {
		i = blank(w);
		i.action = ACT_NOP;
		i.shape = IR_GONE;
		rebuild_emit(&w->to, &i);
		return;
	}
	fetch_sources(w, &i);
	fetch_kept(w, in);
	evict_excess(w, w->p->before[w->i]);
	n = aim_results(w, in, &i, results);
	return_results(w, in);
	rebuild_emit(&w->to, &i);
	store_results(w, in, &i, results, n);
	forget_strict(w);
}

/* ---- blocks. */

static void find_uses(struct rewrite *w)
{
	const struct ir_function *f = w->p->f;
	uint32_t uses[IR_USES];

	w->use_first = arena_alloc(w->p->work, f->nvregs + 2, sizeof(uint32_t));
	for (unsigned fill = 0; fill < 2; fill++) {
		for (uint32_t b = 0; b < f->nblocks; b++)
			for (uint32_t i = f->blocks[b].first; i < f->blocks[b].end; i++) {
				unsigned n = ir_uses(&f->code[i], uses);

				for (unsigned u = 0; u < n && !fill; u++)
					w->use_first[uses[u] + 1]++;
				for (unsigned u = 0; u < n && fill; u++)
					w->use_list[w->use_first[uses[u]]++] = i;
			}
		for (uint32_t v = 0; v < f->nvregs && !fill; v++)
			w->use_first[v + 1] += w->use_first[v];
		if (!fill)
			w->use_list = arena_alloc(
				w->p->work, w->use_first[f->nvregs] + 1, sizeof(uint32_t));
	}
	memmove(w->use_first + 1, w->use_first, f->nvregs * sizeof(uint32_t));
	w->use_first[0] = 0;
	memcpy(w->cursor, w->use_first, f->nvregs * sizeof(uint32_t));
}

static void find_only_preds(struct rewrite *w)
{
	const struct ir_function *f = w->p->f;
	uint32_t *first, *pred = cfg_preds(f, &first, w->p->work);

	for (uint32_t b = 0; b < f->nblocks; b++)
		w->only_pred[b] = first[b + 1] == first[b] + 1 ? pred[first[b]] : NO_BLOCK;
}

static void enter_block(struct rewrite *w, uint32_t b)
{
	uint32_t p = b ? w->only_pred[b] : NO_BLOCK;

	w->nhere = w->words = 0;
	w->i = w->p->f->blocks[b].first;
	if (p == NO_BLOCK || p >= b)
		return;
	for (uint32_t k = 0; k < w->leaving[p].n; k++) {
		remember(w, w->leaving[p].list[k].vreg, w->leaving[p].list[k].temp);
		w->here[k].at = 0;
	}
}

static void leave_block(struct rewrite *w, uint32_t b)
{
	struct leaving *l = &w->leaving[b];

	l->n = w->nhere;
	l->list = arena_alloc(w->p->work, l->n + 1, sizeof(*l->list));
	memcpy(l->list, w->here, l->n * sizeof(*l->list));
}

/* Formal parameters are in registers at the function's entry. */
static void store_formals(struct rewrite *w)
{
	const struct ir_function *f = w->p->f;

	for (uint32_t k = 0; k < f->nin; k++)
		if (w->p->how[f->in[k]])
			emit_store(w, f->in[k], f->in[k], NO_VREG);
}

static void rewrite_block(struct rewrite *w, uint32_t b)
{
	const struct ir_block *old = &w->p->f->blocks[b];

	enter_block(w, b);
	rebuild_begin_block(&w->to, b);
	if (b == 0)
		store_formals(w);
	for (w->i = old->first; w->i < old->end; w->i++)
		rewrite_instr(w, &w->p->f->code[w->i]);
	leave_block(w, b);
	rebuild_end_block(&w->to, b);
}

struct ir_function spill_rewrite(const struct spill_plan *p, uint32_t **origin)
{
	uint32_t nv = p->f->nvregs + 1, nb = p->f->nblocks + 1;
	struct rewrite w = {.p = p,
		.to = rebuild_start(p->f, p->work),
		.slot = arena_alloc(p->work, nv, sizeof(uint32_t)),
		.cursor = arena_alloc(p->work, nv, sizeof(uint32_t)),
		.here = arena_alloc(p->work, nv, sizeof(struct resident)),
		.leaving = arena_alloc(p->work, nb, sizeof(struct leaving)),
		.only_pred = arena_alloc(p->work, nb, sizeof(uint32_t))};

	find_uses(&w);
	find_only_preds(&w);
	for (uint32_t b = 0; b < p->f->nblocks; b++)
		rewrite_block(&w, b);
	rebuild_finish(&w.to);
	*origin = w.to.origin;
	return w.to.out;
}
