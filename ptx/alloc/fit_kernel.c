/* Allocates a kernel under a register limit: the budget of each of its functions, callees first. */
#include "ptx/alloc/fit.h"

#include <string.h>

/* Fractions of a caller's registers that it keeps across a call when the demands exceed the limit;
 * 0 means a share in proportion to the demands. */
static const double shares[] = {0, 0.5, 0.25, 0.125};

#define TIGHT 8u      /* limits above the smallest that are tried */
#define KEEP_LEAST 2u /* registers needed to pass spilled arguments */

static uint32_t lower(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static uint32_t higher(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

/* The registers that a function uses together with its callees. */
static void add_up(const struct fit *t, uint32_t function, uint32_t *regs, uint32_t *preds)
{
	const struct ir_function *f = &t->m->functions[function];

	regs[function] = f->regs;
	preds[function] = f->preds;
	for (uint32_t c = 0; c < f->ncalls; c++) {
		const struct ir_call *call = &f->calls[c];

		regs[function] = higher(regs[function], call->regs + regs[call->callee]);
		preds[function] = higher(preds[function], call->preds + preds[call->callee]);
	}
}

/* ---- budgets, callers first. */

static uint32_t kept(const struct fit *t, const struct ir_call *call, uint32_t budget, double share)
{
	uint32_t want = t->want[call->callee], keep;

	if (call->live + want <= budget)
		return call->live;
	if (share <= 0)
		share = (double)call->live / (call->live + want);
	keep = (uint32_t)(share * budget);
	return higher(KEEP_LEAST, lower(keep, call->live));
}

static void divide(struct fit *t, struct fit_need limit, double share)
{
	for (uint32_t k = 0; k < t->n; k++) {
		t->budget[t->order[k]] = limit.regs;
		t->pred_budget[t->order[k]] = limit.preds;
	}
	for (uint32_t k = 0; k < t->n; k++) {
		const struct ir_function *f = &t->m->functions[t->order[k]];
		uint32_t mine = t->budget[t->order[k]], preds = t->pred_budget[t->order[k]];

		for (uint32_t c = 0; c < f->ncalls; c++) {
			const struct ir_call *call = &f->calls[c];
			uint32_t keep = lower(mine, kept(t, call, mine, share));

			t->budget[call->callee] = lower(t->budget[call->callee], mine - keep);
			t->pred_budget[call->callee] = lower(t->pred_budget[call->callee],
				preds - lower(call->preds, preds / 2));
		}
	}
}

/* ---- one division of the registers. */

static bool fit_one(struct fit *t, uint32_t function)
{
	struct fit_need limit = {t->budget[function], t->pred_budget[function]};

	add_up(t, function, t->regs, t->preds);
	if (t->regs[function] <= limit.regs && t->preds[function] <= limit.preds)
		return true;
	if (!fit_function(t->m, function, t->ops, limit, t->regs, t->preds))
		return false;
	add_up(t, function, t->regs, t->preds);
	return t->regs[function] <= limit.regs && t->preds[function] <= limit.preds;
}

static void put_back(struct fit *t)
{
	for (uint32_t k = 0; k < t->n; k++)
		t->m->functions[t->order[k]] = t->saved[k];
	arena_free(t->m->trial);
}

static bool try_share(struct fit *t, struct fit_need limit, double share)
{
	divide(t, limit, share);
	for (uint32_t k = t->n; k-- > 0;)
		if (!fit_one(t, t->order[k])) {
			put_back(t);
			return false;
		}
	return true;
}

/* ---- the kernel. */

static void make_arrays(struct fit *t)
{
	uint32_t n = t->m->nfunctions;
	struct arena *work = t->m->work;

	t->saved = arena_alloc(work, n, sizeof(*t->saved));
	t->order = arena_alloc(work, n, sizeof(*t->order));
	t->want = arena_alloc(work, n, sizeof(*t->want));
	t->regs = arena_alloc(work, n, sizeof(*t->regs));
	t->preds = arena_alloc(work, n, sizeof(*t->preds));
	t->budget = arena_alloc(work, n, sizeof(*t->budget));
	t->pred_budget = arena_alloc(work, n, sizeof(*t->pred_budget));
}

static void save(struct fit *t)
{
	if (!t->saved)
		make_arrays(t);
	put_back(t);
	t->n = t->frames->n;
	for (uint32_t k = 0; k < t->n; k++) {
		t->order[k] = t->frames->order[k];
		t->saved[k] = t->m->functions[t->order[k]];
	}
	for (uint32_t k = t->n; k-- > 0;)
		add_up(t, t->order[k], t->want, t->preds);
}

bool fit_kernel(struct fit *t, struct fit_need limit)
{
	save(t);
	for (unsigned k = 0; k < (t->n > 1 ? ARRAY_LEN(shares) : 1); k++)
		if (try_share(t, limit, shares[k])) {
			BUG_ON(frames_build(t->frames, t->m, t->frames->kernel));
			return true;
		}
	return false;
}

void fit_restore(struct fit *t)
{
	put_back(t);
	t->n = 0;
}

static bool has_spills(const struct fit *t)
{
	for (uint32_t k = 0; k < t->n; k++)
		if (t->m->functions[t->order[k]].spills)
			return true;
	return false;
}

void fit_tighten(struct fit *t, uint32_t preds)
{
	uint32_t least = t->frames->max_live, most = t->frames->regs;

	for (uint32_t regs = least; t->frames->n > 1 && regs < most && regs < least + TIGHT;
		regs++) {
		if (!fit_kernel(t, (struct fit_need){regs, preds}))
			continue;
		if (!has_spills(t))
			return;
		fit_restore(t);
		BUG_ON(frames_build(t->frames, t->m, t->frames->kernel));
	}
}

uint32_t fit_least(struct fit *t, uint32_t most, uint32_t preds)
{
	uint32_t low = 1, high = most + 1;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (fit_kernel(t, (struct fit_need){middle, preds})) {
			high = middle;
			fit_restore(t);
		} else {
			low = middle + 1;
		}
	}
	return low <= most ? low : 0;
}
