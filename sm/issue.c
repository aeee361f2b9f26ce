/* One cycle of the schedulers: choose, execute, and set when the results will be available. */
#include "sm/board.h"
#include "sm/operands.h"

/* The queue for banks is full. */
static bool no_banks(const struct sm *sm)
{
	return sm->arbiter.one_store && arbiter_full(sm);
}

/* Shared memory or the pipe in front of it takes no access. */
static bool shared_busy(const struct sm *sm, unsigned scheduler, uint64_t cycle)
{
	return sm->shared_free > cycle || no_banks(sm) ||
	       (sm->pipes.memory && pipes_busy(sm, &sm->pipes.of[CLASS_MEMORY], scheduler, cycle));
}

/* What may occupy units is asked one by one. */
static __attribute__((noinline)) uint64_t occupied_units(const struct sm *sm,
	const struct scheduler *s, uint64_t ready, uint64_t cycle, enum sm_reason *why)
{
	uint64_t memory = ready & sm->gate_next[GATE_MEMORY];
	uint64_t fetches = ready & sm->gate_next[GATE_TEXTURE];
	uint64_t pipes = ready & ~(memory | fetches | sm->gate_next[GATE_FREE]), mio = 0;
	uint64_t reserved = progress_turn(sm, cycle) ? progress_reserved(sm, cycle) : 0;
	uint64_t set = 0;

	*why = REASON_MATH_PIPE_THROTTLE;
	if (pipes)
		set |= pipes_occupied(sm, s->view.scheduler, pipes, cycle, &mio);
	if (fetches && texture_busy(sm, cycle)) {
		set |= fetches;
		*why = REASON_TEX_THROTTLE;
	}
	if (memory && shared_busy(sm, s->view.scheduler, cycle))
		mio |= memory;
	if (mio)
		*why = REASON_MIO_THROTTLE;
	if ((memory | fetches) && lsu_full(sm))
		reserved |= memory | fetches;
	if (reserved & (memory | fetches))
		*why = REASON_LG_THROTTLE;
	return (reserved & ready) | set | mio;
}

/* The scheduler's warps in `ready` whose next instruction finds its unit occupied in the cycle.
 * *why: the reason for the cycle if they are all. */
static inline uint64_t occupied(const struct sm *sm, const struct scheduler *s, uint64_t ready,
	uint64_t cycle, enum sm_reason *why)
{
	uint64_t simple = sm->gate_next[GATE_FREE] | sm->gate_next[GATE_MEMORY];

	if (!(ready & ~simple) && sm->shared_free <= cycle && !lsu_full(sm) && !sm->pipes.memory &&
		!sm->arbiter.one_store && !progress_turn(sm, cycle))
		return 0;
	return occupied_units(sm, s, ready, cycle, why);
}

static void issue_shared(
	struct sm *sm, unsigned w, const struct instr *in, const struct access *a, uint64_t cycle)
{
	unsigned cycles = conflicts_shared(sm, w, a);
	unsigned moves = cycles > sm->banks.beats ? cycles : sm->banks.beats;
	unsigned pipe = held(sm, cycles) > sm->banks.beats ? held(sm, cycles) : sm->banks.beats;
	uint64_t last = cycle + moves;

	sm->s.smsp__inst_executed_op_shared++;
	sm->shared_free = cycle + pipe;
	hold_issue(sm, w, cycle, cycles);
	if (sm->arbiter.one_store)
		last = arbiter_shared(sm, w, in, a, moves, cycle);
	warp_results(sm, w, in,
		READY_CODE(last + sm->shared_cycles[width_of(a->bytes)] + sm->banks.late -
				   sm->p.shared_bank_cycles,
			READY_SHORT));
}

/* Nothing waits for a load of another chain longer than for a hit. */
static void overlap(struct sm *sm, unsigned w, const struct instr *in, const struct access *a,
	struct op *op, uint64_t cycle)
{
	if (a->action != ACT_LOAD || in->action == ACT_COPY || a->space == SPACE_LOCAL ||
		ideal_waits(&sm->ideal, w))
		return;
	op->has_result = false;
	warp_results(sm, w, in, READY_CODE(cycle + op->hit_cycles, READY_LATE));
}

