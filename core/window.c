/* Windows: partitions run alone, publish their progress, and agree on the next window.
 *
 * What a round publishes is kept twice, by the parity of the round: a reader of round r and the
 * writer of round r + 1 do not conflict, and the writer of round r + 2 has passed the barrier after
 * all readers of r. So one barrier per round is enough. */
#include "core/kernel.h"

/* What all workers know in common. */
struct agreed {
	tick_t next, edge;
	unsigned flags;
};

/* True when the partition has nothing to do before `end` and received nothing in the last round.
 * Most partitions, in most windows: it must be a few instructions. */
static inline bool sleeps(const struct partition *p, tick_t end, unsigned parity)
{
	return p->next >= end && !p->flags &&
	       !atomic_load_explicit(&p->news[parity][p->end_words], memory_order_relaxed);
}

/* Takes what the other sides of these ends published in the last round: messages first. */
static void receive(struct partition *p, uint64_t ends, uint32_t first, unsigned parity)
{
	for (; ends; ends &= ends - 1) {
		uint32_t end = first + low_bit(ends);

		if (end < p->nfar_in)
			link_take_messages(p->far_in[end], parity);
		else
			link_take_credits(p->far_out[end - p->nfar_in], parity);
	}
}

/* Takes everything that was published for the partition in the last round. */
static void receive_news(struct partition *p, unsigned parity)
{
	_Atomic uint64_t *any = &p->news[parity][p->end_words];

	if (!atomic_load_explicit(any, memory_order_relaxed))
		return;
	atomic_store_explicit(any, 0, memory_order_relaxed);
	for (uint32_t w = 0; w < p->end_words; w++) {
		_Atomic uint64_t *news = &p->news[parity][w];
		uint64_t ends = atomic_load_explicit(news, memory_order_relaxed);

		if (!ends)
			continue;
		atomic_store_explicit(news, 0, memory_order_relaxed);
		receive(p, ends, w * 64, parity);
	}
}

static void open_window(struct partition *p, tick_t start, unsigned parity)
{
	p->head.now = start;
	p->end = start + p->sim->window_ps;
	p->soon = TICK_NEVER;
	receive_news(p, parity);
	if (p->sim->config.early_wakes)
		partition_disturb(p, start, p->end);
}

/* Only these masks have several writers; the barrier orders everything that they announce. */
static void notify(struct partition *other, uint32_t end, unsigned parity)
{
	_Atomic uint64_t *any = &other->news[parity][other->end_words];

	atomic_fetch_or_explicit(
		&other->news[parity][end / 64], UINT64_C(1) << end % 64, memory_order_relaxed);
	if (atomic_load_explicit(any, memory_order_relaxed))
		return;
	atomic_store_explicit(any, 1, memory_order_relaxed);
	atomic_fetch_or_explicit(&other->share->called[parity][other->index / 64],
		UINT64_C(1) << other->index % 64, memory_order_relaxed);
}

static void publish_end(const struct partition *p, uint32_t end, unsigned parity)
{
	struct link *l;

	if (end < p->nfar_in) {
		l = p->far_in[end];
		link_publish_head(l, parity);
		notify(l->from->part, l->from_end, parity);
	} else {
		l = p->far_out[end - p->nfar_in];
		link_publish_tail(l, parity);
		notify(l->to->part, l->to_end, parity);
	}
}

static void close_window(struct partition *p, struct agreed *own, unsigned parity)
{
	for (uint32_t w = 0; w < p->end_words; w++) {
		for (uint64_t ends = p->touched[w]; ends; ends &= ends - 1)
			publish_end(p, w * 64 + low_bit(ends), parity);
		p->touched[w] = 0;
	}
	own->next = min_u64(own->next, min_u64(p->soon, p->next));
	own->flags |= p->flags;
	p->flags = 0;
}

static inline void warm(const struct partition *p, bool early)
{
	for (uint32_t i = 0; i < p->nwarmed; i++)
		p->warmed[i]->ops->warm(p->warmed[i], early);
}

