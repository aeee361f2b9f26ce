/* Load balancing: which worker runs which partitions, assigned by estimated cost first, then by
 * measured cost. Results do not depend on it. */
#include <string.h>

#include "core/kernel.h"

#define LEAST_STEPS 4096u /* between two assignments: fewer are too few to measure */

/* The partition with the highest cost that is not assigned yet, the first of equals. */
static uint32_t heaviest(const struct sim *sim, const struct deal *d)
{
	uint32_t best = UINT32_MAX;

	for (uint32_t i = 0; i < sim->nparts; i++) {
		if (d->worker[i] != UINT32_MAX)
			continue;
		if (best == UINT32_MAX || sim->parts[i]->cost > sim->parts[best]->cost)
			best = i;
	}
	return best;
}

static uint64_t most(const uint64_t *load, unsigned n)
{
	uint64_t high = 0;

	for (unsigned i = 0; i < n; i++)
		high = max_u64(high, load[i]);
	return high;
}

/* Longest processing time first: each partition to the worker with the least load so far. Returns
 * the highest load. */
static uint64_t plan(const struct sim *sim, struct deal *d)
{
	unsigned threads = sim->config.threads;

	memset(d->load, 0, threads * sizeof(*d->load));
	for (uint32_t i = 0; i < sim->nparts; i++)
		d->worker[i] = UINT32_MAX;
	for (uint32_t n = 0; n < sim->nparts; n++) {
		uint32_t part = heaviest(sim, d), worker = 0;

		for (unsigned i = 1; i < threads; i++) {
			if (d->load[i] < d->load[worker])
				worker = i;
		}
		d->worker[part] = worker;
		d->load[worker] += max_u64(sim->parts[part]->cost, 1);
	}
	return most(d->load, threads);
}

/* The highest load with the current assignment. */
static uint64_t load_now(const struct sim *sim, struct deal *d)
{
	for (unsigned i = 0; i < sim->config.threads; i++) {
		const struct share *share = &sim->shares[i];

		d->load[i] = 0;
		for (uint32_t k = 0; k < share->nparts; k++)
			d->load[i] += max_u64(share->parts[k]->cost, 1);
	}
	return most(d->load, sim->config.threads);
}

static void adopt(struct sim *sim)
{
	for (unsigned i = 0; i < sim->config.threads; i++)
		sim->shares[i].nparts = 0;
	for (uint32_t i = 0; i < sim->nparts; i++) {
		struct share *share = &sim->shares[sim->deal.worker[i]];
		struct partition *p = sim->parts[i];

		p->share = share;
		p->index = share->nparts;
		share->parts[share->nparts++] = p;
	}
}

static void make_share(const struct sim *sim, struct share *share)
{
	uint64_t words = div_up(sim->nparts, 64);

	share->parts = arena_alloc(sim->arena, sim->nparts, sizeof(*share->parts));
	share->awake = arena_alloc(sim->arena, words, sizeof(*share->awake));
	for (unsigned k = 0; k < 2; k++)
		share->called[k] = arena_alloc(sim->arena, words, sizeof(*share->called[k]));
}

void deal_first(struct sim *sim)
{
	unsigned threads = sim->config.threads;

	sim->shares = arena_alloc(sim->arena, threads, sizeof(*sim->shares));
	sim->deal.worker = arena_alloc(sim->arena, sim->nparts, sizeof(*sim->deal.worker));
	sim->deal.load = arena_alloc(sim->arena, threads, sizeof(*sim->deal.load));
	for (unsigned i = 0; i < threads; i++)
		make_share(sim, &sim->shares[i]);
	for (uint32_t i = 0; i < sim->nparts; i++)
		sim->parts[i]->cost = sim->parts[i]->weight;
	plan(sim, &sim->deal);
	adopt(sim);
}

void deal_again(struct sim *sim)
{
	uint64_t steps = 0, now;

	if (sim->config.threads == 1)
		return;
	for (uint32_t i = 0; i < sim->nparts; i++)
		steps += sim->parts[i]->steps;
	if (steps - sim->deal.steps < LEAST_STEPS)
		return;
	sim->deal.steps = steps;
	for (uint32_t i = 0; i < sim->nparts; i++) {
		struct partition *p = sim->parts[i];

		p->cost = p->cost / 2 + (p->steps - p->dealt_steps) * max_u64(p->weight, 1);
		p->dealt_steps = p->steps;
	}
	/* Moving a partition to another core's cache must save at least a tenth. */
	now = load_now(sim, &sim->deal);
	if (plan(sim, &sim->deal) < now - now / 10)
		adopt(sim);
}
