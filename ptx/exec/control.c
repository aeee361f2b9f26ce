/* Control flow of a warp: divergence and reconvergence at immediate post-dominators, calls, exits.
 *
 * The top frame of the stack always has active lanes. A divergent branch leaves its frame waiting
 * at the reconvergence point and pushes the arms that have instructions before it; if the frame is
 * itself an arm with the same reconvergence point, it becomes one of the arms, so that loops do not
 * grow the stack. A call leaves its frame at the return address and pushes one with that address in
 * `ret`, which has the lanes of all frames of the function. */
#include "ptx/exec/private.h"

void exec_settle(struct warp *w)
{
	while (w->depth) {
		struct frame *top = &w->stack[w->depth - 1];

		top->mask &= ~w->exited;
		if (top->mask && top->pc != top->reconv)
			break;
		w->depth--;
	}
	if (w->parked)
		exec_resume(w);
}

static bool push(struct warp *w, uint32_t pc, uint32_t reconv, uint32_t mask, uint32_t ret)
{
	if (w->depth == w->program->stack_depth)
		return false;
	w->stack[w->depth++] = (struct frame){pc, reconv, mask, ret};
	return true;
}

/* The lanes of `taken` continue at `target`, those of `rest` at `next`. */
static enum exec_result diverge(
	struct issue *is, uint32_t taken, uint32_t target, uint32_t rest, uint32_t next)
{
	struct warp *w = is->warp;
	struct frame *top = is->top;
	uint32_t reconv = is->instr->reconv;
	struct frame before = *top;
	bool pushed = true;

	if (reconv == NO_RECONV || reconv == top->reconv) {
		reconv = top->reconv;
		if (next == reconv || target == reconv) {
			top->mask = next == reconv ? taken : rest;
			top->pc = next == reconv ? target : next;
			return EXEC_OK;
		}
		if (top->ret != NO_RECONV) {
			pushed = push(w, next, reconv, rest, NO_RECONV);
		} else {
			top->mask = rest;
			top->pc = next;
		}
	} else {
		top->pc = reconv;
		if (next != reconv)
			pushed = push(w, next, reconv, rest, NO_RECONV);
	}
	if (pushed && target != reconv)
		pushed = push(w, target, reconv, taken, NO_RECONV);
	if (pushed)
		return EXEC_OK;
	*top = before;
	w->depth = (uint32_t)(top - w->stack) + 1;
	return exec_fault(is, FAULT_STACK, low_bit(taken), 0);
}

/* The frames up to the entry of the function that these lanes of the top frame are in; 0: it is the
 * kernel. Frames of parked lanes may be between. */
static uint32_t base_of(const struct warp *w, uint32_t lanes)
{
	uint32_t i = w->depth;

	while (i > 0 && (w->stack[i - 1].ret == NO_RECONV || !(w->stack[i - 1].mask & lanes)))
		i--;
	return i;
}

/* The call of the top frame's function; NO_RECONV outside of calls. */
static uint32_t caller_of(const struct warp *w)
{
	uint32_t i = base_of(w, w->stack[w->depth - 1].mask);

	return i ? w->stack[i - 1].ret - 1 : NO_RECONV;
}

/* A branch on a function's address (ptx/front/indirect.h) belongs to the indirect call that led to
 * it: the fault is reported at that call. */
static enum exec_result bad_index(const struct issue *is, unsigned lane, uint64_t index)
{
	const struct program *p = is->warp->program;
	const char *opcode = p->lines[is->instr->line].opcode;
	uint32_t call = caller_of(is->warp);

	exec_fault(is, FAULT_BAD_TARGET, lane, index);
	is->fault->targets = (uint32_t)is->instr->offset;
	if (opcode && opcode[0] == '%' && call != NO_RECONV)
		is->fault->instr = call;
	return EXEC_FAULT;
}

/* Lanes with the same target as the first one branch; the others execute the branch again. */
static __attribute__((noinline)) enum exec_result branch_indexed(struct issue *is)
{
	struct frame *top = is->top;
	const struct program *p = is->warp->program;
	const uint32_t *index = exec_source(is->warp, is->instr->src[0]);
	const uint32_t *high = is->instr->src[0].words > 1 ? index + WARP_LANES : exec_zeros;
	const uint32_t *targets = p->targets + is->instr->target;
	uint32_t left, taken = 0, rest, next = top->pc + 1, target = 0;

	for (left = is->mask; left; left &= left - 1) {
		unsigned lane = low_bit(left);

		if (high[lane] || index[lane] >= (uint64_t)is->instr->offset ||
			targets[index[lane]] >= p->ninstr)
			return bad_index(is, lane, (uint64_t)high[lane] << 32 | index[lane]);
		if (!taken)
			target = targets[index[lane]];
		if (targets[index[lane]] == target)
			taken |= 1u << lane;
	}
	rest = top->mask & ~taken;
	if (is->mask & ~taken)
		next = top->pc;
	if (taken && rest && target != next)
		return diverge(is, taken, target, rest, next);
	top->pc = taken ? target : next;
	if (top->pc == top->reconv)
		exec_settle(is->warp);
	return EXEC_OK;
}

enum exec_result exec_branch(struct issue *is)
{
	struct frame *top = is->top;
	uint32_t taken = is->mask, rest = top->mask & ~is->mask;

	if (is->instr->nsrc)
		return branch_indexed(is);
	if (taken && is->instr->target >= is->warp->program->ninstr)
		return exec_fault(is, FAULT_BAD_TARGET, low_bit(taken), is->instr->target);
	if (taken && rest && is->instr->target != top->pc + 1)
		return diverge(is, taken, is->instr->target, rest, top->pc + 1);
	top->pc = taken ? is->instr->target : top->pc + 1;
	if (top->pc == top->reconv)
		exec_settle(is->warp);
	return EXEC_OK;
}

enum exec_result exec_call(struct issue *is)
{
	struct frame *top = is->top;
	uint32_t back = top->pc + 1;

	if (!is->mask) {
		top->pc = back;
		if (back == top->reconv)
			exec_settle(is->warp);
		return EXEC_OK;
	}
	if (is->instr->target >= is->warp->program->ninstr)
		return exec_fault(is, FAULT_BAD_TARGET, low_bit(is->mask), is->instr->target);
	if (!push(is->warp, is->instr->target, NO_RECONV, is->mask, back))
		return exec_fault(is, FAULT_STACK, low_bit(is->mask), 0);
	top->pc = back;
	return EXEC_OK;
}

enum exec_result exec_exit(struct issue *is)
{
	is->warp->exited |= is->mask;
	is->top->pc++;
	exec_settle(is->warp);
	return EXEC_OK;
}

/* The lanes leave all frames of their function; outside of calls they exit. */
enum exec_result exec_return(struct issue *is)
{
	struct warp *w = is->warp;
	uint32_t i = base_of(w, is->mask);

	if (!is->mask) {
		if (++is->top->pc == is->top->reconv)
			exec_settle(w);
		return EXEC_OK;
	}
	if (i == 0)
		return exec_exit(is);
	is->top->pc++;
	for (i--; i < w->depth; i++)
		w->stack[i].mask &= ~is->mask;
	exec_settle(w);
	return EXEC_OK;
}
