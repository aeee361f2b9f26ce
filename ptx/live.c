/* Liveness by backward iteration over blocks, cut to where a value can exist at all. */
#include "ptx/live.h"

#include <string.h>

/* Working vectors: gen (read before written), kill (surely written), defined on some path. */
struct flow {
	const struct ir_function *f;
	struct live *live;
	uint64_t *gen, *kill, *made_in, *made_out;
	uint32_t *order; /* blocks in reverse postorder */
};

static void set_bit(uint64_t *row, uint32_t bit)
{
	row[bit / 64] |= UINT64_C(1) << bit % 64;
}

static bool get_bit(const uint64_t *row, uint32_t bit)
{
	return row[bit / 64] >> bit % 64 & 1;
}

/* Calls `each` for every register that the instruction reads; results of ret included. */
typedef void touch_fn(struct flow *, uint32_t vreg, uint32_t block);

static void each_use(struct flow *w, const struct ir_instr *i, uint32_t block, touch_fn *each)
{
	uint32_t uses[IR_USES];
	unsigned n = ir_uses(i, uses);

	for (unsigned u = 0; u < n; u++)
		each(w, uses[u], block);
	if (i->action == ACT_RET)
		for (uint32_t u = 0; u < w->f->nout; u++)
			each(w, w->f->out[u], block);
}

/* ---- registers that are seen in one block only need no bit. */

static void see(struct flow *w, uint32_t v, uint32_t block)
{
	struct live *l = w->live;

	if (l->vreg[v] == NO_BLOCK)
		l->vreg[v] = block;
	else if (l->vreg[v] != block && l->global[v] == NO_VREG)
		l->global[v] = l->nglobals++;
}

/* A loop may bring the value of a register round to a block that reads it before it writes it. */
static void see_use(struct flow *w, uint32_t v, uint32_t block)
{
	if (w->live->vreg[v] == NO_BLOCK)
		w->live->vreg[v] = NO_BLOCK - 1;
	see(w, v, block);
}

/* `vreg` holds each register's first block until the bits are known. */
static void find_globals(struct flow *w, struct arena *work)
{
	const struct ir_function *f = w->f;
	struct live *l = w->live;
	uint32_t *vreg;

	memset(l->vreg, 0xff, (f->nvregs + 1) * sizeof(*l->vreg));
	memset(l->global, 0xff, (f->nvregs + 1) * sizeof(*l->global));
	for (uint32_t k = 0; k < f->nin; k++)
		see(w, f->in[k], NO_BLOCK - 1);
	for (uint32_t b = 0; b < f->nblocks; b++) {
		for (uint32_t i = f->blocks[b].first; i < f->blocks[b].end; i++) {
			each_use(w, &f->code[i], b, see_use);
			for (unsigned d = 0; d < f->code[i].ndst; d++)
				if (f->code[i].dst[d].kind == IR_REG)
					see(w, f->code[i].dst[d].index, b);
		}
	}
	vreg = arena_alloc(work, l->nglobals + 1, sizeof(*vreg));
	for (uint32_t v = 0; v < f->nvregs; v++)
		if (l->global[v] != NO_VREG)
			vreg[l->global[v]] = v;
	l->vreg = vreg;
	l->stride = l->nglobals / 64 + 1;
}

/* ---- a value exists at a point when some path to it writes the register. */

static void made_rows(struct flow *w)
{
	const struct ir_function *f = w->f;
	uint32_t stride = w->live->stride;

	for (uint32_t k = 0; k < f->nin; k++)
		if (w->live->global[f->in[k]] != NO_VREG)
			set_bit(w->made_in, w->live->global[f->in[k]]);
	for (uint32_t b = 0; b < f->nblocks; b++)
		for (uint32_t i = f->blocks[b].first; i < f->blocks[b].end; i++)
			for (unsigned d = 0; d < f->code[i].ndst; d++)
				if (f->code[i].dst[d].kind == IR_REG &&
					w->live->global[f->code[i].dst[d].index] != NO_VREG)
					set_bit(w->made_out + (size_t)b * stride,
						w->live->global[f->code[i].dst[d].index]);
}

/* to |= from; tells whether that changed anything. */
static bool merge(uint64_t *to, const uint64_t *from, uint32_t n)
{
	uint64_t news = 0;

	for (uint32_t k = 0; k < n; k++) {
		news |= from[k] & ~to[k];
		to[k] |= from[k];
	}
	return news != 0;
}

