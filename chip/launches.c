/* All launches of a GPU: those that are not over, and what is kept of the others. */
#include "chip/chip.h"
#include "chip/inside.h"

#include <string.h>

_Static_assert(sizeof(struct launch_row) <= 192, "a finished launch costs at most 200 bytes");

static struct launch_row *row_at(const struct gpu *g, uint64_t number)
{
	return &g->rows[number / LAUNCH_ROWS][number % LAUNCH_ROWS];
}

struct launch_row *launches_row_at(struct gpu *g, uint64_t number)
{
	return row_at(g, number);
}

struct launch_state *launches_at(const struct gpu *g, uint64_t number)
{
	return row_at(g, number)->state;
}

struct grid launches_grid(const struct launch_row *r)
{
	struct grid g = {.program = r->program, .dynamic_shared_bytes = r->dynamic_shared_bytes};

	memcpy(g.grid, r->grid, sizeof(g.grid));
	memcpy(g.block, r->block, sizeof(g.block));
	return g;
}

struct storage_need launches_need(const struct grid *g)
{
	return (struct storage_need){.regs_per_thread = g->program->regs,
		.warps_per_cta = grid_cta_warps(g),
		.shared_per_cta = grid_shared_bytes(g)};
}

static struct launch_row row_of(const struct gpu *g, const struct launch_state *l)
{
	struct launch_row r = {.program = l->grid.program,
		.dynamic_shared_bytes = l->grid.dynamic_shared_bytes,
		.stream = l->stream,
		.ctas_per_sm = l->ctas_per_sm,
		.epoch = l->epoch,
		.untimed = l->queued.untimed,
		.timed = l->timed,
		.start_cycle = l->start_cycle,
		.end_cycle = l->end_cycle,
		.untimed_instructions = l->untimed_instructions,
		.rest = l->rest,
		.split = l->split};

	memcpy(r.grid, l->grid.grid, sizeof(r.grid));
	memcpy(r.block, l->grid.block, sizeof(r.block));
	if (g->chip)
		accounts_add_counts(g->chip, l, &r);
	return r;
}

struct launch_row launches_row(const struct gpu *g, uint64_t number)
{
	const struct launch_row *r = row_at(g, number);
	struct launch_row now;

	if (!r->state)
		return *r;
	now = row_of(g, r->state);
	now.state = r->state;
	return now;
}

int launches_reserve(struct gpu *g, struct err *err)
{
	uint32_t block = g->nlaunches / LAUNCH_ROWS, room = g->row_blocks ? 2 * g->row_blocks : 1;
	struct launch_row **rows;

	if (g->nlaunches == UINT32_MAX)
		return err_add(err, ERR_RESOURCE, "more than %u launches in one run", UINT32_MAX);
	if (block == g->row_blocks) {
		rows = mem_grow(g->rows, block, room, sizeof(*rows));
		if (!rows)
			return err_add(err, ERR_RESOURCE, "no host memory for launches");
		g->rows = rows;
		g->row_blocks = room;
	}
	if (!g->rows[block])
		g->rows[block] = mem_alloc(LAUNCH_ROWS, sizeof(**rows));
	return g->rows[block] ? 0 : err_add(err, ERR_RESOURCE, "no host memory for launches");
}

void launches_add(struct gpu *g, struct launch_state *l)
{
	row_at(g, l->grid.gridid)->state = l;
	l->before = g->newest;
	if (g->newest)
		g->newest->after = l;
	else
		g->oldest = l;
	g->newest = l;
	g->nlaunches++;
	g->npending++;
}

void launches_complete(struct gpu *g, struct launch_state *l)
{
	l->complete = true;
	if (l->before)
		l->before->after = l->after;
	else
		g->oldest = l->after;
	if (l->after)
		l->after->before = l->before;
	else
		g->newest = l->before;
	l->before = l->after = NULL;
	g->npending--;
}

/* The cycle in which each SM's last CTA ended; NULL: not kept, or none ended in time. */
static uint64_t *ends_of(const struct gpu *g, const struct launch_state *l)
{
	uint64_t *ends = NULL, any = 0;

	if (!g->chip || !l->part || g->forgets_ends)
		return NULL;
	for (unsigned i = 0; i < g->chip->p.sms; i++)
		any |= l->part[i].end_cycle;
	if (any)
		ends = mem_alloc(g->chip->p.sms, sizeof(*ends));
	for (unsigned i = 0; ends && i < g->chip->p.sms; i++)
		ends[i] = l->part[i].end_cycle;
	return ends;
}

void launches_end(struct gpu *g, struct launch_state *l)
{
	struct launch_row *r = row_at(g, l->grid.gridid);

	*r = row_of(g, l);
	r->sm_ends = ends_of(g, l);
	l->rest = NULL;
	launch_free(g, l);
}

void launch_free(struct gpu *g, struct launch_state *l)
{
	if (!l)
		return;
	gpu_launch_memory_free(g, l);
	mem_free(l->part);
	mem_free(l->rest);
	mem_free(l);
}

static void free_row(struct launch_row *r)
{
	if (r->state) {
		mem_free(r->state->part);
		mem_free(r->state->rest);
		mem_free(r->state);
	}
	mem_free(r->sm_ends);
	mem_free(r->rest);
}

void launches_free(struct gpu *g)
{
	for (uint32_t i = 0; i < g->row_blocks; i++) {
		for (unsigned k = 0; k < LAUNCH_ROWS && g->rows[i]; k++)
			free_row(&g->rows[i][k]);
		mem_free(g->rows[i]);
	}
	mem_free(g->rows);
	mem_free(g->kept.buffer);
	mem_free(g->kept.bytes);
}

uint32_t gpu_pending(const struct gpu *g)
{
	return g->npending;
}

void gpu_forget_ends(struct gpu *g)
{
	g->forgets_ends = true;
}
