/* Reaching values of each read of a strand: results and live-in values, joined at merges (static
 * single assignment over physical registers, one strand at a time). */
#include "ptx/levels/private.h"

#include <string.h>

#define NO_SNAP UINT32_MAX

void *levels_grow(struct arena *work, void *old, uint32_t n, uint32_t *cap, size_t size)
{
	uint32_t before = *cap;
	void *grown;

	if (n <= before)
		return old;
	*cap = before ? 2 * before : 256;
	if (*cap < n)
		*cap = n;
	grown = arena_alloc(work, *cap, size);
	if (before)
		memcpy(grown, old, before * size);
	return grown;
}

struct values values_new(struct levels_work *w)
{
	uint32_t nblocks = w->strands.flow.nblocks;
	struct values v = {.w = w};

	v.now = arena_alloc(w->work, w->p->regs + 1, sizeof(*v.now));
	v.snap_of = arena_alloc(w->work, nblocks + 1, sizeof(*v.snap_of));
	v.phi_first = arena_alloc(w->work, nblocks + 1, sizeof(*v.phi_first));
	v.phi_end = arena_alloc(w->work, nblocks + 1, sizeof(*v.phi_end));
	return v;
}

static uint32_t add_node(struct values *v, const struct node *node)
{
	v->nodes =
		levels_grow(v->w->work, v->nodes, v->nnodes + 1, &v->nodes_cap, sizeof(*v->nodes));
	v->nodes[v->nnodes] = *node;
	v->nodes[v->nnodes].web = v->nnodes;
	return v->nnodes++;
}

/* A phi with n operands, to be filled in. */
static uint32_t add_phi(struct values *v, uint32_t reg, uint32_t pos, uint32_t n)
{
	struct node phi = {.kind = NODE_PHI,
		.certain = true,
		.reg = (uint16_t)reg,
		.pos = pos,
		.ops = v->nops,
		.nops = n};

	v->ops = levels_grow(v->w->work, v->ops, v->nops + n, &v->ops_cap, sizeof(*v->ops));
	v->nops += n;
	return add_node(v, &phi);
}

static void set_op(struct values *v, uint32_t phi, uint32_t k, uint32_t node)
{
	v->ops[v->nodes[phi].ops + k] = node;
	v->nodes[phi].certain &= v->nodes[node].certain;
}

/* ---- blocks. */

static const struct flow *flow_of(const struct values *v)
{
	return &v->w->strands.flow;
}

/* The value of a register at the end of the k-th predecessor of a block; `self` for a later block.
 */
static uint32_t incoming(
	const struct values *v, uint32_t b, uint32_t k, uint32_t reg, uint32_t self)
{
	uint32_t from = flow_of(v)->pred[flow_of(v)->pred_first[b] + k];

	return from >= b ? self : v->snaps[v->snap_of[from] + reg];
}

static uint32_t meet(struct values *v, uint32_t b, uint32_t reg, uint32_t pos, bool loop)
{
	const struct flow *f = flow_of(v);
	uint32_t n = f->pred_first[b + 1] - f->pred_first[b], one = 0, phi;
	bool same = true, any = loop;

	for (uint32_t k = 0; k < n; k++) {
		uint32_t node = incoming(v, b, k, reg, one);

		same &= k == 0 || node == one;
		one = k == 0 ? node : one;
		any |= node != 0;
	}
	if (!any)
		return 0;
	if (same && !loop && v->w->options->forward_branches)
		return one;
	phi = add_phi(v, reg, pos, n);
	for (uint32_t k = 0; k < n; k++)
		set_op(v, phi, k, incoming(v, b, k, reg, phi));
	v->nodes[phi].certain &= v->w->options->forward_branches;
	return phi;
}

static bool has_back_edge(const struct values *v, uint32_t b)
{
	const struct flow *f = flow_of(v);

	for (uint32_t e = f->pred_first[b]; e < f->pred_first[b + 1]; e++)
		if (f->pred[e] >= b)
			return true;
	return false;
}

/* Dead registers have no value. */
static void enter_block(struct values *v, uint32_t b, uint32_t pos)
{
	const uint64_t *live = set_of(&v->w->live_in, b);
	bool loop = has_back_edge(v, b);

	v->loops |= loop;
	v->phi_first[b] = v->nnodes;
	for (uint32_t r = 0; r < v->w->p->regs; r++)
		v->now[r] = set_has(live, r) ? meet(v, b, r, pos, loop) : 0;
	v->phi_end[b] = v->nnodes;
}

/* Completes the phis at a loop header. */
static void close_loop(struct values *v, uint32_t head, uint32_t from, uint32_t pos)
{
	const struct flow *f = flow_of(v);

	for (uint32_t phi = v->phi_first[head]; phi < v->phi_end[head]; phi++) {
		struct node *node = &v->nodes[phi];

		for (uint32_t k = 0; k < node->nops; k++)
			if (f->pred[f->pred_first[head] + k] == from)
				v->ops[node->ops + k] = v->now[node->reg];
		node->latest = pos > node->latest ? pos : node->latest;
	}
}

