/* Control flow of a decoded program: basic blocks, edges through calls, and the region that lanes
 * may execute while others wait. */
#include "ptx/levels/strand.h"

#include <string.h>

#define REGION_MOST 4096u

static bool ends_block(const struct instr *in)
{
	switch ((enum action)in->action) {
	case ACT_BRANCH:
	case ACT_CALL:
	case ACT_RET:
		return true;
	case ACT_EXIT:
	case ACT_TRAP:
		return in->guard == NO_GUARD;
	default:
		return false;
	}
}

static void lead(bool *leader, const struct program *p, uint32_t i)
{
	if (i < p->ninstr)
		leader[i] = true;
}

static void lead_targets(bool *leader, const struct program *p, const struct instr *in)
{
	if (in->action == ACT_BRANCH && in->nsrc)
		for (int64_t t = 0; t < in->offset; t++)
			lead(leader, p, p->targets[in->target + t]);
	else if (in->action == ACT_BRANCH || in->action == ACT_CALL)
		lead(leader, p, in->target);
	if (in->action == ACT_BRANCH)
		lead(leader, p, in->reconv);
}

static void split(struct flow *f, const bool *forced, struct arena *work)
{
	uint32_t n = f->p->ninstr;
	bool *leader = arena_alloc(work, n + 1, sizeof(*leader));

	memcpy(leader, forced, n * sizeof(*leader));
	leader[0] = true;
	for (uint32_t i = 0; i < n; i++) {
		lead_targets(leader, f->p, &f->code[i]);
		if (ends_block(&f->code[i]))
			lead(leader, f->p, i + 1);
	}
	f->block = arena_alloc(work, n + 1, sizeof(*f->block));
	for (uint32_t i = 0; i < n; i++) {
		f->nblocks += leader[i];
		f->block[i] = f->nblocks - 1;
	}
}

/* Functions start at the entry and at call targets. */
static void number_functions(struct flow *f, struct arena *work)
{
	uint32_t n = f->p->ninstr;
	bool *begins = arena_alloc(work, n + 1, sizeof(*begins));

	begins[0] = true;
	for (uint32_t i = 0; i < n; i++)
		if (f->code[i].action == ACT_CALL)
			lead(begins, f->p, f->code[i].target);
	f->function = arena_alloc(work, f->nblocks + 1, sizeof(*f->function));
	for (uint32_t i = 0; i < n; i++) {
		f->nfunctions += begins[i];
		f->function[f->block[i]] = f->nfunctions - 1;
	}
	f->first = arena_alloc(work, f->nblocks + f->nfunctions + 1, sizeof(*f->first));
	for (uint32_t i = n; i-- > 0;)
		f->first[f->block[i]] = i;
	for (uint32_t k = 0; k <= f->nfunctions; k++)
		f->first[f->nblocks + k] = n;
}

/* ---- edges: counted, then filled. */

struct edges {
	struct flow *f;
	bool counting;
};

static void add_edge(const struct edges *e, uint32_t from, uint32_t to)
{
	struct flow *f = e->f;

	if (e->counting) {
		f->succ_first[from + 1]++;
		f->pred_first[to + 1]++;
		return;
	}
	f->succ[f->succ_first[from]++] = to;
	f->pred[f->pred_first[to]++] = from;
}

static const struct instr *last_of(const struct flow *f, uint32_t b)
{
	return &f->code[f->first[b + 1] - 1];
}

bool flow_falls(const struct flow *f, uint32_t b)
{
	const struct instr *in = last_of(f, b);

	return b + 1 < f->nblocks && (in->guard != NO_GUARD || !ends_block(in));
}

static void add_targets(const struct edges *e, uint32_t b, const struct instr *in)
{
	const struct program *p = e->f->p;

	if (!in->nsrc) {
		if (in->target < p->ninstr)
			add_edge(e, b, e->f->block[in->target]);
		return;
	}
	for (int64_t t = 0; t < in->offset; t++)
		if (p->targets[in->target + t] < p->ninstr)
			add_edge(e, b, e->f->block[p->targets[in->target + t]]);
}

