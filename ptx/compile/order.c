/* The order of a function's instructions before register allocation. */
#include "ptx/compile/order.h"

#include "ptx/alloc/reorder.h"
#include "ptx/ir/merge.h"
#include "ptx/ir/schedule.h"

static const struct live *recompute(struct ir_module *m, struct ir_function *f)
{
	f->max_live = f->max_preds = 0;
	return live_compute(f, m->work);
}

/* Not if that takes more registers than a thread has, and than the function took. */
static const struct live *merge(
	struct ir_module *m, struct ir_function *f, const struct live *live, uint32_t max_regs)
{
	struct ir_function was = *f;

	if (merge_accesses(m, f, m->work)) {
		live = recompute(m, f);
		if (f->max_live <= max_regs || f->max_live <= was.max_live)
			return live;
	}
	*f = was;
	return recompute(m, f);
}

/* Not if that raises the pressure above that of the PTX order plus `extra`. */
static const struct live *order_near(
	struct ir_module *m, struct ir_function *f, const struct live *live, uint32_t extra)
{
	struct ir_function was = *f;

	*f = reorder_near_uses(m, &was, live, m->work);
	live = recompute(m, f);
	if (f->max_live <= was.max_live + extra)
		return live;
	*f = was;
	return recompute(m, f);
}

const struct live *order_function(struct ir_module *m, struct ir_function *f,
	const struct order_options *o, uint32_t max_regs)
{
	const struct live *live = live_compute(f, m->work);
	struct schedule_options options = {o->schedule, o->extra, o->least, max_regs};

	if (o->merge)
		live = merge(m, f, live, max_regs);
	if (o->schedule == SCHEDULE_NEAR || o->schedule == SCHEDULE_NEAR_EARLY)
		live = order_near(m, f, live, o->extra);
	if (o->schedule == SCHEDULE_NONE || o->schedule == SCHEDULE_NEAR)
		return live;
	schedule_function(f, live, &options, m->work);
	return recompute(m, f);
}
