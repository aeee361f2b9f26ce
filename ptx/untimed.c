/* Runs grids without time: the CTA's warps take turns, each until it waits or has exited. */
#include "ptx/barrier.h"
#include "ptx/exec_private.h"

#include <string.h>

/* Instructions a warp may run before the next has its turn: a warp that spins on another's store
 * ends. */
#define TURN 4096

struct runner {
	const struct grid *grid;
	const struct lanes *lanes;
	const struct exec_memory *memory;
	const struct untimed_limits *limits;
	const struct untimed_watch *watch; /* or NULL */
	const struct level_note *notes;    /* or NULL */
	uint64_t *executions;              /* of each instruction */
	bool steps_aside;                  /* at the strands that wait, seen by hardware */
	struct untimed_counts *counts;
	struct fault *fault;
	struct cta cta;
	struct barriers barriers;
	uint64_t executed; /* warp instructions of the CTA */
	uint32_t nwarps;
	struct warp *warps;
	struct warp **by_index;
	uint32_t *regs, *preds;
	struct frame *stacks;
	unsigned char *local, *shared;
};

/* Bytes that a program without any still gets: an allocation of nothing would look like no memory.
 */
static size_t some(size_t n)
{
	return n ? n : 1;
}

static int runner_alloc(struct runner *r, struct err *err)
{
	const struct program *p = r->grid->program;
	size_t n = r->nwarps;

	r->cta.shared_bytes = grid_shared_bytes(r->grid);
	r->warps = mem_alloc(n, sizeof(*r->warps));
	r->by_index = mem_alloc(n, sizeof(*r->by_index));
	r->regs = mem_alloc(some(n * p->planes * WARP_LANES), sizeof(*r->regs));
	r->preds = mem_alloc(some(n * p->preds), sizeof(*r->preds));
	r->stacks = mem_alloc(some(n * p->stack_depth), sizeof(*r->stacks));
	r->local = mem_alloc(some(n * p->local_bytes * WARP_LANES), 1);
	r->shared = mem_alloc(some(r->cta.shared_bytes), 1);
	r->executions = mem_alloc(some(p->ninstr), sizeof(*r->executions));
	if (r->warps && r->by_index && r->regs && r->preds && r->stacks && r->local && r->shared &&
		r->executions)
		return 0;
	return err_add(err, ERR_RESOURCE, "kernel %s: no memory for the state of %u warps", p->name,
		r->nwarps);
}

static void runner_free(struct runner *r)
{
	mem_free(r->warps);
	mem_free(r->by_index);
	mem_free(r->regs);
	mem_free(r->preds);
	mem_free(r->stacks);
	mem_free(r->local);
	mem_free(r->shared);
	mem_free(r->executions);
}

static void cta_start(struct runner *r, uint64_t index)
{
	const struct program *p = r->grid->program;
	const uint32_t *grid = r->grid->grid;
	uint32_t i;

	r->cta.grid = r->grid;
	r->cta.id[0] = (uint32_t)(index % grid[0]);
	r->cta.id[1] = (uint32_t)(index / grid[0] % grid[1]);
	r->cta.id[2] = (uint32_t)(index / grid[0] / grid[1]);
	r->cta.shared = r->shared;
	r->cta.warps_running = r->nwarps;
	r->executed = 0;
	memset(r->shared, 0, some(r->cta.shared_bytes));
	memset(r->regs, 0, some((size_t)r->nwarps * p->planes * WARP_LANES) * sizeof(*r->regs));
	memset(r->preds, 0, some((size_t)r->nwarps * p->preds) * sizeof(*r->preds));
	barriers_start(&r->barriers, r->nwarps);
	for (i = 0; i < r->nwarps; i++) {
		struct warp *w = &r->warps[i];

		r->by_index[i] = w;
		w->regs = r->regs + (size_t)i * p->planes * WARP_LANES;
		w->preds = r->preds + (size_t)i * p->preds;
		w->stack = r->stacks + (size_t)i * p->stack_depth;
		w->traffic = &r->counts->registers;
		w->local = r->local + (size_t)i * p->local_bytes * WARP_LANES;
		exec_start(w, &r->cta, i);
	}
}

static void arrive(struct runner *r, uint32_t index, const struct instr *in, uint32_t mask)
{
	barrier_arrive(&r->barriers, r->by_index, index, in, mask);
	if (!(r->barriers.waiting >> index & 1))
		return;
	exec_deschedule(r->by_index[index]);
	r->counts->registers.deschedules++;
}

