/* Call graph: the functions reachable from a kernel, their register frames and stack frames. */
#include "ptx/ir/frames.h"

#include "core/text.h"

/* Search colours of this kernel; functions coloured by earlier kernels count as white. */
static uint32_t grey(const struct frames *fr)
{
	return 2 * fr->kernel + 1;
}

static uint32_t black(const struct frames *fr)
{
	return 2 * fr->kernel + 2;
}

struct search {
	struct frames *frames;
	struct ir_module *m;
	uint32_t depth; /* functions on the stack */
};

static const char *name_of(const struct ir_module *m, uint32_t f)
{
	return m->functions[f].ast->name;
}

static int say_cycle(const struct search *s, uint32_t again, const struct ast_pos *pos)
{
	const struct ast_function *kernel = s->m->functions[s->frames->kernel].ast;
	struct text cycle = {0};
	uint32_t k = 0;

	while (s->frames->stack[k] != again)
		k++;
	for (; k < s->depth; k++)
		text_add(&cycle, "%s calls ", name_of(s->m, s->frames->stack[k]));
	text_add(&cycle, "%s", name_of(s->m, again));
	ir_note(s->m, kernel, pos, ERR_UNSUPPORTED, "recursion is not supported: %s",
		text_str(&cycle));
	text_clear(&cycle);
	return -1;
}

static int say_failed(const struct search *s, const struct ast_pos *pos, uint32_t callee)
{
	return ir_note(s->m, s->m->functions[s->frames->kernel].ast, pos, ERR_UNSUPPORTED,
		"not compiled: it calls %s, which has errors", name_of(s->m, callee));
}

static void enter(struct search *s, uint32_t function)
{
	struct frames *fr = s->frames;

	fr->colour[function] = grey(fr);
	fr->base[function] = (struct frame_base){0};
	fr->depth[function] = 0;
	fr->next[function] = 0;
	fr->stack[s->depth++] = function;
}

/* Depth-first search; a function is appended when the search leaves it: callees before callers. */
static int visit_call(struct search *s, const struct ir_function *f, const struct ir_call *call)
{
	const struct ast_pos *pos = &f->code[call->instr].pos;

	if (s->m->functions[call->callee].failed)
		return say_failed(s, pos, call->callee);
	if (s->frames->colour[call->callee] == grey(s->frames))
		return say_cycle(s, call->callee, pos);
	if (s->frames->colour[call->callee] != black(s->frames))
		enter(s, call->callee);
	return 0;
}

static int collect(struct search *s)
{
	struct frames *fr = s->frames;

	enter(s, fr->kernel);
	while (s->depth) {
		uint32_t top = fr->stack[s->depth - 1];
		const struct ir_function *f = &s->m->functions[top];

		if (fr->next[top] < f->ncalls) {
			if (visit_call(s, f, &f->calls[fr->next[top]++]))
				return -1;
			continue;
		}
		fr->colour[top] = black(fr);
		fr->order[fr->n++] = top;
		s->depth--;
	}
	for (uint32_t k = 0; k < fr->n / 2; k++) {
		uint32_t other = fr->order[fr->n - 1 - k];

		fr->order[fr->n - 1 - k] = fr->order[k];
		fr->order[k] = other;
	}
	return 0;
}

static uint32_t higher(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

/* Raises the frames of a function's callees above its own, and the kernel's totals. */
static void stack_frames(struct frames *fr, uint32_t function)
{
	const struct ir_function *f = &fr->m->functions[function];
	struct frame_base *w = &fr->base[function], end;
	uint32_t *depth = fr->depth;

	w->local = div_up(w->local, f->frame_align) * f->frame_align;
	end = (struct frame_base){w->reg + f->regs, w->pred + f->preds, w->local + f->frame_bytes};
	for (uint32_t c = 0; c < f->ncalls; c++) {
		struct frame_base *callee = &fr->base[f->calls[c].callee];

		callee->reg = higher(callee->reg, w->reg + f->calls[c].regs);
		callee->pred = higher(callee->pred, w->pred + f->calls[c].preds);
		callee->local = max_u64(callee->local, end.local);
		depth[f->calls[c].callee] = higher(depth[f->calls[c].callee], depth[function] + 1);
	}
	fr->regs = higher(fr->regs, end.reg);
	fr->preds = higher(fr->preds, end.pred);
	fr->local_bytes = max_u64(fr->local_bytes, div_up(end.local, 4) * 4);
	fr->call_depth = higher(fr->call_depth, depth[function]);
}

/* The registers live at once in a function and its callees: callees come before callers here. */
static uint32_t deepest_live(const struct frames *fr)
{
	uint32_t *live = fr->live;

	for (uint32_t k = fr->n; k-- > 0;) {
		const struct ir_function *f = &fr->m->functions[fr->order[k]];
		uint32_t most = f->max_live;

		for (uint32_t c = 0; c < f->ncalls; c++)
			most = higher(most, f->calls[c].live + live[f->calls[c].callee]);
		live[fr->order[k]] = most;
	}
	return live[fr->kernel];
}

/* Capacity of the reconvergence stack. A branch that splits a mask leaves at most two more entries,
 * both with non-empty masks, so no more than WARP_LANES - 1 splits are nested, whatever the loops;
 * a call takes one entry; one is the warp's own, one is needed during a split. */
static uint32_t stack_entries(const struct frames *fr)
{
	uint32_t splits = 0;

	for (uint32_t k = 0; k < fr->n; k++)
		splits += fr->m->functions[fr->order[k]].branches;
	return (splits ? 2 * WARP_LANES : 0) + 2 * fr->call_depth + 2;
}

static void make_arrays(struct frames *fr, struct arena *work, uint32_t n)
{
	fr->order = arena_alloc(work, n, sizeof(*fr->order));
	fr->base = arena_alloc(work, n, sizeof(*fr->base));
	fr->colour = arena_alloc(work, n, sizeof(*fr->colour));
	fr->depth = arena_alloc(work, n, sizeof(*fr->depth));
	fr->live = arena_alloc(work, n, sizeof(*fr->live));
	fr->stack = arena_alloc(work, n, sizeof(*fr->stack));
	fr->next = arena_alloc(work, n, sizeof(*fr->next));
}

int frames_build(struct frames *fr, struct ir_module *m, uint32_t kernel)
{
	struct search s = {.frames = fr, .m = m};

	if (!fr->order)
		make_arrays(fr, m->work, m->nfunctions);
	for (uint32_t k = 0; k < fr->n; k++) /* it may be the same kernel again */
		fr->colour[fr->order[k]] = 0;
	fr->m = m;
	fr->kernel = kernel;
	fr->n = fr->regs = fr->preds = fr->call_depth = 0;
	fr->local_bytes = 0;
	if (collect(&s))
		return -1;
	fr->base[kernel].local = m->local_bytes;
	fr->local_bytes = div_up(m->local_bytes, 4) * 4;
	for (uint32_t k = 0; k < fr->n; k++)
		stack_frames(fr, fr->order[k]);
	fr->max_live = deepest_live(fr);
	fr->stack_depth = stack_entries(fr);
	return 0;
}
