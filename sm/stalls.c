/* Every cycle of a scheduler is charged to an instruction that waits, and to one that it waits for.
 * Where several warps wait they take turns, and so do the lines that fill the queue: each cycle has
 * one of them, so that the sums are those of the schedulers. */
#include "sm/stalls_inside.h"

#define TURN 32u /* cycles */

/* Reasons of warps that are ready; reasons that last until the warp is ready. */
#define THROTTLES \
	(1u << REASON_LG_THROTTLE | 1u << REASON_MIO_THROTTLE | 1u << REASON_MATH_PIPE_THROTTLE | \
		1u << REASON_TEX_THROTTLE | 1u << REASON_NOT_SELECTED)
#define LASTS \
	(1u << REASON_WAIT | 1u << REASON_SHORT_SCOREBOARD | 1u << REASON_IMC_MISS | \
		1u << REASON_NO_INSTRUCTION | 1u << REASON_LONG_SCOREBOARD | \
		1u << REASON_BARRIER | 1u << REASON_MEMBAR)
/* The same where no other scheduler takes the units. */
#define LASTS_ALONE \
	(1u << REASON_MIO_THROTTLE | 1u << REASON_MATH_PIPE_THROTTLE | 1u << REASON_TEX_THROTTLE)

/* The last instruction that the scheduler issued. */
static uint32_t last_of(const struct sm *sm, unsigned scheduler)
{
	return sm->profile->issued[sm->sched[scheduler].view.last];
}

/* Causes of long scoreboards are known when the result comes (sm/profile.c). */
static void charge(
	struct sm *sm, enum sm_reason reason, uint32_t stalled, uint32_t cause, uint64_t n)
{
	row_of(sm, stalled)->stalled[reason] += n;
	if (reason != REASON_LONG_SCOREBOARD)
		row_of(sm, cause)->caused[reason] += n;
}

/* ---- what occupies a unit, and what produces a result */
/* The last to take the unit of the class's pipe that is free first. */
static uint32_t fills_pipe(const struct sm *sm, unsigned scheduler, const struct pipe_class *k)
{
	const uint64_t *free = sm->pipes.free[k->pipe];
	unsigned first = k->units ? 0 : scheduler;

	for (unsigned u = 1; u < k->units; u++)
		first = free[u] < free[first] ? u : first;
	return sm->profile->pipe_by[k->pipe][first];
}

/* The first access that waits for banks. */
static uint32_t fills_banks(const struct sm *sm)
{
	const struct bank_job *job = &sm->arbiter.jobs[sm->arbiter.head];

	if (job->op != ARBITER_NO_OP)
		return site_in(sm, sm->ops[job->op].warp, sm->ops[job->op].instr);
	if (job->in && job->age == sm->age[job->warp])
		return site_in(sm, job->warp, job->in);
	return sm->profile->shared_by;
}

static uint32_t fills_shared(
	const struct sm *sm, unsigned scheduler, unsigned w, uint32_t waits, uint64_t cycle)
{
	const struct scheduler *s = &sm->sched[scheduler];
	const struct slot *slot = &sm->slot[w];

	if (s->issue_free > cycle)
		return last_of(sm, scheduler);
	if (!slot->next)
		return waits;
	if (slot->gate == GATE_MEMORY && sm->shared_free > cycle)
		return sm->profile->shared_by;
	if (slot->gate == GATE_MEMORY && sm->arbiter.one_store && arbiter_full(sm))
		return fills_banks(sm);
	return fills_pipe(sm, scheduler, &sm->pipes.of[slot->next->op_class]);
}

/* What produces the operand that is available last; the warp's last instruction where that decides
 * (a branch). */
static inline uint32_t produces(const struct sm *sm, unsigned w, uint32_t waits)
{
	const struct sm_profile *f = sm->profile;
	ptrdiff_t at;

	if (!sm->slot[w].next)
		return waits;
	if (!warp_waits_for(&sm->slot[w], &at))
		return f->issued[w];
	return f->producer[w * STALL_ENTRIES + SM_PREDS + (size_t)at];
}

static uint32_t cause_of(const struct sm *sm, unsigned scheduler, unsigned w, enum sm_reason reason,
	uint32_t waits, uint64_t cycle)
{
	const struct instr *next = sm->slot[w].next;

	switch (reason) {
	case REASON_MIO_THROTTLE:
		return fills_shared(sm, scheduler, w, waits, cycle);
	case REASON_MATH_PIPE_THROTTLE:
		return next ? fills_pipe(sm, scheduler, &sm->pipes.of[next->op_class]) : waits;
	case REASON_TEX_THROTTLE:
		return sm->profile->fetch_by;
	case REASON_DRAIN:
		return sm->profile->memory[w];
	case REASON_IMC_MISS: /* nothing of the warp is issued behind a load of constants that
				 missed */
		return sm->profile->issued[w];
	case REASON_WAIT:
	case REASON_SHORT_SCOREBOARD:
		return produces(sm, w, waits);
	default:
		return waits;
	}
}

