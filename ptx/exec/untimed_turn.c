/* A CTA of an untimed run: its warps are executed round-robin, each until it waits or exits. */
#include "ptx/exec/untimed_private.h"

#include <string.h>

/* Instructions of a warp's time slice, so that a warp that spins on another's store terminates. */
#define WARP_TURN 4096

/* Warp instructions of a CTA's time slices. The first is long enough for most CTAs to complete:
 * CTAs that do not wait for each other are executed one after the other. */
#define FIRST_TURN (UINT64_C(1) << 20)
#define NEXT_TURN (UINT64_C(1) << 16)
/* Warp instructions between searches for spinning warps, which execute a copy of each warp ahead:
 * the interval is multiplied by four from the first to the last. */
#define FIRST_LOOK (UINT64_C(1) << 12)
#define LOOK_EVERY (UINT64_C(1) << 16)
#define LOOK_STEPS 512

/* ---- storage */
struct layout {
	size_t warps, by_index, regs, preds, stacks, local, shared, races, all;
};

static size_t region_of(size_t *at, size_t bytes)
{
	size_t here = *at;

	*at += div_up(bytes + 1, 64) * 64;
	return here;
}

static struct layout layout_of(const struct runner *r)
{
	const struct program *p = r->grid->program;
	size_t n = r->nwarps;
	struct layout l;

	l.all = div_up(sizeof(struct resident), 64) * 64;
	l.warps = region_of(&l.all, n * sizeof(struct warp));
	l.by_index = region_of(&l.all, n * sizeof(struct warp *));
	l.regs = region_of(&l.all, n * p->planes * WARP_LANES * sizeof(uint32_t));
	l.preds = region_of(&l.all, n * p->preds * sizeof(uint32_t));
	l.stacks = region_of(&l.all, n * p->stack_depth * sizeof(struct frame));
	l.local = region_of(&l.all, n * p->local_bytes * WARP_LANES);
	l.shared = region_of(&l.all, grid_shared_bytes(r->grid));
	l.races = region_of(&l.all, r->races ? race_state_bytes(r->grid) : 0);
	return l;
}

size_t resident_bytes(const struct runner *r)
{
	return layout_of(r).all;
}

struct resident *resident_new(const struct runner *r)
{
	struct layout l = layout_of(r);
	unsigned char *block = mem_alloc(l.all, 1);
	struct resident *c = (void *)block;

	if (!c)
		return NULL;
	c->warps = (void *)(block + l.warps);
	c->by_index = (void *)(block + l.by_index);
	c->regs = (void *)(block + l.regs);
	c->preds = (void *)(block + l.preds);
	c->stacks = (void *)(block + l.stacks);
	c->local = block + l.local;
	c->shared = block + l.shared;
	c->race_memory = r->races ? block + l.races : NULL;
	return c;
}

void resident_start(struct runner *r, struct resident *c, uint64_t index)
{
	const struct program *p = r->grid->program;
	const uint32_t *grid = r->grid->grid;
	size_t n = r->nwarps;

	c->spins = c->turned = false;
	c->unlooked = 0;
	c->cta = (struct cta){.grid = r->grid,
		.id = {(uint32_t)(index % grid[0]), (uint32_t)(index / grid[0] % grid[1]),
			(uint32_t)(index / grid[0] / grid[1])},
		.shared = c->shared,
		.warps_running = r->nwarps};
	exec_shared(&c->cta);
	memset(c->shared, 0, c->cta.shared_bytes);
	memset(c->regs, 0, n * p->planes * WARP_LANES * sizeof(*c->regs));
	memset(c->preds, 0, n * p->preds * sizeof(*c->preds));
	barriers_start(&c->barriers, r->nwarps);
	c->race = r->races ? race_state_begin(c->race_memory, &c->cta) : NULL;
	for (uint32_t i = 0; i < r->nwarps; i++) {
		struct warp *w = &c->warps[i];

		c->by_index[i] = w;
		w->slot = c->slot * r->nwarps + i;
		w->regs = c->regs + (size_t)i * p->planes * WARP_LANES;
		w->preds = c->preds + (size_t)i * p->preds;
		w->stack = c->stacks + (size_t)i * p->stack_depth;
		w->traffic = &r->counts->registers;
		w->local = c->local + (size_t)i * p->local_bytes * WARP_LANES;
		exec_start(w, &c->cta, i);
	}
}

