/* Links: sending, refusing, popping, and the exchange at window edges. Neither side touches the
 * other's fields of a far link; the barrier between windows orders the exchange. */
#include "core/kernel.h"

/* Wakes the sender at its first future edge that is not before `at`. */
static void wake_sender(struct link *l, tick_t at)
{
	const struct component *c = l->from;
	struct clock *k = c->part->clocks[c->clock];
	tick_t now = *l->now_from;

	if (k->tick == now && at <= now + k->period_ps)
		clock_wake(k, c->slot, k->next);
	else
		clock_wake(k, c->slot, clock_edge(k, at));
}

/* The receiver's edge that follows `delay` ps after now. During an edge of that clock no 64-bit
 * division is needed. */
static uint64_t receiver_cycle(const struct clock *k, tick_t now, tick_t delay)
{
	if (k->tick != now)
		return clock_edge(k, now + delay);
	if (delay <= k->period_ps)
		return k->next;
	return k->next - 1 + ((uint32_t)delay + k->period_ps - 1) / k->period_ps;
}

static void wake_receiver(struct link *l, uint64_t cycle)
{
	struct clock *k = l->to_clock;

	if (cycle - k->next >= RING_CYCLES) {
		clock_catch_up(k);
		if (cycle - k->next >= RING_CYCLES) {
			event_notify(l->late, cycle * k->period_ps - *l->now_to);
			return;
		}
	}
	clock_wake(k, l->to_slot, cycle);
}

static inline void touch(struct partition *p, uint32_t end)
{
	p->touched[end / 64] |= UINT64_C(1) << end % 64;
}

bool link_refused(struct link *l)
{
	tick_t now = *l->now_from;

	if (!l->far) {
		l->credit_head = l->pop_tick < now ? l->head : l->head_before;
		if (l->tail - l->credit_head < l->depth && l->port_free <= now)
			return false;
	}
	l->from->blocked = true;
	if (l->tail - l->credit_head < l->depth)
		wake_sender(l, l->port_free);
	else if (!l->far && l->tail - l->head < l->depth)
		wake_sender(l, now + 1);
	else
		l->starved = true;
	return true;
}

void link_announce(struct link *l, tick_t visible)
{
	tick_t now = *l->now_from;
	struct clock *k = l->to_clock;

	if (l->far) {
		struct partition *part = l->from->part;

		touch(part, l->from_end);
		part->soon = min_u64(part->soon, visible);
		return;
	}
	wake_receiver(l, k->tick == now ? k->next - 1 + l->to_cycles : clock_edge(k, visible));
}

void link_give_back(struct link *l)
{
	if (l->far) {
		struct partition *part = l->to->part;

		touch(part, l->to_end);
		part->soon = min_u64(part->soon, part->end);
	} else {
		l->starved = false;
		wake_sender(l, *l->now_to + 1);
	}
}

void link_wait(struct link *l, tick_t visible)
{
	tick_t now = *l->now_to;

	wake_receiver(l, receiver_cycle(l->to_clock, now, visible - now));
}

void link_take_messages(struct link *l, unsigned parity)
{
	bool empty = l->head == l->seen_tail;

	if (l->seen_tail == l->pub_tail[parity])
		return;
	l->seen_tail = l->pub_tail[parity];
	if (empty)
		wake_receiver(l, clock_edge(l->to_clock, *link_visible(l, l->head)));
}

void link_take_credits(struct link *l, unsigned parity)
{
	if (l->credit_head == l->pub_head[parity])
		return;
	l->credit_head = l->pub_head[parity];
	if (!l->starved)
		return;
	l->starved = false;
	wake_sender(l, *l->now_from);
}
