/* Which spilled values are live at once, over all frames: the live sets of composition
 * instructions, a path of calls and the instruction that executes (Hayes and Zhang, ICS 2014,
 * section 3.2.2). */
#include "ptx/alloc/slots.h"

#include <string.h>

#define MOST_SETS 65536u
#define MOST_PATHS 4096u       /* different sets live across the calls of one function */
#define MOST_PLANES (4u << 20) /* of all sets */

/* ---- values. */

static void note_uses(const struct slots *s, const struct slot_code *c)
{
	float *weight = loops_weigh(&c->f, s->work);

	for (uint32_t b = 0; b < c->f.nblocks; b++)
		for (uint32_t k = c->f.blocks[b].first; k < c->f.blocks[b].end; k++) {
			const struct ir_instr *i = &c->f.code[k];

			if (i->shape == IR_FILL)
				s->sets.var[c->number[i->src[0].index] - 1].uses +=
					(double)weight[b];
			if (i->shape == IR_SPILL)
				s->sets.var[c->number[i->dst[0].index] - 1].uses +=
					(double)weight[b];
		}
}

static void find_vars(struct slots *s, struct slot_code *c)
{
	c->number = arena_alloc(s->work, c->f.nvregs + 1, sizeof(*c->number));
	for (uint32_t v = 0; v < c->f.nvregs; v++) {
		if (!(c->f.words[v] & IR_SLOT))
			continue;
		s->sets.var[s->sets.nvars] = (struct slot_var){.function = c->function,
			.vreg = v,
			.words = c->f.words[v] & ~(IR_SLOT | IR_SHARED)};
		c->number[v] = ++s->sets.nvars;
	}
	note_uses(s, c);
}

void slots_find(struct slots *s)
{
	const struct frames *fr = s->fit->frames;
	struct ir_module *m = s->fit->m;
	uint32_t most = 0;

	s->n = fr->n;
	s->code = arena_alloc(s->work, s->n, sizeof(*s->code));
	s->position = arena_alloc(s->work, m->nfunctions, sizeof(*s->position));
	for (uint32_t k = 0; k < s->n; k++)
		most += m->functions[fr->order[k]].nvregs;
	s->sets =
		(struct slot_sets){.var = arena_alloc(s->work, most + 1, sizeof(struct slot_var))};
	for (uint32_t k = 0; k < s->n; k++) {
		struct slot_code *c = &s->code[k];

		c->function = fr->order[k];
		s->position[c->function] = k;
		c->f = m->functions[c->function];
		c->live = live_compute(&c->f, s->work);
		find_vars(s, c);
	}
	s->sets.planes = s->sets.nvars / 64 + 1;
}

/* ---- the slots live behind each instruction. */

static void see_point(const struct slot_code *c, const struct live_set *set, bool shared,
	uint32_t *list, struct slot_point *p)
{
	p->n = p->words = 0;
	for (uint32_t k = 0; k < set->n; k++) {
		uint8_t words = c->f.words[set->list[k]];

		if (!(words & IR_SLOT) || (shared && !(words & IR_SHARED)))
			continue;
		list[p->n++] = set->list[k];
		p->words += words & ~(IR_SLOT | IR_SHARED);
	}
}

void slots_walk(const struct slots *s, const struct slot_code *c, bool shared, slot_point_fn *visit,
	void *ctx)
{
	struct live_set set = live_set_new(&c->f, s->work);
	uint32_t *list = arena_alloc(s->work, c->f.nvregs + 1, sizeof(*list));
	struct slot_point p = {.vreg = list};

	for (p.block = 0; p.block < c->f.nblocks; p.block++) {
		const struct ir_block *b = &c->f.blocks[p.block];

		live_at_end(c->live, p.block, &set);
		for (p.instr = b->end; p.instr-- > b->first;) {
			see_point(c, &set, shared, list, &p);
			visit(ctx, &p);
			live_step_back(&c->f, &c->f.code[p.instr], &set);
		}
	}
}

/* ---- sets above the limit. */

/* What is live in the callers of a function, for each path of calls to it that differs. */
struct paths {
	struct slot_set *set;
	uint32_t n, cap;
};

