/* Executes decoded instructions on a warp: the hot path, and instructions without memory access. */
#include "ptx/exec/private.h"

#include <string.h>

const uint32_t exec_zeros[2 * WARP_LANES] = {0};

uint32_t grid_own_shared_bytes(const struct grid *g)
{
	uint32_t align = g->program->dynamic_shared_align ? g->program->dynamic_shared_align : 16;
	uint32_t bytes = g->program->shared_bytes;

	if (g->program->dynamic_shared || g->dynamic_shared_bytes)
		bytes = (uint32_t)div_up(bytes, align) * align + g->dynamic_shared_bytes;
	return g->program->wide_shared ? (uint32_t)div_up(bytes, 16) * 16 : bytes;
}

/* Slots begin at a row of banks. */
static uint32_t slots_begin(const struct grid *g)
{
	return (uint32_t)div_up(grid_own_shared_bytes(g), SLOT_ROW) * SLOT_ROW;
}

uint32_t grid_shared_bytes(const struct grid *g)
{
	if (!g->program->slots)
		return grid_own_shared_bytes(g);
	return slots_begin(g) + grid_cta_warps(g) * g->program->slots * SLOT_ROW;
}

void exec_shared(struct cta *c)
{
	const struct grid *g = c->grid;

	c->shared_bytes = grid_own_shared_bytes(g);
	c->slots_at = g->program->slots ? slots_begin(g) : c->shared_bytes;
	c->slots_end = grid_shared_bytes(g);
	for (uint32_t at = c->slots_at; at < c->slots_end; at += sizeof(uint32_t))
		memcpy(c->shared + at, &(uint32_t){EXEC_POISON}, sizeof(uint32_t));
}

void exec_start(struct warp *w, struct cta *cta, uint32_t warp_in_cta)
{
	uint32_t threads = grid_cta_threads(cta->grid);
	uint32_t first = warp_in_cta * WARP_LANES;
	uint32_t live = threads <= first ? 0 : threads - first;

	w->program = cta->grid->program;
	w->cta = cta;
	w->first_tid = first;
	w->exited = live >= WARP_LANES ? 0 : FULL_MASK << live;
	w->depth = live ? 1 : 0;
	w->instructions = w->thread_instructions = 0;
	w->done = w->parked = 0;
	w->stack[0] = (struct frame){w->program->entry, NO_RECONV, ~w->exited, NO_RECONV};
	if (w->program->planes > w->program->regs)
		exec_levels_start(w);
}

static inline uint32_t guard_mask(const struct warp *w, const struct instr *in)
{
	if (in->guard == NO_GUARD)
		return FULL_MASK;
	return w->preds[in->guard] ^ (0u - (uint32_t)in->guard_negated);
}

uint32_t exec_mask(const struct warp *w, const struct instr *in)
{
	uint32_t active = w->stack[w->depth - 1].mask;

	return in->action == ACT_BRANCH ? active : active & guard_mask(w, in);
}

enum exec_result exec_fault(
	const struct issue *is, enum fault_kind kind, uint32_t lane, uint64_t address)
{
	const struct warp *w = is->warp;
	const struct cta *cta = w->cta;
	const uint32_t *block = cta->grid->block;
	uint32_t flat = w->first_tid + lane;

	*is->fault = (struct fault){
		.kind = kind,
		.instr = is->top->pc,
		.lane = lane,
		.tid = {flat % block[0], flat / block[0] % block[1], flat / block[0] / block[1]},
		.ctaid = {cta->id[0], cta->id[1], cta->id[2]},
		.space = is->access->space,
		.action = is->instr->action,
		.bytes = is->access->bytes,
		.address = address,
	};
	return EXEC_FAULT;
}

/* More than three sources or two destinations, and negated predicates: rare. */
static __attribute__((noinline)) void run_wide(
	const struct issue *is, lane_fn *fn, uint32_t **d, const uint32_t **s, uint32_t *sink)
{
	const struct instr *in = is->instr;
	uint32_t negated[INSTR_SRCS];
	unsigned i;

	for (i = 2; i < in->ndst; i++)
		d[i] = exec_destination(is->warp, in->dst[i], sink);
	for (i = 3; i < in->nsrc; i++)
		s[i] = exec_source(is->warp, in->src[i]);
	for (i = 0; i < in->nsrc; i++) {
		if (!(in->src_negated >> i & 1))
			continue;
		negated[i] = ~*s[i];
		s[i] = &negated[i];
	}
	fn(d, s, is->mask);
}

/* The first two destinations and three sources: most instructions have no more. */
static inline void find_operands(const struct warp *w, const struct instr *in, uint32_t **d,
	const uint32_t **s, uint32_t *sink)
{
	d[0] = exec_destination(w, in->dst[0], sink);
	d[1] = exec_destination(w, in->dst[1], sink);
	s[0] = exec_source(w, in->src[0]);
	s[1] = exec_source(w, in->src[1]);
	s[2] = exec_source(w, in->src[2]);
}

static inline void run_lanes(const struct issue *is)
{
	const struct instr *in = is->instr;
	uint32_t sink[2 * WARP_LANES];
	uint32_t *d[INSTR_DSTS];
	const uint32_t *s[INSTR_SRCS];

	find_operands(is->warp, in, d, s, sink);
	if (in->nsrc > 3 || in->ndst > 2 || in->src_negated)
		run_wide(is, is->lanes->fn[in->op], d, s, sink);
	else
		is->lanes->fn[in->op](d, s, is->mask);
}

static enum exec_result run_barrier(const struct issue *is)
{
	const struct instr *in = is->instr;
	uint32_t lane, id, count;

