/* What reports have of launches and parts, and the end of a run. */
#include "chip/profile/inside.h"
#include "chip/tally.h"

#include <string.h>

unsigned chip_launches(const struct gpu *g)
{
	return g->nlaunches;
}

static void set_split(const struct storage_split *s, struct launch_report *r)
{
	r->sm_register_bytes = s->register_bytes;
	r->sm_shared_bytes = s->shared_bytes;
	r->sm_cache_bytes = s->cache_bytes;
}

static void describe(const struct program *p, const struct grid *grid, struct launch_report *r)
{
	r->kernel = p->name;
	r->file = p->file;
	r->regs = p->regs;
	r->max_live = p->max_live;
	r->shared_bytes = grid_shared_bytes(grid);
	r->local_bytes = p->local_bytes;
	r->spill_bytes = p->spill_bytes;
	r->spill_loads = p->spill_loads;
	r->spill_stores = p->spill_stores;
	r->slots = p->slots;
	r->slot_loads = p->slot_loads;
	r->slot_stores = p->slot_stores;
	r->slot_moves = p->slot_moves;
	r->slot_budget = p->slot_budget;
	r->own_shared_bytes = grid_own_shared_bytes(grid);
}

/* Of a launch that is not over. */
static void add_state(const struct gpu *g, const struct launch_state *l, struct launch_report *r)
{
	r->started_ctas = l->started;
	r->finished_ctas = l->finished;
	r->begun = l->active;
	r->complete = l->complete;
	if (g->chip && l->active && l->finished < l->timed)
		r->end_cycle = chip_cycle(g->chip);
}

void chip_launch_report(const struct gpu *g, unsigned i, struct launch_report *r)
{
	struct launch_row row = launches_row(g, i);
	struct grid grid = launches_grid(&row);

	*r = (struct launch_report){.stream = row.stream,
		.ctas = grid_ctas(&grid),
		.timed_ctas = row.timed,
		.started_ctas = g->chip ? row.timed : 0,
		.finished_ctas = row.timed,
		.start_cycle = row.start_cycle,
		.end_cycle = row.end_cycle,
		.warp_instructions = row.instructions,
		.dram_read_bytes = row.read_bytes,
		.dram_write_bytes = row.write_bytes,
		.flushed_bytes = row.flushed_bytes,
		.l2_sectors = row.l2_sectors,
		.l2_hits = row.l2_hits,
		.ctas_per_sm = row.ctas_per_sm,
		.untimed_instructions = row.untimed_instructions,
		.skipped_ctas = row.rest ? row.rest->ctas : 0,
		.untimed = row.untimed,
		.begun = g->chip,
		.complete = true};
	memcpy(r->grid, row.grid, sizeof(r->grid));
	memcpy(r->block, row.block, sizeof(r->block));
	describe(row.program, &grid, r);
	if (row.rest && row.rest->alone) {
		r->works = true;
		r->thread_instructions = row.rest->thread_instructions;
		r->work = row.rest->work;
	} else if (row.rest) {
		r->warm = true;
		r->warm_l2_sectors = row.rest->l2_sectors;
		r->warm_l2_hits = row.rest->l2_hits;
		r->warm_read_bytes = row.rest->read_bytes;
		r->warm_write_bytes = row.rest->write_bytes;
	}
	if (row.state)
		add_state(g, row.state, r);
	set_split(&row.split, r);
	r->sms = g->chip ? (unsigned)g->chip->p.sms : 0;
}

double chip_dram_bytes_per_cycle(const struct gpu *g)
{
	return g->chip->p.bytes_per_ns * g->chip->sm_ps / 1000;
}

uint64_t chip_launch_sm_end(const struct gpu *g, unsigned i, unsigned sm)
{
	struct launch_row row = launches_row(g, i);

	if (row.state)
		return row.state->part[sm].end_cycle;
	return row.sm_ends ? row.sm_ends[sm] : 0;
}

static void part_line(void *ctx, const struct component *part, const char *space)
{
	(void)space;
	text_add(ctx, "%s\n", part->name);
}

void chip_topology(const struct gpu *g, struct text *out)
{
	const struct chip *c = g->chip;

	text_add(out, "parts, in order of their identity:\n");
	chip_each_part(c, part_line, out);
	text_add(out,
		"\nlinks: dispatcher -> sm.* -> %snoc.request -> l2.*.* <-> dram.* ; "
		"l2.*.* -> noc.reply -> sm.* -> dispatcher%s\n"
		"%llu SM%s, %u channel%s of %u slice%s; %llu cycle%s each link to or from a "
		"network, window %llu cycle%s\n"
		"clocks: SMs %.6g MHz (%u ps), L2 and networks %.6g MHz (%u ps)\n",
		c->mmu ? "mmu -> " : "", c->mmu ? " ; mmu <-> l2.*.*" : "",
		(unsigned long long)c->p.sms, text_s(c->p.sms), c->channels, text_s(c->channels),
		c->per_channel, text_s(c->per_channel), (unsigned long long)c->p.link_cycles,
		text_s(c->p.link_cycles), (unsigned long long)c->p.window, text_s(c->p.window),
		1e6 / c->sm_ps, c->sm_ps, 1e6 / c->l2_ps, c->l2_ps);
	if (c->dram_cycles)
		text_add(out, "DRAM latency %u cycle%s%s of a read's %llu\n", c->dram_cycles,
			text_s(c->dram_cycles), c->sm_ps == c->l2_ps ? "" : " of the L2's clock,",
			(unsigned long long)c->p.read_cycles);
}

/* ---- the end of a run */
static void flush_line(void *ctx, const struct victim *v)
{
	struct chip *c = ctx;

	c->flushed[v->owner.launch] += count_bits(v->dirty) * GRANULE_BYTES;
}

void chip_close(struct gpu *g)
{
	struct chip *c = g->chip;
	uint64_t cycle = chip_cycle(c);

	for (unsigned i = 0; i < c->p.sms; i++)
		sm_close(c->sm[i], cycle);
	if (c->closed)
		return;
	c->closed = true;
	for (unsigned i = 0; i < c->channels * c->per_channel; i++) {
		const struct channel_ops *ops = c->dram->ops;
		struct channel_counts counts = {0};

		ops->counts(c->channel[i % c->channels], &counts);
		slice_memory_blocks(c->slice[i], counts.block_bytes);
		c->flushed_bytes += slice_flush(c->slice[i], flush_line, c);
	}
	if (c->profile)
		profile_close(c, cycle);
	epochs_close(c, cycle);
	power_close(c);
}