static void solve_made(struct flow *w)
{
	const struct ir_function *f = w->f;
	uint32_t n = w->live->stride;
	bool changed = true;

	made_rows(w);
	while (changed) {
		changed = false;
		for (uint32_t k = 0; k < f->nblocks; k++) {
			uint32_t b = w->order[k];

			merge(w->made_out + (size_t)b * n, w->made_in + (size_t)b * n, n);
			for (uint32_t s = 0; s < f->blocks[b].nsucc; s++)
				changed |= merge(w->made_in + (size_t)f->blocks[b].succ[s] * n,
					w->made_out + (size_t)b * n, n);
		}
	}
}

/* Marks guarded writes of registers that hold nothing yet: they keep nothing alive. */
static void mark_fresh(struct flow *w, struct ir_function *f, struct arena *work)
{
	uint32_t *seen = arena_alloc(work, f->nvregs + 1, sizeof(*seen)); /* block + 1 of a write */

	for (uint32_t b = 0; b < f->nblocks; b++) {
		const uint64_t *made = w->made_in + (size_t)b * w->live->stride;

		for (uint32_t i = f->blocks[b].first; i < f->blocks[b].end; i++) {
			for (unsigned d = 0; d < f->code[i].ndst; d++) {
				uint32_t v = f->code[i].dst[d].index;
				uint32_t bit;

				if (f->code[i].dst[d].kind != IR_REG)
					continue;
				bit = w->live->global[v];
				if (seen[v] != b + 1 && (bit == NO_VREG || !get_bit(made, bit)))
					f->code[i].fresh |= (uint8_t)(1u << d);
				seen[v] = b + 1;
			}
		}
	}
}

/* ---- liveness. */

/* Read before any sure write in its block. */
static void exposed(struct flow *w, uint32_t v, uint32_t block)
{
	uint32_t bit = w->live->global[v];

	if (bit != NO_VREG && !get_bit(w->kill + (size_t)block * w->live->stride, bit))
		set_bit(w->gen + (size_t)block * w->live->stride, bit);
}

static void gen_kill(struct flow *w)
{
	const struct ir_function *f = w->f;

	for (uint32_t b = 0; b < f->nblocks; b++) {
		uint64_t *kill = w->kill + (size_t)b * w->live->stride;

		for (uint32_t i = f->blocks[b].first; i < f->blocks[b].end; i++) {
			const struct ir_instr *in = &f->code[i];

			each_use(w, in, b, exposed);
			for (unsigned d = 0; d < in->ndst; d++)
				if (in->dst[d].kind == IR_REG && ir_kills(in, d) &&
					w->live->global[in->dst[d].index] != NO_VREG)
					set_bit(kill, w->live->global[in->dst[d].index]);
		}
	}
}

static bool flow_back(struct flow *w, uint32_t b)
{
	const struct ir_block *block = &w->f->blocks[b];
	size_t n = w->live->stride, at = (size_t)b * n;
	uint64_t *out = w->live->out + at, *in = w->live->in + at, news = 0;

	for (uint32_t s = 0; s < block->nsucc; s++)
		merge(out, w->live->in + block->succ[s] * n, (uint32_t)n);
	for (size_t k = 0; k < n; k++) {
		uint64_t now = (w->gen[at + k] | (out[k] & ~w->kill[at + k])) & w->made_in[at + k];

		news |= now & ~in[k];
		in[k] = now;
	}
	return news != 0;
}

static void solve_live(struct flow *w)
{
	bool changed = true;

	gen_kill(w);
	while (changed) {
		changed = false;
		for (uint32_t k = w->f->nblocks; k-- > 0;)
			changed |= flow_back(w, w->order[k]);
	}
}

/* ---- walking a block backwards. */

struct live_set live_set_new(const struct ir_function *f, struct arena *work)
{
	return (struct live_set){.list = arena_alloc(work, f->nvregs + 1, sizeof(uint32_t)),
		.where = arena_alloc(work, f->nvregs + 1, sizeof(uint32_t))};
}

static void set_add(struct live_set *s, uint32_t v)
{
	if (live_has(s, v))
		return;
	s->where[v] = s->n;
	s->list[s->n++] = v;
}

static void set_remove(struct live_set *s, uint32_t v)
{
	if (!live_has(s, v))
		return;
	s->list[s->where[v]] = s->list[--s->n];
	s->where[s->list[s->where[v]]] = s->where[v];
}

