/* Detects warps that make no progress, by executing a copy of the warp ahead. */
#include "ptx/exec/spin.h"

#include "ptx/exec/private.h"

#include <string.h>

#define ROUND 1024      /* instructions of an iteration, at most */
#define ROUNDS 32       /* identical iterations after which a loop counts as spinning */
#define MOST_BYTES 4096 /* of a warp's access */

/* The copy of the warp, and the state of the current iteration. */
struct look {
	struct warp warp;
	struct cta cta;
	struct level_traffic traffic;
	const struct warp *from;
	const struct exec_memory *memory;
	bool changed; /* memory would change */
	bool clocked; /* the iteration reads a clock, whose value changes with time */
	size_t shared_bytes, local_bytes;
	unsigned char *shared, *local, *needed;
	uint32_t anchor, target; /* the backward branch that delimits iterations */
	unsigned n, alike, same; /* instructions of the iteration; identical iterations in a row */
	uint64_t reads, reads_before;
	size_t regs_bytes, preds_bytes; /* of a state, with stack entries up to `depth_before` */
	unsigned char *regs_before, *preds_before, *stack_before; /* after the last iteration */
	uint32_t depth_before;                                    /* 0: there was none */
	uint32_t pc[ROUND];
};

void spin_space_free(struct spin_space *room)
{
	mem_free(room->bytes);
	*room = (struct spin_space){0};
}

static size_t rounded(size_t n)
{
	return div_up(n + 1, 64) * 64;
}

/* Allocates the next n bytes of the buffer. */
static void *take(unsigned char **at, size_t n)
{
	void *here = *at;

	*at += rounded(n);
	return here;
}

/* The copy's storage; NULL when the host has no memory. Shared and local memory are copied on the
 * first write. */
static struct look *make_copy(struct spin_space *room, const struct warp *w)
{
	const struct program *p = w->program;
	size_t regs = (size_t)p->planes * WARP_LANES * sizeof(*w->regs);
	size_t preds = (size_t)p->preds * sizeof(*w->preds);
	size_t stack = (size_t)p->stack_depth * sizeof(*w->stack);
	size_t local = (size_t)p->local_bytes * WARP_LANES, shared = w->cta->slots_end;
	size_t all = rounded(sizeof(struct look)) +
		     2 * (rounded(regs) + rounded(preds) + rounded(stack)) + rounded(local) +
		     rounded(shared) + rounded((size_t)p->planes + p->preds);
	unsigned char *at;
	struct look *l;

	if (room->size < all) {
		void *bytes = mem_grow(room->bytes, room->size, all, 1);

		if (!bytes)
			return NULL;
		room->bytes = bytes;
		room->size = all;
	}
	at = room->bytes;
	l = take(&at, sizeof(*l));
	memset(l, 0, offsetof(struct look, pc));
	l->warp = *w;
	l->cta = *w->cta;
	l->warp.cta = &l->cta;
	l->warp.traffic = &l->traffic;
	l->warp.regs = memcpy(take(&at, regs), w->regs, regs);
	l->warp.preds = memcpy(take(&at, preds), w->preds, preds);
	l->warp.stack = memcpy(take(&at, stack), w->stack, stack);
	l->regs_before = take(&at, l->regs_bytes = regs);
	l->preds_before = take(&at, l->preds_bytes = preds);
	l->stack_before = take(&at, stack);
	l->local = take(&at, local);
	l->shared = take(&at, shared);
	l->needed = take(&at, (size_t)p->planes + p->preds);
	l->local_bytes = local;
	l->shared_bytes = shared;
	l->from = w;
	l->anchor = UINT32_MAX;
	return l;
}

/* ---- read-only memory */
static int look_load(void *ctx, const struct access *a, unsigned char *data)
{
	const struct look *l = ctx;

	return l->memory->load(l->memory->ctx, a, data);
}

static int look_store(void *ctx, const struct access *a, const unsigned char *data)
{
	struct look *l = ctx;
	unsigned char there[MOST_BYTES] = {0};
	int result = l->memory->load(l->memory->ctx, a, there);

	for (uint32_t left = a->mask; left && !result; left &= left - 1) {
		size_t at = (size_t)low_bit(left) * a->bytes;

		l->changed |= memcmp(there + at, data + at, a->bytes) != 0;
	}
	return result;
}

/* Each lane reads the current value, as if it were alone. */
static int look_atomic(void *ctx, const struct access *a, const unsigned char *data,
	const unsigned char *data_b, uint32_t *const *dst)
{
	const struct atom atom = {a->atom_op, a->mem_type, a->vec};
	struct look *l = ctx;
	unsigned char there[MOST_BYTES] = {0}, before[MOST_BYTES / WARP_LANES];
	int result = l->memory->load(l->memory->ctx, a, there);

	for (uint32_t left = a->mask; left && !result; left &= left - 1) {
		unsigned lane = low_bit(left);
		size_t at = (size_t)lane * a->bytes;

		memcpy(before, there + at, a->bytes);
		atom_lane(&atom, there + at, data + at, data_b ? data_b + at : NULL, lane, dst);
		l->changed |= memcmp(before, there + at, a->bytes) != 0;
	}
	return result;
}

