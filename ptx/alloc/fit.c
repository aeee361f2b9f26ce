/* Allocates one function under a register limit: spill, colour, repeat until every virtual register
 * has a location (Chaitin, "Register allocation and spilling via graph coloring", 1982; Briggs,
 * Cooper and Torczon, 1994). */
#include "ptx/alloc/fit.h"

#include "ptx/alloc/banks.h"
#include "ptx/alloc/reorder.h"

#include <math.h>
#include <string.h>

#define ROUNDS 120u
#define PATIENT 40u        /* rounds in which the reserve is raised only when nothing else helps */
#define LOST 0.5f          /* factor on the spill cost of preferred spill candidates */
#define SLOTS_SHARED 2000u /* slots that may share memory; any more have their own */
#define MOST_SLOT_WORDS 60000u

struct attempt {
	struct ir_module *m;
	const struct alloc_ops *ops;
	struct fit_need limit;
	const uint32_t *regs_below, *preds_below;
	struct spill_plan plan;
	bool *lost;     /* by register: preferred spill candidates; NULL: none */
	uint32_t slack; /* registers kept in reserve */
	struct ir_function now;
	uint32_t *origin;
	struct live *live;
	struct alloc_limit locations;
};

/* ---- limits. */

static void set_capacity(struct attempt *a, uint32_t slack)
{
	struct spill_plan *p = &a->plan;
	struct ir_function f = *p->f;
	struct calls_limit l = {.regs = a->limit.regs - slack,
		.preds = a->limit.preds,
		.regs_below = a->regs_below,
		.preds_below = a->preds_below,
		.capacity = p->capacity,
		.pred_capacity = p->pred_capacity};

	calls_limit(&f, &l, p->work);
}

static void limit_location(struct attempt *a, uint16_t *locations, uint32_t v, uint16_t capacity,
	uint16_t pred_capacity)
{
	uint16_t most = a->now.words[v] ? capacity : pred_capacity;

	if (!(a->now.words[v] & IR_SLOT) && locations[v] > most)
		locations[v] = most;
}

static void limit_instr(struct attempt *a, uint16_t *locations, const struct ir_instr *i,
	const struct live_set *after, const uint16_t capacity[2])
{
	uint32_t uses[IR_USES];
	unsigned n = ir_uses(i, uses);

	for (uint32_t k = 0; k < after->n; k++)
		limit_location(a, locations, after->list[k], capacity[0], capacity[1]);
	for (unsigned u = 0; u < n; u++)
		limit_location(a, locations, uses[u], capacity[0], capacity[1]);
	for (unsigned d = 0; d < i->ndst; d++)
		if (i->dst[d].kind == IR_REG)
			limit_location(a, locations, i->dst[d].index, capacity[0], capacity[1]);
}

/* What is live while a callee's registers hold values is placed below them. */
static void limit_at_calls(struct attempt *a, uint16_t *locations)
{
	struct ir_function *f = &a->now;
	struct live_set set = live_set_new(f, a->plan.work);
	struct calls_limit l = {.regs = a->limit.regs,
		.preds = a->limit.preds,
		.regs_below = a->regs_below,
		.preds_below = a->preds_below,
		.capacity = arena_alloc(a->plan.work, f->ninstr, sizeof(uint16_t)),
		.pred_capacity = arena_alloc(a->plan.work, f->ninstr, sizeof(uint16_t))};

	calls_limit(f, &l, a->plan.work);
	for (uint32_t b = 0; b < f->nblocks; b++) {
		live_at_end(a->live, b, &set);
		for (uint32_t i = f->blocks[b].end; i-- > f->blocks[b].first;) {
			const uint16_t capacity[2] = {l.capacity[i], l.pred_capacity[i]};

			if (capacity[0] < l.regs || capacity[1] < l.preds)
				limit_instr(a, locations, &f->code[i], &set, capacity);
			live_step_back(f, &f->code[i], &set);
		}
	}
}

static uint16_t *find_limits(struct attempt *a)
{
	uint32_t n = a->now.nvregs;
	uint16_t *locations = arena_alloc(a->plan.work, n + 1, sizeof(*locations));

	for (uint32_t v = 0; v < n; v++)
		locations[v] = (uint16_t)(a->now.words[v] ? a->limit.regs : a->limit.preds);
	if (a->now.ncalls)
		limit_at_calls(a, locations);
	return locations;
}

/* ---- one iteration. */

