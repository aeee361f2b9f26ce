/* Windows: partitions run alone, tell each other how far they came, and agree on the next window.
 *
 * What a round tells is kept twice, by the round's parity: a reader of round r and the writer of
 * round r + 1 do not meet, and whoever writes round r + 2 has passed the barrier behind all readers
 * of r. So one barrier per round is enough. */
#include "core/kernel.h"

/* What all threads know alike. */
struct agreed {
	tick_t next;
	unsigned flags;
};

static void open_window(struct partition *p, tick_t start, unsigned parity)
{
	p->head.now = start;
	p->end = start + p->sim->window_ps;
	p->soon = TICK_NEVER;
	for (uint32_t i = 0; i < p->nfar_in; i++)
		link_take_messages(p->far_in[i], parity);
	for (uint32_t i = 0; i < p->nfar_out; i++)
		link_take_credits(p->far_out[i], parity);
	if (p->sim->config.early_wakes)
		partition_disturb(p, start, p->end);
}

static void close_window(struct partition *p, struct told *told, unsigned parity)
{
	for (uint32_t i = 0; i < p->nfar_out; i++)
		link_tell_tail(p->far_out[i], parity);
	for (uint32_t i = 0; i < p->nfar_in; i++)
		link_tell_head(p->far_in[i], parity);
	told->next = min_u64(told->next, min_u64(p->soon, partition_next(p)));
	told->flags |= p->flags;
	p->flags = 0;
}

static void run_window(struct sim *sim, struct lane *lane, tick_t start, unsigned parity)
{
	struct told told = {.next = TICK_NEVER};

	for (uint32_t i = 0; i < lane->nparts; i++) {
		struct partition *p = lane->parts[i];

		open_window(p, start, !parity);
		partition_run(p, p->end);
		close_window(p, &told, parity);
	}
	if (atomic_load_explicit(&sim->stop, memory_order_relaxed))
		told.flags |= FLAG_STOP;
	lane->told[parity] = told;
}

static struct agreed agree(const struct sim *sim, unsigned flags, unsigned parity)
{
	struct agreed a = {TICK_NEVER, flags & ~(unsigned)FLAG_EDGE};

	for (unsigned i = 0; i < sim->config.threads; i++) {
		a.next = min_u64(a.next, sim->lanes[i].told[parity].next);
		a.flags |= sim->lanes[i].told[parity].flags;
	}
	return a;
}

/* By one thread, while the others wait: the callbacks may wake anybody. */
static void call_edges(struct sim *sim, struct agreed *a, tick_t end)
{
	for (uint32_t i = 0; i < sim->nparts; i++)
		sim->parts[i]->head.now = end;
	for (struct edge_hook *e = sim->edges; e; e = e->next)
		e->fn(e->ctx, end);
	for (uint32_t i = 0; i < sim->nparts; i++) {
		struct partition *p = sim->parts[i];

		a->next = min_u64(a->next, partition_next(p));
		a->flags |= p->flags & FLAG_FINISH;
	}
	sim->next = a->next;
	sim->flags = a->flags;
}

/* RUN_QUANTUM while nothing speaks against another window. */
static enum run verdict(const struct sim *sim, const struct agreed *a)
{
	tick_t start = a->next - a->next % sim->window_ps;

	if (a->flags & FLAG_STOP)
		return RUN_STOPPED;
	if (a->flags & FLAG_FINISH)
		return RUN_DONE;
	if (a->next == TICK_NEVER)
		return RUN_STARVED;
	return start / CORE_PERIOD_PS >= sim->max_cycles ? RUN_LIMIT : RUN_QUANTUM;
}

void window_loop(void *arg, unsigned index)
{
	struct sim *sim = arg;
	struct agreed a = {sim->next, sim->flags};
	uint64_t round = sim->rounds, left = sim->budget;
	tick_t time = sim->time;
	enum run answer = verdict(sim, &a);

	for (; answer == RUN_QUANTUM && left; left--, round++) {
		tick_t start = a.next - a.next % sim->window_ps;
		unsigned parity = round % 2;

		time = start + sim->window_ps;
		run_window(sim, &sim->lanes[index], start, parity);
		crew_meet(sim->crew);
		a = agree(sim, a.flags, parity);
		if (a.flags & FLAG_EDGE) {
			if (index == 0)
				call_edges(sim, &a, time);
			crew_meet(sim->crew);
			a = (struct agreed){sim->next, sim->flags};
		}
		answer = verdict(sim, &a);
	}
	crew_meet(sim->crew);
	if (index)
		return;
	sim->next = a.next;
	sim->flags = a.flags;
	sim->time = time;
	sim->rounds = round;
	sim->answer = answer;
}
