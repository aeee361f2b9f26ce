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
/* The warp has issued what it waits at. */
#define ISSUED_ALREADY (1u << REASON_BARRIER | 1u << REASON_MEMBAR | 1u << REASON_DRAIN)
#define ON_RESULTS (1u << REASON_WAIT | 1u << REASON_SHORT_SCOREBOARD)
/* The same as LASTS where no other scheduler takes the units. */
#define LASTS_ALONE \
	(1u << REASON_MIO_THROTTLE | 1u << REASON_MATH_PIPE_THROTTLE | 1u << REASON_TEX_THROTTLE)

/* The last instruction that the scheduler issued. */
static uint32_t last_of(const struct sm *sm, unsigned scheduler)
{
	return sm->profile->warp[sm->sched[scheduler].view.last].issued;
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
	at = warp_waits_for(&sm->slot[w]);
	if (at == WAITS_FOR_NONE)
		return f->warp[w].issued;
	return f->warp[w].producer[SM_PREDS + at];
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
		return sm->profile->warp[w].memory;
	case REASON_IMC_MISS: /* nothing of the warp is issued behind a load of constants that
				 missed */
		return sm->profile->warp[w].issued;
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

	if (reason == REASON_LG_THROTTLE)
		set |= sm->by_reason[REASON_SELECTED] & s->mine &
		       (sm->gate_next[GATE_MEMORY] | sm->gate_next[GATE_TEXTURE]);
	else if (THROTTLES >> reason & 1)
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

__attribute__((noinline)) static unsigned next_turn(
	struct stall_turn *last, uint64_t set, uint64_t turn)
{
	*last = (struct stall_turn){set, turn, nth_of(set, turn % count_bits(set))};
	return last->warp;
}

/* The warp of the set whose turn it is; in most cases it is that of the cycle before. */
static inline unsigned in_turn(struct sm *sm, unsigned scheduler, uint64_t set, uint64_t turn)
{
	struct stall_turn *last = &sm->profile->turn[scheduler];

	return last->set == set && last->turn == turn ? last->warp : next_turn(last, set, turn);
}

/* A barrier, a fence and an exit have been issued; others have not. */
static inline uint32_t waits_at(const struct sm *sm, unsigned w, enum sm_reason reason)
{
	const struct warp *warp = &sm->slot[w].warp;

	if (!warp->depth || (ISSUED_ALREADY >> reason & 1))
		return sm->profile->warp[w].issued;
	return sm->profile->warp[w].first + warp->stack[warp->depth - 1].pc;
}

/* Of one turn. */
static inline void charge_turn(struct sm *sm, unsigned scheduler, enum sm_reason reason,
	uint64_t set, uint64_t from, uint64_t n)
{
	unsigned w = in_turn(sm, scheduler, set, from / TURN);
	uint32_t site = waits_at(sm, w, reason);

	row_of(sm, site)->stalled[reason] += n;
	if (reason == REASON_LG_THROTTLE)
		stalls_charge_path(sm, w, site, from, n);
	else if (reason == REASON_DRAIN && sm->queue_n)
		stalls_charge_lines(sm, reason, from, n);
	else
		row_of(sm, cause_of(sm, scheduler, w, reason, site, from))->caused[reason] += n;
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
		uint64_t k = min_u64(n, (from / TURN + 1) * TURN - from);

		charge_turn(sm, scheduler, reason, set, from, k);
		from += k;
		n -= k;
	}
}

/* A cycle in which the path to memory took nothing. */
__attribute__((noinline)) static void charge_throttled(
	struct sm *sm, unsigned scheduler, uint64_t cycle)
{
	const struct scheduler *s = &sm->sched[scheduler];
	uint64_t set = waiting(sm, s, REASON_LG_THROTTLE);