static void issue_memory(
	struct sm *sm, unsigned w, const struct instr *in, const struct access *a, uint64_t cycle)
{
	const struct lsu_entry *e;
	unsigned cycles;

	switch (a->space) {
	case SPACE_SHARED:
		issue_shared(sm, w, in, a, cycle);
		return;
	case SPACE_NONE: /* no lane takes part */
	case SPACE_CONST:
	case SPACE_PARAM:
		cycles = conflicts_none(sm, a);
		hold_issue(sm, w, cycle, cycles);
		cycle += cycles - 1;
		if (constants_cached(&sm->constants) && a->space != SPACE_NONE)
			constants_issue(sm, w, in, a, cycle);
		else
			warp_results(sm, w, in, READY_CODE(cycle + sm->p.alu_cycles, READY_FIXED));
		return;
	case SPACE_LOCAL:
		sm->s.smsp__inst_executed_op_local++;
		break;
	default:
		sm->s.smsp__inst_executed_op_surface += in->action == ACT_SURFACE;
		sm->s.smsp__inst_executed_op_global += in->action != ACT_SURFACE;
		break;
	}
	warp_results(sm, w, in, READY_LONG);
	e = lsu_enter(sm, w, in, a);
	if (in->action == ACT_COPY)
		copies_enter(sm, w, &sm->ops[e->op]);
	cycles = conflicts_lines(sm, w, a, e);
	hold_issue(sm, w, cycle, cycles);
	sm->ops[e->op].late = (uint16_t)(cycles - held(sm, cycles));
	if (sm->ideal.p.chains)
		overlap(sm, w, in, a, &sm->ops[e->op], cycle + cycles);
	if (a->action == ACT_ATOM || a->action == ACT_RED || a->action == ACT_STORE)
		edge_request(&sm->base);
}

uint64_t sm_next_edge(const struct sm *sm, uint64_t cycle)
{
	return (cycle / sm->c.window_cycles + 1) * sm->c.window_cycles;
}

/* Tags are looked up in a stage of its own. */
static uint64_t tag_cycles(const struct sm *sm, const struct warp *warp)
{
	const struct program_levels *levels = warp->program->levels;

	return levels && levels->options.kind == LEVELS_HARDWARE ? sm->p.rfc_tag_cycles : 0;
}

static inline void issue_arithmetic(
	struct sm *sm, unsigned w, const struct instr *in, uint64_t cycle)
{
	struct pipe_class *k = &sm->pipes.of[in->op_class];

	k->executed++;
	if (k->gate)
		pipes_take(sm, k, sm->sched_of[w], 1, cycle);
	board_results(&sm->slot[w], in, READY_CODE(cycle, k->result));
}

static void fence(struct sm *sm, unsigned w, const struct instr *in, uint64_t cycle)
{
	if (in->action == ACT_ASYNC) {
		copies_issue(sm, w, in, cycle);
		return;
	}
	sm->slot[w].hold = REASON_MEMBAR;
	sm->slot[w].issue_at = sm_next_edge(sm, cycle);
}

/* The latency of the executed instruction. */
static void charge(
	struct sm *sm, unsigned w, const struct instr *in, const struct access *a, uint64_t cycle)
{
	struct slot *slot = &sm->slot[w];

	switch (in->unit) {
	case UNIT_MEMORY:
		if (sm->pipes.memory)
			pipes_take(sm, &sm->pipes.of[CLASS_MEMORY], sm->sched_of[w], 1, cycle);
		issue_memory(sm, w, in, a, cycle);
		break;
	case UNIT_TEXTURE:
		texture_enter(sm, w, in, cycle);
		break;
	case UNIT_CONTROL:
		sm->s.smsp__inst_executed_op_branch++;
		slot->issue_at = cycle + sm->p.branch_cycles + tag_cycles(sm, &slot->warp);
		break;
	case UNIT_BARRIER:
		cta_barrier(sm, w, in, a->mask, cycle);
		break;
	case UNIT_TENSOR:
		pipes_matrix(sm, w, in, cycle);
		break;
	case UNIT_FENCE:
		fence(sm, w, in, cycle);
		break;
	default:
		issue_arithmetic(sm, w, in, cycle);
		break;
	}
}