struct collection {
	struct slots *s;
	struct paths *paths; /* by function, as slots.code */
	uint32_t limit, k;
	uint64_t planes; /* taken by all sets */
	bool full;
};

static struct slot_set joined(
	struct collection *x, const struct slot_set *path, const struct slot_point *p)
{
	const struct slot_code *c = &x->s->code[x->k];
	struct slot_set set = {.words = path->words + p->words, .times = path->times};

	set.bits = arena_alloc(x->s->work, x->s->sets.planes, sizeof(*set.bits));
	memcpy(set.bits, path->bits, x->s->sets.planes * sizeof(*set.bits));
	for (uint32_t v = 0; v < p->n; v++) {
		uint32_t number = c->number[p->vreg[v]] - 1;

		set.bits[number / 64] |= UINT64_C(1) << number % 64;
	}
	x->planes += x->s->sets.planes;
	x->full |= x->planes > MOST_PLANES;
	return set;
}

static bool same(const struct collection *x, const struct slot_set *a, const struct slot_set *b)
{
	return a->words == b->words &&
	       !memcmp(a->bits, b->bits, x->s->sets.planes * sizeof(*a->bits));
}

static struct slot_set *grow(
	const struct collection *x, struct slot_set *old, uint32_t n, uint32_t *cap)
{
	struct slot_set *set;

	if (n < *cap)
		return old;
	*cap = *cap ? 2 * *cap : 16;
	set = arena_alloc(x->s->work, *cap, sizeof(*set));
	if (n)
		memcpy(set, old, n * sizeof(*set));
	return set;
}

static void keep_over(struct collection *x, const struct slot_set *set)
{
	struct slot_sets *all = &x->s->sets;

	if (all->n && same(x, &all->set[all->n - 1], set)) {
		all->set[all->n - 1].times += set->times;
		return;
	}
	all->set = grow(x, all->set, all->n, &all->cap);
	all->set[all->n++] = *set;
	x->full |= all->n > MOST_SETS;
}

static void add_path(struct collection *x, uint32_t callee, const struct slot_set *set)
{
	struct paths *to = &x->paths[x->s->position[callee]];

	for (uint32_t k = 0; k < to->n; k++)
		if (same(x, &to->set[k], set)) {
			to->set[k].times += set->times;
			return;
		}
	to->set = grow(x, to->set, to->n, &to->cap);
	to->set[to->n++] = *set;
	x->full |= to->n > MOST_PATHS;
}

static void collect(void *ctx, const struct slot_point *p)
{
	struct collection *x = ctx;
	const struct ir_instr *i = &x->s->code[x->k].f.code[p->instr];
	struct slot_sets *all = &x->s->sets;

	for (uint32_t k = 0; k < x->paths[x->k].n && !x->full; k++) {
		const struct slot_set *path = &x->paths[x->k].set[k];
		uint32_t words = path->words + p->words;
		struct slot_set set;

		all->max_live = words > all->max_live ? words : all->max_live;
		if (words <= x->limit && i->action != ACT_CALL)
			continue;
		set = joined(x, path, p);
		if (words > x->limit)
			keep_over(x, &set);
		if (i->action == ACT_CALL)
			add_path(x, i->target, &set);
	}
}

int slots_collect(struct slots *s, uint32_t limit)
{
	struct collection x = {.s = s, .limit = limit};
	struct slot_set none = {.times = 1};
	const struct ir_module *m = s->fit->m;
	const struct ast_function *kernel = m->functions[s->code[0].function].ast;

	x.paths = arena_alloc(s->work, s->n, sizeof(*x.paths));
	none.bits = arena_alloc(s->work, s->sets.planes, sizeof(*none.bits));
	s->sets.n = s->sets.max_live = 0;
	add_path(&x, s->code[0].function, &none);
	for (x.k = 0; x.k < s->n && !x.full; x.k++)
		slots_walk(s, &s->code[x.k], false, collect, &x);
	if (!x.full)
		return 0;
	return ir_note(m, kernel, &kernel->pos, ERR_UNSUPPORTED,
		"spilling to shared memory compares at most %u sets of values that are live at "
		"once, on at most %u paths of calls to a function; it has more",
		MOST_SETS, MOST_PATHS);
}
