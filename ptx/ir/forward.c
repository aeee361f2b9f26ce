/* Copy propagation through the .param variables of calls: a move into such a variable and a later
 * move out of it become one move. */
#include "ptx/ir/ir.h"

struct relay {
	struct ir_value value; /* value of the variable's register; IR_NONE: unknown */
	uint32_t since;        /* instruction that wrote it, plus one */
	uint32_t block;        /* block of that write, plus one: unknown in other blocks */
};

struct forward {
	struct ir_function *f;
	struct relay *held;
	uint32_t *written; /* virtual register -> last instruction that wrote it, plus one */
	uint32_t *reads;   /* by relay register */
	uint32_t calls;    /* last call, or write to a callee's register, plus one */
	uint32_t block;    /* current block, plus one */
};

static bool is_relay(const struct ir_function *f, const struct ir_value *v)
{
	return v->kind == IR_REG && v->index >= f->relay && v->index < f->relay_end;
}

static bool still_valid(const struct forward *w, const struct relay *r)
{
	if (r->block != w->block)
		return false;
	if (r->value.kind == IR_REG)
		return w->written[r->value.index] < r->since;
	if (r->value.kind == IR_CALLEE)
		return w->calls < r->since;
	return r->value.kind != IR_NONE;
}

static void forward_sources(struct forward *w, struct ir_instr *i)
{
	for (unsigned s = 0; s < i->nsrc; s++) {
		const struct relay *r;

		if (!is_relay(w->f, &i->src[s]))
			continue;
		r = &w->held[i->src[s].index - w->f->relay];
		if (i->shape == IR_COPY && still_valid(w, r) && r->value.words == i->src[s].words)
			i->src[s] = r->value;
		else
			w->reads[i->src[s].index - w->f->relay]++;
	}
}

static void note_writes(struct forward *w, const struct ir_instr *i, uint32_t at)
{
	if (i->action == ACT_CALL)
		w->calls = at + 1;
	for (unsigned d = 0; d < i->ndst; d++) {
		struct relay *r;

		if (i->dst[d].kind == IR_CALLEE)
			w->calls = at + 1;
		if (i->dst[d].kind != IR_REG)
			continue;
		w->written[i->dst[d].index] = at + 1;
		if (!is_relay(w->f, &i->dst[d]))
			continue;
		r = &w->held[i->dst[d].index - w->f->relay];
		*r = (struct relay){.since = at + 1, .block = w->block};
		if (i->shape == IR_COPY && i->guard == NO_VREG)
			r->value = i->src[0];
	}
}

static void forward_block(struct forward *w, const struct ir_block *b)
{
	struct ir_function *f = w->f;

	w->block++;
	for (uint32_t i = b->first; i < b->end; i++) {
		forward_sources(w, &f->code[i]);
		note_writes(w, &f->code[i], i);
	}
}

void forward_params(struct ir_function *f, struct arena *work)
{
	uint32_t n = f->relay_end - f->relay;
	struct forward w = {.f = f};

	if (n == 0)
		return;
	w.held = arena_alloc(work, n, sizeof(*w.held));
	w.reads = arena_alloc(work, n, sizeof(*w.reads));
	w.written = arena_alloc(work, f->nvregs, sizeof(*w.written));
	for (uint32_t b = 0; b < f->nblocks; b++)
		forward_block(&w, &f->blocks[b]);
	for (uint32_t i = 0; i < f->ninstr; i++) {
		struct ir_instr *in = &f->code[i];

		if (in->shape == IR_COPY && is_relay(f, &in->dst[0]) &&
			w.reads[in->dst[0].index - f->relay] == 0)
			ir_delete(in);
	}
}
