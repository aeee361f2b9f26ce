/* Lanes that reach a barrier before others of their warp, in code for sm_70 and later, whose
 * threads arrive one by one: compilers may give divergent paths a barrier each. Their frame is set
 * aside in front of the barrier, and another one becomes the top. The lanes that come last arrive
 * for the warp; when it may go on, all pass.
 *
 * A frame is above those whose lanes include its own. Lanes that have reached their frame's pc
 * and wait there for parked ones do not wait: they leave with a frame of their own. */
#include "ptx/exec/barrier.h"
#include "ptx/exec/private.h"

#include <string.h>

bool exec_comes_early(const struct issue *is)
{
	const struct warp *w = is->warp;

	return is->mask && w->program->independent && is->instr->barrier != BARRIER_WARP &&
	       is->instr->barrier != BARRIER_ARRIVE && (~w->exited & ~w->parked & ~is->mask);
}

/* The lanes of frame i that are in none above it. */
static uint32_t own_lanes(const struct warp *w, uint32_t i)
{
	uint32_t above = w->exited;

	for (uint32_t k = i + 1; k < w->depth; k++)
		above |= w->stack[k].mask;
	return w->stack[i].mask & ~above;
}

static void take_out(struct warp *w, uint32_t i)
{
	w->depth--;
	memmove(&w->stack[i], &w->stack[i + 1], (w->depth - i) * sizeof(w->stack[0]));
}

/* These lanes of frame i continue in a frame at the top. */
static void lift(struct warp *w, uint32_t i, uint32_t lanes)
{
	struct frame f = w->stack[i];

	w->stack[i].mask &= ~lanes & ~w->exited;
	if (!w->stack[i].mask)
		take_out(w, i);
	f.mask = lanes;
	BUG_ON(w->depth == w->program->stack_depth);
	w->stack[w->depth++] = f;
}

void exec_resume(struct warp *w)
{
	uint32_t i = w->depth, lanes;

	if (!i)
		return;
	if (!(~w->exited & ~w->parked)) { /* it arrives for all */
		w->parked &= ~w->stack[i - 1].mask;
		return;
	}
	for (;;) {
		BUG_ON(i == 0);
		i--;
		lanes = own_lanes(w, i) & ~w->parked;
		if (lanes && w->stack[i].pc != w->stack[i].reconv)
			break;
		w->stack[i].mask &= ~lanes; /* they are where the frame below waits */
		if (!(w->stack[i].mask & ~w->exited))
			take_out(w, i);
	}
	lift(w, i, lanes);
}

enum exec_result exec_park(struct issue *is)
{
	struct warp *w = is->warp;
	uint32_t pc = is->top->pc, rest = is->top->mask & ~is->mask;

	if (w->depth + 2 > w->program->stack_depth)
		return exec_fault(is, FAULT_STACK, low_bit(is->mask), 0);
	if (rest) {
		is->top->pc++;
		w->stack[w->depth++] = (struct frame){pc, pc + 1, is->mask, NO_RECONV};
	}
	w->parked |= is->mask;
	exec_resume(w);
	return EXEC_OK;
}

const struct frame *exec_parked(const struct warp *w, uint32_t id, uint32_t *i)
{
	for (; *i < w->depth; ++*i) {
		const struct frame *f = &w->stack[*i];

		if (!(own_lanes(w, *i) & w->parked) ||
			barrier_id(w, &w->program->code[f->pc], f->mask) != id)
			continue;
		++*i;
		return f;
	}
	return NULL;
}

void exec_unpark(struct warp *w, uint32_t id)
{
	const struct frame *f;
	uint32_t i = 0;

	while ((f = exec_parked(w, id, &i))) {
		struct frame *own = &w->stack[--i];

		w->parked &= ~own->mask;
		if (++own->pc == own->reconv)
			take_out(w, i);
		else
			i++;
	}
}