/* ---- who waits */
/* Warps that find their unit occupied are ready; a unit has the warps behind its gate. */
__attribute__((noinline)) static uint64_t behind(const struct sm *sm, enum sm_reason reason)
{
	uint64_t memory = sm->gate_next[GATE_MEMORY], fetches = sm->gate_next[GATE_TEXTURE];

	switch (reason) {
	case REASON_LG_THROTTLE:
		return memory | fetches;
	case REASON_TEX_THROTTLE:
		return fetches;
	case REASON_MIO_THROTTLE:
		return ~(fetches | sm->gate_next[GATE_FREE]);
	case REASON_MATH_PIPE_THROTTLE:
		return ~(memory | fetches | sm->gate_next[GATE_FREE]);
	default:
		return UINT64_MAX;
	}
}

/* The scheduler's warps that wait for that reason: active ones, or else all; never none while any
 * is resident. */
static inline uint64_t waiting(
	const struct sm *sm, const struct scheduler *s, enum sm_reason reason)
{
	uint64_t set = sm->by_reason[reason] & s->mine;

	if (THROTTLES >> reason & 1)
		set |= sm->by_reason[REASON_SELECTED] & behind(sm, reason) & s->mine;
	if (!set)
		set = sm->resident & s->mine;
	return set & s->view.active ? set & s->view.active : set;
}

static bool is_one(uint64_t set)
{
	return set && !(set & (set - 1));
}

__attribute__((noinline)) static unsigned nth_of(uint64_t set, uint64_t n)
{
	for (; n; n--)
		set &= set - 1;
	return low_bit(set);
}

/* The warp of the set whose turn it is; in most cases it is that of the cycle before. */
static inline unsigned in_turn(struct sm *sm, unsigned scheduler, uint64_t set, uint64_t turn)
{
	struct stall_turn *last = &sm->profile->turn[scheduler];

	if (last->set != set || last->turn != turn)
		*last = (struct stall_turn){set, turn, nth_of(set, turn % count_bits(set))};
	return last->warp;
}

/* A barrier, a fence and an exit have been issued; others have not. */
static inline uint32_t waits_at(const struct sm *sm, unsigned w, enum sm_reason reason)
{
	const struct instr *next = sm->slot[w].next;

	if (!next || reason == REASON_BARRIER || reason == REASON_MEMBAR || reason == REASON_DRAIN)
		return sm->profile->issued[w];
	return site_in(sm, w, next);
}

/* Cycles of a reason that changes from cycle to cycle: its warps are ready, or what they wait for
 * moves. */
static void charge_now(
	struct sm *sm, unsigned scheduler, enum sm_reason reason, uint64_t from, uint64_t n)
{
	uint64_t set = waiting(sm, &sm->sched[scheduler], reason);

	if (!set) /* bank conflicts of the last instruction of all */
		charge(sm, reason, last_of(sm, scheduler), last_of(sm, scheduler), n);
	while (set && n) {
		uint64_t turn = from / TURN, k = min_u64(n, (turn + 1) * TURN - from);
		unsigned w = in_turn(sm, scheduler, set, turn);
		uint32_t site = waits_at(sm, w, reason);

		row_of(sm, site)->stalled[reason] += k;
		if (reason == REASON_LG_THROTTLE)
			stalls_charge_path(sm, w, site, reason, from, k);
		else if (reason == REASON_DRAIN && sm->queue_n)
			stalls_charge_lines(sm, reason, from, k);
		else
			row_of(sm, cause_of(sm, scheduler, w, reason, site, from))
				->caused[reason] += k;
		from += k;
		n -= k;
	}
}

/* ---- spans: a warp waits for the same thing until it issues */
static inline void close_span(struct sm *sm, unsigned scheduler, uint64_t cycle)
{
	struct stall_span *span = &sm->profile->span[scheduler];

	if (span->reason == REASON_IDLE)
		return;
	if (cycle > span->from)
		charge(sm, (enum sm_reason)span->reason, span->site, span->cause,
			cycle - span->from);
	span->reason = REASON_IDLE;
}

/* Cycles of the only warp that waits, which in most cases issues next: no span is worth it. */
static void charge_one(struct sm *sm, unsigned scheduler, enum sm_reason reason, unsigned w,
	uint64_t from, uint64_t n)
{
	uint32_t site = waits_at(sm, w, reason);

	if (reason == REASON_WAIT)
		charge(sm, reason, site, produces(sm, w, site), n);
	else
		charge(sm, reason, site, cause_of(sm, scheduler, w, reason, site, from), n);
	if (reason == REASON_LONG_SCOREBOARD)
		sm->profile->last_long[scheduler] = site;
}

