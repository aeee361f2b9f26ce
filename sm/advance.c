/* Warps execute further between two windows, without time: the functional warming of systematic
 * sampling (Wunderlich et al., SMARTS, ISCA 2003, section 3.1). The pipelines are not emptied: at a
 * window's edge all values are in registers and memory, since an instruction is executed when it is
 * issued; what is in flight is time alone, and goes on with the next window, as that of warps which
 * are elsewhere in the program. */
#include "sm/state.h"

#include <math.h>

#define PART 1024 /* of a warp that is as fast as the mean */

bool sm_advances(const struct component *c)
{
	const struct sm *sm = CONTAINER_OF(c, const struct sm, base);

	return !sm->profile && sm->icache.p.mode == FETCH_OFF && !sm->ideal.p.barriers;
}

static uint32_t index_of(const struct slot *slot)
{
	return slot->warp.first_tid / WARP_LANES;
}

static bool waits_at_barrier(const struct sm *sm, const struct slot *slot)
{
	return sm->cta[slot->cta].barriers.waiting >> index_of(slot) & 1;
}

/* A warp that waits for a constant does so in time. */
static bool can_step(const struct sm *sm, unsigned w)
{
	const struct slot *slot = &sm->slot[w];

	return slot->warp.depth && !waits_at_barrier(sm, slot) && !sm->waits.what[w];
}

/* 0, or -1: the barrier can never complete. */
static int arrive(struct sm *sm, const struct slot *slot, const struct instr *in, uint32_t mask,
	struct fault *fault)
{
	struct cta_slot *s = &sm->cta[slot->cta];

	barrier_arrive(&s->barriers, s->warp, index_of(slot), in, mask);
	return barriers_stuck(&s->barriers, s->warp, grid_cta_warps(s->cta.grid), fault) ? -1 : 0;
}

/* The warp's last thread has exited. */
static int leave(struct sm *sm, struct slot *slot, struct sm_advance *a)
{
	struct cta_slot *s = &sm->cta[slot->cta];

	slot->next = NULL; /* barriers know it */
	barrier_exit(&s->barriers, s->warp);
	if (!s->barriers.running) {
		sm->cta_left |= UINT64_C(1) << slot->cta;
		a->ended++;
		return 0;
	}
	return barriers_stuck(&s->barriers, s->warp, grid_cta_warps(s->cta.grid), a->fault) ? -1
											    : 0;
}

bool sm_takes(const struct component *c)
{
	return CONTAINER_OF(c, const struct sm, base)->cta_left;
}

void sm_take(struct component *c, struct sm_advance *a, uint64_t cta)
{
	struct sm *sm = CONTAINER_OF(c, struct sm, base);
	unsigned slot = low_bit(sm->cta_left);

	sm->cta_left &= sm->cta_left - 1;
	a->ended--;
	a->counts->ctas++;
	cta_replace(sm, slot, cta, a->cycle);
}

/* The access passes the tags. */
static void touch(struct sm *sm, unsigned w, const struct sm_advance *a, const struct instr *in,
	const struct access *access)
{
	if (!a->warmth || (access->space != SPACE_GLOBAL && access->space != SPACE_LOCAL &&
				  in->unit != UNIT_TEXTURE))
		return;
	a->warmth->warp = (uint8_t)w;
	a->warmth->texels = in->unit == UNIT_TEXTURE ? a->memory->texels : NULL;
	a->warmth->local_base = 0;
	a->warmth->missed = false;
	sm_warm(&sm->base, a->warmth, in, access);
	sm->mark[w].missed += a->warmth->missed;
}

static void count(struct untimed_counts *n, const struct instr *in, uint64_t threads)
{
	n->warp_instructions++;
	n->thread_instructions += threads;
	n->by_class[in->op_class]++;
}