/* ---- one instruction */
static bool writes_memory(const struct instr *in)
{
	return in->action == ACT_STORE || in->action == ACT_COPY || in->action == ACT_ATOM ||
	       in->action == ACT_RED;
}

/* Copies shared or local memory before the first instruction that may write there. */
static void own_memory(struct look *l, const struct instr *in)
{
	if (in->space == SPACE_GLOBAL && in->action != ACT_COPY)
		return;
	if (in->space != SPACE_LOCAL && l->shared_bytes && l->cta.shared != l->shared) {
		memcpy(l->shared, l->cta.shared, l->shared_bytes);
		l->cta.shared = l->shared;
	}
	if ((in->space == SPACE_LOCAL || in->space == SPACE_GENERIC) && l->local_bytes &&
		l->warp.local != l->local) {
		memcpy(l->local, l->warp.local, l->local_bytes);
		l->warp.local = l->local;
	}
}

/* Whether the lane's element at `at` of the copy still equals the original; pieces of it are
 * `apart` bytes apart. */
static bool is_element_unchanged(const unsigned char *copy, const unsigned char *original,
	uint64_t at, unsigned bytes, unsigned apart)
{
	unsigned piece = bytes < 4 ? bytes : 4;

	for (unsigned k = 0; k < bytes; k += piece, at += apart)
		if (memcmp(copy + at, original + at, piece) != 0)
			return false;
	return true;
}

/* Whether the accessed bytes of the copy still equal the original. */
static bool is_unchanged(const struct look *l, const struct access *a)
{
	bool shared = a->space == SPACE_SHARED;
	const unsigned char *copy = shared ? l->shared : l->local;
	const unsigned char *original = shared ? l->from->cta->shared : l->from->local;
	uint64_t base = shared ? 0 : l->from->local_base;

	if (!shared && a->space != SPACE_LOCAL)
		return true;
	for (uint32_t left = a->mask; left; left &= left - 1)
		if (!is_element_unchanged(copy, original, a->addr[low_bit(left)] - base, a->bytes,
			    shared ? 4 : 4 * WARP_LANES))
			return false;
	return true;
}

static uint64_t mix(uint64_t sum, uint64_t word)
{
	return (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15) >> 7 ^ sum << 57 ^ word;
}

static uint64_t mix_words(uint64_t sum, const uint32_t *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		sum = mix(sum, words[i]);
	return sum;
}

/* Adds the values read by the instruction to the iteration's hash. */
static void note_read(struct look *l, const struct instr *in, const struct access *a)
{
	if ((in->action != ACT_LOAD && in->action != ACT_ATOM) || a->space == SPACE_NONE ||
		a->space == SPACE_PARAM)
		return;
	for (uint32_t left = a->mask; left; left &= left - 1)
		l->reads = mix(l->reads, a->addr[low_bit(left)]);
	for (unsigned i = 0; i < in->ndst; i++)
		if (in->dst[i].kind == OPND_REG)
			l->reads = mix_words(l->reads, exec_source(&l->warp, in->dst[i]),
				(size_t)WARP_LANES * in->dst[i].words);
}

/* Instructions that cannot be executed without time and other warps. */
static bool leads_away(const struct instr *in)
{
	return (in->action == ACT_BARRIER && in->barrier != BARRIER_WARP) ||
	       in->action == ACT_TRAP || in->action == ACT_PRINT || in->action == ACT_SURFACE;
}

static bool is_clock(const struct instr *in)
{
	return in->action == ACT_SREG && in->sreg >= SREG_CLOCK && in->sreg <= SREG_GLOBALTIMER_HI;
}

/* False when the warp makes progress, or cannot be simulated any further. */
static bool step(struct look *l, const struct lanes *lanes, const struct instr *in)
{
	const struct exec_memory memory = {.ctx = l,
		.load = look_load,
		.store = look_store,
		.atomic = look_atomic,
		.texels = NULL};
	const struct exec_context context = {0};
	struct access access;
	struct fault fault;

	if (leads_away(in) || l->n == ROUND)
		return false;
	if (writes_memory(in))
		own_memory(l, in);
	l->clocked |= is_clock(in);
	if (exec_issue(&l->warp, lanes, &context, &memory, &access, &fault) != EXEC_OK)
		return false;
	note_read(l, in, &access);
	return !l->changed && (!writes_memory(in) || is_unchanged(l, &access)) && l->warp.depth;
}