void live_at_end(const struct live *l, uint32_t block, struct live_set *s)
{
	const uint64_t *out = l->out + (size_t)block * l->stride;

	s->n = 0;
	for (uint32_t k = 0; k < l->stride; k++)
		for (uint64_t bits = out[k]; bits; bits &= bits - 1)
			set_add(s, l->vreg[k * 64 + low_bit(bits)]);
}

void live_step_back(const struct ir_function *f, const struct ir_instr *i, struct live_set *s)
{
	uint32_t uses[IR_USES];
	unsigned n = ir_uses(i, uses);

	for (unsigned d = 0; d < i->ndst; d++)
		if (i->dst[d].kind == IR_REG && ir_kills(i, d))
			set_remove(s, i->dst[d].index);
	for (unsigned u = 0; u < n; u++)
		set_add(s, uses[u]);
	if (i->action == ACT_RET)
		for (uint32_t u = 0; u < f->nout; u++)
			set_add(s, f->out[u]);
}

/* ---- pressure. */

struct pressure {
	uint32_t words, preds;
};

static void add_pressure(const struct ir_function *f, uint32_t v, struct pressure *p)
{
	p->words += f->words[v];
	p->preds += f->words[v] == 0;
}

static struct pressure set_pressure(const struct ir_function *f, const struct live_set *s)
{
	struct pressure p = {0};

	for (uint32_t k = 0; k < s->n; k++)
		add_pressure(f, s->list[k], &p);
	return p;
}

static void raise(struct ir_function *f, struct pressure p)
{
	f->max_live = (uint32_t)max_u64(f->max_live, p.words);
	f->max_preds = (uint32_t)max_u64(f->max_preds, p.preds);
}

/* Results that nobody reads take places as well. */
static struct pressure with_dead(const struct ir_function *f, const struct ir_instr *i,
	const struct live_set *after, struct pressure p)
{
	for (unsigned d = 0; d < i->ndst; d++)
		if (i->dst[d].kind == IR_REG && !live_has(after, i->dst[d].index))
			add_pressure(f, i->dst[d].index, &p);
	return p;
}

static void measure(struct ir_function *f, const struct live *l, struct arena *work)
{
	struct live_set s = live_set_new(f, work);
	struct pressure formals = {0}, now;

	for (uint32_t b = 0; b < f->nblocks; b++) {
		live_at_end(l, b, &s);
		now = set_pressure(f, &s);
		for (uint32_t i = f->blocks[b].end; i-- > f->blocks[b].first;) {
			if (f->code[i].action == ACT_CALL)
				f->calls[f->ncalls++] =
					(struct ir_call){i, f->code[i].target, now.words};
			raise(f, with_dead(f, &f->code[i], &s, now));
			live_step_back(f, &f->code[i], &s);
			now = set_pressure(f, &s);
		}
		raise(f, now);
	}
	for (uint32_t k = 0; k < f->nin; k++)
		add_pressure(f, f->in[k], &formals);
	raise(f, formals);
}

static uint64_t *rows(const struct live *l, const struct ir_function *f, struct arena *work)
{
	return arena_alloc(work, (size_t)l->stride * f->nblocks + 1, sizeof(uint64_t));
}

struct live *live_compute(struct ir_function *f, struct arena *work)
{
	struct live *l = arena_alloc(work, 1, sizeof(*l));
	struct flow w = {.f = f, .live = l};

	l->global = arena_alloc(work, f->nvregs + 1, sizeof(*l->global));
	l->vreg = arena_alloc(work, f->nvregs + 1, sizeof(*l->vreg));
	find_globals(&w, work);
	l->in = rows(l, f, work);
	l->out = rows(l, f, work);
	w.gen = rows(l, f, work);
	w.kill = rows(l, f, work);
	w.made_in = rows(l, f, work);
	w.made_out = rows(l, f, work);
	w.order = arena_alloc(work, f->nblocks + 1, sizeof(*w.order));
	for (uint32_t b = 0; b < f->nblocks; b++)
		w.order[f->blocks[b].order] = b;
	solve_made(&w);
	mark_fresh(&w, f, work);
	solve_live(&w);
	f->ncalls = 0;
	for (uint32_t i = 0; i < f->ninstr; i++)
		f->ncalls += f->code[i].action == ACT_CALL;
	f->calls = arena_alloc(work, f->ncalls + 1, sizeof(*f->calls));
	f->ncalls = 0;
	measure(f, l, work);
	return l;
}