/* Of N warps, number (cycle / TURN) % N, up to the next turn. */
static void open_span(
	struct sm *sm, unsigned scheduler, enum sm_reason reason, uint64_t set, uint64_t from)
{
	struct stall_span *span = &sm->profile->span[scheduler];
	uint64_t turn = from / TURN;
	bool turns = set & (set - 1);
	unsigned w = sm->sched[scheduler].view.last;

	if (turns)
		w = in_turn(sm, scheduler, set, turn);
	else if (set)
		w = low_bit(set);
	span->from = from;
	span->until = turns ? (turn + 1) * TURN : UINT64_MAX;
	span->set = set;
	span->waiting = sm->by_reason[reason];
	span->ready = sm->by_reason[REASON_SELECTED];
	span->active = sm->sched[scheduler].view.active;
	span->reason = (uint8_t)reason;
	span->site = set ? waits_at(sm, w, reason) : last_of(sm, scheduler);
	span->cause = cause_of(sm, scheduler, w, reason, span->site, from);
	if (reason == REASON_LONG_SCOREBOARD)
		sm->profile->last_long[scheduler] = span->site;
}

/* Other schedulers may have changed the set after this one had acted. */
static bool is_open(const struct sm *sm, unsigned scheduler, enum sm_reason reason)
{
	const struct stall_span *span = &sm->profile->span[scheduler];

	return span->reason == reason &&
	       (sm->p.schedulers == 1 || span->set == waiting(sm, &sm->sched[scheduler], reason));
}

/* The scheduler has waited for the reason since `since`, and nothing has changed up to `cycle`. */
static void extend_span(
	struct sm *sm, unsigned scheduler, enum sm_reason reason, uint64_t since, uint64_t cycle)
{
	struct stall_span *span = &sm->profile->span[scheduler];

	if (!is_open(sm, scheduler, reason)) {
		uint64_t set = waiting(sm, &sm->sched[scheduler], reason);

		close_span(sm, scheduler, since);
		if (is_one(set)) {
			charge_one(sm, scheduler, reason, low_bit(set), since, cycle - since);
			return;
		}
		open_span(sm, scheduler, reason, set, since);
	}
	while (cycle > span->until) {
		uint64_t set = span->set, until = span->until;

		close_span(sm, scheduler, until);
		open_span(sm, scheduler, reason, set, until);
	}
}

/* ---- events */
/* The unit of the pipe that the instruction has taken. */
static void note_pipe(struct sm *sm, unsigned w, const struct pipe_class *k, uint32_t site)
{
	struct sm_profile *f = sm->profile;
	const uint64_t *free = sm->pipes.free[k->pipe];

	if (!k->units)
		f->pipe_by[k->pipe][sm->sched_of[w]] = site;
	for (unsigned u = 0; u < k->units; u++) {
		if (f->pipe_free[k->pipe][u] != free[u])
			f->pipe_by[k->pipe][u] = site;
		f->pipe_free[k->pipe][u] = free[u];
	}
}

static void note_access(struct sm *sm, unsigned w, const struct instr *in, enum ptx_space space,
	struct stall_row *row)
{
	struct sm_profile *f = sm->profile;
	uint64_t conflicts = sm->s.l1tex__data_bank_conflicts_pipe_lsu;

	if (in->unit == UNIT_TEXTURE)
		f->fetch_by = f->issued[w];
	if (space == SPACE_SHARED)
		f->shared_by = f->issued[w];
	else
		f->memory[w] = f->issued[w];
	row->event[STALL_CONFLICTS] += conflicts - f->conflicts;
	f->conflicts = conflicts;
}

/* Memory instructions and the arbiter count conflicts of registers themselves. Others read `met`
 * times in one bank: known here only where hardware manages registers (stalls_add_registers). */
static uint64_t met_registers(struct sm *sm, const struct instr *in, const struct access *access)
{
	struct sm_profile *f = sm->profile;
	uint64_t counted = sm->arbiter.on ? sm->arbiter.register_cycles : sm->banks.register_cycles;
	uint64_t more = counted - f->registers;
	unsigned met;

	f->registers = counted;
	if (in->unit == UNIT_MEMORY || !f->registers_vary || sm->arbiter.on || access->more)
		return more;
	met = bank_most(sm->banks.reads);
	return more + (met > 1 ? met - 1 : 0);
}

void stalls_add_registers(struct sm *sm, const struct program *p, uint32_t first_site)
{
	struct stall_row *row = row_of(sm, first_site);

	for (uint32_t i = 0; i < p->ninstr && !sm->profile->registers_vary; i++) {
		unsigned met = p->levels->notes[i].met;

		if (met > 1 && p->code[i].unit != UNIT_MEMORY)
			row[i].event[STALL_REGISTERS] += (met - 1) * row[i].event[STALL_EXECUTED];
	}
}

