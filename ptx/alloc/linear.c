/* Linear scan: each live interval extends from the first to the last point of the register in text
 * order (Poletto and Sarkar, "Linear scan register allocation", TOPLAS 1999). Simple, and wasteful
 * around branches. At the limit, the interval that is cheapest to spill is evicted. */
#include "ptx/alloc/alloc.h"

#include <stdlib.h>
#include <string.h>

/* Points: instruction i reads at 2i + 2 and writes at 2i + 3; parameters are written at 1. */
struct interval {
	uint32_t first, last, vreg;
	uint32_t hint; /* a register whose location would save a move, or NO_VREG */
};

struct scan {
	const struct alloc_job *job;
	struct interval *of; /* by virtual register; first > last: it does not occur */
	struct interval *by_first, *by_last;
	uint32_t n;
	uint32_t *owner; /* by location: register + 1 */
	uint32_t used;
};

static void touch(struct scan *s, uint32_t v, uint32_t point)
{
	if (!alloc_mine(s->job, v))
		return;
	if (point < s->of[v].first)
		s->of[v].first = point;
	if (point > s->of[v].last)
		s->of[v].last = point;
}

static void touch_live_in(struct scan *s, uint32_t block, uint32_t point)
{
	uint32_t n;
	const uint32_t *in = live_in(s->job->live, block, &n);

	for (uint32_t k = 0; k < n; k++)
		touch(s, in[k], point);
}

static void touch_instr(struct scan *s, const struct ir_instr *in, uint32_t i)
{
	uint32_t uses[IR_USES];
	unsigned n = ir_uses(in, uses);

	for (unsigned u = 0; u < n; u++)
		touch(s, uses[u], 2 * i + 2);
	if (in->action == ACT_RET)
		for (uint32_t u = 0; u < s->job->function->nout; u++)
			touch(s, s->job->function->out[u], 2 * i + 2);
	for (unsigned d = 0; d < in->ndst; d++)
		if (in->dst[d].kind == IR_REG)
			touch(s, in->dst[d].index, 2 * i + 3);
	if (in->shape == IR_COPY && in->dst[0].kind == IR_REG && in->src[0].kind == IR_REG)
		s->of[in->dst[0].index].hint = in->src[0].index;
}

static void measure(struct scan *s)
{
	const struct ir_function *f = s->job->function;

	for (uint32_t k = 0; k < f->nin; k++)
		touch(s, f->in[k], 1);
	for (uint32_t b = 0; b < f->nblocks; b++) {
		touch_live_in(s, b, 2 * f->blocks[b].first + 2);
		for (uint32_t k = 0; k < f->blocks[b].nsucc; k++)
			touch_live_in(s, f->blocks[b].succ[k], 2 * f->blocks[b].end + 1);
		for (uint32_t i = f->blocks[b].first; i < f->blocks[b].end; i++)
			touch_instr(s, &f->code[i], i);
	}
	for (uint32_t k = 0; k < f->nout; k++) /* callers read them even when no ret is reached */
		if (s->of[f->out[k]].first > s->of[f->out[k]].last)
			touch(s, f->out[k], 1);
}

static int order(uint32_t a, uint32_t b)
{
	return a < b ? -1 : a > b;
}

static int first_first(const void *a, const void *b)
{
	const struct interval *x = a, *y = b;

	return x->first != y->first ? order(x->first, y->first) : order(x->vreg, y->vreg);
}

static int last_first(const void *a, const void *b)
{
	const struct interval *x = a, *y = b;

	return x->last != y->last ? order(x->last, y->last) : order(x->vreg, y->vreg);
}

static bool is_free(const struct scan *s, uint32_t location, uint32_t size)
{
	return !s->owner[location] && (size == 1 || !s->owner[location + 1]) &&
	       alloc_aligned(s->job, location, size);
}

/* Pairs start at even locations when that costs nothing; single words fill the gaps between them.
 */