static void take_snap(struct values *v, uint32_t b)
{
	uint32_t regs = v->w->p->regs;

	v->snaps = levels_grow(
		v->w->work, v->snaps, v->nsnaps + regs, &v->snaps_cap, sizeof(*v->snaps));
	memcpy(v->snaps + v->nsnaps, v->now, regs * sizeof(*v->now));
	v->snap_of[b] = v->nsnaps;
	v->nsnaps += regs;
}

/* Values live after the strand must be in the MRF. */
static void leave_strand(struct values *v, const uint64_t *live)
{
	for (uint32_t r = 0; r < v->w->p->regs; r++)
		if (v->now[r] && set_has(live, r))
			v->nodes[v->now[r]].mrf = true;
}

static void end_block(struct values *v, uint32_t b, uint32_t pos)
{
	const struct flow *f = flow_of(v);
	bool goes_on = false;

	for (uint32_t e = f->succ_first[b]; e < f->succ_first[b + 1]; e++) {
		uint32_t to = f->succ[e];

		if (to >= f->nblocks || v->w->strands.mark[f->first[to]] != STRAND_INSIDE)
			leave_strand(v, set_of(&v->w->live_in, to));
		else if (to <= b)
			close_loop(v, to, b, pos);
		else
			goes_on = true;
	}
	if (goes_on)
		take_snap(v, b);
}

/* ---- instructions. */

static void add_reads(struct values *v, const struct instr *in, uint32_t pos)
{
	for (unsigned s = 0; s < in->nsrc; s++) {
		struct read read = {.pos = pos, .src = (uint8_t)s, .words = in->src[s].words};

		if (in->src[s].kind != OPND_REG)
			continue;
		for (unsigned k = 0; k < read.words; k++)
			read.node[k] = v->now[in->src[s].index + k];
		v->reads = levels_grow(
			v->w->work, v->reads, v->nreads + 1, &v->reads_cap, sizeof(*v->reads));
		v->reads[v->nreads++] = read;
	}
}

static void add_deposits(struct values *v, const struct instr *in, uint32_t pos)
{
	for (unsigned s = 0; s < in->nsrc; s++)
		for (uint32_t k = 0; in->src[s].kind == OPND_REG && k < in->src[s].words; k++) {
			uint32_t reg = in->src[s].index + k;
			struct node node = {.kind = NODE_DEPOSIT,
				.certain = true,
				.reg = (uint16_t)reg,
				.pos = pos};

			if (!v->nodes[v->now[reg]].certain)
				v->now[reg] = add_node(v, &node);
		}
}

/* A guarded result keeps the old value in the other lanes. */
static void set_now(struct values *v, const struct instr *in, uint32_t def, uint32_t pos)
{
	uint32_t reg = v->nodes[def].reg, phi = def;

	if (in->guard != NO_GUARD) {
		phi = add_phi(v, reg, pos, 2);
		set_op(v, phi, 0, v->now[reg]);
		set_op(v, phi, 1, def);
	}
	v->now[reg] = phi;
}

static void add_results(struct values *v, const struct instr *in, uint32_t pos)
{
	bool late = is_long_latency(in);

	for (unsigned d = 0; d < in->ndst; d++) {
		uint32_t def[2] = {0};

		if (in->dst[d].kind != OPND_REG)
			continue;
		for (unsigned k = 0; k < in->dst[d].words; k++) {
			struct node node = {.kind = NODE_DEF,
				.dst = (uint8_t)d,
				.certain = !late,
				.mrf = late,
				.reg = (uint16_t)(in->dst[d].index + k),
				.pos = pos};

			def[k] = add_node(v, &node);
		}
		if (in->dst[d].words == 2) {
			v->nodes[def[0]].mate = def[1];
			v->nodes[def[1]].mate = def[0];
		}
		for (unsigned k = 0; k < in->dst[d].words; k++)
			set_now(v, in, def[k], pos);
	}
}

static void add_instr(struct values *v, uint32_t i, uint32_t pos)
{
	const struct instr *in = &v->w->code[i];
	const struct flow *f = flow_of(v);
	uint32_t b = f->block[i];

	if (f->first[b] == i && pos > 0)
		enter_block(v, b, pos);
	add_reads(v, in, pos);
	if (v->w->options->read_operands)
		add_deposits(v, in, pos);
	add_results(v, in, pos);
	if (f->first[b + 1] == i + 1)
		end_block(v, b, pos);
}

void values_find(struct values *v, const uint32_t *order, uint32_t n)
{
	struct node before = {.kind = NODE_BEFORE};

	v->order = order;
	v->n = n;
	v->loops = false;
	v->nnodes = v->nreads = v->nops = v->nsnaps = 0;
	add_node(v, &before);
	memset(v->now, 0, v->w->p->regs * sizeof(*v->now));
	for (uint32_t pos = 0; pos < n; pos++)
		add_instr(v, order[pos], pos);
	webs_make(v);
}