/* ---- iterations */
/* Whether registers, predicates and stack equal those after the last iteration. */
static bool is_state_same(const struct look *l)
{
	const struct warp *w = &l->warp;

	return w->depth == l->depth_before && !memcmp(w->preds, l->preds_before, l->preds_bytes) &&
	       !memcmp(w->stack, l->stack_before, w->depth * sizeof(*w->stack)) &&
	       !memcmp(w->regs, l->regs_before, l->regs_bytes);
}

static void keep_state(struct look *l)
{
	const struct warp *w = &l->warp;

	memcpy(l->regs_before, w->regs, l->regs_bytes);
	memcpy(l->preds_before, w->preds, l->preds_bytes);
	memcpy(l->stack_before, w->stack, w->depth * sizeof(*w->stack));
	l->depth_before = w->depth;
}

/* Whether the branch at `pc` moved the warp to an earlier instruction. */
static bool goes_back(const struct instr *in, uint32_t pc, uint32_t next)
{
	return in->action == ACT_BRANCH && next <= pc && (in->nsrc || in->target == next);
}

/* A backward branch from `pc`: the end of an iteration, or of an outer loop. Clocks read in an
 * earlier iteration count for this one, too. */
static void end_round(struct look *l, uint32_t pc, uint32_t target)
{
	if (l->anchor != pc && (l->anchor == UINT32_MAX || target < l->target)) {
		l->anchor = pc;
		l->target = target;
		l->alike = l->same = 0;
		l->reads_before = 0;
		l->depth_before = 0;
	} else if (l->anchor != pc) {
		return;
	}
	l->alike = l->reads == l->reads_before ? l->alike + 1 : 0;
	l->same = l->alike && is_state_same(l) ? l->same + 1 : 0;
	if (!l->same)
		keep_state(l);
	l->reads_before = l->reads;
	l->reads = 0;
}

/* ---- the loop condition */
static void need(struct look *l, const struct operand *o)
{
	unsigned words = o->words ? o->words : 1;

	if (o->kind == OPND_PRED)
		l->needed[l->warp.program->planes + o->index] = 1;
	for (unsigned k = 0; k < words && o->kind == OPND_REG; k++)
		l->needed[o->index + k] = 1;
}

static bool is_needed(const struct look *l, const struct operand *o)
{
	unsigned words = o->words ? o->words : 1;

	if (o->kind == OPND_PRED)
		return l->needed[l->warp.program->planes + o->index];
	for (unsigned k = 0; k < words && o->kind == OPND_REG; k++)
		if (l->needed[o->index + k])
			return true;
	return false;
}

/* Traces one instruction of the iteration backwards. True: it is the load. */
static bool trace_back(struct look *l, const struct instr *in)
{
	bool wanted = in->action == ACT_BRANCH;

	for (unsigned i = 0; i < in->ndst; i++)
		wanted |= is_needed(l, &in->dst[i]);
	if (!wanted)
		return false;
	if ((in->action == ACT_LOAD || in->action == ACT_ATOM) && in->space != SPACE_PARAM &&
		in->space != SPACE_CONST)
		return true;
	if (in->guard != NO_GUARD)
		l->needed[l->warp.program->planes + in->guard] = 1;
	for (unsigned i = 0; i < in->nsrc; i++)
		need(l, &in->src[i]);
	return false;
}

/* Two iterations: a value may come from the previous one. */
static uint32_t deciding_load(struct look *l)
{
	const struct program *p = l->warp.program;

	memset(l->needed, 0, (size_t)p->planes + p->preds);
	for (unsigned i = 2 * l->n; i-- > 0;)
		if (trace_back(l, &p->code[l->pc[i % l->n]]))
			return l->pc[i % l->n];
	return SPIN_NO_LOAD;
}

static bool is_spin(struct look *l, struct spin *spin)
{
	spin->branch = l->anchor;
	spin->for_ever = l->same && !l->clocked;
	if (!spin->for_ever && l->alike < ROUNDS)
		return false;
	spin->load = deciding_load(l);
	spin->spins = spin->for_ever || spin->load != SPIN_NO_LOAD;
	return spin->spins;
}

struct spin spin_look(struct spin_space *room, const struct warp *w, const struct lanes *lanes,
	const struct exec_memory *memory, unsigned steps)
{
	const struct spin none = {.load = SPIN_NO_LOAD};
	struct look *l = make_copy(room, w);
	struct spin spin = none;

	if (!l)
		return none;
	l->memory = memory;
	for (; steps; steps--) {
		uint32_t depth = l->warp.depth, pc = l->warp.stack[depth - 1].pc, next;
		const struct instr *in = exec_peek(&l->warp);

		if (!step(l, lanes, in))
			return none;
		l->pc[l->n++] = pc;
		next = l->warp.stack[l->warp.depth - 1].pc;
		if (!goes_back(in, pc, next))
			continue;
		end_round(l, pc, next);
		if (l->anchor != pc)
			continue;
		if (is_spin(l, &spin))
			return spin;
		l->n = 0;
	}
	return none;
}
