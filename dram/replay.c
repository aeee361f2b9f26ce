/* Drives one channel with a list of accesses, and measures it. */
#include "dram/replay.h"

#include <stdlib.h>

#include "core/rng.h"

static const struct param_def params[] = {DRAM_PARAMS(PARAM_ROW, dram_replay)};

const struct param_table dram_replay_params = {"dram", params, ARRAY_LEN(params)};

struct run {
	struct dram_replay *r;
	const struct dram_access *accesses;
	const struct dram_load *load;
	uint32_t n, next; /* access to offer */
	uint64_t arrival; /* its clock */
	uint64_t free;    /* no other access was offered in this clock */
	uint64_t gap;     /* Bernoulli: probability a clock, of 2^53 */
	struct rng rng;
	uint32_t *late;  /* by access: clocks it waited for its acceptance */
	uint32_t *taken; /* by read: its latency from acceptance */
	uint32_t nreads, columns;
	uint64_t from, to; /* clocks of the columns at 5% and 95% */
	uint64_t last;
};

/* The arrival clock of access `next`. */
static void draw_arrival(struct run *run)
{
	double per_clock = run->load->share / run->r->controller.device.burst_ck;

	if (run->load->kind == DRAM_CONSTANT)
		run->arrival = (uint64_t)((double)run->next / per_clock);
	if (run->load->kind != DRAM_BERNOULLI)
		return;
	run->arrival += run->next > 0;
	while (rng_u64(&run->rng) >> 11 >= run->gap)
		run->arrival++;
}

/* When the next access can be offered; UINT64_MAX: none is left, or the queue is full. */
static uint64_t next_offer(const struct run *run)
{
	if (run->next == run->n ||
		!controller_space(&run->r->controller, run->accesses[run->next].dir))
		return UINT64_MAX;
	return max_u64(run->arrival, run->free);
}

static void offer(struct run *run, uint64_t clock)
{
	const struct dram_access *a = &run->accesses[run->next];
	struct controller *c = &run->r->controller;

	controller_offer_of(c, controller_request(c, a->dir, 1, a->requester),
		a->address / c->device.burst_bytes, run->next, clock);
	run->late[run->next] = (uint32_t)(clock - run->arrival);
	run->free = clock + 1;
	run->next++;
	draw_arrival(run);
}

static void finish(struct run *run, const struct dram_event *e)
{
	uint32_t number = run->columns++;

	run->last = max_u64(run->last, e->end);
	if (number == run->n / 20)
		run->from = e->clock;
	if (number == run->n - 1 - run->n / 20)
		run->to = e->clock;
	if (e->command != DRAM_READ)
		return;
	run->late[run->nreads] =
		(uint32_t)min_u64(UINT32_MAX, run->late[e->user] + e->end - e->accepted);
	run->taken[run->nreads++] = (uint32_t)(e->end - e->accepted);
}

static int by_size(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static struct dram_latency latency_of(uint32_t *clocks, uint32_t n)
{
	double sum = 0;

	if (!n)
		return (struct dram_latency){0};
	qsort(clocks, n, sizeof(*clocks), by_size);
	for (uint32_t i = 0; i < n; i++)
		sum += clocks[i];
	return (struct dram_latency){
		sum / n, clocks[n / 2], clocks[(uint64_t)n * 99 / 100], clocks[n - 1]};
}

static void sum_up(struct run *run, struct dram_replayed *out)
{
	const struct controller *c = &run->r->controller;
	uint32_t between = run->n - 1 - 2 * (run->n / 20);
	double bursts = (double)between / (double)max_u64(run->to - run->from, 1);

	out->clocks = run->last;
	out->nreads = run->nreads;
	out->share = bursts * c->device.burst_ck;
	out->bytes_per_ns = bursts * c->device.burst_bytes * 1000 / c->device.tck_ps;
	out->row_hits = (double)c->s->row_hits / (double)max_u64(run->columns, 1);
	out->accepted = latency_of(run->taken, run->nreads);
	out->arrived = latency_of(run->late, run->nreads);
}

void dram_replay(struct dram_replay *r, const struct dram_access *accesses, uint32_t n,
	const struct dram_load *load, struct arena *arena, struct dram_replayed *out)
{
	struct run run = {.r = r, .accesses = accesses, .load = load, .n = n};
	struct dram_event e;

	run.late = arena_alloc(arena, n + 1, sizeof(*run.late));
	run.taken = arena_alloc(arena, n + 1, sizeof(*run.taken));
	run.rng = rng_new(load->seed, 0);
	run.gap = (uint64_t)(load->share / r->controller.device.burst_ck * 0x1p53);
	draw_arrival(&run);
	while (run.columns < n) {
		uint64_t at = next_offer(&run);

		/* Commands of a clock precede its offer: they may free a queue entry for it. */
		if (at == UINT64_MAX)
			at = controller_next(&r->controller);
		if (controller_advance(&r->controller, at, &e)) {
			run.free = max_u64(run.free, e.clock);
			if (e.command <= DRAM_WRITE)
				finish(&run, &e);
		} else {
			offer(&run, at);
		}
	}
	BUG_ON(r->controller.orders != n || r->controller.done != n);
	sum_up(&run, out);
}
