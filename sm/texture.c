/* The texture pipe: four lanes a cycle enter it; their texels' lines pass the tag stage in turn
 * with those of loads; the results are available when the last line is, and not before the pipe's
 * own latency (Gebhart et al., MICRO 2012, table 2). */
#include "sm/state.h"

#define HALF 4u /* corners of which the lines fit one entry of the queue */

bool texture_busy(const struct sm *sm, uint64_t cycle)
{
	return sm->texture.free > cycle || sm->texture.half_waits;
}

static void count_sectors(struct sm *sm, const struct lsu_entry *e)
{
	for (unsigned i = 0; i < e->n; i++) {
		unsigned g = e->lines[i].granules;

		sm->l1.s.l1tex__t_sectors_pipe_tex_mem_texture += count_bits((g | g >> 1) & 0x55);
	}
}

/* The lines of some corners, queued when there are any. Returns their number. */
static unsigned queue_corners(struct sm *sm, unsigned first, unsigned n, uint32_t op)
{
	struct lsu_entry *e = lsu_behind(sm);

	e->n = (uint16_t)coalesce_texels(&sm->texture.texels, first, n, e->lines);
	e->at = 0;
	e->action = ACT_LOAD;
	e->way = &sm->l1.texel_way;
	e->op = op;
	e->origin = sm->texture.half_origin;
	if (!e->n)
		return 0;
	e->origin.buffer = image_account(sm->c.image, e->lines[0].line);
	profile_entered(sm, e, sm->texture.texels.bytes);
	sm->queue_n++;
	count_sectors(sm, e);
	return e->n;
}

void texture_second_half(struct sm *sm, uint64_t cycle)
{
	struct sm_texture *t = &sm->texture;

	while (t->half_waits && sm->queue_n < sm->p.lsu_queue) {
		unsigned first = t->half_at, n = t->texels.corners - first;

		n = n < HALF ? n : HALF;
		t->half_at = (uint8_t)(first + n);
		t->half_waits = t->half_at < t->texels.corners;
		sm->ops[t->half_op].remaining = (uint16_t)(sm->ops[t->half_op].remaining +
							   queue_corners(sm, first, n, t->half_op));
		if (!t->half_waits)
			lsu_line_done(sm, t->half_op, cycle, cycle); /* the one for all of them */
	}
}

static void count_texels(struct sm *sm)
{
	const struct texels *t = &sm->texture.texels;

	sm->s.smsp__inst_executed_pipe_tex++;
	sm->l1.s.l1tex__t_requests++;
	for (unsigned c = 0; c < t->corners; c++)
		sm->l1.s.l1tex__t_texels_pipe_tex += count_bits(t->mask[c]);
}

void texture_enter(struct sm *sm, unsigned w, const struct instr *in, uint64_t cycle)
{
	struct sm_texture *t = &sm->texture;
	const struct warp *warp = &sm->slot[w].warp;
	uint32_t op, at = (t->due_head + t->due_n) % (uint32_t)sm->p.lsu_ops;

	if (!t->texels.lanes) {
		warp_results(sm, w, in, READY_CODE(cycle + sm->p.alu_cycles, READY_FIXED));
		return;
	}
	warp_results(sm, w, in, READY_LONG);
	count_texels(sm);
	t->free = cycle + div_up(count_bits(t->texels.lanes), sm->p.texture_lanes);
	t->half_origin = (struct origin){.instr = (uint32_t)(in - warp->program->code),
		.launch = warp->cta->grid->launch,
		.sm = (uint16_t)sm->c.index};
	op = lsu_op(sm, w, in, 1, true);
	t->due[at] = (struct fetch_due){cycle + sm->p.texture_cycles, op};
	t->due_n++;
	wake_at(&sm->base, t->due[at].due);
	sm->ops[op].remaining =
		(uint16_t)(1 + queue_corners(sm, 0,
				       t->texels.corners < HALF ? t->texels.corners : HALF, op));
	if (t->texels.corners <= HALF)
		return;
	sm->ops[op].remaining++;
	t->half_op = op;
	t->half_at = HALF;
	t->half_waits = true;
	texture_second_half(sm, cycle);
}

void texture_due(struct sm *sm, uint64_t cycle)
{
	struct sm_texture *t = &sm->texture;

	while (t->due_n && t->due[t->due_head].due <= cycle) {
		struct fetch_due *d = &t->due[t->due_head];

		t->due_head = (t->due_head + 1) % (uint32_t)sm->p.lsu_ops;
		t->due_n--;
		lsu_line_done(sm, d->op, d->due, cycle);
	}
	if (t->due_n)
		wake_at(&sm->base, t->due[t->due_head].due);
}