static void add_edges(const struct edges *e)
{
	struct flow *f = e->f;

	for (uint32_t b = 0; b < f->nblocks; b++) {
		const struct instr *in = last_of(f, b);

		if (flow_falls(f, b))
			add_edge(e, b, b + 1);
		if (in->action == ACT_BRANCH) {
			add_targets(e, b, in);
		} else if (in->action == ACT_RET) {
			add_edge(e, b, f->nblocks + f->function[b]);
		} else if (in->action == ACT_CALL && in->target < f->p->ninstr) {
			uint32_t callee = f->block[in->target];

			add_edge(e, b, callee);
			if (b + 1 < f->nblocks)
				add_edge(e, f->nblocks + f->function[callee], b + 1);
		}
	}
}

static void sum(uint32_t *first, uint32_t n)
{
	for (uint32_t k = 0; k < n; k++)
		first[k + 1] += first[k];
}

static void shift_back(uint32_t *first, uint32_t n)
{
	memmove(first + 1, first, n * sizeof(*first));
	first[0] = 0;
}

static void connect(struct flow *f, struct arena *work)
{
	uint32_t n = f->nblocks + f->nfunctions;
	struct edges e = {f, true};

	f->succ_first = arena_alloc(work, n + 2, sizeof(*f->succ_first));
	f->pred_first = arena_alloc(work, n + 2, sizeof(*f->pred_first));
	add_edges(&e);
	sum(f->succ_first, n);
	sum(f->pred_first, n);
	f->succ = arena_alloc(work, f->succ_first[n] + 1, sizeof(*f->succ));
	f->pred = arena_alloc(work, f->pred_first[n] + 1, sizeof(*f->pred));
	e.counting = false;
	add_edges(&e);
	shift_back(f->succ_first, n);
	shift_back(f->pred_first, n);
}

void flow_build(struct flow *f, const struct program *p, const struct instr *code,
	const bool *leader, struct arena *work)
{
	*f = (struct flow){.p = p, .code = code};
	split(f, leader, work);
	number_functions(f, work);
	connect(f, work);
}

/* ---- regions. */

bool flow_parts(const struct flow *f, uint32_t b)
{
	const struct instr *in = last_of(f, b);

	return in->action == ACT_BRANCH && (in->guard != NO_GUARD || in->nsrc);
}

struct region_walk region_walk_new(const struct flow *f, struct arena *work)
{
	return (struct region_walk){.flow = f,
		.stamp = arena_alloc(work, f->nblocks + 1, sizeof(uint32_t)),
		.stack = arena_alloc(work, f->nblocks + 1, sizeof(uint32_t))};
}

static void enter(struct region_walk *w, uint32_t b, uint32_t *depth)
{
	if (b >= w->flow->nblocks || w->stamp[b] == w->now)
		return;
	w->stamp[b] = w->now;
	w->stack[(*depth)++] = b;
}

/* Callees are not visited; the visitor sees the call itself. */
static void enter_successors(struct region_walk *w, uint32_t b, uint32_t *depth)
{
	const struct flow *f = w->flow;

	if (last_of(f, b)->action == ACT_CALL) {
		enter(w, b + 1, depth);
		return;
	}
	for (uint32_t e = f->succ_first[b]; e < f->succ_first[b + 1]; e++)
		enter(w, f->succ[e], depth);
}

bool region_walk(struct region_walk *w, uint32_t b, region_visit_fn *visit, void *ctx, bool *all)
{
	uint32_t reconv = last_of(w->flow, b)->reconv, depth = 0, visited = 0;

	w->now++;
	*all = false;
	if (reconv != NO_RECONV)
		w->stamp[w->flow->block[reconv]] = w->now;
	enter_successors(w, b, &depth);
	while (depth) {
		uint32_t at = w->stack[--depth];

		if (++visited > REGION_MOST) {
			*all = true;
			return false;
		}
		if (visit(ctx, at))
			return true;
		enter_successors(w, at, &depth);
	}
	return false;
}