	if (in->barrier == BARRIER_WARP)
		exec_check_members(is, in->src[0]);
	if (!is->mask || in->barrier == BARRIER_WARP)
		return EXEC_OK;
	lane = low_bit(is->mask);
	id = exec_source(is->warp, in->src[0])[lane];
	count = exec_source(is->warp, in->src[1])[lane];
	if (id >= 16)
		return exec_fault(is, FAULT_BAD_TARGET, lane, id);
	if (count % WARP_LANES != 0)
		return exec_fault(is, FAULT_BAD_TARGET, lane, count);
	return EXEC_OK;
}

/* Whether lanes with generic addresses in other spaces remain; after the last ones the warp
 * advances. */
static bool more_lanes(const struct issue *is)
{
	is->warp->done = is->access->more ? is->warp->done | is->mask : 0;
	return is->access->more;
}

/* The instruction was executed: the warp goes on to the next one. */
static inline enum exec_result advance(struct issue *is, enum exec_result result)
{
	if (result != EXEC_OK || ((is->warp->done || is->access->more) && more_lanes(is)))
		return result;
	if (++is->top->pc == is->top->reconv)
		exec_settle(is->warp);
	return result;
}

/* Instructions other than arithmetic, loads and stores; control flow sets the frame itself. */
static __attribute__((noinline)) enum exec_result run_other(struct issue *is)
{
	enum exec_result result = EXEC_OK;

	switch ((enum action)is->instr->action) {
	case ACT_BRANCH:
		return exec_branch(is);
	case ACT_CALL:
		return exec_call(is);
	case ACT_RET:
		return exec_return(is);
	case ACT_EXIT:
		return exec_exit(is);
	case ACT_TRAP:
		if (is->mask && is->instr->src[0].kind != OPND_NONE)
			return exec_assert(is);
		if (is->mask)
			return exec_fault(is, FAULT_TRAP, low_bit(is->mask), 0);
		break;
	case ACT_LOAD:
		result = exec_load_matrix(is);
		break;
	case ACT_STORE:
		result = exec_store_matrix(is);
		break;
	case ACT_ATOM:
	case ACT_RED:
		result = exec_atomic(is);
		break;
	case ACT_BARRIER:
		result = run_barrier(is);
		if (result == EXEC_OK && exec_comes_early(is))
			return exec_park(is);
		break;
	case ACT_WARP:
		exec_across(is);
		break;
	case ACT_MATRIX:
		exec_matrix(is);
		break;
	case ACT_SREG:
		exec_sreg(is);
		break;
	case ACT_PRINT:
		result = exec_print(is);
		break;
	case ACT_TEXTURE:
		result = exec_texture(is);
		break;
	case ACT_SURFACE:
		result = exec_surface(is);
		break;
	case ACT_QUERY:
		result = exec_query(is);
		break;
	case ACT_LANES:
	case ACT_FENCE:
	case ACT_ASYNC:
	case ACT_NOP:
		break;
	case ACT_COPY:
		result = exec_copy(is);
		break;
	case ACT_FRAGMENT:
	case ACT_COUNT:
		BUG_ON(true);
	}
	return advance(is, result);
}

/* Most warps are whole: without a popcnt instruction counting takes the host 14. */
static inline unsigned count_lanes(uint32_t mask)
{
	return mask == FULL_MASK ? WARP_LANES : count_bits(mask);
}

static inline __attribute__((always_inline)) enum exec_result run(struct issue *is)
{
	struct warp *w = is->warp;
	struct frame *top = is->top;
	uint32_t branching;
	enum exec_result result;

	is->access->space = SPACE_NONE;
	is->access->more = false;
	if (is->instr->action == ACT_LANES) {
		if (is->mask)
			run_lanes(is);
		if (++top->pc == top->reconv)
			exec_settle(w);
		w->instructions++;
		w->thread_instructions += count_lanes(is->mask);
		return EXEC_OK;
	}
	branching = is->instr->action == ACT_BRANCH ? top->mask : 0;
	if (is->instr->moves)
		result =
			advance(is, is->instr->action == ACT_LOAD ? exec_load(is) : exec_store(is));
	else
		result = run_other(is);
	if (result != EXEC_OK)
		return result;
	w->instructions += !is->access->more;
	w->thread_instructions += count_lanes(branching | is->mask);
	return EXEC_OK;
}

enum exec_result exec_run(struct issue *is)
{
	return run(is);
}

/* Without a state of the issue, which the others need. */
unsigned exec_simple(struct warp *w, const struct instr *in, const struct lanes *lanes)
{
	struct frame *top = &w->stack[w->depth - 1];
	uint32_t mask = top->mask & guard_mask(w, in), sink[2 * WARP_LANES];
	uint32_t *d[INSTR_DSTS];
	const uint32_t *s[INSTR_SRCS];
	unsigned n = count_lanes(mask);

	if (mask) {
		find_operands(w, in, d, s, sink);
		lanes->fn[in->op](d, s, mask);
	}
	if (++top->pc == top->reconv)
		exec_settle(w);
	w->instructions++;
	w->thread_instructions += n;
	return n;
}

enum exec_result exec_issue(struct warp *w, const struct lanes *lanes,
	const struct exec_context *context, const struct exec_memory *memory, struct access *access,
	struct fault *fault)
{
	struct frame *top = &w->stack[w->depth - 1];
	const struct program *p = w->program;
	const struct instr *in = &p->code[top->pc];
	uint32_t mask = top->mask & guard_mask(w, in);
	struct issue is = {w, top, in, mask, context, memory, lanes, access, false, fault};

	if (p->planes > p->regs && !p->levels->notes[top->pc].plain)
		return exec_levelled(&is, &p->levels->notes[top->pc]);
	return run(&is);
}