/* While one partition runs, the host prefetches the first data of the next ones, which are `left`.
 */
static inline void warm_next(struct partition *const *parts, uint64_t left, tick_t end)
{
	const struct partition *p;

	if (!left)
		return;
	p = parts[low_bit(left)];
	if (p->next < end)
		warm(p, false);
	left &= left - 1;
	if (!left)
		return;
	p = parts[low_bit(left)];
	if (p->next < end)
		warm(p, true);
	left &= left - 1;
	if (left)
		fetch_256(parts[low_bit(left)]);
}

/* The next window asks all. */
static void wake_share(struct share *share)
{
	share->due = 0;
}

static inline void run_partition(
	struct partition *p, tick_t start, struct agreed *own, unsigned parity)
{
	open_window(p, start, !parity);
	p->next = partition_run(p, p->end);
	p->woken = false;
	close_window(p, own, parity);
}

/* The earliest step or event of those that are not awake. */
static __attribute__((noinline)) tick_t first_due(const struct share *share)
{
	tick_t least = TICK_NEVER;

	for (uint32_t i = 0; i < share->nparts; i++)
		if (!(share->awake[i / 64] >> i % 64 & 1))
			least = min_u64(least, share->parts[i]->next);
	return least;
}

/* Those of partitions 64 * w .. 64 * w + 63 of the share that have something to do. True when the
 * sleeper that was due first has been called. */
static bool run_word(struct share *share, uint32_t w, bool all, tick_t start, struct agreed *own,
	unsigned parity)
{
	struct partition *const *parts = share->parts + w * 64;
	tick_t end = start + parts[0]->sim->window_ps;
	uint64_t called = atomic_load_explicit(&share->called[!parity][w], memory_order_relaxed);
	uint64_t slept = all ? 0 : ~share->awake[w], left = share->awake[w] | called, awake = 0;
	bool moved = false;

	if (called)
		atomic_store_explicit(&share->called[!parity][w], 0, memory_order_relaxed);
	if (all)
		left = UINT64_MAX >> (64 - min_u64(share->nparts - w * 64, 64));
	for (; left; left &= left - 1) {
		struct partition *p = parts[low_bit(left)];
		uint64_t bit = left & -left;

		if (sleeps(p, end, !parity) && !p->sim->config.early_wakes) {
			share->due = min_u64(share->due, p->next);
			continue;
		}
		moved |= slept & bit && p->next == share->due && p->next != TICK_NEVER;
		awake |= bit;
		warm_next(parts, left & (left - 1), end);
		run_partition(p, start, own, parity);
	}
	share->awake[w] = awake;
	return moved;
}

static void run_window(struct sim *sim, struct share *share, tick_t start, unsigned parity)
{
	struct agreed own = {.next = TICK_NEVER};
	bool all = share->due < start + sim->window_ps || sim->config.early_wakes, moved = false;

	if (all)
		share->due = TICK_NEVER;
	for (uint32_t w = 0; w < div_up(share->nparts, 64); w++)
		moved |= run_word(share, w, all, start, &own, parity);
	if (moved)
		share->due = first_due(share);
	own.next = min_u64(own.next, share->due);
	if (atomic_load_explicit(&sim->stop, memory_order_relaxed))
		own.flags |= FLAG_STOP;
	share->published[parity].next = own.next;
	share->published[parity].flags = own.flags;
}

/* All shares of one worker. */
static void run_shares(struct sim *sim, unsigned worker, tick_t start, unsigned parity)
{
	for (unsigned i = worker; i < sim->config.threads; i += sim->workers)
		run_window(sim, &sim->shares[i], start, parity);
	if (!worker && company_lags(sim))
		sim->shares[0].published[parity].flags |= FLAG_ALONE;
}