static bool goes_to_tags(const struct instr *in, const struct access *a)
{
	return in->unit == UNIT_MEMORY && a->space != SPACE_SHARED && a->space != SPACE_NONE &&
	       a->space != SPACE_CONST && a->space != SPACE_PARAM;
}

/* The instruction takes no time as part of another one: its lines do, but nothing waits for them;
 * except lanes that are packed, which have loads of their own. */
static void ride(
	struct sm *sm, unsigned w, const struct instr *in, const struct access *a, uint64_t cycle)
{
	uint32_t last = sm->queue_head + sm->queue_n;
	bool sends = goes_to_tags(in, a) && !sm->ideal.p.narrow;

	if (sends)
		issue_memory(sm, w, in, a, cycle);
	if (sends && !sm->ideal.p.divergence)
		sm->ops[sm->queue[last % (uint32_t)sm->p.lsu_queue].op].has_result = false;
	if (!sends || !sm->ideal.p.divergence)
		warp_results(sm, w, in, READY_CODE(cycle, READY_FIXED));
	sm->slot[w].issue_at = max_u64(cycle, ideal_slot(sm));
}

/* True when a branch diverges: some of the warp's lanes take it and others do not. */
static bool parts_lanes(const struct warp *warp, const struct instr *in)
{
	uint32_t lanes, taken;

	if (in->guard == NO_GUARD)
		return false;
	lanes = exec_mask(warp, in);
	taken = lanes & (warp->preds[in->guard] ^ (0u - (uint32_t)in->guard_negated));
	return taken && taken != lanes;
}

/* The warp may issue again in the next cycle. */
static inline void note_issue(struct sm *sm, unsigned w, uint64_t cycle, bool divergent)
{
	sm->s.smsp__sass_branch_targets_divergent += divergent;
	sm->slot[w].issue_at = sm->issued_at[w] = cycle + 1;
	progress_ready(sm, w, cycle + 1);
}

/* An instruction that takes several issues is executed with the last of them. */
static inline __attribute__((always_inline)) void count_issue(struct sm *sm,
	const struct warp *warp, const struct instr *in, bool executed, uint64_t threads)
{
	sm->s.smsp__inst_issued++;
	sm->s.smsp__inst_executed += executed;
	sm->s.smsp__thread_inst_executed += threads;
	sm->work[in->work] += threads;
	if (sm->by_launch)
		sm->by_launch[warp->cta->grid->launch] += executed;
}

/* An instruction was issued, and the warp goes on to the next one. */
static inline void tell_issue(struct sm *sm, unsigned w, const struct instr *in, uint32_t pc,
	const struct access *access, uint64_t cycle)
{
	if (!sm->after_issue)
		return;
	profile_issued(sm, w, in, pc, access);
	if (!(sm->after_issue & LEARNER_OTHERS))
		return;
	if (sm->choose->issued)
		sm->choose->issued(sm->policy.self, w, cycle);
	if (sm->icache.p.mode != FETCH_OFF)
		icache_next(sm, w, cycle);
}

/* Executes the warp's next instruction. False: it was not. */
static inline __attribute__((always_inline)) bool execute(
	struct sm *sm, unsigned w, const struct instr *in, struct access *access, uint64_t cycle)
{
	struct slot *slot = &sm->slot[w];
	struct fault fault;

	if (in->action != ACT_LANES && in->space != SPACE_SHARED)
		log_set_cycle(sm->log, cycle);
	if (sm->ideal.alone)
		sm->ideal.mask = exec_mask(&slot->warp, in);
	sm->context.cycle = cycle;
	sm->context.warpid = w;
	switch (exec_issue(&slot->warp, sm->c.lanes, &sm->context, &sm->memory, access, &fault)) {
	case EXEC_AGAIN:
		warp_retry(sm, w, cycle);
		return false;
	case EXEC_FAULT:
		sm->by_reason[REASON_SELECTED] &= ~(UINT64_C(1) << w);
		sm_stop(sm, &fault, slot->warp.cta->grid->launch, cycle);
		return false;
	case EXEC_OK:
		break;
	}
	return true;
}