static uint32_t choose(const struct scan *s, const struct interval *v, uint32_t size)
{
	uint32_t location;

	if (v->hint != NO_VREG && s->of[v->hint].last < v->first &&
		s->of[v->hint].first <= s->of[v->hint].last &&
		alloc_size(s->job, v->hint) == size && s->job->location[v->hint] != NO_LOCATION &&
		is_free(s, s->job->location[v->hint], size) &&
		alloc_fits(s->job, v->vreg, s->job->location[v->hint]))
		return s->job->location[v->hint];
	for (location = 0; location + size <= s->used; location++) {
		bool tidy = size == 2 ? location % 2 == 0 : s->owner[location ^ 1] != 0;

		if (tidy && is_free(s, location, size) && alloc_fits(s->job, v->vreg, location))
			return location;
	}
	for (location = 0; !is_free(s, location, size); location++)
		;
	return location;
}

static void mark(struct scan *s, uint32_t v, uint32_t owner)
{
	for (uint32_t k = 0; k < alloc_size(s->job, v); k++)
		s->owner[s->job->location[v] + k] = owner;
}

/* The cost of evicting the owners of the locations. */
static double price(const struct scan *s, uint32_t location, uint32_t size)
{
	double sum = 0;

	for (uint32_t k = 0; k < size; k++) {
		uint32_t owner = s->owner[location + k];

		if (owner && (k == 0 || owner != s->owner[location]))
			sum += s->job->limit->cost[owner - 1];
	}
	return sum;
}

static void leave(struct scan *s, uint32_t v)
{
	s->job->location[v] = NO_LOCATION;
	s->job->limit->left[s->job->limit->nleft++] = v;
}

/* Evicts intervals below the limit if that is cheaper than spilling v. */
static bool evict(struct scan *s, uint32_t v, uint32_t size, uint32_t *location)
{
	double best = s->job->limit->cost[v];
	bool found = false;

	for (uint32_t p = 0; p + size <= s->job->limit->locations[v]; p++)
		if (alloc_aligned(s->job, p, size) && price(s, p, size) < best) {
			best = price(s, p, size);
			*location = p;
			found = true;
		}
	for (uint32_t k = 0; found && k < size; k++) {
		uint32_t owner = s->owner[*location + k];

		if (!owner)
			continue;
		mark(s, owner - 1, 0);
		leave(s, owner - 1);
	}
	return found;
}

static void sweep(struct scan *s)
{
	uint32_t expired = 0;

	for (uint32_t k = 0; k < s->n; k++) {
		const struct interval *v = &s->by_first[k];
		uint32_t size = alloc_size(s->job, v->vreg), location;

		for (; s->by_last[expired].last < v->first; expired++)
			if (s->job->location[s->by_last[expired].vreg] != NO_LOCATION)
				mark(s, s->by_last[expired].vreg, 0);
		location = choose(s, v, size);
		if (!alloc_fits(s->job, v->vreg, location) && !evict(s, v->vreg, size, &location)) {
			leave(s, v->vreg);
			continue;
		}
		s->job->location[v->vreg] = (uint16_t)location;
		mark(s, v->vreg, v->vreg + 1);
		if (location + size > s->used)
			s->used = location + size;
	}
}

static uint32_t assign(const struct alloc_job *job)
{
	uint32_t n = job->function->nvregs;
	struct scan s = {.job = job};

	s.of = arena_alloc(job->work, n + 1, sizeof(*s.of));
	s.by_first = arena_alloc(job->work, n + 1, sizeof(*s.by_first));
	s.by_last = arena_alloc(job->work, n + 1, sizeof(*s.by_last));
	s.owner = arena_alloc(job->work, 2 * (size_t)n + 4, sizeof(*s.owner));
	for (uint32_t v = 0; v < n; v++)
		s.of[v] = (struct interval){UINT32_MAX, 0, v, NO_VREG};
	measure(&s);
	for (uint32_t v = 0; v < n; v++)
		if (alloc_mine(job, v) && s.of[v].first <= s.of[v].last)
			s.by_first[s.n++] = s.of[v];
	memcpy(s.by_last, s.by_first, s.n * sizeof(*s.by_last));
	qsort(s.by_first, s.n, sizeof(*s.by_first), first_first);
	qsort(s.by_last, s.n, sizeof(*s.by_last), last_first);
	sweep(&s);
	return s.used;
}

static const struct alloc_ops ops = {.assign = assign};

const struct plugin alloc_linear = {
	.kind = ALLOC_KIND,
	.name = "linear",
	.text = "Linear scan over whole intervals in text order.",
	.ops = &ops,
};