/* One instruction of the warp. 0, or -1 and a fault. */
static int step(struct sm *sm, unsigned w, struct sm_advance *a, const struct exec_context *context)
{
	struct slot *slot = &sm->slot[w];
	struct warp *warp = &slot->warp;
	const struct instr *in = exec_peek(warp);
	uint32_t mask = in->action == ACT_BARRIER ? exec_mask(warp, in) : 0;
	uint64_t threads = warp->thread_instructions;
	struct access access;
	enum exec_result result =
		exec_issue(warp, sm->c.lanes, context, a->memory, &access, a->fault);

	BUG_ON(result == EXEC_AGAIN);
	if (result == EXEC_FAULT)
		return -1;
	if (!access.more) {
		count(a->counts, in, warp->thread_instructions - threads);
		sm->mark[w].credit--;
		sm->pace.behind--;
	}
	touch(sm, w, a, in, &access);
	if (in->action == ACT_BARRIER && arrive(sm, slot, in, mask, a->fault))
		return -1;
	return warp->depth ? 0 : leave(sm, slot, a);
}

/* A texture unit, or memory beyond the SM, replies late. */
static bool asks_memory(const struct instr *in)
{
	bool far =
		in->space != SPACE_SHARED && in->space != SPACE_PARAM && in->space != SPACE_CONST;

	if (in->action == ACT_LOAD || in->action == ACT_ATOM)
		return far;
	return (in->action == ACT_TEXTURE || in->action == ACT_SURFACE) && in->ndst > 0;
}

/* Register accesses without time are not the SM's. */
static void turn(struct sm *sm, unsigned w, struct sm_advance *a, uint32_t most)
{
	struct exec_context context = {.cycle = a->cycle,
		.period_ps = sm->base.period_ps,
		.smid = sm->c.index,
		.nsmid = sm->c.sms,
		.warpid = w,
		.nwarpid = (uint32_t)sm->p.warps};

	sm->slot[w].warp.traffic = &a->counts->registers;
	for (uint32_t n = 0; !a->bad && n < most && can_step(sm, w); n++) {
		bool asks = a->idle && asks_memory(exec_peek(&sm->slot[w].warp));

		a->bad = step(sm, w, a, &context);
		if (asks)
			break;
	}
	sm->slot[w].warp.traffic = &sm->rf.traffic;
}

/* Executed in time since the last stretch. */
static uint64_t executed(const struct sm *sm, unsigned w)
{
	return sm->slot[w].warp.depth ? sm->slot[w].warp.instructions - sm->mark[w].seen : 0;
}

/* The mean of those that have. */
static double mean_executed(const struct sm *sm)
{
	double sum = 0;
	unsigned n = 0;

	for (uint64_t set = sm->resident; set; set &= set - 1) {
		uint64_t x = executed(sm, low_bit(set));

		sum += (double)x;
		n += x > 0;
	}
	return n ? sum / n : 1;
}

/* Of a warp's deviation from the mean, what it keeps from one window to the next: a regression over
 * all of them so far. */
static double kept(const struct sm *sm)
{
	return sm->pace.together > 0 && sm->pace.alone > 0
		       ? fmin(sm->pace.together / sm->pace.alone, 1)
		       : 0;
}

/* From what they have executed in time. */
static void set_parts(struct sm *sm, const struct sm_advance *a)
{
	double mean = mean_executed(sm);

	for (uint64_t set = sm->resident; set; set &= set - 1) {
		struct sm_mark *m = &sm->mark[low_bit(set)];
		double now = (double)executed(sm, low_bit(set)) / mean;

		if (m->progress > 0 && now > 0) {
			sm->pace.together += (m->progress - 1) * (now - 1);
			sm->pace.alone += (m->progress - 1) * (m->progress - 1);
		}
		m->progress = now;
	}
	sm->pace.late = (int64_t)(a->late * mean);
	for (uint64_t set = sm->resident; set; set &= set - 1) {
		struct sm_mark *m = &sm->mark[low_bit(set)];
		double part = 1 + kept(sm) * (m->progress - 1);

		m->part = m->progress > 0 ? (uint64_t)(PART * part) + 1 : 0;
		m->missed = 0;
	}
}