/* One instruction of a warp. 0, or -1 on a fault. */
static int warp_step(struct runner *r, uint32_t index)
{
	struct warp *w = &r->warps[index];
	const struct instr *in = exec_peek(w);
	uint32_t pc = w->stack[w->depth - 1].pc;
	bool looked_at = in->action == ACT_BARRIER || r->watch;
	uint32_t mask = looked_at ? exec_mask(w, in) : 0;
	struct place place = {.cycle = r->counts->warp_instructions,
		.globaltimer_ns = r->counts->warp_instructions,
		.nsmid = 1,
		.warpid = index,
		.nwarpid = r->nwarps};
	struct access access;
	enum exec_answer answer;

	if (r->steps_aside && r->notes[pc].strand == STRAND_WAITS && !w->done)
		exec_deschedule(w);
	answer = exec_issue(w, r->lanes, &place, r->memory, &access, r->fault);
	BUG_ON(answer == EXEC_AGAIN);
	if (answer == EXEC_FAULT)
		return -1;
	r->executed++;
	r->counts->warp_instructions += !access.more;
	r->counts->by_unit[in->unit] += !access.more;
	r->executions[pc] += !access.more;
	if (r->watch)
		r->watch->executed(r->watch->ctx, w, in,
			access.space == SPACE_NONE ? mask : access.mask, &access);
	if (in->action == ACT_BARRIER)
		arrive(r, index, in, mask);
	if (w->depth == 0) {
		r->cta.warps_running--;
		barrier_exit(&r->barriers, r->by_index);
	}
	return 0;
}

/* A warp's turn. 0, or -1 on a fault or at the limit (then the fault is FAULT_NONE). */
static int warp_turn(struct runner *r, uint32_t index, bool *moved)
{
	unsigned n;

	for (n = 0; n < TURN; n++) {
		if (r->warps[index].depth == 0 || (r->barriers.waiting >> index & 1))
			return 0;
		if (r->limits && r->limits->warp_instructions &&
			r->executed >= r->limits->warp_instructions) {
			*r->fault = (struct fault){.kind = FAULT_NONE};
			return -1;
		}
		if (warp_step(r, index) != 0)
			return -1;
		*moved = true;
	}
	return 0;
}

/* Nobody moves: the first warp that waits is named. */
static int stuck(struct runner *r)
{
	uint32_t index = low_bit(r->barriers.waiting);
	const struct barrier_wait *wait = &r->barriers.wait[index];
	const uint32_t *block = r->grid->block;
	uint32_t lane = low_bit(wait->mask), flat = r->warps[index].first_tid + lane;

	*r->fault = (struct fault){
		.kind = FAULT_DIVERGED_BARRIER,
		.instr = (uint32_t)(wait->instr - r->grid->program->code),
		.lane = lane,
		.tid = {flat % block[0], flat / block[0] % block[1], flat / block[0] / block[1]},
		.ctaid = {r->cta.id[0], r->cta.id[1], r->cta.id[2]},
		.action = ACT_BARRIER,
	};
	return -1;
}

static int cta_turns(struct runner *r)
{
	uint32_t i;

	while (r->cta.warps_running) {
		bool moved = false;

		for (i = 0; i < r->nwarps; i++)
			if (warp_turn(r, i, &moved) != 0)
				return -1;
		if (!moved && r->cta.warps_running)
			return stuck(r);
	}
	return 0;
}

/* Threads are counted by the executor, warp by warp. */
static int cta_run(struct runner *r, uint64_t index)
{
	int answer;

	cta_start(r, index);
	answer = cta_turns(r);
	for (uint32_t i = 0; i < r->nwarps; i++)
		r->counts->thread_instructions += r->warps[i].thread_instructions;
	r->counts->ctas += answer == 0;
	return answer;
}

/* What the registers were asked for follows from how often each instruction was executed, but where
 * hardware manages them. */
static void count_registers(const struct runner *r)
{
	struct level_traffic *t = &r->counts->registers;

	for (uint32_t i = 0; r->notes && i < r->grid->program->ninstr; i++) {
		const struct level_note *note = &r->notes[i];

		if (!r->steps_aside)
			level_traffic_add(t, &note->counts, r->executions[i]);
		if (note->strand != STRAND_INSIDE)
			t->strand_starts += r->executions[i];
		if (note->strand == STRAND_WAITS)
			t->deschedules += r->executions[i];
	}
}

int untimed_run(const struct grid *grid, uint64_t first, uint64_t step, const struct lanes *lanes,
	const struct exec_memory *memory, const struct untimed_limits *limits,
	struct untimed_counts *counts, struct fault *fault, struct err *err)
{
	struct runner r = {.grid = grid,
		.lanes = lanes,
		.memory = memory,
		.limits = limits,
		.watch = limits ? limits->watch : NULL,
		.counts = counts,
		.fault = fault,
		.nwarps = grid_cta_warps(grid)};
	const struct program_levels *levels = grid->program->levels;
	uint64_t i, n = grid_ctas(grid);
	int answer;

	if (levels) {
		r.notes = levels->notes;
		r.steps_aside = levels->options.kind == LEVELS_HARDWARE;
	}
	*fault = (struct fault){.kind = FAULT_NONE};
	answer = runner_alloc(&r, err);
	for (i = first; answer == 0 && i < n; i += step)
		answer = cta_run(&r, i);
	if (r.executions)
		count_registers(&r);
	runner_free(&r);
	return answer;
}