static struct agreed agree(const struct sim *sim, struct agreed a, unsigned parity)
{
	a.next = TICK_NEVER;
	a.flags &= ~(unsigned)FLAG_EDGE;
	for (unsigned i = 0; i < sim->config.threads; i++) {
		a.next = min_u64(a.next, sim->shares[i].published[parity].next);
		a.flags |= sim->shares[i].published[parity].flags;
	}
	return a;
}

/* Partitions that slept advance to the common time. */
static void wake_clocks(struct sim *sim, tick_t now)
{
	for (uint32_t i = 0; i < sim->nparts; i++)
		sim->parts[i]->head.now = max_u64(sim->parts[i]->head.now, now);
}

/* By one worker, while the others wait: the callbacks may wake any component. */
static void call_edges(struct sim *sim, struct agreed *a, tick_t end)
{
	wake_clocks(sim, end);
	sim->next = a->next;
	sim->flags = a->flags;
	if (end >= sim->edge_at)
		sim->edge_at = TICK_NEVER;
	for (struct edge_hook *e = sim->edges; e; e = e->next)
		e->fn(e->ctx, end);
	for (uint32_t i = 0; i < sim->nparts; i++) {
		struct partition *p = sim->parts[i];

		if (p->woken)
			p->next = partition_next(p);
		p->woken = false;
		a->next = min_u64(a->next, p->next);
		a->flags |= p->flags & (FLAG_FINISH | FLAG_PAUSE);
		p->flags &= ~(unsigned)FLAG_PAUSE;
	}
	for (unsigned i = 0; i < sim->config.threads; i++)
		wake_share(&sim->shares[i]);
	sim->next = a->next;
	sim->flags = a->flags;
}

/* The start of the window that contains `next`; `time` is the end of an earlier one. */
static tick_t window_start(const struct sim *sim, tick_t next, tick_t time)
{
	return next - time < sim->window_ps ? time : next - next % sim->window_ps;
}

/* RUN_QUANTUM if another window, which begins at `start`, may run. */
static enum run verdict(const struct sim *sim, const struct agreed *a, tick_t start)
{
	if (a->flags & FLAG_STOP)
		return RUN_STOPPED;
	if (a->flags & FLAG_FINISH)
		return RUN_DONE;
	if (a->flags & FLAG_PAUSE)
		return RUN_PAUSED;
	if (a->next == TICK_NEVER)
		return RUN_STARVED;
	return start / sim->cycle_ps >= sim->max_cycles ? RUN_LIMIT : RUN_QUANTUM;
}

void window_loop(void *arg, unsigned index)
{
	struct sim *sim = arg;
	struct agreed a = {sim->next, sim->edge_at, sim->flags};
	uint64_t round = sim->rounds, left = sim->budget;
	tick_t time = sim->time, start = window_start(sim, a.next, time);
	enum run result = verdict(sim, &a, start);

	for (unsigned i = index; i < sim->config.threads; i += sim->workers)
		wake_share(&sim->shares[i]);
	for (; result == RUN_QUANTUM && left && !(a.flags & FLAG_ALONE); left--, round++) {
		unsigned parity = round % 2;

		time = start + sim->window_ps;
		run_shares(sim, index, start, parity);
		crew_meet(sim->crew, index);
		a = agree(sim, a, parity);
		if (a.flags & FLAG_EDGE || time >= a.edge) {
			if (index == 0)
				call_edges(sim, &a, time);
			crew_meet(sim->crew, index);
			a = (struct agreed){sim->next, sim->edge_at, sim->flags};
		}
		start = window_start(sim, a.next, time);
		result = verdict(sim, &a, start);
	}
	crew_meet(sim->crew, index);
	if (index)
		return;
	if (round != sim->rounds)
		wake_clocks(sim, time - sim->window_ps);
	sim->next = a.next;
	sim->flags = a.flags & ~(unsigned)FLAG_ALONE;
	sim->budget = left;
	sim->time = time;
	sim->rounds = round;
	sim->result = result;
}