/* ---- a warp */
/* Warps that waited at barriers have been released. */
static void released(struct resident *c, uint64_t warps)
{
	for (; c->race && warps; warps &= warps - 1) {
		const struct barrier_wait *wait = &c->barriers.wait[low_bit(warps)];

		race_release(c->race,
			barrier_id(c->by_index[low_bit(warps)], wait->instr, wait->mask),
			warps & (0 - warps));
	}
}

static void arrive(
	struct runner *r, struct resident *c, uint32_t index, const struct instr *in, uint32_t mask)
{
	if (c->race && mask && in->barrier != BARRIER_WARP && !(mask & c->by_index[index]->parked))
		race_arrive(c->race, index, barrier_id(c->by_index[index], in, mask));
	released(c, barrier_arrive(&c->barriers, c->by_index, index, in, mask));
	if (!(c->barriers.waiting >> index & 1))
		return;
	exec_deschedule(c->by_index[index]);
	r->counts->registers.deschedules++;
}

/* One instruction of a warp. 0, or -1 on a fault. */
static int warp_step(struct runner *r, struct resident *c, uint32_t index)
{
	struct warp *w = &c->warps[index];
	const struct instr *in = exec_peek(w);
	uint32_t pc = w->stack[w->depth - 1].pc;
	bool looked_at = in->action == ACT_BARRIER || r->watch;
	uint32_t mask = looked_at ? exec_mask(w, in) : 0;
	uint64_t threads = w->thread_instructions;
	struct exec_context context = {.cycle = r->counts->warp_instructions,
		.period_ps = 1000,
		.nsmid = 1,
		.warpid = index,
		.nwarpid = r->nwarps};
	struct access access;
	enum exec_result result;

	if (r->steps_aside && r->notes[pc].strand == STRAND_WAITS && !w->done)
		exec_deschedule(w);
	result = exec_issue(w, r->lanes, &context, r->memory, &access, r->fault);
	BUG_ON(result == EXEC_AGAIN);
	if (result == EXEC_FAULT)
		return -1;
	r->counts->warp_instructions += !access.more;
	r->counts->by_class[in->op_class] += !access.more;
	r->counts->by_work[in->work] += w->thread_instructions - threads;
	r->executions[pc] += !access.more;
	r->left -= !access.more && r->left != UINT64_MAX;
	if (r->watch)
		r->watch->executed(r->watch->ctx, w, in,
			access.space == SPACE_NONE ? mask : access.mask, &access);
	if (r->touch && (access.space == SPACE_GLOBAL || access.space == SPACE_LOCAL ||
				in->unit == UNIT_TEXTURE))
		r->touch->accessed(r->touch->ctx, w, in, &access);
	if (c->race)
		race_look(r->races, c->race, w, in, &access, r->memory);
	if (in->action == ACT_BARRIER)
		arrive(r, c, index, in, mask);
	if (w->depth == 0) {
		c->cta.warps_running--;
		released(c, barrier_exit(&c->barriers, c->by_index));
	}
	return 0;
}

static bool can_step(const struct resident *c, uint32_t index)
{
	return c->warps[index].depth && !(c->barriers.waiting >> index & 1);
}

/* The next instruction, if it is simple. */
static inline const struct instr *next_simple(const struct warp *w)
{
	const struct program *p = w->program;
	uint32_t pc = w->stack[w->depth - 1].pc;
	const struct instr *in = &p->code[pc];

	if (!in->simple || (p->planes > p->regs && !p->levels->notes[pc].plain))
		return NULL;
	return in;
}

/* Simple instructions of a warp from `in`, its next one, on, at most `most`, where nothing watches:
 * of nbody's host instructions a fifth less. Returns their number. */
static uint64_t run_simple(struct runner *r, struct warp *w, const struct instr *in, uint64_t most)
{
	uint64_t n = 0;

	do {
		r->executions[in - w->program->code]++;
		r->counts->by_class[in->op_class]++;
		r->counts->by_work[in->work] += exec_simple(w, in, r->lanes);
	} while (++n < most && (in = next_simple(w)));
	r->counts->warp_instructions += n;
	r->left -= r->left != UINT64_MAX ? n : 0;
	return n;
}