void sm_mark(struct component *c, const struct sm_advance *a)
{
	struct sm *sm = CONTAINER_OF(c, struct sm, base);

	sm->cta_left = 0;
	set_parts(sm, a);
	for (uint64_t set = sm->resident; set; set &= set - 1) {
		const struct warp *w = &sm->slot[low_bit(set)].warp;
		struct sm_mark *m = &sm->mark[low_bit(set)];

		m->pc = w->depth ? w->stack[w->depth - 1].pc : 0;
		m->depth = w->depth;
	}
}

/* Warps of the grid that can step. */
static uint64_t movers(const struct sm *sm, const struct sm_advance *a)
{
	uint64_t found = 0;

	for (uint64_t set = sm->resident; set; set &= set - 1) {
		unsigned w = low_bit(set);

		if (sm->slot[w].warp.cta->grid == a->grid && can_step(sm, w))
			found |= UINT64_C(1) << w;
	}
	return found;
}

/* The next warp without a part gets that of this one. */
static void pass_on(struct sm *sm, unsigned w, struct sm_advance *a)
{
	unsigned to = sched_next(a->idle, w);

	sm->mark[to].part = sm->mark[w].part;
	sm->mark[w].part = 0;
	a->idle &= ~(UINT64_C(1) << to);
}

/* Warps that cannot step keep no part that others could have. Returns the parts of the set; where
 * it has none, all get the same. */
static uint64_t share_out(struct sm *sm, uint64_t set, struct sm_advance *a)
{
	uint64_t all = 0;

	a->idle = 0;
	for (uint64_t left = set; left; left &= left - 1)
		if (!sm->mark[low_bit(left)].part)
			a->idle |= left & -left;
	for (uint64_t left = sm->resident & ~set; left && a->idle; left &= left - 1)
		if (sm->mark[low_bit(left)].part)
			pass_on(sm, low_bit(left), a);
	for (uint64_t left = set; left; left &= left - 1)
		all += sm->mark[low_bit(left)].part;
	for (uint64_t left = all ? 0 : set; left; left &= left - 1)
		all += sm->mark[low_bit(left)].part = 1;
	return all;
}

/* A turn of the warp. Its misses put it behind, so that warps of all SMs that share its lines, and
 * hit, come nearer, as they do in time. */
static void progress(struct sm *sm, unsigned w, struct sm_advance *a)
{
	struct sm_mark *m = &sm->mark[w];

	if (m->credit > 0)
		turn(sm, w, a, (uint32_t)m->credit);
	if (m->credit > 0 && a->idle)
		pass_on(sm, w, a);
	if (m->credit > 0)
		m->credit = 0; /* it waits */
	m->credit -= m->missed * sm->pace.late;
	m->missed = 0;
}

/* Each of these warps executes its part of `instructions`. */
static void pass(struct sm *sm, uint64_t set, struct sm_advance *a, uint64_t instructions)
{
	uint64_t all = share_out(sm, set, a);
	uint64_t active = set & ~a->idle;

	instructions = min_u64(instructions, (uint64_t)count_bits(active) * a->warp_turn);
	for (; active && !a->bad; active &= active - 1) {
		unsigned w = low_bit(active);
		struct sm_mark *m = &sm->mark[w];

		m->credit += (int64_t)(instructions * m->part / all + 1);
		progress(sm, w, a);
	}
	a->idle = 0;
}

int sm_advance(struct component *c, struct sm_advance *a, uint64_t instructions)
{
	struct sm *sm = CONTAINER_OF(c, struct sm, base);
	uint64_t set;

	sm->pace.behind += (int64_t)instructions;
	while (sm->pace.behind > 0 && !a->bad && (set = movers(sm, a)))
		pass(sm, set, a, (uint64_t)sm->pace.behind);
	if (sm->pace.behind > 0)
		sm->pace.behind = 0; /* all wait for what only time brings */
	return a->bad;
}

/* ---- back to where time is */
#define LAPS 4

/* At the same instruction as when the stretch began, so that what is in flight is what it would be
 * there. */
static bool is_home(const struct sm *sm, unsigned w)
{
	const struct warp *warp = &sm->slot[w].warp;
	const struct sm_mark *m = &sm->mark[w];

	return warp->depth && warp->depth == m->depth && warp->stack[warp->depth - 1].pc == m->pc;
}