/* Apart, so that arithmetic without units of its own needs no registers of its caller. */
__attribute__((noinline)) static void note_units(
	struct sm *sm, unsigned w, const struct instr *in, const struct access *access)
{
	uint32_t site = sm->profile->issued[w];
	struct stall_row *row = row_of(sm, site);

	row->event[STALL_REGISTERS] += met_registers(sm, in, access);
	if (in->unit == UNIT_MEMORY || in->unit == UNIT_TEXTURE)
		note_access(sm, w, in, access->space, row);
	if (sm->slot[w].gate != GATE_FREE)
		note_pipe(sm, w, &sm->pipes.of[in->op_class], site);
}

void stalls_note_issued(
	struct sm *sm, unsigned w, const struct instr *in, uint32_t pc, const struct access *access)
{
	struct sm_profile *f = sm->profile;
	const struct slot *slot = &sm->slot[w];
	uint32_t site = site_of(sm, slot->warp.cta->grid->launch, pc);
	uint32_t *producer = &f->producer[w * STALL_ENTRIES + SM_PREDS];
	struct stall_row *row = row_of(sm, site);
	bool *selected = &f->selected[sm->sched_of[w]];
	uint64_t threads = sm->s.smsp__thread_inst_executed - f->threads;

	if (!access->more)
		row->event[STALL_EXECUTED]++;
	if (!*selected)
		row->stalled[REASON_SELECTED]++;
	*selected = true;
	row->event[STALL_THREADS] += threads;
	f->threads += threads;
	f->issued[w] = site;
	for (const int16_t *e = in->entries, *end = e + in->nresults; e < end; e++)
		producer[*e] = site;
	if (in->unit == UNIT_MEMORY || in->unit == UNIT_TEXTURE || f->registers_vary ||
		slot->gate != GATE_FREE)
		note_units(sm, w, in, access);
}

static void note_stall(struct sm *sm, unsigned i, enum sm_reason reason, uint64_t cycle)
{
	const struct stall_span *span = &sm->profile->span[i];
	uint64_t set;

	if (!(sm->profile->lasting >> reason & 1)) {
		close_span(sm, i, cycle);
		if (reason != REASON_IDLE)
			charge_now(sm, i, reason, cycle, 1);
		return;
	}
	set = waiting(sm, &sm->sched[i], reason);
	if (span->reason == reason && span->set == set && cycle < span->until)
		return;
	close_span(sm, i, cycle);
	open_span(sm, i, reason, set, cycle);
}

static inline void note_scheduler(struct sm *sm, unsigned i, uint64_t cycle)
{
	enum sm_reason reason = (enum sm_reason)sm->sched[i].stall.reason;

	if (reason != REASON_SELECTED) {
		note_stall(sm, i, reason, cycle);
		return;
	}
	sm->profile->selected[i] = false;
	close_span(sm, i, cycle);
}

void stalls_note_cycle(struct sm *sm, uint64_t cycle)
{
	for (unsigned i = 0; i < sm->p.schedulers; i++)
		note_scheduler(sm, i, cycle);
}

static inline void settle(struct sm *sm, unsigned i, uint64_t cycle)
{
	const struct stall *s = &sm->sched[i].stall;
	enum sm_reason reason = (enum sm_reason)s->reason;

	if (cycle <= s->since)
		return;
	if (sm->profile->lasting >> reason & 1) {
		extend_span(sm, i, reason, s->since, cycle);
		return;
	}
	close_span(sm, i, s->since);
	if (reason != REASON_IDLE)
		charge_now(sm, i, reason, s->since, cycle - s->since);
}

void stalls_settle(struct sm *sm, uint64_t cycle)
{
	for (unsigned i = 0; i < sm->p.schedulers; i++)
		settle(sm, i, cycle);
}

void stalls_end(struct sm *sm, uint64_t cycle)
{
	for (unsigned i = 0; i < sm->p.schedulers; i++)
		close_span(sm, i, cycle);
}

void stalls_init(struct sm *sm, struct stall_table *table, struct arena *arena)
{
	struct sm_profile *f = sm->profile;

	f->stalls = table;
	f->registers_vary = sm->arbiter.on || f->tables->map->by_hardware;
	sm->after_issue = true;
	f->lasting = sm->p.schedulers == 1 ? LASTS | LASTS_ALONE : LASTS;
	for (unsigned i = 0; i < ARRAY_LEN(f->span); i++)
		f->span[i].reason = REASON_IDLE;
	f->producer = arena_alloc(arena, sm->p.warps * STALL_ENTRIES, sizeof(*f->producer));
}
