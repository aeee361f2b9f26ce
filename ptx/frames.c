/* Calls: the functions below a kernel, their register windows and stack frames. */
#include "ptx/frames.h"

#include "core/text.h"

enum colour { WHITE, GREY, BLACK };

struct visit {
	uint32_t function, next; /* next: call to look at */
};

struct search {
	struct frames *frames;
	struct ir_module *m;
	uint8_t *colour;
	struct visit *stack;
	uint32_t depth;
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

	while (s->stack[k].function != again)
		k++;
	for (; k < s->depth; k++)
		text_add(&cycle, "%s calls ", name_of(s->m, s->stack[k].function));
	text_add(&cycle, "%s", name_of(s->m, again));
	err_add(s->m->err, ERR_UNSUPPORTED, "%s:%u:%u: recursion in kernel %s is not supported: %s",
		s->m->ast->file, pos->line, pos->col, kernel->name, text_str(&cycle));
	text_clear(&cycle);
	return -1;
}

static int say_failed(const struct search *s, const struct ast_pos *pos, uint32_t callee)
{
	return err_add(s->m->err, ERR_UNSUPPORTED,
		"%s:%u:%u: kernel %s is left out: %s, which it needs, has errors", s->m->ast->file,
		pos->line, pos->col, name_of(s->m, s->frames->kernel), name_of(s->m, callee));
}

static void enter(struct search *s, uint32_t function)
{
	s->colour[function] = GREY;
	s->stack[s->depth++] = (struct visit){.function = function};
}

/* Depth first; functions are collected when they are left: callees before callers. */
static int visit_call(struct search *s, const struct ir_function *f, const struct ir_call *call)
{
	const struct ast_pos *pos = &f->code[call->instr].pos;

	if (s->m->functions[call->callee].failed)
		return say_failed(s, pos, call->callee);
	if (s->colour[call->callee] == GREY)
		return say_cycle(s, call->callee, pos);
	if (s->colour[call->callee] == WHITE)
		enter(s, call->callee);
	return 0;
}

static int collect(struct search *s)
{
	struct frames *fr = s->frames;

	enter(s, fr->kernel);
	while (s->depth) {
		struct visit *top = &s->stack[s->depth - 1];
		const struct ir_function *f = &s->m->functions[top->function];

		if (top->next < f->ncalls) {
			if (visit_call(s, f, &f->calls[top->next++]))
				return -1;
			continue;
		}
		s->colour[top->function] = BLACK;
		fr->order[fr->n++] = top->function;
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

/* Pushes the windows of a function's callees above its own, and the kernel's totals. */
static void stack_windows(struct frames *fr, uint32_t function, uint32_t *depth)
{
	const struct ir_function *f = &fr->m->functions[function];
	struct window *w = &fr->window[function], end;

	w->local = div_up(w->local, f->frame_align) * f->frame_align;
	end = (struct window){w->reg + f->regs, w->pred + f->preds, w->local + f->frame_bytes};
	for (uint32_t c = 0; c < f->ncalls; c++) {
		struct window *callee = &fr->window[f->calls[c].callee];

		callee->reg = higher(callee->reg, end.reg);
		callee->pred = higher(callee->pred, end.pred);
		callee->local = max_u64(callee->local, end.local);
		depth[f->calls[c].callee] = higher(depth[f->calls[c].callee], depth[function] + 1);
	}
	fr->regs = higher(fr->regs, end.reg);
	fr->preds = higher(fr->preds, end.pred);
	fr->local_bytes = max_u64(fr->local_bytes, div_up(end.local, 4) * 4);
	fr->call_depth = higher(fr->call_depth, depth[function]);
}

/* What is live at once in a function and below it: callees come before callers here. */
static uint32_t deepest_live(const struct frames *fr, uint32_t *live)
{
	for (uint32_t k = fr->n; k-- > 0;) {
		const struct ir_function *f = &fr->m->functions[fr->order[k]];
		uint32_t most = f->max_live;

		for (uint32_t c = 0; c < f->ncalls; c++)
			most = higher(most, f->calls[c].live + live[f->calls[c].callee]);
		live[fr->order[k]] = most;
	}
	return live[fr->kernel];
}

/* Entries of the reconvergence stack. A branch that splits a mask leaves at most two entries more,
 * both of non-empty masks, so no more than WARP_LANES - 1 splits lie above each other, whatever
 * loops there are; a call is one entry; one is the warp's own, one is in the making. */
static uint32_t stack_entries(const struct frames *fr)
{
	uint32_t splits = 0;

	for (uint32_t k = 0; k < fr->n; k++)
		splits += fr->m->functions[fr->order[k]].branches;
	return (splits ? 2 * WARP_LANES : 0) + fr->call_depth + 2;
}

int frames_build(struct frames *fr, struct ir_module *m, uint32_t kernel)
{
	uint32_t n = m->nfunctions, *scratch;
	struct search s = {.frames = fr, .m = m};

	*fr = (struct frames){.m = m, .kernel = kernel};
	fr->order = arena_alloc(m->work, n, sizeof(*fr->order));
	fr->window = arena_alloc(m->work, n, sizeof(*fr->window));
	s.colour = arena_alloc(m->work, n, sizeof(*s.colour));
	s.stack = arena_alloc(m->work, n, sizeof(*s.stack));
	if (collect(&s))
		return -1;
	scratch = arena_alloc(m->work, n, sizeof(*scratch));
	for (uint32_t k = 0; k < fr->n; k++)
		stack_windows(fr, fr->order[k], scratch);
	fr->max_live = deepest_live(fr, arena_alloc(m->work, n, sizeof(uint32_t)));
	fr->stack_depth = stack_entries(fr);
	return 0;
}