	charge_turn(sm, scheduler, REASON_LG_THROTTLE, set, cycle, 1);
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
	stalls_watch(sm);
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
	stalls_watch(sm);
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
static void note_stall(struct sm *sm, unsigned i, enum sm_reason reason, uint64_t cycle)
{
	const struct stall_span *span = &sm->profile->span[i];
	uint64_t set;

	if (!(sm->profile->lasting >> reason & 1)) {
		close_span(sm, i, cycle);
		if (reason == REASON_LG_THROTTLE)
			charge_throttled(sm, i, cycle);
		else if (reason != REASON_IDLE)
			charge_now(sm, i, reason, cycle, 1);
		return;
	}
	set = waiting(sm, &sm->sched[i], reason);
	if (span->reason == reason && span->set == set && cycle < span->until)
		return;
	close_span(sm, i, cycle);
	open_span(sm, i, reason, set, cycle);
}

__attribute__((noinline)) static void note_scheduler(struct sm *sm, unsigned i, uint64_t cycle)
{
	enum sm_reason reason = (enum sm_reason)sm->sched[i].stall.reason;

	if (reason != REASON_SELECTED) {
		note_stall(sm, i, reason, cycle);
		return;
	}
	close_span(sm, i, cycle);
}

/* Of one scheduler: an instruction was issued, and no span is open; or the warp waits for the same
 * thing as in the cycles before. */
static inline bool goes_on(const struct sm *sm, unsigned reason, uint64_t cycle)
{
	const struct stall_span *span = &sm->profile->span[0];

	if (reason == REASON_SELECTED)
		return span->reason == REASON_IDLE;
	return reason == span->reason && sm->by_reason[reason] == span->waiting &&
	       sm->by_reason[REASON_SELECTED] == span->ready &&
	       sm->sched[0].view.active == span->active && cycle < span->until;
}

__attribute__((noinline)) static void note_schedulers(struct sm *sm, uint64_t cycle)
{
	for (unsigned i = 0; i < sm->p.schedulers; i++)
		note_scheduler(sm, i, cycle);
}

void stalls_note_cycle(struct sm *sm, uint64_t cycle)
{
	const struct stall_span *span = &sm->profile->span[0];
	unsigned reason = sm->sched[0].stall.reason;

	if (sm->p.schedulers > 1)
		note_schedulers(sm, cycle);
	else if (goes_on(sm, reason, cycle))
		return;
	else if (reason == REASON_LG_THROTTLE && span->reason == REASON_IDLE)
		charge_throttled(sm, 0, cycle);
	else
		note_scheduler(sm, 0, cycle);
}

__attribute__((noinline)) static void settle(struct sm *sm, unsigned i, uint64_t cycle)
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

/* What the warp waits for, if that is one instruction. */
static inline bool only_cause(
	const struct sm_profile *f, const struct slot *slot, unsigned w, uint32_t *cause)
{
	const int16_t *e = slot->next->entries, *end = e + slot->next->nentries;
	const uint32_t *producer = f->warp[w].producer + SM_PREDS;
	bool found = false;

	*cause = f->warp[w].issued;
	for (; e < end; e++) {
		if (READY_CYCLE(slot->ready[*e]) != slot->ready_at)
			continue;
		if (found && producer[*e] != *cause)
			return false;
		*cause = producer[*e];
		found = true;
	}
	return true;
}

/* Most cycles are those of the only warp that waits, for one instruction: without calls of others,
 * which is a hundredth of needle's host instructions. */
static inline bool settle_alone(struct sm *sm, const struct stall *stall, uint64_t cycle)
{
	const struct sm_profile *f = sm->profile;
	uint64_t set = sm->by_reason[stall->reason], active = set & sm->sched[0].view.active;
	const struct slot *slot;
	uint32_t site, cause;
	unsigned w;

	set = active ? active : set;
	if (!(ON_RESULTS >> stall->reason & 1) || f->span[0].reason != REASON_IDLE || !is_one(set))
		return false;
	w = low_bit(set);
	slot = &sm->slot[w];
	if (!slot->next || !only_cause(f, slot, w, &cause))
		return false;
	site = f->warp[w].first + slot->warp.stack[slot->warp.depth - 1].pc;
	row_of(sm, site)->stalled[stall->reason] += cycle - stall->since;
	row_of(sm, cause)->caused[stall->reason] += cycle - stall->since;
	return true;
}

__attribute__((noinline)) static void settle_all(struct sm *sm, uint64_t cycle)
{
	for (unsigned i = 0; i < sm->p.schedulers; i++)
		settle(sm, i, cycle);
}

void stalls_settle(struct sm *sm, uint64_t cycle)
{
	const struct stall_span *span = &sm->profile->span[0];
	const struct stall *stall = &sm->sched[0].stall;

	if (sm->p.schedulers > 1)
		settle_all(sm, cycle);
	else if (cycle > stall->since && (stall->reason != span->reason || cycle > span->until) &&
		 !settle_alone(sm, stall, cycle))
		settle(sm, 0, cycle);
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
	sm->after_issue |= LEARNER_PROFILE;
	f->lasting = sm->p.schedulers == 1 ? LASTS | LASTS_ALONE : LASTS;
	for (unsigned i = 0; i < ARRAY_LEN(f->span); i++)
		f->span[i].reason = REASON_IDLE;
	f->warp = arena_alloc(arena, sm->p.warps, sizeof(*f->warp));
	stalls_watch(sm);
}
