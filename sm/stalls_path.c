/* Who fills the path to memory: each cycle of a warp that waits for it belongs to a line in the
 * queue, or to an operation in flight. */
#include "sm/stalls_inside.h"

static uint32_t lines_left(const struct lsu_entry *e)
{
	return (uint32_t)(e->n - e->at);
}

static uint64_t overlap(uint64_t a, uint64_t b, uint64_t from, uint64_t to)
{
	uint64_t low = max_u64(a, from), high = min_u64(b, to);

	return high > low ? high - low : 0;
}

__attribute__((noinline)) static uint64_t count_behind(struct sm *sm)
{
	struct sm_profile *f = sm->profile;

	f->behind_entered = f->entered;
	f->behind_head = sm->queue_head;
	f->lines_behind = 0;
	for (uint32_t k = 1; k < sm->queue_n; k++)
		f->lines_behind +=
			lines_left(&sm->queue[(sm->queue_head + k) % (uint32_t)sm->p.lsu_queue]);
	return f->lines_behind;
}

/* Lines of the entries behind the head, which change only when one enters or the head leaves. */
static inline uint64_t lines_behind(struct sm *sm)
{
	const struct sm_profile *f = sm->profile;

	return f->behind_entered == f->entered && f->behind_head == sm->queue_head
		       ? f->lines_behind
		       : count_behind(sm);
}

static uint64_t lines_waiting(struct sm *sm)
{
	return lines_left(&sm->queue[sm->queue_head]) + lines_behind(sm);
}

static inline void caused_by(
	struct sm *sm, const struct lsu_entry *e, enum sm_reason reason, uint64_t n)
{
	row_of(sm, site_of(sm, e->origin.launch, e->origin.instr))->caused[reason] += n;
}

/* One cycle, as stalls_charge_lines. */
static inline void charge_line(struct sm *sm, enum sm_reason reason, uint64_t cycle)
{
	const struct lsu_entry *e = &sm->queue[sm->queue_head];
	const struct lsu_entry *end = sm->queue + sm->p.lsu_queue;
	uint64_t left = lines_left(e), n = cycle % (left + lines_behind(sm));

	while (n >= left) {
		n -= left;
		e = e + 1 == end ? sm->queue : e + 1;
		left = lines_left(e);
	}
	caused_by(sm, e, reason, 1);
}

/* Cycle c belongs to line c % lines of those that wait for the tag stage, from the head on. */
void stalls_charge_lines(struct sm *sm, enum sm_reason reason, uint64_t from, uint64_t n)
{
	uint32_t size = (uint32_t)sm->p.lsu_queue;
	uint64_t lines = lines_waiting(sm), at = 0, first = from % lines;

	for (uint32_t k = 0; k < sm->queue_n; k++) {
		const struct lsu_entry *e = &sm->queue[(sm->queue_head + k) % size];
		uint64_t end = at + lines_left(e), until = first + n % lines;
		uint64_t cycles = n / lines * (end - at) + overlap(at, end, first, until) +
				  overlap(at + lines, end + lines, first, until);

		if (cycles)
			caused_by(sm, e, reason, cycles);
		at = end;
	}
}

/* All operations are in flight: cycle c belongs to operation c % all. */
static void charge_operations(struct sm *sm, enum sm_reason reason, uint64_t from, uint64_t n)
{
	for (uint64_t c = from; c < from + n; c++) {
		const struct op *op = &sm->ops[c % sm->p.lsu_ops];

		row_of(sm, site_in(sm, op->warp, op->instr))->caused[reason]++;
	}
}

/* The path to memory takes no instruction: it is full, or another warp has the turn; a warp that is
 * on hold waits for the end of the window, because of its own instruction. */
__attribute__((noinline)) static void charge_path(
	struct sm *sm, uint32_t waits, uint64_t from, uint64_t n)
{
	const struct slot *turn = &sm->slot[sm->turn.warp];

	if (sm->queue_n == sm->p.lsu_queue)
		stalls_charge_lines(sm, REASON_LG_THROTTLE, from, n);
	else if (sm->op_free == UINT32_MAX)
		charge_operations(sm, REASON_LG_THROTTLE, from, n);
	else if (from < sm->turn.until && turn->next)
		row_of(sm, site_in(sm, sm->turn.warp, turn->next))->caused[REASON_LG_THROTTLE] += n;
	else
		row_of(sm, waits)->caused[REASON_LG_THROTTLE] += n;
}

void stalls_charge_path(struct sm *sm, unsigned w, uint32_t waits, uint64_t from, uint64_t n)
{
	if (sm->by_reason[REASON_LG_THROTTLE] >> w & 1)
		row_of(sm, waits)->caused[REASON_LG_THROTTLE] += n;
	else if (n == 1 && sm->queue_n == sm->p.lsu_queue)
		charge_line(sm, REASON_LG_THROTTLE, from);
	else
		charge_path(sm, waits, from, n);
}