/* The same, or it has no such instruction: its threads had exited then, or have now. */
static bool is_back(const struct sm *sm, unsigned w)
{
	return !sm->slot[w].warp.depth || !sm->mark[w].depth || is_home(sm, w);
}

/* Its slot of warps, if it still holds it; SM_WARPS: the warp has left. */
static unsigned held_slot(const struct cta_slot *s, unsigned i)
{
	return s->warps >> s->warp_slot[i] & 1 ? s->warp_slot[i] : SM_WARPS;
}

/* It has not gone much further than its share. */
static bool may_seek(const struct sm *sm, unsigned w, const struct sm_advance *a)
{
	return !a->bad && can_step(sm, w) && sm->mark[w].credit > -(int64_t)a->seek;
}

/* Each warp of the CTA goes on until it is back or waits for others. True: all are back. */
static bool run_back(struct sm *sm, const struct cta_slot *s, struct sm_advance *a)
{
	unsigned n = grid_cta_warps(s->cta.grid);
	bool moved = true, all = false;

	while (moved && !a->bad) {
		moved = false;
		all = true;
		for (unsigned i = 0; i < n; i++) {
			unsigned w = held_slot(s, i);

			while (w < SM_WARPS && may_seek(sm, w, a) && !is_back(sm, w)) {
				turn(sm, w, a, 1);
				moved = true;
			}
			all &= w == SM_WARPS || is_back(sm, w);
		}
	}
	return all;
}

/* Where warps that are back keep others from it at a barrier, all take another lap. */
static void go_back(struct sm *sm, struct cta_slot *s, struct sm_advance *a)
{
	bool any = true;

	for (unsigned lap = 0; lap < LAPS && any && !run_back(sm, s, a) && !a->bad; lap++) {
		any = false;
		for (unsigned i = 0; i < grid_cta_warps(s->cta.grid); i++) {
			unsigned w = held_slot(s, i);

			if (w == SM_WARPS || !may_seek(sm, w, a) || !is_home(sm, w))
				continue;
			any = true;
			turn(sm, w, a, 1);
		}
	}
}

/* A warp that is back waits for what it has waited for; others, for nothing that is in flight. */
static void settle(struct sm *sm, unsigned w, bool waited, uint64_t cycle)
{
	if (is_home(sm, w) && waited == sm->slot[w].waiting_barrier)
		warp_moved(sm, w);
	else
		warp_refresh(sm, w, cycle);
}

int sm_go_back(struct component *c, struct sm_advance *a)
{
	struct sm *sm = CONTAINER_OF(c, struct sm, base);

	for (uint64_t set = sm->cta_used; set; set &= set - 1) {
		struct cta_slot *s = &sm->cta[low_bit(set)];

		if (s->cta.grid == a->grid && s->barriers.running)
			go_back(sm, s, a);
	}
	return a->bad;
}

void sm_settle(struct component *c, struct sm_advance *a)
{
	struct sm *sm = CONTAINER_OF(c, struct sm, base);
	uint64_t waited = 0, ctas = 0;

	for (uint64_t set = sm->resident; set; set &= set - 1) {
		struct slot *slot = &sm->slot[low_bit(set)];

		waited |= (uint64_t)slot->waiting_barrier << low_bit(set);
		ctas |= (uint64_t)slot->waiting_barrier << slot->cta;
		slot->waiting_barrier = slot->warp.depth && waits_at_barrier(sm, slot);
	}
	for (uint64_t set = sm->cta_used; set; set &= set - 1)
		cta_tell_barriers(sm, low_bit(set), ctas >> low_bit(set) & 1);
	for (uint64_t set = sm->resident; set; set &= set - 1) {
		unsigned w = low_bit(set);

		if (sm->slot[w].warp.cta->grid == a->grid)
			settle(sm, w, waited >> w & 1, a->cycle);
		sm->mark[w].seen = sm->slot[w].warp.instructions;
	}
	wake_at(&sm->base, a->cycle);
}