/* False when nothing was issued. */
static bool issue_warp(struct sm *sm, unsigned w, uint64_t cycle)
{
	struct slot *slot = &sm->slot[w];
	const struct instr *in = slot->next;
	uint32_t pc = slot->warp.stack[slot->warp.depth - 1].pc;
	uint64_t threads = slot->warp.thread_instructions, at;
	uint32_t mask = in->unit == UNIT_BARRIER ? exec_mask(&slot->warp, in) : 0;
	bool divergent = in->action == ACT_BRANCH && parts_lanes(&slot->warp, in);
	struct access access;

	if (!execute(sm, w, in, &access, cycle))
		return false;
	note_issue(sm, w, cycle, divergent);
	threads = slot->warp.thread_instructions - threads;
	count_issue(sm, &slot->warp, in, !access.more, threads);
	if (in->unit == UNIT_BARRIER)
		access.mask = mask;
	at = operands_at(sm, w, in, &access, pc, cycle);
	if (sm->ideal.packs && ideal_rides(sm, w, in, &access, threads, cycle))
		ride(sm, w, in, &access, cycle);
	else
		charge(sm, w, in, &access, at);
	tell_issue(sm, w, in, pc, &access, cycle);
	warp_refresh(sm, w, cycle + 1);
	return true;
}

/* The next instruction finds its operands where it names them. */
static inline bool is_plain(const struct warp *w)
{
	const struct program *p = w->program;

	return p->planes <= p->regs || p->levels->notes[w->stack[w->depth - 1].pc].plain;
}

/* What a warp executes after an instruction with which no thread exits and no barrier waits. */
static inline void go_on(struct sm *sm, unsigned w, uint64_t cycle)
{
	struct slot *slot = &sm->slot[w];
	const struct instr *in = exec_peek(&slot->warp);

	undrain(sm, UINT64_C(1) << w);
	set_next(sm, slot, in, UINT64_C(1) << w);
	board_next(sm, w, in, cycle + 1);
}

/* issue_warp for loads and stores, without what other instructions need. */
static bool issue_move(struct sm *sm, unsigned w, const struct instr *in, uint64_t cycle)
{
	struct slot *slot = &sm->slot[w];
	uint32_t pc = slot->warp.stack[slot->warp.depth - 1].pc;
	uint64_t threads = slot->warp.thread_instructions, at;
	struct access access;

	if (!execute(sm, w, in, &access, cycle))
		return false;
	note_issue(sm, w, cycle, false);
	threads = slot->warp.thread_instructions - threads;
	count_issue(sm, &slot->warp, in, !access.more, threads);
	at = operands_at(sm, w, in, &access, pc, cycle);
	if (sm->pipes.memory)
		pipes_take(sm, &sm->pipes.of[CLASS_MEMORY], sm->sched_of[w], 1, at);
	issue_memory(sm, w, in, &access, at);
	tell_issue(sm, w, in, pc, &access, cycle);
	go_on(sm, w, cycle);
	return true;
}

/* issue_warp for arithmetic that needs nothing but its lanes, without what other instructions need:
 * of all host instructions 4% less in matrixmul, 3% in needle. */
static inline void issue_simple(struct sm *sm, unsigned w, const struct instr *in, uint64_t cycle)
{
	static const struct access none = {.space = SPACE_NONE};
	struct slot *slot = &sm->slot[w];
	uint32_t pc = slot->warp.stack[slot->warp.depth - 1].pc;
	unsigned threads = exec_simple(&slot->warp, in, sm->c.lanes);

	note_issue(sm, w, cycle, false);
	count_issue(sm, &slot->warp, in, true, threads);
	issue_arithmetic(sm, w, in, operands_at(sm, w, in, &none, pc, cycle));
	tell_issue(sm, w, in, pc, &none, cycle);
	go_on(sm, w, cycle);
}

/* False when nothing was issued. */
static inline bool issue_first(struct sm *sm, unsigned w, const struct instr *in, uint64_t cycle)
{
	if (sm->ideal.packs)
		return issue_warp(sm, w, cycle);
	if (in->moves)
		return issue_move(sm, w, in, cycle);
	if (!in->simple || !is_plain(&sm->slot[w].warp))
		return issue_warp(sm, w, cycle);
	issue_simple(sm, w, in, cycle);
	return true;
}

/* It changes which instruction the warp executes next, or when. */
static bool issues_alone(const struct instr *in)
{
	return in->unit == UNIT_CONTROL || in->unit == UNIT_BARRIER || in->unit == UNIT_FENCE;
}