/* A spilled register is not spilled again, but it can be reloaded at every use. */
static float *find_costs(struct attempt *a)
{
	const struct spill_plan *p = &a->plan;
	float *cost = arena_alloc(p->work, a->now.nvregs + 1, sizeof(*cost));

	for (uint32_t t = 0; t < a->now.nvregs; t++) {
		uint32_t v = a->origin[t];

		cost[t] = p->cost[v];
		if (p->how[v] && (p->strict[v] || p->f->words[v] == 0))
			cost[t] = INFINITY;
	}
	return cost;
}

/* Removes stores to slots that are never loaded. */
static void drop_stores(struct attempt *a)
{
	struct ir_function *f = &a->now;
	struct live_set set = live_set_new(f, a->plan.work);

	for (uint32_t b = 0; b < f->nblocks; b++) {
		live_at_end(a->live, b, &set);
		for (uint32_t k = f->blocks[b].end; k-- > f->blocks[b].first;) {
			struct ir_instr *i = &f->code[k];

			if (i->shape == IR_SPILL && !live_has(&set, i->dst[0].index)) {
				i->action = ACT_NOP;
				i->shape = IR_GONE;
				i->guard = NO_VREG;
				i->ndst = i->nsrc = 0;
			}
			live_step_back(f, i, &set);
		}
	}
}

static struct alloc_job job_of(struct attempt *a, enum alloc_class class)
{
	return (struct alloc_job){.function = &a->now,
		.live = a->live,
		.class = class,
		.location = a->now.location,
		.limit = &a->locations,
		.work = a->plan.work};
}

static uint32_t assign(struct attempt *a, enum alloc_class class)
{
	struct alloc_job job = job_of(a, class);

	return a->ops->assign(&job);
}

static void spread(struct attempt *a)
{
	struct alloc_job job = job_of(a, ALLOC_WORDS);

	alloc_renumber(&job, a->now.regs);
}

/* Inserts the spill code and assigns locations; `left` holds the unassigned registers. */
static void try_once(struct attempt *a)
{
	struct arena *work = a->plan.work;

	a->now = spill_rewrite(&a->plan, &a->origin);
	a->live = live_compute(&a->now, work);
	drop_stores(a);
	a->now.location = arena_alloc(work, a->now.nvregs + 1, sizeof(*a->now.location));
	a->locations = (struct alloc_limit){.locations = find_limits(a),
		.cost = find_costs(a),
		.left = arena_alloc(work, 2 * (size_t)a->now.nvregs + 1, sizeof(uint32_t))};
	a->now.regs = assign(a, ALLOC_WORDS);
	a->now.preds = assign(a, ALLOC_PREDS);
}

/* Spills the unassigned registers, or reloads them at every use. Returns whether anything changed.
 */
static bool learn(struct attempt *a)
{
	struct spill_plan *p = &a->plan;
	bool news = false;

	for (uint32_t k = 0; k < a->locations.nleft; k++) {
		uint32_t v = a->origin[a->locations.left[k]];

		if (p->cost[v] >= INFINITY)
			continue;
		if (!p->how[v]) {
			p->how[v] = p->best[v];
			news = true;
		} else if (!p->strict[v]) {
			p->strict[v] = true;
			news = true;
		}
	}
	return news;
}

/* ---- slots. */

static uint32_t count_slots(const struct ir_function *f, uint8_t words)
{
	uint32_t n = 0;

	for (uint32_t v = 0; v < f->nvregs; v++)
		n += f->words[v] == (IR_SLOT | words);
	return n;
}

static uint32_t one_each(struct ir_function *f)
{
	uint32_t n = 0;

	for (uint8_t words = 2; words > 0; words--)
		for (uint32_t v = 0; v < f->nvregs; v++)
			if (f->words[v] == (IR_SLOT | words)) {
				f->location[v] = (uint16_t)n;
				n += words;
			}
	return n;
}

bool fit_assign_slots(struct ir_function *f, const struct live *live, const struct alloc_ops *ops,
	struct arena *work)
{
	struct alloc_job job = {.function = f,
		.live = live,
		.class = ALLOC_SLOTS,
		.location = f->location,
		.work = work};
	uint32_t pairs = count_slots(f, 2), singles = count_slots(f, 1), n;

