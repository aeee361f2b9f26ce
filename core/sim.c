/* A simulation's life cycle: creation, run, queries, destruction. */
#include "core/sim.h"

#include "core/kernel.h"

struct sim *sim_new(const struct sim_config *config, struct arena *arena)
{
	struct sim *sim = arena_alloc(arena, 1, sizeof(*sim));

	sim->config = *config;
	sim->arena = arena;
	sim->cycle_ps = config->cycle_ps ? config->cycle_ps : CORE_PERIOD_PS;
	sim->window_ps = config->window_cycles * sim->cycle_ps;
	sim->last_edge = &sim->edges;
	sim->edge_at = TICK_NEVER;
	atomic_init(&sim->stop, false);
	atomic_init(&sim->bell, NULL);
	if (!config->window_cycles || config->window_cycles > UINT32_MAX)
		err_add(&sim->faults, ERR_INPUT,
			"window = %llu: must be 1 .. %u cycles of the core clock",
			(unsigned long long)config->window_cycles, UINT32_MAX);
	return sim;
}

void sim_free(struct sim *sim)
{
	if (!sim)
		return;
	crew_free(sim->crew);
	sim->crew = NULL;
	pin_free(sim->pin);
	sim->pin = NULL;
	err_clear(&sim->faults);
}

void sim_on_edge(struct sim *sim, edge_fn *fn, void *ctx)
{
	struct edge_hook *hook = arena_alloc(sim->arena, 1, sizeof(*hook));

	*hook = (struct edge_hook){.fn = fn, .ctx = ctx};
	*sim->last_edge = hook;
	sim->last_edge = &hook->next;
}

void edge_request(struct component *c)
{
	c->part->flags |= FLAG_EDGE;
}

void sim_edge_at(struct sim *sim, tick_t at)
{
	sim->edge_at = at;
}

void sim_finish(struct component *c)
{
	c->part->flags |= FLAG_FINISH;
}

void sim_pause(struct component *c)
{
	c->part->flags |= FLAG_PAUSE;
}

void sim_stop(struct sim *sim)
{
	struct sim_bell *bell;

	atomic_store_explicit(&sim->stop, true, memory_order_relaxed);
	bell = atomic_load_explicit(&sim->bell, memory_order_acquire);
	if (bell)
		bell->ring(bell->ctx);
}

void sim_on_stop(struct sim *sim, struct sim_bell *bell)
{
	atomic_store_explicit(&sim->bell, bell, memory_order_release);
}

static bool any_busy(const struct sim *sim)
{
	for (uint32_t i = 0; i < sim->nnodes; i++) {
		const struct component *c = sim->nodes[i]->component;

		if (c->ops->busy(c))
			return true;
	}
	return false;
}

enum run sim_run(struct sim *sim, uint64_t windows, uint64_t max_cycles)
{
	BUG_ON(!sim->elaborated);
	sim->flags &= ~(unsigned)FLAG_PAUSE;
	if (atomic_load_explicit(&sim->stop, memory_order_relaxed))
		sim->flags |= FLAG_STOP;
	for (uint32_t i = 0; i < sim->nparts; i++) { /* woken between runs */
		struct partition *p = sim->parts[i];

		if (p->woken)
			p->next = partition_next(p);
		p->woken = false;
		sim->next = min_u64(sim->next, p->next);
	}
	deal_again(sim);
	sim->budget = windows;
	sim->max_cycles = max_cycles;
	do {
		sim->workers = company_workers(sim);
		crew_run(sim->crew, sim->workers == 1);
	} while (sim->result == RUN_QUANTUM && sim->budget);
	if (sim->result == RUN_STARVED && any_busy(sim))
		sim->result = RUN_DEADLOCK;
	if (sim->result == RUN_LIMIT)
		sim->time = max_u64(
			sim->time, div_up(max_cycles, sim->config.window_cycles) * sim->window_ps);
	return sim->result;
}

tick_t sim_time(const struct sim *sim)
{
	return sim->time;
}

unsigned sim_cycle_ps(const struct sim *sim)
{
	return sim->cycle_ps;
}

uint64_t sim_window_cycles(const struct sim *sim)
{
	return sim->config.window_cycles;
}

struct sim_counts sim_counts(const struct sim *sim)
{
	struct sim_counts sum = {.windows = sim->rounds};

	for (uint32_t i = 0; i < sim->nparts; i++) {
		sum.steps += sim->parts[i]->steps;
		sum.events += sim->parts[i]->events;
	}
	return sum;
}
