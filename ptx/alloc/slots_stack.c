/* Frames of slots in shared memory, one behind the other along calls, and the moves that let a
 * callee's frame begin as low as possible (Hayes and Zhang, ICS 2014, section 3.2.1). A function's
 * frame begins at the same slot on all paths, as its registers do, so no instruction moves the
 * pointer. */
#include "ptx/alloc/slots.h"

/* By call of a function: which words of its frame are live across it. */
struct crossing {
	const struct slots *s;
	const struct slot_code *c;
	uint32_t words;
	bool *live; /* `words` for each call */
};

/* Calls are listed in the order of blocks, but within a block from its end in the copy. */
static uint32_t call_at(const struct ir_function *f, uint32_t instr)
{
	uint32_t c = 0;

	while (c < f->ncalls && f->calls[c].instr != instr)
		c++;
	return c;
}

static void note_crossing(void *ctx, const struct slot_point *p)
{
	struct crossing *x = ctx;
	const struct ir_function *f = &x->s->fit->m->functions[x->c->function];
	bool *live;

	if (f->code[p->instr].action != ACT_CALL)
		return;
	live = x->live + (size_t)call_at(f, p->instr) * x->words;
	for (uint32_t k = 0; k < p->n; k++)
		for (uint32_t w = 0; w < (f->words[p->vreg[k]] & 3u); w++)
			live[f->location[p->vreg[k]] + w] = true;
}

static struct crossing find_crossings(
	const struct slots *s, const struct slot_code *c, uint32_t words)
{
	struct crossing x = {.s = s, .c = c, .words = words};

	x.live = arena_alloc(s->work, (size_t)c->f.ncalls * words + 1, sizeof(*x.live));
	if (c->f.ncalls && words)
		slots_walk(s, c, true, note_crossing, &x);
	return x;
}

/* Raises the frames of the callees that need it; keeps the moves of each call. */
static void stack_function(const struct slots *s, const struct slot_code *c, struct slot_plan *plan)
{
	const struct ir_function *f = &s->fit->m->functions[c->function];
	struct slot_frame *mine = &plan->frame[c->function];
	struct crossing x = find_crossings(s, c, mine->words);
	uint32_t n = 0;

	mine->first = arena_alloc(s->work, f->ncalls + 1, sizeof(*mine->first));
	mine->move = arena_alloc(s->work, (size_t)f->ncalls * mine->words + 1, sizeof(*mine->move));
	for (uint32_t k = 0; k < f->ncalls; k++) {
		struct slot_frame *callee = &plan->frame[f->calls[k].callee];
		uint32_t moves = 0, base;

		mine->first[k] = n;
		if (!callee->used)
			continue;
		base = mine->base + slots_window(s->options->stack,
					    x.live + (size_t)k * mine->words, mine->words,
					    mine->move + n, &moves);
		n += moves;
		callee->base = base > callee->base ? base : callee->base;
	}
	mine->first[f->ncalls] = n;
}

/* Another path to the callee may have raised its frame above the live slots. The last move of a
 * call is that of the highest live slot. */
static void drop_needless(const struct slots *s, const struct slot_code *c, struct slot_plan *plan)
{
	const struct ir_function *f = &s->fit->m->functions[c->function];
	struct slot_frame *mine = &plan->frame[c->function];
	uint32_t n = 0, at = 0;

	for (uint32_t k = 0; k < f->ncalls; k++) {
		uint32_t end = mine->first[k + 1], base = plan->frame[f->calls[k].callee].base;
		bool needed = end > at && mine->base + mine->move[end - 1].from >= base;

		mine->first[k] = n;
		for (; at < end; at++)
			if (needed)
				mine->move[n++] = mine->move[at];
	}
	mine->first[f->ncalls] = n;
	plan->moves += n;
}

/* Whether a function or one that it calls has slots: callees come after their callers. */
static void find_used(const struct slots *s, struct slot_plan *plan)
{
	for (uint32_t k = s->n; k-- > 0;) {
		const struct ir_function *f = &s->fit->m->functions[s->code[k].function];
		struct slot_frame *mine = &plan->frame[s->code[k].function];

		mine->base = 0;
		mine->used = mine->words > 0;
		for (uint32_t c = 0; c < f->ncalls; c++)
			mine->used |= plan->frame[f->calls[c].callee].used;
	}
}

void slots_stack(struct slots *s, struct slot_plan *plan)
{
	plan->words = plan->moves = 0;
	find_used(s, plan);
	for (uint32_t k = 0; k < s->n; k++) {
		const struct slot_frame *mine = &plan->frame[s->code[k].function];

		stack_function(s, &s->code[k], plan);
		if (mine->words && mine->base + mine->words > plan->words)
			plan->words = mine->base + mine->words;
	}
	for (uint32_t k = 0; k < s->n; k++)
		drop_needless(s, &s->code[k], plan);
}

const struct slot_move *slots_moves(const struct slot_plan *plan, const struct ir_module *m,
	uint32_t function, uint32_t instr, uint32_t *n)
{
	const struct slot_frame *mine = &plan->frame[function];
	uint32_t c = call_at(&m->functions[function], instr);

	*n = mine->first[c + 1] - mine->first[c];
	return mine->move + mine->first[c];
}