/* The warp that issued `first` in this cycle also issues its next instruction, if it can. */
static void issue_second(struct sm *sm, const struct scheduler *s, unsigned w,
	const struct instr *first, uint64_t cycle)
{
	const struct slot *slot = &sm->slot[w];
	uint64_t bit = UINT64_C(1) << w;
	enum sm_reason why;

	if (slot->reason != REASON_SELECTED || s->issue_free > cycle || issues_alone(first) ||
		issues_alone(slot->next) || !warp_independent(slot, cycle))
		return;
	if (!occupied(sm, s, bit, cycle, &why) && issue_warp(sm, w, cycle)) {
		sm->pipes.s.smsp__inst_issued_second++;
		profile_second(sm, w);
	}
}

/* After a part that took no time the warp goes on in the same cycle. */
static void issue_rest(struct sm *sm, const struct scheduler *s, unsigned w, uint64_t cycle)
{
	const struct slot *slot = &sm->slot[w];
	enum sm_reason why;

	while (sm->ideal.rides && slot->next && slot->reason == REASON_SELECTED &&
		s->issue_free <= cycle && warp_independent(slot, cycle) &&
		!occupied(sm, s, UINT64_C(1) << w, cycle, &why) && issue_warp(sm, w, cycle))
		profile_second(sm, w);
}

/* One scheduler's cycle. Returns the reason that it is counted under. */
static enum sm_reason schedule(struct sm *sm, struct scheduler *s, uint64_t cycle)
{
	uint64_t ready, before = s->view.active, active;
	bool turn = progress_turn(sm, cycle);
	const struct instr *in;
	enum sm_reason why;
	unsigned w;

	active = active_choose(sm, s, cycle);
	s->view.active = turn ? progress_active(sm, s, active, cycle) : active;
	if (s->view.active != before)
		active_replace(sm, s, before);
	if (s->issue_free > cycle)
		return REASON_MIO_THROTTLE;
	ready = sm->by_reason[REASON_SELECTED] & s->view.active;
	ready &= ~(turn ? progress_held(sm, s, cycle) : 0);
	if (!ready)
		return reason_stalled(sm, s);
	s->view.ready = ready;
	if (ready & ~sm->gate_next[GATE_FREE])
		s->view.ready &= ~occupied(sm, s, ready, cycle, &why);
	if (!s->view.ready)
		return why;
	w = sm->turn.warp;
	if (!turn || !(s->view.ready >> w & 1))
		w = sm->choose->pick(sm->policy.self, &s->view);
	if (w == SCHED_NONE)
		return REASON_NOT_SELECTED;
	s->view.last = w;
	in = sm->slot[w].next;
	if (!issue_first(sm, w, in, cycle))
		return REASON_LG_THROTTLE;
	if (sm->p.issue_width > 1)
		issue_second(sm, s, w, in, cycle);
	if (sm->ideal.packs)
		issue_rest(sm, s, w, cycle);
	return REASON_SELECTED;
}

/* One step of every scheduler. This cycle has its reason; those after it, up to the next step, are
 * counted under what keeps the scheduler from issuing once all schedulers have acted. True when an
 * active warp is ready and its scheduler can issue in the next cycle. */
bool issue_step(struct sm *sm, uint64_t cycle)
{
	struct scheduler *s, *end = sm->sched + sm->p.schedulers;
	bool ready = false;

	if (progress_turn(sm, cycle) || cycle >= sm->turn.look_at)
		progress_step(sm, cycle);
	for (s = sm->sched; s < end; s++)
		stall_set(&s->stall, cycle, schedule(sm, s, cycle));
	profile_cycle(sm, cycle);
	for (s = sm->sched; s < end; s++) {
		bool some = sm->by_reason[REASON_SELECTED] & s->view.active;
		enum sm_reason reason = REASON_NOT_SELECTED;

		if (s->issue_free > cycle + 1)
			reason = REASON_MIO_THROTTLE;
		else if (!some) /* otherwise it steps next cycle */
			reason = reason_stalled(sm, s);
		stall_set(&s->stall, cycle + 1, reason);
		/* steps until the slot is free would take 6% of needle's host instructions */
		ready |= some && s->issue_free <= cycle + 1;
	}
	return ready;
}