/* A warp's time slice of at most WARP_TURN steps; adds its steps to *steps. 0, or -1. */
static int warp_turn(struct runner *r, struct resident *c, uint32_t index, uint64_t *steps)
{
	uint64_t most = r->warp_turn ? r->warp_turn : WARP_TURN, n;
	struct warp *w = &c->warps[index];
	const struct instr *simple;

	for (; most && can_step(c, index); most -= n, *steps += n) {
		if (!r->left) {
			*r->fault = (struct fault){.kind = FAULT_NONE};
			return -1;
		}
		simple = r->watch || c->race ? NULL : next_simple(w);
		n = simple ? run_simple(r, w, simple, min_u64(most, r->left)) : 1;
		if (!simple && warp_step(r, c, index) != 0)
			return -1;
	}
	return 0;
}

/* ---- the CTA */
/* Whether all warps wait or spin forever unless memory is written by others. */
static bool gets_nowhere(struct runner *r, const struct resident *c)
{
	for (uint32_t i = 0; i < r->nwarps; i++)
		if (can_step(c, i) &&
			!spin_look(&r->room, &c->warps[i], r->lanes, r->memory, LOOK_STEPS)
				 .for_ever)
			return false;
	return true;
}

/* Every warp has had a time slice. TURN_OVER: they continue. */
static enum turn go_round(struct runner *r, struct resident *c, uint64_t *steps)
{
	for (uint32_t i = 0; i < r->nwarps; i++)
		if (warp_turn(r, c, i, steps) != 0)
			return TURN_FAULT;
	if (!c->cta.warps_running)
		return TURN_ENDED;
	if (*steps)
		return TURN_OVER;
	BUG_ON(!barriers_stuck(&c->barriers, c->by_index, r->nwarps, r->fault));
	return TURN_FAULT;
}

/* One short turn of each warp. */
static enum turn short_turn(struct runner *r, struct resident *c, uint64_t *executed)
{
	enum turn turn = go_round(r, c, executed);

	if (turn != TURN_FAULT && runner_stops(r, *executed))
		return TURN_FAULT;
	c->unlooked += *executed;
	if (turn != TURN_OVER || c->unlooked < LOOK_EVERY)
		return turn;
	c->unlooked = 0;
	c->spins = gets_nowhere(r, c);
	return c->spins ? TURN_SPINS : turn;
}

enum turn resident_turn(struct runner *r, struct resident *c, uint64_t *executed)
{
	uint64_t most = c->turned ? NEXT_TURN : FIRST_TURN, next_look = FIRST_LOOK;
	enum turn turn = TURN_OVER;

	*executed = 0;
	if (c->spins && gets_nowhere(r, c))
		return TURN_SPINS;
	c->spins = false;
	c->turned = true;
	if (r->warp_turn)
		return short_turn(r, c, executed);
	while (turn == TURN_OVER && *executed < most) {
		uint64_t steps = 0;

		turn = go_round(r, c, &steps);
		*executed += steps;
		if (turn != TURN_FAULT && runner_stops(r, steps))
			return TURN_FAULT;
		if (turn != TURN_OVER || *executed < next_look)
			continue;
		next_look = *executed + min_u64(3 * *executed, LOOK_EVERY);
		c->spins = gets_nowhere(r, c);
		if (c->spins)
			return TURN_SPINS;
	}
	return turn;
}

void resident_report(struct runner *r, const struct resident *c, struct positions *s)
{
	const struct program *p = r->grid->program;

	for (uint32_t i = 0; i < r->nwarps; i++) {
		const struct warp *w = &c->warps[i];
		struct spin spin = {0};

		if (c->barriers.waiting >> i & 1) {
			positions_add(s, p, (uint32_t)(c->barriers.wait[i].instr - p->code),
				"waiting at a barrier", NULL);
		} else if (w->depth) {
			spin = spin_look(&r->room, w, r->lanes, r->memory, SPIN_STEPS);
			positions_add(s, p, w->stack[w->depth - 1].pc, "ready", &spin);
		}
	}
}