	if (pairs + singles == 0)
		return true;
	if (2 * pairs + singles > MOST_SLOT_WORDS)
		return false;
	n = pairs + singles > SLOTS_SHARED ? one_each(f) : ops->assign(&job);
	if (pairs && f->frame_align < 8)
		f->frame_align = 8;
	f->slots_at = div_up(f->frame_bytes, pairs ? 8 : 4) * (pairs ? 8 : 4);
	f->frame_bytes = f->slots_at + 4 * (uint64_t)n;
	return true;
}

/* ---- all iterations. */

/* Starts from the function's current code; the plan's copy is the one that is compiled. */
static void start(struct attempt *a, const struct ir_function *function)
{
	struct spill_plan *p = &a->plan;
	struct arena *work = a->m->trial;
	struct ir_function *f = arena_alloc(work, 1, sizeof(*f));

	*f = *function;
	p->m = a->m;
	p->f = f;
	p->work = work;
	p->live = live_compute(f, work);
	p->weight = loops_weigh(f, work);
	p->again = remat_find(a->m, f, work);
	p->cost = arena_alloc(work, f->nvregs + 1, sizeof(*p->cost));
	p->best = arena_alloc(work, f->nvregs + 1, sizeof(*p->best));
	p->how = arena_alloc(work, f->nvregs + 1, sizeof(*p->how));
	p->strict = arena_alloc(work, f->nvregs + 1, sizeof(*p->strict));
	p->capacity = arena_alloc(work, f->ninstr + 1, sizeof(*p->capacity));
	p->pred_capacity = arena_alloc(work, f->ninstr + 1, sizeof(*p->pred_capacity));
	p->before = arena_alloc(work, f->ninstr + 1, sizeof(*p->before));
	p->after = arena_alloc(work, f->ninstr + 1, sizeof(*p->after));
	spill_weigh(p);
	for (uint32_t v = 0; a->lost && v < f->nvregs; v++)
		p->cost[v] *= a->lost[v] ? LOST : 1;
}

static bool find_fit(struct attempt *a, const struct ir_function *function)
{
	start(a, function);
	for (unsigned k = 0; k < ROUNDS; k++) {
		bool news;

		set_capacity(a, a->slack);
		news = spill_choose(&a->plan);
		try_once(a);
		if (a->locations.nleft == 0)
			break;
		news = learn(a) || news;
		if ((!news || k >= PATIENT) && ++a->slack >= a->limit.regs / 2)
			return false;
	}
	if (a->locations.nleft || !fit_assign_slots(&a->now, a->live, a->ops, a->plan.work))
		return false;
	calls_measure(&a->now, a->live, a->m->trial);
	for (uint32_t v = 0; v < a->plan.f->nvregs; v++)
		a->now.spills |= a->plan.how[v] != SPILL_NOT;
	return true;
}

/* ---- with reordered code. */

/* Instructions, weighted by execution frequency. */
static double weigh_code(const struct attempt *a)
{
	const struct ir_function *f = &a->now;
	double sum = 0;

	for (uint32_t b = 0; b < f->nblocks; b++)
		for (uint32_t i = f->blocks[b].first; i < f->blocks[b].end; i++)
			sum += f->code[i].shape == IR_GONE ? 0 : (double)a->plan.weight[b];
	return sum;
}

/* Keeps the better of two: the original order, or blocks of high register pressure reordered. */
static void try_reordered(struct attempt *a)
{
	struct attempt other = {.m = a->m,
		.ops = a->ops,
		.limit = a->limit,
		.regs_below = a->regs_below,
		.preds_below = a->preds_below};
	struct ir_function f;

	set_capacity(a, 0);
	f = reorder_function(&a->plan, &other.lost);
	hoist_updates(&f, a->plan.work);
	if (!find_fit(&other, &f) || weigh_code(&other) >= weigh_code(a))
		return;
	*a = other;
	a->live->function = &a->now; /* `now` has been moved */
	a->now.spills = true;
}

bool fit_function(struct ir_module *m, uint32_t function, const struct alloc_ops *ops,
	struct fit_need limit, const uint32_t *regs_below, const uint32_t *preds_below)
{
	struct attempt a = {.m = m,
		.ops = ops,
		.limit = limit,
		.regs_below = regs_below,
		.preds_below = preds_below};

	if (!find_fit(&a, &m->functions[function]))
		return false;
	if (a.now.spills && !m->keep_order)
		try_reordered(&a);
	if (!m->any_bank)
		spread(&a);
	a.now.plain = a.plan.f;
	m->functions[function] = a.now;
	return true;
}
